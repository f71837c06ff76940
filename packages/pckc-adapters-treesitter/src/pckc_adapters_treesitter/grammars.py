"""The languages: in which wheel a grammar is, and the query that reads its trees."""

from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files

import attrs
from tree_sitter import Language, Query


@attrs.frozen
class Grammar:
    """
    A language that the installed wheels can parse.

    Attributes:
        language: What tree-sitter parses with.
        query_name: Its file under ``queries``, without the suffix.
    """

    language: Language
    query_name: str

    @cached_property
    def query(self) -> Query:
        """
        Its patterns.

        ``@definition.KIND`` marks a definition, ``@name`` its name and ``@scope`` the type it belongs to when that
        does not stand around it; ``@lead`` marks an attribute that belongs to the definition right behind it.
        """
        path = files(__package__) / "queries" / f"{self.query_name}.scm"
        return Query(self.language, path.read_text(encoding="utf-8"))


_WHEELS = {
    "c": "tree_sitter_c",
    "cpp": "tree_sitter_cpp",
    "csharp": "tree_sitter_c_sharp",
    "elixir": "tree_sitter_elixir",
    "go": "tree_sitter_go",
    "java": "tree_sitter_java",
    "javascript": "tree_sitter_javascript",
    "julia": "tree_sitter_julia",
    "kotlin": "tree_sitter_kotlin",
    "lua": "tree_sitter_lua",
    "php": "tree_sitter_php:language_php",
    "python": "tree_sitter_python",
    "ruby": "tree_sitter_ruby",
    "rust": "tree_sitter_rust",
    "scala": "tree_sitter_scala",
    "swift": "tree_sitter_swift",
    "tsx": "tree_sitter_typescript:language_tsx",
    "typescript": "tree_sitter_typescript:language_typescript",
    "zig": "tree_sitter_zig",
}
"""Language → module, and its function when that is not ``language``."""

_SHARED_QUERIES = {"tsx": "typescript"}


@cache
def grammars() -> dict[str, Grammar]:
    """Return the grammars by language; one whose wheel is missing, or made for another tree-sitter, is left out."""
    found = {}
    for name, wheel in _WHEELS.items():
        module, _, function = wheel.partition(":")
        try:
            pointer = getattr(import_module(module), function or "language")()
            found[name] = Grammar(Language(pointer), _SHARED_QUERIES.get(name, name))
        except (ImportError, ValueError):
            continue
    return found
