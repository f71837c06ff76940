"""The examples of docs/embedding.md run, and its adapters keep the contracts."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pckc_domain.errors import ConfigurationError, InvalidInputError, NotFoundError
from pckc_domain.model.session import EventKind
from pckc_domain.testing.fakes import HashEmbedder
from pckc_mcp.config import Config, Slot
from pckc_mcp.memory import open_memory

from .program import Program, Repository

PAGE = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text(encoding="utf-8")
FACADE, ADAPTERS, OWN, CONTRACTS, DOMAIN = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(code: str, **known: object) -> dict[str, Any]:
    """Run an example and return its names."""
    names: dict[str, Any] = {"__name__": __name__, **known}
    exec(compile(code, "embedding.md", "exec"), names)  # noqa: S102 - the documentation is under test
    return names


_contracts = run(ADAPTERS + CONTRACTS)
TestTrigramEmbedder = _contracts["TestTrigramEmbedder"]
TestListIndex = _contracts["TestListIndex"]


@pytest.fixture
def own(repository: Repository, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is opened in this process, in a home of its own."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return repository.root


def run_as_a_file(repository: Repository, environ: dict[str, str], code: str) -> str:
    """Return what a program prints that is *code* and nothing else, in a file of the project."""
    repository.write("example.py", code)
    ran = subprocess.run(
        [sys.executable, "example.py"], cwd=repository.root, env=environ, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_facade(repository: Repository, environ: dict[str, str]) -> None:
    """Pasted as it stands, in ten lines at most; a second run finds the same."""
    assert len([line for line in FACADE.splitlines() if line.strip()]) <= 10
    for _ in range(2):
        found, *rest = run_as_a_file(repository, environ, FACADE).splitlines()
        assert found == "['We decided to use SQLite as the database.']"
        assert "<pckc-context>" in rest
        assert "'live'" in rest[-1]


def test_own_adapters_below_their_classes(repository: Repository, environ: dict[str, str]) -> None:
    counted, found = run_as_a_file(repository, environ, ADAPTERS + OWN).splitlines()
    assert int(counted.removesuffix(" vectors")) > 0
    assert found != "[]"


def test_a_document_of_the_project(own: Path, tmp_path: Path) -> None:
    (own / "handbook.md").write_text("# Handbook\n\nA lease is a promise to work on an item.\n", encoding="utf-8")
    with open_memory(own, store=tmp_path / "own.db") as memory:
        assert memory.ingest("handbook.md").claim_ids


def test_the_domain_alone(capsys: pytest.CaptureFixture[str]) -> None:
    run(DOMAIN)
    assert "port 8000" in capsys.readouterr().out


def test_it_is_the_memory_of_the_program(own: Path, pckc: Program) -> None:
    """What is remembered in this process is found by the command line, and the other way round."""
    with open_memory(own) as memory:
        assert memory.index()["indexed"] > 0
        report = memory.remember("The gateway listens on port 7007.", session="mine")
        assert [stored.claim.text for stored in report.admitted] == ["The gateway listens on port 7007."]
        memory.remember("The gateway listens on port 1111.", kind=EventKind.AGENT_MESSAGE, session="mine")
    assert pckc("sync", "--json").json["indexed"] == 0
    first = pckc("search", "gateway port", "--layer", "claims", "--json").json["results"][0]
    assert first["text"] == "The gateway listens on port 7007."
    with open_memory(own) as memory:
        (hit, *_) = memory.search("gateway port", layers=["claims"])
        assert (hit.id, hit.text) == (first["id"], first["text"])
        assert hit.sources == tuple(proof["source_ref"] for proof in first["proofs"])
        assert {hit.id for hit in memory.search("lease")}
        assert memory.search("LeaseTable", layers=["symbols"])[0].sources[0].startswith("src/")


def test_meaning_counts_with_an_embedder_of_ones_own(own: Path, tmp_path: Path) -> None:
    with open_memory(
        own, store=tmp_path / "own.db", embedder=HashEmbedder(), vectors=_contracts["ListIndex"]()
    ) as memory:
        assert memory.index()["embedded"] > 0
        pack = memory.context("renew a lease", budget_tokens=600)
        assert pack.signals == "hybrid"
        assert pack.tokens <= 600


def test_bad_input_is_refused(own: Path, tmp_path: Path) -> None:
    with open_memory(own, store=tmp_path / "own.db") as memory:
        for call in (
            lambda: memory.remember(" "),
            lambda: memory.search("x", layers=["nothing"]),
            lambda: memory.search("x", limit=0),
            lambda: memory.context("x", budget_tokens=-1),
        ):
            with pytest.raises(InvalidInputError):
                call()
        with pytest.raises(NotFoundError):
            memory.verify("claim_nothing")
    with pytest.raises(InvalidInputError, match="embedder"), open_memory(own, vectors=_contracts["ListIndex"]()):
        pass
    no_such = Config(slots={**Config().slots, "canonical": Slot(backend="nothing")})
    with pytest.raises(ConfigurationError), open_memory(own, config=no_such):
        pass
