"""Every SQL statement of the session side. List parameters are JSON arrays; ``:scope`` is the scope's key."""
# ruff: noqa: S608 - what is put together here are constants of this module
# Where SQLite, which keeps no statistics here, would walk through a whole scope, INDEXED BY names the better index.

# sessions

SESSION_COLUMNS = """
    id, source_id, host, started_at, ended_at, cwd, branch_name, branch_scope, source_revision, commit_sha, parent_id,
    title
"""

PUT_SESSION = f"""
    INSERT INTO session (scope_key, is_underived, {SESSION_COLUMNS}) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (scope_key, id) DO UPDATE SET
        source_id = excluded.source_id, host = excluded.host, started_at = excluded.started_at,
        ended_at = excluded.ended_at, cwd = excluded.cwd, branch_name = excluded.branch_name,
        branch_scope = excluded.branch_scope, source_revision = excluded.source_revision,
        commit_sha = excluded.commit_sha, parent_id = excluded.parent_id, title = excluded.title
"""

SESSION_KEY = "SELECT key FROM session WHERE scope_key = ? AND id = ?"

SESSIONS = f"""
    SELECT {SESSION_COLUMNS} FROM session
    WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""

FIND_SESSIONS = f"""
    SELECT {SESSION_COLUMNS} FROM session WHERE scope_key = ? AND id > ? ORDER BY id LIMIT ?
"""

FIND_UNDERIVED_SESSIONS = f"""
    SELECT {SESSION_COLUMNS} FROM session WHERE scope_key = ? AND is_underived AND id > ? ORDER BY id LIMIT ?
"""

MARK_UNDERIVED = "UPDATE session SET is_underived = 1 WHERE key IN (SELECT value FROM json_each(?))"

MARK_DERIVED = "UPDATE session SET is_underived = 0 WHERE scope_key = ? AND id = ? AND is_underived"

DELETE_SESSIONS = "DELETE FROM session WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))"

# events

EVENT_COLUMNS = """
    seq, id, kind, time, text, speaker, tool, exit_code, path, branch, source_id, is_sidechain, is_replay
"""

KNOWN_EVENTS = """
    SELECT id, session_key, is_replay FROM event WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))
"""

TAKEN_SEQS = "SELECT seq FROM event WHERE session_key = ? AND seq >= ?"

INSERT_EVENT = f"""
    INSERT INTO event (scope_key, session_key, {EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_EVENTS = "DELETE FROM event WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))"

EVENTS = f"""
    SELECT {EVENT_COLUMNS} FROM event
    WHERE session_key = (SELECT key FROM session WHERE scope_key = ? AND id = ?) AND seq > ? ORDER BY seq LIMIT ?
"""

# episodes and evidence

EPISODE_COLUMNS = "id, session_id, kind, first_seq, last_seq, started_at, ended_at"

EPISODES_OF_SESSION = f"""
    SELECT {EPISODE_COLUMNS} FROM episode INDEXED BY episode_session WHERE scope_key = ? AND session_id = ?
"""

EPISODES_OF_SESSIONS = """
    SELECT id FROM episode INDEXED BY episode_session
    WHERE scope_key = ? AND session_id IN (SELECT value FROM json_each(?))
"""

KNOWN_EPISODES = """
    SELECT id FROM episode WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""

PUT_EPISODE = f"INSERT OR REPLACE INTO episode (scope_key, {EPISODE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

DELETE_EPISODES = "DELETE FROM episode WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))"

EVIDENCE_COLUMNS = (
    "id, session_id, episode_id, event_id, seq, source_id, kind, speaker, time, text, span_start, span_end, terms"
)

EVIDENCE_OF_SESSION = f"SELECT {EVIDENCE_COLUMNS} FROM evidence WHERE scope_key = ? AND session_id = ?"

EVIDENCE_KEYS_OF_SESSIONS = """
    SELECT key, episode_id FROM evidence WHERE scope_key = ? AND session_id IN (SELECT value FROM json_each(?))
"""

EVIDENCE_KEYS = """
    SELECT key, episode_id FROM evidence WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))
