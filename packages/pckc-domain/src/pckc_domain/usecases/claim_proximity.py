"""How near claims are, in the session graph, to what a question names and to the claims that match its words best."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.graph import Edge, EdgeKind, NodeKind
from pckc_domain.policy.graph.sessions import (
    claim_node_id,
    dotted_path,
    file_node_id,
    session_node_id,
    tool_node_id,
)
from pckc_domain.policy.graph.spreading import spread
from pckc_domain.policy.task_signs import TaskSigns, read_signs
from pckc_domain.ports.graph import Direction, GraphWork

ROUNDS = 2
"""From a claim to its episode, and to what that states beside it."""

NAMED_ROUNDS = 4
"""From a file to the episodes that touched it, their sessions, the other episodes of these, and what these state."""

MATCHES = 5
"""Claims that match best and that relevance spreads from."""

MOST_NAMED = 10
"""Names of one kind that are looked up, and nodes that one of them may mean."""

NAMED_WEIGHT = 1.0
"""Of what is named outright; of a match it is how well it matches, 0 to 1."""

SPREADING = frozenset(EdgeKind) - {EdgeKind.USES}
"""Most sessions use the same tools: only from a tool that is named relevance spreads."""


def claim_proximity(
    graph: GraphWork, query: str, matches: Mapping[str, float], *, session_ids: Sequence[str] = ()
) -> Mapping[str, float]:
    """
    Return by claim id how near the claims reached are, the nearest 1.0; nothing when nothing named is in the graph.

    Args:
        graph: The session graph.
        query: The question.
        matches: Claim id to how well its words match, 0 to 1.
        session_ids: The sessions that the question is about.
    """
    seeds = {claim_node_id(id_): matches[id_] for id_ in _best(matches)}
    signs = read_signs(query)
    tools = _tools(graph, query)
    named = {*_files(graph, signs), *_topics(graph, signs), *tools, *map(session_node_id, session_ids)}
    seeds |= dict.fromkeys(sorted(named), NAMED_WEIGHT)

    def touching(nodes: Sequence[str]) -> Sequence[Edge]:
        kinds = frozenset(EdgeKind) if any(node in tools for node in nodes) else SPREADING
        return [edge for way in Direction for edge in graph.links.edges(nodes, way, kinds=kinds)]

    if not seeds:
        return {}
    reached = spread(seeds, touching, rounds=NAMED_ROUNDS if named else ROUNDS)
    if reached.keys() <= seeds.keys():  # nothing is joined to them: the graph does not know them
        return {}
    prefix = claim_node_id("")
    claims = {id_.removeprefix(prefix): held for id_, held in reached.items() if id_.startswith(prefix) and held > 0}
    most = max(claims.values(), default=0.0)
    return {id_: held / most for id_, held in claims.items()}


def _best(matches: Mapping[str, float]) -> list[str]:
    return sorted((id_ for id_ in matches if matches[id_] > 0), key=lambda id_: (-matches[id_], id_))[:MATCHES]


def _files(graph: GraphWork, signs: TaskSigns) -> set[str]:
    """Return the files whose path, or the end of one, is named."""
    found: set[str] = set()
    for place in [*signs.frames, *signs.places][:MOST_NAMED]:
        nodes = graph.symbols.get([file_node_id(place.path)]) or graph.symbols.named(dotted_path(place.path))
        found |= {node.id for node in nodes[:MOST_NAMED] if node.kind is NodeKind.FILE}
    return found


def _topics(graph: GraphWork, signs: TaskSigns) -> set[str]:
    """Return the claims whose subject or topic is named."""
    found = (graph.symbols.named(name)[:MOST_NAMED] for name in signs.names[:MOST_NAMED])
    return {node.id for nodes in found for node in nodes if node.kind is NodeKind.CLAIM}


def _tools(graph: GraphWork, query: str) -> set[str]:
    words = [word.strip("`'\"()[],.:;!?") for word in query.split()[:100]]
    return {node.id for node in graph.symbols.get([tool_node_id(word) for word in words if word])}
