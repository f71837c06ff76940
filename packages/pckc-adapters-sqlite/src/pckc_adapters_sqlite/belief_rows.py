"""Values of the session side to rows and back. Rows follow the column order in ``belief_queries``."""

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import attrs
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.claim import (
    Assertion,
    Claim,
    ClaimStatus,
    ClaimType,
    Governance,
    GovernanceAct,
    Link,
    LinkKind,
    Polarity,
    Rejection,
)
from pckc_domain.model.proof import AuthorityClass, Proof, ProofType, VerificationStatus
from pckc_domain.model.session import Episode, Event, EventKind, Evidence, Session

from pckc_adapters_sqlite.connection import Row
from pckc_adapters_sqlite.rows import branch, branch_row, clean, instant, microseconds

Key = TypeVar("Key", bound=Hashable)

# Looked up faster than the enumerations are called: a row of a claim has seven.
_EVENT_KINDS = {str(each): each for each in EventKind}
_TYPES = {str(each): each for each in ClaimType}
_POLARITIES = {str(each): each for each in Polarity}
_AUTHORITIES = {str(each): each for each in AuthorityClass}
_STATUSES = {str(each): each for each in ClaimStatus}
_GOVERNANCE = {str(each): each for each in Governance}
_VERIFICATIONS = {str(each): each for each in VerificationStatus}
_PROOF_TYPES = {str(each): each for each in ProofType}

CLAIM_WIDTH = 29
RECORDED_AT = 18
"""Place of ``recorded_at`` in a claim's row."""

SEARCHED = slice(1, 5), slice(8, 9), slice(28, 29)
"""Places of what a claim's full-text entry is made of: type, subject, attribute and value, text, terms."""


def changes(stored: Mapping[Key, Row], wanted: Mapping[Key, Row]) -> tuple[list[Key], dict[Key, Row]]:
    """Return the keys that vanish and the rows that must be written to turn *stored* into *wanted*."""
    gone = [key for key in stored if key not in wanted]
    return gone, {key: row for key, row in wanted.items() if stored.get(key) != row}


def optional_microseconds(time: datetime | None) -> int | None:
    """Return *time* as ``microseconds`` does."""
    return None if time is None else microseconds(time)


def optional_instant(time: int | None) -> datetime | None:
    """Read ``optional_microseconds`` back."""
    return None if time is None else instant(time)


def session_row(session: Session) -> Row:
    """Columns id to title of a session."""
    return (
        session.id,
        clean(session.source_id),
        session.host,
        optional_microseconds(session.started_at),
        optional_microseconds(session.ended_at),
        clean(session.cwd),
        *branch_row(session.branch),
        session.parent_id,
        clean(session.title),
    )


def session(row: Sequence[Any]) -> Session:
    """Read ``session_row`` back."""
    return Session(
        id=row[0],
        source_id=row[1],
        host=row[2],
        started_at=optional_instant(row[3]),
        ended_at=optional_instant(row[4]),
        cwd=row[5],
        branch=branch(row[6:10]),
        parent_id=row[10],
        title=row[11],
    )


def event_row(event: Event, seq: int) -> Row:
    """Columns seq to is_replay of an event."""
    return (
        seq,
        event.id,
        event.kind.value,
        optional_microseconds(event.time),
        clean(event.text),
        clean(event.speaker),
        clean(event.tool),
        event.exit_code,
        clean(event.path),
        clean(event.branch),
        clean(event.source_id),
        int(event.is_sidechain),
        int(event.is_replay),
    )


def event(session_id: str, row: Sequence[Any]) -> Event:
    """Read ``event_row`` back."""
    return Event(
        session_id=session_id,
        seq=row[0],
        id=row[1],
        kind=_EVENT_KINDS[row[2]],
        time=optional_instant(row[3]),
        text=row[4],
        speaker=row[5],
        tool=row[6],
        exit_code=row[7],
        path=row[8],
        branch=row[9],
        source_id=row[10],
        is_sidechain=bool(row[11]),
        is_replay=bool(row[12]),
    )


def episode_row(episode: Episode) -> Row:
    """Columns id to ended_at of an episode; nothing reads them back but SQL."""
    return (
        episode.id,
        episode.session_id,
        episode.kind.value,
        episode.first_seq,
        episode.last_seq,
        optional_microseconds(episode.started_at),
        optional_microseconds(episode.ended_at),
    )


def evidence_row(evidence: Evidence) -> Row:
    """Columns id to terms of an evidence passage."""
    return (
        evidence.id,
        evidence.session_id,
        evidence.episode_id,
        evidence.event_id,
        evidence.seq,
        clean(evidence.source_id),
        evidence.kind.value,
        clean(evidence.speaker),
        optional_microseconds(evidence.time),
        clean(evidence.text),
        evidence.start,
        evidence.end,
        clean(evidence.terms),
    )


def evidence(row: Sequence[Any]) -> Evidence:
    """Read ``evidence_row`` back."""
    return Evidence(
        id=row[0],
        session_id=row[1],
        episode_id=row[2],
        event_id=row[3],
        seq=row[4],
        source_id=row[5],
        kind=_EVENT_KINDS[row[6]],
        speaker=row[7],
        time=optional_instant(row[8]),
        text=row[9],
        start=row[10],
        end=row[11],
        terms=row[12],
    )


