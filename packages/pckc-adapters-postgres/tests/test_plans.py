"""Under row-level security, too, what is asked often is found by an index."""

from collections.abc import Iterator

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings, connections
from pckc_adapters_postgres.fulltext import COUNTED
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


def test_references_are_checked_by_an_index(settings: PostgresSettings, graph: int) -> None:
    """How they are is planned once and kept: a plan for a table of one row would read all of a large one each time."""
    with psycopg.connect(settings.url, autocommit=True) as owner:
        owner.execute(f'ANALYZE "{settings.schema}".graph'.encode())
    with connections(settings, Part.CANONICAL) as pool, pool.writing("local") as connection:
        asked = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relid = to_regclass('graph')"
        rows = [(graph, f"file {number}", "", "") for number in range(30)]
        connection.insert("graph_file", ("graph_key", "path", "language", "content_hash"), rows)
        assert connection.value("SELECT count(*) FROM graph_file") == len(rows) + 1
        assert not connection.value(asked)


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


@pytest.fixture
def parallel(settings: PostgresSettings) -> Iterator[None]:
    """Let the server take several processes for whatever it can."""
    names = ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size")
    with psycopg.connect(settings.url, autocommit=True) as owner:
        for name in names:
            owner.execute(f"ALTER DATABASE postgres SET {name} = 0".encode())
        try:
            yield
        finally:
            for name in names:
                owner.execute(f"ALTER DATABASE postgres RESET {name}".encode())


@pytest.mark.usefixtures("parallel")
def test_searches_where_the_server_works_in_parallel(settings: PostgresSettings) -> None:
    """Its estimates are read from a plan, which has another shape then."""
    with CANONICAL.open(settings) as store:
        with store.writing(SCOPE) as work:
            work.documents.put(
                content(document("src/a.py"), *(f"alpha beta {number}" for number in range(COUNTED + 500)))
            )
        with psycopg.connect(settings.url, autocommit=True) as owner:
            owner.execute(f'ANALYZE "{settings.schema}".passage'.encode())
        with store.reading(SCOPE) as work:
            query = LexicalQuery(words=("alpha", "beta", "gamma"))
            assert len(work.passages.search(Layer.CHUNK, query, where=PassageFilter(), limit=300)) == 300
