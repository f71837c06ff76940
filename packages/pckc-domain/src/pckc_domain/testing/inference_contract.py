"""Contract of inference: what is kept of it, and that it is shown only while it follows."""

import json
from datetime import timedelta

import attrs
import pytest

from pckc_domain.errors import BackendError, NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, Governance, LinkKind
from pckc_domain.model.graph import EdgeEvidence, GraphLayer
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexLayer
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceState, InferredEdge, inferred_id
from pckc_domain.model.outbox import OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.indexing import graph_name
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction
from pckc_domain.testing.belief_samples import claim, link
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_samples import edge, linked, node, node_id
from pckc_domain.testing.inference_samples import put_rules
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.usecases.infer import Inference, InferredJoins, forget_inferences

GRAPH = GraphName(layer=IndexLayer.REPOSITORY, checkout_id="co_one")
PLACE = ("co_one", GraphLayer.REPOSITORY)
F, G, H = node_id("a.py", "f"), node_id("b.py", "g"), node_id("c.py", "h")
GONE = node_id("gone.py", "x")
NEEDS = json.dumps({"if": "calls", "then": "needs"})
CLOSED = json.dumps({"if": ["needs", "needs"], "then": "needs"})


def concluded(source: str, target: str, kind: str = "needs", **changes: object) -> InferredEdge:
    """Return an inferred edge."""
    base = InferredEdge(
        source=source,
        target=target,
        kind=kind,
        confidence=0.75,
        depth=1,
        derivation=Derivation(rule_id="claim_r", premises=(EdgeKey(source, target, "calls"),)),
    )
    return base._replace(**changes)  # type: ignore[arg-type]  # any of its own fields


def fill(canonical: Canonical) -> None:
    """Store two calls, one behind the other, and one that leads to nothing."""
    ambiguous = attrs.evolve(edge(G, H), evidence=EdgeEvidence.AMBIGUOUS)
    with canonical.writing(SCOPE) as work:
        work.graph(*PLACE).files.put(
            [
                linked("a.py", [node("a.py", "f")], [edge(F, G), edge(F, GONE)]),
                linked("b.py", [node("b.py", "g")], [ambiguous]),
                linked("c.py", [node("c.py", "h")]),
            ]
        )


def inference(canonical: Canonical) -> Inference:
    """Return the use case."""
    return Inference(canonical, FixedClock(TIME + timedelta(days=1)))


def needs(canonical: Canonical, graph: GraphName = GRAPH) -> list[tuple[str, str]]:
    """Return the ends of what follows and is stored; nothing when it may follow no more."""
    with canonical.reading(SCOPE) as work:
        if not inference(canonical).is_current(work, graph):
            return []
        return [(one.source, one.target) for one in work.inferences.edges(graph)]


