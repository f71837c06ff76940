"""``pckc why``: what a claim or passage rests on, and whether it still does."""

from argparse import Namespace
from typing import Any

from pckc_domain.policy.rendering import inline, set_apart

from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.explaining import explain
from pckc_mcp.forms import bounds_text, passage_place, slot_text
from pckc_mcp.inferring import why_text
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Explain one claim or passage."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        form = explain(engine, options.id)
    if options.json:
        print_json(form)
    else:
        print_text(_TEXTS.get(form["kind"], _passage_text)(form))
    return 0


def _claim_text(form: dict[str, Any]) -> str:
    until = f" until {form['valid_to']}" if form["valid_to"] else ", still holds"
    reason = f" ({inline(form['status_reason'])})" if form["status_reason"] else ""
    lines = [
        f"{form['id']}: {form['type']}, {form['status']}{reason}{bounds_text(form)}",
        quoted(form["text"]),
        *(["slot", quoted(slot, indent=" " * 10)] if (slot := slot_text(form)) else ["slot      none"]),
        f"holds     from {form['valid_from']}{until}; known since {form['recorded_at']}",
        f"authority {form['authority']}, confidence {form['confidence']:.2f}, {form['governance']}",
    ]
    checks = {check["proof"]: check for check in form["checks"]}
    for proof in form["proofs"]:
        now = checks.get(proof["id"])
        lines += _placed("proof     ", proof["source_ref"], f" ({proof['authority']}, {proof['observed_at']})")
        lines.append(quoted(proof["excerpt"], most=200, indent=" " * 10))
        if now:
            lines.append(f"          now {now['liveness']}: {now['reason']}")
    for link in form["links"]:
        other = link["target"] if link["source"] == form["id"] else link["source"]
        lines += [f"{link['kind']:12}{other} ({link['rule']})", quoted(link["text"], most=120)]
    lines += [f"decision  {act['at']} {act['actor']}: {act['after']} {act['reason']}" for act in form["decisions"]]
    return "\n".join(lines)


def _passage_text(form: dict[str, Any]) -> str:
    kind = f"{form['kind']} ({form['type']}, confidence {form['confidence']:.2f})" if "type" in form else form["kind"]
    revision = form["source_revision"] or "an unversioned tree"
    place, foreign = passage_place(form)
    return "\n".join(
        [
            f"{form['id']}: {kind}",
            quoted(form["text"], lines=12),
            f"from     {place} ({form['source']})",
            *foreign,
            f"seen on  {form['branch'] or 'no branch'} ({form['branch_scope']}), {revision}, {form['indexed_at']}",
            *_placed("proof    ", form["proof"]["source_ref"]),
            f"now      {form['check']['liveness']}: {form['check']['reason']}",
        ]
    )


def _evidence_text(form: dict[str, Any]) -> str:
    lines = [
        f"{form['id']}: evidence ({inline(form['speaker'] or form['type'])}, {form['time'] or 'no time'})",
        quoted(form["text"], lines=12),
        f"from     {inline(form['host'])} session {inline(form['session_title'] or form['session'])}",
        f"proof    {form['source_ref']}",
    ]
    for event in form["around"]:
        lines += [f"around   {event['seq']} {event['type']}:", quoted(event["text"], most=120)]
    return "\n".join(lines)


def _symbol_text(form: dict[str, Any]) -> str:
    lines = [
        f"{inline(form['id'])}: {form['type']} {inline(form['qualified_name'])}",
        quoted(form["text"], lines=12),
        f"stands   {inline(form['path'])}:{form['start_line']}-{form['end_line']}",
    ]
    for edge in form["incoming"]:
        lines.append(f"from     {inline(edge['source'])} {edge['kind']} it, line {edge['line']} [{edge['evidence']}]")
    for edge in form["outgoing"]:
        lines.append(f"to       it {edge['kind']} {inline(edge['target'])}, line {edge['line']} [{edge['evidence']}]")
    lines += [f"perhaps  {inline(call['name'])} at {inline(call['caller'])}" for call in form["open_calls"]]
    if form["proof"]:
        lines += _placed("proof    ", form["proof"]["source_ref"])
        lines += [f"now      {form['check']['liveness']}: {form['check']['reason']}"]
    return "\n".join(lines)


def _placed(head: str, source_ref: str, about: str = "") -> list[str]:
    own, foreign = set_apart([source_ref])
    return [f"{head}{''.join(own) or 'cited'}{about}", *foreign]


_TEXTS = {"inferred_edge": why_text, "claim": _claim_text, "evidence": _evidence_text, "symbol": _symbol_text}
