"""
Speed of the PostgreSQL store, in the same process beside a bare COPY of the same rows and a plain full-text query.

The COPY is told three times: into the very tables (a superuser's, since COPY does not go with row-level security) with
their indexes and references, into twins with the indexes alone, and into twins without any. It is given finished rows;
the store makes them first: texts into stems, values into JSON.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_adapters_postgres.fulltext import stems
from pckc_adapters_postgres.testing import server_url
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, Claim, ClaimType
from pckc_domain.model.passage import DocumentContent
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Event, Session
from pckc_domain.policy.analysis import index_terms
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing.belief_samples import claim, event, proof, session
from pckc_domain.testing.samples import SCOPE, TIME, content, document

pytestmark = pytest.mark.bench

CLAIMS = 200_000
CLAIMS_A_COMMIT = 1_000
QUERIES = 60
SEARCH_P50_LIMIT_MS = 25.0
INGEST_RATIO_LIMIT = 3.0
INGESTED = 20_000
ROUNDS = 3
"""The quickest counts, of either side: the machine may be shared."""

DICE = random.Random(20260626)  # noqa: S311  # no secret

VOCABULARY = [
    f"{a}{b}{c}" for a in ("ba", "ko", "li", "mu", "re") for b in "abcdefghijklmnopqrst" for c in "abcdefghij"
]
"""A thousand words; the first are common, the last are rare."""

Act = Callable[[UnitOfWork], object]

WEIGHTS = [1 / rank for rank in range(1, len(VOCABULARY) + 1)]


def sentence(length: int) -> str:
    """Return words drawn as they are in natural language, by Zipf's law."""
    return " ".join(DICE.choices(VOCABULARY, WEIGHTS, k=length))


def make_claims(count: int) -> list[Claim]:
    """Return claims of all types."""
    texts = [f"{sentence(DICE.randint(6, 20))} n{number % 5_000}" for number in range(count)]
    return [
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
        for number, text in enumerate(texts)
    ]


def settling(claims: Sequence[Claim]) -> list[Act]:
    """Return what settles slots of two claims each, in commits of the size that an import makes."""
    acts: list[Act] = []
    for start in range(0, len(claims), CLAIMS_A_COMMIT):
        batch = claims[start : start + CLAIMS_A_COMMIT]
        pairs = [batch[place : place + 2] for place in range(0, len(batch), 2)]
        by_slot = {
            f"slot_{pair[0].id}": Beliefs(claims=tuple(pair), proofs=tuple(map(proof, pair)), links=())
            for pair in pairs
        }
        acts.append(partial(_settle, by_slot))
    return acts


