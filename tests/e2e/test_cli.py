"""Every command, in the form for people and in the stable form for programs."""

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .program import Answer, Program, Repository
from .sample import SECRETS

COMMANDS = ("init", "index", "sync", "search", "context", "why", "verify", "stats", "doctor", "serve", "new-adapter")

RESULT = {
    "id", "kind", "type", "text", "score", "breakdown", "status", "valid_from", "valid_to", "path", "start_line",
    "end_line", "symbol", "session", "event_ids", "proofs", "history", "conflicts",
}  # fmt: skip
PROOF = {"id", "authority", "verification", "source_ref", "excerpt", "digest"}
PACK = {
    "schema", "coverage", "subgoals", "claims", "passages", "conflicts", "gaps", "exclusions", "tokens", "budget",
    "hash",
}  # fmt: skip
INDEX = {
    "schema", "coverage", "project", "root", "branch", "indexed", "unchanged", "removed", "skipped", "redacted",
    "bytes_read", "facts", "facts_left_out", "graph", "embedded", "embed_seconds", "seconds",
}  # fmt: skip
ODD_QUERIES = (
    "/", "'", '"', "-", "*", "--", "rm -rf /", "C++", "a.b.c()", "", " ", "AND", "NOT NEAR(", "col:val", "^x", '"open',
    "{}", "\\", "%s", "; DROP TABLE passage; --", "収穫機", "аренда", "임대", "🙂👩‍👩‍👧", "e\u0301", "\u202e", "\ufeff",
    "\x01\x02", "a" * 5_000, "x " * 2_000,
)  # fmt: skip


def search(program: Program, *arguments: str) -> Any:
    """Return the stable form of a search."""
    return program("search", "--json", *arguments).json


def ids(form: Mapping[str, Any]) -> list[str]:
    """Return the ids that a search found."""
    return [result["id"] for result in form["results"]]


def assert_framed(form: Mapping[str, Any], name: str) -> None:
    """Check what every answer has."""
    assert form["schema"] == {"name": f"pckc.{name}", "version": 1}
    for index in form["coverage"].values():
        assert set(index) == {"indexed", "total", "behind"}
        assert 0 <= index["indexed"] <= index["total"]


def assert_silent(answer: Answer) -> None:
    """Check that nothing but the answer was said: scripts read stdout, people read stderr."""
    assert answer.stderr == ""


class TestIndex:
    def test_init_says_where_the_store_is(self, pckc: Program) -> None:
        answer = pckc("init", "--json")
        assert_framed(answer.json, "init")
        assert set(answer.json) == {"schema", "coverage", "project", "root", "store", "backend", "config"}
        store = Path(answer.json["store"])
        assert store.is_file()
        assert store.is_relative_to(pckc.environ["XDG_DATA_HOME"])
        assert str(store) in pckc("init").stdout
        assert pckc("init", "--quiet").stdout == ""

    def test_the_configuration_that_init_writes_is_valid(self, pckc: Program) -> None:
        written = Path(pckc("init", "--config", "--json").json["config"])
        assert written.read_text(encoding="utf-8").startswith("#")
        assert pckc("doctor", check=False).code == 1  # not indexed yet, and nothing else is wrong
        assert pckc("index", "--json").json["indexed"]
        refused = pckc("init", "--config", "--json", check=False)
        assert (refused.code, refused.error["code"]) == (2, "invalid_input")
        edited = "\n".join(line.removeprefix("# ") for line in written.read_text(encoding="utf-8").splitlines()[1:])
        written.write_text(edited.replace('path = "…"', ""), encoding="utf-8")
        pckc("stats")

    def test_index_counts_what_it_did(self, pckc: Program) -> None:
        form = pckc("index", "--json").json
        assert_framed(form, "index")
        assert set(form) == INDEX
        assert form["indexed"] == 14
        assert form["skipped"] == {"binary": 1, "lock file": 1}
        assert form["coverage"]["files"] == {"indexed": 14, "total": 16, "behind": 0}
        assert sum(form["redacted"].values()) == len(SECRETS)
        assert form["branch"] == "main"
        again = pckc("index", "--json").json
        assert (again["indexed"], again["unchanged"], again["removed"]) == (0, 14, 0)
        assert again["skipped"] == form["skipped"]
        assert pckc("index", "--from-scratch", "--json").json["indexed"] == 14

    def test_index_for_people(self, pckc: Program) -> None:
        answer = pckc("index")
        for part in ("14 files read", "1 binary, 1 lock file", "secrets redacted: 2", "(main)", "lexical index only"):
            assert part in answer.stdout
        assert_silent(answer)
        assert pckc("index", "--quiet").stdout == ""
        assert "unchanged" in pckc("index", "--no-embed").stdout
        assert "nothing changed" in pckc("sync").stdout

    def test_a_store_of_ones_own(self, pckc: Program, tmp_path: Path) -> None:
        store = tmp_path / "a b" / "ü.db"
        pckc("index", "--store", store)
        assert store.is_file()
        assert not (Path(pckc.environ["XDG_DATA_HOME"]) / "pckc" / "projects").exists()
        assert ids(search(pckc, "lease", "--store", str(store)))
        assert ids(pckc("search", "lease", "--json", environ={"PCKC_STORE": str(store)}).json)
        assert not search(pckc, "lease")["is_complete"]

    def test_the_project_from_elsewhere(self, indexed: Program, tmp_path: Path) -> None:
        here = search(indexed, "lease")
        named = indexed("search", "lease", "--json", "--project", indexed.folder, folder=tmp_path).json
        by_variable = indexed(
            "search", "lease", "--json", folder=tmp_path, environ={"PCKC_PROJECT": str(indexed.folder)}
        ).json
        assert here == named == by_variable


