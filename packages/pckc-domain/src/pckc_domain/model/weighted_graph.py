"""A graph without names, as engines for communities take it."""

from array import array

import attrs


@attrs.frozen(kw_only=True)
class WeightedGraph:
    """
    An undirected graph; parallel edges add up.

    Attributes:
        size: Number of nodes; they are called 0 to size - 1.
        sources: One end of each edge, ``array("i")``, in the order of the edges.
        targets: The other end of each edge, ``array("i")``.
        weights: Weight of each edge, > 0, ``array("d")``.
    """

    size: int
    sources: "array[int]"
    targets: "array[int]"
    weights: "array[float]"
