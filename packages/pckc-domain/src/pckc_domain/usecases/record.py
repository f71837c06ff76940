"""Record a session while it goes on: start it, append events, and derive it at its end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.bounds import MAX_NAME_CHARACTERS
from pckc_domain.model.claim import ClaimStatus, Rejection
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import MAINLINE_NAMES, Branch, BranchScope, Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.evidence import why_not_evidence
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.usecases.remember import Deriver, merge_sessions, prepare_event, prepare_title


@attrs.frozen(kw_only=True)
class NewEvent:
    """
    Something that happened, as a host or an agent tells it.

    Attributes:
        kind: What happened.
        text: What was said or done.
        source_id: The host's id of it: what comes twice with the same one is one event. ``""`` when it has none.
        time: When; ``None`` means now.
        speaker: See `Event`.
        tool: See `Event`.
        exit_code: See `Event`.
        path: See `Event`.
        branch: See `Event`.
        is_sidechain: See `Event`.
    """

    kind: EventKind
    text: str
    source_id: str = ""
    time: datetime | None = None
    speaker: str = ""
    tool: str = ""
    exit_code: int | None = None
    path: str = ""
    branch: str = ""
    is_sidechain: bool = False


@attrs.frozen(kw_only=True)
class Recorded:
    """
    What became of an appended event.

    Attributes:
        event_id: Its id; ``""`` when it was left out.
        is_new: Whether it was stored now; ``False`` when it is known already or was left out.
        left_out: Why it is not recorded; ``""`` when it is.
        redacted: Kind of secret to number of places redacted.
    """

    event_id: str
    is_new: bool
    left_out: str = ""
    redacted: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class RecordReport:
    """
    What a recorded session amounts to.

    Attributes:
        session: The session.
        events: Events, by kind.
        evidence: Passages cut from them.
        admitted: Claims that people, tools or tests vouch for, closed ones included.
        candidates: Claims that only a model made.
        rejections: What did not become a claim, or no more than a candidate, and why.
    """

    session: Session
    events: Mapping[str, int]
    evidence: int
    admitted: tuple[StoredClaim, ...]
    candidates: tuple[StoredClaim, ...]
    rejections: tuple[Rejection, ...]


class Recorder:
    """
    Records sessions of one scope.

    Appending stores one event and nothing else; several processes may append to one session, whose events then stand
    in the order in which the store took them in.
    """

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def start(
        self,
        scope: Scope,
        *,
        host: str,
        source_id: str,
        cwd: str = "",
        branch: str = "",
        title: str = "",
        at: datetime | None = None,
    ) -> Session:
        """
        Start the session that *host* calls *source_id*, or go on with it: an importer of its transcript finds the same.

        Args:
            scope: Whose session it is.
            host: Name of the host.
            source_id: The host's id of the session.
            cwd: See `Session`.
            branch: Name of the branch that is checked out; ``""`` when unknown.
            title: See `Session`.
            at: When it started or went on; ``None`` means now.

        Raises:
            InvalidInputError: The host or the id is empty.
        """
        if not host.strip() or not source_id.strip():
            raise InvalidInputError("a session needs a host and an id of that host")
        host, source_id = _name(host), _name(source_id)
        now = at or self._clock.now()
        session = Session(
            id=content_id("session", scope.tenant, scope.project, host, source_id),
            source_id=source_id,
            host=host,
            started_at=now,
            ended_at=now,
            cwd=_storable(cwd),
            branch=_branch(_name(branch)),
            title=prepare_title(_name(title)),
        )
        with self._canonical.writing(scope) as work:
            known = work.sessions.get([session.id])
            session = merge_sessions(known[0], session) if known else session
            work.sessions.put(session, [])
        return session

    def append(self, scope: Scope, session_id: str, new: NewEvent) -> Recorded:
        """
        Store what happened, redacted, behind all that is stored of the session; recalled memories are left out.

        Raises:
            NotFoundError: The session was not started.
        """
        time = new.time or self._clock.now()
        with self._canonical.writing(scope) as work:
            session = _session(work, session_id)
            seq = _last_seq(work, session_id) + 1
            event = _event(session, new, seq, time)
            prepared = prepare_event(event, found := Counter[str]())
            if not prepared.text and not _is_listed(event.kind):
                return Recorded(event_id="", is_new=False, left_out=why_not_evidence(event) or "nothing of its own")
            told = attrs.evolve(session, started_at=time, ended_at=time)
            is_new = bool(work.sessions.put(merge_sessions(session, told), [prepared]))
        return Recorded(event_id=event.id, is_new=is_new, redacted=dict(found))

    def append_all(self, scope: Scope, session_id: str, news: Sequence[NewEvent]) -> int:
        """
        Store what happened in one commit, as `append` does; return how many events are new.

        Raises:
            NotFoundError: The session was not started.
        """
        with self._canonical.writing(scope) as work:
            session = _session(work, session_id)
            seq = _last_seq(work, session_id) + 1
            kept, times = [], []
            for new in news:
                time = new.time or self._clock.now()
                event = _event(session, new, seq, time)
                prepared = prepare_event(event)
                if prepared.text or _is_listed(event.kind):
                    kept.append(prepared)
                    times.append(time)
                    seq += 1
            if not kept:
                return 0
            told = attrs.evolve(session, started_at=min(times), ended_at=max(times))
            return len(work.sessions.put(merge_sessions(session, told), kept))

    def end(self, scope: Scope, session_id: str) -> RecordReport:
        """
        Derive the session; it may go on and be ended again.

        Raises:
            NotFoundError: The session was not started.
        """
        with self._canonical.reading(scope) as work:
            session = _session(work, session_id)
        derivation = Deriver(self._canonical, self._clock).derive(scope, session)
        with self._canonical.reading(scope) as work:
            events = work.sessions.events(session_id)
            claims = work.claims.get([assertion.claim.id for assertion in derivation.assertions])
            session = _session(work, session_id)
        return RecordReport(
            session=session,
            events=dict(sorted(Counter(str(event.kind) for event in events).items())),
            evidence=len(derivation.evidence),
            admitted=tuple(one for one in claims if one.claim.status is not ClaimStatus.CANDIDATE),
            candidates=tuple(one for one in claims if one.claim.status is ClaimStatus.CANDIDATE),
            rejections=derivation.rejections,
        )


def _session(work: UnitOfWork, session_id: str) -> Session:
    found = work.sessions.get([session_id])
    if not found:
        raise NotFoundError(
            f"no session has the id {session_id[:80]!r}", remedy="start the session first, and give the id that it gets"
        )
    return found[0]


def _last_seq(work: UnitOfWork, session_id: str) -> int:
    """Return the session's highest seq, -1 without events, by bisection: no port counts, and reading all is slow."""

    def is_beyond(seq: int) -> bool:
        return bool(work.sessions.events(session_id, after_seq=seq, limit=1))

    low, step = -1, 1
    while is_beyond(low + step - 1):
        low, step = low + step, 2 * step
    high = low + step - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_beyond(middle) else (low, middle)
    return low


def _event(session: Session, new: NewEvent, seq: int, time: datetime) -> Event:
    source_id, text = _name(new.source_id), _storable(new.text)
    key = (source_id,) if source_id else ("", str(seq), str(new.kind), text)
    return Event(
        id=content_id("event", session.host, session.source_id, *key),
        session_id=session.id,
        seq=seq,
        kind=new.kind,
        time=time,
        text=text,
        speaker=_name(new.speaker),
        tool=_name(new.tool),
        exit_code=new.exit_code,
        path=_storable(new.path),
        branch=_name(new.branch),
        source_id=source_id,
        is_sidechain=new.is_sidechain,
    )


def _is_listed(kind: EventKind) -> bool:
    """Whether an event leaves a mark without its text: that something was thought is told, what was thought is not."""
    return kind in (EventKind.REASONING, EventKind.TURN_CONTEXT)


def _branch(name: str) -> Branch:
    if not name:
        return Branch()
    return Branch(name=name, scope=BranchScope.MAINLINE if name in MAINLINE_NAMES else BranchScope.CURRENT)


def _name(text: str) -> str:
    return _storable(text).strip()[:MAX_NAME_CHARACTERS]


def _storable(text: str) -> str:
    """Replace half characters, which no store accepts."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
