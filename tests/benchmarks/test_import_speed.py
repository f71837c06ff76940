"""Speed of importing transcripts, and of claims at size, in processor time beside a plain ``json.loads`` loop."""

import ast
import json
import random
import re
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

import pytest
from pckc_adapters_sources.backend import TRANSCRIPTS, TranscriptSettings
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.model.claim import Assertion, Claim, ClaimStatus, ClaimType
from pckc_domain.model.identity import content_id
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.derivation import derive
from pckc_domain.policy.granularity import route
from pckc_domain.policy.graph.sessions import session_file
from pckc_domain.policy.slots import slot_key
from pckc_domain.policy.subgoals import find_subgoals
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing.belief_samples import claim, episode, event, evidence, proof, session
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.testing.transcript_samples import CWD, ClaudeSession, Line, lines
from pckc_domain.usecases.compile_claims import ClaimSelector
from pckc_domain.usecases.recall_claims import ClaimSearch
from pckc_domain.usecases.remember import Importer, ImportRequest
from pckc_domain.usecases.session_graph import keep_sessions
from pckc_domain.usecases.settling import settle

pytestmark = pytest.mark.bench

TRANSCRIPT_BYTES = 60_000_000
SESSION_BYTES = 1_500_000
PLAIN_LINES = 60_000
IMPORT_LIMIT_MB_A_SECOND = 20.0
VERBOSE_RUNS = 0.15
STATEMENTS_IN_CHAT = 0.2
SESSION_EVENTS = (1_000, 3_000, 10_000)

CLAIMS = 100_000
CLAIMS_A_SESSION = 100
PASSAGES_A_SESSION = 50
SLOTS_A_COMMIT = 1_000
SEARCH_P50_LIMIT_MS = 10.0
COMPILE_P50_LIMIT_MS = 60.0

Answer = TypeVar("Answer")

DICE = random.Random(20260705)  # noqa: S311  # no secret

LIBRARY = Path(sysconfig.get_path("stdlib"))
SOURCES = [path.read_text("utf-8") for path in sorted(LIBRARY.glob("*.py"))[:120]]
"""What the agent reads and edits: real code."""

DOCSTRINGS = [
    " ".join(text.split())
    for source in SOURCES
    for node in ast.walk(ast.parse(source))
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and (text := ast.get_docstring(node))
]
"""What the agent says: real technical English."""

THINGS = sorted(
    {
        name.strip("_").replace("_", " ").lower()
        for source in SOURCES
        for name in re.findall(r"(?:def|class) (\w{6,30})", source)
    }
)
"""What claims are about: some thousand names of things."""

SUBJECTS = [
    f"{a} {b}"
    for a in "cache queue retry login billing search export mail audit upload".split()
    for b in "timeout backend limit policy format schedule port level region owner".split()
]
STATEMENTS = (
    "We decided to use {value} for the {subject}.",
    "The {subject} is {number} seconds.",
    "Let's switch the {subject} from {other} to {value}.",
    "Always run the {subject} checks before pushing.",
    "There is a bug in the {subject}: it crashes when the value is {number}.",
    "For the {subject} we still have to write {number} tests.",
    "Why does the {subject} fail after {number} retries?",
    "Мы решили использовать {value} для {subject}.",
)
ATTRIBUTES = ("", *"value backend level owner region version timeout limit port location language tool format".split())
VALUES = "PostgreSQL Redis SQLite Kafka RabbitMQ nginx gunicorn pytest ruff mypy pnpm Vite React Svelte".split()


def prose(sentences: int) -> str:
    """Return what an agent says."""
    return " ".join(DICE.choices(DOCSTRINGS, k=sentences))[:3_000]


def statement() -> str:
    """Return what a person says of a project."""
    return DICE.choice(STATEMENTS).format(
        value=DICE.choice(VALUES), other=DICE.choice(VALUES), subject=DICE.choice(SUBJECTS), number=DICE.randrange(99)
    )


