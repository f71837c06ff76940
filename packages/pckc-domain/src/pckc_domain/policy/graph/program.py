"""The facts of all files, with one numbering of scopes, variables and sites."""

from collections.abc import Iterator, Mapping, Sequence

from pckc_domain.model.code_facts import NOTHING, CodeFacts, ScopeFacts, ScopeKind, Site
from pckc_domain.policy.graph.family import Family


class Program:
    """
    All files of one family of languages.

    A number of a file's facts becomes one of the program by adding the file's base; variable 0 is nothing everywhere.
    """

    def __init__(self, files: Sequence[CodeFacts], family: Family, settings: Mapping[str, str]) -> None:
        self.files = files
        self.family = family
        self.index = {facts.path: index for index, facts in enumerate(files)}
        self.modules = family.modules(self.index, settings)
        self.scopes: list[ScopeFacts] = []
        self.file_of: list[int] = []
        self.sites: list[Site] = []
        self.variable_base: list[int] = []
        self.scope_base: list[int] = []
        self.site_base: list[int] = []
        variables = 0
        for index, facts in enumerate(files):
            self.variable_base.append(variables)
            self.scope_base.append(len(self.scopes))
            self.site_base.append(len(self.sites))
            variables += facts.variables
            self.scopes.extend(facts.scopes)
            self.file_of.extend([index] * len(facts.scopes))
            self.sites.extend(facts.sites)
        self.variables = variables
        self.members: list[dict[str, int]] = [
            {name: self.variable(scope, variable) for name, variable in facts.members} if facts.members else {}
            for scope, facts in enumerate(self.scopes)
        ]

    def variable(self, scope: int, variable: int) -> int:
        """Return the number of a variable of the file that *scope* stands in."""
        return self.variable_base[self.file_of[scope]] + variable if variable else NOTHING

    def parent(self, scope: int) -> int:
        """Return the scope around; -1 for a module."""
        parent = self.scopes[scope].parent
        return parent if parent < 0 else self.scope_base[self.file_of[scope]] + parent

    def is_method(self, scope: int) -> bool:
        """Return whether a function stands right inside a class."""
        parent = self.parent(scope)
        return parent >= 0 and self.scopes[parent].kind is ScopeKind.CLASS

    def classes(self) -> Iterator[int]:
        """Yield the scopes that have instances of their own, or stand for them; any function may have in JavaScript."""
        for scope in self.of_kind(ScopeKind.CLASS, ScopeKind.INTERFACE, ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            facts = self.scopes[scope]
            if facts.bases or facts.members or facts.kind in (ScopeKind.CLASS, ScopeKind.INTERFACE):
                yield scope

    def of_kind(self, *kinds: ScopeKind) -> Iterator[int]:
        """Yield the scopes of some kinds."""
        return (scope for scope, facts in enumerate(self.scopes) if facts.kind in kinds)

    def caller(self, site: int, file: int) -> int:
        """Return the scope in which a site of *file* stands."""
        return self.scope_base[file] + self.sites[site].scope
