-- Every table carries its tenant, and row-level security, forced also on the owner, keeps tenants apart: a session sees
-- the tenant that `pckc.tenant` names and no other. Values are kept as JSON beside the columns that queries use; JSON
-- (not jsonb) keeps them as written, NUL characters included. Texts compare by code point, as Python's do.

CREATE FUNCTION pckc_tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(current_setting('pckc.tenant', true), '') $$;

CREATE TABLE scope (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    project text COLLATE "C" NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0, -- of the outbox; writers of a scope hold this row, so that seqs appear in order
    UNIQUE (tenant, project)
);

CREATE TABLE checkout (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, id)
);

CREATE TABLE manifest (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    checkout_id text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    size_bytes bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    content_hash text NOT NULL,
    document_id text COLLATE "C",
    skipped text NOT NULL,
    PRIMARY KEY (scope_key, checkout_id, path)
);

CREATE INDEX manifest_document ON manifest (scope_key, document_id, checkout_id) WHERE document_id IS NOT NULL;

CREATE TABLE document (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    uri text COLLATE "C" NOT NULL,
    is_stale boolean NOT NULL,
    was_held boolean NOT NULL, -- a checkout holds or held this version
    indexed_at timestamptz NOT NULL,
    counts integer[] NOT NULL, -- passages of each layer, so that nobody need count them
    data json NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX document_uri ON document (scope_key, uri);

CREATE TABLE passage (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    document_key bigint NOT NULL REFERENCES document (key) ON DELETE CASCADE,
    is_stale boolean NOT NULL, -- a copy of the document's, so that a search needs no join
    layer text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL, -- a proposition's type or a summary's level
    id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    digest text COLLATE "C" NOT NULL,
    names text[] COLLATE "C" NOT NULL, -- what it bears
    data json NOT NULL,
    words tsvector NOT NULL,
    UNIQUE (scope_key, layer, id)
);

CREATE INDEX passage_document ON passage (document_key, layer);
CREATE INDEX passage_digest ON passage (scope_key, digest);
CREATE INDEX passage_words ON passage USING gin (words);

CREATE TABLE outbox (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    entity_id text COLLATE "C" NOT NULL,
    operation text NOT NULL,
    PRIMARY KEY (scope_key, kind, entity_id)
);

CREATE INDEX outbox_seq ON outbox (scope_key, seq);
CREATE INDEX outbox_deletion ON outbox (scope_key, seq) WHERE operation = 'delete';

CREATE TABLE projection (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (scope_key, name)
);

CREATE TABLE session (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL,
    is_underived boolean NOT NULL DEFAULT false, -- its events have changed since its evidence was last replaced
    data json NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX session_underived ON session (scope_key, id) WHERE is_underived;

CREATE TABLE event (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    is_replay boolean NOT NULL,
    data json NOT NULL,
    UNIQUE (scope_key, id),
    UNIQUE (session_key, seq)
);

CREATE TABLE episode (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, id)
);

CREATE INDEX episode_session ON episode (scope_key, session_id);

CREATE TABLE evidence (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    episode_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    span_start integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    time timestamptz,
    data json NOT NULL,
    words tsvector NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX evidence_session ON evidence (scope_key, session_id);
CREATE INDEX evidence_episode ON evidence (scope_key, episode_id);
CREATE INDEX evidence_words ON evidence USING gin (words);

-- A claim as one event or document made it, with its own proof.
CREATE TABLE assertion (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    owner_id text COLLATE "C" NOT NULL, -- a session or document
    slot text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL, -- the claim's
    value_hash text NOT NULL,
    attribute_hash text NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    observed_at timestamptz NOT NULL,
    seq bigint NOT NULL,
    data json NOT NULL,
    UNIQUE (scope_key, owner_id, id)
);

CREATE INDEX assertion_slot ON assertion (scope_key, slot);
CREATE INDEX assertion_claim ON assertion (scope_key, id);
CREATE INDEX assertion_value ON assertion (scope_key, value_hash);
CREATE INDEX assertion_attribute ON assertion (scope_key, attribute_hash);

CREATE TABLE rejection (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    session_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    rule text COLLATE "C" NOT NULL,
    data json NOT NULL
);

CREATE INDEX rejection_session ON rejection (scope_key, session_id, seq);

CREATE TABLE claim (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    slot text COLLATE "C" NOT NULL,
    stale_reason text NOT NULL DEFAULT '', -- why its proofs no longer hold; it is stale while there is one
    type text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL, -- as it was settled
    governance text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    branch_name text COLLATE "C" NOT NULL, -- '' without one
    is_standing boolean NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    data json NOT NULL,
    words tsvector NOT NULL,
    UNIQUE (scope_key, id)
);

CREATE INDEX claim_slot ON claim (scope_key, slot, id);
CREATE INDEX claim_session ON claim (scope_key, session_id, id);
CREATE INDEX claim_standing ON claim (scope_key, id) WHERE is_standing;
CREATE INDEX claim_words ON claim USING gin (words);

-- A claim may have two proofs of one id: the one it was settled with and, in its place, one attached later.
CREATE TABLE proof (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    claim_key bigint NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    is_attached boolean NOT NULL,
    id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL, -- the one its locator names, quoted as there; '' when it names none
    observed_at timestamptz NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (claim_key, is_attached, id)
);

CREATE INDEX proof_attached ON proof (session_id) WHERE is_attached;

CREATE TABLE link (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    source_key bigint NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    target_key bigint NOT NULL REFERENCES claim (key) ON DELETE CASCADE,
    kind text COLLATE "C" NOT NULL,
    slot text COLLATE "C" NOT NULL, -- the one that it was settled with
    data json NOT NULL,
    PRIMARY KEY (source_key, target_key, kind)
);

CREATE INDEX link_target ON link (target_key);
CREATE INDEX link_slot ON link (slot);

CREATE TABLE governance_act (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    session_id text COLLATE "C" NOT NULL, -- the claim's, so that the act is erased with it
    claim_id text COLLATE "C" NOT NULL,
    data json NOT NULL
);

CREATE INDEX governance_act_claim ON governance_act (scope_key, claim_id);
CREATE INDEX governance_act_session ON governance_act (scope_key, session_id);

CREATE TABLE transcript (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    path text COLLATE "C" NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, path)
);

-- Graphs: one for each layer of each checkout. An edge or candidate is shown while both its ends are there.

CREATE TABLE graph (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    checkout_id text COLLATE "C" NOT NULL,
    layer text COLLATE "C" NOT NULL,
    modularity double precision NOT NULL DEFAULT 0,
    state json,
    UNIQUE (scope_key, checkout_id, layer)
);

CREATE TABLE graph_file (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    content_hash text NOT NULL,
    coverage json,
    UNIQUE (graph_key, path)
);

CREATE TABLE graph_node (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    file_key bigint NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    qualified_name text COLLATE "C" NOT NULL,
    tail text COLLATE "C" NOT NULL, -- the qualified name's last part
    path text COLLATE "C" NOT NULL,
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    data json NOT NULL,
    words tsvector NOT NULL,
    UNIQUE (graph_key, id)
);

CREATE INDEX graph_node_file ON graph_node (file_key);
CREATE INDEX graph_node_path ON graph_node (graph_key, path);
CREATE INDEX graph_node_tail ON graph_node (graph_key, tail);
CREATE INDEX graph_node_words ON graph_node USING gin (words);

CREATE TABLE graph_edge (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    file_key bigint NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (graph_key, source, target, kind)
);

CREATE INDEX graph_edge_file ON graph_edge (file_key);
CREATE INDEX graph_edge_target ON graph_edge (graph_key, target, kind);

CREATE TABLE graph_open_call (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    file_key bigint NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    caller text COLLATE "C" NOT NULL,
    is_external boolean NOT NULL,
    candidates text[] COLLATE "C" NOT NULL,
    data json NOT NULL
);

CREATE INDEX graph_open_call_file ON graph_open_call (file_key);
CREATE INDEX graph_open_call_caller ON graph_open_call (graph_key, caller);
CREATE INDEX graph_open_call_candidates ON graph_open_call USING gin (candidates);

-- What linking remembers of a file, and hashes of what its links depend on.
CREATE TABLE graph_section (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    file_key bigint NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (file_key, name)
);

CREATE TABLE graph_asked (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    hash bigint NOT NULL,
    file_key bigint NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    PRIMARY KEY (graph_key, hash, file_key)
);

CREATE INDEX graph_asked_file ON graph_asked (file_key);

CREATE TABLE graph_community (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    level integer NOT NULL,
    id bigint NOT NULL,
    parent bigint,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (graph_key, level, id)
);

CREATE TABLE graph_member (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    graph_key bigint NOT NULL REFERENCES graph (key) ON DELETE CASCADE,
    level integer NOT NULL,
    community bigint NOT NULL,
    node_id text COLLATE "C" NOT NULL,
    rank integer, -- among the central ones
    PRIMARY KEY (graph_key, level, node_id)
);

DO $$
DECLARE
    held text;
BEGIN
    FOR held IN
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'tenant'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', held);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (tenant = pckc_tenant()) WITH CHECK (tenant = pckc_tenant())', held
        );
    END LOOP;
END
$$;
