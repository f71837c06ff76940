"""Every SQL statement of the graphs. List parameters are JSON arrays; ``:graph`` is the graph's key."""
# ruff: noqa: S608 - what is put together here are constants of this module

# graphs

GRAPH_KEY = "SELECT key FROM graph WHERE scope_key = ? AND checkout_id = ? AND layer = ?"

INSERT_GRAPH = """
    INSERT OR IGNORE INTO graph (scope_key, checkout_id, layer, modularity, state) VALUES (?, ?, ?, 0, '')
"""

GRAPHS = """
    SELECT checkout_id, layer FROM graph
    WHERE scope_key = ? AND (state <> '' OR EXISTS (SELECT 1 FROM graph_file WHERE graph_key = graph.key))
    ORDER BY checkout_id, layer
"""

DELETE_GRAPH = "DELETE FROM graph WHERE key = ?"

STATE = "SELECT state FROM graph WHERE key = ?"

PUT_STATE = "UPDATE graph SET state = ? WHERE key = ?"

# files

PUT_FILE = """
    INSERT INTO graph_file (graph_key, path, language, content_hash, skipped, problems) VALUES (?, ?, ?, ?, '', '')
    ON CONFLICT DO UPDATE SET language = excluded.language, content_hash = excluded.content_hash
"""

PUT_COVERAGE = "UPDATE graph_file SET skipped = ?, problems = ? WHERE key = ?"

FILE_KEYS = "SELECT path, key FROM graph_file WHERE graph_key = ? AND path IN (SELECT value FROM json_each(?))"

FILES = "SELECT path, language, content_hash, skipped FROM graph_file WHERE graph_key = ? ORDER BY path"

COVERAGE = "SELECT path, language, problems, skipped FROM graph_file WHERE graph_key = ? ORDER BY path"

DELETE_FILES = "DELETE FROM graph_file WHERE key IN (SELECT value FROM json_each(?))"

# memory

PUT_SECTION = """
    INSERT INTO graph_section (file_key, name, data) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET data = excluded.data
"""

SECTIONS = """
    SELECT f.path, s.data FROM json_each(:paths) p
    CROSS JOIN graph_file f ON f.graph_key = :graph AND f.path = p.value
    CROSS JOIN graph_section s ON s.file_key = f.key AND s.name = :section
"""

ASKED = "SELECT hash FROM graph_asked WHERE file_key = ?"

INSERT_ASKED = "INSERT INTO graph_asked (graph_key, hash, file_key) VALUES (?, ?, ?)"

DELETE_ASKED = "DELETE FROM graph_asked WHERE graph_key = ? AND hash = ? AND file_key = ?"

ASKERS = """
    SELECT DISTINCT f.path FROM json_each(?2) h
    CROSS JOIN graph_asked a ON a.graph_key = ?1 AND a.hash = h.value
    CROSS JOIN graph_file f ON f.key = a.file_key
    ORDER BY f.path
"""

# nodes

NODE_COLUMNS = """
    n.id, f.path, f.language, n.kind, n.name, n.qualified_name, n.path, n.language, n.start_line, n.end_line, n.ordinal,
    n.start_byte, n.end_byte, n.signature, n.doc, n.visibility, n.text, m.community, n.key
"""

NODES = f"""
    SELECT {NODE_COLUMNS} FROM graph_node n
    JOIN graph_file f ON f.key = n.file_key
    LEFT JOIN graph_member m ON m.graph_key = n.graph_key AND m.node_key = n.key AND m.level = 0
    WHERE n.graph_key = :graph
"""

NODES_BY_HASH = f"{NODES} AND n.hash IN (SELECT value FROM json_each(:hashes))"

NODES_BY_TAIL = f"""
    {NODES} AND n.tail = :tail AND n.kind <> 'rationale'
    AND (n.qualified_name = :name OR substr(n.qualified_name, -length(:name) - 1) = '.' || :name)
"""

NODES_BY_KEY = f"{NODES} AND n.key IN (SELECT value FROM json_each(:keys))"

NODES_AT = f"""
    {NODES} AND n.file_key = (SELECT key FROM graph_file WHERE graph_key = :graph AND path = :path)
    AND n.start_line <= :last AND n.end_line >= :first
"""

QUALIFIED_NAMES = """
    SELECT DISTINCT qualified_name FROM graph_node
    WHERE graph_key = ? AND file_key IS NOT NULL AND kind <> 'rationale'
"""

