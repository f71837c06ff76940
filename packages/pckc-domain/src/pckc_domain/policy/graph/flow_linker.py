"""
Links languages whose calls are found by the flow of values, and links again only what a change can reach.

What is no test is linked first, then tests. Changed files are solved with the parts of all others played from memory.
Where they then show or give others something else than before, those who noticed are solved too, all of them again from
the start, until nobody notices anything.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

import attrs

from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.linking import FileChange, LinkedFile, LinkMemory
from pckc_domain.model.progress import Progress, ProgressListener
from pckc_domain.policy.graph.codec import VERSION, dump, facts_from_bytes, facts_to_bytes, shape_to_bytes
from pckc_domain.policy.graph.comparing import noticed
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.linking import Linker
from pckc_domain.policy.graph.modules import Finding
from pckc_domain.policy.graph.naming import Name, ValueName
from pckc_domain.policy.graph.remembering import (
    FACTS,
    INBOX,
    NOT_SOLVED,
    SENT,
    SHAPE,
    TAPE,
    Box,
    Remembering,
    Solved,
    defined_in,
)
from pckc_domain.policy.graph.rendering import Rendering
from pckc_domain.policy.graph.shapes import Shape, shape_of
from pckc_domain.policy.graph.solver import Solver
from pckc_domain.policy.graph.tests_of import is_test_path

MANY = 100
ALL_SHARE = 0.3
"""When more files than `MANY` and than this share are to be solved again, all are: more tries would cost as much."""


class FlowLinker(Linker):
    """Links the languages of one family."""

    def __init__(self, family: Family) -> None:
        self._family = family

    def languages(self) -> frozenset[str]:
        """Return the languages of the family."""
        return self._family.languages

    def link(
        self,
        changed: Iterable[FileChange],
        /,
        *,
        gone: Collection[str],
        known: Mapping[str, str],
        settings: Mapping[str, str],
        memory: LinkMemory,
        progress: ProgressListener,
    ) -> Iterator[LinkedFile]:
        """Yield every file whose part of the graph or memory changed; see `Linker`."""
        return _Linking(self._family, gone, known, settings, memory, progress).run(changed)


class _Linking:
    """One call of a linker."""

    def __init__(
        self,
        family: Family,
        gone: Collection[str],
        known: Mapping[str, str],
        settings: Mapping[str, str],
        memory: LinkMemory,
        progress: ProgressListener,
    ) -> None:
        self._family = family
        self._gone = frozenset(gone)
        self._known = known
        self._settings = settings
        self._progress = progress
        self._memory = memory
        self._remembering = Remembering(memory, known, gone)
        self._modules = Finding(family.modules(known, settings))
        self._mark = repr((VERSION, sorted(settings.items())))
        self._new: dict[str, bytes] = {}
        self._hashes: dict[str, str] = {}
        self._facts: dict[str, CodeFacts] = {}
        self._shapes: dict[str, Shape] = {}
        self._parts: dict[str, list[str]] = {}

    def run(self, changed: Iterable[FileChange]) -> Iterator[LinkedFile]:
        """Link in two parts."""
        for change in changed:
            facts = change.facts
            if isinstance(facts, CodeFacts):
                self._hashes[facts.path] = change.content_hash
                self._new[facts.path] = change.packed or facts_to_bytes(facts)
                self._shapes[facts.path] = shape_of(facts, self._modules.find)
                if not is_test_path(facts.path):
                    self._facts[facts.path] = facts
        for path in sorted(self._known):
            self._parts.setdefault(_folder_of(path), []).append(path)
        start = set(self._known) if self._is_all_new() else self._start()
        if start.issuperset(self._known):
            yield from self._link_all()
            return
        for with_tests in (False, True):
            yield from self._link_part(start, with_tests=with_tests)

    # What to start with

    def _is_all_new(self) -> bool:
        if self._new.keys() >= self._known.keys():
            return True
        first = next(path for path in self._known if path not in self._new)
        found = self._memory.load("mark", (first,))
        return found.get(first) != self._mark.encode()

    def _start(self) -> set[str]:
        """Return what changed, and what finds other modules than before."""
        remembering = self._remembering
        start = set(self._new) | self._gone
        moved = {path for path in self._new if remembering.old_shape(path) is None} | self._gone
        if moved:
            before = (set(self._known) - moved) | self._gone
            old = self._family.modules(before, self._settings)
            if old.layout != self._modules.layout:
                return start | set(self._known)
            keys = {f"/{name}" for path in moved for name in self._modules.names(path)}
            keys.update(f"^{_folder_of(path)}" for path in moved)
            start.update(remembering.askers(sorted(keys)))
        return start

    # All at once

    def _link_all(self) -> Iterator[LinkedFile]:
        remembering = self._remembering
        remembering.live = set(self._known)
        solver = self._family.solver(self._family, self._modules, remembering)
        shapes: dict[str, Shape] = {}
        for with_tests in (False, True):
            paths = [path for path in sorted(self._known) if is_test_path(path) == with_tests]
            remembering.with_tests = solver.with_tests = with_tests
            files = self._add(solver, paths, shapes)
            solver.solve(files.values(), self._take_facts)
            inboxes: dict[str, dict[str, Box]] = {}
            for giver, file in files.items():
                for path, box in _sent(solver, file).items():
                    inboxes.setdefault(path, {})[giver] = box
            for path, file in files.items():
                yield self._linked(solver, file, _solved(solver, file), inboxes.pop(path, {}), is_new=True)
                solver.release(file)
            solver.settle_all()

    def _add(self, solver: Solver, paths: Iterable[str], shapes: dict[str, Shape]) -> dict[str, int]:
        files = {}
        for path in paths:
            shape = self._shape_of(path)
            if shape is not None:
                files[path] = solver.add_live(path, shape)
                shapes[path] = shape
        self._remembering.begin(shapes)
        return files

    def _shape_of(self, path: str) -> Shape | None:
        """Return a new shape of a file, in which nothing of its classes is known yet."""
        known = self._shapes.get(path)
        if known is None:
            facts = self._remembering.facts(path)
            if facts is None:
                return None
            self._facts[path] = facts
            known = self._shapes[path] = shape_of(facts, self._modules.find)
        return attrs.evolve(known, rows={}, late={})

    def _take_facts(self, path: str) -> CodeFacts:
        facts = self._facts.pop(path, None) or (
            facts_from_bytes(self._new[path]) if path in self._new else self._remembering.facts(path)
        )
        assert facts is not None  # noqa: S101 - its shape was made of them
        return facts

    # A part, again and again

    def _link_part(self, start: set[str], *, with_tests: bool) -> Iterator[LinkedFile]:
        """Link what is no test, or the tests; tests that notice something are added to *start*."""
        remembering = self._remembering
        remembering.with_tests = with_tests
        part = [path for path in self._known if is_test_path(path) == with_tests]
        live = {path for path in start if is_test_path(path) == with_tests}
        while live:
            if len(live) > max(MANY, ALL_SHARE * len(part)):
                live.update(part)
            remembering.live = live
            solver, files = self._solve(live, with_tests=with_tests)
            solved = {path: _solved(solver, file) for path, file in files.items()}
            boxes = self._boxes(live, solved)
            more = self._noticed(live, solved, boxes)
            if not with_tests:
                start |= {path for path in more if is_test_path(path)}
            more = {path for path in more if is_test_path(path) == with_tests} - live
            if not more:
                yield from self._results(solver, files, solved, boxes)
                break
            live |= more

    def _solve(self, live: Collection[str], *, with_tests: bool) -> tuple[Solver, dict[str, int]]:
        remembering = self._remembering
        solver = self._family.solver(self._family, self._modules, remembering)
        solver.with_tests = with_tests
        shapes = {path: one.shape for path, one in remembering.solved.items()}
        files = self._add(solver, sorted(path for path in live if path in self._known), shapes)
        inbox = [
            (time, variable, number)
            for path in files
            for giver, box in remembering.old_inbox(path).items()
            if giver not in live and giver in self._known
            for name, times in box.items()
            if (variable := solver.target(path, name)) is not None
            for value, time in times.items()
            if (number := solver.decode(value)) is not None
        ]
        solver.solve(files.values(), self._take_facts, inbox)
        return solver, files

    def _old(self, path: str) -> Solved:
        remembering = self._remembering
        shape = remembering.old_shape(path)
        if shape is None:
            return NOT_SOLVED
        return Solved(shape=shape, tape=remembering.old_tape(path), sent={})

    def _boxes(self, live: Collection[str], solved: Mapping[str, Solved]) -> dict[str, dict[str, Box]]:
        """Return the inboxes of all files that these files give something, or gave before."""
        targets = {path for one in solved.values() for path in one.sent}
        self._remembering.prefetch(SENT, live)
        for path in live:
            targets.update(self._remembering.old_targets(path))
        targets.update(solved)
        self._remembering.prefetch(INBOX, targets)
        boxes = {
            path: {
                giver: box
                for giver, box in self._remembering.old_inbox(path).items()
                if giver not in live and giver in self._known
            }
            for path in sorted(targets)
            if path in self._known
        }
        for giver, one in solved.items():
            for path, box in one.sent.items():
                boxes[path][giver] = box
        return boxes

    def _noticed(
        self, live: Collection[str], solved: Mapping[str, Solved], boxes: Mapping[str, Mapping[str, Box]]
    ) -> set[str]:
        """Return the paths of files that notice a change, known ones only."""
        remembering = self._remembering
        found = {
            path
            for path, box in boxes.items()
            if path not in live and _merged(box.values()) != _merged(remembering.old_inbox(path).values())
        }
        for path in live:
            found |= noticed(path, self._old(path), solved.get(path, NOT_SOLVED), remembering)
        return {path for path in found if path in self._known}

    # Results

    def _results(
        self,
        solver: Solver,
        files: Mapping[str, int],
        solved: Mapping[str, Solved],
        boxes: Mapping[str, Mapping[str, Box]],
    ) -> Iterator[LinkedFile]:
        for path, file in files.items():
            yield self._linked(solver, file, solved[path], boxes.get(path, {}), is_new=False)
        for path, box in boxes.items():
            if path not in files and box != self._remembering.old_inbox(path):
                yield LinkedFile(
                    path=path,
                    language=self._known[path],
                    content_hash="",
                    graph=None,
                    sections={INBOX: dump(box)},
                )
        self._remembering.solved.update(solved)

    def _linked(
        self, solver: Solver, file: int, solved: Solved, inbox: Mapping[str, Box], *, is_new: bool
    ) -> LinkedFile:
        facts = solver.program.files[file].facts
        assert facts is not None  # noqa: S101 - only files with facts are solved
        path = facts.path
        graph = Rendering(solver, file, facts, self._parts_of(solver, path)).graph()
        sections = {
            SHAPE: shape_to_bytes(solved.shape),
            TAPE: dump(solved.tape),
            INBOX: dump(dict(inbox)),
            SENT: dump(tuple(solved.sent)),
            "mark": self._mark.encode(),
        }
        if path in self._new:
            sections[FACTS] = self._new.pop(path) if is_new else self._new[path]
        self._progress(Progress(stage="linking", done=0, total=0))
        return LinkedFile(
            path=path,
            language=facts.language,
            content_hash=self._hashes.get(path, ""),
            graph=graph,
            sections=sections,
            asked=_asked(solver, file, solved.shape),
        )

    def _parts_of(self, solver: Solver, path: str) -> list[str]:
        """Return the modules right in the package that a file stands for."""
        if not path.endswith("/__init__.py"):
            return []
        folder = path.rpartition("/")[0]
        solver.works[solver.program.index[path]].asked.add(f"^{folder}")
        return [part for part in self._parts.get(folder, ()) if part != path]


def _folder_of(path: str) -> str:
    """Return the folder of the package that a module is a part of."""
    return path.removesuffix("/__init__.py").rpartition("/")[0] if path.endswith(".py") else ""


def _solved(solver: Solver, file: int) -> Solved:
    """Return what solving a file came to."""
    shape = solver.program.files[file].shape
    return Solved(shape=shape, tape=solver.tape_of(file), sent=_sent(solver, file))


def _sent(solver: Solver, file: int) -> dict[str, dict[Name, dict[ValueName, int]]]:
    """Return by path what a file gave to variables of other files."""
    sent: dict[str, dict[Name, dict[ValueName, int]]] = {}
    for variable, numbers in solver.sent[file].items():
        path = solver.program.files[solver.home[variable]].path
        times = {solver.encode(number): time for number, time in numbers.items()}
        sent.setdefault(path, {})[solver.target_name(variable)] = times
    return sent


def _merged(boxes: Iterable[Box]) -> dict[tuple[object, object], int]:
    """Return when each value first comes to each variable."""
    merged: dict[tuple[object, object], int] = {}
    for box in boxes:
        for name, times in box.items():
            for value, time in times.items():
                key = (name, value)
                if time < merged.get(key, time + 1):
                    merged[key] = time
    return merged


def _asked(solver: Solver, file: int, shape: Shape) -> frozenset[str]:
    """Return all that a file asked for, and what it gives others who ask for the whole of something."""
    work, program = solver.works[file], solver.program
    path = program.files[file].path
    asked = set(work.asked)
    asked.update(map(program.id, work.asked_scopes))
    asked.update(f"%stores {name}" for name in shape.stores)
    asked.update(f"%defines {name}" for name in defined_in(path, shape))
    asked.update(f"%below {base}{key}" for row in shape.rows.values() for base, key in row.bases)
    return frozenset(asked)
