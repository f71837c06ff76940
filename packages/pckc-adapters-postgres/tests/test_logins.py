"""Two logins, roles and rights: who is refused, and what to run then."""

from collections.abc import Iterator

import attrs
import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings
from pckc_adapters_postgres.testing import Server, started
from pckc_domain.errors import ConfigurationError, PckcError
from pckc_domain.testing.samples import SCOPE

PASSWORD_VARIABLE = "PCKC_TEST_LOGIN"
ADMIN_VARIABLE = "PCKC_TEST_ADMIN"

SETUP = """
    CREATE ROLE pckc_app NOLOGIN NOINHERIT;
    CREATE ROLE pckc_search NOLOGIN;
    GRANT pckc_search TO pckc_app;
    CREATE ROLE pckc_owner LOGIN PASSWORD 'owns';
    GRANT pckc_app TO pckc_owner;
    CREATE ROLE alice LOGIN PASSWORD 'asks';
    GRANT pckc_app TO alice;
"""
"""As docs/server.md has it."""


@pytest.fixture
def fresh() -> Iterator[Server]:
    """Yield a server without a role of PCKC, which asks for passwords of all but its superuser."""
    with started() as server:
        rules = server.folder / "pg_hba.conf"
        before = rules.read_text(encoding="utf-8")
        rules.write_text(f"local all postgres trust\nlocal all all scram-sha-256\n{before}", encoding="utf-8")
        run(server.url, "SELECT pg_reload_conf()")
        yield server


def run(url: str, *statements: str) -> None:
    """Run these as whoever *url* names."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def as_login(server: Server, login: str, database: str = "pckc") -> str:
    """Return the url of another login."""
    return server.url.replace("postgres:@/postgres", f"{login}@/{database}")


def refusal(settings: PostgresSettings) -> PckcError:
    """Return why the store does not open."""
    with pytest.raises(ConfigurationError) as raised, CANONICAL.open(settings) as store, store.reading(SCOPE):
        pass
    return raised.value


def test_a_login_that_owns_nothing_and_one_that_migrates(fresh: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """As documented: no superuser opens it, each login with its own password, and who is refused is named."""
    run(fresh.url, SETUP, "CREATE DATABASE pckc OWNER pckc_owner")
    run(as_login(fresh, "postgres:"), "CREATE EXTENSION vector WITH SCHEMA public")
    monkeypatch.setenv(PASSWORD_VARIABLE, "asks")
    monkeypatch.setenv(ADMIN_VARIABLE, as_login(fresh, "pckc_owner:owns"))
    settings = PgvectorSettings(
        url=as_login(fresh, "alice"), password_variable=PASSWORD_VARIABLE, admin_url_variable=ADMIN_VARIABLE
    )
    monkeypatch.delenv(ADMIN_VARIABLE)
    assert f"{ADMIN_VARIABLE} is not set" in refusal(settings).message, "there is nothing yet"
    monkeypatch.setenv(ADMIN_VARIABLE, as_login(fresh, "pckc_owner:owns"))
    with CANONICAL.open(settings) as store, store.writing(SCOPE), VECTOR.open(settings):
        pass
    monkeypatch.setenv(ADMIN_VARIABLE, as_login(fresh, "pckc_owner:wrong"))
    refused = refusal(settings)
    assert "refuses the admin login pckc_owner" in refused.message
    assert ADMIN_VARIABLE in refused.remedy
    monkeypatch.delenv(ADMIN_VARIABLE)
    with CANONICAL.open(settings) as store, store.reading(SCOPE):
        pass  # what is made needs no owner
    monkeypatch.setenv(PASSWORD_VARIABLE, "wrong")
    refused = refusal(settings)
    assert "refuses the application login alice" in refused.message
    assert PASSWORD_VARIABLE in refused.remedy
    monkeypatch.delenv(PASSWORD_VARIABLE)
    assert f"{PASSWORD_VARIABLE} is not set" in refusal(settings).message


def test_a_role_that_may_not_be_taken(fresh: Server) -> None:
    """Not "all connections are in use": the role, and the statement that grants it."""
    with CANONICAL.open(PostgresSettings(url=fresh.url)):
        pass
    run(fresh.url, "CREATE ROLE bob LOGIN PASSWORD 'asks'", "GRANT USAGE ON SCHEMA pckc TO bob")
    run(fresh.url, "GRANT SELECT ON pckc.migration TO bob")
    settings = PostgresSettings(url=as_login(fresh, "bob:asks", "postgres"))
    refused = refusal(settings)
    assert "bob may not take the role pckc_app" in refused.message
    assert 'GRANT pckc_app TO "bob"' in refused.remedy
    refused = refusal(attrs.evolve(settings, role="nobody"))
    assert "role nobody" in refused.message
    assert "CREATE ROLE nobody" in refused.remedy


def test_an_owner_without_rights_is_told_which_to_grant(fresh: Server) -> None:
    """One after the other, each remedy leads to the next, and in the end the store opens."""
    run(fresh.url, "CREATE DATABASE pckc", "CREATE ROLE owner LOGIN PASSWORD 'owns'")
    settings = PgvectorSettings(url=as_login(fresh, "owner:owns"))
    assert "CREATEROLE" in refusal(settings).remedy
    run(fresh.url, "CREATE ROLE pckc_app NOLOGIN", "CREATE ROLE pckc_search NOLOGIN")
    assert "ALTER ROLE pckc_app NOINHERIT; GRANT pckc_search TO pckc_app" in refusal(settings).remedy
    run(fresh.url, "ALTER ROLE pckc_app NOINHERIT", "GRANT pckc_search TO pckc_app")
    assert "GRANT pckc_app TO" in refusal(settings).remedy
    run(fresh.url, "GRANT pckc_app TO owner")
    assert "ALTER DATABASE" in refusal(settings).remedy
    run(fresh.url, "ALTER DATABASE pckc OWNER TO owner")
    with CANONICAL.open(settings):
        pass
    with pytest.raises(ConfigurationError) as raised, VECTOR.open(settings):
        pass
    assert "CREATE EXTENSION vector" in raised.value.remedy
    run(as_login(fresh, "postgres:"), "CREATE EXTENSION vector WITH SCHEMA public")
    with VECTOR.open(settings):
        pass


def test_an_owner_who_may_make_roles(fresh: Server) -> None:
    """Since 16 who makes a role may grant it, and may yet not take it."""
    run(fresh.url, "CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'owns'", "CREATE DATABASE pckc OWNER owner")
    with CANONICAL.open(PostgresSettings(url=as_login(fresh, "owner:owns"))) as store, store.writing(SCOPE):
        pass


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://a@127.0.0.1:99999/orders", "the port in url"),
        ("postgresql://a@127.0.0.1:9/orders?sslmode=certainly", "sslmode"),
    ],
)
def test_a_setting_that_cannot_be(url: str, said: str) -> None:
    """It is no server that is down."""
    assert said in refusal(PostgresSettings(url=url, connect_timeout_seconds=1.0)).message
