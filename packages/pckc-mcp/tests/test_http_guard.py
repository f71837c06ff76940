"""What the HTTP server lets through: names, bearers, bodies, rates."""

from collections.abc import Callable, Mapping
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import ConfigurationError
from pckc_mcp.config import AccessConfig
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.guard import MOST_CLIENTS, TENANT, Guard, RateLimit
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

ANNA, BORIS = "anna-0123456789abcdef", "boris-0123456789abcdef"
OPEN = Access.of([], "local", {})
CLOSED = Access.of(
    [AccessConfig(variable="PCKC_ANNA", tenant="a"), AccessConfig(variable="PCKC_BORIS", tenant="b")],
    "local",
    {"PCKC_ANNA": ANNA, "PCKC_BORIS": BORIS},
)


async def tell_tenant(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whose memory was asked."""
    await JSONResponse({"tenant": scope.get(TENANT)})(scope, receive, send)


def ask(
    path: str = "/x",
    *,
    access: Access = OPEN,
    hosts: frozenset[str] = frozenset(),
    per_second: float = 100.0,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    times: int = 1,
) -> httpx2.Response:
    """Return the last answer of *times* requests."""
    limit = RateLimit(per_second, clock=lambda: 0.0)  # no time passes between them
    guard = Guard.around(tell_tenant, access=access, hosts=hosts, body_bytes=1024, limit=limit)

    async def talk() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=guard)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8730") as client:
            for _ in range(times):
                answer = await client.post(path, content=body, headers=dict(headers or {}))
            return answer

    return anyio.run(talk)


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


class TestBearer:
    def test_everybody_on_this_machine_is_one_tenant(self) -> None:
        assert ask().json() == {"tenant": "local"}

    @pytest.mark.parametrize(("secret", "tenant"), [(ANNA, "a"), (BORIS, "b")])
    def test_a_bearer_stands_for_its_tenant(self, secret: str, tenant: str) -> None:
        assert ask(access=CLOSED, headers={"Authorization": f"bearer {secret}"}).json() == {"tenant": tenant}

    @pytest.mark.parametrize(
        "header", [None, "", f"Basic {ANNA}", ANNA, f"Bearer {ANNA[:-1]}", f"Bearer {ANNA}x", "Bearer"]
    )
    def test_anything_else_opens_nothing(self, header: str | None) -> None:
        answer = ask(access=CLOSED, headers={} if header is None else {"Authorization": header})
        assert code_of(answer) == (401, "unauthorized")
        assert answer.headers["www-authenticate"].startswith("Bearer")

    def test_a_load_balancer_needs_none(self) -> None:
        assert ask("/health", access=CLOSED).status_code == ask("/ready", access=CLOSED).status_code == 200
        assert ask("/metrics", access=CLOSED).status_code == 401

    @pytest.mark.parametrize(
        ("environ", "said"),
        [({}, "ANNA"), ({"PCKC_ANNA": "short"}, "ANNA"), ({"PCKC_ANNA": ANNA, "PCKC_BORIS": ANNA}, "another access")],
    )
    def test_a_weak_or_shared_secret_is_refused(self, environ: dict[str, str], said: str) -> None:
        configured = [AccessConfig(variable="PCKC_ANNA", tenant="a"), AccessConfig(variable="PCKC_BORIS", tenant="b")]
        with pytest.raises(ConfigurationError, match=said) as refused:
            Access.of(configured, "local", environ)
        assert ANNA not in f"{refused.value.message}{refused.value.remedy}"
        assert ANNA not in repr(CLOSED)

    @pytest.mark.parametrize("variable", ["HOME", "", "PCKC_STORE", "pckc_x"])
    def test_a_project_cannot_name_a_variable_that_can_be_guessed(self, variable: str) -> None:
        with pytest.raises(ConfigurationError, match="cannot hold a bearer"):
            Access.of([AccessConfig(variable=variable)], "local", {variable: ANNA})

    @pytest.mark.parametrize(
        "query", ["token=x", "access_token=x", "Access-Token=x", "api_key=x", "apikey", "key=x", "a=1&PASSWORD=x"]
    )
    @pytest.mark.parametrize("path", ["/x", "/health", "/mcp"])
    def test_a_secret_in_the_address_is_refused(self, path: str, query: str) -> None:
        answer = ask(f"{path}?{query}", access=CLOSED, headers={"Authorization": f"Bearer {ANNA}"})
        assert code_of(answer) == (400, "secret_in_address")


class TestNames:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:8730", "LOCALHOST"])
    def test_loopback_is_known(self, host: str) -> None:
        assert ask(headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::2]", "localhost.evil.example"])
    def test_another_name_is_not(self, host: str) -> None:
        assert code_of(ask(headers={"Host": host})) == (421, "unknown_host")
        assert code_of(ask("/health", headers={"Host": host})) == (421, "unknown_host")

    def test_configured_names_are_known(self) -> None:
        hosts = frozenset({"memory.example"})
        assert ask(hosts=hosts, headers={"Host": "memory.example:443"}).status_code == 200
        assert ask(hosts=hosts, headers={"Host": "evil.example"}, access=CLOSED).status_code == 421

    def test_with_bearers_any_name_will_do_when_none_is_configured(self) -> None:
        headers = {"Host": "10.0.0.7:8730", "Authorization": f"Bearer {ANNA}"}
        assert ask(access=CLOSED, headers=headers).status_code == 200
        assert ask(access=CLOSED, headers={**headers, "Origin": "http://10.0.0.7:8730"}).status_code == 200
        assert ask(access=CLOSED, headers={**headers, "Origin": "http://evil.example"}).status_code == 403

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1.evil.example", "http://["])
    def test_foreign_pages_may_not_ask(self, origin: str) -> None:
        assert code_of(ask(headers={"Origin": origin})) == (403, "foreign_origin")

    def test_pages_of_this_machine_may(self) -> None:
        assert ask(headers={"Origin": "http://localhost:3000"}).status_code == 200


class TestLimits:
    def test_a_large_body_is_refused(self) -> None:
        assert ask(body=b"x" * 1024).status_code == 200
        assert ask(body=b"x" * 1025).status_code == 413

    def test_a_hasty_client_waits(self) -> None:
        answer = ask(per_second=0.001, times=2)
        assert code_of(answer) == (429, "rate_limited")
        assert int(answer.headers["retry-after"]) >= 1

    def test_a_wait_is_never_nothing(self) -> None:
        """However soon the next request may come."""
        answer = ask(per_second=30.0, times=61)
        assert answer.status_code == 429
        assert "try again in 0.1 s" in answer.json()["error"]["remedy"]

    def test_guessing_bearers_is_limited_too(self) -> None:
        answer = ask(per_second=0.001, times=2, access=CLOSED, headers={"Authorization": "Bearer guess"})
        assert answer.status_code == 429

    @settings(deadline=None)
    @given(
        st.floats(min_value=0.1, max_value=1000.0),
        st.lists(st.floats(min_value=0.0, max_value=5.0), min_size=1, max_size=60),
    )
    def test_never_more_than_the_rate_and_the_burst(self, per_second: float, pauses: list[float]) -> None:
        now = 0.0
        limit = RateLimit(per_second, clock=lambda: now)
        let_through = 0
        for pause in pauses:
            now += pause
            let_through += limit.wait_seconds("a") == 0.0
        assert 1 <= let_through <= max(2.0 * per_second, 1.0) + now * per_second + 1e-6

    def test_waiting_as_long_as_told_is_enough(self) -> None:
        now = [0.0]
        clock: Callable[[], float] = lambda: now[0]  # noqa: E731 - a clock to turn
        limit = RateLimit(0.5, clock=clock)
        assert limit.wait_seconds("a") == 0.0
        now[0] = limit.wait_seconds("a") + 1e-9
        assert limit.wait_seconds("a") == 0.0

    def test_clients_are_apart_and_memory_is_bounded(self) -> None:
        limit = RateLimit(0.001, clock=lambda: 0.0)
        kept: Any = limit._buckets
        for number in range(MOST_CLIENTS + 10):
            assert limit.wait_seconds(f"client {number}") == 0.0
        assert len(kept) == MOST_CLIENTS
