"""Search evidence: the verbatim passages of sessions, best first, what holds now before what it replaced."""

from collections.abc import Mapping, Sequence

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.memory import EvidenceAnswer, EvidenceResult, MemoryRequest
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.embedded_text import EVIDENCE_PARTITIONS
from pckc_domain.policy.evidence_scoring import (
    COMPARABLE,
    MIN_KINSHIP,
    MIN_SUCCESSION,
    MOST_KIN,
    SEEDS,
    EvidenceSignals,
    EvidenceWeights,
    explain_evidence,
    kinship,
    match_of,
    relevance_of,
    score_evidence,
)
from pckc_domain.policy.question_forms import Request, request_of, speaks_of_the_asker
from pckc_domain.policy.time_words import Tense, tense_of
from pckc_domain.policy.weaving import woven
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.evidence_candidates import CONTEXT_REACH, Candidate, Candidates, when
from pckc_domain.usecases.semantic import SemanticIndex, lexical_when_vectors_fail, signals_of

PRESENCE = {Tense.PRESENT: 1.0, Tense.NARRATED: 0.4, Tense.BEFORE: 0.0}
"""How much recency and words of change count."""

HEAD = 20
SUCCESSION_REACH = 2
"""Among so many of the first passages, a later one goes before what it seems to replace, so many places at most."""


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

    @lexical_when_vectors_fail
    def search(self, scope: Scope, request: MemoryRequest) -> EvidenceAnswer:
        """
        Answer *request*; one event appears once, by its best passage.

        Raises:
            InvalidInputError: The limit is below 1 or the offset below 0.
        """
        if request.limit < 1 or request.offset < 0:
            raise InvalidInputError("the limit must be at least 1 and the offset at least 0")
        wanted = request.limit + request.offset + 1
        with self._canonical.reading(scope) as work:
            candidates = Candidates(work, scope, request, self._semantic, self._why_lexical)
            ranked = _Ranking(candidates, request.query, self._weights).ranked()[:wanted]
            page = ranked[request.offset : request.offset + request.limit]
            results = _results(work, page)
            coverage = self._coverage(work, scope)
        signals = candidates.signals
        if vectors := coverage.get("evidence_vectors"):
            signals = signals_of(signals, indexed=vectors.indexed, is_wanted=vectors.total > 0)
        return EvidenceAnswer(results=results, signals=signals, coverage=coverage, has_more=len(ranked) >= wanted)

    def _coverage(self, work: UnitOfWork, scope: Scope) -> Mapping[str, IndexCoverage]:
        total = work.census.evidence()
        coverage = {"evidence": IndexCoverage(indexed=total, total=total)}
        if self._semantic is not None:
            indexed = self._semantic.count(scope, partitions=EVIDENCE_PARTITIONS)
            behind = self._semantic.behind(work)
            coverage["evidence_vectors"] = IndexCoverage(indexed=indexed, total=total, behind=behind)
        return coverage


