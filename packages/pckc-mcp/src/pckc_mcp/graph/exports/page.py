"""A page that shows a graph and opens without a network: a drawing, a search, and what each symbol is joined with."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from pckc_domain.model.graph import Community, Edge, EdgeKind, Graph, Node, NodeKind

from pckc_mcp.graph.exports.drawing import drawn

MOST_NODES = 5_000
"""A graph of more symbols is drawn by its modules, and one of more modules by its communities."""

SITES_SHOWN = 5
PARTS_SHOWN = 40
LABELLED = 3

_UNDRAWN = frozenset((NodeKind.RATIONALE,))


class _Shown(NamedTuple):
    """
    What is drawn.

    Attributes:
        nodes: As the page reads them, without places.
        groups: Community of each.
        edges: Source, target, kind, weight and proofs.
        what: What a node stands for.
    """

    nodes: list[dict[str, Any]]
    groups: list[int]
    edges: list[tuple[int, int, str, float, list[str]]]
    what: str


def page(graph: Graph, communities: Sequence[Community], *, title: str) -> str:
    """Return the page; nothing in a name can end its script or become markup."""
    coarse = [one for one in communities if one.level == 0]
    shown = _shown(graph, coarse)
    drawing = drawn(shown.groups, [(source, target) for source, target, *_ in shown.edges])
    for node, (x, y) in zip(shown.nodes, drawing.places, strict=True):
        node |= {"x": x, "y": y}
    names = {one.id: one.name for one in coarse}
    data = {
        "title": title,
        "what": shown.what,
        "total": {"nodes": len(graph.nodes), "edges": len(graph.edges), "open": _open(graph)},
        "nodes": shown.nodes,
        "edges": shown.edges,
        "communities": [
            {"id": group, "name": names.get(group, "in no community"), "x": disc.x, "y": disc.y, "r": disc.radius}
            for group, disc in drawing.discs.items()
        ],
    }
    template = files("pckc_mcp.graph.exports").joinpath("page.html").read_text(encoding="utf-8")
    return template.replace("{{data}}", _script_safe(data), 1)


def _script_safe(data: object) -> str:
    """Return JSON in which nothing ends a script element or begins a comment."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))  # lone surrogates and U+2028 are escaped by it
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _open(graph: Graph) -> int:
    return sum(not call.external for call in graph.open_calls)


def _shown(graph: Graph, communities: Sequence[Community]) -> _Shown:
    symbols = [node for node in graph.nodes if node.kind not in _UNDRAWN]
    of = {member: one.id for one in communities for member in one.members}
    if len(symbols) <= MOST_NODES:
        return _symbols(graph, symbols, of)
    modules = {node.path for node in symbols}
    if len(modules) <= MOST_NODES:
        return _gathered(graph, symbols, of, {node.id: node.path for node in symbols}, "files")
    names = {one.id: one.name for one in communities}
    return _gathered(
        graph, symbols, of, {node.id: names[of[node.id]] for node in symbols if node.id in of}, "communities"
    )


def _symbols(graph: Graph, symbols: Sequence[Node], of: dict[str, int]) -> _Shown:
    number = {node.id: index for index, node in enumerate(symbols)}
    unresolved: Counter[str] = Counter(
        candidate for call in graph.open_calls if not call.external for candidate in call.candidates
    )
    nodes = [
        {
            "n": node.name, "q": node.qualified_name, "k": str(node.kind), "p": node.path, "l": node.start_line,
            "e": node.end_line, "s": node.signature, "d": node.doc, "c": of.get(node.id, -1), "u": unresolved[node.id],
        }
        for node in symbols
    ]  # fmt: skip
    edges = [
        (number[edge.source], number[edge.target], str(edge.kind), edge.weight, _proofs(edge))
        for edge in graph.edges
        if edge.source in number and edge.target in number
    ]
    return _Shown(nodes=nodes, groups=[of.get(node.id, -1) for node in symbols], edges=edges, what="symbols")


def _gathered(graph: Graph, symbols: Sequence[Node], of: dict[str, int], holder: dict[str, str], what: str) -> _Shown:
    """Return the graph of what holds symbols: their files, or their communities."""
    names = sorted(set(holder.values()))
    number = {name: index for index, name in enumerate(names)}
    parts: dict[str, list[Node]] = defaultdict(list)
    groups: dict[str, Counter[int]] = defaultdict(Counter)
    for node in symbols:
        if node.id in holder:
            parts[holder[node.id]].append(node)
            groups[holder[node.id]][of.get(node.id, -1)] += 1
    joined: dict[tuple[int, int, str], list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        ends = holder.get(edge.source), holder.get(edge.target)
        if edge.kind is not EdgeKind.CONTAINS and ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            joined[number[ends[0]], number[ends[1]], str(edge.kind)].append(edge)
    group_of = [min(groups[name].items(), key=lambda pair: (-pair[1], pair[0]))[0] for name in names]
    nodes = [
        {
            "n": name.rpartition("/")[2], "q": name, "k": what, "p": name if what == "files" else "", "l": 1, "e": 1,
            "s": f"{len(parts[name])} symbols", "d": _parts(parts[name]), "c": group, "u": 0,
        }
        for name, group in zip(names, group_of, strict=True)
    ]  # fmt: skip
    edges = [
        (
            source,
            target,
            kind,
            float(len(of_kind)),
            [proof for edge in of_kind for proof in _proofs(edge)][:SITES_SHOWN],
        )
        for (source, target, kind), of_kind in sorted(joined.items())
    ]
    return _Shown(nodes=nodes, groups=group_of, edges=edges, what=what)


def _parts(nodes: Sequence[Node]) -> str:
    names = [node.name for node in nodes if node.kind is not NodeKind.MODULE]
    more = f" and {len(names) - PARTS_SHOWN} more" if len(names) > PARTS_SHOWN else ""
    return ", ".join(names[:PARTS_SHOWN]) + more


def _proofs(edge: Edge) -> list[str]:
    """Return where an edge shows, and how the name came there."""
    places = [f"{site.path}:{site.line}" for site in edge.sites[:SITES_SHOWN]]
    chain = " ← ".join(link.text for link in edge.imports)
    return [f"{places[0]} ({chain})", *places[1:]] if places and chain else places
