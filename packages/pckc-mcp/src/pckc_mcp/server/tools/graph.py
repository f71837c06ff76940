"""The ``knowledge_*`` tools: questions to the graphs, reports of them, and whole graphs as files."""

import json
from pathlib import Path
from typing import Any

from pckc_domain.errors import BackendError, InvalidInputError
from pckc_domain.model.graph import GraphLayer
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline

from pckc_mcp.forms import Form
from pckc_mcp.graph.request import GraphRequest
from pckc_mcp.graph.text import text_of
from pckc_mcp.server.arguments import (
    CommunityName,
    Diff,
    ExportFile,
    ExportFormat,
    Goal,
    GraphDepth,
    GraphLayerName,
    GraphLevel,
    GraphLimit,
    GraphOperation,
    GraphSymbol,
    GraphTarget,
    SymbolWords,
)
from pckc_mcp.server.declaration import ADDS, Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.system_errors import remedy_of

OPERATIONS = {
    "search": "search",
    "hub_nodes": "hubs",
    "neighbors": "neighbors",
    "shortest_path": "path",
    "callers": "callers",
    "callees": "callees",
    "impact": "impact",
    "communities": "communities",
    "goal_directed": "goal",
    "dead_code": "dead",
    "cycles": "cycles",
    "sessions": "sessions",
}
"""What a tool is asked for, and the question it is."""

INLINE_BYTES = 60_000
"""A larger export needs a file."""

MOST_LISTED = 50
NODE_KEYS = ("id", "kind", "qualified_name", "path", "start_line", "end_line", "community")
NODE_EXTRAS = ("score", "degree", "distance", "edge", "reason", "is_public", "likeness", "lines", "text")
EDGE_KEYS = ("source", "target", "kind", "evidence", "line")

LONGEST_PATH = 4_096
"""Characters, as Linux has it."""


def knowledge_query(
    memory: Memory,
    operation: GraphOperation,
    name: GraphSymbol = "",
    target: GraphTarget = "",
    query: SymbolWords = "",
    goal: Goal = "",
    diff: Diff = "",
    depth: GraphDepth = 0,
    layer: GraphLayerName = "repository",
    limit: GraphLimit = 20,
) -> Reply:
    """
    Ask the code graph instead of grepping: search (query), hub_nodes, neighbors, shortest_path (name to target),
    callers, callees, impact (name or diff: what feels a change, tests to run), communities, goal_directed (from
    name towards a goal in words), dead_code, cycles, sessions (that touched a file or symbol, and what they claimed).

    Callers are "at least N, M unresolved": look at the unresolved ones before you say that nobody calls it. Every
    answer has its place in the code. An unknown name is refused, with near ones.
    """
    request = GraphRequest(
        name=name, to=target, text=goal if operation == "goal_directed" else query, diff=diff, layer=layer,
        depth=depth or None, limit=limit,
    )  # fmt: skip
    _check(operation, request)
    question = OPERATIONS[operation]
    form = _ask(memory, question, request)
    return _quoted(text_of(question, form, shown=limit), _short(form, most=limit))


def _ask(memory: Memory, question: str, request: GraphRequest) -> Form:
    """Ask the graph of the tree as it is now, or say why it may be an older one."""
    graphs = memory.graphs()
    why_old = graphs.freshen() if request.layer == GraphLayer.REPOSITORY else ""
    form = graphs.ask(question, request)
    return form | {"notes": [*form["notes"], *([why_old] if why_old else [])]}


def knowledge_report(memory: Memory, layer: GraphLayerName = "repository") -> Reply:
    """
    Summarise the architecture as Markdown: hubs, communities and what joins them, import cycles, comments that say why,
    the share of unresolved calls, and questions worth asking. Read it before you work in an unknown repository.
    """
    form = _ask(memory, "report", GraphRequest(layer=layer))
    text = text_of("report", form)
    return _quoted(text, _short({key: value for key, value in form.items() if key != "markdown"}))


def knowledge_communities(
    memory: Memory,
    community: CommunityName = "",
    level: GraphLevel = 0,
    layer: GraphLayerName = "repository",
    limit: GraphLimit = 20,
) -> Reply:
    """
    List the groups of symbols that belong together, largest first, with their central symbols: the parts of a system as
    its code has them. With a community's id or name: its members and inner groups.
    """
    request = GraphRequest(name=community, level=None if community else level, layer=layer, limit=limit)
    form = _ask(memory, "communities", request)
    if not community:
        return _quoted(text_of("communities", form, shown=limit), _short(form, most=limit))
    members = [f"  {inline(one)}" for one in form["results"][0]["members"][:limit]]
    return _quoted("\n".join([text_of("communities", form, shown=limit), "members:", *members]), form)