class TestSearch:
    def test_the_stable_form(self, indexed: Program) -> None:
        answer = indexed("search", "how long does a lease last", "--json")
        assert_silent(answer)
        form = answer.json
        assert_framed(form, "search")
        assert form["coverage"]["passages"]["total"] > 20
        assert form["is_complete"]
        assert form["signals"].startswith("lexical only")
        assert form["results"]
        for result in form["results"]:
            assert result.keys() >= RESULT
            assert result["proofs"]
            assert all(proof.keys() >= PROOF for proof in result["proofs"])
            assert all(isinstance(value, float) for value in result["breakdown"].values())
            assert (indexed.folder / result["path"]).is_file()
        scores = [result["score"] for result in form["results"]]
        assert scores == sorted(scores, reverse=True)

    def test_a_proof_can_be_followed_by_hand(self, indexed: Program) -> None:
        for result in search(indexed, "lease owner", "--limit", "20")["results"]:
            lines = (indexed.folder / result["path"]).read_text(encoding="utf-8").splitlines()
            proof = result["proofs"][0]
            assert result["path"] in proof["source_ref"]
            assert 1 <= result["start_line"] <= result["end_line"] <= len(lines)

    def test_for_people(self, indexed: Program) -> None:
        answer = indexed("search", "MAX_RETRIES")
        assert_silent(answer)
        assert "src/harvester/leases.py:" in answer.stdout
        assert "nothing found" in indexed("search", "zyzzyva").stdout

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ("аренда продлевается", "docs/планировщик.md"),
            ("リース表", "docs/収穫機.md"),
            ("작업 항목은", "docs/수확기.md"),
            ("retry budget seven attempts", "docs/release notes (draft).md"),
            ("Überlauf", "docs/latin1.txt"),
            ("fetch reading", "src/harvester/client.py"),
        ],
    )
    def test_it_finds(self, indexed: Program, query: str, path: str) -> None:
        results = search(indexed, query)["results"]
        assert path in [result["path"] for result in results[:3]]

    def test_windows_line_ends_do_not_reach_an_answer(self, indexed: Program) -> None:
        results = search(indexed, "listen PORT", "--path", "src/harvester/windows.py", "--layer", "all")["results"]
        assert results
        assert not any("\r" in result["text"] for result in results)

    def test_a_typed_search_answers_that_type_only(self, indexed: Program) -> None:
        for kind in ("security_rule", "constraint", "decision", "implementation_detail"):
            results = search(indexed, "lease token log retries", "--type", kind, "--limit", "30")["results"]
            assert results, kind
            assert {result["type"] for result in results} == {kind}
        both = search(indexed, "lease token", "--type", "decision", "--type", "constraint")["results"]
        assert {result["type"] for result in both} == {"decision", "constraint"}

    def test_layers(self, indexed: Program) -> None:
        for layer in ("chunk", "paragraph", "proposition", "summary"):
            results = search(indexed, "lease", "--layer", layer)["results"]
            assert layer in {result["kind"] for result in results}
        everything = {
            result["kind"] for result in search(indexed, "lease", "--layer", "all", "--limit", "50")["results"]
        }
        assert everything >= {"proposition", "summary"}  # near-duplicates in other layers are left out

    def test_paths_and_limits(self, indexed: Program) -> None:
        below = search(indexed, "lease", "--path", "docs/", "--limit", "50")["results"]
        assert below
        assert all(result["path"].startswith("docs/") for result in below)
        wide = ids(search(indexed, "lease", "--limit", "50"))
        for limit in (1, 2, 5):
            assert len(ids(search(indexed, "lease", "--limit", str(limit)))) == limit
        assert len(wide) == len(set(wide)) > 5

    def test_the_same_question_has_the_same_answer(self, indexed: Program) -> None:
        first, second, third = (answer.stdout for answer in indexed.together([["search", "lease", "--json"]] * 3))
        assert first == second == third


