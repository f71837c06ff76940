"""Expressions: what they are, and whom their calls mean."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import attrs

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Declaration,
    Expression,
    Item,
    Literal,
    Name,
    New,
    Part,
    Place,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.dispatch import EXTRACTED, INFERRED, Chosen, Dispatch, Target
from pckc_domain.policy.graph.declared.gifts import calls_in
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, Symbol, last_name
from pckc_domain.policy.graph.declared.rules import Calling, How
from pckc_domain.policy.graph.declared.scopes import ALL, Want
from pckc_domain.policy.graph.declared.values import (
    FUNCTION,
    MAP,
    RECEIVER,
    SEQUENCE,
    TUPLE,
    UNKNOWN,
    External,
    Functions,
    Instance,
    Package,
    Static,
    Type,
    Unknown,
    Value,
    substitute,
    unify,
)

_MAX_DEPTH = 90
"""Steps from an expression into what it rests on; what lies deeper is not known."""


class At(NamedTuple):
    """A place of an expression: its declaration, its line, and how many of the locals are bound before it."""

    where: Where
    line: int
    bound: int = ALL


@attrs.define
class Site:
    """
    A call of the file that is linked.

    Attributes:
        caller: Declaration in which it stands.
        text: What is called, as written.
        targets: Whom it means; empty when nobody knows or it is outside of the repository.
        external: What it is outside of the repository.
        made: The types of which it makes an instance.
        root: The first name of the callee.
        is_read: Whether it only reads a field.
        lent: Functions that it gives to one outside of the repository, which calls them.
    """

    caller: int
    text: str
    targets: tuple[Target, ...] = ()
    external: str = ""
    made: tuple[Symbol, ...] = ()
    root: str = ""
    is_read: bool = False
    lent: tuple[Target, ...] = ()


class Evaluation(Dispatch):
    """Tells what expressions are; calls of the asking file are kept in *sites*."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type] # the same as there
        self.sites: dict[Place, Site] = {}
        self.reads: dict[tuple[int, int, Symbol], tuple[Target, ...]] = {}
        self.passed: list[tuple[int, Place, Value]] = []
        self._receivers: dict[Where, Type] = {}
        self._closures: dict[Where, tuple[Type | None, ...]] = {}
        self._depth = 0

    # Values

    def value(self, expression: Expression | None, at: At) -> Value | None:
        """Return what an expression is; ``None`` when that is not known."""
        if expression is None or self._depth > _MAX_DEPTH:
            return None
        self._depth += 1
        try:
            found = self._value(expression, at)
        finally:
            self._depth -= 1
        return None if isinstance(found, Unknown) else found

    def _value(self, expression: Expression, at: At) -> Value | None:
        match expression:
            case Name(text, is_space):
                space = self.lookup_at(text, at, Want.TYPE) if is_space else None
                return space or self._read(self.lookup_at(text, at, Want.VALUE), at)
            case This(is_super):
                return self._this(at, is_super=is_super)
            case Select(owner, name):
                return self._read(self.select(owner, name, at, Want.VALUE), at)
            case Call():
                key = ("call", at.where.path, expression.place)
                here = at._replace(line=expression.place.line)
                return self.once(key, lambda: self._call(expression, here))
            case New():
                key = ("new", at.where.path, expression.place)
                here = at._replace(line=expression.place.line)
                return self.once(key, lambda: self._new(expression, here))
            case Literal(kind):
                found = self.resolve(kind, at.where)
                return Instance(found) if found else None
            case Cast(value, kind):
                self.value(value, at)
                found = self.resolve(kind, at.where)
                return Instance(found) if found else None
            case Item(owner, is_key):
                return self._item(self.value(owner, at), is_key=is_key)
            case Part(owner, position):
                return self._part(self.value(owner, at), position) or self._part_of_variant(owner, position, at)
            case Choice(options):
                return self._choice([self.value(one, at) for one in options])
            case Closure():
                return None
        return None

    def _read(self, found: Value | None, at: At) -> Value | None:
        """Return what a name stands for: of a property what it gives, as naming it calls it."""
        if not isinstance(found, Functions) or not self.declaration(found.symbols[0]).is_property:
            return found
        symbol = found.symbols[0]
        if at.where.path == self.own.path:
            self.reads[at.where.number, at.line, symbol] = self.targets(found, Chosen((symbol,), EXTRACTED))
        return self._result(symbol, dict(self.bindings_of(symbol, self.owner_of(symbol, found))), found)

    def lookup_at(self, name: str, at: At, want: Want) -> Value | None:
        """Return what *name* means at a place."""
        return self.lookup(name, at.where, at.line, want, at.bound)

    def in_body(self, name: str, here: Where, line: int, want: Want, bound: int) -> Value | None:
        """Return the local or parameter *name* of a body."""
        return None if self._is_passed_over(want) else self._local(name, here, line, bound)

    def _is_passed_over(self, want: Want) -> bool:
        """Return whether what is wanted cannot be a local."""
        return want is Want.TYPE or (want is Want.CALL and self.rules.separates_calls)

    def _local(self, name: str, here: Where, line: int, bound: int) -> Value | None:
        one = self.declaration(here)
        since = one.locals[bound].line if bound < len(one.locals) else 0
        for number in range(len(one.locals) - 1, -1, -1):
            local = one.locals[number]
            if local.name != name or (number >= bound and (number == bound or local.line <= since)):
                continue
            if not line or (local.line <= line and (not local.end_line or line <= local.end_line)):
                return self._known_local(here, number)
        for number, parameter in enumerate(one.parameters):
            if parameter.name == name:
                return self.given(here, number)
        return None

    def _known_local(self, here: Where, number: int) -> Value:
        found = self.once(("local", here, number), lambda: self._bound(here, number))
        return found or UNKNOWN

    def _bound(self, here: Where, number: int) -> Value | None:
        local = self.declaration(here).locals[number]
        value = None
        if local.type is None or local.type.name == FUNCTION:
            value = self.value(local.value, At(here, local.line, number))
        if local.type is not None and not isinstance(value, Functions):
            kind = self.resolve(local.type, here, local.line)
            return Instance(kind) if kind else None
        return value

    def _declared_closure(self, here: Where) -> Sequence[Type | None]:
        """Return what a closure takes by the declared type of what it is the value of."""
        if here.path != self.own.path or here.number not in self._closure_types:
            return ()
        ref, around = self._closure_types[here.number]
        return self._function_type(self.resolve(ref, around))[0]

    @cached_property
    def _closure_types(self) -> Mapping[int, tuple[TypeRef, Where]]:
        """The declared types of what closures of the file are the values of."""
        found: dict[int, tuple[TypeRef, Where]] = {}
        for number, one in enumerate(self.own.declarations):
            for local in one.locals:
                if isinstance(local.value, Closure) and local.type:
                    found[local.value.declaration] = local.type, Where(self.own.path, number)
            if isinstance(one.value, Closure) and one.type:
                found[one.value.declaration] = one.type, Where(self.own.path, number)
        return found

    def given(self, here: Where, number: int) -> Value:
        one = self.declaration(here)
        given = one.parameters[number].type
        kind = self.resolve(given, here) if given else None
        if kind is None:
            known = self._closures.get(here) or self._declared_closure(here)
            kind = known[number] if number < len(known) else None
        return Instance(kind) if kind else UNKNOWN

    def receiver_of_closure(self, here: Where) -> Type | None:
        """Return the type of ``this`` in a closure that has one of its own: a local of that name."""
        if here in self._receivers:
            return self._receivers[here]
        found = self._local("this", here, 0, ALL)
        return found.type if isinstance(found, Instance) else None

    def _this(self, at: At, *, is_super: bool) -> Value | None:
        where = at.where
        while not is_super and self.declaration(where).kind is NodeKind.LAMBDA:
            kind = self.receiver_of_closure(where)
            if kind:
                return Instance(kind)
            where = Where(where.path, self.declaration(where).parent)
        kind = self.around(at.where)
        if kind is None:
            return None
        if not is_super:
            is_type = self.rules.tells_statics and self.declaration(where).is_static
            return Static(kind) if is_type else Instance(kind)
        bases = self.bases(kind)
        return Instance(bases[0]) if bases else None

    def select(self, owner: Expression | None, name: str, at: At, want: Want) -> Value | None:
        name = self.rules.operators.get(name, name)
        if isinstance(owner, This) and owner.is_super:
            kind = self.around(at.where)
            found = self.member(kind, name, want, is_super=True) if kind else None
            return found or (self._missing(kind, name) if kind else None)
        if self.rules.pointee and (found := self._from_table(owner, name, at)):
            return found
        held = self.value(owner, at)
        if name == self.rules.pointee:
            return self._pointee(held)
        match held:
            case Instance(kind):
                found = self.member(kind, name, want) or self._through(kind, name, want)
                if found is None and want is Want.VALUE:
                    found = self._well_known_part(kind, name)
                return found or self._missing(kind, name)
            case Static(kind):
                found = self.inside(held, name, want)
                if found is None and name in self.rules.makers:
                    return held
                return found or self._missing(kind, name)
            case Package() | External():
                return self.inside(held, name, want)
        if held is None and isinstance(owner, Name):  # a type from elsewhere, to which the repository adds
            found = self.member(Type(owner.text), name, want, is_static=True)
            return found if isinstance(found, Functions) and self._stands_apart(found.symbols[0]) else None
        return None

    def _stands_apart(self, symbol: Symbol) -> bool:
        return self.outline(symbol.path).is_added(self.declaration(symbol))

    def _pointee(self, held: Value | None) -> Value | None:
        """Return what a pointer points to, which a plain pointer is itself."""
        if not isinstance(held, Instance):
            return held
        if last_name(held.type.key) in self.rules.wrappers and held.type.arguments and not held.type.is_declared:
            return Instance(held.type.arguments[0])
        operator = self.member(held.type, f"operator{self.rules.pointee}", Want.CALL)
        given = self._only_result(operator) if isinstance(operator, Functions) else None
        return given or held

    def _from_table(self, owner: Expression | None, name: str, at: At) -> Value | None:
        """Return the function that an evident table has under a name: a variable made with named entries."""
        while isinstance(owner, Select) and owner.name == self.rules.pointee:
            owner = owner.owner
        if not isinstance(owner, Name):
            return None
        one = self.declaration(at.where)
        for number in range(min(at.bound, len(one.locals)) - 1, -1, -1):
            if one.locals[number].name == owner.text:
                return self._from_table(one.locals[number].value, name, At(at.where, at.line, number))
        if any(parameter.name == owner.text for parameter in one.parameters):
            return None
        entries = self.entries(owner.text, name)
        own = [entry for entry in entries if entry.path == at.where.path]
        values = [self.value(self.declaration(entry).value, At(Where(entry.path, 0), 0)) for entry in own or entries]
        return next((value for value in values if isinstance(value, Functions)), None)

    def _through(self, kind: Type, name: str, want: Want) -> Value | None:
        """Return a member of what a wrapper holds."""
        if last_name(kind.key) in self.rules.wrappers and kind.arguments and not kind.is_declared:
            inner = kind.arguments[0]
            return self.member(inner, name, want) or self._through(inner, name, want)
        return None

    def _missing(self, kind: Type, name: str) -> Value | None:
        """Return what an outside type, or an outside base, has under a name."""
        if kind.is_variable and not kind.bounds:
            return None
        for level in self.line_of(kind):
            if not level.is_declared and not level.is_variable:
                return External(f"{level.key}.{name}")
        return None

    def held(self, symbol: Symbol, owner: Type | None) -> Value:
        """Return what a field, variable or constant holds."""
        one = self.declaration(symbol)
        where = Where(symbol.path, max(one.parent, 0))
        if one.type is not None:
            kind = self.resolve(one.type, where)
            return Instance(substitute(kind, self.bindings_of(symbol, owner))) if kind else UNKNOWN
        found = self.once(("held", symbol), lambda: self.value(one.value, At(where, 0)))
        if found is None and one.value is None and self.rules.backing and not one.name.startswith(self.rules.backing):
            behind = self.member(owner, f"{self.rules.backing}{one.name}", Want.VALUE) if owner else None
            return behind or UNKNOWN
        return found or UNKNOWN

    def _choice(self, options: Sequence[Value | None]) -> Value | None:
        known = [option for option in options if option is not None]
        inside = [option for option in known if not isinstance(option, External)]
        return next(iter(inside or known), None)

    # Parts of values

    def _item(self, held: Value | None, *, is_key: bool = False) -> Value | None:
        if isinstance(held, Functions | External):
            return held
        if not isinstance(held, Instance):
            return None
        found = self._held_type(held.type, is_key=is_key)
        return Instance(found) if found else None

    def _held_type(self, kind: Type, *, is_key: bool = False) -> Type | None:
        """Return the type of what something holds."""
        for level in self.line_of(kind):
            if level.is_declared:
                made = self._made_of(level)
                if made is not None and made.key != kind.key:
                    return self._held_type(made, is_key=is_key)
                continue
            position = {SEQUENCE: 0, MAP: -1}.get(level.key, self.rules.holders.get(last_name(level.key)))
            if position is not None and level.arguments:
                is_pair = position == -1 and len(level.arguments) > 1
                return level.arguments[0 if is_key and is_pair else position]
        return None

    def _made_of(self, kind: Type) -> Type | None:
        """Return what a declared type is made of, when it says so."""
        for symbol in self.declared(kind):
            one = self.declaration(symbol)
            if one.type is not None:
                made = self.resolve(one.type, Where(*symbol))
                return substitute(made, self.bindings(kind)) if made else None
        return None

    def _part(self, held: Value | None, position: int) -> Value | None:
        if isinstance(held, Instance) and held.type.key == TUPLE and position < len(held.type.arguments):
            return Instance(held.type.arguments[position])
        if isinstance(held, Instance):
            for symbol in self.declared(held.type):
                found = self._parameter_type(symbol, position)
                return Instance(substitute(found, self.bindings(held.type))) if found else None
        return held if isinstance(held, External) else None

    def _parameter_type(self, symbol: Symbol, position: int) -> Type | None:
        parameters = self.declaration(symbol).parameters
        return self.resolve(parameters[position].type, Where(*symbol)) if position < len(parameters) else None

    def _part_of_variant(self, variant: Expression, position: int, at: At) -> Value | None:
        """Return what a variant of an enumeration holds."""
        owner = self.value(variant.owner, at) if isinstance(variant, Select) else None
        if not isinstance(variant, Select) or not isinstance(owner, Static | Instance):
            return None
        for symbol in self.own_members(owner.type, variant.name):
            found = self._parameter_type(symbol, position)
            if found:
                return Instance(found)
        return None

    # Calls

    def visit(self, expression: Expression | None, at: At) -> None:
        """Look at an expression of the asking file, and at all that it holds."""
        for call in calls_in([expression]):
            self.value(call, at)
            self._note_passed(call, at)
            if isinstance(call, Call):
                self._note_held(call, at)

    def _note_passed(self, call: Call | New, at: At) -> None:
        """Note the functions and types that a call passes by name."""
        site = self.sites.get(call.place)
        for argument in call.arguments:
            if isinstance(argument, Name | Select):
                value = self.value(argument, at)
                if isinstance(value, Functions | Static):
                    self.passed.append((at.where.number, call.place, value))
                if isinstance(value, Functions) and site is not None and self._is_foreign(site):
                    site.lent += self.targets(value, self.named_alone(value))

    def _is_foreign(self, site: Site) -> bool:
        """Return whether a call is of a function that is not in the repository: it calls what it is given."""
        if site.targets or any(self.declaration(one).kind is not NodeKind.TYPE_ALIAS for one in site.made):
            return False
        return bool(site.external) or not self.named(last_name(site.text).rstrip("()[]"))

    def _note_held(self, call: Call, at: At) -> None:
        site = self.sites.get(call.place)
        if site is not None:
            self.add_handed(call, at._replace(line=call.place.line), site)

    def add_handed(self, call: Call, at: At, site: Site) -> None:
        """Add to a call the functions that what it calls evidently holds."""
        raise NotImplementedError

    def _call(self, call: Call, at: At) -> Value | None:
        if isinstance(call.callee, Closure):
            closure = Where(at.where.path, call.callee.declaration)
            self._pass_to_closure(closure, (), call.arguments, at)
            return self._closure_result(closure)
        callee = self._callee(call, at)
        site = self._site(call, at)
        match callee:
            case Functions():
                return self._invoke(callee, call.arguments, call.type_arguments, at, site)
            case Static(kind):
                if isinstance(call.callee, This):
                    return self._make(kind, call.arguments, at, site, but=Symbol(*at.where))
                return self._call_type(kind, call.arguments, at, site)
            case External(name):
                given = self._free_operator(call, at, site) if self.rules.has_free_operators else None
                if given is not None or site.targets:
                    return given
                site.external = name
                if name in self.rules.passing and call.arguments:
                    return self.value(call.arguments[0], at)
                return self._well_known(call, at, site) or External(f"{name}()")
            case Instance(kind):
                return self._call_value(kind, call, at, site)
        given = self._free_operator(call, at, site) if self.rules.has_free_operators else None
        return given or self._well_known(call, at, site)

    def _callee(self, call: Call, at: At) -> Value | None:
        match call.callee:
            case Name(text) if text == self.rules.conversion:
                return self._conversion(call, at)
            case Name(text):
                found = self._on_receiver(self.lookup_at(text, at, Want.CALL))
                return found or (self._below_only(text, at) if self.rules.has_implicit_members else None)
            case Select(owner, name):
                found = self.select(owner, name, at, Want.CALL)
                if owner != This():
                    return found
                is_left_open = found is None or isinstance(found, External)
                return (self._below_only(name, at) if is_left_open else None) or self._on_receiver(found)
            case This(is_super):
                kind = self.around(at.where)
                bases = self.bases(kind) if kind else []
                meant = (bases[0] if bases else None) if is_super else kind
                return Static(meant) if meant else None
        return self.value(call.callee, at)

    def _conversion(self, call: Call, at: At) -> Value | None:
        """Return what turns the failure of a value into that of the body around, when they differ: Rust's ``?``."""
        where = at.where
        while self.declaration(where).kind is NodeKind.LAMBDA:
            where = Where(where.path, self.declaration(where).parent)
        own = self.resolve(self.declaration(where).type, where)
        held = self.value(call.arguments[0], at)
        if own is None or not isinstance(held, Instance) or min(len(own.arguments), len(held.type.arguments)) < 2:
            return None
        wanted, given = own.arguments[1], held.type.arguments[1]
        for symbol in self.own_members(wanted, "from") if wanted.key != given.key else ():
            taken = self._parameter_type(symbol, 0)
            if taken is not None and taken.key == given.key:
                return Functions((symbol,), wanted)
        return None

    def _below_only(self, name: str, at: At) -> Value | None:
        """Return what only types below have of what a body calls on its own receiver, where no compiler asks for it."""
        kind = self.around(at.where) if self.rules.leaves_open else None
        below = self.below(kind) if kind and kind.is_declared else []
        symbols = [one for each in below for one in self.own_members(each, name) if self._is_instance_method(one)]
        return Functions(tuple(dict.fromkeys(symbols)), is_open=True) if symbols else None

    def _is_instance_method(self, symbol: Symbol) -> bool:
        one = self.declaration(symbol)
        return one.kind in FUNCTIONS and one.has_body and not one.is_static and not one.is_constructor

    def _on_receiver(self, found: Value | None) -> Value | None:
        """Return what a body calls on its own receiver: of functions also those that types below have instead."""
        is_method = isinstance(found, Functions) and found.receiver is not None
        return found._replace(is_own=True) if isinstance(found, Functions) and is_method else found

    def _site(self, call: Call | New, at: At) -> Site:
        text = written(call.callee) if isinstance(call, Call) else call.type.name
        site = Site(at.where.number, text, root=text.partition(".")[0])
        if at.where.path == self.own.path:
            return self.sites.setdefault(call.place, site)
        return site

    def _invoke(
        self,
        functions: Functions,
        arguments: Sequence[Expression | None],
        type_arguments: Sequence[TypeRef],
        at: At,
        site: Site,
    ) -> Value | None:
        given = [None if isinstance(one, Closure) else self.value(one, at) for one in arguments]
        chosen = self.choose(functions, [one.type if isinstance(one, Instance) else None for one in given])
        site.targets = self.targets(functions, chosen)
        result: Value | None = None
        for symbol in chosen.symbols:
            one = self.declaration(symbol)
            bindings = dict(self.bindings_of(symbol, self.owner_of(symbol, functions)))
            where = Where(*symbol)
            for parameter, ref in zip(one.type_parameters, type_arguments, strict=False):
                explicit = self.resolve(ref, at.where)
                if explicit:
                    bindings[parameter.name] = explicit
            self._infer(one, where, arguments, given, bindings, at)
            result = result or self._result(symbol, bindings, functions)
        return result

    def _infer(
        self,
        one: Declaration,
        where: Where,
        arguments: Sequence[Expression | None],
        given: Sequence[Value | None],
        bindings: dict[str, Type],
        at: At,
    ) -> None:
        """Bind what the arguments tell about the type parameters, and tell closures what they are given."""
        promised: list[Type | None] = []
        for number in range(len(arguments)):
            parameter = one.parameters[min(number, len(one.parameters) - 1)] if one.parameters else None
            kind = self.resolve(parameter.type, where) if parameter else None
            if parameter and parameter.is_rest and kind and kind.key == SEQUENCE and kind.arguments:
                kind = kind.arguments[0]
            promised.append(kind)
        for kind, value in zip(promised, given, strict=True):
            if kind and isinstance(value, Instance):
                unify(kind, value.type, bindings)
        for kind, argument in zip(promised, arguments, strict=True):
            if not isinstance(argument, Closure):
                continue
            closure = Where(at.where.path, argument.declaration)
            taken, gives = self._function_type(kind)
            if taken and taken[0].key == RECEIVER:
                self._receivers[closure] = substitute(taken[0].arguments[0], bindings)
                taken = taken[1:]
            self._closures[closure] = tuple([substitute(each, bindings) for each in taken])
            if gives and gives.is_variable:
                found = self._closure_result(closure)
                if isinstance(found, Instance):
                    bindings.setdefault(gives.key, found.type)

    def _function_type(self, kind: Type | None) -> tuple[tuple[Type, ...], Type | None]:
        """Return what a function type takes and gives; an interface with one method is one too."""
        if kind is None:
            return (), None
        if kind.key == FUNCTION:
            return kind.arguments[:-1], kind.arguments[-1] if kind.arguments else None
        method = self.only_method(kind)
        if method is None:
            return (), None
        one = self.declaration(method)
        bindings = self.bindings(kind)
        where = Where(*method)
        taken = [self.resolve(parameter.type, where) or Type("?") for parameter in one.parameters]
        gives = self.resolve(one.type, where)
        return tuple([substitute(each, bindings) for each in taken]), substitute(gives, bindings) if gives else None

    def _pass_to_closure(
        self, closure: Where, known: Sequence[Type | None], arguments: Sequence[Expression | None], at: At
    ) -> None:
        values = [self.value(one, at) for one in arguments]
        types = [one.type if isinstance(one, Instance) else None for one in values]
        self._closures[closure] = tuple(known) or tuple(types)

    def _closure_result(self, closure: Where) -> Value | None:
        one = self.declaration(closure)
        if one.type is not None:
            kind = self.resolve(one.type, closure)
            return Instance(kind) if kind else None
        return self._choice([self.value(each, At(closure, ALL)) for each in one.result])

    def result_of(self, where: Where) -> Value | None:
        """Return what a body without declared result gives."""
        return self.once(("inferred", where), lambda: self._closure_result(where))

    def _result(self, symbol: Symbol, bindings: dict[str, Type], functions: Functions) -> Value | None:
        one = self.declaration(symbol)
        where = Where(*symbol)
        if one.is_constructor:
            kind = self.around(where)
            return Instance(functions.owner or kind) if kind else None
        if one.type is not None:
            if one.type.name in self.rules.self_types and functions.receiver:
                return Instance(functions.receiver)
            kind = self.resolve(one.type, where)
            return Instance(substitute(kind, bindings)) if kind else None
        return self.result_of(where)

    def _call_type(self, kind: Type, arguments: Sequence[Expression | None], at: At, site: Site) -> Value | None:
        if self.rules.calling is Calling.CONVERTS:
            site.made = tuple(self.declared(kind))
            site.external = "" if site.made else kind.key
            return Instance(kind)
        operator = self._static_operator(kind)
        if operator is not None:
            return self._invoke(operator, arguments, (), at, site)
        return self._make(kind, arguments, at, site)

    def _static_operator(self, kind: Type) -> Functions | None:
        """Return the function that a call of a type means in place of its constructor."""
        if not self.rules.call_operator or not kind.is_declared:
            return None
        found = self.member(kind, self.rules.call_operator, Want.CALL, is_static=True)
        is_static = isinstance(found, Functions) and self.declaration(found.symbols[0]).is_static
        return found if isinstance(found, Functions) and is_static else None

    def _free_operator(self, call: Call, at: At, site: Site) -> Value | None:
        """Return what a function outside of types gives that is written for an operator and the types it is given."""
        callee = call.callee
        if not isinstance(callee, Select) or not callee.name.startswith("operator") or callee.owner is None:
            return None
        arguments = (callee.owner, *call.arguments)
        given = [self.value(one, at) for one in arguments]
        types = [one.type if isinstance(one, Instance) else None for one in given]
        found = self.lookup_at(callee.name, at, Want.CALL) if any(one and one.is_declared for one in types) else None
        if not isinstance(found, Functions):
            return None
        fitting = [one for one in found.symbols if self.takes_exactly(one, types)]
        return self._invoke(found._replace(symbols=tuple(fitting)), arguments, (), at, site) if fitting else None

    def _call_value(self, kind: Type, call: Call, at: At, site: Site) -> Value | None:
        """Return what calling a value gives: a function held somewhere, or an instance with a call operator."""
        if kind.key == FUNCTION:
            return Instance(kind.arguments[-1]) if kind.arguments else None
        if self.rules.backing and not call.arguments:
            site.is_read = True
            return Instance(kind)
        made = self._made_of(kind) if kind.is_declared else None
        if made is not None and made.key == FUNCTION:
            return Instance(made.arguments[-1]) if made.arguments else None
        if any(self.declaration(one).kind is NodeKind.ENUM for one in self.declared(kind)):
            site.made = tuple(self.declared(kind))
            return Instance(kind)  # a variant that holds something
        operator = self.member(kind, self.rules.call_operator, Want.CALL) if self.rules.call_operator else None
        if isinstance(operator, Functions):
            return self._invoke(operator, call.arguments, call.type_arguments, at, site)
        method = self.only_method(kind) if kind.is_declared else None
        if method is not None and not self.rules.separates_calls:
            return None
        if not kind.is_declared:
            site.external = kind.key
        return None

    def _new(self, new: New, at: At) -> Value | None:
        kind = self.resolve(new.type, at.where, new.place.line)
        return self._make(kind, new.arguments, at, self._site(new, at)) if kind else None

    def _make(
        self, kind: Type, arguments: Sequence[Expression | None], at: At, site: Site, *, but: Symbol | None = None
    ) -> Value:
        """Make an instance: call the constructor, if one is written; not *but*, which leaves it to another one."""
        if not kind.is_declared:
            site.external = kind.key
            for argument in arguments:
                if isinstance(argument, Closure):
                    self._pass_to_closure(Where(at.where.path, argument.declaration), (), (), at)
            return Instance(kind)
        site.made = tuple(self.declared(kind))
        constructors = tuple([one for one in self.constructors(kind) if one != but])
        if constructors:
            self._invoke(Functions(constructors, kind, is_exact=True), arguments, (), at, site)
        if any(each.is_variable for each in kind.arguments):
            kind = kind._replace(arguments=tuple([each for each in kind.arguments if not each.is_variable]))
        return Instance(kind)

    # Well-known methods

    def _well_known(self, call: Call, at: At, site: Site) -> Value | None:
        """
        Return what a method of a sequence, map, option or stream gives.

        Closures are told what they are given; a function that is passed by its name is called by who passes it.
        """
        if not isinstance(call.callee, Select):
            return None
        how = self.rules.methods.get(call.callee.name)
        held = self.value(call.callee.owner, at)
        if not isinstance(held, Instance):
            return None
        item, key = self._held_type(held.type), self._held_type(held.type, is_key=True)
        is_pair = item != key
        for argument in call.arguments:
            if isinstance(argument, Closure):
                closure = Where(at.where.path, argument.declaration)
                count = len(self.declaration(closure).parameters)
                self._closures[closure] = (key, item) if is_pair and count == 2 else (item,) * count
            elif item and isinstance(argument, Name | Select):
                passed = self.value(argument, at)
                if isinstance(passed, Functions):
                    site.targets += self.targets(passed, Chosen(passed.symbols[:1], INFERRED))
        found = self._by_method(how, held.type, item, key, call, at) if how and item else None
        return Instance(found) if found else None

    def _well_known_part(self, kind: Type, name: str) -> Value | None:
        """Return what a well-known method gives that is called by naming it, as properties are."""
        how = self.rules.methods.get(name)
        item = self._held_type(kind) if how and not kind.is_declared else None
        found = self._plain(how, kind, item, self._held_type(kind, is_key=True)) if how and item else None
        return Instance(found) if found else None

    def _by_method(self, how: How, kind: Type, item: Type, key: Type | None, call: Call, at: At) -> Type | None:
        if how not in (How.MAPPED, How.FLAT, How.RESULT):
            return self._plain(how, kind, item, key)
        result = self._mapped(call, at)
        return Type(SEQUENCE, (result,)) if result and how is How.MAPPED else result

    def _plain(self, how: How, kind: Type, item: Type, key: Type | None) -> Type | None:
        """Return what a method gives that takes no function."""
        match how:
            case How.SAME:
                return kind
            case How.ITEM:
                return item
            case How.KEY:
                return key
            case How.OPTION | How.ITEMS:
                return Type(SEQUENCE, (item,))
            case How.KEYS:
                return Type(SEQUENCE, (key,)) if key else None
            case How.ENTRIES:
                return Type(SEQUENCE, (Type(MAP, (key or Type("?"), item)),))
        return None

    def _mapped(self, call: Call, at: At) -> Type | None:
        """Return what the function that is passed gives for an item."""
        for argument in call.arguments:
            found: Value | None = None
            if isinstance(argument, Closure):
                found = self._closure_result(Where(at.where.path, argument.declaration))
            elif isinstance(argument, Select):
                found = self._passed_method(argument, at)
            elif argument is not None:
                function = self.value(argument, at)
                found = self._only_result(function) if isinstance(function, Functions) else None
            if isinstance(found, Instance):
                return found.type
        return None

    def _passed_method(self, reference: Select, at: At) -> Value | None:
        function = self.value(reference, at)
        if isinstance(function, Functions):
            return self._only_result(function)
        if function is None and reference.name == "new":
            made = self.value(reference.owner, at)
            return Instance(made.type) if isinstance(made, Static) else None
        return None

    def _only_result(self, functions: Functions) -> Value | None:
        symbol = functions.symbols[0]
        return self._result(symbol, dict(self.bindings_of(symbol, functions.owner)), functions)


def written(expression: Expression | None) -> str:
    """Return an expression as text: names with dots between."""
    match expression:
        case Name(text):
            return text
        case This(is_super):
            return "super" if is_super else "this"
        case Select(owner, name):
            before = written(owner)
            return f"{before}.{name}" if before else name
        case Call(callee):
            return f"{written(callee)}()"
        case New(kind):
            return f"{kind.name}()"
        case Item(owner) | Part(owner):
            return f"{written(owner)}[]"
        case Cast(_, kind):
            return kind.name
    return ""
