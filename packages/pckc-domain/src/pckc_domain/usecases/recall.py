"""Search passages: lexical and semantic candidates, scored, expanded, without near-duplicates."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import attrs

from pckc_domain.errors import BackendError, ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import Vector
from pckc_domain.model.intent import ExpansionPolicy, GranularityPreference
from pckc_domain.model.passage import (
    GranularityLevel,
    Layer,
    Passage,
    PassageFilter,
    Proposition,
    PropositionType,
    StoredPassage,
    layer_of,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.recall import IndexCoverage, PassageResult, SearchAnswer, SearchRequest
from pckc_domain.model.scope import Branch, Checkout, Scope
from pckc_domain.policy.analysis import analyze_query, stem_english, text_tokens
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.duplicates import without_near_duplicates
from pckc_domain.policy.embedded_text import EMBEDDED_LAYERS, passage_partition
from pckc_domain.policy.granularity import asks_of_tests, route
from pckc_domain.policy.naming import definition, names_in, own_name
from pckc_domain.policy.passage_coverage import coverages, is_called, topics_of
from pckc_domain.policy.passage_proofs import passage_proof
from pckc_domain.policy.scoring import (
    BRANCH_SCORE,
    SOURCE_QUALITY,
    PassageSignals,
    PassageWeights,
    explain_passage,
    layer_bonus,
    normalize_scores,
    passage_score,
    relation,
    type_bonus,
)
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.project import VECTOR_KINDS, VECTOR_PROJECTION

MARGIN = 20
"""Candidates of each kind taken per layer beyond the results asked for; scoring them is most of a search's time."""

FEWEST_RESULTS = 10
"""Fewer results are chosen from as many candidates as these."""

NAMED_POOL = 400
"""Passages that bear a name asked for, from which its definitions are chosen: the best ranked are the short ones."""

CALLED_FLOOR = 0.5
"""Lexical relevance of the digest of a file that is called by a word of the question, at least."""

NO_PARTITION = frozenset({"none"})
"""Matches no item: asking for it tells whether the index holds the embedder's space."""

EMPTY_INDEX = "lexical only: the vector index is empty; `pckc doctor` tells how much is missing"

PASSAGE_PARTITIONS = frozenset(passage_partition(layer, kind) for layer in EMBEDDED_LAYERS for kind in PropositionType)
"""Partitions of the vector index that hold passages."""

EXPANSION_DISCOUNT = 0.8
"""What an expanded passage keeps of the relevance of the hit it was expanded from."""


@attrs.frozen(kw_only=True)
class SemanticIndex:
    """
    An embedder and the vector index it fills.

    Attributes:
        embedder: The embedder.
        vectors: The index.
        projection: Name of the projection that feeds the index.
    """

    embedder: Embedder
    vectors: VectorIndex
    projection: str = VECTOR_PROJECTION

    def behind(self, work: UnitOfWork) -> int:
        """Return how many changes the index has not seen."""
        return work.outbox.lag(self.projection, kinds=VECTOR_KINDS)

    def count(self, scope: Scope, *, partitions: frozenset[str]) -> int:
        """Return how many vectors there are; none while the index cannot be reached."""
        try:
            return self.vectors.count(scope, partitions=partitions)
        except (BackendError, ConfigurationError):
            return 0


def embed_query(
    semantic: SemanticIndex | None, scope: Scope, query: str, why_lexical: str
) -> tuple[Vector | None, str]:
    """
    Return the query's vector and "hybrid", or ``None`` and "lexical only" with the reason.

    An embedder that fails, is late, or is not the one that filled the scope's index degrades the answer, no more.
    """
    if semantic is None:
        return None, f"lexical only: {why_lexical}"
    if not query.strip():
        return None, "lexical only: the query is empty"
    try:
        vector = semantic.embedder.embed([query])[0]
        semantic.vectors.search(scope, semantic.embedder.space, vector, partitions=NO_PARTITION, limit=1)
        return vector, "hybrid"
    except (BackendError, ConfigurationError) as error:
        return None, f"lexical only: {error.message}"


def signals_of(signals: str, *, indexed: int, is_wanted: bool) -> str:
    """Return what an answer came from: an index that holds nothing of what it should has added nothing."""
    return EMPTY_INDEX if signals == "hybrid" and is_wanted and not indexed else signals


P = ParamSpec("P")
T = TypeVar("T")


class _Search(Protocol):
    _semantic: SemanticIndex | None
    _why_lexical: str


S = TypeVar("S", bound=_Search)


