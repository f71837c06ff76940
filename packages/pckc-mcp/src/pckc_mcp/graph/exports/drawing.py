"""Where the nodes of a graph stand on a page: communities side by side, the most joined nodes in their middle."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import cos, pi, sin, sqrt
from typing import NamedTuple

GOLDEN_ANGLE = pi * (3 - sqrt(5))
"""Turning by it from one node to the next fills a disc evenly (Vogel, 1979)."""

SPACING = 11.0
GAP = 26.0


class Disc(NamedTuple):
    """A community on the page."""

    x: float
    y: float
    radius: float


class Drawing(NamedTuple):
    """
    A graph on a page.

    Attributes:
        places: x and y of each node, in its order.
        discs: Group to where it stands.
    """

    places: Sequence[tuple[float, float]]
    discs: Mapping[int, Disc]


def drawn(groups: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Drawing:
    """
    Return where to draw nodes that are joined by *pairs*; the same graph is drawn alike every time.

    Args:
        groups: The group of each node.
        pairs: Both ends of each edge, by number.
    """
    degrees = Counter(end for pair in pairs for end in pair)
    members: dict[int, list[int]] = defaultdict(list)
    for node, group in enumerate(groups):
        members[group].append(node)
    order = sorted(members, key=lambda group: (-len(members[group]), members[group][0]))
    discs = _packed({group: SPACING * sqrt(len(members[group])) for group in order})
    places: list[tuple[float, float]] = [(0.0, 0.0)] * len(groups)
    for group in order:
        x, y, _ = discs[group]
        for rank, node in enumerate(sorted(members[group], key=lambda one: (-degrees[one], one))):
            away, angle = SPACING * sqrt(rank), rank * GOLDEN_ANGLE
            places[node] = (round(x + away * cos(angle), 1), round(y + away * sin(angle), 1))
    return Drawing(places=places, discs=discs)


def _packed(radii: Mapping[int, float]) -> dict[int, Disc]:
    """Return discs that do not overlap, each at a free place of a spiral, not far behind the last one."""
    discs: dict[int, Disc] = {}
    step = 0.0
    for group, radius in radii.items():
        step = max(step * 0.97 - 4, 0.0)
        while True:
            angle, away = sqrt(step) * 1.8, sqrt(step) * 9.0
            x, y = away * cos(angle), away * sin(angle)
            if all((x - d.x) ** 2 + (y - d.y) ** 2 >= (radius + d.radius + GAP) ** 2 for d in discs.values()):
                break
            step += 1.0 + sqrt(step) * 0.15
        discs[group] = Disc(round(x, 1), round(y, 1), radius)
    return discs