"""

EVIDENCE = f"""
    SELECT {EVIDENCE_COLUMNS} FROM evidence WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))
"""

EVIDENCE_BY_KEY = f"SELECT {EVIDENCE_COLUMNS} FROM evidence WHERE key IN (SELECT value FROM json_each(?))"

EVIDENCE_OF_EPISODES = f"""
    SELECT {EVIDENCE_COLUMNS} FROM evidence
    WHERE scope_key = ? AND episode_id IN (SELECT value FROM json_each(?))
    ORDER BY episode_id, seq, span_start, id
"""

EVIDENCE_AROUND = f"""
    SELECT {EVIDENCE_COLUMNS} FROM evidence
    WHERE key IN (
        SELECT e.key FROM json_each(:spans) s CROSS JOIN evidence e
        WHERE e.scope_key = :scope AND e.session_id = s.value->>0 AND e.seq BETWEEN s.value->>1 AND s.value->>2
    )
    ORDER BY session_id, seq, span_start, id
"""

INSERT_EVIDENCE = f"""
    INSERT INTO evidence (scope_key, {EVIDENCE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_EVIDENCE = "DELETE FROM evidence WHERE key IN (SELECT value FROM json_each(?))"

COUNT_EVIDENCE = "SELECT count(*) FROM evidence WHERE scope_key = ?"

SEARCH_EVIDENCE = """
    SELECT e.key, e.id, f.rank FROM {table} f CROSS JOIN evidence e ON e.key = f.rowid
    WHERE {table} MATCH :match AND f.rank MATCH :weights AND e.scope_key = :scope {filter}
    ORDER BY f.rank
"""

EVIDENCE_OF_SESSION_IDS = "AND e.session_id IN (SELECT value FROM json_each(:sessions))"
EVIDENCE_OF_KINDS = "AND e.kind IN (SELECT value FROM json_each(:kinds))"
EVIDENCE_SINCE = "AND e.time >= :since"
EVIDENCE_UNTIL = "AND e.time <= :until"

# assertions and rejections

CLAIM_COLUMNS = """
    id, type, subject, attribute, value, polarity, condition, path, text, confidence, importance, authority, status,
    status_reason, governance, is_standing, valid_from, valid_to, recorded_at, superseded_by, session_id, episode_id,
    document_id, event_id, branch_name, branch_scope, source_revision, commit_sha, terms
"""

ASSERTION_COLUMNS = f"""
    slot, seq, start, {CLAIM_COLUMNS}, proof_id, proof_authority, proof_verification, proof_type, proof_source_ref,
    proof_excerpt, proof_digest, proof_observed_at
"""

ASSERTIONS_OF_OWNER = f"SELECT {ASSERTION_COLUMNS} FROM assertion WHERE scope_key = ? AND owner_id = ?"

ASSERTIONS_OF_OWNERS = f"""
    SELECT owner_id, {ASSERTION_COLUMNS} FROM assertion
    WHERE scope_key = ? AND owner_id IN (SELECT value FROM json_each(?))
    ORDER BY owner_id, slot, proof_observed_at, seq, id
"""

ASSERTIONS_OF_SLOTS = f"""
    SELECT {ASSERTION_COLUMNS} FROM assertion
    WHERE scope_key = ? AND slot IN (SELECT value FROM json_each(?))
    ORDER BY slot, proof_observed_at, seq, id, owner_id
"""

INSERT_ASSERTION = f"""
    INSERT INTO assertion (scope_key, owner_id, {ASSERTION_COLUMNS}) VALUES ({", ".join("?" * 42)})
"""

DELETE_ASSERTIONS = """
    DELETE FROM assertion WHERE scope_key = ? AND owner_id = ? AND id IN (SELECT value FROM json_each(?))
"""

DELETE_ASSERTIONS_OF_OWNERS = """
    DELETE FROM assertion WHERE scope_key = ? AND owner_id IN (SELECT value FROM json_each(?))
"""

SLOTS_OF_OWNERS = """
    SELECT slot FROM assertion WHERE scope_key = ? AND owner_id IN (SELECT value FROM json_each(?))
"""

SLOTS_NAMING = """
    SELECT DISTINCT slot FROM assertion
    WHERE scope_key = ?
        AND (value IN (SELECT value FROM json_each(?)) OR attribute IN (SELECT value FROM json_each(?)))
"""

SLOTS_NAMING_VERSIONS = """
    WITH name AS (SELECT value || ' ' AS start FROM json_each(?2))
    SELECT DISTINCT slot FROM assertion
    WHERE scope_key = ?1
        AND (substr(value, 1, instr(value, ' ')) IN name
            OR substr(subject, 1, instr(subject, ' ')) IN name
            OR substr(
                substr(attribute, instr(attribute, ' ') + 1), 1,
                instr(substr(attribute, instr(attribute, ' ') + 1), ' ')
            ) IN name AND instr(attribute, ' '))
"""

SLOTS = "SELECT DISTINCT slot FROM assertion WHERE scope_key = ? AND slot > ? ORDER BY slot LIMIT ?"

# places of repository facts

PLACE_COLUMNS = "slot, owner_id, branch, path, topic, tail, is_live, joined"

PUT_PLACE = f"INSERT OR REPLACE INTO fact_place (scope_key, {PLACE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

DELETE_PLACES = "DELETE FROM fact_place WHERE scope_key = ? AND slot IN (SELECT value FROM json_each(?))"

PLACES_OF_OWNERS = f"""
    SELECT {PLACE_COLUMNS} FROM fact_place
    WHERE scope_key = ? AND owner_id IN (SELECT value FROM json_each(?)) ORDER BY slot
"""

PLACES_ABOUT = f"""
    WITH asked AS (SELECT value FROM json_each(?2) WHERE value <> '')
    SELECT {PLACE_COLUMNS} FROM fact_place WHERE scope_key = ?1 AND topic IN asked
    UNION SELECT {PLACE_COLUMNS} FROM fact_place WHERE scope_key = ?1 AND tail IN asked AND tail <> ''
    UNION SELECT {PLACE_COLUMNS} FROM fact_place WHERE scope_key = ?1 AND joined IN asked AND joined <> ''
    ORDER BY slot
"""

PLACES_AT = f"SELECT {PLACE_COLUMNS} FROM fact_place WHERE scope_key = ? AND path = ? ORDER BY slot"

JOIN_PLACE = "UPDATE fact_place SET joined = ?3 WHERE scope_key = ?1 AND slot = ?2 AND joined <> ?3"

REJECTION_COLUMNS = "session_id, event_id, seq, rule, reason, excerpt"

REJECTIONS_OF_SESSION = f"SELECT key, {REJECTION_COLUMNS} FROM rejection WHERE scope_key = ? AND session_id = ?"

INSERT_REJECTION = f"INSERT INTO rejection (scope_key, {REJECTION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"

DELETE_REJECTIONS = "DELETE FROM rejection WHERE key IN (SELECT value FROM json_each(?))"

DELETE_REJECTIONS_OF_SESSIONS = """
    DELETE FROM rejection WHERE scope_key = ? AND session_id IN (SELECT value FROM json_each(?))
"""

FIND_REJECTIONS = f"""
    SELECT {REJECTION_COLUMNS} FROM rejection
    WHERE scope_key = :scope {{filter}}
    ORDER BY session_id, seq, rule, excerpt, reason, event_id LIMIT :limit
"""

REJECTED_IN_SESSION = "AND session_id = :session"

# claims

STORED_CLAIM = f"""
    SELECT c.slot, c.stale_reason, {", ".join(f"c.{column.strip()}" for column in CLAIM_COLUMNS.split(","))}
    FROM claim c
"""

CLAIMS_TO_SETTLE = f"""
    SELECT key, slot, {CLAIM_COLUMNS} FROM claim WHERE scope_key = ?1 AND slot IN (SELECT value FROM json_each(?2))
    UNION ALL
    SELECT key, slot, {CLAIM_COLUMNS} FROM claim
    WHERE scope_key = ?1 AND id IN (SELECT value FROM json_each(?3)) AND slot NOT IN (SELECT value FROM json_each(?2))
"""

PUT_CLAIM = f"""
    INSERT INTO claim (scope_key, stale_reason, slot, {CLAIM_COLUMNS}) VALUES (?, '', {", ".join("?" * 30)})
    ON CONFLICT (scope_key, id) DO UPDATE SET slot = excluded.slot, {
    ", ".join(f"{column} = excluded.{column}" for column in map(str.strip, CLAIM_COLUMNS.split(",")))
}
"""

DELETE_CLAIMS = "DELETE FROM claim WHERE key IN (SELECT value FROM json_each(?))"

CLAIM_KEYS = "SELECT id, key FROM claim WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))"

CLAIMS = f"{STORED_CLAIM} WHERE c.scope_key = ? AND c.id IN (SELECT value FROM json_each(?))"

CLAIMS_BY_KEY = f"{STORED_CLAIM} WHERE c.key IN (SELECT value FROM json_each(?))"

FIND_CLAIMS = f"""
    {STORED_CLAIM} {{index}} WHERE c.scope_key = :scope AND c.id > :after {{filter}} ORDER BY c.id LIMIT :limit
"""

BY_SLOT = "INDEXED BY claim_slot"
BY_SESSION = "INDEXED BY claim_session"

SEARCH_CLAIMS = """
    SELECT c.key, c.id, f.rank FROM {table} f CROSS JOIN claim c ON c.key = f.rowid
    WHERE {table} MATCH :match AND f.rank MATCH :weights AND c.scope_key = :scope {filter}
    ORDER BY f.rank
"""

NOTE_CHECK = "UPDATE claim SET stale_reason = ?3 WHERE scope_key = ?1 AND id = ?2 AND stale_reason <> ?3"

CLAIMS_OF_TYPES = "AND c.type IN (SELECT value FROM json_each(:types))"
CLAIMS_OF_STATUSES = """
    AND CASE WHEN c.stale_reason = '' THEN c.status ELSE 'stale' END IN (SELECT value FROM json_each(:statuses))
"""
CLAIMS_OF_GOVERNANCE = "AND c.governance IN (SELECT value FROM json_each(:governance))"
CLAIMS_OF_SLOTS = "AND c.slot IN (SELECT value FROM json_each(:slots))"
CLAIMS_OF_SESSIONS = "AND c.session_id IN (SELECT value FROM json_each(:sessions))"
CLAIMS_OF_BRANCHES = "AND ifnull(c.branch_name, '') IN (SELECT value FROM json_each(:branches))"
CLAIMS_VALID_AT = "AND c.valid_from <= :valid_at AND (c.valid_to IS NULL OR c.valid_to > :valid_at)"
OPEN_CLAIMS = "AND c.valid_to IS NULL"
CLOSED_CLAIMS = "AND c.valid_to IS NOT NULL"
STANDING_CLAIMS = "AND c.is_standing"
SAID_CLAIMS = "AND c.session_id || c.document_id <> ''"
SET_CLAIMS = "AND c.session_id || c.document_id = ''"
SET_BELOW = """
    AND (
        c.session_id || c.document_id <> ''
        OR EXISTS (SELECT 1 FROM json_each(:below) b WHERE substr(c.path, 1, length(b.value)) = b.value)
    )
"""

# proofs

PROOF_COLUMNS = "id, authority, verification, type, source_ref, excerpt, digest, observed_at"

SETTLED_PROOFS = f"""
    SELECT key, claim_key, {PROOF_COLUMNS} FROM proof
    WHERE claim_key IN (SELECT value FROM json_each(?)) AND NOT is_attached
"""

PUT_PROOF = f"""
    INSERT OR REPLACE INTO proof (claim_key, is_attached, {PROOF_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_PROOFS = "DELETE FROM proof WHERE key IN (SELECT value FROM json_each(?))"

# A proof attached in place of another hides that one.
PROOFS = f"""
    SELECT claim_id, {PROOF_COLUMNS} FROM (
        SELECT c.id AS claim_id, max(p.is_attached), {", ".join(f"p.{c.strip()}" for c in PROOF_COLUMNS.split(","))}
        FROM claim c JOIN proof p ON p.claim_key = c.key
        WHERE c.scope_key = ? AND c.id IN (SELECT value FROM json_each(?))
        GROUP BY c.key, p.id
    )
    ORDER BY claim_id, observed_at, id
"""

# A range of source_ref holds the locators of one session.
DELETE_ATTACHED_PROOFS = """
    DELETE FROM proof
    WHERE is_attached AND source_ref >= ?2 AND source_ref < ?3
      AND EXISTS (SELECT 1 FROM claim WHERE key = claim_key AND scope_key = ?1)
"""

# links

LINK_COLUMNS = "source_key, target_key, kind, slot, confidence, source_rule, is_inferred"

LINKS_OF_SLOTS = """
    SELECT source_key, target_key, link.kind, link.slot, link.confidence, source_rule, is_inferred, c.id
    FROM link CROSS JOIN claim c ON c.key = link.source_key
    WHERE link.slot IN (SELECT value FROM json_each(?2)) AND c.scope_key = ?1
"""

PUT_LINK = f"INSERT OR REPLACE INTO link ({LINK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"

DELETE_LINK = "DELETE FROM link WHERE source_key = ? AND target_key = ? AND kind = ?"

LINKS = """
    WITH asked AS (SELECT key FROM claim WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?)))
    SELECT s.id, t.id, l.kind, l.confidence, l.source_rule, l.is_inferred
    FROM (
        SELECT * FROM link WHERE source_key IN (SELECT key FROM asked)
        UNION
        SELECT * FROM link WHERE target_key IN (SELECT key FROM asked)
    ) l
    JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    ORDER BY s.id, t.id, l.kind
