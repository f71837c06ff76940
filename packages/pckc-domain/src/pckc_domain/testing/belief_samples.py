"""Values of the session side for the contract suites."""

from datetime import timedelta
from typing import Any

import attrs

from pckc_domain.model.claim import (
    Assertion,
    Claim,
    ClaimStatus,
    ClaimType,
    Governance,
    GovernanceAct,
    Link,
    LinkKind,
    Rejection,
)
from pckc_domain.model.identity import content_id, digest
from pckc_domain.model.proof import AuthorityClass, EventLocator, Proof, ProofType, VerificationStatus
from pckc_domain.model.scope import Branch, BranchScope
from pckc_domain.model.session import Episode, EpisodeKind, Event, EventKind, Evidence, Session
from pckc_domain.testing.samples import TIME


def session(name: str = "one", **changes: Any) -> Session:
    """Return a session."""
    base = Session(
        id=content_id("ses", name),
        source_id=name,
        host="plain",
        started_at=TIME,
        ended_at=TIME + timedelta(hours=1),
        cwd="/trees/one",
        branch=Branch(name="main", scope=BranchScope.MAINLINE),
        title=f"Session {name}",
    )
    return attrs.evolve(base, **changes)


def event(of: Session, seq: int = 0, text: str = "Use the parser.", **changes: Any) -> Event:
    """Return an event of *of*; its id comes from its text, so that another session may replay it."""
    base = Event(
        id=content_id("evt", text),
        session_id=of.id,
        seq=seq,
        kind=EventKind.PROMPT,
        time=TIME + timedelta(minutes=seq),
        text=text,
    )
    return attrs.evolve(base, **changes)


def episode(of: Session, number: int = 0, **changes: Any) -> Episode:
    """Return an episode of *of*."""
    base = Episode(
        id=content_id("epi", of.id, str(number)),
        session_id=of.id,
        kind=EpisodeKind.CONVERSATION,
        first_seq=10 * number,
        last_seq=10 * number + 9,
        started_at=TIME,
        ended_at=None,
    )
    return attrs.evolve(base, **changes)


def evidence(of: Event, within: Episode, **changes: Any) -> Evidence:
    """Return the whole text of an event as evidence."""
    base = Evidence(
        id=content_id("evd", of.id, "0"),
        session_id=of.session_id,
        episode_id=within.id,
        event_id=of.id,
        seq=of.seq,
        source_id=of.source_id,
        kind=of.kind,
        speaker=of.speaker,
        time=of.time,
        text=of.text,
        start=0,
        end=len(of.text),
    )
    return attrs.evolve(base, **changes)


def claim(text: str = "The parser is strict.", **changes: Any) -> Claim:
    """Return a claim; its id comes from its text."""
    base = Claim(
        id=content_id("claim", text),
        type=ClaimType.DECISION,
        text=text,
        confidence=0.875,
        importance=0.1,
        authority=AuthorityClass.USER_CONFIRMED,
        status=ClaimStatus.VERIFIED,
        valid_from=TIME,
        recorded_at=TIME + timedelta(days=1),
        session_id=session().id,
        branch=Branch(name="main", scope=BranchScope.MAINLINE),
    )
    return attrs.evolve(base, **changes)


def proof(of: Claim, name: str = "said", **changes: Any) -> Proof:
    """Return a proof of *of*, in an event of its session."""
    source_ref = str(EventLocator(session_id=of.session_id, seq=3, start=0, end=len(of.text)))
    base = Proof(
        id=content_id("proof", of.id, name),
        claim_id=of.id,
        authority=of.authority,
        verification=VerificationStatus.VERIFIED,
        type=ProofType.SESSION_EVENT,
        source_ref=source_ref,
        excerpt=of.text,
        digest=digest(of.text),
        observed_at=of.valid_from,
    )
    return attrs.evolve(base, **changes)


def assertion(of: Claim, seq: int = 0, **changes: Any) -> Assertion:
    """Return the assertion of *of*."""
    return attrs.evolve(Assertion(claim=of, proof=proof(of), seq=seq, start=2), **changes)


def link(source: Claim, target: Claim, kind: LinkKind = LinkKind.SUPERSEDES) -> Link:
    """Return a link."""
    return Link(
        source_id=source.id, target_id=target.id, kind=kind, confidence=0.625, source_rule=f"sample.{kind.value}"
    )


def act(of: Claim, after: Governance = Governance.PINNED, reason: str = "so I say", **changes: Any) -> GovernanceAct:
    """Return a decision about *of*."""
    base = GovernanceAct(claim_id=of.id, at=TIME, before=Governance.ACTIVE, after=after, actor="someone", reason=reason)
    return attrs.evolve(base, **changes)


def rejection(of: Session, seq: int = 0, rule: str = "gate.hedged", excerpt: str = "might be") -> Rejection:
    """Return why a text of *of* did not become a claim."""
    return Rejection(
        session_id=of.id, event_id=content_id("evt", str(seq)), seq=seq, rule=rule, reason="hedged", excerpt=excerpt
    )
