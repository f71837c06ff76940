"""Search passages: lexical and semantic candidates, scored, expanded, without near-duplicates."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.passage import Proposition, PropositionType
from pckc_domain.model.recall import IndexCoverage, PassageResult, SearchAnswer, SearchRequest
from pckc_domain.model.scope import Branch, Checkout, Scope
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.duplicates import without_near_duplicates
from pckc_domain.policy.embedded_text import EMBEDDED_LAYERS, passage_partition
from pckc_domain.policy.granularity import route
from pckc_domain.policy.passage_proofs import passage_proof
from pckc_domain.policy.scoring import (
    BRANCH_SCORE,
    SOURCE_QUALITY,
    PassageSignals,
    PassageWeights,
    explain_passage,
    layer_bonus,
    passage_score,
    relation,
    type_bonus,
)
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.usecases.passage_candidates import Candidate, Candidates, kind_of
from pckc_domain.usecases.semantic import SemanticIndex, embed_query, lexical_when_vectors_fail, signals_of

PASSAGE_PARTITIONS = frozenset(passage_partition(layer, kind) for layer in EMBEDDED_LAYERS for kind in PropositionType)
"""Partitions of the vector index that hold passages."""


class PassageSearch:
    """Answers searches over the passages of one scope."""

    def __init__(
        self,
        canonical: Canonical,
        *,
        semantic: SemanticIndex | None = None,
        source: RepositorySource | None = None,
        weights: PassageWeights | None = None,
        why_lexical: str = "no embedder is configured",
    ) -> None:
        self._canonical = canonical
        self._why_lexical = why_lexical
        self._semantic = semantic
        self._source = source
        self._weights = weights or PassageWeights()

    @lexical_when_vectors_fail
    def search(self, scope: Scope, request: SearchRequest, *, checkout_id: str | None = None) -> SearchAnswer:
        """
        Answer *request* from what *checkout_id* holds (``None`` means every checkout).

        A missing or failing embedder degrades the answer to lexical signals, and the answer says so.

        Raises:
            InvalidInputError: The limit is below 1.
        """
        if request.limit < 1:
            raise InvalidInputError(f"the limit must be at least 1, not {request.limit}")
        preference = route(
            request.query,
            intent=request.intent,
            preferred_layers=request.preferred_layers,
            proposition_types=request.proposition_types,
        )
        vector, signals = embed_query(self._semantic, scope, request.query, self._why_lexical)
        with self._canonical.reading(scope) as work:
            checkouts = work.manifest.checkouts()
            checkout = next((known for known in checkouts if known.id == checkout_id), None)
            # A lone checkout holds every fresh version: no need to ask for its own.
            visible = checkout_id if len(checkouts) > 1 else None
            candidates = Candidates(work, scope, request, preference, visible)
            for layer in preference.preferred_layers:
                candidates.lexical(layer)
            if vector is not None and self._semantic is not None:
                candidates.semantic(self._semantic, vector)
            candidates.definitions()
            candidates.files()
            candidates.expand()
            ranked = self._ranked(candidates, checkout)
            if request.one_per_place:
                ranked = _one_per_place(ranked)
            kept = without_near_duplicates(
                ranked, lambda scored: scored.candidate.stored.passage.text, limit=request.limit
            )
            results = self._with_changes(work, [self._result(scored) for scored in kept], checkout)
            coverage = self._coverage(work, scope)
        if vectors := coverage.get("vectors"):
            signals = signals_of(signals, indexed=vectors.indexed, is_wanted=vectors.total > 0)
        return SearchAnswer(
            results=tuple(results),
            preference=preference,
            signals=signals,
            coverage=coverage,
            indexed_at=checkout.indexed_at if checkout else None,
            is_complete=checkout.is_complete if checkout else False,
        )

    def _ranked(self, candidates: Candidates, checkout: Checkout | None) -> "list[_Scored]":
        current = checkout.branch if checkout else Branch()
        scored = []
        for candidate in candidates.all():
            signals = _signals(candidate, candidates, current)
            score = round(passage_score(signals, self._weights), 6)
            scored.append(_Scored(candidate=candidate, signals=signals, score=score))
        return sorted(scored, key=lambda each: (-each.score, each.candidate.stored.passage.id))

    def _result(self, scored: "_Scored") -> PassageResult:
        candidate = scored.candidate
        return PassageResult(
            stored=candidate.stored,
            layer=candidate.layer,
            score=scored.score,
            breakdown=explain_passage(scored.signals, self._weights),
            proof=passage_proof(candidate.stored),
            via=candidate.via,
        )

    def _with_changes(
        self, work: UnitOfWork, results: Sequence[PassageResult], checkout: Checkout | None
    ) -> list[PassageResult]:
        """Look at the files of the results: one that changed since it was indexed loses its freshness."""
        if self._source is None or checkout is None or not results:
            return list(results)
        paths = sorted({result.stored.document.uri for result in results})
        changed = self._source.changed(work.manifest.entries(checkout.id, paths=paths))
        marked = [self._mark(result) if result.stored.document.uri in changed else result for result in results]
        return sorted(marked, key=lambda result: (-result.score, result.stored.passage.id))

    def _mark(self, result: PassageResult) -> PassageResult:
        lost = self._weights.freshness * result.breakdown["freshness_bonus"]
        granularity = result.breakdown["granularity_score"] - lost
        factor = 1 - self._weights.branch_span * (1 - result.breakdown["branch_score"])
        factor *= 1 - result.breakdown["test_penalty"]
        breakdown = {**result.breakdown, "freshness_bonus": 0.0, "granularity_score": round(granularity, 6)}
        return attrs.evolve(result, is_changed=True, breakdown=breakdown, score=round(granularity * factor, 6))

    def _coverage(self, work: UnitOfWork, scope: Scope) -> Mapping[str, IndexCoverage]:
        fresh = {layer: count.fresh for layer, count in work.passages.count().items()}
        coverage = {"passages": IndexCoverage(indexed=sum(fresh.values()), total=sum(fresh.values()))}
        if self._semantic is not None:
            coverage["vectors"] = IndexCoverage(
                indexed=self._semantic.count(scope, partitions=PASSAGE_PARTITIONS),
                total=sum(fresh[layer] for layer in EMBEDDED_LAYERS),
                behind=self._semantic.behind(work),
            )
        return coverage


@attrs.frozen(kw_only=True)
class _Scored:
    candidate: Candidate
    signals: PassageSignals
    score: float


def _signals(candidate: Candidate, candidates: Candidates, current: Branch) -> PassageSignals:
    document, preference = candidate.stored.document, candidates.preference
    kind = kind_of(candidate.stored.passage) or candidate.type_hint
    is_defined = candidate.definition > 0  # who asks for a name wants its definition, of whatever layer and type
    is_test = is_test_path(document.uri) and not candidates.is_for_tests
    return PassageSignals(
        lexical=candidate.lexical,
        coverage=candidate.coverage,
        semantic=candidate.semantic if candidates.has_semantic else None,
        layer_preference=1.0 if is_defined else layer_bonus(candidate.layer, preference.preferred_layers),
        proposition_type=1.0 if is_defined else type_bonus(kind, preference.proposition_types),
        source_quality=SOURCE_QUALITY[document.source],
        freshness=0.0 if document.is_stale else 1.0,
        branch=BRANCH_SCORE[relation(document.branch, current)],
        definition=candidate.definition,
        unasked_test=1.0 if is_test else 0.0,
    )


def _one_per_place(ranked: Sequence[_Scored]) -> list[_Scored]:
    """Keep the best of each place; a proposition and the paragraph around it are one."""
    best: dict[str, _Scored] = {}
    for scored in ranked:
        passage = scored.candidate.stored.passage
        best.setdefault(passage.paragraph_id if isinstance(passage, Proposition) else passage.id, scored)
    return list(best.values())
