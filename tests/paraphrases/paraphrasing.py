"""Questions whose answers say the same in other words, English and Russian, and how often a ranking finds them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import mul
from pathlib import Path

import attrs
from pckc_domain.model.embedding import Vector
from pckc_domain.model.recall import SearchRequest
from pckc_domain.ports.embedder import Embedder
from pckc_mcp.config import DEFAULT_SLOTS, Config, Slot
from pckc_mcp.opening import open_engine

HERE = Path(__file__).parent
LANGUAGES = ("english", "russian")
DEPTH = 10

Ranking = Callable[[str], Sequence[int]]
"""Question to the places of passages, best first."""


@attrs.frozen(kw_only=True)
class Pair:
    """A question and the one passage that answers it; those of even lines are held out."""

    question: str
    passage: str
    is_held_out: bool


@attrs.frozen(kw_only=True)
class Found:
    """Share of the questions whose passage was first, and among the first ten."""

    first: float
    among_ten: float

    def __str__(self) -> str:
        return f"{self.first:.2f} {self.among_ten:.2f}"


def pairs(language: str) -> list[Pair]:
    """Return the pairs of *language*."""
    lines = (HERE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    split = [line.split(" | ") for line in lines]
    return [
        Pair(question=question, passage=passage, is_held_out=number % 2 == 1)
        for number, (question, passage) in enumerate(split)
    ]


def passages(language: str) -> list[str]:
    """Return what is searched: the passage of each pair in order, then those that share a question's words alone."""
    others = (HERE / f"{language}_distractors.txt").read_text(encoding="utf-8").splitlines()
    return [pair.passage for pair in pairs(language)] + others


def measure(language: str, ranking: Ranking, *, is_held_out: bool) -> Found:
    """Return how often *ranking* finds the passages of one half."""
    asked = [(place, pair) for place, pair in enumerate(pairs(language)) if pair.is_held_out is is_held_out]
    ranks = [list(ranking(pair.question))[:DEPTH] for _, pair in asked]
    first = sum(rank[:1] == [place] for (place, _), rank in zip(asked, ranks, strict=True))
    among = sum(place in rank for (place, _), rank in zip(asked, ranks, strict=True))
    return Found(first=first / len(asked), among_ten=among / len(asked))


def by_vectors(language: str, embedder: Embedder) -> Ranking:
    """Return the ranking by cosine alone."""
    stored = embedder.embed(passages(language))

    def rank(question: str) -> list[int]:
        (asked,) = embedder.embed([question])
        scores = [_cosine(asked, vector) for vector in stored]
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    return rank


@contextmanager
def by_pckc(language: str, folder: Path, *, embedder: str) -> Iterator[Ranking]:
    """Yield PCKC's own ranking, with the named embedder or "none", over one file a passage."""
    root = folder / language
    root.mkdir(parents=True)
    for place, passage in enumerate(passages(language)):
        (root / f"{place}.md").write_text(f"{passage}\n", encoding="utf-8")
    config = Config(slots={**DEFAULT_SLOTS, "embedder": Slot(backend=embedder)})
    with open_engine(root, store=folder / f"{language}.db", config=config) as engine:
        engine.indexer().run(engine.scope)
        if projector := engine.projector():
            projector.run(engine.scope)
        search = engine.search(engine.semantic)

        def rank(question: str) -> list[int]:
            request = SearchRequest(query=question, limit=2 * DEPTH)
            results = search.search(engine.scope, request, checkout_id=engine.checkout.id).results
            return list(dict.fromkeys(int(Path(one.stored.document.uri).stem) for one in results))

        yield rank


def _cosine(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))
