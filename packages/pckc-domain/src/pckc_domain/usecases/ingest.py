"""
Ingest documents: cut them into passages that are searched, and distil their chunks into claims with citations.

A document is stored before it is distilled, and every chunk in a commit of its own: whatever stops a run, the next one
goes on with the chunks that are left.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.errors import BackendError, BackendUnavailableError, InvalidInputError
from pckc_domain.model.bounds import MAX_NAME_CHARACTERS, check_length
from pckc_domain.model.claim import Assertion, ClaimStatus
from pckc_domain.model.distillation import Distillation, SourceChunk
from pckc_domain.model.document import Document, DocumentKind
from pckc_domain.model.identity import digest
from pckc_domain.model.passage import Chunk, Layer, Passage, PassageFilter
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.model.source import SourceDocument, SourcePart
from pckc_domain.policy.curation import (
    LOST_PROOF,
    assertions_of,
    ceased,
    chunk_owner,
    continued,
    moved,
    past_owner,
    slots_of,
)
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.recipe import RECIPE
from pckc_domain.policy.redaction import redact, redact_uri
from pckc_domain.policy.source_lines import PlacesOfLines, SourceLines, version_of
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.documents import DocumentSource
from pckc_domain.usecases.cite import is_cited, keep_cited
from pckc_domain.usecases.settling import settle

MOST_PAST = 500
"""Statements kept that a document made once and makes no longer: the newest."""

FORGOTTEN = "the document was forgotten, or read anew, meanwhile"
"""Why a run leaves a document alone."""

PAGE = 200


@attrs.frozen(kw_only=True)
class FailedChunk:
    """A chunk that gave no claims, and why."""

    uri: str
    place: str
    error: str


@attrs.frozen(kw_only=True)
class IngestReport:
    """
    What became of one document.

    Attributes:
        document: The version.
        is_unchanged: It was stored before, and nothing was left to do.
        passages: Number of passages cut.
        claim_ids: The claims that its chunks make now, in reading order, as far as this run distilled them.
        ceased: Number of statements that it made before and makes no longer.
        refused: Number of claims that the distiller read and that are none: they tell a secret, or have no quote there.
        failed: Chunks that failed; the next run tries them again.
        pending: Number of chunks that are left.
        stopped: Why the run stopped before the last chunk; ``""`` when it did not.
        redacted: Number of secrets by kind.
        notes: What the reader of the document noticed.
    """

    document: Document
    is_unchanged: bool = False
    passages: int = 0
    claim_ids: tuple[str, ...] = ()
    ceased: int = 0
    refused: int = 0
    failed: tuple[FailedChunk, ...] = ()
    pending: int = 0
    stopped: str = ""
    redacted: Mapping[str, int] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()


class Ingester:
    """Reads documents into the store."""

    def __init__(self, canonical: Canonical, documents: DocumentSource, distiller: Distiller, clock: Clock) -> None:
        self._canonical = canonical
        self._documents = documents
        self._distiller = distiller
        self._clock = clock

    def ingest(self, scope: Scope, location: str, *, progress: ProgressListener = ignore_progress) -> IngestReport:
        """
        Ingest the document at *location*, a path or an address; see `DocumentSource`.

        Raises:
            InvalidInputError: It is refused or cannot be read.
            BackendUnavailableError: It cannot be reached, or the store cannot be written.
        """
        return self._ingest(scope, self._documents.read(location), progress)

    def ingest_text(
        self,
        scope: Scope,
        text: str,
        *,
        uri: str = "",
        title: str = "",
        kind: DocumentKind = DocumentKind.MARKDOWN,
        place: str = "text",
        progress: ProgressListener = ignore_progress,
    ) -> IngestReport:
        """
        Ingest a *text* that is at hand: known by *uri*, or by its content.

        Raises:
            InvalidInputError: It has no words, or its title is too long.
        """
        check_length("the title", title, MAX_NAME_CHARACTERS, remedy="call the text by a few words")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            raise InvalidInputError("the text is empty", remedy="give some words to ingest")
        hashed = digest(text)
        source = SourceDocument(
            uri=uri or f"text:{hashed[:16]}",
            kind=kind,
            title=title,
            parts=(SourcePart(place=place, text=text),),
            content_hash=hashed,
            size_bytes=len(text.encode("utf-8", "surrogatepass")),
        )
        return self._ingest(scope, source, progress)

    def resume(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> tuple[IngestReport, ...]:
        """Distil the chunks of stored documents that are left or failed, and return a report for each document."""
        left: dict[str, str] = {}
        with self._canonical.reading(scope) as work:
            after = ""
            while page := work.distillations.find(is_done=False, after=after, limit=PAGE):
                left |= {one.document_id: one.uri for one in page}
                after = page[-1].owner_id
            documents = {one.id: one for one in work.documents.get(sorted(left))}
        return tuple(
            self._distil(scope, documents[identity], IngestReport(document=documents[identity]), progress)
            for identity in sorted(documents)
        )

    def _ingest(self, scope: Scope, source: SourceDocument, progress: ProgressListener) -> IngestReport:
        document, report = self._store(scope, source)  # what was cut is read again: it is in memory once
        if report.is_unchanged:
            return report
        said_at = min(source.published_at or document.indexed_at, document.indexed_at)
        return self._distil(scope, document, report, progress, said_at=said_at)

    def _store(self, scope: Scope, source: SourceDocument) -> tuple[Document, IngestReport]:
        """Store the passages of a document, and what is to be distilled of it; return the version, and what it is."""
        redacted: Counter[str] = Counter()
        source = attrs.evolve(source, uri=redact_uri(source.uri), title=redact(source.title).text)
        parts = [_redacted(part, redacted) for part in source.parts]
        lines = SourceLines.of(parts)
        document = version_of(scope, source, RECIPE, self._clock.now())
        content = cut(document, lines.text, places=lines)
        chunks = [passage for passage in content.passages if isinstance(passage, Chunk)]
        with self._canonical.writing(scope) as work:
            if chunks and (twin := _same_elsewhere(work, document, chunks[0])):
                note = f"the same bytes are known as {twin.uri}: a copy says nothing more"
                return twin, IngestReport(document=twin, is_unchanged=True, notes=(*source.notes, note))
            known = [one for one in work.documents.at(document.uri) if one.id == document.id and not one.is_stale]
            if not known:
                work.documents.put(content)
                work.documents.retire([one.id for one in work.documents.at(document.uri) if one.id != document.id])
            before = {one.owner_id: one for one in work.distillations.of_uri(document.uri)}
            owners = list(_owners(document.uri, chunks))
            now = self._clock.now()
            work.distillations.put(
                [
                    self._distillation(document, chunk, owner, before.get(owner), now)
                    for chunk, owner in zip(chunks, owners, strict=True)
                ]
            )
            kept = [owner for owner in owners if owner in before and self._is_done(before[owner])]
            slots = _cite_anew(work, document, content.passages, dict(zip(owners, chunks, strict=True)), kept)
            slots |= keep_cited(work, document, content.passages, filter(is_cited, before.values()))
            settle(work, slots)
            _take_back_checks(work, _by_claim(work, kept))
        return document, IngestReport(
            document=known[0] if known else document,
            is_unchanged=bool(known) and len(kept) == len(owners),
            passages=len(content.passages),
            redacted=dict(sorted(redacted.items())),
            notes=source.notes,
        )

    def _is_done(self, distillation: Distillation) -> bool:
        is_own = distillation.distiller == self._distiller.name or is_cited(distillation)
        return distillation.is_done and is_own

    def _distillation(
        self, document: Document, chunk: Chunk, owner: str, known: Distillation | None, now: datetime
    ) -> Distillation:
        if known is not None and self._is_done(known):
            return attrs.evolve(known, document_id=document.id, passage_id=chunk.id)
        return Distillation(
            owner_id=owner,
            uri=document.uri,
            document_id=document.id,
            passage_id=chunk.id,
            distiller=self._distiller.name,
            at=now,
        )

    def _distil(
        self,
        scope: Scope,
        document: Document,
        report: IngestReport,
        progress: ProgressListener,
        *,
        said_at: datetime | None = None,
    ) -> IngestReport:
        """Distil what is left of *document*, chunk by chunk."""
        with self._canonical.reading(scope) as work:
            all_ = work.distillations.of_uri(document.uri)
            of_version = [one for one in all_ if one.document_id == document.id]
            chunks, places = _chunks_of(work, document)
            known = _by_claim(work, [*(one.owner_id for one in all_), past_owner(document.uri)])
        left = [one for one in of_version if not self._is_done(one) and one.passage_id in chunks]
        left.sort(key=lambda one: chunks[one.passage_id].ordinal)
        claims: list[str] = []
        failed: list[FailedChunk] = []
        refused, stopped = 0, ""
        for number, one in enumerate(left):
            progress(Progress(stage="distilling", done=number, total=len(left)))
            chunk = chunks[one.passage_id]
            try:
                distilled = self._distiller.distil(
                    SourceChunk(title=document.title, place=chunk.place, heading=chunk.heading, text=chunk.text)
                )
            except BackendUnavailableError as error:
                self._note(scope, one, error.message)
                stopped = error.message
                break
            except BackendError as error:
                self._note(scope, one, error.message)
                failed.append(FailedChunk(uri=document.uri, place=chunk.place, error=error.message))
                continue
            assertions, missing = assertions_of(distilled, document, chunk, places, said_at or document.indexed_at)
            assertions = [continued(one, known.get(one.claim.id)) for one in assertions]
            refused += len(distilled.refused) + missing
            if not self._keep(scope, one, assertions, refused=len(distilled.refused) + missing):
                stopped = FORGOTTEN
                break
            claims += [assertion.claim.id for assertion in assertions]
        progress(Progress(stage="distilling", done=len(left), total=len(left)))
        pending = len(left) - len(failed) - number if stopped else 0
        gone = 0 if stopped else self._retire(scope, document)
        return attrs.evolve(
            report,
            claim_ids=tuple(dict.fromkeys(claims)),
            refused=refused,
            failed=tuple(failed),
            pending=pending,
            stopped=stopped,
            ceased=gone,
        )

    def _note(self, scope: Scope, distillation: Distillation, error: str) -> None:
        with self._canonical.writing(scope) as work:
            if _is_stored(work, distillation):
                work.distillations.put([self._tried(distillation, error=error)])

    def _keep(self, scope: Scope, distillation: Distillation, assertions: Sequence[Assertion], *, refused: int) -> bool:
        """Store what was read from a chunk; return whether its document is still there."""
        with self._canonical.writing(scope) as work:
            if not _is_stored(work, distillation):
                return False
            by_slot = slots_of(assertions, distillation.uri)
            slots = work.assertions.replace(distillation.owner_id, by_slot)
            slots |= _forget_past(work, distillation.uri, {one.claim.id for one in assertions})
            work.distillations.put([self._tried(distillation, refused=refused, is_done=True)])
            settle(work, slots)
            _take_back_checks(work, [one.claim.id for one in assertions])
        return True

    def _tried(
        self, distillation: Distillation, *, error: str = "", refused: int = 0, is_done: bool = False
    ) -> Distillation:
        return attrs.evolve(
            distillation,
            distiller=self._distiller.name,
            attempts=distillation.attempts + 1,
            error=error,
            refused=refused,
            is_done=is_done,
            at=self._clock.now(),
        )

    def _retire(self, scope: Scope, document: Document) -> int:
        """End what the document said before and says no longer; return how many statements that is."""
        with self._canonical.writing(scope) as work:
            all_ = work.distillations.of_uri(document.uri)
            gone = [one.owner_id for one in all_ if one.document_id != document.id]
            past = past_owner(document.uri)
            held = work.assertions.of_owners([*(one.owner_id for one in all_), past])
            said = {
                one.claim.id
                for owner, by_slot in held.items()
                if owner not in gone and owner != past
                for assertions in by_slot.values()
                for one in assertions
            }
            fell = {
                one.claim.id: (slot, ceased(one))
                for owner in gone
                for slot, assertions in held.get(owner, {}).items()
                for one in assertions
                if one.claim.id not in said
            }
            kept = {
                one.claim.id: (slot, one)
                for slot, assertions in held.get(past, {}).items()
                for one in assertions
                if one.claim.id not in said
            }
            if not gone and len(kept) == sum(len(of) for of in held.get(past, {}).values()):
                return 0
            newest = sorted((kept | fell).values(), key=lambda each: (each[1].claim.recorded_at, each[1].claim.id))[
                -MOST_PAST:
            ]
            by_slot: dict[str, list[Assertion]] = {}
            for slot, one in newest:
                by_slot.setdefault(slot, []).append(one)
            slots = set(work.assertions.replace(past, by_slot))
            for owner in gone:
                slots |= work.assertions.replace(owner, {})
            work.distillations.remove(gone)
            settle(work, slots)
        return len(fell)


def _chunks_of(work: UnitOfWork, document: Document) -> tuple[dict[str, Chunk], PlacesOfLines]:
    """Return the chunks of a document by id, and where its lines stand."""
    passages = [stored.passage for stored in work.passages.of_documents([document.id])]
    return {passage.id: passage for passage in passages if isinstance(passage, Chunk)}, PlacesOfLines(passages)


def _same_elsewhere(work: UnitOfWork, document: Document, chunk: Chunk) -> Document | None:
    """Return the document of another address that has the same bytes, if one was ingested."""
    where = PassageFilter(digests=frozenset({chunk.digest}))
    for stored in work.passages.find(Layer.CHUNK, where=where, limit=PAGE):
        is_ingested = stored.passage.place and stored.document.uri != document.uri
        if is_ingested and stored.document.content_hash == document.content_hash:
            return stored.document
    return None


def _is_stored(work: UnitOfWork, distillation: Distillation) -> bool:
    """Return whether the chunk's document is as it was when it was given to the distiller: nobody has forgotten it."""
    found = work.documents.get([distillation.document_id])
    return bool(found) and not found[0].is_stale


