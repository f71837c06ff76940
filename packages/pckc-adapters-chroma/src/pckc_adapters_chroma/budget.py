"""How long requests to a server may take: each by itself, or all of one question together."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx

LEAST_SECONDS = 0.01

_end: ContextVar[float | None] = ContextVar("end", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let the requests inside the block, of this thread, take so long at most together."""
    before = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(before)


def limit(request: httpx.Request) -> None:
    """Give *request* what is left; a hook of the client."""
    end = _end.get()
    if end is not None:
        left = max(LEAST_SECONDS, end - time.monotonic())
        request.extensions["timeout"] = httpx.Timeout(left).as_dict()
