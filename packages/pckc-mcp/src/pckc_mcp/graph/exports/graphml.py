"""GraphML, as Gephi, yEd, networkx and igraph read it."""

import re
from collections.abc import Mapping
from io import StringIO
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from pckc_domain.model.graph import Graph

from pckc_mcp.graph.forms import edge_form, node_form

NODE_KEYS = {
    "kind": "string", "name": "string", "qualified_name": "string", "path": "string", "language": "string",
    "start_line": "int", "end_line": "int", "layer": "string", "community": "int",
}  # fmt: skip
EDGE_KEYS = {"kind": "string", "evidence": "string", "weight": "double", "line": "int", "layer": "string"}

_UNWRITABLE = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot write, or would read as others."""


def graphml(graph: Graph) -> str:
    """Return *graph* as a GraphML document; characters that XML cannot hold are written as U+FFFD."""
    text = StringIO()
    xml = XMLGenerator(text, encoding="utf-8", short_empty_elements=True)
    xml.startDocument()
    _start(xml, "graphml", {"xmlns": "http://graphml.graphdrawing.org/xmlns"})
    for part, keys in (("node", NODE_KEYS), ("edge", EDGE_KEYS)):
        for name, kind in keys.items():
            _start(xml, "key", {"id": f"{part}.{name}", "for": part, "attr.name": name, "attr.type": kind})
            xml.endElement("key")
    _start(xml, "graph", {"id": "pckc", "edgedefault": "directed"})
    for node in graph.nodes:
        form = node_form(node)
        _element(xml, "node", {"id": form["id"]}, {f"node.{name}": form[name] for name in NODE_KEYS})
    for edge in graph.edges:
        form = edge_form(edge)
        ends = {"source": form["source"], "target": form["target"]}
        _element(xml, "edge", ends, {f"edge.{name}": form[name] for name in EDGE_KEYS})
    xml.endElement("graph")
    xml.endElement("graphml")
    xml.endDocument()
    return text.getvalue()


def _element(xml: XMLGenerator, name: str, attributes: Mapping[str, str], data: Mapping[str, object]) -> None:
    _start(xml, name, attributes)
    for key, value in data.items():
        if value is not None:
            _start(xml, "data", {"key": key})
            xml.characters(_writable(str(value)))
            xml.endElement("data")
    xml.endElement(name)


def _start(xml: XMLGenerator, name: str, attributes: Mapping[str, str]) -> None:
    xml.startElement(name, AttributesImpl({key: _writable(value) for key, value in attributes.items()}))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
