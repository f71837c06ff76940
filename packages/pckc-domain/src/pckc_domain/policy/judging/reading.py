"""A claim in the form in which two claims are compared."""

# ruff: noqa: E501  # patterns read best on one line

import re

import attrs

from pckc_domain.model.claim import Polarity
from pckc_domain.model.identity import normalize
from pckc_domain.policy.cutting.markdown_outline import plain
from pckc_domain.policy.denials import plainly_denied
from pckc_domain.policy.distillation.facts import read_fact
from pckc_domain.policy.judging.amounts import Amount, tokens
from pckc_domain.policy.judging.words import (
    ARTICLES,
    DENIALS,
    DOUBLE,
    FILLERS,
    MODAL_OF,
    ROUGH,
    is_verb,
    key,
    opposite,
    sides,
)
from pckc_domain.policy.sentences import split_condition
from pckc_domain.policy.subjects import normalize_value, topic_key


@attrs.frozen
class Slot:
    """What a text puts into which slot; *is_one_of_many* when the slot may hold several values."""

    key: str
    value: str
    is_denied: bool
    is_one_of_many: bool


@attrs.frozen
class Reading:
    """
    A text as it is compared.

    Attributes:
        subject: Stems before the verb, amounts included: `version 2.0` is another subject than `version 2.1`.
        predicate: The other stems, each amount replaced by its kind, opposites by one of both.
        amounts: The predicate's amounts, in order.
        all_amounts: Those of the whole text, in order.
        words: Subject, predicate, and the reason that the text gives, all amounts replaced by their kinds.
        has_denial: Whether a word denies.
        is_denied: Whether it denies in the end; an opposite counts as a denial of the other.
        limits: When or where alone it holds.
        names: Names in code: what has backticks, underscores, inner capitals.
        proper: Stems of words with a capital inside a sentence.
        sides: See `judging_words.sides`.
        ends_in_value: Whether its last word is the one value of a slot.
        has_many: Whether its verb lets other values hold beside it (`supports`, `includes`).
        slot: See `Slot`; ``None`` when it fills none.
    """

    subject: tuple[str, ...]
    predicate: tuple[str, ...]
    amounts: tuple[Amount, ...]
    all_amounts: tuple[Amount, ...]
    words: tuple[str, ...]
    has_denial: bool
    is_denied: bool
    limits: str
    names: frozenset[str]
    proper: frozenset[str]
    sides: frozenset[tuple[int, int]]
    ends_in_value: bool
    has_many: bool
    slot: Slot | None


_NAME = re.compile(r"`([^`]+)`|(?<![\w-])(\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\)|--[a-z][\w-]+)")

_PROPER = re.compile(r"(?<=[\w,;)] )[A-ZА-ЯЁ][\w-]*")

_REASON = re.compile(r",? (?:because|since|so that|as it|потому что|так как|поскольку|чтобы)\b", re.IGNORECASE)
"""From here on a text says why: what it denies there is no denial of what it states."""

_ONE_VALUE = re.compile(
    r"^(?:(?:[Tt]he|[Oo]ur|[Ii]ts) [^,]+ (?:is|are) [A-Z][\w.-]*|[^,]+ (?:written|implemented|developed) in \S+|[^,]+ [Нн]аписан\w* на \S+|[^,—–]+ [—–] [A-ZА-ЯЁ][\w.-]*)$"
)
"""Sentences whose last word is the one value of a slot: another one there excludes it."""

_LINK = re.compile(r"[—–=:]|(?<= )-(?= )")
_MANY = re.compile(
    r"\b(?:supports?|includes?|contains?|has|have|accepts?|provides?|offers?|compatible|tested|works with|runs on|one of|such as|e\.g|or|содерж\w+|включает|поддержива\w+|совместим\w*|принимает|например|или)\b",
    re.IGNORECASE,
)


_SWITCHED = re.compile(r"\b(?:turned|switched) (on|off)\b")


