"""What is known of files from earlier runs, and of those that are worked on now."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import attrs

from pckc_domain.model.code_facts import CodeFacts, ScopeKind
from pckc_domain.model.linking import LinkMemory
from pckc_domain.policy.graph.codec import facts_from_bytes, load, shape_from_bytes
from pckc_domain.policy.graph.naming import Name, Times
from pckc_domain.policy.graph.shapes import NO_SHAPE, Shape
from pckc_domain.policy.graph.tests_of import is_test_path

FACTS, SHAPE, TAPE, INBOX, SENT = "facts", "shape", "tape", "inbox", "sent"
Box = Mapping[Name, Times]


@attrs.frozen(kw_only=True)
class Solved:
    """
    What solving a file came to.

    Attributes:
        sent: By path: what it gave to variables of other files.
    """

    shape: Shape
    tape: Mapping[Name, Times]
    sent: Mapping[str, Box]


NOT_SOLVED = Solved(shape=NO_SHAPE, tape={}, sent={})


class Remembering:
    """
    Answers for every file that is not worked on: from memory, or from what this run came to before.

    Attributes:
        live: Paths that are worked on; what memory knows of them is out of date.
        solved: What earlier parts of this run came to.
    """

    def __init__(self, memory: LinkMemory, known: Collection[str], gone: Collection[str]) -> None:
        self._memory = memory
        self._known = known
        self._gone = frozenset(gone)
        self.live: set[str] = set()
        self.solved: dict[str, Solved] = {}
        self.with_tests = False
        self._current: Mapping[str, Shape] = {}
        self._shapes: dict[str, Shape | None] = {}
        self._loaded: dict[tuple[str, str], Any] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        self._stored_by: dict[str, set[str]] = {}
        self._defined_by: dict[str, list[str]] = {}

    # What the solver asks

    def shape(self, path: str, /) -> Shape | None:
        """Return what can be seen of a file; ``None`` when there is no such file, or it is a test that none sees."""
        if path not in self._known or (not self.with_tests and is_test_path(path)):
            return None
        solved = self.solved.get(path)
        return self.old_shape(path) if solved is None else solved.shape

    def tape(self, path: str, /) -> Mapping[Name, Times]:
        """Return what the file's variables came to hold."""
        solved = self.solved.get(path)
        return self.old_tape(path) if solved is None else solved.tape

    def stores(self, name: str, /, *, with_tests: bool) -> bool:
        """Return whether a file sets an attribute *name*."""
        by = self._stored_by.get(name, ())
        return any(with_tests or not is_test_path(path) for path in by) or any(
            with_tests or not is_test_path(path) for path in self._others(f"%stores {name}")
        )

    def subclasses(self, id: str, /) -> Iterable[str]:
        """Return the paths of files with classes right below the class with this node id."""
        yield from self._others(f"%below {id}")
        for path, solved in self.solved.items():
            if any(f"{base}{key}" == id for row in solved.shape.rows.values() for base, key in row.bases):
                yield path

    def defined(self, name: str, /) -> Sequence[str]:
        """Return the node ids of the functions and classes with a name, tests left out."""
        found = list(self._defined_by.get(name, ()))
        for path in self._others(f"%defines {name}"):
            shape = self.old_shape(path)
            if shape is not None:
                found += defined_in(path, shape).get(name, ())
        return sorted(found)

    def _others(self, key: str) -> list[str]:
        """Return the files that memory knows to give something, without those that were worked on."""
        return [path for path in self.askers((key,)) if path not in self.live and path not in self.solved]

    def begin(self, shapes: Mapping[str, Shape]) -> None:
        """Know the shapes of all files that are worked on, and of those that were."""
        self._current = shapes
        self._stored_by.clear()
        self._defined_by.clear()
        for path, shape in shapes.items():
            for name in shape.stores:
                self._stored_by.setdefault(name, set()).add(path)
            for name, ids in defined_in(path, shape).items():
                self._defined_by.setdefault(name, []).extend(ids)

    # What the linker asks

    def askers(self, keys: Collection[str]) -> Iterable[str]:
        """Return the paths of files that asked for one of *keys* and are still there."""
        missing = [key for key in keys if key not in self._asked]
        if len(missing) == 1:
            self._asked[missing[0]] = self._ask(missing)
        elif missing:
            return self._ask(keys)
        found: dict[str, None] = {}
        for key in keys:
            found.update(dict.fromkeys(self._asked[key]))
        return found

    def _ask(self, keys: Collection[str]) -> tuple[str, ...]:
        return tuple(path for path in self._memory.askers(keys) if path not in self._gone)

    def prefetch(self, section: str, paths: Iterable[str]) -> None:
        """Load a section of several files at once."""
        missing = [path for path in paths if (section, path) not in self._loaded]
        if missing:
            data = self._memory.load(section, missing)
            for path in missing:
                self._loaded[section, path] = load(data[path]) if path in data else None

    def facts(self, path: str) -> CodeFacts | None:
        """Return the facts of a file that did not change."""
        data = self._memory.load(FACTS, (path,)).get(path)
        return None if data is None else facts_from_bytes(data)

    def old_shape(self, path: str) -> Shape | None:
        """Return what could be seen of a file before this run."""
        if path not in self._shapes:
            data = self._memory.load(SHAPE, (path,)).get(path)
            self._shapes[path] = None if data is None else shape_from_bytes(data)
        return self._shapes[path]

    def now(self, path: str) -> Shape | None:
        """Return what can be seen of a file as far as this run has come."""
        return self._current.get(path)

    def old_tape(self, path: str) -> Mapping[Name, Times]:
        """Return what a file's variables came to hold before this run."""
        return self._section(TAPE, path) or {}

    def old_inbox(self, path: str) -> Mapping[str, Box]:
        """Return what a file was given before this run, by the path of the giver."""
        return self._section(INBOX, path) or {}

    def old_targets(self, path: str) -> Sequence[str]:
        """Return the paths of files that a file gave something before this run."""
        return self._section(SENT, path) or ()

    def _section(self, section: str, path: str) -> Any:
        self.prefetch(section, (path,))
        return self._loaded[section, path]


def defined_in(path: str, shape: Shape) -> dict[str, list[str]]:
    """Return by name the node ids of the functions and classes of a file that is no test."""
    found: dict[str, list[str]] = {}
    if not is_test_path(path):
        for scope, key in zip(shape.scopes, shape.keys, strict=True):
            if scope.kind in (ScopeKind.FUNCTION, ScopeKind.CLASS):
                found.setdefault(scope.name, []).append(f"{path}{key}")
    return found
