"""The languages: in which wheel a grammar is, and the query that reads its trees."""

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec

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


class Grammars(Mapping[str, Grammar]):
    """The grammars whose wheels are installed, by language; each is loaded when it is first asked for."""

    def __init__(self) -> None:
        self._wheels = {name: wheel for name, wheel in _WHEELS.items() if find_spec(wheel.partition(":")[0])}
        self._loaded: dict[str, Grammar] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield the languages."""
        return iter(self._wheels)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._wheels)

    def __getitem__(self, language: str) -> Grammar:
        """
        Return a grammar.

        Raises:
            KeyError: Its wheel is missing, or made for another tree-sitter.
        """
        if language not in self._loaded:
            module, _, function = self._wheels[language].partition(":")
            try:
                pointer = getattr(import_module(module), function or "language")()
                grammar = Grammar(Language(pointer), _SHARED_QUERIES.get(language, language))
            except (ImportError, ValueError) as error:
                raise KeyError(language) from error
            self._loaded[language] = grammar
        return self._loaded[language]


@cache
def grammars() -> Grammars:
    """Return the grammars that are installed."""
    return Grammars()
