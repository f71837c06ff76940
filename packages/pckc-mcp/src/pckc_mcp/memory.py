"""
The memory of one project, for agents that embed PCKC in their own process: a few methods over the use cases.

Everything else is one step further: `Memory.engine` hands out every use case, and `pckc_domain` has no I/O at all.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.context import ContextPack
from pckc_domain.model.memory import ClaimResult, EvidenceResult
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.model.recall import PassageResult
from pckc_domain.model.session import EventKind
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.ingest import IngestReport
from pckc_domain.usecases.project import ServingVectors
from pckc_domain.usecases.record import NewEvent, RecordReport
from pckc_domain.usecases.semantic import SemanticIndex
from pckc_domain.usecases.verify import VerifyReport

from pckc_mcp.config import Config
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form
from pckc_mcp.indexing import bring_up_to_date, embed_and_compare
from pckc_mcp.opening import open_engine
from pckc_mcp.requests import context_request, one_of
from pckc_mcp.searching import Result, Searching, SearchOptions
from pckc_mcp.sync_mark import settings_stamp

HOST = "embedded"
"""What sessions recorded here are said to come from."""


@attrs.frozen(kw_only=True)
class Hit:
    """
    One thing that a search found.

    Attributes:
        id: Of the claim, passage, evidence or symbol.
        text: What it says.
        score: Higher is better; comparable within one search.
        sources: Locators of its proofs, which `Memory.verify` follows.
        result: All that is known of it.
    """

    id: str
    text: str
    score: float
    sources: tuple[str, ...]
    result: Result


class Memory:
    """An opened project's memory. It may be shared by threads, as the engine may."""

    def __init__(self, engine: Engine, *, is_store_chosen: bool = False) -> None:
        self._engine: Engine | None = engine
        self._is_store_chosen = is_store_chosen

    @property
    def engine(self) -> Engine:
        """
        Every use case of the opened project.

        Raises:
            InvalidInputError: The memory is closed.
        """
        if self._engine is None:
            raise InvalidInputError(
                "this memory is closed", remedy="use it inside the `with` block of open_memory, or open it again"
            )
        return self._engine

    def close(self) -> None:
        """Refuse whatever is asked from now on; `open_memory` does so when its block ends."""
        self._engine = None

    def index(self, *, progress: ProgressListener = ignore_progress) -> Form:
        """
        Read what changed of the work tree, and embed what is new; return the form that ``pckc index --json`` prints.

        Raises:
            BackendUnavailableError: The store cannot be read or written.
        """
        return bring_up_to_date(
            self.engine,
            stamp=settings_stamp(self.engine.root),
            is_chosen=self._is_store_chosen,
            say=lambda _: None,
            progress=progress,
        )

    def ingest(self, location: str) -> IngestReport:
        """
        Read a document, by path or address, into claims with citations.

        Raises:
            InvalidInputError: It is refused or cannot be read.
            BackendUnavailableError: It cannot be reached, or the store cannot be written.
        """
        report = self.engine.ingester().ingest(self.engine.scope, location)
        self._embed()
        return report

    def remember(self, *texts: str, kind: EventKind | str = EventKind.PROMPT, session: str = "default") -> RecordReport:
        """
        Record what was said or done in a session, and return what became of all of that session.

        Args:
            texts: One event each, in order; secrets are redacted.
            kind: Who vouches: a person's ``PROMPT``, a ``TEST_RESULT``, a ``TOOL_RESULT`` …, or such a name in lower
                case. An ``AGENT_MESSAGE`` gives candidates only.
            session: The agent's own name of the session.

        Raises:
            InvalidInputError: A text is empty or none, the kind is unknown, or the session has no name.
            BackendUnavailableError: The store cannot be written.
        """
        kind = one_of(EventKind, kind, "kind")
        for given, what in (*((text, "a text to remember") for text in texts), (session, "the session's name")):
            if not isinstance(given, str):
                raise InvalidInputError(f"{what} must be a str, not {type(given).__name__}", remedy="pass it as a str")
        if not all(text.strip() for text in texts):
            raise InvalidInputError("there is nothing to remember in an empty text", remedy="leave it out")
        engine, recorder = self.engine, self.engine.recorder()
        at = recorder.start(
            engine.scope, host=HOST, source_id=session, cwd=str(engine.root), branch=engine.checkout.branch.name or ""
        )
        recorder.append_all(engine.scope, at.id, [NewEvent(kind=kind, text=text) for text in texts])
        report = recorder.end(engine.scope, at.id)
        self._embed()
        return report

    def search(
        self, query: str, *, layers: Sequence[str] = (), limit: int = 10, as_of: str | None = None
    ) -> tuple[Hit, ...]:
        """
        Return what claims, evidence and passages say about *query*, best first.

        Args:
            query: Any text.
            layers: ``claims``, ``evidence``, ``passages``, ``symbols`` …, see `SearchOptions`; empty means all but
                symbols.
            limit: Most hits.
            as_of: Answer what held then: ISO 8601, or an age such as ``7d``.

        Raises:
            InvalidInputError: A layer is unknown, the limit no number above 0, or the time no time.
        """
        options = SearchOptions(layers=layers, limit=limit, as_of=as_of)
        found = Searching(self.engine, self.engine.patient()).find(query, options)
        return tuple(map(_hit, found.results))

    def context(
        self, task: str, *, budget_tokens: int = 6000, files: Sequence[str] = (), symbols: Sequence[str] = ()
    ) -> ContextPack:
        """
        Return the smallest set of proven claims and passages for *task*; its ``text`` is what an agent reads.

        Raises:
            InvalidInputError: The budget is negative.
        """
        request = context_request(task, files=files, symbols=symbols, budget=budget_tokens)
        compiler = self.engine.compiler(self.engine.patient())
        return compiler.compile(self.engine.scope, request, checkout_id=self.engine.checkout.id)

    def verify(self, *claim_ids: str) -> VerifyReport:
        """
        Follow the proofs of these claims, or of all that are current, and update their status.

        Raises:
            NotFoundError: An id is not stored.
        """
        verifier = self.engine.claim_verifier()
        if claim_ids:
            return verifier.verify(self.engine.scope, claim_ids)
        return verifier.verify_current(self.engine.scope)

    def _embed(self) -> None:
        embed_and_compare(self.engine)


