"""``pckc verify``: follow proofs."""

from argparse import Namespace

from pckc_domain.model.proof import Liveness
from pckc_domain.usecases.verify import VerifyReport

from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.engine import open_engine
from pckc_mcp.forms import verify_form


def run(options: Namespace) -> int:
    """Verify and print; 1 when anything is changed or gone."""
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        verifier = engine.verifier()
        if options.ids:
            report = verifier.verify_passages(engine.scope, options.ids)
        else:
            report = verifier.verify_paths(engine.scope, uri_prefixes=tuple(options.path), progress=progress)
    if options.json:
        print_json(verify_form(report))
    else:
        print_text(_text(report))
    return 1 if report.counts.get(Liveness.CHANGED, 0) or report.counts.get(Liveness.GONE, 0) else 0


def _text(report: VerifyReport) -> str:
    counts = ", ".join(f"{report.counts.get(liveness, 0)} {liveness}" for liveness in Liveness)
    lines = [counts]
    lines += [
        f"{check.liveness:8}{check.proof.claim_id}  {check.source_ref}  {check.reason}" for check in report.checks
    ]
    return "\n".join(lines)
