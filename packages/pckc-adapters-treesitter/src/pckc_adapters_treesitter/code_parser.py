"""The code parser port, kept by tree-sitter."""

from collections.abc import Sequence

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.code import CodeBlock
from pckc_domain.ports.code_parser import CodeParser


class TreeSitter(CodeParser):
    """
    Reads the languages whose grammars are installed.

    The engine and its grammars are imported by the first call: every search opens a parser, and few use it.
    """

    def languages(self) -> frozenset[str]:
        """Return the languages it parses, in lower case."""
        from pckc_adapters_treesitter.grammars import grammars

        return frozenset(grammars())

    def blocks(self, text: str, /, *, language: str) -> Sequence[CodeBlock] | None:
        """Return the definitions in *text*; ``None`` when the grammar got stuck in it."""
        from pckc_adapters_treesitter.grammars import grammars
        from pckc_adapters_treesitter.outline import code_blocks
        from pckc_adapters_treesitter.parsing import matches, parse

        if language not in self.languages():
            raise InvalidInputError(f"no grammar for {language!r} is installed", remedy="see CodeParser.languages()")
        grammar = grammars().get(language)
        if grammar is None:  # made for another tree-sitter
            return None
        source = text.encode("utf-8", "replace")  # a lone surrogate becomes one question mark: no line moves
        tree = parse(grammar.language, source)
        return code_blocks(matches(grammar.query, tree.root_node), source) if tree else None
