"""``pckc migrate``: copy a store into another one, whatever engines they run on."""

from argparse import Namespace
from contextlib import ExitStack

from pckc_domain.errors import InvalidInputError
from pckc_domain.usecases.migrate import Migrator

from pckc_mcp.cli.copied import report_copied
from pckc_mcp.cli.output import progress_bar
from pckc_mcp.opening import open_engine
from pckc_mcp.stores import open_store


def run(options: Namespace) -> int:
    """Copy and print what is there now."""
    with ExitStack() as stack:
        if options.from_ and not options.this_project:
            source = stack.enter_context(open_store(options.from_))
            scopes = source.scopes()
        else:
            engine = stack.enter_context(open_engine(options.project, store=options.store, with_semantic=False))
            source = stack.enter_context(open_store(options.from_)) if options.from_ else engine.canonical
            scopes = [engine.scope] if options.this_project else source.scopes()
        target = stack.enter_context(open_store(options.to))
        if source.info().location == target.info().location:
            raise InvalidInputError("the store would be copied onto itself", remedy="name another one with --to")
        progress = stack.enter_context(progress_bar(quiet=options.quiet))
        copied = Migrator(source, target).run(scopes, is_merging=options.merge, progress=progress)
        info = target.info()
    report_copied("migrate", copied, f"{info.backend}, {info.location}", options)
    return 0
