"""One module per command, imported when it is called."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from importlib import import_module

from pckc_mcp.cli.parser import COMMANDS as NAMES

MODULES = {
    "export": "backup",
    "import": "import_",
    "import-archive": "restore",
    "new-adapter": "new_adapter",
    "uninstall": "setup",
    "why-not": "why_not",
} | dict.fromkeys(("pin", "archive", "reject", "undo"), "decide")
"""Commands whose module is not named like them."""


def _command(name: str) -> Callable[[Namespace], int]:
    def run(options: Namespace) -> int:
        module = import_module(f"pckc_mcp.cli.commands.{MODULES.get(name, name)}")
        code: int = module.run(options)
        return code

    return run


COMMANDS: Mapping[str, Callable[[Namespace], int]] = {name: _command(name) for name in NAMES}
"""Command name to the function that runs it and returns the exit code."""
