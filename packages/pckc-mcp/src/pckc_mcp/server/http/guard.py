"""Who may ask, how much, and how often: decided before anything else sees a request."""

import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from math import ceil
from urllib.parse import parse_qsl

import attrs
from mcp.server.transport_security import RequestBodyLimitMiddleware
from pckc_domain.errors import PckcError
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pckc_mcp.server.http.access import Access
from pckc_mcp.server.tool import error_form

TENANT = "pckc.tenant"
"""Key of the ASGI scope under which the tenant of a request stands."""

OPEN_PATHS = ("/health", "/ready")
"""What a load balancer asks: it tells nothing of the memory, needs no bearer and counts for no limit."""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
SECRET_NAMES = ("token", "secret", "password", "passwd", "bearer", "authorization", "apikey", "access", "credential")
MOST_CLIENTS = 10_000


class RefusedError(PckcError):
    """A request that is not let through."""

    def __init__(self, status: HTTPStatus, code: str, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.code = code


class RateLimit:
    """
    A bucket of requests for each client: it fills at a steady rate and holds two seconds' worth.

    Of the clients that it knows, the one not seen for longest is forgotten first.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._most = max(2.0 * per_second, 1.0)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_seconds(self, client: str) -> float:
        """Return 0 and count the request, or how long the client must wait."""
        now = self._clock()
        left, since = self._buckets.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_second)
        is_allowed = left >= 1.0
        self._buckets[client] = (left - 1.0 if is_allowed else left, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1.0 - left) / self._per_second


@attrs.frozen(kw_only=True)
class Guard:
    """
    ASGI middleware that lets through what may be asked, and notes whose memory it is about.

    Attributes:
        app: What answers.
        access: Bearers and their tenants.
        hosts: Names of this server besides loopback ones, without ports.
        limit: Requests of one client.
    """

    app: ASGIApp
    access: Access
    hosts: frozenset[str]
    limit: RateLimit

    @classmethod
    def around(
        cls, app: ASGIApp, *, access: Access, hosts: frozenset[str], body_bytes: int, limit: RateLimit
    ) -> "Guard":
        """Return a guard that also keeps bodies of more than *body_bytes* out."""
        return cls(app=_limited(app, body_bytes), access=access, hosts=hosts, limit=limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self._admit(scope)
            except RefusedError as error:
                await _refusal(error)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        self._check_origin(headers)
        _check_query(scope["query_string"].decode("latin-1"))
        if scope["path"] in OPEN_PATHS:
            return
        address = scope["client"][0] if scope.get("client") else ""
        tenant = self.access.tenant_of(headers.get("authorization"))
        wait = self.limit.wait_seconds(f"{address} {tenant}")
        if wait:
            raise RefusedError(
                HTTPStatus.TOO_MANY_REQUESTS, "rate_limited", "too many requests",
                remedy=f"try again in {ceil(wait * 10) / 10:.1f} s; requests_per_second in [http] sets the limit",
            )  # fmt: skip
        if tenant is None:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "unauthorized", "no known bearer",
                remedy="send the header `Authorization: Bearer …`",
            )  # fmt: skip
        scope[TENANT] = tenant

    def _check_origin(self, headers: Headers) -> None:
        """
        A page in a browser on this machine could ask whatever listens on loopback, under a name of its own: only names
        that the server is known by are answered. Where bearers are asked for, a foreign page has none.
        """
        host = _name(headers.get("host", ""))
        known = {*LOOPBACK_NAMES, *self.hosts} | ({host} if self.access.is_required and not self.hosts else set())
        if host not in known:
            raise RefusedError(
                HTTPStatus.MISDIRECTED_REQUEST, "unknown_host", f"this server is not known as {host[:100]!r}",
                remedy="add the name to hosts in [http]",
            )  # fmt: skip
        if (origin := headers.get("origin")) is not None and _name(origin.rpartition("//")[2]) not in known:
            raise RefusedError(
                HTTPStatus.FORBIDDEN, "foreign_origin", "pages of other origins may not ask",
                remedy="ask from a page of this server, or add the name of that page's host to hosts in [http]",
            )  # fmt: skip


def _limited(app: ASGIApp, most_bytes: int) -> ASGIApp:
    """Return *app* behind the SDK's limit for bodies, whose plain text becomes an error like every other."""
    refusal = _refusal(
        RefusedError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"the body has more than {most_bytes} bytes",
            remedy="send less at once; body_bytes in [http] sets the limit",
        )
    )  # fmt: skip

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        async def admitted(scope: Scope, receive: Receive, _: Send) -> None:
            await app(scope, receive, send)

        async def refused(message: Message) -> None:
            if message["type"] == "http.response.start":
                await refusal(scope, receive, send)

        await RequestBodyLimitMiddleware(admitted, most_bytes)(scope, receive, refused)

    return limited


def _name(host: str) -> str:
    """Return a host without its port."""
    return (host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]).lower()


def _check_query(query: str) -> None:
    """Addresses end up in logs and histories: secrets do not belong there."""
    for name, _ in parse_qsl(query, keep_blank_values=True):
        plain = name.lower().replace("_", "").replace("-", "")
        if any(word in plain for word in SECRET_NAMES) or plain == "key":
            raise RefusedError(
                HTTPStatus.BAD_REQUEST, "secret_in_address", "secrets do not belong in an address",
                remedy="send the header `Authorization: Bearer …`, and change a secret that was sent this way",
            )  # fmt: skip


def _refusal(error: RefusedError) -> JSONResponse:
    headers = {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="pckc"'
    if error.status == HTTPStatus.TOO_MANY_REQUESTS:
        headers["Retry-After"] = "1"
    return JSONResponse(error_form(error), status_code=error.status, headers=headers)
