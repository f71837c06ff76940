"""Bringing the stored graph up to date with the work tree before it is asked."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pckc_domain.errors import BackendError
from pckc_domain.model.progress import ProgressListener, ignore_progress

if TYPE_CHECKING:
    from pckc_domain.usecases.graph_sync import GraphReport

    from pckc_mcp.engine import Engine


def freshen(engine: "Engine", progress: ProgressListener, *, from_scratch: bool = False) -> "GraphReport":
    """Bring the stored graph up to date with the tree as it is now; with no graph yet, make it."""
    with without_garbage():
        return engine.graph_sync().run(engine.scope, from_scratch=from_scratch, progress=progress)


def freshen_if_possible(engine: "Engine") -> str:
    """Do as `freshen`, where the store can be written and the graph is kept; else return why the answer may be old."""
    if not engine.config.graph.enabled:
        return ""
    try:
        freshen(engine, ignore_progress)
    except BackendError as error:
        return f"the graph is as it was stored: {error.message}"
    return ""


@contextmanager
def without_garbage() -> Iterator[None]:
    """Millions of values live to the end: looking for garbage among them takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
