-- What those who feed projections from the outbox leave for each other.

-- A change that a projection could not take in. It goes when its entity is queued again.
CREATE TABLE set_aside (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    kind text COLLATE "C" NOT NULL,
    entity_id text COLLATE "C" NOT NULL,
    projection text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    operation text NOT NULL,
    tries integer NOT NULL,
    error text NOT NULL,
    PRIMARY KEY (scope_key, kind, entity_id, projection)
);

CREATE INDEX set_aside_seq ON set_aside (scope_key, projection, seq);

CREATE TABLE lease (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    name text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (scope_key, name)
);

-- Which of a projection's two indexes serves, and which one is being built.
CREATE TABLE generation (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    projection text COLLATE "C" NOT NULL,
    serving integer NOT NULL,
    building integer,
    PRIMARY KEY (scope_key, projection)
);

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['set_aside', 'lease', 'generation'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', made);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', made);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (tenant = pckc_tenant()) WITH CHECK (tenant = pckc_tenant())', made
        );
    END LOOP;
END
$$;
