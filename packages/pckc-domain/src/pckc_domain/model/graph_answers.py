"""What questions to a graph are answered with."""

from collections.abc import Mapping
from typing import TypeAlias

import attrs

from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.graph import Edge, Node, OpenCall
from pckc_domain.model.inference import InferredEdge
from pckc_domain.model.session import Session

AnyEdge: TypeAlias = Edge | InferredEdge
"""An edge that was read, or one that follows."""


@attrs.frozen(kw_only=True)
class Hub:
    """
    A symbol that much is joined to.

    Attributes:
        degree: Its number of edges other than ``contains``.
    """

    node: Node
    degree: int


@attrs.frozen(kw_only=True)
class Calls:
    """
    Who calls something, or what it calls: at least these.

    Attributes:
        edges: By source, target and kind.
        ends: The nodes at the other end, by id.
        certain: The ids of those that a call surely joins; of the others it is one of several possible ones.
        open_calls: Calls nobody could resolve that may be of them, by site.
        overriding: Calls of what overrides them, in the same order: who speaks of the base may mean these.
    """

    edges: tuple[Edge, ...]
    ends: Mapping[str, Node]
    certain: frozenset[str]
    open_calls: tuple[OpenCall, ...]
    overriding: tuple[Edge, ...] = ()


@attrs.frozen(kw_only=True)
class Reached:
    """A node with its distance from where a question began, and the edge that led there."""

    node: Node
    distance: int
    edge: AnyEdge


@attrs.frozen(kw_only=True)
class Spread:
    """
    What was reached from somewhere.

    Attributes:
        reached: By distance and id.
        is_cut: There is more, at the last distance or beyond.
    """

    reached: tuple[Reached, ...]
    is_cut: bool


@attrs.frozen(kw_only=True)
class Way:
    """
    A way along edges, in their direction.

    Attributes:
        nodes: From the first to the last; empty when no way leads there.
        edges: One less than nodes.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[AnyEdge, ...] = ()


@attrs.frozen(kw_only=True)
class Impact:
    """
    What feels a change.

    Attributes:
        changed: What was changed, with its parts, by id.
        reached: Who feels it, by distance and id.
        tests: The tests among both, nearest first.
        open_calls: Calls nobody could resolve that may be of what was changed: who makes them may feel it too.
        possible_tests: The tests that make those calls and are not in *tests*, by id.
        removed: Names that were taken away; calls of them are among *open_calls*, and who makes them feels it.
    """

    changed: tuple[Node, ...]
    reached: tuple[Reached, ...]
    tests: tuple[Node, ...]
    possible_tests: tuple[Node, ...]
    open_calls: tuple[OpenCall, ...]
    removed: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Changes:
    """
    What a diff changed.

    Attributes:
        nodes: The innermost symbols around its lines, by id.
        unknown: Path to why its change is not in *nodes*.
        removed: Last names of definitions that it takes away, in order.
    """

    nodes: tuple[Node, ...]
    unknown: Mapping[str, str]
    removed: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class GoalWay:
    """
    A way that leads towards a goal, against the direction of some edges perhaps.

    Attributes:
        likeness: Of its last node to the goal, 0 to 1.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    likeness: float


@attrs.frozen(kw_only=True)
class Pruned:
    """A node that was not followed, the edge that leads to it, and why."""

    node: Node
    edge: Edge
    likeness: float
    reason: str


@attrs.frozen(kw_only=True)
class GoalAnswer:
    """
    What lies towards a goal.

    Attributes:
        terms: What the goal was taken to speak of.
        ways: Best first.
        pruned: Those most like the goal first.
        pruned_total: Number of all that were pruned.
    """

    terms: tuple[str, ...]
    ways: tuple[GoalWay, ...]
    pruned: tuple[Pruned, ...]
    pruned_total: int


@attrs.frozen(kw_only=True)
class DeadCandidate:
    """
    A symbol that nothing alive refers to.

    Attributes:
        reason: Why it is a candidate.
        is_public: Its name is public: somebody outside of the repository may use it.
        lines: How many lines would go.
    """

    node: Node
    reason: str
    is_public: bool
    lines: int


@attrs.frozen(kw_only=True)
class Cycle:
    """
    Nodes that lead to each other.

    Attributes:
        nodes: All of them, by id.
        way: The edges of one shortest way around.
    """

    nodes: tuple[Node, ...]
    way: tuple[Edge, ...]


@attrs.frozen(kw_only=True)
class TouchingSession:
    """
    A session that touched a file.

    Attributes:
        episodes: The episodes that did, by position.
    """

    session: Session
    episodes: tuple[Node, ...]


@attrs.frozen(kw_only=True)
class Told:
    """
    What sessions did with a part of the repository, and said.

    Attributes:
        nodes: What was asked about in the repository's graph, by id; nothing for a file that it does not hold.
        paths: Its files, in order.
        sessions: Those that touched one of the files, the last first.
        claims: Those that speak of it, and, of a file, those stated while it was touched; the newest first.
        speaking: The ids of those that speak of it.
    """

    nodes: tuple[Node, ...]
    paths: tuple[str, ...]
    sessions: tuple[TouchingSession, ...]
    claims: tuple[StoredClaim, ...]
    speaking: frozenset[str]