"""

# governance

APPEND_ACT = """
    INSERT INTO governance_act (
        scope_key, session_id, claim_id, at, governance_before, governance_after, actor, reason
    )
    VALUES (
        ?1,
        coalesce(
            (SELECT session_id FROM claim WHERE scope_key = ?1 AND id = ?2),
            (SELECT session_id FROM assertion WHERE scope_key = ?1 AND id = ?2),
            (SELECT session_id FROM governance_act WHERE scope_key = ?1 AND claim_id = ?2),
            ''
        ),
        ?2, ?3, ?4, ?5, ?6, ?7
    )
"""

ACTS = """
    SELECT claim_id, at, governance_before, governance_after, actor, reason FROM governance_act
    WHERE scope_key = ? AND claim_id IN (SELECT value FROM json_each(?)) ORDER BY key
"""

DELETE_ACTS_OF_SESSIONS = """
    DELETE FROM governance_act
    WHERE scope_key = ?1
      AND (
        session_id IN (SELECT value FROM json_each(?2))
        OR claim_id IN (
            SELECT id FROM assertion WHERE scope_key = ?1 AND owner_id IN (SELECT value FROM json_each(?2))
        )
      )
"""

# transcripts

POSITION = "SELECT byte_offset, records, prefix_hash, state FROM transcript WHERE scope_key = ? AND path = ?"

REMEMBER_POSITION = """
    INSERT OR REPLACE INTO transcript (scope_key, path, byte_offset, records, prefix_hash, state)
    VALUES (?, ?, ?, ?, ?, ?)
"""

FORGET_POSITIONS = "DELETE FROM transcript WHERE scope_key = ?"

# counts

COUNT_SESSIONS = "SELECT host, count(*) FROM session WHERE scope_key = ? GROUP BY host"
COUNT_EVENTS = "SELECT kind, count(*) FROM event WHERE scope_key = ? GROUP BY kind"
COUNT_CLAIMS = """
    SELECT type, CASE WHEN stale_reason = '' THEN status ELSE 'stale' END, governance, count(*)
    FROM claim
    WHERE scope_key = ?
    GROUP BY 1, 2, 3
"""
