"""What a graph index holds: nodes and edges as a store of graphs takes them."""

from enum import StrEnum

import attrs

from pckc_domain.errors import InvalidInputError


class IndexLayer(StrEnum):
    """The two layers of code graphs, and the claims with their links; no edge joins one with another."""

    REPOSITORY = "repository"
    SESSION = "session"
    CLAIMS = "claims"


@attrs.frozen(kw_only=True)
class GraphName:
    """
    One graph of a scope.

    Attributes:
        checkout_id: Whose graph it is; ``""`` in layers that a scope has one of.
    """

    layer: IndexLayer
    checkout_id: str = ""


CLAIM_GRAPH = GraphName(layer=IndexLayer.CLAIMS)


@attrs.frozen(kw_only=True)
class IndexNode:
    """
    A symbol or a claim.

    Attributes:
        id: Its id in the canonical store, unique within its graph.
        kind: Kind of the symbol, or type of the claim.
        name: Qualified name of the symbol, or text of the claim.
        path: The file that it stands in or speaks of; ``""`` when there is none.
    """

    id: str
    kind: str
    name: str
    path: str = ""


@attrs.frozen(kw_only=True)
class IndexEdge:
    """
    What joins two nodes; there is one of a source, target and kind.

    Attributes:
        confidence: 0 to 1.
        origin: The rule or model that made it.
        is_inferred: It was concluded, not read.
        detail: What else its maker wants back, as text that the index never looks into.
    """

    source: str
    target: str
    kind: str
    confidence: float
    origin: str
    is_inferred: bool = False
    detail: str = ""


@attrs.frozen(kw_only=True)
class Portion:
    """
    All that there is of one owner: a file of a code graph, or a claim.

    Attributes:
        owner: Id of the file or of the claim.
        nodes: Those that are its own; with none the owner is gone.
        edges: Every edge that starts or ends at one of them. One whose other end is not there yet comes with the
            portion that brings it.
    """

    owner: str
    nodes: tuple[IndexNode, ...] = ()
    edges: tuple[IndexEdge, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Refuse edges that are no business of its own."""
        own = {node.id for node in self.nodes}
        if any(edge.source not in own and edge.target not in own for edge in self.edges):
            raise InvalidInputError(f"the portion of {self.owner!r} has an edge that none of its nodes is an end of")


@attrs.frozen(kw_only=True)
class IndexCount:
    """How much of a scope there is, in all of its graphs."""

    nodes: int
    edges: int
