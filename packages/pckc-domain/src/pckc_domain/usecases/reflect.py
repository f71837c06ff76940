"""
What an agent wants remembered.

A model's word is only a candidate. It becomes belief when the evidence that the agent names exists and says so: words
of a person or output of a tool in a session, lines of a file, a passed test. Every item is a session of its own, a
child of the session whose evidence it names, so that erasing either erases it.
"""

from collections.abc import Sequence
from datetime import datetime

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import MAX_CLAIM_CHARACTERS, MAX_NAME_CHARACTERS, check_length
from pckc_domain.model.claim import Assertion, Candidate, Claim, ClaimStatus, ClaimType, Polarity
from pckc_domain.model.identity import content_id, digest, normalize
from pckc_domain.model.proof import (
    AuthorityClass,
    EventLocator,
    Locator,
    Proof,
    ProofType,
    RepositoryLocator,
    VerificationStatus,
)
from pckc_domain.model.reflection import Outcome, Reflected, Reflection
from pckc_domain.model.scope import Branch, Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.belief_gate import (
    DURABLE,
    UNCONFIRMED,
    authority_of,
    proof_type_of,
    rejection,
    why_not_admitted,
)
from pckc_domain.policy.claim_length import check_claim
from pckc_domain.policy.code_rules import passes
from pckc_domain.policy.evidence import PASSAGE_CHARACTERS, own_text, why_not_evidence
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.reflection import names, rule_in, why_not_said
from pckc_domain.policy.slots import slot_key
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.usecases.session_graph import keep_sessions, stored_session_files
from pckc_domain.usecases.settling import settle
from pckc_domain.usecases.working_file import open_working_file

REFLECTION_HOST = "reflection"
"""Host of the sessions that items are kept in."""

CONFIDENCE = 0.8
IMPORTANCE = 0.6
MAX_FILE_LINES = 60
_TESTABLE = frozenset({ClaimType.FIX, ClaimType.IMPLEMENTATION_DETAIL})


@attrs.frozen(kw_only=True)
class _Witness:
    """A place that says so: who vouches, the words, and when they were said; lines of a file were always there."""

    authority: AuthorityClass
    type: ProofType
    locator: Locator
    words: str
    at: datetime | None = None
    session_id: str = ""