SEARCH_NODES = """
    SELECT n.key, n.id, f.rank FROM graph_symbol_fts f CROSS JOIN graph_node n ON n.key = f.rowid
    WHERE graph_symbol_fts MATCH :match AND f.rank MATCH :weights AND n.graph_key = :graph
    ORDER BY f.rank
"""

PUT_NODE = """
    INSERT INTO graph_node (
        graph_key, hash, file_key, tail, kind, id, name, qualified_name, path, language, start_line, end_line, ordinal,
        start_byte, end_byte, signature, doc, visibility, text, terms
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (graph_key, hash) DO UPDATE SET
        file_key = excluded.file_key, tail = excluded.tail, kind = excluded.kind, id = excluded.id,
        name = excluded.name, qualified_name = excluded.qualified_name, path = excluded.path,
        language = excluded.language, start_line = excluded.start_line, end_line = excluded.end_line,
        ordinal = excluded.ordinal, start_byte = excluded.start_byte, end_byte = excluded.end_byte,
        signature = excluded.signature, doc = excluded.doc, visibility = excluded.visibility, text = excluded.text,
        terms = excluded.terms
"""

NAME_NODE = "INSERT OR IGNORE INTO graph_node (graph_key, hash) VALUES (?, ?)"

NODE_KEYS = "SELECT hash, key FROM graph_node WHERE graph_key = ? AND hash IN (SELECT value FROM json_each(?))"

# Only those that their file has.
FOUND_KEYS = f"{NODE_KEYS} AND file_key IS NOT NULL"

_OF_FILES = "(SELECT key FROM graph_node WHERE file_key IN (SELECT value FROM json_each(:files)))"

DETACH_NODES = """
    UPDATE graph_node
    SET file_key = NULL, tail = 0, kind = '', id = '', name = '', qualified_name = '', path = NULL, language = NULL,
        signature = '', doc = '', visibility = '', text = '', terms = ''
    WHERE file_key IN (SELECT value FROM json_each(:files))
"""

DELETE_ORPHANED_MEMBERS = """
    DELETE FROM graph_member
    WHERE graph_key = :graph
      AND node_key IN (SELECT key FROM graph_node WHERE graph_key = :graph AND file_key IS NULL)
"""

DELETE_ORPHANS = """
    DELETE FROM graph_node
    WHERE graph_key = :graph AND file_key IS NULL
      AND NOT EXISTS (SELECT 1 FROM graph_edge e WHERE e.graph_key = :graph AND e.target_key = graph_node.key)
      AND NOT EXISTS (SELECT 1 FROM graph_candidate c WHERE c.graph_key = :graph AND c.node_key = graph_node.key)
"""

COUNT_NODES = "SELECT kind, count(*) FROM graph_node WHERE graph_key = ? AND file_key IS NOT NULL GROUP BY kind"

COUNT_FILES = "SELECT count(*) FROM graph_file WHERE graph_key = ?"

# edges

EDGE_COLUMNS = "e.source_key, e.target_key, e.kind, e.evidence, e.origin, e.sites, e.imports"

EDGES = f"SELECT {EDGE_COLUMNS} FROM graph_edge e WHERE e.graph_key = :graph"

# The planner knows nothing of how many there are: the order of the joins is ours.
EDGES_FROM = f"""
    SELECT {EDGE_COLUMNS} FROM json_each(:keys) k
    CROSS JOIN graph_edge e ON e.graph_key = :graph AND e.source_key = k.value
"""

EDGES_TO = f"""
    SELECT {EDGE_COLUMNS} FROM json_each(:keys) k
    CROSS JOIN graph_edge e INDEXED BY graph_edge_target ON e.graph_key = :graph AND e.target_key = k.value
"""

OF_KINDS = "WHERE e.kind IN (SELECT value FROM json_each(:kinds))"

NAMES = """
    SELECT n.key, n.id, f.path FROM json_each(?) k
    CROSS JOIN graph_node n ON n.key = k.value
    CROSS JOIN graph_file f ON f.key = n.file_key
"""

ALL_NAMES = """
    SELECT n.key, n.id, f.path FROM graph_node n JOIN graph_file f ON f.key = n.file_key WHERE n.graph_key = ?
"""

