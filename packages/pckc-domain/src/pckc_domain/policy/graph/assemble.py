"""The graph of a linked program: nodes, edges with their proofs, and the calls that stay open."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from pckc_domain.model.code_facts import CodeFacts, Import, ScopeKind
from pckc_domain.model.graph import (
    Edge,
    EdgeEvidence,
    EdgeKind,
    FileCoverage,
    Graph,
    ImportLink,
    Node,
    NodeKind,
    OpenCall,
    Span,
)
from pckc_domain.policy.graph.families import FAMILIES
from pckc_domain.policy.graph.modules import File
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.solver import Solver
from pckc_domain.policy.graph.tests_of import is_test_path
from pckc_domain.policy.graph.values import AMBIGUOUS, Bound, ClassValue, FunctionValue, ModuleValue
from pckc_domain.policy.redaction import redact

MAX_CANDIDATES = 12
MAX_CERTAIN = 8
"""A call that may mean more functions than this is ambiguous, whatever made them known."""

_EVIDENCE = (EdgeEvidence.EXTRACTED, EdgeEvidence.INFERRED, EdgeEvidence.AMBIGUOUS)
_KINDS = {
    ScopeKind.MODULE: NodeKind.MODULE,
    ScopeKind.NAMESPACE: NodeKind.NAMESPACE,
    ScopeKind.CLASS: NodeKind.CLASS,
    ScopeKind.INTERFACE: NodeKind.INTERFACE,
    ScopeKind.ENUM: NodeKind.ENUM,
    ScopeKind.FUNCTION: NodeKind.FUNCTION,
    ScopeKind.LAMBDA: NodeKind.LAMBDA,
}
_OWNERS = (ScopeKind.CLASS, ScopeKind.INTERFACE, ScopeKind.ENUM)
_LONGEST_CHAIN = 12
_ALIAS_HOPS = 24


def build_graph(files: Iterable[CodeFacts], settings: Mapping[str, str] | None = None) -> Graph:
    """Link the facts of all *files*, of languages of one family, and return their graph; *settings* as `Linker` has."""
    ordered = sorted(files, key=lambda one: one.path)
    family = FAMILIES[ordered[0].language if ordered else "python"]
    program = Program(ordered, family, settings or {})
    linker = family.solver(program)
    linker.solve()
    return _Assembly(program, linker).graph()


def module_name(path: str) -> str:
    """Return the dotted name of the file at *path*, from the project's root."""
    name = path.rsplit(".", 1)[0].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else name


