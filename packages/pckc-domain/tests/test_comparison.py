"""What documents say compared with what is known, bit by bit: nothing twice, nothing left out, whatever stops a run."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.embedding import Vector
from pckc_domain.model.progress import Progress
from pckc_domain.model.verdict import Verdict
from pckc_domain.testing.curated_world import CuratedWorld
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.comparison import BATCH, COMPARISON, Comparison
from pckc_domain.usecases.cross_check import CrossChecker, is_repeat
from pckc_domain.usecases.near_claims import AT_ONCE, NearClaims
from pckc_domain.usecases.project import SLICE, VECTOR_PROJECTION, VectorProjection
from pckc_domain.usecases.projecting import Projector, StoppedError, Worker
from pckc_domain.usecases.semantic import SemanticIndex

A, B = (f"https://{name}.example/book.pdf" for name in "ab")
EVERYTHING = 10_000


class CountingEmbedder(HashEmbedder):
    """Keeps how many texts it was given each time, and does first what it is told to."""

    def __init__(self) -> None:
        super().__init__(256)
        self.given: list[int] = []
        self.first: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        self.first()
        self.given.append(len(texts))
        return super().embed(texts)


class Library:
    """Documents with vectors, and what compares them."""

    def __init__(self) -> None:
        self.world = CuratedWorld(MemoryCanonical())
        self.embedder = CountingEmbedder()
        self.semantic = SemanticIndex(embedder=self.embedder, vectors=MemoryVectorIndex())
        self.checkers = 0

    @property
    def projector(self) -> Projector:
        canonical = self.world.canonical
        projection = VectorProjection(canonical, self.semantic.embedder, self.semantic.vectors)
        return Projector(canonical, projection, self.worker("projector"))

    @property
    def comparison(self) -> Comparison:
        return Comparison(self.world.canonical, self.checker, self.worker("comparer"), vectors=VECTOR_PROJECTION)

    def worker(self, name: str) -> Worker:
        return Worker(name=name, clock=self.world.clock)

    def checker(self) -> CrossChecker:
        self.checkers += 1
        near = NearClaims(self.world.canonical, semantic=self.semantic)
        return CrossChecker(self.world.canonical, near, self.world.clock, same=0.8)

    def repeats(self) -> dict[frozenset[str], Verdict]:
        """Return the repeats found, by the texts of the two claims."""
        texts = {claim.id: claim.text for claim in self.world.claims()}
        with self.world.canonical.reading(SCOPE) as work:
            found = [one for one in work.verdicts.find(limit=EVERYTHING) if is_repeat(one)]
        return {frozenset((texts[one.claim_id], texts[one.other_id])): one for one in found}

    def stop_inside(self) -> Callable[[], bool]:
        """Let whatever embeds be broken off by its first text; return what tells whether that happened."""
        stopped: list[bool] = []

        def stop() -> None:
            stopped.append(True)
            raise StoppedError

        self.embedder.first = stop
        return lambda: bool(stopped)

    def bring_up_to_date(self) -> None:
        self.projector.run(SCOPE)
        while self.comparison.run(SCOPE):
            self.projector.run(SCOPE)


@pytest.fixture
def library() -> Library:
    return Library()


def sentence(number: int) -> str:
    return f"The engine w{number} x{number} y{number} z{number} is fast."


def again(number: int) -> str:
    return f"The engine x{number} w{number} y{number} z{number} is fast."


def book(write: Callable[[int], str], count: int) -> str:
    return "\n\n".join(map(write, range(count)))


def enough_after(batches: int) -> Callable[[], bool]:
    """Return what says that it is enough when it was asked so often."""
    answers: Iterator[bool] = iter([False] * (batches + 1))
    return lambda: next(answers, True)


def test_whatever_stops_it_the_next_run_goes_on(library: Library) -> None:
    count = BATCH + 10
    library.world.ingest(A, book(sentence, count))
    claims = library.world.ingest(B, book(again, count)).claim_ids
    library.projector.run(SCOPE)
    told: list[Progress] = []
    assert library.comparison.left(SCOPE) >= set(claims)
    done = [library.comparison.run(SCOPE, is_enough=enough_after(1), progress=told.append) for _ in range(2)]
    assert 0 < sum(done) < 2 * count
    assert len(library.comparison.left(SCOPE)) > 0
    assert {one.stage for one in told} == {"comparing claims"}
    library.bring_up_to_date()
    assert library.comparison.left(SCOPE) == frozenset()
    assert library.repeats().keys() == {frozenset((sentence(n), again(n))) for n in range(count)}


def test_what_is_compared_is_done_with(library: Library) -> None:
    library.world.ingest(A, book(sentence, 3))
    library.world.ingest(B, book(again, 3))
    library.bring_up_to_date()
    found, checkers = library.repeats(), library.checkers
    library.embedder.given.clear()
    assert library.comparison.run(SCOPE) == 0
    assert (library.repeats(), library.checkers, library.embedder.given) == (found, checkers, [])


def test_it_never_overtakes_the_vectors(library: Library) -> None:
    """Or what has none yet would never be compared with what came before it."""
    claims = library.world.ingest(A, book(sentence, 2)).claim_ids
    assert library.comparison.run(SCOPE) == 0
    assert library.comparison.left(SCOPE) == set(claims)
    library.world.ingest(B, book(again, 2))
    library.bring_up_to_date()
    assert len(library.repeats()) == 2


def test_a_claim_is_looked_up_once_and_few_are_at_once(library: Library) -> None:
    claims = library.world.ingest(A, book(sentence, BATCH + 10)).claim_ids
    library.projector.run(SCOPE)
    library.embedder.given.clear()
    assert library.comparison.run(SCOPE) == len(claims) > BATCH
    assert sum(library.embedder.given) == len(claims)
    assert max(library.embedder.given) <= BATCH


def test_what_is_broken_off_inside_is_done_again(library: Library) -> None:
    library.world.ingest(A, book(sentence, 2))
    claims = library.world.ingest(B, book(again, 2)).claim_ids
    library.projector.run(SCOPE)
    is_stopped = library.stop_inside()
    assert library.comparison.run(SCOPE, is_enough=is_stopped) == 0
    with pytest.raises(StoppedError):
        library.comparison.run(SCOPE)
    assert library.comparison.left(SCOPE) >= set(claims)
    library.embedder.first = lambda: None
    library.bring_up_to_date()
    assert len(library.repeats()) == 2


def test_an_embedder_that_is_down_loses_nothing(library: Library) -> None:
    claims = library.world.ingest(A, book(sentence, 2)).claim_ids
    library.projector.run(SCOPE)

    def fail() -> None:
        raise BackendUnavailableError("it is down")

    library.embedder.first = fail
    with pytest.raises(BackendUnavailableError):
        library.comparison.run(SCOPE)
    assert library.comparison.left(SCOPE) == set(claims)


def test_one_compares_at_a_time(library: Library) -> None:
    claims = library.world.ingest(A, book(sentence, 2)).claim_ids
    library.projector.run(SCOPE)
    with library.worker("another").holding(library.world.canonical, SCOPE, COMPARISON):
        assert library.comparison.run(SCOPE) == 0
    assert library.comparison.left(SCOPE) == set(claims)


def test_a_document_of_any_size_is_embedded_in_slices(library: Library) -> None:
    library.world.ingest(A, book(sentence, SLICE))
    library.projector.run(SCOPE)
    assert max(library.embedder.given) <= SLICE < sum(library.embedder.given)
    assert library.projector.lag(SCOPE) == 0


def test_a_check_of_many_claims_looks_at_some_at_once(library: Library) -> None:
    library.world.ingest(A, book(sentence, AT_ONCE + 5))
    report = library.checker().check_candidates(SCOPE, limit=EVERYTHING)
    assert len(report.checked) == AT_ONCE + 5
    assert max(library.embedder.given) <= AT_ONCE


def test_enough_inside_of_a_batch_ends_the_projection(library: Library) -> None:
    library.world.ingest(A, book(sentence, 2))
    is_stopped = library.stop_inside()
    assert library.projector.run(SCOPE, is_enough=is_stopped) == 0
    with pytest.raises(StoppedError):
        library.projector.run(SCOPE)
    library.embedder.first = lambda: None
    library.projector.run(SCOPE)
    assert library.projector.lag(SCOPE) == 0
