"""
Code that nothing alive refers to.

What runs without being named is alive: modules, tests, entry points, what a package exports, methods of classes whose
bases stand outside of the repository, and whatever these lead to. Everything else is a candidate, never a verdict.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from pckc_domain.model.graph import Edge, EdgeKind, Graph, Node, NodeKind
from pckc_domain.model.graph_answers import DeadCandidate
from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES
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
_NO_BASES = frozenset(
    ("", "object", "Generic", "Protocol", "ABC", "metaclass", "Enum", "NamedTuple", "TypedDict", "Exception", "dict",
     "list", "set", "tuple", "str", "int", "float", "bytes", "type")
)  # fmt: skip
"""Bases that nobody looks for the heirs of."""
_NAME = re.compile(r"[^\W\d]\w*")
_PATTERN = re.compile(r"""["'`](\w{2,}_)(?:%s|\$?\{)""")
"""The beginning of names that are put together at run time."""
_DECORATION = re.compile(r"\s*(?:@|#\[)")
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

    A symbol that is decorated, or whose name is written anywhere outside of the candidates' own lines, such as in
    ``__all__``, a table or a pattern of names like ``do_%s``, is alive; so is all of a language whose calls are not
    read. *read* gives the text of a path, if it has one.
    """
    joins = _joined(graph)
    alive = _reach(joins, (node.id for node in graph.nodes if _is_root(node, joins)))
    doubtful = [
        node
        for node in graph.nodes
        if node.kind in CANDIDATES and node.id not in alive and node.language not in FALLBACK_LANGUAGES
    ]
    mentions = _Mentions(doubtful, {one.path: read(one.path) or "" for one in graph.coverage})
    while named := mentions.kept(doubtful):
        alive |= _reach(joins, named, alive)
        doubtful = [node for node in doubtful if node.id not in alive]
    dead = {node.id for node in doubtful}
    found = [
        DeadCandidate(
            node=node,
            reason=_reason(node, joins, dead),
            is_public=_is_public(node),
            lines=node.end_line - node.start_line + 1,
        )
        for node in doubtful
        if joins.parent.get(node.id) not in dead
    ]
    return tuple(sorted(found, key=lambda one: (one.is_public, -one.lines, one.node.id)))


class _Mentions:
    """Where the names of candidates are written."""

    def __init__(self, nodes: Iterable[Node], texts: Mapping[str, str]) -> None:
        names = {node.name for node in nodes}
        self._places: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._decorated: set[str] = set()
        self._patterns: set[str] = set()
        for path, text in texts.items():
            self._patterns.update(_PATTERN.findall(text))
            if names.isdisjoint(_NAME.findall(text)):
                continue
            for number, line in enumerate(text.split("\n"), start=1):
                for name in set(_NAME.findall(line)) & names:
                    self._places[name].append((path, number))
        for node in nodes:
            lines = texts.get(node.path, "").split("\n")
            if any(_DECORATION.match(line) for line in lines[max(node.start_line - 2, 0) : node.start_line]):
                self._decorated.add(node.id)

    def kept(self, doubtful: Sequence[Node]) -> list[str]:
        """Return the ids of those that somebody else may use, by name or by what a decorator does with them."""
        own: dict[str, set[int]] = defaultdict(set)
        for node in doubtful:
            own[node.path].update(range(node.start_line, node.end_line + 1))
        written = {name for name, places in self._places.items() if any(line not in own[path] for path, line in places)}
        patterns = tuple(self._patterns)
        return [
            node.id
            for node in doubtful
            if node.id in self._decorated or node.name in written or node.name.startswith(patterns)
        ]


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


def _is_root(node: Node, joins: _Joins) -> bool:
    """Return whether *node* is alive by itself; an heir of an outer class may be found by whoever made that."""
    if node.kind not in CANDIDATES:
        return node.kind in (NodeKind.MODULE, NodeKind.NAMESPACE, NodeKind.CONSTANT, NodeKind.VARIABLE)
    if node.kind in _TYPES:
        return is_test_path(node.path) or _has_outer_base(node, joins)
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
    named = {base for base in named if not base.endswith(("Error", "Exception", "Warning"))}
    inside = sum(edge.kind in (EdgeKind.INHERITS, EdgeKind.IMPLEMENTS) for edge in joins.outgoing.get(node.id, ()))
    return len(named) > inside


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
