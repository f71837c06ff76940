"""
The wiring of a long-lived process: what is opened once, and what is made for each question.

The only module that knows dependency-injector. Nothing is opened before it is asked for.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from dependency_injector import containers, providers
from pckc_domain.usecases.projecting import Projector
from pckc_domain.usecases.semantic import SemanticIndex

from pckc_mcp.engine import Engine
from pckc_mcp.opening import open_engine
from pckc_mcp.searching import Searching

if TYPE_CHECKING:  # their rules would cost every start 40 ms
    from pckc_domain.usecases.compile import ContextCompiler
    from pckc_domain.usecases.index import Indexer
    from pckc_domain.usecases.verify import Verifier


class Container(containers.DeclarativeContainer):
    """
    Providers of one project; ``shutdown_resources()`` closes it.

    Attributes:
        project: A folder of the project.
        store: Path of the embedded store; ``None`` means the configured one.
        tenant: Whose project it is; ``None`` means the configured one.
        engine: The opened project. Opening is not safe for threads: the caller locks.
        semantic: Signals that never keep a query waiting; ``None`` without an embedder.
        projector: ``None`` without an embedder.
    """

    project: providers.Provider[Path] = providers.Dependency(instance_of=Path)
    store: providers.Provider[Path | None] = providers.Object(None)
    tenant: providers.Provider[str | None] = providers.Object(None)
    engine: providers.Resource[Engine] = providers.Resource(open_engine, project, store=store, tenant=tenant)
    semantic: providers.Provider[SemanticIndex | None] = providers.ThreadSafeSingleton(Engine.patient, engine)
    searching: providers.Provider[Searching] = providers.Factory(Searching, engine, semantic)
    compiler: "providers.Provider[ContextCompiler]" = providers.Factory(Engine.compiler, engine, semantic)
    indexer: "providers.Provider[Indexer]" = providers.Factory(Engine.indexer, engine)
    verifier: "providers.Provider[Verifier]" = providers.Factory(Engine.verifier, engine)
    projector: providers.Provider[Projector | None] = providers.Factory(Engine.projector, engine)
