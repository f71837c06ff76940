"""The running process as a worker among others."""

import os
import secrets
import socket
import time
from collections.abc import Callable

from pckc_domain.usecases.projecting import Worker

from pckc_mcp.clock import SystemClock


def this_worker(wait: Callable[[float], None] = time.sleep) -> Worker:
    """Return a worker with a name of its own that says which process it is."""
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    return Worker(name=name, clock=SystemClock(), is_gone=_is_gone, wait=wait)


def _is_gone(name: str) -> bool:
    """Return whether that worker was a process of this machine and runs no more; of others nothing is known."""
    host, _, rest = name.rpartition(":")[0].rpartition(":")
    if host != socket.gethostname() or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's
        return False
    return False
