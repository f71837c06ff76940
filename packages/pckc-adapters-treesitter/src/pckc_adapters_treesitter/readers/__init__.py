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
    "go": "go:go_facts",
}
"""Language → module and function."""


@cache
def reader_of(language: str) -> Reader:
    """Return the reader of *language*, one of `READERS`."""
    module, _, function = READERS[language].partition(":")
    reader: Reader = getattr(import_module(f"{__name__}.{module}"), function)
    return reader
