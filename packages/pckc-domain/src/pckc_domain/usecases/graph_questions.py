"""Questions to a stored graph: who calls, what is near, how one gets from here to there, what a change touches."""

from collections.abc import Iterable, Mapping, Sequence

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.graph import Edge, EdgeEvidence, EdgeKind, Node, NodeKind, OpenCall
from pckc_domain.model.graph_answers import AnyEdge, Calls, Changes, Hub, Impact, Spread, Way
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.graph.hubs import HUB_KINDS
from pckc_domain.policy.graph.sessions import dotted_path
from pckc_domain.policy.graph.symbol_names import last_part
from pckc_domain.policy.graph.tests_of import is_test_path
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.usecases.graph_walks import IN_CODE, Joins, batches, by_id, shortest, spread

MAX_DEPTH = 5
NEAR_NAMES = 5
MOST_IMPACT = 100_000
BOTH = (Direction.OUT, Direction.IN)

CONSTRUCTORS = frozenset(("__init__", "__new__", "__post_init__", "__construct", "constructor", "initialize", "init"))
"""Methods that making an instance calls, beside those named like their class."""

SPREADING = frozenset(
    (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.OVERRIDES, EdgeKind.REFERENCES,
     EdgeKind.PARAMETER_TYPE, EdgeKind.RETURN_TYPE)
)  # fmt: skip
"""Edges along which a change is felt, against their direction."""

_TYPES = frozenset((NodeKind.CLASS, NodeKind.STRUCT, NodeKind.TRAIT, NodeKind.INTERFACE, NodeKind.ENUM))
_ROUTINES = frozenset((NodeKind.FUNCTION, NodeKind.METHOD))


