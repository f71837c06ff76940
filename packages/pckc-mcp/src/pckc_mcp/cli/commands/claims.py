"""``pckc claims``: list claims, or the texts that did not become one."""

from argparse import Namespace
from typing import Any

from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import Governance

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import answer, bare_claim_form, rejection_form
from pckc_mcp.requests import claim_types, statuses

PAGE = 500


def run(options: Namespace) -> int:
    """Print what was asked for."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        if options.rejected:
            with engine.canonical.reading(engine.scope) as work:
                rejections = work.assertions.rejections(limit=options.limit)
            form = answer("rejections", {}, results=[rejection_form(item) for item in rejections])
        else:
            form = answer("claims", {}, results=[bare_claim_form(item) for item in _listed(engine, options)])
    if options.json:
        print_json(form)
    else:
        print_text("\n".join(map(_line, form["results"])) or "none")
    return 0


def _listed(engine: Engine, options: Namespace) -> list[StoredClaim]:
    where = ClaimFilter(
        types=claim_types(options.type),
        statuses=statuses(options.status),
        governance=frozenset() if options.all else frozenset({Governance.ACTIVE, Governance.PINNED}),
        is_open=None if options.all else True,
        is_standing=options.standing,
    )
    found: list[StoredClaim] = []
    with engine.canonical.reading(engine.scope) as work:
        while page := work.claims.find(where=where, after=found[-1].claim.id if found else "", limit=PAGE):
            found += page
    ordered = sorted(found, key=lambda item: (item.claim.valid_from, item.claim.id), reverse=True)
    return ordered[: options.limit]


def _line(item: dict[str, Any]) -> str:
    if "rule" in item:
        return f"{item['rule']:24} {item['reason']}\n  > {item['excerpt'][:160]}"
    until = f" until {item['valid_to'][:10]}" if item["valid_to"] else ""
    decided = f" ({item['governance']})" if item["governance"] != Governance.ACTIVE else ""
    slot = f"  {item['subject']} / {item['attribute']} = {item['value']}" if item["subject"] else ""
    return (
        f"{item['id']}  {item['type']:12} {item['status']:10} {item['authority']:16}"
        f" {item['valid_from'][:10]}{until}{decided}{slot}\n  > {item['text'][:200]}"
    )
