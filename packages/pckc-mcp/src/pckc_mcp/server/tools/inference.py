"""The tool that applies rules to graphs."""

from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING

from pckc_mcp.inferring import infer, infer_text
from pckc_mcp.server.arguments import DryRun, GraphLimit, InferenceGraph
from pckc_mcp.server.declaration import WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory


def memory_infer(
    memory: Memory, graph: InferenceGraph = "repository", dry_run: DryRun = False, limit: GraphLimit = 20
) -> Reply:
    """
    Apply the rules to a graph until nothing new follows. Rules are logical_rule claims whose content is
    {"if": KIND or [KIND, ...], "then": KIND}. Each edge that follows names its rule and premises, and goes with them.
    """
    why_old = memory.graphs().freshen() if graph == "repository" else ""
    form = infer(memory.engine, graph, limit=limit, is_dry=dry_run)
    form |= {"notes": [why_old] if why_old else []}
    return Reply(text="\n".join([OPENING, NOTICE, infer_text(form, shown=limit), CLOSING]), form=form)


MEMORY_INFER = Declaration(memory_infer, "Apply rules to a graph", WRITES)