def read(text: str) -> Reading:
    """Return *text* as it is compared."""
    clear = plain(text).replace("’", "'").strip().rstrip(".!;")
    reason = _REASON.search(clear)
    stated, why = (clear[: reason.start()], clear[reason.start() :]) if reason else (clear, "")
    folded = _folded(stated)
    parts = _Parts()
    for amount, word in tokens(folded):
        if amount is not None:
            parts.add_amount(amount)
        else:
            parts.add_word(word)
    return Reading(
        subject=tuple(parts.subject),
        predicate=tuple(parts.predicate),
        amounts=tuple(parts.amounts),
        all_amounts=tuple(parts.all_amounts),
        words=(*parts.words, *(key(word) for _, word in tokens(_folded(why)) if word)),
        has_denial=parts.has_denial,
        is_denied=(parts.has_denial + parts.flips) % 2 == 1,
        limits=split_condition(stated)[1],
        names=frozenset(normalize("".join(groups)) for groups in _NAME.findall(text)),
        proper=frozenset(key(normalize(word)) for word in _PROPER.findall(clear)),
        sides=sides([key(word) for _, word in tokens(folded) if word]),
        ends_in_value=_ONE_VALUE.match(stated) is not None,
        has_many=_MANY.search(folded) is not None,
        slot=_slot(stated, folded),
    )


class _Parts:
    """What has been read of a text so far."""

    def __init__(self) -> None:
        self.subject: list[str] = []
        self.predicate: list[str] = []
        self.words: list[str] = []
        self.amounts: list[Amount] = []
        self.all_amounts: list[Amount] = []
        self.flips = 0
        self._denials = 0
        self._doubles = 0
        self._is_rough = False
        self._in_predicate = False
        self._after_opposite = False

    @property
    def has_denial(self) -> bool:
        """Whether it denies: two denials are none, unless Russian grammar asks for both."""
        return (self._denials or self._doubles) % 2 == 1

    def add_amount(self, amount: Amount) -> None:
        """Add an amount: of the predicate its kind, of the subject, whose name it is part of, its value too."""
        amount = attrs.evolve(amount, is_rough=self._is_rough)
        self._is_rough = False
        self.all_amounts.append(amount)
        self.words.append(f"#{amount.kind}")
        if self._in_predicate:
            self.amounts.append(amount)
            self.predicate.append(f"#{amount.kind}")
        else:
            self.subject.append(f"{amount.kind}{amount.value}")

    def add_word(self, word: str) -> None:
        """Add a word."""
        if self.subject and is_verb(word):
            self._in_predicate = True
        if word in ROUGH:
            self._is_rough = True
        elif word in DENIALS:
            self._denials += word not in DOUBLE
            self._doubles += word in DOUBLE
            if modal := MODAL_OF.get(word):
                self._add(key(modal))
        elif word not in ARTICLES and word not in FILLERS and not (self._after_opposite and word in ("to", "from")):
            stem = key(word)
            if self._in_predicate and (other := opposite(stem)):
                self.flips += 1
                stem = other
            self._add(stem)
            self._after_opposite = self._in_predicate and bool(sides([stem]))

    def _add(self, stem: str) -> None:
        self.words.append(stem)
        (self.predicate if self._in_predicate else self.subject).append(stem)


def _folded(text: str) -> str:
    plain_text = plainly_denied(_LINK.sub(" is ", normalize(text).replace("ё", "е").replace("`", "")))
    return _SWITCHED.sub(lambda match: "enabled" if match[1] == "on" else "disabled", plain_text)


def _slot(clear: str, folded: str) -> Slot | None:
    finding = read_fact(clear)
    if finding is None:
        return None
    return Slot(
        key=topic_key(finding.subject, finding.attribute),
        value=normalize_value(finding.value),
        is_denied=finding.polarity is Polarity.NEGATIVE,
        is_one_of_many=finding.attribute.startswith(("supports", "tool for")) or _MANY.search(folded) is not None,
    )
