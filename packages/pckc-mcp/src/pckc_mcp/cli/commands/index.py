"""``pckc index``: read the work tree, then embed what is new."""

from argparse import Namespace
from typing import Any

from pckc_mcp.cli.output import counted, note, print_json, print_text, progress_bar
from pckc_mcp.engine import Engine
from pckc_mcp.indexing import EmbedBudget, bring_up_to_date, left_to_embed
from pckc_mcp.locations import find_root
from pckc_mcp.opening import open_engine
from pckc_mcp.sync_mark import settings_stamp


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
        form = bring_up_to_date(
            engine,
            stamp=stamp,
            is_chosen=options.store is not None,
            say=note,
            from_scratch=options.from_scratch,
            is_embedding=embed,
            is_enough=EmbedBudget(options.embed_seconds).is_spent,
            progress=progress,
        )
        if options.json:
            print_json(form)
        elif not options.quiet:
            print_text(_text(form, engine, embed=embed))
    return 0


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
        left = left_to_embed(engine)
        more = f", {left} left for the next `pckc index` or the server" if left else ""
        lines.append(f"  {form['embedded']} changes embedded in {form['embed_seconds']:.2f} s{more}")
    return "\n".join(lines)
