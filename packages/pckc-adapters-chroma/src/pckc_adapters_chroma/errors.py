"""Chroma's errors as PCKC's, in one place."""

from collections.abc import Iterator
from contextlib import contextmanager

from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError, PckcError


@contextmanager
def translating(location: str) -> Iterator[None]:
    """Raise what an error of the client means to a caller; *location* is named without credentials."""
    try:
        yield
    except PckcError:
        raise
    except Exception as error:
        raise _translated(error, location) from error


def _translated(error: Exception, location: str) -> PckcError:
    import httpx
    from chromadb.errors import AuthorizationError, ChromaAuthError

    if isinstance(error, AuthorizationError | ChromaAuthError):
        return ConfigurationError(
            f"Chroma at {location} refuses the token",
            remedy="set token_variable to the name of the variable that holds the server's token",
        )
    unreachable = isinstance(error, httpx.TransportError | ConnectionError | TimeoutError)
    if unreachable or "Could not connect" in str(error):
        return BackendUnavailableError(
            f"Chroma at {location} cannot be reached", remedy="Start it (compose.yaml has one), or correct url."
        )
    if isinstance(error, OSError):
        return BackendUnavailableError(f"cannot use {location}: {error.strerror}", remedy="Check the folder's rights.")
    return BackendError(  # what the server says may repeat what it was sent, such as the token
        f"Chroma at {location} failed: {type(error).__name__}",
        remedy="Look into its log; Chroma before 1.0 is too old.",
    )