class _Assembly:
    def __init__(self, program: Program, linker: Solver) -> None:
        self._program = program
        self._linker = linker
        self._ids: list[str] = []
        self._chains: list[str] = []
        self._qualified: list[str] = []
        self._nodes: list[Node] = []
        self._edges: dict[tuple[str, str, EdgeKind], tuple[int, str, list[Span], tuple[ImportLink, ...]]] = {}
        self._is_test = [is_test_path(facts.path) for facts in program.files]

    def graph(self) -> Graph:
        self._add_scopes()
        self._add_variables()
        self._add_rationale()
        self._add_packages()
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
                evidence=_EVIDENCE[level],
                origin=origin,
                sites=tuple(sorted(set(sites))),
                imports=imports,
            )
            for (source, target, kind), (level, origin, sites, imports) in sorted(self._edges.items())
        ]
        return Graph(
            nodes=tuple(sorted(self._nodes, key=lambda node: node.id)),
            edges=tuple(edges),
            open_calls=tuple(self._open_calls()),
            coverage=tuple(
                FileCoverage(path=one.path, language=one.language, problems=one.problems) for one in self._program.files
            ),
        )

    # Nodes

    def _add_scopes(self) -> None:
        program = self._program
        for scope, facts in enumerate(program.scopes):
            path = program.files[program.file_of[scope]].path
            parent = program.parent(scope)
            kind = _KINDS[facts.kind]
            if parent < 0:
                self._chains.append("")
                chain, name, qualified = "", module_name(path).rpartition(".")[2], module_name(path)
            else:
                chain = f"{self._chains[parent]}.{facts.name}" if self._chains[parent] else facts.name
                self._chains.append(f"{chain}~{facts.ordinal}" if facts.ordinal else chain)
                name, qualified = facts.name, f"{self._qualified[parent]}.{facts.name}"
                if kind is NodeKind.FUNCTION and program.scopes[parent].kind in _OWNERS:
                    kind = NodeKind.METHOD
            self._qualified.append(qualified)
            self._ids.append(f"{path}#{chain}#{kind}#{facts.ordinal}")
            self._nodes.append(
                Node(
                    id=self._ids[-1],
                    kind=kind,
                    name=name,
                    qualified_name=qualified,
                    path=path,
                    language=program.files[program.file_of[scope]].language,
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
            if parent >= 0:
                self._edge(self._ids[parent], self._ids[-1], EdgeKind.CONTAINS, "scope")

    def _add_variables(self) -> None:
        for scope, facts in enumerate(self._program.scopes):
            seen: set[str] = set()
            for name, line, end_line, said in facts.declared:
                if name in seen:
                    continue
                seen.add(name)
                is_field = facts.kind in _OWNERS
                is_constant = name.isupper() and not is_field
                kind = NodeKind.FIELD if is_field else NodeKind.CONSTANT if is_constant else NodeKind.VARIABLE
                kind = NodeKind(said) if said else kind
                self._add_part(scope, kind, name, line, end_line, EdgeKind.CONTAINS)

    def _add_part(
        self,
        scope: int,
        kind: NodeKind,
        name: str,
        line: int,
        end_line: int,
        edge: EdgeKind,
        text: str = "",
        ordinal: int = 0,
    ) -> None:
        owner = self._ids[scope]
        path, chain = self._program.files[self._program.file_of[scope]].path, self._chains[scope]
        node = Node(
            id=f"{path}#{chain}.{name}#{kind}#{ordinal}" if chain else f"{path}#{name}#{kind}#{ordinal}",
            kind=kind,
            name=name,
            qualified_name=f"{self._qualified[scope]}.{name}",
            path=path,
            language=self._program.files[self._program.file_of[scope]].language,
            start_line=line,
            end_line=end_line,
            ordinal=ordinal,
            text=text,
        )
        self._nodes.append(node)
        if edge is EdgeKind.CONTAINS:
            self._edge(owner, node.id, edge, "scope")
        else:
            self._edge(node.id, owner, edge, "comment", Span(path, line, 0, end_line, 0))

    def _add_rationale(self) -> None:
        for index, facts in enumerate(self._program.files):
            counts: dict[tuple[int, str], int] = defaultdict(int)
            for mark, text, line, scope in facts.rationale:
                ordinal = counts[scope, mark]
                counts[scope, mark] += 1
                owner = self._program.scope_base[index] + scope
                safe = redact(text).text
                self._add_part(owner, NodeKind.RATIONALE, mark, line, line, EdgeKind.RATIONALE, safe, ordinal)

    def _add_packages(self) -> None:
        packages = {
            facts.path.removesuffix("/__init__.py"): index
            for index, facts in enumerate(self._program.files)
            if facts.path.endswith("/__init__.py")
        }
        for index, facts in enumerate(self._program.files):
            folder = facts.path.removesuffix("/__init__.py").rpartition("/")[0]
            if facts.path.endswith(".py") and not facts.path.endswith("/__init__.py"):
                folder = facts.path.rpartition("/")[0]
            owner = packages.get(folder)
            if owner is not None and owner != index:
                self._edge(self._module(owner), self._module(index), EdgeKind.CONTAINS, "package")

    # Edges

    def _module(self, file: int) -> str:
        return self._ids[self._program.scope_base[file]]

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
            self._edges[source, target, kind] = (level, origin, [site] if site else [], imports)
            return
        if site:
            known[2].append(site)
        if level < known[0] or (imports and not known[3]):
            self._edges[source, target, kind] = (min(level, known[0]), origin, known[2], known[3] or imports)

    def _span(self, site: int) -> Span:
        scope = self._linker.scope_of_site[site]
        _, line, column, end_line, end_column, _ = self._program.sites[site]
        return Span(self._program.files[self._program.file_of[scope]].path, line, column, end_line, end_column)

    def _add_imports(self) -> None:
        program, linker = self._program, self._linker
        for variable, (file, step) in sorted(linker.imports.items()):
            site = Span(program.files[file].path, step.line, 0, step.line, 0)
            found = program.modules.find(program.files[file].path, step.module, step.level)
            if isinstance(found, File) and program.index[found.path] != file:
                self._edge(
                    self._module(file), self._module(program.index[found.path]), EdgeKind.IMPORTS, "import", site
                )
            if step.name:
                for number in linker.holds(variable):
                    value = linker.values[number]
                    target = self._target(value)
                    if target and target != self._module(file):
                        self._edge(self._module(file), target, EdgeKind.IMPORTS, "import", site)
        for file, facts in enumerate(program.files):
            for star in facts.stars:
                found = program.modules.find(facts.path, star.module, star.level)
                if isinstance(found, File) and program.index[found.path] != file:
                    site = Span(facts.path, star.line, 0, star.line, 0)
                    self._edge(
                        self._module(file),
                        self._module(program.index[found.path]),
                        EdgeKind.IMPORTS,
                        "star import",
                        site,
                    )

    def _target(self, value: object) -> str:
        if isinstance(value, FunctionValue):
            return self._ids[value.function]
        if isinstance(value, ClassValue):
            return self._ids[value.owner]
        if isinstance(value, ModuleValue):
            return self._module(value.file)
        return ""

    def _add_classes(self) -> None:
        program, linker = self._program, self._linker
        for scope in program.classes():
            facts = program.scopes[scope]
            path = program.files[program.file_of[scope]].path
            site = Span(path, facts.start_line, 0, facts.start_line, 0)
            for base in linker.bases_of(scope):
                is_protocol = linker.bases_outside(base).endswith("Protocol") or (
                    program.scopes[base].kind is ScopeKind.INTERFACE and facts.kind is not ScopeKind.INTERFACE
                )
                kind = EdgeKind.IMPLEMENTS if is_protocol else EdgeKind.INHERITS
                self._edge(self._ids[scope], self._ids[base], kind, "base class", site)
            for name in dict(facts.members):
                method = self._method(scope, name)
                if method is None or (name.startswith("__") and not name.endswith("__")):
                    continue
                for ancestor in linker.orders[scope][1:]:
                    overridden = self._method(ancestor, name)
                    if overridden is not None:
                        line = program.scopes[method].start_line
                        place = Span(path, line, 0, line, 0)
                        self._edge(self._ids[method], self._ids[overridden], EdgeKind.OVERRIDES, "class order", place)
                        break

    def _method(self, owner: int, name: str) -> int | None:
        """Return the function *name* that stands in a class, the last one of them."""
        return self._functions_in.get(owner, {}).get(name)

    @cached_property
    def _functions_in(self) -> dict[int, dict[str, int]]:
        found: dict[int, dict[str, int]] = {}
        for scope in self._program.of_kind(ScopeKind.FUNCTION):
            found.setdefault(self._program.parent(scope), {})[self._program.scopes[scope].name] = scope
        return found

    def _add_types(self) -> None:
        program, linker = self._program, self._linker
        for scope, facts in enumerate(program.scopes):
            path = program.files[program.file_of[scope]].path
            for kind, variables in (
                (EdgeKind.PARAMETER_TYPE, facts.types),
                (EdgeKind.RETURN_TYPE, facts.return_types),
            ):
                for local in variables:
                    for number in linker.holds(program.variable(scope, local)):
                        value = linker.values[number]
                        if isinstance(value, ClassValue):
                            site = Span(path, facts.start_line, 0, facts.start_line, 0)
                            self._edge(self._ids[scope], self._ids[value.owner], kind, "annotation", site)

    def _add_calls(self) -> None:
        linker, program = self._linker, self._program
        counts = Counter(site for site, _ in linker.edges)
        for (site, callee), surest in sorted(linker.edges.items()):
            level = AMBIGUOUS if counts[site] > MAX_CERTAIN else surest
            caller = linker.scope_of_site[site]
            if self._is_test[program.file_of[callee]] and not self._is_test[program.file_of[caller]]:
                continue  # what tests pass into the code under test is no part of it
            origin = "call" if site in linker.call_sites else "language"
            imports = self._import_chain(linker.call_sites.get(site, 0))
            self._edge(self._ids[caller], self._ids[callee], EdgeKind.CALLS, origin, self._span(site), level, imports)

    def _import_chain(self, variable: int) -> tuple[ImportLink, ...]:
        """Return the imports by which the name of a callee came, from its file to where it is defined."""
        linker, program = self._linker, self._program
        chain: list[ImportLink] = []
        while len(chain) < _LONGEST_CHAIN:
            hops = 0
            while variable not in linker.imports and variable in linker.aliases and hops < _ALIAS_HOPS:
                variable = linker.aliases[variable]
                hops += 1
            if variable not in linker.imports:
                break
            file, step = linker.imports[variable]
            link = ImportLink(program.files[file].path, step.line, _import_text(step))
            if link in chain:
                break
            chain.append(link)
            found = program.modules.find(program.files[file].path, step.module, step.level)
            if not isinstance(found, File) or not step.name:
                break
            variable = program.members[program.scope_base[program.index[found.path]]].get(step.name, 0)
        return tuple(chain)

    def _add_references(self) -> None:
        linker, program = self._linker, self._program
        for variable, site in linker.uses:
            name = program.sites[site].text.rpartition(".")[2]
            for number in linker.holds(variable):
                value = linker.values[number]
                if isinstance(value, Bound):
                    value = linker.values[value.bound]
                scope = value.function if isinstance(value, FunctionValue) else getattr(value, "owner", -1)
                if not isinstance(value, FunctionValue | ClassValue) or program.scopes[scope].name != name:
                    continue
                self._reference(site, scope, "mention")
        for site, owner in linker.instantiated:
            self._reference(site, owner, "instance")

    def _reference(self, site: int, scope: int, origin: str) -> None:
        user = self._linker.scope_of_site[site]
        files = self._program.file_of
        if user != scope and not (self._is_test[files[scope]] and not self._is_test[files[user]]):
            self._edge(self._ids[user], self._ids[scope], EdgeKind.REFERENCES, origin, self._span(site))

    # What stays open

    def _open_calls(self) -> Iterator[OpenCall]:
        linker, program = self._linker, self._program
        resolved = {site for site, _ in linker.edges} | {site for site, _ in linker.instantiated}
        named: dict[str, list[str]] = defaultdict(list)
        for scope in program.of_kind(ScopeKind.FUNCTION, ScopeKind.CLASS):
            if not self._is_test[program.file_of[scope]]:
                named[program.scopes[scope].name].append(self._ids[scope])
        for site in sorted(linker.call_sites, key=self._span):
            if site in resolved:
                continue
            name = program.sites[site].text
            external = linker.external.get(site, "")
            candidates: Sequence[str] = () if external else sorted(named.get(name.rpartition(".")[2], ()))
            yield OpenCall(
                caller=self._ids[linker.scope_of_site[site]],
                name=name,
                site=self._span(site),
                external=external,
                candidates=tuple(candidates[:MAX_CANDIDATES]),
            )


def _import_text(step: Import) -> str:
    module = "." * step.level + step.module
    return f"from {module} import {step.name}" if step.name else f"import {module}"
