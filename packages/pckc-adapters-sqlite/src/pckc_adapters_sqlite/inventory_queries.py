"""Every SQL statement of taking stock. List parameters are JSON arrays."""
# ruff: noqa: S608 - what is put together here are constants of this package

from pckc_adapters_sqlite.belief_queries import CLAIM_COLUMNS, EPISODE_COLUMNS, PROOF_COLUMNS
from pckc_adapters_sqlite.queries import DOCUMENT_COLUMNS

HELD_DOCUMENTS = f"""
    SELECT d.was_held, {DOCUMENT_COLUMNS} FROM document d WHERE d.scope_key = ? AND d.id > ? ORDER BY d.id LIMIT ?
"""

EPISODES = f"""
    SELECT {EPISODE_COLUMNS} FROM episode WHERE scope_key = ? AND session_id = ? ORDER BY first_seq, id
"""

MARK_UNDERIVED = """
    UPDATE session SET is_underived = 1 WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))
"""

OWNERS = """
    SELECT owner_id FROM assertion WHERE scope_key = ?1 AND owner_id > ?2
    UNION SELECT owner_id FROM fact_place WHERE scope_key = ?1 AND owner_id > ?2
    ORDER BY owner_id LIMIT ?3
"""

SLOTS = "SELECT DISTINCT slot FROM claim WHERE scope_key = ? AND slot > ? ORDER BY slot LIMIT ?"

CLAIMS_OF_SLOTS = f"""
    SELECT key, slot, stale_reason, {CLAIM_COLUMNS} FROM claim
    WHERE scope_key = ? AND slot IN (SELECT value FROM json_each(?)) ORDER BY slot, id
"""

PROOFS = f"""
    SELECT claim_key, is_attached, {PROOF_COLUMNS} FROM proof
    WHERE claim_key IN (SELECT value FROM json_each(?)) ORDER BY claim_key, id
"""

LINKS = """
    SELECT l.slot, s.id, t.id, l.kind, l.confidence, l.source_rule, l.is_inferred
    FROM link l JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE l.slot IN (SELECT value FROM json_each(?2)) AND s.scope_key = ?1
    ORDER BY s.id, t.id, l.kind
"""

ACTS = """
    SELECT claim_id, at, governance_before, governance_after, actor, reason FROM governance_act
    WHERE scope_key = ? ORDER BY key
"""

POSITIONS = """
    SELECT path, byte_offset, records, prefix_hash, state FROM transcript WHERE scope_key = ? ORDER BY path
"""

NODE_FILES = """
    SELECT n.id, f.path FROM graph_node n JOIN graph_file f ON f.key = n.file_key WHERE n.graph_key = ?
"""

SECTIONS = """
    SELECT f.path, s.name, s.data FROM graph_file f JOIN graph_section s ON s.file_key = f.key
    WHERE f.graph_key = ? AND f.path IN (SELECT value FROM json_each(?)) ORDER BY s.name
"""

ASKED = """
    SELECT f.path, a.hash FROM graph_file f JOIN graph_asked a ON a.file_key = f.key
    WHERE f.graph_key = ? AND f.path IN (SELECT value FROM json_each(?))
"""
