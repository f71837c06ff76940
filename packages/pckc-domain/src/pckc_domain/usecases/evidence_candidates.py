"""The candidates of one search over evidence: where they come from, and what is measured of each."""

import math
from collections.abc import Sequence
from operator import mul

import attrs

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import VISIBLE
from pckc_domain.model.embedding import Vector, VectorHit
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.directives import DIRECTIVE_WORDS, HUMAN_KINDS, directive_strength, is_directive
from pckc_domain.policy.embedded_text import (
    DIRECTIVE_PARTITION,
    EVIDENCE_PARTITIONS,
    evidence_text,
)
from pckc_domain.policy.evidence_coverage import WordWeights, evidence_coverages, spoken_words
from pckc_domain.policy.evidence_scoring import EvidenceSignals
from pckc_domain.policy.question_forms import in_first_person, named_speakers, without_names
from pckc_domain.policy.scoring import normalize_scores
from pckc_domain.policy.time_words import tells_of_change
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.usecases.semantic import SemanticIndex, embed_query

POOL = 200
"""Fewest candidates taken per signal."""

CONTEXT_SEEDS = 20
"""Best candidates whose surroundings are looked at as well: an answer often shares no word with its question."""

CONTEXT_REACH = 2
"""How many events away a passage may lend another its relevance; half as much with each step."""

NEIGHBOURS = 20
"""Passages looked at around one whose kin are wanted."""

LIKENESS_WORDS = 12
"""Words of a passage by which others like it are found when there are no vectors."""

DIRECTIVES = 200
"""Standing instructions considered for a request."""


@attrs.define(kw_only=True, eq=False)
class Candidate:
    """A passage that may answer, and what is known of it so far."""

    evidence: Evidence
    words: frozenset[str]
    has_change: bool
    lexical: float = 0.0
    semantic: float = 0.0
    context: float = 0.0
    relevance: float = 0.0
    inherited: float = 0.0
    vector: Vector | None = None
    score: float = 0.0
    signals: EvidenceSignals | None = None


