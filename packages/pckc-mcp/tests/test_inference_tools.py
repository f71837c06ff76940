"""Rules applied through the SDK's own client in memory: what follows, why, and that it goes with its premises."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pckc_mcp.server.memory import Memory

from .talk import TOML, call, error_of, form_of, text_of

FILES = {
    "a.py": "from b import g\n\n\ndef f():\n    g()\n",
    "b.py": "from c import h\n\n\ndef g():\n    h()\n",
    "c.py": "def h():\n    pass\n",
}
F, G, H = "a.py#f#function#0", "b.py#g#function#0", "c.py#h#function#0"


@pytest.fixture
def chain(project: Path) -> Iterator[Memory]:
    """The memory of a project of three functions, each of which calls the next."""
    for path, text in FILES.items():
        (project / path).write_text(text, encoding="utf-8")
    opened = Memory(project)
    yield opened
    opened.close()


def state(memory: Memory, conditions: str | list[str], conclusion: str) -> str:
    """Store a rule and return the id of its claim."""
    content = json.dumps({"if": conditions, "then": conclusion})
    stored = call(memory, "memory_store", claim=f"Rule: {content}", type="logical_rule", content=content)
    return str(form_of(stored)["id"])


def pairs(form: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["source"], one["target"]) for one in form["results"]]


def test_without_rules_the_answer_says_how_one_looks(chain: Memory) -> None:
    text = text_of(call(chain, "memory_infer"))
    assert '{"if": "imports", "then": "depends_on"}' in text
    assert "memory_store" in text


def test_a_rule_is_applied_and_goes_with_its_premise(chain: Memory, project: Path) -> None:
    first = state(chain, "calls", "needs")
    second = state(chain, ["needs", "needs"], "needs")
    result = call(chain, "memory_infer")
    form = form_of(result)
    assert pairs(form) == [(F, G), (F, H), (G, H)]
    assert {rule["claim"]: rule["edges"] for rule in form["rules"]} == {first: 2, second: 1}
    assert (form["total"], form["added"], form["stored"], form["engine"]) == (3, 3, True, "embedded")
    edge = form["results"][1]
    assert (edge["inferred"], edge["origin"], edge["rule"]) == (True, "inference", second)
    assert [(one["source"], one["kind"], one["target"]) for one in edge["premises"]] == [
        (F, "needs", G), (G, "needs", H)
    ]  # fmt: skip
    assert f"{F} needs {H}" in text_of(result)

    why = call(chain, "memory_get", id=edge["id"])
    assert [step["depth"] for step in form_of(why)["steps"]] == [2, 1, 1]
    assert f"since  {G} calls {H}" in text_of(why)

    (project / "b.py").write_text("def g():\n    pass\n", encoding="utf-8")
    again = form_of(call(chain, "memory_infer"))
    assert pairs(again) == [(F, G)]
    assert again["removed"] == 2
    assert "follows no more" in error_of(call(chain, "memory_get", id=edge["id"])) or "no inferred edge" in error_of(
        call(chain, "memory_get", id=edge["id"])
    )


def test_edges_that_follow_are_among_those_of_a_symbol_and_marked(chain: Memory) -> None:
    rule = state(chain, ["calls", "calls"], "needs")
    call(chain, "memory_code_graph")
    result = call(chain, "memory_query_graph", name="a.f", direction="out")
    assert {(one["kind"], one["target"], one.get("inferred", False)) for one in form_of(result)["results"]} == {
        ("calls", G, False),
        ("needs", H, True),
    }
    assert "[inferred: inferred_" in text_of(result)
    assert pairs(form_of(call(chain, "memory_query_graph", name="a.f", relation="needs"))) == [(F, H)]
    assert "no relation" in error_of(call(chain, "memory_query_graph", name="a.f", relation="likes"))

    call(chain, "memory_govern", id=rule, decision="reject", reason="it is wrong")
    left = form_of(call(chain, "memory_query_graph", name="a.f", direction="out"))
    assert {one["kind"] for one in left["results"]} == {"calls"}
    assert form_of(call(chain, "memory_infer"))["ignored"] == [{"claim": rule, "reason": "it is rejected"}]


def test_a_dry_run_stores_nothing_and_limits_are_told(project: Path) -> None:
    (project / "pckc.toml").write_text(f"{TOML}\n[inference]\nlimit = 1\n", encoding="utf-8")
    for path, text in FILES.items():
        (project / path).write_text(text, encoding="utf-8")
    memory = Memory(project)
    try:
        state(memory, "calls", "needs")
        for is_dry in (True, False):
            result = call(memory, "memory_infer", dry_run=is_dry)
            form = form_of(result)
            assert (form["total"], form["stored"]) == (1, not is_dry)
            assert "more than 1 edges follow" in form["stopped"]
            assert "stopped" in text_of(result)
            with memory.engine.canonical.reading(memory.engine.scope) as work:
                assert bool(work.inferences.known()) is not is_dry
    finally:
        memory.close()


def test_links_between_claims_are_a_graph_of_their_own(chain: Memory) -> None:
    state(chain, "calls", "needs")
    form = form_of(call(chain, "memory_infer", graph="claims"))
    assert (form["graph"], form["premises"], form["total"]) == ("claims", 0, 0)
