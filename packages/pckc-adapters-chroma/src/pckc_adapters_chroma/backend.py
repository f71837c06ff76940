"""What this package offers through its entry points."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_chroma.address import place_of
from pckc_adapters_chroma.errors import translating

if TYPE_CHECKING:
    from chromadb.api import ClientAPI


@attrs.frozen(kw_only=True)
class ChromaSettings:
    """
    Which Chroma, and how it is used.

    Attributes:
        url: Address of a server, such as ``http://127.0.0.1:8000``; with none Chroma runs inside this process.
        path: Folder of a Chroma inside this process.
        token_variable: Name of the environment variable that holds the server's bearer token; ``""`` sends none.
        database: Chroma's database; it must exist on a server.
        timeout_seconds: How long one request to a server may take that writes.
        query_timeout_seconds: How long one question to a server may take in all.
    """

    url: str = attrs.field(default="", repr=False)  # in case it holds a password after all
    path: str = ""
    token_variable: str = ""
    database: str = "default_database"
    timeout_seconds: float = attrs.field(default=60.0, validator=attrs.validators.gt(0))
    query_timeout_seconds: float = attrs.field(default=10.0, validator=attrs.validators.gt(0))

    def __attrs_post_init__(self) -> None:
        """Refuse settings that name no engine or two."""
        if bool(self.url) == bool(self.path):
            raise ConfigurationError(
                "chroma needs either url or path", remedy='set url = "http://127.0.0.1:8000", or path for small use'
            )
        if self.url:
            place_of(self.url)

    @property
    def location(self) -> str:
        """Where the vectors are, without credentials."""
        return place_of(self.url) if self.url else self.path


@contextmanager
def _open_vector(settings: ChromaSettings) -> Iterator[VectorIndex]:
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")  # nobody asked for telemetry
    from pckc_adapters_chroma.vector import ChromaVectorIndex

    with translating(settings.location):
        client = _client(settings)
    yield ChromaVectorIndex(client, settings.location, query_seconds=settings.query_timeout_seconds)


def _client(settings: ChromaSettings) -> "ClientAPI":
    import chromadb
    from chromadb.config import Settings

    quiet = Settings(anonymized_telemetry=False)
    if settings.path:
        return chromadb.PersistentClient(path=str(Path(settings.path).expanduser()), settings=quiet)
    import httpx

    from pckc_adapters_chroma.budget import limit

    address = urlsplit(settings.url)
    token = _token(settings)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    _check_answers(settings, headers)
    client = chromadb.HttpClient(
        host=address.hostname or "",
        port=_port(address),
        ssl=address.scheme == "https",
        headers=headers or None,
        settings=quiet,
        database=settings.database,
    )
    http: Any = client
    session = http._server._session
    session.timeout = httpx.Timeout(settings.timeout_seconds)  # it would wait for ever, with no setting
    session.event_hooks = {**session.event_hooks, "request": [limit]}
    return client


def _token(settings: ChromaSettings) -> str:
    token = os.environ.get(settings.token_variable, "") if settings.token_variable else ""
    if settings.token_variable and not token:
        raise ConfigurationError(
            f"{settings.token_variable} is not set",
            remedy="set it to the server's token, or take token_variable out of the settings",
        )
    return token


def _port(address: SplitResult) -> int:
    return address.port or (443 if address.scheme == "https" else 80)


def _check_answers(settings: ChromaSettings, headers: Mapping[str, str]) -> None:
    """Ask for a sign of life first: the client asks for more while it is made, and would wait for ever."""
    import httpx

    address = urlsplit(settings.url)
    heartbeat = (
        f"{address.scheme}://{address.hostname}:{_port(address)}/api/v2/heartbeat"  # without credentials: it logs
    )
    seconds = min(settings.timeout_seconds, settings.query_timeout_seconds)
    status = httpx.get(heartbeat, headers=headers, timeout=seconds).status_code
    if status in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
        raise ConfigurationError(
            f"what answers at {settings.location} is no Chroma, or too old a one",
            remedy="use Chroma 1.0 or newer, or correct url",
        )


VECTOR: Backend[ChromaSettings, VectorIndex] = Backend(settings=ChromaSettings, open=_open_vector)
