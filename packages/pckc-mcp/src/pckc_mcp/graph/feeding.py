"""The graph index of an opened project: how far it is, and bringing it up to date."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
from pckc_domain.errors import PckcError
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.usecases.project_graph import GRAPH_KINDS, GRAPH_PROJECTION
from pckc_domain.usecases.projecting import Projector, Worker

from pckc_mcp.workers import this_worker

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine

NONE = "no graph index is configured"


@attrs.frozen(kw_only=True)
class GraphIndexState:
    """
    How far the graph index is.

    Attributes:
        nodes: Symbols and claims that it holds.
        behind: Changes that it has not seen.
        trouble: Why nothing is known of it; ``""`` when it answers.
        remedy: What helps.
    """

    nodes: int = 0
    behind: int = 0
    trouble: str = ""
    remedy: str = ""


def graph_index_state(engine: "Engine") -> GraphIndexState | None:
    """Return how far the index is; ``None`` when none is configured."""
    if engine.config.slots["graph_index"].backend == "none":
        return None
    with engine.canonical.reading(engine.scope) as work:
        behind = work.outbox.lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS)
    try:
        index = engine.graph_index()
        if index is None:
            return GraphIndexState(behind=behind, trouble=NONE, remedy="set [graph_index] in pckc.toml")
        return GraphIndexState(nodes=index.count(engine.scope).nodes, behind=behind)
    except PckcError as error:
        return GraphIndexState(behind=behind, trouble=error.message, remedy=error.remedy)


def feed_graph_index(
    engine: "Engine",
    *,
    worker: Worker | None = None,
    progress: ProgressListener = ignore_progress,
    is_enough: Callable[[], bool] = lambda: False,
) -> int:
    """
    Bring the index up to date, as far as *is_enough* lets, and return how many changes that were; 0 without one.

    Raises:
        BackendUnavailableError: It cannot be reached; what is pending stays so.
        ConfigurationError: Its settings do not fit.
    """
    projection = engine.graph_projection()
    if projection is None:
        return 0
    projector = Projector(engine.canonical, projection, worker or this_worker())
    return projector.run(engine.scope, progress=progress, is_enough=is_enough)
