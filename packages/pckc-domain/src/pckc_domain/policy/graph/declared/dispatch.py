"""From functions of one name to those that a call means."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pckc_domain.model.declared_facts import Declaration, TypeRef
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, PROMISES, TYPES, Symbol, last_name
from pckc_domain.policy.graph.declared.scopes import Scopes
from pckc_domain.policy.graph.declared.values import SEQUENCE, Functions, Type

EXTRACTED, INFERRED, AMBIGUOUS = 0, 1, 2
MAX_CERTAIN = 8
"""Implementations that a call of an interface may mean before it is ambiguous."""

MAX_TARGETS = 24
"""With more implementations than this, only the interface's own method is said to be called."""

_NUMBERS = frozenset(
    "int long short byte float double char number i8 i16 i32 i64 u8 u16 u32 u64 usize isize f32 f64 Int Long Double "
    "Float Short Byte uint ulong ushort sbyte decimal size_t unsigned".split()
)
_ANYTHING = frozenset(("Object", "any", "Any", "object", "dynamic", "auto", "AnyObject", "Comparable", "Serializable"))
_TEXTS = frozenset(("String", "string", "CharSequence", "str"))


class Target(NamedTuple):
    """A function that a call means, and how that is known: 0 is surest."""

    symbol: Symbol
    level: int


class Chosen(NamedTuple):
    """Functions that fit what a call passes."""

    symbols: tuple[Symbol, ...]
    level: int