def code() -> str:
    """Return part of a file, as the agent is shown it: several kB."""
    rows = DICE.choice(SOURCES).splitlines()
    start = DICE.randrange(max(1, len(rows) - 120))
    return "\n".join(
        f"{number:6}\t{row}" for number, row in enumerate(rows[start : start + DICE.randrange(20, 200)], start)
    )


def log() -> str:
    """Return what a test run prints: dots mostly, now and then a line for each test."""
    count = DICE.randrange(5, 200)
    shown = "." * count
    if DICE.random() < VERBOSE_RUNS:
        shown = "\n".join(
            f"tests/test_{DICE.choice(SUBJECTS).replace(' ', '_')}.py::test_{i} PASSED" for i in range(count)
        )
    return f"{shown}\n{count} passed in {DICE.random():.2f}s"


def turn(claude: ClaudeSession) -> Iterator[Line]:
    """Yield what one prompt leads to: thinking, words, reading, editing and a test run, as Claude Code writes them."""
    name = f"toolu_{claude.count:020}"
    path = f"{CWD}/src/{DICE.choice(SUBJECTS).replace(' ', '/')}.py"
    yield {
        "type": "file-history-snapshot",
        "messageId": name,
        "isSnapshotUpdate": False,
        "snapshot": {"trackedFileBackups": {path: {"backupFileName": name, "version": 1}}},
    }
    yield claude.user(f"{statement()} {statement()}")
    yield claude.assistant({"type": "thinking", "thinking": prose(3), "signature": "EqQB" * 150})
    yield claude.assistant({"type": "text", "text": f"{prose(2)} {statement()}"})
    for step in range(DICE.randrange(1, 5)):
        seen = code()
        yield claude.tool_use(f"{name}r{step}", "Read", {"file_path": path, "offset": 1, "limit": 200})
        yield claude.tool_result(
            f"{name}r{step}",
            seen,
            outcome={
                "type": "text",
                "file": {"filePath": path, "content": seen, "numLines": seen.count("\n"), "startLine": 1},
            },
        )
    old, new = code()[:900], code()[:1_100]
    yield claude.tool_use(f"{name}e", "Edit", {"file_path": path, "old_string": old, "new_string": new})
    yield claude.tool_result(
        f"{name}e",
        f"The file {path} has been updated.\n{new}",
        outcome={
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": code(),
            "structuredPatch": [{"oldStart": 1, "lines": [f"-{row}" for row in old.splitlines()]}],
        },
    )
    shown = log()
    yield claude.tool_use(f"{name}b", "Bash", {"command": f"pytest -q {path}", "description": "Run the tests"})
    yield claude.record("progress", data={"type": "bash_progress", "output": shown, "fullOutput": shown})
    yield claude.tool_result(f"{name}b", shown, outcome={"stdout": shown, "stderr": "", "interrupted": False})
    yield claude.assistant({"type": "text", "text": prose(2)})


def claude_files(folder: Path, size_bytes: int) -> None:
    """Write sessions of together about *size_bytes* into *folder*."""
    left = size_bytes
    while left > 0:
        number = f"{left:012d}"
        claude = ClaudeSession(f"5f0c3a52-6f0e-4b57-9a55-{number}")
        made: list[bytes] = []
        while sum(map(len, made)) < SESSION_BYTES:
            made.append(lines(turn(claude)))
        (folder / f"{number}.jsonl").write_bytes(b"".join(made))
        left -= sum(map(len, made))


def chat() -> str:
    """Return a line of a chat; few of them state anything."""
    return statement() if DICE.random() < STATEMENTS_IN_CHAT else DICE.choice(DOCSTRINGS)[:90]


def plain_files(folder: Path, count: int) -> None:
    """Write *count* short plain lines into one file of *folder*, a thousand to a session."""
    rows: list[Line] = [
        {
            "session": f"chat {seq // 1_000}",
            "seq": seq,
            "role": "user" if seq % 2 else "assistant",
            "time": (TIME + timedelta(minutes=seq)).isoformat(),
            "text": f"{chat()} {seq}",
        }
        for seq in range(count)
    ]
    (folder / "chat.jsonl").write_bytes(lines(rows))


