"""A real Chroma server for tests, without docker: the package brings its own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60


class ChromaServer:
    """A server that keeps its data below *folder*; it may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """How it is reached."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        program = Path(sys.executable).with_name("chroma")
        command = [str(program), "run", "--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self._port)]
        environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
        with (self._folder / "output.txt").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        for _ in range(10 * START_SECONDS):
            if self._process.poll() is not None:
                break
            if self._answers():
                return
            time.sleep(0.1)
        raise RuntimeError((self._folder / "output.txt").read_text(encoding="utf-8")[-2000:])

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let it not run inside the block: connections are accepted, and nothing is answered."""
        if self._process is None:
            raise RuntimeError("it was not started")
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=5).close()  # noqa: S310 - loopback
        except (urllib.error.URLError, OSError):
            return False
        return True


@contextmanager
def started(folder: Path) -> Iterator[ChromaServer]:
    """Yield a server of one's own."""
    server = ChromaServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
