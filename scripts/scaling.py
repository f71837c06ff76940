"""Print what a claim costs on each engine: time, bytes, search. The numbers of docs/scaling.md come from here."""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pckc_adapters_postgres.backend import CANONICAL as POSTGRES
from pckc_adapters_postgres.backend import VECTOR as PGVECTOR
from pckc_adapters_postgres.backend import PgvectorSettings, PostgresSettings
from pckc_adapters_postgres.testing import server_url
from pckc_adapters_sqlite.backend import CANONICAL as SQLITE
from pckc_adapters_sqlite.backend import VECTOR as SQLITE_VECTOR
from pckc_adapters_sqlite.backend import SqliteSettings
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs
from pckc_domain.model.embedding import VectorItem
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.belief_samples import assertion, claim, episode, event, evidence, proof, session
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.usecases.archive import archive_lines

SCOPE = Scope(project="scaling")
CLAIMS_A_SESSION = 20
SESSIONS_A_COMMIT = 25
QUERIES = 40
DIMENSIONS = 512
WORDS = [f"{first}{second}" for first in "ka lo mi su te ro na vi".split() for second in "dar fen gol hup jin".split()]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--vectors", type=int, default=5_000)
    options = parser.parse_args()
    say("engine", "claims", "ms a claim", "bytes a claim", "search p50 ms", "archive bytes a claim")
    say(*["---"] * 6)
    for name in ("sqlite", "postgres"):
        with opened(name) as (canonical, vectors):
            done = 0
            for count in options.claims:
                started = time.perf_counter()
                tell(canonical, done, count)
                each = (time.perf_counter() - started) / (count - done) * 1000
                done = count
                size = canonical.info().size_bytes / count
                archive = sum(map(len, archive_lines(canonical, [SCOPE]))) / count
                found = searching(canonical)
                say(name, f"{count:,}", f"{each:.2f}", f"{size:,.0f}", f"{found:.1f}", f"{archive:,.0f}")
            each = embedding(vectors, options.vectors)
            say(f"{name} vectors", f"{options.vectors:,}", f"{each:.2f}", "", "", "")


def say(*cells: str) -> None:
    """Print a row of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)  # noqa: T201 - the table itself


@contextmanager
def opened(name: str) -> Iterator[tuple[Canonical, VectorIndex]]:
    """Open an empty store with a vector index beside it."""
    if name == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            settings = SqliteSettings(path=Path(folder) / "store.db")
            vectors = SqliteSettings(path=Path(folder) / "vectors.db")
            with SQLITE.open(settings) as canonical, SQLITE_VECTOR.open(vectors) as index:
                yield canonical, index
        return
    with server_url() as url:
        schema = f"pckc_scaling_{os.getpid()}"
        with (
            POSTGRES.open(PostgresSettings(url=url, schema=schema)) as canonical,
            PGVECTOR.open(PgvectorSettings(url=url, schema=schema)) as index,
        ):
            yield canonical, index


def tell(canonical: Canonical, start: int, end: int) -> None:
    """Store sessions with so many claims, each with its event, evidence, assertion and proof."""
    chance = random.Random(start)  # noqa: S311 - texts, no secrets
    sessions = range(start // CLAIMS_A_SESSION, end // CLAIMS_A_SESSION)
    for first in range(sessions.start, sessions.stop, SESSIONS_A_COMMIT):
        with canonical.writing(SCOPE) as work:
            settled: dict[str, Beliefs] = {}
            for number in range(first, min(first + SESSIONS_A_COMMIT, sessions.stop)):
                one = session(f"session {number}")
                texts = [text(chance, number, place) for place in range(CLAIMS_A_SESSION)]
                events = [event(one, place, said) for place, said in enumerate(texts)]
                whole = episode(one)
                work.sessions.put(one, events)
                work.evidence.replace(one.id, [whole], [evidence(each, whole) for each in events])
                claims = [claim(said, session_id=one.id, subject=said.split()[2]) for said in texts]
                slots = {f"slot {each.id}": each for each in claims}
                work.assertions.replace(one.id, {slot: [assertion(each)] for slot, each in slots.items()})
                settled |= {slot: Beliefs(claims=(each,), proofs=(proof(each),)) for slot, each in slots.items()}
            work.claims.settle(settled)


def text(chance: random.Random, number: int, place: int) -> str:
    """Return a sentence of twenty words that no other session says."""
    return f"The service {' '.join(chance.choices(WORDS, k=16))} n{number}x{place} is decided."


def searching(canonical: Canonical) -> float:
    """Return the median time of a claim search by three words, in milliseconds."""
    chance = random.Random(7)  # noqa: S311 - texts, no secrets
    times = []
    for _ in range(QUERIES):
        query = LexicalQuery(words=tuple(chance.choices(WORDS, k=3)))
        started = time.perf_counter()
        with canonical.reading(SCOPE) as work:
            work.claims.search(query, where=ClaimFilter(), limit=20)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def embedding(vectors: VectorIndex, count: int) -> float:
    """Return the time that storing one vector takes, in milliseconds."""
    embedder, chance = HashEmbedder(DIMENSIONS), random.Random(3)  # noqa: S311 - texts, no secrets
    made = embedder.embed([text(chance, number, 0) for number in range(count)])
    items = [
        VectorItem(id=f"item {number}", partition="claims", owner=f"item {number}", vector=vector)
        for number, vector in enumerate(made)
    ]
    started = time.perf_counter()
    for first in range(0, count, 500):
        vectors.upsert(SCOPE, embedder.space, items[first : first + 500])
    return (time.perf_counter() - started) / count * 1000


if __name__ == "__main__":
    main()
