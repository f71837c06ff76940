"""What people read: nothing is shown as its opposite, nothing is erased unasked, and mistakes are explained."""

import hashlib
import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from . import sample
from .conftest import environ_at
from .program import PCKC, Program, Repository
from .test_sessions import claim_like, results, said, write

TALK = [
    said("one", 0, "We do not use Docker in production."),
    said("one", 1, "We decided to use MinIO for object storage."),
    said("one", 2, "Ceph would store objects as well.", role="assistant"),
    said("one", 3, "Since 2099-01-01 the queue listens on port 9900."),
    said("one", 4, "Maybe the port is 9000."),
    said("one", 5, "Let me think about the queue.", role="reasoning"),
]


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program after importing the talk; no test may change what it keeps."""
    folder = tmp_path_factory.mktemp("talked")
    (folder / "home").mkdir()
    environ = environ_at(folder / "home")
    sample.fill(Repository(folder / "repo", environ))
    program = Program(folder=folder / "repo", environ=environ)
    program("import", write(folder / "talk.jsonl", TALK))
    return program


class TestClaims:
    def test_a_denial_is_shown_as_one(self, talked: Program) -> None:
        (claim,) = (one for one in talked("claims", "--json").json["results"] if "Docker" in one["text"])
        assert claim["polarity"] == "negative"
        slot = f"{claim['subject']} / {claim['attribute']} ≠ {claim['value']} (in production)"
        assert slot in talked("claims").stdout
        assert slot in talked("why", claim["id"]).stdout
        for command in (("why", claim["id"]), ("history", claim["id"]), ("search", "Docker", "--layer", "claims")):
            assert ", a denial, in production" in talked(*command).stdout

    def test_what_begins_later_is_not_listed(self, talked: Program) -> None:
        assert "9900" not in talked("claims").stdout
        assert "9900" in talked("claims", "--all").stdout
        assert "9900" in talked("search", "queue port", "--as-of", "2099-06-01", "--layer", "claims").stdout

    def test_rejections_have_a_place_and_a_time(self, talked: Program) -> None:
        form = talked("claims", "--rejected", "--json").json
        assert {one["seq"]: one["time"] for one in form["results"]}[5] == "2026-06-01T10:05:00Z"
        assert "#5" in (text := talked("claims", "--rejected").stdout)
        assert "\n  > \n" not in text

    def test_deciding_twice_changes_nothing(self, pckc: Program, tmp_path: Path) -> None:
        pckc("import", write(tmp_path / "talk.jsonl", TALK))
        claim = claim_like(pckc, "MinIO")
        pckc("pin", claim)
        assert "already" in pckc("pin", claim).stdout
        assert len(pckc("history", claim, "--json").json["governance"]) == 1


class TestWhyNot:
    def test_only_what_is_alike_is_named(self, talked: Program) -> None:
        assert "nothing like it" in talked("why-not", "something never said about storage racks").stdout

    def test_what_was_read_is_not_called_unread(self, talked: Program) -> None:
        form = talked("why-not", "MinIO for object storage", "--json").json
        (evidence,) = (one for one in form["evidence"] if "MinIO" in one["text"])
        assert evidence["claims"] == [claim_like(talked, "MinIO")]

    def test_a_later_claim_says_from_when(self, talked: Program) -> None:
        assert "holds from 2099-01-01T00:00:00Z on" in talked("why-not", "queue port 9900").stdout


class TestImport:
    def test_a_dry_run_counts_no_claims(self, pckc: Program, tmp_path: Path) -> None:
        file = write(tmp_path / "talk.jsonl", TALK)
        form = pckc("import", file, "--dry-run", "--json").json
        assert (form["evidence"], form["admitted"], form["rejected"]) == (None, None, None)
        assert form["sessions"] == 1
        assert "admitted" not in (text := pckc("import", file, "--dry-run").stdout)
        assert "1 session " in text
        assert pckc("import", file, "--json").json["new_claims"] > 0
        assert pckc("import", file, "--fresh", "--json").json["new_claims"] == 0

    def test_from_after_to(self, pckc: Program, tmp_path: Path) -> None:
        file = write(tmp_path / "talk.jsonl", TALK)
        answer = pckc("import", file, "--from", "2026-07-01", "--to", "2026-06-01", "--json", check=False)
        assert (answer.code, answer.error["code"]) == (2, "invalid_input")

    def test_gemini_names_the_project_by_a_digest(self, pckc: Program, repository: Repository) -> None:
        place = Path(pckc.environ["HOME"]) / ".gemini" / "tmp" / "x" / "chats"
        mine = hashlib.sha256(os.fsencode(repository.root.resolve())).hexdigest()
        for name, digest in (("mine", mine), ("other", "0" * 64)):
            message = {"id": name, "timestamp": "2026-06-01T10:00:00Z", "type": "user", "content": "We use Redis."}
            place.mkdir(parents=True, exist_ok=True)
            record = {"sessionId": name, "projectHash": digest, "messages": [message]}
            (place / f"session-{name}.json").write_text(json.dumps(record), encoding="utf-8")
        form = pckc("import", "--json").json
        assert (form["sessions"], form["skipped"]) == (1, {"event of another project": 1})
        assert pckc("import", "--json").json["unchanged"] == 2
        assert pckc("import", "--all-projects", "--json").json["sessions"] == 1
        assert pckc("import", "--json").json["unchanged"] == 2


class TestForget:
    def test_nothing_goes_unasked(self, pckc: Program, tmp_path: Path) -> None:
        pckc("import", write(tmp_path / "talk.jsonl", TALK))
        answer = pckc("forget", "--claim", claim_like(pckc, "MinIO"), "--json", check=False)
        assert answer.code == 2
        assert "--yes" in answer.error["remedy"]
        assert claim_like(pckc, "MinIO")

    @pytest.mark.parametrize(("said_so", "code"), [(b"n\n", 2), (b"y\n", 0)])
    def test_a_person_is_asked(self, pckc: Program, tmp_path: Path, said_so: bytes, code: int) -> None:
        pckc("import", write(tmp_path / "talk.jsonl", TALK))
        keyboard, terminal = pty.openpty()
        command = [PCKC, "forget", "--session", "one"]
        with subprocess.Popen(command, cwd=pckc.folder, env=dict(pckc.environ), stdin=terminal) as process:
            os.write(keyboard, said_so)
            assert process.wait(60) == code
        os.close(keyboard)
        os.close(terminal)
        assert bool(pckc("claims", "--json").json["results"]) is (code != 0)


class TestNotes:
    def test_a_budget_too_small(self, indexed: Program) -> None:
        answer = indexed("context", "x", "--budget", "10")
        assert "nothing fits" in answer.stderr
        assert indexed("context", "x", "--budget", "10", "--quiet").stderr == ""

    @pytest.mark.parametrize("command", ["search", "context"])
    def test_an_empty_query(self, indexed: Program, command: str) -> None:
        assert "empty" in indexed(command, "").stderr


class TestEvaluation:
    def ask(self, program: Program, folder: Path, *lines: Any, check: bool = True) -> Any:
        file = folder / "questions.jsonl"
        file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
        answer = program("eval", "retrieval", file, "--json", "--semantic", "never", check=check)
        return answer.json if check else answer.error

    def test_ids_of_evidence_and_unknown_ones(self, talked: Program, tmp_path: Path) -> None:
        evidence = results(talked, "MinIO", "--layer", "evidence")[0]
        question = {"id": "1", "question": "MinIO object storage", "evidence_ids": [evidence["id"]]}
        form = self.ask(talked, tmp_path, question, {"id": 2, "question": "Ceph", "evidence_ids": ["one-2", "nowhere"]})
        assert form["measures"]["pckc"]["all"]["recall@5"] == 0.75
        assert form["unknown_ids"] == 1
        assert form["signals"] == "lexical only: --semantic never"

    def test_columns_in_order(self, talked: Program, tmp_path: Path) -> None:
        file = write(tmp_path / "q.jsonl", [{"id": "1", "question": "MinIO", "evidence_ids": ["one-1"]}])
        head, row = talked("eval", "retrieval", file).stdout.splitlines()[-2:]
        assert head.split()[1:] == ["questions", "recall@1", "recall@5", "recall@10", "mrr"]
        assert row.split()[1] == "1"

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("", "no question"),
            ("[]", "no JSON object"),
            ("{", "no JSON"),
            ('{"question": "x", "evidence_ids": []}', "no id"),
            ('{"id": 1, "question": "x", "evidence_ids": "a"}', "no list"),
            ('{"id": 1, "question": "x", "evidence_ids": [], "pair": 3}', "no object"),
        ],
    )
    def test_mistakes(self, talked: Program, tmp_path: Path, line: str, why: str) -> None:
        error = self.ask(talked, tmp_path, line, check=False)
        assert why in error["message"]
        assert "evidence_ids" in error["remedy"]
