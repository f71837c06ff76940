"""What a repository is made of, seen from its graph, and what is worth asking about it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import attrs

from pckc_domain.model.graph import Community, Edge, EdgeKind, FileCoverage, Graph, Node, NodeKind
from pckc_domain.model.graph_answers import Cycle, Hub
from pckc_domain.policy.graph.cycles import cycles
from pckc_domain.policy.graph.hubs import HUB_KINDS
from pckc_domain.policy.graph.tests_of import is_test_path

HUBS = 12
COMMUNITIES = 15
BRIDGES = 10
CYCLES = 8
RATIONALE = 20
UNRESOLVED_NAMES = 8
QUESTIONS = 10
PROBLEM_FILES = 10

_URGENCY = ("FIXME", "HACK", "IMPORTANT", "WHY", "TODO", "NOTE")
"""Which comments are shown first."""


@attrs.frozen(kw_only=True)
class Bridge:
    """
    What joins two communities.

    Attributes:
        source: Id of the community that the edges leave.
        target: Id of the one they reach.
        count: Number of edges other than ``contains``.
        examples: Some of them, surest first.
    """

    source: int
    target: int
    count: int
    examples: tuple[Edge, ...]


@attrs.frozen(kw_only=True)
class Question:
    """Something worth asking, and the arguments of ``pckc graph`` that answer it."""

    text: str
    asks: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Report:
    """
    A summary of a graph.

    Attributes:
        files: Number of files by language.
        nodes: Number of nodes by kind.
        edges: Number of edges by kind.
        hubs: Most joined first, without tests.
        communities: Of level 0, largest first.
        community_count: Number of all of them, by level.
        modularity: Of level 0.
        bridges: Most edges first.
        cycles: Imports that lead back to themselves, short ones first.
        cycle_count: Number of all of them.
        rationale: Comments that say why or what is left to do, most urgent first.
        rationale_count: Number of all of them, by mark.
        resolved: Calls that have an edge.
        unresolved: Calls that nobody could resolve.
        external: Calls of what stands outside of the repository.
        unresolved_names: Last names of unresolved calls with their number, most first.
        problems: Files that could not be read in full.
        problem_count: Number of all of them.
        community_names: Of all of level 0, by id.
        names: Id to qualified name of every node that is spoken of.
    """

    files: Mapping[str, int]
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    hubs: tuple[Hub, ...]
    communities: tuple[Community, ...]
    community_count: tuple[int, int]
    modularity: float
    bridges: tuple[Bridge, ...]
    cycles: tuple[Cycle, ...]
    cycle_count: int
    rationale: tuple[Node, ...]
    rationale_count: Mapping[str, int]
    resolved: int
    unresolved: int
    external: int
    unresolved_names: tuple[tuple[str, int], ...]
    problems: tuple[FileCoverage, ...]
    problem_count: int
    questions: tuple[Question, ...]
    community_names: Mapping[int, str]
    names: Mapping[str, str]

    @property
    def unresolved_share(self) -> float:
        """Share of the calls within the repository that nobody could resolve, 0 to 1."""
        inside = self.resolved + self.unresolved
        return self.unresolved / inside if inside else 0.0


def report_of(graph: Graph, communities: Sequence[Community], modularity: float) -> Report:
    """Return the summary of *graph*; the same graph and communities give the same one."""
    coarse = sorted((one for one in communities if one.level == 0), key=lambda one: (-len(one.members), one.id))
    circles = cycles(graph, EdgeKind.IMPORTS)
    hubs = _hubs(graph)
    bridges = _bridges(graph, coarse)
    rationale = [node for node in graph.nodes if node.kind is NodeKind.RATIONALE]
    problems = [one for one in graph.coverage if one.problems or one.skipped]
    unresolved = [call for call in graph.open_calls if not call.external]
    called = Counter(call.name.rpartition(".")[2] for call in unresolved if call.candidates)
    spoken = {end for bridge in bridges for edge in bridge.examples for end in (edge.source, edge.target)}
    spoken |= {end for circle in circles[:CYCLES] for edge in circle.way for end in (edge.source, edge.target)}
    spoken |= {one for community in coarse[:COMMUNITIES] for one in community.central}
    return Report(
        files=_counted(one.language for one in graph.coverage),
        nodes=_counted(str(node.kind) for node in graph.nodes),
        edges=_counted(str(edge.kind) for edge in graph.edges),
        hubs=hubs,
        communities=tuple(coarse[:COMMUNITIES]),
        community_count=(len(coarse), len(communities) - len(coarse)),
        modularity=modularity,
        bridges=bridges,
        cycles=circles[:CYCLES],
        cycle_count=len(circles),
        rationale=tuple(sorted(rationale, key=_urgency)[:RATIONALE]),
        rationale_count=_counted(_mark(node) for node in rationale),
        resolved=sum(len(edge.sites) or 1 for edge in graph.edges if edge.kind is EdgeKind.CALLS),
        unresolved=len(unresolved),
        external=len(graph.open_calls) - len(unresolved),
        unresolved_names=tuple(sorted(called.items(), key=lambda pair: (-pair[1], pair[0]))[:UNRESOLVED_NAMES]),
        problems=tuple(problems[:PROBLEM_FILES]),
        problem_count=len(problems),
        questions=_questions(graph, hubs, coarse, bridges, circles, called),
        community_names={one.id: one.name for one in coarse},
        names={one: graph.by_id[one].qualified_name for one in sorted(spoken) if one in graph.by_id},
    )


def _hubs(graph: Graph) -> tuple[Hub, ...]:
    degrees: Counter[str] = Counter()
    for edge in graph.edges:
        if edge.kind is not EdgeKind.CONTAINS:
            degrees[edge.source] += 1
            degrees[edge.target] += 1
    ranked = sorted(
        (
            one
            for one in degrees
            if one in graph.by_id and graph.by_id[one].kind in HUB_KINDS and not is_test_path(graph.by_id[one].path)
        ),
        key=lambda one: (-degrees[one], one),
    )
    return tuple(Hub(node=graph.by_id[one], degree=degrees[one]) for one in ranked[:HUBS])


def _bridges(graph: Graph, communities: Iterable[Community]) -> tuple[Bridge, ...]:
    of = {member: community.id for community in communities for member in community.members}
    between: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        source, target = of.get(edge.source), of.get(edge.target)
        if edge.kind is not EdgeKind.CONTAINS and source is not None and target is not None and source != target:
            between[source, target].append(edge)
    ranked = sorted(between, key=lambda pair: (-len(between[pair]), pair))[:BRIDGES]
    return tuple(
        Bridge(
            source=pair[0],
            target=pair[1],
            count=len(between[pair]),
            examples=tuple(sorted(between[pair], key=lambda edge: (-edge.weight, edge.source, edge.target))[:3]),
        )
        for pair in ranked
    )


def _questions(
    graph: Graph,
    hubs: Sequence[Hub],
    communities: Sequence[Community],
    bridges: Sequence[Bridge],
    circles: Sequence[Cycle],
    called: Mapping[str, int],
) -> tuple[Question, ...]:
    found: list[Question] = []
    for hub in hubs[:3]:
        name = hub.node.qualified_name
        found.append(Question(text=f"What feels a change of {name}, joined {hub.degree} times?", asks=("impact", name)))
    named = {one.id: one.name for one in communities}
    for bridge in bridges[:2]:
        edge = bridge.examples[0]
        ends = graph.by_id[edge.source].qualified_name, graph.by_id[edge.target].qualified_name
        text = f"Why does “{named[bridge.source]}” reach into “{named[bridge.target]}” {bridge.count} times?"
        found.append(Question(text=text, asks=("path", *ends)))
    for circle in circles[:2]:
        first, second = circle.nodes[0].qualified_name, circle.nodes[1].qualified_name
        text = f"Which import could go, so that {first} and {second} no longer import each other?"
        found.append(Question(text=text, asks=("cycles",)))
    for name in sorted(called, key=lambda one: (-called[one], one))[:2]:
        text = f"What do the {called[name]} unresolved calls of {name} mean?"
        found.append(Question(text=text, asks=("callers", name)))
    found.append(Question(text="Which code does nothing alive refer to?", asks=("dead",)))
    return tuple(found[:QUESTIONS])


def _counted(names: Iterable[str]) -> Mapping[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _mark(node: Node) -> str:
    """Return what kind of comment a rationale is: its name without the ordinal."""
    return node.name.partition("~")[0]


def _urgency(node: Node) -> tuple[int, str, int]:
    mark = _mark(node)
    return (_URGENCY.index(mark) if mark in _URGENCY else len(_URGENCY)), node.path, node.start_line
