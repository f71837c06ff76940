"""Projections with workers for tests."""

from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.usecases.project import VectorProjection
from pckc_domain.usecases.project_graph import GraphProjection
from pckc_domain.usecases.projecting import Projector, Worker
from pckc_domain.usecases.rebuild import Rebuilder, RebuildReport

WORKER = Worker(name="tester", clock=FixedClock())


def vector_projector(
    canonical: Canonical, embedder: Embedder, vectors: VectorIndex, *, worker: Worker = WORKER
) -> Projector:
    """Return what feeds *vectors*."""
    return Projector(canonical, VectorProjection(canonical, embedder, vectors), worker)


def graph_projector(canonical: Canonical, index: GraphIndex, *, worker: Worker = WORKER) -> Projector:
    """Return what feeds the graph *index*."""
    return Projector(canonical, GraphProjection(canonical, index), worker)


def rebuild_vectors(
    canonical: Canonical, embedder: Embedder, vectors: VectorIndex, scope: Scope, *, worker: Worker = WORKER
) -> RebuildReport:
    """Make *vectors* anew."""
    return Rebuilder(canonical, VectorProjection(canonical, embedder, vectors), worker).run(scope)
