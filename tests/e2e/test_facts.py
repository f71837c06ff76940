"""What sessions said meets what the repository sets, through the program."""

import json
from pathlib import Path
from typing import Any

import pytest

from .program import Program, Repository

SAID = (
    "The heartbeat timeout is 30 seconds.",
    "We use Django 5.1.",
    "We decided to set MAX_HOPS to 7.",
)
CONFIG = '"""Limits."""\nHEARTBEAT_TIMEOUT = 60\nMAX_HOPS = 5\n'


@pytest.fixture
def met(pckc: Program, repository: Repository, tmp_path: Path) -> Program:
    """The program after a session and files that speak of the same."""
    lines = [
        json.dumps({"session": "s", "seq": seq, "role": "user", "time": f"2026-03-01T10:0{seq}:00Z", "text": text})
        for seq, text in enumerate(SAID)
    ]
    story = tmp_path / "story.jsonl"
    story.write_text("\n".join(lines) + "\n", encoding="utf-8")
    repository.write("src/limits.py", CONFIG)
    repository.write("requirements.txt", "django==5.1.4\n")
    pckc("import", story)
    pckc("index")
    return pckc


def claims(program: Program, *options: str) -> dict[str, Any]:
    """Return the claims listed, by text."""
    return {claim["text"]: claim for claim in program("claims", "--json", *options).json["results"]}


def sources(claim: dict[str, Any]) -> set[str]:
    """Return where the proofs of a claim come from."""
    return {proof["source_ref"].partition(":")[0] for proof in claim["proofs"]}


def test_superseded_confirmed_and_contested_with_both_proofs(met: Program) -> None:
    listed = claims(met, "--all")
    old, new = listed[SAID[0]], listed["HEARTBEAT_TIMEOUT = 60"]
    assert (old["superseded_by"], new["status"], new["path"]) == (new["id"], "verified", "src/limits.py")
    assert sources(listed[SAID[1]]) == {"session", "repo"}
    assert (listed[SAID[2]]["status"], listed["MAX_HOPS = 5"]["status"]) == ("contested", "contested")
    (hit,) = met("search", "heartbeat timeout", "--json", "--layer", "claims", "--limit", "1").json["results"]
    assert (hit["text"], [past["text"] for past in hit["history"]]) == (new["text"], [SAID[0]])
    why = met("why", listed[SAID[2]]["id"], "--json").json
    assert {link["kind"] for link in why["links"]} == {"contradicts"}
    pack = met("context", "change MAX_HOPS", "--json").json
    assert {SAID[2], "MAX_HOPS = 5"} <= {claim["text"] for claim in pack["claims"]}
    assert "MAX_HOPS = 5" in met("claims").stdout


def test_the_files_are_followed(met: Program, repository: Repository) -> None:
    repository.replace("src/limits.py", "MAX_HOPS = 5", "MAX_HOPS = 7")
    met("sync")
    assert (claims(met)[SAID[2]]["status"], sources(claims(met)[SAID[2]])) == ("verified", {"session", "repo"})
    before = claims(met, "--all", "--facts")
    met("sync")
    assert claims(met, "--all", "--facts") == before
    repository.replace("src/limits.py", "HEARTBEAT_TIMEOUT = 60\n", "")
    met("sync")
    assert claims(met, "--facts")["HEARTBEAT_TIMEOUT = 60"]["status"] == "stale"
    repository.write("src/limits.py", CONFIG)
    met("sync")
    assert claims(met, "--facts")["HEARTBEAT_TIMEOUT = 60"]["status"] == "verified"
    assert claims(met)["MAX_HOPS = 5"]["status"] == claims(met)[SAID[2]]["status"] == "contested"
