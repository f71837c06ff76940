"""An HTTP transport that never reads longer, or more, than it was told to."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread

import httpx

GRACE_SECONDS = 0.5
"""So that httpx' own timeout, which tells more, comes first."""

MAX_BYTES = 32 * 1024 * 1024


class BoundedTransport(httpx.BaseTransport):
    """
    Ends an answer that drips or does not end; httpx' own timeout bounds only the pause between two reads.

    Args:
        url: Address of the server.
        seconds: How long one exchange may take.
    """

    def __init__(self, url: str, *, seconds: float) -> None:
        # reading the machine's certificates takes 0.1 s, and no redirect leads from http to https
        self._inner = httpx.HTTPTransport(verify=url.startswith("https:"))
        self._seconds = seconds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + self._seconds
        answer = self._head(request)
        assert isinstance(answer.stream, httpx.SyncByteStream)  # noqa: S101 - what a sync transport gives
        stream = _BoundedStream(answer.stream, request, deadline)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=stream, extensions=answer.extensions)

    def _head(self, request: httpx.Request) -> httpx.Response:
        """Return the answer without its body; on a thread, as nothing else bounds how long a head may drip."""
        head: Future[httpx.Response] = Future()

        def run() -> None:
            try:
                head.set_result(self._inner.handle_request(request))
            except BaseException as error:  # raised again where it is waited for
                head.set_exception(error)

        Thread(target=run, name="pckc-ollama", daemon=True).start()
        try:
            return head.result(self._seconds + GRACE_SECONDS)
        except TimeoutError as error:
            raise httpx.ReadTimeout("the answer does not begin", request=request) from error

    def close(self) -> None:
        self._inner.close()


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, inner: httpx.SyncByteStream, request: httpx.Request, deadline: float) -> None:
        self._inner = inner
        self._request = request
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._inner:
            size += len(part)
            if size > MAX_BYTES:
                raise httpx.DecodingError("the answer is too large", request=self._request)
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the answer takes too long", request=self._request)
            yield part

    def close(self) -> None:
        self._inner.close()
