"""The compiled context: a pack of proven passages and claims for one task."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import attrs

from pckc_domain.model.claim import Claim
from pckc_domain.model.intent import GranularityPreference
from pckc_domain.model.memory import ClaimResult, EvidenceResult
from pckc_domain.model.recall import IndexCoverage, PassageResult


class SubGoalKind(StrEnum):
    """What a sub-goal asks for."""

    ENTITY = "entity"
    TOPIC = "topic"
    INTENT = "intent"
    SLOT = "slot"
    STANDING_RULE = "standing_rule"


@attrs.frozen(kw_only=True)
class SubGoal:
    """
    One thing the pack should answer.

    Attributes:
        key: Identity within the pack, such as ``entity:src/app.py``.
        kind: What it asks for.
        goal: In words.
        words: What a text must speak of to cover it.
    """

    key: str
    kind: SubGoalKind
    goal: str
    words: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class CoveredGoal:
    """A sub-goal with the ids that cover it and the ids of their proofs; both empty when it is a gap."""

    subgoal: SubGoal
    covered_by: tuple[str, ...]
    proofs: tuple[str, ...]


class PackSection(StrEnum):
    """Which share of the budget a passage was taken from."""

    CHUNKS = "chunks"
    GRANULAR = "granular"


@attrs.frozen(kw_only=True)
class PackPassage:
    """A passage in a pack; *tokens* counts its rendered form."""

    result: PassageResult
    section: PackSection
    tokens: int


@attrs.frozen(kw_only=True)
class PackClaim:
    """A claim in a pack with the keys of the sub-goals it proves; *tokens* counts its rendered form."""

    result: ClaimResult
    covers: frozenset[str]
    tokens: int


@attrs.frozen(kw_only=True)
class PackEvidence:
    """
    What somebody said that made no claim.

    Attributes:
        result: The passage it is cut from.
        text: The sentences of it that are told, verbatim.
        covers: Keys of the sub-goals it speaks of.
        tokens: Of its rendered form.
    """

    result: EvidenceResult
    text: str
    covers: frozenset[str]
    tokens: int


@attrs.frozen(kw_only=True)
class PackConflict:
    """Claims that cannot all hold and none of which has won: always shown together."""

    claims: tuple[Claim, ...]
    reason: str


@attrs.frozen(kw_only=True)
class Exclusion:
    """Something that was considered and left out, and why."""

    id: str
    reason: str


@attrs.frozen(kw_only=True)
class ContextPack:
    """
    What a task needs to know, within a budget.

    Attributes:
        task: As asked, redacted.
        preference: How the search was shaped, and why.
        subgoals: In order of weight; the uncovered ones are the gaps.
        claims: The smallest proven set that covers what claims can cover, in the order of choice.
        evidence: What was said besides, which nobody checked, best first.
        passages: In reading order: multi-granular ones, then chunks, best first.
        files: Paths the task is about with their scores, best first, by the graph; empty without one.
        conflicts: Both sides of every conflict among the claims.
        gaps: Goals that nothing covers.
        exclusions: What was considered and left out, by id.
        verification: What to run or look at before relying on the pack.
        tokens: Tokens of the rendered pack, never above *budget*.
        budget: Tokens asked for.
        hash: Of the content: the same store and task give the same hash.
        text: The pack as an agent reads it.
        signals: "hybrid", or "lexical only" with the reason.
        coverage: Per index.
        indexed_at: When the index was last brought up to date; ``None`` when it never was.
        is_complete: Whether that run finished.
    """

    task: str
    preference: GranularityPreference
    subgoals: tuple[CoveredGoal, ...]
    claims: tuple[PackClaim, ...]
    evidence: tuple[PackEvidence, ...]
    passages: tuple[PackPassage, ...]
    files: tuple[tuple[str, float], ...]
    conflicts: tuple[PackConflict, ...]
    gaps: tuple[str, ...]
    exclusions: tuple[Exclusion, ...]
    verification: tuple[str, ...]
    tokens: int
    budget: int
    hash: str
    text: str
    signals: str
    coverage: Mapping[str, IndexCoverage]
    indexed_at: datetime | None
    is_complete: bool
