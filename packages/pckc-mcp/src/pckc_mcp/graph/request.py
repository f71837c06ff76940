"""What a question to a graph is about."""

from collections.abc import Sequence

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import query_head
from pckc_domain.model.graph import EdgeKind, Graph, GraphLayer


@attrs.frozen(kw_only=True)
class GraphRequest:
    """
    What a question is about; which of these it needs depends on the question.

    Attributes:
        name: A symbol: its qualified name, the end of one, or its id; for sessions also a path.
        to: Where a path leads.
        text: Words to search, or a goal.
        diff: A unified diff, or a revision to compare the work tree with.
        layer: ``repository`` or ``session``.
        depth: How far to go, 1 to 5; ``None`` means the question's own.
        limit: Most results; ``None`` means the question's own.
        kind: Of the edges of cycles (imports, calls or inherits), or of those to show.
        direction: Of the edges to show: ``out``, ``in`` or ``both``.
        level: Of communities: 0 or 1.
        language: Keep the nodes of this language in an export.
        inferred: Neighbours, paths and edges also by what rules conclude.
    """

    name: str = ""
    to: str = ""
    text: str = attrs.field(default="", converter=query_head)
    diff: str = ""
    layer: str = GraphLayer.REPOSITORY
    depth: int | None = None
    limit: int | None = None
    kind: str = ""
    direction: str = "both"
    level: int | None = None
    language: tuple[str, ...] = ()
    inferred: bool = False


def layer_of(name: str) -> GraphLayer:
    """Return the layer called *name*; raises InvalidInputError where there is none."""
    try:
        return GraphLayer(name)
    except ValueError as error:
        raise InvalidInputError(f"no layer {name!r}", remedy=f"one of: {', '.join(map(str, GraphLayer))}") from error


def edge_kind_of(name: str) -> EdgeKind:
    """Return the relation called *name*; raises InvalidInputError where there is none."""
    try:
        return EdgeKind(name)
    except ValueError as error:
        raise InvalidInputError(f"no relation {name!r}", remedy=f"one of: {', '.join(EdgeKind)}") from error


def of_languages(graph: Graph, languages: Sequence[str]) -> Graph:
    """Return the part of *graph* in *languages*; all of it when none are named."""
    if not languages:
        return graph
    known = {one.language for one in graph.coverage}
    if missing := sorted(set(languages) - known):
        raise InvalidInputError(
            f"the graph has nothing in {missing[0]!r}", remedy=f"languages there: {', '.join(sorted(known))}"
        )
    nodes = tuple(node for node in graph.nodes if node.language in languages)
    kept = {node.id for node in nodes}
    return Graph(
        nodes=nodes,
        edges=tuple(edge for edge in graph.edges if edge.source in kept and edge.target in kept),
        open_calls=tuple(call for call in graph.open_calls if call.caller in kept),
        coverage=tuple(one for one in graph.coverage if one.language in languages),
    )
