"""PCKC's HTTP server with the fixtures of the suites: ``python -m … PROJECT TOOL_SET`` prints where it listens."""

import socket
import sys
from pathlib import Path

import uvicorn
from pckc_mcp.config import HttpConfig
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.app import Served, build_app
from pckc_mcp.server.http.metrics import Metrics
from pckc_mcp.server.memory import Memory

sys.path.insert(0, str(Path(__file__).parent))
from fixtures import add_fixtures


def main(project: str, tool_set: str) -> None:
    """Serve until the process is ended."""
    metrics = Metrics()
    served = Served.of(Memory(Path(project)), tool_set, metrics)
    add_fixtures(served.server)
    http = HttpConfig(requests_per_second=10_000)
    app = build_app({"local": served}, http=http, access=Access.of([], "local", {}), metrics=metrics)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)  # noqa: T201 - the answer
    uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on")).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
