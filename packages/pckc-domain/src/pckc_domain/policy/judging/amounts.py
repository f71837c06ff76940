"""Amounts in a claim: numbers with units, dates, versions, each in one canonical form. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator
from math import isclose

import attrs

from pckc_domain.policy.version_ranges import same_version

ROUGHLY = 0.05
"""Two amounts of which one is said to be approximate are the same within this share."""


@attrs.frozen(order=True)
class Amount:
    """A number, date or version: *kind* is its dimension or unit, *value* its canonical form."""

    kind: str
    value: str
    is_rough: bool = attrs.field(default=False, eq=False)

    def is_same(self, other: "Amount") -> bool:
        """Return whether both may be one amount."""
        if self == other:
            return True
        if self.kind == other.kind == "version":
            return same_version(self.value, other.value)
        if self.kind != other.kind or not (self.is_rough or other.is_rough):
            return False
        try:
            return isclose(float(self.value), float(other.value), rel_tol=ROUGHLY)
        except ValueError:  # a date
            return False


ONE = Amount("number", "1")

_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0, "week": 604800.0}
_BYTES = {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30}
_METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0}
_GRAMS = {"g": 1.0, "kg": 1000.0}
_SCALES = {"seconds": _SECONDS, "bytes": _BYTES, "metres": _METRES, "grams": _GRAMS}
_UNIT_WORDS = {
    "ms": "ms millisecond milliseconds мс миллисекунд миллисекунды миллисекунда",
    "s": "s sec secs second seconds с сек секунд секунды секунда секунду секундам",
    "min": "min mins minute minutes мин минут минуты минута минуту минутам",
    "h": "h hr hrs hour hours ч час часа часов часам",
    "day": "day days день дня дней дням сутки суток",
    "week": "week weeks неделя недели недель неделю",
    "b": "b byte bytes байт байта байтов",
    "kb": "kb kilobyte kilobytes кб килобайт килобайта",
    "mb": "mb megabyte megabytes мб мегабайт мегабайта",
    "gb": "gb gigabyte gigabytes гб гигабайт гигабайта",
    "tb": "tb terabyte terabytes тб терабайт терабайта",
    "kib": "kib", "mib": "mib", "gib": "gib",
    "mm": "mm мм", "cm": "cm см", "m": "m metre metres meter meters м метр метра метров", "km": "km kilometre kilometres kilometer kilometers км километр километра километров",
    "g": "g gram grams г грамм грамма граммов", "kg": "kg kilogram kilograms кг килограмм килограмма килограммов",
    "%": "% percent процент процента процентов", "°c": "°c ℃", "°f": "°f",
}  # fmt: skip
_UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_MONTHS = {
    month: number
    for number, months in enumerate(
        "january января|february февраля|march марта|april апреля|may мая|june июня|july июля|august августа|september сентября|october октября|november ноября|december декабря".split("|"), 1
    )
    for month in months.split()
}  # fmt: skip
_NUMBER_WORDS = {
    word: number
    for number, words in enumerate("zero ноль|one один одна одно|two два две двух|three три трёх трех|four четыре|five пять|six шесть|seven семь|eight восемь|nine девять|ten десять|eleven одиннадцать|twelve двенадцать".split("|"))
    for word in words.split()
}  # fmt: skip

_MONTH = "|".join(_MONTHS)
_TOKEN = re.compile(
    rf"(?P<date>\d{{4}}-\d\d(?:-\d\d)?(?!\d)|(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? \d{{4}}(?!\d))"
    r"|(?P<version>\bv?\d+(?:\.\d+){2,}[\w-]*|\bv\d+(?:\.\d+)*|(?<=[a-zа-я] )\d+\.\d+(?= or (?:newer|later|above)|\+))"
    r"|(?P<number>(?<![\w.])[-+]?\d[\d,_]*(?:\.\d+)?(?: (?=\d{3}(?!\d))\d{3})*)(?P<unit>\s?(?:%|°[cf]|℃)|\s?[a-zа-яё]+(?![\w-]))?"
    r"|(?P<word>[^\W\d_][\w'’]*(?:[-./+#@_]+[\w'’]+)*[+#]*|\w+)"
)


def tokens(folded: str) -> Iterator[tuple[Amount | None, str]]:
    """Yield the words and amounts of a case-folded text in order: an amount and ``""``, or ``None`` and a word."""
    for match in _TOKEN.finditer(folded):
        kind = match.lastgroup
        if kind == "date":
            yield Amount("date", _date(match["date"])), ""
        elif kind == "version":
            yield Amount("version", match["version"].lstrip("v")), ""
        elif match["number"]:
            unit = (match["unit"] or "").strip()
            yield _amount(match["number"], _UNITS.get(unit, "")), ""
            if unit and unit not in _UNITS:
                yield None, unit
        elif match["word"] in _NUMBER_WORDS:
            yield Amount("number", str(_NUMBER_WORDS[match["word"]])), ""
        else:
            yield None, match["word"]


def _amount(number: str, unit: str) -> Amount:
    digits = re.sub(r"(?<=\d)[,_ ](?=\d{3}(?!\d))", "", number).replace(",", ".")
    try:
        value = float(digits)
    except ValueError:
        return Amount("number", digits)
    for kind, scale in _SCALES.items():
        if unit in scale:
            return Amount(kind, f"{value * scale[unit]:.15g}")
    return Amount(unit or "number", f"{value:.15g}")


def _date(text: str) -> str:
    if text[:4].isdigit() and text[4:5] == "-":
        return text
    month = next(word for word in text.replace(",", "").split() if word in _MONTHS)
    year = text[-4:]
    day = re.search(r"\d{1,2}", text[:-4])
    return f"{year}-{_MONTHS[month]:02}" + (f"-{int(day[0]):02}" if day else "")
