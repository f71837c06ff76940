"""The bytes of a file, and what its syntax tree says of them."""

from collections.abc import Sequence
from functools import cache

from pckc_domain.model.declared_facts import Place
from tree_sitter import Language, Node, Query, QueryCursor

MAX_PROBLEMS = 12
_LONGEST_SIGNATURE = 300


class Source:
    """A file's path, bytes and tree."""

    def __init__(self, path: str, source: bytes, root: Node, grammar: Language) -> None:
        self.path = path
        self.bytes = source
        self.root = root
        self.grammar = grammar

    def text(self, node: Node | None) -> str:
        """Return a node's text; ``""`` for none."""
        return "" if node is None else self.bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def signature(self, node: Node, body: Node | None = None) -> str:
        """Return the head of a definition, up to *body*, on one line."""
        end = node.end_byte if body is None else body.start_byte
        head = self.bytes[node.start_byte : min(end, node.start_byte + 4 * _LONGEST_SIGNATURE)]
        return " ".join(head.decode("utf-8", "replace").split())[:_LONGEST_SIGNATURE]

    def problems(self) -> tuple[str, ...]:
        """Return the first lines on which the grammar found what it does not know."""
        if not self.root.has_error:
            return ()
        captures = QueryCursor(_errors(self.grammar)).captures(self.root)
        lines = sorted({node.start_point.row + 1 for nodes in captures.values() for node in nodes})
        more = [f"{len(lines) - MAX_PROBLEMS} more lines"] if len(lines) > MAX_PROBLEMS else []
        return (*(f"line {line}: not understood" for line in lines[:MAX_PROBLEMS]), *more)

    def comments(self) -> list[Node]:
        """Return the comments in the order of the text."""
        query = _comments(self.grammar)
        found = QueryCursor(query).captures(self.root).get("comment", []) if query else []
        return sorted(found, key=lambda node: node.start_byte)


def place(node: Node) -> Place:
    """Return where a node stands."""
    (row, column), (end_row, end_column) = node.start_point, node.end_point
    return Place(row + 1, column, end_row + 1, end_column)


def line(node: Node) -> int:
    """Return a node's first line, from 1."""
    return node.start_point.row + 1


def last_line(node: Node) -> int:
    """Return a node's last line; one that ends with a line break ends on the line before."""
    row, column = node.end_point
    return max(row + 1 - (column == 0), node.start_point.row + 1)


def child_at(node: Node | None, position: int) -> Node | None:
    """Return the named child at *position*, from 0 or the end, comments left out; ``None`` when there are fewer."""
    found = [child for child in node.named_children if not child.is_extra] if node is not None else []
    return found[position] if -len(found) <= position < len(found) else None


def child_of_type(node: Node | None, *types: str) -> Node | None:
    """Return the first named child of one of *types*."""
    if node is None:
        return None
    return next((child for child in node.named_children if child.type in types), None)


def children_of_type(node: Node | None, *types: str) -> Sequence[Node]:
    """Return the named children of one of *types*."""
    return [] if node is None else [child for child in node.named_children if child.type in types]


@cache
def _errors(grammar: Language) -> Query:
    return Query(grammar, "[(ERROR) (MISSING)] @problem")


@cache
def _comments(grammar: Language) -> Query | None:
    """Return the query for every kind of node whose name ends with ``comment``."""
    kinds = {
        grammar.node_kind_for_id(number) or ""
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and grammar.node_kind_is_visible(number)
    }
    names = sorted(kind for kind in kinds if kind.endswith("comment"))
    return Query(grammar, f"[{' '.join(f'({name})' for name in names)}] @comment") if names else None
