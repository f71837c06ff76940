"""What one solved file gives to the graph: nodes, edges with their proofs, and the calls that stay open."""

from collections import Counter
from collections.abc import Collection, Iterator

from pckc_domain.model.code_facts import CodeFacts, ScopeKind, Site
from pckc_domain.model.graph import (
    Edge,
    EdgeEvidence,
    EdgeKind,
    FileCoverage,
    FileGraph,
    ImportLink,
    Node,
    NodeKind,
    OpenCall,
    Span,
)
from pckc_domain.policy.graph.modules import File, module_name
from pckc_domain.policy.graph.shapes import KINDS, OWNERS
from pckc_domain.policy.graph.solver import Solver
from pckc_domain.policy.graph.values import (
    AMBIGUOUS,
    EXTRACTED,
    INFERRED,
    Bound,
    ClassValue,
    FunctionValue,
    ModuleValue,
)
from pckc_domain.policy.redaction import redact

MAX_CANDIDATES = 64
"""A name of more functions tells nothing about an open call."""

MAX_INFERRED = 2
"""A call that may mean one of several functions is not certain; one of more than this is ambiguous.

Of the callees of a call with one to four of them, 98, 74, 63 and 52 % were seen in traces of five packages.
"""

_EVIDENCE = (EdgeEvidence.EXTRACTED, EdgeEvidence.INFERRED, EdgeEvidence.AMBIGUOUS)
_LONGEST_CHAIN = 12
_ALIAS_HOPS = 24

Key = tuple[str, EdgeKind]


class _Found:
    """An edge while it is put together; *source* is the id of a node of the file."""

    __slots__ = ("imports", "level", "origin", "sites")

    def __init__(self, level: int, origin: str, imports: tuple[ImportLink, ...]) -> None:
        self.level = level
        self.origin = origin
        self.imports = imports
        self.sites: dict[Span, None] = {}


