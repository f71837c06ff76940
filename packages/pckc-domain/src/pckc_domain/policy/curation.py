"""
Claims that documents make.

They are settled apart from what sessions say: a document speaks of the world, a session of this project. What one
document says is a candidate; a second, other document that says the same makes it verified.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import Assertion, Claim, ClaimStatus, ClaimType
from pckc_domain.model.distillation import Distilled, DistilledClaim
from pckc_domain.model.document import Document
from pckc_domain.model.identity import content_id, digest, normalize
from pckc_domain.model.passage import Chunk
from pckc_domain.model.proof import (
    AuthorityClass,
    DocumentLocator,
    Proof,
    ProofType,
    VerificationStatus,
    parse_locator,
)
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.citing import EXHIBITS
from pckc_domain.policy.cutting.markdown_outline import plain
from pckc_domain.policy.cutting.prose_statements import QUOTE_MARK
from pckc_domain.policy.proper_names import names_in
from pckc_domain.policy.redaction import tells_secret
from pckc_domain.policy.source_lines import PlacesOfLines, find_quote
from pckc_domain.policy.subjects import topic_key

DEFINITION = "definition"
"""Attribute of what a term means; a term may have many definitions at once."""

ONE_SOURCE = "one document says so, and no other has confirmed it"
LOST_PROOF = "its proof no longer holds: "
"""How the reason of a claim begins that is stale for what became of its proofs."""

NO_LONGER_SAID = LOST_PROOF + "the document says so no longer"
UNSUPPORTED = "said by a model of a document whose words it does not repeat; nothing else has confirmed it"

MOST_CONFIDENT = 0.99

IMPORTANCE: Mapping[ClaimType, float] = {
    ClaimType.DEFINITION: 0.6,
    ClaimType.LOGICAL_RULE: 0.6,
    ClaimType.FACT: 0.5,
    ClaimType.TABLE: 0.5,
    ClaimType.CODE: 0.4,
    ClaimType.TEXT: 0.4,
}


def chunk_owner(uri: str, text: str, repetition: int) -> str:
    """Return the owner of what is read from a chunk: one that stays as it is has the same in the next version."""
    return content_id("chunk", uri, text, str(repetition))


def past_owner(uri: str) -> str:
    """Return the owner of what the document at *uri* said once and says no longer."""
    return content_id("past", uri)


def source_of(proof: Proof) -> str:
    """Return the uri of the document that *proof* cites; ``""`` when it is no citation."""
    if not proof.source_ref.startswith("doc:"):
        return ""
    locator = parse_locator(proof.source_ref)
    return locator.uri if isinstance(locator, DocumentLocator) else ""


def curated_slot(claim: Claim, uri: str) -> str:
    """
    Return the slot of what the document at *uri* says: its topic, or else its very words.

    A topic is one among all documents when its subject bears a name; `the default port` is another thing in each.
    """
    if claim.subject and claim.attribute:
        context = "" if names_its_subject(claim) else uri
        return content_id("slot", "document", context, topic_key(claim.subject, claim.attribute))
    return content_id("slot", "document", claim.type.value, claim.value or normalize(claim.text))


def names_its_subject(claim: Claim) -> bool:
    """Return whether the words of *claim* give its subject a name that means the same in other documents."""
    return not names_in(claim.text).isdisjoint(claim.subject.casefold().split())


def assertion_of(read: DistilledClaim, document: Document, place: str, said_at: datetime) -> Assertion:
    """
    Return what *document* says at *place* as an assertion.

    Args:
        read: What was distilled; its quote stands at *place*. Words that the quote does not have are the distiller's.
        document: The version; ``indexed_at`` is when it was read.
        place: See `SourcePart`.
        said_at: When the document was written, as far as it says; else when it was read.
    """
    is_said = is_verbatim(read.text, read.quote)
    authority = AuthorityClass.DOCUMENT_DERIVED if is_said else AuthorityClass.MODEL_INFERRED
    claim_id = content_id(
        "claim",
        document.uri,
        read.type.value,
        read.subject,
        read.attribute,
        read.value,
        read.polarity.value,
        normalize(read.text),
    )
    claim = Claim(
        id=claim_id,
        type=read.type,
        subject=read.subject,
        attribute=read.attribute,
        value=read.value,
        polarity=read.polarity,
        text=read.text,
        confidence=read.confidence,
        importance=IMPORTANCE.get(read.type, 0.4),
        authority=authority,
        status=ClaimStatus.CANDIDATE,
        status_reason=ONE_SOURCE if is_said else UNSUPPORTED,
        valid_from=said_at,
        recorded_at=document.indexed_at,
        document_id=document.id,
        terms=index_terms(f"{read.subject} {read.attribute} {read.value} {read.text}"),
    )
    return Assertion(claim=claim, proof=citation(claim, read.quote, DocumentLocator(uri=document.uri, place=place)))


def assertions_of(
    distilled: Distilled, document: Document, chunk: Chunk, places: PlacesOfLines, said_at: datetime
) -> tuple[list[Assertion], int]:
    """Return what a chunk asserts, each claim once, and how many claims quote other words or tell a secret."""
    found: dict[str, Assertion] = {}
    missing = 0
    for read in distilled.claims:
        span = find_quote(chunk.text, read.quote)
        if span is None or (read.type not in EXHIBITS and tells_secret(read.text)):
            missing += 1
            continue
        place = places.at(chunk, span[0])
        verbatim = attrs.evolve(read, quote=chunk.text[slice(*span)])
        assertion = attrs.evolve(assertion_of(verbatim, document, place, said_at), seq=chunk.ordinal, start=span[0])
        found.setdefault(assertion.claim.id, assertion)
    return list(found.values()), missing


def continued(new: Assertion, known: Assertion | None) -> Assertion:
    """Return *new* as what the document has said since it was *known* to say so, unless it had ceased to."""
    if known is None or is_ceased(known.claim):
        return new
    claim = attrs.evolve(new.claim, valid_from=known.claim.valid_from, recorded_at=known.claim.recorded_at)
    return attrs.evolve(new, claim=claim, proof=attrs.evolve(new.proof, observed_at=known.proof.observed_at))


def slots_of(assertions: Iterable[Assertion], uri: str) -> dict[str, list[Assertion]]:
    """Return what the document at *uri* asserts, by slot."""
    by_slot: dict[str, list[Assertion]] = {}
    for one in assertions:
        by_slot.setdefault(curated_slot(one.claim, uri), []).append(one)
    return by_slot


def moved(one: Assertion, document: Document, chunk: Chunk, places: PlacesOfLines) -> Assertion:
    """Return what a document asserts, citing the version *document*, if *chunk* of it has the quoted words."""
    place = places.of_quote(chunk, one.proof.excerpt)
    if place is None:
        return one
    claim = attrs.evolve(one.claim, document_id=document.id)
    proof = citation(claim, one.proof.excerpt, DocumentLocator(uri=document.uri, place=place))
    return attrs.evolve(one, claim=claim, proof=attrs.evolve(proof, observed_at=one.proof.observed_at))


def is_verbatim(text: str, quote: str) -> bool:
    """Return whether the words of *text* stand in *quote*, its Markdown marks and letter case aside."""
    forms = (quote, plain(quote), plain(QUOTE_MARK.sub("", quote)))
    return any(normalize(text) in normalize(form) for form in forms)


def citation(claim: Claim, quote: str, locator: DocumentLocator) -> Proof:
    """Return the proof of *claim* by the words *quote* at *locator*."""
    source_ref, digested = str(locator), digest(quote)
    is_said = claim.authority is AuthorityClass.DOCUMENT_DERIVED
    return Proof(
        id=content_id("proof", claim.id, source_ref, digested),
        claim_id=claim.id,
        authority=claim.authority,
        verification=VerificationStatus.VERIFIED if is_said else VerificationStatus.UNVERIFIED,
        type=ProofType.CITATION,
        source_ref=source_ref,
        excerpt=quote,
        digest=digested,
        observed_at=claim.valid_from,
    )


def ceased(assertion: Assertion) -> Assertion:
    """Return *assertion* after its document ceased to say so."""
    claim = attrs.evolve(assertion.claim, status=ClaimStatus.STALE, status_reason=NO_LONGER_SAID)
    proof = attrs.evolve(assertion.proof, verification=VerificationStatus.SUPERSEDED)
    return attrs.evolve(assertion, claim=claim, proof=proof)


def is_ceased(claim: Claim) -> bool:
    """Return whether an assertion's *claim* is one that its document no longer makes."""
    return claim.status is ClaimStatus.STALE and claim.authority is not AuthorityClass.REPOSITORY_DERIVED


def cited(proofs: Iterable[Proof]) -> frozenset[str]:
    """Return the documents that *proofs* cite, whether or not they vouch."""
    return frozenset(map(source_of, proofs)) - {""}


def sources(proofs: Iterable[Proof]) -> frozenset[str]:
    """Return the documents that vouch for something."""
    return cited(proof for proof in proofs if proof.verification is VerificationStatus.VERIFIED)


def combined(confidences: Sequence[float]) -> float:
    """
    Return the confidence in what several independent sources say: one minus the chance that all of them are wrong.

    The noisy-or of Pearl, "Probabilistic Reasoning in Intelligent Systems" (1988), section 4.3.
    """
    doubt = 1.0
    for confidence in confidences:
        doubt *= 1.0 - confidence
    return round(min(MOST_CONFIDENT, 1.0 - doubt), 4)
