"""``pckc infer``: what rules conclude from the edges of a graph, and from which."""

from argparse import Namespace

from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.inferring import infer, infer_text
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Bring the graph up to date, apply the rules and print what follows."""
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        if options.graph == "repository" and engine.config.graph.enabled and not options.no_sync:
            from pckc_mcp.graph.freshness import freshen

            freshen(engine, progress)
        form = infer(engine, options.graph, limit=options.limit, is_dry=options.dry_run)
    if options.json:
        print_json(form)
    else:
        print_text(infer_text(form, shown=options.limit))
    return 0
