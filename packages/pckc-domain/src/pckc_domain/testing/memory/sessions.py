"""The memory store's sessions, evidence and transcript positions."""

from collections.abc import Collection, Iterable, Sequence

import attrs

from pckc_domain.model.belief import EvidenceFilter, EvidenceHit
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.proof import EventLocator, parse_locator
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Episode, Event, Evidence, Session
from pckc_domain.ports.belief import EvidenceRepository, ImportRepository, SessionRepository
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.memory.matching import keeps_evidence, ranked
from pckc_domain.testing.memory.state import State


class MemorySessions(SessionRepository):
    """Sessions of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, session: Session, events: Sequence[Event], /) -> Sequence[str]:
        """See the port."""
        self._state.check_writable()
        self._state.sessions[session.id] = session
        moving = {event.id for event in self._first(events) if self._moves(session.id, event)}
        for id_ in moving:
            self._state.underived.add(self._state.events.pop(id_).session_id)
        new = [event for event in self._first(events) if event.id not in self._state.events]
        taken = {event.seq for event in self._state.events.values() if event.session_id == session.id}
        for event in new:
            seq = event.seq
            while seq in taken:
                seq += 1
            taken.add(seq)
            self._state.events[event.id] = attrs.evolve(event, session_id=session.id, seq=seq)
            self._state.underived.add(session.id)
        return [event.id for event in new]

    def get(self, session_ids: Sequence[str], /) -> Sequence[Session]:
        """See the port."""
        return [self._state.sessions[id_] for id_ in sorted(set(session_ids)) if id_ in self._state.sessions]

    def find(self, *, after: str = "", limit: int, is_underived: bool = False) -> Sequence[Session]:
        """See the port."""
        wanted = self._state.underived if is_underived else self._state.sessions.keys()
        return [self._state.sessions[id_] for id_ in sorted(wanted) if id_ > after][: max(limit, 0)]

    def events(self, session_id: str, /, *, after_seq: int = -1, limit: int | None = None) -> Sequence[Event]:
        """See the port."""
        found = [e for e in self._state.events.values() if e.session_id == session_id and e.seq > after_seq]
        return sorted(found, key=lambda event: event.seq)[: None if limit is None else max(limit, 0)]

    def remove(self, session_ids: Sequence[str], /) -> frozenset[str]:
        """See the port."""
        self._state.check_writable()
        state, removed = self._state, set(session_ids)
        lost = {key: slot for key, (slot, _) in state.assertions.items() if key[0] in removed}
        asserted = {claim_id for _, claim_id in lost}
        state.acts = [(of, act) for of, act in state.acts if of not in removed and act.claim_id not in asserted]
        state.assertions = {key: each for key, each in state.assertions.items() if key not in lost}
        state.rejections = {of: each for of, each in state.rejections.items() if of not in removed}
        state.attached = {key: p for key, p in state.attached.items() if _session_of(p.source_ref) not in removed}
        episodes = [each.id for each in state.episodes.values() if each.session_id in removed]
        evidence = [each.id for each in state.evidence.values() if each.session_id in removed]
        touched = {state.evidence.pop(id_).episode_id for id_ in evidence}
        for id_ in episodes:
            del state.episodes[id_]
        enqueue_episodes(state, touched, episodes)
        state.events = {id_: event for id_, event in state.events.items() if event.session_id not in removed}
        state.sessions = {id_: session for id_, session in state.sessions.items() if id_ not in removed}
        state.traces = {id_: trace for id_, trace in state.traces.items() if trace.session_id not in removed}
        state.underived -= removed
        return frozenset(lost.values())

    def _first(self, events: Sequence[Event]) -> list[Event]:
        """Return each event once."""
        return list({event.id: event for event in reversed(events)}.values())[::-1]

    def _moves(self, session_id: str, event: Event) -> bool:
        known = self._state.events.get(event.id)
        return known is not None and known.session_id != session_id and known.is_replay and not event.is_replay


class MemoryEvidence(EvidenceRepository):
    """Evidence of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def replace(self, session_id: str, episodes: Sequence[Episode], evidence: Sequence[Evidence], /) -> None:
        """See the port."""
        self._state.check_writable()
        state = self._state
        before_episodes, before = dict(state.episodes), dict(state.evidence)
        state.episodes = {id_: e for id_, e in before_episodes.items() if e.session_id != session_id}
        state.episodes |= {each.id: each for each in episodes}
        state.evidence = {id_: e for id_, e in before.items() if e.session_id != session_id}
        state.evidence |= {each.id: each for each in evidence}
        touched = {id_ for id_, each in state.episodes.items() if before_episodes.get(id_) != each}
        for one, other in ((before, state.evidence), (state.evidence, before)):
            touched |= {each.episode_id for id_, each in one.items() if other.get(id_) != each}
        enqueue_episodes(state, touched, before_episodes.keys() - state.episodes.keys())
        state.underived.discard(session_id)

    def get(self, evidence_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        return [self._state.evidence[id_] for id_ in dict.fromkeys(evidence_ids) if id_ in self._state.evidence]

    def search(self, query: LexicalQuery, /, *, where: EvidenceFilter, limit: int) -> Sequence[EvidenceHit]:
        """See the port."""
        kept = [evidence for evidence in self._state.evidence.values() if keeps_evidence(where, evidence)]
        return [EvidenceHit(evidence=each, score=score) for score, each in ranked(kept, query)[: max(limit, 0)]]

    def of_episodes(self, episode_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        found = [evidence for evidence in self._state.evidence.values() if evidence.episode_id in set(episode_ids)]
        return sorted(found, key=lambda e: (e.episode_id, e.seq, e.start, e.id))

    def around(self, places: Collection[tuple[str, int]], /, *, reach: int) -> Sequence[Evidence]:
        """See the port."""
        near = {(session_id, seq + offset) for session_id, seq in places for offset in range(-reach, reach + 1)}
        found = [evidence for evidence in self._state.evidence.values() if (evidence.session_id, evidence.seq) in near]
        return sorted(found, key=lambda e: (e.session_id, e.seq, e.start, e.id))


class MemoryImports(ImportRepository):
    """Positions in the transcripts of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def position(self, path: str, /) -> TranscriptPosition | None:
        """See the port."""
        return self._state.positions.get(path)

    def remember(self, path: str, position: TranscriptPosition, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.positions[path] = position

    def forget(self) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.positions.clear()


def enqueue_episodes(state: State, touched: Iterable[str], gone: Iterable[str]) -> None:
    """Queue the episodes that are still there and the vanished ones, each by id."""
    for id_ in sorted(set(touched) & state.episodes.keys()):
        state.enqueue(OutboxKind.EPISODE, id_, OutboxOperation.UPSERT)
    for id_ in sorted(gone):
        state.enqueue(OutboxKind.EPISODE, id_, OutboxOperation.DELETE)


def _session_of(source_ref: str) -> str | None:
    locator = parse_locator(source_ref)
    return locator.session_id if isinstance(locator, EventLocator) else None
