"""Errors reach the command line, MCP, REST and library users alike: a remedy is true for each of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pckc_domain

SOURCES = Path(pckc_domain.__file__).parent
COMMAND = re.compile(r"`pckc [a-z-]+")
TOOL = re.compile(r"\b(?:mem|memory|knowledge|session|context|inspect)_[a-z_]+")

COMMAND_ALONE = "`pckc doctor --check`"
"""What no tool does."""


def told() -> Iterator[tuple[str, str]]:
    """Yield every text of the domain that is no docstring, with its place."""
    for file in sorted(SOURCES.rglob("*.py")):
        if "testing" in file.relative_to(SOURCES).parts:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
                yield f"{file.relative_to(SOURCES)}:{node.lineno}", node.value


def test_whoever_is_told_a_command_is_told_the_tool_too() -> None:
    one_sided = [
        f"{place}: {text}"
        for place, text in told()
        if COMMAND.search(text.replace(COMMAND_ALONE, "")) and not TOOL.search(text)
    ]
    assert one_sided == []


def test_the_texts_are_found() -> None:
    assert any("ingest a longer text" in text for _, text in told())
