"""Speed of the session side of the SQLite store, beside plain SQLite in the same process."""

import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, Claim, ClaimType
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Event
from pckc_domain.policy.analysis import index_terms
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import claim, episode, event, evidence, proof, session
from pckc_domain.testing.samples import SCOPE, TIME
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.bench

CLAIMS = 100_000
SLOTS_A_COMMIT = 500
SEARCH_P50_LIMIT_MS = 10.0
EVENTS = 20_000
EVENTS_A_BATCH = 200
EVENT_CHARACTERS = 1_000

DICE = random.Random(20260626)  # noqa: S311  # no secret

VOCABULARY = [
    f"{a}{b}{c}" for a in ("ba", "ko", "li", "mu", "re") for b in "abcdefghijklmnopqrst" for c in "abcdefghij"
]
"""A thousand words; the first are common, the last are rare."""

WEIGHTS = [1 / rank for rank in range(1, len(VOCABULARY) + 1)]


def sentence(length: int) -> str:
    """Return words drawn as they are in natural language, by Zipf's law."""
    return " ".join(DICE.choices(VOCABULARY, WEIGHTS, k=length))


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    """Claims of all types."""
    made = []
    for number in range(CLAIMS):
        text = f"{sentence(DICE.randint(6, 20))} n{number % 5_000}"
        made.append(
            claim(
                text,
                id=f"claim_{number:024}",
                type=DICE.choice(list(ClaimType)),
                subject=sentence(1),
                attribute=sentence(1),
                value=sentence(2),
                terms=index_terms(text),
                valid_from=TIME + timedelta(seconds=number),
            )
        )
    return made


@pytest.fixture(scope="module")
def store(claims: Sequence[Claim], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canonical]:
    """A store that holds them, one or two a slot, each with a proof."""
    with CANONICAL.open(SqliteSettings(path=tmp_path_factory.mktemp("store") / "store.db")) as opened:
        settle(opened, claims)
        yield opened


def settle(canonical: Canonical, claims: Sequence[Claim]) -> None:
    """Settle slots of two claims each, in commits of the size that an import makes."""
    for start in range(0, len(claims), 2 * SLOTS_A_COMMIT):
        with canonical.writing(SCOPE) as work:
            pairs = {
                f"slot_{number:024}": tuple(claims[number : number + 2])
                for number in range(start, min(start + 2 * SLOTS_A_COMMIT, len(claims)), 2)
            }
            work.claims.settle(
                {slot: Beliefs(claims=pair, proofs=tuple(map(proof, pair))) for slot, pair in pairs.items()}
            )


def plain_claims(path: Path, claims: Sequence[Claim]) -> sqlite3.Connection:
    """Return a plain FTS5 table with the same text, filled in one transaction."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIRTUAL TABLE plain USING fts5("
        "text, subject, attribute, value, type, terms, tokenize='porter unicode61')"
    )
    rows = [(c.text, c.subject, c.attribute, c.value, c.type.value, c.terms) for c in claims]
    with connection:
        connection.executemany("INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?)", rows)
    return connection


def median_ms(act: Callable[[list[str]], object], queries: Sequence[list[str]]) -> float:
    """Return the median time of one query, after a first one that warms up."""
    act(queries[0])
    times = []
    for words in queries:
        start = time.perf_counter()
        act(words)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a line past pytest."""
    with capsys.disabled():
        print(f"\n  {line}")  # noqa: T201  # what the benchmark is for


