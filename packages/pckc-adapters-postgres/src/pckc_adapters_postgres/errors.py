"""PostgreSQL's errors as PCKC's, in one place."""

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
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return _refused(location)
        case errors.InvalidCatalogName():
            return ConfigurationError(f"no such database: {location}", remedy="Create it, or correct url.")
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
        case errors.TooManyConnections():
            return BackendUnavailableError(
                f"{location} has no connection left", remedy="Raise max_connections there, or lower pool_size here."
            )
        case errors.DeadlockDetected() | errors.SerializationFailure():
            return BackendUnavailableError(f"two writers met at {location}", remedy="Try again.")
        case errors.ReadOnlySqlTransaction():
            return BackendError("opened for reading", remedy="Write inside canonical.writing().")
        case errors.IntegrityError():
            return ConflictError(f"the write contradicts what is stored: {_first_line(error)}")
        case psycopg.OperationalError() if error.sqlstate is None and "password" in str(error):
            return _refused(location)
        case psycopg.OperationalError() if error.sqlstate is None and "does not exist" in str(error):
            return ConfigurationError(f"no such database or role: {location}", remedy="Create it, or correct url.")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return BackendUnavailableError(
                f"PostgreSQL at {location} cannot be reached",
                remedy="Start it (compose.yaml has one), or correct url; what was committed is kept.",
            )
        case _:
            return BackendError(f"PostgreSQL at {location} failed: {_first_line(error)}")


def _refused(location: str) -> PckcError:
    return ConfigurationError(
        f"PostgreSQL at {location} refuses the login",
        remedy="Correct the user in url, and the password in the variable that password_variable names.",
    )


def _first_line(error: Exception) -> str:
    """Details may quote rows: the first line names the fault alone."""
    return str(error).partition("\n")[0]
