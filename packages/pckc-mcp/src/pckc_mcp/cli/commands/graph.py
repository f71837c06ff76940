"""``pckc graph``: who calls, what is near, what a change touches; and the whole graph."""

import gc
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from pckc_domain.policy.graph.queries import GraphQueries
from pckc_domain.usecases.graph import BuiltGraph

from pckc_mcp import graph_forms
from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.engine import open_engine
from pckc_mcp.forms import Form


def run(options: Namespace) -> int:
    """Answer one question, or keep the graph."""
    if options.question in ("build", "coverage"):
        from pckc_mcp.cli.commands import graph_keeping

        return graph_keeping.run(options)
    gc.disable()  # millions of values that live to the end: looking for garbage takes a third of the time
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        built = engine.graph_builder().build(languages=options.language, progress=progress)
    form = _ANSWERS[options.question](built, options)
    if options.json or options.question == "export":
        print_json(form)
    else:
        print_text(_TEXTS[options.question](form))
    return 0


def _export(built: BuiltGraph, _: Namespace) -> Form:
    return graph_forms.export_form(built)


def _callers(built: BuiltGraph, options: Namespace) -> Form:
    queries = GraphQueries(built.graph)
    nodes = queries.find(options.name)
    return graph_forms.calls_form("graph.callers", built, nodes, queries.callers(nodes), end="source")


def _callees(built: BuiltGraph, options: Namespace) -> Form:
    queries = GraphQueries(built.graph)
    nodes = queries.find(options.name)
    return graph_forms.calls_form("graph.callees", built, nodes, queries.callees(nodes), end="target")


def _neighbors(built: BuiltGraph, options: Namespace) -> Form:
    queries = GraphQueries(built.graph)
    nodes = queries.find(options.name)
    reached = queries.neighbors(nodes, depth=options.depth)
    return graph_forms.reached_form("graph.neighbors", built, nodes, reached)


def _impact(built: BuiltGraph, options: Namespace) -> Form:
    queries = GraphQueries(built.graph)
    nodes = queries.find(options.name)
    return graph_forms.impact_form(built, nodes, queries.impact(nodes))


def _path(built: BuiltGraph, options: Namespace) -> Form:
    queries = GraphQueries(built.graph)
    sources, targets = queries.find(options.name), queries.find(options.to)
    return graph_forms.path_form(built, sources, targets, queries.path(sources, targets))


_ANSWERS: dict[str, Callable[[BuiltGraph, Namespace], Form]] = {
    "export": _export,
    "callers": _callers,
    "callees": _callees,
    "neighbors": _neighbors,
    "impact": _impact,
    "path": _path,
}


def _calls_text(form: dict[str, Any]) -> str:
    lines = [f"at least {form['at_least']}, {form['unresolved_count']} unresolved"]
    lines += [
        f"  {one['node']['qualified_name']}  {one['node']['path']}:{one['line']}  [{one['evidence']}]"
        for one in form["results"]
    ]
    lines += [f"  ? {one['name']}  {one['path']}:{one['line']}" for one in form["unresolved"]]
    return "\n".join(lines)


def _reached_text(form: dict[str, Any]) -> str:
    lines = [f"{len(form['results'])} found"]
    lines += [
        f"  {one['distance']}  {one['qualified_name']}  {one['path']}:{one['start_line']}  [{one['edge']['kind']}]"
        for one in form["results"]
    ]
    lines += [f"  run {path}" for path in form.get("tests", ())]
    return "\n".join(lines)


def _path_text(form: dict[str, Any]) -> str:
    if not form["found"]:
        return "no way leads there"
    names = [node["qualified_name"] for node in form["nodes"]]
    steps = [f"  {edge['kind']} {name}" for edge, name in zip(form["edges"], names[1:], strict=True)]
    return "\n".join([names[0], *steps])


_TEXTS: dict[str, Callable[[Form], str]] = {
    "callers": _calls_text,
    "callees": _calls_text,
    "neighbors": _reached_text,
    "impact": _reached_text,
    "path": _path_text,
}
