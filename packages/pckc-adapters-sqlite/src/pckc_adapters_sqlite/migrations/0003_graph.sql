-- Graphs: one for each layer of each checkout. Whatever joins two nodes names its graph, and both nodes must be of it.

CREATE TABLE graph (
    key INTEGER PRIMARY KEY,
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    checkout_id TEXT NOT NULL,
    layer TEXT NOT NULL,
    modularity REAL NOT NULL,
    state TEXT NOT NULL, -- JSON object; '' before there is one
    UNIQUE (scope_key, checkout_id, layer)
);

CREATE TABLE graph_file (
    key INTEGER PRIMARY KEY,
    graph_key INTEGER NOT NULL REFERENCES graph (key),
    path TEXT NOT NULL,
    language TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    skipped TEXT NOT NULL,
    problems TEXT NOT NULL, -- JSON list
    UNIQUE (graph_key, path)
);

-- A node without a file is named by others only: its file is yet to come or has lost it, and it holds no text.
CREATE TABLE graph_node (
    key INTEGER PRIMARY KEY,
    graph_key INTEGER NOT NULL REFERENCES graph (key),
    hash INTEGER NOT NULL, -- of the id
    file_key INTEGER REFERENCES graph_file (key),
    tail INTEGER NOT NULL DEFAULT 0, -- hash of the qualified name's last part
    kind TEXT NOT NULL DEFAULT '',
    id TEXT NOT NULL DEFAULT '', -- without the file's path where it begins with that
    name TEXT NOT NULL DEFAULT '',
    qualified_name TEXT NOT NULL DEFAULT '',
    path TEXT, -- where it is not the file's
    language TEXT, -- where it is not the file's
    start_line INTEGER NOT NULL DEFAULT 0,
    end_line INTEGER NOT NULL DEFAULT 0,
    ordinal INTEGER NOT NULL DEFAULT 0,
    start_byte INTEGER NOT NULL DEFAULT 0,
    end_byte INTEGER NOT NULL DEFAULT 0,
    signature TEXT NOT NULL DEFAULT '',
    doc TEXT NOT NULL DEFAULT '',
    visibility TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',
    terms TEXT NOT NULL DEFAULT '',
    UNIQUE (graph_key, hash),
    UNIQUE (graph_key, key)
);

CREATE INDEX graph_node_file ON graph_node (file_key);
CREATE INDEX graph_node_tail ON graph_node (graph_key, tail) WHERE file_key IS NOT NULL;
CREATE INDEX graph_node_orphan ON graph_node (graph_key) WHERE file_key IS NULL;

CREATE VIEW graph_symbol AS
SELECT n.key, n.file_key, n.name, n.qualified_name, n.signature, n.doc, n.text, coalesce(n.path, f.path) AS path, n.terms
FROM graph_node n JOIN graph_file f ON f.key = n.file_key;

CREATE VIRTUAL TABLE graph_symbol_fts USING fts5 (
    name, qualified_name, signature, doc, text, path, terms,
    content = 'graph_symbol', content_rowid = 'key', tokenize = 'porter unicode61'
);

CREATE TABLE graph_edge (
    graph_key INTEGER NOT NULL,
    source_key INTEGER NOT NULL,
    target_key INTEGER NOT NULL,
    kind TEXT NOT NULL,
    evidence TEXT NOT NULL,
    origin TEXT NOT NULL,
    sites BLOB NOT NULL, -- four uint32 each; JSON where one lies in another file than the source
    imports TEXT NOT NULL, -- JSON list
    PRIMARY KEY (graph_key, source_key, target_key, kind),
    FOREIGN KEY (graph_key, source_key) REFERENCES graph_node (graph_key, key),
    FOREIGN KEY (graph_key, target_key) REFERENCES graph_node (graph_key, key)
) WITHOUT ROWID;

CREATE INDEX graph_edge_target ON graph_edge (graph_key, target_key, kind);

CREATE TABLE graph_open_call (
    key INTEGER PRIMARY KEY,
    graph_key INTEGER NOT NULL,
    caller_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    external TEXT NOT NULL,
    site BLOB NOT NULL, -- as those of edges
    FOREIGN KEY (graph_key, caller_key) REFERENCES graph_node (graph_key, key)
);

CREATE INDEX graph_open_call_caller ON graph_open_call (graph_key, caller_key);

CREATE TABLE graph_candidate (
    graph_key INTEGER NOT NULL,
    node_key INTEGER NOT NULL,
    call_key INTEGER NOT NULL REFERENCES graph_open_call (key) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    PRIMARY KEY (graph_key, node_key, call_key),
    FOREIGN KEY (graph_key, node_key) REFERENCES graph_node (graph_key, key)
) WITHOUT ROWID;

CREATE INDEX graph_candidate_call ON graph_candidate (call_key);

-- What linking remembers of a file.
CREATE TABLE graph_section (
    key INTEGER PRIMARY KEY,
    file_key INTEGER NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (file_key, name)
);

-- Hashes of what the links of a file depend on.
CREATE TABLE graph_asked (
    graph_key INTEGER NOT NULL REFERENCES graph (key),
    hash INTEGER NOT NULL,
    file_key INTEGER NOT NULL REFERENCES graph_file (key) ON DELETE CASCADE,
    PRIMARY KEY (graph_key, hash, file_key)
) WITHOUT ROWID;

CREATE INDEX graph_asked_file ON graph_asked (file_key);

CREATE TABLE graph_community (
    graph_key INTEGER NOT NULL REFERENCES graph (key),
    level INTEGER NOT NULL,
    id INTEGER NOT NULL,
    parent INTEGER,
    name TEXT NOT NULL,
    PRIMARY KEY (graph_key, level, id)
) WITHOUT ROWID;

CREATE TABLE graph_member (
    graph_key INTEGER NOT NULL,
    node_key INTEGER NOT NULL,
    level INTEGER NOT NULL,
    community INTEGER NOT NULL,
    rank INTEGER, -- among the central ones
    PRIMARY KEY (graph_key, node_key, level),
    FOREIGN KEY (graph_key, node_key) REFERENCES graph_node (graph_key, key) ON DELETE CASCADE
) WITHOUT ROWID;