def lexical_when_vectors_fail(search: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let *search* answer again without vectors when their index fails in the middle of it, and say why."""

    @wraps(search)
    def answer(self: S, /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return search(self, *given, **named)
        except (BackendError, ConfigurationError) as error:
            if self._semantic is None:
                raise
            lexical = copy(self)
            lexical._semantic, lexical._why_lexical = None, error.message
            return search(lexical, *given, **named)

    return answer


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
            checkout = _checkout(work, checkout_id)
            gathering = _Gathering(work, scope, request, preference, _visible(work, checkout_id))
            for layer in preference.preferred_layers:
                gathering.lexical(layer)
            if vector is not None and self._semantic is not None:
                gathering.semantic(self._semantic, vector)
            gathering.definitions()
            gathering.files()
            gathering.expand()
            ranked = self._ranked(gathering, checkout)
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

    def _ranked(self, gathering: "_Gathering", checkout: Checkout | None) -> "list[_Scored]":
        current = checkout.branch if checkout else Branch()
        scored = []
        for candidate in gathering.candidates():
            signals = _signals(candidate, gathering, current)
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


@attrs.define(kw_only=True)
class _Candidate:
    stored: StoredPassage
    layer: Layer
    lexical: float = 0.0
    coverage: float = 0.0
    semantic: float = 0.0
    definition: float = 0.0
    type_hint: PropositionType | None = None
    via: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class _Scored:
    candidate: _Candidate
    signals: PassageSignals
    score: float


class _Gathering:
    """Candidates of one search, by passage id."""

    def __init__(
        self,
        work: UnitOfWork,
        scope: Scope,
        request: SearchRequest,
        preference: GranularityPreference,
        checkout_id: str | None,
    ) -> None:
        self._work = work
        self._scope = scope
        self.preference = preference
        self.is_for_tests = asks_of_tests(request.query, preference) or any(map(is_test_path, request.uri_prefixes))
        self._query: LexicalQuery = analyze_query(request.query)
        self._names = names_in(request.query)
        self._where = PassageFilter(
            types=preference.proposition_types, uri_prefixes=request.uri_prefixes, checkout=checkout_id
        )
        self._results = max(FEWEST_RESULTS, request.limit)
        self._found: dict[str, _Candidate] = {}
        self.has_semantic = False

    def candidates(self) -> Sequence[_Candidate]:
        """Everything found, with its coverage of the query."""
        found = list(self._found.values())
        covered = coverages(self._query, [candidate.stored for candidate in found])
        for candidate, coverage in zip(found, covered, strict=True):
            candidate.coverage = coverage
            candidate.definition = definition(candidate.stored, self._names)
        return found

    def lexical(self, layer: Layer) -> None:
        if self._query.is_empty:
            return
        hits = self._work.passages.search(layer, self._query, where=self._where, limit=self._results + MARGIN)
        for hit, score in zip(hits, normalize_scores([hit.score for hit in hits]), strict=True):
            self._candidate(hit.stored).lexical = score

    def definitions(self) -> None:
        """Find the paragraphs that bear the names asked for, however poor their rank."""
        if not self._names or Layer.PARAGRAPH not in self.preference.preferred_layers:
            return
        own = frozenset(map(own_name, self._names))
        where = attrs.evolve(self._where, names=own.union(self._names))
        query = LexicalQuery(names=tuple(tuple(text_tokens(name)) for name in sorted(own)))
        hits = self._work.passages.search(Layer.PARAGRAPH, query, where=where, limit=NAMED_POOL)
        surest = sorted(hits, key=lambda hit: -definition(hit.stored, self._names))
        for hit in surest[: self._results]:
            self._candidate(hit.stored)

    def files(self) -> None:
        """Find the digests of the files that are called by a word of the question: paths are among the extra terms."""
        topics = topics_of(self._query)
        if not topics or Layer.SUMMARY not in self.preference.preferred_layers:
            return
        stems = {stem_english(word) for word in topics}
        where = attrs.evolve(self._where, levels=frozenset({GranularityLevel.MODULE}))
        query = LexicalQuery(words=tuple(topics))
        hits = self._work.passages.search(Layer.SUMMARY, query, where=where, limit=NAMED_POOL)
        called = [hit for hit in hits if is_called(hit.stored, stems)]
        sizes = normalize_scores(
            [hit.stored.passage.end_line for hit in called]
        )  # of namesakes the largest is the main
        for hit, score in zip(called, sizes, strict=True):
            candidate = self._candidate(hit.stored)
            candidate.lexical = max(candidate.lexical, CALLED_FLOOR + (1 - CALLED_FLOOR) * score)

    def semantic(self, index: SemanticIndex, vector: Vector) -> None:
        """Find the near neighbours of each layer; one scale for all, so that a layer without good ones has none."""
        self.has_semantic = True
        cosines: dict[str, float] = {}
        for layer in self.preference.preferred_layers:
            partitions = frozenset(
                passage_partition(layer, kind) for kind in (self.preference.proposition_types or PropositionType)
            )
            limit = self._results + MARGIN
            hits = index.vectors.search(self._scope, index.embedder.space, vector, partitions=partitions, limit=limit)
            cosines |= {hit.id: hit.score for hit in hits}
        scores = dict(zip(cosines, normalize_scores(list(cosines.values())), strict=True))
        found = self._stored(list(cosines))
        elsewhere = self._held_elsewhere(found)
        for stored in found:
            if stored.document.id not in elsewhere and _passes(stored, self._where):
                self._candidate(stored).semantic = scores[stored.passage.id]

    def _stored(self, passage_ids: Sequence[str]) -> list[StoredPassage]:
        """Return passages by id, in no order: those that are candidates already are at hand."""
        known = [self._found[id_].stored for id_ in passage_ids if id_ in self._found]
        return [*known, *self._work.passages.get([id_ for id_ in passage_ids if id_ not in self._found])]

    def _held_elsewhere(self, found: Sequence[StoredPassage]) -> set[str | None]:
        """Return the document versions that other checkouts hold and the one being read does not."""
        if self._where.checkout is None:
            return set()
        paths = sorted({stored.document.uri for stored in found})
        held = {
            checkout.id: {entry.document_id for entry in self._work.manifest.entries(checkout.id, paths=paths)}
            for checkout in self._work.manifest.checkouts()
        }
        own = held.pop(self._where.checkout, set())
        return set[str | None]().union(*held.values()) - own

    def expand(self) -> None:
        """Hits grow into preferred layers only: who asks for propositions alone gets nothing else."""
        policy, layers = self.preference.expansion_policy, self.preference.preferred_layers
        if policy is ExpansionPolicy.PARAGRAPH_EXPAND and Layer.PARAGRAPH in layers:
            self._expand_to_paragraphs()
        elif policy is ExpansionPolicy.SUMMARY_OVERVIEW and Layer.SUMMARY in layers:
            self._expand_to_summaries()

    def _expand_to_paragraphs(self) -> None:
        parents: dict[str, list[_Candidate]] = {}
        for candidate in self._found.values():
            if isinstance(candidate.stored.passage, Proposition):
                parents.setdefault(candidate.stored.passage.paragraph_id, []).append(candidate)
        for stored in self._stored(list(parents)):
            self._inherit(stored, parents[stored.passage.id])

    def _expand_to_summaries(self) -> None:
        by_uri: dict[str, list[_Candidate]] = {}
        for candidate in self._found.values():
            if candidate.layer is not Layer.SUMMARY:
                by_uri.setdefault(candidate.stored.document.uri, []).append(candidate)
        if not by_uri:
            return
        where = attrs.evolve(
            self._where,
            uris=frozenset(by_uri),
            levels=frozenset({GranularityLevel.MODULE, GranularityLevel.DOCUMENT}),
        )
        for stored in self._work.passages.find(Layer.SUMMARY, where=where, limit=2 * len(by_uri)):
            self._inherit(stored, by_uri[stored.document.uri])

    def _inherit(self, stored: StoredPassage, children: Sequence[_Candidate]) -> None:
        candidate = self._candidate(stored)
        best = max(children, key=lambda child: (child.lexical, child.stored.passage.id))
        candidate.lexical = max(candidate.lexical, EXPANSION_DISCOUNT * best.lexical)
        candidate.semantic = max(candidate.semantic, EXPANSION_DISCOUNT * max(c.semantic for c in children))
        candidate.type_hint = _type(best.stored.passage)
        candidate.via = tuple(sorted(child.stored.passage.id for child in children))

    def _candidate(self, stored: StoredPassage) -> _Candidate:
        layer = layer_of(stored.passage)
        return self._found.setdefault(stored.passage.id, _Candidate(stored=stored, layer=layer))


def _signals(candidate: _Candidate, gathering: _Gathering, current: Branch) -> PassageSignals:
    document, preference = candidate.stored.document, gathering.preference
    kind = _type(candidate.stored.passage) or candidate.type_hint
    is_defined = candidate.definition > 0  # who asks for a name wants its definition, of whatever layer and type
    is_test = is_test_path(document.uri) and not gathering.is_for_tests
    return PassageSignals(
        lexical=candidate.lexical,
        coverage=candidate.coverage,
        semantic=candidate.semantic if gathering.has_semantic else None,
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


def _type(passage: Passage) -> PropositionType | None:
    return passage.type if isinstance(passage, Proposition) else None


def _passes(stored: StoredPassage, where: PassageFilter) -> bool:
    """Whether a near neighbour is one that the lexical index would have been allowed to answer."""
    if stored.document.is_stale:
        return False
    return not where.uri_prefixes or stored.document.uri.startswith(where.uri_prefixes)


def _checkout(work: UnitOfWork, checkout_id: str | None) -> Checkout | None:
    return next((known for known in work.manifest.checkouts() if known.id == checkout_id), None)


def _visible(work: UnitOfWork, checkout_id: str | None) -> str | None:
    """A lone checkout holds every fresh version: no need to ask for its own."""
    return checkout_id if len(work.manifest.checkouts()) > 1 else None