@contextmanager
def open_memory(
    project: Path | str = ".",
    *,
    store: Path | str | None = None,
    config: Config | None = None,
    embedder: Embedder | None = None,
    vectors: VectorIndex | None = None,
) -> Iterator[Memory]:
    """
    Open the memory of the project that *project* lies in.

    Args:
        project: A folder of the project.
        store: The embedded store; by default the one that ``pckc`` uses.
        config: What to use instead of ``pckc.toml`` and the environment.
        embedder: An embedder of your own instead of the configured one.
        vectors: A vector index of your own beside that embedder; without one, the configured index.

    Raises:
        ConfigurationError: A setting or an installed package does not fit.
        InvalidInputError: There is an index of your own, and no embedder that fills it.
        BackendUnavailableError: A store cannot be opened.
    """
    if not Path(project).is_dir():
        raise ConfigurationError(f"{project} is no folder", remedy="pass a folder of the project")
    path = Path(store) if store is not None else None
    with open_engine(Path(project), store=path, config=config, with_semantic=True) as engine:
        memory = Memory(_with_own(engine, embedder, vectors), is_store_chosen=store is not None)
        try:
            yield memory
        finally:
            memory.close()


def _with_own(engine: Engine, embedder: Embedder | None, vectors: VectorIndex | None) -> Engine:
    """Return the engine with ports of the caller's own in their places."""
    if embedder is None and vectors is None:
        return engine
    embedder = embedder or (engine.semantic.embedder if engine.semantic else None)
    if embedder is None:
        raise InvalidInputError("a vector index needs an embedder", remedy="give one, or install pckc-mcp[embedded]")
    name = f"embedded:{embedder.space.model}"
    index = vectors or engine.vectors
    if index is None:
        raise InvalidInputError("an embedder needs a vector index", remedy="give one beside it")
    serving = ServingVectors(engine.canonical, index, name=name)
    semantic = SemanticIndex(embedder=embedder, vectors=serving, projection=name)
    return attrs.evolve(engine, semantic=semantic, embedder=embedder, vectors=index, why_no_embedder="")


def _hit(result: Result) -> Hit:
    match result:
        case ClaimResult(claim=claim, proofs=proofs):
            found = claim.id, claim.text, tuple(proof.source_ref for proof in proofs)
        case EvidenceResult(evidence=evidence):
            found = evidence.id, evidence.text, (f"session:{evidence.session_id}#{evidence.seq}",)
        case PassageResult(stored=stored, proof=proof):
            found = stored.passage.id, stored.passage.text, (proof.source_ref,)
        case _:
            place = f"{result.node.path}:{result.node.start_line}-{result.node.end_line}"
            found = result.node.id, result.node.qualified_name, (place,)
    identity, text, sources = found
    return Hit(id=identity, text=text, score=result.score, sources=sources, result=result)
