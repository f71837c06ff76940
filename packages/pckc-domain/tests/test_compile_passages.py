"""The passages of a compiled context: the best one is there, and what shares a word only is not."""

from itertools import pairwise

import pytest
from pckc_domain.model.context import ContextPack, PackSection, SubGoalKind
from pckc_domain.model.intent import TaskIntent
from pckc_domain.model.passage import Layer
from pckc_domain.model.recall import SearchRequest
from pckc_domain.model.scope import Scope
from pckc_domain.policy.tokens import count_tokens
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.compile import ContextCompiler, ContextRequest
from pckc_domain.usecases.compile_claims import ClaimSelector
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.recall_passages import PassageSearch

SCOPE = Scope(project="example.org/project")

README = b"""# Service

The service listens on port 8080.

## Deploy

Run `make deploy` from main.
"""
SESSIONS = b'''"""Sessions of a visitor."""


class SessionMiddleware:
    """Keep the session in a signed cookie."""

    def __init__(self, app, secret, max_age=1209600):
        self.app = app
        self.secret = secret
        self.max_age = max_age

    def load(self, cookie):
        """Must raise BadCookie when the signature is wrong."""
        if not verify(self.secret, cookie):
            raise BadCookie(cookie)
        return decode(cookie)

    def save(self, session):
        """Return the header that sets the cookie."""
        return f"session={encode(session)}; Max-Age={self.max_age}"
'''
ELSEWHERE = b'''"""Validators."""


def max_len(length):
    """Must never be called with a negative number: it raises ValueError."""
    if length < 0:
        raise ValueError("set a positive length")
    return length


def set_run(run):
    """Must be set before the age of the process is read."""
    if run is None:
        raise TypeError("wrong run")
'''


@pytest.fixture(scope="module")
def compiler() -> ContextCompiler:
    canonical = MemoryCanonical()
    files = {"README.md": README, "web/sessions.py": SESSIONS, "lib/validators.py": ELSEWHERE}
    Indexer(canonical, MemoryRepository(files, project=SCOPE.project), FixedClock()).run(SCOPE)
    return ContextCompiler(PassageSearch(canonical), ClaimSelector(canonical, FixedClock()))


def pack(
    compiler: ContextCompiler, task: str, intent: TaskIntent = TaskIntent.UNKNOWN, budget: int = 1500
) -> ContextPack:
    return compiler.compile(SCOPE, ContextRequest(task=task, intent=intent, budget_tokens=budget))


@pytest.mark.parametrize("intent", TaskIntent)
def test_a_simple_question_is_answered_whatever_the_intent(compiler: ContextCompiler, intent: TaskIntent) -> None:
    found = pack(compiler, "Which port does the service use?", intent)
    granular = [item for item in found.passages if item.section is PackSection.GRANULAR]
    assert any("README.md" in item.result.stored.document.uri for item in granular)
    assert "port 8080" in found.text


def test_the_definition_of_what_the_task_names_is_there(compiler: ContextCompiler) -> None:
    found = pack(compiler, "Fix the bug: SessionMiddleware sets the wrong max_age", TaskIntent.BUG_FIX)
    assert any(
        item.result.layer is Layer.PARAGRAPH and "class SessionMiddleware" in item.result.stored.passage.text
        for item in found.passages
    )


def test_what_shares_a_single_word_is_left_out_with_the_reason(compiler: ContextCompiler) -> None:
    found = pack(compiler, "Fix the bug: SessionMiddleware sets the wrong max_age", TaskIntent.BUG_FIX)
    assert not any(item.result.stored.document.uri == "lib/validators.py" for item in found.passages)
    assert "says too little of the task" in {exclusion.reason for exclusion in found.exclusions}


def test_no_two_paragraphs_or_chunks_show_mostly_the_same_lines(compiler: ContextCompiler) -> None:
    for task in ("SessionMiddleware cookie", "port of the service", "raise ValueError for a negative number"):
        shown = [item.result.stored for item in pack(compiler, task).passages if item.result.layer is Layer.PARAGRAPH]
        spans = sorted((each.document.uri, each.passage.start_line, each.passage.end_line) for each in shown)
        assert all(one[0] != two[0] or one[2] < two[1] for one, two in pairwise(spans))


def test_what_a_plain_search_ranks_first_is_there_whatever_the_intent(compiler: ContextCompiler) -> None:
    for intent in TaskIntent:
        shown = pack(compiler, "SessionMiddleware.load", intent).text
        assert "raise BadCookie(cookie)" in shown, intent


def test_an_overview_begins_with_the_file_called_by_the_topic(compiler: ContextCompiler) -> None:
    found = pack(compiler, "review the architecture of the validators", TaskIntent.ARCHITECTURE_REVIEW)
    shown = {(item.result.layer, item.result.stored.document.uri) for item in found.passages}
    assert (Layer.SUMMARY, "lib/validators.py") in shown


def test_the_intent_alone_is_no_relevance() -> None:
    canonical = MemoryCanonical()
    files = {"web/sessions.py": SESSIONS, "lib/validators.py": ELSEWHERE}
    Indexer(canonical, MemoryRepository(files, project=SCOPE.project), FixedClock()).run(SCOPE)
    compiler = ContextCompiler(PassageSearch(canonical), ClaimSelector(canonical, FixedClock()))
    found = pack(compiler, "Fix the signature of a cookie", TaskIntent.BUG_FIX)
    intent = next(goal for goal in found.subgoals if goal.subgoal.kind is SubGoalKind.INTENT)
    uris = {item.result.stored.passage.id: item.result.stored.document.uri for item in found.passages}
    assert {uris[key] for key in intent.covered_by} == {"web/sessions.py"}


@pytest.mark.parametrize("path", ["tests/test_lease.py", "src/lease.py"])
def test_tests_come_after_the_code_unless_asked_for(path: str) -> None:
    text = b"def renew_lease(lease):\n    return lease.renew()\n"
    files = {"tests/test_lease.py": text, "src/lease.py": text}
    canonical = MemoryCanonical()
    Indexer(canonical, MemoryRepository(files, project=SCOPE.project), FixedClock()).run(SCOPE)
    search = PassageSearch(canonical)
    answer = search.search(SCOPE, SearchRequest(query="how is a lease renewed", uri_prefixes=(path,)))
    both = search.search(SCOPE, SearchRequest(query="how is a lease renewed"))
    assert answer.results[0].breakdown["test_penalty"] == 0.0
    assert both.results[0].stored.document.uri == "src/lease.py"


@pytest.mark.parametrize("budget", [0, 60, 200, 400, 1500, 6000])
def test_never_over_budget_and_always_the_same(compiler: ContextCompiler, budget: int) -> None:
    task = "Explain SessionMiddleware"
    first, second = pack(compiler, task, budget=budget), pack(compiler, task, budget=budget)
    assert first.tokens == count_tokens(first.text) <= budget
    assert first.text == second.text
    assert first.hash == second.hash
