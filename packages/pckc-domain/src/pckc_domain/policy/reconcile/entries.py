"""Claims in the making: from the first assertion to the belief with its status and proofs."""

from datetime import datetime

import attrs

from pckc_domain.model.claim import Assertion, Claim, ClaimStatus, Governance, GovernanceAct
from pckc_domain.model.fact import Place
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import AuthorityClass, Proof, VerificationStatus
from pckc_domain.policy.belief_gate import DURABLE, UNCONFIRMED
from pckc_domain.policy.curation import ONE_SOURCE, UNSUPPORTED, combined, is_ceased, source_of, sources
from pckc_domain.policy.green_runs import GREEN
from pckc_domain.policy.slots import is_fact, place_of
from pckc_domain.policy.strength import STRENGTH, strength
from pckc_domain.policy.subjects import value_key

OPPOSED = "said by a model against what holds"
CONTESTED = "another claim of no lower standing says otherwise"

LET_BE = "another claim lets some of it be:"


@attrs.define
class Entry:
    """
    A claim in the making.

    It has its first assertion's claim, the proofs of all, the newest repository fact that says so, and those who stand
    against it; *doubted_by* is the claim of another slot that allows some of what it forbids. *said_strength* is that
    of sessions alone. It was *said_in* a session or document; *confidences* has that of each document that says so,
    and *ceased* why no document does any more.
    """

    claim: Claim
    proofs: list[Proof]
    authority: AuthorityClass
    strength: int
    said_strength: int
    said_at: datetime
    said_in: str
    value: str
    place: Place | None
    fact: Claim | None = None
    opponents: list["Entry"] = attrs.field(factory=list, repr=False)
    supporters: list["Entry"] = attrs.field(factory=list, repr=False)
    doubted_by: Claim | None = None
    is_closed: bool = False
    confidences: dict[str, float] = attrs.field(factory=dict)
    ceased: str = ""

    @property
    def is_contested(self) -> bool:
        """Whether it is open, and so is one that stands against it."""
        return not self.is_closed and (bool(self.doubted_by) or any(not one.is_closed for one in self.opponents))

    @property
    def is_held(self) -> bool:
        """Whether the repository says so now: nothing but the repository itself ends that."""
        return self.fact is not None and self.fact.valid_to is None and not self.is_gone

    @property
    def is_gone(self) -> bool:
        """Whether the repository said so last and is silent now."""
        return self.fact is not None and self.fact.status is ClaimStatus.STALE


def entry_of(assertion: Assertion, act: GovernanceAct | None, met: Place | None) -> Entry:
    """
    Return the entry that *assertion* alone makes.

    Args:
        assertion: With the authority that the belief gate gave it.
        act: The last governance of its claim.
        met: The place whose repository facts a session's claim speaks of; see `meeting.place_met`.
    """
    claim = _of_a_moment(assertion.claim) if assertion.claim.attribute == GREEN else assertion.claim
    governance = act.after if act else Governance.ACTIVE
    return Entry(
        claim=claim if claim.governance is governance else attrs.evolve(claim, governance=governance),
        proofs=[assertion.proof],
        authority=claim.authority,
        strength=strength(claim.authority, claim.type),
        said_strength=0 if is_fact(claim) else strength(claim.authority, claim.type),
        said_at=assertion.proof.observed_at,
        said_in=claim.session_id or source_of(assertion.proof),
        value=value_key(claim.value),
        place=place_of(claim) if is_fact(claim) else met,
        fact=claim if is_fact(claim) else None,
        confidences={source_of(assertion.proof): claim.confidence},
        ceased=claim.status_reason if is_ceased(claim) and not is_fact(claim) else "",
        is_closed=claim.attribute == GREEN,
    )


def _of_a_moment(claim: Claim) -> Claim:
    """Return the *claim* of what a run saw: the next change may break a test."""
    return attrs.evolve(claim, valid_to=claim.valid_from)


