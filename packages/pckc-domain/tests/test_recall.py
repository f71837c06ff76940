"""Searching passages: intents, expansion, filters, freshness, with and without an embedder."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, InvalidInputError, PckcError
from pckc_domain.model.embedding import Vector, VectorHit
from pckc_domain.model.intent import ExpansionPolicy, TaskIntent
from pckc_domain.model.passage import GranularityLevel, Layer, Paragraph, Proposition, PropositionType, Summary
from pckc_domain.model.recall import PassageResult, SearchAnswer, SearchRequest
from pckc_domain.model.scope import Branch, BranchScope, Scope
from pckc_domain.policy.granularity import ROUTES, route
from pckc_domain.policy.scoring import PassageWeights
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.projections import rebuild_vectors, vector_projector
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.project import ServingVectors
from pckc_domain.usecases.recall_passages import PassageSearch
from pckc_domain.usecases.semantic import SemanticIndex

SCOPE = Scope(project="example.org/project")
LEASES = b'''"""Leases keep two workers from taking one job."""

LEASE_SECONDS = 30


def acquire(job):
    """Take the lease of a job. Must never be called while another lease is held."""
    if job.is_leased:
        raise LeaseError("the job is leased already")
    return job.lease()


def release(job):
    """Give the lease back. Releasing twice is harmless."""
    job.drop()
'''
QUEUE = b"""# Queue

## Leases

- A worker must renew its lease every ten seconds.
- The queue never retries a job more than three times.
- We decided to keep jobs in SQLite instead of Redis.

## Security

Secrets must never be written to the queue's log.

## Deployment

1. Run `queue deploy`.
2. Wait for the green light.
"""
ADR = b"""# Use leases instead of locks

## Decision

We decided to use leases instead of locks, because a lost lock blocks every worker.

## Consequences

