"""Something to forget in every place a store has, for tests of erasure on any store."""

from datetime import timedelta

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Assertion, Claim, Governance
from pckc_domain.model.document import Document
from pckc_domain.model.proof import AuthorityClass, DocumentLocator, ProofType
from pckc_domain.model.session import EventKind, Session
from pckc_domain.model.trace import TraceKind
from pckc_domain.policy.slots import slot_key
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.belief_samples import assertion, claim, proof
from pckc_domain.testing.conversations import SCOPE, START, conversation
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.embedding_cache import MemoryEmbeddingCache
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.memory_transcripts import MemoryTranscripts
from pckc_domain.testing.projections import vector_projector
from pckc_domain.testing.samples import content, document
from pckc_domain.usecases.cached_embedder import CachedEmbedder
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.remember import Deriver, Importer, ImportRequest
from pckc_domain.usecases.settling import settle
from pckc_domain.usecases.verify_claims import ClaimVerifier

SECRET_WORD = "quokka"
"""What is to be forgotten; it stands wherever a store may hold words."""

KEPT_WORD = "wombat"
"""What stands beside it and must stay."""

SETTING = f"{SECRET_WORD.upper()}_SECONDS = 30"
SESSION = "told"
"""The session to be forgotten."""

DOCUMENT = f"docs/{SECRET_WORD}.md"
"""The document to be forgotten."""

CLAIM_TEXT = f"The {SECRET_WORD} listens on port 8000."
FILES = {
    DOCUMENT: f"# {SECRET_WORD}\n\nThe {SECRET_WORD} must never sleep.\n".encode(),
    f"docs/{KEPT_WORD}.md": f"# {KEPT_WORD}\n\nThe {KEPT_WORD} must never sleep.\n".encode(),
}


BOOK = f"file:///books/{SECRET_WORD}.pdf"
"""An ingested document to be forgotten."""

READ_TEXT = f"The {SECRET_WORD} eats at night."
"""What was read from it."""


