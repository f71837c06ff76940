"""The commands and their options."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pckc_domain.errors import InvalidInputError

COMMANDS = {
    "init": "prepare a project: create its store and say where it is",
    "index": "index the work tree, with embeddings when an embedder is installed",
    "sync": "bring the index up to date; returns at once when nothing changed",
    "search": "search passages",
    "context": "compile the proven context of a task within a token budget",
    "why": "explain a passage: where it comes from, and whether it is still there",
    "verify": "follow proofs and say which are live, moved, changed or gone",
    "stats": "count what the store holds",
    "doctor": "check the installation, the configuration and the store",
    "serve": "run the MCP server on standard input and output",
    "new-adapter": "write the skeleton of an adapter package",
}

INTENTS = (
    "bug_fix", "test_failure", "refactor", "feature_implementation", "architecture_review", "code_explanation",
    "repository_onboarding", "workflow_question", "documentation", "trivial_edit", "unknown",
)  # fmt: skip
LAYERS = ("passages", "chunk", "paragraph", "proposition", "summary", "all")


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that ``--json`` callers get an error object."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInputError(message, remedy=f"see `{self.prog} --help`")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="pckc", description="Proof-carrying memory and knowledge for coding agents.")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    added = {name: commands.add_parser(name, help=text, description=text) for name, text in COMMANDS.items()}
    for name, command in added.items():
        if name != "new-adapter":
            _add_common(command)
    _add_index_options(added["index"])
    _add_index_options(added["sync"])
    _add_search_options(added["search"])
    _add_context_options(added["context"])
    added["init"].add_argument("--config", action="store_true", help="also write a commented pckc.toml")
    added["why"].add_argument("id", help="id of a passage, as search prints it")
    added["verify"].add_argument("ids", nargs="*", metavar="ID", help="passages to verify; none means all")
    added["verify"].add_argument("--path", action="append", default=[], help="verify what stands under this path")
    added["doctor"].add_argument("--check", action="store_true", help="also run the store's integrity check")
    added["new-adapter"].add_argument("slot", help="port to adapt, such as vector or embedder")
    added["new-adapter"].add_argument("name", help="short name of the adapter, such as faiss")
    added["new-adapter"].add_argument("--into", type=Path, default=Path("packages"), help="folder of the packages")
    return parser


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--quiet", action="store_true", help="no progress, no notes")
    command.add_argument(
        "--store", type=Path, default=_environment_path("PCKC_STORE"), help="path of the embedded store"
    )
    command.add_argument(
        "--project", type=Path, default=_environment_path("PCKC_PROJECT") or Path(), help="folder of the project"
    )


def _environment_path(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value) if value else None


def _add_index_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--from-scratch", action="store_true", help="read every file again")
    command.add_argument("--no-embed", action="store_true", help="leave embedding for later")


def _add_search_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("query", nargs="?", default="", help="any text")
    command.add_argument("--layer", choices=LAYERS, action="append", help="what to search (default: passages)")
    command.add_argument("--type", action="append", default=[], help="keep propositions of this type")
    command.add_argument("--intent", choices=INTENTS, default="unknown", help="what you are about to do")
    command.add_argument("--path", action="append", default=[], help="keep what stands under this path")
    command.add_argument("--limit", type=int, default=10, help="most results (default: 10)")
    command.add_argument("--batch", type=Path, metavar="FILE", help="answer one JSON query a line, in order")
    _add_semantic(command)


def _add_context_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("task", help="what you want to do, in your words")
    command.add_argument("--intent", choices=INTENTS, default="unknown", help="what you are about to do")
    command.add_argument("--budget", type=int, default=6000, help="tokens (default: 6000)")
    command.add_argument("--file", action="append", default=[], help="a file the task is about")
    command.add_argument("--symbol", action="append", default=[], help="a symbol the task is about")
    command.add_argument("--layer", choices=LAYERS[1:5], action="append", default=[], help="override the layers")
    command.add_argument("--type", action="append", default=[], help="override the proposition types")
    _add_semantic(command)


def _add_semantic(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--semantic",
        choices=("auto", "always", "never"),
        default="auto",
        help="use embeddings: auto means in batches only, since loading the model takes about a second",
    )


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether the raw *arguments* ask for JSON, also when they cannot be parsed."""
    return "--json" in arguments
