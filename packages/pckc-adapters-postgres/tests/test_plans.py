"""Under row-level security, too, what is asked often is found by an index."""

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings, connections
from pckc_adapters_postgres.graph_links import CALLS, CALLS_OF, MEANING
from pckc_adapters_postgres.migrations import Part
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.query import LexicalQuery
from pckc_domain.testing.samples import SCOPE, content, document

CALLED = 20_000


@pytest.fixture
def graph(settings: PostgresSettings) -> int:
    """Return the key of a graph with many open calls, none like the other."""
    with psycopg.connect(settings.url, autocommit=True) as connection:
        connection.execute(f'SET search_path = "{settings.schema}"'.encode())
        connection.execute("SET pckc.tenant = 'local'")
        connection.execute("INSERT INTO scope (project) VALUES ('p')")
        connection.execute("INSERT INTO graph (scope_key, checkout_id, layer) SELECT key, 'co', 'code' FROM scope")
        connection.execute(
            "INSERT INTO graph_file (graph_key, path, language, content_hash) SELECT key, 'a', '', '' FROM graph"
        )
        connection.execute(
            """
            INSERT INTO graph_open_call (graph_key, file_key, caller, is_external, candidates, data)
            SELECT graph_key, key, 'caller ' || n, false, ARRAY['node ' || n], json_build_object('name', 'a.name' || n)
            FROM graph_file, generate_series(1, %s) AS n
            """,
            (CALLED,),
        )
        connection.execute("ANALYZE graph_open_call")
        row = connection.execute("SELECT key FROM graph").fetchone()
        assert row
        return int(row[0])


def test_open_calls_are_found_by_indexes(settings: PostgresSettings, graph: int) -> None:
    """By caller, by name and by whom they may mean; nothing reads all of them."""
    asked = {"graph": graph, "callers": ["caller 7"], "names": ["name8"], "keys": [9]}
    with connections(settings, Part.CANONICAL) as pool, pool.reading("local") as connection:
        found = connection.rows(f"EXPLAIN {CALLS.format(condition=CALLS_OF)}", asked)
        plan = "\n".join(line for (line,) in found)
        with connection.searching(named=["node 9"]):
            meant = "\n".join(line for (line,) in connection.rows(f"EXPLAIN {MEANING}", (graph,)))
    for index in ("graph_open_call_caller", "graph_open_call_tail", "graph_open_call_pkey"):
        assert index in plan
    assert "graph_open_call_candidates" in meant
    assert "Seq Scan on graph_open_call" not in plan + meant


def test_scores_do_not_depend_on_statistics(settings: PostgresSettings) -> None:
    """The server gathers them whenever it likes; a store of this size is counted."""
    query = LexicalQuery(words=("alpha", "beta"))
    texts = [f"{'alpha ' * (number % 3)} {'beta' if number % 7 == 0 else ''} gamma {number}" for number in range(200)]
    with CANONICAL.open(settings) as store:
        with store.writing(SCOPE) as work:
            work.documents.put(content(document("src/a.py"), *texts))
        scores = []
        for _ in range(2):
            with store.reading(SCOPE) as work:
                found = work.passages.search(Layer.CHUNK, query, where=PassageFilter(), limit=100)
            scores.append([(hit.stored.passage.id, hit.score) for hit in found])
            with psycopg.connect(settings.url, autocommit=True) as connection:
                connection.execute(f'ANALYZE "{settings.schema}".passage'.encode())
    assert len(scores[0]) == 100
    assert scores[0] == scores[1]
