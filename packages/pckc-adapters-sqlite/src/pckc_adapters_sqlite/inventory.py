"""Taking stock of a scope, for copying it."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.claim import Beliefs, Claim, GovernanceAct, Link
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.holding import HeldDocument, RememberedFile, SlotPart
from pckc_domain.model.proof import Proof
from pckc_domain.model.session import Episode, EpisodeKind
from pckc_domain.ports.inventory import Inventory
from pckc_domain.ports.transcripts import TranscriptPosition

from pckc_adapters_sqlite import belief_rows, graph_rows, inventory_queries, queries, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.documents import SqliteDocuments
from pckc_adapters_sqlite.graph_files import SqliteGraphFiles
from pckc_adapters_sqlite.graph_key import GraphKey
from pckc_adapters_sqlite.outbox import SqliteOutbox


class SqliteInventory(Inventory):
    """The holdings of one scope."""

    def __init__(
        self, connection: Connection, scope_key: int, documents: SqliteDocuments, outbox: SqliteOutbox
    ) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._documents = documents
        self._outbox = outbox

    def documents(self, *, after: str = "", limit: int) -> Sequence[HeldDocument]:
        """See the port."""
        asked = (self._scope_key, after, max(limit, 0))
        return [
            HeldDocument(document=rows.document(tuple(columns)), was_held=bool(was_held))
            for was_held, *columns in self._connection.rows(inventory_queries.HELD_DOCUMENTS, asked)
        ]

    def keep(self, documents: Sequence[HeldDocument], /) -> None:
        """See the port."""
        held = [one.document.id for one in documents if one.was_held]
        self._connection.run(queries.MARK_HELD, (self._scope_key, rows.array(held)))
        for is_stale in (False, True):
            marked = [one.document.id for one in documents if one.document.is_stale is is_stale]
            self._documents.mark(marked, is_stale=is_stale)

    def episodes(self, session_id: str, /) -> Sequence[Episode]:
        """See the port."""
        found = self._connection.rows(inventory_queries.EPISODES, (self._scope_key, session_id))
        return [
            Episode(
                id=id_,
                session_id=of,
                kind=EpisodeKind(kind),
                first_seq=first,
                last_seq=last,
                started_at=belief_rows.optional_instant(started_at),
                ended_at=belief_rows.optional_instant(ended_at),
            )
            for id_, of, kind, first, last, started_at, ended_at in found
        ]

    def mark_underived(self, session_ids: Sequence[str], /) -> None:
        """See the port."""
        self._connection.run(inventory_queries.MARK_UNDERIVED, (self._scope_key, rows.array(session_ids)))

    def owners(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        asked = (self._scope_key, after, max(limit, 0))
        return [owner_id for (owner_id,) in self._connection.rows(inventory_queries.OWNERS, asked)]

    def slots(self, *, after: str = "", limit: int) -> Sequence[SlotPart]:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        slots = [slot for (slot,) in connection.rows(inventory_queries.SLOTS, (scope, after, max(limit, 0)))]
        claims: dict[str, dict[int, Claim]] = {slot: {} for slot in slots}
        stale: dict[str, dict[str, str]] = {slot: {} for slot in slots}
        ids: dict[int, tuple[str, str]] = {}
        for key, slot, reason, *columns in connection.rows(
            inventory_queries.CLAIMS_OF_SLOTS, (scope, rows.array(slots))
        ):
            claim = belief_rows.claim(tuple(columns))
            claims[slot][key], ids[key] = claim, (slot, claim.id)
            if reason:
                stale[slot][claim.id] = reason
        proofs: dict[tuple[str, bool], list[Proof]] = {}
        for key, is_attached, *columns in connection.rows(inventory_queries.PROOFS, (str(list(ids)),)):
            slot, claim_id = ids[key]
            proofs.setdefault((slot, bool(is_attached)), []).append(belief_rows.proof(claim_id, columns))
        links: dict[str, list[Link]] = {slot: [] for slot in slots}
        for slot, *columns in connection.rows(inventory_queries.LINKS, (scope, rows.array(slots))):
            links[slot].append(belief_rows.link(columns))
        return [
            SlotPart(
                slot=slot,
                beliefs=Beliefs(
                    claims=tuple(claims[slot].values()),
                    proofs=_ordered(proofs.get((slot, False), ())),
                    links=tuple(links[slot]),
                ),
                attached=_ordered(proofs.get((slot, True), ())),
                stale=stale[slot],
            )
            for slot in slots
        ]

    def acts(self) -> Sequence[GovernanceAct]:
        """See the port."""
        return [belief_rows.act(row) for row in self._connection.rows(inventory_queries.ACTS, (self._scope_key,))]

    def positions(self) -> Mapping[str, TranscriptPosition]:
        """See the port."""
        found = self._connection.rows(inventory_queries.POSITIONS, (self._scope_key,))
        return {
            path: TranscriptPosition(offset=offset, records=records, prefix_hash=prefix_hash, state=state)
            for path, offset, records, prefix_hash, state in found
        }

    def node_files(self, checkout_id: str, layer: GraphLayer, /) -> Mapping[str, str]:
        """See the port."""
        graph = self._graph(checkout_id, layer).value()
        found = self._connection.rows(inventory_queries.NODE_FILES, (graph,))
        return {graph_rows.full_id(id_, path): path for id_, path in found}

    def remembered(self, checkout_id: str, layer: GraphLayer, paths: Sequence[str], /) -> Sequence[RememberedFile]:
        """See the port."""
        key = self._graph(checkout_id, layer)
        asked_for = (key.value(), rows.array(map(rows.clean, paths)))
        known = SqliteGraphFiles(self._connection, key, self._outbox).file_keys(key.value(), map(rows.clean, paths))
        sections: dict[str, dict[str, bytes]] = {path: {} for path in known}
        for path, name, data in self._connection.rows(inventory_queries.SECTIONS, asked_for):
            sections[path][name] = data
        asked: dict[str, set[int]] = {path: set() for path in known}
        for path, number in self._connection.rows(inventory_queries.ASKED, asked_for):
            asked[path].add(number)
        return [
            RememberedFile(path=path, sections=sections[path], asked=frozenset(asked[path])) for path in sorted(known)
        ]

    def remember(self, checkout_id: str, layer: GraphLayer, files: Sequence[RememberedFile], /) -> None:
        """See the port."""
        key = self._graph(checkout_id, layer)
        graph_files = SqliteGraphFiles(self._connection, key, self._outbox)
        keys = graph_files.file_keys(key.value(), [rows.clean(file.path) for file in files])
        known = {keys[path]: file for file in files if (path := rows.clean(file.path)) in keys}
        graph_files.note({file_key: file.sections for file_key, file in known.items()})
        for file_key, file in known.items():
            graph_files.ask(key.value(), file_key, file.asked)

    def _graph(self, checkout_id: str, layer: GraphLayer) -> GraphKey:
        return GraphKey(self._connection, self._scope_key, checkout_id, layer)


def _ordered(proofs: Sequence[Proof]) -> tuple[Proof, ...]:
    return tuple(sorted(proofs, key=lambda proof: (proof.claim_id, proof.id)))
