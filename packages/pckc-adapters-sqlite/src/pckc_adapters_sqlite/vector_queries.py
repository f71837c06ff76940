"""Every SQL statement of the vector index. List parameters are JSON arrays."""

SPACE = "SELECT model, dimensions, metric, revision, cleared_at FROM vector_space WHERE scope_key = ?"

NEXT_REVISION = """
    INSERT INTO vector_space (scope_key, model, dimensions, metric, revision, cleared_at) VALUES (?, ?, ?, ?, 1, 0)
    ON CONFLICT DO UPDATE SET
        model = excluded.model, dimensions = excluded.dimensions, metric = excluded.metric, revision = revision + 1
    RETURNING revision
"""

CLEAR_SPACE = (
    "UPDATE vector_space SET dimensions = 0, revision = revision + 1, cleared_at = revision + 1 WHERE scope_key = ?"
)

CLEAR_TABLES = (
    "DELETE FROM vector_item WHERE scope_key = ?",
    "DELETE FROM vector_free_slot WHERE scope_key = ?",
    "DELETE FROM vector_block WHERE scope_key = ?",
    "DELETE FROM vector_partition WHERE scope_key = ?",
)

INSERT_PARTITION = "INSERT OR IGNORE INTO vector_partition (scope_key, name) VALUES (?, ?)"

PARTITIONS = "SELECT name, key FROM vector_partition WHERE scope_key = ?"

SLOTS = "SELECT id, slot FROM vector_item WHERE scope_key = ? AND id IN (SELECT value FROM json_each(?))"

FREE_SLOTS = "SELECT slot FROM vector_free_slot WHERE scope_key = ? ORDER BY slot LIMIT ?"

TAKE_FREE_SLOT = "DELETE FROM vector_free_slot WHERE scope_key = ? AND slot = ?"

LAST_SLOT = "SELECT max(slot) FROM vector_item WHERE scope_key = ?"

PUT_ITEM = """
    INSERT OR REPLACE INTO vector_item (scope_key, slot, id, partition_key, owner, vector) VALUES (?, ?, ?, ?, ?, ?)
"""

OWNED_SLOTS = "SELECT slot FROM vector_item WHERE scope_key = ? AND owner IN (SELECT value FROM json_each(?))"

DELETE_ITEM = "DELETE FROM vector_item WHERE scope_key = ? AND slot = ?"

FREE_SLOT = "INSERT INTO vector_free_slot (scope_key, slot) VALUES (?, ?)"

ITEMS = """
    SELECT id, vector FROM vector_item WHERE scope_key = ? AND slot IN (SELECT value FROM json_each(?))
"""

BLOCK = "SELECT partitions, codes FROM vector_block WHERE scope_key = ? AND block = ?"

PUT_BLOCK = """
    INSERT OR REPLACE INTO vector_block (scope_key, block, revision, partitions, codes) VALUES (?, ?, ?, ?, ?)
"""

BLOCKS_SINCE = "SELECT block, partitions, codes FROM vector_block WHERE scope_key = ? AND revision > ?"

BLOCK_PARTITIONS = "SELECT partitions FROM vector_block WHERE scope_key = ?"
