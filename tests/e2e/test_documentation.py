"""Nothing can be used that is not documented: commands, options, variables, settings and tools."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_mcp.cli.parser import COMMANDS, build_parser
from pckc_mcp.config import ENVIRONMENT, SLOTS, TOOL_SETS
from pckc_mcp.server.tools import TOOL_SETS as TOOLS

from .program import Program

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "packages" / "pckc-mcp" / "README.md"]
EXAMPLE = ROOT / "pckc.example.toml"


def documents() -> str:
    """Return all that users are told."""
    return "\n".join(file.read_text(encoding="utf-8") for file in DOCUMENTS if file.exists())


def subparsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    (action,) = [
        action
        for action in build_parser()._actions  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(action.choices)


def options() -> Iterator[tuple[str, str]]:
    """Yield every command with every long option of it."""
    for name, parser in subparsers().items():
        for action in parser._actions:
            yield from ((name, option) for option in action.option_strings if option.startswith("--"))


OPTIONS = sorted({option for _, option in options()} - {"--help"})
TOOL_NAMES = sorted({declaration.name for tools in TOOLS.values() for declaration in tools})


class TestHelp:
    def test_every_command_is_listed(self, indexed: Program) -> None:
        assert subparsers().keys() == COMMANDS.keys()
        text = indexed("--help").stdout
        listed = {line.split()[0] for line in text.splitlines() if line.startswith("    ") and line.strip()}
        assert listed >= COMMANDS.keys()

    def test_every_command_helps(self, indexed: Program) -> None:
        names = sorted(COMMANDS)
        answers = indexed.together([[name, "--help"] for name in names])
        for name, answer in zip(names, answers, strict=True):
            assert answer.stdout.startswith(f"usage: pckc {name}")
            for command, option in options():
                assert command != name or option in answer.stdout

    def test_every_option_says_what_it_does(self) -> None:
        for name, parser in subparsers().items():
            silent = [action.dest for action in parser._actions if not action.help]
            assert not silent, (name, silent)

    def test_json_is_everywhere(self) -> None:
        without = {name for name in COMMANDS if (name, "--json") not in set(options())}
        assert without <= {"new-adapter"}


class TestDocuments:
    @pytest.mark.parametrize("name", sorted(COMMANDS))
    def test_command(self, name: str) -> None:
        assert f"pckc {name}" in documents()

    @pytest.mark.parametrize("option", OPTIONS)
    def test_option(self, option: str) -> None:
        assert option in documents()

    @pytest.mark.parametrize("variable", sorted(ENVIRONMENT))
    def test_variable(self, variable: str) -> None:
        assert variable in documents()

    @pytest.mark.parametrize("slot", SLOTS)
    def test_setting(self, slot: str) -> None:
        assert f"[{slot}]" in EXAMPLE.read_text(encoding="utf-8")

    @pytest.mark.parametrize("tool", TOOL_NAMES)
    def test_tool(self, tool: str) -> None:
        assert tool in documents()

    @pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 130])
    def test_exit_code(self, code: int) -> None:
        assert f"| {code} |" in documents()


def test_no_variable_is_named_like_a_secret() -> None:
    """Hosts hide such variables from the programs they start."""
    for variable in ENVIRONMENT:
        assert not any(word in variable for word in ("KEY", "TOKEN", "SECRET", "PASSWORD"))


def test_tool_sets_are_those_that_can_be_configured() -> None:
    assert set(TOOLS) == set(TOOL_SETS)
