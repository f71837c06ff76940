"""The store's schema: numbered SQL files, applied in order by the owner and never changed afterwards."""
# ruff: noqa: S608 - what is put together here are constants and names of ours

import hashlib
from functools import cache
from importlib.resources import files

import attrs
from pckc_domain.errors import ConfigurationError

from pckc_adapters_postgres.connection import APPLICATION_ROLE, Connection, Connections

LOCK = 0x50434B43
"""Key of the advisory lock that lets one process migrate while others wait."""

OLDEST_SERVER = 150_000

_CREATE_ROLE = f"""
    DO $$
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{APPLICATION_ROLE}') THEN
            CREATE ROLE {APPLICATION_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS;
        END IF;
        IF NOT pg_has_role(current_user, '{APPLICATION_ROLE}', 'MEMBER') THEN
            EXECUTE format('GRANT {APPLICATION_ROLE} TO %I', current_user);
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database's migration was faster
    END
    $$
"""

_CREATE_TABLE = """
    CREATE TABLE IF NOT EXISTS migration (
        number integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )
"""

_GRANTS = (
    f"GRANT USAGE ON SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {{schema}} TO {APPLICATION_ROLE}",
    f"REVOKE INSERT, UPDATE, DELETE ON migration FROM {APPLICATION_ROLE}",
)


@attrs.frozen(kw_only=True)
class Migration:
    """One step of the schema."""

    number: int
    sql: str
    sha256: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Return every migration this version knows, in order."""
    folder = files("pckc_adapters_postgres") / "migrations"
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple(
        Migration(number=int(file.name[:4]), sql=sql, sha256=hashlib.sha256(sql.encode()).hexdigest())
        for file in scripts
        for sql in [file.read_text("utf-8")]
    )


def newest() -> int:
    """Return the number of the newest migration."""
    return migrations()[-1].number


def prepare(owner: Connections, schema: str) -> None:
    """
    Bring the schema to this version; one process does it while others wait.

    Raises:
        ConfigurationError: The server is too old, the schema comes from a newer version or was tampered with, or the
            login may not change it.
    """
    with owner.plain() as connection:
        version = connection.value("SELECT current_setting('server_version_num')::int")
        if version < OLDEST_SERVER:
            raise ConfigurationError(
                f"PostgreSQL {version // 10_000} at {owner.location} is too old", remedy="Use PostgreSQL 15 or newer."
            )
        if not _missing(connection, schema, owner.location):
            return
    with owner.writing("") as connection:
        connection.run("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.run(_CREATE_ROLE)
        connection.run(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        connection.run(_CREATE_TABLE)
        for migration in _missing(connection, schema, owner.location):
            connection.run(migration.sql)
            connection.run(
                "INSERT INTO migration (number, sha256) VALUES (%s, %s)", (migration.number, migration.sha256)
            )
        for grant in _GRANTS:
            connection.run(grant.format(schema=f'"{schema}"'))


def _missing(connection: Connection, schema: str, location: str) -> tuple[Migration, ...]:
    """Return the migrations that the schema still needs."""
    known = migrations()
    if not connection.value("SELECT to_regclass(%s)", (f'"{schema}".migration',)):
        return known
    applied = connection.rows("SELECT number, sha256 FROM migration ORDER BY number")
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
