"""``pckc verify``: follow proofs of claims and passages."""

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.proof import Liveness, ProofCheck
from pckc_domain.policy.rendering import inline, set_apart
from pckc_domain.usecases.verify import VerifyReport

from pckc_mcp.cli.output import counted, print_json, print_text, progress_bar, quoted
from pckc_mcp.cli.places import prefixes
from pckc_mcp.curated_forms import check_form, verdict_text
from pckc_mcp.engine import Engine
from pckc_mcp.explaining import CLAIM_PREFIX, is_symbol
from pckc_mcp.forms import Form, answer, verify_form
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Verify and print; 1 when anything is changed or gone, or with --cross contradicted."""
    if options.cross:
        return _cross(options)
    ids = [*options.ids, *(_ids_of_pack(options.pack) if options.pack else [])]
    with (
        open_engine(options.project, store=options.store, with_semantic=False) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        if options.pack or options.ids:
            report = verify_ids(engine, ids)
        else:
            below = tuple(prefixes(engine, options.path, quiet=options.quiet))
            passages = engine.verifier().verify_paths(
                engine.scope, checkout_id=engine.checkout.id, uri_prefixes=below, progress=progress
            )
            reports = [passages]
            if not options.path:
                reports.append(_suspicious(engine.claim_verifier().verify_current(engine.scope, progress=progress)))
            report = _joined(reports)
    if options.json:
        print_json(verify_form(report))
    else:
        print_text(_text(report))
    return 1 if report.counts.get(Liveness.CHANGED, 0) or report.counts.get(Liveness.GONE, 0) else 0


def _cross(options: Namespace) -> int:
    """Compare claims with those nearest to them, and print the verdicts."""
    with (
        open_engine(options.project, store=options.store) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        checker = engine.cross_checker()
        if options.ids:
            report = checker.check(engine.scope, options.ids, progress=progress)
        else:
            report = checker.check_candidates(engine.scope, limit=options.limit, progress=progress)
        form = answer("cross_check", {}, **check_form(report))
    if options.json:
        print_json(form)
    else:
        print_text(_cross_text(form))
    return 1 if form["counts"]["contradicts"] else 0


def _cross_text(form: Form) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in form["counts"].items())
    lines = [f"{counted(len(form['checked']), 'claim')} judged by {form['method']}: {counts}"]
    lines += [f"note: {inline(note)}" for note in form["notes"]]
    for one in form["checked"]:
        changed = "" if one["before"] == one["status"] else f" -> {one['status']}"
        lines += [f"{one['id']}  {one['before']}{changed}", quoted(one["text"], most=200)]
        for verdict in one["verdicts"]:
            similarity = "" if verdict["similarity"] is None else f", cosine {verdict['similarity']:.3f}"
            found = verdict_text(verdict, one["id"])
            lines.append(f"    {found} ({verdict['method']}{similarity}) {inline(verdict['reason'])}")
    return "\n".join(lines)


def verify_ids(engine: Engine, ids: Sequence[str]) -> VerifyReport:
    """
    Follow the proofs of claims, passages and symbols, told apart by their ids; a symbol's proof is its paragraph.

    Raises:
        NotFoundError: An id is not stored.
    """
    claims = [item for item in ids if item.startswith(CLAIM_PREFIX)]
    symbols = [item for item in ids if is_symbol(item)]
    passages = [item for item in ids if not item.startswith(CLAIM_PREFIX) and not is_symbol(item)]
    if symbols:
        proofs = engine.symbol_explainer().paragraphs(engine.scope, symbols, checkout_id=engine.checkout.id)
        passages += dict.fromkeys(stored.passage.id for stored in proofs.values())
    reports = []
    if claims:
        reports.append(engine.claim_verifier().verify(engine.scope, claims))
    if passages:
        reports.append(engine.verifier().verify_passages(engine.scope, passages))
    return _joined(reports)


def _joined(reports: Sequence[VerifyReport]) -> VerifyReport:
    counts: Counter[Liveness] = Counter()
    for report in reports:
        counts.update(report.counts)
    return VerifyReport(checks=tuple(check for report in reports for check in report.checks), counts=counts)


def _suspicious(report: VerifyReport) -> VerifyReport:
    """Of many proofs only those that are not live are worth a line."""
    checks = tuple(check for check in report.checks if check.liveness is not Liveness.LIVE)
    return VerifyReport(checks=checks, counts=report.counts)


def _ids_of_pack(file: Path) -> list[str]:
    """Read the ids of every claim and passage of a context that was saved with --json."""
    try:
        pack: Any = json.loads(file.read_text(encoding="utf-8"))
        return [str(item["id"]) for item in [*pack["claims"], *pack["passages"]]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            f"{file} holds no pack: {error}", remedy="save one with `pckc context TASK --json`"
        ) from error


def _text(report: VerifyReport) -> str:
    counts = ", ".join(f"{report.counts.get(liveness, 0)} {liveness}" for liveness in Liveness)
    lines = [counts]
    for check in report.checks:
        own, foreign = set_apart(_places(check))
        place = " -> ".join(own) or "cited"
        lines += [f"{check.liveness:8}{check.proof.claim_id}  {place}  {inline(check.reason)}", *foreign]
    return "\n".join(lines)


def _places(check: ProofCheck) -> list[str]:
    """Return where the proof was, and where it is now when it moved."""
    was, found = check.proof.source_ref, check.source_ref
    return [was, found] if check.liveness is Liveness.MOVED and found != was else [found]
