"""Where a graph leads back to itself: modules that import each other, functions that call each other."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

import attrs

from pckc_domain.model.graph import Edge, EdgeKind, Graph, Node, NodeKind
from pckc_domain.model.graph_answers import Cycle

CYCLE_KINDS = (EdgeKind.IMPORTS, EdgeKind.CALLS, EdgeKind.INHERITS)


def cycles(graph: Graph, kind: EdgeKind) -> tuple[Cycle, ...]:
    """
    Return the groups of nodes that lead to each other along edges of *kind*, small ones first.

    Imports are those between modules that run when a module is loaded: one inside of a function waits until the
    function is called, and harms nobody. A function that only calls itself is no cycle.
    """
    edges = _of_modules(graph) if kind is EdgeKind.IMPORTS else [edge for edge in graph.edges if edge.kind is kind]
    leads: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.source != edge.target:
            leads[edge.source].append(edge)
    found = [
        Cycle(nodes=tuple(graph.by_id[one] for one in sorted(group)), way=_around(group, leads))
        for group in _strongly_joined(leads)
        if len(group) > 1
    ]
    return tuple(sorted(found, key=lambda cycle: (len(cycle.nodes), cycle.nodes[0].id)))


def _of_modules(graph: Graph) -> list[Edge]:
    """Return the imports that run when a module is loaded, each between modules."""
    module: dict[str, str] = {}
    bodies: dict[str, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if node.kind is NodeKind.MODULE:
            module.setdefault(node.path, node.id)
        elif node.kind in (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.LAMBDA):
            bodies[node.path].append(node)
    found: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        if edge.kind is not EdgeKind.IMPORTS:
            continue
        source, target = (module.get(graph.by_id[end].path) for end in (edge.source, edge.target))
        if source and target and source != target and not _waits(edge, bodies):
            found.setdefault((source, target), attrs.evolve(edge, source=source, target=target))
    return [found[pair] for pair in sorted(found)]


def _waits(edge: Edge, bodies: Mapping[str, Sequence[Node]]) -> bool:
    return bool(edge.sites) and all(
        any(body.start_line < site.line <= body.end_line for body in bodies.get(site.path, ())) for site in edge.sites
    )


def _strongly_joined(leads: Mapping[str, Sequence[Edge]]) -> list[list[str]]:
    """Return the strongly connected groups (Tarjan, 1972), with a stack of its own: graphs are deeper than Python's."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[list[str]] = []
    for root in sorted(leads):
        if root in index:
            continue
        work = [(root, iter(leads.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            edge = next(rest, None)
            if edge is not None:
                other = edge.target
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(leads.get(other, ()))))
                elif other in on_stack:
                    low[node] = min(low[node], index[other])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                at = stack.index(node)
                groups.append(stack[at:])
                on_stack.difference_update(stack[at:])
                del stack[at:]
    return groups


def _around(group: Iterable[str], leads: Mapping[str, Sequence[Edge]]) -> tuple[Edge, ...]:
    """Return the edges of a shortest way from the first node of *group* back to it."""
    members = set(group)
    start = min(members)
    came: dict[str, Edge] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for edge in leads.get(node, ()):
            if edge.target == start:
                way = [edge]
                while way[-1].source != start:
                    way.append(came[way[-1].source])
                return tuple(way[::-1])
            if edge.target in members and edge.target not in came:
                came[edge.target] = edge
                queue.append(edge.target)
    return ()
