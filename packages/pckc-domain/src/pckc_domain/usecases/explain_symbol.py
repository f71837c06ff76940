"""What the graph knows of one symbol: where it stands, what joins it, and the paragraphs that prove it."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.errors import NotFoundError
from pckc_domain.model.graph import Edge, GraphLayer, Node, OpenCall
from pckc_domain.model.passage import StoredPassage
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction
from pckc_domain.usecases.recall_symbols import paragraphs_of


@attrs.frozen(kw_only=True)
class SymbolStory:
    """
    A symbol and all that joins it.

    Attributes:
        incoming: Edges that reach it, by source, target and kind.
        outgoing: Edges that leave it, likewise.
        open_calls: Calls nobody could resolve that may mean it.
        stored: The narrowest paragraph it begins in; ``None`` when none is indexed.
    """

    node: Node
    incoming: tuple[Edge, ...]
    outgoing: tuple[Edge, ...]
    open_calls: tuple[OpenCall, ...]
    stored: StoredPassage | None


class SymbolExplainer:
    """Explains symbols of one checkout's repository graph."""

    def __init__(self, canonical: Canonical) -> None:
        self._canonical = canonical

    def explain(self, scope: Scope, node_id: str, *, checkout_id: str) -> SymbolStory:
        """
        Return what is known of a symbol.

        Raises:
            NotFoundError: No node has that id.
        """
        with self._canonical.reading(scope) as work:
            graph = work.graph(checkout_id, GraphLayer.REPOSITORY)
            nodes = graph.symbols.get([node_id])
            if not nodes:
                raise _unknown(node_id)
            return SymbolStory(
                node=nodes[0],
                incoming=tuple(graph.links.edges([node_id], Direction.IN)),
                outgoing=tuple(graph.links.edges([node_id], Direction.OUT)),
                open_calls=tuple(graph.links.open_calls(candidates=[node_id])),
                stored=paragraphs_of(work, checkout_id, nodes).get(node_id),
            )

    def paragraphs(self, scope: Scope, node_ids: Sequence[str], *, checkout_id: str) -> Mapping[str, StoredPassage]:
        """
        Return the paragraph that proves each symbol.

        Raises:
            NotFoundError: No node has one of the ids, or no indexed paragraph holds it.
        """
        with self._canonical.reading(scope) as work:
            nodes = work.graph(checkout_id, GraphLayer.REPOSITORY).symbols.get(node_ids)
            found = paragraphs_of(work, checkout_id, nodes)
        for node_id in node_ids:
            if node_id not in found:
                raise _unknown(node_id)
        return found


def _unknown(node_id: str) -> NotFoundError:
    return NotFoundError(
        f"the graph knows no symbol {node_id}", remedy="search the code graph for it: ids change with their names"
    )
