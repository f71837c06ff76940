"""Whatever is added and removed, what is inferred and shown is what a recomputation gives."""

import json
from contextlib import AbstractContextManager
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.claim import Beliefs, Governance, LinkKind
from pckc_domain.model.graph import EdgeKind, GraphLayer
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexLayer
from pckc_domain.model.inference import EdgeKey
from pckc_domain.policy.inference import is_sound
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import claim, link
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_samples import edge, linked, node, node_id
from pckc_domain.testing.inference_samples import naively, put_linked_claims, put_rules
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.usecases.infer import Inference

PATHS = ("a.py", "b.py", "c.py", "d.py")
IDS = tuple(node_id(path, "f") for path in PATHS)
CLAIMS = tuple(f"claim_{name}" for name in "pqrs")
CODE_GRAPH = GraphName(layer=IndexLayer.REPOSITORY, checkout_id="co_one")
CODE = ("co_one", GraphLayer.REPOSITORY)
GRAPHS = (CODE_GRAPH, CLAIM_GRAPH)
KINDS = (EdgeKind.CALLS, EdgeKind.IMPORTS)
LINKS = (LinkKind.DEPENDS_ON, LinkKind.CONFIRMS)
SLOTS = ("r1", "r2", "r3")

_kinds = st.sampled_from(("calls", "imports", "needs", "depends_on", "confirms"))
_ends = st.integers(0, 3)


class InferenceMachine(RuleBasedStateMachine):
    """Changes edges, links and rules at random; to be given `open`."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Return an empty store."""
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        """Open a store in which something follows in both graphs, so that whatever is done next may change it."""
        self._opened = self.open()
        self.store = self._opened.__enter__()
        self.inference = Inference(self.store, FixedClock(TIME + timedelta(days=1)))
        for place in range(4):
            self.put_file(place, [((place + 1) % 4, EdgeKind.CALLS)])
        self.link_claims(4, [(0, 1, LinkKind.DEPENDS_ON), (1, 2, LinkKind.DEPENDS_ON)])
        self.put_rule("r1", ["calls", "calls"], "needs", Governance.ACTIVE)
        self.put_rule("r2", ["depends_on"], "needs", Governance.ACTIVE)
        self.put_rule("r3", ["needs", "needs"], "needs", Governance.ACTIVE)
        for graph in GRAPHS:
            self.infer(graph)

    def teardown(self) -> None:
        """Close the store."""
        self._opened.__exit__(None, None, None)

    @rule(place=_ends, edges=st.lists(st.tuples(_ends, st.sampled_from(KINDS)), unique=True, max_size=3))
    def put_file(self, place: int, edges: list[tuple[int, EdgeKind]]) -> None:
        """Replace what one file gives."""
        given = [edge(IDS[place], IDS[target], kind) for target, kind in edges]
        with self.store.writing(SCOPE) as work:
            work.graph(*CODE).files.put([linked(PATHS[place], [node(PATHS[place], "f")], given)])

    @rule(place=_ends)
    def remove_file(self, place: int) -> None:
        """Take a file away, also from edges that lead to it."""
        with self.store.writing(SCOPE) as work:
            work.graph(*CODE).files.remove([PATHS[place]])

    @rule(count=st.integers(0, 4), ties=st.lists(st.tuples(_ends, _ends, st.sampled_from(LINKS)), max_size=4))
    def link_claims(self, count: int, ties: list[tuple[int, int, LinkKind]]) -> None:
        """Settle claims and their links anew."""
        there = CLAIMS[:count]
        with self.store.writing(SCOPE) as work:
            put_linked_claims(
                work,
                there,
                {
                    (one, two, kind): link(claim(id=CLAIMS[one]), claim(id=CLAIMS[two]), kind)
                    for one, two, kind in ties
                    if max(one, two) < count
                }.values(),
            )

    @rule(
        slot=st.sampled_from(SLOTS),
        conditions=st.lists(_kinds, min_size=1, max_size=3),
        conclusion=_kinds,
        governance=st.sampled_from((Governance.ACTIVE, Governance.ACTIVE, Governance.REJECTED)),
    )
    def put_rule(self, slot: str, conditions: list[str], conclusion: str, governance: Governance) -> None:
        """State a rule in place of another one, or reject it."""
        with self.store.writing(SCOPE) as work:
            put_rules(work, {slot: json.dumps({"if": conditions, "then": conclusion})}, governance=governance)

    @rule(slot=st.sampled_from(SLOTS))
    def remove_rule(self, slot: str) -> None:
        """Take a rule back."""
        with self.store.writing(SCOPE) as work:
            work.claims.settle({slot: Beliefs()})

    @rule(graph=st.sampled_from(GRAPHS))
    def infer(self, graph: GraphName) -> None:
        """Conclude, and see that it is all that follows and proven."""
        report = self.inference.run(SCOPE, graph)
        assert {one.key for one in report.edges} == self.following(graph)
        with self.store.reading(SCOPE) as work:
            assert self.inference.is_current(work, graph)
            assert tuple(work.inferences.edges(graph)) == report.edges
            premises = work.inferences.premises(graph, report.book.kinds)
        by_depth = sorted(report.edges, key=lambda one: one.depth)
        assert is_sound([(one.key, one.derivation) for one in by_depth], report.book.rules, premises)

    @invariant()
    def what_is_shown_follows(self) -> None:
        """What is stored and passes for current is all that follows now."""
        for graph in GRAPHS:
            with self.store.reading(SCOPE) as work:
                is_current = self.inference.is_current(work, graph)
                stored = {one.key for one in work.inferences.edges(graph)}
            if is_current:
                assert stored == self.following(graph)

    def following(self, graph: GraphName) -> frozenset[EdgeKey]:
        """Return what follows, worked out the plain way."""
        book = self.inference.run(SCOPE, graph, is_dry=True).book
        with self.store.reading(SCOPE) as work:
            return naively(book.rules, work.inferences.premises(graph, book.kinds))
