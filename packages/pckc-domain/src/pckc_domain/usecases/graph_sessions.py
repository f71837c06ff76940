"""
What sessions did with a file or a symbol of the repository, and what they claimed of it.

The one question that looks at both layers: each is asked for itself, and they are joined here by path.
"""

import re
from collections.abc import Iterable, Sequence

from pckc_domain.model.graph import EdgeKind, GraphLayer, Node, NodeKind
from pckc_domain.model.graph_answers import Told, TouchingSession
from pckc_domain.model.session import Session
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.graph.sessions import dotted_path
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.usecases.graph_questions import GraphQuestions
from pckc_domain.usecases.graph_walks import batches, by_id
from pckc_domain.usecases.session_graph import session_graph

NAMESAKES = 200
"""Claims found by a symbol's name that are looked at."""


def told_of(work: UnitOfWork, checkout_id: str, name: str) -> Told:
    """
    Return what sessions did with and said of the file at the path *name*, or of the symbol of that name.

    Raises:
        NotFoundError: Neither layer knows such a file, nor the repository such a symbol; the remedy lists near names.
    """
    repository, sessions = work.graph(checkout_id, GraphLayer.REPOSITORY), session_graph(work)
    path = name.removeprefix("./")
    nodes = [node for node in repository.symbols.at(path) if node.kind is NodeKind.MODULE]
    if nodes or repository.symbols.at(path) or _files(sessions, [path]):
        return _told(work, sessions, nodes, [path], names=())
    nodes = [*GraphQuestions(repository).meanings(name)]
    paths = sorted({node.path for node in nodes})
    of_file = all(node.kind is NodeKind.MODULE for node in nodes)
    return _told(work, sessions, nodes, paths, names=() if of_file else sorted({node.name for node in nodes}))


def _told(
    work: UnitOfWork, sessions: GraphWork, nodes: Sequence[Node], paths: Sequence[str], *, names: Sequence[str]
) -> Told:
    files = _files(sessions, paths)
    episodes = _sources(sessions, files, EdgeKind.TOUCHES)
    about = _sources(sessions, files, EdgeKind.REFERENCES)
    stated = _targets(sessions, episodes, EdgeKind.STATES)
    if names:
        about = [node.id for node in _namesakes(sessions, names, {*about, *stated})]
        stated = []
    claims = work.claims.get([_own_id(id_) for id_ in dict.fromkeys([*about, *stated])])
    return Told(
        nodes=tuple(nodes),
        paths=tuple(paths),
        sessions=tuple(_touching(work, sessions, episodes)),
        claims=tuple(sorted(claims, key=lambda one: (one.claim.valid_from, one.claim.id), reverse=True)),
        speaking=frozenset(map(_own_id, about)),
    )


def _files(sessions: GraphWork, paths: Iterable[str]) -> list[str]:
    """Return the nodes of the files at *paths*: a transcript may name one by its whole path on some machine."""
    return sorted(
        node.id
        for path in paths
        for node in sessions.symbols.named(dotted_path(path))
        if node.kind is NodeKind.FILE and (node.path == path or _is_below_a_root(node.path, path))
    )


def _is_below_a_root(named: str, path: str) -> bool:
    return (named.startswith("/") or named[1:2] == ":") and named.replace("\\", "/").endswith(f"/{path}")


def _namesakes(sessions: GraphWork, names: Sequence[str], near: Iterable[str]) -> list[Node]:
    """Return the claims that have one of *names* in their words or as their topic: those *near*, and any other."""
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    found = by_id(sessions, near)
    for name in names:
        found |= {node.id: node for node, _ in sessions.symbols.search(analyze_query(name), limit=NAMESAKES)}
    return [
        node
        for node in found.values()
        if node.kind is NodeKind.CLAIM and (pattern.search(node.name) or pattern.search(node.qualified_name))
    ]


def _touching(work: UnitOfWork, sessions: GraphWork, episodes: Sequence[str]) -> list[TouchingSession]:
    nodes = by_id(sessions, episodes)
    of: dict[str, list[Node]] = {}
    for batch in batches(episodes):
        for edge in sessions.links.edges(batch, Direction.IN, kinds=(EdgeKind.CONTAINS,)):
            of.setdefault(_own_id(edge.source), []).append(nodes[edge.target])
    found = [
        TouchingSession(
            session=session, episodes=tuple(sorted(of[session.id], key=lambda node: (node.start_line, node.id)))
        )
        for session in work.sessions.get(sorted(of))
    ]
    return sorted(found, key=lambda one: (_last_of(one.session), one.session.id), reverse=True)


def _last_of(session: Session) -> float:
    last = session.ended_at or session.started_at
    return last.timestamp() if last else 0.0


def _sources(graph: GraphWork, targets: Sequence[str], kind: EdgeKind) -> list[str]:
    edges = (edge for batch in batches(targets) for edge in graph.links.edges(batch, Direction.IN, kinds=(kind,)))
    return sorted({edge.source for edge in edges})


def _targets(graph: GraphWork, sources: Sequence[str], kind: EdgeKind) -> list[str]:
    edges = (edge for batch in batches(sources) for edge in graph.links.edges(batch, Direction.OUT, kinds=(kind,)))
    return sorted({edge.target for edge in edges})


def _own_id(node_id: str) -> str:
    """Return the id of the session, episode or claim that a node stands for."""
    return node_id.partition("#")[2]