class Rendering:
    """
    Renders one file.

    Args:
        parts: Paths of the modules right in the package that the file stands for.

    """

    def __init__(self, solver: Solver, file: int, facts: CodeFacts, parts: Collection[str]) -> None:
        solver.enter_file(file)
        self._solver = solver
        self._program = solver.program
        self._work = solver.work
        self._file = file
        self._facts = facts
        self._parts = parts
        self._base = solver.program.files[file].scope_base
        self._ids = [f"{facts.path}{key}" for key in solver.program.files[file].shape.keys]
        self._chains = _chains(facts)
        self._qualified: list[str] = []
        self._nodes: list[Node] = []
        self._edges: dict[tuple[str, str, EdgeKind], _Found] = {}

    def graph(self) -> FileGraph:
        """Return the file's part of the graph."""
        self._add_scopes()
        self._add_variables()
        self._add_rationale()
        for path in self._parts:
            self._edge(self._ids[0], f"{path}##module#0", EdgeKind.CONTAINS, "package")
        self._add_imports()
        self._add_classes()
        self._add_types()
        self._add_calls()
        self._add_references()
        edges = [
            Edge(
                source=source,
                target=target,
                kind=kind,
                evidence=_EVIDENCE[found.level],
                origin=found.origin,
                sites=tuple(sorted(found.sites)),
                imports=found.imports,
            )
            for (source, target, kind), found in sorted(self._edges.items(), key=lambda item: item[0])
        ]
        facts = self._facts
        return FileGraph(
            path=facts.path,
            nodes=tuple(sorted(self._nodes, key=lambda node: node.id)),
            edges=tuple(edges),
            open_calls=tuple(self._open_calls()),
            coverage=FileCoverage(path=facts.path, language=facts.language, problems=facts.problems),
        )

    # Nodes

    def _add_scopes(self) -> None:
        path, language = self._facts.path, self._facts.language
        for scope, facts in enumerate(self._facts.scopes):
            kind = KINDS[facts.kind]
            if facts.parent < 0:
                name, qualified = module_name(path).rpartition(".")[2], module_name(path)
            else:
                name, qualified = facts.name, f"{self._qualified[facts.parent]}.{facts.name}"
                if kind is NodeKind.FUNCTION and self._facts.scopes[facts.parent].kind in OWNERS:
                    kind = NodeKind.METHOD
                self._edge(self._ids[facts.parent], self._ids[scope], EdgeKind.CONTAINS, "scope")
            self._qualified.append(qualified)
            self._nodes.append(
                Node(
                    id=self._ids[scope],
                    kind=kind,
                    name=name,
                    qualified_name=qualified,
                    path=path,
                    language=language,
                    start_line=facts.start_line,
                    end_line=facts.end_line,
                    ordinal=facts.ordinal,
                    start_byte=facts.start_byte,
                    end_byte=facts.end_byte,
                    signature=facts.signature,
                    doc=facts.doc,
                    visibility=facts.visibility,
                )
            )

    def _add_variables(self) -> None:
        for scope, facts in enumerate(self._facts.scopes):
            seen: set[str] = set()
            for name, line, end_line, said in facts.declared:
                if name in seen:
                    continue
                seen.add(name)
                is_field = facts.kind in OWNERS
                is_constant = name.isupper() and not is_field
                kind = NodeKind.FIELD if is_field else NodeKind.CONSTANT if is_constant else NodeKind.VARIABLE
                node = self._add_part(scope, NodeKind(said) if said else kind, name, line, end_line)
                self._edge(self._ids[scope], node, EdgeKind.CONTAINS, "scope")

    def _add_rationale(self) -> None:
        counts: Counter[tuple[int, str]] = Counter()
        for mark, text, line, scope in self._facts.rationale:
            ordinal = counts[scope, mark]
            counts[scope, mark] += 1
            node = self._add_part(scope, NodeKind.RATIONALE, mark, line, line, redact(text).text, ordinal)
            site = Span(self._facts.path, line, 0, line, 0)
            self._edge(node, self._ids[scope], EdgeKind.RATIONALE, "comment", site)

    def _add_part(
        self, scope: int, kind: NodeKind, name: str, line: int, end_line: int, text: str = "", ordinal: int = 0
    ) -> str:
        path, chain = self._facts.path, self._chains[scope]
        node = Node(
            id=f"{path}#{chain}.{name}#{kind}#{ordinal}" if chain else f"{path}#{name}#{kind}#{ordinal}",
            kind=kind,
            name=name,
            qualified_name=f"{self._qualified[scope]}.{name}",
            path=path,
            language=self._facts.language,
            start_line=line,
            end_line=end_line,
            ordinal=ordinal,
            text=text,
        )
        self._nodes.append(node)
        return node.id

    # Edges

    def _edge(
        self,
        source: str,
        target: str,
        kind: EdgeKind,
        origin: str,
        site: Span | None = None,
        level: int = 0,
        imports: tuple[ImportLink, ...] = (),
    ) -> None:
        known = self._edges.get((source, target, kind))
        if known is None:
            known = self._edges[source, target, kind] = _Found(level, origin, imports)
        elif level < known.level:
            known.level = level
        if imports and not known.imports:
            known.imports = imports
        if site:
            known.sites[site] = None

    def _site(self, site: int) -> Site:
        return self._program.sites[site]

    def _span(self, site: int) -> Span:
        _, line, column, end_line, end_column, _ = self._program.sites[site]
        return Span(self._facts.path, line, column, end_line, end_column)

    def _id_at(self, site: int) -> str:
        return self._ids[self._program.scope_of_site[site] - self._base]

    def _line(self, line: int) -> Span:
        return Span(self._facts.path, line, 0, line, 0)

    def _add_imports(self) -> None:
        solver, program, own = self._solver, self._program, self._ids[0]
        for variable, step in sorted(self._work.imports.items()):
            site = self._line(step.line)
            found = program.find(self._facts.path, step.module, step.level)
            if isinstance(found, File) and found.path != self._facts.path:
                self._edge(own, f"{found.path}##module#0", EdgeKind.IMPORTS, "import", site)
            if step.name:
                for number in solver.holds(variable):
                    target = self._target(number)
                    if target and target != own:
                        self._edge(own, target, EdgeKind.IMPORTS, "import", site)
        for star in self._facts.stars:
            found = program.find(self._facts.path, star.module, star.level)
            if isinstance(found, File) and found.path != self._facts.path:
                self._edge(own, f"{found.path}##module#0", EdgeKind.IMPORTS, "star import", self._line(star.line))

    def _target(self, number: int) -> str:
        value = self._solver.values[number]
        if isinstance(value, FunctionValue):
            return self._program.id(value.function)
        if isinstance(value, ClassValue):
            return self._program.id(value.owner)
        if isinstance(value, ModuleValue):
            return f"{self._program.files[value.file].path}##module#0"
        return ""

    def _add_classes(self) -> None:
        solver, program = self._solver, self._program
        for scope in program.classes(self._file):
            facts = program.scopes[scope]
            own = program.id(scope)
            for base in solver.bases_of(scope):
                solver.ask_scope(base)
                row = solver.row(base)
                is_protocol = not row.bases and row.outer.endswith("Protocol")
                is_interface = program.scopes[base].kind is ScopeKind.INTERFACE
                is_implemented = is_protocol or (is_interface and facts.kind is not ScopeKind.INTERFACE)
                kind = EdgeKind.IMPLEMENTS if is_implemented else EdgeKind.INHERITS
                self._edge(own, program.id(base), kind, "base class", self._line(facts.start_line))
            order = solver.order(scope)[1:]
            for name in dict(facts.members) if order else ():
                method = solver.function_in(scope, name)
                if method < 0 or (name.startswith("__") and not name.endswith("__")):
                    continue
                self._work.asked.add(f".{name}")
                overridden = next((one for base in order if (one := solver.function_in(base, name)) >= 0), -1)
                if overridden >= 0:
                    site = self._line(program.scopes[method].start_line)
                    self._edge(program.id(method), program.id(overridden), EdgeKind.OVERRIDES, "class order", site)

    def _add_types(self) -> None:
        solver, program = self._solver, self._program
        for scope, facts in enumerate(self._facts.scopes, start=self._base):
            for kind, variables in (
                (EdgeKind.PARAMETER_TYPE, facts.types),
                (EdgeKind.RETURN_TYPE, facts.return_types),
            ):
                for local in variables:
                    for number in solver.holds(program.variable(scope, local)):
                        value = solver.values[number]
                        if isinstance(value, ClassValue):
                            site = self._line(facts.start_line)
                            self._edge(program.id(scope), program.id(value.owner), kind, "annotation", site)

    def _add_calls(self) -> None:
        program, work = self._program, self._work
        choices = self._choices()
        ordered = sorted((site, program.id(callee), level) for (site, callee), level in work.edges.items())
        for site, callee, surest in ordered:
            level = _level(surest, choices[site])
            origin = "call" if site in work.call_sites else "language"
            imports = self._import_chain(work.call_sites.get(site, 0))
            self._edge(self._id_at(site), callee, EdgeKind.CALLS, origin, self._span(site), level, imports)

    def _choices(self) -> dict[int, int]:
        """Return by site how many functions a call may mean; what the language calls one after the other is one."""
        scopes = self._program.scopes
        counts: dict[int, Counter[str]] = {}
        for site, callee in self._work.edges:
            name = scopes[callee].name
            counts.setdefault(site, Counter())[name if name.startswith("__") else ""] += 1
        outside = self._work.outside
        return {
            site: (site in outside) + found.pop("", 0) + max(found.values(), default=0)
            for site, found in counts.items()
        }

    def _import_chain(self, variable: int) -> tuple[ImportLink, ...]:
        """Return the imports by which the name of a callee came, from its file to where it is defined."""
        imports, aliases = self._work.imports, self._work.aliases
        for _ in range(_ALIAS_HOPS):
            if variable in imports or variable not in aliases:
                break
            variable = aliases[variable]
        step = imports.get(variable)
        if step is None:
            return ()
        chain = [
            ImportLink(
                self._facts.path, step.line, self._program.family.import_text(step.module, step.level, step.name)
            )
        ]
        found = self._program.find(self._facts.path, step.module, step.level)
        path, name = (found.path, step.name) if isinstance(found, File) else ("", "")
        while path and name and len(chain) < _LONGEST_CHAIN:
            file = self._program.file(path)
            if file is None:
                break
            if file != self._file:
                self._work.asked.add(f"{path}> {name}")
            known = self._program.files[file].shape.imported.get(name)
            if known is None:
                break
            link = ImportLink(path, known.line, self._program.family.import_text(known.module, known.level, known.name))
            if link in chain:
                break
            chain.append(link)
            path, name = known.path, known.name
        return tuple(chain)

    def _add_references(self) -> None:
        solver, program = self._solver, self._program
        for variable, site in self._work.uses:
            name = program.sites[site].text.rpartition(".")[2]
            for number in solver.holds(variable):
                value = solver.values[number]
                if isinstance(value, Bound):
                    value = solver.values[value.bound]
                if isinstance(value, FunctionValue | ClassValue):
                    scope = value.function if isinstance(value, FunctionValue) else value.owner
                    if program.scopes[scope].name == name:
                        self._reference(site, scope, "mention")
        for site, owner in sorted((site, program.id(owner)) for site, owner in self._work.instantiated if site >= 0):
            self._refer(site, owner, "instance")

    def _reference(self, site: int, scope: int, origin: str) -> None:
        self._refer(site, self._program.id(scope), origin)

    def _refer(self, site: int, target: str, origin: str) -> None:
        user = self._id_at(site)
        if user != target:
            self._edge(user, target, EdgeKind.REFERENCES, origin, self._span(site))

    # What stays open

    def _open_calls(self) -> Iterator[OpenCall]:
        work, program = self._work, self._program
        resolved = {site for site, _ in work.edges} | {site for site, _ in work.instantiated}
        for site in sorted(work.call_sites, key=self._span):
            if site in resolved:
                continue
            text = program.sites[site].text
            external = work.external.get(site, "")
            yield OpenCall(
                caller=self._id_at(site),
                name=text,
                site=self._span(site),
                external=external,
                candidates=() if external else self._candidates(text.rpartition(".")[2]),
            )

    def _candidates(self, name: str) -> tuple[str, ...]:
        self._work.asked.add(f"={name}")
        found = self._solver.remembered.defined(name)
        return tuple(found) if len(found) <= MAX_CANDIDATES else ()


def _level(surest: int, choices: int) -> int:
    """Return how sure a call is that is one of several choices."""
    if choices == 1:
        return surest
    return INFERRED if surest == EXTRACTED and choices <= MAX_INFERRED else AMBIGUOUS


def _chains(facts: CodeFacts) -> list[str]:
    chains: list[str] = []
    for scope in facts.scopes:
        above = chains[scope.parent] if scope.parent >= 0 else ""
        chain = "" if scope.parent < 0 else f"{above}.{scope.name}" if above else scope.name
        chains.append(f"{chain}~{scope.ordinal}" if scope.ordinal and scope.parent >= 0 else chain)
    return chains
