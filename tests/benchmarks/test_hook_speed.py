"""Speed of hooks as whole processes, on a store of 100,000 claims, beside the bare interpreter."""

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from pckc_domain.model.claim import Beliefs, Claim, ClaimType
from pckc_domain.policy.analysis import index_terms
from pckc_domain.testing.belief_samples import claim, episode, event, evidence, proof, session
from pckc_domain.testing.samples import TIME
from pckc_mcp.opening import open_engine
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.bench

CLAIMS = 100_000
CLAIMS_A_COMMIT = 2_000
SESSIONS, PROMPTS_A_SESSION = 40, 500
PROMPT_LIMIT_MS = 150.0
RECORD_LIMIT_MS = 60.0
"""Of the 95th percentile of a whole process."""

RUNS = 60
PCKC = shutil.which("pckc", path=str(Path(sys.executable).parent)) or "pckc"
DICE = random.Random(20260731)  # noqa: S311  # no secret

VOCABULARY = [
    f"{a}{b}{c}" for a in ("ba", "ko", "li", "mu", "re") for b in "bcdfghjklmnpqrstvwxz" for c in "abcdefghij"
]
"""A thousand words; the first are common, the last are rare."""

WEIGHTS = [1 / rank for rank in range(1, len(VOCABULARY) + 1)]


def sentence(length: int) -> str:
    """Return words drawn as they are in natural language, by Zipf's law."""
    return " ".join(DICE.choices(VOCABULARY, WEIGHTS, k=length))


def made_claims() -> list[Claim]:
    """Claims of all types."""
    return [
        claim(
            text := f"{sentence(DICE.randint(6, 20))} n{number % 5_000}",
            id=f"claim_{number:024}",
            type=DICE.choice(list(ClaimType)),
            subject=sentence(1),
            attribute=sentence(1),
            value=sentence(2),
            terms=index_terms(text),
            valid_from=TIME + timedelta(seconds=number),
        )
        for number in range(CLAIMS)
    ]


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment with a home of its own, for this process too."""
    home = tmp_path / "home"
    home.mkdir()
    mine = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PCKC_EMBEDDER": "none",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, **mine}


@pytest.fixture
def project(tmp_path: Path, environ: Mapping[str, str]) -> Path:
    """A project whose memory holds a hundred thousand claims, and twenty thousand prompts of which none was made."""
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=root, env=environ, check=True)
    claims = made_claims()
    with open_engine(root) as engine:
        for start in range(0, CLAIMS, CLAIMS_A_COMMIT):
            with engine.canonical.writing(engine.scope) as work:
                work.claims.settle(
                    {
                        f"slot_{start + number:024}": Beliefs(claims=(each,), proofs=(proof(each),))
                        for number, each in enumerate(claims[start : start + CLAIMS_A_COMMIT])
                    }
                )
        for number in range(SESSIONS):
            of = session(f"s{number}", cwd=str(root))
            events = [event(of, seq, f"{sentence(30)} {number}-{seq}") for seq in range(PROMPTS_A_SESSION)]
            within = episode(of, last_seq=PROMPTS_A_SESSION)
            with engine.canonical.writing(engine.scope) as work:
                work.sessions.put(of, events)
                work.evidence.replace(of.id, [within], [evidence(each, within) for each in events])
    return root


@attrs.frozen(kw_only=True)
class Times:
    """How long whole processes took, sorted, and how much of a processor's time each used; in milliseconds."""

    waited: Sequence[float]
    used: float

    def in_words(self, limit: float | None = None) -> str:
        """Return the median, the 95th percentile and its *limit*."""
        p95 = self.waited[round(len(self.waited) * 0.95) - 1]
        bound = f" (limit {limit:.0f})" if limit else ""
        return f"p50 {statistics.median(self.waited):.0f}, p95 {p95:.0f} ms{bound}, processor {self.used:.0f} ms"


def timed(command: Sequence[str], environ: Mapping[str, str], written: Callable[[], bytes]) -> Times:
    """Run a process again and again, after a first run that warms up."""
    waited = []
    for number in range(RUNS + 1):
        if number == 1:
            before = _used()
        told = written()
        started = time.perf_counter()
        subprocess.run(command, env=environ, input=told, check=True, capture_output=True)
        waited.append((time.perf_counter() - started) * 1e3)
    return Times(waited=sorted(waited[1:]), used=(_used() - before) / RUNS)


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (children.ru_utime + children.ru_stime) * 1e3


def test_hooks(
    benchmark: BenchmarkFixture, project: Path, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a user waits for at each prompt, and an agent at each tool."""

    def prompt() -> bytes:
        return told(prompt=f"Please tell me {sentence(DICE.randint(3, 12))} n{DICE.randint(1, 5_000)}")

    def tool() -> bytes:
        output = {"stdout": f"{sentence(2_000)}", "stderr": ""}
        return told(tool_name="Bash", tool_input={"command": "make"}, tool_response=output)

    def told(**more: object) -> bytes:
        return json.dumps({"session_id": f"s{DICE.random()}", "cwd": str(project), **more}).encode()

    hook = [PCKC, "hook"]
    bare = timed([sys.executable, "-c", "pass"], environ, lambda: b"")
    prompts = benchmark.pedantic(timed, args=([*hook, "UserPromptSubmit"], environ, prompt), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    tools = timed([*hook, "PostToolUse"], environ, tool)
    stops = timed([*hook, "Stop"], environ, lambda: told(last_assistant_message=sentence(200)))
    asked = subprocess.run([*hook, "UserPromptSubmit"], env=environ, input=prompt(), check=True, capture_output=True)
    with capsys.disabled():
        print(  # noqa: T201  # what the benchmark is for
            f"\n  hooks at {CLAIMS:,} claims, each a whole process:"
            f"\n    python -c pass              {bare.in_words()}"
            f"\n    hook UserPromptSubmit       {prompts.in_words(PROMPT_LIMIT_MS)}"
            f"\n    hook PostToolUse            {tools.in_words(RECORD_LIMIT_MS)}"
            f"\n    hook Stop                   {stops.in_words(RECORD_LIMIT_MS)}"
            f"\n    (an answer is {len(asked.stdout):,} bytes)"
        )
