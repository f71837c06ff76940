"""
Whether a claim answers a question.

Speaking of a question's topic is not enough. A why needs a reason, a number a number, a denied question a claim that
denies, `what is X` a claim that says what X is; and an answer says something that the question does not. English and
Russian.
"""

# ruff: noqa: E501  # patterns read best on one line

import re
from enum import StrEnum
from functools import lru_cache

import attrs

from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.model.identity import normalize
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.judging.judge import MAX_CHARACTERS
from pckc_domain.policy.judging.reading import Reading, read
from pckc_domain.policy.judging.words import key
from pckc_domain.policy.proper_names import names_in
from pckc_domain.policy.redaction import without_marks
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import EMPTY_WORDS
from pckc_domain.policy.subjects import VALUE

ANSWERED = 0.8
"""Share of a question's topic words, by length, that a claim which answers it speaks of."""

FEWEST_WORDS = 2
"""A question of one word is answered by nothing but what that is: any claim that has the word would do."""

_ASKING = frozenset(
    """
    what which who whom whose when where why how much many long often reason does happens happen occurs
    что какой какая какое какие какого какую каком каких какими каким кто кого кому чей чья чьё когда где куда откуда почему зачем как
    сколько насколько ли чем чему чего такое такой такая кем происходит случится
    """.split()
)
_WHY = re.compile(
    r"\W*(?:and |but )?(?:why\b|how come\b|(?:what is|what's|for what|what was) (?:the )?reasons?\b|почему\b|зачем\b|отчего\b|(?:по какой|какова) причин\w+)"
)
_REASON = re.compile(
    r"\b(?:because|since(?! (?:\d|version|v\d|january|february|march|april|may|june|july|august|september|october|november|december))|so that|so as to|in order to|due to|thanks to|owing to|for the sake of|as it|reason|therefore|to (?:avoid|prevent|save|keep|make|let|allow|reduce|protect|ensure)"
    r"|потому что|так как|поскольку|чтобы|из-за|благодаря|ради|ибо|поэтому|причин\w+|для того)\b"
)
_WHAT_IS = re.compile(
    r"\W*(?:(?:what|who)(?: is|'s|’s| are| was| were) (?P<a>.+)|what does (?P<b>.+) (?:mean|stand for)|define (?P<c>.+)"
    r"|(?:что|кто) так(?:ое|ой|ая|ие) (?P<d>.+)|что (?:значит|означает) (?P<e>.+))"
)
_AMOUNT = re.compile(
    r"\W*(?:(?:on|in|at|from|for|to|на|в|до|через|за|с) )?(?:how (?:many|much|far|long|often|big|large|old|fast|high|deep|soon)|when|(?:which|what) (?:port|version|year|date|day|month)|сколько|насколько|как (?:часто|долго|далеко)|когда|как(?:ой|ом|ого|ая|ую|ие|их) (?:порт|верси|год|дат|размер)\w*)\b"
)
_WHEN = re.compile(r"\W*(?:when|когда)\b")
_MOMENT = re.compile(
    r"\b(?:when|after|before|once|as soon as|every|daily|nightly|hourly|weekly|monthly|yesterday|today|tomorrow|at (?:night|noon|midnight|start\w*)|on (?:start\w*|exit|mon\w+|tues\w+|wed\w+|thurs\w+|fri\w+|sat\w+|sun\w+)|in (?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|когда|после|перед|кажд\w+|ежедневно|еженедельно|ночью|днём|вчера|сегодня|завтра|в (?:январе|феврале|марте|апреле|мае|июне|июле|августе|сентябре|октябре|ноябре|декабре))\b"
)
_OPEN = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|что|как(?:ой|ая|ое|ие|ого|ую|ом|их|ими|им)|кто|кого|кому|чей|чья|когда|где|куда|откуда|почему|зачем|отчего|как|сколько|насколько|чем|кем)\b"
)
_WHETHER = re.compile(r"\W*(?:is|are|was|were|do|does|did|can|could|has|have|will|would|should|must|may)\b|.*\bли\b")
_WHATEVER = re.compile(
    r"\W*(?:what (?:happens|if|occurs)|how does .+ (?:behave|react)|что (?:происходит|будет|случится))\b"
)
"""Of what happens a claim may affirm or deny."""

_ACTED_ON = re.compile(
    r"\W*(?:who|what|which(?: \w+)?) (?!(?:is|was|has|does|happens|occurs)\b)[a-z]+s (?:(?:on|to|from|with|for) )?(?P<object>[^?]+)"
)
"""`What calls the mailer?`: an answer's subject is another thing than the mailer."""

_LINK = re.compile(
    r" (?:is|are|was|were|means|refers to|stands for|denotes)(?= )|(?<=\S) ?[—–:] ?| - |,? это(?= )| (?:является|являются|представля(?:ет|ют) собой|означает|обозначает)(?= )"
)
_KIND = re.compile(r"\W*(?:(?:still |also )?(?:an?|the|one of|any|это)\b|[а-яё])")


class Asked(StrEnum):
    """What a question asks for."""

    WHAT_IS = "what is"
    REASON = "reason"
    AMOUNT = "amount"
    OTHER = "other"


