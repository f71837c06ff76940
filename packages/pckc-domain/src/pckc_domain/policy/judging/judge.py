"""
How one claim bears on another, by rules: the critic of those who run no model.

Both texts are read into a common form (`Reading`): what is spoken of, what is said of it with every amount replaced by
its kind, the amounts, and whether it is affirmed or denied. Where the forms are equal the amounts and the denial
decide. Different numbers alone never contradict: the words around them have to be the same.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from pckc_domain.model.identity import normalize
from pckc_domain.model.verdict import Judgement, VerdictKind
from pckc_domain.policy.judging.amounts import ONE, Amount
from pckc_domain.policy.judging.reading import Reading, read
from pckc_domain.policy.judging.words import PREPOSITIONS

SAME_ORDER = 0.8
"""Share of equal words that stand in the same order: below it two texts may say another thing (`A calls B`)."""

CONTAINED = 0.75
"""Share of the shorter text's words that stand in the longer one when it says the same and more."""

MAX_CHARACTERS = 2_000
"""Longer texts are compared as a whole only: a claim of that length is no statement."""

MIN_SHARED = 3
"""Words, so that two short texts are not held to be one for a word or two."""

_RANK = (VerdictKind.DUPLICATE, VerdictKind.CONTRADICTS, VerdictKind.CORROBORATES)


def judge(claim: str, others: Sequence[str]) -> Judgement:
    """
    Return how *claim* bears on *others*, nearest first: the weightiest verdict, of equal ones the nearest.

    A duplicate weighs more than a contradiction, which weighs more than corroboration; ``new`` when there is none.
    """
    found = [(compare(claim, other), place) for place, other in enumerate(others)]
    for kind in _RANK:
        for judgement, place in found:
            if judgement.kind is kind:
                return Judgement(kind=kind, against=place, reason=judgement.reason)
    return Judgement(kind=VerdictKind.NEW, reason="no other claim says the same or the opposite of the same thing")


def compare(one: str, other: str) -> Judgement:
    """Return how two texts bear on each other, the same in both orders; ``against`` is ``None``."""
    if normalize(one).rstrip(" .!") == normalize(other).rstrip(" .!"):
        return Judgement(kind=VerdictKind.DUPLICATE, reason="the texts are equal")
    if max(len(one), len(other)) > MAX_CHARACTERS:
        return Judgement(kind=VerdictKind.NEW, reason="one is too long to be compared by its words")
    mine, theirs = map(_read, sorted((one, other)))  # so that nothing depends on their order
    return _by_slot(mine, theirs) or _by_words(mine, theirs)


def proves(one: str, other: str) -> bool:
    """
    Return whether *one*, of two texts that corroborate each other, says all that *other* says.

    Who says more than the other (`… in production`) is not proven by it.
    """
    mine, theirs = _read(one), _read(other)
    if normalize(one) == normalize(other):
        return True
    if theirs.limits and theirs.limits != mine.limits:
        return False
    if not set(_counted(theirs)) <= set(_counted(mine)) or not theirs.names <= mine.names:
        return False
    words, others = set(mine.words) - PREPOSITIONS, set(theirs.words) - PREPOSITIONS
    says_as_much = len(words & others) >= CONTAINED * len(words)
    return not (says_as_much and len(others - words) > len(words - others))


def differs_in_substance(one: str, other: str) -> bool:
    """Return whether two texts differ in an amount, denial, opposite, name, limit or role; long ones in anything."""
    if max(len(one), len(other)) > MAX_CHARACTERS:
        return normalize(one) != normalize(other)
    mine, theirs = _read(one), _read(other)
    verdict = compare(one, other).kind
    return (
        _counted(mine) != _counted(theirs)
        or mine.names != theirs.names
        or mine.limits != theirs.limits
        or _are_contrasted(mine, theirs)
        or _are_turned_round(mine, theirs)
        or verdict is VerdictKind.CONTRADICTS
        or (mine.has_denial is not theirs.has_denial and verdict is not VerdictKind.DUPLICATE)
    )


def _counted(reading: Reading) -> list[Amount]:
    """Return the amounts of a text, in order of size; `one file` is `a file`."""
    return sorted(amount for amount in reading.all_amounts if amount != ONE)


def _are_contrasted(mine: Reading, theirs: Reading) -> bool:
    """Return whether each has a name or one of two opposed words where the other has another."""
    if mine.proper - theirs.proper - set(theirs.words) and theirs.proper - mine.proper - set(mine.words):
        return True
    ours, others = mine.sides - theirs.sides, theirs.sides - mine.sides
    return any((pair, 1 - side) in others for pair, side in ours)


def _are_turned_round(mine: Reading, theirs: Reading) -> bool:
    """Return whether the order of equal words tells who does it to whom; in Russian the endings tell."""
    words, others = mine.words, theirs.words
    if sorted(words) != sorted(others) or set(mine.subject) == set(theirs.subject) or not "".join(words).isascii():
        return False
    return not any((*words[cut:], *words[:cut]) == others for cut in range(1, len(words)))