class GraphQuestions:
    """Answers questions to one graph, inside the transaction that opened it."""

    def __init__(self, graph: GraphWork, *, joins: Joins[AnyEdge] | None = None) -> None:
        """Take *joins* to go along more than the graph's own links where neighbours and paths are asked for."""
        self._graph = graph
        self._joins = joins

    def meanings(self, name: str) -> Sequence[Node]:
        """
        Return the nodes that *name* means, by id: an id, a qualified name, or the end of one; of files also a path.

        Raises:
            NotFoundError: There is none; the remedy lists near names.
        """
        found = self._graph.symbols.named(name) if name else ()
        if not found and "/" in name:
            found = [one for one in self._graph.symbols.named(dotted_path(name)) if one.kind is NodeKind.FILE]
        if found:
            return found
        near = self._graph.symbols.near(name, limit=NEAR_NAMES) if name else ()
        remedy = f"near names: {', '.join(near)}" if near else "no name is near it"
        calls = self._graph.links.open_calls(names=[last_part(name)]) if name else ()
        if calls:
            places = ", ".join(f"{call.site.path}:{call.site.line}" for call in calls[:NEAR_NAMES])
            remedy = f"{len(calls)} unresolved calls have this name: {places}; {remedy}"
        raise NotFoundError(f"The graph knows no {name!r}", remedy=remedy)

    def search(self, query: str, *, limit: int) -> Sequence[tuple[Node, float]]:
        """Return up to *limit* symbols that match the words of *query*, best first."""
        return self._graph.symbols.search(analyze_query(query), limit=limit)

    def hubs(self, *, limit: int) -> Sequence[Hub]:
        """Return the *limit* most joined symbols of the kinds that may be hubs, most joined first."""
        asked = limit
        while True:
            asked *= 4
            degrees = self._graph.links.degrees(limit=asked)
            nodes = by_id(self._graph, [one for one, _ in degrees])
            hubs = [
                Hub(node=nodes[one], degree=degree)
                for one, degree in degrees
                if one in nodes and nodes[one].kind in HUB_KINDS
            ]
            if len(hubs) >= limit or len(degrees) < asked:
                return hubs[:limit]

    def callers(self, nodes: Iterable[Node]) -> Calls:
        """Return who calls *nodes*; of a type, who makes instances."""
        targets = self._as_called(nodes)
        edges = [
            edge
            for batch in batches(targets)
            for edge in self._graph.links.edges(batch, Direction.IN, kinds=(EdgeKind.CALLS, EdgeKind.REFERENCES))
            if edge.kind is EdgeKind.CALLS or edge.origin == "instance"
        ]
        open_calls = [call for batch in batches(targets) for call in self._graph.links.open_calls(candidates=batch)]
        return Calls(
            edges=tuple(sorted(edges, key=_ends)),
            ends=by_id(self._graph, [edge.source for edge in edges]),
            certain=frozenset(edge.source for edge in edges if edge.evidence is not EdgeEvidence.AMBIGUOUS),
            open_calls=tuple(dict.fromkeys(open_calls)),
            overriding=self._calls_of_overriders(targets),
        )

    def _calls_of_overriders(self, targets: Sequence[str]) -> tuple[Edge, ...]:
        seen, fresh = set(targets), list(targets)
        while fresh:
            overrides = [
                edge
                for batch in batches(fresh)
                for edge in self._graph.links.edges(batch, Direction.IN, kinds=(EdgeKind.OVERRIDES,))
            ]
            fresh = sorted({edge.source for edge in overrides} - seen)
            seen.update(fresh)
        calls = [
            edge
            for batch in batches(sorted(seen.difference(targets)))
            for edge in self._graph.links.edges(batch, Direction.IN, kinds=(EdgeKind.CALLS,))
        ]
        return tuple(sorted(calls, key=_ends))

    def callees(self, nodes: Iterable[Node]) -> Calls:
        """Return what *nodes* call, and the calls in them that gave no edge."""
        sources = sorted({node.id for node in nodes})
        edges = [
            edge
            for batch in batches(sources)
            for edge in self._graph.links.edges(batch, Direction.OUT, kinds=(EdgeKind.CALLS,))
        ]
        return Calls(
            edges=tuple(edges),
            ends=by_id(self._graph, [edge.target for edge in edges]),
            certain=frozenset(edge.target for edge in edges if edge.evidence is not EdgeEvidence.AMBIGUOUS),
            open_calls=tuple(
                call for batch in batches(sources) for call in self._graph.links.open_calls(callers=batch)
            ),
        )

    def neighbors(self, nodes: Iterable[Node], *, depth: int = 1, limit: int = 200) -> Spread:
        """
        Return what is joined to *nodes* by at most *depth* edges of any kind and direction, nearest first.

        Raises:
            InvalidInputError: *depth* is not within 1 to 5.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"depth must be 1 to {MAX_DEPTH}, not {depth}")
        return spread(self._graph, [node.id for node in nodes], BOTH, depth=depth, limit=limit, joins=self._joins)

    def path(self, sources: Iterable[Node], targets: Iterable[Node]) -> Way:
        """Return a shortest way along the direction of edges; along containment only when there is no other."""
        starts, ends = {node.id for node in sources}, {node.id for node in targets}
        way = shortest(self._graph, starts, ends, kinds=IN_CODE, joins=self._joins)
        return way if way.nodes else shortest(self._graph, starts, ends, kinds=frozenset(EdgeKind), joins=self._joins)

    def impact(self, nodes: Iterable[Node], *, depth: int = 64) -> Impact:
        """Return what feels a change of *nodes*, and of what they contain, transitively, and the tests to run."""
        return self._impact(self._with_parts({node.id: node for node in nodes}), depth)

    def impact_of_changes(self, changes: Changes, *, depth: int = 64) -> Impact:
        """
        Return what feels the changes of a diff.

        A line of a type outside of its parts, such as its bases, changes them all; one of a module, such as an import,
        changes what the module itself does, and not everything in it.
        """
        types = {node.id: node for node in changes.nodes if node.kind in _TYPES}
        others = {node.id: node for node in changes.nodes if node.id not in types}
        removed = self._graph.links.open_calls(names=changes.removed) if changes.removed else ()
        return self._impact(self._with_parts(types) | others, depth, removed=changes.removed, calls_of_removed=removed)

    def _impact(
        self,
        changed: Mapping[str, Node],
        depth: int,
        *,
        removed: tuple[str, ...] = (),
        calls_of_removed: Sequence[OpenCall] = (),
    ) -> Impact:
        bereft = by_id(self._graph, [call.caller for call in calls_of_removed])
        felt = spread(
            self._graph, {**changed, **bereft}, (Direction.IN,), kinds=SPREADING, depth=depth, limit=MOST_IMPACT
        ).reached
        tests = _tests([*changed.values(), *bereft.values(), *(one.node for one in felt)])
        ids = sorted(changed)
        open_calls = dict.fromkeys(
            (
                *calls_of_removed,
                *(call for batch in batches(ids) for call in self._graph.links.open_calls(candidates=batch)),
            )
        )
        known = {node.id for node in tests}
        possible = _tests(by_id(self._graph, [call.caller for call in open_calls]).values())
        return Impact(
            changed=tuple(changed[one] for one in ids),
            reached=felt,
            tests=tests,
            open_calls=tuple(open_calls),
            possible_tests=tuple(node for node in possible if node.id not in known),
            removed=removed,
        )

    def _as_called(self, nodes: Iterable[Node]) -> list[str]:
        """Return the ids of *nodes*, and of the constructors of those that are types."""
        given = {node.id: node for node in nodes}
        types = sorted(one for one, node in given.items() if node.kind in _TYPES)
        parts = by_id(self._graph, self._parts(types))
        names = {given[one].name for one in types} | CONSTRUCTORS
        return sorted({*given, *(one for one, node in parts.items() if node.name in names)})

    def _parts(self, ids: Sequence[str]) -> list[str]:
        return [
            edge.target
            for batch in batches(ids)
            for edge in self._graph.links.edges(batch, Direction.OUT, kinds=(EdgeKind.CONTAINS,))
        ]

    def _with_parts(self, given: dict[str, Node]) -> dict[str, Node]:
        found = dict(given)
        fresh = sorted(given)
        while fresh:
            parts = by_id(self._graph, [part for part in self._parts(fresh) if part not in found])
            found |= parts
            fresh = sorted(parts)
        return found


def _tests(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """
    Return the tests among *nodes*, in their order.

    Of a test file in which no test is named, everything is one, since many languages name tests in texts; in Python
    that is its module alone, the rest being what tests are helped by.
    """
    there = [node for node in nodes if is_test_path(node.path)]
    named = {node.path for node in there if _is_named_test(node)}
    return tuple(
        node
        for node in there
        if (_is_named_test(node) if node.path in named else node.kind is NodeKind.MODULE or node.language != "python")
    )


def _is_named_test(node: Node) -> bool:
    return node.kind in _ROUTINES and node.name.lower().startswith("test")


def _ends(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind
