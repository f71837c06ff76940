"""
Ranges of versions, as dependency files write them: PEP 440, npm, Cargo, RubyGems.

A version said in conversation (`5.1`) stands for all that begin with it, so a range that holds any of them allows it.
Pre-releases, build numbers and exclusions (``!=``) are not told apart.
"""

import re
from functools import lru_cache

_CLAUSE = re.compile(r"(===?|~=|~>|>=|<=|!=|\^|~|>|<|=)?\s*v?(\d[\w.*+-]*|\*)")
_OPERATOR = re.compile(r"[<>=!~^*|]|\.[x*](?:\.|$)")
_PART = re.compile(r"\d+")
_ENDLESS = (1 << 62,)

Bounds = tuple[tuple[int, ...], tuple[int, ...]]
"""The first version inside and the first one behind."""


def is_range(value: str) -> bool:
    """Return whether *value* names a range of versions rather than one."""
    return bool(_OPERATOR.search(value))


@lru_cache(maxsize=4_096)
def allows(versions: str, version: str) -> bool:
    """Return whether the range *versions* holds some version that begins with *version*."""
    said = _parts(version)
    if not said:
        return False
    return any(_meets(alternative, (said, _after(said))) for alternative in versions.split("||"))


def same_version(one: str, other: str) -> bool:
    """Return whether two versions are the same as far as the shorter one tells: `5.1` of `5.1.4`."""
    if is_range(one) or is_range(other):
        return one == other
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _meets(clauses: str, said: Bounds) -> bool:
    first, behind = said
    found = False
    for operator, version in _CLAUSE.findall(clauses):
        found = True
        low, high = _bounds(operator, version)
        first, behind = max(first, low), min(behind, high)
    return found and first < behind


def _bounds(operator: str, version: str) -> Bounds:
    parts = _parts(version)
    if not parts or operator == "!=":
        return (), _ENDLESS
    if operator == ">=":
        return parts, _ENDLESS
    if operator == ">":
        return (*parts, 0, 1), _ENDLESS
    if operator == "<":
        return (), parts
    if operator == "<=":
        return (), _after(parts)
    if operator == "^":
        place = next((place for place, part in enumerate(parts) if part), len(parts) - 1)
        return parts, _after(parts[: place + 1])
    if operator in ("~=", "~>"):
        return parts, _after(parts[:-1] or parts)
    if operator == "~":
        return parts, _after(parts[:2])
    return parts, _after(parts)


def _parts(version: str) -> tuple[int, ...]:
    parts: list[int] = []
    for part in version.strip().lstrip("v").split("."):
        number = _PART.match(part)
        if number is None:
            break
        parts.append(int(number[0]))
        if number[0] != part:
            break
    return tuple(parts)


def _after(parts: tuple[int, ...]) -> tuple[int, ...]:
    return (*parts[:-1], parts[-1] + 1)