def timed(act: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return what *act* gives, and the processor seconds it takes: other programs on the machine do not count."""
    start = time.process_time()
    answer = act()
    return answer, time.process_time() - start


def parse(paths: Sequence[Path]) -> None:
    """The baseline: read each line as JSON and forget it."""
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a line past pytest."""
    with capsys.disabled():
        print(f"\n  {line}")  # noqa: T201  # what the benchmark is for


@pytest.mark.parametrize("kind", ["claude", "plain"])
def test_import(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Transcripts from files to settled claims: MB of file a second, beside parsing the same lines."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    claude_files(folder, TRANSCRIPT_BYTES) if kind == "claude" else plain_files(folder, PLAIN_LINES)
    paths = sorted(folder.iterdir())
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    with (
        CANONICAL.open(SqliteSettings(path=tmp_path / "store.db")) as canonical,
        TRANSCRIPTS.open(TranscriptSettings()) as transcripts,
    ):
        importer = Importer(canonical, transcripts, FixedClock(TIME))
        request = ImportRequest(files=tuple(transcripts.find([str(folder)])))
        read, reading = timed(lambda: importer.read(SCOPE, request))
        derived, deriving = timed(lambda: importer.derive(SCOPE))
    done = read.plus(derived)
    events = sum(done.events.values())
    total, (_, baseline) = reading + deriving, timed(lambda: parse(paths))
    report(
        capsys,
        f"import of {kind}: {megabytes / total:.1f} MB/s (aim {IMPORT_LIMIT_MB_A_SECOND}),"
        f" {events / total:,.0f} events/s; read and store {reading:.2f} s, derive and settle {deriving:.2f} s;"
        f" json.loads alone {megabytes / baseline:.0f} MB/s",
    )
    report(
        capsys,
        f"  of {megabytes:.0f} MB in {len(paths)} files: {events:,} events, {done.evidence:,} passages,"
        f" {sum(done.assertions.values()):,} assertions, {done.slots:,} slots",
    )
    assert events
    assert done.assertions


def session_events(count: int) -> list[Event]:
    """Return the events of one long session."""
    of = session()
    kinds = (EventKind.PROMPT, EventKind.AGENT_MESSAGE, EventKind.COMMAND, EventKind.TOOL_RESULT, EventKind.FILE_CHANGE)
    said: dict[EventKind, Callable[[], str]] = {
        EventKind.PROMPT: statement,
        EventKind.AGENT_MESSAGE: lambda: prose(2),
        EventKind.COMMAND: lambda: "pytest -q tests/test_cache.py",
        EventKind.TOOL_RESULT: log,
        EventKind.FILE_CHANGE: code,
    }
    return [event(of, seq, f"{said[kind]()}\n{seq}", kind=kind) for seq in range(count) for kind in [kinds[seq % 5]]]


def test_long_session(capsys: pytest.CaptureFixture[str]) -> None:
    """Deriving one session takes time in proportion to its events."""
    events, figures = session_events(max(SESSION_EVENTS)), []
    for count in SESSION_EVENTS:
        _, seconds = timed(partial(derive, session(), events[:count], recorded_at=TIME))
        figures.append(f"{count:,} events {seconds:.2f} s ({seconds / count * 1e6:.0f} us each)")
    report(capsys, f"derive one session: {', '.join(figures)}")


def many_claims() -> Iterator[Claim]:
    """Yield claims of all types about some thousand subjects, as many sessions made them."""
    for number in range(CLAIMS):
        subject = DICE.choice(THINGS)
        text = f"{subject}: {DICE.choice(DOCSTRINGS)[:160]} {DICE.choice(VALUES)} {number % 5_000}"
        yield claim(
            text,
            id=content_id("claim", str(number)),
            type=DICE.choice(list(ClaimType)),
            subject=subject,
            attribute=DICE.choice(ATTRIBUTES),
            value=DICE.choice(VALUES),
            authority=AuthorityClass.USER_CONFIRMED,
            status=ClaimStatus.VERIFIED,
            is_standing=number % 200 == 0,
            session_id=f"session_{number // CLAIMS_A_SESSION}",
            valid_from=TIME + timedelta(seconds=number),
            recorded_at=TIME,
            terms=index_terms(text),
        )


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canonical]:
    """A store whose claims were settled from assertions."""
    by_slot: dict[str, list[Assertion]] = {}
    by_session: dict[str, list[Assertion]] = {}
    for seq, made in enumerate(many_claims()):
        asserted = Assertion(claim=made, proof=proof(made), seq=seq, start=0)
        by_slot.setdefault(slot_key(made), []).append(asserted)
        by_session.setdefault(made.session_id, []).append(asserted)
    slots = sorted(by_slot)
    with CANONICAL.open(SqliteSettings(path=tmp_path_factory.mktemp("claims") / "store.db")) as canonical:
        for start in range(0, len(slots), SLOTS_A_COMMIT):
            some = slots[start : start + SLOTS_A_COMMIT]
            with canonical.writing(SCOPE) as work:
                work.assertions.replace(f"owner {start}", {slot: by_slot[slot] for slot in some})
                settle(work, some)
        for number in range(CLAIMS // CLAIMS_A_SESSION):
            with canonical.writing(SCOPE) as work:
                store_passages(work, f"session_{number}", by_session[f"session_{number}"])
        yield canonical


def store_passages(work: UnitOfWork, name: str, asserted: Sequence[Assertion]) -> None:
    """Store what else was said in a session of claims, and what joins it to them."""
    of = session(name, id=name)
    said = [event(of, seq, f"{name} {DICE.choice(DOCSTRINGS)}") for seq in range(PASSAGES_A_SESSION)]
    within = episode(of)
    work.sessions.put(of, said)
    work.evidence.replace(of.id, [within], [evidence(one, within, terms=index_terms(one.text)) for one in said])
    keep_sessions(work, [session_file(of, [within], said, asserted, ())], at=TIME)


def questions() -> list[str]:
    """Return what people ask."""
    return [f"what did we decide about the {DICE.choice(THINGS)} and {DICE.choice(VALUES)}?" for _ in range(60)]


def p50_ms(act: Callable[[str], object]) -> float:
    """Return the median processor time of one question, after a first one that warms up."""
    asked = questions()
    act(asked[0])
    return median(timed(partial(act, text))[1] for text in asked) * 1e3


def test_claim_search(settled: Canonical, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole search: ranking, slots, proofs, history."""
    search = ClaimSearch(settled, clock=FixedClock(TIME + timedelta(days=2)))
    everything = p50_ms(lambda text: search.search(SCOPE, MemoryRequest(query=text)))
    decisions = p50_ms(
        lambda text: search.search(SCOPE, MemoryRequest(query=text, types=frozenset({ClaimType.DECISION})))
    )
    report(
        capsys,
        f"claim search over {CLAIMS:,} beside {CLAIMS // CLAIMS_A_SESSION * PASSAGES_A_SESSION:,} passages:"
        f" p50 {everything:.1f} ms, decisions only {decisions:.1f} ms (limit {SEARCH_P50_LIMIT_MS})",
    )


def test_claim_selection(settled: Canonical, capsys: pytest.CaptureFixture[str]) -> None:
    """The claim side of a compiled context."""
    selector = ClaimSelector(settled, FixedClock(TIME + timedelta(days=2)))
    spent = p50_ms(lambda text: selector.select(SCOPE, text, find_subgoals(text, route(text)), budget_tokens=3_000))
    report(capsys, f"compiling claims of {CLAIMS:,}: p50 {spent:.1f} ms (limit {COMPILE_P50_LIMIT_MS})")
