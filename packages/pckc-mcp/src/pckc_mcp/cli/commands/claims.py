"""``pckc claims``: list claims, or the texts that did not become one."""

from argparse import Namespace
from datetime import datetime
from typing import Any

import attrs
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import Claim, ClaimStatus, Governance, Rejection
from pckc_domain.policy.rendering import inline, set_apart
from pckc_domain.policy.validity import holds
from pckc_domain.ports.canonical import UnitOfWork

from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.clock import SystemClock
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, answer, bare_claim_form, bounds_text, proof_form, rejection_form, slot_text
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.listing import walk_claims
from pckc_mcp.opening import open_engine
from pckc_mcp.requests import claim_types, statuses


def run(options: Namespace) -> int:
    """Print what was asked for."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        take_in_if_possible(engine)
        if options.rejected:
            form = answer("rejections", {}, results=_rejected(engine, options.limit))
        else:
            form = answer("claims", {}, results=_claims(engine, options))
    if options.json:
        print_json(form)
    else:
        print_text("\n".join(map(_line, form["results"])) or "none")
    return 0


def _rejected(engine: Engine, limit: int) -> list[Form]:
    with engine.canonical.reading(engine.scope) as work:
        return [rejection_form(item, time=time_of(work, item)) for item in work.rejections.find(limit=limit)]


def time_of(work: UnitOfWork, rejection: Rejection) -> datetime | None:
    """Return when the text that was refused was said."""
    events = work.sessions.events(rejection.session_id, after_seq=rejection.seq - 1, limit=1)
    return events[0].time if events else None


def _claims(engine: Engine, options: Namespace) -> list[Form]:
    listed = _listed(engine, options)
    with engine.canonical.reading(engine.scope) as work:
        proofs = work.proofs.of([item.claim.id for item in listed])
    return [
        {**bare_claim_form(item), "proofs": [proof_form(proof) for proof in proofs.get(item.claim.id, ())]}
        for item in listed
    ]


def _listed(engine: Engine, options: Namespace) -> list[StoredClaim]:
    where = ClaimFilter(
        types=claim_types(options.type),
        statuses=statuses(options.status),
        governance=frozenset() if options.all else frozenset({Governance.ACTIVE, Governance.PINNED}),
        is_standing=options.standing,
        is_said=None if options.facts else True,
    )
    with engine.canonical.reading(engine.scope) as work:
        found = list(walk_claims(work, where))
        if not options.facts and found:
            slots = frozenset(item.slot for item in found)
            found += walk_claims(work, attrs.evolve(where, is_said=False, slots=slots))
    if not options.all:  # what begins later is no belief yet, and what it will replace still is
        now = SystemClock().now()
        found = [item for item in found if holds(item.claim, now) and not _is_settled(item.claim)]
    ordered = sorted(found, key=lambda item: (item.claim.valid_from, item.claim.id), reverse=True)
    return ordered[: options.limit]


def _is_settled(claim: Claim) -> bool:
    """Return whether a claim is contested no more: another one has replaced it."""
    return claim.status is ClaimStatus.CONTESTED and bool(claim.superseded_by)


def _line(item: dict[str, Any]) -> str:
    if "rule" in item:
        said = f"\n{quoted(item['excerpt'], most=160)}" if item["excerpt"] else ""
        place = f"{item['time'] or 'no time'}  {item['session']} #{item['seq']}"
        return f"{item['rule']:24} {item['reason']}\n    {place}{said}"
    until = f" until {item['valid_to'][:10]}" if item["valid_to"] else ""
    decided = f" ({item['governance']})" if item["governance"] != Governance.ACTIVE else ""
    proofs = "".join(f"\n    {line}" for proof in item["proofs"] for line in proof_lines(proof))
    slot = slot_text(item)
    of_what = "" if slot else inline(bounds_text(item))
    words = quoted(item["text"], most=200) + (f"\n{quoted(slot, most=200, indent='    ')}" if slot else "")
    return (
        f"{item['id']}  {item['type']:12} {item['status']:10} {item['authority']:16}"
        f" {item['valid_from'][:10]}{until}{decided}{of_what}\n{words}{proofs}"
    )


def proof_lines(proof: Form) -> list[str]:
    """Return who vouches and where; the place of a document is a quoted line of its own."""
    own, foreign = set_apart([proof["source_ref"]])
    return [f"{proof['authority']}: {name}" for name in own] or [f"{proof['authority']}", *foreign]
