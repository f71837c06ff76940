"""Qdrant's errors as PCKC's, in one place."""

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
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        if error.status_code in (401, 403):
            return ConfigurationError(
                f"Qdrant at {location} refuses the key",
                remedy="set api_key_variable to the name of the variable that holds a key with write access",
            )
        if error.status_code is not None and error.status_code >= 500:
            return BackendUnavailableError(
                f"Qdrant at {location} failed: status {error.status_code}", remedy="Look into its log, then try again."
            )
        return BackendError(
            f"Qdrant at {location} refused a request: status {error.status_code}",
            remedy="Look into its log, and whether url is that of a Qdrant.",
        )
    if isinstance(error, ResponseHandlingException | ConnectionError | TimeoutError):
        return BackendUnavailableError(
            f"Qdrant at {location} cannot be reached", remedy="Start it (compose.yaml has one), or correct url."
        )
    if isinstance(error, RuntimeError) and "already accessed" in str(error):
        return BackendUnavailableError(
            f"another process holds {location}", remedy="The client's own engine serves one process; use a server."
        )
    if isinstance(error, OSError):
        return BackendUnavailableError(f"cannot use {location}: {error.strerror}", remedy="Check the folder's rights.")
    return BackendError(  # what the server says may repeat what it was sent, such as the key
        f"Qdrant at {location} failed: {type(error).__name__}", remedy="Look into its log, then try again."
    )