class Reflector:
    """Remembers what an agent hands over, as far as its evidence goes."""

    def __init__(self, canonical: Canonical, source: RepositorySource, clock: Clock) -> None:
        self._canonical = canonical
        self._source = source
        self._clock = clock

    def write(
        self, scope: Scope, items: Sequence[Reflection], *, session_id: str = "", branch: Branch | None = None
    ) -> tuple[Reflected, ...]:
        """
        Remember *items* and say of each, in order, what became of it; the same item twice is one claim.

        Raises:
            InvalidInputError: *session_id* is longer than the id of any session.
        """
        check_length("the session's id", session_id, MAX_NAME_CHARACTERS, remedy="give the id that the session got")
        return tuple(self._write(scope, _clean(item), session_id, branch or Branch()) for item in items)

    def _write(self, scope: Scope, item: Reflection, session_id: str, branch: Branch) -> Reflected:
        if reason := _why_refused(item):
            return Reflected(text=item.text[:MAX_CLAIM_CHARACTERS], outcome=Outcome.REJECTED, reason=reason)
        with self._canonical.writing(scope) as work:
            witnesses, doubts = self._witnesses(work, item, session_id)
            best = max(witnesses, key=lambda one: one.authority is AuthorityClass.REPOSITORY_DERIVED, default=None)
            session = _session(scope, item, (best and best.session_id) or session_id, branch)
            event = _event(session, item, self._clock.now())
            if known := work.sessions.get([session.id]):
                session, event = known[0], work.sessions.events(session.id)[0]
            assertion = self._assertion(session, event, item, best)
            work.sessions.put(session, [event])
            work.evidence.replace(session.id, (), ())
            refusals = (
                [] if best else [rejection(event, rule="gate.model_inferred", reason=UNCONFIRMED, excerpt=item.text)]
            )
            work.rejections.replace(session.id, refusals)
            slot = slot_key(assertion.claim)
            changed = work.assertions.replace(session.id, {slot: [assertion]})
            settle(work, changed)
            keep_sessions(work, stored_session_files(work, [session]), at=self._clock.now())
            claim_id = _standing_for(work, assertion)
        return Reflected(
            text=item.text,
            outcome=Outcome.ADMITTED if best else Outcome.CANDIDATE,
            reason=f"{best.type}: {best.words[:120]}" if best else "; ".join([UNCONFIRMED, *doubts]),
            claim_id=claim_id,
            authority=assertion.claim.authority,
            source_ref=assertion.proof.source_ref,
        )

    def _witnesses(self, work: UnitOfWork, item: Reflection, session_id: str) -> tuple[list[_Witness], list[str]]:
        """Return the places that say so, and why the others named do not."""
        found: list[_Witness | str] = []
        if item.path and item.start_line:
            found.append(self._in_file(item))
        if item.event_ids:
            found += [self._in_event(work, item, session_id, name) for name in item.event_ids]
        elif item.quote and session_id:
            found.append(self._in_prompts(work, item, session_id))
        return (
            [one for one in found if isinstance(one, _Witness)],
            [one for one in found if isinstance(one, str)],
        )

    def _in_file(self, item: Reflection) -> _Witness | str:
        file = open_working_file(self._source, item.path)
        if file.is_gone:
            return f"{item.path} cannot be read: {file.reason}"
        end = max(item.start_line, item.end_line)
        if item.start_line < 1 or end > len(file.lines()) or end - item.start_line >= MAX_FILE_LINES:
            return f"{item.path} has no lines {item.start_line}-{end}, or they are more than {MAX_FILE_LINES}"
        words = "\n".join(file.lines()[item.start_line - 1 : end])
        if reason := why_not_said(item.text, item.value, words):
            return f"{item.path}:{item.start_line}-{end}: {reason}"
        locator = RepositoryLocator(path=item.path, blob_hash=file.blob_hash, start_line=item.start_line, end_line=end)
        return _Witness(
            authority=AuthorityClass.REPOSITORY_DERIVED,
            type=ProofType.REPOSITORY,
            locator=locator,
            words=words,
        )

    def _in_event(self, work: UnitOfWork, item: Reflection, session_id: str, name: str) -> _Witness | str:
        event = _find_event(work, session_id, name)
        if event is None:
            return f"no event {name[:80]!r} is stored in the session"
        return self._said_by(event, item)

    def _in_prompts(self, work: UnitOfWork, item: Reflection, session_id: str) -> _Witness | str:
        quote = normalize(item.quote)
        for event in work.sessions.events(session_id):
            if authority_of(event) is AuthorityClass.USER_CONFIRMED and quote in normalize(event.text):
                return self._said_by(event, item)
        return "nobody said the quoted words in the session"

    def _said_by(self, event: Event, item: Reflection) -> _Witness | str:
        authority = authority_of(event)
        if reason := why_not_evidence(event):
            return f"event {event.seq} is no evidence: {reason}"
        if authority is None or authority not in DURABLE:
            return f"event {event.seq} is a model's own word"
        start, end = _span(event, item.quote)
        if start == end:
            return f"event {event.seq} does not have the quoted words"
        if end - start > PASSAGE_CHARACTERS and authority is not AuthorityClass.TEST_VERIFIED:
            return f"event {event.seq} is long: quote the words that say so"
        words = event.text[start:end]
        if authority is AuthorityClass.TEST_VERIFIED:
            if reason := _why_not_tested(event, item):
                return reason
        elif reason := _hedge(item, words) or why_not_said(item.text, item.value, words):
            return f"event {event.seq}: {reason}"
        return _Witness(
            authority=authority,
            type=proof_type_of(authority),
            locator=EventLocator(session_id=event.session_id, seq=event.seq, start=start, end=end),
            words=words,
            at=event.time,
            session_id=event.session_id,
        )

    def _assertion(self, session: Session, event: Event, item: Reflection, best: _Witness | None) -> Assertion:
        said_at = (best and best.at) or event.time or self._clock.now()
        claim_id = content_id("claim", "reflection", event.id)
        own = EventLocator(session_id=session.id, seq=event.seq, start=0, end=len(event.text))
        words = best.words if best else event.text
        authority = best.authority if best else AuthorityClass.MODEL_INFERRED
        locator = str(best.locator if best else own)
        rule = rule_in(item)
        own_polarity = Polarity.NEGATIVE if item.is_negative else Polarity.POSITIVE
        named = rule or item
        claim = Claim(
            id=claim_id,
            type=item.type,
            subject=named.subject,
            attribute=named.attribute,
            value=named.value,
            polarity=rule.polarity if rule else own_polarity,
            condition=rule.condition if rule else "",
            path=item.path,
            text=item.text,
            confidence=CONFIDENCE,
            importance=IMPORTANCE,
            authority=authority,
            status=ClaimStatus.VERIFIED if best else ClaimStatus.CANDIDATE,
            is_standing=item.is_standing and (rule is None or rule.is_standing),
            valid_from=said_at,
            recorded_at=self._clock.now(),
            session_id=session.id,
            event_id=event.id,
            branch=session.branch,
            terms=index_terms(f"{named.subject} {named.attribute} {named.value} {item.text}"),
        )
        proof = Proof(
            id=content_id("proof", claim_id, locator, digest(words)),
            claim_id=claim_id,
            authority=authority,
            verification=VerificationStatus.VERIFIED if best else VerificationStatus.UNVERIFIED,
            type=best.type if best else ProofType.SESSION_EVENT,
            source_ref=locator,
            excerpt=words,
            digest=digest(words),
            observed_at=said_at,
        )
        return Assertion(claim=claim, proof=proof)