A crashed worker may hold its lease for thirty seconds: this is a risk.
"""
BILLING = b"# Billing\n\nInvoices must be sent on the first day of a month.\n"
FILES = {
    "src/leases.py": LEASES,
    "docs/queue.md": QUEUE,
    "docs/adr/0001-leases.md": ADR,
    "docs/billing.md": BILLING,
}


@attrs.define
class Project:
    """An indexed work tree, with vectors."""

    tree: MemoryRepository
    canonical: MemoryCanonical = attrs.Factory(MemoryCanonical)
    vectors: MemoryVectorIndex = attrs.Factory(MemoryVectorIndex)

    @property
    def checkout_id(self) -> str:
        return self.tree.checkout().id

    def index(self) -> "Project":
        Indexer(self.canonical, self.tree, FixedClock()).run(SCOPE)
        return self

    def embed(self) -> "Project":
        vector_projector(self.canonical, HashEmbedder(), self.vectors).run(SCOPE)
        return self

    def semantic(self) -> SemanticIndex:
        return SemanticIndex(embedder=HashEmbedder(), vectors=self.vectors)

    def ask(
        self,
        query: str,
        *,
        semantic: SemanticIndex | None = None,
        source: MemoryRepository | None = None,
        checkout_id: str | None = None,
        **request: object,
    ) -> SearchAnswer:
        search = PassageSearch(self.canonical, semantic=semantic, source=source)
        asked = SearchRequest(query=query, **request)  # type: ignore[arg-type]  # fields of several types
        return search.search(SCOPE, asked, checkout_id=checkout_id or self.checkout_id)


def project(files: Mapping[str, bytes] = FILES) -> Project:
    return Project(MemoryRepository(files)).index().embed()


WHOLE = project()
"""Only ever read."""

QUESTIONS = st.sampled_from(
    ["lease", "How often must a worker renew its lease?", "acquire job", "why SQLite instead of Redis", "log secrets"]
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
SEMANTIC = st.sampled_from([None, WHOLE.semantic()])


def uris(answer: SearchAnswer) -> set[str]:
    return {result.stored.document.uri for result in answer.results}


def expanded(answer: SearchAnswer) -> list[PassageResult]:
    return [result for result in answer.results if result.via]


def place(result: PassageResult) -> str:
    passage = result.stored.passage
    return passage.paragraph_id if isinstance(passage, Proposition) else passage.id


class TestIntents:
    @pytest.mark.parametrize("intent", TaskIntent)
    @pytest.mark.parametrize("semantic", [None, WHOLE.semantic()], ids=["lexical", "hybrid"])
    def test_every_intent_searches_its_layers_and_no_others(
        self, intent: TaskIntent, semantic: SemanticIndex | None
    ) -> None:
        answer = WHOLE.ask("lease of a worker", intent=intent, semantic=semantic, limit=50)
        layers, policy, types = ROUTES[intent]
        assert answer.results
        assert {result.layer for result in answer.results} <= set(layers)
        assert (answer.preference.expansion_policy, answer.preference.proposition_types) == (policy, types)

    def test_the_words_decide_when_the_intent_is_unknown(self) -> None:
        answer = WHOLE.ask("Fix the crash in acquire")
        assert answer.preference == route("Fix the crash in acquire")
        assert answer.preference.intent is TaskIntent.BUG_FIX
        assert "Fix" in answer.preference.reason

    def test_the_caller_decides_about_layers(self) -> None:
        for layer in Layer:
            answer = WHOLE.ask("lease", intent=TaskIntent.BUG_FIX, preferred_layers=(layer,), limit=50)
            assert {result.layer for result in answer.results} == {layer}

    def test_the_caller_decides_about_types(self) -> None:
        only = frozenset({PropositionType.DECISION})
        answer = WHOLE.ask(
            "lease queue", intent=TaskIntent.BUG_FIX, preferred_layers=(Layer.PROPOSITION,), proposition_types=only
        )
        assert {result.stored.passage.type for result in answer.results} == only  # type: ignore[attr-defined]

    @given(QUESTIONS, st.frozensets(st.sampled_from(PropositionType), min_size=1), SEMANTIC)
    @settings(max_examples=60, deadline=None)
    def test_typed_search_never_answers_another_type(
        self, query: str, types: frozenset[PropositionType], semantic: SemanticIndex | None
    ) -> None:
        answer = WHOLE.ask(query, proposition_types=types, preferred_layers=tuple(Layer), semantic=semantic, limit=99)
        found = {
            result.stored.passage.type for result in answer.results if isinstance(result.stored.passage, Proposition)
        }
        assert found <= types

    def test_no_type_means_all_types(self) -> None:
        answer = WHOLE.ask(
            "lease worker queue job",
            intent=TaskIntent.BUG_FIX,
            proposition_types=frozenset(),
            preferred_layers=(Layer.PROPOSITION,),
            limit=50,
        )
        assert len({result.stored.passage.type for result in answer.results}) > 2  # type: ignore[attr-defined]


class TestExpansion:
    def test_propositions_grow_into_their_paragraphs(self) -> None:
        answer = WHOLE.ask("renew every ten seconds", intent=TaskIntent.BUG_FIX, one_per_place=False, limit=50)
        assert answer.preference.expansion_policy is ExpansionPolicy.PARAGRAPH_EXPAND
        paragraphs = expanded(answer)
        assert paragraphs
        with WHOLE.canonical.reading(SCOPE) as work:
            for result in paragraphs:
                assert isinstance(result.stored.passage, Paragraph)
                children = [stored.passage for stored in work.passages.get(result.via)]
                assert {child.paragraph_id for child in children if isinstance(child, Proposition)} == {
                    result.stored.passage.id
                }
                assert len(children) == len(result.via)

    def test_hits_grow_into_the_summary_of_their_file(self) -> None:
        answer = WHOLE.ask("green light", intent=TaskIntent.ARCHITECTURE_REVIEW, limit=50)
        assert answer.preference.expansion_policy is ExpansionPolicy.SUMMARY_OVERVIEW
        summaries = [result for result in expanded(answer) if isinstance(result.stored.passage, Summary)]
        assert {result.stored.document.uri for result in summaries} == {"docs/queue.md"}
        for result in summaries:
            assert isinstance(result.stored.passage, Summary)
            assert result.stored.passage.level in (GranularityLevel.MODULE, GranularityLevel.DOCUMENT)

    @given(QUESTIONS, SEMANTIC)
    @settings(max_examples=20, deadline=None)
    def test_atomic_hits_do_not_grow(self, query: str, semantic: SemanticIndex | None) -> None:
        answer = WHOLE.ask(query, intent=TaskIntent.TRIVIAL_EDIT, semantic=semantic, one_per_place=False, limit=50)
        assert answer.preference.expansion_policy is ExpansionPolicy.ATOMIC_ONLY
        assert expanded(answer) == []

    @given(QUESTIONS, SEMANTIC)
    @settings(max_examples=20, deadline=None)
    def test_a_place_comes_once_by_its_best(self, query: str, semantic: SemanticIndex | None) -> None:
        answer = WHOLE.ask(query, semantic=semantic, limit=99)
        every = WHOLE.ask(query, semantic=semantic, one_per_place=False, limit=99)
        best: dict[str, float] = {}
        for result in every.results:
            best[place(result)] = max(result.score, best.get(place(result), 0.0))
        places = [place(result) for result in answer.results]
        assert len(places) == len(set(places))
        assert all(result.score == best[place(result)] for result in answer.results)

    def test_nothing_grows_into_a_layer_that_was_not_asked_for(self) -> None:
        answer = WHOLE.ask("renew lease", intent=TaskIntent.BUG_FIX, preferred_layers=(Layer.PROPOSITION,), limit=50)
        assert {result.layer for result in answer.results} == {Layer.PROPOSITION}


class TestResults:
    @given(QUESTIONS, SEMANTIC, st.integers(1, 12))
    @settings(max_examples=40, deadline=None)
    def test_best_first_within_the_limit_each_once_and_the_same_again(
        self, query: str, semantic: SemanticIndex | None, limit: int
    ) -> None:
        answer = WHOLE.ask(query, semantic=semantic, limit=limit)
        keys = [(-result.score, result.stored.passage.id) for result in answer.results]
        assert keys == sorted(set(keys))
        assert len(keys) <= limit
        assert WHOLE.ask(query, semantic=semantic, limit=limit) == answer

    @given(QUESTIONS, SEMANTIC, st.sampled_from(TaskIntent))
    @settings(max_examples=60, deadline=None)
    def test_the_breakdown_adds_up(self, query: str, semantic: SemanticIndex | None, intent: TaskIntent) -> None:
        weights = PassageWeights()
        for result in WHOLE.ask(query, semantic=semantic, intent=intent, limit=50).results:
            told = result.breakdown
            granularity = (
                weights.relevance * told["relevance"]
                + weights.layer_preference * told["layer_preference_bonus"]
                + weights.proposition_type * told["proposition_type_bonus"]
                + weights.source_quality * told["source_quality"]
                + weights.freshness * told["freshness_bonus"]
            )
            assert told["granularity_score"] == pytest.approx(granularity, abs=1e-5)
            factor = 1 - weights.branch_span * (1 - told["branch_score"])
            assert result.score == pytest.approx(granularity * factor, abs=1e-5)
            assert all(0 <= value <= 1 for value in told.values())
            assert ("semantic_normalized" in told) is (semantic is not None)

    def test_a_hit_is_proven_by_its_own_place(self) -> None:
        result = WHOLE.ask("renew its lease every ten seconds", preferred_layers=(Layer.PROPOSITION,)).results[0]
        assert result.proof.claim_id == result.stored.passage.id
        assert result.proof.source_ref == f"repo:docs/queue.md@{result.stored.document.blob_hash}#L5-L5"
        assert result.proof.excerpt == result.stored.passage.text

    def test_prefixes_keep_what_is_under_them(self) -> None:
        for semantic in (None, WHOLE.semantic()):
            assert uris(WHOLE.ask("lease", uri_prefixes=("docs/adr/", "src/"), semantic=semantic, limit=50)) == {
                "docs/adr/0001-leases.md",
                "src/leases.py",
            }

    def test_near_duplicates_are_told_once(self) -> None:
        twins = project({"a.md": QUEUE, "b.md": QUEUE, "c.md": BILLING})
        for semantic in (None, twins.semantic()):
            answer = twins.ask("renew the lease", preferred_layers=(Layer.PROPOSITION,), semantic=semantic, limit=50)
            texts = [result.stored.passage.text for result in answer.results]
            assert len(set(texts)) == len(texts)
            assert sum("renew its lease" in text for text in texts) == 1

    def test_a_limit_below_one_is_refused(self) -> None:
        with pytest.raises(InvalidInputError):
            WHOLE.ask("lease", limit=0)

    @given(ANY_TEXT, SEMANTIC, st.sampled_from(TaskIntent))
    @settings(max_examples=150, deadline=None)
    def test_any_text_answers(self, query: str, semantic: SemanticIndex | None, intent: TaskIntent) -> None:
        answer = WHOLE.ask(query, semantic=semantic, intent=intent)
        assert len(answer.results) <= 10


class TestFreshness:
    def test_a_file_that_changed_since_loses_its_freshness(self) -> None:
        mine = project()
        before = mine.ask("lease", source=mine.tree, limit=50)
        mine.tree.write("docs/queue.md", QUEUE + b"\nMore.\n")
        after = mine.ask("lease", source=mine.tree, limit=50)
        assert not any(result.is_changed for result in before.results)
        assert {result.stored.document.uri for result in after.results if result.is_changed} == {"docs/queue.md"}
        scores = {result.stored.passage.id: result for result in before.results}
        for result in after.results:
            old = scores[result.stored.passage.id]
            lost = PassageWeights().freshness * (1 - PassageWeights().branch_span * (1 - old.breakdown["branch_score"]))
            assert old.score - result.score == pytest.approx(lost if result.is_changed else 0, abs=1e-5)
            assert result.breakdown["freshness_bonus"] == (0.0 if result.is_changed else 1.0)
        keys = [(-result.score, result.stored.passage.id) for result in after.results]
        assert keys == sorted(keys)

    def test_a_deleted_file_counts_as_changed(self) -> None:
        mine = project()
        mine.tree.remove("docs/billing.md")
        answer = mine.ask("invoices", source=mine.tree)
        assert [result.is_changed for result in answer.results] == [True] * len(answer.results)
        assert answer.results

    def test_an_old_version_is_not_answered(self) -> None:
        mine = project()
        mine.tree.write("docs/billing.md", BILLING.replace(b"Invoices", b"Reminders"))
        mine.index().embed()
        for semantic in (None, mine.semantic()):
            texts = [result.stored.passage.text for result in mine.ask("sent month", semantic=semantic).results]
            assert any("Reminders" in text for text in texts)
            assert not any("Invoices" in text for text in texts)

    def test_the_answer_says_how_fresh_the_index_is(self) -> None:
        answer = WHOLE.ask("lease")
        assert answer.is_complete
        assert answer.indexed_at == FixedClock().now()
        unknown = WHOLE.ask("lease", checkout_id="co_nowhere")
        assert (unknown.indexed_at, unknown.is_complete) == (None, False)

    def test_the_branch_being_read_is_preferred(self) -> None:
        tree = MemoryRepository({"old.md": BILLING}, branch=Branch(name="main", scope=BranchScope.MAINLINE))
        mine = Project(tree).index()
        tree.branch = Branch(name="feature", scope=BranchScope.CURRENT)
        tree.write("new.md", BILLING.replace(b"first", b"second"))
        mine.index()
        answer = mine.ask("invoices must be sent", preferred_layers=(Layer.PROPOSITION,))
        assert [result.breakdown["branch_score"] for result in answer.results] == [1.0, 0.5]
        assert [result.stored.document.uri for result in answer.results] == ["new.md", "old.md"]


class BrokenEmbedder(HashEmbedder):
    """An embedder that cannot answer."""

    def __init__(self, error: PckcError) -> None:
        super().__init__()
        self._error = error

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        raise self._error


class FailingIndex(ServingVectors):
    """An index that answers so many searches, and then no more."""

    def __init__(self, vectors: VectorIndex, error: PckcError, *, answers: int) -> None:
        super().__init__(WHOLE.canonical, vectors)
        self._error = error
        self._answers = answers

    def search(self, *given: Any, **named: Any) -> Sequence[VectorHit]:
        self._answers -= 1
        if self._answers < 0:
            raise self._error
        return super().search(*given, **named)


class TestSignals:
    def test_without_an_embedder_the_answer_says_why(self) -> None:
        assert WHOLE.ask("lease").signals == "lexical only: no embedder is configured"
        search = PassageSearch(WHOLE.canonical, why_lexical="the model is not installed")
        assert search.search(SCOPE, SearchRequest(query="x")).signals == "lexical only: the model is not installed"

    @pytest.mark.parametrize("error", [BackendUnavailableError("no connection"), ConfigurationError("no model")])
    def test_a_failing_embedder_costs_only_its_signal(self, error: PckcError) -> None:
        broken = SemanticIndex(embedder=BrokenEmbedder(error), vectors=WHOLE.vectors)
        answer = WHOLE.ask("lease", semantic=broken)
        assert answer.signals == f"lexical only: {error.message}"
        assert answer.results == WHOLE.ask("lease").results

    @pytest.mark.parametrize("error", [BackendUnavailableError("no connection"), ConfigurationError("no login")])
    def test_an_index_that_fails_in_the_middle_costs_only_its_signal(self, error: PckcError) -> None:
        """After it was asked whether it is there."""
        index = FailingIndex(WHOLE.vectors, error, answers=1)
        answer = WHOLE.ask("lease", semantic=SemanticIndex(embedder=HashEmbedder(), vectors=index))
        assert answer.signals == f"lexical only: {error.message}"
        assert answer.results == WHOLE.ask("lease").results

    def test_an_empty_query_is_not_embedded(self) -> None:
        assert WHOLE.ask(" \n", semantic=WHOLE.semantic()).signals == "lexical only: the query is empty"

    def test_hybrid_finds_what_lexical_finds_and_more(self) -> None:
        question = "invoices"
        lexical = WHOLE.ask(question, limit=99)
        hybrid = WHOLE.ask(question, semantic=WHOLE.semantic(), limit=99)
        assert hybrid.signals == "hybrid"
        assert uris(lexical) == {"docs/billing.md"}
        assert uris(hybrid) > uris(lexical)
        assert hybrid.results[0].stored.document.uri == "docs/billing.md"

    def test_what_is_not_embedded_yet_is_told(self) -> None:
        mine = project()
        up_to_date = mine.ask("lease", semantic=mine.semantic()).coverage
        assert up_to_date["vectors"].behind == 0
        assert up_to_date["vectors"].indexed > 0
        assert up_to_date["passages"].indexed == up_to_date["passages"].total > 0
        mine.tree.write("docs/more.md", ADR)
        mine.tree.write("docs/billing.md", BILLING + b"\nMore.\n")
        mine.index()
        assert mine.ask("lease", semantic=mine.semantic()).coverage["vectors"].behind == 3
        mine.embed()
        assert mine.ask("lease", semantic=mine.semantic()).coverage["vectors"].behind == 0

    def test_all_embedded_means_complete(self) -> None:
        coverage = WHOLE.ask("lease", semantic=WHOLE.semantic()).coverage["vectors"]
        assert coverage.indexed == coverage.total

    def test_without_an_embedder_no_vectors_are_counted(self) -> None:
        assert set(WHOLE.ask("lease").coverage) == {"passages"}


class TestCheckouts:
    @pytest.mark.parametrize("is_hybrid", [False, True], ids=["lexical", "hybrid"])
    def test_each_sees_its_own(self, is_hybrid: bool) -> None:
        one = Project(MemoryRepository({"a.md": b"# A\n\nThe port must be 8000.\n", "both.md": BILLING}, root="/one"))
        two = Project(
            MemoryRepository({"a.md": b"# A\n\nThe port must be 9000.\n", "both.md": BILLING}, root="/two"),
            one.canonical,
            one.vectors,
        )
        one.index()
        two.index().embed()
        semantic = one.semantic() if is_hybrid else None

        def told(asking: Project, question: str) -> str:
            return " ".join(
                result.stored.passage.text for result in asking.ask(question, semantic=semantic, limit=50).results
            )

        assert ("8000" in told(one, "port"), "9000" in told(one, "port")) == (True, False)
        assert ("8000" in told(two, "port"), "9000" in told(two, "port")) == (False, True)
        assert "Invoices" in told(one, "invoices")
        assert "Invoices" in told(two, "invoices")
        everyone = PassageSearch(one.canonical, semantic=semantic).search(SCOPE, SearchRequest(query="port", limit=50))
        texts = " ".join(result.stored.passage.text for result in everyone.results)
        assert "8000" in texts
        assert "9000" in texts

    def test_another_project_is_never_seen(self) -> None:
        answer = PassageSearch(WHOLE.canonical, semantic=WHOLE.semantic()).search(
            Scope(project="example.org/other"), SearchRequest(query="lease")
        )
        assert answer.results == ()


def test_an_index_of_another_embedder_degrades_to_lexical_and_says_so() -> None:
    canonical, vectors = MemoryCanonical(), MemoryVectorIndex()
    source = MemoryRepository({"a.md": b"# Leases\n\n- A lease must be renewed.\n"}, project=SCOPE.project)
    Indexer(canonical, source, FixedClock()).run(SCOPE)
    vector_projector(canonical, HashEmbedder(32), vectors).run(SCOPE)
    serving = ServingVectors(canonical, vectors)
    search = PassageSearch(canonical, semantic=SemanticIndex(embedder=HashEmbedder(64), vectors=serving))
    answer = search.search(SCOPE, SearchRequest(query="lease"))
    assert answer.results
    assert answer.signals.startswith("lexical only")
    rebuild_vectors(canonical, HashEmbedder(64), vectors, SCOPE)
    assert search.search(SCOPE, SearchRequest(query="lease")).signals == "hybrid"
