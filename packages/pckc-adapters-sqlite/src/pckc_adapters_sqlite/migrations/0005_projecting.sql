-- What those who feed projections from the outbox leave for each other.

-- A change that a projection could not take in. It goes when its entity is queued again.
CREATE TABLE set_aside (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    projection TEXT NOT NULL,
    seq INTEGER NOT NULL,
    operation TEXT NOT NULL,
    tries INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (scope_key, kind, entity_id, projection)
) WITHOUT ROWID;

CREATE INDEX set_aside_seq ON set_aside (scope_key, projection, seq);

CREATE TABLE lease (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (scope_key, name)
) WITHOUT ROWID;

-- Which of a projection's two indexes serves, and which one is being built.
CREATE TABLE generation (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    projection TEXT NOT NULL,
    serving INTEGER NOT NULL,
    building INTEGER,
    PRIMARY KEY (scope_key, projection)
) WITHOUT ROWID;
