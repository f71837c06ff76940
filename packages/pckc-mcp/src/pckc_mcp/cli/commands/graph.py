"""``pckc graph``: who calls, what is near, what a change touches; and the whole graph in many forms."""

import gc
import sys
from argparse import Namespace
from pathlib import Path

from pckc_domain.errors import BackendError, InvalidInputError
from pckc_domain.model.graph import GraphLayer

from pckc_mcp.cli.output import note, print_json, print_text, progress_bar
from pckc_mcp.graph.asking import GraphAsking
from pckc_mcp.graph.request import GraphRequest
from pckc_mcp.graph.text import text_of
from pckc_mcp.opening import open_engine
from pckc_mcp.system_errors import remedy_of

NAMED = ("neighbors", "callers", "callees", "goal", "path", "sessions")
DIFF_SUFFIXES = (".diff", ".patch")


def run(options: Namespace) -> int:
    """Bring the graph up to date and answer one question, or keep the graph."""
    if options.question in ("build", "coverage"):
        from pckc_mcp.cli.commands import graph_keeping

        return graph_keeping.run(options)
    _check(options)
    with (
        open_engine(options.project, store=options.store, with_semantic=options.semantic == "always") as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        if options.layer == GraphLayer.REPOSITORY and not options.no_sync:
            from pckc_mcp.graph.freshness import freshen

            freshen(engine, progress)
        gc.disable()  # all that comes now stays to the end: looking for garbage in it would take as long as the answer
        asking = GraphAsking(engine, embedder=engine.semantic.embedder if engine.semantic else None)
        if options.question == "export":
            return _export(asking, options)
        form = asking.ask(options.question, _request(options))
    if why := form.get("why_no_graph_index"):
        note(f"pckc: answered without the graph index: {why}")
    if options.json:
        print_json(form)
    else:
        print_text(text_of(options.question, form, shown=options.limit or 40))
    return 0


def _check(options: Namespace) -> None:
    if options.question in NAMED and not options.name:
        raise InvalidInputError(
            f"{options.question} needs a name", remedy=f"such as `pckc graph {options.question} Cart.add`"
        )
    if options.question in ("path", "goal") and not options.to:
        what = "where it leads" if options.question == "path" else "a goal in words"
        raise InvalidInputError(f"{options.question} needs a second argument: {what}")
    if options.question == "impact" and bool(options.name) == bool(options.diff):
        what = "either a name or --diff, not both" if options.name else "a name, or --diff"
        raise InvalidInputError(f"impact needs {what}", remedy="`pckc graph impact --diff HEAD`")
    if options.diff and options.question != "impact":
        raise InvalidInputError("--diff is for impact", remedy="`pckc graph impact --diff HEAD`")
    if options.question == "search" and not options.name:
        raise InvalidInputError("search needs words")


def _request(options: Namespace) -> GraphRequest:
    return GraphRequest(
        name=options.name,
        to=options.to,
        diff=_diff(options.diff) if options.diff else "",
        layer=options.layer,
        depth=options.depth,
        limit=options.limit,
        kind=options.kind,
        level=options.level,
        language=tuple(options.language),
        inferred=options.inferred,
    )


def _diff(given: str) -> str:
    """Return the text of a file with a diff, or of stdin; else *given*, which is a revision then."""
    if given != "-" and not Path(given).is_file():
        return given
    try:
        data = sys.stdin.buffer.read() if given == "-" else Path(given).read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{given} cannot be read: {error.strerror}", remedy=remedy_of(error)) from error
    if not data.strip():
        raise InvalidInputError("the diff is empty: nothing changed")
    return data.decode("utf-8", "replace").rstrip("\n") + "\n\n"


def _export(asking: GraphAsking, options: Namespace) -> int:
    if options.format == "json" or options.json:
        form = asking.ask("export", _request(options))
        if not options.output:
            print_json(form)
            return 0
        import json

        text = json.dumps(form) + "\n"
    else:
        text = asking.drawn(options.format, options.layer, languages=options.language)
    if not options.output:
        sys.stdout.write(text)
        return 0
    try:
        options.output.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise BackendError(f"{options.output} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error
    if not options.quiet:
        note(f"{options.output}: {len(text.encode('utf-8', 'replace')) / 1e6:.1f} MB")
    return 0
