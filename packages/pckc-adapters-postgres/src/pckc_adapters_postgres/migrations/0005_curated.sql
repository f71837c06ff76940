-- Curated knowledge: how the chunks of documents were distilled, verdicts on claims, gaps and traces. Where a passage
-- stands in its document is part of its data.

CREATE TABLE distillation (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    owner_id text COLLATE "C" NOT NULL, -- of the assertions read from the chunk
    uri text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    is_done boolean NOT NULL,
    is_failed boolean NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, owner_id)
);

CREATE INDEX distillation_uri ON distillation (scope_key, uri);
CREATE INDEX distillation_document ON distillation (scope_key, document_id);
CREATE INDEX distillation_undone ON distillation (scope_key, owner_id) WHERE NOT is_done;

CREATE TABLE verdict (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    claim_id text COLLATE "C" NOT NULL,
    other_id text COLLATE "C" NOT NULL, -- empty for a new claim
    method text COLLATE "C" NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, claim_id, other_id, method)
);

CREATE INDEX verdict_other ON verdict (scope_key, other_id) WHERE other_id <> '';

CREATE TABLE gap (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    priority text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, id)
);

CREATE TABLE trace (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL, -- empty when it belongs to none
    at timestamptz NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (scope_key, id)
);

CREATE INDEX trace_time ON trace (scope_key, at DESC, id);
CREATE INDEX trace_session ON trace (scope_key, session_id, at DESC, id);

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['distillation', 'verdict', 'gap', 'trace'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', made);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', made);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (tenant = pckc_tenant()) WITH CHECK (tenant = pckc_tenant())', made
        );
    END LOOP;
END
$$;
