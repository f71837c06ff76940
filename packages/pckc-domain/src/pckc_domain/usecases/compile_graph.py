"""What the graph adds to a context: symbols that a task points at, and what is joined with what was chosen."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.model.graph import Edge, EdgeKind, GraphLayer, Node, NodeKind
from pckc_domain.model.passage import Layer, StoredPassage
from pckc_domain.model.recall import PassageResult, SearchRequest
from pckc_domain.model.scope import Scope
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.graph.spreading import spread
from pckc_domain.policy.passage_proofs import passage_proof
from pckc_domain.policy.scoring import SOURCE_QUALITY
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction
from pckc_domain.usecases.recall_symbols import SymbolSearch, innermost, paragraphs_of

SYMBOLS = 12
"""Symbols of the task that are looked at."""

RELATED = 16
"""Neighbours that may widen a pack."""

RELATED_WORTH = 0.7
"""What the nearest neighbour is worth beside what it is joined with."""

FILES = 10

_JOINING = frozenset((EdgeKind.CALLS, EdgeKind.OVERRIDES, EdgeKind.RATIONALE, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS))


@attrs.frozen(kw_only=True)
class TaskSymbols:
    """
    What a task points at.

    Attributes:
        passages: The paragraphs of its symbols, best first.
        files: Paths with their scores, best first.
    """

    passages: tuple[PassageResult, ...] = ()
    files: tuple[tuple[str, float], ...] = ()


class GraphWidening:
    """Looks things up in the graph for the compiler; with no graph stored it finds nothing."""

    def __init__(self, canonical: Canonical, symbols: SymbolSearch) -> None:
        self._canonical = canonical
        self._symbols = symbols

    def task_symbols(self, scope: Scope, task: str, *, checkout_id: str) -> TaskSymbols:
        """Return the symbols that *task* names, and the files it is about."""
        answer = self._symbols.search(scope, SearchRequest(query=task, limit=SYMBOLS), checkout_id=checkout_id)
        found = [
            _result(result.stored, result.score, "named in the task", definition=1.0)
            for result in answer.results
            if result.stored is not None and result.breakdown.get("named", 0) > 0
        ]
        return TaskSymbols(passages=tuple(_distinct(found)), files=answer.files[:FILES])

    def related(self, scope: Scope, chosen: Sequence[PassageResult], *, checkout_id: str) -> Sequence[PassageResult]:
        """Return the paragraphs of what calls, is called by, tests or explains *chosen*, most joined first."""
        with self._canonical.reading(scope) as work:
            graph = work.graph(checkout_id, GraphLayer.REPOSITORY)
            seeds: dict[str, float] = {}
            origins: dict[str, Node] = {}
            for result in chosen:
                passage = result.stored.passage
                nodes = graph.symbols.at(result.stored.document.uri, lines=(passage.start_line, passage.end_line))
                for node in innermost(nodes, passage.start_line, passage.end_line):
                    if node.kind is not NodeKind.MODULE:
                        seeds[node.id] = max(seeds.get(node.id, 0.0), result.score)
                        origins[node.id] = node
            if not seeds:
                return ()
            edges = [
                *graph.links.edges(sorted(seeds), Direction.OUT, kinds=_JOINING),
                *graph.links.edges(sorted(seeds), Direction.IN, kinds=_JOINING),
            ]
            reached = spread(
                seeds, lambda ids: [edge for edge in edges if {edge.source, edge.target} & set(ids)], rounds=1
            )
            order = sorted((one for one in reached if one not in seeds), key=lambda one: (-reached[one], one))
            nodes = graph.symbols.get(order[: 4 * RELATED])
            wanted = {node.id: node for node in nodes if node.kind is not NodeKind.MODULE} | origins
            reasons = _reasons(edges, origins, wanted)
            held = paragraphs_of(work, checkout_id, list(wanted.values()))
        inside = {result.stored.passage.id for result in chosen}
        order = [
            one
            for one in (*sorted(origins), *order)
            if one in held
            and one in reasons
            and not (wanted[one].kind is NodeKind.RATIONALE and held[one].passage.id in inside)
        ]
        best = max((reached[one] for one in order), default=1.0)
        worth = RELATED_WORTH * max(result.score for result in chosen)
        results = [_result(held[one], worth * reached[one] / best, reasons[one]) for one in order]
        return list(_distinct(results))[:RELATED]


def _reasons(edges: Sequence[Edge], origins: Mapping[str, Node], nodes: Mapping[str, Node]) -> dict[str, str]:
    """Say for each neighbour how it is joined with what was chosen; calls before the rest."""
    reasons: dict[str, str] = {}
    for edge in sorted(edges, key=lambda edge: (edge.kind is not EdgeKind.CALLS, edge.source, edge.target)):
        line = f" (line {edge.sites[0].line})" if edge.sites else ""
        if edge.source == edge.target:
            continue
        if edge.source in nodes and edge.target in origins:
            node, other = nodes[edge.source], origins[edge.target].qualified_name
            verb = {EdgeKind.CALLS: "calls", EdgeKind.RATIONALE: "says why of"}.get(edge.kind, str(edge.kind))
            verb = "tests" if verb == "calls" and is_test_path(node.path) else verb
            reasons.setdefault(edge.source, f"{verb} {other}{line}")
        elif edge.target in nodes and edge.source in origins:
            other = origins[edge.source].qualified_name
            verb = {EdgeKind.CALLS: "called by", EdgeKind.OVERRIDES: "overridden by"}.get(edge.kind, "base of")
            reasons.setdefault(edge.target, f"{verb} {other}{line}")
    return reasons


def _distinct(results: Sequence[PassageResult]) -> Sequence[PassageResult]:
    return list({result.stored.passage.id: result for result in reversed(results)}.values())[::-1]


def _result(stored: StoredPassage, score: float, reason: str, *, definition: float = 0.0) -> PassageResult:
    """A paragraph that the graph led to; its relevance is the score that the graph gave it."""
    breakdown = {
        "relevance": round(score, 6),
        "graph": round(score, 6),
        "source_quality": SOURCE_QUALITY[stored.document.source],
        "definition": definition,
        "test_penalty": 0.0,
    }
    return PassageResult(
        stored=stored,
        layer=Layer.PARAGRAPH,
        score=round(score, 6),
        breakdown=breakdown,
        proof=passage_proof(stored),
        reason=reason,
    )
