"""``session_start``, ``session_event_append``, ``session_end``: what a host's hooks record."""

import uuid

from pckc_mcp.forms import record_form
from pckc_mcp.requests import event_kind
from pckc_mcp.server.arguments import (
    Branch,
    EventId,
    EventKindName,
    EventPath,
    EventText,
    EventTime,
    ExitCode,
    Folder,
    Host,
    IsSidechain,
    SessionId,
    SourceId,
    Speaker,
    Title,
    ToolName,
)
from pckc_mcp.server.declaration import ADDS, WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.times import parse_time


def session_start(
    memory: Memory,
    host: Host = "plain",
    source_id: SourceId = "",
    cwd: Folder = "",
    branch: Branch = "",
    title: Title = "",
) -> Reply:
    """
    Start recording a session, or go on with a known one; answers the session_id that the other two calls need.

    For hosts and their hooks: an agent whose host records already does not call it.
    """
    engine = memory.engine
    session = engine.recorder().start(
        engine.scope,
        host=host,
        source_id=source_id or uuid.uuid4().hex,
        cwd=cwd or str(engine.root),
        branch=branch or engine.checkout.branch.name or "",
        title=title,
    )
    form = {
        "schema": {"name": "pckc.session", "version": 1},
        "coverage": {},
        "session_id": session.id,
        "source_id": session.source_id,
        "host": session.host,
    }
    return Reply(text=f"session_id {session.id}", form=form)


def session_event_append(
    memory: Memory,
    session_id: SessionId,
    kind: EventKindName,
    text: EventText,
    event_id: EventId = "",
    time: EventTime = "",
    speaker: Speaker = "",
    tool: ToolName = "",
    exit_code: ExitCode = None,
    path: EventPath = "",
    branch: Branch = "",
    is_sidechain: IsSidechain = False,
) -> Reply:
    """
    Append one event to a session; returns at once, nothing is derived. The same event_id twice is one event.

    Secrets are redacted first. Recalled memories, injected text and calls of memory tools are left out, and of
    reasoning only that there was some is kept.
    """
    from pckc_domain.usecases.record import NewEvent  # the claim rules would cost every start 50 ms

    engine = memory.engine
    new = NewEvent(
        kind=event_kind(kind),
        text=text,
        source_id=event_id,
        time=parse_time(time) if time else None,
        speaker=speaker,
        tool=tool,
        exit_code=exit_code,
        path=path,
        branch=branch,
        is_sidechain=is_sidechain,
    )
    recorded = engine.recorder().append(engine.scope, session_id, new)
    form = {
        "schema": {"name": "pckc.event", "version": 1},
        "coverage": {},
        "event_id": recorded.event_id,
        "is_new": recorded.is_new,
        "left_out": recorded.left_out,
        "redacted": dict(recorded.redacted),
    }
    known = f"event {recorded.event_id}{'' if recorded.is_new else ' (known already)'}"
    return Reply(text=f"left out: {recorded.left_out}" if recorded.left_out else known, form=form)


def session_end(memory: Memory, session_id: SessionId) -> Reply:
    """
    Read a recorded session to its end: episodes, evidence and claims are derived, contradictions and changed values
    settled. Answers what was admitted, what stays a candidate, and what was rejected and why.
    """
    engine = memory.engine
    report = engine.recorder().end(engine.scope, session_id)
    form = record_form(report)
    rejected = ", ".join(f"{count} {reason}" for reason, count in form["rejected"].items()) or "none"
    text = (
        f"{sum(form['events'].values())} events, {form['evidence']} evidence passages, {len(form['admitted'])} claims"
        f" admitted, {len(form['candidates'])} candidates; rejected: {rejected}"
    )
    return Reply(text=text, form=form)


SESSION_START = Declaration(session_start, "Start recording a session", WRITES)
SESSION_EVENT_APPEND = Declaration(session_event_append, "Append an event to a session", ADDS)
SESSION_END = Declaration(session_end, "End a recorded session", WRITES)
