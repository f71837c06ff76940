"""Conclude what rules give on a graph, keep it beside the graph, and show it only while it still follows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import attrs

from pckc_domain.errors import BackendError, NotFoundError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.graph import EdgeKind, GraphLayer
from pckc_domain.model.graph_answers import AnyEdge
from pckc_domain.model.graph_index import GraphName, IndexLayer
from pckc_domain.model.inference import MOST_EDGES, EdgeKey, InferenceState, InferredEdge, RuleBook
from pckc_domain.model.outbox import OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.model.scope import Scope
from pckc_domain.policy.inference import (
    Concluded,
    conclude,
    contradictions,
    fingerprint,
    is_sound,
    rule_book,
    weighed,
)
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.graph import Direction, LinkRepository
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.inference import RuleEngine
from pckc_domain.usecases.graph_walks import Joins
from pckc_domain.usecases.indexed_graph import why_not_indexed

PAGE = 500

Story: TypeAlias = Mapping[EdgeKey, InferredEdge]
"""Inferred edges by key: one, and all that it rests on."""


@attrs.frozen(kw_only=True)
class InferenceReport:
    """
    What follows on a graph.

    Attributes:
        book: The rules, and claims that are none.
        premises: How many edges of the kinds that rules speak of were read.
        edges: What follows, by source, target and kind.
        rounds: How often rules were applied; 0 when nothing had changed since the last time.
        stopped: Why not everything was concluded; ``""`` when all of it was.
        contradictions: Inferred edges, each with an edge of the same nodes that denies it.
        added: How many were not there before.
        removed: How many were there and follow no more.
        is_stored: They are kept; after a dry run they are not.
        engine: What applied the rules: ``embedded`` or ``graph_index``.
        why_embedded: Why it was not the graph index, where that was asked for.
    """

    graph: GraphName
    book: RuleBook
    premises: int
    edges: tuple[InferredEdge, ...]
    rounds: int
    stopped: str
    contradictions: tuple[tuple[EdgeKey, EdgeKey], ...]
    added: int
    removed: int
    is_stored: bool
    engine: str
    why_embedded: str = ""

    @property
    def self_loops(self) -> int:
        """How many lead from a node to itself."""
        return sum(edge.source == edge.target for edge in self.edges)


@attrs.frozen(kw_only=True)
class _Basis:
    """What conclusions depend on, as one transaction sees it."""

    book: RuleBook
    premises: Mapping[EdgeKey, float]
    fingerprint: str


class Inference:
    """
    Applies rules to one graph at a time.

    What is stored is what a recomputation would give for the rules and edges whose fingerprint is stored with it; with
    another fingerprint it is never shown.
    """

    def __init__(
        self, canonical: Canonical, clock: Clock, *, limit: int = MOST_EDGES, index: GraphIndex | None = None
    ) -> None:
        """Take *index* to let it apply the rules where it can and is in step; else they are applied here."""
        self._canonical = canonical
        self._clock = clock
        self._limit = limit
        self._index = index

    def run(self, scope: Scope, graph: GraphName, *, is_dry: bool = False) -> InferenceReport:
        """Conclude what follows on *graph* now and, unless *is_dry*, store it."""
        with self._canonical.reading(scope) as work:
            basis = self._basis(work, graph)
            stored = work.inferences.known().get(graph)
            if stored and stored.fingerprint == basis.fingerprint:
                edges = tuple(work.inferences.edges(graph))
                same = Concluded(edges=edges, rounds=0, stopped=stored.stopped)
                return self._report(graph, basis, same, before=edges, is_stored=True)
            why = self._why_embedded(work, scope) if not is_dry else ""
        concluded, engine, why = self._concluded(scope, graph, basis, why, is_dry=is_dry)
        if is_dry:
            with self._canonical.reading(scope) as work:
                before = work.inferences.edges(graph)
            return self._report(graph, basis, concluded, before=before, is_stored=False)
        with self._canonical.writing(scope) as work:
            now = self._basis(work, graph)
            if now.fingerprint != basis.fingerprint:  # somebody wrote meanwhile
                basis, engine = now, "embedded"
                concluded = conclude(now.book.rules, now.premises, limit=self._limit)
            before = work.inferences.edges(graph)
            state = InferenceState(fingerprint=basis.fingerprint, stopped=concluded.stopped, edges=len(concluded.edges))
            work.inferences.replace(graph, state, concluded.edges)
            _requeue(work, graph, set(before) ^ set(concluded.edges))
        report = self._report(graph, basis, concluded, before=before, is_stored=True)
        return attrs.evolve(report, engine=engine, why_embedded=why)

    def is_current(self, work: UnitOfWork, graph: GraphName) -> bool:
        """Return whether what *work* sees as inferred in *graph* is what follows from the rest that it sees."""
        state = work.inferences.known().get(graph)
        return state is not None and state.fingerprint == self._basis(work, graph).fingerprint

    def explain(self, scope: Scope, edge_id: str) -> tuple[GraphName, InferredEdge, Story]:
        """
        Return an inferred edge with its graph, and every inferred edge that it rests on, as they follow now.

        Raises:
            NotFoundError: Nothing of that id was ever concluded, or it follows no more.
        """
        with self._canonical.reading(scope) as work:
            found = work.inferences.get(edge_id)
        if found is None:
            raise NotFoundError(
                f"no inferred edge has the id {edge_id}", remedy="apply the rules: that lists what follows now"
            )
        graph, _ = found
        with suppress(BackendError):  # a store that cannot be written has what was current, or nothing
            self.run(scope, graph)
        with self._canonical.reading(scope) as work:
            found = work.inferences.get(edge_id)
            if found is None or not self.is_current(work, graph):
                raise NotFoundError(
                    f"{edge_id} follows no more: a premise or a rule is gone",
                    remedy="apply the rules: that lists what follows now",
                )
            return graph, found[1], _story(work, graph, found[1])

    def _basis(self, work: UnitOfWork, graph: GraphName) -> _Basis:
        book = rule_book(_rule_claims(work), self._clock.now())
        premises = work.inferences.premises(graph, book.kinds) if book.rules else {}
        return _Basis(book=book, premises=premises, fingerprint=fingerprint(book.rules, premises, limit=self._limit))

    def _why_embedded(self, work: UnitOfWork, scope: Scope) -> str:
        if self._index is None:
            return ""
        if not isinstance(self._index, RuleEngine):
            return "the graph index applies no rules"
        return why_not_indexed(work, self._index, scope)

    def _concluded(
        self, scope: Scope, graph: GraphName, basis: _Basis, why: str, *, is_dry: bool
    ) -> tuple[Concluded, str, str]:
        """Let the index conclude where it may; its answer counts when every proof in it is one."""
        rules, premises = basis.book.rules, basis.premises
        if isinstance(self._index, RuleEngine) and not why and not is_dry and rules:
            try:
                applied = self._index.apply(scope, graph, rules, limit=self._limit)
            except BackendError as error:
                why = error.message
            else:
                if is_sound(applied.found, rules, premises):
                    edges = weighed(applied.found, rules, premises)
                    return Concluded(edges=edges, rounds=applied.rounds, stopped=applied.stopped), "graph_index", ""
                why = "the graph index has other edges than the store"
        return conclude(rules, premises, limit=self._limit), "embedded", why

    def _report(
        self, graph: GraphName, basis: _Basis, concluded: Concluded, *, before: Sequence[InferredEdge], is_stored: bool
    ) -> InferenceReport:
        were, are = {edge.key for edge in before}, {edge.key for edge in concluded.edges}
        return InferenceReport(
            graph=graph,
            book=basis.book,
            premises=len(basis.premises),
            edges=concluded.edges,
            rounds=concluded.rounds,
            stopped=concluded.stopped,
            contradictions=contradictions(concluded.edges, basis.premises),
            added=len(are - were),
            removed=len(were - are),
            is_stored=is_stored,
            engine="embedded",
        )


class InferredJoins(Joins[AnyEdge]):
    """The edges of a stored graph together with those that follow from them."""

    def __init__(self, links: LinkRepository, work: UnitOfWork, graph: GraphName) -> None:
        self._links = links
        self._work = work
        self._graph = graph

    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[AnyEdge]:
        """Return both, read ones first; *kinds* choose among what was read."""
        wanted = set(node_ids)
        inferred = [
            edge
            for edge in self._work.inferences.edges(self._graph, node_ids=node_ids)
            if (edge.source if direction is Direction.OUT else edge.target) in wanted
        ]
        return [*self._links.edges(node_ids, direction, kinds=kinds), *inferred]


def forget_inferences(work: UnitOfWork) -> None:
    """Forget all that was inferred: what is left of it follows again when somebody asks."""
    for graph in work.inferences.known():
        gone = work.inferences.edges(graph)
        work.inferences.replace(graph, None, ())
        _requeue(work, graph, gone)


def _rule_claims(work: UnitOfWork) -> Iterable[StoredClaim]:
    where, after = ClaimFilter(types=frozenset({ClaimType.LOGICAL_RULE})), ""
    while page := work.claims.find(where=where, after=after, limit=PAGE):
        yield from page
        after = page[-1].claim.id


def _story(work: UnitOfWork, graph: GraphName, edge: InferredEdge) -> Story:
    found: dict[EdgeKey, InferredEdge] = {}
    fresh = [edge]
    while fresh:
        found |= {one.key: one for one in fresh}
        wanted = {premise for one in fresh for premise in one.derivation.premises} - found.keys()
        ends = sorted({premise.source for premise in wanted})
        fresh = [one for one in work.inferences.edges(graph, node_ids=ends) if one.key in wanted] if ends else []
    return found


def _requeue(work: UnitOfWork, graph: GraphName, changed: Iterable[InferredEdge]) -> None:
    """Let projections take in the owners of the nodes that gained or lost an inferred edge."""
    ends = {end for edge in changed for end in (edge.source, edge.target)}
    if not ends:
        return
    if graph.layer is IndexLayer.CLAIMS:
        there = [stored.claim.id for stored in work.claims.get(sorted(ends))]
        work.outbox.append(OutboxKind.LINK, there, OutboxOperation.UPSERT)
        return
    place = graph.checkout_id, GraphLayer(graph.layer.value)
    file_of = work.inventory.node_files(*place)
    files = {graph_file_id(*place, file_of[end]) for end in ends if end in file_of}
    work.outbox.append(OutboxKind.GRAPH_FILE, sorted(files), OutboxOperation.UPSERT)
