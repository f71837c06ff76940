"""The memory store's inventory."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.model.claim import Beliefs, GovernanceAct
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.holding import HeldDocument, RememberedFile, SlotPart
from pckc_domain.model.identity import text_number
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.session import Episode
from pckc_domain.ports.inventory import Inventory
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.memory.state import State


class MemoryInventory(Inventory):
    """The holdings of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def documents(self, *, after: str = "", limit: int) -> Sequence[HeldDocument]:
        """See the port."""
        ids = sorted(id_ for id_ in self._state.documents if id_ > after)[: max(limit, 0)]
        held = self._state.ever_held
        return [HeldDocument(document=self._state.documents[id_], was_held=id_ in held) for id_ in ids]

    def keep(self, documents: Sequence[HeldDocument], /) -> None:
        """See the port."""
        self._state.check_writable()
        for held in documents:
            id_ = held.document.id
            known = self._state.documents.get(id_)
            if known is None:
                continue
            if held.was_held:
                self._state.ever_held.add(id_)
            if known.is_stale is not held.document.is_stale:
                self._state.documents[id_] = attrs.evolve(known, is_stale=held.document.is_stale)
                self._state.enqueue(OutboxKind.DOCUMENT, id_, OutboxOperation.UPSERT)

    def episodes(self, session_id: str, /) -> Sequence[Episode]:
        """See the port."""
        found = [episode for episode in self._state.episodes.values() if episode.session_id == session_id]
        return sorted(found, key=lambda episode: (episode.first_seq, episode.id))

    def mark_underived(self, session_ids: Sequence[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.underived |= set(session_ids) & self._state.sessions.keys()

    def owners(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        places = self._state.fact_places.values()
        owners = {owner_id for owner_id, _ in self._state.assertions} | {place.owner_id for place in places}
        return sorted(owner_id for owner_id in owners if owner_id > after)[: max(limit, 0)]

    def slots(self, *, after: str = "", limit: int) -> Sequence[SlotPart]:
        """See the port."""
        slots = sorted({stored.slot for stored in self._state.claims.values() if stored.slot > after})
        return [self._slot(slot) for slot in slots[: max(limit, 0)]]

    def acts(self) -> Sequence[GovernanceAct]:
        """See the port."""
        return [act for _, act in self._state.acts]

    def positions(self) -> Mapping[str, TranscriptPosition]:
        """See the port."""
        return dict(sorted(self._state.positions.items()))

    def node_files(self, checkout_id: str, layer: GraphLayer, /) -> Mapping[str, str]:
        """See the port."""
        files = self._state.graph_files.items()
        of = [(path, graph) for (key, path), (_, graph) in files if key == (checkout_id, layer)]
        return {node.id: path for path, graph in of for node in graph.nodes}

    def remembered(self, checkout_id: str, layer: GraphLayer, paths: Sequence[str], /) -> Sequence[RememberedFile]:
        """See the port."""
        graph, state = (checkout_id, layer), self._state
        known = sorted(path for path in set(paths) if (graph, path) in state.graph_files)
        return [
            RememberedFile(
                path=path,
                sections={
                    name: data
                    for (key, name, of), data in sorted(state.graph_sections.items())
                    if (key, of) == (graph, path)
                },
                asked=state.graph_numbers.get((graph, path), frozenset())
                | frozenset(map(text_number, state.graph_asked.get((graph, path), ()))),
            )
            for path in known
        ]

    def remember(self, checkout_id: str, layer: GraphLayer, files: Sequence[RememberedFile], /) -> None:
        """See the port."""
        self._state.check_writable()
        graph, state = (checkout_id, layer), self._state
        for file in files:
            if (graph, file.path) in state.graph_files:
                state.graph_sections |= {(graph, name, file.path): data for name, data in file.sections.items()}
                state.graph_asked.pop((graph, file.path), None)
                state.graph_numbers[graph, file.path] = file.asked

    def _slot(self, slot: str) -> SlotPart:
        state = self._state
        claims = {id_: stored.claim for id_, stored in sorted(state.claims.items()) if stored.slot == slot}
        return SlotPart(
            slot=slot,
            beliefs=Beliefs(
                claims=tuple(claims.values()),
                proofs=tuple(proof for key, proof in sorted(state.proofs.items()) if key[0] in claims),
                links=tuple(link for _, (of, link) in sorted(state.links.items()) if of == slot),
            ),
            attached=tuple(proof for key, proof in sorted(state.attached.items()) if key[0] in claims),
            stale={id_: state.checks[id_] for id_ in claims if state.checks.get(id_)},
        )
