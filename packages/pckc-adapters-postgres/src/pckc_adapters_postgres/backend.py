"""What this package offers through its entry points."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend, Found
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_postgres.address import Address
from pckc_adapters_postgres.connection import APPLICATION_ROLE, Connections, describe
from pckc_adapters_postgres.login import Login
from pckc_adapters_postgres.migrations import Part, is_begun, prepare


@attrs.frozen(kw_only=True)
class PostgresSettings:
    """
    Which server, and how it is used.

    Attributes:
        url: ``postgresql://user@host:port/database``; keep the password out of it.
        password_variable: Name of the environment variable that holds the password; ``""`` leaves it to ``~/.pgpass``.
        admin_url_variable: Name of the variable with an owner's url and password, for migrations only; ``""``, or while
            it is not set, *url* migrates.
        schema: Schema that holds the tables.
        role: Role that statements run as; it must not bypass row-level security. ``""`` keeps the login's own.
        tenants: Tenants that what walks the whole store walks, besides the current one and those written to.
        pool_size: Connections at most.
        connect_timeout_seconds: How long to wait for a connection.
        lock_timeout_seconds: How long a writer waits for another writer of the same project.
        statement_timeout_seconds: How long one statement may take.
    """

    url: str = attrs.field(repr=False)  # in case it holds a password after all
    password_variable: str = ""
    admin_url_variable: str = ""
    schema: str = attrs.field(default="pckc", validator=attrs.validators.matches_re(r"[a-z_][a-z0-9_]{0,50}"))
    role: str = attrs.field(default=APPLICATION_ROLE, validator=attrs.validators.matches_re(r"[a-z0-9_]{0,60}"))
    tenants: tuple[str, ...] = ("local",)
    pool_size: int = attrs.field(default=10, validator=attrs.validators.ge(1))
    connect_timeout_seconds: float = attrs.field(default=10.0, validator=attrs.validators.gt(0))
    lock_timeout_seconds: float = attrs.field(default=30.0, validator=attrs.validators.gt(0))
    statement_timeout_seconds: float = attrs.field(default=120.0, validator=attrs.validators.gt(0))


@attrs.frozen(kw_only=True)
class PgvectorSettings(PostgresSettings):
    """
    As `PostgresSettings`, and how vectors are compared.

    Attributes:
        hnsw_above: Vectors of a project from which on an HNSW index answers, quickly and nearly always rightly, instead
            of comparing with each; 0 never makes one.
    """

    hnsw_above: int = attrs.field(default=50_000, validator=attrs.validators.ge(0))


@contextmanager
def connections(settings: PostgresSettings, part: Part) -> Iterator[Connections]:
    """Open the pool on a schema whose *part* is up to date."""
    with _owner(settings) as owner:
        prepare(owner, settings.schema, part)
    pool = _open(settings, _application(settings), role=settings.role, pool_size=settings.pool_size)
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def _owner(settings: PostgresSettings) -> Iterator[Connections]:
    owner = _open(settings, _admin(settings, _application(settings)), role="", pool_size=1)
    try:
        owner.check()
        yield owner
    finally:
        owner.close()


def _look(part: Part, settings: PostgresSettings) -> Found:
    with _owner(settings) as owner:
        return Found(is_begun(owner, settings.schema, part), describe(owner))


def _application(settings: PostgresSettings) -> Login:
    address = Address.of(settings.url)
    if settings.password_variable:
        password = os.environ.get(settings.password_variable)
        if not password:
            raise ConfigurationError(
                f"{settings.password_variable} is not set",
                remedy="set it to the password of the user in url, or take password_variable out of the settings",
            )
        address = address.with_password(password)
    return Login(kind="application", address=address, variable=settings.password_variable)


def _admin(settings: PostgresSettings, application: Login) -> Login:
    """Return who migrates; the password in an owner's url is the owner's, that of the settings another login's."""
    url = os.environ.get(settings.admin_url_variable) if settings.admin_url_variable else None
    if not url:
        return attrs.evolve(application, unset=settings.admin_url_variable)
    address = Address.of(url)
    password = os.environ.get(settings.password_variable) if settings.password_variable else None
    if password and not address.has_password and address.user == application.address.user:
        address = address.with_password(password)
    return Login(kind="admin", address=address, variable=settings.admin_url_variable)


def _open(settings: PostgresSettings, login: Login, *, role: str, pool_size: int) -> Connections:
    return Connections(
        login,
        f"{login.address.place} (schema {settings.schema})",
        role=role,
        schema=settings.schema,
        pool_size=pool_size,
        connect_timeout_seconds=settings.connect_timeout_seconds,
        lock_timeout_seconds=settings.lock_timeout_seconds,
        statement_timeout_seconds=settings.statement_timeout_seconds,
    )


@contextmanager
def _open_canonical(settings: PostgresSettings) -> Iterator[Canonical]:
    from pckc_adapters_postgres.unit_of_work import PostgresCanonical

    with connections(settings, Part.CANONICAL) as pool:
        yield PostgresCanonical(pool, settings.schema, settings.tenants)


@contextmanager
def _open_vector(settings: PgvectorSettings) -> Iterator[VectorIndex]:
    from pckc_adapters_postgres.vector import PgvectorIndex

    with connections(settings, Part.VECTOR) as pool:
        yield PgvectorIndex(pool, hnsw_above=settings.hnsw_above)


CANONICAL: Backend[PostgresSettings, Canonical] = Backend(
    settings=PostgresSettings, open=_open_canonical, look=partial(_look, Part.CANONICAL)
)

VECTOR: Backend[PgvectorSettings, VectorIndex] = Backend(
    settings=PgvectorSettings, open=_open_vector, look=partial(_look, Part.VECTOR)
)
"""Vectors in pgvector, in the same database or another one."""
