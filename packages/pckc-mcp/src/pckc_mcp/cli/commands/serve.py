"""``pckc serve``: the MCP server on standard input and output, or with ``--http`` for several clients at once."""

import gc
from argparse import Namespace
from pathlib import Path

from pckc_domain.errors import InvalidInputError, PckcError

from pckc_mcp.cli.output import note
from pckc_mcp.config import Config, load_config
from pckc_mcp.locations import find_root
from pckc_mcp.loggers import configure_logging


def run(options: Namespace) -> int:
    """Serve the project until the host ends it."""
    configure_logging(is_quiet=options.quiet)
    if options.http:
        _serve_http(options)
    if options.host is not None or options.port is not None:
        raise InvalidInputError(
            "--host and --port are for --http alone", remedy="run `pckc serve --http`, or leave them out"
        )
    gc.disable()  # the SDK builds its models while it is imported and leaves no garbage: looking for it costs 0.1 s
    from pckc_mcp.server.memory import Memory
    from pckc_mcp.server.stdio import serve

    gc.freeze()
    gc.enable()
    serve(Memory(options.project, store=options.store), _tool_set(options.project))


def _serve_http(options: Namespace) -> None:
    config = load_config(find_root(options.project))  # who may ask is in it: a faulty one must not be served
    from pckc_mcp.server.http.serving import configured, serve_http
    from pckc_mcp.server.memory import Memory

    def open_memory(tenant: str) -> Memory:
        return Memory(options.project, store=options.store, tenant=tenant)

    def say(text: str) -> None:
        if not options.quiet:
            note(f"pckc: {text}")

    serve_http(configured(config, host=options.host, port=options.port), open_memory, say=say)


def _tool_set(project: Path) -> str:
    """Return the configured set. A faulty configuration must not keep the server from saying so in its answers."""
    try:
        return load_config(find_root(project)).tools
    except PckcError as error:
        note(f"pckc: {error.message}")
        return Config().tools
