"""Settle slots: what their assertions amount to, with what people decided and what was left elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Assertion, Beliefs, Governance, GovernanceAct
from pckc_domain.model.fact import Place
from pckc_domain.policy.bug_attributes import BUG
from pckc_domain.policy.changes import IN_USE, USES, Leaving, is_of_bug, leavings, things_left, version_told
from pckc_domain.policy.green_runs import FAILED, GREEN
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.revocations import is_revocation
from pckc_domain.policy.slots import ending_slots, topic_slot
from pckc_domain.policy.subjects import VERSION, named_version
from pckc_domain.policy.verdicts import Judged, with_verdicts
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.usecases.meeting import Gathered, gather, slots_using
from pckc_domain.usecases.session_graph import keep_slots

PAGE = 200
"""Claims of one emptied slot that are looked through at most."""

MAX_RULES = 10_000
"""Standing rules that a revocation may end."""


def settle(work: UnitOfWork, slots: Iterable[str]) -> None:
    """
    Settle *slots* again from their assertions and what people decided about their claims.

    Where a thing's use is settled, so are the slots that speak of that thing; where a green run of tests is, so are
    failures, and where a fix is, bugs that it may mean; where a revocation is, standing rules; where a session speaks
    of what the repository sets, the two are settled together.
    """
    asked = frozenset(slots)
    has_verdicts = bool(work.verdicts.find(limit=1))  # most stores have none, and every import settles
    if has_verdicts:
        asked |= _slots_judged(work, asked)
    by_slot = work.assertions.of_slots(sorted(asked))
    gathered = gather(work, asked | _slots_ended(work, by_slot, asked), by_slot)
    beliefs = beliefs_of(work, gathered)
    settled: Mapping[str, Beliefs] = {slot: beliefs.get(slot, Beliefs()) for slot in sorted(gathered.slots)}
    if has_verdicts:
        settled = _after_verdicts(work, settled)
    work.claims.settle(settled)
    keep_slots(work, settled)
    work.facts.join(gathered.joined)


def beliefs_of(work: UnitOfWork, gathered: Gathered, *, known_at: datetime | None = None) -> Mapping[str, Beliefs]:
    """Return what these assertions amount to, by slot; as far as it was known at an instant, the rejected left out."""
    by_slot, met = gathered.by_slot, gathered.met
    ending = {
        slot: frozenset().union(*(ending_slots(one.claim) for one in assertions))
        for slot, assertions in by_slot.items()
    }
    all_ending = frozenset().union(*ending.values())
    others = work.assertions.of_slots(sorted(all_ending - by_slot.keys()))
    known = {
        slot: [one for one in all_ if known_at is None or one.claim.recorded_at <= known_at]
        for slot, all_ in (*by_slot.items(), *others.items())
    }
    acts: dict[str, list[GovernanceAct]] = {}
    for act in work.governance.of([one.claim.id for assertions in known.values() for one in assertions]):
        if known_at is None or act.at <= known_at:
            acts.setdefault(act.claim_id, []).append(act)
    left = {slot: tuple(leavings(_beliefs(known.get(slot, ()), acts))) for slot in all_ending}
    return {
        slot: _beliefs(
            known[slot], acts, [one for other in ending[slot] for one in left[other]], met, is_whole=known_at is None
        )
        for slot in by_slot
    }


def _slots_judged(work: UnitOfWork, slots: frozenset[str]) -> frozenset[str]:
    """Return the slots of the claims that verdicts compare with claims of *slots*: they change with these."""
    if not slots:
        return frozenset()
    claims = work.claims.find(where=ClaimFilter(slots=slots), limit=len(slots) * PAGE)
    asserted = [one.claim.id for of in work.assertions.of_slots(sorted(slots)).values() for one in of]
    verdicts = work.verdicts.of({*asserted, *(stored.claim.id for stored in claims)})
    others = sorted({claim_id for one in verdicts for claim_id in (one.claim_id, one.other_id) if claim_id})
    return frozenset(stored.slot for stored in work.claims.get(others)) if others else frozenset()


def _after_verdicts(work: UnitOfWork, settled: Mapping[str, Beliefs]) -> Mapping[str, Beliefs]:
    """Return *settled* with what verdicts say of its claims beside each other and beside those stored elsewhere."""
    own = {
        claim.id: Judged(claim=claim, proofs=tuple(proof for proof in beliefs.proofs if proof.claim_id == claim.id))
        for beliefs in settled.values()
        for claim in beliefs.claims
    }
    verdicts = work.verdicts.of(own.keys())
    if not verdicts:
        return settled
    named = {claim_id for one in verdicts for claim_id in (one.claim_id, one.other_id)}
    found = work.claims.get(sorted(named - own.keys() - {""}))
    elsewhere = [stored for stored in found if stored.slot not in settled]  # what its slot holds no more is going
    proofs = work.proofs.of([stored.claim.id for stored in elsewhere])
    others = own | {
        stored.claim.id: Judged(claim=stored.claim, proofs=tuple(proofs.get(stored.claim.id, ())))
        for stored in elsewhere
    }
    return {slot: with_verdicts(beliefs, verdicts, others) for slot, beliefs in settled.items()}


def _slots_ended(work: UnitOfWork, by_slot: Mapping[str, Sequence[Assertion]], slots: frozenset[str]) -> frozenset[str]:
    """Return the other slots that these may end claims of, or might until their last assertion went."""
    said = [one.claim for assertions in by_slot.values() for one in assertions]
    if emptied := slots - by_slot.keys():
        said += [
            stored.claim for stored in work.claims.find(where=ClaimFilter(slots=emptied), limit=len(emptied) * PAGE)
        ]
    things = frozenset(claim.subject for claim in said if claim.attribute == IN_USE)
    ended = work.assertions.slots_naming(things, [f"{USES}{thing}" for thing in things]) if things else frozenset()
    ended |= {topic_slot(name, VERSION) for name, _ in map(named_version, things) if name}
    if kinds := frozenset(claim.subject for claim in said if any(things_left(claim))):
        ended |= work.assertions.slots_naming((), kinds)
    if told := frozenset(filter(None, (version_told(claim)[0] for claim in said))):
        ended |= slots_using(work, told) | {topic_slot(name, VERSION) for name in told}
    if runs := frozenset(topic_slot(claim.subject, GREEN) for claim in said if claim.attribute == GREEN):
        ended |= _slots_ending_with(work, runs, work.assertions.slots_naming({FAILED}, ()) - slots)
    if fixes := frozenset(topic_slot(claim.subject, BUG) for claim in said if is_of_bug(claim)):
        ended |= _slots_ending_with(work, fixes, work.assertions.slots_naming((), {BUG}) - slots)
    if revoked := frozenset(topic_slot(claim.subject, claim.attribute) for claim in said if is_revocation(claim)):
        rules = work.claims.find(where=ClaimFilter(is_standing=True), limit=MAX_RULES)
        ended |= _slots_ending_with(work, revoked, frozenset(stored.slot for stored in rules) - slots)
    return ended - slots


def _slots_ending_with(work: UnitOfWork, ends: frozenset[str], slots: frozenset[str]) -> frozenset[str]:
    """Return those of *slots* of which a claim may end with what the slots *ends* say."""
    found = work.assertions.of_slots(sorted(slots))
    return frozenset(slot for slot, of in found.items() if any(ending_slots(one.claim) & ends for one in of))


def _beliefs(
    assertions: Sequence[Assertion],
    acts: Mapping[str, Sequence[GovernanceAct]],
    left: Sequence[Leaving] = (),
    met: Mapping[str, Place] | None = None,
    *,
    is_whole: bool = True,
) -> Beliefs:
    """Return what the assertions of one slot amount to, with the *acts* on each claim; *is_whole* with the rejected."""
    decided = [act for claim_id in {one.claim.id for one in assertions} for act in acts.get(claim_id, ())]
    beliefs = settle_slot(assertions, decided, left, met=met)
    if not is_whole:
        return beliefs
    return _with_rejected(beliefs, assertions, decided) if decided else beliefs


def _with_rejected(beliefs: Beliefs, assertions: Sequence[Assertion], acts: Sequence[GovernanceAct]) -> Beliefs:
    """Keep rejected claims beside what is believed: they prove nothing any more, but can be explained and undone."""
    decided = {act.claim_id: act.after for act in sorted(acts, key=lambda act: act.at)}
    believed = {claim.id for claim in beliefs.claims}
    rejected = {
        assertion.claim.id: assertion
        for assertion in assertions
        if decided.get(assertion.claim.id) is Governance.REJECTED and assertion.claim.id not in believed
    }
    return attrs.evolve(
        beliefs,
        claims=(
            *beliefs.claims,
            *(attrs.evolve(one.claim, governance=Governance.REJECTED) for one in rejected.values()),
        ),
        proofs=(*beliefs.proofs, *(one.proof for one in rejected.values())),
    )
