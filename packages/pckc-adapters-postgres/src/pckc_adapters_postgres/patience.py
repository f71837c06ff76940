"""A connection that does not wait for ever for a server that neither answers nor is gone."""

import time
from collections.abc import Generator
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")

GRACE_SECONDS = 10.0
"""How much longer than its own timeouts the server may take to tell of them."""


class PatientConnection(psycopg.Connection[tuple[Any, ...]]):
    """
    A connection with an end to each wait, besides the server's own ``statement_timeout``.

    The server's holds as long as it runs; one that was stopped, or is cut off, tells of nothing.
    """

    patience_seconds: float | None = None

    def wait(self, gen: PQGen[T], *arguments: Any, **options: Any) -> T:
        """Wait for the server as psycopg does, so long at most."""
        if self.patience_seconds is None:
            return super().wait(gen, *arguments, **options)
        try:
            return super().wait(_limited(gen, time.monotonic() + self.patience_seconds), *arguments, **options)
        except _TookTooLongError as error:
            self.pgconn.finish()  # whatever it says now would be taken for the answer to something else
            raise psycopg.OperationalError("the server does not answer") from error


class _TookTooLongError(Exception):
    pass


def _limited(inner: PQGen[T], end: float) -> Generator[Any, Any, T]:
    """Step through *inner*, and fail when a step begins after *end*; psycopg steps ten times a second at least."""
    step = partial(next, inner)
    while True:
        try:
            wanted = step()
        except StopIteration as done:
            result: T = done.value
            return result
        ready = yield wanted
        if time.monotonic() >= end:
            raise _TookTooLongError
        step = partial(inner.send, ready)
