"""Gaps: what is not known and should be found out, from the day it is raised to the claim that answers it."""

from collections.abc import Collection, Sequence
from datetime import datetime

import attrs

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.bounds import MAX_QUESTION_CHARACTERS, MAX_REASON_CHARACTERS, check_length
from pckc_domain.model.claim import VISIBLE, Claim
from pckc_domain.model.context import ContextPack
from pckc_domain.model.gap import Gap, GapPriority, GapStatus
from pckc_domain.model.identity import content_id, normalize
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.answering import AnswerText, answer_score, read_question
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.validity import is_sound
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock

MOST_ANSWERS = 5
POOL = 50
PAGE = 200
LIVE = frozenset({GapStatus.OPEN, GapStatus.RESEARCHING})


class GapKeeper:
    """Keeps the gaps of a scope."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def add(
        self,
        scope: Scope,
        question: str,
        *,
        reason: str = "",
        priority: GapPriority = GapPriority.MEDIUM,
        raised_by: str = "agent",
    ) -> Gap:
        """
        Raise a gap and return it: closed, with the claims, when what is known answers the question already.

        A question that is known keeps its gap. One that was dismissed, or whose answers still stand, stays as it is:
        `update` opens it again.

        Raises:
            InvalidInputError: The question is empty, or it or the reason too long.
        """
        text, why = _question(question), _reason(reason)
        identity = gap_id(scope, text)
        now = self._clock.now()
        with self._canonical.writing(scope) as work:
            known = work.gaps.get(identity)
            if known is not None and (known.status is not GapStatus.CLOSED or _still_stands(work, known)):
                return known
            gap = Gap(
                id=identity,
                question=text,
                reason=why,
                priority=priority,
                raised_by=raised_by,
                created_at=known.created_at if known else now,
                updated_at=now,
            )
            gap = _closed(gap, _answers(work, gap.question), now)
            work.gaps.put(gap)
        return gap

    def raise_from(self, scope: Scope, pack: ContextPack) -> tuple[Gap, ...]:
        """
        Raise the task of *pack* as one gap when *pack* found nothing for some of its goals, which the reason names.

        Returns:
            The gap when it is new and open; nothing when there is none, it was known, or it is answered.
        """
        question = _shortened(_redacted(pack.task))
        if not pack.gaps or not question:
            return ()
        with self._canonical.reading(scope) as work:
            if work.gaps.get(gap_id(scope, question)) is not None:
                return ()
        reason = f"nothing proven was found for: {', '.join(pack.gaps)}"
        gap = self.add(scope, question, reason=_shortened(reason), raised_by="compiler")
        return (gap,) if gap.status in LIVE else ()

    def list(self, scope: Scope, *, status: GapStatus | None = None, limit: int, offset: int = 0) -> Sequence[Gap]:
        """Return up to *limit* gaps, those with *status* or all: high priority first, then oldest, ties by id."""
        with self._canonical.reading(scope) as work:
            return work.gaps.find(statuses=[status] if status else (), limit=limit, offset=offset)

    def get(self, scope: Scope, identity: str) -> Gap:
        """
        Return one gap.

        Raises:
            NotFoundError: It is not stored.
        """
        with self._canonical.reading(scope) as work:
            return _stored(work, identity)

    def update(
        self,
        scope: Scope,
        identity: str,
        *,
        question: str | None = None,
        reason: str | None = None,
        priority: GapPriority | None = None,
        status: GapStatus | None = None,
        closed_by: Collection[str] | None = None,
    ) -> Gap:
        """
        Change a gap; what is ``None`` stays. Opening it forgets its answers, and only a claim that becomes known
        afterwards closes it. A changed question keeps the gap's id; what is known may answer it at once.

        Raises:
            InvalidInputError: The question is empty, it or the reason is too long, or a claim named does not close it.
            NotFoundError: The gap, or a claim that should close it, is not stored.
        """
        with self._canonical.writing(scope) as work:
            gap = _stored(work, identity)
            status = status or (GapStatus.CLOSED if closed_by else gap.status)
            if closed_by and status is not GapStatus.CLOSED:
                raise InvalidInputError(
                    f"claims answer a closed gap, not one that is {status}",
                    remedy="leave out status, or set it to closed",
                )
            _check_claims(work, closed_by or ())
            answers = tuple(dict.fromkeys(closed_by)) if closed_by else gap.closed_by
            changed = attrs.evolve(
                gap,
                question=gap.question if question is None else _question(question),
                reason=gap.reason if reason is None else _reason(reason),
                priority=priority or gap.priority,
                status=status,
                closed_by=answers if status is GapStatus.CLOSED else (),
                updated_at=self._clock.now(),
            )
            if question is not None and changed.status in LIVE:
                changed = _closed(changed, _answers(work, changed.question), changed.updated_at)
            work.gaps.put(changed)
        return changed

    def delete(self, scope: Scope, identity: str) -> None:
        """
        Forget a gap.

        Raises:
            NotFoundError: It is not stored.
        """
        with self._canonical.writing(scope) as work:
            if not work.gaps.remove(identity):
                raise _unknown(identity)

    def close_answered(self, scope: Scope, claim_ids: Sequence[str] | None = None) -> tuple[Gap, ...]:
        """
        Close the live gaps that a claim answers now, with the link; return them.

        A claim answers a question when it holds, is neither stale nor contested, became known after the gap was raised
        or changed, and says what is asked; see `policy.answering`. *claim_ids* looks at these claims alone.
        """
        closed: list[Gap] = []
        with self._canonical.writing(scope) as work:
            for gap in _live(work):
                if answers := _answers(work, gap.question, claim_ids, since=gap.updated_at):
                    closed.append(_closed(gap, answers, self._clock.now()))
                    work.gaps.put(closed[-1])
        return tuple(closed)


def gap_id(scope: Scope, question: str) -> str:
    """Return the id of the gap that *question* raises."""
    return content_id("gap", scope.tenant, scope.project, normalize(question))


def _answers(
    work: UnitOfWork, text: str, claim_ids: Sequence[str] | None = None, *, since: datetime | None = None
) -> tuple[str, ...]:
    """Return the claims that answer the question *text*, best first: among *claim_ids*, known since an instant."""
    question = read_question(text)
    if not question.topic:
        return ()
    if claim_ids is not None:
        found: Sequence[StoredClaim] = work.claims.get(claim_ids)
    else:
        where = ClaimFilter(governance=VISIBLE, is_open=True)
        found = [hit.stored for hit in work.claims.search(analyze_query(text), where=where, limit=POOL)]
    claims = [one.claim for one in found if is_sound(one.claim) and (since is None or one.claim.recorded_at >= since)]
    scored = [(answer_score(question, _text_of(claim)), claim.id) for claim in claims]
    best = sorted((one for one in scored if one[0]), key=lambda one: (-one[0], one[1]))
    return tuple(claim_id for _, claim_id in best[:MOST_ANSWERS])


def _text_of(claim: Claim) -> AnswerText:
    return AnswerText(
        text=claim.text,
        subject=claim.subject,
        attribute=claim.attribute,
        value=claim.value,
        type=claim.type,
        polarity=claim.polarity,
    )


def _still_stands(work: UnitOfWork, gap: Gap) -> bool:
    return any(is_sound(stored.claim) for stored in work.claims.get(gap.closed_by))


def _closed(gap: Gap, answers: tuple[str, ...], now: datetime) -> Gap:
    """Return *gap* closed by *answers*; as it is when there are none."""
    return attrs.evolve(gap, status=GapStatus.CLOSED, closed_by=answers, updated_at=now) if answers else gap


def _live(work: UnitOfWork) -> list[Gap]:
    found: list[Gap] = []
    while page := work.gaps.find(statuses=LIVE, limit=PAGE, offset=len(found)):
        found += page
    return found


def _stored(work: UnitOfWork, identity: str) -> Gap:
    gap = work.gaps.get(identity)
    if gap is None:
        raise _unknown(identity)
    return gap


def _unknown(identity: str) -> NotFoundError:
    return NotFoundError(f"no gap has the id {identity[:80]}", remedy="give an id that the list of gaps shows")


def _check_claims(work: UnitOfWork, claim_ids: Collection[str]) -> None:
    missing = set(claim_ids) - {stored.claim.id for stored in work.claims.get(list(claim_ids))}
    if missing:
        raise NotFoundError(f"no claim has the id {sorted(missing)[0][:80]}", remedy="search results name theirs")


def _question(text: str) -> str:
    question = " ".join(_redacted(text).split())
    if not question:
        raise InvalidInputError("the question is empty", remedy="say in words what is not known")
    remedy = "ask one short question, and put the rest into the reason"
    check_length("the question", question, MAX_QUESTION_CHARACTERS, remedy=remedy)
    return question


def _reason(text: str) -> str:
    reason = _redacted(text)
    check_length("the reason", reason, MAX_REASON_CHARACTERS, remedy="say in short why it matters")
    return reason


def _shortened(text: str) -> str:
    """Return *text* on one line, cut at a word when a gap would not keep it."""
    line = " ".join(text.split())
    return (
        line if len(line) <= MAX_QUESTION_CHARACTERS else f"{line[: MAX_QUESTION_CHARACTERS - 1].rpartition(' ')[0]}…"
    )


def _redacted(text: str) -> str:
    return redact(text).text.strip()
