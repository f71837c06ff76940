"""
The tools, one module per family, and the named sets that a configuration chooses from.

A seed's own names and arguments get a set of their own, over the same use cases.
"""

from collections.abc import Mapping

from pckc_mcp.server.declaration import Declaration
from pckc_mcp.server.tools.code import MEMORY_CODE_GRAPH, MEMORY_QUERY_GRAPH, MEMORY_SEARCH_CODE, MEMORY_STORE_CODE
from pckc_mcp.server.tools.context import CONTEXT_BUILD, CONTEXT_COMPILE, RETRIEVE_AGENT_CONTEXT
from pckc_mcp.server.tools.governance import MEMORY_GOVERN
from pckc_mcp.server.tools.graph import (
    KNOWLEDGE_COMMUNITIES,
    KNOWLEDGE_GRAPH_EXPORT,
    KNOWLEDGE_QUERY,
    KNOWLEDGE_REPORT,
)
from pckc_mcp.server.tools.inference import MEMORY_INFER
from pckc_mcp.server.tools.items import MEMORY_GET, MEMORY_GET_BATCH
from pckc_mcp.server.tools.knowledge import MEMORY_GET_CONTEXT, MEMORY_INGEST, MEMORY_STORE, MEMORY_VERIFY
from pckc_mcp.server.tools.project import (
    INSPECT_KNOWLEDGE,
    INSPECT_MEMORY,
    REFRESH_PROJECT_KNOWLEDGE,
    SEED_PROJECT_CONTEXT,
)
from pckc_mcp.server.tools.reflection import REFLECT_AND_WRITE
from pckc_mcp.server.tools.research import (
    MEMORY_ADD_GAP,
    MEMORY_ADD_TRACE,
    MEMORY_DELETE_GAP,
    MEMORY_GET_GAP,
    MEMORY_LIST_GAPS,
    MEMORY_LIST_TRACES,
    MEMORY_UPDATE_GAP,
)
from pckc_mcp.server.tools.search import MEM_SEARCH, MEMORY_SEARCH
from pckc_mcp.server.tools.sessions import SESSION_END, SESSION_EVENT_APPEND, SESSION_START
from pckc_mcp.server.tools.state import MEMORY_STATS, MEMORY_STATUS

CORE = (
    RETRIEVE_AGENT_CONTEXT,
    MEMORY_SEARCH,
    KNOWLEDGE_QUERY,
    KNOWLEDGE_REPORT,
    MEMORY_GET,
    REFLECT_AND_WRITE,
    MEMORY_STATUS,
    MEMORY_STATS,
)
CHUM = (
    MEM_SEARCH,
    MEMORY_GET,
    MEMORY_GET_BATCH,
    CONTEXT_BUILD,
    CONTEXT_COMPILE,
    SESSION_START,
    SESSION_EVENT_APPEND,
    SESSION_END,
    KNOWLEDGE_QUERY,
    KNOWLEDGE_REPORT,
    KNOWLEDGE_COMMUNITIES,
    KNOWLEDGE_GRAPH_EXPORT,
    MEMORY_STATUS,
)
PEGAS = (
    MEMORY_SEARCH,
    MEMORY_GET_CONTEXT,
    MEMORY_STATS,
    MEMORY_STORE,
    MEMORY_INGEST,
    MEMORY_VERIFY,
    MEMORY_ADD_GAP,
    MEMORY_LIST_GAPS,
    MEMORY_GET_GAP,
    MEMORY_UPDATE_GAP,
    MEMORY_DELETE_GAP,
    MEMORY_STORE_CODE,
    MEMORY_SEARCH_CODE,
    MEMORY_CODE_GRAPH,
    MEMORY_INFER,
    MEMORY_QUERY_GRAPH,
    MEMORY_ADD_TRACE,
    MEMORY_LIST_TRACES,
)
ENGINE = (
    RETRIEVE_AGENT_CONTEXT,
    INSPECT_MEMORY,
    INSPECT_KNOWLEDGE,
    REFLECT_AND_WRITE,
    MEMORY_STATUS,
    REFRESH_PROJECT_KNOWLEDGE,
    SEED_PROJECT_CONTEXT,
)

TOOL_SETS: Mapping[str, tuple[Declaration, ...]] = {
    "core": CORE,
    "pegas": PEGAS,
    "chum": CHUM,
    "engine": ENGINE,
    "full": tuple({tool.name: tool for tool in (*CORE, *CHUM, *PEGAS, *ENGINE, MEMORY_GOVERN)}.values()),
}
"""Tools by set, in the order in which they are listed; ``config.TOOL_SETS`` has the same names."""
