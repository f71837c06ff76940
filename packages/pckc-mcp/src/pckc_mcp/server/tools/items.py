"""``memory_get`` and ``memory_get_batch``: everything that is stored of what a search found."""

from collections.abc import Sequence
from typing import Any

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote, set_apart

from pckc_mcp.explaining import explain
from pckc_mcp.forms import bounds_text, passage_place
from pckc_mcp.inferring import why_text
from pckc_mcp.server.arguments import Identities, Identity
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory

MOST_IDS = 20


def memory_get(memory: Memory, id: Identity) -> Reply:
    """
    Show everything stored of one claim, passage or piece of evidence: full text, proofs and whether they still hold,
    history, conflicts, decisions; of evidence also what was said around it.
    """
    form = explain(memory.engine, id, is_noted=False)
    return Reply(text=_quoted([form]), form=form)


def memory_get_batch(memory: Memory, ids: Identities) -> Reply:
    """Show everything stored of several claims, passages or pieces of evidence, up to 20, in the order asked for."""
    if not 0 < len(ids) <= MOST_IDS:
        raise InvalidInputError(f"ask for 1 to {MOST_IDS} ids, not {len(ids)}")
    found, missing = _explained(memory, ids)
    form = {"schema": {"name": "pckc.items", "version": 1}, "coverage": {}, "items": found, "missing": missing}
    text = _quoted(found) if found else "None of these ids is stored."
    if found and missing:
        text += f"\nNot stored: {inline(', '.join(missing))}"
    return Reply(text=text, form=form)


def _explained(memory: Memory, ids: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    found, missing = [], []
    for identity in dict.fromkeys(ids):
        try:
            found.append(explain(memory.engine, identity, is_noted=False))
        except NotFoundError:
            missing.append(identity)
    return found, missing


def _quoted(forms: Sequence[dict[str, Any]]) -> str:
    return "\n".join([OPENING, NOTICE, *map(_text, forms), CLOSING])


def _text(form: dict[str, Any]) -> str:
    match form["kind"]:
        case "claim":
            lines = _claim_lines(form)
        case "evidence":
            lines = _evidence_lines(form)
        case "inferred_edge":
            lines = [inline(line) for line in why_text(form).splitlines()]
        case kind:
            place, foreign = passage_place(form)
            lines = [f"{form['id']} {kind} {place}", *foreign, quote(form["text"])]
            check = form["check"]
            lines += _proof_lines(form["proof"]["source_ref"], f": {check['liveness']}, {inline(check['reason'])}")
    return "\n".join(lines)


def _claim_lines(form: dict[str, Any]) -> list[str]:
    until = f" until {form['valid_to']}" if form["valid_to"] else ""
    reason = f" ({inline(form['status_reason'])})" if form["status_reason"] else ""
    lines = [
        f"{form['id']} {form['type']}, {form['status']}{reason}{inline(bounds_text(form))}, {form['governance']},"
        f" {form['authority']}, holds from {form['valid_from']}{until}, known since {form['recorded_at']}",
        quote(form["text"]),
    ]
    now = {check["proof"]: f" now {check['liveness']}: {inline(check['reason'])}" for check in form["checks"]}
    for proof in form["proofs"]:
        lines += _proof_lines(proof["source_ref"], f" ({proof['authority']}){now.get(proof['id'], '')}")
        lines.append(quote(proof["excerpt"][:400]))
    for link in form["links"]:
        source = "it" if link["source"] == form["id"] else link["source"]
        target = "it" if link["target"] == form["id"] else link["target"]
        lines += [f"{source} {link['kind']} {target}", quote(link["text"])]
    for other in form["history"]:
        lines += [
            f"same topic: {other['id']} {other['status']}, until {other['valid_to'] or 'now'}",
            quote(other["text"]),
        ]
    lines += [f"decided {act['at']}: {act['before']} -> {act['after']}" for act in form["decisions"]]
    return lines


def _proof_lines(source_ref: str, about: str) -> list[str]:
    own, foreign = set_apart([source_ref])
    return [f"proof {''.join(own) or 'cited'}{about}", *foreign]


def _evidence_lines(form: dict[str, Any]) -> list[str]:
    lines = [
        f"{form['id']} evidence of session {inline(form['session'])} ({inline(form['host'])}), {form['type']},"
        f" {form['time'] or 'no time'}; {inline(form['source_ref'])}",
        quote(form["text"]),
    ]
    for event in form["around"]:
        lines += [f"around it, {event['seq']} {event['type']}:", quote(event["text"])]
    return lines


MEMORY_GET = Declaration(memory_get, "Show one item of the memory")
MEMORY_GET_BATCH = Declaration(memory_get_batch, "Show several items of the memory")
