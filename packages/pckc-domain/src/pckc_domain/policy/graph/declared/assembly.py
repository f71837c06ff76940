"""The part of the graph that one file gives: nodes, edges with their proofs, and the calls that stay open."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pckc_domain.model.declared_facts import Declaration, Place, TypeRef
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
from pckc_domain.policy.graph.declared.asking import Where, link
from pckc_domain.policy.graph.declared.dispatch import INFERRED
from pckc_domain.policy.graph.declared.evaluation import Evaluation
from pckc_domain.policy.graph.declared.handing import Handing
from pckc_domain.policy.graph.declared.index import Index
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, PROMISES, TYPES, Outline, Symbol, last_name, type_names
from pckc_domain.policy.graph.declared.rules import Rules
from pckc_domain.policy.graph.declared.scopes import Want
from pckc_domain.policy.graph.declared.sites import At, Site
from pckc_domain.policy.graph.declared.values import Functions, Package, Static, Type, Value
from pckc_domain.policy.redaction import redact

MAX_CANDIDATES = 64
_EVIDENCE = (EdgeEvidence.EXTRACTED, EdgeEvidence.INFERRED, EdgeEvidence.AMBIGUOUS)


def link_file(own: Outline, index: Index, rules: Rules) -> tuple[FileGraph, frozenset[str]]:
    """Return what a file gives to the graph, and the keys of all that it asked others for."""
    assembly = _Assembly(own, Handing(own, index, rules))
    return assembly.graph(), frozenset(assembly.names.asked)


_OPERATOR = re.compile(r"(?:^|\.)(?:operator\W.*|[^\w.]+)$")
"""A call of an operator, of which nobody asks when it is that of a built-in type."""


class _Assembly:
    def __init__(self, own: Outline, names: Evaluation) -> None:
        self.own = own
        self.names = names
        self._edges: dict[tuple[str, str, EdgeKind], tuple[int, str, set[Span], tuple[ImportLink, ...]]] = {}
        self._used: set[tuple[int, str]] = set()

    def graph(self) -> FileGraph:
        """Return all of it."""
        facts = self.own.facts
        nodes = [*self._symbols(), *self._rationale()]
        self._add_bodies()
        self._add_imports()
        for index, one in enumerate(facts.declarations):
            if one.kind in TYPES:
                self._add_bases(index, one)
            elif one.kind is not NodeKind.LAMBDA:
                self._add_types(index, one)
            if one.kind in FUNCTIONS:
                self._add_override(index)
        self._add_implementations()
        edges = [
            Edge(
                source=source,
                target=target,
                kind=kind,
                evidence=_EVIDENCE[level],
                origin=origin,
                sites=tuple(sorted(sites)),
                imports=imports,
            )
            for (source, target, kind), (level, origin, sites, imports) in sorted(self._edges.items())
        ]
        return FileGraph(
            path=self.own.path,
            nodes=tuple(sorted(nodes, key=lambda node: node.id)),
            edges=tuple(edges),
            open_calls=tuple(self._open_calls()),
            coverage=FileCoverage(path=self.own.path, language=facts.language, problems=facts.problems),
        )

    # Nodes

    def _symbols(self) -> Iterator[Node]:
        own = self.own
        for index, one in enumerate(own.declarations):
            if one.kind is NodeKind.LAMBDA:
                continue
            yield Node(
                id=own.ids[index],
                kind=one.kind,
                name=one.name,
                qualified_name=own.names[index],
                path=own.path,
                language=own.facts.language,
                start_line=one.start_line,
                end_line=one.end_line,
                ordinal=own.ordinal(index),
                start_byte=one.start_byte,
                end_byte=one.end_byte,
                signature=one.signature,
                doc=one.doc,
                visibility=one.visibility,
            )
            if one.parent >= 0:
                self._edge(self._container(one), own.ids[index], EdgeKind.CONTAINS, "scope")

    def _container(self, one: Declaration) -> str:
        """Return the node around a declaration: the type it is added to, when that stands in the file."""
        if one.receiver is not None:
            name = last_name(one.receiver.name)
            for index in self.own.children.get((one.parent, name), ()):
                if self.own.declarations[index].kind in TYPES:
                    return self.own.ids[index]
        return self.own.ids[one.parent]

    def _rationale(self) -> Iterator[Node]:
        counts: dict[str, int] = defaultdict(int)
        for mark, text, line, scope in self.own.facts.rationale:
            owner = self.own.ids[scope]
            chain = f"{self.own.chains[scope]}.{mark}" if self.own.chains[scope] else mark
            ordinal = counts[chain]
            counts[chain] += 1
            node = Node(
                id=f"{self.own.path}#{chain}#{NodeKind.RATIONALE}#{ordinal}",
                kind=NodeKind.RATIONALE,
                name=mark,
                qualified_name=f"{self.own.names[scope]}.{mark}",
                path=self.own.path,
                language=self.own.facts.language,
                start_line=line,
                end_line=line,
                ordinal=ordinal,
                text=redact(text).text,
            )
            self._edge(node.id, owner, EdgeKind.RATIONALE, "comment", Span(self.own.path, line, 0, line, 0))
            yield node

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
        sites = {site} if site else set()
        if known is None:
            self._edges[source, target, kind] = (level, origin, sites, imports)
            return
        surest = (level, origin) if level < known[0] else known[:2]
        self._edges[source, target, kind] = (*surest, known[2] | sites, known[3] or imports)

    def _span(self, place: Place) -> Span:
        return Span(self.own.path, *place)

    def _head(self, index: int) -> Span:
        line = self.own.declarations[index].start_line
        return Span(self.own.path, line, 0, line, 0)

    def _named(self, index: int) -> int:
        """Return the declaration that is a node: a closure belongs to what is around it."""
        while self.own.declarations[index].kind is NodeKind.LAMBDA:
            index = self.own.declarations[index].parent
        return index

    def _add_bodies(self) -> None:
        names, own = self.names, self.own
        for index, one in enumerate(own.declarations):
            where = Where(own.path, index)
            for call in one.calls:
                names.visit(call, At(where, _line(call) or one.start_line))
            for number, local in enumerate(one.locals):
                names.value(local.value, At(where, local.line, number))
        for index, one in enumerate(own.declarations):
            for mention in one.mentions:
                at = At(Where(own.path, index), mention.place.line)
                self._reference(index, names.value(mention.expression, at), "mention", self._span(mention.place))
        for place, site in names.sites.items():
            self._add_call(site, self._span(place))
        for (index, line, _), targets in names.reads.items():
            for symbol, level in targets:
                span = Span(own.path, line, 0, line, 0)
                target = names.identity(symbol)
                self._edge(own.ids[self._named(index)], target, EdgeKind.CALLS, "property", span, level)
        for index, place, value in names.passed:
            self._reference(index, value, "mention", self._span(place))

    def _add_call(self, site: Site, span: Span) -> None:
        own, names = self.own, self.names
        caller = self._named(site.caller)
        imports = names.import_chain(site.root, Where(own.path, caller)) if site.root else ()
        self._used.update((one.line, one.text) for one in imports)
        if not own.declarations[caller].is_test:  # what only tests have, implements nothing for others
            site.targets = tuple([one for one in site.targets if not names.declaration(one.symbol).is_test])
        for symbol, level in (*site.targets, *site.lent):
            self._edge(own.ids[caller], names.identity(symbol), EdgeKind.CALLS, "call", span, level, imports)
        for symbol in site.made:
            if Where(*symbol) != Where(own.path, caller):
                self._edge(
                    own.ids[caller], names.identity(symbol), EdgeKind.REFERENCES, "instance", span, imports=imports
                )

    def _reference(self, user: int, value: Value | None, origin: str, span: Span) -> None:
        source = self._named(user)
        for symbol in self._symbols_of(value):
            if symbol != Symbol(self.own.path, source):
                self._edge(self.own.ids[source], self.names.identity(symbol), EdgeKind.REFERENCES, origin, span)

    def _symbols_of(self, value: Value | None) -> Iterable[Symbol]:
        if isinstance(value, Functions):
            return value.symbols[:1]
        return self.names.declared(value.type)[:1] if isinstance(value, Static) else ()

    def _add_imports(self) -> None:
        names, own = self.names, self.own
        module = own.ids[0]
        for fact in own.facts.imports:
            site = Span(own.path, fact.line, 0, fact.line, 0)
            found: set[Symbol] = set()
            for want in (Want.VALUE, Want.CALL):
                value = None if fact.name == "*" else names.imported(own.path, fact, want)
                found.update(self._symbols_of(value))
                if isinstance(value, Functions):
                    found.update(value.symbols)
                if isinstance(value, Package):
                    found.update(Symbol(path, 0) for path in self._files_of(value.key))
            if fact.name == "*":
                for key in names.modules(own.path, fact):
                    if names.has_space(key):
                        found.update(Symbol(path, 0) for path in self._files_of(key))
            proof = (link(own.path, fact),)
            for symbol in sorted(found):
                if symbol.path != own.path:
                    self._edge(module, names.outline(symbol.path).ids[0], EdgeKind.IMPORTS, "import", site, 0, proof)
                    if symbol.number:
                        self._edge(module, names.identity(symbol), EdgeKind.IMPORTS, "import", site, 0, proof)

    def _files_of(self, key: str) -> list[str]:
        """Return the files that make a namespace known: the first one stands for all."""
        paths = [path for path in self.names.index.spaces.get(key, ()) if self.names.sees(path)]
        whole = [path for path in paths if self.names.outline(path).namespace == key]
        return (whole or paths)[:1]

    def _add_bases(self, index: int, one: Declaration) -> None:
        where = Where(self.own.path, index)
        is_promise = one.kind in PROMISES
        for ref in (*one.bases, *one.interfaces):
            base = self.names.resolve(ref, where)
            for symbol in self.names.declared(base) if base else ():
                promises = self.names.declaration(symbol).kind in PROMISES
                is_implemented = ref in one.interfaces or (promises and not is_promise)
                kind = EdgeKind.IMPLEMENTS if is_implemented and not is_promise else EdgeKind.INHERITS
                self._edge(self.own.ids[index], self.names.identity(symbol), kind, "base", self._head(index))
        if one.type is not None:
            self._add_mentioned(index, one.type, EdgeKind.REFERENCES, "type")
        if self.names.rules.is_structural and not is_promise:
            self._add_structural(index)

    def _add_structural(self, index: int) -> None:
        """Add the interfaces whose methods a type has."""
        names = self.names
        kind = names.type_of(Symbol(self.own.path, index))
        methods = [
            one.name
            for one in self.own.declarations
            if one.receiver is not None and last_name(one.receiver.name) == self.own.declarations[index].name
        ]
        for name in sorted(set(methods)):
            for symbol in names.named(name):
                one = names.declaration(symbol)
                if one.has_body or one.kind is not NodeKind.METHOD:
                    continue
                promise = Symbol(symbol.path, one.parent)
                wanted = names.type_of(promise)
                if names.has_methods_of(kind, wanted):
                    source, target = self.own.ids[index], names.identity(promise)
                    self._edge(source, target, EdgeKind.IMPLEMENTS, "method set", self._head(index), INFERRED)

    def _add_implementations(self) -> None:
        for fact in self.own.facts.implementations:
            where = Where(self.own.path, fact.declaration)
            kind, trait = self.names.resolve(fact.type, where), self.names.resolve(fact.trait, where)
            sources = [one for one in self.names.declared(kind) if one.path == self.own.path] if kind else []
            source = self.own.ids[sources[0].number if sources else 0]
            site = Span(self.own.path, fact.line, 0, fact.line, 0)
            for symbol in self.names.declared(trait) if trait else ():
                self._edge(source, self.names.identity(symbol), EdgeKind.IMPLEMENTS, "implementation", site)

    def _add_types(self, index: int, one: Declaration) -> None:
        for parameter in one.parameters:
            self._add_mentioned(index, parameter.type, EdgeKind.PARAMETER_TYPE, "parameter")
        if one.kind in FUNCTIONS:
            self._add_mentioned(index, one.type, EdgeKind.RETURN_TYPE, "result")
        elif one.kind is not NodeKind.MODULE:
            self._add_mentioned(index, one.type, EdgeKind.REFERENCES, "type")

    def _add_mentioned(self, index: int, ref: TypeRef | None, kind: EdgeKind, origin: str) -> None:
        for part in type_names(ref):
            found: Type | None = self.names.resolve(part, Where(self.own.path, index))
            for symbol in self.names.declared(found)[:1] if found else ():
                if symbol != Symbol(self.own.path, index):
                    self._edge(self.own.ids[index], self.names.identity(symbol), kind, origin, self._head(index))

    def _add_override(self, index: int) -> None:
        overridden = self.names.overridden(Symbol(self.own.path, index))
        if overridden is not None:
            target = self.names.identity(overridden)
            self._edge(self.own.ids[index], target, EdgeKind.OVERRIDES, "class order", self._head(index))

    # What stays open

    def _open_calls(self) -> Iterator[OpenCall]:
        for place, site in sorted(self.names.sites.items()):
            if site.targets or site.made or site.is_read or _OPERATOR.search(site.text):
                continue
            yield OpenCall(
                caller=self.own.ids[self._named(site.caller)],
                name=site.text,
                site=self._span(place),
                external=site.external,
                candidates=() if site.external else self._candidates(last_name(site.text)),
            )

    def _candidates(self, name: str) -> tuple[str, ...]:
        symbols = self.names.named(name.rstrip("()[]")) if name else []
        return tuple(sorted(self.names.identity(symbol) for symbol in symbols[:MAX_CANDIDATES]))


def _line(expression: object) -> int:
    """Return the first line of the outermost call of an expression, 0 for none."""
    place = getattr(expression, "place", None)
    if isinstance(place, Place):
        return place.line
    owner = getattr(expression, "owner", None) or getattr(expression, "value", None)
    if owner is None:
        owner = next(iter(getattr(expression, "options", ())), None)
    return _line(owner) if owner is not None else 0
