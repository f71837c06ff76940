"""``pckc index``: read the work tree, then embed what is new."""

import time
from argparse import Namespace
from typing import Any

from pckc_domain.errors import PckcError
from pckc_domain.usecases.index import IndexReport

from pckc_mcp.cli.output import counted, note, print_json, print_text, progress_bar
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import Form, graph_report_form, index_form
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.locations import find_root
from pckc_mcp.sync_mark import SyncMark, settings_stamp, write_mark


def run(options: Namespace) -> int:
    """Index and print what was done."""
    return index(options, embed=not options.no_embed)


def index(options: Namespace, *, embed: bool) -> int:
    """Bring the index up to date, with the vectors when *embed* is asked for."""
    stamp = settings_stamp(find_root(options.project))  # before they are read: a change meanwhile must be seen later
    with (
        open_engine(options.project, store=options.store, with_semantic=embed) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        take_in_if_possible(engine)
        started = time.perf_counter()
        report = engine.indexer().run(
            engine.scope, checkout=engine.checkout, progress=progress, from_scratch=options.from_scratch
        )
        graph = _sync_graph(engine, report, options, progress)
        has_graph = engine.config.graph.enabled
        mark = SyncMark(str(engine.store or ""), options.store is not None, engine.scope.project, stamp, has_graph)
        write_mark(engine.root, mark)
        if report.indexed or report.removed:
            engine.claim_verifier().follow_code(engine.scope, progress=progress)
        seconds = time.perf_counter() - started
        embedded = _embed(engine, progress, options.embed_seconds) if embed else 0
        embed_seconds = time.perf_counter() - started - seconds
        if embed:
            _feed_graph_index(engine, progress, options.embed_seconds)
        form = index_form(report, embedded=embedded, seconds=seconds, embed_seconds=embed_seconds, graph=graph)
        if options.json:
            print_json(form)
        elif not options.quiet:
            print_text(_text(form, engine, embed=embed))
    return 0


def _sync_graph(engine: Engine, report: IndexReport, options: Namespace, progress: Any) -> Form | None:
    """Let the graph follow, if it is wanted; an index without it answers well already."""
    if not engine.config.graph.enabled:
        return None
    started = time.perf_counter()
    try:
        done = engine.graph_sync().run(
            engine.scope, indexed=report, from_scratch=options.from_scratch, progress=progress
        )
    except PckcError as error:
        note(f"pckc: the index is complete, the graph is not: {error.message}")
        return None
    return graph_report_form(done, seconds=time.perf_counter() - started)


def _embed(engine: Engine, progress: Any, seconds: float) -> int:
    """Embed what is new, for *seconds* at most: an index without all of its vectors answers well already."""
    projector = engine.projector()
    if projector is None:
        return 0
    end = time.monotonic() + seconds
    try:
        return projector.run(engine.scope, progress=progress, is_enough=lambda: time.monotonic() >= end)
    except PckcError as error:
        note(f"pckc: the index is complete, its vectors are not: {error.message}")
        return 0


def _feed_graph_index(engine: Engine, progress: Any, seconds: float) -> None:
    """Let the graph index follow, where there is one; questions are answered without it meanwhile."""
    from pckc_mcp.graph_feeding import feed_graph_index

    end = time.monotonic() + seconds
    try:
        feed_graph_index(engine, progress=progress, is_enough=lambda: time.monotonic() >= end)
    except PckcError as error:
        note(f"pckc: the index is complete, the graph index is not: {error.message}")


def _text(form: dict[str, Any], engine: Engine, *, embed: bool) -> str:
    skipped = ", ".join(f"{count} {reason}" for reason, count in form["skipped"].items())
    redacted = sum(form["redacted"].values())
    lines = [
        f"{form['root']} ({form['branch'] or 'no branch'})",
        f"  {counted(form['indexed'], 'file')} read, {form['unchanged']} unchanged, {form['removed']} removed"
        f" in {form['seconds']:.2f} s",
    ]
    if skipped:
        lines.append(f"  skipped: {skipped}")
    if form["facts_left_out"]:
        lines.append(f"  settings beyond the number that one file may claim: {form['facts_left_out']}")
    if graph := form["graph"]:
        read = counted(graph["read"], "source file")
        lines.append(f"  graph: {read} read, {graph['linked']} linked in {graph['seconds']:.2f} s")
    if redacted:
        lines.append(f"  secrets redacted: {redacted}")
    if embed and engine.semantic is None:
        lines.append(f"  lexical index only: {engine.why_no_embedder}")
    elif embed:
        left = _left(engine)
        more = f", {left} left for the next `pckc index` or the server" if left else ""
        lines.append(f"  {form['embedded']} changes embedded in {form['embed_seconds']:.2f} s{more}")
    return "\n".join(lines)


def _left(engine: Engine) -> int:
    if engine.semantic is None:
        return 0
    with engine.canonical.reading(engine.scope) as work:
        return engine.semantic.behind(work)
