"""The GranularityRouter: from a task's intent to the layers that answer it."""

import re
from collections.abc import Sequence

from pckc_domain.model.intent import ExpansionPolicy, GranularityPreference, TaskIntent
from pckc_domain.model.passage import Layer, PropositionType

_PARAGRAPH, _PROPOSITION, _SUMMARY = Layer.PARAGRAPH, Layer.PROPOSITION, Layer.SUMMARY
_EXPAND, _OVERVIEW, _ATOMIC = (
    ExpansionPolicy.PARAGRAPH_EXPAND,
    ExpansionPolicy.SUMMARY_OVERVIEW,
    ExpansionPolicy.ATOMIC_ONLY,
)
_T = PropositionType

ROUTES: dict[TaskIntent, tuple[tuple[Layer, ...], ExpansionPolicy, frozenset[PropositionType]]] = {
    TaskIntent.BUG_FIX: (
        (_PROPOSITION, _PARAGRAPH),
        _EXPAND,
        frozenset({_T.CONSTRAINT, _T.SECURITY_RULE, _T.RISK}),
    ),
    TaskIntent.TEST_FAILURE: (
        (_PROPOSITION, _PARAGRAPH),
        _EXPAND,
        frozenset({_T.TEST_EVIDENCE, _T.RISK, _T.CONSTRAINT}),
    ),
    TaskIntent.REFACTOR: (
        (_PARAGRAPH, _SUMMARY),
        _EXPAND,
        frozenset({_T.ARCHITECTURE, _T.DECISION, _T.CONSTRAINT}),
    ),
    TaskIntent.FEATURE_IMPLEMENTATION: ((_PARAGRAPH, _PROPOSITION, _SUMMARY), _EXPAND, frozenset()),
    TaskIntent.ARCHITECTURE_REVIEW: (
        (_SUMMARY, _PARAGRAPH),
        _OVERVIEW,
        frozenset({_T.ARCHITECTURE, _T.DECISION}),
    ),
    TaskIntent.CODE_EXPLANATION: ((_PARAGRAPH, _PROPOSITION), _EXPAND, frozenset()),
    TaskIntent.REPOSITORY_ONBOARDING: (
        (_SUMMARY, _PARAGRAPH),
        _OVERVIEW,
        frozenset({_T.ARCHITECTURE, _T.CONSTRAINT}),
    ),
    TaskIntent.WORKFLOW_QUESTION: ((_PROPOSITION, _PARAGRAPH), _EXPAND, frozenset({_T.PROCEDURE, _T.BEHAVIOR})),
    TaskIntent.DOCUMENTATION: ((_PARAGRAPH, _SUMMARY), _EXPAND, frozenset()),
    TaskIntent.TRIVIAL_EDIT: ((_PARAGRAPH,), _ATOMIC, frozenset()),
    TaskIntent.UNKNOWN: ((_PROPOSITION, _PARAGRAPH, _SUMMARY), _EXPAND, frozenset()),
}
"""Intent to (layers in order of preference, expansion policy, proposition types; empty means all)."""

