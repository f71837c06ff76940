"""``pckc ingest``: read documents, pages of the web or text into claims with citations."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.errors import BackendUnavailableError, InvalidInputError, NotFoundError
from pckc_domain.policy.rendering import inline, set_apart

from pckc_mcp.cli.main import EXIT_CODES
from pckc_mcp.cli.output import counted, note, print_json, print_text, progress_bar, quoted
from pckc_mcp.config import Config, load_config
from pckc_mcp.curated_forms import gap_form, ingested_form
from pckc_mcp.forms import answer
from pckc_mcp.indexing import EmbedBudget, embed
from pckc_mcp.ingesting import Ingested, Ingesting, Text
from pckc_mcp.locations import find_root
from pckc_mcp.opening import open_engine

GOES_ON = "the next `pckc ingest` or `pckc index`, `pckc worker` or the server goes on"


def run(options: Namespace) -> int:
    """Ingest and print what became of each source; see `_exit_code`."""
    sources = _sources(options)
    with (
        open_engine(options.project, store=options.store, config=_reading(options)) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        ingesting = Ingesting(engine)
        run = ingesting.run(sources, snippet=options.snippet, progress=progress)
        done = [_told(engine.root, source, one) for source, one in zip(sources, run, strict=True)]
        if options.retry:
            done += ingesting.resume(progress=progress)
        closed = ingesting.close_gaps(done)
        embed(engine, say=note, is_enough=EmbedBudget(options.embed_seconds).is_spent, progress=progress)
        done = ingesting.compared(done)
    form = answer("ingest", {}, documents=[ingested_form(one) for one in done], closed_gaps=[*map(gap_form, closed)])
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text("\n".join(map(_text, form["documents"])) or "nothing to do")
        for gap in closed:
            print_text(f"gap closed: {gap.id} by {', '.join(gap.closed_by)}\n{quoted(gap.question)}")
    return _exit_code(done)


def _exit_code(done: Sequence[Ingested]) -> int:
    """Return that of a distiller that stopped the run, else that of the only source's failure, else 1 for a failure."""
    if any(one.report is not None and one.report.stopped for one in done):
        return EXIT_CODES[BackendUnavailableError.code]
    failures = [one.failure for one in done if one.failure is not None]
    if len(done) == len(failures) == 1:
        return EXIT_CODES.get(failures[0].code, 1)
    return 1 if failures else 0


def _told(root: Path, source: str | Text, done: Ingested) -> Ingested:
    """Tell a person that a file is not there; agents do not learn which files there are."""
    if not isinstance(done.failure, InvalidInputError) or isinstance(source, Text) or "://" in source:
        return done
    if "\0" in source or any((folder / Path(source).expanduser()).exists() for folder in (Path(), root)):
        return done
    return attrs.evolve(done, failure=NotFoundError(f"there is no file {source!r}", remedy="check the path"))


def _reading(options: Namespace) -> Config:
    """Return the configuration with the folders of the files that a person has named: agents have only theirs."""
    root = find_root(options.project) if options.project.is_dir() else options.project
    config = load_config(root)
    slot = config.slots["documents"]
    folders = slot.settings.get("folders", [str(root)])
    named = [str(Path(source).resolve().parent) for source in options.sources if Path(source).exists()]
    settings = {**slot.settings, "folders": [*folders, *named]} if isinstance(folders, list) else slot.settings
    return attrs.evolve(config, slots={**config.slots, "documents": attrs.evolve(slot, settings=settings)})


def _sources(options: Namespace) -> list[str | Text]:
    found: list[str | Text] = [
        Text(text=sys.stdin.read(), name=options.name, title=options.title) if source == "-" else source
        for source in options.sources
    ]
    if options.text is not None:
        found.append(Text(text=options.text, name=options.name, title=options.title))
    if not found and not options.retry:
        raise InvalidInputError("nothing to ingest", remedy="name files or addresses, --text TEXT, or - for stdin")
    return found


def _text(form: dict[str, Any]) -> str:
    if form["error"]:
        return f"{inline(form['source'])}: {form['error']}" + (f"\n  {form['remedy']}" if form["remedy"] else "")
    _, at = set_apart([form["uri"]])
    lines = [f"{form['type']} document", *(f"  {line}" for line in at)]
    if form["title"]:
        lines.append(quoted(form["title"], most=160))
    if form["unchanged"]:
        lines.append("  unchanged")
    else:
        lines.append(
            f"  {counted(form['passages'], 'passage')}, {counted(len(form['claims']), 'claim')},"
            f" {form['duplicates']} said elsewhere already, {form['ceased']} said no longer"
        )
    if form["uncompared"]:
        lines.append(f"  {counted(form['uncompared'], 'claim')} not compared yet: {GOES_ON}")
    if form["refused"]:
        claims = counted(form["refused"], "claim")
        lines.append(f"  refused: {claims} that tell a secret, or without words in the document that say so")
    for one in form["failed"]:
        lines += [f"  failed: {inline(one['error'])}", quoted(f"at {one['place']}", most=160)]
    if form["stopped"]:
        lines.append(
            f"  stopped: {form['stopped']}; {counted(form['pending'], 'chunk')} left for `pckc ingest --retry`"
        )
    if form["redacted"]:
        lines.append(f"  secrets redacted: {sum(form['redacted'].values())}")
    lines += [quoted(f"note: {note}") for note in form["notes"]]
    return "\n".join(lines)
