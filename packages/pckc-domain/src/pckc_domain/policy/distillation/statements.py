"""Sentences worth keeping in their own words: those that say something of a thing they name."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.identity import normalize
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.cutting.extraction import Candidate, classify, select
from pckc_domain.policy.distillation.declarative import is_declarative
from pckc_domain.policy.distillation.pieces import Found, Sentence
from pckc_domain.policy.distillation.skipping import speaks_to_someone
from pckc_domain.policy.findings import READ
from pckc_domain.policy.proper_names import names_in
from pckc_domain.policy.stop_words import STOP_WORDS

MIN_WORDS = 5
MIN_CONTENT_WORDS = 3
DECLARED_WORDS = 4
"""Content words from which on a sentence with a subject and a verb is kept without any other sign."""

MAX_CHARACTERS = 480
"""A longer sentence is several statements that no rule takes apart; it stays findable as a passage."""

SIGNS = 2
"""How many signs of content a sentence needs; one does for an item of a list."""

RELATED_WORDS = 5
"""Content words from which on a relation counts as two signs: it has both its ends."""

_NAMED_SUBJECT = re.compile(
    r"(?P<name>[A-ZА-ЯЁ][\w.+#-]*[\w+#])(?: (?:is|was|has|does|cannot|can|will|no longer|never|[a-z]+[^s\W]s)\b| (?:больше не|уже не|не)? ?[а-яё]+(?:ет|ит|ёт)(?:ся)?\b)(?: \S+){1,5}\.$"
)
_NO_NAME = re.compile(r"\w+(?:ing|s|tion|ment|ness|ity|ly|ed|ость|ение|ание|ция|ство)", re.IGNORECASE)
"""Words that begin a sentence with a capital and are no names, by their endings."""

_RELATES = re.compile(
    r"\b(?:contains?|consists?|includes?|causes?|caused|produces?|absorbs?|requires?|depends?|uses?|used|provides?|supports?|stores?|stored|returns?|creates?|reduces?|increases?|decreases?|prevents?|allows?|enables?"
    r"|becomes?|forms?|belongs?|converts?|measures?|holds?|follows?|precedes?|replaces?|replaced|invented|discovered|introduced|founded|designed|developed|proposed|published|released|located|named|runs?|reads?|writes?|sends?|receives?|grows?|orbits?|boils?|melts?|weighs?"
    r"|содерж[иа]т|состо[ия]т|включа[ею]т|вызыва[ею]т|производ[ия]т|требу[ею]т|завис[ия]т|использу[ею]т\w*|обеспечива[ею]т|поддержива[ею]т|хран[ия]т\w*|возвраща[ею]т|созда[ею]т\w*|уменьша[ею]т|увеличива[ею]т|позволя[ею]т|образу[ею]т"
    r"|принадлеж[иа]т|преобразу[ею]т|измеря[ею]т|заменя[ею]т|поглоща[ею]т|движ[еу]тся|враща[ею]тся|изобр[её]л\w*|открыл\w*|основан\w*|разработан\w*|предложил\w*|опубликован\w*|выпущен\w*|расположен\w*|назван\w*|работа[ею]т|чита[ею]т|пиш[еу]т|отправля[ею]т|получа[ею]т|вход[ия]т)\b"
)
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,;:)] )(?:[A-ZА-ЯЁ][\w-]*[a-zа-яё]|[A-Z]{2,})|`[^`]+`|\w_\w|\w\(\)")
_OPENS_WITHOUT_SUBJECT = re.compile(
    r"(?:it|its|this|these|that|those|they|them|their|he|his|she|her|such|here|there|then|thus|so|hence|therefore|otherwise|instead|also|and|but|or|because|which|however|moreover|furthermore|additionally|similarly|again|finally"
    r"|for example|for instance|in addition|as a result|in other words|on the other hand|as (?:mentioned|noted|shown|seen|we)|now|next|let'?s|note that"
    r"|он|она|оно|они|это|этот|эта|эти|его|её|их|такой|такая|такие|там|здесь|тут|затем|потом|поэтому|также|тоже|и|а|но|или|однако|кроме того|например|таким образом|тем не менее|в результате|иначе|далее|теперь|при этом|следовательно)\b"
)


def find_statement(sentence: Sentence) -> Found | None:
    """Return *sentence* as a ``text`` claim when it stands alone and says something; ``None`` when it does not."""
    text = sentence.text
    confidence = READ if _tells_of_a_name(text) else _confidence(sentence)
    if not confidence:
        return None
    claim = DistilledClaim(
        type=ClaimType.TEXT, text=text, quote=sentence.raw, confidence=confidence, rule="rules.statement"
    )
    return Found(sentence.at, claim)


def _confidence(sentence: Sentence) -> float:
    text = sentence.text
    if not _stands_alone(text):
        return 0.0
    if _signs(text) < (1 if sentence.is_item else SIGNS) and not _declares(text):
        return 0.0
    kept = select([Candidate(text, 1, 1)])
    return kept[0].confidence if kept else 0.0


def _tells_of_a_name(text: str) -> bool:
    """Return whether *text* is a short sentence with a proper name for its subject: `Zorvex supports IPv6.`"""
    match = _NAMED_SUBJECT.match(text)
    return (
        match is not None
        and not names_in(match["name"]).isdisjoint({match["name"].casefold()})
        and not _OPENS_WITHOUT_SUBJECT.match(normalize(text))
        and not _NO_NAME.fullmatch(match["name"])
        and not speaks_to_someone(text)
        and is_declarative(text)
    )


def _declares(text: str) -> bool:
    return len({word for word in text_tokens(text) if word not in STOP_WORDS}) >= DECLARED_WORDS and is_declarative(
        text
    )


def _stands_alone(text: str) -> bool:
    words = text_tokens(text)
    return (
        len(text) <= MAX_CHARACTERS
        and len(words) >= MIN_WORDS
        and len({word for word in words if word not in STOP_WORDS}) >= MIN_CONTENT_WORDS
        and text[-1] not in ":,;("
        and text[0] not in ".,;:)]}/|"
        and _OPENS_WITHOUT_SUBJECT.match(normalize(text)) is None
        and not speaks_to_someone(text)
        and not _is_listing(text)
    )


def _is_listing(text: str) -> bool:
    """Return whether *text* is names in a row, as in a menu."""
    return text[-1] != "." and 2 * text.count(",") >= len(text.split())


def _signs(text: str) -> int:
    """Return how many signs of content *text* has: typed words (two count), a number, a name, a relation (two if long)."""
    folded = normalize(text)
    _, typed = classify(folded)
    relates = _RELATES.search(folded) is not None
    is_long = sum(word not in STOP_WORDS for word in text_tokens(text)) >= RELATED_WORDS
    return (
        min(2, typed)
        + (_NUMBER.search(text) is not None)
        + (_NAME.search(text) is not None)
        + (relates + (relates and is_long))
    )
