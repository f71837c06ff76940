"""From a session's events to episodes, evidence and assertions: everything that is kept of it."""

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import attrs

from pckc_domain.model.claim import Assertion, Candidate, Claim, ClaimStatus, ClaimType, Rejection
from pckc_domain.model.identity import content_id, digest, normalize
from pckc_domain.model.proof import AuthorityClass, EventLocator, Proof, VerificationStatus
from pckc_domain.model.scope import MAINLINE_NAMES, Branch, BranchScope
from pckc_domain.model.session import Episode, Event, EventKind, Evidence, Session
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.belief_gate import (
    DURABLE,
    UNCONFIRMED,
    authority_of,
    is_human,
    proof_type_of,
    rejection,
    why_not_admitted,
)
from pckc_domain.policy.bug_attributes import BUG, is_cause
from pckc_domain.policy.claim_extraction import (
    CONTEXT_EVENTS,
    extract_candidates,
    is_spoken,
    run_candidates,
    unread_instructions,
)
from pckc_domain.policy.code_rules import passes
from pckc_domain.policy.deeds import Deeds, Runs, Seen
from pckc_domain.policy.descriptions import continued, file_in
from pckc_domain.policy.discretion import UNKEPT, asks_not_to_keep_the_last, has_unkept
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.policy.evidence import evidence_passages, why_not_evidence
from pckc_domain.policy.fix_rules import WORKS_NOW
from pckc_domain.policy.green_runs import OUTCOME, Run
from pckc_domain.policy.repairs import Repairs
from pckc_domain.policy.requests import Requests

UNTIMED = datetime(1970, 1, 1, tzinfo=UTC)
"""Time of events in a session that names no time at all: such a session never replaces what a dated one says."""

MAX_BUG_DISTANCE = 40
"""How many events after the last bug spoken of a fix without subject (`fixed it`) may still mean it."""

MIN_FIX_WORDS = 3
"""A fix without subject says something from this many words on."""

UNREAD = "it sounds like a standing instruction, but no rule reads it; searches find it as it was said"
"""Why such a sentence is no claim."""

PROMOTABLE = 16
"""How many of an agent's last candidates a passing test may promote."""

LAST_COMMAND_CHARACTERS = 1_000
"""So much of the last command is read for the names of tested files."""

_TESTABLE = frozenset({ClaimType.FIX, ClaimType.IMPLEMENTATION_DETAIL})


@attrs.frozen(kw_only=True)
class Derivation:
    """
    What a session amounts to.

    Attributes:
        episodes: Runs of one class of work, by seq.
        evidence: Verbatim passages, by seq and position.
        assertions: Claims that passed the gate, by seq and position, each with its own proof;
            `reconcile.fold.settle_slot` turns those of one slot into beliefs.
        rejections: What did not, and why, by seq.
    """

    episodes: tuple[Episode, ...]
    evidence: tuple[Evidence, ...]
    assertions: tuple[Assertion, ...]
    rejections: tuple[Rejection, ...]


def derive(session: Session, events: Sequence[Event], *, recorded_at: datetime) -> Derivation:
    """
    Return everything that is kept of *session*; linear in its events.

    Args:
        session: The session, for its branch and for the time of events that have none.
        events: Redacted, by seq, each once.
        recorded_at: When the store comes to know, aware UTC; part of no id.
    """
    episodes = segment_episodes(events)
    reader = _Reader(session, recorded_at, unkept=_unkept(events))
    ends = iter(episodes)
    episode = next(ends, None)
    for event in events:
        while episode is not None and event.seq > episode.last_seq:
            episode = next(ends, None)
        reader.read(event, episode.id if episode else "")
    reader.finish()
    return Derivation(
        episodes=episodes,
        evidence=tuple(reader.evidence),
        assertions=tuple(sorted(reader.assertions.values(), key=lambda one: (one.seq, one.start))),
        rejections=tuple(reader.rejections),
    )


