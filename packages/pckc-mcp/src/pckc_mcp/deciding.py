"""Decide about a claim, and say what is believed again because of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pckc_domain.model.claim import Governance
from pckc_domain.policy.rendering import quote

from pckc_mcp.forms import Form, act_form, answer, decision_line, unplaced_claim_form

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine

DECISIONS = {"pin": Governance.PINNED, "archive": Governance.ARCHIVED, "reject": Governance.REJECTED}
UNDO = "undo"
SHOWN_CHARACTERS = 200


def decide(engine: "Engine", claim_id: str, decision: str, *, actor: str, reason: str = "") -> tuple[Form, str]:
    """
    Record that *actor* decided so about a claim, one of `DECISIONS` or `UNDO`; return the form of it and its text.

    Raises:
        NotFoundError: The claim is not stored and was never decided about.
        ConflictError: There is nothing to undo.
        InvalidInputError: The reason is too long, or the word that marks an undo.
    """
    from pckc_domain.usecases.returning import returned, unsound_claims

    governor = engine.governor()
    with engine.canonical.reading(engine.scope) as work:
        unsound = unsound_claims(work)
    if decision == UNDO:
        act = governor.undo(engine.scope, claim_id, actor=actor)
    else:
        act = governor.decide(engine.scope, claim_id, DECISIONS[decision], actor=actor, reason=reason)
    with engine.canonical.reading(engine.scope) as work:
        again = [unplaced_claim_form(claim) for claim in returned(work, unsound)]
    form = answer("decision", {}, act=act_form(act), holds_again=again)
    return form, "\n".join([decision_line(act), *again_lines(again)])


def again_lines(claims: Sequence[Form]) -> list[str]:
    """Return what is believed again, now that what had replaced it or put it in doubt is gone, as text."""
    if not claims:
        return []
    lines = ["1 claim holds again because of it:" if len(claims) == 1 else f"{len(claims)} claims hold again:"]
    for claim in claims:
        lines += [f"{claim['id']}  {claim['type']}", quote(claim["text"][:SHOWN_CHARACTERS])]
    return lines
