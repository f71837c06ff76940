"""How reports of bugs bear on each other, and fixes on them: by the words that tell one bug from another."""

import re

from pckc_domain.model.claim import Claim, ClaimType
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.bug_attributes import BUG, is_cause
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subjects import subject_key, topic_key

MAX_NAMES = 12
"""So many words of a bug may be what a fix of it speaks of."""

_GENERAL = frozenset(
    map(
        subject_key,
        """
        bug bugs fix fixed error errors issue problem fail fails failing failed failure broken work working again
        still now longer any please known found see notice there
        баг исправить исправь почини починить ошибка проблема теперь опять снова всё ещё пожалуйста не работает
        """.split(),
    )
)
_CRASH = frozenset(map(subject_key, "crash crashes падает".split()))
"""What failing may mean in general, but beside another way to fail is one of its own."""

_DENIALS = frozenset("not no without never non не без нет".split())
_DOES_NOT_WORK = re.compile(
    r"\b(?:(?:doesn['’]?t|does not|don['’]?t|do not|isn['’]?t|is not) work(?:ing)?|не работа\w+)\b"
)
_RECURS = re.compile(
    r"\b(?:again|still|once more|(?:is|are|came) back|re-?appear\w*|regress\w*|recur\w*|not fixed|"
    r"снова|опять|вс[её] ещ[её]|по-прежнему|вернул\w*|не исправ\w*)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"[:;,(]|\s[—–-]\s|\b(?:because|by|since|caused|due|из-за|потому)\b", re.IGNORECASE)
_ERROR = re.compile(r"\w+(?:error|exception)|[45]\d\d")


def says_no_more(claim: Claim, *, than: Claim) -> bool:
    """Whether the report *claim* tells nothing that the report *than* of the same subject does not tell too."""
    words, others = _words(claim.text, of=claim), _words(than.text, of=than)
    return words <= others and words & _DENIALS == others & _DENIALS


def recurs(bug: Claim) -> bool:
    """Whether *bug* is told of as one that was there before: a fix did not hold."""
    return bool(_RECURS.search(bug.text))


def same_topic(one: Claim, other: Claim) -> bool:
    """Whether more than half of the words that the shorter description is made of stand in the other."""
    words, others = _words(one.value, of=one) - _CRASH, _words(other.value, of=other) - _CRASH
    return 2 * len(words & others) > min(len(words), len(others))


def shared_words(fix: Claim, bug: Claim) -> int:
    """Return how many telling words of *bug* stand in what *fix* says before its reason."""
    return len(_words(_head(fix), of=fix) & _words(bug.text, of=bug) - _CRASH)


def explains(claim: Claim, bug: Claim) -> bool:
    """Whether *claim* tells more of *bug*: its cause, what helps against it, a fix of it, or another report like it."""
    if topic_key(claim.subject, BUG) != topic_key(bug.subject, BUG) or claim.id == bug.id:
        return False
    if claim.type is ClaimType.FIX:
        return bool(shared_words(claim, bug)) or not _words(_head(claim), of=claim)
    is_like = claim.type is ClaimType.BUG and bool(_words(claim.text, of=claim) & _words(bug.text, of=bug) - _CRASH)
    return is_like or is_cause(claim.attribute)


def names_of(bug: Claim) -> frozenset[str]:
    """Return the subjects of fixes that may mean *bug*: a word of it, alone or before its subject (`Safari login`)."""
    if bug.type is not ClaimType.BUG or bug.attribute != BUG:
        return frozenset()
    subject = bug.subject.split()
    words = [word for word in dict.fromkeys(text_tokens(bug.text)) if word not in STOP_WORDS and word not in subject]
    return frozenset(name for word in words[:MAX_NAMES] for name in (word, f"{word} {bug.subject}"))


def is_meant(bug: Claim, fix: Claim) -> bool:
    """Whether a *fix* of another subject means *bug*: it names its subject or error, and nothing that it does not."""
    if topic_key(bug.subject, BUG) == topic_key(fix.subject, BUG):  # their slot knows which one it is of
        return False
    told, said = _stems(bug.text), _stems(_head(fix))
    errors = {word for word in text_tokens(bug.text) if _ERROR.fullmatch(word)}
    is_named = _stems(bug.subject) <= said or not errors.isdisjoint(text_tokens(fix.text))
    return is_named and _stems(fix.subject) <= told


def _head(fix: Claim) -> str:
    """Return what *fix* says before its reason."""
    return _REASON.split(fix.text.strip(" .!"), maxsplit=1)[0]


def _words(text: str, *, of: Claim) -> frozenset[str]:
    """Return the words of *text* that tell one bug of a subject from another."""
    plain = _DOES_NOT_WORK.sub(" ", text.casefold())
    words = (word for word in text_tokens(plain) if word not in STOP_WORDS or word in _DENIALS)
    return frozenset(map(subject_key, words)) - _stems(of.subject) - _GENERAL


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(subject_key, text_tokens(text)))
