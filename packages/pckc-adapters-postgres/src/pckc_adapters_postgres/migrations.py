"""The store's schema: numbered SQL files, applied in order by the owner and never changed afterwards."""
# ruff: noqa: S608 - what is put together here are constants and names of ours

import hashlib
from enum import StrEnum
from functools import cache
from importlib.resources import files

import attrs
from pckc_domain.errors import ConfigurationError

from pckc_adapters_postgres.connection import APPLICATION_ROLE, SEARCH_ROLE, Connection, Connections

LOCK = 0x50434B43
"""Key of the advisory lock that lets one process migrate while others wait."""

OLDEST_SERVER = 150_000

OLDEST_PGVECTOR = (0, 8)

_CREATE_ROLES = f"""
    DO $$
    DECLARE may_take boolean;
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{APPLICATION_ROLE}') THEN
            CREATE ROLE {APPLICATION_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS;
        END IF;
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{SEARCH_ROLE}') THEN
            CREATE ROLE {SEARCH_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS;
        END IF;
        IF NOT pg_has_role('{APPLICATION_ROLE}', '{SEARCH_ROLE}', 'MEMBER') THEN
            ALTER ROLE {APPLICATION_ROLE} NOINHERIT; -- policies for those who search are not for those who may
            GRANT {SEARCH_ROLE} TO {APPLICATION_ROLE};
        END IF;
        -- since 16 who makes a role is its member, and may yet not take it
        IF current_setting('server_version_num')::int >= 160000 THEN
            may_take := pg_has_role(current_user, '{APPLICATION_ROLE}', 'SET');
        ELSE
            may_take := pg_has_role(current_user, '{APPLICATION_ROLE}', 'MEMBER');
        END IF;
        IF NOT may_take THEN
            EXECUTE format('GRANT {APPLICATION_ROLE} TO %I', current_user);
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database's migration was faster
    END
    $$
"""

_CREATE_TABLE = """
    CREATE TABLE IF NOT EXISTS migration (
        part text NOT NULL, number integer NOT NULL, sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, number)
    )
"""

_NOTE = "INSERT INTO migration (part, number, sha256) VALUES (%s, %s, %s)"

_GRANTS = (
    f"GRANT USAGE ON SCHEMA {{schema}} TO {APPLICATION_ROLE}, {SEARCH_ROLE}",
    f"GRANT SELECT ON ALL TABLES IN SCHEMA {{schema}} TO {SEARCH_ROLE}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"REVOKE INSERT, UPDATE, DELETE ON migration FROM {APPLICATION_ROLE}",
)


@attrs.frozen(kw_only=True)
class Migration:
    """One step of the schema."""

    number: int
    sql: str
    sha256: str


class Part(StrEnum):
    """What is migrated by itself; the value is the folder of its migrations."""

    CANONICAL = "migrations"
    VECTOR = "migrations_vector"


@cache
def migrations(part: Part) -> tuple[Migration, ...]:
    """Return every migration of *part* this version knows, in order."""
    folder = files("pckc_adapters_postgres") / part
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple(
        Migration(number=int(file.name[:4]), sql=sql, sha256=hashlib.sha256(sql.encode()).hexdigest())
        for file in scripts
        for sql in [file.read_text("utf-8")]
    )


def newest(part: Part) -> int:
    """Return the number of the newest migration of *part*."""
    return migrations(part)[-1].number


def prepare(owner: Connections, schema: str, part: Part) -> None:
    """
    Bring *part* of the schema to this version; one process does it while others wait.

    Raises:
        ConfigurationError: The server is too old, the schema comes from a newer version or was tampered with, or the
            login may not change it.
    """
    with owner.plain() as connection:
        check_version(connection.value("SELECT current_setting('server_version_num')::int"), owner.location)
        if not _missing(connection, schema, part, owner.location):
            return
        if owner.login.unset and connection.value("SELECT NOT has_database_privilege(current_database(), 'CREATE')"):
            raise ConfigurationError(
                f"{owner.login.unset} is not set, and {owner.location} has to be migrated",
                remedy="set it to an owner's url, or let somebody who has that run pckc once",
            )
        if part is Part.VECTOR:
            _create_extension(connection, owner.location)
    with owner.migrating() as connection:
        connection.run("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.run(_CREATE_ROLES)
        connection.run(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        connection.run(_CREATE_TABLE)
        for migration in _missing(connection, schema, part, owner.location):
            connection.run(migration.sql)
            connection.run(_NOTE, (part.name, migration.number, migration.sha256))
        for grant in _GRANTS:
            connection.run(grant.format(schema=f'"{schema}"'))


def is_begun(owner: Connections, schema: str, part: Part) -> bool:
    """
    Return whether anything of *part* was made in the schema; nothing is changed.

    Raises:
        ConfigurationError: As `prepare`.
    """
    with owner.plain() as connection:
        check_version(connection.value("SELECT current_setting('server_version_num')::int"), owner.location)
        return len(_missing(connection, schema, part, owner.location)) < len(migrations(part))


def check_version(version: int, location: str) -> None:
    """
    Refuse a server that is too old; *version* is its ``server_version_num``.

    Raises:
        ConfigurationError: It is older than 15.
    """
    if version < OLDEST_SERVER:
        raise ConfigurationError(
            f"PostgreSQL {version // 10_000} at {location} is too old", remedy="Use PostgreSQL 15 or newer."
        )


def _create_extension(connection: Connection, location: str) -> None:
    """Make pgvector's type known, in the schema that every search path holds."""
    available = connection.value(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    )
    if available:
        check_pgvector(available, location)
    else:
        raise ConfigurationError(
            f"PostgreSQL at {location} has no pgvector",
            remedy="Install pgvector 0.8 or newer on the server, or choose another backend for vector.",
        )
    connection.run("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")


def check_pgvector(version: str, location: str) -> None:
    """
    Refuse a pgvector that is too old.

    Raises:
        ConfigurationError: It is older than 0.8, which goes on looking while filters leave too few.
    """
    major, _, rest = version.partition(".")
    if (int(major), int(rest.partition(".")[0])) < OLDEST_PGVECTOR:
        raise ConfigurationError(
            f"pgvector {version} at {location} is too old",
            remedy="Install pgvector 0.8 or newer on the server, then run ALTER EXTENSION vector UPDATE.",
        )


def _missing(connection: Connection, schema: str, part: Part, location: str) -> tuple[Migration, ...]:
    """Return the migrations of *part* that the schema still needs."""
    known = migrations(part)
    if not connection.value("SELECT to_regclass(%s)", (f'"{schema}".migration',)):
        return known
    applied = connection.rows("SELECT number, sha256 FROM migration WHERE part = %s ORDER BY number", (part.name,))
    if len(applied) > len(known):
        raise ConfigurationError(
            f"the store was written by a newer version (schema {applied[-1][0]}, known are {known[-1].number}): "
            f"{location}",
            remedy="Upgrade pckc-adapters-postgres.",
        )
    for (number, sha256), migration in zip(applied, known, strict=False):
        if (number, sha256) != (migration.number, migration.sha256):
            raise ConfigurationError(
                f"migration {number} of the store is not the one this version knows: {location}",
                remedy="Use the version that wrote the store, or another schema.",
            )
    return known[len(applied) :]
