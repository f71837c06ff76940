"""The graph projection: at least once, resumable at any point, in step with the store, with the store's answers."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.claim import Beliefs, LinkKind
from pckc_domain.model.graph import EdgeKind, GraphLayer, NodeKind
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexCount, IndexNode, Portion
from pckc_domain.model.progress import Progress
from pckc_domain.model.scope import Scope
from pckc_domain.ports.graph import Direction
from pckc_domain.testing.belief_samples import claim, link
from pckc_domain.testing.conversations import SCOPE, tell
from pckc_domain.testing.graph_projection import Deed, Projected, answers, deeds
from pckc_domain.testing.graph_samples import edge, linked, node, node_id
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.graph_index import MemoryGraphIndex
from pckc_domain.testing.projections import graph_projector
from pckc_domain.usecases.indexed_graph import indexed_graph
from pckc_domain.usecases.project_graph import BATCH_FILES, GRAPH_PROJECTION

CHECKOUT = ("co1", GraphLayer.REPOSITORY)
F, G = node_id("a.py", "f"), node_id("b.py", "g")


def projected() -> Projected:
    return Projected(MemoryCanonical(), MemoryGraphIndex())


def put(mine: Projected, path: str, names: Sequence[str], *targets: tuple[str, str]) -> None:
    edges = [edge(node_id(path, name), target) for name, target in targets]
    file = linked(path, [node(path, name) for name in names], edges)
    mine.write(lambda work: work.graph(*CHECKOUT).files.put([file]))


@given(deeds)
@settings(max_examples=80, deadline=None)
def test_whatever_happened_the_index_answers_as_the_store(script: list[Deed]) -> None:
    mine = projected()
    for deed in script:
        mine.do(deed)
    mine.check()
    mine.serving.clear(SCOPE)
    mine.check()


def test_claims_come_with_their_links() -> None:
    mine = projected()
    tell(mine.canonical, "one", ["The queue listens on port 8000.", "The queue listens on port 9000."])
    mine.check()
    with mine.canonical.reading(SCOPE) as work:
        [link] = work.links.of([entry.entity_id for entry in work.outbox.pending("none", limit=99)])
    [found] = mine.index.edges(SCOPE, CLAIM_GRAPH, [link.source_id], Direction.OUT)
    assert (found.kind, found.target, found.confidence) == ("supersedes", link.target_id, link.confidence)


def test_links_that_change_between_claims_that_stay() -> None:
    mine = projected()
    one, other = claim("One."), claim("Other.")
    for links in ((), (link(one, other),), (link(one, other, LinkKind.REFERENCE), link(other, one)), ()):
        beliefs = Beliefs(claims=(one, other), links=links)
        mine.write(lambda work, beliefs=beliefs: work.claims.settle({"slot": beliefs}))  # type: ignore[misc]  # bound now
        mine.check()


def test_an_edge_whose_end_comes_and_goes() -> None:
    mine = projected()
    put(mine, "a.py", ["f"], ("f", G))
    mine.check()
    put(mine, "b.py", ["g"])
    mine.check()
    assert mine.index.count(SCOPE) == IndexCount(nodes=2, edges=1)
    put(mine, "b.py", ["other"])
    mine.check()
    put(mine, "b.py", ["g"])
    mine.check()
    assert mine.index.count(SCOPE) == IndexCount(nodes=2, edges=1)
    mine.write(lambda work: work.graph(*CHECKOUT).files.remove(["b.py"]))
    put(mine, "b.py", ["g"])  # removed and back before anybody looked: the edge to it is forgotten
    mine.check()
    assert mine.index.count(SCOPE) == IndexCount(nodes=2, edges=0)


def test_a_run_that_is_stopped_goes_on_where_it_was() -> None:
    mine = projected()
    for number in range(3 * BATCH_FILES):
        put(mine, f"m{number}.py", ["f"])
    told: list[Progress] = []
    assert mine.projector().run(SCOPE, progress=told.append, is_enough=lambda: bool(told)) == BATCH_FILES
    assert mine.lag() == 2 * BATCH_FILES
    assert told == [Progress(stage="graph index", done=BATCH_FILES, total=3 * BATCH_FILES)]
    mine.fail_after(2)  # one for counting, one for writing
    assert mine.lag() == BATCH_FILES
    assert mine.project() == BATCH_FILES
    mine.check()


def test_a_change_between_writing_and_remembering_is_projected_again() -> None:
    class Dying(MemoryGraphIndex):
        def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
            super().replace(scope, graph, portions)
            raise BackendUnavailableError("killed")

    mine = projected()
    put(mine, "a.py", ["f"], ("f", F))
    dying = Dying()
    with pytest.raises(BackendUnavailableError):
        graph_projector(mine.canonical, dying).run(SCOPE)
    assert dying.count(SCOPE) == IndexCount(nodes=1, edges=1)
    assert mine.lag() == 1
    mine.check()


def test_a_rebuild_leaves_nothing_old() -> None:
    mine = projected()
    put(mine, "a.py", ["f"], ("f", F))
    mine.project()
    stale = IndexNode(id="stale", kind="function", name="stale")
    mine.serving.replace(SCOPE, CLAIM_GRAPH, [Portion(owner="nobody's", nodes=(stale,))])
    report = mine.rebuild()
    assert (report.before, report.after, report.wanted, report.set_aside) == (2, 1, 1, 0)
    mine.check()
    assert mine.index.count(SCOPE) == IndexCount(nodes=0, edges=0)  # the other generation serves


def test_an_index_that_is_new_or_lost_is_fed_from_the_beginning() -> None:
    mine = projected()
    put(mine, "a.py", ["f"])
    mine.project()
    mine.serving.clear(SCOPE)
    assert mine.project() == 1
    mine.check()


def test_what_other_projections_follow_is_not_counted() -> None:
    mine = projected()
    mine.tell(1)
    mine.project()
    with mine.canonical.reading(SCOPE) as work:
        assert work.outbox.lag(GRAPH_PROJECTION) >= mine.lag() == 0


def test_an_index_that_fails_on_the_way_is_left() -> None:
    """The answer is the store's, and why is told."""
    mine = projected()
    put(mine, "a.py", ["f"], ("f", G))
    put(mine, "b.py", ["g"], ("g", F))
    mine.project()
    for calls in range(4):
        with mine.canonical.reading(SCOPE) as work:
            graph = indexed_graph(work, mine.index, SCOPE, *CHECKOUT)
            mine.index.calls_left = calls
            assert answers(graph) == answers(work.graph(*CHECKOUT))
            assert graph.links.trouble == "the graph server is down"


