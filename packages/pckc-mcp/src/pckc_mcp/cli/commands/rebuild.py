"""``pckc rebuild --vectors``: make the vector index anew from the store."""

from argparse import Namespace

from pckc_domain.errors import ConfigurationError
from pckc_domain.model.recall import IndexCoverage

from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.engine import open_engine
from pckc_mcp.forms import answer


def run(options: Namespace) -> int:
    """Rebuild and print the number of vectors."""
    with open_engine(options.project, store=options.store) as engine, progress_bar(quiet=options.quiet) as progress:
        projector = engine.projector()
        if projector is None or engine.semantic is None:
            raise ConfigurationError(engine.why_no_embedder, remedy="install the extra pckc-mcp[embedded]")
        projector.rebuild(engine.scope, progress=progress)
        vectors = engine.semantic.vectors.count(engine.scope, partitions=frozenset())
        model = engine.semantic.embedder.space.model
    if options.json:
        print_json(answer("rebuild", {"vectors": IndexCoverage(indexed=vectors, total=vectors)}, embedder=model))
    elif not options.quiet:
        print_text(f"{vectors} vectors of {model}")
    return 0
