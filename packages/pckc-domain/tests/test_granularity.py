"""The router: the seed's table, the caller's overrides, and the words that decide."""

import pytest
from pckc_domain.model.intent import ExpansionPolicy, TaskIntent
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.policy.granularity import ROUTES, classify_intent, route

P, R, S = Layer.PARAGRAPH, Layer.PROPOSITION, Layer.SUMMARY
T = PropositionType

TABLE = {
    "bug_fix": ([R, P], "paragraph_expand", {T.CONSTRAINT, T.SECURITY_RULE, T.RISK}),
    "test_failure": ([R, P], "paragraph_expand", {T.TEST_EVIDENCE, T.RISK, T.CONSTRAINT}),
    "refactor": ([P, S], "paragraph_expand", {T.ARCHITECTURE, T.DECISION, T.CONSTRAINT}),
    "feature_implementation": ([P, R, S], "paragraph_expand", set()),
    "architecture_review": ([S, P], "summary_overview", {T.ARCHITECTURE, T.DECISION}),
    "code_explanation": ([P, R], "paragraph_expand", set()),
    "repository_onboarding": ([S, P], "summary_overview", {T.ARCHITECTURE, T.CONSTRAINT}),
    "workflow_question": ([R, P], "paragraph_expand", {T.PROCEDURE, T.BEHAVIOR}),
    "documentation": ([P, S], "paragraph_expand", set()),
    "trivial_edit": ([P], "atomic_only", set()),
    "unknown": ([R, P, S], "paragraph_expand", set()),
}


def test_the_table_is_whole() -> None:
    assert {str(intent) for intent in ROUTES} == set(TABLE) == {str(intent) for intent in TaskIntent}


@pytest.mark.parametrize("intent", TABLE)
def test_an_intent_is_routed_as_the_table_says(intent: str) -> None:
    layers, expansion, types = TABLE[intent]
    preference = route("zzz", intent=TaskIntent(intent))
    assert list(preference.preferred_layers) == layers
    assert preference.expansion_policy is ExpansionPolicy(expansion)
    assert preference.proposition_types == types


@pytest.mark.parametrize(
    ("task", "intent"),
    [
        ("Fix the crash in the parser", "bug_fix"),
        ("исправь ошибку в парсере", "bug_fix"),
        ("the test test_login is failing", "test_failure"),
        ("почему падает тест входа", "test_failure"),
        ("refactor the session module", "refactor"),
        ("add retries to the client", "feature_implementation"),
        ("добавь повторные попытки", "feature_implementation"),
        ("give me an overview of this project", "repository_onboarding"),
        ("how do I run the tests", "workflow_question"),
        ("как запустить сервер", "workflow_question"),
        ("explain how the router picks layers", "code_explanation"),
        ("update the docstrings", "documentation"),
        ("correct a typo in the message", "trivial_edit"),
        ("review the architecture", "architecture_review"),
        ("Fix typo in the error message", "trivial_edit"),
        ("test_login_expires is failing", "test_failure"),
        ("where is the exit code decided when a command raises an exception?", "code_explanation"),
        ("where is the bug in the parser?", "bug_fix"),
        ("npm run build fails: Cannot find module 'esbuild'", "bug_fix"),
        ("ModuleNotFoundError: No module named 'yaml'", "bug_fix"),
        ("rename pay to charge", "refactor"),
        ("переименуй pay в charge", "refactor"),
        ("implement login so that tests fail loudly", "feature_implementation"),
        ("write a query on the invoices table", "feature_implementation"),
        ("add a regression test for the crash", "feature_implementation"),
        ("напиши запрос к таблице счетов", "feature_implementation"),
        ("куда мы деплоим?", "code_explanation"),
        ("на каком порту сервер?", "code_explanation"),
        ("where are errors handled?", "code_explanation"),
        ("the terror of the errand", "unknown"),
        ("splitting a message on its boundary", "unknown"),
        ("banana", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_callers_words_decide_an_unknown_intent(task: str, intent: str) -> None:
    found, reason = classify_intent(task)
    assert found is TaskIntent(intent)
    assert reason


def test_the_reason_quotes_the_callers_words() -> None:
    assert "Fix" in route("Fix it").reason


def test_a_named_intent_outranks_the_words() -> None:
    assert route("fix the bug", intent=TaskIntent.DOCUMENTATION).intent is TaskIntent.DOCUMENTATION


def test_the_caller_overrides_layers_and_types() -> None:
    preference = route(
        "fix the bug", preferred_layers=[S, R, S], proposition_types=frozenset({PropositionType.DECISION})
    )
    assert preference.preferred_layers == (S, R)
    assert preference.proposition_types == {PropositionType.DECISION}
    assert "the caller chose" in preference.reason


def test_an_empty_set_of_types_means_all() -> None:
    assert route("fix the bug", proposition_types=frozenset()).proposition_types == frozenset()
