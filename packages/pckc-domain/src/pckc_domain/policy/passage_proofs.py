"""A passage is a statement whose proof is its own locator."""

from pckc_domain.model.identity import content_id
from pckc_domain.model.passage import StoredPassage
from pckc_domain.model.proof import (
    AuthorityClass,
    DocumentLocator,
    Locator,
    Proof,
    ProofType,
    RepositoryLocator,
    VerificationStatus,
)


def passage_locator(stored: StoredPassage) -> Locator:
    """Return where the passage stands: at lines of a file, or at a place of a document that was ingested."""
    if stored.passage.place:
        return DocumentLocator(uri=stored.document.uri, place=stored.passage.place)
    return lines_of(stored)


def lines_of(stored: StoredPassage) -> RepositoryLocator:
    """Return the lines of its file that the passage was cut from."""
    return RepositoryLocator(
        path=stored.document.uri,
        blob_hash=stored.document.blob_hash,
        start_line=stored.passage.start_line,
        end_line=stored.passage.end_line,
    )


def passage_proof(stored: StoredPassage) -> Proof:
    """Return the proof of a passage: verified, since the text was read there."""
    source_ref = str(passage_locator(stored))
    is_citation = bool(stored.passage.place)
    return Proof(
        id=content_id("prf", stored.passage.id, source_ref, stored.passage.digest),
        claim_id=stored.passage.id,
        authority=AuthorityClass.DOCUMENT_DERIVED if is_citation else AuthorityClass.REPOSITORY_DERIVED,
        verification=VerificationStatus.SUPERSEDED if stored.document.is_stale else VerificationStatus.VERIFIED,
        type=ProofType.CITATION if is_citation else ProofType.REPOSITORY,
        source_ref=source_ref,
        excerpt=stored.passage.text,
        digest=stored.passage.digest,
        observed_at=stored.document.indexed_at,
    )
