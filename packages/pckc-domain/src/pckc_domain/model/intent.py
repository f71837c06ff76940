"""What a task wants, and how a search is shaped by it."""

from enum import StrEnum

import attrs

from pckc_domain.model.passage import Layer, PropositionType


class TaskIntent(StrEnum):
    """What a caller is about to do."""

    BUG_FIX = "bug_fix"
    TEST_FAILURE = "test_failure"
    REFACTOR = "refactor"
    FEATURE_IMPLEMENTATION = "feature_implementation"
    ARCHITECTURE_REVIEW = "architecture_review"
    CODE_EXPLANATION = "code_explanation"
    REPOSITORY_ONBOARDING = "repository_onboarding"
    WORKFLOW_QUESTION = "workflow_question"
    DOCUMENTATION = "documentation"
    TRIVIAL_EDIT = "trivial_edit"
    UNKNOWN = "unknown"


class ExpansionPolicy(StrEnum):
    """What a hit grows into."""

    PARAGRAPH_EXPAND = "paragraph_expand"
    SUMMARY_OVERVIEW = "summary_overview"
    ATOMIC_ONLY = "atomic_only"


@attrs.frozen(kw_only=True)
class GranularityPreference:
    """
    How to search for an intent.

    Attributes:
        intent: The intent that was decided on.
        preferred_layers: In order of preference; these and no others are searched.
        expansion_policy: What hits grow into.
        proposition_types: Types that earn the type bonus and, for propositions, pass the filter; empty means all.
        reason: Why this intent and these layers, in one sentence.
    """

    intent: TaskIntent
    preferred_layers: tuple[Layer, ...]
    expansion_policy: ExpansionPolicy
    proposition_types: frozenset[PropositionType] = frozenset()
    reason: str
