"""A home and a repository for the real program; see `program` and `sample`."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from . import sample
from .program import EVERYWHERE, PCKC, WARM, Program, Repository


def environ_at(home: Path) -> dict[str, str]:
    """Return an environment in which everything personal is below *home*, and no model is loaded."""
    return EVERYWHERE | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PCKC_EMBEDDER": "none",
    }


@pytest.fixture(scope="session", autouse=True)
def _program_is_installed() -> Iterator[None]:
    assert Path(PCKC).exists(), "pckc is not installed: run `make install`"
    yield
    WARM.close()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a fresh home."""
    home = tmp_path / "home"
    home.mkdir()
    return environ_at(home)


@pytest.fixture
def repository(tmp_path: Path, environ: Mapping[str, str]) -> Repository:
    """The sample repository, not indexed yet, to be changed at will."""
    repository = Repository(tmp_path / "repo", environ)
    sample.fill(repository)
    return repository


@pytest.fixture
def pckc(repository: Repository, environ: Mapping[str, str]) -> Program:
    """The program in the sample repository."""
    return Program(folder=repository.root, environ=environ)


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The program in an indexed sample repository, which no test may change."""
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "home").mkdir()
    environ = environ_at(folder / "home")
    sample.fill(Repository(folder / "repo", environ))
    program = Program(folder=folder / "repo", environ=environ)
    program("index")
    yield program
    assert program("sync", "--json").json["indexed"] == 0, "a test changed the shared repository"
