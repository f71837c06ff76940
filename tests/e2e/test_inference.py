"""``pckc infer``, ``why`` of what follows, and questions that go along it, as a person and a script use them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from .program import Program, Repository

NEEDS = json.dumps({"if": "calls", "then": "needs"})
CLOSED = json.dumps({"if": ["needs", "needs"], "then": "needs"})


@pytest.fixture
def pckc(tmp_path: Path, environ: Mapping[str, str]) -> Program:
    """The program in a repository of three functions, each of which calls the next, and two rules."""
    repository = Repository(tmp_path / "chain", environ)
    repository.write("a.py", "from b import g\n\n\ndef f():\n    g()\n")
    repository.write("b.py", "from c import h\n\n\ndef g():\n    h()\n")
    repository.write("c.py", "def h():\n    pass\n")
    repository.write("rules.md", f"# Rules\n\n```json\n{NEEDS}\n```\n\n```json\n{CLOSED}\n```\n")
    repository.commit("first")
    program = Program(folder=repository.root, environ=environ)
    program("ingest", "rules.md")
    return program


def test_what_follows_is_shown_explained_and_gone(pckc: Program) -> None:
    form = pckc("infer", "--json").json
    assert form["schema"]["name"] == "pckc.infer"
    assert [(one["source"][:1], one["target"][:1]) for one in form["results"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert "3 follow: 0 new" in pckc("infer").stdout
    edge = form["results"][1]["id"]
    assert "by     claim_" in pckc("why", edge).stdout
    assert [step["depth"] for step in pckc("why", edge, "--json").json["steps"]] == [2, 1, 1]

    near = pckc("graph", "neighbors", "a.f", "--inferred", "--json").json
    assert [one["edge"]["id"] for one in near["results"] if one["edge"].get("inferred")] == [edge]
    assert f"[inferred: {edge}]" in pckc("graph", "path", "a.f", "c.h", "--inferred").stdout
    assert "inferred" not in pckc("graph", "path", "a.f", "c.h").stdout
    assert pckc("graph", "callers", "c.h", "--inferred", check=False).code == 2

    rule = pckc("why", edge, "--json").json["rule"]
    pckc("reject", rule)
    refused = pckc("why", edge, "--json", check=False)
    assert refused.error["code"] == "not_found"
    assert "inferred" not in pckc("graph", "path", "a.f", "c.h", "--inferred").stdout
    after = pckc("infer", "--json").json
    assert (after["total"], after["ignored_count"]) == (2, 1)


def test_a_dry_run_and_other_graphs(pckc: Program) -> None:
    dry = pckc("infer", "--dry-run", "--json", "--limit", "1").json
    assert (dry["total"], len(dry["results"]), dry["stored"]) == (3, 1, False)
    assert pckc("infer", "--json").json["added"] == 3
    assert pckc("infer", "--graph", "claims", "--json").json["total"] == 0
    assert pckc("infer", "--graph", "session").stdout
