"""What has outlived its use in a store, and how much space it takes: reports, before and after something is done."""

from typing import TYPE_CHECKING

import attrs

from pckc_mcp.forms import Form, answer

if TYPE_CHECKING:
    from pckc_domain.usecases.retention import OutlivedGroup, RetentionReport

    from pckc_mcp.engine import Engine

WHY = {
    "candidate": "said in a session and confirmed by nobody",
    "stale": "claims whose proofs hold no longer",
    "superseded": "claims that another one replaced",
    "stale version": "versions of files that no work tree holds",
}


def retention_report(engine: "Engine") -> Form:
    """Return what may go now: ``groups[]{kind, why, days, count, oldest, kept}``, ``total``, ``protected``."""
    return _retention_form(engine.retention().report(engine.scope), is_applied=False)


def apply_retention(engine: "Engine") -> Form:
    """Erase what may go and return it, in the form of `retention_report`."""
    return _retention_form(engine.retention().apply(engine.scope), is_applied=True)


def retention_text(form: Form) -> str:
    """Return the report for people."""
    done = "erased" if form["is_applied"] else "may go"
    lines = [f"{form['total']} {done}"]
    for group in form["groups"]:
        oldest = f", the oldest since {group['oldest'][:10]}" if group["oldest"] else ""
        kept = f"; {group['kept']} kept, something else rests on them" if group["kept"] else ""
        lines.append(f"  {group['count']:6} {group['why']}, for more than {group['days']} days{oldest}{kept}")
    lines.append(
        f"kept for good: {', '.join(form['protected'])}, standing rules, and what people pinned, archived or rejected"
    )
    return "\n".join(lines)


def compaction_report(engine: "Engine") -> Form:
    """Return how large the store is and what would make it smaller: ``bytes``, ``stale_passages``, ``outlived``."""
    info = engine.canonical.info()
    with engine.canonical.reading(engine.scope) as work:
        stale = sum(count.stale for count in work.passages.count().values())
    return answer(
        "compaction",
        {},
        backend=info.backend,
        location=info.location,
        bytes=info.size_bytes,
        stale_passages=stale,
        outlived=engine.retention().report(engine.scope).count,
    )


def compaction_text(form: Form) -> str:
    """Return the report for people."""
    return "\n".join(
        [
            f"{form['location']} ({form['backend']}): {form['bytes'] / 1e6:.1f} MB",
            f"  {form['stale_passages']} passages of versions of files that no work tree holds",
            f"  {form['outlived']} claims and versions have outlived their use: `pckc retention` lists why",
            "`pckc compact` gives back what was erased",
        ]
    )


def _retention_form(report: "RetentionReport", *, is_applied: bool) -> Form:
    return answer(
        "retention",
        {},
        is_applied=is_applied,
        total=report.count,
        groups=[_group_form(group) for group in report.groups],
        protected=list(report.protected),
    )


def _group_form(group: "OutlivedGroup") -> Form:
    oldest = group.oldest.isoformat() if group.oldest else None
    return attrs.asdict(group) | {"kind": str(group.kind), "why": WHY[group.kind], "oldest": oldest}