def knowledge_graph_export(
    memory: Memory, format: ExportFormat = "json", path: ExportFile = "", layer: GraphLayerName = "repository"
) -> Reply:
    """
    Write the whole graph: json (node-link), graphml, cypher, or html (one page that opens offline, to look at). It goes
    into a new file below the project's root; without a path it is answered, if it is small.
    """
    asking = memory.graphs()
    if format == "json":
        text = json.dumps(asking.ask("export", GraphRequest(layer=layer)))
    else:
        text = asking.drawn(format, layer)
    form: dict[str, Any] = {"schema": {"name": "pckc.graph.file", "version": 1}, "coverage": {}, "format": format}
    if not path:
        if len(text) > INLINE_BYTES:
            raise InvalidInputError(
                f"this export has {len(text)} characters", remedy=f"name a file, such as path=graph.{format}"
            )
        return Reply(text=text, form={**form, "path": "", "text": text})
    file = _new_file(memory.engine.root, path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", errors="replace", newline="\n") as stream:
            stream.write(text)
    except OSError as error:
        raise BackendError(f"{path} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error
    return Reply(
        text=f"Written: {inline(str(file))}, {len(text) / 1e6:.1f} MB", form={**form, "path": str(file), "text": ""}
    )


def _new_file(root: Path, path: str) -> Path:
    """
    Return the file at *path* below *root*.

    Raises:
        InvalidInputError: It leads elsewhere, is no name that a file can have, or there is such a file: nothing is
            overwritten.
    """
    if len(path) > LONGEST_PATH:  # to resolve it takes the square of its length
        raise InvalidInputError(f"a path of {len(path)} characters is no file", remedy="name a path within the project")
    file = (root / path).resolve()
    if not file.is_relative_to(root.resolve()) or ".git" in file.relative_to(root.resolve()).parts:
        raise InvalidInputError(f"{path} is not below the project's root", remedy="name a path within the project")
    try:
        is_there = file.exists()
    except OSError as error:
        raise InvalidInputError(
            f"{path[:100]!r} cannot be a file: {error.strerror}", remedy="name a path within the project"
        ) from error
    if is_there:
        raise InvalidInputError(f"{path} is there already", remedy="name a new file")
    return file


def _check(operation: str, request: GraphRequest) -> None:
    """Refuse an operation without what it is about."""
    needed = {
        "search": request.text or request.name,
        "neighbors": request.name,
        "callers": request.name,
        "callees": request.name,
        "sessions": request.name,
        "shortest_path": request.name and request.to,
        "goal_directed": request.name and request.text,
        "impact": request.name or request.diff,
    }
    if operation in needed and not needed[operation]:
        what = {"search": "query", "shortest_path": "name and target", "goal_directed": "name and goal",
                "impact": "name or diff"}.get(operation, "name")  # fmt: skip
        raise InvalidInputError(f"{operation} needs {what}")


def _quoted(text: str, form: dict[str, Any]) -> Reply:
    return Reply(text="\n".join([OPENING, NOTICE, text, CLOSING]), form=form)


def _short(value: Any, *, most: int = MOST_LISTED) -> Any:
    """Return *value* with nodes, edges and lists cut to what a model needs; the rest is a question away."""
    if isinstance(value, list):
        return [_short(one, most=most) for one in value[:most]]
    if not isinstance(value, dict):
        return value
    if "qualified_name" in value:
        told = {key: _short(value[key], most=most) for key in NODE_EXTRAS if key in value}
        named = {"name": value["name"]} if value["layer"] == GraphLayer.SESSION else {}  # what a claim says
        return {key: value[key] for key in NODE_KEYS} | named | told
    if "evidence" in value and "origin" in value:
        places = {"sites": [f"{site['path']}:{site['line']}" for site in value["sites"][:3]]}
        node = {"node": _short(value["node"], most=most)} if "node" in value else {}
        return {key: value[key] for key in EDGE_KEYS} | places | node
    return {key: _short(one, most=most) for key, one in value.items() if key != "members"}


KNOWLEDGE_QUERY = Declaration(knowledge_query, "Ask the code graph")
KNOWLEDGE_REPORT = Declaration(knowledge_report, "Summarise the architecture")
KNOWLEDGE_COMMUNITIES = Declaration(knowledge_communities, "List the parts of the system")
KNOWLEDGE_GRAPH_EXPORT = Declaration(knowledge_graph_export, "Export the code graph", ADDS)
