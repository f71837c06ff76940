"""Find the communities of a stored graph, and keep them."""

from pckc_domain.model.graph import Graph, GraphLayer
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.communities import Clustering, cluster
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.communities import CommunityDetector


class CommunityFinder:
    """Divides graphs, and calls their communities as before."""

    def __init__(self, canonical: Canonical, detector: CommunityDetector) -> None:
        self._canonical = canonical
        self._detector = detector

    def find(self, scope: Scope, checkout_id: str, layer: GraphLayer) -> tuple[Graph, Clustering]:
        """
        Return a layer's whole graph and its communities, which are stored unless they are as they were.

        Raises:
            BackendError: The engine failed.
        """
        with self._canonical.reading(scope) as work:
            stored = work.graph(checkout_id, layer)
            graph = stored.links.whole()
            before, modularity = stored.communities.all()
        found = cluster(graph, self._detector.partition, previous=before)
        if found.communities != tuple(before) or found.modularity != modularity:
            with self._canonical.writing(scope) as work:
                work.graph(checkout_id, layer).communities.put(found.communities, modularity=found.modularity)
        return graph, found
