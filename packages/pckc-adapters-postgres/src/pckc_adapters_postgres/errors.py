"""PostgreSQL's errors as PCKC's, in one place."""

import re

import psycopg
from pckc_domain.errors import (
    BackendError,
    BackendUnavailableError,
    ConfigurationError,
    ConflictError,
    PckcError,
)
from psycopg import errors


def translate(error: psycopg.Error, location: str) -> PckcError:
    """Return what *error* means to a caller; *location* names the server without credentials."""
    match error:
        case errors.InsufficientPrivilege() if "row-level security" in str(error):
            return ConflictError("the write is not for this tenant")
        case errors.InsufficientPrivilege():
            return ConfigurationError(
                f"the login may not do that at {location}: {_first_line(error)}",
                remedy="Grant it the role pckc_app, or name an owner's login in admin_url_variable for migrations.",
            )
        case errors.LockNotAvailable():
            return BackendUnavailableError(
                f"another writer kept {location} locked", remedy="Try again, or raise lock_timeout_seconds."
            )
        case errors.QueryCanceled():
            return BackendUnavailableError(
                f"a statement took too long at {location}", remedy="Try again, or raise statement_timeout_seconds."
            )
        case errors.DiskFull():
            return BackendUnavailableError(
                f"no space left at {location}", remedy="Free some disk space; what was committed is kept."
            )
        case errors.DeadlockDetected() | errors.SerializationFailure():
            return BackendUnavailableError(f"two writers met at {location}", remedy="Try again.")
        case errors.PipelineAborted():
            return BackendError(f"an earlier statement of the transaction failed at {location}")
        case errors.ReadOnlySqlTransaction():
            return BackendError("opened for reading", remedy="Write inside canonical.writing().")
        case errors.IntegrityError():
            return ConflictError(f"the write contradicts what is stored: {_first_line(error)}")
        case psycopg.OperationalError() if error.sqlstate is None and (refusal := _refusal(str(error), location)):
            return refusal
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return BackendUnavailableError(
                f"PostgreSQL at {location} cannot be reached",
                remedy="Start it (compose.yaml has one), or correct url; what was committed is kept.",
            )
        case _:
            return BackendError(f"PostgreSQL at {location} failed: {_first_line(error)}")


_LOGIN = re.compile(r"authentication failed|pg_hba\.conf|role .* (does not exist|is not permitted)")
_DATABASE = re.compile(r"database .* does not exist")
_FULL = re.compile(r"too many (connections|clients)|remaining connection slots")


def _refusal(message: str, location: str) -> PckcError | None:
    """Return why the server did not let anybody in; while connecting, its words are all there is."""
    why = message.partition("FATAL:")[2]
    if _LOGIN.search(why) or "fe_sendauth: no password supplied" in message:
        return ConfigurationError(
            f"PostgreSQL at {location} refuses the login",
            remedy="Correct the user in url, and the password in the variable that password_variable names.",
        )
    if _DATABASE.search(why):
        return ConfigurationError(f"no such database: {location}", remedy="Create it, or correct url.")
    if _FULL.search(why):
        return BackendUnavailableError(
            f"{location} has no connection left", remedy="Raise max_connections there, or lower pool_size here."
        )
    return None


def _first_line(error: Exception) -> str:
    """Details may quote rows: the first line names the fault alone."""
    return str(error).partition("\n")[0]
