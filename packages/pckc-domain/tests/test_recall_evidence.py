"""Searching evidence: what holds now before what it replaced, both sides, instructions at hand, filters inside."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import cycle

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.memory import EvidenceAnswer, MemoryRequest
from pckc_domain.model.session import EventKind
from pckc_domain.testing.conversations import SCOPE, START, Line, conversation
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.projections import vector_projector
from pckc_domain.usecases.recall_evidence import EvidenceSearch
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.semantic import SemanticIndex

DAY = timedelta(days=1)
FILLER = [f"The {thing} needs a coat of paint." for thing in ("door", "fence", "shed", "bench", "gate", "boat", "roof")]


class Memory:
    """A store that hears one session a day."""

    def __init__(self, *talks: Sequence[Line], speakers: Sequence[str] = ()) -> None:
        self.canonical = MemoryCanonical()
        for day, lines in enumerate(talks):
            told, events = conversation(f"s{day}", lines, start=START + day * DAY)
            if speakers:
                said = zip(events, cycle(speakers), strict=False)
                events = tuple(attrs.evolve(event, speaker=speaker) for event, speaker in said)
            with self.canonical.writing(SCOPE) as work:
                work.sessions.put(told, [prepare_event(event) for event in events])
        Deriver(self.canonical, FixedClock()).run(SCOPE)
        self.semantic = SemanticIndex(embedder=HashEmbedder(256), vectors=MemoryVectorIndex())
        vector_projector(self.canonical, self.semantic.embedder, self.semantic.vectors).run(SCOPE)

    def ask(self, query: str, *, hybrid: bool = True, **request: object) -> EvidenceAnswer:
        asked = MemoryRequest(query=query, **request)  # type: ignore[arg-type]  # fields of several types
        return EvidenceSearch(self.canonical, semantic=self.semantic if hybrid else None).search(SCOPE, asked)

    def texts(self, query: str, *, hybrid: bool = True, **request: object) -> list[str]:
        return [result.evidence.text for result in self.ask(query, hybrid=hybrid, **request).results]


OLD = "The nightly backup of the gateway runs at two."
NEW = "Now the nightly backup of the gateway runs at five."
HYBRID = pytest.mark.parametrize("hybrid", [True, False])


@HYBRID
def test_what_holds_now_comes_before_what_it_replaced(hybrid: bool) -> None:
    memory = Memory([OLD, *FILLER], [NEW, *FILLER])

    found = memory.texts("When does the nightly backup run?", hybrid=hybrid)
    assert found[0] == NEW
    assert OLD in found[1:3]


@HYBRID
def test_a_question_about_the_past_does_not_prefer_the_new(hybrid: bool) -> None:
    memory = Memory([OLD, *FILLER], [NEW, *FILLER])
    found = {r.evidence.text: r for r in memory.ask("When did the nightly backup run before?", hybrid=hybrid).results}

    assert found[OLD].breakdown["recency"] == found[NEW].breakdown["recency"] == 0
    assert found[OLD].breakdown["change"] == found[NEW].breakdown["change"] == 0


@HYBRID
def test_kin_is_found_that_shares_no_word_with_the_question(hybrid: bool) -> None:
    """The second statement resembles the first, not the question."""
    first = "The lease of the Harbour Street flat is signed, three rooms and a stove, says Mona."
    second = "The Harbour Street flat, its three rooms and the stove: given up, Mona signed the other lease."
    memory = Memory([first, *FILLER], FILLER, [second, *FILLER])
    query = "Which flat?"
    found = memory.ask(query, hybrid=hybrid).results

    assert {first, second} <= {result.evidence.text for result in found[:3]}
    kin = next(result for result in found if result.evidence.text == second)
    assert kin.breakdown["inherited"] > 0


def test_a_value_that_is_taken_back_without_a_word_of_change_goes_behind_the_later_one() -> None:
    first, then = "The wedding of Ida is on the fourth of June.", "The wedding of Ida is on the ninth of August."
    memory = Memory([first, *FILLER], [then, *FILLER])

    found = memory.texts("wedding Ida June")
    assert found[0] == then
    assert first in found[1:3]
    assert memory.texts("When was the wedding of Ida in June before?")[0] == first


@HYBRID
def test_an_assistants_echo_does_not_inherit_from_the_user(hybrid: bool) -> None:
    memory = Memory([OLD, (EventKind.RESPONSE, f"Noted: {OLD}"), *FILLER])
    echo = next(r for r in memory.ask("When does the backup run?", hybrid=hybrid).results if "Noted" in r.evidence.text)

    assert echo.breakdown["inherited"] == 0


@HYBRID
def test_a_request_brings_the_standing_instructions(hybrid: bool) -> None:
    rules = ["From now on give weights in grams.", "Never suggest anything with nuts."]
    memory = Memory([rules[0], *FILLER, rules[1]], [f"I ate a cake on day {day}." for day in range(20)])

    assert set(rules) <= set(memory.texts("Suggest a cake.", hybrid=hybrid)[:4])
    assert not set(rules) & set(memory.texts("On which day did I eat a cake?", hybrid=hybrid)[:2])


def test_people_do_not_instruct_each_other() -> None:
    memory = Memory(["Never suggest anything with nuts.", *FILLER], ["I ate a cake."], speakers=["Ann", "Bob"])

    assert memory.texts("Suggest a cake.")[0] == "I ate a cake."


@HYBRID
def test_a_named_speakers_words_come_first(hybrid: bool) -> None:
    memory = Memory(["I keep bees.", "I keep bees, too.", *FILLER], speakers=["Ann", "Bob"])

    assert memory.texts("Does Ann keep bees?", hybrid=hybrid)[0] == "I keep bees."
    assert memory.texts("Does Bob keep bees?", hybrid=hybrid)[0] == "I keep bees, too."


@HYBRID
def test_the_users_words_count_more_when_the_question_is_about_the_user(hybrid: bool) -> None:
    memory = Memory([(EventKind.RESPONSE, "A cellar keeps apples."), "A cellar keeps apples.", *FILLER])
    found = memory.ask("What keeps my apples?", hybrid=hybrid).results

    assert [result.evidence.kind for result in found[:2]] == [EventKind.PROMPT, EventKind.RESPONSE]


@HYBRID
def test_an_answer_is_found_by_its_question(hybrid: bool) -> None:
    memory = Memory(FILLER, ["What is the gateway's port?", "Eighty, I think."], FILLER)
    answer = next(r for r in memory.ask("gateway port", hybrid=hybrid, limit=30).results if "Eighty" in r.evidence.text)

    assert answer.breakdown["context"] > 0


@HYBRID
@pytest.mark.parametrize(
    ("told", "noted", "query"),
    [
        ("From now on, follow the naming rules of the style guide.", "Noted, I will follow that.", "naming rules"),
        (
            "The backup of the gateway runs at five.",
            "Sure! I will keep that in mind.",
            "When does the backup of the gateway run?",
        ),
        ("Резервная копия шлюза делается в пять часов.", "Хорошо, понял.", "Когда делается резервная копия?"),
        ("Отвечай всегда по-русски, без англицизмов.", "Понял, учту.", "на каком языке отвечать"),
    ],
)
def test_what_only_takes_note_answers_nothing(told: str, noted: str, query: str, hybrid: bool) -> None:
    memory = Memory([told, (EventKind.AGENT_MESSAGE, noted), *FILLER], [(EventKind.AGENT_MESSAGE, noted), *FILLER])
    found = memory.texts(query, hybrid=hybrid)
    assert told in found
    assert noted not in found
    assert memory.texts(noted, hybrid=hybrid).count(noted) == 0


@HYBRID
def test_filters_are_inside_the_query(hybrid: bool) -> None:
    memory = Memory([OLD], *[[f"{NEW} {day}"] for day in range(30)])
    query = "When does the nightly backup run?"

    assert memory.texts(query, hybrid=hybrid, as_of=START + timedelta(hours=1), limit=3) == [OLD]
    session = next(r for r in memory.ask(query, hybrid=hybrid, limit=50).results if r.evidence.text == OLD).evidence
    assert memory.texts(query, hybrid=hybrid, session_ids=frozenset({session.session_id}), limit=3) == [OLD]
    assert memory.texts(query, hybrid=hybrid, kinds=frozenset({EventKind.RESPONSE})) == []


@HYBRID
def test_filters_hold_for_standing_instructions_too(hybrid: bool) -> None:
    memory = Memory(["I ate a cake."], ["From now on give weights in grams."])

    assert memory.texts("Suggest a cake.", hybrid=hybrid, as_of=START + timedelta(hours=1)) == ["I ate a cake."]
    assert memory.texts("Suggest a cake.", hybrid=hybrid, kinds=frozenset({EventKind.RESPONSE})) == []


@HYBRID
def test_an_event_comes_once_by_its_best_passage(hybrid: bool) -> None:
    long = "\n\n".join([*(f"{line} " * 12 for line in FILLER), "The gateway listens on port eighty. " * 20])
    memory = Memory([long])
    found = memory.ask("gateway port", hybrid=hybrid).results

    assert len(found) == 1
    assert "gateway" in found[0].evidence.text


def test_the_breakdown_tells_every_signal() -> None:
    memory = Memory([OLD])
    (hybrid,), (lexical,) = memory.ask("backup").results, memory.ask("backup", hybrid=False).results

    assert set(hybrid.breakdown) - set(lexical.breakdown) == {"semantic"}
    assert {"lexical", "context", "speaker", "asker", "inherited", "recency", "change", "relevance"} <= set(
        lexical.breakdown
    )
    assert lexical.breakdown["relevance"] == 1.0


def test_an_answer_says_how_it_was_found() -> None:
    memory = Memory([OLD])

    assert memory.ask("backup").signals == "hybrid"
    assert memory.ask("backup", hybrid=False).signals.startswith("lexical only")
    assert memory.ask("backup").coverage["evidence_vectors"].indexed == 1


@pytest.mark.parametrize("query", ["", "?!", "the", "zzz"])
@HYBRID
def test_any_query_is_fine(query: str, hybrid: bool) -> None:
    memory = Memory([OLD, *FILLER])

    assert len(memory.ask(query, hybrid=hybrid).results) <= 8
    assert EvidenceSearch(MemoryCanonical()).search(SCOPE, MemoryRequest(query=query)).results == ()


@pytest.mark.parametrize("request_", [{"limit": 0}, {"offset": -1}])
def test_a_page_has_a_size(request_: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError):
        Memory([OLD]).ask("backup", **request_)


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(5)), hybrid=st.booleans(), query=st.sampled_from(["backup", "Suggest a backup."]))
def test_the_order_of_import_does_not_matter(order: list[int], hybrid: bool, query: str) -> None:
    talks = [[OLD, *FILLER], [NEW, "Always test a backup."], [f"Backup {OLD}"], ["Never skip a backup."], FILLER]
    memories = [MemoryCanonical(), MemoryCanonical()]
    answers = []
    for canonical, days in zip(memories, (range(5), order), strict=True):
        for day in days:
            told, events = conversation(f"s{day}", talks[day], start=START + day * DAY)
            with canonical.writing(SCOPE) as work:
                work.sessions.put(told, [prepare_event(event) for event in events])
        Deriver(canonical, FixedClock()).run(SCOPE)
        semantic = SemanticIndex(embedder=HashEmbedder(), vectors=MemoryVectorIndex())
        vector_projector(canonical, semantic.embedder, semantic.vectors).run(SCOPE)
        search = EvidenceSearch(canonical, semantic=semantic if hybrid else None)
        answers.append([(r.evidence.id, r.score) for r in search.search(SCOPE, MemoryRequest(query=query)).results])

    assert answers[0] == answers[1]
    assert answers[0]


@HYBRID
def test_pages_follow_each_other(hybrid: bool) -> None:
    memory = Memory([f"The backup number {number} is done." for number in range(12)])
    whole = memory.texts("Is the backup done?", hybrid=hybrid, limit=12)
    pages = [memory.texts("Is the backup done?", hybrid=hybrid, limit=5, offset=offset) for offset in (0, 5, 10)]

    assert [text for page in pages for text in page] == whole
    assert [memory.ask("Is the backup done?", limit=5, offset=offset).has_more for offset in (0, 10)] == [True, False]
