"""Claims: atomic typed assertions, their slots and links."""

from datetime import datetime
from enum import StrEnum

import attrs

from pckc_domain.model.proof import AuthorityClass, Proof
from pckc_domain.model.scope import Branch


class ClaimType(StrEnum):
    """What a claim asserts. The first eight come from sessions, the rest from curated knowledge."""

    FACT = "fact"
    DECISION = "decision"
    TASK = "task"
    CONSTRAINT = "constraint"
    BUG = "bug"
    FIX = "fix"
    IMPLEMENTATION_DETAIL = "implementation_detail"
    OPEN_QUESTION = "open_question"
    DEFINITION = "definition"
    LOGICAL_RULE = "logical_rule"
    CODE = "code"
    TABLE = "table"
    TEXT = "text"


class Polarity(StrEnum):
    """Whether a claim affirms or denies."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class ClaimStatus(StrEnum):
    """What is known of a claim."""

    CANDIDATE = "candidate"
    VERIFIED = "verified"
    STALE = "stale"
    CONTESTED = "contested"


class Governance(StrEnum):
    """What a person decided about a claim."""

    ACTIVE = "active"
    PINNED = "pinned"
    ARCHIVED = "archived"
    REJECTED = "rejected"


VISIBLE = frozenset({Governance.ACTIVE, Governance.PINNED})
"""What answers show; archived and rejected claims are looked at by name only."""


@attrs.frozen(kw_only=True)
class Claim:
    """
    An atomic typed assertion.

    Attributes:
        id: Hash of type, slot, condition, normalised value, polarity, normalised text and first event.
        type: What it asserts.
        subject: The thing spoken of (path, symbol, setting, component); ``""`` when none was found.
        attribute: What is said of the subject; ``""`` when none was found.
        value: The slot's value, normalised for comparison.
        polarity: Whether it affirms or denies.
        condition: When or where alone it holds, such as ``in tests``; ``""`` when it holds without limit.
        path: File whose content it states; ``""`` when it speaks of none in particular.
        text: The assertion in its own words, redacted.
        confidence: From the extraction rule that fired, 0 to 1.
        importance: 0 to 1.
        authority: Strongest authority among its verified proofs.
        status: What is known of it.
        status_reason: Why, in one sentence; ``""`` when plain.
        governance: What a person decided.
        is_standing: A standing rule: every compiled context considers it.
        valid_from: When it began to hold: the event's time, aware UTC.
        valid_to: When it stopped; ``None`` while it holds.
        recorded_at: When the store came to know it.
        superseded_by: The claim that replaced it; ``""`` when none did.
        session_id: Session it comes from; ``""`` when none.
        episode_id: Episode it comes from; ``""`` when none.
        document_id: Document it comes from; ``""`` when none.
        event_id: Event it comes from; ``""`` when none.
        branch: Branch provenance.
        terms: Extra search terms.
    """

    id: str
    type: ClaimType
    subject: str = ""
    attribute: str = ""
    value: str = ""
    polarity: Polarity = Polarity.POSITIVE
    condition: str = ""
    path: str = ""
    text: str
    confidence: float
    importance: float
    authority: AuthorityClass
    status: ClaimStatus
    status_reason: str = ""
    governance: Governance = Governance.ACTIVE
    is_standing: bool = False
    valid_from: datetime
    valid_to: datetime | None = None
    recorded_at: datetime
    superseded_by: str = ""
    session_id: str = ""
    episode_id: str = ""
    document_id: str = ""
    event_id: str = ""
    branch: Branch = attrs.field(factory=Branch)
    terms: str = ""

    @property
    def is_said(self) -> bool:
        """Whether a session or a document makes it, rather than the repository alone."""
        return bool(self.session_id or self.document_id)


class LinkKind(StrEnum):
    """How one claim bears on another."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CONFIRMS = "confirms"
    DEPENDS_ON = "depends_on"
    DERIVED_FROM = "derived_from"
    INFERENCE = "inference"
    CAUSE = "cause"
    REFERENCE = "reference"
    CALLS = "calls"
    DEFINES = "defines"
    FIXES = "fixes"
    QUALIFIES = "qualifies"


@attrs.frozen(kw_only=True)
class Link:
    """A directed relation between claims; *source_rule* names the rule or model that made it."""

    source_id: str
    target_id: str
    kind: LinkKind
    confidence: float
    source_rule: str
    is_inferred: bool = False


@attrs.frozen(kw_only=True)
class GovernanceAct:
    """One entry of a claim's append-only governance history."""

    claim_id: str
    at: datetime
    before: Governance
    after: Governance
    actor: str
    reason: str


@attrs.frozen(kw_only=True)
class Rejection:
    """Why an event's text did not become a claim."""

    session_id: str
    event_id: str
    seq: int
    rule: str
    reason: str
    excerpt: str


@attrs.frozen(kw_only=True)
class Candidate:
    """
    What one rule read in one event, before the belief gate.

    Attributes:
        type: What it asserts.
        subject: See `Claim`.
        attribute: See `Claim`.
        value: See `Claim`.
        polarity: See `Claim`.
        condition: See `Claim`.
        path: See `Claim`.
        text: The sentence, verbatim.
        start: First character within the event's text of what vouches for it.
        end: One past the last character.
        rule: Name of the rule.
        confidence: The rule's constant.
        importance: The type's constant.
        is_standing: See `Claim`.
        valid_from: A date that the text states; ``None`` when it states none.
    """

    type: ClaimType
    subject: str = ""
    attribute: str = ""
    value: str = ""
    polarity: Polarity = Polarity.POSITIVE
    condition: str = ""
    path: str = ""
    text: str
    start: int
    end: int
    rule: str
    confidence: float
    importance: float
    is_standing: bool = False
    valid_from: datetime | None = None


@attrs.frozen(kw_only=True)
class Assertion:
    """
    A claim as one event made it, never changed afterwards.

    Attributes:
        claim: The claim.
        proof: Its own proof; ``observed_at`` is the event's time.
        seq: The event's position in its session.
        start: First character of the proof within the event's text.
    """

    claim: Claim
    proof: Proof
    seq: int = 0
    start: int = 0


@attrs.frozen(kw_only=True)
class Beliefs:
    """What the assertions of one slot amount to, each part in order of event time."""

    claims: tuple[Claim, ...] = ()
    proofs: tuple[Proof, ...] = ()
    links: tuple[Link, ...] = ()
