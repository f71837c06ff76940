"""Keep the session graph: with every derived session, with every settled slot, and without what is forgotten."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, Claim
from pckc_domain.model.graph import EdgeKind, GraphLayer
from pckc_domain.model.linking import GraphState, LinkedFile
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Session
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.policy.graph.sessions import (
    NAMING,
    session_file,
    session_node_id,
    session_path,
    slot_file,
    slot_path,
    thing_path,
    things_of,
)
from pckc_domain.policy.recipe import SESSION_GRAPH_RECIPE
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.usecases.meeting import Folders, project_roots

PAGE = 200
CLAIMS = 1_000
"""Claims of slots read at once."""


def session_graph(work: UnitOfWork) -> GraphWork:
    """Return the session graph of the scope that *work* is about."""
    return work.graph("", GraphLayer.SESSION)


def keep_sessions(work: UnitOfWork, files: Sequence[LinkedFile], *, at: datetime) -> None:
    """Make these all that the graph has of their sessions; files and tools that none names any more go."""
    graph = session_graph(work)
    sessions = [node.id for file in files if file.graph for node in file.graph.nodes]
    before = _named_by(graph, sessions)
    things = {id_: thing for file in files for id_, thing in things_of(file).items()}
    known = {node.id for node in graph.symbols.get(sorted(things))}
    graph.files.put([*files, *(things[id_] for id_ in sorted(things.keys() - known))])
    _drop_unnamed(graph, before - things.keys())
    _advance(graph, at=at)


def keep_slots(work: UnitOfWork, by_slot: Mapping[str, Beliefs]) -> None:
    """Make these beliefs all that the graph has of their slots."""
    graph, folders = session_graph(work), Folders(work)
    files = {slot: slot_file(slot, beliefs, _paths(folders, beliefs.claims)) for slot, beliefs in by_slot.items()}
    kept = [file for file in files.values() if file is not None]
    graph.files.remove([slot_path(slot) for slot, file in files.items() if file is None])
    if kept:
        graph.files.put(kept)
    _advance(graph)


def forget_sessions(work: UnitOfWork, session_ids: Sequence[str]) -> None:
    """Erase sessions from the graph, with what they alone named, and all communities: their names may tell of it."""
    graph = session_graph(work)
    before = _named_by(graph, [session_node_id(session_id) for session_id in session_ids])
    graph.files.remove([session_path(session_id) for session_id in session_ids])
    _drop_unnamed(graph, before)
    graph.communities.put([], modularity=0.0)
    _advance(graph)


class SessionGraphKeeper:
    """Makes the session graph of what is stored."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def run(self, scope: Scope, *, from_scratch: bool = False, progress: ProgressListener = ignore_progress) -> bool:
        """
        Make the graph when there is none of this recipe, or *from_scratch*; return whether it was made.

        Sessions that are not derived yet are left to their derivation. A run that is killed is made anew.
        """
        with self._canonical.reading(scope) as work:
            state = session_graph(work).state.get()
        if not from_scratch and state is not None and state.recipe == SESSION_GRAPH_RECIPE and state.is_complete:
            return False
        pages = self._derived_sessions(scope)
        first = next(pages, None)
        if first is None and state is None:
            return False
        with self._canonical.writing(scope) as work:
            session_graph(work).files.clear()
        self._put_state(scope, is_complete=False)
        done = 0
        for sessions in chain([first or ()], pages):
            with self._canonical.writing(scope) as work:
                keep_sessions(work, stored_session_files(work, sessions), at=self._clock.now())
            progress(Progress(stage="joining sessions", done=(done := done + len(sessions)), total=done))
        for slots in self._slots(scope):
            with self._canonical.writing(scope) as work:
                keep_slots(work, _stored_beliefs(work, slots))
        self._put_state(scope, is_complete=True)
        return True

    def _derived_sessions(self, scope: Scope) -> Iterator[Sequence[Session]]:
        """Yield the sessions that are derived, a page at a time."""
        underived = frozenset(session.id for page in self._sessions(scope, is_underived=True) for session in page)
        for page in self._sessions(scope, is_underived=False):
            if derived := [session for session in page if session.id not in underived]:
                yield derived

    def _sessions(self, scope: Scope, *, is_underived: bool) -> Iterator[Sequence[Session]]:
        after = ""
        while True:
            with self._canonical.reading(scope) as work:
                page = work.sessions.find(after=after, limit=PAGE, is_underived=is_underived)
            if not page:
                return
            after = page[-1].id
            yield page

    def _slots(self, scope: Scope) -> Iterator[Sequence[str]]:
        after = ""
        while True:
            with self._canonical.reading(scope) as work:
                slots = work.assertions.slots(after=after, limit=PAGE)
            if not slots:
                return
            after = slots[-1]
            yield slots

    def _put_state(self, scope: Scope, *, is_complete: bool) -> None:
        with self._canonical.writing(scope) as work:
            state = session_graph(work).state
            before = state.get()
            state.put(
                GraphState(
                    recipe=SESSION_GRAPH_RECIPE,
                    revision=before.revision + 1 if before else 1,
                    is_complete=is_complete,
                    updated_at=self._clock.now(),
                )
            )


