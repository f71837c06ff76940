"""All that a store holds of a scope, as parts, and parts written to a store."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, TypeVar

import attrs

from pckc_domain.model.fact import FactPlace
from pckc_domain.model.graph import Edge, FileGraph, GraphLayer, Node, OpenCall
from pckc_domain.model.holding import (
    ActPart,
    CheckoutPart,
    DistillationPart,
    DocumentPart,
    GapPart,
    GraphFilePart,
    GraphPart,
    HeldDocument,
    InferencePart,
    OwnerPart,
    Part,
    SessionPart,
    SlotPart,
    TracePart,
    TranscriptPart,
    VerdictPart,
)
from pckc_domain.model.linking import LinkedFile
from pckc_domain.model.passage import Chunk, DocumentContent, Paragraph, Passage, Proposition, Summary
from pckc_domain.model.session import Session
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.transcripts import TranscriptPosition

PAGE = 200
"""Things read or written at a time."""

UNLIMITED = 2**31 - 1

T = TypeVar("T")
P = TypeVar("P", bound=Passage)


def count_of(work: UnitOfWork) -> Mapping[str, int]:
    """Return how much a scope holds of each kind."""
    graphs = [work.graph(*graph).links.count() for graph in work.graphs()]
    passages = {
        f"{layer} passages": count.fresh + count.stale for layer, count in sorted(work.passages.count().items())
    }
    return passages | {
        "checkouts": len(work.manifest.checkouts()),
        "sessions": sum(work.census.sessions().values()),
        "events": sum(work.census.events().values()),
        "evidence": work.census.evidence(),
        "claims": sum(work.census.claims().values()),
        "decisions": len(work.inventory.acts()),
        "distillations": sum(attrs.astuple(work.distillations.count())),
        "verdicts": work.verdicts.count(),
        "gaps": sum(work.gaps.count().values()),
        "traces": work.traces.count(),
        "transcripts": len(work.inventory.positions()),
        "graph files": sum(count.files for count in graphs),
        "symbols": sum(sum(count.nodes.values()) for count in graphs),
        "edges": sum(sum(count.edges.values()) for count in graphs),
        "open calls": sum(count.open_calls + count.external_calls for count in graphs),
        "inferred edges": sum(state.edges for state in work.inferences.known().values()),
    }


def parts_of(work: UnitOfWork) -> Iterator[Part]:
    """Yield all that a scope holds, in the order in which it can be written."""
    yield from _documents(work)
    for checkout in work.manifest.checkouts():
        yield CheckoutPart(checkout=checkout, entries=tuple(work.manifest.entries(checkout.id)))
    yield from _sessions(work)
    yield from _owners(work)
    yield from _paged(lambda after: work.inventory.slots(after=after, limit=PAGE), lambda part: part.slot)
    for act in work.inventory.acts():
        yield ActPart(act=act)
    yield from _curated(work)
    for path, position in work.inventory.positions().items():
        yield TranscriptPart(path=path, **attrs.asdict(position))
    for checkout_id, layer in work.graphs():
        yield from _graph_files(work, checkout_id, layer)
        graph = work.graph(checkout_id, layer)
        communities, modularity = graph.communities.all()
        yield GraphPart(
            checkout_id=checkout_id,
            layer=layer,
            communities=tuple(communities),
            modularity=modularity,
            state=graph.state.get(),
        )
    for name, state in work.inferences.known().items():
        yield InferencePart(graph=name, state=state, edges=tuple(work.inferences.edges(name)))


def write_parts(work: UnitOfWork, parts: Iterable[Part]) -> None:
    """Write parts in the order in which `parts_of` yields them; those that are there already change nothing."""
    joining: list[SlotPart] = []
    for kind, group in groupby(parts, key=type):
        for batch in _batches(group):
            _WRITERS[kind](work, batch)
            joining += (part for part in batch if isinstance(part, SlotPart) and _leads_out(part))
        if kind is SlotPart and joining:  # their links lead to claims that were not there yet
            work.claims.settle({part.slot: part.beliefs for part in joining})


def _documents(work: UnitOfWork) -> Iterator[DocumentPart]:
    def page(after: str) -> Sequence[HeldDocument]:
        return work.inventory.documents(after=after, limit=PAGE)

    for batch in _batches(_paged(page, lambda held: held.document.id)):
        passages: dict[str, list[Passage]] = {held.document.id: [] for held in batch}
        for stored in work.passages.of_documents(list(passages)):
            passages[stored.document.id].append(stored.passage)
        for held in batch:
            found = passages[held.document.id]
            yield DocumentPart(
                held=held,
                chunks=_of(Chunk, found),
                paragraphs=_of(Paragraph, found),
                propositions=_of(Proposition, found),
                summaries=_of(Summary, found),
            )


def _of(kind: type[P], passages: Iterable[Passage]) -> tuple[P, ...]:
    return tuple(passage for passage in passages if isinstance(passage, kind))


def _sessions(work: UnitOfWork) -> Iterator[SessionPart]:
    def page(after: str) -> Sequence[Session]:
        return work.sessions.find(after=after, limit=PAGE)

    underived = {session.id for session in work.sessions.find(limit=UNLIMITED, is_underived=True)}
    for session in _paged(page, lambda session: session.id):
        episodes = tuple(work.inventory.episodes(session.id))
        yield SessionPart(
            session=session,
            events=tuple(work.sessions.events(session.id)),
            episodes=episodes,
            evidence=tuple(work.evidence.of_episodes([episode.id for episode in episodes])),
            rejections=tuple(work.rejections.find(session_id=session.id, limit=UNLIMITED)),
            is_underived=session.id in underived,
        )


def _owners(work: UnitOfWork) -> Iterator[OwnerPart]:
    def page(after: str) -> Sequence[str]:
        return work.inventory.owners(after=after, limit=PAGE)

    for owners in _batches(_paged(page, lambda owner: owner)):
        assertions = work.assertions.of_owners(owners)
        places: dict[str, list[FactPlace]] = {}
        for place in work.facts.of_owners(owners):
            places.setdefault(place.owner_id, []).append(place)
        for owner in owners:
            yield OwnerPart(
                owner_id=owner,
                assertions={slot: tuple(found) for slot, found in assertions.get(owner, {}).items()},
                places=tuple(places.get(owner, ())),
            )


def _curated(work: UnitOfWork) -> Iterator[DistillationPart | VerdictPart | GapPart | TracePart]:
    distillations = work.distillations
    for one in _paged(lambda after: distillations.find(after=after, limit=PAGE), lambda one: one.owner_id):
        yield DistillationPart(distillation=one)
    last = ("", "", "")
    while verdicts := work.verdicts.find(after=last, limit=PAGE):
        yield from (VerdictPart(verdict=verdict) for verdict in verdicts)
        last = (verdicts[-1].claim_id, verdicts[-1].other_id, verdicts[-1].method)
    for offset in range(0, sum(work.gaps.count().values()), PAGE):
        yield from (GapPart(gap=gap) for gap in work.gaps.find(limit=PAGE, offset=offset))
    for offset in range(0, work.traces.count(), PAGE):
        yield from (TracePart(trace=trace) for trace in work.traces.find(limit=PAGE, offset=offset))


def _graph_files(work: UnitOfWork, checkout_id: str, layer: GraphLayer) -> Iterator[GraphFilePart]:
    graph = work.graph(checkout_id, layer)
    whole, known = graph.links.whole(), graph.files.known()
    file_of = work.inventory.node_files(checkout_id, layer)
    nodes: dict[str, list[Node]] = {}
    edges: dict[str, list[Edge]] = {}
    calls: dict[str, list[OpenCall]] = {}
    for node in whole.nodes:
        nodes.setdefault(file_of[node.id], []).append(attrs.evolve(node, community=None))
    for edge in whole.edges:
        edges.setdefault(file_of[edge.source], []).append(edge)
    for call in whole.open_calls:
        calls.setdefault(file_of[call.caller], []).append(call)
    coverage = {one.path: one for one in whole.coverage}
    for paths in _batches(sorted(known)):
        for remembered in work.inventory.remembered(checkout_id, layer, paths):
            path = remembered.path
            yield GraphFilePart(
                checkout_id=checkout_id,
                layer=layer,
                known=known[path],
                graph=FileGraph(
                    path=path,
                    nodes=tuple(nodes.get(path, ())),
                    edges=tuple(edges.get(path, ())),
                    open_calls=tuple(calls.get(path, ())),
                    coverage=coverage[path],
                ),
                remembered=remembered,
            )


def _write_documents(work: UnitOfWork, parts: Sequence[DocumentPart]) -> None:
    for part in parts:
        work.documents.put(DocumentContent(document=part.held.document, passages=part.passages))
    work.inventory.keep([part.held for part in parts])


def _write_checkouts(work: UnitOfWork, parts: Sequence[CheckoutPart]) -> None:
    for part in parts:
        work.manifest.record(part.checkout)
        work.manifest.put(part.checkout.id, part.entries)


def _write_sessions(work: UnitOfWork, parts: Sequence[SessionPart]) -> None:
    for part in parts:
        work.sessions.put(part.session, part.events)
        work.evidence.replace(part.session.id, part.episodes, part.evidence)
        work.rejections.replace(part.session.id, part.rejections)
    work.inventory.mark_underived([part.session.id for part in parts if part.is_underived])


def _write_owners(work: UnitOfWork, parts: Sequence[OwnerPart]) -> None:
    for part in parts:
        work.assertions.replace(part.owner_id, part.assertions)
        work.facts.replace(part.owner_id, part.places)


def _write_slots(work: UnitOfWork, parts: Sequence[SlotPart]) -> None:
    work.claims.settle({part.slot: part.beliefs for part in parts})
    work.proofs.attach([proof for part in parts for proof in part.attached])
    for part in parts:
        for claim_id, reason in part.stale.items():
            work.claims.note_check(claim_id, stale_reason=reason)


def _write_acts(work: UnitOfWork, parts: Sequence[ActPart]) -> None:
    known = set(work.governance.of([part.act.claim_id for part in parts]))
    for part in parts:
        if part.act not in known:
            work.governance.append(part.act)


def _write_distillations(work: UnitOfWork, parts: Sequence[DistillationPart]) -> None:
    work.distillations.put([part.distillation for part in parts])


def _write_verdicts(work: UnitOfWork, parts: Sequence[VerdictPart]) -> None:
    work.verdicts.put([part.verdict for part in parts])


def _write_gaps(work: UnitOfWork, parts: Sequence[GapPart]) -> None:
    for part in parts:
        work.gaps.put(part.gap)


def _write_traces(work: UnitOfWork, parts: Sequence[TracePart]) -> None:
    work.traces.add([part.trace for part in parts])


def _write_transcripts(work: UnitOfWork, parts: Sequence[TranscriptPart]) -> None:
    for part in parts:
        position = TranscriptPosition(
            offset=part.offset, records=part.records, prefix_hash=part.prefix_hash, state=part.state
        )
        work.imports.remember(part.path, position)


def _write_graph_files(work: UnitOfWork, parts: Sequence[GraphFilePart]) -> None:
    for (checkout_id, layer), group in groupby(parts, key=lambda part: (part.checkout_id, part.layer)):
        files = list(group)
        work.graph(checkout_id, layer).files.put(
            [
                LinkedFile(
                    path=part.known.path,
                    language=part.known.language,
                    content_hash=part.known.content_hash,
                    graph=part.graph,
                )
                for part in files
            ]
        )
        work.inventory.remember(checkout_id, layer, [part.remembered for part in files])


def _write_graphs(work: UnitOfWork, parts: Sequence[GraphPart]) -> None:
    for part in parts:
        graph = work.graph(part.checkout_id, part.layer)
        graph.communities.put(part.communities, modularity=part.modularity)
        if part.state is not None:
            graph.state.put(part.state)


def _write_inferences(work: UnitOfWork, parts: Sequence[InferencePart]) -> None:
    for part in parts:
        work.inferences.replace(part.graph, part.state, part.edges)


_WRITERS: Mapping[type[Any], Callable[[UnitOfWork, Any], None]] = {
    DocumentPart: _write_documents,
    CheckoutPart: _write_checkouts,
    SessionPart: _write_sessions,
    OwnerPart: _write_owners,
    SlotPart: _write_slots,
    ActPart: _write_acts,
    DistillationPart: _write_distillations,
    VerdictPart: _write_verdicts,
    GapPart: _write_gaps,
    TracePart: _write_traces,
    TranscriptPart: _write_transcripts,
    GraphFilePart: _write_graph_files,
    GraphPart: _write_graphs,
    InferencePart: _write_inferences,
}


def _leads_out(part: SlotPart) -> bool:
    """Return whether a link of the slot has an end in another one."""
    own = {claim.id for claim in part.beliefs.claims}
    return any(not {link.source_id, link.target_id} <= own for link in part.beliefs.links)


def _paged(page: Callable[[str], Sequence[T]], key: Callable[[T], str]) -> Iterator[T]:
    """Yield page after page; *page* takes the key behind which it begins."""
    after = ""
    while found := page(after):
        yield from found
        after = key(found[-1])


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, PAGE)):
        yield batch
