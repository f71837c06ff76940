-- What rules conclude from the edges of a graph, beside them, and what it was concluded from.

CREATE TABLE inference (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    scope_key bigint NOT NULL REFERENCES scope (key),
    layer text COLLATE "C" NOT NULL,
    checkout_id text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL, -- of the rules and edges
    stopped text NOT NULL, -- why not everything was concluded
    UNIQUE (scope_key, layer, checkout_id)
);

CREATE TABLE inferred_edge (
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    inference_key bigint NOT NULL REFERENCES inference (key) ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    confidence double precision NOT NULL,
    depth integer NOT NULL,
    rule_id text COLLATE "C" NOT NULL,
    premises json NOT NULL, -- a list of source, target and kind
    PRIMARY KEY (inference_key, source, target, kind)
);

CREATE INDEX inferred_edge_target ON inferred_edge (inference_key, target);
CREATE INDEX inferred_edge_id ON inferred_edge (id);

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['inference', 'inferred_edge'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', made);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', made);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (tenant = pckc_tenant()) WITH CHECK (tenant = pckc_tenant())', made
        );
    END LOOP;
END
$$;
