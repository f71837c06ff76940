"""A worker in a process of its own, to be killed: feeds the vectors and the graph of one project."""

import json
import sys

from pckc_adapters_memgraph.backend import GRAPH, MemgraphSettings
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings
from pckc_domain.model.scope import Scope
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.usecases.project import VectorProjection
from pckc_domain.usecases.project_graph import GraphProjection
from pckc_domain.usecases.projecting import Projector
from pckc_mcp.workers import this_worker


def main() -> None:
    """Work at the project named by the arguments: a store's url, settings of a graph server, the project."""
    url, bolt, project = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    with (
        CANONICAL.open(PostgresSettings(url=url)) as store,
        VECTOR.open(PgvectorSettings(url=url)) as vectors,
        GRAPH.open(MemgraphSettings(**bolt)) as graph,
    ):
        worker = this_worker()
        for projection in (VectorProjection(store, HashEmbedder(), vectors), GraphProjection(store, graph)):
            Projector(store, projection, worker).run(Scope(project=project))


main()