class Memory:
    """A store in which a word has been said, written, embedded, decided about and verified."""

    def __init__(self, canonical: Canonical, vectors: VectorIndex) -> None:
        self.canonical = canonical
        self.vectors = vectors
        self.embeddings = MemoryEmbeddingCache()
        self.clock = FixedClock()
        self.tree = MemoryRepository(FILES, project=SCOPE.project)
        self.transcripts = MemoryTranscripts()
        self.index()

    def index(self) -> None:
        """Index the work tree."""
        Indexer(self.canonical, self.tree, self.clock).run(SCOPE)

    def project(self) -> None:
        """Embed what changed."""
        embedder = CachedEmbedder(HashEmbedder(), self.embeddings, SCOPE)
        vector_projector(self.canonical, embedder, self.vectors).run(SCOPE)

    def import_(self, *, is_fresh: bool = False) -> None:
        """Import every transcript."""
        request = ImportRequest(files=list(self.transcripts.find([])), is_fresh=is_fresh)
        Importer(self.canonical, self.transcripts, self.clock).run(SCOPE, request)

    def plant(self) -> None:
        """Say the word in one session, in every way, and beside it what is to be kept, there and in another one."""
        told, events = conversation(
            SESSION,
            [
                f"{CLAIM_TEXT} The {KEPT_WORD} listens on port 9000.",
                f"We decided to use {SECRET_WORD.title()} as the database.",
                (EventKind.RESPONSE, f"Maybe the {SECRET_WORD} sleeps."),
                (EventKind.FILE_CHANGE, SETTING),
            ],
        )
        path = f"src/{SECRET_WORD}.py"
        placed = [attrs.evolve(one, path=path) if one.kind is EventKind.FILE_CHANGE else one for one in events]
        self._note(told)
        titled = attrs.evolve(told, title=f"About {SECRET_WORD}", cwd="/project")
        self.transcripts.write(f"/t/{SESSION}", titled, placed)
        self.transcripts.write(
            "/t/other",
            *conversation("other", [f"The {KEPT_WORD} listens on port 9000."], start=START + timedelta(days=1)),
        )
        self.tree.write(path, f"{SETTING}\n".encode())
        self.import_()
        for one in self.claims():
            Governor(self.canonical, self.clock).decide(
                SCOPE, one.id, Governance.PINNED, actor="ann", reason=f"said {one.text}"
            )
        ClaimVerifier(self.canonical, self.tree, self.clock).verify_current(SCOPE)
        self.tree.remove(path)
        self.project()

    def _note(self, told: Session) -> None:
        """Leave an agent's notes in the session, named by either of its ids, and a note and a question beside it."""
        with self.canonical.writing(SCOPE) as work:
            work.traces.add(
                [
                    trace("trace_own", text=f"Noted: {CLAIM_TEXT} It is a {SECRET_WORD}.", session_id=told.id),
                    trace("trace_host", TraceKind.PLAN, text=f"Ask the {SECRET_WORD}.", session_id=told.source_id),
                    trace("trace_kept", text=f"Ask the {KEPT_WORD}.", session_id="other"),
                ]
            )
            work.gaps.put(gap("gap_kept", question=f"Where does the {KEPT_WORD} listen?"))

    def ask(self) -> None:
        """Say the claim in a question and in a note of no session."""
        with self.canonical.writing(SCOPE) as work:
            work.gaps.put(gap("gap", question=f"Is it so? {CLAIM_TEXT.upper()} Why?", reason=f"{CLAIM_TEXT} Who says?"))
            work.traces.add([trace("trace_alone", text=f"Kept: {CLAIM_TEXT}")])
            for stored in work.claims.find(where=ClaimFilter(), limit=99):
                work.verdicts.put([verdict(stored.claim.id, "another", reason="one sentence")])

    def ingest(self) -> None:
        """Leave what ingesting leaves: a book in two versions, what was read from it, and what another one says too."""
        with self.canonical.writing(SCOPE) as work:
            old, book = (document(BOOK, version, scope=SCOPE) for version in (1, 2))
            other = document(f"file:///books/{KEPT_WORD}.pdf", scope=SCOPE)
            for version in (old, book, other):
                work.documents.put(content(version, f"{READ_TEXT if version is not other else ''} It is {KEPT_WORD}."))
            work.documents.retire([old.id])
            work.distillations.put(
                [
                    distillation("owner_book", book, is_done=True),
                    distillation("owner_failed", book, error=f"no JSON: {SECRET_WORD}"),
                    distillation("owner_other", other, is_done=True),
                ]
            )
            own, shared = f"{READ_TEXT}", f"The {KEPT_WORD} eats at noon."
            slots = work.assertions.replace("owner_book", _read(book, own, shared))
            settle(work, slots | work.assertions.replace("owner_other", _read(other, shared)))
            claims = [stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=99)]
            work.verdicts.put([verdict(one.id, "another", reason="one sentence") for one in claims])
        for one in claims:
            Governor(self.canonical, self.clock).decide(
                SCOPE, one.id, Governance.PINNED, actor="ann", reason=f"read {one.text}"
            )
        self.project()

    def claims(self) -> list[Claim]:
        """Return every claim, by text."""
        with self.canonical.reading(SCOPE) as work:
            found = [stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=99)]
        return sorted(found, key=lambda one: one.text)

    def eraser(self) -> Eraser:
        """Return what forgets."""
        deriver = Deriver(self.canonical, self.clock)
        return Eraser(self.canonical, deriver, vectors=self.vectors, embeddings=self.embeddings)


def _read(of: Document, *texts: str) -> dict[str, list[Assertion]]:
    """Return what was read from a document, by slot."""
    read: dict[str, list[Assertion]] = {}
    for text in texts:
        base = claim(text, session_id="", document_id=of.id, authority=AuthorityClass.DOCUMENT_DERIVED)
        locator = DocumentLocator(uri=of.uri, place="page=3")
        cited = attrs.evolve(proof(base, of.id), type=ProofType.CITATION, source_ref=str(locator))
        read.setdefault(slot_key(base), []).append(assertion(base, proof=cited))
    return read
