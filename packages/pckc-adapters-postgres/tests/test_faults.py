"""What goes wrong with a server: each fault gives a clear error and its remedy, and loses nothing acknowledged."""

import logging
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings, connections
from pckc_adapters_postgres.migrations import Part, check_pgvector, check_version
from pckc_adapters_postgres.testing import Server, started
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, PckcError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import event, session
from pckc_domain.testing.samples import SCOPE, content, document

SECRET = "s3cret-correct-horse"
VARIABLE = "PCKC_TEST_LOGIN"


@pytest.fixture(scope="module")
def own() -> Iterator[Server]:
    """A server that may be killed, and that keeps what it acknowledged."""
    with started(is_quick=False) as server:
        yield server


def test_a_killed_server_loses_nothing_it_acknowledged(own: Server) -> None:
    """Killed in the middle of transactions, twice; the opened store goes on when the server is back."""
    acknowledged: list[str] = []
    failures: list[PckcError] = []
    is_over = threading.Event()

    def write(store: Canonical) -> None:
        step = 0
        while not is_over.is_set():
            of, step = session(f"s{step}"), step + 1
            said = [event(of, seq, f"said {step} {seq}") for seq in range(3)]
            try:
                with store.writing(SCOPE) as work:
                    work.sessions.put(of, said)
                acknowledged.append(of.id)
            except PckcError as error:
                failures.append(error)
                time.sleep(0.05)

    settings = PostgresSettings(url=own.url, connect_timeout_seconds=5.0)
    with CANONICAL.open(settings) as store:
        writer = threading.Thread(target=write, args=(store,))
        writer.start()
        try:
            for _ in range(2):
                enough = len(acknowledged) + 30
                _wait(lambda: len(acknowledged) >= enough)  # noqa: B023 - called at once
                own.kill()
                failed = len(failures)
                _wait(lambda: len(failures) > failed)  # noqa: B023 - called at once
                own.start()
        finally:
            is_over.set()
            writer.join()
        with store.reading(SCOPE) as work:
            stored = {one.id: len(work.sessions.events(one.id)) for one in work.sessions.find(limit=100_000)}
    assert {type(error) for error in failures} == {BackendUnavailableError}
    for error in failures:
        assert "cannot be reached" in error.message
        assert "what was committed is kept" in error.remedy
    assert set(acknowledged) <= stored.keys()
    assert set(stored.values()) == {3}, "half a transaction was kept"
    assert len(stored.keys() - set(acknowledged)) <= 2, "only what was being committed may be there unacknowledged"


