"""``pckc init``: create the store of a project and say where it is."""

from argparse import Namespace
from pathlib import Path

from pckc_domain.errors import InvalidInputError

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.config import TOOL_SETS
from pckc_mcp.forms import answer
from pckc_mcp.locations import CONFIG_NAME
from pckc_mcp.opening import open_engine
from pckc_mcp.system_errors import remedy_of

TEMPLATE = f"""\
# PCKC's configuration; every key is optional. `pckc doctor` shows what is in force.

# tools = "core"              # MCP tool set: {", ".join(TOOL_SETS)}

[canonical]
# backend = "sqlite"
# path = "…"                  # default: one file per project under the XDG data directory

[embedder]
# backend = "auto"            # auto, none, or the name of an installed one

[source]
# max_file_bytes = 1048576
# ignore = ["docs/generated/"]

[search]
# embedder_wait_seconds = 0.6 # how long a query waits for the embedder
"""


def run(options: Namespace) -> int:
    """Create the store, and ``pckc.toml`` when asked to."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        written = _write_config(engine.root) if options.config else None
        info = engine.canonical.info()
        form = answer(
            "init",
            {},
            project=engine.scope.project,
            root=str(engine.root),
            store=info.location,
            backend=info.backend,
            config=str(written) if written else None,
        )
        if options.json:
            print_json(form)
        elif not options.quiet:
            config = f"\n  config   {written}" if written else ""
            print_text(
                f"PCKC is ready for {engine.root}\n  project  {engine.scope.project}\n"
                f"  store    {info.location}{config}\nNext: pckc index"
            )
    return 0


def _write_config(root: Path) -> Path:
    file = root / CONFIG_NAME
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(TEMPLATE)
    except FileExistsError as error:
        raise InvalidInputError(f"{file} exists already", remedy="edit it, or run init without --config") from error
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error
    return file
