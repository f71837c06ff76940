"""``pckc import``: read agent sessions into durable, proven belief."""

import os
import time
from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from hashlib import sha256
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.session import GEMINI_HASH
from pckc_domain.ports.transcripts import TranscriptFile
from pckc_domain.usecases.remember import Importer, ImportReport, ImportRequest

from pckc_mcp.cli.output import counted, print_json, print_text, progress_bar
from pckc_mcp.engine import Engine
from pckc_mcp.forms import import_form
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.times import parse_time

DEFAULT_FILES_UNASKED = 200
"""A first import of more files than this from the hosts' own places asks for ``--yes``."""


def run(options: Namespace) -> int:
    """Import and print what was read, skipped, admitted and rejected."""
    started = time.perf_counter()
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        if not options.dry_run:
            take_in_if_possible(engine)
        files = _files(engine, options)
        request = _request(options, engine, files)
        importer = engine.importer()
        known = _claims(engine)
        if options.dry_run:
            report = importer.preview(engine.scope, request)
        else:
            _confirm(options, files)
            report = _import(engine, importer, request, options)
            if report.sessions:
                engine.claim_verifier().follow_code(engine.scope)
                engine.gap_keeper().close_answered(engine.scope)
        new = max(0, _claims(engine) - known)
    seconds = time.perf_counter() - started
    form = import_form(report, new_claims=new, seconds=seconds, is_dry_run=options.dry_run)
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text(_text(form))
    return 0


def _claims(engine: Engine) -> int:
    with engine.canonical.reading(engine.scope) as work:
        return sum(work.census.claims().values())


def _files(engine: Engine, options: Namespace) -> list[TranscriptFile]:
    roots = [*map(str, options.paths), *options.roots]
    found = list(engine.backends.transcripts.find(roots, format=options.format))
    if options.host:
        found = [file for file in found if file.format in options.host]
    if options.since:
        since_ns = parse_time(options.since).timestamp() * 1e9
        found = [file for file in found if file.mtime_ns >= since_ns]
    if options.max_files is not None:
        found = sorted(found, key=lambda file: (-file.mtime_ns, file.path))[: options.max_files]
    return sorted(found, key=lambda file: file.path)


def _request(options: Namespace, engine: Engine, files: Sequence[TranscriptFile]) -> ImportRequest:
    is_named = bool(options.paths or options.roots or options.all_projects)
    since = parse_time(options.from_) if options.from_ else None
    until = parse_time(options.to) if options.to else None
    if since and until and since > until:
        raise InvalidInputError(f"--from {options.from_} is later than --to {options.to}", remedy="swap them")
    return ImportRequest(
        files=files,
        folders=None if is_named else _work_trees(engine),
        since=since,
        until=until,
        is_fresh=options.fresh,
        commit_events=options.batch_size,
    )


def _work_trees(engine: Engine) -> tuple[str, ...]:
    """Sessions found in the hosts' own places belong here when they ran in one of this project's work trees."""
    with engine.canonical.reading(engine.scope) as work:
        folders = [str(engine.root), *(checkout.root for checkout in work.manifest.checkouts())]
    return (*folders, *(GEMINI_HASH + sha256(os.fsencode(folder)).hexdigest() for folder in folders))


def _confirm(options: Namespace, files: Sequence[TranscriptFile]) -> None:
    if len(files) > DEFAULT_FILES_UNASKED and not (options.yes or options.paths or options.roots):
        raise InvalidInputError(
            f"{len(files)} transcripts were found", remedy="look with --dry-run, then import with --yes or --max-files"
        )


def _import(engine: Engine, importer: Importer, request: ImportRequest, options: Namespace) -> ImportReport:
    with progress_bar(quiet=options.quiet) as progress:
        if options.concurrency <= 1 or len(request.files) <= 1:
            return importer.run(engine.scope, request, progress=progress)
        report = _read_in_processes(engine, request, options.concurrency)
        return report.plus(importer.derive(engine.scope, progress=progress))


def _read_in_processes(engine: Engine, request: ImportRequest, processes: int) -> ImportReport:
    """Several processes read a share of the files each into the one store; deriving is left to the caller."""
    shares = [attrs.evolve(request, files=request.files[number::processes]) for number in range(processes)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        reports = pool.map(_read_share, repeat(engine.root), repeat(engine.store), [s for s in shares if s.files])
        return reduce(ImportReport.plus, reports)


def _read_share(project: Path, store: Path | None, request: ImportRequest) -> ImportReport:
    with open_engine(project, store=store, with_semantic=False) as engine:
        return engine.importer().read(engine.scope, request)


def _text(form: dict[str, Any]) -> str:
    files = f"{counted(form['files'], 'transcript')} ({form['unchanged']} unchanged)"
    events = f"  events      {sum(form['events'].values())}: {_counts(form['events'])}"
    if form["dry_run"]:
        read = f"{files}, {counted(form['sessions'], 'session')} in {form['seconds']:.2f} s"
        lines = [f"{read}; dry run: nothing stored, no claims read", events]
    else:
        lines = [
            f"{files}, {counted(form['sessions'], 'session')} with news in {form['seconds']:.2f} s",
            events,
            f"  duplicates  {form['duplicates']}",
            f"  evidence    {form['evidence']} passages of the sessions read",
            f"  admitted    {sum(form['admitted'].values())} statements of the sessions read:"
            f" {_counts(form['admitted'])}",
            f"  claims      {form['new_claims']} more than before",
        ]
    if form["skipped"]:
        lines.append(f"  skipped     {_counts(form['skipped'])}")
    if form["rejected"]:
        lines.append(f"  rejected    {_counts(form['rejected'])}")
    if form["redacted"]:
        lines.append(f"  redacted    {_counts(form['redacted'])}")
    return "\n".join(lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
