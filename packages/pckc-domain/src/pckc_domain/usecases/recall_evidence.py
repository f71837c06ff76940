"""Search evidence: the verbatim passages of sessions, best first, what holds now before what it replaced."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Claim, ClaimType
from pckc_domain.model.embedding import Vector
from pckc_domain.model.memory import EvidenceAnswer, EvidenceResult, MemoryRequest
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import analyze_query, text_tokens
from pckc_domain.policy.embedded_text import EVIDENCE_PARTITION, claim_partition
from pckc_domain.policy.evidence_scoring import EvidenceSignals, EvidenceWeights, relevance_of, score_evidence
from pckc_domain.policy.scoring import normalize_scores
from pckc_domain.policy.time_words import asks_for_the_past
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.project import VECTOR_PROJECTION
from pckc_domain.usecases.recall import SemanticIndex, embed_query

POOL = 200
"""Fewest candidates taken per signal."""

SEEDS = 20
"""Best candidates whose episodes are looked at as well: an answer often shares no word with its question."""

CONTEXT_REACH = 2
"""How many events away a passage may lend another its relevance; half as much with each step."""


class EvidenceSearch:
    """Answers searches over the evidence of one scope."""

    def __init__(
        self,
        canonical: Canonical,
        *,
        semantic: SemanticIndex | None = None,
        weights: EvidenceWeights | None = None,
        why_lexical: str = "no embedder is configured",
    ) -> None:
        self._canonical = canonical
        self._semantic = semantic
        self._weights = weights or EvidenceWeights()
        self._why_lexical = why_lexical

    def search(self, scope: Scope, request: MemoryRequest) -> EvidenceAnswer:
        """
        Answer *request*; one event appears once, by its best passage.

        Raises:
            InvalidInputError: The limit is below 1 or the offset below 0.
        """
        if request.limit < 1 or request.offset < 0:
            raise InvalidInputError("the limit must be at least 1 and the offset at least 0")
        vector, signals = embed_query(self._semantic, request.query, self._why_lexical)
        wanted = request.limit + request.offset + 1
        with self._canonical.reading(scope) as work:
            gathering = _Gathering(work, scope, request, self._semantic, vector, self._weights)
            gathering.collect()
            ranked = gathering.ranked()[:wanted]
            page = ranked[request.offset : request.offset + request.limit]
            results = _results(work, page)
            coverage = self._coverage(work, scope)
        return EvidenceAnswer(results=results, signals=signals, coverage=coverage, has_more=len(ranked) >= wanted)

    def _coverage(self, work: UnitOfWork, scope: Scope) -> Mapping[str, IndexCoverage]:
        total = work.evidence.count()
        coverage = {"evidence": IndexCoverage(indexed=total, total=total)}
        if self._semantic is not None:
            indexed = self._semantic.vectors.count(scope, partitions=frozenset({EVIDENCE_PARTITION}))
            behind = work.outbox.lag(VECTOR_PROJECTION)
            coverage["evidence_vectors"] = IndexCoverage(indexed=indexed, total=total, behind=behind)
        return coverage


@attrs.define(kw_only=True)
class _Candidate:
    evidence: Evidence
    lexical: float = 0.0
    semantic: float = 0.0
    score: float = 0.0
    breakdown: Mapping[str, float] = attrs.field(factory=dict)


class _Gathering:
    """Candidates of one search by evidence id, and the claims that bear on them."""

    def __init__(
        self,
        work: UnitOfWork,
        scope: Scope,
        request: MemoryRequest,
        semantic: SemanticIndex | None,
        vector: Vector | None,
        weights: EvidenceWeights,
    ) -> None:
        self._work = work
        self._scope = scope
        self._request = request
        self._semantic = semantic
        self._vector = vector
        self._weights = weights
        self._query = analyze_query(request.query)
        self._where = EvidenceFilter(session_ids=request.session_ids, kinds=request.kinds, until=request.as_of)
        self._found: dict[str, _Candidate] = {}
        self._claims: dict[str, float] = {}
        self._replaced: dict[str, str] = {}

    def collect(self) -> None:
        pool = max(POOL, 5 * (self._request.limit + self._request.offset))
        if not self._query.is_empty:
            hits = self._work.evidence.search(self._query, where=self._where, limit=pool)
            for hit, score in zip(hits, normalize_scores([hit.score for hit in hits]), strict=True):
                self._candidate(hit.evidence).lexical = score
        for item, score in self._near(frozenset({EVIDENCE_PARTITION}), pool):
            self._candidate(item).semantic = score
        self._collect_claims()
        self._collect_neighbours()

    def ranked(self) -> list[_Candidate]:
        """Return the candidates best first, one per event, the current before what it replaced."""
        relevance = self._relevance_by_place()
        newest = self._newest()
        for candidate in self._found.values():
            signals = EvidenceSignals(
                lexical=candidate.lexical,
                semantic=candidate.semantic if self._vector is not None else None,
                context=_context(candidate.evidence, relevance),
                claim=self._claims.get(candidate.evidence.event_id, 0.0),
                speaker=self._speaker(candidate.evidence),
                recency=_recency(candidate.evidence, newest),
            )
            score, candidate.breakdown = score_evidence(candidate.evidence.kind, signals, self._weights)
            candidate.score = round(score, 6)
        ordered = sorted(self._found.values(), key=lambda item: (-item.score, item.evidence.id))
        return self._current_first(_one_per_event(ordered))

    def _near(self, partitions: frozenset[str], pool: int) -> list[tuple[Evidence, float]]:
        if self._vector is None or self._semantic is None:
            return []
        hits = self._semantic.vectors.search(
            self._scope, self._semantic.embedder.space, self._vector, partitions=partitions, limit=pool
        )
        scores = dict(zip((hit.id for hit in hits), normalize_scores([hit.score for hit in hits]), strict=True))
        found = self._work.evidence.get(list(scores))
        return [(item, scores[item.id]) for item in found if _passes(item, self._where)]

    def _collect_claims(self) -> None:
        """Note which events claims that match come from, and which of these events others have replaced."""
        matching: dict[str, tuple[Claim, float]] = {}
        if not self._query.is_empty:
            hits = self._work.claims.search(self._query, where=ClaimFilter(), limit=POOL)
            scores = normalize_scores([hit.score for hit in hits])
            matching = {hit.stored.claim.id: (hit.stored.claim, score) for hit, score in zip(hits, scores, strict=True)}
        if self._vector is not None and self._semantic is not None:
            partitions = frozenset(claim_partition(kind) for kind in ClaimType)
            near = self._semantic.vectors.search(
                self._scope, self._semantic.embedder.space, self._vector, partitions=partitions, limit=POOL
            )
            cosines = dict(zip((hit.id for hit in near), normalize_scores([hit.score for hit in near]), strict=True))
            for stored in self._work.claims.get(list(cosines)):
                claim, lexical = matching.get(stored.claim.id, (stored.claim, 0.0))
                matching[claim.id] = (claim, max(lexical, cosines[claim.id]))
        successors = self._work.claims.get(
            [claim.superseded_by for claim, _ in matching.values() if claim.superseded_by]
        )
        events = {stored.claim.id: stored.claim.event_id for stored in successors}
        for claim, score in matching.values():
            self._claims[claim.event_id] = max(self._claims.get(claim.event_id, 0.0), score)
            if new_event := events.get(claim.superseded_by):
                self._replaced[claim.event_id] = new_event

    def _collect_neighbours(self) -> None:
        """Add the evidence around the best candidates."""
        best = sorted(
            self._found.values(),
            key=lambda item: (-relevance_of(item.lexical, self._semantic_of(item), self._weights), item.evidence.id),
        )[:SEEDS]
        episodes = sorted({item.evidence.episode_id for item in best if item.evidence.episode_id})
        for evidence in self._work.evidence.of_episodes(episodes):
            if _passes(evidence, self._where):
                self._candidate(evidence)

    def _semantic_of(self, candidate: _Candidate) -> float | None:
        return candidate.semantic if self._vector is not None else None

    def _relevance_by_place(self) -> Mapping[tuple[str, int], float]:
        places: dict[tuple[str, int], float] = {}
        for item in self._found.values():
            place = (item.evidence.session_id, item.evidence.seq)
            value = relevance_of(item.lexical, self._semantic_of(item), self._weights)
            places[place] = max(places.get(place, 0.0), value)
        return places

    def _newest(self) -> datetime | None:
        return max((item.evidence.time for item in self._found.values() if item.evidence.time), default=None)

    def _speaker(self, evidence: Evidence) -> float:
        named = set(text_tokens(evidence.speaker)) & set(self._query.words)
        return 1.0 if evidence.speaker and named else 0.0

    def _current_first(self, ordered: list[_Candidate]) -> list[_Candidate]:
        """Move what replaced another to the place before it, unless the query asks for the past."""
        if not self._replaced or asks_for_the_past(self._request.query):
            return ordered
        place = {item.evidence.event_id: index for index, item in enumerate(ordered)}
        keys = {}
        for index, item in enumerate(ordered):
            event = item.evidence.event_id
            keys[event] = (float(index), 0)
        for old, new in sorted(self._replaced.items()):
            if old in place and new in place and place[old] < place[new]:
                keys[new] = (float(place[old]) - 0.5, keys[new][1])
        return sorted(ordered, key=lambda item: keys[item.evidence.event_id])

    def _candidate(self, evidence: Evidence) -> _Candidate:
        return self._found.setdefault(evidence.id, _Candidate(evidence=evidence))


def _context(evidence: Evidence, relevance: Mapping[tuple[str, int], float]) -> float:
    """Return the best relevance next to a passage, halved with each event of distance."""
    best = 0.0
    for distance in range(1, CONTEXT_REACH + 1):
        for seq in (evidence.seq - distance, evidence.seq + distance):
            best = max(best, relevance.get((evidence.session_id, seq), 0.0) / 2 ** (distance - 1))
    return best


def _recency(evidence: Evidence, newest: datetime | None) -> float:
    if newest is None or evidence.time is None:
        return 0.0
    age_days = (newest - evidence.time).total_seconds() / 86_400
    return float(0.5 ** (age_days / 90))


def _one_per_event(ordered: Sequence[_Candidate]) -> list[_Candidate]:
    seen: set[str] = set()
    kept = []
    for item in ordered:
        if item.evidence.event_id not in seen:
            seen.add(item.evidence.event_id)
            kept.append(item)
    return kept


def _passes(evidence: Evidence, where: EvidenceFilter) -> bool:
    """Whether a near neighbour is one that the lexical index would have been allowed to answer."""
    if where.session_ids and evidence.session_id not in where.session_ids:
        return False
    if where.kinds and evidence.kind not in where.kinds:
        return False
    if where.until is not None and (evidence.time is None or evidence.time > where.until):
        return False
    return where.since is None or (evidence.time is not None and evidence.time >= where.since)


def _results(work: UnitOfWork, page: Sequence[_Candidate]) -> tuple[EvidenceResult, ...]:
    sessions = {session.id: session for session in work.sessions.get(sorted({c.evidence.session_id for c in page}))}
    return tuple(
        EvidenceResult(
            evidence=item.evidence,
            session=sessions.get(item.evidence.session_id),
            source_id=item.evidence.source_id or item.evidence.event_id,
            score=item.score,
            breakdown=item.breakdown,
        )
        for item in page
    )
