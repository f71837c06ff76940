"""The files of a program, with one numbering of scopes, variables and sites; they are added as they are needed."""

from collections.abc import Callable, Iterable, Mapping

import attrs

from pckc_domain.model.code_facts import NOTHING, CodeFacts, ScopeFacts, ScopeKind, Site
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.shapes import Shape
from pckc_domain.policy.graph.tests_of import is_test_path


@attrs.define
class SourceFile:
    """
    A file of the program.

    Attributes:
        shape: What other files can see of it.
        facts: What it says but its steps, when it is worked on; ``None`` when only others' view of it is needed.
    """

    path: str
    shape: Shape
    facts: CodeFacts | None
    is_test: bool
    scope_base: int
    variable_base: int
    site_base: int


class Program:
    """
    Files of one family of languages.

    A number of a file's facts becomes one of the program by adding the file's base; variable 0 is nothing everywhere.
    """

    def __init__(
        self,
        family: Family,
        modules: ModuleTable,
        shape_of: Callable[[str], Shape | None],
        make_room: Callable[[int], int],
    ) -> None:
        self.family = family
        self.modules = modules
        self.find = modules.find
        self.files: list[SourceFile] = []
        self.index: dict[str, int] = {}
        self.scopes: list[ScopeFacts] = []
        self.file_of: list[int] = []
        self.sites: list[Site] = []
        self.scope_of_site: list[int] = []
        self.members: list[Mapping[str, int]] = []
        self._by_key: dict[tuple[int, str], int] = {}
        self._shape_of = shape_of
        self._make_room = make_room

    def add(self, path: str, shape: Shape) -> int:
        """Add a file as others see it; return its number."""
        index = self.index[path] = len(self.files)
        base = self._make_room(shape.variables)
        scope_base = len(self.scopes)
        self.files.append(SourceFile(path, shape, None, is_test_path(path), scope_base, base, NOTHING))
        self.scopes += shape.scopes
        self.file_of += [index] * len(shape.scopes)
        for scope, key in enumerate(shape.keys, start=scope_base):
            self._by_key[index, key] = scope
        for one in shape.scopes:
            self.members.append({name: base + variable for name, variable in one.members if variable})
        return index

    def attach(self, file: int, facts: CodeFacts) -> SourceFile:
        """Let a file that is worked on have its sites, and all that it says but its steps."""
        one = self.files[file]
        one.site_base = len(self.sites)
        one.facts = attrs.evolve(facts, scopes=tuple(one.shape.scopes), steps=(), sites=())
        self.sites += facts.sites
        self.scope_of_site += [one.scope_base + site.scope for site in facts.sites]
        return one

    def file(self, path: str) -> int | None:
        """Return the number of the file at *path*, which is added when it is first wanted; ``None`` without one."""
        known = self.index.get(path)
        if known is None:
            shape = self._shape_of(path)
            if shape is not None:
                return self.add(path, shape)
        return known

    def scope(self, path: str, key: str) -> int | None:
        """Return the scope with *key* in the file at *path*."""
        file = self.file(path)
        return None if file is None else self._by_key.get((file, key))

    def key(self, scope: int) -> str:
        """Return the key of a scope in its file."""
        file = self.files[self.file_of[scope]]
        return file.shape.keys[scope - file.scope_base]

    def id(self, scope: int) -> str:
        """Return the id of a scope's node."""
        return f"{self.files[self.file_of[scope]].path}{self.key(scope)}"

    def variable(self, scope: int, variable: int) -> int:
        """Return the number of a variable of the file that *scope* stands in."""
        return self.files[self.file_of[scope]].variable_base + variable if variable else NOTHING

    def parent(self, scope: int) -> int:
        """Return the scope around; -1 for a module."""
        parent = self.scopes[scope].parent
        return parent if parent < 0 else self.files[self.file_of[scope]].scope_base + parent

    def is_method(self, scope: int) -> bool:
        """Return whether a function stands right inside a class."""
        parent = self.parent(scope)
        return parent >= 0 and self.scopes[parent].kind is ScopeKind.CLASS

    def of_kind(self, file: int, *kinds: ScopeKind) -> Iterable[int]:
        """Return the scopes of some kinds in a file."""
        one = self.files[file]
        return [scope for scope, facts in enumerate(one.shape.scopes, start=one.scope_base) if facts.kind in kinds]

    def classes(self, file: int) -> Iterable[int]:
        """Return a file's scopes that have instances, or stand for them; any function may have in JavaScript."""
        return [
            scope
            for scope in self.of_kind(file, ScopeKind.CLASS, ScopeKind.INTERFACE, ScopeKind.FUNCTION, ScopeKind.LAMBDA)
            if (facts := self.scopes[scope]).bases
            or facts.members
            or facts.kind in (ScopeKind.CLASS, ScopeKind.INTERFACE)
        ]

    def add_site(self, scope: int, site: Site) -> int:
        """Add a site that the text does not show; return its number."""
        self.sites.append(site)
        self.scope_of_site.append(scope)
        return len(self.sites) - 1
