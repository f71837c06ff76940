"""Every SQL statement of the canonical store. List parameters are JSON arrays; ``:scope`` is the scope's key."""
# ruff: noqa: S608 - what is put together here are constants of this module

# scopes

INSERT_SCOPE = "INSERT OR IGNORE INTO scope (tenant, project) VALUES (?, ?)"

SCOPE_KEY = "SELECT key FROM scope WHERE tenant = ? AND project = ?"

SCOPES = """
    SELECT tenant, project FROM scope
    WHERE EXISTS (SELECT 1 FROM document WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM checkout WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM manifest WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM session WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM assertion WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM claim WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM transcript WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM graph WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM distillation WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM verdict WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM gap WHERE scope_key = scope.key)
       OR EXISTS (SELECT 1 FROM trace WHERE scope_key = scope.key)
    ORDER BY tenant, project
"""

# documents

DOCUMENT_COLUMNS = """
    d.is_stale, d.id, d.uri, d.kind, d.source, d.language, d.content_hash, d.blob_hash, d.size_bytes, d.title,
    d.branch_name, d.branch_scope, d.source_revision, d.commit_sha, d.indexed_at
"""

INSERT_DOCUMENT = """
    INSERT INTO document (
        scope_key, is_stale, was_held, id, uri, kind, source, language, content_hash, blob_hash, size_bytes, title,
        branch_name, branch_scope, source_revision, commit_sha, indexed_at, chunks, paragraphs, propositions, summaries
    )
    VALUES (
        ?1, 0, EXISTS (SELECT 1 FROM manifest WHERE scope_key = ?1 AND document_id = ?2),
        ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
        ?16, ?17, ?18, ?19
    )
    ON CONFLICT DO NOTHING
"""

DOCUMENT_KEY = "SELECT key FROM document WHERE scope_key = ? AND id = ?"

DOCUMENTS = f"""
    SELECT {DOCUMENT_COLUMNS} FROM document d
    WHERE d.scope_key = ? AND d.id IN (SELECT value FROM json_each(?))
    ORDER BY d.id
"""

VERSIONS = f"""
    SELECT {DOCUMENT_COLUMNS} FROM document d
    WHERE d.scope_key = ? AND d.uri = ?
    ORDER BY d.is_stale, d.indexed_at DESC, d.id
"""

KNOWN_DOCUMENTS = """
    SELECT key, id FROM document WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""

DOCUMENTS_TO_MARK = """
    SELECT key, id FROM document
    WHERE scope_key = ? AND is_stale <> ? AND id IN (SELECT value FROM json_each(?))
    ORDER BY id
"""

MARK_DOCUMENT = "UPDATE document SET is_stale = ? WHERE key = ?"
MARK_PASSAGES = "UPDATE passage SET is_stale = ? WHERE document_key = ?"

MARK_HELD = """
    UPDATE document SET was_held = 1
    WHERE scope_key = ? AND NOT was_held AND id IN (SELECT value FROM json_each(?))
"""

DELETE_DOCUMENT = "DELETE FROM document WHERE key = ?"
DELETE_PASSAGES = "DELETE FROM passage WHERE document_key = ?"

# passages

PASSAGE_COLUMNS = """
    p.layer, p.kind, p.id, p.ordinal, p.start_line, p.end_line, p.digest, p.heading, p.symbols, p.abstract, p.module,
    p.tags, p.details, p.terms, p.text, p.place
"""

STORED_PASSAGE = f"""
    SELECT {PASSAGE_COLUMNS}, {DOCUMENT_COLUMNS} FROM passage p JOIN document d ON d.key = p.document_key
"""

INSERT_PASSAGE = """
    INSERT INTO passage (
        scope_key, document_key, is_stale, layer, kind, id, ordinal, start_line, end_line, digest, heading, symbols,
        abstract, module, tags, details, terms, text, place
    )
    VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

