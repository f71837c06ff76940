"""Searching claims: what holds now first, its history attached, both sides together, as of any instant."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import BackendUnavailableError, InvalidInputError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType, Governance
from pckc_domain.model.embedding import Vector
from pckc_domain.model.memory import ClaimAnswer, MemoryRequest
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import EventKind
from pckc_domain.policy.claim_scoring import ClaimWeights
from pckc_domain.policy.validity import CANDIDATE_LIFETIME
from pckc_domain.testing import samples
from pckc_domain.testing.conversations import SCOPE, START, Line, conversation
from pckc_domain.testing.curated_world import CuratedWorld
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.projections import vector_projector
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.recall_claims import ClaimSearch
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.semantic import SemanticIndex

DAY = timedelta(days=1)
QUESTION = "Which port does the queue listen on?"


class Memory:
    """A store that learns one session a day; what is known is known since the clock's time."""

    def __init__(self, *talks: Line | Sequence[Line]) -> None:
        self.canonical = MemoryCanonical()
        self.vectors = MemoryVectorIndex()
        self.clock = FixedClock(START)
        for number, talk in enumerate(talks):
            lines = [talk] if isinstance(talk, str) or isinstance(talk[0], EventKind) else talk
            self.tell(f"s{number}", lines, day=number)  # type: ignore[arg-type]  # lines by now

    def tell(self, name: str, lines: Sequence[Line], *, day: float, known: float | None = None) -> None:
        """Say *lines* on *day*, and learn of it then, or on the day *known*."""
        told, events = conversation(name, lines, start=START + day * DAY)
        self.clock = FixedClock(START + (day if known is None else known) * DAY + timedelta(hours=len(lines)))
        with self.canonical.writing(SCOPE) as work:
            work.sessions.put(told, [prepare_event(event) for event in events])
        Deriver(self.canonical, self.clock).run(SCOPE)

    def ask(self, query: str = QUESTION, *, semantic: SemanticIndex | None = None, **request: object) -> ClaimAnswer:
        asked = MemoryRequest(query=query, **request)  # type: ignore[arg-type]  # fields of several types
        return ClaimSearch(self.canonical, semantic=semantic, clock=self.clock).search(SCOPE, asked)

    def values(self, query: str = QUESTION, **request: object) -> list[str]:
        """Return the values of the results."""
        return [result.claim.value for result in self.ask(query, **request).results]  # type: ignore[arg-type]  # as above

    def claim(self, value: str) -> Claim:
        """Return the first claim with this value."""
        with self.canonical.reading(SCOPE) as work:
            found = [stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=999)]
        return min((claim for claim in found if claim.value == value), key=lambda claim: claim.valid_from)

    def decide(self, value: str, decision: Governance, day: float) -> None:
        Governor(self.canonical, FixedClock(START + day * DAY)).decide(
            SCOPE, self.claim(value).id, decision, actor="me"
        )

    def semantic(self) -> SemanticIndex:
        vector_projector(self.canonical, HashEmbedder(), self.vectors).run(SCOPE)
        return SemanticIndex(embedder=HashEmbedder(), vectors=self.vectors)


def port(number: int) -> str:
    return f"The queue listens on port {number}."


def at(day: float) -> datetime:
    return START + day * DAY


WHOLE = Memory(
    port(8000),
    port(8100),
    ["We decided to use SQLite for the job queue.", "Never commit to main.", "The dashboard listens on port 9000."],
    ["Bug: the importer crashes on empty files.", "TODO: write the docs of the queue.", "Which cache should we use?"],
    [(EventKind.RESPONSE, "The lease timeout is 31 seconds."), "The billing service is written in Go."],
    ["Fixed the importer crash on empty files.", "I live in Porto.", "Я живу в Казани."],
)
"""Only ever read."""
HYBRID = WHOLE.semantic()
SEMANTIC = st.sampled_from([None, HYBRID])
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