class TestOddQueries:
    def test_as_a_batch(self, indexed: Program, tmp_path: Path) -> None:
        queries = [*ODD_QUERIES, "\ud800 lone", "lease \0 nul"]
        batch = tmp_path / "batch.jsonl"
        batch.write_text(
            "".join(json.dumps({"id": n, "query": q}) + "\n" for n, q in enumerate(queries)), encoding="utf-8"
        )
        answer = indexed("search", "--batch", batch)
        forms = [json.loads(line) for line in answer.stdout.splitlines()]
        assert [form["id"] for form in forms] == list(range(len(queries)))
        assert not [form for form in forms if "error" in form]
        assert forms[-1]["results"]

    @pytest.mark.parametrize(
        "query",
        [
            pytest.param(b"", id="empty"),
            pytest.param(b"caf\xe9 \xff", id="no-utf8"),
            pytest.param(b'"', id="quote"),
            pytest.param(b"lease " * 17_000, id="100KB"),
        ],
    )
    @pytest.mark.parametrize("form", ["--json", "--quiet"])
    def test_as_an_argument(self, indexed: Program, query: bytes, form: str) -> None:
        indexed("search", form, query)

    def test_a_query_that_looks_like_an_option(self, indexed: Program) -> None:
        assert ids(search(indexed, "--", "-lease"))
        refused = indexed("search", "--json", "--nonsense", check=False)
        assert refused.code == 2
        assert refused.error["remedy"]

    @pytest.mark.parametrize("task", [b"", b"\xff\xfe", "🙂 収穫機".encode(), b"'\"--*", b"lease " * 17_000])
    def test_as_a_task(self, indexed: Program, task: bytes) -> None:
        form = indexed("context", "--json", "--budget", "500", task).json
        assert form["tokens"] <= 500


