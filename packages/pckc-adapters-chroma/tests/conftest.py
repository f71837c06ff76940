"""A real Chroma server for the tests."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

START_SECONDS = 60


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the server that ``PCKC_TEST_CHROMA_URL`` names, or of one that is started here."""
    if named := os.environ.get("PCKC_TEST_CHROMA_URL"):
        yield named
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma")
    program = Path(sys.executable).with_name("chroma")
    command = [str(program), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            _wait(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(10 * START_SECONDS):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/api/v2/heartbeat", timeout=5):  # noqa: S310 - loopback
                return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise RuntimeError("Chroma did not start")
