"""``pckc sync``: as index, without embedding; an unchanged tree was answered before this is imported."""

from argparse import Namespace

from pckc_mcp.cli.commands.index import index


def run(options: Namespace) -> int:
    """Bring the index up to date and print what was done."""
    return index(options, embed=False)
