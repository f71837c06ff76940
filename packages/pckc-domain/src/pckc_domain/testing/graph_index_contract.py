"""What every graph index must do. Inherit `GraphIndexContract` and provide the fixture *graphs*."""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import attrs
import pytest

from pckc_domain.model.graph_index import (
    CLAIM_GRAPH,
    GraphName,
    IndexCount,
    IndexEdge,
    IndexLayer,
    IndexNode,
    Portion,
)
from pckc_domain.model.inference import INFERENCE
from pckc_domain.model.scope import Scope
from pckc_domain.ports.graph import Direction
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.testing.memory.graph_index import MemoryGraphIndex

SCOPE = Scope(project="sample")
GRAPH = GraphName(layer=IndexLayer.REPOSITORY, checkout_id="co_one")

HOSTILE = (
    "plain",
    "",
    " ",
    "O'Brien",
    '"quoted" `ticks` \\back\\slash \\u0041',
    "{key: 1}) DETACH DELETE n //",
    "$rows",
    "*",
    "a\nb\tc\x00d\x1fe",
    "имя é e\u0301 名 \U0001f40d",
    "x" * 3000,
)
"""Names that a careless query would break on, or read as part of itself."""


def node(id_: str, *, kind: str = "function") -> IndexNode:
    """Return a node named like its id."""
    return IndexNode(id=id_, kind=kind, name=f"name of {id_}")


def edge(source: str, target: str, kind: str = "calls", *, confidence: float = 0.8) -> IndexEdge:
    """Return an edge between two ids."""
    return IndexEdge(
        source=source,
        target=target,
        kind=kind,
        confidence=confidence,
        origin="call",
        is_inferred=confidence < 1,
        detail=f"{source}->{target}",
    )


def portions(owners: Mapping[str, Iterable[str]], edges: Iterable[IndexEdge]) -> list[Portion]:
    """Return the portions of *owners*, which have these ids, so that they agree with each other about *edges*."""
    given = sorted(edges, key=lambda each: (each.source, each.target, each.kind))
    return [
        Portion(
            owner=owner,
            nodes=tuple(node(id_) for id_ in sorted(ids)),
            edges=tuple(each for each in given if {each.source, each.target} & set(ids)),
        )
        for owner, ids in owners.items()
    ]


TRIANGLE = portions({"a.py": ["a"], "b.py": ["b"], "c.py": ["c"]}, [edge("a", "b"), edge("b", "c"), edge("c", "a")])


def all_edges(
    graphs: GraphIndex, ids: Sequence[str], *, scope: Scope = SCOPE, graph: GraphName = GRAPH
) -> list[IndexEdge]:
    """Return the edges that leave *ids*, which must be those that reach them when *ids* are all there are."""
    leaving = list(graphs.edges(scope, graph, ids, Direction.OUT))
    assert leaving == list(graphs.edges(scope, graph, ids, Direction.IN))
    return leaving


