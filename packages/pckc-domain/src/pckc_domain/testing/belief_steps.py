"""Values and steps that the contract suites of the session side share."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeVar

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, ClaimType, Governance, Polarity
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Branch, BranchScope, Scope
from pckc_domain.model.session import Event, Evidence, Session
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    episode,
    event,
    evidence,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.samples import SCOPE, TIME

OTHER = Scope(tenant="local", project="another")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ONE, TWO = session("one"), session("two", started_at=None, ended_at=None, branch=Branch(), cwd="", title="")
OLD = claim("Use Postgres.", valid_to=TIME + timedelta(days=1))
NEW = claim("Use SQLite.", valid_from=TIME + timedelta(days=1), session_id=TWO.id)
SLOT = "slot_database"

Named = TypeVar("Named", Session, Claim)


def full_claim() -> Claim:
    """Return a claim with every field set."""
    return claim(
        "Сервер: ✓ \x00 end",
        type=ClaimType.OPEN_QUESTION,
        subject="s",
        attribute="a",
        value="v",
        polarity=Polarity.NEGATIVE,
        condition="in tests",
        path="src/é.py",
        status=ClaimStatus.CONTESTED,
        status_reason="why",
        governance=Governance.ARCHIVED,
        is_standing=True,
        valid_to=TIME + timedelta(days=2),
        superseded_by=NEW.id,
        episode_id="epi_x",
        document_id="doc_x",
        event_id="evt_x",
        branch=Branch(name="ветка", scope=BranchScope.CURRENT, source_revision="git:abc", commit_sha="abc"),
        terms="terma termb",
    )


def by_id(values: Sequence[Named]) -> list[Named]:
    """Return *values* by id."""
    return sorted(values, key=lambda value: value.id)


def stored(of: Claim, slot: str = SLOT) -> StoredClaim:
    """Return *of* as the store has it."""
    return StoredClaim(claim=of, slot=slot)


def put(canonical: Canonical, of: Session, *events: Event, scope: Scope = SCOPE) -> Sequence[str]:
    """Store a session and events in one commit."""
    with canonical.writing(scope) as work:
        return work.sessions.put(of, events)


def replace(canonical: Canonical, of: Session, *found: Evidence, scope: Scope = SCOPE) -> None:
    """Make *found* the session's evidence, in the first two episodes as far as they are named."""
    episodes = [episode(of, number) for number in range(2)]
    named = {each.episode_id for each in found}
    with canonical.writing(scope) as work:
        work.evidence.replace(of.id, [each for each in episodes if each.id in named], found)


def derive(canonical: Canonical, of: Session, *texts: str, scope: Scope = SCOPE) -> None:
    """Make *texts* the session's evidence."""
    found = [evidence(event(of, seq, text), episode(of)) for seq, text in enumerate(texts)]
    replace(canonical, of, *found, scope=scope)


def assert_(
    canonical: Canonical, by_slot: dict[str, list[Assertion]], *, owner: str = ONE.id, scope: Scope = SCOPE
) -> frozenset[str]:
    """Replace an owner's assertions."""
    with canonical.writing(scope) as work:
        return work.assertions.replace(owner, by_slot)


def settle(
    canonical: Canonical,
    *claims: Claim,
    proofs: Sequence[object] = (),
    links: Sequence[object] = (),
    slot: str = SLOT,
    scope: Scope = SCOPE,
) -> None:
    """Settle a slot."""
    beliefs = Beliefs(claims=claims, proofs=tuple(proofs), links=tuple(links))  # type: ignore[arg-type]  # of samples
    with canonical.writing(scope) as work:
        work.claims.settle({slot: beliefs})


def fill(canonical: Canonical) -> None:
    """Store something of every kind."""
    put(canonical, ONE, event(ONE))
    derive(canonical, ONE, "some text")
    assert_(canonical, {SLOT: [assertion(OLD)]})
    settle(canonical, OLD, proofs=[proof(OLD)])
    with canonical.writing(SCOPE) as work:
        work.rejections.replace(ONE.id, [rejection(ONE)])
        work.governance.append(act(OLD))
        work.imports.remember("/a", TranscriptPosition(offset=1))


def holdings(canonical: Canonical, scope: Scope) -> list[object]:
    """Return everything of the samples that a scope holds."""
    with canonical.reading(scope) as work:
        return [
            work.sessions.find(limit=99),
            work.sessions.events(ONE.id),
            work.sessions.events(TWO.id),
            work.evidence.of_episodes([episode(ONE).id]),
            work.assertions.of_slots([SLOT]),
            work.rejections.find(limit=99),
            work.claims.find(where=ClaimFilter(), limit=99),
            work.proofs.of([OLD.id, NEW.id]),
            work.governance.of([OLD.id, NEW.id]),
            work.imports.position("/a"),
        ]


def check(canonical: Canonical, of: Claim, reason: str) -> None:
    """Note a check."""
    with canonical.writing(SCOPE) as work:
        work.claims.note_check(of.id, stale_reason=reason)


def underived(canonical: Canonical) -> set[str]:
    """Return the sessions that must be derived."""
    with canonical.reading(SCOPE) as work:
        return {each.id for each in work.sessions.find(limit=99, is_underived=True)}


def evidence_found(canonical: Canonical, query: LexicalQuery) -> set[str]:
    """Return the ids of all evidence found."""
    with canonical.reading(SCOPE) as work:
        return {hit.evidence.id for hit in work.evidence.search(query, where=EvidenceFilter(), limit=99)}


def claims_found(
    canonical: Canonical, query: LexicalQuery, where: ClaimFilter | None = None, *, limit: int = 99
) -> set[str]:
    """Return the ids of all claims found by words."""
    with canonical.reading(SCOPE) as work:
        return {hit.stored.claim.id for hit in work.claims.search(query, where=where or ClaimFilter(), limit=limit)}


def found_with(canonical: Canonical, where: ClaimFilter) -> set[str]:
    """Return the ids of all claims that pass a filter."""
    with canonical.reading(SCOPE) as work:
        return {each.claim.id for each in work.claims.find(where=where, limit=99)}


def changes(canonical: Canonical) -> list[tuple[OutboxKind, str, str]]:
    """Return everything the vector projection has not seen, but for changes of links alone."""
    with canonical.reading(SCOPE) as work:
        pending = work.outbox.pending("vector", limit=1000, kinds=frozenset(OutboxKind) - {OutboxKind.LINK})
        return [(e.kind, e.entity_id, e.operation.value) for e in pending]


def relinked(canonical: Canonical) -> list[str]:
    """Return the claims whose changed links the vector projection has not seen."""
    with canonical.reading(SCOPE) as work:
        return [e.entity_id for e in work.outbox.pending("vector", limit=1000, kinds=[OutboxKind.LINK])]


def see(canonical: Canonical) -> None:
    """Let the vector projection see everything."""
    with canonical.writing(SCOPE) as work:
        for each in work.outbox.pending("vector", limit=1000):
            work.outbox.advance("vector", each.seq)
