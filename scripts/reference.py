"""Print docs/reference.md from the code: commands, options, settings, variables, tools."""

import argparse
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import attrs
from pckc_domain.model import bounds
from pckc_domain.plugin import GROUPS
from pckc_mcp.cli.main import EXIT_CODES
from pckc_mcp.cli.parser import build_parser
from pckc_mcp.config import ENVIRONMENT, TABLES
from pckc_mcp.server.tools import TOOL_SETS

TARGET = Path(__file__).parents[1] / "docs" / "reference.md"


def reference() -> str:
    """Return the whole page."""
    parts = ["# Reference", "Made from the code by `python scripts/reference.py --write`; a test compares the two."]
    parts += [*_commands(), *_settings(), *_variables(), *_limits(), *_tools()]
    return "\n\n".join(parts) + "\n"


def _commands() -> Iterator[str]:
    yield "## Commands"
    yield (
        "Every command takes `--json` (one object with `schema` and `coverage` on stdout; errors as"
        ' `{"error": {"code", "message", "remedy"}}` on stderr), `--quiet`, `--store PATH` and `--project DIR`,'
        " behind the command's name. `setup` and `uninstall` take no store, and their `--project` is a flag: for"
        " everyone in the project that the current folder lies in."
    )
    meanings: dict[int, list[str]] = {
        0: ["done"],
        1: ["a check found something; of several sources to ingest, or queries of a batch, some failed"],
        130: ["interrupted"],
    }
    for name, code in EXIT_CODES.items():
        meanings.setdefault(code, []).append(f"`{name}`")
    rows = (f"| {code} | {', '.join(names)} |" for code, names in sorted(meanings.items()))
    yield "| Exit code | Meaning |\n|---|---|\n" + "\n".join(rows)
    common = {"--json", "--quiet", "--store", "--project", "--help"}
    for action in build_parser()._subparsers._group_actions:  # type: ignore[union-attr]
        for name, command in (action.choices or {}).items():  # type: ignore[union-attr]  # a sub-parser action has choices
            yield f"### pckc {name}\n\n{command.description}"
            rows = [_option(option) for option in command._actions if not common & set(option.option_strings)]
            if rows:
                yield "| Option | Meaning |\n|---|---|\n" + "\n".join(rows)


def _option(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings) or (action.metavar or action.dest).upper()  # type: ignore[union-attr]
    values = " " + "\\|".join(map(str, action.choices)) if action.choices else ""
    return f"| `{names}`{values} | {(action.help or '').replace('%%', '%')} |"


def _settings() -> Iterator[str]:
    yield "## Settings"
    yield "In `pckc.toml`, or under `[tool.pckc]` in pyproject.toml; see `pckc.example.toml`."
    for slot, group in GROUPS.items():
        rows = []
        for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
            for field in attrs.fields(entry.load().settings):
                default = "" if field.default is attrs.NOTHING else f"`{field.default!r}`".replace("'", '"')
                rows.append(f"| `{entry.name}` | `{field.name}` | {default} |")
        yield f"### [{slot}]\n\n`backend` names an installed backend; the other keys are its own."
        if rows:
            yield "| Backend | Key | Default |\n|---|---|---|\n" + "\n".join(rows)
    for table, settings in TABLES.items():
        names = ", ".join(f"`{field.name}`" for field in attrs.fields(settings))
        yield f"### [{table}]\n\n{names}"


def _variables() -> Iterator[str]:
    yield "## Variables"
    yield "\n".join(f"- `{name}`: {meaning}" for name, meaning in ENVIRONMENT.items())


def _limits() -> Iterator[str]:
    yield "## Limits"
    yield (
        "What agents and people hand over is kept whole or refused; a longer text is a document:"
        " `pckc ingest FILE`, or `memory_ingest` with its text."
    )
    limits = {
        "a claim: its statement, its subject, attribute, value, path": bounds.MAX_CLAIM_CHARACTERS,
        "a claim that is code or a table, and the quote that vouches for a claim": bounds.MAX_EXHIBIT_CHARACTERS,
        "the id of a session, the title of a text to ingest": bounds.MAX_NAME_CHARACTERS,
        "the question of a gap": bounds.MAX_QUESTION_CHARACTERS,
        "the reason of a gap or a decision": bounds.MAX_REASON_CHARACTERS,
        "a trace": bounds.MAX_NOTE_CHARACTERS,
        "a query or a task; what stands behind is not looked at": bounds.MAX_QUERY_CHARACTERS,
    }
    rows = (f"| {what} | {most} |" for what, most in limits.items())
    yield "| Of | Most characters |\n|---|---|\n" + "\n".join(rows)


def _tools() -> Iterator[str]:
    yield "## MCP tools"
    for name, tools in TOOL_SETS.items():
        yield f"### {name}\n\n" + "\n".join(f"- `{tool.name}`: {tool.title}" for tool in tools)


if __name__ == "__main__":
    if "--write" in sys.argv:
        TARGET.write_text(reference(), encoding="utf-8")
    else:
        sys.stdout.write(reference())