@lru_cache(maxsize=4_096)
def _read(text: str) -> Reading:
    return read(text)


def _by_slot(mine: Reading, theirs: Reading) -> Judgement | None:
    """Return the verdict when both fill one slot; ``None`` when they do not, or when the slot decides nothing."""
    one, other = mine.slot, theirs.slot
    if one is None or other is None or one.key != other.key or one.is_one_of_many or other.is_one_of_many:
        return None
    if one.value == other.value:
        if one.is_denied is other.is_denied:
            return _same(mine, theirs, "both give the same slot the same value")
        return Judgement(kind=VerdictKind.CONTRADICTS, reason="one affirms and the other denies the value of one slot")
    if one.is_denied or other.is_denied:
        return None
    return Judgement(kind=VerdictKind.CONTRADICTS, reason="they give one slot two values")


def _same(mine: Reading, theirs: Reading, reason: str) -> Judgement:
    is_same = set(mine.words) == set(theirs.words)
    return Judgement(kind=VerdictKind.DUPLICATE if is_same else VerdictKind.CORROBORATES, reason=reason)


def _by_words(mine: Reading, theirs: Reading) -> Judgement:
    if mine.subject == theirs.subject and mine.predicate == theirs.predicate:
        return _same_form(mine, theirs)
    if mine.ends_in_value and theirs.ends_in_value and _differ_in_last(mine, theirs):
        return Judgement(kind=VerdictKind.CONTRADICTS, reason="they name two values where there is one")
    if (
        mine.words == theirs.words
        and mine.all_amounts == theirs.all_amounts
        and mine.has_denial is not theirs.has_denial
    ):
        return Judgement(kind=VerdictKind.CONTRADICTS, reason="one affirms what the other denies")
    if _has_same_words(mine, theirs):
        return Judgement(kind=VerdictKind.DUPLICATE, reason="both have the same words")
    return _by_overlap(mine, theirs)


def _has_same_words(mine: Reading, theirs: Reading) -> bool:
    return (
        mine.is_denied is theirs.is_denied
        and sorted(mine.all_amounts) == sorted(theirs.all_amounts)
        and set(mine.words) == set(theirs.words)
        and _is_same_order(mine.words, theirs.words)
    )


def _is_same_order(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether both have the same order, or one has a phrase in front that the other has at its end."""
    if SequenceMatcher(None, words, others, autojunk=False).ratio() >= SAME_ORDER:
        return True
    return _is_fronted(words, others) or _is_fronted(others, words)


def _is_fronted(words: Sequence[str], others: Sequence[str]) -> bool:
    if words[0] not in PREPOSITIONS and not words[0].startswith("#"):
        return False
    return any((*words[cut:], *words[:cut]) == tuple(others) for cut in range(1, len(words)))


def _same_form(mine: Reading, theirs: Reading) -> Judgement:
    """Return the verdict on two texts that say the same but for amounts and denial."""
    is_same_amount = all(a.is_same(b) for a, b in zip(mine.amounts, theirs.amounts, strict=True))
    if not is_same_amount:
        if mine.has_denial or theirs.has_denial or mine.has_many or theirs.has_many:
            return Judgement(kind=VerdictKind.NEW, reason="they name amounts that do not exclude each other")
        return Judgement(kind=VerdictKind.CONTRADICTS, reason="the same is said with another amount")
    if mine.is_denied is not theirs.is_denied:
        return Judgement(kind=VerdictKind.CONTRADICTS, reason="one affirms what the other denies")
    return _same(mine, theirs, "both say the same in the same words")


def _differ_in_last(mine: Reading, theirs: Reading) -> bool:
    return (
        mine.subject == theirs.subject
        and mine.predicate[:-1] == theirs.predicate[:-1]
        and mine.is_denied is theirs.is_denied is False
    )


def _by_overlap(mine: Reading, theirs: Reading) -> Judgement:
    """Return whether the longer text says what the shorter one does, and more."""
    new = Judgement(kind=VerdictKind.NEW, reason="they speak of different things")
    short, long = sorted((mine, theirs), key=lambda reading: len(set(reading.words)))
    words, others = set(short.words), set(long.words)
    shared = words & others
    if len(shared) < max(MIN_SHARED, CONTAINED * len(words)):
        return new
    if short.has_denial is not long.has_denial or _are_contrasted(short, long):
        return new
    if not set(short.all_amounts) <= set(long.all_amounts) or not short.names <= long.names:
        return new
    if not set(short.subject) <= others or (short.limits and short.limits != long.limits):
        return new
    matched = SequenceMatcher(None, short.words, long.words, autojunk=False).get_matching_blocks()
    if sum(block.size for block in matched) < CONTAINED * len(short.words):
        return new
    return Judgement(kind=VerdictKind.CORROBORATES, reason="the longer one says what the shorter one does")
