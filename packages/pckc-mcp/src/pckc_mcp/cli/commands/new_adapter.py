"""``pckc new-adapter``: write the skeleton of an adapter package."""

from argparse import Namespace

from pckc_mcp.cli.output import print_text
from pckc_mcp.scaffold import write_adapter


def run(options: Namespace) -> int:
    """Write the package and say what comes next."""
    files = write_adapter(options.slot, options.name, options.into)
    module = f"pckc_adapters_{options.name}"
    print_text("\n".join(str(file) for file in files))
    print_text(
        f"""
Next:
  1. In pyproject.toml add "{module}" to the lists of [tool.importlinter] and of [tool.mypy], and
     "pckc-adapters-{options.name}" to [tool.uv.sources] and to the dev group.
  2. uv lock && make test
  3. Write the methods; remove the skip mark in tests/test_contract.py, and the contract tells what is missing.
  4. Choose it in pckc.toml: [{options.slot}] backend = "{options.name}\""""
    )
    return 0
