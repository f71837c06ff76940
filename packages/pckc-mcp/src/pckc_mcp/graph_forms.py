"""The stable machine forms of the repository graph."""

from pckc_domain.model.graph import Edge, Node, OpenCall, Span
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.policy.graph.queries import Callers, Impact, Reached
from pckc_domain.usecases.graph import BuiltGraph

from pckc_mcp.forms import Form, answer


def node_form(node: Node) -> Form:
    """Return a node."""
    form: Form = {
        "id": node.id,
        "kind": str(node.kind),
        "name": node.name,
        "qualified_name": node.qualified_name,
        "path": node.path,
        "language": node.language,
        "start_line": node.start_line,
        "end_line": node.end_line,
        "layer": str(node.layer),
        "community": node.community,
    }
    return form | ({"text": node.text} if node.text else {})


def edge_form(edge: Edge) -> Form:
    """Return an edge; *line* is that of its first site."""
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "evidence": str(edge.evidence),
        "weight": edge.weight,
        "line": edge.sites[0].line if edge.sites else None,
        "layer": str(edge.layer),
        "origin": edge.origin,
        "sites": [_span_form(site) for site in edge.sites],
        "imports": [{"path": link.path, "line": link.line, "text": link.text} for link in edge.imports],
    }


def _span_form(span: Span) -> Form:
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def open_call_form(call: OpenCall) -> Form:
    """Return a call that gave no edge."""
    return {
        "caller": call.caller,
        "name": call.name,
        "external": call.external,
        "candidates": list(call.candidates),
        **_span_form(call.site),
    }


def export_form(built: BuiltGraph) -> Form:
    """Return the whole graph, as node-link."""
    graph = built.graph
    return _answer(
        "graph.export",
        built,
        directed=True,
        multigraph=True,
        nodes=[node_form(node) for node in graph.nodes],
        edges=[edge_form(edge) for edge in graph.edges],
        unresolved=[open_call_form(call) for call in graph.open_calls if not call.external],
        external=[open_call_form(call) for call in graph.open_calls if call.external],
        files=[{"path": one.path, "language": one.language, "problems": list(one.problems)} for one in graph.coverage],
        skipped=dict(built.skipped),
    )


def calls_form(name: str, built: BuiltGraph, nodes: list[Node], found: Callers, *, end: str) -> Form:
    """Return callers (*end* is ``source``) or callees (``target``): at least these, and what may be more."""
    by_id = built.graph.by_id
    unresolved = [call for call in found.open_calls if not call.external]
    return _answer(
        name,
        built,
        of=[node_form(node) for node in nodes],
        at_least=len({getattr(edge, end) for edge in found.edges}),
        unresolved_count=len(unresolved),
        results=[edge_form(edge) | {"node": node_form(by_id[getattr(edge, end)])} for edge in found.edges],
        unresolved=[open_call_form(call) for call in unresolved],
        external=[open_call_form(call) for call in found.open_calls if call.external],
    )


def reached_form(name: str, built: BuiltGraph, nodes: list[Node], reached: list[Reached]) -> Form:
    """Return nodes by distance, each with the edge that led there."""
    return _answer(name, built, of=[node_form(node) for node in nodes], results=[_reached(one) for one in reached])


def impact_form(built: BuiltGraph, nodes: list[Node], impact: Impact) -> Form:
    """Return what feels a change, and the tests to run."""
    return _answer(
        "graph.impact",
        built,
        of=[node_form(node) for node in nodes],
        results=[_reached(one) for one in impact.reached],
        tests=list(impact.tests),
    )


def path_form(built: BuiltGraph, sources: list[Node], targets: list[Node], way: list[Edge]) -> Form:
    """Return the edges of a way."""
    by_id = built.graph.by_id
    return _answer(
        "graph.path",
        built,
        sources=[node_form(node) for node in sources],
        targets=[node_form(node) for node in targets],
        found=bool(way),
        nodes=[node_form(by_id[one]) for one in ([way[0].source, *(edge.target for edge in way)] if way else [])],
        edges=[edge_form(edge) for edge in way],
    )


def _reached(one: Reached) -> Form:
    return node_form(one.node) | {"distance": one.distance, "edge": edge_form(one.edge)}


def _answer(name: str, built: BuiltGraph, **keys: object) -> Form:
    return answer(name, {"graph": IndexCoverage(indexed=built.read, total=built.files)}, **keys)
