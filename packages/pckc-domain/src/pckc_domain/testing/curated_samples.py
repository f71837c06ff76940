"""Values of curated knowledge for the contract suites."""

from datetime import datetime

from pckc_domain.model.distillation import Distillation
from pckc_domain.model.document import Document
from pckc_domain.model.gap import Gap, GapPriority, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict, VerdictKind
from pckc_domain.testing.samples import TIME


def distillation(
    owner_id: str,
    of: Document,
    *,
    attempts: int = 1,
    error: str = "",
    refused: int = 0,
    is_done: bool = False,
    at: datetime = TIME,
) -> Distillation:
    """Return what became of a chunk of *of*."""
    return Distillation(
        owner_id=owner_id,
        uri=of.uri,
        document_id=of.id,
        passage_id=f"psg_{owner_id}",
        distiller="rules",
        attempts=attempts,
        error=error,
        refused=refused,
        is_done=is_done,
        at=at,
    )


def verdict(
    claim_id: str,
    other_id: str = "",
    *,
    kind: VerdictKind = VerdictKind.CONTRADICTS,
    similarity: float | None = None,
    method: str = "rules",
    reason: str = "",
    at: datetime = TIME,
) -> Verdict:
    """Return a verdict on a claim beside another one."""
    return Verdict(
        claim_id=claim_id, other_id=other_id, kind=kind, similarity=similarity, method=method, reason=reason, at=at
    )


def gap(
    id: str,  # the field's name
    *,
    question: str = "Which port does the queue listen on?",
    reason: str = "",
    priority: GapPriority = GapPriority.MEDIUM,
    status: GapStatus = GapStatus.OPEN,
    raised_by: str = "agent",
    closed_by: tuple[str, ...] = (),
    created_at: datetime = TIME,
) -> Gap:
    """Return a question."""
    return Gap(
        id=id,
        question=question,
        reason=reason,
        priority=priority,
        status=status,
        raised_by=raised_by,
        closed_by=closed_by,
        created_at=created_at,
        updated_at=created_at,
    )


def trace(
    id: str,  # the field's name
    kind: TraceKind = TraceKind.OBSERVATION,
    *,
    text: str = "The queue is empty.",
    session_id: str = "",
    at: datetime = TIME,
) -> Trace:
    """Return a note."""
    return Trace(id=id, kind=kind, text=text, session_id=session_id, at=at)
