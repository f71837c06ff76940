"""``pckc report``: what the repository is made of, as a page in Markdown."""

from argparse import Namespace

from pckc_mcp.cli.commands.graph import run as ask
from pckc_mcp.cli.parser import build_parser


def run(options: Namespace) -> int:
    """Answer as ``pckc graph report`` does."""
    asked = build_parser().parse_args(["graph", "report"])
    return ask(Namespace(**{**vars(asked), **vars(options), "question": "report"}))
