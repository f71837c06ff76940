"""``pckc graph build`` and ``pckc graph coverage``: make the stored graph, and say what of the tree is in it."""

import time
from argparse import Namespace
from typing import Any

from pckc_domain.model.graph import FileCoverage, GraphLayer, NodeKind
from pckc_domain.model.progress import ProgressListener
from pckc_domain.model.recall import IndexCoverage

from pckc_mcp.cli.output import counted, print_json, print_text, progress_bar
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, answer, graph_report_form
from pckc_mcp.graph.freshness import freshen
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Build, or list what is covered."""
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        if options.question == "build" and options.layer == GraphLayer.SESSION:
            form = _build_sessions(engine, progress)
        else:
            form = _build(engine, progress) if options.question == "build" else _coverage(engine, progress)
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text(_build_text(form) if options.question == "build" else _coverage_text(form))
    return 0


def _build(engine: Engine, progress: ProgressListener) -> Form:
    started = time.perf_counter()
    report = freshen(engine, progress, from_scratch=True)
    form = graph_report_form(report, seconds=time.perf_counter() - started)
    with engine.canonical.reading(engine.scope) as work:
        count = work.graph(engine.checkout.id, GraphLayer.REPOSITORY).links.count()
    return answer(
        "graph.build",
        {"graph": IndexCoverage(indexed=report.files - sum(report.skipped.values()), total=report.files)},
        project=engine.scope.project,
        root=str(engine.root),
        **form,
        nodes=sum(count.nodes.values()),
        edges=sum(count.edges.values()),
        open_calls=count.open_calls,
        external_calls=count.external_calls,
    )


def _build_sessions(engine: Engine, progress: ProgressListener) -> Form:
    started = time.perf_counter()
    engine.session_graph().run(engine.scope, from_scratch=True, progress=progress)
    seconds = round(time.perf_counter() - started, 3)
    with engine.canonical.reading(engine.scope) as work:
        count = work.graph("", GraphLayer.SESSION).links.count()
    sessions = count.nodes.get(NodeKind.SESSION, 0)
    return answer(
        "graph.build",
        {"graph": IndexCoverage(indexed=sessions, total=sessions)},
        project=engine.scope.project,
        layer=str(GraphLayer.SESSION),
        seconds=seconds,
        sessions=sessions,
        nodes=sum(count.nodes.values()),
        edges=sum(count.edges.values()),
    )


def _coverage(engine: Engine, progress: ProgressListener) -> Form:
    freshen(engine, progress)
    with engine.canonical.reading(engine.scope) as work:
        files = work.graph(engine.checkout.id, GraphLayer.REPOSITORY).files.coverage()
    read = sum(not file.skipped for file in files)
    return answer(
        "graph.coverage",
        {"graph": IndexCoverage(indexed=read, total=len(files))},
        files=[_file_form(file) for file in files],
    )


def _file_form(file: FileCoverage) -> Form:
    return {
        "path": file.path,
        "language": file.language,
        "read": not file.skipped,
        "skipped": file.skipped,
        "problems": list(file.problems),
    }


def _build_text(form: dict[str, Any]) -> str:
    if "sessions" in form:
        return (
            f"{counted(form['sessions'], 'session')} joined in {form['seconds']:.2f} s\n"
            f"  {form['nodes']} nodes, {form['edges']} edges"
        )
    lines = [
        f"{counted(form['read'], 'source file')} read in {form['seconds']:.2f} s",
        f"  {form['nodes']} nodes, {form['edges']} edges, {form['open_calls']} unresolved calls,"
        f" {form['external_calls']} calls to what is not in the repository",
    ]
    lines += [f"  skipped: {count} {reason}" for reason, count in form["skipped"].items()]
    return "\n".join(lines)


def _coverage_text(form: dict[str, Any]) -> str:
    coverage = form["coverage"]["graph"]
    lines = [f"{coverage['indexed']} of {counted(coverage['total'], 'source file')} read"]
    for file in form["files"]:
        lines += [f"  {file['path']}: skipped, {file['skipped']}"] if file["skipped"] else []
        lines += [f"  {file['path']}: {problem}" for problem in file["problems"]]
    return "\n".join(lines)
