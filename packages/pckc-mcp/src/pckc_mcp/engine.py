"""The composition of one opened project: every port filled, every use case at hand."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.plugin import Found
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.ports.communities import CommunityDetector
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.documents import DocumentSource
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.embedding_cache import EmbeddingCache
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.ports.transcripts import TranscriptSource
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.cached_embedder import CachedEmbedder
from pckc_domain.usecases.project import ServingVectors, VectorProjection
from pckc_domain.usecases.projecting import Projection, Projector, Worker
from pckc_domain.usecases.recall_passages import PassageSearch
from pckc_domain.usecases.semantic import SemanticIndex

from pckc_mcp.adoption import kept_as, last_opened_as, note_opened
from pckc_mcp.clock import SystemClock
from pckc_mcp.config import Config, Slot, load_config
from pckc_mcp.locations import close_folders, find_root, project_store
from pckc_mcp.opened import Opened, note_store
from pckc_mcp.patience import PatientEmbedder
from pckc_mcp.plugins import check_installed, has_setting, installed, look, open_backend, open_canonical
from pckc_mcp.sync_mark import config_stamp, read_mark
from pckc_mcp.vector_slot import LateVectors, vector_projection_name
from pckc_mcp.workers import this_worker

if TYPE_CHECKING:
    from pckc_domain.usecases.cite import Citer
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

AUTOMATIC = {
    "embedder": ("blend", "use", "minilm"),
    "embedding_cache": ("sqlite",),
    "code_parser": ("treesitter",),
    "code_reader": ("treesitter",),
    "communities": ("igraph",),
    "graph_index": (),
}
"""Slots that may stay empty, and the backends that ``auto`` tries, in order."""

NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})

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
        open_transcripts: Opens the transcript source, once.
        open_parser: Opens the code parser, once; ``None`` when there is none.
        open_reader: Opens the code reader, once; ``None`` when there is none.
        open_communities: Opens the engine for communities, once; ``None`` when there is none.
        open_documents: Opens the reader of documents, once.
        open_distiller: Opens the distiller, once.
        open_graph_index: Opens the graph index, with every generation, once; ``None`` when none is configured.
        open_embeddings: Opens the cache of embeddings, once; ``None`` when there is none.
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
    open_transcripts: Callable[[], TranscriptSource]
    open_parser: Callable[[], CodeParser | None]
    open_reader: Callable[[], CodeReader | None]
    open_communities: Callable[[], CommunityDetector | None]
    open_documents: Callable[[], DocumentSource]
    open_distiller: Callable[[], Distiller]
    open_graph_index: Callable[[], GraphIndex | None]
    open_embeddings: Callable[[], EmbeddingCache | None]
    embedder: Embedder | None
    semantic: SemanticIndex | None
    vectors: VectorIndex | None
    why_no_embedder: str

    @property
    def transcripts(self) -> TranscriptSource:
        """The transcripts on this machine, opened when they are first asked for."""
        return self.open_transcripts()

    def indexer(self) -> "Indexer":
        """Return the use case that indexes the work tree."""
        from pckc_domain.usecases.index import Indexer  # its rules cost a search 40 ms of start-up

        return Indexer(self.canonical, self.source, SystemClock(), parser=self.open_parser())

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
        index = self.open_graph_index()
        if index is None:
            return None
        from pckc_domain.usecases.project_graph import GraphProjection

        return GraphProjection(self.canonical, index)

    def graph_index(self) -> GraphIndex | None:
        """Return the generation of the graph index that serves; ``None`` when none is configured."""
        index = self.open_graph_index()
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
        from pckc_domain.usecases.compile_graph import GraphWidening

        claims = ClaimSelector(self.canonical, SystemClock())
        graph = GraphWidening(self.canonical, self.symbol_search(semantic))
        return ContextCompiler(self.search(semantic), claims, graph=graph)

    def symbol_search(self, semantic: SemanticIndex | None) -> "SymbolSearch":
        """Return the use case that searches the symbols of the repository graph."""
        from pckc_domain.usecases.recall_symbols import SymbolSearch

        return SymbolSearch(self.canonical, self.search(semantic))

    def importer(self) -> "Importer":
        """Return the use case that imports transcripts."""
        from pckc_domain.usecases.remember import Importer  # the claim rules cost 50 ms of start-up

        return Importer(self.canonical, self.transcripts, SystemClock())

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

        return Ingester(self.canonical, self.open_documents(), self.open_distiller(), SystemClock())

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
        return CrossChecker(self.canonical, near, SystemClock(), critic=self.open_distiller(), same=same)

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

        reading = ProcessReading(self.open_reader())
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
        return Eraser(self.canonical, self.deriver(), vectors=vectors, embeddings=self.open_embeddings())

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


@contextmanager
def open_engine(
    project: Path,
    *,
    store: Path | None = None,
    config: Config | None = None,
    tenant: str | None = None,
    with_semantic: bool = True,
) -> Iterator[Engine]:
    """
    Open the project that *project* lies in.

    Args:
        project: A folder of the project.
        store: The embedded store; by default one file per project under the XDG data directory.
        config: What to use instead of the configuration files.
        tenant: Whose project it is; by default the configured one.
        with_semantic: Open the embedder and the vector index; without, a search starts much faster.

    Raises:
        ConfigurationError: A setting or an installed package does not fit.
        BackendUnavailableError: A store cannot be opened.
    """
    if not project.is_dir():
        raise ConfigurationError(f"{project} is no folder", remedy="name the project's folder with --project")
    root = find_root(project)
    stamp = config_stamp(root)  # before it is read: a change meanwhile must be seen later
    is_configured = config is None and store is None
    config = config or load_config(root)
    _check_names(config)
    with ExitStack() as stack:
        source: RepositorySource = stack.enter_context(
            open_backend("source", config.slots["source"], {"root": str(root)})
        )
        checkout = _named(source.checkout(), root)
        is_embedded = _is_embedded(config, store)
        chosen = store.expanduser().resolve() if store else _configured_store(config)
        is_project_s_own = is_embedded and not chosen
        identity = kept_as(checkout.project, root) if is_project_s_own else checkout.project
        path = chosen or project_store(identity)
        close_folders(path.parent)
        canonical: Canonical = stack.enter_context(
            open_canonical(
                _at(config.slots["canonical"], store and path),
                {"path": str(path)},
                tenant=tenant or config.tenant,
            )
        )
        if not is_project_s_own:
            identity = _kept_in(canonical, checkout, root)
        path = chosen or project_store(identity)
        checkout = attrs.evolve(checkout, project=identity)
        note_opened(root, identity)
        if is_configured:
            note_store(root, Opened(str(path) if is_embedded else "", identity, stamp))
        embedder, why = None, ONE_SHOT
        if with_semantic:
            embedder, why = _open_automatic(stack, "embedder", config.slots["embedder"])
        semantic = vectors = None
        scope = Scope(tenant=tenant or config.tenant, project=checkout.project)
        cache_choice = _at(config.slots["embedding_cache"], store and path)
        open_embeddings = cache(partial(_open_embeddings, stack, cache_choice, path))
        if embedder is not None:
            choice = _at(config.slots["vector"], store and path)
            name = vector_projection_name(choice, default=path, store=path if is_embedded else None)
            open_backend("vector", choice, _own_place(choice, path))  # a wrong setting is told at once
            vectors = LateVectors(partial(_open_vectors, stack, choice, path))
            serving = ServingVectors(canonical, vectors, name=name)
            embeddings = open_embeddings()
            thrifty = CachedEmbedder(embedder, embeddings, scope) if embeddings else embedder
            semantic = SemanticIndex(embedder=thrifty, vectors=serving, projection=name)
        engine = Engine(
            config=config,
            root=root,
            store=path if is_embedded else None,
            scope=scope,
            checkout=checkout,
            canonical=canonical,
            source=source,
            open_transcripts=cache(partial(_open_transcripts, stack, config.slots["transcripts"])),
            open_parser=cache(partial(_open_parser, stack, config.slots["code_parser"])),
            open_reader=cache(partial(_open_reader, stack, config.slots["code_reader"])),
            open_communities=cache(partial(_open_communities, stack, config.slots["communities"])),
            open_documents=cache(partial(_open_documents, stack, config.slots["documents"], root)),
            open_distiller=cache(partial(_open_distiller, stack, config.slots["distiller"])),
            open_graph_index=cache(partial(_open_graph_index, stack, config.slots["graph_index"])),
            open_embeddings=open_embeddings,
            embedder=embedder,
            semantic=semantic,
            vectors=vectors,
            why_no_embedder=why,
        )
        yield _with_traces(engine) if os.environ.get("PCKC_TRACES") else engine


def look_for_store(root: Path, config: Config, *, store: Path | None = None) -> Found | None:
    """
    Return what is found where the store of the project at *root* would be; ``None`` when its backend cannot tell.

    Nothing is made or noted.

    Raises:
        ConfigurationError: As `open_engine`.
        BackendUnavailableError: As `open_engine`.
    """
    choice = _at(config.slots["canonical"], store)
    if not _is_embedded(config, store):
        return look("canonical", choice, {})
    path = store.expanduser().resolve() if store else _configured_store(config)
    if path is None:
        with open_backend("source", config.slots["source"], {"root": str(root)}) as source:
            project = _named(source.checkout(), root).project
        path = project_store(kept_as(project, root))
    return look("canonical", choice, {"path": str(path)})


def _is_embedded(config: Config, store: Path | None) -> bool:
    """Return whether the truth is in a file, which a *store* named by the caller must be."""
    is_embedded = has_setting("canonical", config.slots["canonical"].backend, "path")
    if store and not is_embedded:
        raise ConfigurationError(
            f"{store} is the path of an embedded store, and the configured one is on a server",
            remedy='leave out --store and PCKC_STORE, or set PCKC_CANONICAL="sqlite"',
        )
    return is_embedded


def _with_traces(engine: Engine) -> Engine:
    from pckc_mcp.tracing import traced

    return traced(engine)


def _check_names(config: Config) -> None:
    """Not every command opens every backend: a wrong name should not wait for its first use."""
    for slot, choice in config.slots.items():
        if slot not in AUTOMATIC or choice.backend not in ("auto", "none"):
            check_installed(slot, choice.backend)


def _open_transcripts(stack: ExitStack, choice: Slot) -> TranscriptSource:
    opened: TranscriptSource = stack.enter_context(open_backend("transcripts", choice, {}))
    return opened


def _open_documents(stack: ExitStack, choice: Slot, root: Path) -> DocumentSource:
    opened: DocumentSource = stack.enter_context(open_backend("documents", choice, {"folders": [str(root)]}))
    return opened


def _open_distiller(stack: ExitStack, choice: Slot) -> Distiller:
    opened: Distiller = stack.enter_context(open_backend("distiller", choice, {}))
    return opened


def _open_parser(stack: ExitStack, choice: Slot) -> CodeParser | None:
    parser: CodeParser | None = _open_automatic(stack, "code_parser", choice)[0]
    return parser


def _open_reader(stack: ExitStack, choice: Slot) -> CodeReader | None:
    reader: CodeReader | None = _open_automatic(stack, "code_reader", choice)[0]
    return reader


def _open_graph_index(stack: ExitStack, choice: Slot) -> GraphIndex | None:
    index: GraphIndex | None = _open_automatic(stack, "graph_index", choice)[0]
    return index


def _open_vectors(stack: ExitStack, choice: Slot, path: Path) -> VectorIndex:
    index: VectorIndex = stack.enter_context(open_backend("vector", choice, _own_place(choice, path)))
    return index


def _open_embeddings(stack: ExitStack, choice: Slot, store: Path) -> EmbeddingCache | None:
    """Open the cache: beside the store, or where the store would be if no server kept the truth."""
    beside = {"path": str(store.with_name(f"{store.name}-embeddings"))}
    opened: EmbeddingCache | None = _open_automatic(stack, "embedding_cache", choice, beside)[0]
    return opened


def _own_place(choice: Slot, path: Path) -> Mapping[str, str]:
    """Return where an index is that nobody gave a place: beside the store, unless it may be on a server."""
    return {} if has_setting("vector", choice.backend, "url") else {"path": str(path)}


def _open_communities(stack: ExitStack, choice: Slot) -> CommunityDetector | None:
    detector: CommunityDetector | None = _open_automatic(stack, "communities", choice)[0]
    return detector


def _named(checkout: Checkout, root: Path) -> Checkout:
    """Without git nobody can tell which project a work tree belongs to: it is that of its last index."""
    if (root / ".git").exists() and shutil.which("git") is None and (mark := read_mark(root)):
        return attrs.evolve(checkout, project=mark.project)
    return checkout


def _at(choice: Slot, path: Path | None) -> Slot:
    """Return *choice* without a configured path when the caller named one: what is nearest wins."""
    if path is None:
        return choice
    return attrs.evolve(choice, settings={key: value for key, value in choice.settings.items() if key != "path"})


def _kept_in(canonical: Canonical, checkout: Checkout, root: Path) -> str:
    """Return the name that a chosen store keeps the project under: its own, or what the work tree was opened as."""
    before = last_opened_as(root)
    if not before or before == checkout.project:
        return checkout.project
    kept = {scope.project for scope in canonical.scopes()}
    return before if before in kept and checkout.project not in kept else checkout.project


def _configured_store(config: Config) -> Path | None:
    path = config.slots["canonical"].settings.get("path")
    return Path(path).expanduser().resolve() if isinstance(path, str) else None


def _open_automatic(
    stack: ExitStack, slot: str, choice: Slot, defaults: Mapping[str, str] = NO_DEFAULTS
) -> tuple[Any, str]:
    """Open an optional backend: the one named, or with ``auto`` the first that is installed and opens."""
    if choice.backend == "none":
        return None, f"{slot} is set to none ({choice.origin})"
    if choice.backend != "auto":
        return stack.enter_context(open_backend(slot, choice, defaults)), ""
    names = installed(slot)
    for name in (name for name in AUTOMATIC[slot] if name in names):
        try:
            return stack.enter_context(open_backend(slot, attrs.evolve(choice, backend=name), defaults)), ""
        except ConfigurationError:
            continue  # its extra is not installed: automatic means doing without
    return None, f"no {slot} is installed"
