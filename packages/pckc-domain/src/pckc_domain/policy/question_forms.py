"""What a question says about itself: whether it is a request, who asks, of whom, and how its answer would be worded."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Collection
from enum import IntEnum

from pckc_domain.policy.analysis import stem_russian, text_tokens

_MEMORY = re.compile(
    r"\b(?:tell\s+(?:me\s+|us\s+)?(?:the\s+story|about|what|who|when|where|why|how)|remind|recall|remember|what\s+do\s+(?:we|you)\s+know"
    r"|did|was|were|had|ago|last)\b|\b(?:напомни\w*|расскажи\w*|вспомни\w*)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:please\s+)?(?:(?:can|could|would|will|won['’]t)\s+you|i(?:['’]d|\s+would)?\s+(?:like|need|want)|help|let['’]s"
    r"|how\s+(?:do|can|should|could|would|to|might)\s+(?:i|you|we|one)?|what\s+(?:could|should|can|would|might)\s+(?:i|we|you)"
    r"|any\s+(?:idea|tip|suggestion|advice)s?)\b"
    r"|^\W*(?:пожалуйста,?\s+)?(?:(?!или\b|чей\b)[а-яё]{2,}(?:[аяеу]й|йте|ь|ьте|и|ите)(?=,|\s+[а-яё])|можешь|не\s+мог|помоги|нужн[аоы]?|нужен|хочу|хотел\w*"
    r"|(?:как|что)\s+(?:мне|нам|лучше|можно))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|would|could|can|shall|might)\s+(?:i|we|you|one)\b|\bworth\s+\w+ing\b|\bgood\s+\w+\s+for\b"
    r"|^\W*(?:что|чем|как\w*|куда|где|сколько|во\s+сколько|стоит\s+ли)\b[^.]*[а-яё]{2,}(?:ть|ти|чь)(?:ся)?\b",
    re.IGNORECASE,
)
_NOT_A_DEED = re.compile(
    r"^\W*(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|am|do|does|did|can|could|would|will|should|shall|may"
    r"|might|must|has|have|had|in|on|at|for|by|with|from|since|to|under|during|after|before|the|a|an|my|your|our|his|her|their|i"
    r"|you|we|he|she|it|they|this|that|these|those|any|and|or|but|if|as|of|about|there|not|no|been|so)\b|^\W*\w+['’]s\b"
    r"|^\W*[^\W_a-z]*[^\x00-\x7f]",
    re.IGNORECASE,
)
"""A request begins with a verb, which no list could hold; what begins with one of these, or is not English, is none."""

_DEFINITE = re.compile(
    r"\b(?:the|my|our|your|his|her|their|its|this|that|i|we|me|us|you|he|she|they)\b|[^\x00-\x7f]", re.IGNORECASE
)
_ASKER = re.compile(
    r"\b(?:i|me|my|mine|myself|we|our|us)\b|\b(?:я|мне|меня|мной|мо[йяеёи]|моих|моего|мы|нам|нас|наш\w*)\b",
    re.IGNORECASE,
)


FEWEST_WORDS = 4
"""A shorter query without a sign of a request, nor the end of a sentence, is a handful of key words."""


class Request(IntEnum):
    """How much a query asks for something to be done rather than for something that was said."""

    NONE = 0
    PERHAPS = 1
    CLEAR = 2


def request_of(query: str, *, speakers: Collection[str] = ()) -> Request:
    """
    Return whether *query* is a request: clear when it tells or asks to do something, perhaps when it asks for advice or
    in general.

    A general question speaks of nothing known: no `the`, no `my`, none of *speakers*.
    """
    if not text_tokens(query) or _MEMORY.search(query):
        return Request.NONE
    if _REQUEST.search(query):
        return Request.CLEAR
    if not _NOT_A_DEED.search(query):
        return Request.CLEAR if _is_a_sentence(query) else Request.NONE
    if speakers:
        return Request.NONE
    return Request.NONE if _DEFINITE.search(query) and not _ADVICE.search(query) else Request.PERHAPS


def _is_a_sentence(query: str) -> bool:
    """Return whether *query* is more than a handful of key words, which ask for nothing to be done."""
    return len(text_tokens(query)) >= FEWEST_WORDS or query.rstrip()[-1:] in ".!?…"


def speaks_of_the_asker(query: str) -> bool:
    """Return whether *query* asks about the one who asks it."""
    return _ASKER.search(query) is not None


def named_speakers(query: str, speakers: Collection[str]) -> frozenset[str]:
    """Return those of *speakers* that *query* names, in any Russian case."""
    words = {stem_russian(word) for word in text_tokens(query)}
    return frozenset(name for name in speakers if {stem_russian(word) for word in text_tokens(name)} & words)


def in_first_person(query: str, speakers: Collection[str]) -> str:
    """Return *query* as *speakers* would say it: `Does Ann like Bob's dog` is `Does I like my dog` among both's words."""
    for name in sorted(speakers, key=len, reverse=True):
        query = re.sub(rf"\b{re.escape(name)}['’]s\b", "my", query, flags=re.IGNORECASE)
        query = re.sub(rf"\b{re.escape(name)}\b", "я" if not name.isascii() else "I", query, flags=re.IGNORECASE)
    return query


def without_names(query: str, speakers: Collection[str]) -> str:
    """Return *query* without the names of *speakers*: they say who speaks, not what of."""
    for name in sorted(speakers, key=len, reverse=True):
        query = re.sub(rf"\b{re.escape(name)}\b(?:['’]s\b)?", " ", query, flags=re.IGNORECASE)
    return query
