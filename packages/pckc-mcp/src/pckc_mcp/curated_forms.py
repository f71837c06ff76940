"""The stable machine forms of curated knowledge: documents ingested, verdicts, gaps and traces."""

from typing import TYPE_CHECKING

from pckc_domain.errors import PckcError
from pckc_domain.model.gap import Gap
from pckc_domain.model.trace import Trace
from pckc_domain.model.verdict import Verdict, VerdictKind
from pckc_domain.policy.redaction import redact

from pckc_mcp.forms import Form, time_form

if TYPE_CHECKING:
    from pckc_domain.usecases.cross_check import CheckedClaim, CheckReport

    from pckc_mcp.ingesting import Ingested


def ingested_form(ingested: "Ingested") -> Form:
    """Return what became of one source."""
    if ingested.report is None:
        failure = ingested.failure or PckcError("it failed")
        said = {"error": redact(failure.message).text, "code": failure.code, "remedy": redact(failure.remedy).text}
        return {"source": redact(ingested.source).text, "uri": None, **said}
    report = ingested.report
    return {
        "source": redact(ingested.source).text,
        "uri": report.document.uri,
        "title": report.document.title,
        "type": str(report.document.kind),
        "unchanged": report.is_unchanged,
        "passages": report.passages,
        "claims": list(report.claim_ids),
        "duplicates": ingested.duplicates,
        "uncompared": ingested.uncompared,
        "ceased": report.ceased,
        "refused": report.refused,
        "failed": [{"place": one.place, "error": one.error} for one in report.failed],
        "pending": report.pending,
        "stopped": report.stopped,
        "redacted": dict(report.redacted),
        "notes": list(report.notes),
        "error": "",
        "code": "",
        "remedy": "",
    }


_PASSIVE = {
    VerdictKind.CORROBORATES: "corroborated",
    VerdictKind.CONTRADICTS: "contradicted",
    VerdictKind.DUPLICATE: "repeated",
}


def verdict_form(verdict: Verdict) -> Form:
    """Return one verdict with what it compared."""
    return {
        "claim": verdict.claim_id,
        "other": verdict.other_id,
        "verdict": str(verdict.kind),
        "similarity": verdict.similarity,
        "method": verdict.method,
        "reason": verdict.reason,
        "at": time_form(verdict.at),
    }


def verdict_text(verdict: Form, claim_id: str) -> str:
    """Return what a verdict finds, as seen from the claim *claim_id*, either of the two it names."""
    if verdict["claim"] == claim_id:
        return f"{verdict['verdict']} {verdict['other']}".rstrip()
    return f"{_PASSIVE[verdict['verdict']]} by {verdict['claim']}"


def check_form(report: "CheckReport") -> Form:
    """Return what a check of claims found."""
    return {
        "method": report.method,
        "counts": {str(kind): report.counts.get(kind, 0) for kind in VerdictKind},
        "checked": [_checked_form(one) for one in report.checked],
        "notes": list(report.notes),
    }


def _checked_form(one: "CheckedClaim") -> Form:
    return {
        "id": one.claim.id,
        "text": one.claim.text,
        "before": str(one.before),
        "status": str(one.claim.status),
        "status_reason": one.claim.status_reason,
        "confidence": one.claim.confidence,
        "verdicts": [verdict_form(verdict) for verdict in one.verdicts],
    }


def gap_form(gap: Gap) -> Form:
    """Return one gap."""
    return {
        "id": gap.id,
        "question": gap.question,
        "reason": gap.reason,
        "priority": str(gap.priority),
        "status": str(gap.status),
        "raised_by": gap.raised_by,
        "closed_by": list(gap.closed_by),
        "created_at": time_form(gap.created_at),
        "updated_at": time_form(gap.updated_at),
    }


def trace_form(trace: Trace) -> Form:
    """Return one trace."""
    return {
        "id": trace.id,
        "type": str(trace.kind),
        "text": trace.text,
        "session": trace.session_id,
        "at": time_form(trace.at),
    }


def gap_line(gap: Gap) -> str:
    """Return one gap as a line for people and models, without the words of others."""
    closed = f", answered by {', '.join(gap.closed_by)}" if gap.closed_by else ""
    return f"{gap.id} {gap.status}, {gap.priority}{closed}"
