"""Something to forget in every place a store has, for tests of erasure on any store."""

from datetime import timedelta

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, Governance
from pckc_domain.model.session import EventKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.conversations import SCOPE, START, conversation
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.memory_transcripts import MemoryTranscripts
from pckc_domain.testing.projections import vector_projector
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.remember import Deriver, Importer, ImportRequest
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


class Memory:
    """A store in which a word has been said, written, embedded, decided about and verified."""

    def __init__(self, canonical: Canonical, vectors: VectorIndex) -> None:
        self.canonical = canonical
        self.vectors = vectors
        self.clock = FixedClock()
        self.tree = MemoryRepository(FILES, project=SCOPE.project)
        self.transcripts = MemoryTranscripts()
        self.index()

    def index(self) -> None:
        """Index the work tree."""
        Indexer(self.canonical, self.tree, self.clock).run(SCOPE)

    def project(self) -> None:
        """Embed what changed."""
        vector_projector(self.canonical, HashEmbedder(), self.vectors).run(SCOPE)

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
        titled = attrs.evolve(told, title=f"About {SECRET_WORD}", cwd="/project")
        self.transcripts.write(f"/t/{SESSION}", titled, placed)
        self.transcripts.write(
            "/t/other",
            *conversation("other", [f"The {KEPT_WORD} listens on port 9000."], start=START + timedelta(days=1)),
        )
        self.tree.write(path, f"{SETTING}\n".encode())
        self.import_()
        for claim in self.claims():
            Governor(self.canonical, self.clock).decide(
                SCOPE, claim.id, Governance.PINNED, actor="ann", reason=f"said {claim.text}"
            )
        ClaimVerifier(self.canonical, self.tree, self.clock).verify_current(SCOPE)
        self.tree.remove(path)
        self.project()

    def claims(self) -> list[Claim]:
        """Return every claim, by text."""
        with self.canonical.reading(SCOPE) as work:
            found = [stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=99)]
        return sorted(found, key=lambda claim: claim.text)

    def eraser(self) -> Eraser:
        """Return what forgets."""
        return Eraser(self.canonical, Deriver(self.canonical, self.clock), vectors=self.vectors)
