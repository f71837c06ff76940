"""
One story on every combination of stores: what is told and asked is the same, so the answers are.

What must be equal is said by `Seen`. On one canonical store every answer is the same in every
detail, whichever index keeps the vectors. Between canonical stores whatever is told, counted, proven or linked is the
same in every detail; a ranked answer is the same set, since each store weighs words by the full-text engine it has.
"""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from pckc_adapters_postgres.testing import server_url
from pckc_mcp import plugins
from pckc_mcp.cli.main import run

from . import sample
from .conftest import environ_at
from .hash_embedder import write_embedder
from .program import Repository
from .test_sessions import STORY, write

CANONICALS = {
    "sqlite": '[canonical]\nbackend = "sqlite"\npath = "{folder}/store.db"\n',
    "postgres": '[canonical]\nbackend = "postgres"\nurl = "{url}"\nschema = "{schema}"\n',
}
VECTORS = {
    "sqlite": '[vector]\nbackend = "sqlite"\npath = "{folder}/vectors.db"\n',
    "pgvector": '[vector]\nbackend = "pgvector"\nurl = "{url}"\nschema = "{schema}"\n',
    "qdrant": '[vector]\nbackend = "qdrant"\npath = "{folder}/qdrant"\n',
    "chroma": '[vector]\nbackend = "chroma"\npath = "{folder}/chroma"\n',
}
INSTALLED = entry_points(group="pckc.vector").names
COMBINATIONS = [(canonical, vector) for canonical in CANONICALS for vector in VECTORS if vector in INSTALLED]
QUERIES = ("lease", "never renew an expired lease", "which database did we choose", "MAX_RETRIES", "пароли в журнал")
LAYERS = ("claims", "evidence", "symbols", "passages")
RUN_DEPENDENT = {
    "took_ms", "seconds", "embed_seconds", "store", "backend", "bytes_on_disk", "schema_version", "indexed_at",
    "recorded_at", "observed_at", "valid_from", "score", "breakdown",
}  # fmt: skip
"""What depends on when and where an answer was given; files become claims when they are indexed."""


class Seen(NamedTuple):
    """
    What one combination answered.

    Attributes:
        exact: The same on every combination.
        ranked: Ranked ids by question: the same order on one canonical store, the same set on all.
        contexts: Hashes of whole contexts: the same on one canonical store.
    """

    exact: dict[str, Any]
    ranked: dict[str, list[str]]
    contexts: dict[str, str]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Yield a folder with a repository, a home and an embedder that is found as any installed one is."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = Path(folder)
        (root / "home").mkdir()
        for name, value in environ_at(root / "home").items():
            patch.setenv(name, value)
        package = root / "plugin"
        write_embedder(package)
        patch.syspath_prepend(package)
        patch.setenv("PCKC_EMBEDDER", "hash")
        plugins._entries.cache_clear()  # a process reads what is installed once
        sample.fill(Repository(root / "repo", environ_at(root / "home")))
        write(root / "story.jsonl", STORY)
        patch.chdir(root / "repo")
        yield root
    plugins._entries.cache_clear()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield the url of a PostgreSQL with an owner's rights."""
    with server_url() as url:
        yield url


@pytest.fixture(scope="module")
def seen(place: Path, server: str) -> Iterator[Mapping[tuple[str, str], Seen]]:
    """Play the story on every combination, print the table, and yield what each answered."""
    schemas: list[str] = []
    answers: dict[tuple[str, str], Seen] = {}
    for canonical, vector in COMBINATIONS:
        schema = f"pckc_swap_{os.getpid()}_{len(answers)}"
        folder = place / f"{canonical}-{vector}"
        folder.mkdir()
        schemas.append(schema)
        config = (CANONICALS[canonical] + VECTORS[vector]).format(folder=folder, url=server, schema=schema)
        home = place / "home" / "config" / "pckc"
        home.mkdir(parents=True, exist_ok=True)
        (home / "pckc.toml").write_text(config, encoding="utf-8")
        answers[canonical, vector] = play(place)
    print_table(answers)
    yield answers
    with psycopg.connect(server, autocommit=True) as connection:
        for schema in schemas:
            connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


def ask(*arguments: str) -> Any:
    """Run one command in this process and return its answer."""
    (answer,) = ask_all(*arguments)
    return answer


