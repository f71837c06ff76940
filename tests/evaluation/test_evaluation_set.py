"""The evaluation set keeps its promises, and the baseline measures what it says."""

import re
from collections import Counter
from datetime import datetime
from itertools import pairwise

import pytest

from .baseline import HERE, Conversation, Record, conversations, ranked, score, table

SET = conversations()
QUESTIONS = [question for conversation in SET for question in conversation.questions]
KINDS = {"single", "multi", "temporal", "updated", "conflict", "standing", "preference", "coding"}
AT_LEAST = {"updated": 25, "conflict": 20, "standing": 30, "single": 25, "multi": 25, "temporal": 15, "coding": 20}
SIDES = {"updated": {"old", "new"}, "conflict": {"a", "b"}}

# A question may name what it asks about; it may not repeat its evidence. Means over all questions and evidence turns.
MOST_SHARED, MOST_SHARED_ON_AVERAGE, LONGEST_QUOTE = 0.75, 0.25, 4
FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be been by can could did do does for from get go had has have he her him his how i if in is
    it its long made make me much my of on one or our she should so some still than that the their them then there they
    this to up us use was we were what when where which who whom why will with would you your now
    а бы был была было в во где для до его ее ей еще за и из или их к как какая какие какой каком когда ли мне мой моя
    мы на не ни но о от по под при с со сколько так там теперь то у уже чего чем что эта это я
    """.split()
)

each_conversation = pytest.mark.parametrize("conversation", SET, ids=lambda conversation: conversation.name)


class TestTranscripts:
    def test_size(self) -> None:
        assert len(SET) >= 14
        assert 3_000 <= sum(len(conversation.turns) for conversation in SET) <= 5_000
        russian = sum(len(conversation.turns) for conversation in SET if conversation.language == "ru")
        assert 0.15 <= russian / sum(len(conversation.turns) for conversation in SET) <= 0.25

    def test_both_splits_hold_every_class(self) -> None:
        for split in ("dev", "dev2", "held_out"):
            assert {c.kind for c in SET if c.split == split} == {"people", "assistant", "coding"}

    def test_ids_are_unique(self) -> None:
        for records in ([turn for conversation in SET for turn in conversation.turns], QUESTIONS):
            assert max(Counter(record["id"] for record in records).values()) == 1

    def test_no_two_turns_are_identical(self) -> None:
        texts = Counter(turn["text"] for conversation in SET for turn in conversation.turns)
        assert [text for text, count in texts.items() if count > 1] == []

    @each_conversation
    def test_turns_are_plain_lines(self, conversation: Conversation) -> None:
        assert 80 <= len(conversation.turns) <= 400
        for turn in conversation.turns:
            assert turn.keys() == {"session", "seq", "role", "time", "text", "id"}
            assert turn["text"].strip()
            assert turn["id"] == f"{turn['session']}:{turn['seq']}"

    @each_conversation
    def test_time_and_order(self, conversation: Conversation) -> None:
        moments = [datetime.fromisoformat(turn["time"]) for turn in conversation.turns]
        assert all(moment.tzinfo is not None for moment in moments)
        assert all(before < after for before, after in pairwise(moments))
        assert (moments[-1] - moments[0]).days >= 60
        for session in sessions(conversation):
            assert [turn["seq"] for turn in session] == list(range(len(session)))
        assert len(sessions(conversation)) >= 5


class TestQuestions:
    def test_kinds(self) -> None:
        kinds = Counter(question["kind"] for question in QUESTIONS)
        assert kinds.keys() == KINDS
        assert len(QUESTIONS) >= 220
        assert {kind: count for kind, count in AT_LEAST.items() if kinds[kind] < count} == {}

    @each_conversation
    def test_evidence_exists(self, conversation: Conversation) -> None:
        turns = {turn["id"] for turn in conversation.turns}
        for question in conversation.questions:
            evidence = question["evidence_ids"]
            assert evidence
            assert len(evidence) == len(set(evidence))
            assert set(evidence) <= turns

    @each_conversation
    def test_pairs(self, conversation: Conversation) -> None:
        place = {turn["id"]: number for number, turn in enumerate(conversation.turns)}
        for question in conversation.questions:
            sides = SIDES.get(question["kind"])
            pair = question.get("pair", {})
            assert pair.keys() == (sides or set())
            if sides is None:
                continue
            first, second = (pair["new"], pair["old"]) if "new" in pair else (pair["a"], pair["b"])
            assert question["evidence_ids"] == first + second
            if "new" in pair:
                assert min(place[turn] for turn in first) > max(place[turn] for turn in second)

    @each_conversation
    def test_shape_of_kinds(self, conversation: Conversation) -> None:
        roles = {turn["id"]: turn["role"] for turn in conversation.turns}
        for question in conversation.questions:
            evidence = question["evidence_ids"]
            if question["kind"] in {"single", "standing", "preference"}:
                assert len(evidence) == 1
            if question["kind"] == "multi":
                assert 2 <= len(evidence) <= 4
                assert len({turn.rsplit(":", 1)[0] for turn in evidence}) >= 2
            if question["kind"] == "standing":
                assert roles[evidence[0]] == "user"

    @each_conversation
    def test_evidence_is_spread(self, conversation: Conversation) -> None:
        place = {turn["id"]: number / len(conversation.turns) for number, turn in enumerate(conversation.turns)}
        places = [place[turn] for question in conversation.questions for turn in question["evidence_ids"]]
        thirds = Counter(min(2, int(3 * at)) for at in places)
        assert all(thirds[third] >= 0.15 * len(places) for third in range(3))

    def test_no_question_quotes_its_evidence(self) -> None:
        shares = []
        for conversation in SET:
            texts = {turn["id"]: turn["text"] for turn in conversation.turns}
            for question in conversation.questions:
                for turn in question["evidence_ids"]:
                    shares.append(shared(question["question"], texts[turn]))
                    assert shares[-1] <= MOST_SHARED, (question["id"], turn)
                    assert quoted(question["question"], texts[turn]) <= LONGEST_QUOTE, (question["id"], turn)
        assert sum(shares) / len(shares) <= MOST_SHARED_ON_AVERAGE


class TestReadme:
    @each_conversation
    def test_counts(self, conversation: Conversation) -> None:
        row = f"| {conversation.name} | {len(conversation.turns)} | {len(conversation.questions)} |"
        assert row in (HERE / "README.md").read_text("utf-8")

    def test_table(self) -> None:
        assert table() in (HERE / "README.md").read_text("utf-8")


class TestBaseline:
    @each_conversation
    def test_ranks_only_turns_of_the_conversation(self, conversation: Conversation) -> None:
        answers = ranked(conversation)
        turns = {turn["id"] for turn in conversation.turns}
        assert answers.keys() == {question["id"] for question in conversation.questions}
        for ids in answers.values():
            assert set(ids) <= turns
            assert len(ids) == len(set(ids)) <= 50

    def test_leaves_room_above_and_below(self) -> None:
        scores = [
            score(question, answers[question["id"]])
            for conversation in SET
            for answers in [ranked(conversation)]
            for question in conversation.questions
        ]
        assert 0.3 <= sum(one.recall_10 for one in scores) / len(scores) <= 0.6

    @pytest.mark.parametrize(
        ("ids", "new_before_old"),
        [(["new", "old"], 1.0), (["old", "new"], 0.0), (["new"], 1.0), (["old"], 0.0), ([], 0.0)],
    )
    def test_new_before_old(self, ids: list[str], new_before_old: float) -> None:
        question: Record = {"evidence_ids": ["new", "old"], "pair": {"new": ["new"], "old": ["old"]}}
        assert score(question, ids).new_before_old == new_before_old
        assert score(question, ids).both_sides_10 is None

    @pytest.mark.parametrize(("between", "both"), [(8, 1.0), (9, 0.0)])
    def test_both_sides(self, between: int, both: float) -> None:
        question: Record = {"evidence_ids": ["a", "b"], "pair": {"a": ["a"], "b": ["b"]}}
        ids = ["a", *(f"other {number}" for number in range(between)), "b"]
        assert score(question, ids).both_sides_10 == both
        assert score(question, ids).recall_1 == 0.5
        assert score(question, ids).reciprocal_rank == 1.0


def sessions(conversation: Conversation) -> list[list[Record]]:
    """Return the turns of *conversation* by session, in order."""
    found: dict[str, list[Record]] = {}
    for turn in conversation.turns:
        found.setdefault(turn["session"], []).append(turn)
    return list(found.values())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold().replace("ё", "е"))


def shared(question: str, turn: str) -> float:
    """Return the share of the question's content words that the turn contains."""
    content = set(words(question)) - FUNCTION_WORDS
    return len(content & set(words(turn))) / len(content)


def quoted(question: str, turn: str) -> int:
    """Return the number of words of the longest run that both texts contain."""
    asked, told = words(question), f" {' '.join(words(turn))} "
    return max(
        (
            end - start
            for start in range(len(asked))
            for end in range(start + 1, len(asked) + 1)
            if f" {' '.join(asked[start:end])} " in told
        ),
        default=0,
    )
