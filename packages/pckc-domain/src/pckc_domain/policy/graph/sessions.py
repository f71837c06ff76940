"""
The session graph: sessions, episodes, claims, files and tools, and what joins them.

It is stored like any graph, file by file, where a "file" is what is replaced at once: one session with its episodes,
one slot with its claims and their links, or one file or tool that episodes name. So every node is given by one of them,
whoever else names it, and an edge to a node that is not there yet shows once it is. Lines are positions of events
within their session, from 0.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pckc_domain.model.claim import VISIBLE, Assertion, Beliefs, Claim, LinkKind
from pckc_domain.model.graph import (
    Edge,
    EdgeEvidence,
    EdgeKind,
    FileCoverage,
    FileGraph,
    GraphLayer,
    Node,
    NodeKind,
    Span,
)
from pckc_domain.model.linking import LinkedFile
from pckc_domain.model.session import Episode, Event, Session
from pckc_domain.policy.facts.meeting import relative

NAME_CHARACTERS = 120
"""Of a claim or a title so much is its node's name, by which it is searched: the claim itself has the rest."""

MOST_SITES = 3
"""Events that prove one edge; the first ones."""

NAMING = frozenset((EdgeKind.TOUCHES, EdgeKind.USES))
"""Edges that lead to files and tools."""

LANGUAGES: Mapping[NodeKind, str] = {
    NodeKind.SESSION: "session",
    NodeKind.EPISODE: "session",
    NodeKind.CLAIM: "claim",
    NodeKind.FILE: "file",
    NodeKind.TOOL: "tool",
}
"""What a part of the graph counts as."""

LINK_EDGES: Mapping[LinkKind, EdgeKind] = {
    LinkKind.SUPERSEDES: EdgeKind.SUPERSEDES,
    LinkKind.CONTRADICTS: EdgeKind.CONTRADICTS,
    LinkKind.CONFIRMS: EdgeKind.CONFIRMS,
    LinkKind.FIXES: EdgeKind.FIXES,
    LinkKind.QUALIFIES: EdgeKind.QUALIFIES,
}
"""The links that settling makes."""


def session_node_id(session_id: str) -> str:
    """Return the id of a session's node."""
    return f"session#{session_id}"


def episode_node_id(episode_id: str) -> str:
    """Return the id of an episode's node."""
    return f"episode#{episode_id}"


def claim_node_id(claim_id: str) -> str:
    """Return the id of a claim's node."""
    return f"claim#{claim_id}"


def file_node_id(path: str) -> str:
    """Return the id of a file's node."""
    return f"file#{path}"


def tool_node_id(name: str) -> str:
    """Return the id of a tool's node."""
    return f"tool#{name}"


def session_path(session_id: str) -> str:
    """Return where a session is stored in the graph."""
    return f"session:{session_id}"


def slot_path(slot: str) -> str:
    """Return where the claims of a slot are stored in the graph."""
    return f"slot:{slot}"


def thing_path(node_id: str) -> str:
    """Return where the node of a file or a tool is stored: a file at its own path."""
    kind, _, name = node_id.partition("#")
    return name if kind == NodeKind.FILE else f"tool:{name}"


def dotted_path(path: str) -> str:
    """Return the qualified name of a file, so that the end of a path names it too."""
    return path.strip("/").replace("/", ".")


def session_file(
    session: Session,
    episodes: Sequence[Episode],
    events: Sequence[Event],
    assertions: Iterable[Assertion],
    folders: Sequence[str],
) -> LinkedFile:
    """
    Return a session's part of the graph: itself, the tools it uses, and its episodes with what they state and touch.

    Episodes that neither state nor touch anything are left out: nothing would join them.

    Args:
        session: The session, for its names and the folder that it ran in.
        episodes: By seq; together they hold every event once.
        events: By seq.
        assertions: What the session's events assert.
        folders: The roots of known checkouts; paths below one of these, or below the session's own, are relative to it.
    """
    path, own = session_path(session.id), session_node_id(session.id)
    within = {episode.id: episode_node_id(episode.id) for episode in episodes}
    sites: dict[tuple[str, str, EdgeKind], list[Span]] = defaultdict(list)
    for one in assertions:
        source = within.get(one.claim.episode_id, own)
        sites[source, claim_node_id(one.claim.id), EdgeKind.STATES].append(_site(path, one.seq))
    roots = (*folders, session.cwd)
    for episode_id, event in _touching(episodes, events):
        named = file_node_id(relative(event.path, roots))
        sites[within[episode_id], named, EdgeKind.TOUCHES].append(_site(path, event.seq))
    for event in events:
        if event.tool:
            sites[own, tool_node_id(event.tool), EdgeKind.USES].append(_site(path, event.seq))
    edges = [_edge(*ends, "events", tuple(found[:MOST_SITES])) for ends, found in sites.items()]
    title, telling = session.title or session.source_id, {source for source, _, _ in sites}
    last = episodes[-1].last_seq if episodes else 0
    nodes = [_node(own, NodeKind.SESSION, title, session.source_id, path, (0, last), signature=session.host)]
    for number, episode in enumerate(episodes, 1):
        if (id_ := within[episode.id]) in telling:
            lines = (episode.first_seq, episode.last_seq)
            name, qualified = f"{episode.kind} {number}: {title}", f"{session.source_id}.{number}"
            nodes.append(_node(id_, NodeKind.EPISODE, name, qualified, path, lines))
            edges.append(_edge(own, id_, EdgeKind.CONTAINS, "episodes"))
    return _linked(path, NodeKind.SESSION, nodes, edges)


