"""``pckc rebuild``: make projections anew from the store, while the old ones serve."""

from argparse import Namespace

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.usecases.projecting import Projection
from pckc_domain.usecases.rebuild import Rebuilder, RebuildReport

from pckc_mcp.cli.output import note, print_json, print_text, progress_bar
from pckc_mcp.cli.parser import PROJECTIONS
from pckc_mcp.engine import Engine
from pckc_mcp.forms import answer
from pckc_mcp.opening import open_engine
from pckc_mcp.workers import this_worker


def run(options: Namespace) -> int:
    """Rebuild and print the counts of the old index, the new one and the store; 1 when the last two do not agree."""
    with open_engine(options.project, store=options.store) as engine, progress_bar(quiet=options.quiet) as progress:
        wanted = _wanted(engine, options)
        worker = this_worker()
        reports = {
            name: Rebuilder(engine.canonical, projection, worker).run(engine.scope, progress=progress)
            for name, projection in wanted.items()
        }
        model = engine.semantic.embedder.space.model if engine.semantic else None
    if options.json:
        coverage = {name: IndexCoverage(indexed=report.after, total=report.wanted) for name, report in reports.items()}
        forms = {name: attrs.asdict(report) for name, report in reports.items()}
        print_json(answer("rebuild", coverage, embedder=model, rebuilt=forms))
    elif not options.quiet:
        print_text("\n".join(_line(name, report) for name, report in reports.items()))
    for name in (name for name, report in reports.items() if report.after != report.wanted):
        note(f"pckc: {name} hold another number of items than the store says; `pckc doctor` names what was set aside")
    return int(any(report.after != report.wanted for report in reports.values()))


def _wanted(engine: Engine, options: Namespace) -> dict[str, Projection]:
    """Return the projections asked for; ``--all`` means those that are configured."""
    configured = engine.projections()
    if options.all:
        return configured
    asked = [name for name in PROJECTIONS if getattr(options, name)]
    for name in asked:
        if name not in configured:
            why = engine.why_no_embedder if name == "vectors" else "no graph index is configured"
            remedy = "install the extra pckc-mcp[embedded]" if name == "vectors" else "set [graph_index] in pckc.toml"
            raise ConfigurationError(why, remedy=remedy)
    return {name: configured[name] for name in asked}


def _line(name: str, report: RebuildReport) -> str:
    how = "resumed, " if report.is_resumed else ""
    aside = f", {report.set_aside} changes set aside" if report.set_aside else ""
    return (
        f"{name}: {report.after} items, {report.wanted} wanted by the store, {report.before} before"
        f" ({how}{report.projected} changes projected{aside})"
    )
