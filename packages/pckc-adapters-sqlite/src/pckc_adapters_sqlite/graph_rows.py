"""Values of graphs to rows and back. Rows follow the column order of the statements in ``graph_queries``."""

import json
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct, pack, unpack
from typing import Any

from pckc_domain.model.graph import (
    Edge,
    EdgeEvidence,
    EdgeKind,
    GraphLayer,
    ImportLink,
    Node,
    NodeKind,
    OpenCall,
    Span,
)
from pckc_domain.model.identity import text_number
from pckc_domain.model.linking import GraphState
from pckc_domain.policy.graph.symbol_names import last_part, symbol_terms

from pckc_adapters_sqlite.connection import Row
from pckc_adapters_sqlite.rows import clean, instant, json_list, microseconds

_KINDS = {str(kind): kind for kind in NodeKind}
_EDGE_KINDS = {str(kind): kind for kind in EdgeKind}
_EVIDENCE = {str(evidence): evidence for evidence in EdgeEvidence}


def node_row(node: Node, path: str, language: str) -> Row:
    """Columns tail to terms of a node that stands in the file *path*."""
    return (
        text_number(last_part(node.qualified_name)),
        node.kind.value,
        _short(clean(node.id), path),
        clean(node.name),
        clean(node.qualified_name),
        None if node.path == path else clean(node.path),
        None if node.language == language else node.language,
        node.start_line,
        node.end_line,
        node.ordinal,
        node.start_byte,
        node.end_byte,
        clean(node.signature),
        clean(node.doc),
        node.visibility,
        clean(node.text),
        clean(symbol_terms(node)),
    )


def node(row: Sequence[Any], layer: GraphLayer) -> Node:
    """Read ``graph_queries.NODE_COLUMNS``."""
    path, language = row[1], row[2]
    return Node(
        id=full_id(row[0], path),
        kind=_KINDS[row[3]],
        name=row[4],
        qualified_name=row[5],
        path=path if row[6] is None else row[6],
        language=language if row[7] is None else row[7],
        start_line=row[8],
        end_line=row[9],
        ordinal=row[10],
        start_byte=row[11],
        end_byte=row[12],
        signature=row[13],
        doc=row[14],
        visibility=row[15],
        text=row[16],
        layer=layer,
        community=row[17],
    )


def full_id(stored: str, path: str) -> str:
    """Return the id of a node in the file *path*."""
    return path + stored if stored.startswith("#") else stored


def _short(id_: str, path: str) -> str:
    return id_[len(path) :] if id_.startswith(f"{path}#") else id_


def edge_row(edge: Edge, path: str) -> Row:
    """Columns kind to imports of an edge whose source stands in the file *path*."""
    links = [["" if link.path == path else link.path, link.line, link.text] for link in edge.imports]
    return (
        edge.kind.value,
        edge.evidence.value,
        edge.origin,
        spans_row(edge.sites, path),
        clean(json.dumps(links, ensure_ascii=False, separators=(",", ":"))) if links else "",
    )


def edge(row: Sequence[Any], source: str, target: str, path: str, layer: GraphLayer) -> Edge:
    """Read ``graph_queries.EDGE_COLUMNS``, with the ids of both ends and the path of the source's file."""
    return Edge(
        source=source,
        target=target,
        kind=_EDGE_KINDS[row[2]],
        evidence=_EVIDENCE[row[3]],
        origin=row[4],
        sites=spans(row[5], path),
        imports=_imports(row[6], path) if row[6] else (),
        layer=layer,
    )


@lru_cache(maxsize=4096)  # the calls of one name share their import
def _imports(text: str, path: str) -> tuple[ImportLink, ...]:
    return tuple(ImportLink(own or path, line, statement) for own, line, statement in json.loads(text))


def open_call(row: Sequence[Any], caller: str, path: str, candidates: tuple[str, ...]) -> OpenCall:
    """Read ``graph_queries.OPEN_CALLS``."""
    return OpenCall(caller=caller, name=row[2], external=row[3], site=spans(row[4], path)[0], candidates=candidates)


def spans_row(sites: Sequence[Span], path: str) -> bytes | str:
    """Return *sites* as lines and columns, or as JSON where one of them is not in *path*."""
    if all(site[0] == path for site in sites):
        return pack(f"<{4 * len(sites)}I", *(number for site in sites for number in site[1:]))
    return clean(json.dumps(sites, ensure_ascii=False))


def spans(stored: bytes | str, path: str) -> tuple[Span, ...]:
    """Read ``spans_row`` back."""
    if isinstance(stored, str):
        return tuple(Span(*site) for site in json.loads(stored))
    if len(stored) == _ONE.size:
        return (Span(path, *_ONE.unpack(stored)),)
    numbers = unpack(f"<{len(stored) // 4}I", stored)
    return tuple(Span(path, *numbers[at : at + 4]) for at in range(0, len(numbers), 4))


_ONE = Struct("<4I")


def problems_row(problems: Sequence[str]) -> str:
    """Column problems."""
    return json_list(problems)


def state_row(state: GraphState) -> str:
    """Column state of a graph."""
    return clean(
        json.dumps(
            {
                "recipe": state.recipe,
                "revision": state.revision,
                "is_complete": state.is_complete,
                "updated_at": microseconds(state.updated_at),
                "settings": dict(state.settings),
            },
            ensure_ascii=False,
        )
    )


def state(text: str) -> GraphState:
    """Read ``state_row`` back."""
    fields = json.loads(text)
    fields["updated_at"] = instant(fields["updated_at"])
    return GraphState(**fields)
