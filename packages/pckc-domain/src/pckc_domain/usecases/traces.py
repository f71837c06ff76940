"""Traces: what an agent planned, did, observed and concluded; no search over knowledge answers them."""

from collections.abc import Collection, Sequence

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import MAX_NAME_CHARACTERS, MAX_NOTE_CHARACTERS, check_length
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Scope
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.clock import Clock

TOO_LONG = "note what matters, and leave long output where it is"


class Tracer:
    """Keeps the traces of a scope."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def add(self, scope: Scope, kind: TraceKind, text: str, *, session_id: str = "") -> Trace:
        """
        Note *text*.

        Raises:
            InvalidInputError: It is empty or too long.
        """
        check_length("the session's id", session_id, MAX_NAME_CHARACTERS, remedy="give the id that the session got")
        redacted = redact(text).text.strip()
        if not redacted:
            raise InvalidInputError("the trace is empty", remedy="say in words what was planned, done, seen or learnt")
        check_length("the trace", redacted, MAX_NOTE_CHARACTERS, remedy=TOO_LONG)
        now = self._clock.now()
        identity = content_id("trace", scope.tenant, scope.project, session_id, kind.value, redacted, now.isoformat())
        trace = Trace(id=identity, kind=kind, text=redacted, session_id=session_id, at=now)
        with self._canonical.writing(scope) as work:
            work.traces.add([trace])
        return trace

    def list(
        self,
        scope: Scope,
        *,
        kinds: Collection[TraceKind] = (),
        session_id: str | None = None,
        limit: int,
        offset: int = 0,
    ) -> Sequence[Trace]:
        """Return up to *limit* traces, of these kinds and this session if named: newest first, ties by id."""
        with self._canonical.reading(scope) as work:
            return work.traces.find(kinds=kinds, session_id=session_id, limit=limit, offset=offset)