def claim_row(claim: Claim) -> Row:
    """Columns id to terms of a claim."""
    return (
        claim.id,
        claim.type.value,
        clean(claim.subject),
        clean(claim.attribute),
        clean(claim.value),
        claim.polarity.value,
        clean(claim.condition),
        clean(claim.path),
        clean(claim.text),
        claim.confidence,
        claim.importance,
        claim.authority.value,
        claim.status.value,
        clean(claim.status_reason),
        claim.governance.value,
        int(claim.is_standing),
        microseconds(claim.valid_from),
        optional_microseconds(claim.valid_to),
        microseconds(claim.recorded_at),
        claim.superseded_by,
        claim.session_id,
        claim.episode_id,
        claim.document_id,
        claim.event_id,
        *branch_row(claim.branch),
        clean(claim.terms),
    )


def claim(row: Sequence[Any]) -> Claim:
    """Read ``claim_row`` back."""
    return Claim(
        id=row[0],
        type=_TYPES[row[1]],
        subject=row[2],
        attribute=row[3],
        value=row[4],
        polarity=_POLARITIES[row[5]],
        condition=row[6],
        path=row[7],
        text=row[8],
        confidence=row[9],
        importance=row[10],
        authority=_AUTHORITIES[row[11]],
        status=_STATUSES[row[12]],
        status_reason=row[13],
        governance=_GOVERNANCE[row[14]],
        is_standing=bool(row[15]),
        valid_from=instant(row[16]),
        valid_to=optional_instant(row[17]),
        recorded_at=instant(row[RECORDED_AT]),
        superseded_by=row[19],
        session_id=row[20],
        episode_id=row[21],
        document_id=row[22],
        event_id=row[23],
        branch=branch(row[24:28]),
        terms=row[28],
    )


def stored_claim(row: Sequence[Any]) -> StoredClaim:
    """Read the columns slot and stale_reason and those of a claim."""
    slot, stale_reason = row[:2]
    settled = claim(row[2:])
    if stale_reason:
        settled = attrs.evolve(settled, status=ClaimStatus.STALE, status_reason=stale_reason)
    return StoredClaim(claim=settled, slot=slot)


def proof_row(proof: Proof) -> Row:
    """Columns id to observed_at of a proof."""
    return (
        proof.id,
        proof.authority.value,
        proof.verification.value,
        proof.type.value,
        clean(proof.source_ref),
        clean(proof.excerpt),
        proof.digest,
        microseconds(proof.observed_at),
    )


def proof(claim_id: str, row: Sequence[Any]) -> Proof:
    """Read ``proof_row`` back."""
    return Proof(
        id=row[0],
        claim_id=claim_id,
        authority=_AUTHORITIES[row[1]],
        verification=_VERIFICATIONS[row[2]],
        type=_PROOF_TYPES[row[3]],
        source_ref=row[4],
        excerpt=row[5],
        digest=row[6],
        observed_at=instant(row[7]),
    )


def assertion_row(slot: str, assertion: Assertion, recorded_at: int | None) -> Row:
    """Columns slot to proof_observed_at of an assertion, known since *recorded_at* when that is given."""
    columns = claim_row(assertion.claim)
    if recorded_at is not None:
        columns = (*columns[:RECORDED_AT], recorded_at, *columns[RECORDED_AT + 1 :])
    return (slot, assertion.seq, assertion.start, *columns, *proof_row(assertion.proof))


def assertion(row: Sequence[Any]) -> Assertion:
    """Read ``assertion_row`` back."""
    said = claim(row[3 : 3 + CLAIM_WIDTH])
    return Assertion(claim=said, proof=proof(said.id, row[3 + CLAIM_WIDTH :]), seq=row[1], start=row[2])


def rejection_row(rejection: Rejection) -> Row:
    """Columns session_id to excerpt of a rejection."""
    return (
        rejection.session_id,
        rejection.event_id,
        rejection.seq,
        rejection.rule,
        clean(rejection.reason),
        clean(rejection.excerpt),
    )


def rejection(row: Sequence[Any]) -> Rejection:
    """Read ``rejection_row`` back."""
    return Rejection(session_id=row[0], event_id=row[1], seq=row[2], rule=row[3], reason=row[4], excerpt=row[5])


def link_row(slot: str, link: Link, keys: Mapping[str, int]) -> Row:
    """Columns source_key to is_inferred of a link between claims with these keys."""
    return (
        keys[link.source_id],
        keys[link.target_id],
        link.kind.value,
        slot,
        link.confidence,
        clean(link.source_rule),
        int(link.is_inferred),
    )


def link(row: Sequence[Any]) -> Link:
    """Read the ids of both ends and the columns kind to is_inferred."""
    return Link(
        source_id=row[0],
        target_id=row[1],
        kind=LinkKind(row[2]),
        confidence=row[3],
        source_rule=row[4],
        is_inferred=bool(row[5]),
    )


def act_row(act: GovernanceAct) -> Row:
    """Columns claim_id to reason of an act."""
    return (
        act.claim_id,
        microseconds(act.at),
        act.before.value,
        act.after.value,
        clean(act.actor),
        clean(act.reason),
    )


def act(row: Sequence[Any]) -> GovernanceAct:
    """Read ``act_row`` back."""
    return GovernanceAct(
        claim_id=row[0],
        at=instant(row[1]),
        before=Governance(row[2]),
        after=Governance(row[3]),
        actor=row[4],
        reason=row[5],
    )
