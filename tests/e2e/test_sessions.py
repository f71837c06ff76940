"""From agent sessions to belief: import, search, explain, decide and forget, as people and scripts do it."""

import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from . import sample
from .conftest import environ_at
from .program import Program, Repository, kill

RESULT = {
    "id", "kind", "type", "text", "score", "breakdown", "status", "valid_from", "valid_to", "path", "start_line",
    "end_line", "symbol", "session", "event_ids", "proofs", "history", "conflicts",
}  # fmt: skip
PROOF = {"id", "authority", "verification", "source_ref", "excerpt", "digest"}
CANARY = "quokkacanary"


def said(session: str, seq: int, text: str, role: str = "user", day: int = 1, **more: Any) -> dict[str, Any]:
    """Return a line of the plain format."""
    time_ = f"2026-06-{day:02}T10:{seq % 60:02}:00Z"
    return {"session": session, "seq": seq, "role": role, "time": time_, "text": text, "id": f"{session}-{seq}", **more}


def write(file: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """Write a transcript."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


STORY = [
    said("first", 0, "We decided to use DuckDB as the database."),
    said("first", 1, "From now on, always run the linter before you commit."),
    said("first", 2, "I set the default timeout to 30 seconds.", role="assistant"),
    said("first", 3, "Maybe the port is 9000."),
    said("second", 0, "We decided to use PostgreSQL as the database.", day=9),
    said("second", 1, "The parser crashes on empty input.", day=9),
]


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A transcript of two sessions."""
    return write(tmp_path / "story.jsonl", STORY)


@pytest.fixture
def told(pckc: Program, story: Path) -> Program:
    """The program after importing the story."""
    pckc("import", story)
    return pckc


@pytest.fixture(scope="module")
def recalling(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in an indexed repository after importing the story; no test may change what it keeps."""
    folder = tmp_path_factory.mktemp("recalling")
    (folder / "home").mkdir()
    environ = environ_at(folder / "home")
    sample.fill(Repository(folder / "repo", environ))
    program = Program(folder=folder / "repo", environ=environ)
    program("index")
    program("import", write(folder / "story.jsonl", STORY))
    return program


def results(program: Program, *arguments: str) -> list[dict[str, Any]]:
    """Return what a search found."""
    found: list[dict[str, Any]] = program("search", "--json", *arguments).json["results"]
    return found


def beliefs(program: Program) -> Any:
    """Return all that is believed, without when the store came to know it."""
    claims = program("claims", "--all", "--json", "--limit", "9999").json["results"]
    rejections = program("claims", "--rejected", "--json", "--limit", "9999").json["results"]
    for claim in claims:
        claim.pop("recorded_at")
    return claims, rejections


def store_of(program: Program) -> Path:
    """Return where the program keeps its data."""
    return Path(program("stats", "--json").json["store"])


def raw_bytes(program: Program) -> bytes:
    """Return everything on disk of the store: the file, its log and whatever else stands beside it."""
    return b"".join(file.read_bytes() for file in sorted(store_of(program).parent.iterdir()) if file.is_file())


def claim_like(program: Program, words: str) -> str:
    """Return the id of the best claim for these words."""
    return str(results(program, words, "--layer", "claims")[0]["id"])


class TestImport:
    def test_counts_by_reason(self, pckc: Program, story: Path) -> None:
        form = pckc("import", story, "--json").json
        assert form["schema"] == {"name": "pckc.import", "version": 1}
        assert (form["files"], form["sessions"], form["evidence"]) == (1, 2, 6)
        assert form["events"] == {"agent_message": 1, "prompt": 5}
        assert form["admitted"]["decision"] == 2
        assert any(reason.startswith("hedged") for reason in form["rejected"])

    def test_again_changes_nothing(self, told: Program, story: Path) -> None:
        before = beliefs(told)
        again = told("import", story, "--json").json
        assert (again["unchanged"], again["events"], again["sessions"]) == (1, {}, 0)
        fresh = told("import", story, "--fresh", "--json").json
        assert (fresh["events"], fresh["duplicates"]) == ({}, 6)
        copied = write(story.with_name("copy.jsonl"), STORY)
        assert told("import", copied, "--json").json["duplicates"] == 6
        assert beliefs(told) == before

    def test_a_growing_file_goes_on_where_it_stopped(self, told: Program, story: Path) -> None:
        write(story, [*STORY, said("second", 2, "We decided to use MySQL as the database.", day=10)])
        assert told("import", story, "--json").json["events"] == {"prompt": 1}
        assert "MySQL" in results(told, "database", "--layer", "claims")[0]["text"]

    def test_dry_run_stores_nothing(self, pckc: Program, story: Path) -> None:
        form = pckc("import", story, "--dry-run", "--json").json
        assert form["dry_run"]
        assert sum(form["events"].values()) == 6
        assert beliefs(pckc) == ([], [])
        assert pckc("import", story, "--json").json["sessions"] == 2

    @pytest.mark.parametrize(
        ("options", "count"),
        [
            (("--from", "2026-06-05"), 2),
            (("--to", "2026-06-05"), 4),
            (("--from", "2026-06-01T10:02:00Z", "--to", "2026-06-01T10:03:00Z"), 2),
            (("--since", "1d"), 6),
            (("--host", "plain"), 6),
            (("--host", "claude"), 0),
            (("--max-files", "0"), 0),
            (("--batch-size", "1"), 6),
        ],
    )
    def test_options(self, pckc: Program, story: Path, options: tuple[str, ...], count: int) -> None:
        assert sum(pckc("import", story, *options, "--json").json["events"].values()) == count

    def test_old_files_are_skipped(self, pckc: Program, story: Path) -> None:
        import os

        os.utime(story, (1_600_000_000, 1_600_000_000))
        assert pckc("import", story, "--since", "1d", "--json").json["files"] == 0

    def test_max_files_takes_the_newest(self, pckc: Program, tmp_path: Path) -> None:
        import os

        for number in range(3):
            file = write(
                tmp_path / "many" / f"{number}.jsonl", [said(f"s{number}", 0, f"Use tool{number} for the build.")]
            )
            os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
        form = pckc("import", tmp_path / "many", "--max-files", "1", "--json").json
        assert (form["files"], form["sessions"]) == (1, 1)
        assert [one["session"] for one in results(pckc, "tool2 build", "--layer", "evidence")] == ["s2"]

    def test_several_processes_give_what_one_gives(self, pckc: Program, tmp_path: Path) -> None:
        for number in range(6):
            lines = [
                said(f"s{number}", seq, f"We decided to use engine{seq} as driver{seq}.", day=1 + number)
                for seq in range(20)
            ]
            write(tmp_path / "many" / f"{number}.jsonl", lines)
        alone, together = tmp_path / "alone.db", tmp_path / "together.db"
        pckc("import", tmp_path / "many", "--store", alone)
        form = pckc("import", tmp_path / "many", "--concurrency", "3", "--store", together, "--json").json
        assert (form["files"], sum(form["events"].values())) == (6, 120)
        of_one, of_three = (
            beliefs(Program(folder=pckc.folder, environ={**pckc.environ, "PCKC_STORE": str(store)}))
            for store in (alone, together)
        )
        assert of_one == of_three

    def test_wrong_input_is_refused(self, pckc: Program, tmp_path: Path) -> None:
        junk = tmp_path / "junk.txt"
        junk.write_text("no transcript\n", encoding="utf-8")
        for arguments in ((junk,), (tmp_path / "nowhere",), (tmp_path, "--from", "soon")):
            assert pckc("import", *arguments, "--json", check=False).code == 2

    def test_for_people(self, pckc: Program, story: Path) -> None:
        answer = pckc("import", story)
        for part in ("2 sessions", "6: 1 agent_message, 5 prompt", "evidence    6", "decision", "hedged"):
            assert part in answer.stdout
        assert pckc("import", story, "--quiet").stdout == ""


class TestCanaries:
    def test_what_must_not_be_kept_never_reaches_the_file(self, pckc: Program, tmp_path: Path) -> None:
        hidden = [
            said("s", 0, f"{CANARY}a I think about it.", role="reasoning"),
            said("s", 1, f"{CANARY}b cwd and date.", role="context"),
            said("s", 2, f"{CANARY}c You are an agent.", role="system"),
            said("s", 3, f"{CANARY}d All that was done.", role="summary"),
            said("s", 4, f"<pckc-context>\n> {CANARY}e the port is 1.\n</pckc-context>"),
            said("s", 5, f"Fix it. <system-reminder>{CANARY}f be brief</system-reminder> Please."),
            said("s", 6, f"Fix that. <pckc-context a='b'>\n{CANARY}g never closed"),
            said("s", 7, f"{CANARY}h the port is 1.", role="tool", tool="mcp__pckc__memory_search"),
            said("s", 8, f"This session is being continued from a previous conversation. {CANARY}i"),
            said("s", 9, f"<system-reminder>x</system-reminder>Stop hook feedback: {CANARY}j"),
            said("s", 10, f"<command-name>/clear</command-name> {CANARY}k"),
            said("s", 11, "The token is ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI" + " for now."),
            said("s", 12, "We decided to use DuckDB as the database."),
        ]
        transcript = write(tmp_path / "canaries.jsonl", hidden)
        for options in ((), ("--fresh", "--batch-size", "1")):
            pckc("import", transcript, *options)
            stored = raw_bytes(pckc)
            assert b"DuckDB" in stored
            assert CANARY.encode() not in stored
            assert b"k3Jv9QeXw2Lr7Ts5" not in stored
        texts = [one["text"] for one in results(pckc, "Fix it please", "--layer", "evidence")]
        assert "Fix it.  Please." in texts
        assert all(text in ("Fix it.  Please.", "Fix that.") or "Fix" not in text for text in texts)


class TestInterrupted:
    @pytest.mark.slow
    def test_killed_at_random_and_resumed_gives_the_undisturbed_result(self, pckc: Program, tmp_path: Path) -> None:
        for number in range(8):
            lines = []
            for seq in range(150):
                lines.append(
                    said(f"s{number}", 2 * seq, f"We decided to use engine{seq} as driver{seq % 40}.", day=1 + number)
                )
                lines.append(
                    said(f"s{number}", 2 * seq + 1, f"I set limit{seq} to {seq}.", role="assistant", day=1 + number)
                )
            write(tmp_path / "many" / f"{number}.jsonl", lines)
        calm = Program(folder=pckc.folder, environ={**pckc.environ, "PCKC_STORE": str(tmp_path / "calm.db")})
        command = ("import", tmp_path / "many", "--batch-size", "20", "--json")
        started = time.monotonic()
        calm.finish(calm.start(*command))  # as those are started that are killed
        whole = time.monotonic() - started
        chance = random.Random(7)  # noqa: S311 - no secret
        for _ in range(6):
            process = pckc.start(*command)
            time.sleep(chance.uniform(0.1, 0.9) * whole)
            kill(process)
        pckc(*command)
        assert beliefs(pckc) == beliefs(calm)
        assert rows(pckc) == rows(calm)
        assert pckc("doctor", "--check", "--json", check=False).json["checks"]


def rows(program: Program) -> dict[str, list[Any]]:
    """Read the events and evidence back, past the program."""
    with closing(sqlite3.connect(f"file:{store_of(program)}?mode=ro", uri=True)) as store:
        return {
            table: store.execute(f"SELECT id, text, seq FROM {table} ORDER BY id").fetchall()  # noqa: S608 - our names
            for table in ("event", "evidence")
        }


class TestSearch:
    def test_the_stable_form(self, recalling: Program) -> None:
        form = recalling("search", "database linter parser", "--layer", "claims", "--layer", "evidence", "--json").json
        assert {result["kind"] for result in form["results"]} == {"claim", "evidence"}
        for result in form["results"]:
            assert result.keys() >= RESULT
            assert result["proofs"]
            assert all(proof.keys() >= PROOF for proof in result["proofs"])
            assert all(isinstance(value, float | int) for value in result["breakdown"].values())
            assert all(event.split("-")[0] in ("first", "second") for event in result["event_ids"])

    @pytest.mark.parametrize(("layer", "kinds"), [("claims", {"claim"}), ("evidence", {"evidence"})])
    def test_layers(self, recalling: Program, layer: str, kinds: set[str]) -> None:
        assert {one["kind"] for one in results(recalling, "database", "--layer", layer)} == kinds

    def test_all_layers_with_passages(self, recalling: Program) -> None:
        kinds = {one["kind"] for one in results(recalling, "lease database", "--layer", "all", "--limit", "50")}
        assert kinds >= {"claim", "evidence", "proposition"}

    def test_the_current_value_first_with_its_history(self, recalling: Program) -> None:
        best = results(recalling, "which database", "--layer", "claims")[0]
        assert "PostgreSQL" in best["text"]
        assert best["event_ids"] == ["second-0"]
        assert ["DuckDB" in old["text"] for old in best["history"]] == [True]

    def test_types(self, recalling: Program) -> None:
        for kind in ("decision", "constraint", "bug"):
            found = results(recalling, "database linter parser", "--type", kind)
            assert found
            assert {one["type"] for one in found} == {kind}
        assert results(recalling, "database", "--type", "open_question") == []
        refused = recalling("search", "x", "--type", "rumour", "--json", check=False)
        assert (refused.code, refused.error["code"]) == (2, "invalid_input")

    def test_what_held_and_what_was_known_then(self, recalling: Program) -> None:
        held = results(recalling, "database", "--layer", "claims", "--as-of", "2026-06-05")
        assert "DuckDB" in held[0]["text"]
        assert results(recalling, "database", "--layer", "claims", "--as-of", "2026-05-01") == []
        assert results(recalling, "database", "--layer", "claims", "--known-at", "2026-06-10") == []
        assert results(recalling, "database", "--layer", "claims", "--known-at", "2999-01-01")

    def test_sessions(self, recalling: Program) -> None:
        found = results(recalling, "database", "--session", "first", "--layer", "evidence")
        assert {one["session"] for one in found} == {"first"}

    def test_pages_are_one_ranking(self, pckc: Program, tmp_path: Path) -> None:
        pckc(
            "import",
            write(
                tmp_path / "s.jsonl",
                [said("s", seq, f"We decided to use engine{seq} as driver{seq}.") for seq in range(25)],
            ),
        )
        whole = [one["id"] for one in results(pckc, "engine driver decided", "--limit", "49")]
        assert len(whole) == 49
        paged: list[str] = []
        cursor = ""
        while len(paged) < 49:
            form = pckc("search", "engine driver decided", "--limit", "7", "--cursor", cursor, "--json").json
            paged += [one["id"] for one in form["results"]]
            cursor = form["next_cursor"]
        assert paged == whole
        assert len(set(paged)) == 49

    def test_a_batch_answers_in_order(self, recalling: Program, tmp_path: Path) -> None:
        batch = write(
            tmp_path / "batch.jsonl",
            [
                {"id": "1", "query": "database", "layer": "claims"},
                {"id": "2", "query": "linter", "type": ["constraint"], "limit": 1},
                {"id": "3", "query": "database", "as_of": "2026-06-05", "layer": "claims"},
                {"id": "4", "query": "x", "type": "rumour"},
            ],
        )
        answers = [
            json.loads(line)
            for line in recalling("search", "--batch", batch, "--json", check=False).stdout.splitlines()
        ]
        assert [answer["id"] for answer in answers] == ["1", "2", "3", "4"]
        assert "PostgreSQL" in answers[0]["results"][0]["text"]
        assert [one["type"] for one in answers[1]["results"]] == ["constraint"]
        assert "DuckDB" in answers[2]["results"][0]["text"]
        assert answers[3]["error"]["code"] == "invalid_input"


class TestExplain:
    def test_why(self, recalling: Program) -> None:
        claim = claim_like(recalling, "database")
        form = recalling("why", claim, "--json").json
        assert form["event_ids"] == ["second-0"]
        assert [check["liveness"] for check in form["checks"]] == ["live"]
        assert [link["kind"] for link in form["links"]] == ["supersedes"]
        text = recalling("why", claim).stdout
        assert "> We decided to use PostgreSQL as the database." in text
        assert "now live" in text

    def test_why_of_evidence(self, recalling: Program) -> None:
        evidence = results(recalling, "linter", "--layer", "evidence")[0]["id"]
        assert recalling("why", evidence, "--json").json["event_ids"] == ["first-1"]
        assert "around" in recalling("why", evidence).stdout

    def test_why_not(self, recalling: Program) -> None:
        old = recalling("why-not", "DuckDB as the database", "--json").json
        assert any("replaced by" in claim["why"] for claim in old["claims"])
        hedged = recalling("why-not", "the port is 9000", "--json").json
        assert [rejection["rule"] for rejection in hedged["rejections"]] == ["gate.hedged"]
        assert "hedged" in recalling("why-not", "the port is 9000").stdout
        assert "nothing like it" in recalling("why-not", "zebra crossings").stdout

    def test_history(self, recalling: Program) -> None:
        form = recalling("history", claim_like(recalling, "database"), "--json").json
        assert [claim["value"].casefold() for claim in form["claims"]] == ["duckdb", "postgresql"]
        assert [claim["valid_to"] is None for claim in form["claims"]] == [False, True]

    def test_an_unknown_id(self, recalling: Program) -> None:
        for command in ("why", "history", "pin", "reject"):
            assert recalling(command, "claim_nowhere", "--json", check=False).code == 5
        assert recalling("undo", "claim_nowhere", "--json", check=False).code != 0


def test_stats_count_everything(recalling: Program) -> None:
    form = recalling("stats", "--json").json
    assert form["sessions"] == {"total": 2, "by_host": {"plain": 2}}
    assert form["events"] == {"total": 6, "by_kind": {"agent_message": 1, "prompt": 5}}
    assert form["evidence"] == form["coverage"]["evidence"]["total"] == 6
    claims = recalling("claims", "--all", "--facts", "--json").json["results"]
    for key in ("type", "status", "governance"):
        assert form["claims"][f"by_{key}"] == Counter(claim[key] for claim in claims)
    assert form["claims"]["total"] == len(claims)
    assert "2 (6 events)" in recalling("stats").stdout


class TestDecisions:
    def listed(self, program: Program, *options: str) -> dict[str, str]:
        form = program("claims", "--json", *options).json
        return {claim["id"]: claim["governance"] for claim in form["results"]}

    @pytest.mark.parametrize(("command", "state"), [("reject", "rejected"), ("archive", "archived")])
    def test_hides_explains_and_takes_back(self, told: Program, command: str, state: str) -> None:
        claim = claim_like(told, "linter")
        told(command, claim, "--reason", "not so", "--actor", "ann")
        assert claim not in self.listed(told)
        assert self.listed(told, "--all")[claim] == state
        assert f"({state})" in told("claims", "--all").stdout
        assert all(one["id"] != claim for one in results(told, "linter", "--layer", "claims"))
        assert claim not in told("context", "commit the linter", "--json").stdout
        assert told("why", claim, "--json").json["governance"] == state
        assert told("history", claim, "--json").json["governance"][0]["actor"] == "ann"
        assert any(state in one["why"] for one in told("why-not", "run the linter", "--json").json["claims"])
        told("undo", claim)
        assert self.listed(told)[claim] == "active"
        assert results(told, "linter", "--layer", "claims")[0]["id"] == claim

    def test_the_history_only_grows(self, told: Program) -> None:
        claim = claim_like(told, "linter")
        for command in ("pin", "archive", "undo", "reject", "undo", "undo"):
            told(command, claim)
        acts = told("history", claim, "--json").json["governance"]
        assert [(act["before"], act["after"]) for act in acts] == [
            ("active", "pinned"), ("pinned", "archived"), ("archived", "pinned"), ("pinned", "rejected"),
            ("rejected", "pinned"), ("pinned", "active"),
        ]  # fmt: skip
        assert told("undo", claim, check=False).code != 0

    def test_a_rejected_claim_gives_way_to_what_it_replaced(self, told: Program) -> None:
        told("reject", claim_like(told, "database"))
        assert "DuckDB" in results(told, "database", "--layer", "claims")[0]["text"]

    def test_nothing_closes_a_pinned_claim(self, told: Program, story: Path) -> None:
        claim = claim_like(told, "database")
        told("pin", claim)
        write(story, [*STORY, said("third", 0, "We decided to use MySQL as the database.", day=20)])
        told("import", story)
        both = {one["id"]: one for one in results(told, "database", "--layer", "claims")}
        assert both[claim]["status"] == "contested"
        assert len(both[claim]["conflicts"]) == 1

    def test_a_decision_outlives_a_new_import(self, told: Program, story: Path) -> None:
        claim = claim_like(told, "linter")
        told("reject", claim)
        told("import", story, "--fresh")
        assert claim not in self.listed(told)
        assert self.listed(told, "--all")[claim] == "rejected"


class TestForget:
    def test_a_claim(self, told: Program) -> None:
        kept, gone = claim_like(told, "linter"), claim_like(told, "parser crashes")
        told("reject", kept)
        told("forget", "--yes", "--claim", gone)
        assert b"crashes on empty" not in raw_bytes(told)
        assert told("why", gone, check=False).code == 5
        assert not any("crashes" in one["text"] for one in results(told, "crashes", "--layer", "all"))
        assert told("why", kept, "--json").json["governance"] == "rejected"
        assert b"PostgreSQL" in raw_bytes(told)

    def test_what_was_forgotten_stays_forgotten(self, told: Program, story: Path) -> None:
        told("forget", "--yes", "--claim", claim_like(told, "parser crashes"))
        told("import", story, "--fresh")
        assert b"crashes on empty" not in raw_bytes(told)

    def test_a_forgotten_session_stays_forgotten(self, told: Program, story: Path) -> None:
        """Also when everything is read anew."""
        told("forget", "--yes", "--session", "second")
        before = beliefs(told)
        form = told("import", story, "--fresh", "--json").json
        assert form["skipped"]["event of a forgotten session"]
        assert b"PostgreSQL" not in raw_bytes(told)
        assert beliefs(told) == before

    @pytest.mark.parametrize("by_host_id", [True, False])
    def test_a_session(self, told: Program, *, by_host_id: bool) -> None:
        session = str(results(told, "PostgreSQL", "--layer", "claims")[0]["session"])
        answer = told("forget", "--yes", "--json", "--session", "second" if by_host_id else session).json
        assert any("DuckDB" in claim["text"] for claim in answer["holds_again"])
        stored = raw_bytes(told)
        assert b"PostgreSQL" not in stored
        assert b"crashes" not in stored
        assert "DuckDB" in results(told, "database", "--layer", "claims")[0]["text"]
        assert told("claims", "--json").json["results"]

    def test_a_document(self, told: Program) -> None:
        told("index")
        assert b"MAX_RETRIES" in raw_bytes(told)
        told("forget", "--yes", "--document", "src/harvester/leases.py")
        assert b"MAX_RETRIES" not in raw_bytes(told)

    def test_everything(self, told: Program) -> None:
        told("index")
        assert told("forget", "--all", check=False).code == 2
        told("forget", "--all", "--yes")
        stored = raw_bytes(told)
        for word in (b"PostgreSQL", b"DuckDB", b"linter", b"MAX_RETRIES"):
            assert word not in stored
        assert beliefs(told) == ([], [])

    def test_another_projects_data_stays(self, told: Program, story: Path, tmp_path: Path) -> None:
        other = tmp_path / "elsewhere"
        other.mkdir()
        store = store_of(told)
        told("import", story, "--store", store, "--project", other)
        told("forget", "--all", "--yes")
        found = told("search", "database", "--json", "--layer", "claims", "--store", store, "--project", other).json
        assert "PostgreSQL" in found["results"][0]["text"]
