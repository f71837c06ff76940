"""
Runs of `pckc` that start at once.

Most of a short run is spent on starting Python and importing the program. A process that has done both forks one of its
own for each run: it has the arguments, folder, environment and outputs that it is given, does what the installed script
does, and ends as any process does. Nothing is shared between runs but what imports leave behind.
"""

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

READY = Path(__file__).with_name("ready.py")
LARGEST_REQUEST = 100_000
OF_THE_INTERPRETER = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "COVERAGE_")
"""What begins the names of the variables that are read before the program runs."""


def of_the_interpreter(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a process is started with and cannot be given afterwards."""
    return {name: value for name, value in environ.items() if name.startswith(OF_THE_INTERPRETER)}


class Warm:
    """A process that has imported the program at *script*, started in *environ*."""

    def __init__(self, script: str, environ: Mapping[str, str]) -> None:
        self._script = script
        self._environ = dict(environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        self._starting = threading.Lock()

    def takes(self, arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
        """Return whether such a run is the same as one that starts from nothing."""
        is_small = len(json.dumps([arguments, dict(environ)])) < LARGEST_REQUEST
        return is_small and of_the_interpreter(environ) == of_the_interpreter(self._environ)

    def run(
        self, arguments: Sequence[str], folder: Path, environ: Mapping[str, str], *, timeout: float
    ) -> tuple[int, bytes, bytes]:
        """Run it; return its exit code and what it wrote on stdout and stderr."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            status, reported = os.pipe()
            try:
                request = json.dumps([[self._script, *arguments], str(folder), dict(environ)]).encode()
                socket.send_fds(self._started(), [request], [output.fileno(), errors.fileno(), reported])
                os.close(reported)
                pid = int(os.read(status, 16))
                if not select.select([status], [], [], timeout)[0]:
                    os.kill(pid, 9)
                    raise subprocess.TimeoutExpired([*arguments], timeout)
                code = int(os.read(status, 16))
            finally:
                os.close(status)
            output.seek(0)
            errors.seek(0)
            return code, output.read(), errors.read()

    def close(self) -> None:
        """End it."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.wait()

    def _started(self) -> socket.socket:
        with self._starting:
            if self._requests is None:
                self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with theirs:
                    self._process = subprocess.Popen(
                        [sys.executable, str(READY), str(theirs.fileno())],
                        env=self._environ,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        pass_fds=[theirs.fileno()],
                    )
            return self._requests
