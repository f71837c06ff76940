"""
What is so, beside what was or is not: `the port was 7000, now 8000` and `it is not 7000 but 8000` say that it is 8000.

English and Russian.
"""

# ruff: noqa: E501  # patterns read best on one line

import re

from pckc_domain.policy.denials import third_person
from pckc_domain.policy.findings import NP, compiled, russian, worded
from pckc_domain.policy.setting_rules import PLAIN_VALUE, UNITS

_VALUE = rf"{PLAIN_VALUE}|[\w@.+#/-]*\w"
_NOW = worded(
    rf"^(?P<before>(?:previously|formerly|originally|before|earlier|in the past),? )?{NP}(?: (?:previously|formerly|originally))? "
    rf"(?:used to (?P<verb>[a-z]+)|(?P<past>was|were|[a-z]+ed|ran))(?P<how>(?: [a-z]+){{0,3}}?) (?P<old>{_VALUE})(?: before| previously)?(?:,|;| but| and)+ "
    rf"(?:but |and )?now,? (?:(?P<again>it's|they're|(?:it|they) [a-z]+)(?: now)? (?P<rest>.+)|(?:(?:on|at|to|in) )?(?P<new>{_VALUE}))$",
    " now",
)
_NOT_BUT = worded(
    rf"^{NP} (?P<link>is|are)(?:n't| not) (?P<old>{_VALUE})(?:,? but|[,;] (?:it|they)(?:'s|'re| is| are)) (?P<new>{_VALUE})$",
    "n't",
    " not",
)
_NOT_BUT_RU = russian(rf"^{NP} (?:у нас )?(?:теперь )?не (?P<old>{_VALUE}), а (?P<new>{_VALUE})$")
_NOW_RU = russian(
    rf"^(?P<before>(?:раньше|прежде|ранее|до этого),? )?(?:{NP} )?(?:раньше )?(?P<past>[а-яё]+л[аои]?)(?P<how>(?: (?:на|в|по|до|порт\w*|версию)){{0,2}}) "
    rf"(?P<old>{_VALUE})(?:,|;| а| но)+ (?:а |но )?(?:теперь|сейчас)(?: (?:он[аои]?|мы))?(?: уже)?(?: (?:на|в|по|порт\w*))* (?P<new>{_VALUE})$"
)
_PRESENT = {"was": "is", "were": "are", "ran": "runs", "be": "is"}
_SPEAKERS = frozenset("we i they мы".split())
_UNIT = compiled(rf"\d[\d.,]*(?P<unit>\s?(?:{UNITS}))$")
_BARE = re.compile(r"\d[\d.,]*")


def as_now(clause: str) -> str:
    """Return what *clause* says beside how it was, or is not, as a clause of its own; *clause* when it says no such."""
    if match := _NOW.match(clause):
        return _english(match) or clause
    if match := _NOW_RU.match(clause):
        return _russian(match) or clause
    if match := _NOT_BUT.match(clause) or _NOT_BUT_RU.match(clause):
        return f"{match['np']} {match.groupdict().get('link', '—')} {_counted(match['new'], match['old'])}"
    return clause


def _english(match: re.Match[str]) -> str:
    np = match["np"]
    if match["again"]:
        verb = match["again"].replace("it's", "it is").replace("they're", "they are").partition(" ")[2]
        return f"{np} {verb} {_counted(match['rest'], match['old'])}"
    said = (match["verb"] or match["past"]).casefold()
    verb = _PRESENT.get(said, "")
    if not verb and match["verb"]:
        verb = said if np.casefold() in _SPEAKERS else third_person(said)
    return f"{np} {verb}{match['how']} {_counted(match['new'], match['old'])}" if verb else ""


def _russian(match: re.Match[str]) -> str:
    past, np = match["past"].casefold(), match["np"] or "мы"
    if re.fullmatch("был[аои]?", past):
        verb = "теперь"
    elif match["before"] and (stem := re.fullmatch("(?P<stem>[а-яё]+?)(?P<end>[ао]вал|[ая]л)(?P<many>и)?[ао]?", past)):
        is_ours = np.casefold() in _SPEAKERS
        verb = stem["stem"] + {"овал": "у", "авал": "ава"}.get(stem["end"], stem["end"][0])
        verb += "ем" if is_ours else "ют" if stem["many"] else "ет"
    else:
        return ""
    return f"{np} {verb}{match['how']} {_counted(match['new'], match['old'])}"


def _counted(new: str, old: str) -> str:
    """Return a bare number with the unit of what it takes the place of: `30 seconds, now 60`."""
    unit = _UNIT.match(old) if _BARE.fullmatch(new) else None
    return f"{new}{unit['unit']}" if unit else new
