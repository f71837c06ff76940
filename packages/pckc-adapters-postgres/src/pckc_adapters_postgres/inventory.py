"""Taking stock of a scope, for copying it."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.claim import Beliefs, Claim, GovernanceAct, Link
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.holding import HeldDocument, RememberedFile, SlotPart
from pckc_domain.model.proof import Proof
from pckc_domain.model.session import Episode
from pckc_domain.ports.inventory import Inventory
from pckc_domain.ports.transcripts import TranscriptPosition

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.documents import PostgresDocuments, document
from pckc_adapters_postgres.values import clean, load

_DOCUMENTS = """
    SELECT was_held, data, is_stale FROM document WHERE scope_key = %s AND id > %s ORDER BY id LIMIT %s
"""
_MARK_HELD = "UPDATE document SET was_held = true WHERE scope_key = %s AND NOT was_held AND id = ANY(%s)"
_EPISODES = "SELECT data FROM episode WHERE scope_key = %s AND session_id = %s"
_MARK_UNDERIVED = "UPDATE session SET is_underived = true WHERE scope_key = %s AND id = ANY(%s)"
_OWNERS = """
    SELECT owner_id FROM assertion WHERE scope_key = %(scope)s AND owner_id > %(after)s
    UNION SELECT owner_id FROM fact_place WHERE scope_key = %(scope)s AND owner_id > %(after)s
    ORDER BY owner_id LIMIT %(limit)s
"""
_SLOTS = "SELECT DISTINCT slot FROM claim WHERE scope_key = %s AND slot > %s ORDER BY slot LIMIT %s"
_CLAIMS = """
    SELECT key, slot, stale_reason, data FROM claim WHERE scope_key = %s AND slot = ANY(%s) ORDER BY slot, id
"""
_PROOFS = "SELECT claim_key, is_attached, data FROM proof WHERE claim_key = ANY(%s)"
_LINKS = """
    SELECT l.slot, l.data
    FROM link l JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE s.scope_key = %s AND l.slot = ANY(%s) ORDER BY s.id, t.id, l.kind
"""
_ACTS = "SELECT data FROM governance_act WHERE scope_key = %s ORDER BY key"
_POSITIONS = "SELECT path, data FROM transcript WHERE scope_key = %s ORDER BY path"
_GRAPH = "SELECT key FROM graph WHERE scope_key = %s AND checkout_id = %s AND layer = %s"
_NODE_FILES = """
    SELECT n.id, f.path FROM graph_node n JOIN graph_file f ON f.key = n.file_key WHERE n.graph_key = %s
"""
_FILES = "SELECT path, key FROM graph_file WHERE graph_key = %s AND path = ANY(%s) ORDER BY path"
_SECTIONS = "SELECT file_key, name, data FROM graph_section WHERE file_key = ANY(%s) ORDER BY name"
_ASKED = "SELECT file_key, hash FROM graph_asked WHERE file_key = ANY(%s)"
_PUT_SECTION = """
    INSERT INTO graph_section (file_key, name, data) VALUES (%s, %s, %s)
    ON CONFLICT (file_key, name) DO UPDATE SET data = excluded.data
