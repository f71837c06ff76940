"""The stable machine forms of the graphs."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.graph import Community, Graph, Node, OpenCall, Span
from pckc_domain.model.graph_answers import (
    AnyEdge,
    Calls,
    Changes,
    Cycle,
    DeadCandidate,
    GoalAnswer,
    Hub,
    Impact,
    Reached,
    Spread,
    Told,
    TouchingSession,
    Way,
)
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName
from pckc_domain.model.inference import INFERENCE, InferredEdge, inferred_id
from pckc_domain.policy.graph.report import Report

from pckc_mcp.forms import Form, bare_claim_form, time_form


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
    told = {"signature": node.signature, "doc": node.doc, "visibility": node.visibility, "text": node.text}
    return form | {key: value for key, value in told.items() if value}


def edge_form(edge: AnyEdge, graph: GraphName | None = None) -> Form:
    """Return an edge; *line* is that of its first site. One that a rule concluded names *graph* in its id."""
    if isinstance(edge, InferredEdge):
        return inferred_form(edge, graph or CLAIM_GRAPH)
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


def inferred_form(edge: InferredEdge, graph: GraphName) -> Form:
    """Return an edge that a rule concluded, with its proof; no place in a file shows it."""
    return {
        "id": inferred_id(graph, edge.key),
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind,
        "evidence": "concluded",
        "weight": edge.confidence,
        "line": None,
        "layer": str(graph.layer),
        "origin": INFERENCE,
        "sites": [],
        "imports": [],
        "inferred": True,
        "depth": edge.depth,
        "rule": edge.derivation.rule_id,
        "premises": [key._asdict() for key in edge.derivation.premises],
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


def community_form(community: Community, *, with_members: bool = True) -> Form:
    """Return a community."""
    form: Form = {
        "id": community.id,
        "level": community.level,
        "parent": community.parent,
        "name": community.name,
        "size": len(community.members),
        "central": list(community.central),
    }
    return form | ({"members": list(community.members)} if with_members else {})


def whole_form(graph: Graph) -> Form:
    """Return a whole graph, as node-link."""
    return {
        "directed": True,
        "multigraph": True,
        "nodes": [node_form(node) for node in graph.nodes],
        "edges": [edge_form(edge) for edge in graph.edges],
        "unresolved": [open_call_form(call) for call in graph.open_calls if not call.external],
        "external": [open_call_form(call) for call in graph.open_calls if call.external],
        "files": [
            {"path": one.path, "language": one.language, "problems": list(one.problems), "skipped": one.skipped}
            for one in graph.coverage
        ],
    }


def found_form(found: Sequence[tuple[Node, float]]) -> Form:
    """Return what words found, best first."""
    return {"results": [node_form(node) | {"score": score} for node, score in found]}


def hubs_form(hubs: Sequence[Hub]) -> Form:
    """Return hubs, most joined first."""
    return {"results": [node_form(hub.node) | {"degree": hub.degree} for hub in hubs]}


def calls_form(found: Calls, *, end: str, limit: int | None) -> Form:
    """Return callers (*end* is ``source``) or callees (``target``): at least these, and what may be more."""
    unresolved = [call for call in found.open_calls if not call.external]
    ends = {getattr(edge, end) for edge in found.edges}
    return {
        "at_least": len(found.certain),
        "ambiguous_count": len(ends - found.certain),
        "unresolved_count": len(unresolved),
        "results": [edge_form(edge) | {"node": node_form(found.ends[getattr(edge, end)])} for edge in found.edges][
            :limit
        ],
        "unresolved": [open_call_form(call) for call in unresolved][:limit],
        "external": [open_call_form(call) for call in found.open_calls if call.external][:limit],
        "total": len(found.edges),
        "overriding": [edge_form(edge) for edge in found.overriding][:limit],
        "overriding_count": len({getattr(edge, end) for edge in found.overriding}),
    }


def edges_form(edges: Sequence[AnyEdge], graph: GraphName, *, limit: int | None) -> Form:
    """Return edges as they are."""
    return {"results": [edge_form(edge, graph) for edge in edges[:limit]], "total": len(edges)}


def spread_form(found: Spread, graph: GraphName) -> Form:
    """Return nodes by distance, each with the edge that led there."""
    return {"results": [_reached(one, graph) for one in found.reached], "is_cut": found.is_cut}


def impact_form(impact: Impact, *, limit: int | None) -> Form:
    """Return what feels a change, and the tests to run, nearest first: their files, and the tests themselves."""
    return {
        "changed": [node_form(node) for node in impact.changed][:limit],
        "results": [_reached(one) for one in impact.reached][:limit],
        "total": len(impact.reached),
        "tests": list(dict.fromkeys(node.path for node in impact.tests)),
        "test_symbols": [node_form(node) for node in impact.tests],
        "possible_test_symbols": [node_form(node) for node in impact.possible_tests],
        "removed": list(impact.removed),
        "unresolved_count": sum(not call.external for call in impact.open_calls),
        "unresolved": [open_call_form(call) for call in impact.open_calls if not call.external][:limit],
    }


def changes_form(changes: Changes) -> Form:
    """Return what of a diff is not in the graph."""
    return {"unknown": [{"path": path, "reason": reason} for path, reason in changes.unknown.items()]}


def way_form(way: Way, graph: GraphName) -> Form:
    """Return the nodes and edges of a way."""
    return {
        "found": bool(way.nodes),
        "nodes": [node_form(node) for node in way.nodes],
        "edges": [edge_form(edge, graph) for edge in way.edges],
    }


def goal_form(answer: GoalAnswer) -> Form:
    """Return the ways to a goal, and what was pruned."""
    return {
        "terms": list(answer.terms),
        "results": [
            {
                "likeness": way.likeness,
                "nodes": [node_form(node) for node in way.nodes],
                "edges": [edge_form(edge) for edge in way.edges],
            }
            for way in answer.ways
        ],
        "pruned": [
            node_form(one.node) | {"likeness": one.likeness, "reason": one.reason, "edge": edge_form(one.edge)}
            for one in answer.pruned
        ],
        "pruned_count": answer.pruned_total,
    }


def dead_form(found: Sequence[DeadCandidate], *, limit: int | None) -> Form:
    """Return candidates for dead code."""
    return {
        "results": [
            node_form(one.node) | {"reason": one.reason, "is_public": one.is_public, "lines": one.lines}
            for one in found[:limit]
        ],
        "total": len(found),
    }


def cycles_form(found: Sequence[Cycle], *, limit: int | None) -> Form:
    """Return the groups of nodes that lead to each other."""
    return {
        "results": [
            {
                "size": len(cycle.nodes),
                "nodes": [node_form(node) for node in cycle.nodes],
                "way": [edge_form(edge) for edge in cycle.way],
            }
            for cycle in found[:limit]
        ],
        "total": len(found),
    }


def report_form(report: Report, markdown: str) -> Form:
    """Return a report: its figures, and the page."""
    return {
        "markdown": markdown,
        "files": dict(report.files),
        "nodes": dict(report.nodes),
        "edges": dict(report.edges),
        "hubs": hubs_form(report.hubs)["results"],
        "communities": [community_form(one, with_members=False) for one in report.communities],
        "modularity": report.modularity,
        "bridges": [
            {
                "source": bridge.source,
                "target": bridge.target,
                "count": bridge.count,
                "examples": [edge_form(edge) for edge in bridge.examples],
            }
            for bridge in report.bridges
        ],
        "cycles": cycles_form(report.cycles, limit=None)["results"],
        "cycle_count": report.cycle_count,
        "rationale": [node_form(node) for node in report.rationale],
        "calls": {"resolved": report.resolved, "unresolved": report.unresolved, "external": report.external},
        "unresolved_share": report.unresolved_share,
        "unresolved_names": [{"name": name, "count": count} for name, count in report.unresolved_names],
        "questions": [{"text": one.text, "asks": list(one.asks)} for one in report.questions],
    }


def counts_form(nodes: Mapping[str, int], edges: Mapping[str, int]) -> Form:
    """Return how much there is by kind."""
    return {"nodes": dict(sorted(nodes.items())), "edges": dict(sorted(edges.items()))}


def told_form(told: Told, *, limit: int | None) -> Form:
    """Return the sessions that touched something, and the claims that speak of it or were made meanwhile."""
    return {
        "of": [node_form(node) for node in told.nodes],
        "paths": list(told.paths),
        "results": [_touching_form(one) for one in told.sessions[:limit]],
        "total": len(told.sessions),
        "claims": [
            bare_claim_form(one) | {"speaks_of_it": one.claim.id in told.speaking} for one in told.claims[:limit]
        ],
        "claims_total": len(told.claims),
    }


def _touching_form(one: TouchingSession) -> Form:
    session = one.session
    return {
        "id": session.id,
        "kind": "session",
        "source_id": session.source_id,
        "host": session.host,
        "title": session.title,
        "started_at": time_form(session.started_at),
        "ended_at": time_form(session.ended_at),
        "branch": session.branch.name,
        "episodes": [
            {"id": node.id, "name": node.name, "first_seq": node.start_line, "last_seq": node.end_line}
            for node in one.episodes
        ],
    }


def _reached(one: Reached, graph: GraphName | None = None) -> Form:
    return node_form(one.node) | {"distance": one.distance, "edge": edge_form(one.edge, graph)}
