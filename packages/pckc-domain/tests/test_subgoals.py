"""Sub-goals: what a task names, speaks of and wants."""

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.context import SubGoalKind
from pckc_domain.model.intent import TaskIntent
from pckc_domain.policy.granularity import route
from pckc_domain.policy.subgoals import covers, find_subgoals, found_stems, stemmed_tokens


def goals(task: str, kind: SubGoalKind, **named: list[str]) -> list[str]:
    return [goal.goal for goal in find_subgoals(task, route(task), **named) if goal.kind is kind]


def test_paths_symbols_and_quoted_terms_are_entities() -> None:
    found = goals('fix parse_config in src/app/config.py near "bad value" and HttpClient', SubGoalKind.ENTITY)
    assert found == ["bad value", "src/app/config.py", "parse_config", "HttpClient"]


def test_a_name_with_an_acronym_is_one_entity() -> None:
    for name in ("GZipMiddleware", "CORSMiddleware", "HTTPServer", "parseHTML"):
        assert goals(f"refactor {name}", SubGoalKind.ENTITY) == [name]
        assert goals(f"refactor {name}", SubGoalKind.TOPIC) == []


def test_named_files_and_symbols_come_first() -> None:
    assert goals("explain it", SubGoalKind.ENTITY, files=["a/b.py"], symbols=["Foo.bar"])[:2] == ["a/b.py", "Foo.bar"]


def test_topics_are_the_words_that_are_left() -> None:
    assert goals("how does the retry of failed uploads work", SubGoalKind.TOPIC) == ["retry", "failed", "uploads"]


def test_verbs_of_change_and_fillers_are_no_topics() -> None:
    task = "Fix: redirects drop the Authorization header when the host changes; the wrong one is sent"
    assert goals(task, SubGoalKind.TOPIC) == ["redirects", "authorization", "header", "host"]
    assert goals("review how the routing builds urls", SubGoalKind.TOPIC) == ["routing", "urls"]


def test_an_intent_with_types_is_a_goal() -> None:
    preference = route("x", intent=TaskIntent.BUG_FIX)
    assert [goal.kind for goal in find_subgoals("x", preference)][-1] is SubGoalKind.INTENT


def test_a_text_covers_a_goal_by_stems() -> None:
    goal = next(goal for goal in find_subgoals("retries of uploads", route("")) if goal.goal == "retries")
    assert covers(goal, stemmed_tokens(["We retry three times."]))
    assert not covers(goal, stemmed_tokens(["We try three times."]))
    entity = find_subgoals("look at getUserName()", route(""))[0]
    assert covers(entity, stemmed_tokens(["def getUserName(self): ..."]))


@given(st.text(max_size=300))
def test_any_task_has_distinct_goals(task: str) -> None:
    keys = [goal.key for goal in find_subgoals(task, route(task))]
    assert len(keys) == len(set(keys))


@given(st.lists(st.text(max_size=40), max_size=3), st.sampled_from(["retries", "getUserName", "ёлки", "е", "sky's 3"]))
def test_stems_are_found_without_stemming_every_word(texts: list[str], wanted: str) -> None:
    stems = stemmed_tokens([wanted]) - {""}
    assert found_stems(stems, texts) - {""} == stems & stemmed_tokens(texts)
    assert found_stems(stems, [*texts, wanted]) == stems


def test_a_redaction_mark_is_no_goal() -> None:
    task = "Rotate the [REDACTED:github-token] of the Quexo gateway"

    found = find_subgoals(task, route(task))

    assert {goal.goal for goal in found} >= {"quexo", "gateway"}
    assert not {"redacted", "github", "token"} & {word for goal in found for word in goal.words}
