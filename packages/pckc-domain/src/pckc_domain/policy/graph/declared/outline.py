"""What one file shows to others: its declarations without their bodies, and the names under which they are found."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import attrs

from pckc_domain.model.declared_facts import Declaration, DeclaredFacts, Gift, ImportFact, TypeRef
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.gifts import gifts_of, sink_of
from pckc_domain.policy.graph.declared.packing import pack_declaration

TYPES = frozenset(
    (NodeKind.CLASS, NodeKind.STRUCT, NodeKind.TRAIT, NodeKind.INTERFACE, NodeKind.ENUM, NodeKind.TYPE_ALIAS)
)
PROMISES = frozenset((NodeKind.INTERFACE, NodeKind.TRAIT))
FUNCTIONS = frozenset((NodeKind.FUNCTION, NodeKind.METHOD))
SPACES = frozenset((NodeKind.MODULE, NodeKind.NAMESPACE))


ANY = "*"
"""What stands for the receiver of what is added to all types of a kind."""


class Symbol(NamedTuple):
    """A declaration of a file."""

    path: str
    number: int


class Row(NamedTuple):
    """
    A declaration as the index knows it.

    Attributes:
        scope: Key of what is around it.
        kind: A `NodeKind`.
        receiver: Last name of the type it is added to from outside; ``""`` for none.
        bases: Last names of what a type extends and implements.
    """

    number: int
    scope: str
    name: str
    kind: str
    receiver: str
    bases: tuple[str, ...]


def last_name(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def inner_key(scope: str, name: str) -> str:
    """Return the key of what is called *name* in the scope with key *scope*."""
    return f"{scope}.{name}" if scope else name


def file_name(path: str) -> str:
    """Return the dotted name of the file at *path*, from the project's root."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return f"{folder.replace('/', '.')}.{stem}" if folder else stem


