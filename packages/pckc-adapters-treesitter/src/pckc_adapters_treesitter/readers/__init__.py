"""
The readers: one module per language, each with a function from a syntax tree to the facts of its file.

`source`, `comments` and `recorder` are what they share.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from pckc_domain.model.linking import FileFacts

from pckc_adapters_treesitter.readers.source import Source

Reader = Callable[[Source], FileFacts]

READERS = {
    "c": "cpp:c_facts",
    "cpp": "cpp:cpp_facts",
    "csharp": "csharp:csharp_facts",
    "elixir": "elixir:elixir_facts",
    "go": "go:go_facts",
    "java": "java:java_facts",
    "javascript": "javascript.facts:javascript_facts",
    "julia": "julia:julia_facts",
    "kotlin": "kotlin:kotlin_facts",
    "lua": "lua:lua_facts",
    "php": "php:php_facts",
    "ruby": "ruby:ruby_facts",
    "rust": "rust:rust_facts",
    "scala": "scala:scala_facts",
    "swift": "swift:swift_facts",
    "tsx": "javascript.facts:tsx_facts",
    "typescript": "javascript.facts:typescript_facts",
    "zig": "zig:zig_facts",
}
"""Language → module and function."""


@cache
def reader_of(language: str) -> Reader:
    """Return the reader of *language*, one of `READERS`."""
    module, _, function = READERS[language].partition(":")
    reader: Reader = getattr(import_module(f"{__name__}.{module}"), function)
    return reader