class GraphIndexContract:
    """Replacement, order, ends that are not there, isolation and odd names."""

    def test_edges_come_back_whole_and_in_order(self, graphs: GraphIndex) -> None:
        """By source, target and kind, of the kinds asked for, from the end asked from."""
        given = [edge("a", "b"), edge("a", "b", "references", confidence=1.0), edge("a", "c"), edge("c", "b")]
        graphs.replace(SCOPE, GRAPH, portions({"f": ["c", "b", "a"]}, given))
        assert list(graphs.edges(SCOPE, GRAPH, ["a", "c", "a"], Direction.OUT)) == given
        assert list(graphs.edges(SCOPE, GRAPH, ["b"], Direction.IN)) == [given[0], given[1], given[3]]
        assert list(graphs.edges(SCOPE, GRAPH, ["b"], Direction.IN, kinds=["references"])) == [given[1]]
        assert list(graphs.edges(SCOPE, GRAPH, ["a", "nobody"], Direction.IN)) == []
        assert list(graphs.edges(SCOPE, GRAPH, [], Direction.OUT)) == []

    def test_the_same_again_changes_nothing(self, graphs: GraphIndex) -> None:
        """At least once is enough."""
        for _ in range(2):
            graphs.replace(SCOPE, GRAPH, TRIANGLE)
            graphs.replace(SCOPE, GRAPH, [*TRIANGLE, *TRIANGLE])
        assert graphs.count(SCOPE) == IndexCount(nodes=3, edges=3)
        assert all_edges(graphs, ["a", "b", "c"]) == [edge("a", "b"), edge("b", "c"), edge("c", "a")]

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
    def test_order_does_not_matter(self, graphs: GraphIndex, order: tuple[int, ...]) -> None:
        """An edge is there once both its ends are, whichever came first."""
        for place in order:
            graphs.replace(SCOPE, GRAPH, [TRIANGLE[place]])
        assert all_edges(graphs, ["a", "b", "c"]) == [edge("a", "b"), edge("b", "c"), edge("c", "a")]

    def test_an_edge_without_its_other_end_is_not_there(self, graphs: GraphIndex) -> None:
        """It is found by nobody, and counts for nothing."""
        graphs.replace(SCOPE, GRAPH, [TRIANGLE[0]])
        assert graphs.count(SCOPE) == IndexCount(nodes=1, edges=0)
        assert all_edges(graphs, ["a", "b", "c"]) == []
        assert list(graphs.degrees(SCOPE, GRAPH, limit=9)) == []

    def test_what_an_owner_gave_before_is_replaced(self, graphs: GraphIndex) -> None:
        """Its nodes, and the edges at them on either side; of one owner the last portion counts."""
        graphs.replace(SCOPE, GRAPH, TRIANGLE)
        [new] = portions({"b.py": ["b2"]}, [edge("b2", "c")])
        graphs.replace(SCOPE, GRAPH, [TRIANGLE[1], new])
        assert all_edges(graphs, ["a", "b", "b2", "c"]) == [edge("b2", "c"), edge("c", "a")]
        assert graphs.count(SCOPE) == IndexCount(nodes=3, edges=2)

    def test_an_edge_that_changed_is_as_it_was_given_last(self, graphs: GraphIndex) -> None:
        """Nothing of the old one stays beside it."""
        graphs.replace(SCOPE, GRAPH, TRIANGLE)
        changed = edge("a", "b", confidence=0.25)
        graphs.replace(SCOPE, GRAPH, portions({"a.py": ["a"]}, [changed, edge("c", "a")]))
        assert all_edges(graphs, ["a", "b", "c"]) == [changed, edge("b", "c"), edge("c", "a")]

    def test_an_owner_with_nothing_is_gone(self, graphs: GraphIndex) -> None:
        """With its edges; one that nobody knows may go too."""
        graphs.replace(SCOPE, GRAPH, TRIANGLE)
        graphs.replace(SCOPE, GRAPH, [Portion(owner="b.py"), Portion(owner="unknown")])
        assert all_edges(graphs, ["a", "b", "c"]) == [edge("c", "a")]
        assert graphs.count(SCOPE) == IndexCount(nodes=2, edges=1)
        graphs.replace(SCOPE, GRAPH, [TRIANGLE[1]])
        assert graphs.count(SCOPE) == IndexCount(nodes=3, edges=3)

    def test_a_node_may_move_to_another_owner(self, graphs: GraphIndex) -> None:
        """What its first owner gives later no longer concerns it."""
        graphs.replace(SCOPE, GRAPH, portions({"old": ["a"]}, []))
        graphs.replace(SCOPE, GRAPH, portions({"new": ["a", "b"]}, [edge("a", "b")]))
        graphs.replace(SCOPE, GRAPH, [Portion(owner="old")])
        assert all_edges(graphs, ["a", "b"]) == [edge("a", "b")]

    def test_hubs_are_the_most_joined(self, graphs: GraphIndex) -> None:
        """Both ends count, an edge to itself twice, containment and what a rule concluded not at all; ties by id."""
        given = [
            attrs.evolve(edge("d", "e", "needs"), origin=INFERENCE),
            edge("a", "b"),
            edge("c", "b"),
            edge("c", "b", "references"),
            edge("d", "d"),
            edge("e", "a", "contains"),
        ]
        graphs.replace(SCOPE, GRAPH, portions({"f": "abcde"}, given))
        assert list(graphs.degrees(SCOPE, GRAPH, limit=9)) == [("b", 3), ("c", 2), ("d", 2), ("a", 1)]
        assert list(graphs.degrees(SCOPE, GRAPH, limit=2)) == [("b", 3), ("c", 2)]
        assert list(graphs.degrees(SCOPE, GRAPH, limit=0)) == []

    def test_an_edge_to_itself_is_one(self, graphs: GraphIndex) -> None:
        """It leaves and it reaches its node."""
        graphs.replace(SCOPE, GRAPH, portions({"f": ["a"]}, [edge("a", "a")]))
        assert all_edges(graphs, ["a"]) == [edge("a", "a")]
        assert graphs.count(SCOPE) == IndexCount(nodes=1, edges=1)

    def test_graphs_and_scopes_do_not_meet(self, graphs: GraphIndex) -> None:
        """The same ids in another layer, checkout, project or tenant are other nodes."""
        places = [
            (scope, graph)
            for scope in (
                SCOPE,
                Scope(project="sample2"),
                Scope(tenant="other", project="sample"),
                Scope(tenant="sample", project="local"),
            )
            for graph in (
                GRAPH,
                CLAIM_GRAPH,
                GraphName(layer=IndexLayer.SESSION, checkout_id="co_one"),
                GraphName(layer=IndexLayer.REPOSITORY, checkout_id="co_two"),
            )
        ]
        for number, (scope, graph) in enumerate(places):
            own = edge("a", "b", confidence=number / 100)
            graphs.replace(scope, graph, portions({"a.py": ["a"], "b.py": ["b"]}, [own]))
        for number, (scope, graph) in enumerate(places):
            assert all_edges(graphs, ["a", "b"], scope=scope, graph=graph) == [edge("a", "b", confidence=number / 100)]
            assert list(graphs.degrees(scope, graph, limit=9)) == [("a", 1), ("b", 1)]
        graphs.replace(*places[0], [Portion(owner="a.py")])
        assert graphs.count(SCOPE) == IndexCount(nodes=7, edges=3)
        graphs.clear(SCOPE)
        assert graphs.count(SCOPE) == IndexCount(nodes=0, edges=0)
        for other in {scope for scope, _ in places} - {SCOPE}:
            assert graphs.count(other) == IndexCount(nodes=8, edges=4)

    def test_names_are_data(self, graphs: GraphIndex) -> None:
        """Whatever an id, owner, kind, detail, checkout, project or tenant looks like."""
        scopes = [SCOPE, *(Scope(tenant=name, project=name) for name in HOSTILE if name)]
        for scope in scopes:
            given = [edge(source, target) for source, target in pairwise(HOSTILE)]
            graph = GraphName(layer=IndexLayer.REPOSITORY, checkout_id=scope.project)
            graphs.replace(scope, graph, portions({name: [name] for name in HOSTILE}, given))
        for scope in scopes:
            graph = GraphName(layer=IndexLayer.REPOSITORY, checkout_id=scope.project)
            given.sort(key=lambda each: (each.source, each.target))
            assert list(graphs.edges(scope, graph, HOSTILE, Direction.OUT)) == given
            assert [id_ for id_, degree in graphs.degrees(scope, graph, limit=99) if degree == 2] == sorted(
                HOSTILE[1:-1]
            )
            graphs.replace(scope, graph, [Portion(owner=name) for name in HOSTILE[1:]])
            assert graphs.count(scope) == IndexCount(nodes=1, edges=0)

    def test_lone_surrogates_do_no_harm(self, graphs: GraphIndex) -> None:
        """Few stores can hold them: what comes back may be spelled otherwise."""
        given = portions({"\udcff.py": ["\udcff", "b"]}, [edge("\udcff", "b")])
        graphs.replace(SCOPE, GRAPH, given)
        graphs.replace(SCOPE, GRAPH, given)
        assert len(graphs.edges(SCOPE, GRAPH, ["\udcff"], Direction.OUT)) == 1

    def test_many_rows(self, graphs: GraphIndex) -> None:
        """More than one statement takes, in one call, with nodes that a lot is joined to."""
        ids = [f"n{number:05}" for number in range(2_400)]
        given = [edge(id_, f"n000{number % 48:02}") for number, id_ in enumerate(ids)]
        graphs.replace(SCOPE, GRAPH, portions({"f": ids}, given))
        assert list(graphs.edges(SCOPE, GRAPH, ids, Direction.OUT)) == given
        assert list(graphs.degrees(SCOPE, GRAPH, limit=1)) == [("n00000", 51)]
        graphs.clear(SCOPE)
        assert graphs.count(SCOPE) == IndexCount(nodes=0, edges=0)

    def test_it_is_as_the_memory_index_after_anything(self, graphs: GraphIndex) -> None:
        """Owners come, change and go at random."""
        dice = random.Random(11)  # noqa: S311  # no secret
        truth = MemoryGraphIndex()
        owners = [f"f{number}" for number in range(5)]
        for _ in range(12):
            held = {owner: [f"{owner}.{number}" for number in range(dice.randrange(4))] for owner in owners}
            ids = [id_ for each in held.values() for id_ in each]
            given = {
                (one.source, one.target, one.kind): one
                for one in (
                    edge(dice.choice(ids), dice.choice(ids), dice.choice(("calls", "contains")))
                    for _ in range(dice.randrange(12))
                    if ids
                )
            }
            step = dice.sample(portions(held, given.values()), k=dice.randrange(1, 5))
            for index in (graphs, truth):
                index.replace(SCOPE, GRAPH, step)
            every = [f"{owner}.{number}" for owner in owners for number in range(4)]
            assert all_edges(graphs, every) == all_edges(truth, every)
            assert list(graphs.degrees(SCOPE, GRAPH, limit=99)) == list(truth.degrees(SCOPE, GRAPH, limit=99))
            assert graphs.count(SCOPE) == truth.count(SCOPE)
