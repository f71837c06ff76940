"""``pckc restore`` and ``pckc import-archive``: fill a store from a file that backup or export wrote."""

from argparse import Namespace

from pckc_mcp.cli.copied import report_copied
from pckc_mcp.cli.output import progress_bar
from pckc_mcp.opening import open_engine
from pckc_mcp.stores import check_file, read_archive


def run(options: Namespace) -> int:
    """Read the archive and say what is there now."""
    check_file(options.file)  # before a store is made for it
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        with progress_bar(quiet=options.quiet) as progress:
            copied = read_archive(engine.canonical, options.file, is_merging=options.merge, progress=progress)
        info, here = engine.canonical.info(), engine.scope
    report_copied(options.command, copied, f"{info.backend}, {info.location}", options, here=here)
    return 0
