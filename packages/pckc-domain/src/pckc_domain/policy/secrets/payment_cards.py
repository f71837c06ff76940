"""
Tell the number of a payment card from any other long number.

A number alone counts with 15 or 16 digits, the prefix of an issuer, a right check digit and no name such as `id`
before it. Numbers of other lengths are mostly something else, so a word such as *card* must stand before them.
Published test numbers count too: they look like any other card.
"""

import re
from collections.abc import Iterator

_ISSUER = re.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|220[0-4]|3(?:0[0-5]|[68])|35(?:2[89]|[3-8])"
    r"|6(?:011|4[4-9]|5|2)|5[06-8]|63|67"
)
_CARD_WORD = re.compile(r"card|visa|amex|maestro|american express|unionpay|(?<![a-z])(?:pan|mir|cc)(?![a-z])|карт")
_OTHER_NAME = re.compile(
    r"(?:id|ids|time|stamp|ts|hash|seed|offset|size|bytes|ns|version|serial|isbn|ean|sku|order|tracking|invoice|phone"
    r"|номер заказа|инн|счет|счёт)[\"']?[ \t]*[:=#№]*[ \t]*[\"']?$"
)
_USUAL_LENGTHS: dict[str, tuple[int, ...]] = {"3": (15, 16), "2": (16,), "4": (16,), "5": (16,), "6": (16,)}


def _check_digit_holds(digits: str) -> bool:
    """Return whether *digits* pass the Luhn check (ISO/IEC 7812-1, annex B)."""
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


_FOUR = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdigit() else byte for byte in range(256))
_GROUPS = re.compile(rb"0000(?:0{9,15}(?!0)|[ \xa0-]0000(?:00)?[ \xa0-])")
_JOINT = r"[ \u00a0-]"
_NUMBER = re.compile(
    # Groups of four with a rest of three at most, groups of 4-6-5 as American Express has them, or no groups.
    rf"(?<![\w.,/#$+-])(?<![0-9]{_JOINT})[2-6]"
    rf"(?:[0-9]{{3}}(?P<joint>{_JOINT})(?:[0-9]{{4}}(?P=joint)[0-9]{{4}}(?P=joint)[0-9]{{4}}(?:(?P=joint)[0-9]{{3}})?"
    r"|[0-9]{6}(?P=joint)[0-9]{5})|[0-9]{12,18})"
    r"(?![\w]|[.,:/+-][0-9]|[ \u00a0][0-9]{4}(?![0-9]))"
)


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of every card number in *text*."""
    # Searching bytes for four equal ones is many times faster than searching text for any digit.
    for groups in _GROUPS.finditer(text.encode("latin-1", "replace").translate(_FOUR)):
        number = _NUMBER.match(text, groups.start())
        if number and _is_card(number[0], text[max(0, number.start() - 40) : number.start()].lower()):
            yield number.span()


def _is_card(number: str, before: str) -> bool:
    digits = "".join(c for c in number if c.isdigit())
    if not _ISSUER.match(digits) or not _check_digit_holds(digits):
        return False
    if _CARD_WORD.search(before):
        return True
    return len(digits) in _USUAL_LENGTHS[digits[0]] and (number != digits or not _OTHER_NAME.search(before))
