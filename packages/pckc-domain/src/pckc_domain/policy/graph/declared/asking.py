"""Questions of one file to all others; what was asked is remembered, whatever the answer was."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from pckc_domain.model.declared_facts import Declaration, Gift, ImportFact
from pckc_domain.model.graph import ImportLink
from pckc_domain.policy.graph.declared.index import Index
from pckc_domain.policy.graph.declared.outline import Outline, Symbol, member_key, received_key
from pckc_domain.policy.graph.declared.rules import Rules
from pckc_domain.policy.graph.tests_of import is_test_path

MAX_LEVELS = 64
"""Conclusions that may rest on each other before one is left open: no chain of them ends the run."""

T = TypeVar("T")


class Where(NamedTuple):
    """A declaration of a file, as a place from which names are looked up."""

    path: str
    number: int


class Asker:
    """
    Asks on behalf of one file.

    Attributes:
        asked: The keys of all that was asked for.
    """

    def __init__(self, own: Outline, index: Index, rules: Rules) -> None:
        self.own = own
        self.index = index
        self.rules = rules
        self.asked: set[str] = set()
        self._is_test = is_test_path(own.path)
        self._seen: dict[str, bool] = {}
        self._known: dict[Any, Any] = {}
        self._members: dict[tuple[str, str], list[Symbol]] = {}
        self._open = 0
        self._levels = 0
        self._outlines = {own.path: own}

    # What the rules may ask

    @property
    def settings(self) -> Mapping[str, str]:
        """Path to text of the project files."""
        return self.index.settings

    def has_space(self, key: str, /) -> bool:
        """Return whether a file belongs to the namespace *key*."""
        self.asked.add(f"space {key}")
        return any(map(self.sees, self.index.spaces.get(key, ())))

    def files_named(self, name: str, /) -> Sequence[str]:
        """Return the paths that end with ``/name``, or are it."""
        last = name.rpartition("/")[2]
        self.asked.add(f"file {last}")
        return [path for path in self.index.files.get(last, ()) if path == name or path.endswith(f"/{name}")]

    # Declarations

    def outline(self, path: str) -> Outline:
        """Return what the file at *path* shows; of the asking file all."""
        known = self._outlines.get(path)
        if known is None:
            known = self._outlines[path] = self.index.outline(path)
        return known

    def declaration(self, symbol: Symbol | Where) -> Declaration:
        """Return a declaration."""
        path, number = symbol
        return (self._outlines.get(path) or self.outline(path)).declarations[number]

    def key(self, symbol: Symbol | Where) -> str:
        """Return the key of the scope that a declaration makes."""
        return self.outline(symbol.path).keys[symbol.number]

    def identity(self, symbol: Symbol) -> str:
        """Return the id of a declaration's node."""
        return self.outline(symbol.path).ids[symbol.number]

    def sees(self, path: str) -> bool:
        """Return whether the asking file may mean what stands in *path*: only tests see tests."""
        if self._is_test:
            return True
        known = self._seen.get(path)
        if known is None:
            known = self._seen[path] = not is_test_path(path)
        return known

    def visible(self, symbols: Iterable[Symbol]) -> list[Symbol]:
        """Return the symbols that the asking file may mean."""
        return list(symbols) if self._is_test else [symbol for symbol in symbols if self.sees(symbol.path)]

    def members(self, scope: str, name: str) -> list[Symbol]:
        """Return what is called *name* in the scope with key *scope*, by path."""
        known = self._members.get((scope, name))
        if known is None:
            known = self._members[scope, name] = self._find_members(scope, name)
        return known

    def _find_members(self, scope: str, name: str) -> list[Symbol]:
        self.asked.add(member_key(scope, name))
        found = self._shared(self.visible(self.index.members.get((scope, name), ())))
        if not self.rules.includes or not found:
            return found
        included = self.included
        near = [symbol for symbol in found if symbol.path in included]
        if all(self.declaration(symbol).has_body for symbol in near):
            return near
        kinds = {self.declaration(symbol).kind for symbol in near}
        return [
            one
            for one in found
            if one.path in included or (self._is_shared(one) and self.declaration(one).kind in kinds)
        ]

    def ask_inside(self, where: Where, name: str) -> None:
        """Note that the links depend on what another file declares as *name* right inside of *where*."""
        if where.path != self.own.path:
            self.asked.add(member_key(self.key(where), name))

    def entries(self, table: str, name: str) -> list[Symbol]:
        """Return what tables of one name, wherever they are filled, have under *name*."""
        self.asked.add(member_key(table, name))
        return self.visible(self.index.members.get((table, name), ()))

    def _is_shared(self, symbol: Symbol) -> bool:
        one = self.declaration(symbol)
        return one.has_body and one.visibility not in self.rules.hidden

    @cached_property
    def included(self) -> frozenset[str]:
        """The asking file, and all that it includes, and what that includes."""
        found = {self.own.path: None}
        queue = [self.own.path]
        while queue:
            path = queue.pop()
            for fact in self.imports_of(path).facts.imports:
                for other in self.files_included(fact.module, path) if fact.name == "*" else ():
                    if other not in found:
                        found[other] = None
                        queue.append(other)
        return frozenset(found)

    def files_included(self, module: str, importer: str) -> Sequence[str]:
        """Return the file that an include names: beside the including one, or the one that ends so."""
        near = relative(importer.rpartition("/")[0], module)
        named = self.files_named(module.rpartition("/")[2])
        if near in named:
            return [near]
        tail = "/".join(part for part in module.split("/") if part not in (".", ".."))
        ending = [path for path in named if path == tail or path.endswith(f"/{tail}")]
        return ending if len(ending) == 1 else ()

    def added(self, receiver: str, name: str) -> list[Symbol]:
        """Return what is called *name* and added to types with the last name *receiver*."""
        self.asked.add(received_key(receiver, name))
        return self._shared(self.visible(self.index.received.get((receiver, name), ())))

    def _shared(self, symbols: list[Symbol]) -> list[Symbol]:
        """Return the symbols that are not kept to another file."""
        hidden = self.rules.file_private
        if not hidden:
            return symbols
        own = self.own.path
        return [one for one in symbols if one.path == own or self.declaration(one).visibility not in hidden]

    def subtypes_named(self, base: str) -> list[Symbol]:
        """Return the types that name *base* among their bases."""
        self.asked.add(f"<{base}")
        return self.visible(self.index.subtypes.get(base, ()))

    def implementors_named(self, trait: str) -> list[str]:
        """Return the files that say apart from their types what implements *trait*."""
        self.asked.add(f"<{trait}")
        return [path for path in self.index.implementors.get(trait, ()) if self.sees(path)]

    def implementations_named(self, kind: str) -> list[str]:
        """Return the files that say, apart from it, what the type *kind* implements."""
        self.asked.add(f"+{kind}")
        return [path for path in self.index.implementations.get(kind, ()) if self.sees(path)]

    def named(self, name: str) -> list[Symbol]:
        """Return all functions and types with a name."""
        self.asked.add(f"*{name}")
        return self.visible(self.index.named.get(name, ()))

    def gifts_to(self, name: str) -> list[tuple[str, Gift]]:
        """Return what files give to what is called *name*, by path."""
        self.asked.add(f"given {name}")
        paths = [path for path in self.index.givers.get(name, ()) if self.sees(path)]
        return [(path, gift) for path in paths for gift in self.index.outline(path).gifts.get(name, ())]

    def including(self, path: str) -> list[str]:
        """Return the files that take in the text of the file at *path*."""
        name = path.rpartition("/")[2]
        self.asked.add(f"includes {name}")
        found = []
        for other in self.index.includers.get(name, ()):
            keys = [
                key
                for fact in self.imports_of(other).facts.imports
                if fact.is_exported and fact.name == "*" and fact.module.endswith(name)
                for key in self.rules.modules(fact.module, other, self)
            ]
            if self.outline(path).namespace in keys and self.sees(other):
                found.append(other)
        return found

    def imports_of(self, path: str) -> Outline:
        """Return the outline of a file whose imports matter."""
        if path != self.own.path:
            self.asked.add(f"imports {path}")
        return self.outline(path)

    def reexporting(self, scope: str, name: str) -> list[tuple[str, ImportFact]]:
        """Return the imports that pass *name*, or all of something, on from a namespace."""
        self.asked |= {member_key(scope, name), member_key(scope, "*")}
        found = []
        for path in self.index.reexports.get(scope, ()):
            outline = self.outline(path)
            for fact in outline.facts.imports:
                is_meant = fact.is_exported and outline.keys[fact.declaration] == scope
                if is_meant and (fact.alias == name or fact.name == "*") and self.sees(path):
                    found.append((path, fact))
        return found

    def once(self, key: object, compute: Callable[[], T], *, meanwhile: T | None = None) -> T:
        """
        Return what *compute* gives, computed once.

        Who asks again while it is computed, or deeper than `MAX_LEVELS` in what others compute, gets *meanwhile*.
        """
        known = self._known
        if key in known:
            found: T = known[key]
            return found
        if self._levels >= MAX_LEVELS:
            return meanwhile  # type: ignore[return-value] # whoever gives none has a result that may be None
        known[key] = meanwhile
        self._levels += 1
        try:
            found = known[key] = compute()
        finally:
            self._levels -= 1
        return found

    def once_settled(self, key: object, compute: Callable[[], T]) -> T:
        """Return what *compute* gives; it is kept unless bases of a type are being found, as some are missing then."""
        known = self._known
        if key in known:
            found: T = known[key]
            return found
        found = compute()
        if not self._open:
            known[key] = found
        return found


def relative(folder: str, path: str) -> str:
    """Return the path that *path* means in a folder."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def link(path: str, fact: ImportFact) -> ImportLink:
    """Return an import as a step of a proof."""
    return ImportLink(path, fact.line, fact.text)