def things_of(file: LinkedFile) -> Mapping[str, LinkedFile]:
    """Return the files and tools that a session's part names, each as its own part of the graph, by node id."""
    named = {edge.target for edge in (file.graph.edges if file.graph else ()) if edge.kind in NAMING}
    return {id_: _thing(id_) for id_ in sorted(named)}


def slot_file(slot: str, beliefs: Beliefs, paths: Mapping[str, str]) -> LinkedFile | None:
    """
    Return a slot's part of the graph: its visible claims with their links; ``None`` when none is a session's.

    Args:
        slot: The slot.
        beliefs: What it amounts to.
        paths: Claim id to the path of the file that the claim speaks of, as `session_file` has it.
    """
    claims = [claim for claim in beliefs.claims if claim.governance in VISIBLE]
    if not any(claim.session_id for claim in claims):
        return None
    path = slot_path(slot)
    ids = {claim.id for claim in claims}
    edges = {
        (link.source_id, link.target_id, link.kind): _edge(
            claim_node_id(link.source_id), claim_node_id(link.target_id), LINK_EDGES[link.kind], link.source_rule
        )
        for link in beliefs.links
        if link.kind in LINK_EDGES and link.source_id in ids and link.target_id in ids
    }
    about = [
        _edge(claim_node_id(id_), file_node_id(named), EdgeKind.REFERENCES, "claim")
        for id_, named in paths.items()
        if id_ in ids
    ]
    nodes = [_claim_node(claim, path) for claim in claims]
    return _linked(path, NodeKind.CLAIM, nodes, [*edges.values(), *about])


def _touching(episodes: Sequence[Episode], events: Sequence[Event]) -> Iterable[tuple[str, Event]]:
    """Yield the events that are about a file, each with the id of its episode."""
    ends = iter(episodes)
    episode = next(ends, None)
    for event in events:
        while episode is not None and event.seq > episode.last_seq:
            episode = next(ends, None)
        if episode is not None and event.path:
            yield episode.id, event


def _claim_node(claim: Claim, path: str) -> Node:
    topic = f"{claim.subject}.{claim.attribute}" if claim.subject and claim.attribute else claim.subject
    return _node(
        id_ := claim_node_id(claim.id), NodeKind.CLAIM, claim.text, topic or id_, path, (0, 0), signature=claim.type
    )


def _thing(id_: str) -> LinkedFile:
    kind, _, name = id_.partition("#")
    path = thing_path(id_)
    if kind == NodeKind.TOOL:
        return _linked(path, NodeKind.TOOL, [_node(id_, NodeKind.TOOL, name, name, path, (0, 0))], ())
    label = name.rpartition("/")[2] or name
    return _linked(path, NodeKind.FILE, [_node(id_, NodeKind.FILE, label, dotted_path(name), path, (0, 0))], ())


def _node(
    id: str, kind: NodeKind, name: str, qualified_name: str, path: str, lines: tuple[int, int], *, signature: str = ""
) -> Node:
    label = name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…"
    return Node(
        id=id,
        kind=kind,
        name=" ".join(label.split()),
        qualified_name=qualified_name,
        path=path,
        language=LANGUAGES[kind],
        start_line=lines[0],
        end_line=lines[1],
        signature=signature,
        layer=GraphLayer.SESSION,
    )


def _site(path: str, seq: int) -> Span:
    return Span(path, seq, 0, seq, 0)


def _edge(source: str, target: str, kind: EdgeKind, origin: str, sites: tuple[Span, ...] = ()) -> Edge:
    return Edge(
        source=source,
        target=target,
        kind=kind,
        evidence=EdgeEvidence.EXTRACTED,
        origin=origin,
        sites=sites,
        layer=GraphLayer.SESSION,
    )


def _linked(path: str, kind: NodeKind, nodes: Iterable[Node], edges: Iterable[Edge]) -> LinkedFile:
    language = LANGUAGES[kind]
    graph = FileGraph(
        path=path,
        nodes=tuple(sorted(nodes, key=lambda node: node.id)),
        edges=tuple(sorted(edges, key=lambda edge: (edge.source, edge.target, edge.kind))),
        open_calls=(),
        coverage=FileCoverage(path=path, language=language),
    )
    return LinkedFile(path=path, language=language, content_hash="", graph=graph)
