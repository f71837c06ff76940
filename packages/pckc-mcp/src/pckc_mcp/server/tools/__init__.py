"""
The tools, one module per family, and the named sets that a configuration chooses from.

A seed's own names and arguments get a set of their own, over the same use cases.
"""

from collections.abc import Mapping

from pckc_mcp.server.declaration import Declaration
from pckc_mcp.server.tools.context import RETRIEVE_AGENT_CONTEXT
from pckc_mcp.server.tools.search import MEMORY_SEARCH
from pckc_mcp.server.tools.state import MEMORY_STATS, MEMORY_STATUS

TOOL_SETS: Mapping[str, tuple[Declaration, ...]] = {
    "core": (RETRIEVE_AGENT_CONTEXT, MEMORY_SEARCH, MEMORY_STATUS, MEMORY_STATS),
    "engine": (RETRIEVE_AGENT_CONTEXT, MEMORY_STATUS),
}
"""Tools by set, in the order in which they are listed; ``config.TOOL_SETS`` has the same names."""