class InferenceContract:
    """A subclass provides the fixture ``canonical``: an empty store."""

    def test_premises_are_edges_that_are_there(self, canonical: Canonical) -> None:
        """Of the kinds asked for, between nodes that are there, of one graph."""
        fill(canonical)
        with canonical.writing(SCOPE) as work:
            work.graph("", GraphLayer.SESSION).files.put([linked("a.py", [node("a.py", "f")], [edge(F, F)])])
        with canonical.reading(SCOPE) as work:
            calls = {EdgeKey(F, G, "calls"): 1.0, EdgeKey(G, H, "calls"): 0.5}
            assert work.inferences.premises(GRAPH, ["calls", "needs"]) == calls
            assert work.inferences.premises(GRAPH, ["imports"]) == {}
            assert work.inferences.premises(GRAPH, []) == {}
            session = GraphName(layer=IndexLayer.SESSION)
            assert work.inferences.premises(session, ["calls"]) == {EdgeKey(F, F, "calls"): 1.0}
            assert work.inferences.premises(attrs.evolve(GRAPH, checkout_id="co_two"), ["calls"]) == {}
            assert work.inferences.premises(CLAIM_GRAPH, ["calls"]) == {}

    def test_premises_of_claims_are_their_links(self, canonical: Canonical) -> None:
        """With the confidence of the link."""
        one, two = claim("The one."), claim("The two.")
        tie = attrs.evolve(link(one, two, LinkKind.DEPENDS_ON), confidence=0.25)
        with canonical.writing(SCOPE) as work:
            work.claims.settle({"s": Beliefs(claims=(one, two), links=(tie, link(two, one, LinkKind.CONFIRMS)))})
            found = work.inferences.premises(CLAIM_GRAPH, ["depends_on"])
        assert found == {EdgeKey(one.id, two.id, "depends_on"): 0.25}

    def test_what_is_put_comes_back_in_order(self, canonical: Canonical) -> None:
        """By key; all of it, at some nodes, and one by its id."""
        chain = Derivation(rule_id="claim_r", premises=(EdgeKey(F, G, "calls"), EdgeKey(G, H, "needs")))
        odd = 'x"; DROP TABLE inferred_edge; -- \n é \U0001f40d'
        edges = [concluded(G, H), concluded(F, H, derivation=chain, depth=3, confidence=0.1), concluded(F, odd, odd)]
        state = InferenceState(fingerprint="ff", stopped="more than 3", edges=3)
        with canonical.writing(SCOPE) as work:
            work.inferences.replace(GRAPH, state, edges)
            work.inferences.replace(CLAIM_GRAPH, InferenceState(fingerprint="00"), ())
        expected = sorted(edges, key=lambda one: one.key)
        with canonical.reading(SCOPE) as work:
            assert list(work.inferences.known().items()) == [
                (CLAIM_GRAPH, InferenceState(fingerprint="00")), (GRAPH, state)
            ]  # fmt: skip
            assert list(work.inferences.edges(GRAPH)) == expected
            assert list(work.inferences.edges(GRAPH, node_ids=[H])) == [one for one in expected if one.target == H]
            assert list(work.inferences.edges(GRAPH, node_ids=[F, odd])) == [one for one in expected if one.source == F]
            assert list(work.inferences.edges(GRAPH, node_ids=[])) == []
            assert list(work.inferences.edges(CLAIM_GRAPH)) == []
            for one in edges:
                assert work.inferences.get(inferred_id(GRAPH, one.key)) == (GRAPH, one)
            assert work.inferences.get(inferred_id(CLAIM_GRAPH, edges[0].key)) is None
        with canonical.reading(Scope(project="another")) as work:
            assert work.inferences.known() == {}
            assert list(work.inferences.edges(GRAPH)) == []
            assert work.inferences.get(inferred_id(GRAPH, edges[0].key)) is None

    def test_replacing_leaves_nothing_of_before(self, canonical: Canonical) -> None:
        """Nor of a graph whose inferences are forgotten."""
        other = attrs.evolve(GRAPH, checkout_id="co_two")
        with canonical.writing(SCOPE) as work:
            work.inferences.replace(GRAPH, InferenceState(fingerprint="1", edges=2), [concluded(F, G), concluded(F, H)])
            work.inferences.replace(other, InferenceState(fingerprint="3", edges=1), [concluded(F, G)])
        with canonical.writing(SCOPE) as work:
            work.inferences.replace(GRAPH, InferenceState(fingerprint="2", edges=1), [concluded(F, G, depth=2)])
        with canonical.reading(SCOPE) as work:
            assert list(work.inferences.edges(GRAPH)) == [concluded(F, G, depth=2)]
            assert list(work.inferences.edges(other)) == [concluded(F, G)]
        with canonical.writing(SCOPE) as work:
            work.inferences.replace(other, None, ())
        with canonical.reading(SCOPE) as work:
            assert list(work.inferences.known()) == [GRAPH]
            assert list(work.inferences.edges(other)) == []

    def test_reading_writes_nothing(self, canonical: Canonical) -> None:
        """A snapshot refuses."""
        with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
            work.inferences.replace(GRAPH, InferenceState(fingerprint="1"), ())

    def test_what_follows_is_kept_while_it_follows(self, canonical: Canonical) -> None:
        """A rule applied, a premise removed and the conclusion gone; the same for a rule that is taken back."""
        fill(canonical)
        with canonical.writing(SCOPE) as work:
            rules = put_rules(work, {"one": NEEDS, "two": CLOSED, "words": "whatever calls needs"})
        report = inference(canonical).run(SCOPE, GRAPH)
        assert (report.added, report.removed, report.premises, report.stopped) == (3, 0, 2, "")
        assert list(report.book.ignored) == [rules["words"]]
        assert needs(canonical) == [(F, G), (F, H), (G, H)]
        graph, found, story = inference(canonical).explain(SCOPE, inferred_id(GRAPH, EdgeKey(F, H, "needs")))
        assert (graph, found.confidence, found.depth) == (GRAPH, 0.5, 2)
        assert found.derivation.rule_id == rules["two"]
        assert story.keys() == {found.key, EdgeKey(F, G, "needs"), EdgeKey(G, H, "needs")}
        with canonical.writing(SCOPE) as work:
            work.graph(*PLACE).files.remove(["c.py"])
        assert needs(canonical) == []
        with pytest.raises(NotFoundError, match="follows no more"):
            inference(canonical).explain(SCOPE, inferred_id(GRAPH, EdgeKey(F, H, "needs")))
        assert needs(canonical) == [(F, G)]
        with canonical.writing(SCOPE) as work:
            put_rules(work, {"one": NEEDS}, governance=Governance.REJECTED)
        assert needs(canonical) == []
        report = inference(canonical).run(SCOPE, GRAPH)
        assert (report.removed, report.edges) == (1, ())
        with pytest.raises(NotFoundError):
            inference(canonical).explain(SCOPE, inferred_id(GRAPH, EdgeKey(F, G, "needs")))

    def test_the_same_again_writes_nothing(self, canonical: Canonical) -> None:
        """Nor does a dry run, which tells the same."""
        fill(canonical)
        with canonical.writing(SCOPE) as work:
            put_rules(work, {"one": NEEDS})
        dry = inference(canonical).run(SCOPE, GRAPH, is_dry=True)
        assert not dry.is_stored
        assert needs(canonical) == []
        first = inference(canonical).run(SCOPE, GRAPH)
        again = inference(canonical).run(SCOPE, GRAPH)
        assert dry.edges == first.edges == again.edges
        assert (dry.added, first.added, again.added) == (2, 2, 0)
        assert again.rounds == 0

    def test_walks_go_along_what_follows(self, canonical: Canonical) -> None:
        """Beside what was read, in its direction."""
        fill(canonical)
        with canonical.writing(SCOPE) as work:
            put_rules(work, {"one": NEEDS, "two": CLOSED})
        inference(canonical).run(SCOPE, GRAPH)
        with canonical.reading(SCOPE) as work:
            joins = InferredJoins(work.graph(*PLACE).links, work, GRAPH)
            assert [(one.target, str(one.kind)) for one in joins.edges([F], Direction.OUT)] == [
                (G, "calls"), (G, "needs"), (H, "needs")
            ]  # fmt: skip
            assert [one.source for one in joins.edges([H], Direction.IN)] == [G, F, G]

    def test_projections_hear_of_it(self, canonical: Canonical) -> None:
        """The files of both ends are queued when an edge comes or goes, and claims in the graph of claims."""
        fill(canonical)
        one, two = claim("The one."), claim("The two.")
        with canonical.writing(SCOPE) as work:
            ties = (link(one, two, LinkKind.CONFIRMS),)
            work.claims.settle({"s": Beliefs(claims=(one, two, claim("Three.")), links=ties)})
            put_rules(work, {"one": NEEDS, "two": json.dumps({"if": "confirms", "then": "supports"})})
            work.outbox.advance("p", 10**6)
        for graph in (GRAPH, CLAIM_GRAPH):
            with canonical.writing(SCOPE) as work:
                last = max(entry.seq for entry in work.outbox.pending("q", limit=10**6))
                work.outbox.advance("q", last)
            inference(canonical).run(SCOPE, graph)
            with canonical.reading(SCOPE) as work:
                queued = {(entry.kind, entry.entity_id) for entry in work.outbox.pending("q", limit=10**6)}
            if graph == GRAPH:
                paths = ("a.py", "b.py", "c.py")
                assert queued == {(OutboxKind.GRAPH_FILE, graph_file_id(*PLACE, path)) for path in paths}
            else:
                assert queued == {(OutboxKind.LINK, one.id), (OutboxKind.LINK, two.id)}

    def test_forgetting_leaves_nothing(self, canonical: Canonical) -> None:
        """And queues what it changes."""
        fill(canonical)
        with canonical.writing(SCOPE) as work:
            put_rules(work, {"one": NEEDS})
        inference(canonical).run(SCOPE, GRAPH)
        with canonical.writing(SCOPE) as work:
            forget_inferences(work)
        with canonical.reading(SCOPE) as work:
            assert work.inferences.known() == {}
            last = work.outbox.pending("q", limit=10**6)[-1]
            assert (last.kind, last.operation) == (OutboxKind.GRAPH_FILE, OutboxOperation.UPSERT)
            assert len(work.claims.find(where=ClaimFilter(), limit=9)) == 1

    def test_no_rule_crosses_graphs(self, canonical: Canonical) -> None:
        """The same names in two checkouts and in the session layer are other nodes."""
        with canonical.writing(SCOPE) as work:
            put_rules(work, {"one": json.dumps({"if": ["calls", "calls"], "then": "needs"})})
            halves = {"co_one": [edge(F, G)], "co_two": [edge(G, H)]}
            nodes = {"a.py": node("a.py", "f"), "b.py": node("b.py", "g"), "c.py": node("c.py", "h")}
            for checkout_id, edges in halves.items():
                work.graph(checkout_id, GraphLayer.REPOSITORY).files.put(
                    [
                        linked(path, [each], [one for one in edges if one.source == each.id])
                        for path, each in nodes.items()
                    ]
                )
            work.graph("", GraphLayer.SESSION).files.put([linked("c.py", [nodes["c.py"]], [edge(H, H)])])
        for checkout_id in halves:
            assert not inference(canonical).run(SCOPE, graph_name(checkout_id, GraphLayer.REPOSITORY)).edges
        session = inference(canonical).run(SCOPE, graph_name("", GraphLayer.SESSION))
        assert [one.key for one in session.edges] == [EdgeKey(H, H, "needs")]