class TestTruth:
    def test_the_current_value_comes_first_with_its_history(self) -> None:
        memory = Memory(port(8000), port(8100), port(8200))
        first = memory.ask().results[0]
        assert first.claim.value == "8200"
        assert [claim.value for claim in first.history] == ["8100", "8000"]
        assert [claim.superseded_by for claim in first.history] == [first.claim.id, memory.claim("8100").id]
        assert memory.values() == ["8200"]

    def test_asking_for_the_old_value_answers_the_current_one(self) -> None:
        memory = Memory(port(8000), port(8100))
        (result,) = memory.ask("Is it port 8000?").results
        assert (result.claim.value, [claim.value for claim in result.history]) == ("8100", ["8000"])

    def test_results_carry_their_proofs(self) -> None:
        memory = Memory(port(8000), port(8000))
        (result,) = memory.ask().results
        assert [proof.excerpt for proof in result.proofs] == [port(8000), port(8000)]
        assert {proof.claim_id for proof in result.proofs} == {result.claim.id}
        assert [proof.observed_at for proof in result.proofs] == [at(0), at(1)]

    def test_both_sides_of_a_conflict_come_together(self) -> None:
        memory = Memory(port(8000))
        memory.tell("other", [port(8100)], day=0)  # said at the same instant: neither is newer
        results = memory.ask().results
        assert sorted(result.claim.value for result in results) == ["8000", "8100"]
        for result in results:
            assert result.claim.status is ClaimStatus.CONTESTED
            assert [other.value for other in result.conflicts] == [{"8000": "8100", "8100": "8000"}[result.claim.value]]

    def test_one_side_alone_still_names_the_other(self) -> None:
        memory = Memory(port(8000))
        memory.tell("other", [port(8100)], day=0)
        answer = memory.ask(limit=1)
        assert answer.has_more
        assert [len(result.conflicts) for result in answer.results] == [1]

    def test_a_pinned_value_stands_against_a_newer_one(self) -> None:
        memory = Memory(port(8000))
        memory.decide("8000", Governance.PINNED, 0.5)
        memory.tell("new", [port(8100)], day=1)
        assert sorted(memory.values()) == ["8000", "8100"]

    def test_claims_without_a_subject_are_found_and_never_merged(self) -> None:
        memory = Memory("TODO: ask the vendor.", "TODO: ask the lawyer.", "TODO: ask the vendor.")
        results = memory.ask("who is to be asked, vendor or lawyer").results
        assert sorted(result.claim.value for result in results) == [
            "ask the lawyer",
            "ask the vendor",
            "ask the vendor",
        ]
        assert {result.claim.subject for result in results} == {""}
        assert len({result.slot for result in results}) == 3
        assert not any(result.claim.valid_to or result.history or result.conflicts for result in results)


class TestKinds:
    @given(
        st.sampled_from([QUESTION, "importer crash", "lease timeout", "main", "cache", "live"]),
        st.frozensets(st.sampled_from(ClaimType), min_size=1),
        SEMANTIC,
    )
    @settings(max_examples=80, deadline=None)
    def test_typed_search_never_answers_another_type(
        self, query: str, types: frozenset[ClaimType], semantic: SemanticIndex | None
    ) -> None:
        assert {result.claim.type for result in WHOLE.ask(query, types=types, semantic=semantic).results} <= types

    def test_each_type_is_found(self) -> None:
        query = "queue port main importer cache docs decided SQLite empty files"
        found = {result.claim.type for result in WHOLE.ask(query, limit=99).results}
        assert found >= {ClaimType.FACT, ClaimType.DECISION, ClaimType.CONSTRAINT, ClaimType.TASK}
        for kind in found:
            assert WHOLE.ask(query, types=frozenset({kind})).results

    def test_statuses(self) -> None:
        memory = Memory(port(8000), (EventKind.RESPONSE, "The lease timeout is 31 seconds."))
        question = "port or lease timeout"
        verified, candidate = frozenset({ClaimStatus.VERIFIED}), frozenset({ClaimStatus.CANDIDATE})
        assert memory.values(question, statuses=verified) == ["8000"]
        assert memory.values(question, statuses=candidate) == ["31s"]
        assert sorted(memory.values(question)) == ["31s", "8000"]

    def test_sessions(self) -> None:
        memory = Memory(port(8000), "The dashboard listens on port 9000.")
        with memory.canonical.reading(SCOPE) as work:
            sessions = {session.source_id: session.id for session in work.sessions.find(limit=9)}
        assert memory.values("port", session_ids=frozenset({sessions["s1"]})) == ["9000"]
        assert memory.values("port", session_ids=frozenset({"session_none"})) == []

    def test_another_project_is_never_seen(self) -> None:
        search = ClaimSearch(WHOLE.canonical, semantic=HYBRID)
        assert search.search(Scope(project="example.org/other"), MemoryRequest(query=QUESTION)).results == ()


