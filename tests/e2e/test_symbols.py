"""Symbols are searched, explained and verified; contexts of bug reports are widened by the graph."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from .program import Program, Repository

FILES = {
    "shop/orders.py": '"""Orders."""\n\nfrom shop.prices import total_of\n\n\n'
    'def checkout(lines, wallet):\n    """Take the money."""\n    wallet.charge(total_of(lines))\n',
    "shop/prices.py": '"""Prices."""\n\n\ndef total_of(lines):\n    """Add up lines."""\n    return sum(lines)\n',
    "tests/test_prices.py": "from shop.prices import total_of\n\n\ndef test_total():\n    assert total_of([1]) == 1\n",
}
REPORT = 'Traceback:\n  File "/srv/lib/shop/prices.py", line 6, in total_of\nTypeError: unsupported operand'
TOTAL = "shop/prices.py#total_of#function#0"


@pytest.fixture
def shop(tmp_path: Path, environ: Mapping[str, str]) -> Repository:
    """A small shop."""
    repository = Repository(tmp_path / "shop", environ)
    for path, text in FILES.items():
        repository.write(path, text)
    repository.commit("first")
    return repository


@pytest.fixture
def pckc(shop: Repository, environ: Mapping[str, str]) -> Program:
    program = Program(folder=shop.root, environ=environ)
    program("index")
    return program


def test_a_bug_report_leads_to_its_symbol_and_file(pckc: Program) -> None:
    form = pckc("search", REPORT, "--layer", "symbols", "--json").json
    first = form["results"][0]
    assert (first["id"], first["kind"], first["type"]) == (TOTAL, "symbol", "function")
    assert (first["path"], first["start_line"], first["symbol"]) == ("shop/prices.py", 4, "shop.prices.total_of")
    assert "def total_of" in first["proofs"][0]["excerpt"]
    assert form["files"][0]["path"] == "shop/prices.py"
    assert form["coverage"]["symbols"] == {"indexed": 3, "total": 3, "behind": 0}


def test_all_layers_hold_symbols_and_no_layer_does_not(pckc: Program) -> None:
    kinds = {result["kind"] for result in pckc("search", "total of lines", "--layer", "all", "--json").json["results"]}
    assert "symbol" in kinds
    kinds = {result["kind"] for result in pckc("search", "total of lines", "--json").json["results"]}
    assert "symbol" not in kinds


def test_a_context_names_files_and_is_widened(pckc: Program) -> None:
    form = pckc("context", REPORT, "--json").json
    assert form["files"][0]["path"] == "shop/prices.py"
    assert form["passages"][0]["path"] == "shop/prices.py"
    text = pckc("context", REPORT).stdout
    assert "named in the task" in text
    assert "calls shop.prices.total_of" in text
    assert "tests shop.prices.total_of" in text


def test_a_symbol_is_explained_and_verified(pckc: Program, shop: Repository) -> None:
    form = pckc("why", TOTAL, "--json").json
    assert (form["kind"], form["type"], form["check"]["liveness"]) == ("symbol", "function", "live")
    assert "shop/orders.py#checkout#function#0" in {edge["source"] for edge in form["incoming"]}
    assert "it, line 8 [extracted]" in pckc("why", TOTAL).stdout
    assert pckc("verify", TOTAL, "--json").json["counts"]["live"] == 1
    shop.write("shop/prices.py", FILES["shop/prices.py"].replace("sum(lines)", "max(lines)"))
    assert pckc("verify", TOTAL, "--json", check=False).json["counts"]["changed"] == 1


def test_unknown_symbols_are_said_to_be_unknown(pckc: Program) -> None:
    for command in ("why", "verify"):
        assert "knows no symbol" in pckc(command, "a.py#f#function#0", check=False).stderr


def test_options_that_symbols_do_not_know_are_refused(pckc: Program) -> None:
    refused = pckc("search", "x", "--layer", "symbols", "--as-of", "2026-01-01", check=False).stderr
    assert "symbols no session and no time" in refused


def test_who_calls_what_was_taken_away_feels_it(pckc: Program, shop: Repository) -> None:
    shop.write("shop/prices.py", '"""Prices."""\n')
    form = pckc("graph", "impact", "--diff", "HEAD", "--json").json
    assert form["removed"] == ["total_of"]
    assert {call["path"] for call in form["unresolved"]} == {"shop/orders.py", "tests/test_prices.py"}
    assert form["tests"] == ["tests/test_prices.py"]
    assert "taken away: total_of" in pckc("graph", "impact", "--diff", "HEAD").stdout
    unknown = pckc("graph", "callers", "total_of", check=False)
    assert "2 unresolved calls have this name: shop/orders.py:8" in unknown.stderr


def test_calls_of_what_overrides_a_method_are_told(pckc: Program, shop: Repository) -> None:
    shop.write(
        "shop/steps.py",
        "class Base:\n    def step(self):\n        raise NotImplementedError\n\n"
        "    def run(self):\n        self.step()\n\n\n"
        "class One(Base):\n    def step(self):\n        return 1\n\n\nOne().run()\n",
    )
    assert pckc("graph", "callers", "Base.step", "--json").json["overriding_count"] == 1
    assert "call what overrides it" in pckc("graph", "callers", "Base.step").stdout


def test_what_is_not_known_is_said(pckc: Program, shop: Repository) -> None:
    shop.write("shop/limits.py", "MAX = 3\n")
    shop.write("run.sh", "go() {\n  echo\n}\ngo\n")
    shop.write("shop/broken.py", "def (:\n\n\ndef ok():\n    pass\n")
    notes = " ".join(pckc("graph", "impact", "MAX", "--json").json["notes"])
    assert "1 source files were not read in full" in notes
    assert "of shell only definitions are read" in notes
    assert "who reads a constant" in notes
    dead = {one["path"] for one in pckc("graph", "dead", "--json").json["results"]}
    assert "run.sh" not in dead


def test_a_graph_that_is_switched_off_does_not_answer(pckc: Program, shop: Repository) -> None:
    shop.write("pckc.toml", "[graph]\nenabled = false\n")
    refused = pckc("graph", "callers", "total_of", check=False)
    assert refused.code != 0
    assert "switched off" in refused.stderr


def test_an_empty_diff_is_said_to_be_empty(pckc: Program) -> None:
    assert "the diff is empty" in pckc("graph", "impact", "--diff", "HEAD", check=False).stderr
