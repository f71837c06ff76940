"""One opened project: every port filled, every use case at hand; `opening` makes it."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.project import VectorProjection
from pckc_domain.usecases.projecting import Projection, Projector, Worker
from pckc_domain.usecases.recall_passages import PassageSearch
from pckc_domain.usecases.semantic import SemanticIndex

from pckc_mcp.backends import Backends
from pckc_mcp.clock import SystemClock
from pckc_mcp.config import Config
from pckc_mcp.patience import PatientEmbedder
from pckc_mcp.tree_look import TreeLook
from pckc_mcp.workers import this_worker

if TYPE_CHECKING:
    from pckc_domain.usecases.cite import Citer
    from pckc_domain.usecases.comparison import Comparison
    from pckc_domain.usecases.compile import ContextCompiler
    from pckc_domain.usecases.cross_check import CrossChecker
    from pckc_domain.usecases.explain_symbol import SymbolExplainer
    from pckc_domain.usecases.forget import Eraser
    from pckc_domain.usecases.gaps import GapKeeper
    from pckc_domain.usecases.govern import Governor
    from pckc_domain.usecases.graph_sync import GraphSync
    from pckc_domain.usecases.index import Indexer
    from pckc_domain.usecases.infer import Inference
    from pckc_domain.usecases.ingest import Ingester
    from pckc_domain.usecases.project_graph import GraphProjection
    from pckc_domain.usecases.recall_claims import ClaimSearch
    from pckc_domain.usecases.recall_evidence import EvidenceSearch
    from pckc_domain.usecases.recall_symbols import SymbolSearch
    from pckc_domain.usecases.record import Recorder
    from pckc_domain.usecases.reflect import Reflector
    from pckc_domain.usecases.remember import Deriver, Importer
    from pckc_domain.usecases.retention import Retention
    from pckc_domain.usecases.session_graph import SessionGraphKeeper
    from pckc_domain.usecases.traces import Tracer
    from pckc_domain.usecases.verify import Verifier
    from pckc_domain.usecases.verify_claims import ClaimVerifier

ONE_SHOT = "a single query does not load the embedding model; ask with --semantic always, in a batch or through MCP"


@attrs.frozen(kw_only=True)
class Engine:
    """
    An opened project.

    Attributes:
        config: What was configured.
        root: Root of the work tree, resolved.
        store: Path of the embedded store; ``None`` when a server keeps the truth.
        scope: Whose data it is.
        checkout: The work tree.
        tree: How it differs from what is indexed.
        backends: What its slots open.
        embedder: The embedder itself, for what is asked once; ``None`` when there is none.
        semantic: Embedder and vectors for bulk work, which embeds nothing twice; ``None`` when there is no embedder.
        vectors: The index behind those vectors, with every generation; ``None`` when there is no embedder.
        why_no_embedder: Why *semantic* is ``None``; ``""`` when it is not.
    """

    config: Config
    root: Path
    store: Path | None
    scope: Scope
    checkout: Checkout
    canonical: Canonical
    source: RepositorySource
    tree: TreeLook
    backends: Backends
    embedder: Embedder | None
    semantic: SemanticIndex | None
    vectors: VectorIndex | None
    why_no_embedder: str

    def indexer(self) -> "Indexer":
        """Return the use case that indexes the work tree."""
        from pckc_domain.usecases.index import Indexer  # its rules cost a search 40 ms of start-up

        return Indexer(self.canonical, self.source, SystemClock(), parser=self.backends.parser)

    def verifier(self) -> "Verifier":
        """Return the use case that follows proofs."""
        from pckc_domain.usecases.verify import Verifier

        return Verifier(self.canonical, self.source)

    def vector_projection(self) -> VectorProjection | None:
        """Return the vectors as a projection of the store; ``None`` without an embedder."""
        if self.semantic is None or self.vectors is None:
            return None
        return VectorProjection(self.canonical, self.semantic.embedder, self.vectors, name=self.semantic.projection)

    def projections(self) -> dict[str, Projection]:
        """Return every projection that is configured, by the name that commands use."""
        found = {"vectors": self.vector_projection(), "graph": self.graph_projection()}
        return {name: projection for name, projection in found.items() if projection is not None}

    def graph_projection(self) -> "GraphProjection | None":
        """Return the graph index as a projection of the store; ``None`` when none is configured."""
        index = self.backends.graph_index
        if index is None:
            return None
        from pckc_domain.usecases.project_graph import GraphProjection

        return GraphProjection(self.canonical, index)

    def graph_index(self) -> GraphIndex | None:
        """Return the generation of the graph index that serves; ``None`` when none is configured."""
        index = self.backends.graph_index
        if index is None:
            return None
        from pckc_domain.usecases.project_graph import ServingGraphIndex

        return ServingGraphIndex(self.canonical, index)

    def projector(self, worker: Worker | None = None) -> Projector | None:
        """Return the use case that embeds what is new; ``None`` without an embedder."""
        projection = self.vector_projection()
        return Projector(self.canonical, projection, worker or this_worker()) if projection else None

    def search(self, semantic: SemanticIndex | None) -> PassageSearch:
        """Return the use case that searches passages, with *semantic* signals or without."""
        return PassageSearch(
            self.canonical,
            semantic=semantic,
            source=self.source,
            weights=self.config.search.weights,
            why_lexical=self.why_no_embedder or ONE_SHOT,
        )

    def compiler(self, semantic: SemanticIndex | None) -> "ContextCompiler":
        """Return the use case that compiles contexts."""
        from pckc_domain.usecases.compile import ContextCompiler  # its rules cost a search 40 ms of start-up
        from pckc_domain.usecases.compile_claims import ClaimSelector
        from pckc_domain.usecases.compile_evidence import EvidenceSelector
        from pckc_domain.usecases.compile_graph import GraphWidening

        claims = ClaimSelector(self.canonical, SystemClock())
        evidence = EvidenceSelector(self.canonical, self.evidence_search(semantic))
        graph = GraphWidening(self.canonical, self.symbol_search(semantic))
        return ContextCompiler(self.search(semantic), claims, evidence=evidence, graph=graph)

    def symbol_search(self, semantic: SemanticIndex | None) -> "SymbolSearch":
        """Return the use case that searches the symbols of the repository graph."""
        from pckc_domain.usecases.recall_symbols import SymbolSearch

        return SymbolSearch(self.canonical, self.search(semantic))

    def importer(self) -> "Importer":
        """Return the use case that imports transcripts."""
        from pckc_domain.usecases.remember import Importer  # the claim rules cost 50 ms of start-up

        return Importer(self.canonical, self.backends.transcripts, SystemClock())

    def deriver(self) -> "Deriver":
        """Return the use case that derives sessions."""
        from pckc_domain.usecases.remember import Deriver

        return Deriver(self.canonical, SystemClock())

    def recorder(self) -> "Recorder":
        """Return the use case that records sessions."""
        from pckc_domain.usecases.record import Recorder

        return Recorder(self.canonical, SystemClock())

    def reflector(self) -> "Reflector":
        """Return the use case that remembers what an agent hands over."""
        from pckc_domain.usecases.reflect import Reflector

        return Reflector(self.canonical, self.source, SystemClock())

    def claim_search(self, semantic: SemanticIndex | None) -> "ClaimSearch":
        """Return the use case that searches claims."""
        from pckc_domain.usecases.recall_claims import ClaimSearch

        return ClaimSearch(
            self.canonical,
            semantic=semantic,
            clock=SystemClock(),
            why_lexical=self.why_no_embedder or ONE_SHOT,
            candidate_lifetime=timedelta(days=self.config.retention.candidate_days),
        )

    def evidence_search(self, semantic: SemanticIndex | None) -> "EvidenceSearch":
        """Return the use case that searches evidence."""
        from pckc_domain.usecases.recall_evidence import EvidenceSearch

        return EvidenceSearch(self.canonical, semantic=semantic, why_lexical=self.why_no_embedder or ONE_SHOT)

    def claim_verifier(self) -> "ClaimVerifier":
        """Return the use case that follows proofs of claims."""
        from pckc_domain.usecases.verify_claims import ClaimVerifier

        return ClaimVerifier(self.canonical, self.source, SystemClock())

    def ingester(self) -> "Ingester":
        """Return the use case that ingests documents."""
        from pckc_domain.usecases.ingest import Ingester

        return Ingester(self.canonical, self.backends.documents, self.backends.distiller, SystemClock())

    def citer(self) -> "Citer":
        """Return the use case that stores claims read in a document."""
        from pckc_domain.usecases.cite import Citer

        return Citer(self.canonical, SystemClock())

    def cross_checker(self) -> "CrossChecker":
        """Return the use case that checks claims against each other."""
        from pckc_domain.usecases.cross_check import CrossChecker
        from pckc_domain.usecases.near_claims import NearClaims

        near = NearClaims(self.canonical, semantic=self.semantic, why_lexical=self.why_no_embedder)
        same = self.config.curation.same_cosine
        return CrossChecker(self.canonical, near, SystemClock(), critic=self.backends.distiller, same=same)

    def comparison(self, worker: Worker | None = None) -> "Comparison | None":
        """Return the use case that compares the claims of documents once they have vectors; ``None`` without any."""
        if self.semantic is None:
            return None
        from pckc_domain.usecases.comparison import Comparison

        return Comparison(self.canonical, self.cross_checker, worker or this_worker(), vectors=self.semantic.projection)

    def gap_keeper(self) -> "GapKeeper":
        """Return the use case that keeps gaps."""
        from pckc_domain.usecases.gaps import GapKeeper

        return GapKeeper(self.canonical, SystemClock())

    def tracer(self) -> "Tracer":
        """Return the use case that keeps traces."""
        from pckc_domain.usecases.traces import Tracer

        return Tracer(self.canonical, SystemClock())

    def governor(self) -> "Governor":
        """Return the use case that records decisions about claims."""
        from pckc_domain.usecases.govern import Governor

        return Governor(self.canonical, SystemClock())

    def symbol_explainer(self) -> "SymbolExplainer":
        """Return the use case that explains symbols of the repository graph."""
        from pckc_domain.usecases.explain_symbol import SymbolExplainer

        return SymbolExplainer(self.canonical)

    def graph_sync(self) -> "GraphSync":
        """Return the use case that keeps the graph of the work tree."""
        from pckc_domain.policy.graph.linkers import all_linkers
        from pckc_domain.usecases.graph_sync import GraphSync

        from pckc_mcp.code_reading import ProcessReading

        reading = ProcessReading(self.backends.reader)
        return GraphSync(self.canonical, self.source, SystemClock(), reading=reading, linkers=all_linkers())

    def inference(self) -> "Inference":
        """Return the use case that applies rules to graphs."""
        from pckc_domain.usecases.infer import Inference

        wanted = self.config.inference
        index = self.graph_index() if wanted.engine == "graph_index" else None
        return Inference(self.canonical, SystemClock(), limit=wanted.limit, index=index)

    def session_graph(self) -> "SessionGraphKeeper":
        """Return the use case that makes the graph of the sessions."""
        from pckc_domain.usecases.session_graph import SessionGraphKeeper

        return SessionGraphKeeper(self.canonical, SystemClock())

    def eraser(self) -> "Eraser":
        """Return the use case that forgets."""
        from pckc_domain.usecases.forget import Eraser

        vectors = self.semantic.vectors if self.semantic else None
        return Eraser(self.canonical, self.deriver(), vectors=vectors, embeddings=self.backends.embeddings)

    def retention(self) -> "Retention":
        """Return the use case that erases what has outlived its use."""
        from pckc_domain.usecases.retention import Retention

        return Retention(self.canonical, SystemClock(), self.config.retention)

    def patient(self) -> SemanticIndex | None:
        """Return semantic signals that never keep a query waiting longer than configured."""
        if self.semantic is None or self.embedder is None:
            return None
        wait = self.config.search.embedder_wait_seconds
        return attrs.evolve(self.semantic, embedder=PatientEmbedder(self.embedder, wait_seconds=wait))