def test_an_index_that_is_ahead_names_nothing_unknown() -> None:
    """What came after the moment that the transaction sees is left out."""
    mine = projected()
    put(mine, "a.py", ["f"], ("f", G))
    with mine.canonical.reading(SCOPE) as work:
        put(mine, "b.py", ["g"], ("g", F))
        mine.project()
        before = work.graph(*CHECKOUT)
        assert list(indexed_graph(work, mine.index, SCOPE, *CHECKOUT).links.edges([F], Direction.OUT)) == []
        assert answers(indexed_graph(work, mine.index, SCOPE, *CHECKOUT))[1:] == answers(before)[1:]


def test_kinds_and_containment_are_as_in_the_store() -> None:
    mine = projected()
    module, part = node("a.py", "", NodeKind.MODULE), node("a.py", "f")
    file = linked("a.py", [module, part], [edge(module.id, part.id, EdgeKind.CONTAINS)])
    mine.write(lambda work: work.graph(*CHECKOUT).files.put([file]))
    mine.check()
    with mine.canonical.reading(SCOPE) as work:
        links = indexed_graph(work, mine.index, SCOPE, *CHECKOUT).links
        assert links.edges([module.id], Direction.OUT, kinds=[EdgeKind.CALLS]) == []
        assert len(links.edges([module.id], Direction.OUT, kinds=[EdgeKind.CONTAINS])) == 1
        assert list(links.degrees(limit=9)) == []
        assert (links.whole(), links.open_calls(callers=[part.id])) == (work.graph(*CHECKOUT).links.whole(), [])
