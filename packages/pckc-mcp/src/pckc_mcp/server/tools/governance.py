"""``memory_govern``: what a person decides about a claim."""

from pckc_domain.model.claim import Governance

from pckc_mcp.forms import act_form, decision_line
from pckc_mcp.server.arguments import Decision, Identity, Reason
from pckc_mcp.server.declaration import DECIDES, Declaration, Reply
from pckc_mcp.server.memory import Memory

ACTOR = "mcp"
DECISIONS = {"pin": Governance.PINNED, "archive": Governance.ARCHIVED, "reject": Governance.REJECTED}


def memory_govern(memory: Memory, id: Identity, decision: Decision, reason: Reason = "") -> Reply:
    """
    Record what the user decided about a claim: pin (nothing closes it), archive (hide it), reject (it is wrong), undo
    (take back the last decision). Only when the user asks for it. The history keeps every decision.
    """
    engine = memory.engine
    governor = engine.governor()
    if decision == "undo":
        act = governor.undo(engine.scope, id, actor=ACTOR)
    else:
        act = governor.decide(engine.scope, id, DECISIONS[decision], actor=ACTOR, reason=reason)
    form = {"schema": {"name": "pckc.decision", "version": 1}, "coverage": {}, "act": act_form(act)}
    return Reply(text=decision_line(act), form=form)


MEMORY_GOVERN = Declaration(memory_govern, "Pin, archive or reject a claim", DECIDES)
