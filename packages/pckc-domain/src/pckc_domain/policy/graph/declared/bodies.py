"""Bodies: what their locals, parameters and ``this`` hold, and what they give."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from pckc_domain.model.declared_facts import Closure, Expression, TypeRef
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.index import Index
from pckc_domain.policy.graph.declared.outline import Outline, Symbol
from pckc_domain.policy.graph.declared.parts import Parts
from pckc_domain.policy.graph.declared.rules import Rules
from pckc_domain.policy.graph.declared.scopes import ALL, Want
from pckc_domain.policy.graph.declared.sites import At
from pckc_domain.policy.graph.declared.values import (
    FUNCTION,
    UNKNOWN,
    Functions,
    Instance,
    Static,
    Type,
    Value,
    first_known,
    substitute,
)


class Bodies(Parts):
    """
    Looks into bodies.

    Attributes:
        told: What those who call a closure give it, by its declaration.
        receivers: What ``this`` is in a closure whose callers say so, by its declaration.
    """

    def __init__(self, own: Outline, index: Index, rules: Rules) -> None:
        super().__init__(own, index, rules)
        self.told: dict[Where, tuple[Type | None, ...]] = {}
        self.receivers: dict[Where, Type] = {}

    def value(self, expression: Expression | None, at: At) -> Value | None:
        """Return what an expression is; ``None`` when that is not known."""
        raise NotImplementedError

    # Names

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

    def given(self, here: Where, number: int) -> Value:
        """Return what a parameter of a function, or of a type's head, holds."""
        one = self.declaration(here)
        given = one.parameters[number].type
        kind = self.resolve(given, here) if given else None
        if kind is None:
            known = self.told.get(here) or self._declared_closure(here)
            kind = known[number] if number < len(known) else None
        return Instance(kind) if kind else UNKNOWN

    # Closures

    def _declared_closure(self, here: Where) -> Sequence[Type | None]:
        """Return what a closure takes by the declared type of what it is the value of."""
        if here.path != self.own.path or here.number not in self._closure_types:
            return ()
        ref, around = self._closure_types[here.number]
        return self.function_type(self.resolve(ref, around))[0]

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

    def receiver_of_closure(self, here: Where) -> Type | None:
        """Return the type of ``this`` in a closure that has one of its own: a local of that name."""
        if here in self.receivers:
            return self.receivers[here]
        found = self._local("this", here, 0, ALL)
        return found.type if isinstance(found, Instance) else None

    def this(self, at: At, *, is_super: bool) -> Value | None:
        """Return what ``this`` is at a place, or ``super``."""
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

    # Results

    def closure_result(self, closure: Where) -> Value | None:
        """Return what a body gives by its declared type, or else by what it returns."""
        one = self.declaration(closure)
        if one.type is not None:
            kind = self.resolve(one.type, closure)
            return Instance(kind) if kind else None
        return first_known([self.value(each, At(closure, ALL)) for each in one.result])

    def result_of(self, where: Where) -> Value | None:
        """Return what a body without declared result gives."""
        return self.once(("inferred", where), lambda: self.closure_result(where))

    def result(self, symbol: Symbol, bindings: dict[str, Type], functions: Functions) -> Value | None:
        """Return what a call of one of *functions* gives, its type parameters bound."""
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

    def only_result(self, functions: Functions) -> Value | None:
        """Return what the first of *functions* gives when nothing is known of a call."""
        symbol = functions.symbols[0]
        return self.result(symbol, dict(self.bindings_of(symbol, functions.owner)), functions)