PASSAGES = f"""
    {STORED_PASSAGE}
    WHERE p.scope_key = ?
      AND p.layer IN ('chunk', 'paragraph', 'proposition', 'summary')
      AND p.id IN (SELECT value FROM json_each(?))
"""

PASSAGES_BY_KEY = f"{STORED_PASSAGE} WHERE p.key IN (SELECT value FROM json_each(?))"

PASSAGES_OF_DOCUMENTS = f"""
    {STORED_PASSAGE}
    WHERE d.scope_key = ? AND d.id IN (SELECT value FROM json_each(?))
    ORDER BY d.id, p.layer, p.ordinal, p.id
"""

FIND_PASSAGES = f"""
    {STORED_PASSAGE}
    WHERE p.scope_key = :scope AND p.layer = :layer AND p.id > :after {{filter}}
    ORDER BY p.id LIMIT :limit
"""

# With few uris or digests to look for, walking along the ids would visit every passage: "+" hides them from the
# planner.
FIND_FEW_PASSAGES = f"""
    {STORED_PASSAGE}
    WHERE +p.scope_key = :scope AND d.scope_key = :scope AND +p.layer = :layer AND +p.id > :after {{filter}}
    ORDER BY +p.id LIMIT :limit
"""

# FTS5 computes the rank of every match first and then yields them best first, so the joins and filters behind it run
# only for as many rows as are read.
SEARCH_PASSAGES = """
    SELECT p.key, p.id, f.rank
    FROM {table} f CROSS JOIN passage p ON p.key = f.rowid CROSS JOIN document d ON d.key = p.document_key
    WHERE {table} MATCH :match AND f.rank MATCH :weights AND p.scope_key = :scope {filter}
    ORDER BY f.rank
"""

COUNT_MATCHES = "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"

COUNT_PASSAGES = """
    SELECT is_stale, sum(chunks), sum(paragraphs), sum(propositions), sum(summaries)
    FROM document WHERE scope_key = ? GROUP BY is_stale
"""

FRESH = "AND NOT p.is_stale"
OF_KINDS = "AND p.kind IN (SELECT value FROM json_each(:kinds))"
AT_URIS = "AND d.uri IN (SELECT value FROM json_each(:uris))"
UNDER_PREFIXES = """
    AND EXISTS (SELECT 1 FROM json_each(:prefixes) WHERE substr(d.uri, 1, length(value)) = value)
"""
OF_DIGESTS = """
    AND p.scope_key = :scope AND substr(p.digest, 1, 16) IN (SELECT substr(value, 1, 16) FROM json_each(:digests))
    AND p.digest IN (SELECT value FROM json_each(:digests))
"""
BEARING_NAMES = """
    AND EXISTS (
        SELECT 1 FROM json_each(:names)
        WHERE value <> '' AND (
            p.heading = value
            OR (substr(p.heading, -length(value) - 1) = '.' || value AND instr(value, '.') = 0)
            OR value IN (SELECT value FROM json_each(iif(p.symbols = '', '[]', p.symbols)))
        )
    )
"""
IN_CHECKOUT = """
    AND (
        NOT d.was_held
        OR EXISTS (
            SELECT 1 FROM manifest
            WHERE scope_key = :scope AND document_id = d.id AND checkout_id = :checkout
        )
    )
"""

# manifest

CHECKOUTS = """
    SELECT id, root, project, branch_name, branch_scope, source_revision, commit_sha, indexed_at, is_complete, recipe
    FROM checkout WHERE scope_key = ? ORDER BY id
"""

RECORD_CHECKOUT = """
    INSERT OR REPLACE INTO checkout (
        scope_key, id, root, project, branch_name, branch_scope, source_revision, commit_sha, indexed_at, is_complete,
        recipe
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

ENTRIES = """
    SELECT path, size_bytes, mtime_ns, content_hash, document_id, skipped FROM manifest
    WHERE scope_key = ? AND checkout_id = ? ORDER BY path
