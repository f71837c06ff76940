-- The session side: what happened, what was kept of it, what it asserts, and what that amounts to.
-- Full-text tables take their text from the table of the same name less "_fts".

CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    is_underived INTEGER NOT NULL, -- its events have changed since its evidence was last replaced
    id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    cwd TEXT NOT NULL,
    branch_name TEXT,
    branch_scope TEXT NOT NULL,
    source_revision TEXT,
    commit_sha TEXT,
    parent_id TEXT NOT NULL,
    title TEXT NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX session_underived ON session (scope_key, id) WHERE is_underived;

CREATE TABLE event (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    time INTEGER,
    text TEXT NOT NULL,
    speaker TEXT NOT NULL,
    tool TEXT NOT NULL,
    exit_code INTEGER,
    path TEXT NOT NULL,
    branch TEXT NOT NULL,
    source_id TEXT NOT NULL,
    is_sidechain INTEGER NOT NULL,
    is_replay INTEGER NOT NULL,
    UNIQUE (scope_key, id),
    UNIQUE (session_key, seq)
);

CREATE TABLE episode (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    PRIMARY KEY (scope_key, id)
) WITHOUT ROWID;

CREATE INDEX episode_session ON episode (scope_key, session_id);

CREATE TABLE evidence (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    source_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    speaker TEXT NOT NULL,
    time INTEGER,
    text TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    terms TEXT NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX evidence_session ON evidence (scope_key, session_id);
CREATE INDEX evidence_episode ON evidence (scope_key, episode_id);

CREATE VIRTUAL TABLE evidence_fts USING fts5 (
    text, terms,
    content = 'evidence', content_rowid = 'key', tokenize = 'porter unicode61'
);

-- A claim as one event or document made it, with its own proof.
CREATE TABLE assertion (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    owner_id TEXT NOT NULL, -- a session or document
    slot TEXT NOT NULL,
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    polarity TEXT NOT NULL,
    condition TEXT NOT NULL,
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    authority TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT NOT NULL,
    governance TEXT NOT NULL,
    is_standing INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    recorded_at INTEGER NOT NULL,
    superseded_by TEXT NOT NULL,
    session_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    branch_name TEXT,
    branch_scope TEXT NOT NULL,
    source_revision TEXT,
    commit_sha TEXT,
    terms TEXT NOT NULL,
    proof_id TEXT NOT NULL,
    proof_authority TEXT NOT NULL,
    proof_verification TEXT NOT NULL,
    proof_type TEXT NOT NULL,
    proof_source_ref TEXT NOT NULL,
    proof_excerpt TEXT NOT NULL,
    proof_digest TEXT NOT NULL,
    proof_observed_at INTEGER NOT NULL,
    UNIQUE (scope_key, owner_id, id)
);

CREATE INDEX assertion_slot ON assertion (scope_key, slot);
CREATE INDEX assertion_claim ON assertion (scope_key, id);

CREATE TABLE rejection (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    session_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    excerpt TEXT NOT NULL
);

CREATE INDEX rejection_session ON rejection (scope_key, session_id, seq, rule, excerpt);

CREATE TABLE claim (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    slot TEXT NOT NULL,
    stale_reason TEXT NOT NULL, -- why its proofs no longer hold; it is stale while there is one
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    polarity TEXT NOT NULL,
    condition TEXT NOT NULL,
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    authority TEXT NOT NULL,
    status TEXT NOT NULL, -- as it was settled
    status_reason TEXT NOT NULL,
    governance TEXT NOT NULL,
    is_standing INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    recorded_at INTEGER NOT NULL,
    superseded_by TEXT NOT NULL,
    session_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    branch_name TEXT,
    branch_scope TEXT NOT NULL,
    source_revision TEXT,
    commit_sha TEXT,
    terms TEXT NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX claim_slot ON claim (scope_key, slot, id);
CREATE INDEX claim_session ON claim (scope_key, session_id, id);
CREATE INDEX claim_standing ON claim (scope_key, id) WHERE is_standing;

CREATE VIRTUAL TABLE claim_fts USING fts5 (
    text, subject, attribute, value, type, terms,
    content = 'claim', content_rowid = 'key', tokenize = 'porter unicode61'
);

-- A claim may have two proofs of one id: the one it was settled with and, in its place, one attached later.
CREATE TABLE proof (
    key INTEGER PRIMARY KEY,
    claim_key INTEGER NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    is_attached INTEGER NOT NULL,
    id TEXT NOT NULL,
    authority TEXT NOT NULL,
    verification TEXT NOT NULL,
    type TEXT NOT NULL,
    source_ref TEXT NOT NULL,
    excerpt TEXT NOT NULL,
    digest TEXT NOT NULL,
    observed_at INTEGER NOT NULL,
    UNIQUE (claim_key, is_attached, id)
);

CREATE INDEX proof_attached ON proof (source_ref) WHERE is_attached;

CREATE TABLE link (
    source_key INTEGER NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    target_key INTEGER NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    slot TEXT NOT NULL, -- the one that it was settled with
    confidence REAL NOT NULL,
    source_rule TEXT NOT NULL,
    is_inferred INTEGER NOT NULL,
    PRIMARY KEY (source_key, target_key, kind)
) WITHOUT ROWID;

CREATE INDEX link_target ON link (target_key);
CREATE INDEX link_slot ON link (slot);

CREATE TABLE governance_act (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    session_id TEXT NOT NULL, -- the claim's, so that the act is erased with it
    claim_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    governance_before TEXT NOT NULL,
    governance_after TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL
);

CREATE INDEX governance_act_claim ON governance_act (scope_key, claim_id);
CREATE INDEX governance_act_session ON governance_act (scope_key, session_id);

CREATE TABLE transcript (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    path TEXT NOT NULL,
    byte_offset INTEGER NOT NULL,
    records INTEGER NOT NULL,
    prefix_hash TEXT NOT NULL,
    state TEXT NOT NULL, -- JSON
    PRIMARY KEY (scope_key, path)
) WITHOUT ROWID;
