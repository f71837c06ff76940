"""The process of `warm`: it imports the program, and then forks for each request, which becomes a run of it."""

import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import time
from pathlib import Path

PACKAGES = ("pckc_domain", "pckc_mcp.cli", "pckc_adapters_sqlite", "pckc_adapters_sources.repository")
HEAVY = ("pckc_domain.testing", "pckc_adapters_sqlite.vector")
"""What few runs import: tests, and what needs numpy."""

LARGEST_REQUEST = 200_000
PASSED = 3
ENDED_AT_MOST = 1 << 10


def imported() -> None:
    """Import what runs import, and set it aside from the collector of garbage."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not found.name.startswith(HEAVY):
                importlib.import_module(found.name)
    assert not {"numpy", "mcp"} & sys.modules.keys(), "a run would no longer be as the program's own"
    gc.collect()
    gc.freeze()


def serve(requests: socket.socket) -> bool:
    """Fork for each request; return True in a process that is to run the program, and False at the end."""
    while True:
        request, fds, *_ = socket.recv_fds(requests, LARGEST_REQUEST, PASSED)
        if not request:
            return False
        if os.fork() == 0:
            requests.close()
            return watched(request, *fds)
        for fd in fds:
            os.close(fd)
        reap()


def reap() -> None:
    """Let go of those that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def watched(request: bytes, output: int, errors: int, status: int) -> bool:
    """Fork once more: return True in the run's process, while this one tells its pid and, at last, its exit code."""
    pid = os.fork()
    if pid == 0:
        os.dup2(output, 1)
        os.dup2(errors, 2)
        os.closerange(3, ENDED_AT_MOST)
        become(request)
        return True
    for fd in (output, errors):
        os.close(fd)
    os.write(status, b"%-16d" % pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(status, b"%-16d" % code)
    os._exit(0)


def become(request: bytes) -> None:
    """Take the arguments, folder and environment of the request."""
    arguments, folder, environ = json.loads(request)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(folder)
    sys.argv = arguments
    sys.path[0] = str(Path(arguments[0]).parent)  # as it is for a script


if __name__ == "__main__":
    imported()
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        is_run = serve(listening)
    if is_run:
        from pckc_mcp.cli.main import main

        main()
