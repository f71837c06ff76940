"""The Bolt driver's errors as PCKC's, in one place."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import exceptions
from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError, PckcError

_TIMED_OUT = ("timedout", "timed out", "timeout")
_ACCESS = (".Security.", "authentication", "not authorized")


@contextmanager
def translating(location: str) -> Iterator[None]:
    """Raise what an error of the driver means to a caller; *location* is named without credentials."""
    try:
        yield
    except (exceptions.Neo4jError, exceptions.DriverError, OSError, ValueError) as error:
        raise _translated(error, location) from error


def _translated(error: Exception, location: str) -> PckcError:
    """Servers' messages may quote values of a query, so that none of them is repeated here."""
    text = f"{getattr(error, 'code', '')} {error}"
    if isinstance(error, exceptions.AuthError) or any(sign in text for sign in _ACCESS):
        return ConfigurationError(
            f"the graph server at {location} refuses the user or the password",
            remedy="correct user, and the variable that password_variable names",
        )
    if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired | OSError):
        return BackendUnavailableError(
            f"the graph server at {location} cannot be reached",
            remedy="Start it, or correct url; answers come from the canonical store meanwhile.",
        )
    if isinstance(error, exceptions.ClientError) and "DatabaseNotFound" in text:
        return ConfigurationError(
            f"the graph server at {location} has no such database", remedy="correct database, or create it"
        )
    if any(sign in text.lower() for sign in _TIMED_OUT):
        return BackendUnavailableError(
            f"the graph server at {location} took too long", remedy="Try again, or raise query_timeout_seconds."
        )
    if isinstance(error, exceptions.Neo4jError | exceptions.DriverError) and error.is_retryable():
        return BackendUnavailableError(
            f"transactions on the graph server at {location} kept meeting each other: {_code(error)}",
            remedy="Run one projection of a project at a time, or raise retry_seconds.",
        )
    return BackendError(f"the graph server at {location} failed: {type(error).__name__} {_code(error)}".rstrip())


def _code(error: Exception) -> str:
    return str(getattr(error, "code", "") or "")
