"""The memory store's inferred edges."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.graph_index import GraphName, IndexLayer
from pckc_domain.model.inference import EdgeKey, InferenceState, InferredEdge, inferred_id
from pckc_domain.ports.inference import InferenceRepository
from pckc_domain.testing.memory.graph import MemoryGraphWork
from pckc_domain.testing.memory.state import State


class MemoryInferences(InferenceRepository):
    """The inferred edges of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def premises(self, graph: GraphName, kinds: Collection[str], /) -> Mapping[EdgeKey, float]:
        """See the port."""
        if graph.layer is IndexLayer.CLAIMS:
            links = (link for _, link in self._state.links.values())
            found = {EdgeKey(one.source_id, one.target_id, one.kind): one.confidence for one in links}
        else:
            work = MemoryGraphWork(self._state, graph.checkout_id, GraphLayer(graph.layer.value))
            found = {EdgeKey(one.source, one.target, one.kind): one.weight for one in work.links.whole().edges}
        return {key: confidence for key, confidence in found.items() if key.kind in kinds}

    def replace(self, graph: GraphName, state: InferenceState | None, edges: Sequence[InferredEdge], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.inferences.pop(graph, None)
        if state is not None:
            self._state.inferences[graph] = (state, tuple(sorted(edges, key=lambda edge: edge.key)))

    def known(self) -> Mapping[GraphName, InferenceState]:
        """See the port."""
        ordered = sorted(self._state.inferences.items(), key=lambda item: (item[0].layer, item[0].checkout_id))
        return {graph: state for graph, (state, _) in ordered}

    def edges(self, graph: GraphName, /, *, node_ids: Collection[str] | None = None) -> Sequence[InferredEdge]:
        """See the port."""
        _, found = self._state.inferences.get(graph, (None, ()))
        if node_ids is None:
            return found
        wanted = set(node_ids)
        return [edge for edge in found if edge.source in wanted or edge.target in wanted]

    def get(self, edge_id: str, /) -> tuple[GraphName, InferredEdge] | None:
        """See the port."""
        for graph, (_, edges) in self._state.inferences.items():
            for edge in edges:
                if inferred_id(graph, edge.key) == edge_id:
                    return graph, edge
        return None
