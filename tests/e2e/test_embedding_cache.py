"""No text is embedded twice, whichever command asks; forgetting forgets that it was."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from .hash_embedder import write_embedder
from .program import PCKC, Program, Repository

SPY = """
import os
from pckc_hash import *  # the embedder itself


class Spy(HashEmbedder):
    def embed(self, texts):
        with open(os.environ["ASKED"], "a") as asked:
            asked.writelines(text.replace(chr(10), " ") + chr(10) for text in texts)
        return super().embed(texts)


@contextmanager
def opened(settings):
    yield Spy()


EMBEDDER = Backend(settings=Settings, open=opened)
"""


class Asked:
    """What the embedder was given."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def since(self) -> list[str]:
        """Return it and begin anew."""
        texts = self.file.read_text().splitlines() if self.file.exists() else []
        self.file.write_text("")
        return [text for text in texts if text != "probe"]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """Where the embedder writes down what it was given."""
    return Asked(tmp_path / "asked")


@pytest.fixture
def spied(repository: Repository, environ: Mapping[str, str], tmp_path: Path, asked: Asked) -> Program:
    """The program with an embedder that writes down what it is given."""
    package = tmp_path / "plugin"
    write_embedder(package)
    (package / "pckc_spy.py").write_text(SPY)
    (package / "pckc_hash-1.dist-info" / "entry_points.txt").write_text("[pckc.embedder]\nhash = pckc_spy:EMBEDDER\n")
    path = ":".join(filter(None, [str(package), environ.get("PYTHONPATH", "")]))
    extra = {"PCKC_EMBEDDER": "hash", "PYTHONPATH": path, "ASKED": str(asked.file)}
    return Program(folder=repository.root, environ={**environ, **extra})


def cache_file(program: Program) -> Path:
    """Return the one cache."""
    (file,) = Path(program.environ["XDG_DATA_HOME"]).rglob("*-embeddings")
    return file


def test_a_rebuild_embeds_nothing_again(spied: Program, asked: Asked) -> None:
    spied("index")
    first = asked.since()
    assert first
    assert len(first) == len(set(first))
    spied("rebuild", "--vectors")
    assert asked.since() == []
    cache_file(spied).unlink()
    spied("rebuild", "--vectors")
    assert sorted(asked.since()) == sorted(first)


def test_a_changed_file_embeds_what_changed(spied: Program, asked: Asked, repository: Repository) -> None:
    repository.write("notes.md", "# Notes\n\nThe zeppelin must never land.\n\nThe airship must always fly.\n")
    spied("index")
    asked.since()
    repository.replace("notes.md", "must never land", "must never burn")
    spied("index")
    again = asked.since()
    assert any("burn" in text for text in again)
    assert not any("airship" in text and "burn" not in text for text in again)


def test_what_is_ingested_is_embedded_once(spied: Program, asked: Asked, repository: Repository) -> None:
    spied("index")
    asked.since()
    repository.write("book.md", "# A book\n\nThe zeppelin must never carry more than 40 passengers.\n")
    spied("ingest", "book.md")
    spied("index")
    texts = asked.since()
    assert texts.count("The zeppelin must never carry more than 40 passengers.") == 1
    assert len(texts) == len(set(texts))


def test_forgetting_forgets_it_too_even_without_the_embedder(spied: Program, asked: Asked) -> None:
    spied("index")
    before = cache_file(spied).stat().st_size
    spied("forget", "--document", "README.md", "--yes", environ={"PCKC_EMBEDDER": "none"})
    assert cache_file(spied).stat().st_size < before
    asked.since()
    spied("rebuild", "--vectors")
    assert asked.since()


def test_without_a_cache_it_is_embedded_again(spied: Program, asked: Asked, repository: Repository) -> None:
    repository.write("pckc.toml", '[embedding_cache]\nbackend = "none"\n')
    spied("index")
    first = asked.since()
    spied("rebuild", "--vectors")
    assert set(asked.since()) == set(first)
    assert not list(Path(spied.environ["XDG_DATA_HOME"]).rglob("*-embeddings"))


def test_a_cache_that_cannot_be_used_stops_nothing(spied: Program, repository: Repository) -> None:
    other = repository.write("other", "no cache " * 99)
    repository.write("pckc.toml", f'[embedding_cache]\npath = "{other}"\n')
    spied("index")
    refused = spied("forget", "--document", "README.md", "--yes", "--json", check=False)
    assert "cache of embeddings" in refused.error["message"]
    assert "delete that file" in refused.error["remedy"]


def test_what_an_ingest_leaves_a_worker_does(spied: Program, repository: Repository) -> None:
    repository.write("one.md", "The zeppelin must always fly above the clouds.\n")
    repository.write("other.md", "The zeppelin must always fly the clouds above.\n")
    left = spied("ingest", "one.md", "other.md", "--embed-seconds", "0").stdout
    assert left.count("1 claim not compared yet: the next") == 2
    done = spied("worker", "--once", "--json").json
    assert done["done"]["comparison"] >= 2
    assert done["behind"]["comparison"] == 0
    statuses = [one["status"] for one in spied("claims", "--all", "--json").json["results"]]
    assert sorted(statuses) == ["stale", "verified"]


def test_an_agents_ingest_compares_without_being_asked(spied: Program, repository: Repository) -> None:
    """Before it answers, or in the background after it has."""
    repository.write("pckc.toml", 'tools = "pegas"\n')
    server = StdioServerParameters(command=PCKC, args=["serve"], cwd=spied.folder, env=dict(spied.environ))

    async def talk() -> None:
        async with Client(server) as client:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                return (await client.call_tool(tool, arguments)).structured_content or {}

            await call("memory_ingest", text="The zeppelin must always fly above the clouds.")
            (done,) = (await call("memory_ingest", text="The zeppelin must always fly the clouds above."))["documents"]
            assert done["duplicates"] + done["uncompared"] == 1
            with anyio.fail_after(60):
                while "verified" not in await statuses(call):
                    await anyio.sleep(0.1)

    async def statuses(call: Any) -> list[str]:
        found = (await call("memory_search", query="zeppelin"))["results"]
        return [hit["status"] for hit in found if "status" in hit]

    anyio.run(talk)
