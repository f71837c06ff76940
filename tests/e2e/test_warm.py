"""A run that starts at once is a run as any other."""

from pathlib import Path

import pytest

from .program import WARM, Program

COMMANDS = [
    ("--version",),
    ("search", "lease"),
    ("stats", "--help"),
    ("why", "nowhere"),
    ("search", "--limit", "x"),
    (),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_it_says_and_ends_the_same(indexed: Program, arguments: tuple[str, ...]) -> None:
    assert WARM.takes(arguments, indexed.environ)
    assert indexed(*arguments, check=False) == indexed.finish(indexed.start(*arguments), check=False)


def test_nothing_stays_for_the_next_run(indexed: Program, tmp_path: Path) -> None:
    other = {"PCKC_STORE": str(tmp_path / "other.db")}
    own = indexed("stats", "--json").json["store"]
    assert indexed("stats", "--json", environ=other, check=False).stdout != indexed("stats", "--json").stdout
    assert indexed("stats", "--json").json["store"] == own != other["PCKC_STORE"]


def test_what_python_reads_at_its_start_needs_a_start(indexed: Program) -> None:
    assert not WARM.takes(["--version"], {**indexed.environ, "PYTHONHASHSEED": "1"})