class Candidates:
    """
    Candidates by evidence id.

    Attributes:
        speakers: Those who the query names, among the speakers of what it finds.
        is_hybrid: Whether vectors took part.
        signals: "hybrid", or "lexical only" with the reason.
        claims: How well claims made of an event match the query, by event id.
        replaced: The event that replaced what an event said, by event id.
    """

    def __init__(
        self,
        work: UnitOfWork,
        scope: Scope,
        request: MemoryRequest,
        semantic: SemanticIndex | None,
        why_lexical: str,
    ) -> None:
        self._work = work
        self._scope = scope
        self._semantic = semantic
        self._query = request.query
        self._analysed = analyze_query(request.query)
        self._pool = max(POOL, 5 * (request.limit + request.offset))
        self._where = EvidenceFilter(session_ids=request.session_ids, kinds=request.kinds, until=request.as_of)
        self._found: dict[str, Candidate] = {}
        self.claims: dict[str, float] = {}
        self.replaced: dict[str, str] = {}
        matching = self._matching(self._analysed, self._pool)
        for evidence, _ in matching:
            self.at(evidence)
        self.speakers = named_speakers(self._query, {evidence.speaker for evidence, _ in matching} - {""})
        spoken = in_first_person(self._query, self.speakers)
        self._vector, self.signals = embed_query(semantic, scope, spoken, why_lexical)
        self.is_hybrid = self._vector is not None
        self._collect_near()
        self._collect_claims()
        self._measure_coverage()

    def all(self) -> list[Candidate]:
        """Return every candidate, by evidence id."""
        return [self._found[id_] for id_ in sorted(self._found)]

    def at(self, evidence: Evidence) -> Candidate:
        """Return the candidate of *evidence*, which becomes one if it is none."""
        candidate = self._found.get(evidence.id)
        if candidate is None:
            candidate = self._found[evidence.id] = Candidate(
                evidence=evidence, words=spoken_words(evidence), has_change=tells_of_change(evidence.text)
            )
        return candidate

    def add_surroundings(self, best: Sequence[Candidate]) -> None:
        """Make the passages around the *best* candidates too."""
        places = {(item.evidence.session_id, item.evidence.seq) for item in best[:CONTEXT_SEEDS]}
        for evidence in self._work.evidence.around(sorted(places), reach=CONTEXT_REACH):
            if _passes(evidence, self._where):
                self.at(evidence)

    def like(self, seed: Candidate) -> list[tuple[Candidate, float]]:
        """Return what is near to *seed*, nearest first, with the cosine; without vectors, by common words, in 0..1."""
        near: list[tuple[Candidate, float]] = []
        if self._semantic is not None and self.is_hybrid:
            vector = self._vector_of(seed, self._semantic)
            for evidence, hit in self._near(vector, EVIDENCE_PARTITIONS, NEIGHBOURS):
                candidate = self.at(evidence)
                candidate.vector = hit.vector
                near.append((candidate, hit.score))
        else:
            found = self._matching(_likeness(seed.evidence), NEIGHBOURS)
            best = max((score for _, score in found), default=0.0)
            near = [(self.at(evidence), score / best if best > 0 else 0.0) for evidence, score in found]
        return [(candidate, nearness) for candidate, nearness in near if candidate is not seed]

    def nearness(self, one: Candidate, other: Candidate) -> float:
        """Return the cosine of two candidates; without vectors, the share of the words of *one* that *other* holds."""
        if self._semantic is None or not self.is_hybrid:
            return self.shared(one, other)
        return math.fsum(map(mul, self._vector_of(one, self._semantic), self._vector_of(other, self._semantic)))

    def shared(self, one: Candidate, other: Candidate) -> float:
        """Return the share of the words of *one* that *other* holds, in 0..1, rare ones counting more."""
        return self._weights.share(one.words, other.words)

    @staticmethod
    def _vector_of(candidate: Candidate, semantic: SemanticIndex) -> Vector:
        if candidate.vector is None:
            candidate.vector = semantic.embedder.embed([evidence_text(candidate.evidence)])[0]
        return candidate.vector

    def directives(self) -> list[Candidate]:
        """Return standing instructions, those that fit the query best first, newer before older."""
        if self._vector is not None:
            found = self._near(self._vector, frozenset({DIRECTIVE_PARTITION}), DIRECTIVES)
            fitting = {evidence.id: hit.score for evidence, hit in found}
            instructions = [evidence for evidence, _ in found]
        else:
            told = self._told()
            instructions = [evidence for evidence in told if is_directive(evidence)]
            fitting = {}
        coverages = evidence_coverages(self._query, [spoken_words(evidence) for evidence in instructions])
        fit = {
            evidence.id: fitting.get(evidence.id, 0.0)
            + COVERAGE_FIT * coverage
            + STRENGTH_FIT * directive_strength(evidence.text)
            for evidence, coverage in zip(instructions, coverages, strict=True)
        }
        newest_first = sorted(instructions, key=when, reverse=True)
        return [self.at(evidence) for evidence in sorted(newest_first, key=lambda item: -fit[item.id])]

    def _told(self) -> list[Evidence]:
        """Return words of users that may be standing instructions."""
        kinds = HUMAN_KINDS & self._where.kinds if self._where.kinds else HUMAN_KINDS
        if not kinds:
            return []
        where = attrs.evolve(self._where, kinds=kinds)
        return [hit.evidence for hit in self._work.evidence.search(DIRECTIVE_WORDS, where=where, limit=DIRECTIVES)]

    def _matching(self, query: LexicalQuery, limit: int) -> list[tuple[Evidence, float]]:
        if query.is_empty:
            return []
        hits = self._work.evidence.search(query, where=self._where, limit=limit)
        return [(hit.evidence, hit.score) for hit in hits]

    def _near(self, vector: Vector, partitions: frozenset[str], limit: int) -> list[tuple[Evidence, VectorHit]]:
        if self._semantic is None:
            return []
        hits = self._semantic.vectors.search(
            self._scope, self._semantic.embedder.space, vector, partitions=partitions, limit=limit
        )
        by_id = {hit.id: hit for hit in hits}
        found = self._work.evidence.get(list(by_id))
        return [(evidence, by_id[evidence.id]) for evidence in found if _passes(evidence, self._where)]

    def _collect_near(self) -> None:
        if self._vector is None:
            return
        near = self._near(self._vector, EVIDENCE_PARTITIONS, self._pool)
        scores = normalize_scores([hit.score for _, hit in near])
        for (evidence, hit), score in zip(near, scores, strict=True):
            candidate = self.at(evidence)
            candidate.semantic, candidate.vector = score, hit.vector

    def _measure_coverage(self) -> None:
        """Measure every candidate, so that what only its vector found has the words counted that it holds."""
        candidates = self.all()
        topic = without_names(self._query, self.speakers)
        held = [item.words for item in candidates]
        self._weights = WordWeights(held)
        coverages = evidence_coverages(topic, held)
        for item, coverage in zip(candidates, coverages, strict=True):
            item.lexical = coverage

    def _collect_claims(self) -> None:
        """Note which events claims that match come from, and which of these events others have replaced."""
        if self._analysed.is_empty:
            return
        hits = self._work.claims.search(self._analysed, where=ClaimFilter(governance=VISIBLE, is_said=True), limit=POOL)
        matching = [hit.stored.claim for hit in hits]
        newer = {claim.superseded_by for claim in matching if claim.superseded_by}
        events = {stored.claim.id: stored.claim.event_id for stored in self._work.claims.get(sorted(newer))}
        for claim, score in zip(matching, normalize_scores([hit.score for hit in hits]), strict=True):
            self.claims[claim.event_id] = max(self.claims.get(claim.event_id, 0.0), score)
            if new_event := events.get(claim.superseded_by):
                self.replaced[claim.event_id] = new_event


COVERAGE_FIT = 0.2
"""What the words that a standing instruction shares with a request add to the cosine of the two."""

STRENGTH_FIT = 0.2
"""And what its strength adds: a clear instruction may apply though it does not resemble the request."""


def when(evidence: Evidence) -> tuple[bool, float, int]:
    """Return a key that orders passages by time; those without one come first."""
    return evidence.time is not None, evidence.time.timestamp() if evidence.time else 0.0, evidence.seq


def _likeness(evidence: Evidence) -> LexicalQuery:
    analysed = analyze_query(evidence.text)
    return LexicalQuery(words=analysed.words[:LIKENESS_WORDS], terms=analysed.terms[:LIKENESS_WORDS])


def _passes(evidence: Evidence, where: EvidenceFilter) -> bool:
    """Whether a near neighbour is one that the lexical index would have been allowed to answer."""
    if where.session_ids and evidence.session_id not in where.session_ids:
        return False
    if where.kinds and evidence.kind not in where.kinds:
        return False
    if where.until is not None and (evidence.time is None or evidence.time > where.until):
        return False
    return where.since is None or (evidence.time is not None and evidence.time >= where.since)
