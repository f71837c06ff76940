"""Cypher, as Memgraph, Neo4j and other openCypher engines run it: a statement a line."""

from collections.abc import Iterator, Mapping

from pckc_domain.model.graph import Graph

from pckc_mcp.graph.exports.graphml import EDGE_KEYS, NODE_KEYS
from pckc_mcp.graph.forms import edge_form, node_form

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def cypher(graph: Graph) -> str:
    """
    Return statements that make *graph*: nodes ``:Symbol`` with their kind as a second label, then edges.

    An index on ``:Symbol(id)`` makes the edges fast; how it is made differs from engine to engine.
    """
    return "".join(f"{statement};\n" for statement in _statements(graph))


def _statements(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        form = node_form(node)
        values = {"id": form["id"], **{name: form[name] for name in NODE_KEYS}}
        label = "".join(part.capitalize() for part in form["kind"].split("_"))
        yield f"MERGE (n:Symbol:{label} {{id: {_literal(form['id'])}}}) SET n += {_map(values)}"
    for edge in graph.edges:
        form = edge_form(edge)
        ends = f"(a:Symbol {{id: {_literal(form['source'])}}}), (b:Symbol {{id: {_literal(form['target'])}}})"
        values = {name: form[name] for name in EDGE_KEYS}
        yield f"MATCH {ends} MERGE (a)-[e:{form['kind'].upper()}]->(b) SET e += {_map(values)}"


def _map(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {_literal(value)}" for name, value in values.items() if value is not None) + "}"


def _literal(value: object) -> str:
    """Return a number, or a text in which nothing can end the quotation."""
    if isinstance(value, int | float):
        return repr(value)
    return "'" + "".join(map(_escaped, str(value))) + "'"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if code < 0x20 or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029) or 0xD800 <= code <= 0xDFFF:
        return f"\\u{code:04X}"
    return character
