"""What operators see: settings with their sources, logs for machines, traces."""

import json
import logging
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pckc_domain.errors import NotFoundError
from pckc_mcp import tracing
from pckc_mcp.loggers import configure_logging
from pckc_mcp.memory import open_memory

from .program import Answer, Program, Repository
from .sample import SECRETS

TOKEN = SECRETS[0]


def checks(answer: Answer) -> dict[str, dict[str, Any]]:
    """Return the checks of a doctor by name."""
    return {check["name"]: check for check in answer.json["checks"]}


def log(answer: Answer) -> list[dict[str, str]]:
    """Return what was said on stderr as objects."""
    return [json.loads(line) for line in answer.stderr.splitlines()]


class TestDoctor:
    def test_each_setting_names_its_source(self, pckc: Program, repository: Repository) -> None:
        repository.write(
            "pyproject.toml", "[tool.pckc.search]\nembedder_wait_seconds = 3.5\n[tool.pckc.graph]\nenabled = true\n"
        )
        file = repository.write("pckc.toml", 'tenant = "team"\n[retention]\nstale_days = 7\n[graph]\nenabled = false\n')
        pckc("index")
        found = checks(pckc("doctor", "--json", environ={"PCKC_TOOLS": "pegas"}))
        assert found["tools"]["detail"] == "pegas (PCKC_TOOLS)"
        assert found["tenant"]["detail"] == f"team ({file})"
        assert f"stale_days = 7 ({file})" in found["[retention]"]["detail"]
        assert "candidate_days = 30 (default)" in found["[retention]"]["detail"]
        assert f"enabled = False ({file})" in found["[graph]"]["detail"]
        assert f"embedder_wait_seconds = 3.5 ({repository.root / 'pyproject.toml'})" in found["[search]"]["detail"]
        assert "none (PCKC_EMBEDDER)" in found["embedder"]["detail"]

    def test_what_is_installed_and_covered(self, indexed: Program) -> None:
        found = checks(indexed("doctor", "--json"))
        assert "pckc-domain 0." in found["packages"]["detail"]
        assert found["coverage"]["detail"].startswith("files ")
        assert "graph " in found["coverage"]["detail"]
        assert found["watch"]["detail"].startswith("nobody watches")
        assert "traces" not in found

    def test_a_login_in_a_setting_is_not_shown(self, pckc: Program, repository: Repository) -> None:
        repository.write("pckc.toml", '[vector]\nbackend = "qdrant"\nurl = "http://me:kept-between-us@127.0.0.1:9"\n')
        answer = pckc("doctor", "--json", check=False)
        assert "kept-between-us" not in answer.stdout + answer.stderr
        assert "127.0.0.1:9" in checks(answer)["vector"]["detail"]


