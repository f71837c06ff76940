"""The entry points: one backend per model."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from attrs import validators
from pckc_domain.plugin import Backend
from pckc_domain.ports.embedder import Embedder

from pckc_adapters_embedded.blend import Blend
from pckc_adapters_embedded.minilm import MiniLm
from pckc_adapters_embedded.use import UniversalSentenceEncoder


@attrs.frozen(kw_only=True)
class UseSettings:
    """
    Settings of ``use``.

    Attributes:
        threads: Threads of the matrix products, >= 1.
    """

    threads: int = attrs.field(default=1, validator=validators.ge(1))


@attrs.frozen(kw_only=True)
class MiniLmSettings:
    """
    Settings of ``minilm`` and ``blend``.

    Attributes:
        threads: Threads of the model, >= 1.
        max_tokens: A text's tokens past this one are ignored, 8 to 512. Time grows with it.
    """

    threads: int = attrs.field(default=1, validator=validators.ge(1))
    max_tokens: int = attrs.field(default=256, validator=[validators.ge(8), validators.le(512)])


@contextmanager
def open_use(settings: UseSettings) -> Iterator[Embedder]:
    """Open the multilingual encoder; the model is loaded by the first text."""
    yield UniversalSentenceEncoder(threads=settings.threads)


@contextmanager
def open_minilm(settings: MiniLmSettings) -> Iterator[Embedder]:
    """Open the English encoder; the model is loaded by the first text."""
    yield MiniLm(threads=settings.threads, max_tokens=settings.max_tokens)


@contextmanager
def open_blend(settings: MiniLmSettings) -> Iterator[Embedder]:
    """Open both encoders side by side; the models are loaded by the first text."""
    yield Blend(
        UniversalSentenceEncoder(threads=settings.threads),
        MiniLm(threads=settings.threads, max_tokens=settings.max_tokens),
    )


USE = Backend(settings=UseSettings, open=open_use)
MINILM = Backend(settings=MiniLmSettings, open=open_minilm)
BLEND = Backend(settings=MiniLmSettings, open=open_blend)