class Outline:
    """
    The declarations of a file with their keys and ids.

    Attributes:
        namespace: Key of the scope that its top level belongs to.
        chains: By declaration its scope chain, as it stands in ids.
        keys: By declaration the key of the scope that it makes.
    """

    def __init__(self, facts: DeclaredFacts, namespace: str) -> None:
        self.facts = facts
        self.path = facts.path
        self.namespace = namespace
        self.declarations = facts.declarations
        self.chains: list[str] = []
        self.keys: list[str] = []
        self.ids: list[str] = []
        self.names: list[str] = []
        self.children: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._name()

    def _name(self) -> None:
        counts: dict[tuple[str, str], int] = defaultdict(int)
        depths: list[int] = []
        for one in self.declarations:
            depths.append(depths[one.parent] + 1 if one.parent >= 0 else 0)
        order = sorted(
            range(len(depths)), key=lambda index: (depths[index], self.declarations[index].start_byte, index)
        )
        chains: dict[int, tuple[str, str]] = {}
        for index in order:
            one = self.declarations[index]
            if one.parent < 0:
                chains[index] = "", f"{self.path}##{one.kind}#0"
                continue
            around = chains[one.parent][0]
            if one.kind is NodeKind.LAMBDA:
                chains[index] = around, chains[one.parent][1]
                continue
            name = self._written(one)
            chain = f"{around}.{name}" if around else name
            ordinal = counts[chain, one.kind]
            counts[chain, one.kind] += 1
            chains[index] = f"{chain}~{ordinal}" if ordinal else chain, f"{self.path}#{chain}#{one.kind}#{ordinal}"
        for index, one in enumerate(self.declarations):
            chain, identity = chains[index]
            self.chains.append(chain)
            self.ids.append(identity)
            if one.parent < 0:
                self.keys.append(self.namespace)
                self.names.append(file_name(self.path))
                continue
            self.children[one.parent, one.name].append(index)
            if one.kind is NodeKind.LAMBDA:
                self.keys.append(self.keys[one.parent])
                self.names.append(self.names[one.parent])
                continue
            written = self._written(one)
            self.keys.append(inner_key(self.keys[one.parent], written))
            self.names.append(f"{self.names[one.parent]}.{written}")

    def is_added(self, one: Declaration) -> bool:
        """Return whether a declaration stands apart from the type it is added to, and not in another type."""
        return one.receiver is not None and self.declarations[one.parent].kind not in TYPES

    def _written(self, one: Declaration) -> str:
        return f"{last_name(one.receiver.name)}.{one.name}" if one.receiver and self.is_added(one) else one.name

    def ordinal(self, index: int) -> int:
        """Return which of the declarations of its scope, kind and name one is."""
        return int(self.ids[index].rpartition("#")[2])

    def rows(self) -> Iterator[Row]:
        """Yield what the index is to know."""
        for index, one in enumerate(self.declarations):
            if one.parent < 0 or one.kind is NodeKind.LAMBDA:
                continue
            receiver = last_name(one.receiver.name) if one.receiver else ""
            if any(receiver == each.name for each in one.type_parameters):
                receiver = ANY
            bases = tuple([last_name(base.name) for base in (*one.bases, *one.interfaces)])
            outer, _, name = one.name.rpartition(".")
            scope = inner_key(self.keys[one.parent], outer) if outer else self.keys[one.parent]
            yield Row(index, scope, name, one.kind, receiver, bases)
            around = self.declarations[one.parent]
            if around.is_companion:
                yield Row(index, self.keys[around.parent], name, one.kind, "", ())
            if receiver and not self.is_added(one):  # an extension is also a member of the type it stands in
                yield Row(index, scope, name, one.kind, "", ())

    @cached_property
    def imports_by_alias(self) -> Mapping[str, list[ImportFact]]:
        """What a name is bound to by imports."""
        found: dict[str, list[ImportFact]] = defaultdict(list)
        for fact in self.facts.imports:
            if fact.alias:
                found[fact.alias].append(fact)
        return found

    @cached_property
    def has_inner_imports(self) -> bool:
        """Whether an import holds in a part of the file alone."""
        return any(fact.declaration for fact in self.facts.imports)

    @cached_property
    def stars(self) -> tuple[ImportFact, ...]:
        """Imports of all that a module has."""
        return tuple([fact for fact in self.facts.imports if fact.name == "*"])

    def exports(self) -> dict[str, str]:
        """Return a digest by each key under which others may have asked for something of this file."""
        seen: dict[str, list[str]] = defaultdict(list)
        for row in self.rows():
            one = self.declarations[row.number]
            identity = self.ids[row.number]
            around = self.declarations[one.parent]
            seen[_member_key(row)].append(
                f"{identity} {around.kind} {around.type_parameters} {pack_declaration(shown(one))}"
            )
            if one.kind in TYPES or one.kind in FUNCTIONS:
                seen[f"*{one.name}"].append(f"{identity} {one.visibility}")
            for base in row.bases:
                seen[f"<{base}"].append(identity)
        for passed in self.facts.imports:
            if passed.is_exported:
                seen[member_key(self.keys[passed.declaration], passed.alias or "*")].append(repr(passed))
        for place, fact in enumerate(self.facts.implementations):
            seen[f"<{last_name(fact.trait.name)}"].append(f"{place} {fact}")
            seen[f"+{last_name(fact.type.name)}"].append(f"{place} {fact}")
        for name in self.included():
            seen[f"includes {name}"].append(self.path)
        for name, gifts in self.gifts.items():
            seen[f"given {name}"].append(f"{self.path} {gifts}")
        seen[f"imports {self.path}"] = [repr([fact._replace(line=0) for fact in self.facts.imports])]
        seen[f"file {self.path.rpartition('/')[2]}"] = [self.path]
        for space in self.spaces():
            seen[f"space {space}"] = [self.path]
        return {key: _digest(values) for key, values in seen.items()}

    @cached_property
    def gifts(self) -> Mapping[str, list[Gift]]:
        """The functions that a file which is shown may give away, by the last name of whom or what gets them."""
        found: dict[str, list[Gift]] = defaultdict(list)
        for gift in self.facts.gifts:
            found[sink_of(gift.into)].append(gift)
        return found

    def included(self) -> list[str]:
        """Return the names of the files whose text this one takes in."""
        paths = {fact.module for fact in self.facts.imports if fact.is_exported and fact.name == "*"}
        return sorted({path.rpartition("/")[2] for path in paths})

    def spaces(self) -> list[str]:
        """Return the keys of the namespaces that this file has a part of, and of those around them."""
        found: set[str] = set()
        for key, one in zip(self.keys, self.declarations, strict=True):
            while one.kind in SPACES and key and key not in found:
                found.add(key)
                key = key.rpartition(".")[0]
        return sorted(found)


def member_key(scope: str, name: str) -> str:
    """Return under which key one asks for the members *name* of a scope."""
    return f"{scope}#{name}"


def received_key(receiver: str, name: str) -> str:
    """Return under which key one asks for members that are added to types with the last name *receiver*."""
    return f"~{receiver}#{name}"


def _member_key(row: Row) -> str:
    return received_key(row.receiver, row.name) if row.receiver else member_key(row.scope, row.name)


def shown(one: Declaration) -> Declaration:
    """Return a declaration without what only matters inside of it."""
    keeps_body = one.result and one.type is None
    return attrs.evolve(
        one,
        start_line=0,
        end_line=0,
        start_byte=0,
        end_byte=0,
        signature="",
        doc="",
        locals=one.locals if keeps_body else (),
        calls=(),
        mentions=(),
        stored=(),
        value=one.value if one.type is None or one.type.name == "->" else None,
    )


def outline_facts(facts: DeclaredFacts) -> DeclaredFacts:
    """Return the facts that others need: the order of declarations stays."""
    return attrs.evolve(
        facts,
        declarations=tuple([attrs.evolve(shown(one), start_byte=one.start_byte) for one in facts.declarations]),
        rationale=(),
        problems=(),
        gifts=gifts_of(facts),
    )


def type_names(ref: TypeRef | None) -> Iterator[TypeRef]:
    """Yield a type and all its arguments."""
    if ref is not None:
        yield ref
        for one in ref.arguments:
            yield from type_names(one)


def _digest(values: list[str]) -> str:
    return hashlib.blake2b(json.dumps(values).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