class TestBatch:
    def run(self, program: Program, tmp_path: Path, lines: list[str], *options: str) -> list[Any]:
        batch = tmp_path / "batch.jsonl"
        batch.write_text("\n".join(lines) + "\n", encoding="utf-8")
        answer = program("search", "--batch", batch, "--json", *options, check=False)
        assert answer.code in (0, 1)
        assert_silent(answer)
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def test_each_line_is_answered_in_place(self, indexed: Program, tmp_path: Path) -> None:
        lines = [
            '{"id": "a", "query": "lease"}',
            "no json",
            '{"id": "c"}',
            '{"id": "d", "query": "lease", "colour": 1}',
            '{"id": "e", "query": "lease", "limit": 0}',
            '{"id": "f", "query": "lease", "limit": "5"}',
            '{"id": "g", "query": "lease", "layer": 5}',
            '{"id": "h", "query": "lease", "type": ["decision", 3]}',
            '{"id": "i", "query": "lease", "path": {"a": 1}}',
            '{"id": "j", "query": "lease", "path": [1]}',
            '{"id": "k", "query": "lease", "intent": ["x"]}',
            '{"id": "l", "query": "lease", "type": "nonsense"}',
            '{"id": {"m": [1]}, "query": "lease", "type": "decision", "path": "docs/", "layer": "proposition"}',
            "[1, 2]",
            "null",
            "[" * 100_000,
            '{"id": "q", "query": "lease", "limit": 1' + "0" * 30 + "}",
            '{"id": "r", "query": "lease", "limit": 1' + "0" * 5_000 + "}",
            '{"id": "s", "query": "lease", "type": "decision", "layer": "summary"}',
            '{"id": "z", "query": "lease", "limit": 2}',
        ]
        forms = self.run(indexed, tmp_path, lines)
        assert len(forms) == len(lines)
        assert [form["id"] for form in forms] == [
            "a",
            None,
            *"cdefghijkl",
            {"m": [1]},
            None,
            None,
            None,
            "q",
            None,
            "s",
            "z",
        ]
        faulty = {number for number, form in enumerate(forms) if "error" in form}
        assert faulty >= {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18}
        for number in faulty:
            assert set(forms[number]["error"]) == {"code", "message", "remedy"}
        assert {result["type"] for result in forms[12]["results"]} == {"decision"}
        assert len(forms[19]["results"]) == 2

    def test_a_line_is_answered_as_a_lone_query_is(self, indexed: Program, tmp_path: Path) -> None:
        (form,) = self.run(indexed, tmp_path, ['{"id": 1, "query": "lease owner", "limit": 4}'])
        assert form.pop("id") == 1
        alone = search(indexed, "lease owner", "--limit", "4", "--semantic", "auto")
        assert form["results"] == alone["results"]

    def test_options_are_the_lines_defaults(self, indexed: Program, tmp_path: Path) -> None:
        lines = ['{"id": 1, "query": "lease"}', '{"id": 2, "query": "lease", "type": "constraint"}']
        first, second = self.run(indexed, tmp_path, lines, "--type", "decision", "--limit", "1")
        assert [result["type"] for result in first["results"]] == ["decision"]
        assert [result["type"] for result in second["results"]] == ["constraint"]

    def test_a_faulty_line_shows_in_the_exit_code(self, indexed: Program, tmp_path: Path) -> None:
        batch = tmp_path / "batch.jsonl"
        batch.write_text('{"query": "lease"}\n{"query": 5}\n', encoding="utf-8")
        answer = indexed("search", "--json", "--batch", batch, check=False)
        assert answer.code == 1
        first, second = map(json.loads, answer.stdout.splitlines())
        assert first["results"]
        assert second["error"]["remedy"]

    @pytest.mark.parametrize("content", [None, b"\xff\xfe\n", b""])
    def test_an_unreadable_file(self, indexed: Program, tmp_path: Path, content: bytes | None) -> None:
        batch = tmp_path / "batch.jsonl"
        if content is not None:
            batch.write_bytes(content)
        answer = indexed("search", "--json", "--batch", batch, check=False)
        if content == b"":
            assert (answer.code, answer.stdout) == (0, "")
        else:
            assert (answer.code, answer.error["code"]) == (2, "invalid_input")