PUT_EDGE = """
    INSERT OR REPLACE INTO graph_edge (graph_key, source_key, target_key, kind, evidence, origin, sites, imports)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_EDGES_FROM = f"DELETE FROM graph_edge WHERE graph_key = :graph AND source_key IN {_OF_FILES}"

DELETE_EDGES_TO = f"DELETE FROM graph_edge WHERE graph_key = :graph AND target_key IN {_OF_FILES}"

COUNT_EDGES = """
    SELECT e.kind, count(*) FROM graph_edge e JOIN graph_node t ON t.key = e.target_key
    WHERE e.graph_key = ? AND t.file_key IS NOT NULL GROUP BY e.kind
"""

_COUNTED = """
    graph_key = :graph AND kind <> 'contains'
    AND target_key NOT IN (SELECT key FROM graph_node WHERE graph_key = :graph AND file_key IS NULL)
"""

DEGREES = f"""
    SELECT node_key, sum(number) AS degree FROM (
        SELECT source_key AS node_key, count(*) AS number FROM graph_edge WHERE {_COUNTED} GROUP BY source_key
        UNION ALL
        SELECT target_key, count(*) FROM graph_edge INDEXED BY graph_edge_target WHERE {_COUNTED} GROUP BY target_key
    )
    GROUP BY node_key ORDER BY degree DESC
"""

# open calls

OPEN_CALLS = "SELECT c.key, c.caller_key, c.name, c.external, c.site FROM graph_open_call c WHERE c.graph_key = :graph"

OPEN_CALLS_OF = """
    SELECT c.key, c.caller_key, c.name, c.external, c.site FROM json_each(:callers) k
    CROSS JOIN graph_open_call c ON c.graph_key = :graph AND c.caller_key = k.value
    UNION
    SELECT c.key, c.caller_key, c.name, c.external, c.site FROM json_each(:candidates) k
    CROSS JOIN graph_candidate m ON m.graph_key = :graph AND m.node_key = k.value
    CROSS JOIN graph_open_call c ON c.key = m.call_key
"""

OPEN_CALLS_NAMED = """
    SELECT c.key, c.caller_key, c.name, c.external, c.site FROM json_each(:names) k
    CROSS JOIN graph_open_call c ON c.graph_key = :graph
        AND (c.name = k.value OR substr(c.name, -length(k.value) - 1) = '.' || k.value)
"""

CANDIDATES = """
    SELECT c.call_key, c.node_key FROM json_each(?) k CROSS JOIN graph_candidate c ON c.call_key = k.value
    ORDER BY c.call_key, c.place
"""

ALL_CANDIDATES = "SELECT call_key, node_key FROM graph_candidate WHERE graph_key = ? ORDER BY call_key, place"

NEXT_CALL = "SELECT coalesce(max(key), 0) + 1 FROM graph_open_call"

INSERT_OPEN_CALL = """
    INSERT INTO graph_open_call (key, graph_key, caller_key, name, external, site) VALUES (?, ?, ?, ?, ?, ?)
"""

INSERT_CANDIDATE = """
    INSERT OR IGNORE INTO graph_candidate (graph_key, node_key, call_key, place) VALUES (?, ?, ?, ?)
"""

DELETE_CANDIDATES_OF = f"DELETE FROM graph_candidate WHERE graph_key = :graph AND node_key IN {_OF_FILES}"

DELETE_OPEN_CALLS = f"DELETE FROM graph_open_call WHERE graph_key = :graph AND caller_key IN {_OF_FILES}"

COUNT_OPEN_CALLS = "SELECT external <> '', count(*) FROM graph_open_call WHERE graph_key = ? GROUP BY external <> ''"

# communities

PUT_MODULARITY = "UPDATE graph SET modularity = ? WHERE key = ?"

MODULARITY = "SELECT modularity FROM graph WHERE key = ?"

DELETE_COMMUNITIES = (
    "DELETE FROM graph_member WHERE graph_key = ?",
    "DELETE FROM graph_community WHERE graph_key = ?",
)

INSERT_COMMUNITY = "INSERT INTO graph_community (graph_key, level, id, parent, name) VALUES (?, ?, ?, ?, ?)"

INSERT_MEMBER = """
    INSERT INTO graph_member (graph_key, node_key, level, community, rank) VALUES (?, ?, ?, ?, ?)
"""

COMMUNITIES = "SELECT level, id, parent, name FROM graph_community WHERE graph_key = ? ORDER BY level, id"

MEMBERS = """
    SELECT m.level, m.community, m.rank, n.id, f.path FROM graph_member m
    JOIN graph_node n ON n.key = m.node_key JOIN graph_file f ON f.key = n.file_key
    WHERE m.graph_key = ?
"""
