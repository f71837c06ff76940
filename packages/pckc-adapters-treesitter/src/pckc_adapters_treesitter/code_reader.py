"""The code reader port, kept by tree-sitter."""

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.linking import FileFacts
from pckc_domain.ports.code_reader import CodeReader


class TreeSitterCodeReader(CodeReader):
    """
    Reads the facts of the languages that have a reader and whose grammar is installed.

    The engine, its grammars and the readers are imported when they are first used.
    """

    def languages(self) -> frozenset[str]:
        """Return the languages it reads, in lower case."""
        from pckc_adapters_treesitter.grammars import grammars
        from pckc_adapters_treesitter.readers import READERS

        return frozenset(grammars().keys() & READERS.keys())

    def facts(self, path: str, text: str, /, *, language: str) -> FileFacts | None:
        """Return the facts of a file; ``None`` when the grammar got stuck in it."""
        from pckc_adapters_treesitter.grammars import grammars
        from pckc_adapters_treesitter.parsing import parse
        from pckc_adapters_treesitter.readers import reader_of
        from pckc_adapters_treesitter.readers.source import Source

        if language not in self.languages():
            raise InvalidInputError(f"no reader of {language!r}", remedy="see CodeReader.languages()")
        source = text.encode("utf-8", "replace")  # a lone surrogate becomes one question mark: no line moves
        grammar = grammars()[language].language
        tree = parse(grammar, source)
        return reader_of(language)(Source(path, source, tree.root_node, grammar)) if tree else None
