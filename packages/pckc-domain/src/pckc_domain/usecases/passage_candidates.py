"""The candidates of one search over passages: where they come from, and what is measured of each."""

from collections.abc import Sequence

import attrs

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
from pckc_domain.model.recall import SearchRequest
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query, stem_english, text_tokens
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.embedded_text import passage_partition
from pckc_domain.policy.granularity import asks_of_tests
from pckc_domain.policy.naming import definition, names_in, own_name
from pckc_domain.policy.passage_coverage import coverages, is_called, topics_of
from pckc_domain.policy.scoring import normalize_scores
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.usecases.semantic import SemanticIndex

MARGIN = 20
"""Candidates of each kind taken per layer beyond the results asked for; scoring them is most of a search's time."""

FEWEST_RESULTS = 10
"""Fewer results are chosen from as many candidates as these."""

NAMED_POOL = 400
"""Passages that bear a name asked for, from which its definitions are chosen: the best ranked are the short ones."""

CALLED_FLOOR = 0.5
"""Lexical relevance of the digest of a file that is called by a word of the question, at least."""

EXPANSION_DISCOUNT = 0.8
"""What an expanded passage keeps of the relevance of the hit it was expanded from."""


@attrs.define(kw_only=True)
class Candidate:
    """A passage that may answer, and what is known of it so far."""

    stored: StoredPassage
    layer: Layer
    lexical: float = 0.0
    coverage: float = 0.0
    semantic: float = 0.0
    definition: float = 0.0
    type_hint: PropositionType | None = None
    via: tuple[str, ...] = ()


class Candidates:
    """Candidates of one search over passages, by passage id."""

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
        self._found: dict[str, Candidate] = {}
        self.has_semantic = False

    def all(self) -> Sequence[Candidate]:
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
        parents: dict[str, list[Candidate]] = {}
        for candidate in self._found.values():
            if isinstance(candidate.stored.passage, Proposition):
                parents.setdefault(candidate.stored.passage.paragraph_id, []).append(candidate)
        for stored in self._stored(list(parents)):
            self._inherit(stored, parents[stored.passage.id])

    def _expand_to_summaries(self) -> None:
        by_uri: dict[str, list[Candidate]] = {}
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

    def _inherit(self, stored: StoredPassage, children: Sequence[Candidate]) -> None:
        candidate = self._candidate(stored)
        best = max(children, key=lambda child: (child.lexical, child.stored.passage.id))
        candidate.lexical = max(candidate.lexical, EXPANSION_DISCOUNT * best.lexical)
        candidate.semantic = max(candidate.semantic, EXPANSION_DISCOUNT * max(c.semantic for c in children))
        candidate.type_hint = kind_of(best.stored.passage)
        candidate.via = tuple(sorted(child.stored.passage.id for child in children))

    def _candidate(self, stored: StoredPassage) -> Candidate:
        candidate = self._found.get(stored.passage.id)
        if candidate is None:
            candidate = Candidate(stored=stored, layer=layer_of(stored.passage))
            self._found[stored.passage.id] = candidate
        return candidate


def kind_of(passage: Passage) -> PropositionType | None:
    """Return the type of a proposition; other passages have none."""
    return passage.type if isinstance(passage, Proposition) else None


def _passes(stored: StoredPassage, where: PassageFilter) -> bool:
    """Whether a near neighbour is one that the lexical index would have been allowed to answer."""
    if stored.document.is_stale:
        return False
    return not where.uri_prefixes or stored.document.uri.startswith(where.uri_prefixes)
