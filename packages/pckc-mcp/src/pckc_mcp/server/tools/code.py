"""The code tools of a knowledge base: store its symbols, search them, build their graph, query its edges."""

from typing import Any

from pckc_domain.model.progress import ProgressListener
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING

from pckc_mcp.forms import Form
from pckc_mcp.graph.freshness import freshen
from pckc_mcp.graph.request import GraphRequest
from pckc_mcp.graph.text import text_of
from pckc_mcp.server.arguments import (
    Anew,
    CodePath,
    EdgeDirection,
    EdgeKindName,
    GraphLimit,
    GraphSymbol,
    SymbolWords,
)
from pckc_mcp.server.declaration import WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory


def memory_store_code(memory: Memory, path: CodePath = "", *, progress: ProgressListener) -> Reply:
    """
    Extract the symbols of the project's source files and store them: only what changed is read. With the path of a file
    its symbols are listed.
    """
    done = _synced(memory, progress, from_scratch=False)
    if not path:
        return _counted(memory, done)
    form = memory.graphs().ask("file", GraphRequest(name=path)) | {"sync": done}
    return _quoted(text_of("file", form), form)


def memory_search_code(memory: Memory, query: SymbolWords, limit: GraphLimit = 20) -> Reply:
    """Search the stored code symbols by words: names and their parts, signatures, documentation, paths."""
    form = memory.graphs().ask("search", GraphRequest(text=query, limit=limit))
    return _quoted(text_of("search", form, shown=limit), form)


def memory_code_graph(memory: Memory, from_scratch: Anew = False, *, progress: ProgressListener) -> Reply:
    """Build the graph of symbols and what joins them: calls, imports, inheritance, types. Only what changed is read."""
    return _counted(memory, _synced(memory, progress, from_scratch=from_scratch))


def memory_query_graph(
    memory: Memory,
    name: GraphSymbol = "",
    relation: EdgeKindName = "",
    direction: EdgeDirection = "both",
    limit: GraphLimit = 20,
) -> Reply:
    """
    Show the edges of a symbol, all or of one relation, each with the place that proves it, and those that rules
    conclude, marked as inferred with rule and premises; without a name the counters of the graph.
    """
    question = "edges" if name else "counters"
    request = GraphRequest(name=name, kind=relation, direction=direction, limit=limit, inferred=bool(name))
    form = memory.graphs().ask(question, request)
    return _quoted(text_of(question, form, shown=limit), form)


def _synced(memory: Memory, progress: ProgressListener, *, from_scratch: bool) -> Form:
    done = freshen(memory.engine, progress, from_scratch=from_scratch)
    return {"files": done.files, "read": done.read, "linked": done.linked, "removed": done.removed,
            "skipped": dict(done.skipped)}  # fmt: skip


def _counted(memory: Memory, done: Form) -> Reply:
    form = memory.graphs().ask("counters", GraphRequest()) | {"sync": done}
    text = f"{done['read']} files read, {done['linked']} linked, {done['removed']} removed, of {done['files']}"
    return _quoted(f"{text}\n{text_of('counters', form)}", form)


def _quoted(text: str, form: dict[str, Any]) -> Reply:
    return Reply(text="\n".join([OPENING, NOTICE, text, CLOSING]), form=form)


MEMORY_STORE_CODE = Declaration(memory_store_code, "Store the code's symbols", WRITES)
MEMORY_SEARCH_CODE = Declaration(memory_search_code, "Search code symbols")
MEMORY_CODE_GRAPH = Declaration(memory_code_graph, "Build the code graph", WRITES)
MEMORY_QUERY_GRAPH = Declaration(memory_query_graph, "Query edges of the code graph")
