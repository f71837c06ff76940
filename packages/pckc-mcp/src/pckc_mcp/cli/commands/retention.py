"""``pckc retention``: say what has outlived its use, and erase it when told to."""

from argparse import Namespace

from pckc_mcp.cli.output import note, print_json, print_text
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.retaining import apply_retention, retention_report, retention_text


def run(options: Namespace) -> int:
    """Print the report; with ``--apply`` of what was erased."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        if options.apply:
            take_in_if_possible(engine)
        form = apply_retention(engine) if options.apply else retention_report(engine)
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text(retention_text(form))
        if form["total"]:
            note("pckc: `pckc compact` gives the space back" if options.apply else "pckc: --apply erases them")
    return 0
