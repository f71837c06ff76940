"""Rules for bounds: the most or the least that something may be. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.findings import NP, STATED, Finding, russian, worded
from pckc_domain.policy.setting_rules import PER, UNITS
from pckc_domain.policy.subjects import MAXIMUM, MINIMUM, normalize_subject, normalize_value, split_extreme

_AMOUNT = rf"(?P<number>\d[\d.,]*(?<![.,]))(?:\s?(?P<unit>(?:{UNITS})(?!\w){PER}))?"
_END = (
    r"(?=\s*(?:$|[.,;:!(—–]|(?:now|anymore|any more|from now on|because|since|so|as|at any time|in total|"
    r"теперь|потому|так как|поскольку)\b))"
)
_NOT = r"(?:must|shall|should|may|can|is|are) ?(?:never|not|no longer)(?: allowed to)?(?: ever)?|mustn't|shouldn't|cannot(?: ever)?|can't"
_BOUND = worded(
    rf"^(?:all |every |each |any )?{NP} (?:now )?(?:"
    rf"(?:{_NOT}) (?:(?P<above>exceed|go (?:over|above|beyond)|be (?:more|larger|greater|longer|bigger|higher) than)"
    r"|(?P<under>(?:go|drop|fall) (?:below|under)|be (?:less|fewer|smaller|lower|shorter) than))"
    r"|(?:is|are) (?:now )?(?:(?P<capped>limited to|capped at|at most)|(?P<floor>at least))"
    r"|(?:must|shall|should|has to|have to) (?:always )?(?:be|stay|remain|be kept) (?:(?P<most>at most|no (?:more|larger|longer|higher) than|below|under|less than|smaller than|shorter than)"
    rf"|(?P<least>at least|no (?:less|fewer|shorter|lower) than|above|over|more than|greater than))) {_AMOUNT}{_END}",
    "exceed",
    " than ",
    "at most",
    "limited to",
    "capped at",
    "at least",
    "below",
    "under",
    "above",
    "over",
    "beyond",
)
_BOUND_RU = russian(
    rf"^(?:все |каждый |каждая |каждое |любой |любая )?{NP} (?:теперь )?(?:"
    r"(?:никогда )?не (?:долж(?:ен|на|но|ны)|может|могут) (?:(?P<above>превышать|быть (?:больше|более|выше|длиннее))|(?P<under>быть (?:меньше|менее|ниже|короче)))"
    rf"|долж(?:ен|на|но|ны) быть (?:(?P<most>не (?:больше|более|выше|длиннее)|меньше|менее|короче)|(?P<least>не (?:меньше|менее|ниже|короче)|больше|более))) (?:чем )?{_AMOUNT}{_END}"
)
_EXTREME = worded(
    rf"^{NP} (?:(?:is|are)(?: now| currently| set to)*|=|was (?:set|raised|lowered|changed|increased|reduced) to) {_AMOUNT}{_END}",
    "max",
    "min",
)
_EXTREME_RU = russian(
    rf"^{NP}(?=.* \d)(?:\s*(?:[—–=:]|-(?=\s)|\b(?:это|равен|равна|равно|равны|теперь|сейчас|стал|стала|стало)\b))+ {_AMOUNT}{_END}"
)
_KEPT = worded(
    rf"^keep (?:all |every |each |any )?{NP} (?:(?P<most>under|below|at most|shorter than|smaller than|within)|(?P<least>at least|above|over)) {_AMOUNT}{_END}",
    "keep ",
)
_COUNTED = worded(
    r"^(?P<verb>[a-z]+) (?:(?P<above>more)|(?P<under>less|fewer)) than (?P<number>\d+) (?P<np>[\w-]+(?: [\w-]+)?)$",
    " than ",
)

_SECONDS = re.compile(r"[\d.]+s")
_BYTES = re.compile(r"[kmgt]i?b|bytes?|[кмгт]и?б", re.IGNORECASE)
_TIMES = frozenset("timeout delay interval time duration latency ttl таймаут задержка интервал время".split())
_LENGTHS = frozenset("length длина".split())


def find_bound(clause: str) -> Iterator[Finding]:
    """Yield the bound that *clause* sets: the most or the least of a subject, counted in what it is counted in."""
    match = _BOUND.match(clause) or _BOUND_RU.match(clause) or _KEPT.match(clause)
    subject = normalize_subject(match["np"]) if match else ""
    if match is None:
        yield from _extreme(clause)
    elif subject:
        unit = match["unit"] or ""
        value = normalize_value(f"{match['number']} {unit}".strip())
        groups = match.groupdict()
        is_maximum = groups.get("above") or groups["most"] or groups.get("capped")
        end = MAXIMUM if is_maximum else MINIMUM
        yield _bound(subject, f"{end}{_counted_in(subject, unit, value)}", value)


def _extreme(clause: str) -> Iterator[Finding]:
    """Yield the bound that *clause* calls by its name: `the maximum chunk size is 8 MiB`."""
    if match := _EXTREME.match(clause) or _EXTREME_RU.match(clause):
        subject, end = split_extreme(match["np"])
        if subject:
            yield _bound(subject, end, normalize_value(f"{match['number']} {match['unit'] or ''}".strip()))


def find_counted_bound(phrase: str) -> Iterator[Finding]:
    """Yield the bound that a forbidden *phrase* sets: `use more than 4 workers`."""
    match = _COUNTED.match(phrase)
    subject = normalize_subject(match["np"]) if match else ""
    if match and subject:
        end = MAXIMUM if match["above"] else MINIMUM
        yield _bound(subject, f"{match['verb'].casefold()} {end}", match["number"])


def _counted_in(subject: str, unit: str, value: str) -> str:
    """Return what tells bounds of one subject apart: a file has a most of lines, another of bytes, a third of time."""
    words = subject.split()
    if unit in {"", "%"} or _BYTES.fullmatch(unit) or _LENGTHS.intersection((words[0], words[-1])):
        return ""
    if _SECONDS.fullmatch(value):
        return "" if _TIMES.intersection((words[0], words[-1])) else " time"
    return f" {unit.casefold()}"


def _bound(subject: str, attribute: str, value: str) -> Finding:
    return Finding(
        rule="rule.bound",
        type=ClaimType.CONSTRAINT,
        subject=subject,
        attribute=attribute,
        value=value,
        confidence=STATED,
        is_standing=True,
    )