class TestContext:
    TASK = "fix the expired lease in LeaseTable.release"

    def test_the_stable_form(self, indexed: Program) -> None:
        answer = indexed("context", self.TASK, "--json", "--file", "src/harvester/leases.py", "--symbol", "LeaseTable")
        assert_silent(answer)
        form = answer.json
        assert_framed(form, "context")
        assert form.keys() >= PACK
        assert form["intent"] == "bug_fix"
        assert form["budget"] == 6000
        assert 0 < form["tokens"] <= 6000
        chosen = {one["id"]: one for one in (*form["claims"], *form["passages"])}
        proofs = {proof["id"] for one in chosen.values() for proof in one["proofs"]}
        for goal in form["subgoals"]:
            assert goal.keys() >= {"goal", "covered_by", "proofs"}
            assert set(goal["covered_by"]) <= chosen.keys()
            assert set(goal["proofs"]) <= proofs
            assert (goal["goal"] in form["gaps"]) == (not goal["covered_by"])
        assert all(passage.keys() >= RESULT for passage in form["passages"])
        assert all(set(exclusion) == {"id", "reason"} for exclusion in form["exclusions"])
        assert not chosen.keys() & {exclusion["id"] for exclusion in form["exclusions"]}
        assert "src/harvester/leases.py" in {one["path"] for one in chosen.values()}

    def test_for_an_agent(self, indexed: Program) -> None:
        text = indexed("context", self.TASK).stdout
        assert text.startswith("<pckc-context>")
        assert "[src/harvester/leases.py:" in text
        assert "> " in text

    def test_an_intent_and_overrides(self, indexed: Program) -> None:
        form = indexed("context", self.TASK, "--json", "--intent", "documentation", "--layer", "summary").json
        assert form["intent"] == "documentation"
        assert {passage["kind"] for passage in form["passages"]} <= {"summary", "chunk"}
        typed = indexed("context", "leases", "--json", "--type", "decision", "--layer", "proposition").json
        assert {passage["type"] for passage in typed["passages"] if passage["kind"] == "proposition"} == {"decision"}

    def test_never_over_budget(self, indexed: Program) -> None:
        budgets = [0, 1, 10, 40, 80, 120, 200, 350, 700, 1500, 3000, 6000]
        for first in range(0, len(budgets), 4):
            batch = budgets[first : first + 4]
            commands = [["context", self.TASK, "--json", "--budget", str(budget)] for budget in batch]
            for budget, answer in zip(batch, indexed.together(commands), strict=True):
                assert answer.json["budget"] == budget
                assert answer.json["tokens"] <= budget
                assert bool(answer.json["passages"]) <= (answer.json["tokens"] > 0)

    def test_the_same_task_has_the_same_hash(self, indexed: Program) -> None:
        command = ["context", self.TASK, "--json", "--budget", "1000"]
        other = ["context", self.TASK, "--json", "--budget", "1001"]
        *same, different = (answer.json for answer in indexed.together([command, command, command, other]))
        assert same[0] == same[1] == same[2]
        assert different["hash"] != same[0]["hash"]

    def test_the_text_is_the_pack(self, indexed: Program) -> None:
        form = indexed("context", self.TASK, "--json", "--budget", "900").json
        text = indexed("context", self.TASK, "--budget", "900").stdout
        for passage in form["passages"]:
            assert f"[{passage['path']}:{passage['start_line']}-{passage['end_line']}]" in text

    @pytest.mark.parametrize("budget", ["-1", "many", "1.5"])
    def test_a_budget_that_is_none(self, indexed: Program, budget: str) -> None:
        answer = indexed("context", "x", "--json", f"--budget={budget}", check=False)
        assert (answer.code, answer.error["code"]) == (2, "invalid_input")