class _Ranking:
    """Puts the candidates of one query in order."""

    def __init__(self, candidates: Candidates, query: str, weights: EvidenceWeights) -> None:
        self._candidates = candidates
        self._weights = weights
        self._tense = tense_of(query)
        self._is_of_asker = speaks_of_the_asker(query)
        self._request = request_of(query, speakers=candidates.speakers)

    def ranked(self) -> list[Candidate]:
        """Return the candidates best first, one per event, standing instructions among them when it is a request."""
        self._candidates.add_surroundings(sorted(self._candidates.all(), key=lambda item: -self._match(item)))
        self._measure_relevance()
        best = sorted(self._candidates.all(), key=lambda item: (-item.relevance, item.evidence.id))
        self._lend_to_kin([item for item in best[:SEEDS] if item.relevance])
        instructions = self._candidates.directives() if self._request is not Request.NONE else []
        self._score()
        found = [item for item in self._candidates.all() if item.score]
        ordered = _one_per_event(sorted(found, key=lambda item: (-item.score, item.evidence.id)))
        if not ordered and self._request is not Request.CLEAR:
            return []
        return _one_per_event(
            woven(self._current_first(self._later_first(ordered)), _one_per_event(instructions), self._request)
        )

    def _match(self, item: Candidate) -> float:
        return match_of(item.lexical, item.semantic if self._candidates.is_hybrid else None, self._weights)

    def _measure_relevance(self) -> None:
        """Measure how each candidate answers by itself, with 1.0 for the best."""
        candidates = self._candidates.all()
        places = _by_place(candidates, [self._match(item) for item in candidates])
        for item in candidates:
            item.context = _context(item.evidence, places)
            item.relevance = relevance_of(item.evidence, self._signals(item), self._weights)
        best = max((item.relevance for item in candidates), default=0.0)
        for item in candidates:
            item.relevance = item.relevance / best if best else 0.0

    def _signals(self, item: Candidate, *, presence: float = 0.0, rank: float = 0.0) -> EvidenceSignals:
        """Return the signals; *rank* is the place by time, 1.0 for the newest, and *presence* how much time counts."""
        evidence = item.evidence
        is_users = evidence.kind is EventKind.PROMPT and not evidence.speaker
        return EvidenceSignals(
            lexical=item.lexical,
            semantic=item.semantic if self._candidates.is_hybrid else None,
            context=item.context,
            claim=self._candidates.claims.get(evidence.event_id, 0.0),
            speaker=float(evidence.speaker in self._candidates.speakers),
            asker=float(self._is_of_asker and is_users),
            inherited=item.inherited,
            recency=presence * rank,
            change=presence if item.has_change else 0.0,
        )

    def _lend_to_kin(self, seeds: Sequence[Candidate]) -> None:
        """Let what speaks of the same thing as *seeds* inherit from them; most what is later, if it asks for now."""
        for seed in seeds:
            kin: dict[bool, list[tuple[float, Candidate]]] = {True: [], False: []}
            for other, nearness in self._candidates.like(seed):
                close = self._kinship(seed, other, nearness)
                if close >= MIN_KINSHIP:
                    kin[when(other.evidence) > when(seed.evidence)].append((close, other))
            for is_later, found in kin.items():
                is_current = is_later and self._tense is Tense.PRESENT
                share = self._weights.inherited if is_current else self._weights.inherited_past
                for close, other in sorted(found, key=lambda pair: (-pair[0], pair[1].evidence.id))[:MOST_KIN]:
                    other.inherited = max(other.inherited, share * seed.relevance * min(1.0, close))

    def _kinship(self, seed: Candidate, other: Candidate, nearness: float) -> float:
        """Return how likely both speak of one thing; 0 when the query does not ask about the speaker of *other*."""
        if self._candidates.speakers and other.evidence.speaker not in self._candidates.speakers:
            return 0.0
        return kinship(
            seed.evidence,
            other.evidence,
            nearness=nearness,
            shared=self._candidates.shared(seed, other),
            relevance=other.relevance,
            has_change=other.has_change,
        )

    def _score(self) -> None:
        candidates = sorted(self._candidates.all(), key=lambda item: (when(item.evidence), item.evidence.id))
        matching = [item for item in candidates if item.relevance or item.inherited]
        presence = PRESENCE[self._tense]
        ranks = {item.evidence.id: (place + 1) / len(matching) for place, item in enumerate(matching)}
        for item in candidates:
            signals = self._signals(item, presence=presence, rank=ranks.get(item.evidence.id, 0.0))
            item.score = round(score_evidence(item.relevance, signals, self._weights), 6)
            item.signals = signals

    def _later_first(self, ordered: Sequence[Candidate]) -> list[Candidate]:
        """Move what seems to replace another a little behind which it stands before it, if the query asks for now."""
        head = list(ordered[:HEAD])
        if self._tense is not Tense.PRESENT:
            return list(ordered)
        for place in range(1, len(head)):
            ahead = range(max(0, place - SUCCESSION_REACH), place)
            replaced = next((older for older in ahead if self._seems_to_replace(head[place], head[older])), place)
            head.insert(replaced, head.pop(place))
        return head + list(ordered[HEAD:])

    def _seems_to_replace(self, item: Candidate, older: Candidate) -> bool:
        is_later = when(item.evidence) > when(older.evidence)
        if not is_later or item.score < COMPARABLE * older.score:
            return False
        return self._kinship(older, item, self._candidates.nearness(older, item)) >= MIN_SUCCESSION

    def _current_first(self, ordered: list[Candidate]) -> list[Candidate]:
        """Move what replaced another to the place before it, unless the query asks for the past."""
        replaced = self._candidates.replaced
        if not replaced or self._tense is Tense.BEFORE:
            return ordered
        place = {item.evidence.event_id: float(index) for index, item in enumerate(ordered)}
        for old, new in sorted(replaced.items()):
            if old in place and new in place and place[old] < place[new]:
                place[new] = place[old] - 0.5
        return sorted(ordered, key=lambda item: place[item.evidence.event_id])


def _by_place(candidates: Sequence[Candidate], matches: Sequence[float]) -> Mapping[tuple[str, int], float]:
    """Return the best match at each place of a session."""
    places: dict[tuple[str, int], float] = {}
    for item, match in zip(candidates, matches, strict=True):
        place = (item.evidence.session_id, item.evidence.seq)
        places[place] = max(places.get(place, 0.0), match)
    return places


def _context(evidence: Evidence, matches: Mapping[tuple[str, int], float]) -> float:
    """Return the best match next to a passage, halved with each further event of distance."""
    best = 0.0
    for distance in range(1, CONTEXT_REACH + 1):
        for seq in (evidence.seq - distance, evidence.seq + distance):
            best = max(best, matches.get((evidence.session_id, seq), 0.0) / 2 ** (distance - 1))
    return best


def _one_per_event(ordered: Sequence[Candidate]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for item in ordered:
        best.setdefault(item.evidence.event_id, item)
    return list(best.values())


def _results(work: UnitOfWork, page: Sequence[Candidate]) -> tuple[EvidenceResult, ...]:
    sessions = {session.id: session for session in work.sessions.get(sorted({c.evidence.session_id for c in page}))}
    return tuple(
        EvidenceResult(
            evidence=item.evidence,
            session=sessions.get(item.evidence.session_id),
            source_id=item.evidence.source_id or item.evidence.event_id,
            score=item.score,
            breakdown=explain_evidence(item.relevance, item.signals) if item.signals else {},
        )
        for item in page
    )