class Dispatch(Scopes):
    """Chooses among overloads, and finds implementations."""

    # Overloads

    def choose(self, functions: Functions, given: Sequence[Type | None]) -> Chosen:
        """Return the overloads that fit the arguments best, the nearest of those that fit alike."""
        symbols = self._written(functions.symbols)
        if functions.is_open:
            return Chosen(tuple(symbols[:MAX_TARGETS]), INFERRED if len(symbols) <= MAX_CERTAIN else AMBIGUOUS)
        inherent = [symbol for symbol in symbols if self.declaration(symbol).implemented is None]
        symbols = inherent or symbols
        if self.rules.counts_arguments:
            symbols = [symbol for symbol in symbols if self._takes(symbol, len(given))]
            if not symbols:
                return Chosen((), EXTRACTED)
        if len(symbols) == 1:
            return Chosen(tuple(symbols), EXTRACTED if self._takes(symbols[0], len(given)) else INFERRED)
        if not self.rules.has_overloads:
            return Chosen(tuple(symbols), AMBIGUOUS)
        fitting = [symbol for symbol in symbols if self._takes(symbol, len(given))] or symbols[:1]
        if len(fitting) > 1:
            marks = [(self._mark(symbol, given), symbol) for symbol in fitting]
            best = max(mark for mark, _ in marks)
            fitting = [symbol for mark, symbol in marks if mark == best and best >= 0]
        nearest = self._nearest(fitting)
        return Chosen(tuple(nearest), EXTRACTED if len(nearest) == 1 else AMBIGUOUS)

    def named_alone(self, functions: Functions) -> Chosen:
        """Return the function that a name means which is not called."""
        symbols = self._written(functions.symbols)
        return Chosen(tuple(symbols[:1]), INFERRED)

    def _written(self, symbols: Sequence[Symbol]) -> list[Symbol]:
        """Return the functions without mere promises of one that is written out: a header's prototypes."""
        unique = list(dict.fromkeys(symbols))
        if not self.rules.includes:
            return unique
        bodies = {self._shape(symbol) for symbol in unique if self.declaration(symbol).has_body}
        return [one for one in unique if self.declaration(one).has_body or self._shape(one) not in bodies]

    def _shape(self, symbol: Symbol) -> tuple[str, str, int]:
        one = self.declaration(symbol)
        owner = self.around(Where(*symbol))
        return owner.key if owner else self.key(symbol), one.name, len(one.parameters)

    def _takes(self, symbol: Symbol, count: int) -> bool:
        parameters = self.declaration(symbol).parameters
        least = sum(not (one.is_optional or one.is_rest) for one in parameters)
        return least <= count and (count <= len(parameters) or any(one.is_rest for one in parameters))

    def takes_exactly(self, symbol: Symbol, given: Sequence[Type | None]) -> bool:
        """Return whether a function takes what is given, and one of the program's types by its name."""
        one = self.declaration(symbol)
        wanted = [self.resolve(parameter.type, Where(*symbol)) for parameter in one.parameters]
        if len(wanted) != len(given) or self._mark(symbol, given) < 0:
            return False
        pairs = zip(given, wanted, strict=True)
        return any(mine and theirs and mine.is_declared and mine.key == theirs.key for mine, theirs in pairs)

    def _mark(self, symbol: Symbol, given: Sequence[Type | None]) -> int:
        """Return how well arguments fit: -1 when they cannot, else more for better."""
        one = self.declaration(symbol)
        where = Where(*symbol)
        total = 0 if any(parameter.is_rest for parameter in one.parameters) else 1
        for parameter, kind in zip(one.parameters, given, strict=False):
            wanted = self.resolve(parameter.type, where)
            if kind is None or wanted is None:
                continue
            if parameter.is_rest and wanted.key == SEQUENCE and kind.key != SEQUENCE:
                wanted = wanted.arguments[0] if wanted.arguments else wanted
            fit = self._fit(kind, wanted)
            if fit < 0:
                return -1
            total += fit
        return total

    def _fit(self, kind: Type, wanted: Type) -> int:
        if wanted.is_variable:
            return 1
        if kind.key == wanted.key:
            return 8
        for distance, level in enumerate(self.line_of(kind)):
            if level.key == wanted.key:
                return max(7 - distance, 2)
        names = last_name(kind.key), last_name(wanted.key)
        if names[1] in _ANYTHING or kind.is_variable:
            return 1
        if all(name in _NUMBERS for name in names) or all(name in _TEXTS for name in names):
            return 3
        if names[0] == names[1]:
            return 4
        is_known = kind.is_declared and wanted.is_declared
        is_plain = any(name in _NUMBERS or name in _TEXTS for name in names)
        return -1 if is_known or is_plain else 0

    def _nearest(self, symbols: list[Symbol]) -> list[Symbol]:
        """Return the symbols of the first type of a line: an override stands before what it overrides."""
        if len(symbols) < 2:
            return symbols
        first = self.around(Where(*symbols[0]))
        shapes: dict[object, Symbol] = {}
        for symbol in symbols:
            owner = self.around(Where(*symbol))
            is_own = (owner.key if owner else "") == (first.key if first else "")
            signature = tuple([parameter.type for parameter in self.declaration(symbol).parameters])
            shapes.setdefault(signature if not is_own else (symbol, signature), symbol)
        own = [one for one in shapes.values() if self._same_owner(one, first)]
        return own or list(shapes.values())

    def _same_owner(self, symbol: Symbol, first: Type | None) -> bool:
        owner = self.around(Where(*symbol))
        return (owner.key if owner else "") == (first.key if first else "")

    # Types

    def constructors(self, kind: Type) -> tuple[Symbol, ...]:
        """Return the constructors that a type has itself, or inherits where it has none."""
        for level in self.line_of(kind) if self.rules.constructors else [kind]:
            found = [symbol for declared in self.declared(level) for symbol in self._constructors_in(declared)]
            if self.rules.includes:
                apart = self.own_members(level, last_name(level.key))
                found += [one for one in apart if self.declaration(one).is_constructor and one not in found]
            for name in sorted(self.rules.constructors):
                found += [one for one in self.own_members(level, name) if one not in found]
            if found:
                return tuple(found)
        return ()

    def _constructors_in(self, declared: Symbol) -> list[Symbol]:
        outline = self.outline(declared.path)
        return [
            Symbol(declared.path, index)
            for index, one in enumerate(outline.declarations)
            if one.parent == declared.number and one.is_constructor
        ]

    def methods_in(self, kind: Type) -> dict[str, Symbol]:
        """Return the functions that a declared type's own text holds, by name."""
        found: dict[str, Symbol] = {}
        for declared in self.declared(kind):
            outline = self.outline(declared.path)
            for index, one in enumerate(outline.declarations):
                if one.parent == declared.number and one.kind in FUNCTIONS:
                    found.setdefault(one.name, Symbol(declared.path, index))
        return found

    def only_method(self, kind: Type) -> Symbol | None:
        """Return the method of an interface that promises one alone."""
        if not kind.is_declared:
            return None
        if all(self.declaration(one).kind not in PROMISES for one in self.declared(kind)):
            return None
        promised = [
            symbol
            for level in self.line_of(kind)
            for symbol in self.methods_in(level).values()
            if not self.declaration(symbol).has_body
        ]
        return promised[0] if len(promised) == 1 else None

    def owner_of(self, symbol: Symbol, functions: Functions) -> Type | None:
        """Return the type of the line of a receiver in which a function stands."""
        if functions.owner is None:
            return None
        around = self.around(Where(*symbol))
        if around is None or around.key == functions.owner.key:
            return functions.owner
        return next((one for one in self.line_of(functions.owner) if one.key == around.key), functions.owner)

    # Implementations

    def targets(self, functions: Functions, chosen: Chosen) -> tuple[Target, ...]:
        """Return whom a call means: what was chosen, and what implements it."""
        found = dict.fromkeys(chosen.symbols, chosen.level)
        if functions.is_exact or functions.receiver is None:
            return tuple([Target(*one) for one in found.items()])
        for symbol in chosen.symbols:
            if not (self._is_promise(symbol) or (functions.is_own and self._is_open(symbol))):
                continue
            implementations = self._implementations(symbol, functions.receiver)
            if len(implementations) > MAX_TARGETS:
                continue
            level = INFERRED if len(implementations) <= MAX_CERTAIN else AMBIGUOUS
            for other in implementations:
                found.setdefault(other, max(level, chosen.level))
        return tuple([Target(*one) for one in found.items()])

    def _is_promise(self, symbol: Symbol) -> bool:
        one = self.declaration(symbol)
        if one.is_static or one.is_constructor:
            return False
        if not one.has_body:
            return True
        around = self.declaration(Symbol(symbol.path, one.parent)) if one.parent >= 0 else None
        return around is not None and around.kind in PROMISES

    def _is_open(self, symbol: Symbol) -> bool:
        """Return whether a type below may have another function in place of a method that is written out."""
        one = self.declaration(symbol)
        if one.is_static or one.is_constructor or one.visibility in self.rules.sealed:
            return False
        return not self.rules.says_virtual or self._is_virtual(symbol)

    def _is_virtual(self, symbol: Symbol) -> bool:
        """Return whether a method, its prototype, or one that it replaces, says that it may be replaced."""
        owner, name = self.around(Where(*symbol)), self.declaration(symbol).name
        found = [one for _, symbols in self.levels(owner, name) for one in symbols] if owner else [symbol]
        return any(self.declaration(one).is_virtual for one in found)

    def _implementations(self, promise: Symbol, receiver: Type) -> list[Symbol]:
        owner = self.around(Where(*promise))
        if owner is None:
            return []
        name = self.declaration(promise).name
        count = len(self.declaration(promise).parameters)
        found: list[Symbol] = []
        start = owner if self.rules.is_structural or not receiver.is_declared else receiver
        for kind in self.below(start):
            own = [one for one in self.own_members(kind, name) if self._implements(one, owner, count)]
            written = [one for one in own if self.declaration(one).implemented is not None]
            found += [one for one in written or own if one not in found and one != promise]
        return found

    def _implements(self, symbol: Symbol, owner: Type, count: int) -> bool:
        one = self.declaration(symbol)
        trait = self._trait_of(symbol)
        is_like = not self.rules.has_overloads or len(one.parameters) == count
        return one.kind in FUNCTIONS and one.has_body and is_like and (trait is None or trait.key == owner.key)

    def _trait_of(self, symbol: Symbol) -> Type | None:
        """Return the trait in whose impl block a function stands."""
        return self.resolve(self.declaration(symbol).implemented, Where(*symbol))

    def below(self, kind: Type) -> list[Type]:
        """Return all types that extend or implement a type, also in steps, by path."""
        known: list[Type] = self.once(("below", kind.key), lambda: self._below(kind), meanwhile=[])
        return known

    def _below(self, kind: Type) -> list[Type]:
        found: dict[str, Type] = {}
        queue = [kind]
        while queue and len(found) < 4 * MAX_TARGETS:
            one = queue.pop(0)
            for lower in self._right_below(one):
                if lower.key not in found and lower.key != kind.key:
                    found[lower.key] = lower
                    queue.append(lower)
        return list(found.values())

    def _right_below(self, kind: Type) -> list[Type]:
        name = last_name(kind.key)
        candidates = [self.type_of(symbol) for symbol in self.subtypes_named(name) if self._is_type(symbol)]
        for path in self.implementors_named(name):
            for fact in self.outline(path).facts.implementations:
                where = Where(path, fact.declaration)
                if last_name(fact.trait.name) == name:
                    implemented = self.resolve(fact.type, where)
                    if implemented:
                        candidates.append(implemented)
        found = [one for one in candidates if any(base.key == kind.key for base in self.bases(one))]
        if self.rules.is_structural:
            found += [one for one in self._structural(kind) if one not in found]
        return found

    def _is_type(self, symbol: Symbol) -> bool:
        return self.declaration(symbol).kind in TYPES - {NodeKind.TYPE_ALIAS}

    def _structural(self, kind: Type) -> list[Type]:
        """Return the types that have all methods of an interface."""
        if all(self.declaration(one).kind is not NodeKind.INTERFACE for one in self.declared(kind)):
            return []
        wanted = self._promised(kind)
        if not wanted:
            return []
        groups = [self.named(name) for name in sorted(wanted)]
        rarest = min(groups, key=len)
        found: dict[str, Type] = {}
        for symbol in rarest:
            if self.declaration(symbol).receiver is None:
                continue
            owner = self.around(Where(*symbol))
            if owner and owner.is_declared and owner.key not in found and self._has_all(owner, wanted):
                found[owner.key] = owner
        return list(found.values())

    def _promised(self, kind: Type) -> dict[str, Symbol]:
        """Return the methods that an interface asks for; none when it also asks for what is not known."""
        found: dict[str, Symbol] = {}
        for level in self.line_of(kind):
            if not level.is_declared:
                return {}
            found |= self.methods_in(level)
        return found

    def has_methods_of(self, kind: Type, promise: Type) -> bool:
        """Return whether a type has all methods that an interface asks for, and it asks for some."""
        wanted = self._promised(promise)
        return bool(wanted) and self._has_all(kind, wanted)

    def _has_all(self, kind: Type, wanted: Mapping[str, Symbol]) -> bool:
        return all(
            any(self._is_like(one, promise) for _, found in self.levels(kind, name) for one in found)
            for name, promise in wanted.items()
        )

    def _is_like(self, symbol: Symbol, promise: Symbol) -> bool:
        """Return whether two functions take and give types with the same last names."""
        one, other = self.declaration(symbol), self.declaration(promise)
        if one.kind not in FUNCTIONS or len(one.parameters) != len(other.parameters):
            return False
        pairs = [(mine.type, theirs.type) for mine, theirs in zip(one.parameters, other.parameters, strict=True)]
        return all(_are_alike(*pair) for pair in (*pairs, (one.type, other.type)))

    def overridden(self, symbol: Symbol) -> Symbol | None:
        """Return the function of a base type that a method stands for."""
        one: Declaration = self.declaration(symbol)
        owner = self.around(Where(*symbol))
        if owner is None or one.is_constructor or one.is_static:
            return None
        trait = self._trait_of(symbol)
        if trait is None and any(map(self._trait_of, self.own_members(owner, one.name))):
            return None  # the type's own one stands beside the trait's
        for level in [trait] if trait else self.line_of(owner)[1:]:
            for other in self.own_members(level, one.name):
                there = self.declaration(other)
                is_like = not self.rules.has_overloads or len(there.parameters) == len(one.parameters)
                if there.kind in FUNCTIONS and is_like and not there.is_static:
                    return other
        return None


def _are_alike(one: TypeRef | None, other: TypeRef | None) -> bool:
    """Return whether two types as written may be the same: what one leaves open fits everything."""
    if one is None or other is None:
        return one is other or last_name((one or other or TypeRef("")).name) in _ANYTHING
    names = last_name(one.name), last_name(other.name)
    if names[0] != names[1]:
        return any(name in _ANYTHING for name in names)
    if len(one.arguments) != len(other.arguments):
        return True
    return all(_are_alike(*pair) for pair in zip(one.arguments, other.arguments, strict=True))
