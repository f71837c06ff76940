"""``pckc history``: how the value of a claim's slot changed, and what people decided about it."""

from argparse import Namespace

from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter

from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.forms import act_form, answer, bare_claim_form, bounds_text
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Print the history of one claim's slot, oldest first."""
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        engine.canonical.reading(engine.scope) as work,
    ):
        found = work.claims.get([options.id])
        if not found:
            raise NotFoundError(f"no claim has the id {options.id}", remedy="`pckc claims` lists them")
        slot = work.claims.find(where=ClaimFilter(slots=frozenset({found[0].slot})), limit=1000)
        acts = work.governance.of([item.claim.id for item in slot])
    ordered = sorted(slot, key=lambda item: (item.claim.valid_from, item.claim.id))
    form = answer(
        "history",
        {},
        subject=found[0].claim.subject,
        attribute=found[0].claim.attribute,
        claims=[bare_claim_form(item) for item in ordered],
        governance=[act_form(act) for act in acts],
    )
    if options.json:
        print_json(form)
        return 0
    lines = [quoted(f"{form['subject'] or 'no subject'} / {form['attribute'] or 'no attribute'}", indent="")]
    for item in form["claims"]:
        until = (item["valid_to"] or "now")[:16]
        lines.append(f"{item['valid_from'][:16]} to {until:16} {item['status']:10} {item['id']}{bounds_text(item)}")
        lines.append(quoted(item["text"]))
    for act in form["governance"]:
        lines.append(f"{act['at'][:16]} {act['actor']}: {act['before']} -> {act['after']} {act['reason']}")
    print_text("\n".join(lines))
    return 0