def _take_back_checks(work: UnitOfWork, claim_ids: Iterable[str]) -> None:
    """What a document says again holds again, whatever following its older citation found."""
    for stored in work.claims.get(list(claim_ids)):
        if stored.claim.status is ClaimStatus.STALE and stored.claim.status_reason.startswith(LOST_PROOF):
            work.claims.note_check(stored.claim.id, stale_reason="")


def _redacted(part: SourcePart, counts: Counter[str]) -> SourcePart:
    redaction = redact(part.text)
    counts.update(finding.kind for finding in redaction.findings)
    return attrs.evolve(part, text=redaction.text, place=redact(part.place).text)


def _owners(uri: str, chunks: Sequence[Chunk]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for chunk in chunks:
        yield chunk_owner(uri, chunk.text, seen[chunk.text])
        seen[chunk.text] += 1


def _by_claim(work: UnitOfWork, owners: Collection[str]) -> dict[str, Assertion]:
    return {
        one.claim.id: one
        for by_slot in work.assertions.of_owners(owners).values()
        for assertions in by_slot.values()
        for one in assertions
    }


def _forget_past(work: UnitOfWork, uri: str, said: Collection[str]) -> frozenset[str]:
    """Let what the document says again be past no more; return the slots that changed."""
    past = past_owner(uri)
    held = work.assertions.of_owners([past]).get(past, {})
    kept = {slot: [one for one in assertions if one.claim.id not in said] for slot, assertions in held.items()}
    return work.assertions.replace(past, kept) if held else frozenset()


def _cite_anew(
    work: UnitOfWork,
    document: Document,
    passages: Sequence[Passage],
    chunks: Mapping[str, Chunk],
    owners: Sequence[str],
) -> frozenset[str]:
    """Let chunks that are as they were cite the new version, where they may stand elsewhere; return changed slots."""
    slots: frozenset[str] = frozenset()
    places = PlacesOfLines(passages)
    for owner, by_slot in work.assertions.of_owners(owners).items():
        there = {
            slot: [moved(one, document, chunks[owner], places) for one in assertions]
            for slot, assertions in by_slot.items()
        }
        if there != {slot: list(assertions) for slot, assertions in by_slot.items()}:
            slots |= work.assertions.replace(owner, there) | by_slot.keys()
    return slots