@attrs.frozen
class Question:
    """
    A question as it is compared with claims.

    Attributes:
        asked: What it asks for.
        topic: Keys of the words that say what about; see `judging_words.key`.
        names: Keys of names and numbers among them: an answer has all of these.
        is_denied: Whether it asks about what is not so; ``None`` when an answer may affirm or deny.
        said: Keys of all its words when an answer has to add one; ``None`` when yes or no is one.
        objects: Keys of what cannot be the subject of an answer.
        is_moment: Whether a time without a number is an answer.
    """

    asked: Asked
    topic: frozenset[str]
    names: frozenset[str]
    is_denied: bool | None
    said: frozenset[str] | None
    objects: frozenset[str]
    is_moment: bool


@attrs.frozen(kw_only=True)
class AnswerText:
    """What may answer: a claim's words and its slot."""

    text: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    type: ClaimType = ClaimType.TEXT
    polarity: Polarity = Polarity.POSITIVE


@lru_cache(maxsize=4_096)
def read_question(text: str) -> Question:
    """Return *text*, redacted, as it is compared with claims."""
    clear = " ".join(without_marks(text).split())
    folded = normalize(clear).rstrip(" ?!.")
    asked, about = _asked(folded)
    topic = _topic(about)
    is_open = _OPEN.search(folded) is not None and not _WHETHER.match(folded)
    acted = _ACTED_ON.match(folded)
    return Question(
        asked=asked,
        topic=topic,
        names=frozenset(key(name) for name in names_in(clear) if name not in _ASKING) & topic
        | {word for word in topic if any(map(str.isdigit, word))},
        is_denied=read(folded[:MAX_CHARACTERS]).has_denial if is_open and not _WHATEVER.match(folded) else None,
        said=_keys(folded) if is_open else None,
        objects=_topic(acted["object"]) if acted else frozenset(),
        is_moment=_WHEN.match(folded) is not None,
    )


def answer_score(question: Question, answer: AnswerText) -> float:
    """Return how much of *question* the claim *answer* speaks of, 0 to 1; 0 when it does not answer it."""
    if not question.topic:
        return 0.0
    texts = f"{answer.text} {answer.subject} {answer.attribute}"
    words = _keys(texts)
    score = sum(len(word) for word in question.topic & words) / sum(map(len, question.topic))
    if score < ANSWERED or not question.names <= words:
        return 0.0
    if question.asked is Asked.WHAT_IS:
        return score if _says_what_it_is(question, answer) else 0.0
    if len(question.topic) < FEWEST_WORDS or (question.said is not None and not _new_in(answer, question.said)):
        return 0.0
    if len(answer.text) > MAX_CHARACTERS or answer.type in (ClaimType.CODE, ClaimType.TABLE):
        return score if question.asked is Asked.OTHER else 0.0
    return score if _fits(question, answer, read(answer.text)) else 0.0


def _fits(question: Question, answer: AnswerText, reading: Reading) -> bool:
    folded = normalize(answer.text)
    if question.is_denied is not None and question.is_denied is not reading.has_denial:
        return False
    if question.asked is Asked.REASON and not _REASON.search(folded):
        return False
    if question.asked is Asked.AMOUNT and not (reading.all_amounts or (question.is_moment and _MOMENT.search(folded))):
        return False
    subject = frozenset(reading.subject) & question.topic
    return not (question.objects and subject and subject <= question.objects and " by " not in folded)


def _says_what_it_is(question: Question, answer: AnswerText) -> bool:
    """Return whether the topic is what the claim defines, or stands before `is` and its value or kind."""
    if answer.type is ClaimType.DEFINITION and question.topic <= _keys(answer.subject):
        return True
    attribute = frozenset() if answer.attribute == VALUE else _keys(answer.attribute)
    if answer.value and attribute & question.topic and question.topic <= attribute | _keys(answer.subject):
        return answer.polarity is Polarity.POSITIVE
    link = _LINK.search(normalize(answer.text))
    if link is None or read(answer.text[:MAX_CHARACTERS]).has_denial:
        return False
    folded = normalize(answer.text)
    if not question.topic <= _keys(folded[: link.start()]):
        return False
    return len(question.topic) >= FEWEST_WORDS or _KIND.match(folded[link.end() :]) is not None


def _asked(folded: str) -> tuple[Asked, str]:
    """Return what is asked for and the words that say about what."""
    if _WHY.match(folded):
        return Asked.REASON, _WHY.sub("", folded, count=1)
    if match := _WHAT_IS.match(folded):
        return Asked.WHAT_IS, next(filter(None, match.groups()))
    return (Asked.AMOUNT if _AMOUNT.match(folded) else Asked.OTHER), folded


def _topic(text: str) -> frozenset[str]:
    words = [word for word in _words(text) if word not in STOP_WORDS and word not in _ASKING]
    topical = [word for word in words if word not in EMPTY_WORDS] or words
    return frozenset(map(key, topical))


def _new_in(answer: AnswerText, said: frozenset[str]) -> frozenset[str]:
    """Return the keys of the content words of *answer* that a question has not *said*."""
    return frozenset(key(word) for word in _words(answer.text) if word not in STOP_WORDS) - said


@lru_cache(maxsize=4_096)
def _keys(text: str) -> frozenset[str]:
    return frozenset(map(key, _words(text)))


def _words(text: str) -> list[str]:
    return [word.replace("ё", "е") for word in text_tokens(normalize(text))]
