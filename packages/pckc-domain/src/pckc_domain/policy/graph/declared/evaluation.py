"""Expressions: what they are, and what those of the asking file read and pass."""

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Expression,
    Item,
    Literal,
    Name,
    New,
    Part,
    Place,
    Select,
    This,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.calls import Calls
from pckc_domain.policy.graph.declared.dispatch import EXTRACTED, Chosen, Target
from pckc_domain.policy.graph.declared.gifts import calls_in
from pckc_domain.policy.graph.declared.index import Index
from pckc_domain.policy.graph.declared.outline import Outline, Symbol, last_name
from pckc_domain.policy.graph.declared.rules import Rules
from pckc_domain.policy.graph.declared.scopes import Want
from pckc_domain.policy.graph.declared.sites import At, Site
from pckc_domain.policy.graph.declared.values import Functions, Instance, Static, Unknown, Value, first_known

_MAX_DEPTH = 90
"""Steps from an expression into what it rests on; what lies deeper is not known."""


class Evaluation(Calls):
    """
    Tells what expressions are.

    Attributes:
        reads: By declaration of the asking file, line and property: whom reading it calls.
        passed: Declaration and place of a call of the asking file, and a function or type that it passes by name.
    """

    def __init__(self, own: Outline, index: Index, rules: Rules) -> None:
        super().__init__(own, index, rules)
        self.reads: dict[tuple[int, int, Symbol], tuple[Target, ...]] = {}
        self.passed: list[tuple[int, Place, Value]] = []
        self._depth = 0

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
                return self.this(at, is_super=is_super)
            case Select(owner, name):
                return self._read(self.select(owner, name, at, Want.VALUE), at)
            case Call():
                key = ("call", at.where.path, expression.place)
                here = at._replace(line=expression.place.line)
                return self.once(key, lambda: self.call(expression, here))
            case New():
                key = ("new", at.where.path, expression.place)
                here = at._replace(line=expression.place.line)
                return self.once(key, lambda: self.new(expression, here))
            case Literal(kind):
                found = self.resolve(kind, at.where)
                return Instance(found) if found else None
            case Cast(value, kind):
                self.value(value, at)
                found = self.resolve(kind, at.where)
                return Instance(found) if found else None
            case Item(owner, is_key):
                return self.item(self.value(owner, at), is_key=is_key)
            case Part(owner, position):
                return self.part(self.value(owner, at), position) or self._part_of_variant(owner, position, at)
            case Choice(options):
                return first_known([self.value(one, at) for one in options])
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
        return self.result(symbol, dict(self.bindings_of(symbol, self.owner_of(symbol, found))), found)

    def _part_of_variant(self, variant: Expression, position: int, at: At) -> Value | None:
        """Return what a variant of an enumeration holds."""
        owner = self.value(variant.owner, at) if isinstance(variant, Select) else None
        if not isinstance(variant, Select) or not isinstance(owner, Static | Instance):
            return None
        for symbol in self.own_members(owner.type, variant.name):
            found = self.parameter_type(symbol, position)
            if found:
                return Instance(found)
        return None

    # Calls of the asking file

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
