"""Search claims: the current value of each slot first, its history attached, both sides of a conflict together."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, Beliefs, Claim, ClaimStatus, ClaimType, Link, LinkKind
from pckc_domain.model.embedding import Vector, VectorFilter
from pckc_domain.model.memory import ClaimAnswer, ClaimResult, MemoryRequest
from pckc_domain.model.proof import Proof
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.model.scope import Branch, Scope
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.claim_scoring import ClaimSignals, ClaimWeights, recency_of, score_claim
from pckc_domain.policy.coverage import coverage_of, topic_stems
from pckc_domain.policy.embedded_text import claim_partition
from pckc_domain.policy.facts.history import FACT_TYPE
from pckc_domain.policy.facts.meeting import branches_read, is_overshadowed
from pckc_domain.policy.scoring import BRANCH_SCORE, normalize_scores, relation
from pckc_domain.policy.validity import CANDIDATE_LIFETIME, holds, is_expired
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.usecases.claim_proximity import claim_proximity
from pckc_domain.usecases.meeting import gather
from pckc_domain.usecases.semantic import SemanticIndex, embed_query, lexical_when_vectors_fail, signals_of
from pckc_domain.usecases.session_graph import session_graph
from pckc_domain.usecases.settling import beliefs_of

POOL = 100
"""Candidates taken at once per signal, at least."""

MAX_CANDIDATES = 1_000
"""Candidates looked at per signal when few of them lead to a result, such as many old values of one slot."""

FACT_POOL = 30
"""Repository facts taken at once: there may be thousands of them, each a short text that matches well."""

PAGE = 1_000
"""Claims of slots read at once."""

COVERAGE_SHARE = 0.6
"""Share of the lexical signal that is coverage: the rank says little where few claims match."""


class ClaimSearch:
    """Answers searches over the claims of one scope; a session's candidates are shown for the *candidate_lifetime*."""

    def __init__(
        self,
        canonical: Canonical,
        *,
        semantic: SemanticIndex | None = None,
        weights: ClaimWeights | None = None,
        why_lexical: str = "no embedder is configured",
        clock: Clock | None = None,
        candidate_lifetime: timedelta = CANDIDATE_LIFETIME,
    ) -> None:
        self._canonical = canonical
        self._clock = clock
        self._candidate_lifetime = candidate_lifetime
        self._semantic = semantic
        self._weights = weights or ClaimWeights()
        self._why_lexical = why_lexical

    @lexical_when_vectors_fail
    def search(self, scope: Scope, request: MemoryRequest, *, branch: Branch | None = None) -> ClaimAnswer:
        """
        Answer *request*; archived and rejected claims are left out, closed ones appear as history.

        Raises:
            InvalidInputError: The limit is below 1 or the offset below 0.
        """
        if request.limit < 1 or request.offset < 0:
            raise InvalidInputError("the limit must be at least 1 and the offset at least 0")
        vector, signals = embed_query(self._semantic, scope, request.query, self._why_lexical)
        wanted = request.limit + request.offset + 1
        results: list[ClaimResult] = []
        with self._canonical.reading(scope) as work:
            at = request.as_of or request.known_at or self._now()
            slots = _Slots(work, request, at, branch or Branch(), self._candidate_lifetime)
            sessions = self._session_relevance(work, request)
            near: Mapping[str, float] | None = None
            for found in self._blocks(work, scope, request, vector, branches_read(branch or Branch())):
                near = self._proximity(work, request, found, near)
                ranked = self._ranked(found, sessions, near, branch or Branch(), has_semantic=vector is not None)
                results += slots.results(ranked, wanted - len(results))
                if len(results) >= wanted:
                    break
            coverage = self._coverage(work, scope)
            if (vectors := coverage.get("claim_vectors")) and not vectors.indexed:
                is_wanted = bool(work.claims.find(where=ClaimFilter(is_said=True), limit=1))
                signals = signals_of(signals, indexed=0, is_wanted=is_wanted)
        page = results[request.offset : request.offset + request.limit]
        return ClaimAnswer(results=tuple(page), signals=signals, coverage=coverage, has_more=len(results) >= wanted)

    def _now(self) -> datetime | None:
        return self._clock.now() if self._clock else None

    def _blocks(
        self,
        work: UnitOfWork,
        scope: Scope,
        request: MemoryRequest,
        vector: Vector | None,
        branches: frozenset[str],
    ) -> "Iterator[_Found]":
        """Yield candidates block by block, the best and the near ones first: no page depends on how far one pages."""
        size = max(POOL, 5 * (request.limit + 1))
        facts = max(FACT_POOL, request.limit + 1)
        for block in range(-(-max(MAX_CANDIDATES, 5 * (request.limit + request.offset + 1)) // size)):
            found, start = _Found(), block * size
            where = _filter(request)
            said = self._matches(work, request, attrs.evolve(where, is_said=True), start, size)
            set_ = self._set(work, request, branches, block * facts, facts)
            claims = [stored.claim for stored, _ in set_]
            for stored, score in (*said, *(one for one in set_ if not is_overshadowed(one[0].claim, claims))):
                found.add(stored).lexical = score
            if not start:
                for stored, score in self._near(work, scope, request, vector, size):
                    found.add(stored).semantic = score
            yield found
            if len(said) < size and len(set_) < facts:
                return

    def _set(
        self, work: UnitOfWork, request: MemoryRequest, branches: frozenset[str], start: int, size: int
    ) -> list[tuple[StoredClaim, float]]:
        """Return the matches among what the repository alone says."""
        where = _filter(request)
        if where.types and FACT_TYPE not in where.types:
            return []
        facts = attrs.evolve(
            where,
            types=frozenset({FACT_TYPE}),
            is_said=False,
            set_below=frozenset(request.paths),
            branches=branches,
        )
        return self._matches(work, request, facts, start, size)

    def _matches(
        self, work: UnitOfWork, request: MemoryRequest, where: ClaimFilter, start: int, size: int
    ) -> list[tuple[StoredClaim, float]]:
        """Return the lexical matches from *start* on with their signal; after the first block, rank says nothing."""
        query = analyze_query(request.query)
        if query.is_empty:
            return []
        wanted = topic_stems(request.query)
        hits = work.claims.search(query, where=where, limit=start + size)[start:]
        scores = [0.0] * len(hits) if start else normalize_scores([hit.score for hit in hits])
        return [
            (
                hit.stored,
                (1 - COVERAGE_SHARE) * score + COVERAGE_SHARE * coverage_of(wanted, _speaking(hit.stored.claim)),
            )
            for hit, score in zip(hits, scores, strict=True)
        ]

    def _near(
        self, work: UnitOfWork, scope: Scope, request: MemoryRequest, vector: Vector | None, size: int
    ) -> list[tuple[StoredClaim, float]]:
        """Return the nearest neighbours with their signal."""
        if vector is None or self._semantic is None:
            return []
        partitions = frozenset(claim_partition(kind) for kind in (request.types or ClaimType))
        space, vectors = self._semantic.embedder.space, self._semantic.vectors
        known_now = VectorFilter(statuses=frozenset(map(str, _filter(request).statuses)))
        hits = vectors.search(scope, space, vector, partitions=partitions, limit=size, where=known_now)
        cosines = dict(zip((hit.id for hit in hits), normalize_scores([hit.score for hit in hits]), strict=True))
        where = _filter(request)
        return [
            (stored, cosines[stored.claim.id])
            for stored in work.claims.get(list(cosines))
            if _passes(stored.claim, where)
        ]

    def _session_relevance(self, work: UnitOfWork, request: MemoryRequest) -> Mapping[str, float]:
        """Return how much each session speaks of the query: its best evidence, normalised."""
        query = analyze_query(request.query)
        if query.is_empty:
            return {}
        hits = work.evidence.search(query, where=EvidenceFilter(session_ids=request.session_ids), limit=POOL)
        scores = normalize_scores([hit.score for hit in hits])
        best: dict[str, float] = {}
        for hit, score in zip(hits, scores, strict=True):
            best[hit.evidence.session_id] = max(best.get(hit.evidence.session_id, 0.0), score)
        return best

    def _proximity(
        self, work: UnitOfWork, request: MemoryRequest, found: "_Found", known: Mapping[str, float] | None
    ) -> Mapping[str, float]:
        """Return how near claims are, in the session graph, to what is asked and to the first block's best matches."""
        if known is not None:
            return known
        matches = {one.stored.claim.id: one.lexical for one in found.candidates() if one.stored.claim.session_id}
        return claim_proximity(session_graph(work), request.query, matches, session_ids=sorted(request.session_ids))

    def _ranked(
        self,
        found: "_Found",
        sessions: Mapping[str, float],
        near: Mapping[str, float],
        branch: Branch,
        *,
        has_semantic: bool,
    ) -> list[ClaimResult]:
        candidates = found.candidates()
        newest = max((candidate.stored.claim.valid_from for candidate in candidates), default=None)
        if newest is None:
            return []
        results = []
        for candidate in candidates:
            claim = candidate.stored.claim
            signals = ClaimSignals(
                lexical=candidate.lexical,
                semantic=candidate.semantic if has_semantic else None,
                session_relevance=sessions.get(claim.session_id, 0.0) if sessions else None,
                graph_proximity=near.get(claim.id, 0.0) if near and claim.session_id else None,
                recency=recency_of(claim, newest),
                importance=claim.importance,
                confidence=claim.confidence,
            )
            branch_score = BRANCH_SCORE[relation(claim.branch, branch)]
            score, breakdown = score_claim(claim, signals, self._weights, branch_score=branch_score)
            results.append(
                ClaimResult(claim=claim, slot=candidate.stored.slot, score=round(score, 6), breakdown=breakdown)
            )
        return sorted(results, key=lambda result: (-result.score, result.claim.id))

    def _coverage(self, work: UnitOfWork, scope: Scope) -> Mapping[str, IndexCoverage]:
        if self._semantic is None:
            return {}
        partitions = frozenset(claim_partition(kind) for kind in ClaimType)
        indexed = self._semantic.count(scope, partitions=partitions)
        behind = self._semantic.behind(work)
        return {"claim_vectors": IndexCoverage(indexed=indexed, total=indexed + behind, behind=behind)}


@attrs.define(kw_only=True)
class _Candidate:
    stored: StoredClaim
    lexical: float = 0.0
    semantic: float = 0.0


class _Found:
    """Candidates of one search by claim id."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Candidate] = {}

    def add(self, stored: StoredClaim) -> _Candidate:
        return self._by_id.setdefault(stored.claim.id, _Candidate(stored=stored))

    def candidates(self) -> list[_Candidate]:
        return list(self._by_id.values())


class _Slots:
    """Turns ranked claims into results by slot, as of the instants asked for; *now* when none is."""

    def __init__(
        self,
        work: UnitOfWork,
        request: MemoryRequest,
        now: datetime | None,
        branch: Branch,
        candidate_lifetime: timedelta,
    ) -> None:
        self._work = work
        self._request = request
        self._now = now
        self._candidate_lifetime = candidate_lifetime
        self._branch = branch
        self._seen: set[str] = set()

    def results(self, ranked: Sequence[ClaimResult], wanted: int) -> list[ClaimResult]:
        """
        Return the results of the best slots: the current claims of each, in the order of the slots' best hits.

        What ended, and what nothing vouches for any more, comes behind all others: it answers where nothing else does.
        """
        results: list[ClaimResult] = []
        ended: list[ClaimResult] = []
        best: dict[str, ClaimResult] = {}
        for hit in ranked:
            if hit.slot not in self._seen:
                best.setdefault(hit.slot, hit)
        hits = list(best.values())
        for start in range(0, len(hits), wanted):
            batch = hits[start : start + wanted]
            beliefs = self._beliefs([hit.slot for hit in batch])
            for hit in batch:
                self._seen.add(hit.slot)
                found = self._of_slot(hit, beliefs[hit.slot])
                results += [result for result in found if self._stands(result.claim)]
                ended += [result for result in found if not self._stands(result.claim)]
                if len(results) >= wanted:
                    return results
        return results + ended

    def _stands(self, claim: Claim) -> bool:
        """Whether it holds at the instant asked for; what is stale now may have been proven then."""
        return holds(claim, self._now) and (claim.status is not ClaimStatus.STALE or self._request.as_of is not None)

    def _of_slot(self, hit: ClaimResult, beliefs: Beliefs) -> list[ClaimResult]:
        by_id = {claim.id: claim for claim in beliefs.claims}
        shown = [claim for claim in beliefs.claims if self._is_shown(claim)]
        current = [claim for claim in shown if holds(claim, self._now)]
        current = [claim for claim in current if self._is_wanted(claim)]
        past = sorted(
            (claim for claim in shown if not holds(claim, self._now)),
            key=lambda claim: (claim.valid_from, claim.id),
            reverse=True,
        )
        if not current:  # the slot's topic is closed: what was asked for is history now
            current = [claim for claim in past if claim.id == hit.claim.id and self._is_wanted(claim)]
            past = [claim for claim in past if claim.id != hit.claim.id]
        ordered = sorted(current, key=lambda claim: _slot_order(claim, hit.claim, self._branch))
        return [
            attrs.evolve(
                hit,
                claim=claim,
                proofs=tuple(proof for proof in beliefs.proofs if proof.claim_id == claim.id),
                history=tuple(past),
                conflicts=_conflicts(claim, beliefs, by_id),
            )
            for claim in ordered
        ]

    def _beliefs(self, slots: Sequence[str]) -> Mapping[str, Beliefs]:
        """What the slots amount to, or amounted to when only what was known at an earlier instant counts."""
        if self._request.known_at is not None:
            return self._known_beliefs(slots, self._request.known_at)
        claims: dict[str, list[Claim]] = {slot: [] for slot in slots}
        for stored in self._stored(slots):
            claims[stored.slot].append(stored.claim)
        ids = [claim.id for of_slot in claims.values() for claim in of_slot]
        proofs, links = self._work.proofs.of(ids), self._work.links.of(ids)
        return {slot: _beliefs(of_slot, proofs, links) for slot, of_slot in claims.items()}

    def _stored(self, slots: Sequence[str]) -> Iterator[StoredClaim]:
        """Yield all claims of *slots*, by id."""
        where, after = ClaimFilter(slots=frozenset(slots)), ""
        while page := self._work.claims.find(where=where, after=after, limit=PAGE):
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].claim.id

    def _known_beliefs(self, slots: Sequence[str], at: datetime) -> Mapping[str, Beliefs]:
        known = beliefs_of(self._work, gather(self._work, slots), known_at=at)
        return {slot: known.get(slot, Beliefs()) for slot in slots}

    def _is_shown(self, claim: Claim) -> bool:
        now, lifetime = self._now, self._candidate_lifetime
        if now is not None and (claim.valid_from > now or is_expired(claim, now, lifetime)):
            return False  # still to come, or over
        return claim.governance in VISIBLE

    def _is_wanted(self, claim: Claim) -> bool:
        request = self._request
        return (
            (not request.types or claim.type in request.types)
            and (not request.statuses or claim.status in request.statuses)
            and (not request.session_ids or claim.session_id in request.session_ids)
        )


def _beliefs(claims: Sequence[Claim], proofs: Mapping[str, Sequence[Proof]], links: Sequence[Link]) -> Beliefs:
    """Return what *claims* are of these proofs and links."""
    ids = {claim.id for claim in claims}
    return Beliefs(
        claims=tuple(claims),
        proofs=tuple(proof for claim in claims for proof in proofs.get(claim.id, ())),
        links=tuple(link for link in links if link.source_id in ids or link.target_id in ids),
    )


def _speaking(claim: Claim) -> tuple[str, ...]:
    return (claim.text, claim.subject, claim.attribute, claim.value)


def _filter(request: MemoryRequest) -> ClaimFilter:
    """Closed claims are looked through as well: they lead to their slot's current value."""
    if request.known_at is not None:  # what is said of a claim now says nothing of then
        return ClaimFilter(types=request.types, session_ids=request.session_ids)
    return ClaimFilter(
        types=request.types, statuses=request.statuses, governance=VISIBLE, session_ids=request.session_ids
    )


def _passes(claim: Claim, where: ClaimFilter) -> bool:
    """Whether a near neighbour is one that the lexical index would have been allowed to answer."""
    return (
        (not where.statuses or claim.status in where.statuses)
        and (not where.governance or claim.governance in where.governance)
        and (not where.session_ids or claim.session_id in where.session_ids)
    )


def _slot_order(claim: Claim, hit: Claim, branch: Branch) -> tuple[bool, float, bool, datetime, str]:
    """What is verified comes before candidates, what holds here before others, what was found before its peers."""
    nearness = BRANCH_SCORE[relation(claim.branch, branch)] if claim.path else 1.0
    return claim.status is ClaimStatus.CANDIDATE, -nearness, claim.id != hit.id, claim.valid_from, claim.id


def _conflicts(claim: Claim, beliefs: Beliefs, by_id: Mapping[str, Claim]) -> tuple[Claim, ...]:
    others = set()
    for link in beliefs.links:
        if link.kind is LinkKind.CONTRADICTS and claim.id in (link.source_id, link.target_id):
            others |= {link.source_id, link.target_id} - {claim.id}
    return tuple(by_id[other] for other in sorted(others) if other in by_id and not by_id[other].superseded_by)