def talking() -> list[Act]:
    """Return what stores sessions of two hundred events of a thousand characters."""
    acts: list[Act] = []
    for number in range(INGESTED // 200):
        of = session(f"s{number}")
        said = [event(of, seq, f"{number} {seq} {sentence(180)}"[:1_000]) for seq in range(200)]
        acts.append(partial(_say, of, said))
    return acts


def indexing() -> list[Act]:
    """Return what stores documents with sixteen texts in each of four layers, eight documents a commit."""
    acts: list[Act] = []
    for start in range(0, INGESTED // 64, 8):
        wholes = [
            content(document(f"src/{number}.py"), *(f"{number} {i} {sentence(30)}" for i in range(16)))
            for number in range(start, start + 8)
        ]
        acts.append(partial(_index, wholes))
    return acts


def _settle(by_slot: Mapping[str, Beliefs], work: UnitOfWork) -> None:
    work.claims.settle(by_slot)


def _say(of: Session, said: Sequence[Event], work: UnitOfWork) -> None:
    work.sessions.put(of, said)


def _index(wholes: Sequence[DocumentContent], work: UnitOfWork) -> None:
    for whole in wholes:
        work.documents.put(whole)


def run(store: Canonical, acts: Sequence[Act]) -> float:
    """Run each act in a transaction of its own and return how many seconds that took."""
    started = time.perf_counter()
    for act in acts:
        with store.writing(SCOPE) as work:
            act(work)
    return time.perf_counter() - started


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield the url of a server."""
    with server_url() as url:
        yield url


@pytest.fixture
def settings(server: str, request: pytest.FixtureRequest) -> Iterator[PostgresSettings]:
    """Yield settings of an empty store."""
    schema = f"bench_{abs(hash(request.node.name)) % 10**9}"
    yield PostgresSettings(url=server, schema=schema)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a measurement beside its limit."""
    with capsys.disabled():
        print(f"\n{line}")  # noqa: T201  # what a benchmark is for


def test_claim_search(settings: PostgresSettings, capsys: pytest.CaptureFixture[str]) -> None:
    """Two to six words drawn as the claims' own, in all claims and in two types of them."""
    types = frozenset({ClaimType.DECISION, ClaimType.CONSTRAINT})
    queries = [sentence(DICE.randint(2, 6)).split() for _ in range(QUERIES)]
    with CANONICAL.open(settings) as store:
        run(store, settling(make_claims(CLAIMS)))
        with psycopg.connect(settings.url, autocommit=True) as connection:
            connection.execute(f'VACUUM ANALYZE "{settings.schema}".claim'.encode())
        for name, where in (("all", ClaimFilter()), ("two types", ClaimFilter(types=types))):
            times = [_seconds_to_search(store, words, where) for words in queries]
            report(capsys, f"claim search, {name} of {CLAIMS:,}: {told(times)} (limit of p50 {SEARCH_P50_LIMIT_MS})")
        report(capsys, f"plain full-text query, all of {CLAIMS:,}: {told(plain_searches(settings, queries))}")


def told(times: Sequence[float]) -> str:
    """Say how long searches took."""
    return f"p50 {statistics.median(times) * 1e3:.1f} ms, p95 {sorted(times)[int(len(times) * 0.95)] * 1e3:.1f} ms"


def plain_searches(settings: PostgresSettings, queries: Sequence[Sequence[str]]) -> list[float]:
    """Return the seconds that the same words take in SQL: any of them, by the server's own rank, without tenants."""
    sql = f"""
        SELECT id, ts_rank(words, query) FROM "{settings.schema}".claim, to_tsquery('simple', %s) AS query
        WHERE words @@ query ORDER BY 2 DESC LIMIT 10
    """  # noqa: S608 - our names
    times = []
    with psycopg.connect(settings.url, autocommit=True) as connection:
        for words in queries:
            started = time.perf_counter()
            found = connection.execute(sql.encode(), (" | ".join(stems(" ".join(words))),)).fetchall()
            times.append(time.perf_counter() - started)
            assert found
    return times


def _seconds_to_search(store: Canonical, words: list[str], where: ClaimFilter) -> float:
    started = time.perf_counter()
    with store.reading(SCOPE) as work:
        found = work.claims.search(LexicalQuery(words=tuple(words)), where=where, limit=10)
    assert found
    return time.perf_counter() - started


@pytest.mark.parametrize(
    ("name", "make", "tables"),
    [
        ("claims", lambda: settling(make_claims(INGESTED)), ("claim", "proof", "outbox")),
        ("events", talking, ("session", "event")),
        ("passages", indexing, ("document", "passage", "outbox")),
    ],
)
def test_ingest(
    settings: PostgresSettings,
    capsys: pytest.CaptureFixture[str],
    name: str,
    make: Callable[[], list[Act]],
    tables: tuple[str, ...],
) -> None:
    """Through the ports, and the rows that came of it once more by COPY."""
    acts = make()
    ours: list[float] = []
    theirs: dict[str, list[float]] = {}
    with CANONICAL.open(settings) as store, psycopg.connect(settings.url) as connection:
        connection.execute(f'SET search_path = "{settings.schema}"'.encode())
        connection.commit()
        for _ in range(ROUNDS):
            connection.execute(f"TRUNCATE {', '.join(tables)} CASCADE".encode())
            connection.commit()
            ours.append(run(store, acts))
            for kind, seconds in seconds_to_copy(connection, tables).items():
                theirs.setdefault(kind, []).append(seconds)
    ratios = ", ".join(
        f"{min(ours) / min(each):.1f} times as long as {kind} ({INGESTED / min(each):,.0f}/s)"
        for kind, each in theirs.items()
    )
    report(
        capsys, f"ingest of {INGESTED:,} {name}: {INGESTED / min(ours):,.0f}/s, {ratios} (limit {INGEST_RATIO_LIMIT})"
    )


def seconds_to_copy(connection: "psycopg.Connection[Any]", tables: Sequence[str]) -> dict[str, float]:
    """Copy what the tables hold into themselves, emptied, and into twins, each in one transaction."""
    rows = {}
    for table in tables:
        with connection.cursor().copy(f"COPY {_columns(connection, table)} TO STDOUT".encode()) as copy:
            rows[table] = b"".join(map(bytes, copy))
    seconds = {}
    for kind, like in (("COPY", ""), ("COPY with indexes alone", "INCLUDING ALL"), ("COPY without", "EXCLUDING ALL")):
        targets = {table: f"twin_{table}" if like else table for table in tables}
        for table, target in targets.items():
            if like:
                connection.execute(f"DROP TABLE IF EXISTS {target}".encode())
                connection.execute(f"CREATE TABLE {target} (LIKE {table} {like})".encode())
        if not like:
            connection.execute(f"TRUNCATE {', '.join(tables)} CASCADE".encode())
        connection.commit()
        started = time.perf_counter()
        for target, copied in zip(targets.values(), rows.values(), strict=True):
            with connection.cursor().copy(f"COPY {_columns(connection, target)} FROM STDIN".encode()) as copy:
                copy.write(copied)
        connection.commit()
        seconds[kind] = time.perf_counter() - started
    return seconds


def _columns(connection: "psycopg.Connection[Any]", table: str) -> str:
    """Return the table with those of its columns that are not generated from others."""
    found = connection.execute(
        """
        SELECT attname FROM pg_attribute
        WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
        """,
        (table,),
    )
    return f"{table} ({', '.join(name for (name,) in found)})"
