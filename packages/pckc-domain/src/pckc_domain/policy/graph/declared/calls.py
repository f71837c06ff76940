"""Calls: whom they mean, and what they give."""

from collections.abc import Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Closure,
    Declaration,
    Expression,
    Name,
    New,
    Place,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.index import Index
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, Outline, Symbol
from pckc_domain.policy.graph.declared.rules import Calling, Rules
from pckc_domain.policy.graph.declared.scopes import Want
from pckc_domain.policy.graph.declared.selection import Selection
from pckc_domain.policy.graph.declared.sites import At, Site, written
from pckc_domain.policy.graph.declared.values import (
    FUNCTION,
    RECEIVER,
    SEQUENCE,
    External,
    Functions,
    Instance,
    Static,
    Type,
    Value,
    substitute,
    unify,
)


class Calls(Selection):
    """
    Finds whom calls mean.

    Attributes:
        sites: The calls of the asking file that were looked at, by place.
    """

    def __init__(self, own: Outline, index: Index, rules: Rules) -> None:
        super().__init__(own, index, rules)
        self.sites: dict[Place, Site] = {}

    def call(self, call: Call, at: At) -> Value | None:
        """Return what a call gives, and note whom it means."""
        if isinstance(call.callee, Closure):
            closure = Where(at.where.path, call.callee.declaration)
            self._pass_to_closure(closure, (), call.arguments, at)
            return self.closure_result(closure)
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
                return self.well_known(call, at, site) or External(f"{name}()")
            case Instance(kind):
                return self._call_value(kind, call, at, site)
        given = self._free_operator(call, at, site) if self.rules.has_free_operators else None
        return given or self.well_known(call, at, site)

    def new(self, new: New, at: At) -> Value | None:
        """Return the instance that is made, and note whom making it calls."""
        kind = self.resolve(new.type, at.where, new.place.line)
        return self._make(kind, new.arguments, at, self._site(new, at)) if kind else None

    def _site(self, call: Call | New, at: At) -> Site:
        text = written(call.callee) if isinstance(call, Call) else call.type.name
        site = Site(at.where.number, text, root=text.partition(".")[0])
        if at.where.path == self.own.path:
            return self.sites.setdefault(call.place, site)
        return site

    # Callees

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
            taken = self.parameter_type(symbol, 0)
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

    # Functions

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
            result = result or self.result(symbol, bindings, functions)
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
            taken, gives = self.function_type(kind)
            if taken and taken[0].key == RECEIVER:
                self.receivers[closure] = substitute(taken[0].arguments[0], bindings)
                taken = taken[1:]
            self.told[closure] = tuple([substitute(each, bindings) for each in taken])
            if gives and gives.is_variable:
                found = self.closure_result(closure)
                if isinstance(found, Instance):
                    bindings.setdefault(gives.key, found.type)

    def _pass_to_closure(
        self, closure: Where, known: Sequence[Type | None], arguments: Sequence[Expression | None], at: At
    ) -> None:
        values = [self.value(one, at) for one in arguments]
        types = [one.type if isinstance(one, Instance) else None for one in values]
        self.told[closure] = tuple(known) or tuple(types)

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

    # Types and values

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

    def _call_value(self, kind: Type, call: Call, at: At, site: Site) -> Value | None:
        """Return what calling a value gives: a function held somewhere, or an instance with a call operator."""
        if kind.key == FUNCTION:
            return Instance(kind.arguments[-1]) if kind.arguments else None
        if self.rules.backing and not call.arguments:
            site.is_read = True
            return Instance(kind)
        made = self.made_of(kind) if kind.is_declared else None
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
