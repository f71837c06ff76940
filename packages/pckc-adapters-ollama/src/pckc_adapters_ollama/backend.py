"""The entry points: an embedder and a distiller."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import attrs
from attrs import validators
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.embedder import Embedder

DEFAULT_URL = "http://127.0.0.1:11434"


def _check_url(_: object, __: "attrs.Attribute[str]", url: str) -> None:
    """Refuse what is no address, without repeating it: it may hold a password."""
    try:
        parts = urlsplit(url)
        shifted = "@" in f"{parts.path}{parts.query}{parts.fragment}" or parts.netloc.count("@") > 1
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not shifted
        usable = usable and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            "ollama's url is no http address",
            remedy=f'set url = "{DEFAULT_URL}"; special characters of a password are written percent-encoded',
        )


@attrs.frozen(kw_only=True)
class OllamaEmbedderSettings:
    """
    Which Ollama embeds.

    Attributes:
        url: Its address.
        model: An embedding model that it has.
        dimensions: Of the model's vectors, >= 1; other vectors are refused.
        token_variable: Name of the environment variable that holds a bearer token; sent when it is set.
        timeout_seconds: How long one request may take.
        attempts: How often a request is tried while Ollama is unreachable or overloaded, >= 1.
        batch: Texts of one request, >= 1.
    """

    url: str = attrs.field(default=DEFAULT_URL, validator=_check_url)
    model: str = attrs.field(default="embeddinggemma", validator=validators.min_len(1))
    dimensions: int = attrs.field(default=768, validator=validators.ge(1))
    token_variable: str = "OLLAMA_API_KEY"  # noqa: S105 - the name of a variable
    timeout_seconds: float = attrs.field(default=60.0, validator=validators.gt(0))
    attempts: int = attrs.field(default=3, validator=[validators.ge(1), validators.le(10)])
    batch: int = attrs.field(default=32, validator=[validators.ge(1), validators.le(1024)])


@attrs.frozen(kw_only=True)
class OllamaDistillerSettings:
    """
    Which Ollama distils and judges.

    Attributes:
        url: Its address.
        model: A chat model that it has; one that follows a JSON schema.
        token_variable: Name of the environment variable that holds a bearer token; sent when it is set.
        timeout_seconds: How long one answer may take.
        attempts: How often a request is tried while Ollama is unreachable or overloaded, >= 1.
        max_claims: Claims of one chunk beyond which a model's answer is refused, >= 1.
    """

    url: str = attrs.field(default=DEFAULT_URL, validator=_check_url)
    model: str = attrs.field(validator=validators.min_len(1))
    token_variable: str = "OLLAMA_API_KEY"  # noqa: S105 - the name of a variable
    timeout_seconds: float = attrs.field(default=180.0, validator=validators.gt(0))
    attempts: int = attrs.field(default=3, validator=[validators.ge(1), validators.le(10)])
    max_claims: int = attrs.field(default=40, validator=[validators.ge(1), validators.le(200)])


@contextmanager
def _open_embedder(settings: OllamaEmbedderSettings) -> Iterator[Embedder]:
    from pckc_adapters_ollama.client import Ollama
    from pckc_adapters_ollama.embedder import OllamaEmbedder

    with Ollama(settings) as ollama:
        yield OllamaEmbedder(ollama, dimensions=settings.dimensions, batch=settings.batch)


@contextmanager
def _open_distiller(settings: OllamaDistillerSettings) -> Iterator[Distiller]:
    from pckc_adapters_ollama.client import Ollama
    from pckc_adapters_ollama.distiller import OllamaDistiller

    with Ollama(settings) as ollama:
        yield OllamaDistiller(ollama, max_claims=settings.max_claims)


EMBEDDER: Backend[OllamaEmbedderSettings, Embedder] = Backend(settings=OllamaEmbedderSettings, open=_open_embedder)
DISTILLER: Backend[OllamaDistillerSettings, Distiller] = Backend(settings=OllamaDistillerSettings, open=_open_distiller)
