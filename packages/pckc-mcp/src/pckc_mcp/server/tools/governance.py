"""``memory_govern``: what a person decides about a claim."""

from pckc_mcp.deciding import decide
from pckc_mcp.server.arguments import Decision, Identity, Reason
from pckc_mcp.server.declaration import DECIDES, Declaration, Reply
from pckc_mcp.server.memory import Memory

ACTOR = "mcp"


def memory_govern(memory: Memory, id: Identity, decision: Decision, reason: Reason = "") -> Reply:
    """
    Record what the user decided about a claim: pin (nothing closes it), archive (hide it), reject (it is wrong), undo
    (take back the last decision). Only when the user asks for it. The history keeps every decision.
    """
    form, text = decide(memory.engine, id, decision, actor=ACTOR, reason=reason)
    return Reply(text=text, form=form)


MEMORY_GOVERN = Declaration(memory_govern, "Pin, archive or reject a claim", DECIDES)
