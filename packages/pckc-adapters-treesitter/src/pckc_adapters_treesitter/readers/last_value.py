"""What readers share whose functions give the value of their last expression."""

from collections.abc import Sequence

from pckc_domain.model.declared_facts import Expression
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source


class LastValueReader(DeclaredReader):
    """Knows which expression is the last one of a function, and keeps its value as the function's result."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._last: set[int] = set()

    def body(self, nodes: Sequence[Node], draft: Draft) -> None:
        """Read what a function does, of which the last one is its value."""
        for node in nodes:
            self.later(node, draft)
        if nodes and draft.type is None:
            self._last.add(nodes[-1].id)

    def value(self, node: Node | None, draft: Draft) -> Expression | None:
        """Return an expression that stands for itself, and keep it when it is a function's last one."""
        found = super().value(node, draft)
        if found is not None and node is not None and node.id in self._last:
            draft.result.append(found)
        return found

    def is_last(self, node: Node) -> bool:
        """Return whether *node* is the last one of a function."""
        return node.id in self._last

    def also_last(self, node: Node, of: Node) -> None:
        """Take *node* for a function's value when *of* is one."""
        if of.id in self._last:
            self._last.add(node.id)
