"""``pckc serve``: the MCP server on standard input and output."""

import gc
import logging
import sys
from argparse import Namespace
from pathlib import Path

from pckc_domain.errors import PckcError

from pckc_mcp.cli.output import note
from pckc_mcp.config import Config, load_config
from pckc_mcp.locations import find_root


def run(options: Namespace) -> int:
    """Serve the project until the host ends it."""
    gc.disable()  # the SDK builds its models while it is imported and leaves no garbage: looking for it costs 0.1 s
    from pckc_mcp.container import Container
    from pckc_mcp.server.memory import Memory
    from pckc_mcp.server.stdio import serve

    gc.freeze()
    gc.enable()
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.ERROR if options.quiet else logging.WARNING,
        format="pckc: %(levelname)s: %(message)s",
    )
    serve(Memory(Container(project=options.project, store=options.store)), _tool_set(options.project))


def _tool_set(project: Path) -> str:
    """Return the configured set. A faulty configuration must not keep the server from saying so in its answers."""
    try:
        return load_config(find_root(project)).tools
    except PckcError as error:
        note(f"pckc: {error.message}")
        return Config().tools