class TestDecisions:
    @pytest.mark.parametrize("decision", [Governance.ARCHIVED, Governance.REJECTED])
    @pytest.mark.parametrize("is_hybrid", [False, True])
    def test_what_was_put_away_is_hidden(self, decision: Governance, is_hybrid: bool) -> None:
        memory = Memory(port(8000), "The dashboard listens on port 9000.")
        memory.decide("9000", decision, 3)
        semantic = memory.semantic() if is_hybrid else None
        assert memory.values("dashboard port", semantic=semantic) == ["8000"]

    def test_a_rejected_value_gives_way_to_the_one_before(self) -> None:
        memory = Memory(port(8000), port(8100))
        memory.decide("8100", Governance.REJECTED, 3)
        assert memory.values() == ["8000"]
        assert memory.ask().results[0].history == ()

    def test_candidates_expire(self) -> None:
        memory = Memory((EventKind.RESPONSE, "The lease timeout is 31 seconds."))
        assert memory.values("lease timeout") == ["31s"]
        memory.clock.advance(CANDIDATE_LIFETIME)
        assert memory.values("lease timeout") == []

    @pytest.mark.parametrize(("days", "shown"), [(2, False), (400, True)])
    def test_candidates_are_shown_for_as_long_as_asked(self, days: int, shown: bool) -> None:
        memory = Memory((EventKind.RESPONSE, "The lease timeout is 31 seconds."))
        memory.clock.advance(timedelta(days=40 if shown else 3))
        search = ClaimSearch(memory.canonical, clock=memory.clock, candidate_lifetime=timedelta(days=days))
        assert bool(search.search(SCOPE, MemoryRequest(query="lease timeout")).results) is shown

    def test_what_a_person_decided_comes_before_what_a_model_thought(self) -> None:
        memory = Memory(
            "We decided to use MinIO for object storage.", (EventKind.RESPONSE, "We use Ceph for object storage.")
        )
        assert memory.values("object storage") == ["minio", "ceph"]


