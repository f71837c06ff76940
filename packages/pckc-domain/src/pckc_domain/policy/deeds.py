"""What was done, held back until its results say whether it happened: hosts record a call before its result."""

from datetime import datetime

import attrs

from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.code_rules import fails
from pckc_domain.policy.green_runs import Run, run_of

_DEEDS = frozenset({EventKind.COMMAND, EventKind.FILE_CHANGE})
_RESULTS = frozenset({EventKind.TOOL_RESULT, EventKind.TEST_RESULT, EventKind.ERROR})
_TURNS = frozenset({EventKind.PROMPT, EventKind.ANNOTATION})


@attrs.frozen
class Seen:
    """An event in its place: its episode, and its time or, when it has none, that of the event before."""

    event: Event
    episode_id: str
    at: datetime


class Deeds:
    """
    Commands and file changes without an exit code of their own, waiting for their results.

    Results carry no id of their call here, so a failed one drops every command that waits, and the changes of its file.
    Without any result before the next prompt a deed counts as done: some formats record none.
    """

    def __init__(self) -> None:
        self._waiting: list[Seen] = []
        self._has_result = False

    def hold(self, seen: Seen) -> bool:
        """Take *seen* in when it is a deed whose outcome is not known; return whether it was."""
        is_waiting = seen.event.kind in _DEEDS and seen.event.exit_code is None
        if is_waiting:
            self._waiting.append(seen)
        return is_waiting

    def settled_by(self, event: Event) -> tuple[Seen, ...]:
        """Return the deeds that are known to be done now that *event* comes."""
        if event.kind in _RESULTS:
            self._has_result = True
            self._waiting = [seen for seen in self._waiting if not _is_failure_of(event, seen.event)]
            return ()
        is_over = self._has_result and event.kind is not EventKind.REASONING
        return self.rest() if is_over or event.kind in _TURNS else ()

    def rest(self) -> tuple[Seen, ...]:
        """Return the deeds that wait, and wait for them no longer."""
        done = tuple(self._waiting)
        self._waiting, self._has_result = [], False
        return done


class Runs:
    """
    Commands that run tests, waiting for their results.

    A result names no command here: of several that wait, it may be any one's.
    """

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._waiting: list[Run] = []
        self._has_result = False

    def of(self, event: Event) -> Run | None:
        """Take *event* in; return the run that it is the output of, when that is known."""
        if event.kind is EventKind.TEST_RESULT:
            self._has_result = True
            return self._waiting[0] if len(self._waiting) == 1 else None
        if event.kind is EventKind.COMMAND:
            if self._has_result:
                self._waiting, self._has_result = [], False
            if run := run_of(event.text, self._cwd):
                self._waiting.append(run)
        return None


def _is_failure_of(result: Event, deed: Event) -> bool:
    if not fails(result):
        return False
    return deed.kind is EventKind.COMMAND or (result.kind is EventKind.TOOL_RESULT and result.path in {"", deed.path})
