-- Vectors of each project, in one space at a time. Needs pgvector, which is why these are migrations of their own.

CREATE TABLE embedding_space (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL DEFAULT coalesce(current_setting('pckc.tenant', true), ''),
    project text COLLATE "C" NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL,
    metric text NOT NULL,
    UNIQUE (tenant, project)
);

-- Up to the size of a page a vector stays in its row, so that comparing them all reads the table in order.
CREATE TABLE embedding (
    tenant text COLLATE "C" NOT NULL DEFAULT coalesce(current_setting('pckc.tenant', true), ''),
    space_key bigint NOT NULL REFERENCES embedding_space (key) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    partition text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    vector vector NOT NULL,
    PRIMARY KEY (space_key, id)
) WITH (toast_tuple_target = 8160);

CREATE INDEX embedding_owner ON embedding (space_key, owner);
CREATE INDEX embedding_partition ON embedding (space_key, partition);

ALTER TABLE embedding_space ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding_space FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON embedding_space
    USING (tenant = coalesce(current_setting('pckc.tenant', true), ''))
    WITH CHECK (tenant = coalesce(current_setting('pckc.tenant', true), ''));

ALTER TABLE embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON embedding
    USING (tenant = coalesce(current_setting('pckc.tenant', true), ''))
    WITH CHECK (tenant = coalesce(current_setting('pckc.tenant', true), ''));

-- Only an owner may make an index: this does it, for one space, in the owner's name.
CREATE FUNCTION pckc_index_embeddings(space bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
    size integer := (
        SELECT dimensions FROM embedding_space WHERE key = space AND tenant = current_setting('pckc.tenant', true)
    );
BEGIN
    IF size IS NOT NULL THEN -- the space is the tenant's own
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS embedding_hnsw_%s ON embedding'
            ' USING hnsw ((vector::vector(%s)) vector_cosine_ops) WHERE space_key = %s',
            space, size, space
        );
    END IF;
END
$$;

CREATE FUNCTION pckc_drop_embedding_index(space bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM embedding_space WHERE key = space AND tenant = current_setting('pckc.tenant', true)
    ) THEN
        EXECUTE format('DROP INDEX IF EXISTS embedding_hnsw_%s', space);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION pckc_index_embeddings, pckc_drop_embedding_index FROM PUBLIC;
