"""Follow citations: does the document, as it was read last, still say so, and where?"""

import attrs

from pckc_domain.model.passage import Chunk, Layer, layer_of
from pckc_domain.model.proof import DocumentLocator, Liveness, Proof, ProofCheck
from pckc_domain.policy.source_lines import PlacesOfLines, find_quote
from pckc_domain.ports.canonical import UnitOfWork


def follow_citation(work: UnitOfWork, proof: Proof, locator: DocumentLocator) -> ProofCheck:
    """
    Return what following *proof*, whose locator is *locator*, finds.

    The document is looked up as it was read last; ingesting it again reads it anew.
    """
    fresh = [document for document in work.documents.at(locator.uri) if not document.is_stale]
    if not fresh:
        return _checked(proof, Liveness.GONE, "the document is no longer stored")
    passages = [stored.passage for stored in work.passages.of_documents([fresh[0].id])]
    read = f"as it was read on {fresh[0].indexed_at:%Y-%m-%d}"
    holding = [one for one in passages if layer_of(one) is Layer.PARAGRAPH and find_quote(one.text, proof.excerpt)]
    if any(one.place == locator.place for one in holding):
        return _checked(proof, Liveness.LIVE, f"the document says so there, {read}")
    places = PlacesOfLines(passages)
    for chunk in passages:
        if isinstance(chunk, Chunk) and (place := places.of_quote(chunk, proof.excerpt)):
            if place == locator.place:
                return _checked(proof, Liveness.LIVE, f"the document says so there, {read}")
            moved = attrs.evolve(locator, place=place)
            return _checked(proof, Liveness.MOVED, f"the document says so at {place}, {read}", source_ref=str(moved))
    return _checked(proof, Liveness.CHANGED, f"the document no longer has these words, {read}")


def _checked(proof: Proof, liveness: Liveness, reason: str, *, source_ref: str = "") -> ProofCheck:
    return ProofCheck(proof=proof, liveness=liveness, source_ref=source_ref or proof.source_ref, reason=reason)
