-- Times are microseconds since 1970 in UTC. Every table belongs to a scope through scope_key.
-- FTS5 tables take their text from the views of the same name less "_fts"; repositories keep them in step.

CREATE TABLE scope (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    UNIQUE (tenant, project)
);

CREATE TABLE checkout (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    id TEXT NOT NULL,
    root TEXT NOT NULL,
    project TEXT NOT NULL,
    branch_name TEXT,
    branch_scope TEXT NOT NULL,
    source_revision TEXT,
    commit_sha TEXT,
    indexed_at INTEGER,
    is_complete INTEGER NOT NULL,
    recipe TEXT NOT NULL,
    PRIMARY KEY (scope_key, id)
) WITHOUT ROWID;

CREATE TABLE manifest (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    checkout_id TEXT NOT NULL,
    path TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    document_id TEXT,
    skipped TEXT NOT NULL,
    PRIMARY KEY (scope_key, checkout_id, path)
) WITHOUT ROWID;

CREATE INDEX manifest_document ON manifest (scope_key, document_id, checkout_id) WHERE document_id IS NOT NULL;

CREATE TABLE document (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    is_stale INTEGER NOT NULL,
    was_held INTEGER NOT NULL, -- a checkout holds or held this version
    id TEXT NOT NULL,
    uri TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    language TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    blob_hash TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    title TEXT NOT NULL,
    branch_name TEXT,
    branch_scope TEXT NOT NULL,
    source_revision TEXT,
    commit_sha TEXT,
    indexed_at INTEGER NOT NULL,
    chunks INTEGER NOT NULL, -- how many passages of each layer it has, so that nobody need count them
    paragraphs INTEGER NOT NULL,
    propositions INTEGER NOT NULL,
    summaries INTEGER NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX document_uri ON document (scope_key, uri);

CREATE TABLE passage (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    document_key INTEGER NOT NULL REFERENCES document (key),
    is_stale INTEGER NOT NULL, -- a copy of the document's, so that a search needs no join
    layer TEXT NOT NULL,
    kind TEXT NOT NULL, -- a proposition's type or a summary's level
    id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    digest TEXT NOT NULL,
    heading TEXT NOT NULL, -- heading, section heading or subject
    symbols TEXT NOT NULL, -- JSON list
    abstract TEXT NOT NULL, -- a paragraph's summary or a summary's purpose
    module TEXT NOT NULL,
    tags TEXT NOT NULL, -- JSON list
    details TEXT NOT NULL, -- JSON object: the layer's fields that are never searched
    terms TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (scope_key, layer, id)
);

CREATE INDEX passage_document ON passage (document_key, layer);
CREATE INDEX passage_digest ON passage (scope_key, substr(digest, 1, 16));

CREATE VIEW knowledge_chunks AS
SELECT key, document_key, text AS content, heading, symbols, module, tags, terms
FROM passage WHERE layer = 'chunk';

CREATE VIEW knowledge_paragraphs AS
SELECT key, document_key, text AS content, abstract AS summary, heading AS section_heading, symbols,
    terms
FROM passage WHERE layer = 'paragraph';

CREATE VIEW knowledge_propositions AS
SELECT key, document_key, text AS proposition_text, heading AS subject, kind AS proposition_type,
    terms
FROM passage WHERE layer = 'proposition';

CREATE VIEW knowledge_summaries AS
SELECT key, document_key, text AS summary_text, abstract AS purpose, symbols AS key_symbols, kind AS granularity_level,
    terms
FROM passage WHERE layer = 'summary';

CREATE VIRTUAL TABLE knowledge_chunks_fts USING fts5 (
    content, heading, symbols, module, tags, terms,
    content = 'knowledge_chunks', content_rowid = 'key', tokenize = 'porter unicode61'
);

CREATE VIRTUAL TABLE knowledge_paragraphs_fts USING fts5 (
    content, summary, section_heading, symbols, terms,
    content = 'knowledge_paragraphs', content_rowid = 'key', tokenize = 'porter unicode61'
);

CREATE VIRTUAL TABLE knowledge_propositions_fts USING fts5 (
    proposition_text, subject, proposition_type, terms,
    content = 'knowledge_propositions', content_rowid = 'key', tokenize = 'porter unicode61'
);

CREATE VIRTUAL TABLE knowledge_summaries_fts USING fts5 (
    summary_text, purpose, key_symbols, granularity_level, terms,
    content = 'knowledge_summaries', content_rowid = 'key', tokenize = 'porter unicode61'
);

-- One row per entity: a newer change replaces the older one. Deletions go once every projection has seen them.
CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    UNIQUE (scope_key, kind, entity_id)
);

CREATE INDEX outbox_deletion ON outbox (scope_key, seq) WHERE operation = 'delete';

CREATE TABLE projection (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (scope_key, name)
) WITHOUT ROWID;

-- revision grows with every change to the scope's vectors; cleared_at is the revision of the last clearing.
CREATE TABLE vector_space (
    scope_key INTEGER PRIMARY KEY REFERENCES scope (key),
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL, -- 0 while the scope has no space
    metric TEXT NOT NULL,
    revision INTEGER NOT NULL,
    cleared_at INTEGER NOT NULL
);

CREATE TABLE vector_partition (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    name TEXT NOT NULL,
    UNIQUE (scope_key, name)
);

CREATE TABLE vector_item (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    slot INTEGER NOT NULL, -- place in the blocks
    id TEXT NOT NULL,
    partition_key INTEGER NOT NULL REFERENCES vector_partition (key),
    owner TEXT NOT NULL,
    vector BLOB NOT NULL, -- little-endian float32
    PRIMARY KEY (scope_key, slot)
);

CREATE UNIQUE INDEX vector_item_id ON vector_item (scope_key, id);
CREATE INDEX vector_item_owner ON vector_item (scope_key, owner);

-- Slots that deleted items left behind.
CREATE TABLE vector_free_slot (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    slot INTEGER NOT NULL,
    PRIMARY KEY (scope_key, slot)
) WITHOUT ROWID;

-- Sign bits of the vectors, packed by slot, so that a process loads all of them with few reads.
CREATE TABLE vector_block (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    block INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    partitions BLOB NOT NULL, -- uint32 per slot: a vector_partition key, 0 for an empty slot
    codes BLOB NOT NULL, -- dimensions / 8 bytes per slot, rounded up to 8
    PRIMARY KEY (scope_key, block)
);