_SIGNS: tuple[tuple[TaskIntent, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(pattern, re.IGNORECASE))
    for intent, pattern in (
        (
            TaskIntent.CODE_EXPLANATION,
            r"^\s*(?:explain|walk\s+me|объясни\w*)\b"
            r"|^\s*(?:where|which|how)\s+(?:is|are|does)\b(?!.{0,300}\b(?:fix|bug|fail(?:s|ing|ure)|crash\w*|architect\w*"
            r"|layers|structured|boundaries)\b)",
        ),
        (
            TaskIntent.TRIVIAL_EDIT,
            r"\b(?:typo|misspell\w*|rename\s+(?:the\s+)?(?:variable|local|parameter)|bump\s+(?:the\s+)?version|whitespace"
            r"|one[- ]line\s+change)\b|опечатк\w*",
        ),
        (
            TaskIntent.FEATURE_IMPLEMENTATION,
            r"^\s*(?:please\s+)?(?:implement|introduce|(?:add|create|write)\s+(?:an?|the|support|new)|реализуй|создай|напиши)\b",
        ),
        (
            TaskIntent.TEST_FAILURE,
            r"\b(?:failing|failed|broken|flaky|red)\s+tests?\b|\btest(?:s|_\w+)?\b.{0,40}\b(?:fail\w*|flaky|red)\b"
            r"|\bassertion\s*error\b|\bpytest\b.{0,80}\bfail|(?:упал|пада)\w*\s+(?:\w+\s+)?тест"
            r"|тест\w*\s+(?:\w+\s+)?(?:пада|упал|не\s+проход)\w*",
        ),
        (
            TaskIntent.BUG_FIX,
            r"\b(?:fix(?:es|ed|ing)?|bug|crash\w*|traceback|regression|exception|broken|debug|defect|wrong(?:ly)?"
            r"|leak\w*|hangs?|deadlock|doesn'?t\s+work|not\s+work\w*|stack\s*trace|raises?\s+\w*error|fail(?:s|ed|ing|ure)?"
            r"|(?-i:[A-Z]\w*(?:Error|Exception))|errors?|cannot\s+find|not\s+found|permission\s+denied|times?\s+out|timed\s+out)\b"
            r"|исправ\w*|почин\w*|баг\w*|ошибк\w*|сломал\w*|пада(?:ет|ют)|не\s+работает",
        ),
        (
            TaskIntent.REFACTOR,
            r"\b(?:refactor\w*|clean\s*up|restructure|extract\s+(?:a\s+)?(?:method|function|class|module)|simplif\w+"
            r"|deduplicate|decouple|split\s+up|(?:rename|move)\s+\S+\s+(?:in)?to)\b|переимен\w*|рефактор\w*|упрост\w*|вынес(?:ти|и)\b",
        ),
        (
            TaskIntent.ARCHITECTURE_REVIEW,
            r"\b(?:architect\w*|design\s+(?:review|overview|of)|layers?|boundaries|components?\s+interact|high[- ]level"
            r"|modules?\s+depend\w*|dependency\s+graph|structured)\b|архитектур\w*|устро(?:ен|ена|ено|ены)\b",
        ),
        (
            TaskIntent.REPOSITORY_ONBOARDING,
            r"\b(?:onboard\w*|new\s+to\s+(?:this|the)|get(?:ting)?\s+started|overview|what\s+(?:is|does)\s+this\s+(?:project"
            r"|repo\w*|codebase|package)|where\s+do\s+i\s+start|tour)\b|с\s+чего\s+начать|обзор\w*|что\s+это\s+за\s+проект",
        ),
        (
            TaskIntent.DOCUMENTATION,
            r"\b(?:document(?:ation|ing)?|docs?|docstrings?|readme|changelog|tutorial)\b|документ(?:ац|ир)\w*",
        ),
        (
            TaskIntent.WORKFLOW_QUESTION,
            r"\b(?:how\s+(?:do|can|should|to)\b.{0,40}\b(?:run|build|deploy|release|install|test|configure|set\s*up|migrate"
            r"|publish|contribute|start|use)|steps?\s+(?:to|for)|workflow|procedure|commands?\s+(?:to|for))\b"
            r"|как\s+(?:запус|собр|постав|установ|развер|выпус|настро)\w*|порядок\s+действий",
        ),
        (
            TaskIntent.FEATURE_IMPLEMENTATION,
            r"\b(?:add(?:ing)?|implement\w*|support(?:ing)?|introduce|create|build|extend|new\s+(?:feature|option|command"
            r"|endpoint)|integrate|allow)\b|добав\w*|реализ\w*|поддерж\w*|созда(?:ть|й)\b|внедр\w*",
        ),
        (
            TaskIntent.CODE_EXPLANATION,
            r"\b(?:explain|how\s+(?:does|do|is|are)|what\s+(?:does|is|are|happens)|why\s+(?:does|is|are|do)|where\s+(?:is"
            r"|are|does|do)|which|understand|walk\s+me)\b|объясни\w*|как\s+работа\w*|почему|зачем|что\s+дела(?:ет|ют)"
            r"|(?:где|куда|откуда|сколько|как(?:ой|ая|ое|ие|ом|ую|их))\b",
        ),
    )
)
"""Tried in order; the first that speaks decides. The caller's own words are the reason shown."""


_TESTS = re.compile(r"(?<![a-z])(?:un)?tests?(?:ed|ing)?(?![a-z])|pytest|fixture|conftest|coverage|тест", re.IGNORECASE)


def classify_intent(task: str) -> tuple[TaskIntent, str]:
    """Return the intent that the words of *task* speak of, and the reason in one sentence."""
    for intent, sign in _SIGNS:
        if match := sign.search(task[:4000]):
            return intent, f"the task says “{' '.join(match[0].split())}”"
    return TaskIntent.UNKNOWN, "no words of the task name an intent"


def asks_of_tests(task: str, preference: GranularityPreference) -> bool:
    """Return whether tests are what *task* looks for, rather than the code they test."""
    wanted = PropositionType.TEST_EVIDENCE in preference.proposition_types
    return wanted or preference.intent is TaskIntent.TEST_FAILURE or _TESTS.search(task[:4000]) is not None


def route(
    task: str,
    *,
    intent: TaskIntent = TaskIntent.UNKNOWN,
    preferred_layers: Sequence[Layer] = (),
    proposition_types: frozenset[PropositionType] | None = None,
) -> GranularityPreference:
    """
    Return how to search for *task*.

    Args:
        task: The caller's words; they decide when *intent* is unknown.
        intent: What the caller is about to do.
        preferred_layers: Overrides the route's layers.
        proposition_types: Overrides the route's types; an empty set means all types.
    """
    reason = "the caller named the intent"
    if intent is TaskIntent.UNKNOWN:
        intent, reason = classify_intent(task)
    layers, expansion, types = ROUTES[intent]
    if preferred_layers:
        layers, reason = tuple(dict.fromkeys(preferred_layers)), f"{reason}; the caller chose the layers"
    if proposition_types is not None:
        types, reason = proposition_types, f"{reason}; the caller chose the proposition types"
    return GranularityPreference(
        intent=intent,
        preferred_layers=layers,
        expansion_policy=expansion,
        proposition_types=types,
        reason=f"{intent}: {reason}",
    )