"""
_FORGET_ASKED = "DELETE FROM graph_asked WHERE file_key = ANY(%s)"


class PostgresInventory(Inventory):
    """The holdings of one scope."""

    def __init__(self, connection: Connection, scope_key: int, documents: PostgresDocuments) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._documents = documents

    def documents(self, *, after: str = "", limit: int) -> Sequence[HeldDocument]:
        """See the port."""
        asked = (self._scope_key, after, max(limit, 0))
        return [
            HeldDocument(document=document(data, is_stale), was_held=was_held)
            for was_held, data, is_stale in self._connection.rows(_DOCUMENTS, asked)
        ]

    def keep(self, documents: Sequence[HeldDocument], /) -> None:
        """See the port."""
        self._connection.run(_MARK_HELD, (self._scope_key, [one.document.id for one in documents if one.was_held]))
        for is_stale in (False, True):
            marked = [one.document.id for one in documents if one.document.is_stale is is_stale]
            self._documents.mark(marked, is_stale=is_stale)

    def episodes(self, session_id: str, /) -> Sequence[Episode]:
        """See the port."""
        found = [load(data, Episode) for (data,) in self._connection.rows(_EPISODES, (self._scope_key, session_id))]
        return sorted(found, key=lambda episode: (episode.first_seq, episode.id))

    def mark_underived(self, session_ids: Sequence[str], /) -> None:
        """See the port."""
        self._connection.run(_MARK_UNDERIVED, (self._scope_key, list(session_ids)))

    def owners(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        asked = {"scope": self._scope_key, "after": after, "limit": max(limit, 0)}
        return [owner_id for (owner_id,) in self._connection.rows(_OWNERS, asked)]

    def slots(self, *, after: str = "", limit: int) -> Sequence[SlotPart]:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        slots = [slot for (slot,) in connection.rows(_SLOTS, (scope, after, max(limit, 0)))]
        claims: dict[str, list[Claim]] = {slot: [] for slot in slots}
        stale: dict[str, dict[str, str]] = {slot: {} for slot in slots}
        slot_of: dict[int, str] = {}
        for key, slot, reason, data in connection.rows(_CLAIMS, (scope, slots)):
            claim = load(data, Claim)
            claims[slot].append(claim)
            slot_of[key] = slot
            if reason:
                stale[slot][claim.id] = reason
        proofs: dict[tuple[str, bool], list[Proof]] = {}
        for key, is_attached, data in connection.rows(_PROOFS, (list(slot_of),)):
            proofs.setdefault((slot_of[key], is_attached), []).append(load(data, Proof))
        links: dict[str, list[Link]] = {slot: [] for slot in slots}
        for slot, data in connection.rows(_LINKS, (scope, slots)):
            links[slot].append(load(data, Link))
        return [
            SlotPart(
                slot=slot,
                beliefs=Beliefs(
                    claims=tuple(claims[slot]),
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
        return [load(data, GovernanceAct) for (data,) in self._connection.rows(_ACTS, (self._scope_key,))]

    def positions(self) -> Mapping[str, TranscriptPosition]:
        """See the port."""
        found = self._connection.rows(_POSITIONS, (self._scope_key,))
        return {path: load(data, TranscriptPosition) for path, data in found}

    def node_files(self, checkout_id: str, layer: GraphLayer, /) -> Mapping[str, str]:
        """See the port."""
        return dict(self._connection.rows(_NODE_FILES, (self._graph(checkout_id, layer),)))

    def remembered(self, checkout_id: str, layer: GraphLayer, paths: Sequence[str], /) -> Sequence[RememberedFile]:
        """See the port."""
        keys = self._file_keys(self._graph(checkout_id, layer), paths)
        sections: dict[int, dict[str, bytes]] = {key: {} for key in keys.values()}
        for key, name, data in self._connection.rows(_SECTIONS, (list(sections),)):
            sections[key][name] = bytes(data)
        asked: dict[int, set[int]] = {key: set() for key in keys.values()}
        for key, number in self._connection.rows(_ASKED, (list(asked),)):
            asked[key].add(number)
        return [
            RememberedFile(path=path, sections=sections[key], asked=frozenset(asked[key])) for path, key in keys.items()
        ]

    def remember(self, checkout_id: str, layer: GraphLayer, files: Sequence[RememberedFile], /) -> None:
        """See the port."""
        connection, graph = self._connection, self._graph(checkout_id, layer)
        keys = self._file_keys(graph, [file.path for file in files])
        known = {keys[path]: file for file in files if (path := clean(file.path)) in keys}
        sections = [(key, name, data) for key, file in known.items() for name, data in file.sections.items()]
        connection.run_many(_PUT_SECTION, sections)
        connection.run(_FORGET_ASKED, (list(known),))
        asked = [(graph, number, key) for key, file in known.items() for number in file.asked]
        connection.insert("graph_asked", ("graph_key", "hash", "file_key"), asked)

    def _graph(self, checkout_id: str, layer: GraphLayer) -> int:
        return self._connection.value(_GRAPH, (self._scope_key, clean(checkout_id), layer.value)) or 0

    def _file_keys(self, graph: int, paths: Sequence[str]) -> dict[str, int]:
        return dict(self._connection.rows(_FILES, (graph, [*map(clean, paths)])))


def _ordered(proofs: Sequence[Proof]) -> tuple[Proof, ...]:
    return tuple(sorted(proofs, key=lambda proof: (proof.claim_id, proof.id)))
