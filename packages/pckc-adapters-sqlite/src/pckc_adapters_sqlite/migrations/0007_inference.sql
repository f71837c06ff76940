-- What rules conclude from the edges of a graph, beside them, and what it was concluded from.

CREATE TABLE inference (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    layer TEXT NOT NULL,
    checkout_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL, -- of the rules and edges
    stopped TEXT NOT NULL, -- why not everything was concluded
    UNIQUE (scope_key, layer, checkout_id)
);

CREATE TABLE inferred_edge (
    inference_key INTEGER NOT NULL REFERENCES inference (key) ON DELETE CASCADE,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    confidence REAL NOT NULL,
    depth INTEGER NOT NULL,
    rule_id TEXT NOT NULL,
    premises TEXT NOT NULL, -- JSON: a list of source, target and kind
    PRIMARY KEY (inference_key, source, target, kind)
) WITHOUT ROWID;

CREATE INDEX inferred_edge_target ON inferred_edge (inference_key, target);
CREATE INDEX inferred_edge_id ON inferred_edge (id);
