-- Curated knowledge: where passages of ingested documents stand, how their chunks were distilled, verdicts, gaps, traces.

ALTER TABLE passage ADD COLUMN place TEXT NOT NULL DEFAULT '';

CREATE TABLE distillation (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    owner_id TEXT NOT NULL, -- of the assertions read from the chunk
    uri TEXT NOT NULL,
    document_id TEXT NOT NULL,
    passage_id TEXT NOT NULL,
    distiller TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    error TEXT NOT NULL,
    refused INTEGER NOT NULL,
    is_done INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope_key, owner_id)
) WITHOUT ROWID;

CREATE INDEX distillation_uri ON distillation (scope_key, uri);
CREATE INDEX distillation_document ON distillation (scope_key, document_id);
CREATE INDEX distillation_undone ON distillation (scope_key, owner_id) WHERE NOT is_done;

CREATE TABLE verdict (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    claim_id TEXT NOT NULL,
    other_id TEXT NOT NULL, -- empty for a new claim
    method TEXT NOT NULL,
    kind TEXT NOT NULL,
    similarity REAL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope_key, claim_id, other_id, method)
) WITHOUT ROWID;

CREATE INDEX verdict_other ON verdict (scope_key, other_id) WHERE other_id <> '';

CREATE TABLE gap (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    id TEXT NOT NULL,
    question TEXT NOT NULL,
    reason TEXT NOT NULL,
    priority TEXT NOT NULL,
    status TEXT NOT NULL,
    raised_by TEXT NOT NULL,
    closed_by TEXT NOT NULL, -- JSON list
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (scope_key, id)
) WITHOUT ROWID;

CREATE TABLE trace (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL, -- empty when it belongs to none
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX trace_time ON trace (scope_key, at DESC, id);
CREATE INDEX trace_session ON trace (scope_key, session_id, at DESC, id);
