"""`pckc doctor` tells of each engine whether it can be reached, which one it is and what to do; never a secret."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from pckc_adapters_postgres.testing import server_url

from .program import Program

SECRET = "correct-horse-battery"
DOWN = """\
[canonical]
backend = "postgres"
url = "postgresql://me:{secret}@127.0.0.1:9/orders"
password_variable = "ORDERS_LOGIN"
connect_timeout_seconds = 2

[vector]
backend = "{vector}"
url = "http://me:{secret}@127.0.0.1:9"

[graph_index]
backend = "memgraph"
url = "bolt://127.0.0.1:9"
user = "me"
password_variable = "ORDERS_LOGIN"
"""


def checks(program: Program, config: str, *arguments: str, **environ: str) -> dict[str, dict[str, Any]]:
    """Return the checks by name, and look for the secret in all that was said."""
    folder = Path(program.environ["XDG_CONFIG_HOME"]) / "pckc"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pckc.toml").write_text(config, encoding="utf-8")
    answer = program("doctor", "--json", *arguments, check=False, environ={"ORDERS_LOGIN": SECRET, **environ})
    assert SECRET not in answer.stdout + answer.stderr
    return {check["name"]: check for check in answer.json["checks"]}


@pytest.mark.parametrize(("vector", "product"), [("qdrant", "Qdrant"), ("chroma", "Chroma")])
def test_what_is_down_is_told_with_a_remedy(pckc: Program, vector: str, product: str) -> None:
    """Each engine by itself: one that is down hides no other."""
    found = checks(pckc, DOWN.format(secret=SECRET, vector=vector))
    for name, what in (("canonical", "PostgreSQL"), ("vector", product), ("graph_index", "")):
        check = found[f"{name} service"]
        assert not check["ok"]
        assert check["remedy"]
        assert what in check["detail"]
        assert "127.0.0.1:9" in check["detail"]


REFUSED = [
    ("documents", '[documents]\nprivate_networks = ["abc"]', "no network"),
    ("documents", "[documents]\nmax_bytes = -1", "must be >= 1"),
    ("documents", '[documents]\nfolders = "docs"', "expected a list"),
    ("transcripts", '[transcripts]\nplaces = "x"', "expected a list"),
    ("embedding_cache", '[embedding_cache]\nmax_megabytes = "x"', "expected a whole number"),
    ("code_parser", "[code_parser]\nzip = 1", "unknown key 'zip'"),
    ("canonical", '[canonical]\nbackend = "none"', "no canonical backend named 'none'"),
    ("vector", '[vector]\nbackend = "qdrant"', "either url or path"),
    ("http access", '[http]\nhost = "0.0.0.0"', "can be reached by others"),
    ("http access", '[[http.access]]\nvariable = "PCKC_NOBODY"', "PCKC_NOBODY holds no secret"),
    ("config", '[retention]\nprotected = ["decisions"]', "no type of claims"),
]
"""The check that fails, the configuration, and what is said."""


def test_what_is_refused_when_it_is_used_is_told(pckc: Program) -> None:
    """Whichever setting it is, and though nothing is opened."""
    for name, config, said in REFUSED:
        found = checks(pckc, config)
        assert not found[name]["ok"], config
        assert said in found[name]["detail"]
        assert found[name]["remedy"]


def test_an_ollama_that_is_down_is_told_once_for_each_use(pckc: Program) -> None:
    """The embedder and the distiller are asked; those that need no server are not."""
    url = f'backend = "ollama"\nurl = "http://me:{SECRET}@127.0.0.1:9"\n'
    found = checks(pckc, f'[distiller]\n{url}model = "reader"\n[embedder]\n{url}', PCKC_EMBEDDER="ollama")
    for name in ("embedder", "distiller"):
        check = found[f"{name} service"]
        assert not check["ok"]
        assert "127.0.0.1:9" in check["detail"]
        assert "ollama serve" in check["remedy"]
    assert not {"embedder service", "distiller service"} & checks(pckc, "").keys()


def test_what_is_up_tells_its_version(pckc: Program, tmp_path: Path) -> None:
    """Name and version of each engine."""
    with server_url() as url:
        config = f'[canonical]\nbackend = "postgres"\nurl = "{url}"\nschema = "pckc_doctor"\n'
        found = checks(pckc, f'{config}[vector]\nbackend = "qdrant"\npath = "{tmp_path / "vectors"}"\n')
    assert found["canonical service"]["ok"]
    assert found["canonical service"]["detail"].startswith("PostgreSQL 1")
    assert found["vector service"]["ok"]
    assert "Qdrant" in found["vector service"]["detail"]
    assert "graph_index service" not in found


def test_a_store_in_a_file_tells_its_version(pckc: Program, tmp_path: Path) -> None:
    """A chosen path counts as a place of its own."""
    found = checks(pckc, f'[canonical]\nbackend = "sqlite"\npath = "{tmp_path / "store.db"}"\n')
    assert found["canonical service"]["detail"].startswith("SQLite 3.")
    assert "vector service" not in found


def test_a_secret_in_the_wrong_place_is_not_repeated(pckc: Program) -> None:
    """A url where none may hold a password, and a setting that does not exist."""
    for config in (
        f'[graph_index]\nbackend = "memgraph"\nurl = "bolt://me:{SECRET}@127.0.0.1:9"\n',
        f'[canonical]\nbackend = "postgres"\nurl = "postgresql://me:{SECRET}@[broken/orders"\n',
    ):
        found = checks(pckc, config)
        assert not all(check["ok"] for check in found.values())


def test_looking_for_a_store_makes_none(pckc: Program) -> None:
    """Neither a file nor a note of one, and `pckc index` makes it."""
    data = Path(pckc.environ["XDG_DATA_HOME"])
    before = sorted(data.rglob("*"))
    found = checks(pckc, "")
    assert sorted(data.rglob("*")) == before
    assert found["store"]["detail"].startswith("nothing is there yet: SQLite 3.")
    assert "pckc index" in found["store"]["remedy"]
    pckc("index")
    assert all(check["ok"] for check in checks(pckc, "").values())


def test_looking_for_a_chosen_store_makes_none(pckc: Program, tmp_path: Path) -> None:
    """Wherever it would be, also with vectors elsewhere."""
    chosen = tmp_path / "there" / "store.db"
    assert not checks(pckc, "", "--store", str(chosen))["store"]["ok"]
    found = checks(pckc, f'[canonical]\nbackend = "sqlite"\npath = "{chosen}"\n')
    assert "nothing is there yet" in found["canonical service"]["detail"]
    assert "nothing is there yet" in found["store"]["detail"]
    assert not chosen.parent.exists()


def test_looking_into_an_empty_database_makes_nothing(pckc: Program) -> None:
    """Not the schema, not its roles; then it is filled, and the vectors are still to come."""
    tables = ("pg_namespace", "pg_roles", "pg_extension")
    count = " UNION ALL ".join(f"SELECT count(*) FROM {table}" for table in tables)  # noqa: S608 - names above
    with server_url() as url, psycopg.connect(url, autocommit=True) as database:
        store = f'[canonical]\nbackend = "postgres"\nurl = "{url}"\nschema = "pckc_look"\n'
        vectors = f'[vector]\nbackend = "pgvector"\nurl = "{url}"\nschema = "pckc_vectors"\n'
        before = database.execute(count.encode()).fetchall()
        found = checks(pckc, store + vectors)
        assert database.execute(count.encode()).fetchall() == before
        assert found["canonical service"]["detail"].startswith("PostgreSQL 1")
        for name in ("canonical service", "vector service", "store"):
            assert "nothing is there yet" in found[name]["detail"]
            assert "pckc index" in found[name]["remedy"]
        pckc("index")
        assert checks(pckc, store + vectors)["store"]["ok"]
        found = checks(pckc, store + vectors.replace("pckc_vectors", "pckc_more"))
        assert "nothing is there yet" in found["vector service"]["detail"]
        assert not database.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'pckc_more'").fetchone()
