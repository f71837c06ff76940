"""
Scopes while they are read, with the versions of each name.

A name that is bound once has one variable. One that is bound again gets a new version each time, and versions join
where branches meet: that keeps apart what a name held before and after. A function sees of an outer name the version at
its definition and all later ones.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from pckc_domain.model.code_facts import (
    NOTHING,
    Copy,
    Global,
    Parameter,
    ScopeFacts,
    ScopeKind,
    Site,
    StarImport,
    Step,
    Variable,
)

Versions = dict[str, int]


class Scope:
    """A scope that is being read; its facts are made when it is finished."""

    def __init__(self, kind: ScopeKind, name: str, index: int, parent: "Scope | None", lines: tuple[int, int]) -> None:
        self.kind = kind
        self.name = name
        self.index = index
        self.parent = parent
        self.lines = lines
        self.column = 0
        self.bound: Counter[str] = Counter()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.fixed: Versions = {}
        self.shared: set[str] = set()
        self.versions: Versions = {}
        self.overlays: list[Versions] = []
        self.is_dead = False
        self.loops: list[Loop] = []
        self.children: Counter[tuple[ScopeKind, str]] = Counter()
        self.lambdas: list[Scope] = []
        self.later: Versions = {}
        self.captured: dict[str, tuple[int, int, int]] = {}
        self.parameters: list[Parameter] = []
        self.bases: tuple[int, ...] = ()
        self.metaclass = NOTHING
        self.fields: list[str] = []
        self.declared: list[Variable] = []
        self.members: tuple[tuple[str, int], ...] = ()
        self.result = NOTHING
        self.passes: tuple[int, ...] = ()
        self.yields = NOTHING
        self.is_async = False
        self.is_generator = False
        self.is_abstract = False
        self.is_protocol = False
        self.types: list[int] = []
        self.return_types: list[int] = []
        self.ordinal = 0
        self.node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Module | None = None

    def owns(self, name: str) -> bool:
        """Return whether *name* is bound here and belongs here."""
        return name in self.bound and name not in self.globals and name not in self.nonlocals

    def class_around(self) -> "Scope | None":
        """Return the class whose method this is or is inside of."""
        scope: Scope | None = self
        while scope is not None and scope.kind is not ScopeKind.CLASS:
            scope = scope.parent
        return scope

    def facts(self) -> ScopeFacts:
        """Return what was found out."""
        return ScopeFacts(
            parent=self.parent.index if self.parent else -1,
            kind=self.kind,
            name=self.name,
            ordinal=self.ordinal,
            start_line=self.lines[0],
            end_line=self.lines[1],
            parameters=tuple(self.parameters),
            bases=self.bases,
            metaclass=self.metaclass,
            members=self.members,
            fields=tuple(self.fields),
            result=self.result,
            passes=self.passes,
            yields=self.yields,
            is_async=self.is_async,
            is_generator=self.is_generator,
            is_abstract=self.is_abstract,
            types=tuple(self.types),
            return_types=tuple(self.return_types),
            declared=tuple(self.declared),
        )


class Loop:
    """A loop that is being read: the versions at its head, and those at each place that leaves it."""

    def __init__(self, heads: Versions) -> None:
        self.heads = heads
        self.breaks: list[Versions] = []


class Recorder:
    """Collects the steps of a file, and knows which variable a name means."""

    def __init__(self, shared_globals: Iterable[str], shared_nonlocals: Iterable[str]) -> None:
        self.steps: list[Step] = []
        self.sites: list[Site] = []
        self.scopes: list[Scope] = []
        self.stars: list[StarImport] = []
        self._variables = 1
        self._globals: Versions = {}
        self._shared_globals = frozenset(shared_globals)
        self._shared_nonlocals = frozenset(shared_nonlocals)
        self.scope: Scope

    def new(self) -> int:
        """Return a new variable."""
        self._variables += 1
        return self._variables - 1

    @property
    def variables(self) -> int:
        """How many variables there are."""
        return self._variables

    def open(self, kind: ScopeKind, name: str, lines: tuple[int, int], bound: Counter[str]) -> Scope:
        """Enter a new scope that binds the names *bound*."""
        parent = self.scope if self.scopes else None
        scope = Scope(kind, name, len(self.scopes), parent, lines)
        scope.bound = bound
        if parent is not None:
            scope.ordinal = parent.children[kind, name]
            parent.children[kind, name] += 1
        shared = self._shared_globals if kind is ScopeKind.MODULE else self._shared_nonlocals
        if kind is not ScopeKind.CLASS and shared:
            scope.shared = set(shared) if kind is ScopeKind.MODULE else set(shared & bound.keys())
            for shared_name in sorted(scope.shared):
                scope.fixed[shared_name] = self.new()
                scope.bound.setdefault(shared_name, 1)
        self.scopes.append(scope)
        self.scope = scope
        return scope

    def close(self) -> None:
        """Leave the scope: give its lambdas their numbers, and a module or class its members."""
        scope = self.scope
        for number, inner in enumerate(sorted(scope.lambdas, key=lambda one: (one.lines[0], one.column)), start=1):
            inner.name = f"<lambda{number}>"
            inner.ordinal = 0
        if scope.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            scope.members = tuple(self._members(scope))
        if scope.parent is not None:
            self.scope = scope.parent

    def _members(self, scope: Scope) -> Iterator[tuple[str, int]]:
        for name in scope.bound:
            variable = scope.fixed.get(name) or scope.versions.get(name, NOTHING)
            if scope.kind is ScopeKind.MODULE and name not in scope.fixed and variable:
                last = self.copied(variable)
                if name in scope.later:
                    self.steps.append(Copy(scope.later[name], last))
                variable = last
            if variable:
                yield name, variable

    def copied(self, *sources: int) -> int:
        """Return a new variable that holds what *sources* hold."""
        into = self.new()
        self.steps.extend(Copy(into, source) for source in sources if source)
        return into

    def joined(self, sources: Iterable[int]) -> int:
        """Return a variable that holds what *sources* hold, one of them when they are all the same."""
        distinct = list(dict.fromkeys(source for source in sources if source))
        if len(distinct) == 1:
            return distinct[0]
        return self.copied(*distinct) if distinct else NOTHING

    def bind(self, name: str, value: int) -> None:
        """Give *name* a value in the current scope."""
        scope = self.scope
        if not scope.owns(name):
            owner = self._owner_of_declared(name)
            if owner is not None:
                self.steps.append(Copy(owner.fixed[name], value))
                return
            scope.bound[name] += 1
        if name in scope.shared:
            self.steps.append(Copy(scope.fixed[name], value))
            scope.versions[name] = scope.fixed[name]
        elif scope.bound[name] == 1 and scope.kind is not ScopeKind.CLASS:
            if name in scope.fixed:
                self.steps.append(Copy(scope.fixed[name], value))
            else:
                scope.fixed[name] = value or self.new()
            scope.versions[name] = scope.fixed[name]
        else:
            scope.versions[name] = value or self.new()
            if name in scope.later:
                after = self.new()
                self.steps += [Copy(scope.later[name], scope.versions[name]), Copy(scope.later[name], after)]
                scope.later[name] = after

    def _owner_of_declared(self, name: str) -> Scope | None:
        if name in self.scope.globals:
            return self.scopes[0] if name in self.scopes[0].fixed else None
        if name in self.scope.nonlocals:
            outer = self.scope.parent
            while outer is not None and not (name in outer.shared and outer.kind is not ScopeKind.CLASS):
                outer = outer.parent
            return outer
        return None

    def read(self, name: str) -> tuple[int, bool]:
        """Return the variable that *name* means here, and whether it is the function's own."""
        scope = self.scope
        for overlay in reversed(scope.overlays):
            if name in overlay:
                return overlay[name], True
        if scope.owns(name):
            variable = scope.versions.get(name)
            if variable is not None:
                return variable, scope.kind not in (ScopeKind.MODULE, ScopeKind.CLASS)
            if scope.kind not in (ScopeKind.MODULE, ScopeKind.CLASS):
                return self._only(scope, name), True
            if scope.kind is ScopeKind.MODULE:
                return self.unbound(name), False
        if name in scope.globals:
            return self._captured(self.scopes[0], name), False
        outer = scope.parent
        while outer is not None:
            for overlay in reversed(outer.overlays):
                if name in overlay:
                    return overlay[name], False
            if outer.kind is not ScopeKind.CLASS and outer.owns(name):
                return self._captured(outer, name), False
            outer = outer.parent
        return self.unbound(name), False

    def _only(self, scope: Scope, name: str) -> int:
        """Return the variable of a name that is read before the place that binds it."""
        if scope.bound[name] != 1:
            return NOTHING
        if name not in scope.fixed:
            scope.fixed[name] = self.new()
        return scope.fixed[name]

    def unbound(self, name: str) -> int:
        """Return the variable of a name that the file does not bind."""
        if name not in self._globals:
            self._globals[name] = self.new()
            self.steps.append(Global(self._globals[name], name))
        return self._globals[name]

    def _captured(self, scope: Scope, name: str) -> int:
        """Return what a function inside *scope* may find under *name*: the value it has now, and every later one."""
        if name in scope.shared or scope.bound[name] == 1:
            return scope.fixed.get(name) or self._only(scope, name)
        now = scope.versions.get(name, NOTHING)
        later = scope.later.setdefault(name, 0) or self.new()
        scope.later[name] = later
        known = scope.captured.get(name)
        if known is None or known[:2] != (now, later):
            known = (now, later, self.copied(now, later))
            scope.captured[name] = known
        return known[2]

    def snapshot(self) -> Versions:
        """Return the versions as they are now."""
        return dict(self.scope.versions)

    def restore(self, versions: Versions) -> None:
        """Go on with *versions*, on a path that can be reached."""
        self.scope.versions = dict(versions)
        self.scope.is_dead = False

    def merge(self, paths: Iterable[Versions | None]) -> None:
        """Go on where *paths* meet; ``None`` is a path that ended before."""
        alive = [path for path in paths if path is not None]
        if not alive:
            self.scope.is_dead = True
            return
        self.scope.is_dead = False
        if len(alive) == 1:
            self.scope.versions = dict(alive[0])
            return
        first, *others = alive
        merged = dict(first)
        for name in dict.fromkeys(name for path in others for name in path):
            found = [path[name] for path in alive if name in path]
            if any(one != found[0] for one in found):
                merged[name] = self.joined(found)
            else:
                merged[name] = found[0]
        self.scope.versions = merged

    def path(self) -> Versions | None:
        """Return the versions at the end of a path; ``None`` when it does not get there."""
        return None if self.scope.is_dead else self.snapshot()
