"""A world of documents for the use cases of curated knowledge: pages that change, and a distiller that reads lines."""

from collections.abc import Sequence
from datetime import timedelta

from pckc_domain.errors import BackendError, BackendUnavailableError, InvalidInputError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, ClaimType
from pckc_domain.model.distillation import Distilled, DistilledClaim, SourceChunk
from pckc_domain.model.document import DocumentKind
from pckc_domain.model.identity import digest
from pckc_domain.model.proof import DocumentLocator, Proof, parse_locator
from pckc_domain.model.source import SourceDocument, SourcePart
from pckc_domain.model.verdict import Judgement
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.documents import DocumentSource
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.citations import follow_citation
from pckc_domain.usecases.cite import Citer
from pckc_domain.usecases.ingest import Ingester, IngestReport

EVERYTHING = 10_000


class MemoryDocuments(DocumentSource):
    """Documents by address."""

    def __init__(self) -> None:
        self.pages: dict[str, SourceDocument] = {}

    def put(self, uri: str, *pages: str) -> None:
        """Make the pages of a PDF stand at *uri*."""
        self.pages[uri] = SourceDocument(
            uri=uri,
            kind=DocumentKind.PDF,
            title=uri.rpartition("/")[2],
            parts=tuple(SourcePart(place=f"page={number}", text=text) for number, text in enumerate(pages, start=1)),
            content_hash=digest("\f".join(pages)),
            size_bytes=sum(map(len, pages)),
        )

    def read(self, location: str, /) -> SourceDocument:
        """See the port."""
        if location not in self.pages:
            raise InvalidInputError(f"{location} is not there")
        return self.pages[location]


class LineDistiller(Distiller):
    """
    Reads each line that ends with a full stop as a claim.

    ``A = B.`` gives A a value, ``!text`` is a quote that stands nowhere, ``%down`` and ``%odd`` fail as long as they
    are in *failing*.
    """

    def __init__(self) -> None:
        self.failing = {"%down", "%odd"}
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        """See the port."""
        return "lines"

    def distil(self, chunk: SourceChunk, /) -> Distilled:
        """See the port."""
        self.asked.append(chunk.text)
        for mark in sorted(self.failing):
            if mark in chunk.text:
                raise (BackendUnavailableError if mark == "%down" else BackendError)(f"{mark} was read")
        lines = [line.strip() for line in chunk.text.splitlines() if line.strip().endswith(".")]
        return Distilled(
            claims=tuple(map(_claim, lines)),
        )

    def judge(self, claim: str, others: Sequence[str], /) -> Judgement | None:  # noqa: ARG002 - the port's signature
        """See the port: it never knows."""
        return None


def _claim(line: str) -> DistilledClaim:
    text = line.removeprefix("!")
    subject, equals, value = text.removesuffix(".").partition(" = ")
    return DistilledClaim(
        type=ClaimType.FACT,
        text=text,
        quote="nowhere to be found" if line.startswith("!") else text,
        subject=subject if equals else "",
        attribute="value" if equals else "",
        value=value,
        confidence=0.8,
        rule="line",
    )


class CuratedWorld:
    """Documents, a store and a clock that moves an hour with each document."""

    def __init__(self, canonical: Canonical, distiller: Distiller | None = None) -> None:
        self.canonical = canonical
        self.clock = FixedClock()
        self.documents = MemoryDocuments()
        self.distiller = LineDistiller()
        self.ingester = Ingester(canonical, self.documents, distiller or self.distiller, self.clock)
        self.citer = Citer(canonical, self.clock)

    def ingest(self, uri: str, *pages: str) -> IngestReport:
        """Let *pages* stand at *uri* and ingest them."""
        self.documents.put(uri, *pages)
        self.clock.advance(timedelta(hours=1))
        return self.ingester.ingest(SCOPE, uri)

    def claims(self) -> list[Claim]:
        """Return all claims, by text."""
        with self.canonical.reading(SCOPE) as work:
            found = work.claims.find(where=ClaimFilter(), limit=EVERYTHING)
        return sorted((stored.claim for stored in found), key=lambda claim: (claim.text, claim.id))

    def statuses(self) -> dict[str, str]:
        """Return the status of each claim by its text; of one that something else took the place of, ``past``."""
        return {claim.text: "past" if claim.valid_to else str(claim.status) for claim in self.claims()}

    def followed(self, proof: Proof) -> tuple[str, str]:
        """Return what following a citation finds, and the place it leads to."""
        locator = parse_locator(proof.source_ref)
        assert isinstance(locator, DocumentLocator)
        with self.canonical.reading(SCOPE) as work:
            check = follow_citation(work, proof, locator)
        found = parse_locator(check.source_ref)
        assert isinstance(found, DocumentLocator)
        return str(check.liveness), found.place

    def proofs(self, text: str) -> list[Proof]:
        """Return the proofs of the claim that says *text*, by place."""
        (claim,) = [claim for claim in self.claims() if claim.text == text]
        with self.canonical.reading(SCOPE) as work:
            return sorted(work.proofs.of([claim.id])[claim.id], key=lambda proof: proof.source_ref)
