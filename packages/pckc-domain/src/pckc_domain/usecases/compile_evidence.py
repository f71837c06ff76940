"""The third source of a compiled context: what somebody said of the task that no claim was read in."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim
from pckc_domain.model.context import PackEvidence, SubGoal, SubGoalKind
from pckc_domain.model.memory import EvidenceResult, MemoryRequest
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.analysis import content_words
from pckc_domain.policy.evidence import SUB_AGENT
from pckc_domain.policy.remnants import remnant
from pckc_domain.policy.rendering import render_evidence
from pckc_domain.policy.sentences import sentences
from pckc_domain.policy.statements import is_statement
from pckc_domain.policy.subgoals import covers, stem, stemmed_tokens
from pckc_domain.policy.tokens import count_tokens
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.recall_evidence import EvidenceSearch

SPOKEN = frozenset({EventKind.PROMPT, EventKind.ANNOTATION, EventKind.AGENT_MESSAGE})
"""What people and agents say; what tools print is no statement."""

FOUND = 20
MOST = 4
"""Passages looked at, and told at most."""

LONGEST = 400
"""Characters told of one passage: what follows is the rest of its sentences."""

CLAIMS = 1_000
"""Claims of the sessions found that are looked at, to know which sentences were read already."""

ENOUGH = 3
"""A text that speaks of half of what the task names, or of so many things, speaks of the task."""

SAME = 0.5
"""A claim that holds so many of a text's words, and is no older, has the last word on what it says."""


class EvidenceSelector:
    """
    Chooses what was said besides.

    A sentence that a claim was read in is not told: whatever became of the claim, it is the claim's to tell. Nor are
    questions, orders, and what only repeats the task.
    """

    def __init__(self, canonical: Canonical, search: EvidenceSearch) -> None:
        self._canonical = canonical
        self._search = search

    def select(
        self, scope: Scope, task: str, subgoals: Sequence[SubGoal], told: Collection[Claim], *, budget_tokens: int
    ) -> tuple[PackEvidence, ...]:
        """Return what was said of *task*, best first, within *budget_tokens*; *told* are the claims of the pack."""
        named = [goal for goal in subgoals if goal.kind in (SubGoalKind.ENTITY, SubGoalKind.TOPIC)]
        if not named or budget_tokens <= 0:
            return ()
        results = self._search.search(scope, MemoryRequest(query=task, kinds=SPOKEN, limit=FOUND)).results
        found = [result for result in results if _covered(result.evidence.text, named)]
        if not found:
            return ()
        with self._canonical.reading(scope) as work:
            read = _read_sentences(work, found)
        known = _content(task)
        texts = [claim.text for claim in told]
        chosen: dict[str, PackEvidence] = {}
        for result in found:
            item = _item(result, named, [*texts, *read.get(result.evidence.event_id, ())], known)
            if item is None or item.tokens > budget_tokens or _is_answered(item, told):
                continue
            if any(item.text in other for other in chosen):
                continue
            chosen[item.text] = item
            budget_tokens -= item.tokens
            if len(chosen) == MOST:
                break
        return tuple(chosen.values())


def _read_sentences(work: UnitOfWork, found: Sequence[EvidenceResult]) -> Mapping[str, Sequence[str]]:
    """Return what claims were read in the sessions of *found*, by event: ended and rejected ones too."""
    sessions = frozenset(result.evidence.session_id for result in found)
    read: dict[str, list[str]] = {}
    for stored in work.claims.find(where=ClaimFilter(session_ids=sessions), limit=CLAIMS):
        read.setdefault(stored.claim.event_id, []).append(stored.claim.text)
    return read


def _item(
    result: EvidenceResult, named: Sequence[SubGoal], read: Sequence[str], known: frozenset[str]
) -> PackEvidence | None:
    text = _unread(result.evidence, named, read)
    covered = _covered(text, named)
    if not covered or _content(text) <= known:
        return None
    return PackEvidence(result=result, text=text, covers=covered, tokens=count_tokens(render_evidence(result, text)))


def _covered(text: str, named: Sequence[SubGoal]) -> frozenset[str]:
    """Return the keys of the goals that *text* speaks of; none when they are too few of them to speak of the task."""
    tokens = stemmed_tokens([text])
    covered = frozenset(goal.key for goal in named if covers(goal, tokens))
    return covered if len(covered) >= min(ENOUGH, len(named) / 2) else frozenset()


def _unread(evidence: Evidence, named: Sequence[SubGoal], read: Sequence[str]) -> str:
    """Return a passage from the first sentence on that states something of the task, without those that were read."""
    if evidence.speaker == SUB_AGENT:
        return ""
    left = LONGEST
    kept: list[tuple[str, bool]] = []
    for sentence in sentences(evidence.text):
        is_read = any(sentence.text in one or one in sentence.text for one in read)
        if not kept and (is_read or not _speaks_of(sentence.text, named)):
            continue
        left -= len(sentence.text)
        if left < 0 and kept:
            break
        kept.append((sentence.text, not is_read))
    return remnant(kept)


def _speaks_of(sentence: str, named: Sequence[SubGoal]) -> bool:
    """Whether *sentence* states something of one of *named*."""
    words = stemmed_tokens([sentence])
    return is_statement(sentence) and any(covers(goal, words) for goal in named)


def _is_answered(item: PackEvidence, told: Collection[Claim]) -> bool:
    """Whether a claim of the pack that is no older says most of what *item* says."""
    time = item.result.evidence.time
    words = _content(item.text)
    newer = [claim for claim in told if time is None or claim.valid_from >= time]
    return any(len(words & _content(claim.text)) >= SAME * len(words) for claim in newer)


def _content(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))