class TestTime:
    def test_what_begins_later_does_not_hold_today(self) -> None:
        memory = Memory(port(8000), "Since 2099-01-01 the queue listens on port 9900.")
        assert memory.values() == ["8000"]
        assert "9900" in memory.values(as_of=datetime(2099, 6, 1, tzinfo=UTC))

    def test_as_of_answers_what_held_then(self) -> None:
        memory = Memory(port(8000), port(8100), port(8200))
        assert [memory.values(as_of=at(day)) for day in (0, 0.5, 1, 1.9, 2, 9)] == [
            ["8000"],
            ["8000"],
            ["8100"],
            ["8100"],
            ["8200"],
            ["8200"],
        ]

    def test_what_ended_comes_behind_what_holds(self) -> None:
        """However well it matches: a failed test that passes again answers only where nothing else does."""
        failed = "FAILED tests/test_queue.py::test_port - the queue listens on no port"
        memory = Memory(
            [(EventKind.COMMAND, "pytest -q"), (EventKind.TEST_RESULT, f"{failed}\n1 failed, 3 passed in 0.10s")],
            [(EventKind.COMMAND, "pytest -q"), (EventKind.TEST_RESULT, "4 passed in 0.10s")],
            port(8000),
        )
        query = "which port does test_port of the queue listen on"
        results = memory.ask(query).results
        ends = [result.claim.valid_to is not None for result in results]
        assert ends == sorted(ends)
        assert {False, True} == set(ends)
        assert [result.claim.id for result in memory.ask(query, limit=1).results] == [results[0].claim.id]
        first, *_ = memory.ask(query, as_of=at(0.5)).results
        assert first.claim.text.startswith("FAILED")

    def test_what_a_document_says_comes_before_what_it_said(self) -> None:
        """Though nothing has confirmed it yet."""
        world = CuratedWorld(MemoryCanonical())
        texts = [f"The moon base has {number} airlocks." for number in (3, 4, 5)]
        for text in texts:
            world.ingest("https://moon.example/base.pdf", text)
        search = ClaimSearch(world.canonical, clock=world.clock)
        found = search.search(samples.SCOPE, MemoryRequest(query="moon base airlocks")).results
        assert [result.claim.text for result in found][:1] == texts[-1:]
        assert [result.claim.status for result in found] == ["candidate", "stale", "stale"]
        (first,) = search.search(samples.SCOPE, MemoryRequest(query="moon base airlocks", limit=1)).results
        assert first.claim.text == texts[-1]
        asked = MemoryRequest(query="moon base airlocks", statuses=frozenset({ClaimStatus.STALE}))
        assert {result.claim.text for result in search.search(samples.SCOPE, asked).results} == set(texts[:-1])

    def test_nothing_held_before_it_was_said(self) -> None:
        memory = Memory(port(8000))
        results = memory.ask(as_of=at(-1)).results
        assert not any(result.claim.valid_from <= at(-1) for result in results)

    def test_known_at_answers_what_was_known_then(self) -> None:
        memory = Memory()
        memory.tell("a", [port(8000)], day=0, known=5)
        memory.tell("b", [port(8100)], day=1, known=7)
        memory.tell("c", [port(7900)], day=-1, known=9)
        assert [memory.values(known_at=at(day)) for day in (4, 6, 8, 10)] == [[], ["8000"], ["8100"], ["8100"]]
        assert memory.values(known_at=at(6), as_of=at(3)) == ["8000"]
        assert memory.values(known_at=at(10), as_of=at(-0.5)) == ["7900"]
        assert memory.values(known_at=at(8), as_of=at(0.5)) == ["8000"]
        history = {day: memory.ask(known_at=at(day)).results[0].history for day in (8, 10)}
        assert [[claim.value for claim in history[day]] for day in (8, 10)] == [["8000"], ["8000", "7900"]]

    @pytest.mark.parametrize("decision", [Governance.ARCHIVED, Governance.REJECTED])
    def test_a_decision_counts_from_when_it_was_made(self, decision: Governance) -> None:
        memory = Memory(port(8000))
        memory.decide("8000", decision, 5)
        assert memory.values() == []
        assert memory.values(known_at=at(4)) == ["8000"]
        assert memory.values(known_at=at(6)) == []

    def test_an_expired_candidate_was_known_while_it_lasted(self) -> None:
        memory = Memory((EventKind.RESPONSE, "The lease timeout is 31 seconds."))
        memory.clock.advance(2 * CANDIDATE_LIFETIME)
        assert memory.values("lease timeout", known_at=at(2)) == ["31s"]
        assert memory.values("lease timeout", known_at=at(2), as_of=at(50)) == []

    @given(st.integers(-1, 8), st.integers(-1, 8))
    @settings(max_examples=60, deadline=None)
    def test_an_answer_is_always_of_its_instants(self, as_of: int, known_at: int) -> None:
        answer = WHOLE.ask("queue port importer main lease live", as_of=at(as_of), known_at=at(known_at), limit=99)
        for result in answer.results:
            assert result.claim.recorded_at <= at(known_at)
            if not holds(result.claim, at(as_of)):
                assert not any(holds(claim, at(as_of)) for claim in (*result.history, *result.conflicts))


