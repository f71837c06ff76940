"""A real Bolt server for tests, without docker: arcadedb-embedded holds ArcadeDB with its own Java inside a wheel."""

import importlib.util
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j

from pckc_adapters_memgraph.backend import MemgraphSettings

PASSWORD_VARIABLE = "PCKC_TEST_GRAPH_ACCESS"  # noqa: S105 - a name
PASSWORD = "play-with-graphs"  # noqa: S105 - of a server that ends with the test
START_SECONDS = 90

OPTIONS = """
    -Xmx768m --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED
    -Darcadedb.server.plugins=Bolt:com.arcadedb.bolt.BoltProtocolPlugin
    -Darcadedb.bolt.host=127.0.0.1 -Darcadedb.server.httpIncomingHost=127.0.0.1
    -Darcadedb.server.defaultDatabases=memgraph[root]
""".split()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class ArcadeServer:
    """An ArcadeDB that keeps its data below *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> MemgraphSettings:
        """How it is reached."""
        return MemgraphSettings(
            url=f"bolt://127.0.0.1:{self._port}",
            user="root",
            password_variable=PASSWORD_VARIABLE,
            database="memgraph",
        )

    def start(self) -> None:
        """Start it and wait until it answers."""
        found = importlib.util.find_spec("arcadedb_embedded")
        if found is None or found.origin is None:
            raise RuntimeError("arcadedb-embedded is not installed")
        home = Path(found.origin).parent
        command = [
            str(home / "jre/bin/java"),
            *OPTIONS,
            f"-Darcadedb.server.rootPath={self._folder}",
            f"-Darcadedb.server.rootPassword={PASSWORD}",
            f"-Darcadedb.bolt.port={self._port}",
            f"-Darcadedb.server.httpIncomingPort={free_port()}",
            *("-cp", str(home / "jars/*"), "com.arcadedb.server.ArcadeDBServer"),
        ]
        with (self._folder / "output.txt").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        self._wait()

    def stop(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process is None or self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "output.txt").read_text(encoding="utf-8")[-2000:])
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
            with neo4j.GraphDatabase.driver(self.settings.url, auth=("root", PASSWORD)) as driver:
                driver.execute_query("RETURN 1", database_="memgraph")
        except (OSError, neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError):
            return False
        return True


@contextmanager
def started(folder: Path) -> Iterator[ArcadeServer]:
    """Yield a server of one's own; the variable that its settings name holds the password."""
    os.environ[PASSWORD_VARIABLE] = PASSWORD
    server = ArcadeServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
