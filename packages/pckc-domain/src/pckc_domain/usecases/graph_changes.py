"""Which symbols a diff changes."""

from collections.abc import Callable, Iterable, Sequence

from pckc_domain.model.graph import Node, NodeKind
from pckc_domain.model.graph_answers import Changes
from pckc_domain.policy.graph.diffs import FileDiff
from pckc_domain.ports.graph import GraphWork

ReadText = Callable[[str], str | None]


def changed_symbols(
    graph: GraphWork, diffs: Iterable[FileDiff], read: ReadText, *, is_applied: bool = False
) -> Changes:
    """
    Return the innermost symbols around the lines that *diffs* change.

    The lines are those after the diff when it is known to be applied, or the text of a file, which *read* gives, reads
    like that; else those before.
    """
    nodes: dict[str, Node] = {}
    unknown: dict[str, str] = {}
    removed: dict[str, None] = {}
    for diff in diffs:
        removed |= dict.fromkeys(diff.removed_names())
        path = diff.new_path or diff.old_path
        text = read(path) if diff.new_path else None
        if text is None and diff.old_path:
            path, text = diff.old_path, read(diff.old_path)
        if text is None:
            unknown[path] = "the file is gone" if not diff.new_path else "there is no such file"
            continue
        there = [node for node in graph.symbols.at(path) if node.kind is not NodeKind.RATIONALE]
        if not there:
            unknown[path] = "the graph has no symbols of it"
            continue
        is_after = bool(diff.new_path) and path == diff.new_path and (is_applied or diff.is_applied_to(text))
        for hunk in diff.hunks:
            for line in hunk.changed(is_applied=is_after):
                if innermost := _innermost(there, line):
                    nodes[innermost.id] = innermost
    return Changes(
        nodes=tuple(nodes[one] for one in sorted(nodes)), unknown=dict(sorted(unknown.items())), removed=tuple(removed)
    )


def _innermost(nodes: Sequence[Node], line: int) -> Node | None:
    """Return the smallest node around *line*; a line around which there is none is the module's."""
    around = [node for node in nodes if node.start_line <= line <= node.end_line]
    if not around:
        return next((node for node in nodes if node.kind is NodeKind.MODULE), None)
    return min(around, key=lambda node: (node.end_line - node.start_line, node.kind is NodeKind.MODULE, node.id))
