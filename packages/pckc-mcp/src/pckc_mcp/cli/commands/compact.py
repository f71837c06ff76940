"""``pckc compact``: give disk space of the store back."""

from argparse import Namespace

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.forms import answer
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Compact, and print the size before and after."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        before = engine.canonical.info()
        engine.canonical.compact()
        after = engine.canonical.info()
    freed = before.size_bytes - after.size_bytes
    if options.json:
        print_json(
            answer(
                "compact",
                {},
                location=after.location,
                bytes_before=before.size_bytes,
                bytes_after=after.size_bytes,
                freed=freed,
            )
        )
    elif not options.quiet:
        print_text(
            f"{after.location}: {before.size_bytes / 1e6:.2f} MB before, {after.size_bytes / 1e6:.2f} MB after,"
            f" {max(0, freed) / 1e6:.2f} MB given back"
        )
    return 0
