"""
Code that nothing alive refers to.

What runs without being named is alive: modules, tests, entry points, what a package exports, methods of classes whose
bases stand outside of the repository, and whatever these lead to. Everything else is a candidate, never a verdict.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import attrs

from pckc_domain.model.graph import Edge, EdgeKind, Graph, Node, NodeKind
from pckc_domain.model.graph_answers import DeadCandidate
from pckc_domain.policy.graph.tests_of import is_test_path

CANDIDATES = frozenset(
    (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS, NodeKind.STRUCT, NodeKind.TRAIT, NodeKind.INTERFACE,
     NodeKind.ENUM, NodeKind.TYPE_ALIAS)
)  # fmt: skip
_TYPES = frozenset((NodeKind.CLASS, NodeKind.STRUCT, NodeKind.TRAIT, NodeKind.INTERFACE, NodeKind.ENUM))
_ENTRY_POINTS = frozenset(("main", "__main__", "init", "setup", "teardown"))
_ALWAYS_RUN = frozenset(("constructor", "initialize", "init", "deinit", "finalize", "__construct", "toString"))
"""Methods that a language calls by itself, beside dunders and those named like their class."""

_KEEPS = frozenset(
    (EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.IMPORTS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.OVERRIDES,
     EdgeKind.PARAMETER_TYPE, EdgeKind.RETURN_TYPE)
)  # fmt: skip
_OPEN_BASES = re.compile(r"\(([^()]*)\)|\b(?:extends|implements)\s+([\w.,\s<>]+)|[\w>]\s*:\s*([\w.,\s<>]+)")
_NO_BASES = frozenset(("", "object", "Generic", "Protocol", "ABC", "metaclass"))
_PRIVATE = frozenset(("private", "fileprivate"))

ReadText = Callable[[str], str | None]


@attrs.frozen(kw_only=True)
class _Joins:
    """A graph as liveness walks it."""

    graph: Graph
    outgoing: Mapping[str, list[Edge]]
    incoming: Mapping[str, list[Edge]]
    parts: Mapping[str, list[str]]
    parent: Mapping[str, str]
    open_calls: Mapping[str, list[str]]


def dead_candidates(graph: Graph, read: ReadText) -> tuple[DeadCandidate, ...]:
    """
    Return the symbols that nothing alive leads to, private ones first, then by lines, most first.

    A symbol that its own file decorates, or names in a text such as ``__all__`` or a table, is alive: *read* gives the
    text of a path, and ``None`` when there is none.
    """
    joins = _joined(graph)
    alive = _reach(joins, (node.id for node in graph.nodes if _is_root(node)))
    texts: dict[str, str] = {}
    while True:
        doubtful = [node for node in graph.nodes if node.kind in CANDIDATES and node.id not in alive]
        for path in {node.path for node in doubtful} - texts.keys():
            texts[path] = read(path) or ""
        named = [node.id for node in doubtful if _is_registered(node, texts[node.path])]
        if not named:
            break
        alive |= _reach(joins, named, alive)
    dead = {node.id for node in doubtful}
    outermost = [node for node in doubtful if joins.parent.get(node.id) not in dead]
    found = [
        DeadCandidate(
            node=node,
            reason=_reason(node, joins, dead),
            is_public=_is_public(node),
            lines=node.end_line - node.start_line + 1,
        )
        for node in outermost
    ]
    return tuple(sorted(found, key=lambda one: (one.is_public, -one.lines, one.node.id)))


def _joined(graph: Graph) -> _Joins:
    outgoing: dict[str, list[Edge]] = defaultdict(list)
    incoming: dict[str, list[Edge]] = defaultdict(list)
    parts: dict[str, list[str]] = defaultdict(list)
    parent: dict[str, str] = {}
    for edge in graph.edges:
        if edge.kind is EdgeKind.CONTAINS:
            parts[edge.source].append(edge.target)
            parent[edge.target] = edge.source
        elif edge.kind in _KEEPS and edge.source != edge.target:
            outgoing[edge.source].append(edge)
            incoming[edge.target].append(edge)
    open_calls: dict[str, list[str]] = defaultdict(list)
    for call in graph.open_calls:
        open_calls[call.caller] += call.candidates
    return _Joins(graph=graph, outgoing=outgoing, incoming=incoming, parts=parts, parent=parent, open_calls=open_calls)


def _is_root(node: Node) -> bool:
    """Return whether *node* is alive by itself."""
    if node.kind not in CANDIDATES:
        return node.kind in (NodeKind.MODULE, NodeKind.NAMESPACE, NodeKind.CONSTANT, NodeKind.VARIABLE)
    return is_test_path(node.path) or (node.kind is NodeKind.FUNCTION and node.name in _ENTRY_POINTS)


def _reach(joins: _Joins, starts: Iterable[str], before: Iterable[str] = ()) -> set[str]:
    """Return what *starts* keep alive, directly or not, with themselves."""
    alive = set(before)
    stack = [one for one in starts if one not in alive]
    alive.update(stack)
    while stack:
        for other in _kept(stack.pop(), joins):
            if other not in alive and other in joins.graph.by_id:
                alive.add(other)
                stack.append(other)
    return alive


def _kept(one: str, joins: _Joins) -> Iterable[str]:
    """Yield what is alive because *one* is."""
    node = joins.graph.by_id[one]
    yield from (edge.target for edge in joins.outgoing.get(one, ()))
    yield from joins.open_calls.get(one, ())
    if one in joins.parent:
        yield joins.parent[one]
    if node.kind in _TYPES:
        is_open = _has_outer_base(node, joins)
        for part in joins.parts.get(one, ()):
            if is_open or _runs_by_itself(joins.graph.by_id[part], node, joins):
                yield part
    for part in joins.parts.get(one, ()):
        if joins.graph.by_id[part].kind is NodeKind.LAMBDA:
            yield part


def _runs_by_itself(part: Node, owner: Node, joins: _Joins) -> bool:
    """Return whether the language or a caller of what it overrides may call *part* of a type that is alive."""
    is_dunder = part.name.startswith("__") and part.name.endswith("__")
    overrides = any(edge.kind is EdgeKind.OVERRIDES for edge in joins.outgoing.get(part.id, ()))
    return is_dunder or overrides or part.name == owner.name or part.name in _ALWAYS_RUN or part.kind not in CANDIDATES


def _has_outer_base(node: Node, joins: _Joins) -> bool:
    """Return whether *node* derives from something that is not in the graph: who calls its methods cannot be known."""
    named = {
        base.split("[")[0].split("=")[0].strip()
        for found in _OPEN_BASES.findall(node.signature)
        for part in found
        for base in part.split(",")
    } - _NO_BASES
    inside = sum(edge.kind in (EdgeKind.INHERITS, EdgeKind.IMPLEMENTS) for edge in joins.outgoing.get(node.id, ()))
    return len(named) > inside


def _is_registered(node: Node, text: str) -> bool:
    """Return whether a decorator, an attribute or a text in its own file may make somebody else use *node*."""
    lines = text.splitlines()
    head = lines[node.start_line - 1].lstrip() if 0 < node.start_line <= len(lines) else ""
    above = lines[node.start_line - 2].lstrip() if 1 < node.start_line <= len(lines) else ""
    if head.startswith(("@", "#[")) or above.startswith(("@", "#[")):
        return True
    return f'"{node.name}"' in text or f"'{node.name}'" in text


def _is_public(node: Node) -> bool:
    return not node.name.startswith("_") and node.visibility not in _PRIVATE


def _reason(node: Node, joins: _Joins, dead: set[str]) -> str:
    users = sorted(
        {
            joins.graph.by_id[edge.source].qualified_name
            for edge in joins.incoming.get(node.id, ())
            if edge.source in dead
        }
        - {node.qualified_name}
    )
    if users:
        return f"only dead code refers to it: {', '.join(users[:3])}"
    if node.kind in _TYPES:
        return "nothing makes, inherits, imports or mentions it"
    return "nothing calls, imports, overrides or mentions it, and no unresolved call has its name"