class TestLogs:
    def test_what_is_said_is_an_object_a_line(self, pckc: Program) -> None:
        said = log(pckc("context", "anything", environ={"PCKC_LOG": "json"}))
        assert [line["level"] for line in said] == ["info"] * len(said) != []
        assert said[0]["message"].startswith("never indexed")
        assert said[0]["time"].endswith("+00:00")

    def test_errors_too(self, pckc: Program) -> None:
        (said,) = log(pckc("history", "claim_nothing", environ={"PCKC_LOG": "json"}, check=False))
        assert (said["level"], said["code"]) == ("error", "not_found")
        assert said["remedy"]

    def test_only_what_is_wanted(self, pckc: Program) -> None:
        quiet = pckc("context", "anything", environ={"PCKC_LOG_LEVEL": "error"})
        assert quiet.stderr == ""
        assert "pckc: " in pckc("history", "x", environ={"PCKC_LOG_LEVEL": "error"}, check=False).stderr

    def test_secrets_are_not_said(self, pckc: Program) -> None:
        answer = pckc("history", TOKEN, environ={"PCKC_LOG": "json"}, check=False)
        assert TOKEN not in answer.stderr
        assert log(answer)[0]["code"] == "not_found"

    def test_an_unknown_form_is_refused(self, pckc: Program) -> None:
        for name in ("PCKC_LOG", "PCKC_LOG_LEVEL"):
            refused = pckc("stats", "--json", environ={name: "loud"}, check=False)
            assert refused.code == 3
            assert "json" in refused.error["remedy"] or "debug" in refused.error["remedy"]

    @pytest.mark.parametrize("form", ["plain", "json"])
    def test_what_an_exception_quotes_is_not_said(
        self, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """But its kind and its place are."""
        monkeypatch.setenv("PCKC_LOG", form)
        configure_logging()
        try:
            raise ValueError("a text that was recalled")
        except ValueError:
            logging.getLogger("pckc_mcp.test").exception("it failed with %s", TOKEN)
        said = capsys.readouterr().err
        assert "recalled" not in said
        assert TOKEN not in said
        assert "ValueError" in said
        assert "test_operations.py" in said
        if form == "json":
            assert json.loads(said)["logger"] == "pckc_mcp.test"

    def test_a_line_that_cannot_be_written_is_not_quoted(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Neither its arguments nor the error that was being handled."""
        configure_logging()
        try:
            raise ValueError("a text that was recalled")
        except ValueError:
            logging.getLogger("pckc_mcp.test").warning("failed with %d", TOKEN)
        assert capsys.readouterr().err == ""


class TestTraces:
    @pytest.fixture(autouse=True)
    def _anew(self) -> Iterator[None]:
        """Let each test have a tracer of its own."""
        tracing._traced_class.cache_clear()
        yield
        tracing._traced_class.cache_clear()

    def test_spans_name_use_cases_and_no_text(self, indexed: Program) -> None:
        answer = indexed("context", "renew the quixotic lease", environ={"PCKC_TRACES": "console"})
        spans = [json.loads(line) for line in answer.stderr.splitlines() if line.startswith("{")]
        names = [span["name"] for span in spans]
        assert "ContextCompiler.compile" in names
        assert names.count("PassageSearch.search") > 1
        compiled = next(span for span in spans if span["name"] == "ContextCompiler.compile")
        parents = {span["parent_id"] for span in spans if span["name"] == "PassageSearch.search"}
        assert compiled["context"]["span_id"] in parents
        assert "quixotic" not in "".join(line for line in answer.stderr.splitlines() if line.startswith("{"))
        assert answer.stdout == indexed("context", "renew the quixotic lease").stdout

    def test_a_failure_is_marked_and_not_quoted(
        self,
        repository: Repository,
        environ: dict[str, str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("PCKC_TRACES", "console")
        with open_memory(repository.root) as memory, pytest.raises(NotFoundError):
            memory.verify("claim_that_nobody_may_read")
        span = json.loads(capsys.readouterr().err.splitlines()[-1])
        assert span["attributes"] == {"error.type": "NotFoundError"}
        assert span["status"]["status_code"] == "ERROR"
        assert "nobody_may_read" not in json.dumps(span)

    def test_an_unknown_exporter_is_refused(self, indexed: Program) -> None:
        refused = indexed("context", "x", "--json", environ={"PCKC_TRACES": "smoke"}, check=False)
        assert (refused.code, refused.error["code"]) == (3, "configuration")
        assert "otlp" in refused.error["remedy"]

    def test_nothing_is_imported_when_off(self, indexed: Program) -> None:
        code = (
            "import sys; from pathlib import Path; from pckc_mcp.opening import open_engine\n"
            "with open_engine(Path('.'), with_semantic=False) as engine: engine.compiler(None)\n"
            "print([name for name in sys.modules if name.startswith('opentelemetry')])"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=indexed.folder, env=dict(indexed.environ), capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        assert ran.stdout.strip() == "[]"


def test_a_store_that_everybody_may_read_is_closed(pckc: Program) -> None:
    """By the next command of its owner, with the folders that are PCKC's."""
    pckc("index")
    own = Path(pckc.environ["XDG_DATA_HOME"]) / "pckc"
    store = Path(pckc("stats", "--json").json["store"])
    for each in (store, *store.parents[:3]):
        each.chmod(0o755 if each.is_dir() else 0o644)
    pckc("search", "anything")
    assert store.parents[2] == own
    assert [stat.S_IMODE(each.stat().st_mode) for each in (store, *store.parents[:3])] == [0o600, 0o700, 0o700, 0o700]
