"""What of the canonical store stands in a graph index, and back."""

import json

from pckc_domain.model.claim import Claim, Link
from pckc_domain.model.graph import Edge, EdgeEvidence, EdgeKind, GraphLayer, ImportLink, Node, Span
from pckc_domain.model.graph_index import GraphName, IndexEdge, IndexLayer, IndexNode
from pckc_domain.model.inference import INFERENCE, Derivation, InferredEdge

NAME_CHARACTERS = 300
"""Of a claim's text; the whole of it is in the canonical store."""


def graph_name(checkout_id: str, layer: GraphLayer) -> GraphName:
    """Return the name of a code graph."""
    return GraphName(layer=IndexLayer(layer.value), checkout_id=checkout_id)


def symbol_node(node: Node) -> IndexNode:
    """Return a symbol as the index has it."""
    return IndexNode(id=node.id, kind=node.kind, name=node.qualified_name, path=node.path)


def claim_node(claim: Claim) -> IndexNode:
    """Return a claim as the index has it."""
    return IndexNode(id=claim.id, kind=claim.type, name=claim.text[:NAME_CHARACTERS], path=claim.path)


def link_edge(link: Link) -> IndexEdge:
    """Return a link between claims as the index has it."""
    return IndexEdge(
        source=link.source_id,
        target=link.target_id,
        kind=link.kind,
        confidence=link.confidence,
        origin=link.source_rule,
        is_inferred=link.is_inferred,
    )


def inferred_edge(edge: InferredEdge) -> IndexEdge:
    """Return an inferred edge as the index has it; its proof stands in the detail."""
    return IndexEdge(
        source=edge.source,
        target=edge.target,
        kind=edge.kind,
        confidence=edge.confidence,
        origin=INFERENCE,
        is_inferred=True,
        detail=inferred_detail(edge.derivation),
    )


def inferred_detail(derivation: Derivation) -> str:
    """Return the proof of an inferred edge as the index has it."""
    detail = {"rule": derivation.rule_id, "premises": derivation.premises}
    return json.dumps(detail, ensure_ascii=False, separators=(",", ":"))


def code_edge(edge: Edge) -> IndexEdge:
    """Return an edge of a code graph as the index has it; what shows it stands in the detail."""
    detail = {"evidence": edge.evidence, "sites": edge.sites, "imports": edge.imports}
    return IndexEdge(
        source=edge.source,
        target=edge.target,
        kind=edge.kind,
        confidence=edge.weight,
        origin=edge.origin,
        is_inferred=edge.evidence is not EdgeEvidence.EXTRACTED,
        detail=json.dumps(detail, ensure_ascii=False, separators=(",", ":")),
    )


def edge_of(found: IndexEdge, layer: GraphLayer) -> Edge:
    """Return the edge that `code_edge` was given."""
    detail = json.loads(found.detail)
    return Edge(
        source=found.source,
        target=found.target,
        kind=EdgeKind(found.kind),
        evidence=EdgeEvidence(detail["evidence"]),
        origin=found.origin,
        sites=tuple(Span(*site) for site in detail["sites"]),
        imports=tuple(ImportLink(*step) for step in detail["imports"]),
        layer=layer,
    )