@pytest.mark.parametrize(
    "types", [frozenset(), frozenset({ClaimType.DECISION, ClaimType.BUG})], ids=["all", "two types"]
)
def test_claim_search(
    benchmark: BenchmarkFixture,
    store: Canonical,
    claims: Sequence[Claim],
    types: frozenset[ClaimType],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The median search of three to eight words beside the plain FTS5 OR-query of the same words."""
    queries = [list(dict.fromkeys(DICE.choice(claims).text.split()[-DICE.randint(3, 8) :])) for _ in range(100)]

    def search(words: list[str]) -> object:
        with store.reading(SCOPE) as work:
            return work.claims.search(LexicalQuery(words=tuple(words)), where=ClaimFilter(types=types), limit=10)

    with closing(plain_claims(tmp_path / "plain.db", claims)) as connection:
        kinds = " OR ".join(f'type : "{kind.value}"' for kind in sorted(types))

        def plain(words: list[str]) -> object:
            match = " OR ".join(f'"{word}"' for word in words)
            match = f"({kinds}) AND ({match})" if kinds else match
            sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10"
            return connection.execute(sql, (match,)).fetchall()

        ours, theirs = median_ms(search, queries), median_ms(plain, queries)
    benchmark.pedantic(lambda: [search(words) for words in queries], rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    report(
        capsys,
        f"claim search: p50 {ours:.2f} ms (limit {SEARCH_P50_LIMIT_MS}), plain FTS5 {theirs:.2f} ms, "
        f"ratio {ours / theirs:.2f}",
    )


def test_claim_settling(
    benchmark: BenchmarkFixture, claims: Sequence[Claim], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slots of two claims and proofs a second: new ones, unchanged ones, and ones in which a claim is closed."""
    some = claims[:20_000]
    closed = [attrs.evolve(each, valid_to=TIME + timedelta(days=9)) if i % 2 else each for i, each in enumerate(some)]
    rates = []
    with CANONICAL.open(SqliteSettings(path=tmp_path / "store.db")) as opened:
        for batch in (some, some, closed):
            start = time.perf_counter()
            settle(opened, batch)
            rates.append(len(batch) / 2 / (time.perf_counter() - start))
        benchmark.pedantic(settle, args=(opened, some), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    report(capsys, "settling: {:,.0f} new, {:,.0f} unchanged, {:,.0f} changed slots/s".format(*rates))


@pytest.fixture(scope="module")
def events() -> list[Event]:
    """Events of one session."""
    of = session()
    return [event(of, seq, f"{seq} {sentence(EVENT_CHARACTERS // 5)}") for seq in range(EVENTS)]


def test_event_append(
    benchmark: BenchmarkFixture, events: Sequence[Event], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Events a second in commits of 200, with session and numbers, beside a bare executemany of the same rows."""
    of = session()

    def put(canonical: Canonical) -> None:
        for start in range(0, len(events), EVENTS_A_BATCH):
            with canonical.writing(SCOPE) as work:
                work.sessions.put(of, events[start : start + EVENTS_A_BATCH])

    rates = []
    with CANONICAL.open(SqliteSettings(path=tmp_path / "store.db")) as opened:
        for _ in range(2):
            start = time.perf_counter()
            put(opened)
            rates.append(len(events) / (time.perf_counter() - start))
        benchmark.pedantic(put, args=(opened,), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    with closing(sqlite3.connect(tmp_path / "plain.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE event (id TEXT PRIMARY KEY, seq INTEGER, kind TEXT, time TEXT, text TEXT)")
        start = time.perf_counter()
        for first in range(0, len(events), EVENTS_A_BATCH):
            rows = [(e.id, e.seq, e.kind.value, str(e.time), e.text) for e in events[first : first + EVENTS_A_BATCH]]
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute("COMMIT")
        plain = len(events) / (time.perf_counter() - start)
    megabytes = sum(len(each.text) for each in events) / len(events) / 1e6
    report(
        capsys,
        f"events: {rates[0]:,.0f}/s ({rates[0] * megabytes:.0f} MB/s), known ones {rates[1]:,.0f}/s, "
        f"bare executemany {plain:,.0f}/s ({plain * megabytes:.0f} MB/s)",
    )


def test_evidence_of_a_growing_session(
    benchmark: BenchmarkFixture, events: Sequence[Event], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Passages a second at first, and the time to replace 10,000 by the same and ten more."""
    of = session()
    found = [evidence(each, episode(of), terms=index_terms(each.text)) for each in events[:10_010]]

    def replace(canonical: Canonical, count: int) -> float:
        start = time.perf_counter()
        with canonical.writing(SCOPE) as work:
            work.evidence.replace(of.id, [episode(of)], found[:count])
        return time.perf_counter() - start

    with CANONICAL.open(SqliteSettings(path=tmp_path / "store.db")) as opened:
        first, more = replace(opened, 10_000), replace(opened, 10_010)
        benchmark.pedantic(replace, args=(opened, 10_010), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    report(
        capsys, f"evidence: {10_000 / first:,.0f} passages/s at first, ten more beside 10,000 in {more * 1e3:.0f} ms"
    )
