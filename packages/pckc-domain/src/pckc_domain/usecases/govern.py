"""What people decide about claims: pin, archive, reject, undo; the history is append-only."""

from collections.abc import Sequence

from pckc_domain.errors import ConflictError, InvalidInputError, NotFoundError
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.bounds import MAX_REASON_CHARACTERS, check_length
from pckc_domain.model.claim import Governance, GovernanceAct
from pckc_domain.model.scope import Scope
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.usecases.settling import settle

UNDO = "undo"


class Governor:
    """Records decisions about claims and settles their slots anew."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def decide(
        self, scope: Scope, claim_id: str, decision: Governance, *, actor: str, reason: str = ""
    ) -> GovernanceAct:
        """
        Record that *actor* decided so about a claim. What is decided already is not recorded again: the act that is
        returned then has the same state before and after.

        Raises:
            NotFoundError: The claim is not stored and was never decided about.
            InvalidInputError: *reason* is the word that marks an undo in the history, or too long.
        """
        check_length("the reason", reason, MAX_REASON_CHARACTERS, remedy="say in short why")
        if reason.strip().casefold() == UNDO:
            raise InvalidInputError("the reason “undo” marks what was taken back", remedy="use undo, or say why")
        return self._record(scope, claim_id, decision, actor=actor, reason=reason)

    def _record(self, scope: Scope, claim_id: str, decision: Governance, *, actor: str, reason: str) -> GovernanceAct:
        with self._canonical.writing(scope) as work:
            acts = work.governance.of([claim_id])
            slots = _slots_of(work, claim_id)
            if not slots and not acts:
                raise NotFoundError(
                    f"no claim has the id {claim_id}", remedy="give an id that a search or a list of claims shows"
                )
            act = GovernanceAct(
                claim_id=claim_id,
                at=self._clock.now(),
                before=acts[-1].after if acts else Governance.ACTIVE,
                after=decision,
                actor=actor,
                reason=redact(reason).text,
            )
            if act.before is decision and reason != UNDO:
                return act
            work.governance.append(act)
            settle(work, slots)
        return act

    def undo(self, scope: Scope, claim_id: str, *, actor: str) -> GovernanceAct:
        """
        Take back the last decision about a claim that was not taken back yet.

        Raises:
            ConflictError: There is nothing to take back.
        """
        with self._canonical.reading(scope) as work:
            standing = _standing(work.governance.of([claim_id]))
        if not standing:
            raise ConflictError(f"nothing was decided about {claim_id} that could be undone")
        return self._record(scope, claim_id, standing[-1].before, actor=actor, reason=UNDO)

    def history(self, scope: Scope, claim_id: str) -> Sequence[GovernanceAct]:
        """Return every decision about a claim, oldest first."""
        with self._canonical.reading(scope) as work:
            return work.governance.of([claim_id])


def _standing(acts: Sequence[GovernanceAct]) -> list[GovernanceAct]:
    """Return the acts that no later undo took back."""
    standing: list[GovernanceAct] = []
    for act in acts:
        if act.reason == UNDO and standing:
            standing.pop()
        else:
            standing.append(act)
    return standing


def _slots_of(work: UnitOfWork, claim_id: str) -> list[str]:
    """Return the slots to settle: the claim's, and that of its assertion when a decision hides the claim itself."""
    found: Sequence[StoredClaim] = work.claims.get([claim_id])
    return [stored.slot for stored in found]