def confirm(entry: Entry, new: Entry) -> None:
    """Add to *entry* the proofs of a restatement, and its strength; the first claim stays."""
    known = {proof.source_ref for proof in entry.proofs}
    entry.proofs += [proof for proof in new.proofs if proof.source_ref not in known]
    entry.strength = max(entry.strength, new.strength)
    entry.said_strength = max(entry.said_strength, new.said_strength)
    entry.fact, entry.place = new.fact or entry.fact, entry.place or new.place
    entry.confidences = new.confidences | entry.confidences
    entry.ceased = entry.ceased and new.ceased
    entry.doubted_by = None  # who says a rule again means it as it is said
    if entry.claim.governance is Governance.ACTIVE:
        entry.claim = attrs.evolve(entry.claim, governance=new.claim.governance)


def believed(entry: Entry) -> Claim:
    """Return the claim of *entry* with the status that its proofs and opponents give it."""
    claim = entry.claim
    if claim.authority not in DURABLE:
        return claim
    strongest = max(
        (proof.authority for proof in entry.proofs if proof.authority in DURABLE), key=lambda one: STRENGTH[one]
    )
    status, reason = ClaimStatus.VERIFIED, ""
    if strongest is AuthorityClass.DOCUMENT_DERIVED:
        return _as_documents_say(entry)
    if entry.is_gone and entry.fact and not entry.is_closed:
        status, reason = ClaimStatus.STALE, entry.fact.status_reason
    elif entry.is_contested:
        status, reason = ClaimStatus.CONTESTED, _let_be(entry.doubted_by) if entry.doubted_by else CONTESTED
    if (claim.authority, claim.status, claim.status_reason) == (strongest, status, reason):
        return claim
    return attrs.evolve(claim, authority=strongest, status=status, status_reason=reason)


def _let_be(revocation: Claim) -> str:
    """Return why a rule is in doubt: where only rules are told, nothing else says for what it does not hold."""
    return " ".join(filter(None, (LET_BE, revocation.subject, "/", revocation.attribute, revocation.condition)))


def _as_documents_say(entry: Entry) -> Claim:
    """Return the claim of an entry that only documents vouch for."""
    said_by = sources(entry.proofs)
    status, reason, confidence = ClaimStatus.CANDIDATE, ONE_SOURCE, entry.claim.confidence
    if entry.ceased and not entry.is_closed:
        status, reason = ClaimStatus.STALE, entry.ceased
    elif entry.is_contested:
        status, reason = ClaimStatus.CONTESTED, CONTESTED
    elif len(said_by) > 1:
        status, reason = ClaimStatus.VERIFIED, ""
        confidence = combined([entry.confidences[uri] for uri in sorted(said_by)])
    return attrs.evolve(entry.claim, status=status, status_reason=reason, confidence=confidence)


def as_candidate(entry: Entry, *, is_opposed: bool, superseded_by: str) -> Claim:
    """Return the claim of an *entry* that nobody may rely on."""
    return attrs.evolve(
        entry.claim,
        status=ClaimStatus.STALE if entry.ceased else ClaimStatus.CANDIDATE,
        status_reason=entry.ceased or _why_candidate(entry.claim, is_opposed=is_opposed),
        superseded_by=superseded_by,
    )


def _why_candidate(claim: Claim, *, is_opposed: bool) -> str:
    if is_opposed:
        return OPPOSED
    return UNCONFIRMED if claim.session_id else UNSUPPORTED


def own_proofs(entry: Entry) -> tuple[Proof, ...]:
    """Return the proofs of *entry*, and those that the repository lends it by a range of versions."""
    lent = (proof for supporter in entry.supporters if supporter.is_held for proof in supporter.proofs)
    return tuple(_own_proof(entry.claim.id, proof) for proof in (*entry.proofs, *lent))


def _own_proof(claim_id: str, proof: Proof) -> Proof:
    """Return *proof* as one of the claim; a model's word is no verified one."""
    verification = proof.verification if proof.authority in DURABLE else VerificationStatus.UNVERIFIED
    if (proof.claim_id, proof.verification) == (claim_id, verification):
        return proof
    return attrs.evolve(
        proof,
        id=content_id("proof", claim_id, proof.source_ref, proof.digest),
        claim_id=claim_id,
        verification=verification,
    )
