"""
The belief gate: which authority a candidate has, and whether it is admitted.

It decides authority, never retention: what it refuses is still searchable as verbatim evidence. Kinds are judged
first, so that no text of reasoning or turn context is ever looked at.
"""

import re

from pckc_domain.model.claim import Candidate, Rejection
from pckc_domain.model.proof import AuthorityClass, ProofType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.redaction import tells_secret
from pckc_domain.policy.spelling import with_apostrophes

DURABLE = frozenset(
    {
        AuthorityClass.TOOL_VERIFIED,
        AuthorityClass.USER_CONFIRMED,
        AuthorityClass.REPOSITORY_DERIVED,
        AuthorityClass.DOCUMENT_DERIVED,
        AuthorityClass.TEST_VERIFIED,
    }
)
"""Authorities whose claims are belief; all others are candidates."""

UNCONFIRMED = "said by a model; no test, repository fact or user has confirmed it"
"""Why a claim of a model is no more than a candidate."""

_AUTHORITY = {
    EventKind.PROMPT: AuthorityClass.USER_CONFIRMED,
    EventKind.ANNOTATION: AuthorityClass.USER_CONFIRMED,
    EventKind.TOOL_RESULT: AuthorityClass.TOOL_VERIFIED,
    EventKind.COMMAND: AuthorityClass.TOOL_VERIFIED,
    EventKind.FILE_CHANGE: AuthorityClass.TOOL_VERIFIED,
    EventKind.ERROR: AuthorityClass.TOOL_VERIFIED,
    EventKind.TEST_RESULT: AuthorityClass.TEST_VERIFIED,
    EventKind.RESPONSE: AuthorityClass.MODEL_INFERRED,
    EventKind.AGENT_MESSAGE: AuthorityClass.MODEL_INFERRED,
    EventKind.TOOL_CALL: AuthorityClass.MODEL_INFERRED,
}
_PROOF_TYPES = {
    AuthorityClass.USER_CONFIRMED: ProofType.USER_CONFIRMATION,
    AuthorityClass.TOOL_VERIFIED: ProofType.TOOL_RESULT,
    AuthorityClass.TEST_VERIFIED: ProofType.TEST_RESULT,
}
_HUMAN = frozenset({EventKind.PROMPT, EventKind.ANNOTATION})

_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|supposedly|apparently|likely|unsure|not sure|not certain|"
    r"might|may be|could be|could have|I guess|I think|I believe|I suppose|I assume|I suspect|guess(?:ing)?|"
    r"seems?|seemingly|appears? to|looks like|as far as I (?:know|remember|recall)|afaik|afair|iirc|if I recall|"
    r"if I remember|more or less|or something|kind of|sort of|don't remember|can't remember|no idea|hopefully|"
    r"in theory|I'd say|rumou?r)\b"
    r"|\b(?:может быть|может,|наверно|наверное|возможно|вероятно|кажется|похоже|видимо|не уверен[аы]?|не знаю|"
    r"думаю|полагаю|предполож\w+|вроде|вроде бы|по-моему|"
    r"(?<!не )должно быть(?! (?:не )?(?:больше|меньше|более|менее|короче|длиннее|выше|ниже))|"
    r"скорее всего|если не ошибаюсь|если я правильно помню|не помню|как будто|якобы|по идее)\b",
    re.IGNORECASE,
)
_SHOULD_BE = re.compile(r"^(?!\W*(?:actually|no|correction)\b).*\bshould be\b", re.IGNORECASE | re.DOTALL)
"""A guess, unless it corrects: `Actually the timeout should be 50 s.`"""

JEST = re.compile(r"\b(?:just kidding|kidding|jk|joking|just a joke|шучу|шутка|это шутка)\b", re.IGNORECASE)
_ONE_OFF = re.compile(
    r"\b(?:(?:just|only) (?:this|for this|for the) (?:once|time|run|session|test)|(?:just|only) (?:this |for )once|"
    r"for this (?:one )?(?:run|time|once|session)|this one time|just once|"
    r"(?:только|лишь) (?:в этот|на этот|один|сейчас)(?: раз)?|(?:в|на) этот раз|для этого запуска)\b",
    re.IGNORECASE,
)
_HYPOTHESIS = re.compile(
    r"^\W*(?:if|suppose|supposing|imagine|assuming|assume|what if|say,|let's say|let us say|for example|e\.g\.|"
    r"in case|unless|whether|when we|once we|if only|I wish|как если|если|предположим|допустим|представь|например|"
    r"когда мы|вот бы)\b|\b(?:would(?:n't)? be|would have|could use|could switch|wish we)\b"
    r"|\b(?:использовали бы|могли бы|можно было бы|было бы)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:he|she|they|someone|somebody|docs?|documentation|article|readme|tutorial|stack ?overflow) "
    r"(?:said|says|say|claims?|claimed|told|thinks?)\b"
    r"|\b(?:used to be|was previously|previously|formerly|in the past|back then|at the time|раньше|прежде|когда-то)\b"
    r"(?!.*(?:[,;]| but| and) (?:but |and |а |но )?(?:now|теперь|сейчас)\b)"  # but what of now
    r"|\b(?:говорят|сказали|пишут)\b",
    re.IGNORECASE,
)


def authority_of(event: Event) -> AuthorityClass | None:
    """
    Return whose word *event* is; ``None`` for reasoning, turn context and summaries, which have none.

    A sub-agent's prompt is written by a model, so it is nobody's confirmation. A replayed record keeps its own.
    """
    if event.is_sidechain and event.kind in _HUMAN:
        return AuthorityClass.MODEL_INFERRED
    return _AUTHORITY.get(event.kind)


def is_human(event: Event) -> bool:
    """Return whether a person wrote *event*."""
    return event.kind in _HUMAN and not event.is_sidechain


def proof_type_of(authority: AuthorityClass) -> ProofType:
    """Return the type of a proof that an event of this *authority* gives."""
    return _PROOF_TYPES.get(authority, ProofType.SESSION_EVENT)


def why_not_admitted(candidate: Candidate) -> tuple[str, str]:
    """Return rule and reason why *candidate* is refused, two empty strings when it is admitted."""
    if not candidate.rule.startswith("code."):
        text = with_apostrophes(candidate.text)
        for rule, pattern, reason in (
            ("gate.hedged", _HEDGE, "hedged"),
            ("gate.hedged", _SHOULD_BE, "hedged"),
            ("gate.joke", JEST, "said in jest"),
            ("gate.one_off", _ONE_OFF, "for this once only"),
            ("gate.hypothetical", _HYPOTHESIS, "hypothetical"),
            ("gate.reported", _REPORTED, "reported or past"),
        ):
            if rule == "gate.hypothetical" and candidate.rule.startswith("rule."):
                continue  # `if the tests fail, never deploy` is a rule all the same
            if match := pattern.search(text):
                return rule, f"{reason}: {match[0].strip()!r}"
    slot = f"{candidate.subject} {candidate.attribute} {candidate.value}".casefold()
    if "redacted:" in slot or (not candidate.value and tells_secret(candidate.text)):
        return "gate.secret", "its subject or value is a secret"
    return "", ""


def rejection(event: Event, *, rule: str, reason: str, excerpt: str = "") -> Rejection:
    """Return a rejection of *event*, or of the *excerpt* read in it."""
    return Rejection(
        session_id=event.session_id, event_id=event.id, seq=event.seq, rule=rule, reason=reason, excerpt=excerpt[:200]
    )
