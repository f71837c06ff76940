"""Run a tool on a worker thread: it may say how far it is, and ends early when nobody waits for it any more."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.lowlevel import RunVar
from pckc_domain.model.progress import Progress, ProgressListener

from pckc_mcp.server.declaration import Reply

TELLING_SECONDS = 0.2
"""Pause between two messages to the client."""

LONG_THREADS = 4
"""Long calls that work at once; short ones have threads of their own."""

_long_threads: RunVar[anyio.CapacityLimiter] = RunVar("pckc_long_threads")

Tell: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Takes what is done, what there is to do in all if that is known, and what is being done."""


class CalledOffError(Exception):
    """Nobody waits for the answer; what was committed is kept."""


async def tell_nobody(done: float, total: float | None, message: str) -> None:
    """Listen to nothing."""


async def run_long(work: Callable[[ProgressListener], Reply], tell: Tell) -> Reply:
    """
    Return what *work* answers; it is given a listener to tell its steps to.

    When the caller is cancelled, the listener raises `CalledOffError` at the next step, so that the thread ends between
    two commits; until then the cancellation waits, and the thread counts as busy.
    """
    watch = _Watch(tell)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch.pass_on)
        outcome = await anyio.to_thread.run_sync(_outcome, work, watch.listen, limiter=_limiter())
        tasks.cancel_scope.cancel()
    await anyio.lowlevel.checkpoint_if_cancelled()  # a caller that is cancelled sees that, not what it came to
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _limiter() -> anyio.CapacityLimiter:
    try:
        return _long_threads.get()
    except LookupError:
        _long_threads.set(anyio.CapacityLimiter(LONG_THREADS))
        return _long_threads.get()


def _outcome(work: Callable[[ProgressListener], Reply], listen: ProgressListener) -> Reply | Exception:
    """Return the error too: raised inside the task group it would arrive as a group."""
    try:
        return work(listen)
    except Exception as error:
        return error


class _Watch:
    """What the thread and the event loop share of one call."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._latest: Progress | None = None
        self._stage = ""
        self._finished = 0
        self._is_called_off = False

    def listen(self, progress: Progress) -> None:
        """Take a step of the work, on its thread."""
        if self._is_called_off:
            raise CalledOffError
        self._latest = progress

    async def pass_on(self) -> None:
        """Tell the latest step from time to time; being cancelled calls the work off."""
        told = 0
        try:
            while True:
                await anyio.sleep(TELLING_SECONDS)
                latest, self._latest = self._latest, None
                if latest is None:
                    continue
                if latest.stage != self._stage:  # what is told must only grow, and each stage counts from 0
                    self._stage, self._finished = latest.stage, told
                if (done := self._finished + latest.done) > told:
                    told = done
                    total = self._finished + latest.total if latest.total else None
                    await self._tell(done, total, latest.stage)
        finally:
            self._is_called_off = True
