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

from pckc_adapters_postgres.login import Login


def translate(error: psycopg.Error, location: str, login: Login | None = None) -> PckcError:
    """Return what *error* means to a caller; *location* names the server without credentials, *login* who came."""
    match error:
        case errors.InsufficientPrivilege() if "row-level security" in str(error):
            return ConflictError("the write is not for this tenant")
        case errors.InsufficientPrivilege():
            return ConfigurationError(
                f"the login may not do that at {location}: {_first_line(error)}",
                remedy=_permission(str(error)),
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
        case psycopg.OperationalError() if not error.sqlstate and (why := _refusal(str(error), location, login)):
            return why
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return BackendUnavailableError(
                f"PostgreSQL at {location} cannot be reached",
                remedy="Start it (compose.yaml has one), or correct url; what was committed is kept.",
            )
        case _:
            return BackendError(f"PostgreSQL at {location} failed: {_first_line(error)}")


def refused_role(login: Login, role: str, user: str, location: str) -> ConfigurationError:
    """Return what to do when a login may not take the role that statements run as, or nobody made it yet."""
    return ConfigurationError(
        f"the {login.kind} login {user} may not take the role {role} at {location}",
        remedy=f'As its owner or a superuser: GRANT {role} TO "{user}"; (first CREATE ROLE {role} NOLOGIN NOINHERIT;'
        " if there is none; docs/server.md has it all)",
    )


_PERMISSIONS = (
    ("create role", "As a superuser: ALTER ROLE <the login> CREATEROLE; or make pckc_app and pckc_search yourself;"),
    ("alter role", "As a superuser: ALTER ROLE pckc_app NOINHERIT; GRANT pckc_search TO pckc_app;"),
    ('role "pckc_app"', "As a superuser: GRANT pckc_app TO <the login>;"),
    ('role "pckc_search"', "As a superuser: ALTER ROLE pckc_app NOINHERIT; GRANT pckc_search TO pckc_app;"),
    ("extension", "As a superuser, in this database: CREATE EXTENSION vector WITH SCHEMA public;"),
    ("for database", "As a superuser: ALTER DATABASE <the database> OWNER TO <the login>;"),
)
"""What to run for a permission that is missing, by what the server says is denied."""


def _permission(message: str) -> str:
    told = message.lower()
    for part, remedy in _PERMISSIONS:
        if part in told:
            return f"{remedy} or name an owner's url in admin_url_variable (docs/server.md, Setting up a database)."
    return "Grant it the role pckc_app, or name an owner's login in admin_url_variable for migrations."


_LOGIN = re.compile(r"authentication failed|pg_hba\.conf|role .* (does not exist|is not permitted)")
_DATABASE = re.compile(r"database .* does not exist")
_FULL = re.compile(r"too many (connections|clients)|remaining connection slots")


_NAME = re.compile(r"Name or service not known|nodename nor servname|No address associated")
_SETTINGS = (
    (re.compile(r"invalid port|option \"port\"|Servname not supported"), "the port in url is none"),
    (re.compile(r"SSL was required"), "the server has no TLS, and sslmode in url asks for it"),
    (re.compile(r"certificate|sslrootcert|sslcert|sslkey"), "the certificates do not fit"),
    (re.compile(r"invalid \w+ value|invalid integer value"), "sslmode, or another option in url, has no such value"),
)


def _refusal(message: str, location: str, login: Login | None) -> PckcError | None:
    """Return why the server did not let anybody in; while connecting, its words are all there is."""
    why = message.partition("FATAL:")[2]
    if _LOGIN.search(why) or "fe_sendauth: no password supplied" in message:
        return ConfigurationError(
            f"PostgreSQL at {location} refuses the {login or 'login'}",
            remedy=login.remedy if login else "Correct the user in url, and its password.",
        )
    if _DATABASE.search(why):
        return ConfigurationError(f"no such database: {location}", remedy="Create it, or correct url.")
    if _FULL.search(why):
        return BackendUnavailableError(
            f"{location} has no connection left", remedy="Raise max_connections there, or lower pool_size here."
        )
    if _NAME.search(message):
        return ConfigurationError(f"no such host: {location}", remedy="Correct the host's name in url.")
    for pattern, words in _SETTINGS:
        if pattern.search(message):
            return ConfigurationError(f"PostgreSQL at {location}: {words}", remedy="Correct url.")
    return None


def _first_line(error: Exception) -> str:
    """Details may quote rows: the first line names the fault alone."""
    return str(error).partition("\n")[0]
