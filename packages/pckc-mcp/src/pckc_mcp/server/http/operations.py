"""What can be asked over REST: use cases by method and path, each with the arguments and the answer of its tool."""

import attrs

from pckc_mcp.server.declaration import Declaration
from pckc_mcp.server.tools.context import CONTEXT_COMPILE, RETRIEVE_AGENT_CONTEXT
from pckc_mcp.server.tools.governance import MEMORY_GOVERN
from pckc_mcp.server.tools.graph import KNOWLEDGE_QUERY, KNOWLEDGE_REPORT
from pckc_mcp.server.tools.items import MEMORY_GET, MEMORY_GET_BATCH
from pckc_mcp.server.tools.reflection import REFLECT_AND_WRITE
from pckc_mcp.server.tools.search import MEMORY_SEARCH
from pckc_mcp.server.tools.sessions import SESSION_END, SESSION_EVENT_APPEND, SESSION_START
from pckc_mcp.server.tools.state import MEMORY_STATS, MEMORY_STATUS

PREFIX = "/api/v1"


@attrs.frozen
class Operation:
    """
    A use case as REST offers it.

    Attributes:
        method: GET takes the arguments from the address, POST from a JSON object.
        path: Below `PREFIX`; names in braces are arguments.
        tool: What answers.
    """

    method: str
    path: str
    tool: Declaration


OPERATIONS = (
    Operation("POST", "/context", RETRIEVE_AGENT_CONTEXT),
    Operation("POST", "/context/proofs", CONTEXT_COMPILE),
    Operation("POST", "/search", MEMORY_SEARCH),
    Operation("GET", "/items/{id}", MEMORY_GET),
    Operation("POST", "/items", MEMORY_GET_BATCH),
    Operation("POST", "/items/{id}/decisions", MEMORY_GOVERN),
    Operation("POST", "/reflections", REFLECT_AND_WRITE),
    Operation("POST", "/sessions", SESSION_START),
    Operation("POST", "/sessions/{session_id}/events", SESSION_EVENT_APPEND),
    Operation("POST", "/sessions/{session_id}/end", SESSION_END),
    Operation("POST", "/graph", KNOWLEDGE_QUERY),
    Operation("POST", "/graph/report", KNOWLEDGE_REPORT),
    Operation("GET", "/status", MEMORY_STATUS),
    Operation("GET", "/stats", MEMORY_STATS),
)
