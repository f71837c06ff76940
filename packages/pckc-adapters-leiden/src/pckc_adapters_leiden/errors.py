"""What goes wrong in an engine, in PCKC's words."""

from collections.abc import Iterator
from contextlib import contextmanager

from pckc_domain.errors import BackendError, ConfigurationError


def missing_extra(extra: str) -> ConfigurationError:
    """Return the error of an engine that is not installed."""
    return ConfigurationError(
        f"The communities engine '{extra}' is not installed.",
        remedy=f"pip install 'pckc-adapters-leiden[{extra}]'",
    )


@contextmanager
def running(engine: str) -> Iterator[None]:
    """
    Translate what *engine* raises while it computes.

    Raises:
        BackendError: The engine failed.
    """
    try:
        yield
    except (RuntimeError, ValueError, SystemError) as error:  # igraph's own error is a RuntimeError
        raise BackendError(f"The communities engine '{engine}' failed: {error}") from error