def stored_session_files(work: UnitOfWork, sessions: Sequence[Session]) -> list[LinkedFile]:
    """Return the parts of the graph that stored, derived sessions are."""
    roots = project_roots(work)
    assertions = work.assertions.of_owners([session.id for session in sessions])
    files = []
    for session in sessions:
        events = work.sessions.events(session.id)
        own = [one for of_slot in assertions.get(session.id, {}).values() for one in of_slot]
        files.append(session_file(session, segment_episodes(events), events, own, roots))
    return files


def _stored_beliefs(work: UnitOfWork, slots: Sequence[str]) -> Mapping[str, Beliefs]:
    claims: dict[str, list[Claim]] = {slot: [] for slot in slots}
    where, after = ClaimFilter(slots=frozenset(slots)), ""
    while page := work.claims.find(where=where, after=after, limit=CLAIMS):
        for stored in page:
            claims[stored.slot].append(stored.claim)
        after = page[-1].claim.id
    links = work.links.of([claim.id for of_slot in claims.values() for claim in of_slot])
    by_source = {link.source_id: [one for one in links if one.source_id == link.source_id] for link in links}
    return {
        slot: Beliefs(
            claims=tuple(of_slot), links=tuple(link for claim in of_slot for link in by_source.get(claim.id, ()))
        )
        for slot, of_slot in claims.items()
    }


def _paths(folders: Folders, claims: Iterable[Claim]) -> dict[str, str]:
    return {claim.id: folders.relative(claim) for claim in claims if claim.path}


def _named_by(graph: GraphWork, nodes: Sequence[str]) -> set[str]:
    """Return the files and tools that these sessions, given with their episodes or without, name as stored."""
    episodes = [edge.target for edge in graph.links.edges(nodes, Direction.OUT, kinds=(EdgeKind.CONTAINS,))]
    return {edge.target for edge in graph.links.edges([*nodes, *episodes], Direction.OUT, kinds=NAMING)}


def _drop_unnamed(graph: GraphWork, things: Iterable[str]) -> None:
    asked = sorted(things)
    named = {edge.target for edge in graph.links.edges(asked, Direction.IN, kinds=NAMING)}
    graph.files.remove([thing_path(id_) for id_ in asked if id_ not in named])


def _advance(graph: GraphWork, *, at: datetime | None = None) -> None:
    """Note that the graph has changed; the first one to note it must know the time."""
    state = graph.state.get()
    if state is not None:
        graph.state.put(attrs.evolve(state, revision=state.revision + 1, updated_at=at or state.updated_at))
    elif at is not None:
        graph.state.put(GraphState(recipe=SESSION_GRAPH_RECIPE, revision=1, is_complete=True, updated_at=at))
