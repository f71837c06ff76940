"""Inference by the index: the same as embedded, projected, and refused when it is out of step."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex
from pckc_adapters_memgraph.testing import ArcadeServer
from pckc_domain.model.graph_index import Portion
from pckc_domain.model.inference import INFERENCE, inferred_id
from pckc_domain.model.outbox import graph_file_id
from pckc_domain.policy.graph.indexing import code_edge, inferred_edge, symbol_node
from pckc_domain.ports.graph import Direction
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_samples import edge, node
from pckc_domain.testing.inference_contract import CLOSED, GRAPH, NEEDS, PLACE, F, G, H, fill
from pckc_domain.testing.inference_samples import put_rules
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.projections import graph_projector
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.usecases.indexed_graph import indexed_graph
from pckc_domain.usecases.infer import Inference
from pckc_domain.usecases.project_graph import ServingGraphIndex

from .conftest import emptied

CLOCK = FixedClock(TIME + timedelta(days=1))


@pytest.fixture
def graphs(server: ArcadeServer) -> Iterator[MemgraphGraphIndex]:
    """Yield an empty index."""
    with emptied(server.settings) as index:
        yield index


@pytest.fixture
def canonical() -> MemoryCanonical:
    """Return a store of two calls, one behind the other, and two rules."""
    store = MemoryCanonical()
    fill(store)
    with store.writing(SCOPE) as work:
        put_rules(work, {"one": NEEDS, "two": CLOSED, "shared": json.dumps({"if": ["calls", "calls"], "then": "far"})})
    return store


def test_the_index_concludes_what_is_concluded_embedded(graphs: MemgraphGraphIndex, canonical: MemoryCanonical) -> None:
    serving = ServingGraphIndex(canonical, graphs)
    graph_projector(canonical, graphs).run(SCOPE)
    expected = Inference(canonical, CLOCK).run(SCOPE, GRAPH, is_dry=True)
    report = Inference(canonical, CLOCK, index=serving).run(SCOPE, GRAPH)
    assert (report.engine, report.why_embedded) == ("graph_index", "")
    assert report.edges == expected.edges
    graph, found, story = Inference(canonical, CLOCK).explain(SCOPE, inferred_id(GRAPH, report.edges[0].key))
    assert (graph, found) == (GRAPH, report.edges[0])
    assert found.key in story


def test_what_follows_is_projected_and_no_question_takes_it_for_read(
    graphs: MemgraphGraphIndex, canonical: MemoryCanonical
) -> None:
    serving = ServingGraphIndex(canonical, graphs)
    report = Inference(canonical, CLOCK).run(SCOPE, GRAPH)
    graph_projector(canonical, graphs).run(SCOPE)
    marked = [one for one in serving.edges(SCOPE, GRAPH, [F, G, H], Direction.OUT) if one.origin == INFERENCE]
    assert marked == [inferred_edge(one) for one in report.edges]
    with canonical.reading(SCOPE) as work:
        indexed, stored = indexed_graph(work, serving, SCOPE, *PLACE), work.graph(*PLACE)
        assert indexed.links.edges([F, G, H], Direction.OUT) == stored.links.edges([F, G, H], Direction.OUT)
        assert indexed.links.degrees(limit=9) == stored.links.degrees(limit=9)
    with canonical.writing(SCOPE) as work:
        work.graph(*PLACE).files.remove(["c.py"])
    Inference(canonical, CLOCK).run(SCOPE, GRAPH)
    graph_projector(canonical, graphs).run(SCOPE)
    left = [one for one in serving.edges(SCOPE, GRAPH, [F, G, H], Direction.OUT) if one.origin == INFERENCE]
    assert [(one.source, one.target) for one in left] == [(F, G)]


def test_an_index_that_is_behind_or_wrong_is_not_relied_on(
    graphs: MemgraphGraphIndex, canonical: MemoryCanonical
) -> None:
    serving = ServingGraphIndex(canonical, graphs)
    behind = Inference(canonical, CLOCK, index=serving).run(SCOPE, GRAPH)
    assert (behind.engine, len(behind.edges)) == ("embedded", 4)
    assert "behind" in behind.why_embedded
    graph_projector(canonical, graphs).run(SCOPE)
    with canonical.writing(SCOPE) as work:
        put_rules(work, {"one": json.dumps({"if": "calls", "then": "other"})})
    graph_projector(canonical, graphs).run(SCOPE)
    owner = graph_file_id(*PLACE, "a.py")
    calls = tuple(code_edge(edge(F, target)) for target in (G, H))  # the store has no call of H
    serving.replace(SCOPE, GRAPH, [Portion(owner=owner, nodes=(symbol_node(node("a.py", "f")),), edges=calls)])
    wrong = Inference(canonical, CLOCK, index=serving).run(SCOPE, GRAPH)
    assert (wrong.engine, wrong.why_embedded) == ("embedded", "the graph index has other edges than the store")
    assert (F, H, "other") not in {one.key for one in wrong.edges}
