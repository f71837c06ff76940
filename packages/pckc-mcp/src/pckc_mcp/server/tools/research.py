"""Research: gaps in what is known, and the traces of an agent's own work."""

from collections.abc import Sequence

from pckc_domain.model.gap import Gap, GapPriority, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote

from pckc_mcp.curated_forms import gap_form, gap_line, trace_form
from pckc_mcp.forms import answer, time_form
from pckc_mcp.requests import one_of
from pckc_mcp.server.arguments import (
    ClosedBy,
    GapId,
    GapReason,
    GapStatusName,
    Limit,
    Offset,
    PriorityName,
    Question,
    QuestionOrNot,
    TraceKindName,
    TraceKinds,
    TraceSession,
    TraceSessionOrAny,
    TraceText,
)
from pckc_mcp.server.declaration import ADDS, DECIDES, WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory


def memory_add_gap(
    memory: Memory, question: Question, reason: GapReason = "", priority: PriorityName = "medium"
) -> Reply:
    """Register a question that the memory does not answer. The same question again is the same gap."""
    engine = memory.engine
    level = one_of(GapPriority, priority or "medium", "priority")
    return _gaps([engine.gap_keeper().add(engine.scope, question, reason=reason, priority=level)])


def memory_list_gaps(memory: Memory, status: GapStatusName = "", limit: Limit = 20, offset: Offset = 0) -> Reply:
    """List research gaps, important ones first, then the oldest. Keep open, researching, closed or dismissed ones."""
    engine = memory.engine
    wanted = one_of(GapStatus, status, "status") if status else None
    return _gaps(engine.gap_keeper().list(engine.scope, status=wanted, limit=limit, offset=offset))


def memory_get_gap(memory: Memory, id: GapId) -> Reply:
    """Show one research gap, with the claims that closed it."""
    engine = memory.engine
    return _gaps([engine.gap_keeper().get(engine.scope, id)])


def memory_update_gap(
    memory: Memory,
    id: GapId,
    question: QuestionOrNot = "",
    reason: GapReason = "",
    priority: PriorityName = "",
    status: GapStatusName = "",
    closed_by: ClosedBy = (),
) -> Reply:
    """Edit a research gap: question, reason, priority or status; what is empty stays. Close it with what answers it."""
    engine = memory.engine
    gap = engine.gap_keeper().update(
        engine.scope,
        id,
        question=question or None,
        reason=reason or None,
        priority=one_of(GapPriority, priority, "priority") if priority else None,
        status=one_of(GapStatus, status, "status") if status else None,
        closed_by=closed_by or None,
    )
    return _gaps([gap])


def memory_delete_gap(memory: Memory, id: GapId) -> Reply:
    """Delete a research gap that should never have been raised; dismiss one that needs no answer."""
    engine = memory.engine
    engine.gap_keeper().delete(engine.scope, id)
    return Reply(text=f"deleted {inline(id)}", form=answer("gaps", {}, gaps=[], deleted=id))


def memory_add_trace(memory: Memory, kind: TraceKindName, text: TraceText, session_id: TraceSession = "") -> Reply:
    """Note your own plan, action, observation or reflection. Traces are yours: no search for knowledge finds them."""
    engine = memory.engine
    trace = engine.tracer().add(engine.scope, one_of(TraceKind, kind, "kind"), text, session_id=session_id)
    return _traces([trace])


def memory_list_traces(
    memory: Memory, kinds: TraceKinds = (), session_id: TraceSessionOrAny = "", limit: Limit = 20, offset: Offset = 0
) -> Reply:
    """List your traces (plans, actions, observations, reflections), the newest first."""
    engine = memory.engine
    wanted = [one_of(TraceKind, kind, "kinds") for kind in kinds]
    found = engine.tracer().list(engine.scope, kinds=wanted, session_id=session_id or None, limit=limit, offset=offset)
    return _traces(found)


def _gaps(gaps: Sequence[Gap]) -> Reply:
    lines = [OPENING, NOTICE]
    for gap in gaps:
        lines += [gap_line(gap), quote(gap.question), *([quote(f"because: {gap.reason}")] if gap.reason else [])]
    text = "\n".join([*lines, CLOSING]) if gaps else "No gaps."
    return Reply(text=text, form=answer("gaps", {}, gaps=[gap_form(gap) for gap in gaps]))


def _traces(traces: Sequence[Trace]) -> Reply:
    lines = [OPENING, NOTICE]
    for trace in traces:
        session = f" in {inline(trace.session_id)}" if trace.session_id else ""
        lines += [f"{time_form(trace.at)} {trace.kind} {trace.id}{session}", quote(trace.text)]
    text = "\n".join([*lines, CLOSING]) if traces else "No traces."
    return Reply(text=text, form=answer("traces", {}, traces=[trace_form(trace) for trace in traces]))


MEMORY_ADD_GAP = Declaration(memory_add_gap, "Register a research gap", WRITES)
MEMORY_LIST_GAPS = Declaration(memory_list_gaps, "List research gaps")
MEMORY_GET_GAP = Declaration(memory_get_gap, "Show a research gap")
MEMORY_UPDATE_GAP = Declaration(memory_update_gap, "Edit a research gap", WRITES)
MEMORY_DELETE_GAP = Declaration(memory_delete_gap, "Delete a research gap", DECIDES)
MEMORY_ADD_TRACE = Declaration(memory_add_trace, "Note a trace", ADDS)
MEMORY_LIST_TRACES = Declaration(memory_list_traces, "List traces")
