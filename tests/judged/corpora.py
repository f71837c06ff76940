"""The judged corpora, indexed by the real engine, and rankings over them."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import attrs
from pckc_domain.model.passage import Layer, PassageFilter, StoredPassage
from pckc_domain.model.recall import SearchRequest
from pckc_mcp.config import DEFAULT_SLOTS, Config, Slot
from pckc_mcp.engine import Engine
from pckc_mcp.opening import open_engine

from .judging import (
    DEPTH,
    HANDBOOK,
    Measures,
    PlainSearch,
    Question,
    Span,
    copy_standard_library,
    mean,
    measure,
    questions,
)

Ranking = Callable[[str], Sequence[Span]]


@attrs.frozen(kw_only=True)
class Corpus:
    """An indexed corpus and the questions over it."""

    name: str
    engine: Engine
    questions: Sequence[Question]

    def ranking(self, *, hybrid: bool) -> Ranking:
        """Return PCKC's ranking."""
        search = self.engine.search(self.engine.semantic if hybrid else None)

        def rank(query: str) -> list[Span]:
            request = SearchRequest(query=query, limit=DEPTH)
            answer = search.search(self.engine.scope, request, checkout_id=self.engine.checkout.id)
            return [_span(result.stored) for result in answer.results]

        return rank

    @contextmanager
    def plain_ranking(self) -> Iterator[Ranking]:
        """Yield the baseline's ranking over the same paragraphs."""
        with self.engine.canonical.reading(self.engine.scope) as work:
            found = work.passages.find(Layer.PARAGRAPH, where=PassageFilter(), limit=1_000_000)
        with closing(PlainSearch((_span(stored), stored.passage.text) for stored in found)) as plain:
            yield plain

    def files(self) -> Callable[[str], Sequence[str]]:
        """Return PCKC's ranking of files for a bug report."""
        search = self.engine.symbol_search(None)

        def rank(report: str) -> list[str]:
            request = SearchRequest(query=report, limit=DEPTH)
            answer = search.search(self.engine.scope, request, checkout_id=self.engine.checkout.id)
            return [path for path, _ in answer.files]

        return rank

    def measures(self, ranking: Ranking, half: str) -> Measures:
        """Return the means over the questions of *half*."""
        asked = [question for question in self.questions if question.half == half]
        return mean([measure(question, ranking(question.query)) for question in asked])


@contextmanager
def indexed(name: str, folder: Path, *, embedder: str) -> Iterator[Corpus]:
    """
    Index the corpus *name*, "prose" or "code", below *folder* and yield it.

    Args:
        name: The corpus.
        folder: An empty folder.
        embedder: Backend of the embedder, or "none".
    """
    root = folder / name  # a copy, also of the handbook: inside a repository the whole of it would be indexed
    if name == "code":
        root.mkdir()
        copy_standard_library(root)
    else:
        shutil.copytree(HANDBOOK, root)
    config = Config(slots={**DEFAULT_SLOTS, "embedder": Slot(backend=embedder)})
    with open_engine(root, store=folder / f"{name}.db", config=config) as engine:
        report = engine.indexer().run(engine.scope)
        if name == "code":
            engine.graph_sync().run(engine.scope, indexed=report)
        if projector := engine.projector():
            projector.run(engine.scope)
        yield Corpus(name=name, engine=engine, questions=questions(name, root))


def _span(stored: StoredPassage) -> Span:
    return Span(stored.document.uri, stored.passage.start_line, stored.passage.end_line)
