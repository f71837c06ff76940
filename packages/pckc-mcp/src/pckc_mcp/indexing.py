"""Bringing everything that follows from the work tree up to date: index, graph, claims about code, vectors."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
from pckc_domain.errors import PckcError
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.usecases.projecting import StoppedError, Worker

from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, graph_report_form, index_form
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.patience import CourteousEmbedder
from pckc_mcp.sync_mark import SyncMark, write_mark

if TYPE_CHECKING:
    from pckc_domain.usecases.index import IndexReport  # its rules would cost a server's start 0.3 s

Say = Callable[[str], None]
"""Tells a person."""


def bring_up_to_date(
    engine: Engine,
    *,
    stamp: str,
    is_chosen: bool,
    say: Say,
    from_scratch: bool = False,
    is_embedding: bool = True,
    is_enough: Callable[[], bool] = lambda: False,
    progress: ProgressListener = ignore_progress,
) -> Form:
    """
    Read what changed of the work tree, let the graph follow, then embed what is new, and return what was done.

    Args:
        engine: The opened project.
        stamp: The `settings_stamp` from before the settings were read.
        is_chosen: The caller named the store.
        say: Hears what could not be done: an index without it answers well already.
        from_scratch: Read every file again.
        is_embedding: Also embed, and feed the graph index.
        is_enough: Asked every few texts; ends the embedding, and a later run goes on.
        progress: Hears how far it is.

    Raises:
        BackendUnavailableError: The store cannot be read or written.
    """
    take_in_if_possible(engine)
    started = time.perf_counter()
    report = engine.indexer().run(engine.scope, checkout=engine.checkout, progress=progress, from_scratch=from_scratch)
    graph = _sync_graph(engine, report, say, progress, from_scratch=from_scratch)
    engine.tree.forget()
    has_graph = engine.config.graph.enabled
    write_mark(engine.root, SyncMark(str(engine.store or ""), is_chosen, engine.scope.project, stamp, has_graph))
    if report.indexed or report.removed:
        engine.claim_verifier().follow_code(engine.scope, progress=progress)
    seconds = time.perf_counter() - started
    embedded = _embed(engine, say, is_enough, progress) if is_embedding else 0
    embed_seconds = time.perf_counter() - started - seconds
    if is_embedding:
        _feed_graph_index(engine, say, is_enough, progress)
    return index_form(report, embedded=embedded, seconds=seconds, embed_seconds=embed_seconds, graph=graph)


class EmbedBudget:
    """Seconds to embed for; they run from when they are first asked for, since reading the files comes before."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def is_spent(self) -> bool:
        """Return whether they have passed."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._seconds
        return now >= self._end


def embed(
    engine: Engine, *, say: Say, is_enough: Callable[[], bool], progress: ProgressListener = ignore_progress
) -> int:
    """Embed what is new, see `embed_and_compare`, and feed the graph index; return how many changes were embedded."""
    embedded = _embed(engine, say, is_enough, progress)
    _feed_graph_index(engine, say, is_enough, progress)
    return embedded


def embed_and_compare(
    engine: Engine,
    *,
    worker: Worker | None = None,
    is_enough: Callable[[], bool] = lambda: False,
    progress: ProgressListener = ignore_progress,
) -> int:
    """
    Embed what is new and compare what documents say with it, until *is_enough*; return how many changes were embedded.

    Raises:
        BackendError: A store, the embedder or the index cannot be asked; what is left waits.
        ConfigurationError: The index holds another embedder's vectors.
    """
    engine = _until(engine, is_enough)
    projector, comparison = engine.projector(worker), engine.comparison(worker)
    if projector is None or comparison is None:
        return 0
    embedded = projector.run(engine.scope, progress=progress, is_enough=is_enough)
    while comparison.run(engine.scope, progress=progress, is_enough=is_enough):
        embedded += projector.run(engine.scope, progress=progress, is_enough=is_enough)  # what comparing has changed
    return embedded


def left_to_embed(engine: Engine) -> int:
    """Return how many changes have no vectors yet; 0 without an embedder."""
    if engine.semantic is None:
        return 0
    with engine.canonical.reading(engine.scope) as work:
        return engine.semantic.behind(work)


def _sync_graph(
    engine: Engine, report: "IndexReport", say: Say, progress: ProgressListener, *, from_scratch: bool
) -> Form | None:
    """Let the graph follow, if it is wanted; an index without it answers well already."""
    if not engine.config.graph.enabled:
        return None
    started = time.perf_counter()
    try:
        done = engine.graph_sync().run(engine.scope, indexed=report, from_scratch=from_scratch, progress=progress)
    except PckcError as error:
        say(f"pckc: the index is complete, the graph is not: {error.message}")
        return None
    return graph_report_form(done, seconds=time.perf_counter() - started)


def _embed(engine: Engine, say: Say, is_enough: Callable[[], bool], progress: ProgressListener) -> int:
    try:
        return embed_and_compare(engine, is_enough=is_enough, progress=progress)
    except PckcError as error:
        say(f"pckc: the index is complete, its vectors are not: {error.message}")
        return 0


def _until(engine: Engine, is_enough: Callable[[], bool]) -> Engine:
    """
    Let *is_enough* also end a batch between two of its texts: a document has any number of them.

    What was embedded of it is in the cache when the next run begins with it; without one the batch is done to its end.
    """
    if engine.semantic is None or engine.backends.embeddings is None:
        return engine

    def pause() -> None:
        if is_enough():
            raise StoppedError

    embedder = CourteousEmbedder(engine.semantic.embedder, pause)
    return attrs.evolve(engine, semantic=attrs.evolve(engine.semantic, embedder=embedder))


def _feed_graph_index(engine: Engine, say: Say, is_enough: Callable[[], bool], progress: ProgressListener) -> None:
    """Let the graph index follow, where there is one; questions are answered without it meanwhile."""
    from pckc_mcp.graph.feeding import feed_graph_index

    try:
        feed_graph_index(engine, progress=progress, is_enough=is_enough)
    except PckcError as error:
        say(f"pckc: the index is complete, the graph index is not: {error.message}")
