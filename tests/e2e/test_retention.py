"""`pckc retention` and `pckc compact`: a report first, then less on disk."""

import json
import sqlite3
from pathlib import Path

from .program import Program, Repository
from .test_sessions import said, write


def old_story(folder: Path) -> Path:
    """Write a story of long ago: many models' words, a superseded port, a decision, a rule."""
    lines = [
        said("old", 0, "The server listens on port 8000.", time="2020-01-01T09:00:00Z"),
        said("old", 1, "We decided to use SQLite as the database.", time="2020-01-01T09:01:00Z"),
        said("old", 2, "Never deploy on a Friday.", time="2020-01-01T09:02:00Z"),
        said("old", 3, "Correction: the server listens on port 9090 now.", time="2020-02-01T09:00:00Z"),
    ]
    lines += [
        said("old", 4 + n, f"The worker{n} listens on port {7000 + n}.", role="assistant", time="2020-02-02T09:00:00Z")
        for n in range(200)
    ]
    return write(folder / "old.jsonl", lines)


def test_a_report_comes_before_anything_goes(pckc: Program, repository: Repository, tmp_path: Path) -> None:
    pckc("index")
    pckc("import", old_story(tmp_path))
    held = pckc("claims", "--all", "--json", "--limit", "999").json["results"]
    report = pckc("retention", "--json").json
    counts = {group["kind"]: group["count"] for group in report["groups"]}
    assert counts["candidate"] == 200
    assert counts["superseded"] == 1
    assert report["groups"][2]["oldest"].startswith("2020-02-01")
    assert "decision" in report["protected"]
    assert "--apply erases" in pckc("retention").stderr
    assert pckc("claims", "--all", "--json", "--limit", "999").json["results"] == held
    size = pckc("compact", "--json").json["bytes_after"]
    applied = pckc("retention", "--apply", "--json").json
    assert (applied["groups"], applied["is_applied"]) == (report["groups"], True)
    assert pckc("retention", "--json").json["total"] == 0
    left = {claim["text"] for claim in pckc("claims", "--all", "--json", "--limit", "999").json["results"]}
    assert left >= {"Never deploy on a Friday.", "We decided to use SQLite as the database."}
    assert not any("8000" in text or "worker7" in text for text in left)
    compacted = pckc("compact", "--json").json
    assert compacted["bytes_after"] < size
    assert compacted["freed"] == compacted["bytes_before"] - compacted["bytes_after"] > 0
    found = pckc("search", "worker7 listens", "--layer", "evidence", "--json").json["results"]
    assert any("worker7 " in hit["text"] for hit in found), "what was said stays"
    store = pckc("stats", "--json").json["store"]
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()


def test_days_are_configured(pckc: Program, repository: Repository, tmp_path: Path) -> None:
    repository.write("pckc.toml", "[retention]\ncandidate_days = 100000\nsuperseded_days = 100000\n")
    pckc("import", old_story(tmp_path))
    assert pckc("retention", "--json").json["total"] == 0
    ask = "worker7 listens port"
    assert any("worker7 " in hit["text"] for hit in pckc("search", ask, "--layer", "claims", "--json").json["results"])
    repository.write("pckc.toml", "[retention]\ncandidate_days = 20\n")
    assert not any(
        "worker7 " in hit["text"] for hit in pckc("search", ask, "--layer", "claims", "--json").json["results"]
    )
    assert "within 20 days" in pckc("why-not", ask).stdout
    repository.write("pckc.toml", "[retention]\ncandidate_days = 0\n")
    refused = pckc("retention", "--json", check=False)
    assert refused.code == 3
    assert "candidate_days" in json.dumps(refused.error)
