"""What this package offers through its entry points."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_qdrant.address import place_of
from pckc_adapters_qdrant.errors import translating

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@attrs.frozen(kw_only=True)
class QdrantSettings:
    """
    Which Qdrant, and how it is used.

    Attributes:
        url: Address of a server; with none the client's own engine keeps everything below *path*.
        path: Folder of the client's own engine, for small use: one process at a time; ``:memory:`` keeps nothing.
        api_key_variable: Name of the environment variable that holds the server's key; ``""`` sends none.
        group: Projects of a group share their collections; projects of several groups never meet in one.
        timeout_seconds: How long one request may take.
    """

    url: str = attrs.field(default="", repr=False)  # in case it holds a password after all
    path: str = ""
    api_key_variable: str = ""
    group: str = attrs.field(default="default", validator=attrs.validators.matches_re(r"[A-Za-z0-9_-]{1,60}"))
    timeout_seconds: int = attrs.field(default=10, validator=attrs.validators.ge(1))

    def __attrs_post_init__(self) -> None:
        """Refuse settings that name no engine or two."""
        if bool(self.url) == bool(self.path):
            raise ConfigurationError(
                "qdrant needs either url or path", remedy='set url = "http://127.0.0.1:6333", or path for small use'
            )
        if self.url:
            place_of(self.url)

    @property
    def location(self) -> str:
        """Where the vectors are, without credentials."""
        return place_of(self.url) if self.url else self.path


@contextmanager
def _open_vector(settings: QdrantSettings) -> Iterator[VectorIndex]:
    import os

    from qdrant_client import QdrantClient

    from pckc_adapters_qdrant.vector import QdrantVectorIndex

    with translating(settings.location):
        if settings.url:
            key = os.environ.get(settings.api_key_variable) if settings.api_key_variable else None
            if settings.api_key_variable and not key:
                raise ConfigurationError(
                    f"{settings.api_key_variable} is not set",
                    remedy="set it to the server's key, or take api_key_variable out of the settings",
                )
            with warnings.catch_warnings():
                if urlsplit(settings.url).hostname in LOOPBACK:
                    warnings.simplefilter("ignore", UserWarning)  # a key without TLS leaves the machine nowhere
                client = QdrantClient(
                    url=settings.url, api_key=key, timeout=settings.timeout_seconds, check_compatibility=False
                )
        elif settings.path == ":memory:":
            client = QdrantClient(":memory:")
        else:
            client = QdrantClient(path=str(Path(settings.path).expanduser()))
    try:
        yield QdrantVectorIndex(client, settings.group, settings.location, is_server=bool(settings.url))
    finally:
        client.close()


VECTOR: Backend[QdrantSettings, VectorIndex] = Backend(settings=QdrantSettings, open=_open_vector)
