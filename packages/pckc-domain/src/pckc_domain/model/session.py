"""Agent sessions: events, episodes and the evidence passages kept from them."""

from datetime import datetime
from enum import StrEnum

import attrs

from pckc_domain.model.scope import Branch


class EventKind(StrEnum):
    """What happened in a session."""

    PROMPT = "prompt"
    RESPONSE = "response"
    AGENT_MESSAGE = "agent_message"
    REASONING = "reasoning"
    TURN_CONTEXT = "turn_context"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    FILE_CHANGE = "file_change"
    COMMAND = "command"
    TEST_RESULT = "test_result"
    ERROR = "error"
    ANNOTATION = "annotation"
    SUMMARY = "summary"


HOOKED = "hook:"
"""Start of the source id of an event that a host's hook told: the session's transcript may tell the same again."""


@attrs.frozen(kw_only=True)
class Event:
    """
    One thing that happened in a session.

    Attributes:
        id: Hash of host, source id and part (or session, position, kind and text): a replayed record is the same event.
        session_id: The session it belongs to.
        seq: Position in the session's transcript, from 0. Unique in one transcript; a record that stands in several
            has the same id in each, and may have another seq.
        kind: What happened.
        time: When, aware UTC; ``None`` when the record does not say.
        text: What was said or done: a tool call's name and arguments, a command line, the new text or patch of a
            change, the output of a tool or test. Never blank, without lone surrogates. Redacted before it is stored.
        speaker: Who spoke, when more than user and agent take part; ``""`` otherwise.
        tool: Name of the tool called; ``""`` when none was.
        exit_code: Of a command or test, when known and its own; 1 for a tool's failure without a number.
        path: File it is about, as recorded; ``""`` when none.
        branch: Git branch at that time; ``""`` when unknown.
        source_id: Id in the transcript; ``""`` when it has none.
        is_sidechain: Said by or to a sub-agent: never a user's word.
        is_replay: A copy of another session's record.
    """

    id: str
    session_id: str
    seq: int
    kind: EventKind
    time: datetime | None
    text: str
    speaker: str = ""
    tool: str = ""
    exit_code: int | None = None
    path: str = ""
    branch: str = ""
    source_id: str = ""
    is_sidechain: bool = False
    is_replay: bool = False


GEMINI_HASH = "gemini-hash:"


@attrs.frozen(kw_only=True)
class Session:
    """
    One run of an agent, or one conversation.

    Attributes:
        id: Hash of scope, host and the host's own session id.
        source_id: The host's own session id.
        host: claude, codex, gemini, dsh or plain.
        started_at: Earliest time of an event, aware UTC; ``None`` when no event has a time.
        ended_at: Latest time of an event so far.
        cwd: Working directory as recorded first; `GEMINI_HASH` and its digest when the host names no more than the
            SHA-256 of its path, ``""`` when unknown.
        branch: Branch provenance.
        parent_id: The session that started this one as a sub-agent or fork; ``""`` when none.
        title: Human name.
    """

    id: str
    source_id: str
    host: str
    started_at: datetime | None
    ended_at: datetime | None = None
    cwd: str = ""
    branch: Branch = attrs.field(factory=Branch)
    parent_id: str = ""
    title: str = ""


class EpisodeKind(StrEnum):
    """What an episode is about."""

    CONVERSATION = "conversation"
    IMPLEMENTATION = "implementation"
    DEBUGGING = "debugging"


@attrs.frozen(kw_only=True)
class Episode:
    """A run of events of one kind; *first_seq* and *last_seq* are inclusive."""

    id: str
    session_id: str
    kind: EpisodeKind
    first_seq: int
    last_seq: int
    started_at: datetime | None
    ended_at: datetime | None


@attrs.frozen(kw_only=True)
class Evidence:
    """
    A verbatim, redacted passage of one event, searchable.

    Attributes:
        id: Hash of event id and position.
        session_id: The session it belongs to.
        episode_id: The episode it belongs to.
        event_id: The event it is cut from.
        seq: That event's position.
        source_id: That event's id in its transcript; ``""`` when it has none.
        kind: That event's kind.
        speaker: Who spoke; ``sub-agent`` for a prompt between agents, ``""`` when only the kind tells.
        time: That event's time.
        text: Redacted text.
        start: First character within the event's redacted text.
        end: One past the last character.
        terms: Extra search terms.
    """

    id: str
    session_id: str
    episode_id: str
    event_id: str
    seq: int
    source_id: str = ""
    kind: EventKind
    speaker: str = ""
    time: datetime | None
    text: str
    start: int
    end: int
    terms: str = ""
