"""``pckc pin|archive|reject|undo``: decide about a claim."""

import getpass
from argparse import Namespace

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.deciding import UNDO, decide
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Record the decision and print it."""
    actor = options.actor or _user()
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        reason = "" if options.command == UNDO else options.reason
        form, text = decide(engine, options.id, options.command, actor=actor, reason=reason)
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text(text)
    return 0


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