def ask_all(*arguments: str) -> list[Any]:
    """Run one command in this process and return its answers, one a line."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        code = run([*arguments, "--json"])
    assert code == 0, f"{arguments}: {stderr.getvalue()}"
    return [without(json.loads(line), RUN_DEPENDENT) for line in stdout.getvalue().splitlines()]


def without(form: Any, names: set[str]) -> Any:
    """Return an answer without what depends on when and where it was given."""
    if isinstance(form, dict):
        return {key: without(value, names) for key, value in form.items() if key not in names}
    return [without(each, names) for each in form] if isinstance(form, list) else form


def play(place: Path) -> Seen:
    """Tell the whole story and ask everything."""
    exact: dict[str, Any] = {}
    ask("init")
    exact["imported"] = ask("import", str(place / "story.jsonl"))
    exact["indexed"] = ask("index")
    exact["stats"] = ask("stats")
    exact["claims"] = ask("claims", "--all")
    ids = [claim["id"] for claim in exact["claims"]["results"]]
    exact["why"] = [ask("why", id_) for id_ in ids[:4]]
    exact["verified"] = ask("verify", *ids[:4])
    exact["callers"] = ask("graph", "callers", "LeaseExpiredError")
    exact["impact"] = ask("graph", "impact", "LeaseTable")
    ranked = ranks(place)
    contexts = {task: ask("context", task, "--semantic", "always")["hash"] for task in QUERIES[:2]}
    session = next(claim["session"] for claim in exact["claims"]["results"] if "DuckDB" in claim["text"])
    ask("forget", "--session", session, "--yes")
    exact["claims after"] = ask("claims", "--all")
    exact["stats after"] = ask("stats")
    ranked |= {f"{question} after": ids for question, ids in ranks(place).items()}
    return Seen(exact, ranked, contexts)


def ranks(place: Path) -> dict[str, list[str]]:
    """Ask every query of every layer, with meaning and without."""
    asked = [(query, layer) for query in QUERIES for layer in LAYERS]
    batch = write(place / "batch.jsonl", [{"query": query, "layer": [layer], "limit": 100} for query, layer in asked])
    return {
        f"{query}, {layer}, {semantic}": [result["id"] for result in answer["results"]]
        for semantic in ("never", "always")
        for (query, layer), answer in zip(
            asked, ask_all("search", "--batch", str(batch), "--semantic", semantic), strict=True
        )
    }


def print_table(answers: Mapping[tuple[str, str], Seen]) -> None:
    """Print how each combination compares with SQLite alone."""
    lines = ["", f"{'canonical':10} {'vector':10} {'told alike':>10} {'same sets':>10} {'same order':>10}"]
    first = answers[COMBINATIONS[0]]
    for (canonical, vector), one in answers.items():
        alike = sum(one.exact[name] == first.exact[name] for name in first.exact)
        sets = sum(set(one.ranked[name]) == set(first.ranked[name]) for name in first.ranked)
        orders = sum(one.ranked[name] == first.ranked[name] for name in first.ranked)
        total = len(first.ranked)
        lines.append(
            f"{canonical:10} {vector:10} {f'{alike}/{len(first.exact)}':>10} {f'{sets}/{total}':>10}"
            f" {f'{orders}/{total}':>10}"
        )
    sys.__stdout__.write("\n".join(lines) + "\n") if sys.__stdout__ else None


@pytest.mark.parametrize(("canonical", "vector"), COMBINATIONS)
def test_what_was_told_is_answered_alike(seen: Mapping[tuple[str, str], Seen], canonical: str, vector: str) -> None:
    """Counts, claims, proofs, checks and graph: in every detail."""
    assert seen[canonical, vector].exact == seen[COMBINATIONS[0]].exact


@pytest.mark.parametrize(("canonical", "vector"), COMBINATIONS)
def test_one_store_ranks_alike_with_every_vector_index(
    seen: Mapping[tuple[str, str], Seen], canonical: str, vector: str
) -> None:
    """The order of every ranked answer and whole contexts: vector indexes find the same neighbours."""
    assert seen[canonical, vector].ranked == seen[canonical, "sqlite"].ranked
    assert seen[canonical, vector].contexts == seen[canonical, "sqlite"].contexts


@pytest.mark.parametrize("question", [f"{query}, {layer}, never" for query in QUERIES for layer in LAYERS[:3]])
def test_every_store_finds_the_same(seen: Mapping[tuple[str, str], Seen], question: str) -> None:
    """What matches is a contract between stores; of passages a search leaves out what repeats a better one."""
    found = {name: set(one.ranked[question]) for name, one in seen.items()}
    assert len({frozenset(ids) for ids in found.values()}) == 1


def test_the_story_tells_something(seen: Mapping[tuple[str, str], Seen]) -> None:
    """Nothing above is equal because it is empty."""
    one = seen[COMBINATIONS[0]]
    assert len(one.exact["claims"]["results"]) > len(one.exact["claims after"]["results"]) > 0
    assert one.exact["verified"]["checks"]
    assert one.exact["callers"]["results"]
    assert all(one.ranked[f"lease, {layer}, never"] for layer in ("symbols", "passages"))
    assert one.exact["stats"]["coverage"]["vectors"]["indexed"] > 0