"""

ENTRIES_AT = """
    SELECT path, size_bytes, mtime_ns, content_hash, document_id, skipped FROM manifest
    WHERE scope_key = ? AND checkout_id = ? AND path IN (SELECT value FROM json_each(?)) ORDER BY path
"""

PUT_ENTRY = """
    INSERT OR REPLACE INTO manifest (
        scope_key, checkout_id, path, size_bytes, mtime_ns, content_hash, document_id, skipped
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_ENTRIES = """
    DELETE FROM manifest
    WHERE scope_key = ? AND checkout_id = ? AND path IN (SELECT value FROM json_each(?))
"""

VERSIONS_AT_PATHS = """
    SELECT document_id FROM manifest
    WHERE scope_key = ? AND checkout_id = ? AND path IN (SELECT value FROM json_each(?)) AND document_id IS NOT NULL
"""

VERSIONS_EVER_AT_PATHS = """
    SELECT id FROM document WHERE scope_key = ? AND was_held AND uri IN (SELECT value FROM json_each(?))
"""

HELD_VERSIONS = """
    SELECT DISTINCT document_id FROM manifest
    WHERE scope_key = ? AND document_id IN (SELECT value FROM json_each(?))
"""

# outbox

ENQUEUE = "INSERT OR REPLACE INTO outbox (scope_key, kind, entity_id, operation) VALUES (?, ?, ?, ?)"

FORGET_SET_ASIDE = "DELETE FROM set_aside WHERE scope_key = ? AND kind = ? AND entity_id = ?"
FORGET_ALL_SET_ASIDE = "DELETE FROM set_aside WHERE scope_key = ? AND projection = ?"

PENDING = """
    SELECT seq, kind, entity_id, operation FROM outbox
    WHERE scope_key = ? AND seq > ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?
"""

LAG = """
    SELECT count(*) FROM outbox WHERE scope_key = ? AND seq > ? AND kind IN (SELECT value FROM json_each(?))
"""

QUEUED = "SELECT entity_id FROM outbox WHERE scope_key = ? AND kind = ? AND operation = ?"

STORED_GRAPH_FILES = """
    SELECT g.checkout_id, g.layer, f.path FROM graph g JOIN graph_file f ON f.graph_key = g.key WHERE g.scope_key = ?
"""

CURSOR = "SELECT seq FROM projection WHERE scope_key = ? AND name = ?"

ADVANCE = """
    INSERT INTO projection (scope_key, name, seq) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)
"""

RESET = "INSERT OR REPLACE INTO projection (scope_key, name, seq) VALUES (?, ?, 0)"

# What is queued as an upsert already keeps its place.
ENQUEUE_STORED = """
    INSERT OR REPLACE INTO outbox (scope_key, kind, entity_id, operation)
    SELECT scope_key, '{kind}', id, 'upsert' FROM {table} stored
    WHERE scope_key = ?
      AND NOT EXISTS (
        SELECT 1 FROM outbox o
        WHERE o.scope_key = stored.scope_key AND o.kind = '{kind}' AND o.entity_id = stored.id
          AND o.operation = 'upsert'
      )
    ORDER BY id
"""

TRIM_SEEN_DELETIONS = """
    DELETE FROM outbox
    WHERE scope_key = ?1 AND operation = 'delete'
      AND seq <= (SELECT min(seq) FROM projection WHERE scope_key = ?1)
"""

TRIM_UNCLAIMED_DELETIONS = """
    DELETE FROM outbox
    WHERE scope_key = ?1 AND operation = 'delete'
      AND NOT EXISTS (SELECT 1 FROM projection WHERE scope_key = ?1)
      AND seq <= (
        SELECT seq FROM outbox WHERE scope_key = ?1 AND operation = 'delete' ORDER BY seq DESC LIMIT 1 OFFSET ?2
      )
"""
