"""The entry points."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pckc_domain.plugin import Backend
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.ports.code_reader import CodeReader

from pckc_adapters_treesitter.code_parser import TreeSitter
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader


@attrs.frozen(kw_only=True)
class TreeSitterSettings:
    """The keys of ``[code_parser]`` in pckc.toml, beside ``backend``: there are none."""


@contextmanager
def open_code_parser(_: TreeSitterSettings) -> Iterator[CodeParser]:
    """Open the parser; the grammars are loaded when it is first used."""
    yield TreeSitter()


CODE_PARSER = Backend(settings=TreeSitterSettings, open=open_code_parser)


@attrs.frozen(kw_only=True)
class CodeReaderSettings:
    """The keys of ``[code_reader]`` in pckc.toml, beside ``backend``: there are none."""


@contextmanager
def open_code_reader(_: CodeReaderSettings) -> Iterator[CodeReader]:
    """Open the reader; grammars and readers are loaded when it is first used."""
    yield TreeSitterCodeReader()


CODE_READER = Backend(settings=CodeReaderSettings, open=open_code_reader)
