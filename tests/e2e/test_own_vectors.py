"""Vectors in a file of each machine, beside a store that all share: none misses what another one has taken."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pckc_adapters_postgres.testing import server_url

from .conftest import environ_at
from .hash_embedder import write_embedder
from .program import Program, Repository

CONFIG = '[canonical]\nbackend = "postgres"\nurl = "{url}"\nschema = "{schema}"\n'


@pytest.fixture
def config(tmp_path: Path) -> Iterator[str]:
    """Yield the configuration of an empty store on a server; the vectors are in a file, as by default."""
    schema = f"pckc_own_{os.getpid()}"
    with server_url() as url:
        yield CONFIG.format(url=url, schema=schema)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


def machine(folder: Path, config: str, *, of: Path | None = None) -> tuple[Program, Repository]:
    """Return a person's program and work tree, a clone when *of* is named; the paths differ, the project does not."""
    write_embedder(folder / "plugin")
    environ = environ_at(folder / "home")
    environ |= {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(folder / "plugin"), environ.get("PYTHONPATH")))),
        "PCKC_EMBEDDER": "hash",
    }
    settings = folder / "home" / "config" / "pckc"
    settings.mkdir(parents=True)
    (settings / "pckc.toml").write_text(config, encoding="utf-8")
    repository = Repository(folder / "repo", environ, with_git=of is None)
    if of is not None:
        repository.git("clone", "--quiet", str(of), ".")
    return Program(folder=repository.root, environ=environ), repository


def vectors_of(program: Program) -> dict[str, int]:
    """Return how far this machine's vectors are."""
    found: dict[str, int] = program("stats", "--json").json["coverage"]["vectors"]
    return {name: found[name] for name in ("indexed", "total", "behind")}


def test_each_machine_has_every_vector(tmp_path: Path, config: str) -> None:
    """Whoever comes first; what one adds or takes away, the other follows as well."""
    here, repository = machine(tmp_path / "here", config)
    repository.write("docs/lease.md", "# Lease\n\nThe lease must never be renewed after it expired.\n")
    repository.write("docs/queue.md", "# Queue\n\nThe queue must keep the order of its entries.\n")
    repository.commit("all")
    here("index")
    there, clone = machine(tmp_path / "there", config, of=repository.root)
    there("index")
    for program in (here, there):
        found = vectors_of(program)
        assert found["indexed"] == found["total"] > 0
        assert found["behind"] == 0
    clone.replace("docs/queue.md", "order of its entries", "priority of its entries")
    there("index")
    here("worker", "--once")
    queries = [program("search", "--json", "--semantic", "always", "priority").json for program in (here, there)]
    assert [found["signals"] for found in queries] == ["hybrid", "hybrid"]
    assert vectors_of(here)["behind"] == vectors_of(there)["behind"] == 0
    assert vectors_of(here)["indexed"] == vectors_of(there)["indexed"]


def test_vectors_of_another_dimension_are_refused_until_they_are_rebuilt(tmp_path: Path, config: str) -> None:
    """Answers come by words and say so; the rebuild that the error names makes all well."""
    program, repository = machine(tmp_path / "here", config)
    repository.write("docs/lease.md", "# Lease\n\nThe lease must never be renewed after it expired.\n")
    repository.commit("all")
    program("index")
    plugin = tmp_path / "here" / "plugin" / "pckc_hash.py"
    plugin.write_text(plugin.read_text().replace("HashEmbedder()", "HashEmbedder(128)"))
    found = program("search", "--json", "--semantic", "always", "lease").json
    assert found["results"]
    assert found["signals"].startswith("lexical only: the vector index holds hash (64 dimensions), not hash (128")
    repository.write("docs/queue.md", "# Queue\n\nThe queue must keep its order.\n")
    noted = program("index")
    assert "vectors are not" in noted.stderr
    assert "hash (64 dimensions)" in noted.stderr
    worker = program("worker", "--once", "--json", check=False)
    assert worker.code == 3
    program("rebuild", "--vectors")
    assert program("search", "--json", "--semantic", "always", "lease").json["signals"] == "hybrid"
    assert vectors_of(program)["behind"] == 0


def test_an_index_that_lost_its_vectors_is_told(tmp_path: Path, config: str) -> None:
    """Nothing is behind, and nothing is there: no search is called hybrid, and what to run is named."""
    program, repository = machine(tmp_path / "here", config)
    repository.write("docs/lease.md", "# Lease\n\nThe lease must never be renewed after it expired.\n")
    repository.commit("all")
    program("index")
    assert program("stats", "--json").json["missing_vectors"] == 0
    for file in (tmp_path / "here" / "home").rglob("*.db*"):
        file.unlink()
    stats = program("stats", "--json").json
    assert stats["missing_vectors"] == stats["wanted_vectors"] > 0
    assert "are missing; run `pckc rebuild --vectors`" in program("stats").stdout
    found = program("search", "--json", "--semantic", "always", "lease").json
    assert found["results"]
    assert found["signals"].startswith("lexical only: the vector index is empty")
    (told,) = (check for check in program("doctor", "--json", check=False).json["checks"] if check["name"] == "vectors")
    assert not told["ok"]
    assert f"{stats['wanted_vectors']} of {stats['wanted_vectors']} are missing" in told["detail"]
    program("rebuild", "--vectors")
    assert program("stats", "--json").json["missing_vectors"] == 0
    assert program("search", "--json", "--semantic", "always", "lease").json["signals"] == "hybrid"
