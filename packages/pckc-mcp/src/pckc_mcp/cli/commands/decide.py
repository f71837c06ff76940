"""``pckc pin|archive|reject|undo``: decide about a claim."""

import getpass
from argparse import Namespace

from pckc_domain.model.claim import Governance

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.forms import act_form, answer, decision_line
from pckc_mcp.opening import open_engine

DECISIONS = {"pin": Governance.PINNED, "archive": Governance.ARCHIVED, "reject": Governance.REJECTED}


def run(options: Namespace) -> int:
    """Record the decision and print it."""
    actor = options.actor or _user()
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        governor = engine.governor()
        if options.command == "undo":
            act = governor.undo(engine.scope, options.id, actor=actor)
        else:
            decision = DECISIONS[options.command]
            act = governor.decide(engine.scope, options.id, decision, actor=actor, reason=options.reason)
    if options.json:
        print_json(answer("decision", {}, act=act_form(act)))
    elif not options.quiet:
        print_text(decision_line(act))
    return 0


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
