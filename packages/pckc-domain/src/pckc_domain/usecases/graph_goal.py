"""
Ways through a graph that lead towards a goal said in words.

After NeuroPath (NeurIPS 2025): paths grow edge by edge, and those that lead away from the goal by their meaning are cut
before they grow. Every cut is reported with its reason.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import attrs

from pckc_domain.model.embedding import Vector
from pckc_domain.model.graph import Edge, EdgeKind, Node, NodeKind
from pckc_domain.model.graph_answers import GoalAnswer, GoalWay, Pruned
from pckc_domain.policy.graph.likeness import Goal, goal_of, text_of
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.usecases.graph_walks import batches, by_id, steps

FLOOR = 0.1
"""Two nodes in a row that are less like the goal lead away from it."""

PRUNED_SHOWN = 50
EMBEDDED = 64
"""Most nodes of a step whose texts are embedded: those most like the goal by their words."""

_FOLLOWED = frozenset(EdgeKind) - {EdgeKind.RATIONALE, EdgeKind.CONTAINS}


@attrs.frozen(kw_only=True)
class _Path:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    likeness: float
    likeness_before: float = 1.0


class GoalSearch:
    """Looks for what lies towards a goal; with an *embedder* meaning counts beside words."""

    def __init__(self, graph: GraphWork, *, embedder: Embedder | None = None) -> None:
        self._graph = graph
        self._embedder = embedder

    def ways(self, starts: Iterable[Node], text: str, *, depth: int = 4, width: int = 8, limit: int = 10) -> GoalAnswer:
        """
        Return up to *limit* ways from *starts* towards the goal that *text* says, along edges in either direction.

        At each of *depth* steps the *width* most promising paths go on.
        """
        goal = goal_of(text)
        meaning = self._embedder.embed([text])[0] if self._embedder else None
        paths = [
            _Path(nodes=(node,), edges=(), likeness=goal.likeness(node)) for node in sorted(starts, key=lambda n: n.id)
        ]
        seen = {path.nodes[-1].id for path in paths}
        found: list[_Path] = []
        pruned: list[Pruned] = []
        for _ in range(depth):
            grown = self._grown(paths, goal, meaning, seen)
            paths, cut = _chosen(grown, width)
            seen |= {path.nodes[-1].id for path in paths}
            found += [path for path in paths if path.likeness >= FLOOR]
            pruned += cut
        found.sort(key=lambda path: (-path.likeness, len(path.edges), path.nodes[-1].id))
        kept = {path.nodes[-1].id for path in found}
        pruned = [one for one in pruned if one.node.id not in kept]
        pruned.sort(key=lambda one: (-one.likeness, one.node.id))
        return GoalAnswer(
            terms=goal.terms,
            ways=tuple(GoalWay(nodes=one.nodes, edges=one.edges, likeness=one.likeness) for one in found[:limit]),
            pruned=tuple(pruned[:PRUNED_SHOWN]),
            pruned_total=len(pruned),
        )

    def _grown(self, paths: Sequence[_Path], goal: Goal, meaning: Vector | None, seen: set[str]) -> list[_Path]:
        """Return every path that is one step longer and ends where none has been, most promising first."""
        ends = {path.nodes[-1].id: path for path in paths}
        came: dict[str, tuple[_Path, Edge]] = {}
        for batch in batches(sorted(ends)):
            for direction in (Direction.OUT, Direction.IN):
                for edge, other in steps(self._graph.links, batch, (direction,), _FOLLOWED):
                    path = ends[edge.source if direction is Direction.OUT else edge.target]
                    if other not in seen and (other not in came or path.likeness > came[other][0].likeness):
                        came[other] = (path, edge)
        nodes = [node for node in by_id(self._graph, came).values() if node.kind is not NodeKind.RATIONALE]
        likeness = {node.id: goal.likeness(node) for node in nodes}
        if meaning is not None:
            likeness |= self._by_meaning(nodes, likeness, meaning)
        grown = [
            _Path(
                nodes=(*came[node.id][0].nodes, node),
                edges=(*came[node.id][0].edges, came[node.id][1]),
                likeness=likeness[node.id],
                likeness_before=came[node.id][0].likeness,
            )
            for node in nodes
        ]
        return sorted(grown, key=lambda path: (-path.likeness, -path.edges[-1].weight, path.nodes[-1].id))

    def _by_meaning(self, nodes: Sequence[Node], likeness: dict[str, float], meaning: Vector) -> dict[str, float]:
        """Return the likeness, half by words and half by meaning, of the nodes most like the goal by words."""
        assert self._embedder is not None  # noqa: S101 - a meaning is there only with it
        first = sorted(nodes, key=lambda node: (-likeness[node.id], node.id))[:EMBEDDED]
        vectors = self._embedder.embed([text_of(node) for node in first])
        return {
            node.id: (likeness[node.id] + max(0.0, _cosine(meaning, vector))) / 2
            for node, vector in zip(first, vectors, strict=True)
        }


def _chosen(grown: Sequence[_Path], width: int) -> tuple[list[_Path], list[Pruned]]:
    """Return the paths that go on, and why the others do not."""
    kept: list[_Path] = []
    cut: list[Pruned] = []
    for path in grown:
        before = path.nodes[-2]
        if len(path.edges) > 1 and max(path.likeness, path.likeness_before) < FLOOR:
            reason = f"neither it nor {before.qualified_name} before it speaks of the goal"
        elif len(kept) >= width:
            reason = f"less like the goal than the {width} that went on (at least {kept[-1].likeness:.2f})"
        else:
            kept.append(path)
            continue
        cut.append(Pruned(node=path.nodes[-1], edge=path.edges[-1], likeness=path.likeness, reason=reason))
    return kept, cut


def _cosine(one: Vector, other: Vector) -> float:
    lengths = sqrt(sum(x * x for x in one)) * sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0