def holds(claim: Claim, instant: datetime) -> bool:
    return claim.valid_from <= instant and (claim.valid_to is None or instant < claim.valid_to)


def many(count: int) -> Memory:
    memory = Memory()
    lines = [f"The service{number} listens on port {8000 + number}." for number in range(count)]
    memory.tell("many", lines, day=0)
    return memory


class TestPages:
    @pytest.mark.parametrize("limit", [1, 7, 40])
    def test_pages_do_not_overlap_and_lose_nothing(self, limit: int) -> None:
        memory = many(40)
        memory.tell("other", [f"The service{number} listens on port {9000 + number}." for number in range(40)], day=0)
        seen: list[str] = []
        offset, has_more = 0, True
        while has_more:
            answer = memory.ask("port", limit=limit, offset=offset)
            seen += [result.claim.id for result in answer.results]
            offset, has_more = offset + limit, answer.has_more
        assert len(seen) == len(set(seen)) == 80  # both sides of each
        assert seen == [result.claim.id for result in memory.ask("port", limit=99).results]

    def test_nor_when_more_match_than_are_looked_at_for_a_page(self) -> None:
        memory = many(230)
        pages = [memory.ask("port of service7", limit=20, offset=offset).results for offset in range(0, 240, 20)]
        seen = [result.claim.id for page in pages for result in page]
        assert len(seen) == len(set(seen)) == 230

    def test_many_old_values_of_one_slot_hide_no_other(self) -> None:
        memory = Memory()
        memory.tell("old", [port(8000 + number) for number in range(150)], day=0)
        memory.tell("new", ["The dashboard listens on port 9000."], day=1)
        assert set(memory.values("port of the queue, the queue's port")) == {"8149", "9000"}

    def test_limits_are_checked(self) -> None:
        for request in ({"limit": 0}, {"offset": -1}):
            with pytest.raises(InvalidInputError):
                WHOLE.ask(**request)  # type: ignore[arg-type]  # one of two numbers


class TestScores:
    @given(st.sampled_from([QUESTION, "importer crash", "who lives where", "Казань"]), SEMANTIC)
    @settings(max_examples=30, deadline=None)
    def test_the_breakdown_adds_up(self, query: str, semantic: SemanticIndex | None) -> None:
        weights = attrs.asdict(ClaimWeights())
        for result in WHOLE.ask(query, semantic=semantic).results:
            told = result.breakdown
            signals = [name for name in weights if name in told]
            base = sum(weights[name] * told[name] for name in signals) / sum(weights[name] for name in signals)
            assert told["base"] == pytest.approx(base, abs=1e-5)
            adjustments = sum(value for name, value in told.items() if name.endswith("_adjustment"))
            assert result.score == pytest.approx(told["base"] + adjustments, abs=1e-5)
            assert ("semantic" in told) is (semantic is not None)

    @given(ANY_TEXT, SEMANTIC)
    @settings(max_examples=100, deadline=None)
    def test_any_text_answers(self, query: str, semantic: SemanticIndex | None) -> None:
        answer = WHOLE.ask(query, semantic=semantic)
        assert answer == WHOLE.ask(query, semantic=semantic)
        assert len(answer.results) <= 10

    def test_signals_say_what_was_measured(self) -> None:
        class Broken(HashEmbedder):
            def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
                raise BackendUnavailableError("no connection")

        assert WHOLE.ask().signals == "lexical only: no embedder is configured"
        assert WHOLE.ask().coverage == {}
        hybrid = WHOLE.ask(semantic=HYBRID)
        assert hybrid.signals == "hybrid"
        assert (hybrid.coverage["claim_vectors"].behind, hybrid.results[0].claim.value) == (0, "8100")
        broken = WHOLE.ask(semantic=SemanticIndex(embedder=Broken(), vectors=WHOLE.vectors))
        assert broken.signals == "lexical only: no connection"
        assert broken.results == WHOLE.ask().results