def _clean(item: Reflection) -> Reflection:
    """Redact every text, and cut the claim's own to what a claim may be."""

    def redacted(text: str) -> str:
        return redact(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")).text.strip()

    return attrs.evolve(
        item,
        text=redacted(item.text),
        subject=redacted(item.subject),
        attribute=redacted(item.attribute),
        value=redacted(item.value),
        quote=redacted(item.quote),
        path=redacted(item.path).removeprefix("./"),
    )


def _why_refused(item: Reflection) -> str:
    if not item.text:
        return "it has no text"
    try:
        check_claim(item)
    except InvalidInputError as error:
        return f"{error.message}; {error.remedy}"
    spoken = Event(id="", session_id="", seq=0, kind=EventKind.AGENT_MESSAGE, time=None, text=item.text)
    if reason := why_not_evidence(spoken):
        return reason
    if "".join(text for text, _ in own_text(spoken)) != item.text:
        return "it repeats recalled or injected text"
    return _hedge(item, item.text)


def _hedge(item: Reflection, words: str) -> str:
    candidate = Candidate(
        type=item.type,
        subject=item.subject,
        attribute=item.attribute,
        value=item.value,
        text=words,
        start=0,
        end=len(words),
        rule="rule.reflection" if item.is_standing else "reflection",
        confidence=CONFIDENCE,
        importance=IMPORTANCE,
    )
    return why_not_admitted(candidate)[1]


def _session(scope: Scope, item: Reflection, parent_id: str, branch: Branch) -> Session:
    source_id = content_id(
        "item",
        parent_id,
        item.type,
        normalize(item.subject),
        normalize(item.attribute),
        normalize(item.text),
        item.value,
    )
    return Session(
        id=content_id("session", scope.tenant, scope.project, REFLECTION_HOST, source_id),
        source_id=source_id,
        host=REFLECTION_HOST,
        started_at=None,
        parent_id=parent_id,
        branch=branch,
    )


def _event(session: Session, item: Reflection, at: datetime) -> Event:
    return Event(
        id=content_id("event", REFLECTION_HOST, session.source_id),
        session_id=session.id,
        seq=0,
        kind=EventKind.AGENT_MESSAGE,
        time=at,
        text=item.text,
    )


def _find_event(work: UnitOfWork, session_id: str, name: str) -> Event | None:
    """Find an event by the host's id, by its own, or by the id of evidence cut from it."""
    if evidence := work.evidence.get([name]):
        session_id, name = evidence[0].session_id, evidence[0].event_id
    events = work.sessions.events(session_id) if session_id else ()
    return next((event for event in events if name in (event.id, event.source_id)), None)


def _span(event: Event, quote: str) -> tuple[int, int]:
    """Return where the quote stands in the event, the whole event without one; an empty span when it is not there."""
    if not quote:
        return 0, len(event.text)
    start = event.text.casefold().find(quote.casefold())
    if start >= 0 and len(event.text) == len(event.text.casefold()):
        return start, start + len(quote)
    return (0, len(event.text)) if normalize(quote) in normalize(event.text) else (0, 0)


def _why_not_tested(event: Event, item: Reflection) -> str:
    if not passes(event):
        return f"event {event.seq} is no test run that passed"
    if item.type not in _TESTABLE:
        return "a test proves fixes and implementation details only"
    if not names(item.subject, item.path, f"{event.path} {event.text[:4_000]}"):
        return f"the test of event {event.seq} names neither its subject nor its file"
    return ""


def _standing_for(work: UnitOfWork, assertion: Assertion) -> str:
    """Return the id of the claim that the assertion is, or that it confirms."""
    if work.claims.get([assertion.claim.id]):
        return assertion.claim.id
    asserted = work.assertions.of_slots([slot := slot_key(assertion.claim)]).get(slot, ())
    ids = [one.claim.id for one in asserted]
    proofs = work.proofs.of([stored.claim.id for stored in work.claims.get(ids)])
    for claim_id, found in sorted(proofs.items()):
        if any(proof.source_ref == assertion.proof.source_ref for proof in found):
            return claim_id
    return ""
