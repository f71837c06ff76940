"""Claims that people and agents read in a document: handed over with a quote that stands there and vouches for them."""

from collections.abc import Iterable, Sequence

import attrs

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.distillation import Distillation, Distilled, DistilledClaim, SourceChunk
from pckc_domain.model.document import Document
from pckc_domain.model.identity import content_id
from pckc_domain.model.passage import Chunk, Passage
from pckc_domain.model.scope import Scope
from pckc_domain.policy.citing import why_unsupported
from pckc_domain.policy.claim_length import check_claim
from pckc_domain.policy.curation import assertions_of, curated_slot, moved
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.source_lines import PlacesOfLines, find_quote
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.usecases.settling import settle

CITED = "cited"
"""Begins the owners of claims that someone handed over with a quote."""


class Citer:
    """Stores claims with citations."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def cite(self, scope: Scope, uri: str, read: DistilledClaim, *, by: str) -> str:
        """
        Store a claim that *by* read in the document at *uri*, and return the id of the claim that says so now.

        Raises:
            InvalidInputError: It is too long, or its quote is not in the document or does not vouch for it.
            NotFoundError: No such document is stored.
        """
        check_claim(read)
        with self._canonical.writing(scope) as work:
            fresh = [one for one in work.documents.at(uri) if not one.is_stale]
            if not fresh:
                raise NotFoundError(f"no document {uri[:200]!r} is stored", remedy="ingest it first, then name its uri")
            document = fresh[0]
            passages = [stored.passage for stored in work.passages.of_documents([document.id])]
            read = _redacted(read)
            chunk = next((one for one in passages if isinstance(one, Chunk) and find_quote(one.text, read.quote)), None)
            if chunk is None:
                raise InvalidInputError("the document does not have the quoted words", remedy="quote them verbatim")
            around = SourceChunk(title=document.title, place="", heading=chunk.heading, text=chunk.text)
            if why := why_unsupported(read, around):
                raise InvalidInputError(
                    f"the quote does not vouch for the claim: {why}", remedy="quote the sentence that says so"
                )
            (assertion,), _ = assertions_of(
                Distilled(claims=(read,)), document, chunk, PlacesOfLines(passages), document.indexed_at
            )
            owner = content_id(CITED, assertion.claim.id)
            slot = curated_slot(assertion.claim, uri)
            slots = work.assertions.replace(owner, {slot: [assertion]})
            cited = Distillation(
                owner_id=owner,
                uri=uri,
                document_id=document.id,
                passage_id=chunk.id,
                distiller=by,
                is_done=True,
                at=self._clock.now(),
            )
            work.distillations.put([cited])
            settle(work, slots)
            if work.claims.get([assertion.claim.id]):
                return assertion.claim.id
            known = work.claims.find(where=ClaimFilter(slots=frozenset({slot}), is_open=True), limit=1)
            return known[0].claim.id if known else assertion.claim.id


def is_cited(distillation: Distillation) -> bool:
    """Return whether a claim was handed over, not distilled."""
    return distillation.owner_id.startswith(f"{CITED}_")


def keep_cited(
    work: UnitOfWork, document: Document, passages: Sequence[Passage], cited: Iterable[Distillation]
) -> frozenset[str]:
    """Let what people and agents cited follow into the new version, if it still has the words; return changed slots."""
    chunks = [passage for passage in passages if isinstance(passage, Chunk)]
    slots: frozenset[str] = frozenset()
    for one in cited:
        for slot, (assertion,) in work.assertions.of_owners([one.owner_id]).get(one.owner_id, {}).items():
            chunk = next((each for each in chunks if find_quote(each.text, assertion.proof.excerpt)), None)
            if chunk is not None:
                there = moved(assertion, document, chunk, PlacesOfLines(passages))
                slots |= work.assertions.replace(one.owner_id, {slot: [there]})
                work.distillations.put([attrs.evolve(one, document_id=document.id, passage_id=chunk.id)])
    return slots


def _redacted(read: DistilledClaim) -> DistilledClaim:
    """Redact what someone handed over: the document it is quoted from is redacted already."""
    return attrs.evolve(
        read,
        text=redact(read.text).text,
        quote=redact(read.quote).text,
        subject=redact(read.subject).text,
        value=redact(read.value).text,
    )
