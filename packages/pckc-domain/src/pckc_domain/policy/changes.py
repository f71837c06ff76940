"""What a sentence says was left behind: `we moved from X to Y`, `Y instead of X`, `перешли с X на Y`."""

import re

from pckc_domain.policy.subjects import normalize_value

_THING = r"(?P<x>[\w`.+#@/-]+(?: v?\d[\d.]*)?)"
_LEFT = re.compile(
    r"\b(?:from|instead of|rather than|replac(?:e|ed|es|ing)|ditch(?:ed)?|drop(?:ped)?|swap(?:ped)?|abandon(?:ed)?|"
    r"retired?|"
    r"вместо|с|со|от|замен(?:или|ил|ила|ить|им)|меняем)\s+" + _THING,
    re.IGNORECASE,
)


def names_as_left(text: str, value: str) -> bool:
    """Return whether *text* says that the normalised *value* was left; less detail (`from Postgres`) is enough."""
    left = (normalize_value(match["x"]) for match in _LEFT.finditer(text))
    return any(value == one or value.startswith(f"{one} ") for one in left if one)
