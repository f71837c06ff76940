"""Values of constants and settings: only literals, and the few ways to spell a duration, are values."""

import re
from math import prod

from pckc_domain.policy.subjects import UNIT_WORDS, normalize_value

MAX_CHARACTERS = 100
"""Longer values are texts."""

_COMMENT = re.compile(r"\s+(?:#|//|--|/\*|;).*$")
_STRING = re.compile(r"[rbu]?(?:\"([^\"\\]*)\"|'([^'\\]*)'|`([^`\\$]*)`)")
_NUMBER = re.compile(
    r"([-+]?(?:\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+))(?:[uif](?:8|16|32|64|128|size)|[uUlLfFdDmM]{1,3})?"
)
_HEX = re.compile(r"0[xX][0-9a-fA-F_]+")
_PRODUCT = re.compile(r"\d[\d_]*(?:\s*\*\s*\d[\d_]*)+")
_BOOLEAN = re.compile(r"true|false|True|False|TRUE|FALSE|yes|no|on|off")
_UNITS = {"mill": "ms", "sec": "s", "min": "min", "hou": "h", "day": "days"}
_UNIT_NAME = r"(?P<unit>[Mm]illis(?:econds)?|[Ss]ec(?:ond)?s?|[Mm]in(?:ute)?s?|[Hh]ours?|[Dd]ays?)"
_DURATIONS = (
    re.compile(rf"(?:(?P<number>\d+)\s*\*\s*)?time\.{_UNIT_NAME}(?:\s*\*\s*(?P<times>\d+))?"),
    re.compile(rf"(?:\w+(?:\.|::))*Duration(?:\.|::)(?:from_|of|from)?{_UNIT_NAME}\((?P<number>\d+)\)"),
    re.compile(rf"TimeSpan\.From{_UNIT_NAME}\((?P<number>\d+)\)"),
    re.compile(rf"(?:datetime\.)?timedelta\({_UNIT_NAME}=(?P<number>\d+)\)"),
)
_NAME_UNITS = {
    **dict.fromkeys("ms msec msecs millis milliseconds".split(), "ms"),
    **dict.fromkeys("s sec secs second seconds".split(), "s"),
    **dict.fromkeys("min mins minute minutes".split(), "min"),
    **dict.fromkeys("hour hours hr hrs".split(), "h"),
    **dict.fromkeys("day days".split(), "days"),
}


def literal(raw: str, name: str = "") -> str:
    """
    Return the literal that *raw*, what stands behind an equals sign, spells; ``""`` when it is none.

    Args:
        raw: Up to the end of the line; a comment behind it is left out.
        name: Of the constant: its last word may be the unit of the number (``timeout_ms``).
    """
    raw = raw.strip()
    if match := _STRING.match(raw):
        rest = raw[match.end() :].strip()
        if rest and not rest.startswith((";", ",", "#", "//", ")", "/*", "--")):
            return ""
        text = next(group for group in match.groups() if group is not None)
        return plain(text)
    raw = _COMMENT.sub("", raw).rstrip(";, \t")
    return _number(raw, name) or (normalize_value(raw) if _BOOLEAN.fullmatch(raw) else "") or _duration(raw)


def plain(text: str) -> str:
    """Return the value of a string; ``""`` when it is a text, a template or nothing."""
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS or text.count(" ") > 3 or any(mark in text for mark in "{}%$<>\\\n"):
        return ""
    return normalize_value(text)


def _number(raw: str, name: str) -> str:
    if _PRODUCT.fullmatch(raw):
        number = str(prod(int(factor.replace("_", "")) for factor in raw.split("*")))
    elif _HEX.fullmatch(raw):
        number = raw.lower()
    elif match := _NUMBER.fullmatch(raw):
        number = match[1].replace("_", "")
    else:
        return ""
    unit = _NAME_UNITS.get(re.split(r"[_.\- ]", name.casefold())[-1], "")
    return normalize_value(f"{number} {unit}" if unit and not number.startswith("0x") else number)


def _duration(raw: str) -> str:
    for pattern in _DURATIONS:
        if match := pattern.fullmatch(raw):
            groups = match.groupdict()
            number = groups["number"] or groups.get("times") or "1"
            unit = next(unit for start, unit in _UNITS.items() if groups["unit"].casefold().startswith(start))
            return normalize_value(f"{number} {unit}")
    return ""


def words_of(name: str) -> list[str]:
    """Return the words of an identifier in lower case, without the unit at its end."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = [word for word in re.split(r"[\s_.:/-]+", spaced.casefold()) if word]
    return words[:-1] if len(words) > 1 and words[-1] in UNIT_WORDS else words