def _wait(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_was_not_committed_is_gone(own: Server) -> None:
    """A transaction that the server's death interrupts fails, and nothing of it is kept."""
    with CANONICAL.open(PostgresSettings(url=own.url, connect_timeout_seconds=2.0)) as store:
        scope = Scope(project="interrupted")
        with pytest.raises(BackendUnavailableError):
            _write_around(store, scope, own.kill)
        own.start()
        with store.reading(scope) as work:
            assert work.documents.at("src/a.py") == []


def test_a_lost_connection_undoes_its_transaction(settings: PostgresSettings) -> None:
    """An administrator, or the network, ended it; the next transaction has another connection."""
    with CANONICAL.open(settings) as store:
        with pytest.raises(BackendUnavailableError, match="cannot be reached"):
            _write_around(store, SCOPE, lambda: _end_transactions(settings))
        with store.writing(SCOPE) as work:
            assert work.documents.at("src/a.py") == []
            work.documents.put(content(document("src/a.py"), "alpha"))


def _write_around(store: Canonical, scope: Scope, fault: Callable[[], None]) -> None:
    with store.writing(scope) as work:
        work.documents.put(content(document("src/a.py"), "alpha"))
        fault()
        work.documents.put(content(document("src/b.py"), "beta"))


def _end_transactions(settings: PostgresSettings) -> None:
    with psycopg.connect(settings.url) as connection:
        connection.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
            """
        )


def test_a_slow_statement_is_stopped(settings: PostgresSettings) -> None:
    """The connection is of use again afterwards."""
    quick = attrs.evolve(settings, statement_timeout_seconds=0.1, pool_size=1)
    with connections(quick, Part.CANONICAL) as pool:
        with pytest.raises(BackendUnavailableError, match="too long") as raised, pool.reading("t") as connection:
            connection.rows("SELECT pg_sleep(5)")
        assert "statement_timeout_seconds" in raised.value.remedy
        with pool.reading("t") as connection:
            assert connection.value("SELECT 1") == 1


def test_a_lock_that_another_keeps(settings: PostgresSettings) -> None:
    """Of the same project; another project's writer does not wait."""
    impatient = attrs.evolve(settings, lock_timeout_seconds=0.1)
    with CANONICAL.open(settings) as store, CANONICAL.open(impatient) as other:
        with store.writing(SCOPE):
            pass  # the first writer of a project makes its row
        with store.writing(SCOPE):
            with pytest.raises(BackendUnavailableError, match="locked") as raised, other.writing(SCOPE):
                pass
            assert "lock_timeout_seconds" in raised.value.remedy
            with other.writing(Scope(project="another")), other.reading(SCOPE):
                pass
        with other.writing(SCOPE):
            pass


def test_a_pool_without_a_free_connection(settings: PostgresSettings) -> None:
    """The one that waits is told; the one that has the connection goes on."""
    small = attrs.evolve(settings, pool_size=1, connect_timeout_seconds=0.2)
    with CANONICAL.open(small) as store, store.reading(SCOPE) as work:
        with pytest.raises(BackendUnavailableError, match="in use") as raised, store.reading(SCOPE):
            pass
        assert "pool_size" in raised.value.remedy
        assert work.claims.get([]) == []


@contextmanager
def _role(url: str, name: str, options: str) -> Iterator[str]:
    """Yield the url of a new login that may use the store."""
    _run(url, f"CREATE ROLE {name} LOGIN {options}", f"GRANT pckc_app TO {name}")
    try:
        yield url.replace("postgres:@", f"{name}@")
    finally:
        _run(url, f"DROP ROLE {name}")


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def test_a_server_without_a_connection_left(own: Server) -> None:
    """Of its own, unlike the pool's."""
    with CANONICAL.open(PostgresSettings(url=own.url)):
        pass
    with _role(own.url, "one_too_many", "CONNECTION LIMIT 0") as url:
        with pytest.raises(BackendUnavailableError, match="no connection left") as raised:
            _open(PostgresSettings(url=url))
        assert "max_connections" in raised.value.remedy


def test_no_such_database(own: Server) -> None:
    """Nor user."""
    for url, words in (
        (own.url.replace("/postgres?", "/nowhere?"), "no such database"),
        (own.url.replace("postgres:@", "nobody@"), "refuses the application login nobody"),
    ):
        with pytest.raises(ConfigurationError, match=words) as raised:
            _open(PostgresSettings(url=url))
        assert "url" in raised.value.remedy


def test_a_wrong_password(own: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The right one opens; with a wrong one or none the remedy says where it is looked for. Neither is ever told."""
    caplog.set_level(logging.DEBUG)
    rules = own.folder / "pg_hba.conf"
    before = rules.read_text(encoding="utf-8")
    with _role(own.url, "careful", f"PASSWORD '{SECRET}'") as url:
        with CANONICAL.open(PostgresSettings(url=own.url)):
            pass  # the owner has made the schema
        try:
            rules.write_text(f"local all careful scram-sha-256\n{before}", encoding="utf-8")
            _run(own.url, "SELECT pg_reload_conf()")
            settings = PostgresSettings(url=url, password_variable=VARIABLE)
            monkeypatch.setenv(VARIABLE, SECRET)
            _open(settings)
            wrong_and_none = (
                (f"{SECRET}-wrong", "refuses the application login careful"),
                ("", f"{VARIABLE} is not set"),
            )
            for wrong, why in wrong_and_none:
                monkeypatch.setenv(VARIABLE, wrong)
                with pytest.raises(ConfigurationError, match=why) as raised:
                    _open(settings)
                assert VARIABLE in f"{raised.value.message}{raised.value.remedy}"
                _check_silence(raised.value, caplog)
            monkeypatch.setenv(VARIABLE, SECRET)
            with CANONICAL.open(attrs.evolve(settings, connect_timeout_seconds=1.0)) as store:
                own.kill()
                with pytest.raises(BackendUnavailableError) as lost, store.reading(SCOPE):
                    pass
                own.start()
                _check_silence(lost.value, caplog)
        finally:
            rules.write_text(before, encoding="utf-8")
            _run(own.url, "SELECT pg_reload_conf()")


def _open(settings: PostgresSettings) -> None:
    with CANONICAL.open(settings) as store, store.reading(SCOPE) as work:
        assert work.claims.get(["none"]) == []


def _check_silence(error: PckcError, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the error, nor what it came from, nor the drivers' logs may hold the secret."""
    told = "".join(traceback.format_exception(error)) + repr(error) + error.remedy + caplog.text
    assert SECRET not in told


def test_a_password_in_the_url_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not belong there, but people do it."""
    for url in (
        f"postgresql://me:{SECRET}@127.0.0.1:9/orders",
        f"postgresql://127.0.0.1:9/orders?user=me&password={SECRET}",
        f"postgresql://me:{SECRET}@127.0.0.1:port/orders",
        f"host=127.0.0.1 port=9 dbname=orders password={SECRET}",
        f"postgresql://me:se/{SECRET}@127.0.0.1:9/orders",
        f"postgresql://me:12/{SECRET}@127.0.0.1:9/orders",
        f"postgresql://me:se@{SECRET}@127.0.0.1:9/orders",
        f"postgresql://me:se?{SECRET}@127.0.0.1:9/orders",
        f"postgresql://me:12?x={SECRET}@127.0.0.1:9/orders",
        f"postgresql://me:{SECRET}/se@127.0.0.1:9/orders",
        f"postgresql://me:{SECRET}%@127.0.0.1:9/orders",
        f"postgresq://me:{SECRET}@127.0.0.1:9/orders",
    ):
        for role in ("url", "admin"):
            monkeypatch.setenv(VARIABLE, url)
            good = "postgresql://me@127.0.0.1:9/orders"
            settings = PostgresSettings(
                url=url if role == "url" else good,
                admin_url_variable=VARIABLE if role == "admin" else "",
                connect_timeout_seconds=1.0,
            )
            with pytest.raises((ConfigurationError, BackendUnavailableError)) as raised, CANONICAL.open(settings):
                pass
            told = "".join(traceback.format_exception(raised.value))
            assert SECRET not in told + repr(settings) + raised.value.remedy
            assert "127.0.0.1:9/orders" in raised.value.message or "percent-encoded" in raised.value.remedy


def test_a_server_that_stops_answering(own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither gone nor at work, such as a frozen machine: what waits is told; when it is back, all goes on."""
    monkeypatch.setattr("pckc_adapters_postgres.connection.GRACE_SECONDS", 0.2)
    settings = PostgresSettings(
        url=own.url, connect_timeout_seconds=2.0, statement_timeout_seconds=0.3, lock_timeout_seconds=0.3
    )
    with CANONICAL.open(PostgresSettings(url=own.url)):
        pass
    with CANONICAL.open(settings) as store:
        with own.frozen(), pytest.raises(BackendUnavailableError, match="cannot be reached"):
            _write_around(store, Scope(project="frozen"), lambda: None)
        with own.frozen(), pytest.raises(BackendUnavailableError), store.reading(SCOPE):
            pass
        with store.reading(Scope(project="frozen")) as work:
            assert work.documents.at("src/a.py") == []


def test_an_older_pgvector_is_refused() -> None:
    """It lacks the scan that goes on while filters leave too few."""
    check_pgvector("0.8.0", "here")
    check_pgvector("1.0", "here")
    with pytest.raises(ConfigurationError, match=r"pgvector 0\.7\.4 at here is too old") as raised:
        check_pgvector("0.7.4", "here")
    assert "0.8" in raised.value.remedy


def test_an_older_server_is_refused() -> None:
    """PostgreSQL before 15 has not all that is used."""
    check_version(150_000, "here")
    with pytest.raises(ConfigurationError, match="PostgreSQL 14 at here is too old") as raised:
        check_version(140_012, "here")
    assert "15" in raised.value.remedy


def test_a_store_of_a_newer_version_is_refused(settings: PostgresSettings) -> None:
    """And one whose migrations were tampered with."""
    table = f'"{settings.schema}".migration'
    with psycopg.connect(settings.url, autocommit=True) as connection:
        connection.execute(f"INSERT INTO {table} VALUES ('CANONICAL', 99, 'x')".encode())  # noqa: S608
        with pytest.raises(ConfigurationError, match="newer version"):
            _open(settings)
        connection.execute(f"DELETE FROM {table} WHERE number = 99".encode())  # noqa: S608
        (sha256,) = connection.execute(
            f"SELECT sha256 FROM {table} WHERE part = 'CANONICAL' AND number = 1".encode()  # noqa: S608
        ).fetchone() or ("",)
        change = f"UPDATE {table} SET sha256 = %s WHERE part = 'CANONICAL' AND number = 1"  # noqa: S608
        connection.execute(change.encode(), ("tampered",))
        with pytest.raises(ConfigurationError, match="migration 1"):
            _open(settings)
        connection.execute(change.encode(), (sha256,))
    _open(settings)


def test_a_login_without_rights_cannot_migrate(own: Server) -> None:
    """The remedy names what is missing."""
    _run(own.url, "CREATE ROLE stranger LOGIN")
    settings = PostgresSettings(url=own.url.replace("postgres:@", "stranger@"), schema="new")
    with pytest.raises(ConfigurationError) as raised:
        _open(settings)
    assert "admin_url_variable" in raised.value.remedy


def _write_for_ever(store: Canonical, acknowledged: list[str]) -> None:
    while True:
        version = document(f"src/{len(acknowledged)}.py")
        with store.writing(SCOPE) as work:
            work.documents.put(content(version, *(f"{len(acknowledged)} {i} {'word ' * 20}" for i in range(5))))
        acknowledged.append(version.id)


@pytest.fixture
def small_disk(own: Server) -> Iterator[Path]:
    """A disk of 16 MB that the server may use; only root can make one."""
    folder = own.folder.parent / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0777", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        place = folder / "space"
        place.mkdir()
        place.chmod(0o700)
        status = own.folder.stat()
        subprocess.run(["chown", f"{status.st_uid}:{status.st_gid}", str(place)], check=True)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_keeps_what_was_committed(own: Server, small_disk: Path) -> None:
    """Writing goes on as soon as there is space."""
    _run(own.url, f"CREATE TABLESPACE small LOCATION '{small_disk}'", "CREATE DATABASE small TABLESPACE small")
    stored: list[str] = []
    with CANONICAL.open(PostgresSettings(url=own.url.replace("/postgres?", "/small?"))) as store:
        with pytest.raises(BackendUnavailableError, match="no space left") as raised:
            _write_for_ever(store, stored)
        assert "disk space" in raised.value.remedy
        with store.reading(SCOPE) as work:
            assert {one.id for one in work.documents.get(stored)} == set(stored)
            assert len(work.documents.get(stored)) == len(stored)
    _run(own.url, "DROP DATABASE small WITH (FORCE)", "DROP TABLESPACE small")