class TestProofs:
    def ids_of(self, program: Program, query: str, path: str) -> list[str]:
        found = search(program, query, "--path", path, "--layer", "passages", "--limit", "50")
        assert found["results"], (query, path)
        return ids(found)

    def check(self, program: Program, identity: str) -> Any:
        answer = program("verify", identity, "--json", check=False)
        form = answer.json
        (check,) = form["checks"]
        lost = check["liveness"] in ("changed", "gone")
        assert answer.code == (1 if lost else 0)
        assert form["counts"][check["liveness"]] == 1
        assert check["reason"]
        return check

    def test_why(self, indexed: Program) -> None:
        result = search(indexed, "MAX_RETRIES", "--layer", "proposition")["results"][0]
        form = indexed("why", result["id"], "--json").json
        assert_framed(form, "why")
        for key in ("id", "kind", "text", "path", "start_line", "end_line", "type"):
            assert form[key] == result[key]
        assert form["branch"] == "main"
        assert form["check"]["liveness"] == "live"
        assert form["proof"] == result["proofs"][0]
        text = indexed("why", result["id"]).stdout
        assert result["id"] in text
        assert "now      live" in text

    def test_an_unknown_id(self, indexed: Program) -> None:
        for command in ("why", "verify"):
            answer = indexed(command, "par_nonsense", "--json", check=False)
            assert (answer.code, answer.error["code"]) == (5, "not_found")
            assert answer.error["remedy"]

    def test_everything_is_live_after_an_index(self, indexed: Program) -> None:
        form = indexed("verify", "--json").json
        assert_framed(form, "verify")
        assert form["checks"] == []
        assert set(form["counts"]) == {"live"}
        stats = indexed("stats", "--json").json
        assert stats["claims"]["total"] > 0  # what the repository sets
        assert form["counts"]["live"] == stats["coverage"]["passages"]["total"] + stats["claims"]["total"]
        assert "0 gone" in indexed("verify", "--path", "docs/").stdout

    def test_live_moved_changed_gone(self, pckc: Program, repository: Repository) -> None:
        pckc("index")
        live = self.ids_of(pckc, "sensor reading", "src/harvester/client.py")[0]
        moved = self.ids_of(pckc, "acquire owner", "src/harvester/leases.py")[0]
        changed = self.ids_of(pckc, "leases over locks", "docs/adr/0001-leases.md")
        renamed = self.ids_of(pckc, "retry budget", "docs/release notes (draft).md")[0]
        gone = self.ids_of(pckc, "リース", "docs/収穫機.md")[0]
        repository.write(
            "src/harvester/leases.py", "# a\n# b\n# c\n" + (repository.root / "src/harvester/leases.py").read_text()
        )
        repository.replace("docs/adr/0001-leases.md", "We chose leases over locks for all", "We chose locks for some")
        repository.git("mv", "docs/release notes (draft).md", "docs/notes.md")
        (repository.root / "docs/収穫機.md").unlink()
        assert self.check(pckc, live)["liveness"] == "live"
        check = self.check(pckc, moved)
        assert check["liveness"] == "moved"
        assert check["found_at"] != check["source_ref"]
        assert "changed" in {self.check(pckc, identity)["liveness"] for identity in changed[:3]}
        check = self.check(pckc, renamed)
        assert check["liveness"] == "moved"
        assert "docs/notes.md" in check["found_at"]
        assert self.check(pckc, gone)["liveness"] == "gone"
        everything = pckc("verify", "--json", check=False)
        assert everything.code == 1
        assert set(everything.json["counts"]) == {"live", "moved", "changed", "gone"}
        assert pckc("why", gone, "--json").json["check"]["liveness"] == "gone"
        assert "moved" in pckc("verify", moved).stdout

    def test_what_comes_back_is_live_again(self, pckc: Program, repository: Repository) -> None:
        pckc("index")
        identity = self.ids_of(pckc, "leases over locks", "docs/adr/0001-leases.md")[0]
        file = repository.root / "docs/adr/0001-leases.md"
        text = file.read_text(encoding="utf-8")
        repository.write("docs/adr/0001-leases.md", "# Other\n")
        assert self.check(pckc, identity)["liveness"] == "changed"
        repository.write("docs/adr/0001-leases.md", text)
        assert self.check(pckc, identity)["liveness"] == "live"

    def test_an_answer_says_that_a_file_changed_since(self, pckc: Program, repository: Repository) -> None:
        pckc("index")
        repository.replace("docs/adr/0001-leases.md", "work items", "things")
        results = search(pckc, "leases over locks", "--path", "docs/adr/")["results"]
        assert results
        assert {result["status"] for result in results} == {"stale"}
        assert "changed since" in pckc("search", "leases over locks", "--path", "docs/adr/").stdout


class TestSecrets:
    def test_no_secret_leaves_the_work_tree(self, pckc: Program) -> None:
        token, password = SECRETS
        said = [pckc("index", "--json"), pckc("index", "--from-scratch")]
        store = Path(pckc("stats", "--json").json["store"])
        commands = [
            ["search", "GITHUB_TOKEN", "--json", "--layer", "all", "--limit", "50"],
            ["search", token, "--json"],
            ["search", "DATABASE_PASSWORD", "--path", "deploy/"],
            ["context", "why does GITHUB_TOKEN fail", "--json", "--file", "deploy/settings.py"],
            ["context", f"rotate {token} and DATABASE_PASSWORD", "--json"],
            ["context", f"rotate {token} and DATABASE_PASSWORD"],
            ["verify", "--json"],
            ["stats"],
        ]
        said += [*pckc.together(commands[:4]), *pckc.together(commands[4:])]
        found = search(pckc, "GITHUB_TOKEN", "--layer", "all")
        assert any("GITHUB_TOKEN" in result["text"] for result in found["results"])
        said += [pckc("why", result["id"]) for result in found["results"] if result["kind"] != "symbol"][:1]
        for answer in said:
            assert token not in answer.stdout + answer.stderr
            assert password not in answer.stdout + answer.stderr
        for file in store.parent.iterdir():
            content = file.read_bytes()
            assert token.encode() not in content
            assert password.encode() not in content
        with sqlite3.connect(store) as connection:  # what is compressed or split would hide from the check above
            assert token not in "\n".join(connection.iterdump())
        connection.close()