def _unkept(events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of events that a later word of their speaker, all of a message, asks not to keep."""
    last: dict[str, str] = {}
    unkept: set[str] = set()
    for event in events:
        if is_human(event):
            if asks_not_to_keep_the_last(event.text):
                unkept.update(filter(None, [last.get(event.speaker)]))
            last[event.speaker] = event.id
    return frozenset(unkept)


class _Reader:
    """Reads events in order, with what the last few of them leave to be understood."""

    def __init__(self, session: Session, recorded_at: datetime, *, unkept: frozenset[str]) -> None:
        self.evidence: list[Evidence] = []
        self.assertions: dict[str, Assertion] = {}
        self.rejections: list[Rejection] = []
        self._session = session
        self._unkept = unkept
        self._recorded_at = recorded_at
        self._time = session.started_at or UNTIMED
        self._spoken: deque[Event] = deque(maxlen=CONTEXT_EVENTS)
        self._bug: tuple[str, int, str] | None = None
        self._unproven: deque[Assertion] = deque(maxlen=PROMOTABLE)
        self._last_command = ""
        self._deeds = Deeds()
        self._runs = Runs(session.cwd)
        self._requests = Requests()
        self._repairs = Repairs()

    def read(self, event: Event, episode_id: str) -> None:
        for deed in self._deeds.settled_by(event):
            self._extract(deed)
        reason = UNKEPT if event.id in self._unkept else why_not_evidence(event)
        if reason:
            rule = "gate.kind" if authority_of(event) is None else "evidence"
            self.rejections.append(rejection(event, rule=rule, reason=reason))
            return
        if has_unkept(event.text):
            self.rejections.append(rejection(event, rule="evidence", reason=UNKEPT))
        self._time = event.time or self._time
        self.evidence += evidence_passages(event, episode_id)
        if event.kind in {EventKind.COMMAND, EventKind.TOOL_CALL}:
            self._last_command = event.text[:LAST_COMMAND_CHARACTERS]
        seen = Seen(event, episode_id, self._time)
        run = self._runs.of(event)
        if not self._deeds.hold(seen):
            self._extract(seen, run)
        if passes(event):
            self._promote(seen)
        if is_spoken(event) and not event.is_sidechain:
            self._spoken.append(event)

    def finish(self) -> None:
        """Read what was done last: no result of it will come."""
        for deed in self._deeds.rest():
            self._extract(deed)

    def _extract(self, seen: Seen, run: Run | None = None) -> None:
        authority = authority_of(seen.event)
        if authority is None:
            return
        candidates = extract_candidates(seen.event, tuple(self._spoken), said_at=seen.at)
        for candidate in candidates:
            if not _fixes_nothing(resolved := self._resolved(seen.event, candidate)):
                self._judge(seen, _in_folder(resolved, run), authority)
        self.rejections += (
            rejection(seen.event, rule="extraction.unread", reason=UNREAD, excerpt=text)
            for text in unread_instructions(seen.event, candidates)
        )
        for asked, fact in self._requests.reported_by(seen.event, candidates):
            self._judge(attrs.evolve(asked, at=seen.at), fact, AuthorityClass.USER_CONFIRMED)
        for fix in self._repairs.follow(seen.event, candidates):
            self._judge(seen, fix, authority)
        for candidate in run_candidates(seen.event, run) if run else ():
            self._judge(seen, candidate, authority)

    def _judge(self, seen: Seen, candidate: Candidate, authority: AuthorityClass) -> None:
        excerpt = seen.event.text[candidate.start : candidate.end]
        rule, reason = why_not_admitted(candidate)
        if reason:
            self.rejections.append(rejection(seen.event, rule=rule, reason=reason, excerpt=excerpt))
            return
        assertion = self._assertion(seen, candidate, authority)
        self.assertions.setdefault(assertion.claim.id, assertion)
        if authority is AuthorityClass.USER_CONFIRMED:
            self._requests.ask(seen, candidate)
        if candidate.type is ClaimType.BUG and candidate.subject:
            report = candidate.text if is_human(seen.event) else ""
            self._bug = candidate.subject, seen.event.seq, report
        if authority not in DURABLE:
            self.rejections.append(
                rejection(seen.event, rule="gate.model_inferred", reason=UNCONFIRMED, excerpt=excerpt)
            )
            if candidate.type in _TESTABLE:
                self._unproven.append(assertion)

    def _resolved(self, event: Event, candidate: Candidate) -> Candidate:
        """
        Give a fix, cause or remedy without a subject (`fixed it`, `fixed in auth.py`) that of the bug spoken of last.

        A fix that a person tells of says with the bug's own words what it is of.
        """
        is_of_bug = candidate.type is ClaimType.FIX or is_cause(candidate.attribute)
        if not is_of_bug or candidate.subject or not self._bug:
            return candidate
        bug, seq, report = self._bug
        if event.seq - seq > MAX_BUG_DISTANCE:
            return candidate
        is_told = candidate.type is ClaimType.FIX and is_human(event)
        text = continued(report, candidate.text) if is_told else candidate.text
        return attrs.evolve(candidate, subject=bug, attribute=candidate.attribute or BUG, text=text)

    def _promote(self, seen: Seen) -> None:
        """Assert again, by a passing test, the agent's fixes and details whose file or subject the test names."""
        tested = normalize(f"{self._last_command} {seen.event.path} {seen.event.text[:4_000]}")
        kept: list[Assertion] = []
        for unproven in self._unproven:
            if not _is_tested(unproven.claim, tested):
                kept.append(unproven)
                continue
            candidate = _candidate_of(unproven.claim, seen.event)
            assertion = self._assertion(seen, candidate, AuthorityClass.TEST_VERIFIED)
            self.assertions.setdefault(assertion.claim.id, assertion)
        self._unproven = deque(kept, maxlen=PROMOTABLE)

    def _assertion(self, seen: Seen, candidate: Candidate, authority: AuthorityClass) -> Assertion:
        event = seen.event
        claim_id = content_id(
            "claim",
            candidate.type.value,
            candidate.subject,
            candidate.attribute,
            candidate.condition,
            candidate.value,
            candidate.polarity.value,
            normalize(candidate.text),
            event.id,
        )
        is_durable = authority in DURABLE
        claim = Claim(
            id=claim_id,
            type=candidate.type,
            subject=candidate.subject,
            attribute=candidate.attribute,
            value=candidate.value,
            polarity=candidate.polarity,
            condition=candidate.condition,
            path=candidate.path,
            text=candidate.text,
            confidence=candidate.confidence,
            importance=candidate.importance,
            authority=authority,
            status=ClaimStatus.VERIFIED if is_durable else ClaimStatus.CANDIDATE,
            is_standing=candidate.is_standing,
            valid_from=candidate.valid_from or seen.at,
            recorded_at=self._recorded_at,
            session_id=event.session_id,
            episode_id=seen.episode_id,
            event_id=event.id,
            branch=_branch(event, self._session),
            terms=index_terms(f"{candidate.subject} {candidate.attribute} {candidate.value} {candidate.text}"),
        )
        excerpt = event.text[candidate.start : candidate.end]
        digested = digest(excerpt)
        locator = str(
            EventLocator(session_id=event.session_id, seq=event.seq, start=candidate.start, end=candidate.end)
        )
        proof = Proof(
            id=content_id("proof", claim_id, locator, digested),
            claim_id=claim_id,
            authority=authority,
            verification=VerificationStatus.VERIFIED if is_durable else VerificationStatus.UNVERIFIED,
            type=proof_type_of(authority),
            source_ref=locator,
            excerpt=excerpt,
            digest=digested,
            observed_at=seen.at,
        )
        return Assertion(claim=claim, proof=proof, seq=event.seq, start=candidate.start)


def _in_folder(candidate: Candidate, run: Run | None) -> Candidate:
    """Return what a run in a folder says of a test as said in that folder: others may have tests of the same names."""
    if run is None or not run.folder or candidate.attribute != OUTCOME:
        return candidate
    path = candidate.path or candidate.subject.partition("::")[0]
    return attrs.evolve(candidate, path=f"{run.folder}/{path}" if "." in path else run.folder)


def _fixes_nothing(candidate: Candidate) -> bool:
    """Whether it is a bare `Fixed.`, `It works now.` or `That was the cause.` without a bug spoken of before."""
    if is_cause(candidate.attribute):
        return not candidate.subject
    if candidate.type is not ClaimType.FIX or candidate.subject:
        return False
    return candidate.rule == WORKS_NOW or len(candidate.value.split()) < MIN_FIX_WORDS


def _branch(event: Event, session: Session) -> Branch:
    name = event.branch or session.branch.name
    if not name:
        return session.branch
    scope = BranchScope.MAINLINE if name in MAINLINE_NAMES else BranchScope.CURRENT
    if (session.branch.name, session.branch.scope) == (name, scope):
        return session.branch
    return attrs.evolve(session.branch, name=name, scope=scope)


def _is_tested(claim: Claim, tested: str) -> bool:
    """Whether a test run names the claim's subject or file, or is the test of that file (`test_auth` of `auth.py`)."""
    return any(name in tested for name in _names(claim))


def _names(claim: Claim) -> Iterator[str]:
    if len(claim.subject) > 3:
        yield normalize(claim.subject)
    if path := claim.path or file_in(claim.text):
        stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold()
        yield path.casefold()
        yield from (f"test_{stem}", f"{stem}_test", f"{stem}.test.", f"{stem}.spec.")


def _candidate_of(claim: Claim, event: Event) -> Candidate:
    """Return the claim as said by a test's output, of which the first 300 characters vouch for it."""
    return Candidate(
        type=claim.type,
        subject=claim.subject,
        attribute=claim.attribute,
        value=claim.value,
        polarity=claim.polarity,
        condition=claim.condition,
        path=claim.path,
        text=claim.text,
        start=0,
        end=min(len(event.text), 300),
        rule="test.promotion",
        confidence=claim.confidence,
        importance=claim.importance,
        is_standing=claim.is_standing,
    )
