"""What of a file others may have noticed, by the texts they ask for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.naming import asked_name
from pckc_domain.policy.graph.remembering import Remembering, Solved, defined_in
from pckc_domain.policy.graph.shapes import Row, Shape
from pckc_domain.policy.graph.tests_of import is_test_path

ClassName = tuple[str, str]


def noticed(path: str, old: Solved, new: Solved, remembering: Remembering) -> set[str]:
    """Return the paths of files that asked for something of the file at *path* that is not as it was."""
    comparison = _Comparison(path, old, new, remembering)
    return comparison.noticed()


class _Comparison:
    def __init__(self, path: str, old: Solved, new: Solved, remembering: Remembering) -> None:
        self._path = path
        self._old = old
        self._new = new
        self._remembering = remembering

    def noticed(self) -> set[str]:
        keys = set(self._changed(_seen(self._path, self._old.shape), _seen(self._path, self._new.shape)))
        values, times = self._tape_changes()
        found = set(self._askers(keys | values))
        found.update(one for one in self._askers(times) if not is_test_path(one))
        found |= self._of_members()
        found |= self._of_rows()
        found |= self._of_names()
        return found

    def _askers(self, keys: Iterable[str]) -> Iterable[str]:
        keys = list(keys)
        return self._remembering.askers(keys) if keys else ()

    @staticmethod
    def _changed(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterator[Any]:
        for key in old.keys() | new.keys():
            if key not in old or key not in new or old[key] != new[key]:
                yield key

    def _tape_changes(self) -> tuple[set[str], set[str]]:
        """Return what is asked for where values changed, and where only times did: tests do not see these."""
        values: set[str] = set()
        times: set[str] = set()
        for name in self._changed(self._old.tape, self._new.tape):
            before, after = self._old.tape.get(name, {}), self._new.tape.get(name, {})
            (times if before.keys() == after.keys() else values).add(asked_name(self._path, name))
        return values, times

    def _of_members(self) -> set[str]:
        """A member of a class is noticed by those who look for its name in that class, or in one below or above."""
        old, new = _class_members(self._old.shape), _class_members(self._new.shape)
        found: set[str] = set()
        for key in old.keys() | new.keys():
            names = list(self._changed(old.get(key, {}), new.get(key, {})))
            if names:
                own = f"{self._path}{key}"
                above = {f"<{path}{one}" for path, one in self._above((self._path, key))}
                lookers = set(self._askers([own, *above]))
                for name in names:
                    found.update(lookers.intersection(self._askers([f".{name}"])))
        return found

    def _of_rows(self) -> set[str]:
        """A class that stands elsewhere is noticed by those who look at what is below the classes above it."""
        keys: set[str] = set()
        for key in self._changed(_rows(self._old.shape), _rows(self._new.shape)):
            keys.update(f"<{path}{one}" for path, one in self._above((self._path, key)))
        return set(self._askers(keys))

    def _of_names(self) -> set[str]:
        """A name that is set, or given to a function, is noticed by those who look for it anywhere."""
        before, after = self._old.shape.stores, self._new.shape.stores
        found: set[str] = set()
        classes = {f"{self._path}{key}" for key in (*self._old.shape.keys, *self._new.shape.keys) if "#class#" in key}
        for name in before ^ after:
            by = [one for one in self._askers([f"%stores {name}"]) if one != self._path]
            if not any(not is_test_path(one) for one in by):
                found.update(self._askers([f".{name}"]))
            else:
                found.update(set(self._askers(classes)).intersection(self._askers([f".{name}"])))
        old, new = defined_in(self._path, self._old.shape), defined_in(self._path, self._new.shape)
        found.update(self._askers(f"={name}" for name in self._changed(old, new)))
        return found

    def _above(self, start: ClassName) -> set[ClassName]:
        """Return a class and all that are or were above it."""
        found: set[ClassName] = set()
        stack = [start]
        while stack:
            one = stack.pop()
            if one not in found:
                found.add(one)
                stack.extend(base for row in self._rows_of(one) for base in row.bases)
        return found

    def _rows_of(self, one: ClassName) -> Iterator[Row]:
        path, key = one
        shapes = (self._old.shape, self._new.shape)
        if path != self._path:
            shapes = (self._remembering.old_shape(path), self._remembering.now(path))  # type: ignore[assignment]
        for shape in shapes:
            if shape is not None:
                yield from (row for row in _rows(shape).get(key, ()) if row is not None)


def _rows(shape: Shape) -> dict[str, tuple[Row | None, Row | None]]:
    return {shape.keys[scope]: (row, shape.late.get(scope)) for scope, row in shape.rows.items()}


def _seen(path: str, shape: Shape) -> dict[str, object]:
    """Return what is asked for by its own name: functions, classes, members of the module."""
    rows = _rows(shape)
    seen: dict[str, object] = {f"{path}*": (tuple(shape.stars), shape.exports)}
    for scope, key in zip(shape.scopes, shape.keys, strict=True):
        seen[f"{path}{key}"] = (
            [(one.name, one.kind, bool(one.default)) for one in scope.parameters],
            (scope.passes, scope.is_async, scope.is_generator, scope.is_abstract, scope.fields),
            (bool(scope.result), bool(scope.yields), bool(scope.metaclass), max(scope.receiver, NOTHING - 1) > NOTHING),
            (scope.receiver < NOTHING, sorted(name for name, *_ in scope.declared)),
            rows.get(key),
        )
    if shape.scopes:
        for name, variable in shape.scopes[0].members:
            seen[f"{path}m {shape.keys[0]} {name}"] = _member(shape, variable)
    for name, imported in shape.imported.items():
        seen[f"{path}> {name}"] = imported
    return seen


def _member(shape: Shape, variable: int) -> object:
    """Return what can be seen of a member without looking at what flows into it."""
    found = shape.constants.get(variable)
    if found is not None and found[0] == "d":
        scope = int(found[1])
        return shape.keys[scope], shape.scopes[scope].is_abstract
    return found


def _class_members(shape: Shape) -> dict[str, dict[str, object]]:
    members: dict[str, dict[str, object]] = {}
    for scope, key in zip(shape.scopes, shape.keys, strict=True):
        if scope.parent >= 0 and scope.kind is not ScopeKind.NAMESPACE and (scope.members or scope.statics):
            own = members[key] = {name: _member(shape, variable) for name, variable in scope.members}
            own.update({f"{name} ": _member(shape, variable) for name, variable in scope.statics})
    for scope in shape.scopes:
        if scope.parent >= 0 and scope.kind is ScopeKind.FUNCTION:
            above = members.get(shape.keys[scope.parent])
            if above is not None and scope.name in above:
                above[scope.name] = (above[scope.name], scope.is_abstract)
    return members
