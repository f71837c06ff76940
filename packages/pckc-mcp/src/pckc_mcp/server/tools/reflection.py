"""``reflect_and_write``: what an agent wants remembered, as far as its evidence goes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.reflection import Outcome, Reflected, Reflection
from pckc_domain.policy.rendering import quote

from pckc_mcp.requests import reflection
from pckc_mcp.server.arguments import Items, SessionOfEvidence
from pckc_mcp.server.declaration import WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine

MOST_ITEMS = 50


def reflect_and_write(memory: Memory, items: Items, session_id: SessionOfEvidence = "") -> Reply:
    """
    Remember decisions, facts, constraints, tasks, bugs and fixes of your work, one statement an item.

    Your own word makes a candidate, which expires. Name evidence, and it becomes belief when that evidence says so:
    the user's words (quote, event_ids), tool output (event_ids), lines of a file (path, start_line, end_line), a
    passed test (event_ids). Give subject, attribute and value, so that a later change finds what it replaces. Leave
    out guesses and secrets. The answer says of each item what became of it and why.
    """
    if not 0 < len(items) <= MOST_ITEMS:
        raise InvalidInputError(f"give 1 to {MOST_ITEMS} items, not {len(items)}")
    results = _written(memory.engine, [_read(item) for item in items], session_id)
    form = {
        "schema": {"name": "pckc.reflection", "version": 1},
        "coverage": {},
        **{outcome.value: [form for form in results if form["outcome"] == outcome] for outcome in Outcome},
    }
    return Reply(text="\n".join(map(_line, results)), form=form)


def _read(item: Mapping[str, Any]) -> Reflection | Reflected:
    """Return the item, or why it is none."""
    try:
        return reflection(item)
    except InvalidInputError as error:
        reason = f"{error.message}; {error.remedy}" if error.remedy else error.message
        return Reflected(text="", outcome=Outcome.REJECTED, reason=reason)


def _written(engine: "Engine", items: Sequence[Reflection | Reflected], session_id: str) -> list[dict[str, Any]]:
    wanted = [item for item in items if isinstance(item, Reflection)]
    branch = engine.checkout.branch
    written = iter(engine.reflector().write(engine.scope, wanted, session_id=session_id, branch=branch))
    reflected = [next(written) if isinstance(item, Reflection) else item for item in items]
    return [_form(number, one) for number, one in enumerate(reflected)]


def _form(number: int, one: Reflected) -> dict[str, Any]:
    return {
        "item": number,
        "outcome": str(one.outcome),
        "reason": one.reason,
        "id": one.claim_id,
        "authority": str(one.authority or ""),
        "source_ref": one.source_ref,
        "text": one.text,
    }


def _line(form: dict[str, Any]) -> str:
    reason = quote(" ".join(form["reason"].split())[:300])
    return f"item {form['item']}: {form['outcome']}{' ' + form['id'] if form['id'] else ''} {reason}"


REFLECT_AND_WRITE = Declaration(reflect_and_write, "Remember what was learned", WRITES)
