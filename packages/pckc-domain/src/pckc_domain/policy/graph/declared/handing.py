"""Functions that are given away by name, and called where they went: by parameters, fields, elements of tables."""

from collections.abc import Iterator

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Expression,
    Gift,
    Item,
    Name,
    Part,
    Select,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.dispatch import AMBIGUOUS, INFERRED, MAX_CERTAIN, MAX_TARGETS, Target
from pckc_domain.policy.graph.declared.evaluation import Evaluation
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, TYPES, Symbol, last_name
from pckc_domain.policy.graph.declared.scopes import ALL, Want
from pckc_domain.policy.graph.declared.sites import At, Site
from pckc_domain.policy.graph.declared.values import Functions, Instance, Package, Static, Type

_MAX_STEPS = 6
"""Locals, parameters and fields between a call and the name of the function it means."""

_KEEPERS = frozenset((NodeKind.FIELD, NodeKind.VARIABLE, NodeKind.CONSTANT))


class Handing(Evaluation):
    """Finds the functions that a call of a value means."""

    def add_handed(self, call: Call, at: At, site: Site) -> None:
        """Add to a call the functions that what it calls evidently holds."""
        held = self._held_function(call, at, site)
        if held is None:
            return
        found = dict.fromkeys(self._handed(held, at, 0))
        if found and len(found) <= MAX_TARGETS:
            level = INFERRED if len(found) <= MAX_CERTAIN else AMBIGUOUS
            site.targets += tuple([Target(one, level) for one in found])

    def _held_function(self, call: Call, at: At, site: Site) -> Expression | None:
        """Return what holds the functions that a call means, when it is a call of a value."""
        callee = call.callee
        if isinstance(callee, Select) and callee.owner is not None and self._invokes(callee, at, site):
            return callee.owner
        if site.targets or site.made or site.is_read:
            return None
        if isinstance(callee, Name) and self.rules.separates_calls:
            return None
        return callee if isinstance(callee, Name | Select | Item | Part | Choice) else None

    def _invokes(self, callee: Select, at: At, site: Site) -> bool:
        """Return whether a method does nothing but call what it is a method of."""
        if callee.name in self.rules.invokers and not site.targets:
            return True
        held = self.value(callee.owner, at) if site.targets else None
        method = self.only_method(held.type) if isinstance(held, Instance) else None
        return method is not None and any(one.symbol == method for one in site.targets)

    def _handed(self, held: Expression | None, at: At, steps: int) -> Iterator[Symbol]:
        if held is None or steps > _MAX_STEPS:
            return
        match held:
            case Name(text):
                yield from self._in_name(text, at, steps)
            case Item(owner) | Part(owner):
                yield from self._handed(owner, at, steps + 1)
            case Choice(options):
                for one in options:
                    yield from self._functions(one, at)
                    yield from self._handed(one, at, steps + 1)
            case Select():
                for symbol in self._keepers(held, at):
                    yield from self._kept(symbol)

    def _functions(self, given: Expression | None, at: At) -> Iterator[Symbol]:
        """Yield the functions that an expression names."""
        value = self.value(given, at) if isinstance(given, Name | Select) else None
        if isinstance(value, Functions) and not self.declaration(value.symbols[0]).is_property:
            for symbol, _ in self.targets(value, self.named_alone(value)):
                yield symbol

    def _in_name(self, text: str, at: At, steps: int) -> Iterator[Symbol]:
        where = at.where
        while where.number > 0:
            one = self.declaration(where)
            bound = at.bound if where == at.where else ALL
            for number in range(min(bound, len(one.locals)) - 1, -1, -1):
                local = one.locals[number]
                is_parameter = local.value is None and any(each.name == text for each in one.parameters)
                if local.name == text and local.line <= at.line and not is_parameter:
                    before = At(where, local.line, number)
                    yield from self._functions(local.value, before)
                    yield from self._handed(local.value, before, steps + 1)
                    yield from self._stored_in_body(text, where)
                    return
            for number, parameter in enumerate(one.parameters):
                if parameter.name == text:
                    yield from self._passed(where, number)
                    return
            where = Where(where.path, one.parent)
        for symbol in self._keepers(Name(text), at):
            yield from self._kept(symbol)

    def _stored_in_body(self, text: str, where: Where) -> Iterator[Symbol]:
        """Yield the functions that a body puts into a local container."""
        for target, value, line in self.declaration(where).stored:
            if isinstance(target, Item) and target.owner == Name(text):
                yield from self._functions(value, At(where, line, ALL))

    # Parameters

    def _passed(self, where: Where, number: int) -> Iterator[Symbol]:
        """Yield the functions that calls pass for a parameter."""
        one = self.declaration(where)
        if one.kind not in FUNCTIONS | TYPES:
            return
        around = self.around(where) if one.is_constructor else None
        names = {one.name, last_name(around.key)} if around else {one.name}
        is_rest = one.parameters[number].is_rest
        for name in sorted(names):
            for path, gift in self.gifts_to(name):
                is_meant = gift.position >= number if is_rest else gift.position == number
                if is_meant and self._goes_to(gift, path, Symbol(*where), name):
                    yield from self._functions(gift.value, At(Where(path, gift.declaration), gift.line, ALL))

    def _goes_to(self, gift: Gift, path: str, symbol: Symbol, name: str) -> bool:
        """Return whether a gift goes to a function; when nobody knows to which one, it goes to the only one."""
        at = At(Where(path, gift.declaration), gift.line, ALL)
        match gift.into:
            case Name(text):
                found = self.lookup_at(text, at, Want.CALL)
            case Select(None, _):
                found = None
            case Select(owner, text):
                found = self.select(owner, text, at, Want.CALL)
            case Cast(_, ref):
                kind = self.resolve(ref, at.where, at.line)
                found = Static(kind) if kind else None
            case _:
                return False
        match found:
            case Functions(symbols):
                return symbol in symbols or self.overridden(symbol) in symbols
            case Static(kind):
                return symbol in self.constructors(kind) or symbol in self.declared(kind)
            case None:
                return not isinstance(gift.into, Name) and self.named(name) == [symbol]
        return False

    # Fields and variables

    def _keepers(self, expression: Expression, at: At) -> list[Symbol]:
        """Return the fields or variables that an expression names."""
        match expression:
            case Item(owner):
                return self._keepers(owner, at)
            case Select(owner, name):
                held = self.value(owner, at) if owner else None
                if isinstance(held, Package):
                    return self._only_keepers(self.members(held.key, name))
                return self._fields(held.type, name) if isinstance(held, Instance | Static) else []
            case Name(name):
                around = self.around(at.where) if self.rules.has_implicit_members else None
                found = self._fields(around, name) if around else []
                outline = self.outline(at.where.path)
                own = [Symbol(at.where.path, index) for index in outline.children.get((0, name), ())]
                return found or self._only_keepers(own) or self._only_keepers(self.members(outline.namespace, name))
        return []

    def _fields(self, kind: Type, name: str) -> list[Symbol]:
        for _, symbols in self.levels(kind, name):
            return self._only_keepers(symbols)
        return []

    def _only_keepers(self, symbols: list[Symbol]) -> list[Symbol]:
        return [one for one in symbols if self.declaration(one).kind in _KEEPERS]

    def _kept(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield the functions that are kept in a field or variable, or given to the parameter that makes it."""
        one = self.declaration(symbol)
        name, around = one.name, Symbol(symbol.path, max(one.parent, 0))
        yield from self._functions(one.value, At(Where(*around), 0))
        for number, parameter in enumerate(self.declaration(around).parameters):
            if parameter.name == name:
                yield from self._passed(Where(*around), number)
        yield from self._made_with(symbol, around)
        for path, gift in self.gifts_to(name):
            at = At(Where(path, gift.declaration), gift.line, ALL)
            if gift.position < 0 and symbol in self._keepers(gift.into, at):
                yield from self._functions(gift.value, at)
                if isinstance(gift.value, Name):
                    yield from self._from_parameter(gift.value.text, at.where)

    def _made_with(self, field: Symbol, owner: Symbol) -> Iterator[Symbol]:
        """Yield the functions that stand in the place of a field where instances are made from all fields in order."""
        one = self.declaration(owner)
        if one.kind not in TYPES or one.parameters or self.constructors(self.type_of(owner)):
            return
        outline = self.outline(owner.path)
        fields = [
            index
            for index, each in enumerate(outline.declarations)
            if each.parent == owner.number and each.kind is NodeKind.FIELD and not each.is_static
        ]
        position = fields.index(field.number) if field.number in fields else -1
        for path, gift in self.gifts_to(one.name) if position >= 0 else ():
            if gift.position == position and self._goes_to(gift, path, owner, one.name):
                yield from self._functions(gift.value, At(Where(path, gift.declaration), gift.line, ALL))

    def _from_parameter(self, name: str, where: Where) -> Iterator[Symbol]:
        for number, parameter in enumerate(self.declaration(where).parameters):
            if parameter.name == name:
                yield from self._passed(where, number)
