"""
What verdicts make of the claims they name.

A verdict stays as long as both its claims: it is weighed each time that one of them is settled, so that a claim is what
it would be without it as soon as the other is gone.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from pckc_domain.model.claim import Beliefs, Claim, ClaimStatus, Governance, Link, LinkKind
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import Proof
from pckc_domain.model.verdict import Verdict, VerdictKind
from pckc_domain.policy.curation import cited, combined, sources

SAYS_THE_SAME = "it says the same as {other}"
CONTRADICTED = "{other} says otherwise ({method})"

_LINKS = {
    VerdictKind.CORROBORATES: LinkKind.CONFIRMS,
    VerdictKind.CONTRADICTS: LinkKind.CONTRADICTS,
    VerdictKind.DUPLICATE: LinkKind.CONFIRMS,
}


@attrs.frozen(kw_only=True)
class Judged:
    """The other claim of a verdict, with its proofs."""

    claim: Claim
    proofs: tuple[Proof, ...] = ()


def stands(claim: Claim) -> bool:
    """Return whether *claim* bears on others: it holds, nobody rejected it, and its proof is there or was lent away."""
    is_lost = claim.status is ClaimStatus.STALE and not claim.superseded_by
    return claim.valid_to is None and claim.governance is not Governance.REJECTED and not is_lost


def with_verdicts(beliefs: Beliefs, verdicts: Sequence[Verdict], others: Mapping[str, Judged]) -> Beliefs:
    """
    Return *beliefs* of one slot after *verdicts*.

    A duplicate is stale and lends its proofs to the claim it repeats; contradicting claims are both contested; what
    another document says too is verified, and more certain. Only the corroborated claim is: what corroborates it may
    say more than that, which nothing proves.

    Args:
        beliefs: What the slot's assertions amount to.
        verdicts: Those that name a claim of the slot, on either side.
        others: The claims that they name and that are stored, by id.
    """
    claims, proofs, links = [], list(beliefs.proofs), list(beliefs.links)
    for claim in beliefs.claims:
        mine = [one for one in verdicts if claim.id in (one.claim_id, one.other_id)]
        standing = [one for one in mine if (other := others.get(_other(one, claim))) and stands(other.claim)]
        if not standing or not stands(claim):
            claims.append(claim)
            continue
        lent = [
            _lent(proof, claim.id)
            for one in standing
            if one.kind is VerdictKind.DUPLICATE and one.other_id == claim.id
            for proof in others[one.claim_id].proofs
        ]
        known = {proof.source_ref for proof in beliefs.proofs if proof.claim_id == claim.id}
        proofs += {proof.id: proof for proof in lent if proof.source_ref not in known}.values()
        claims.append(_judged(claim, [one for one in proofs if one.claim_id == claim.id], standing, others))
        links += [_link(one) for one in standing if one.claim_id == claim.id and one.kind in _LINKS]
    return Beliefs(claims=tuple(claims), proofs=tuple(proofs), links=tuple(_distinct(links)))


def _other(verdict: Verdict, claim: Claim) -> str:
    return verdict.other_id if verdict.claim_id == claim.id else verdict.claim_id


def _judged(claim: Claim, proofs: Sequence[Proof], verdicts: Sequence[Verdict], others: Mapping[str, Judged]) -> Claim:
    repeats = [one for one in verdicts if one.kind is VerdictKind.DUPLICATE and one.claim_id == claim.id]
    if repeats:
        other = repeats[0].other_id
        reason = SAYS_THE_SAME.format(other=other)
        return attrs.evolve(claim, status=ClaimStatus.STALE, status_reason=reason, superseded_by=other)
    contradictions = [one for one in verdicts if one.kind is VerdictKind.CONTRADICTS]
    if contradictions:
        first = contradictions[0]
        reason = CONTRADICTED.format(other=_other(first, claim), method=first.method)
        return attrs.evolve(claim, status=ClaimStatus.CONTESTED, status_reason=reason)
    return _confirmed(claim, proofs, verdicts, others)


def _confirmed(
    claim: Claim, proofs: Sequence[Proof], verdicts: Sequence[Verdict], others: Mapping[str, Judged]
) -> Claim:
    """Return a candidate that other documents confirm as verified, with the confidence that all of them give."""
    own = cited(proofs)
    if claim.status is not ClaimStatus.CANDIDATE or not own:
        return claim
    confidences = dict.fromkeys(own, claim.confidence)
    vouching = set(sources(proofs))
    for one in verdicts:
        if one.kind in (VerdictKind.CORROBORATES, VerdictKind.DUPLICATE) and one.other_id == claim.id:
            other = others[one.claim_id]
            for uri in sources(other.proofs):
                confidences[uri] = max(confidences.get(uri, 0.0), other.claim.confidence)
                vouching.add(uri)
    if not vouching or len(confidences) < 2:
        return claim
    confidence = combined([confidences[uri] for uri in sorted(confidences)])
    return attrs.evolve(claim, status=ClaimStatus.VERIFIED, status_reason="", confidence=confidence)


def _lent(proof: Proof, claim_id: str) -> Proof:
    return attrs.evolve(proof, id=content_id("proof", claim_id, proof.source_ref, proof.digest), claim_id=claim_id)


def _link(verdict: Verdict) -> Link:
    return Link(
        source_id=verdict.claim_id,
        target_id=verdict.other_id,
        kind=_LINKS[verdict.kind],
        confidence=1.0 if verdict.similarity is None else round(max(0.0, min(1.0, verdict.similarity)), 4),
        source_rule=f"verdict.{verdict.method}",
    )


def _distinct(links: Iterable[Link]) -> list[Link]:
    by_key = {(link.source_id, link.target_id, link.kind): link for link in links}
    return [by_key[key] for key in sorted(by_key)]
