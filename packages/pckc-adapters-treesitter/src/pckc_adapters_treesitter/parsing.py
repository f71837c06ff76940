"""Parse with a limit: error recovery can loop for ever, and no stopwatch may decide what is found."""

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

PATIENCE = 2_000
"""Reports without getting further before a parse is given up; one comes about every 100 steps of the engine."""

BYTES_PER_REPORT = 32
"""A report more is allowed for so many bytes: at the end of a text the engine balances its tree, one per 65 or more."""

_CHUNK = 65_536
_OPEN_MATCHES = 10_000

Match = tuple[int, dict[str, list[Node]]]


def parse(language: Language, source: bytes) -> Tree | None:
    """Return the syntax tree of *source*; ``None`` when the grammar got stuck."""
    patience = _Patience(PATIENCE + len(source) // BYTES_PER_REPORT)

    def read(offset: int, _: object) -> bytes:
        return source[offset : offset + _CHUNK]

    try:
        return Parser(language).parse(read, progress_callback=patience.report)
    except ValueError:  # how the binding says that the callback ended the run
        return None


def matches(query: Query, root: Node) -> list[Match]:
    """
    Return the matches of *query* in the tree of *root*, each with the number of its pattern.

    The limit is on matches begun at one time; past it the oldest are dropped.
    """
    return QueryCursor(query, match_limit=_OPEN_MATCHES).matches(root)


class _Patience:
    """Ends a parse that stays where it is; it counts reports, so the same text always gives the same answer."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._furthest = -1
        self._waited = 0

    def report(self, offset: int, _: bool) -> bool:
        """Return whether to stop, with the engine at byte *offset*."""
        if offset > self._furthest:
            self._furthest, self._waited = offset, 0
        self._waited += 1
        return self._waited > self._limit