class TestStatsAndDoctor:
    def test_stats(self, indexed: Program) -> None:
        form = indexed("stats", "--json").json
        assert_framed(form, "stats")
        assert form.keys() >= {"layers", "coverage", "bytes_on_disk", "skipped", "checkouts", "store", "indexed_at"}
        assert set(form["layers"]) == {"chunk", "paragraph", "proposition", "summary"}
        assert all(count["fresh"] > 0 and count["stale"] == 0 for count in form["layers"].values())
        assert form["bytes_on_disk"] > 10_000
        assert form["checkouts"] == [{"root": str(indexed.folder), "branch": "main"}]
        assert form["gaps"] == {"total": 0, "by_status": {}}
        assert (form["traces"], form["distillations"]) == (0, {"done": 0, "failed": 0, "waiting": 0})
        text = indexed("stats").stdout
        assert form["store"] in text
        assert "distilled   0 of 0 chunks, 0 failed" in text

    def test_stats_before_the_first_index(self, pckc: Program) -> None:
        form = pckc("stats", "--json").json
        assert (form["indexed_at"], form["is_complete"]) == (None, False)
        assert "never" in pckc("stats").stdout

    def test_doctor(self, indexed: Program) -> None:
        form = indexed("doctor", "--json", "--check").json
        assert_framed(form, "doctor")
        assert all(set(check) == {"name", "ok", "detail", "remedy"} for check in form["checks"])
        assert {"git", "config", "store", "index"} <= {check["name"] for check in form["checks"]}
        assert all(check["ok"] for check in form["checks"])
        assert "FAIL" not in indexed("doctor").stdout

    def test_doctor_finds_that_nothing_is_indexed(self, pckc: Program) -> None:
        answer = pckc("doctor", "--json", check=False)
        assert answer.code == 1
        (failed,) = [check for check in answer.json["checks"] if not check["ok"]]
        assert failed["name"] == "store"
        assert failed["remedy"]


class TestUsage:
    def test_help_and_version(self, indexed: Program) -> None:
        assert indexed("--version").stdout.startswith("pckc ")
        for answer in (indexed(), indexed("--help")):
            assert all(command in answer.stdout for command in COMMANDS)

    @pytest.mark.parametrize(
        "arguments",
        [
            ["nonsense"],
            ["search", "x", "--limit", "0"],
            ["search", "x", "--limit", "many"],
            ["search", "x", "--limit", "1000000000000000000000"],
            ["search", "x", "--type", "risk", "--layer", "summary"],
            ["search", "x", "--type", "nonsense"],
            ["search", "x", "--layer", "nonsense"],
            ["search", "x", "--intent", "nonsense"],
            ["search", "x", "--semantic", "always"],
            ["context"],
            ["why"],
        ],
    )
    def test_wrong_usage(self, indexed: Program, arguments: list[str]) -> None:
        answer = indexed(*arguments, "--json", check=False)
        assert (answer.code, answer.stdout) == (2, "")
        assert set(answer.error) == {"code", "message", "remedy"}
        assert answer.error["code"] == "invalid_input"
        assert indexed(*arguments, check=False).stderr.startswith("pckc: ")

    @pytest.mark.parametrize("command", [["stats"], ["sync"], ["index"], ["search", "x"]])
    def test_no_such_project(self, indexed: Program, tmp_path: Path, command: list[str]) -> None:
        for project in (tmp_path / "missing", indexed.folder / "README.md", "", "a\udcffb"):
            answer = indexed(*command, "--json", f"--project={project}", check=False, folder=tmp_path)
            if project == "":
                assert answer.code == 0
            else:
                assert (answer.code, answer.error["code"]) == (3, "configuration")
                assert answer.error["remedy"]

    def test_a_reader_that_goes_away(self, indexed: Program) -> None:
        process = indexed.start("search", "lease", "--json", "--limit", "50")
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        answer = indexed.finish(process)
        assert (answer.stdout, answer.stderr) == ("", "")

    def test_an_ascii_terminal(self, indexed: Program) -> None:
        environ = {"PYTHONIOENCODING": "ascii"}
        assert "?" in indexed("search", "аренда", environ=environ).stdout
        assert json.loads(indexed("search", "аренда", "--json", environ=environ).stdout)["results"]
