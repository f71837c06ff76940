"""Rules for what a thing does, when that is counted or named: `expires after 15 minutes`. English and Russian."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.denials import affirmed, third_person
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, polarity, russian, worded
from pckc_domain.policy.setting_rules import PER, UNITS
from pckc_domain.policy.subjects import normalize_subject, normalize_value

_SPAN = rf"(?P<v>(?:\d[\d.,]*(?<![.,]) ?|an? )(?:{UNITS})(?!\w))"
_PERIOD = (
    rf"(?P<v>\d[\d.,]*(?<![.,]) ?(?:{UNITS})(?!\w)|(?!(?:time|once|now|bit|single|one|other)\b)[a-z]{{3,}}\b"
    r"|(?:секунду|минуту|час|день|неделю|месяц|ночь|утро|понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье)\b)"
)
_COUNT = (
    r"(?P<v>\d[\d.,]*(?<![.,]) ?(?!(?:ms|m?s|m|h|(?:milli)?sec\w*|min\w*|hours?|hrs?|days?|weeks?|months?|years?|м?с|сек\w*|мин\w*|час\w*|дн\w*|день)\b)"
    rf"(?P<unit>times|раза?|entries|records?|messages?|files?|nodes?|shards?|partitions?|{UNITS})(?!\w){PER})"
)
_END = (
    r"(?=\s*(?:$|[.;:!(—–]|,? (?:now|again|by default|because|since|so|and then|теперь|по умолчанию|потому|так как)\b))"
)
_LINKS = "(?:under|over|about|above|below|within|every|after|than|with|for|and|not)"
_WHO = rf"^(?!(?:in|on|at|for|with|from|by|to|of|as|per)\b)(?P<det>the |our |each |every |all )?{NP} (?:now |currently |automatically |always )?"
_DOES = rf"{_WHO}(?P<verb>(?:(?:is|are) [a-z]+(?:ed|en|nt|lt)\b|[a-z]+[^su\W]s\b|(?<=s )(?!{_LINKS}\b)[a-z]{{3,}}(?! [a-z]+s (?:every|after|up|\d)))(?: (?:out|off|up|over))?)"
_WHAT = r"(?P<object> (?:(?:the|its) )?(?!(?:the|its|and|or|for|in|at|on|every)\b)[a-z-]+(?: (?!(?:for|in|at|on|every)\b)[a-z-]+)?)?"
_COUNTED = (
    worded(rf"{_DOES}{_WHAT} (?P<how>every) {_PERIOD}{_END}", " every "),
    worded(
        rf"{_DOES}(?P<object>) (?P<how>after|for up to|up to|at most) {_SPAN}{_END}", " after ", " up to ", " at most "
    ),
    worded(rf"{_DOES}{_WHAT}(?P<how>) {_COUNT}{_END}", *"0123456789"),
)
_LASTS = worded(
    rf"{_WHO}(?:(?P<ends>(?:expire|lapse)s?) (?:in|after)|(?:last|live|stay|remain)s?(?: valid| alive)?(?: for)?) {_SPAN}{_END}",
    *"expire lapse last live stay remain".split(),
)
_DOES_RU = rf"^{NP} (?:теперь |сейчас |автоматически |всегда )?(?P<verb>[а-яё]+[аеиуюяё]т(?:ся)?)"
_COUNTED_RU = (
    russian(rf"{_DOES_RU}(?P<object> [а-яё]+)? (?P<how>кажд(?:ый|ую|ые|ое)|раз в) {_PERIOD}{_END}"),
    russian(rf"{_DOES_RU}(?P<object> [а-яё]+)? (?P<how>не более|до) {_SPAN}{_END}"),
    russian(rf"{_DOES_RU}(?P<object> [а-яё]+)?(?P<how>) {_COUNT}{_END}"),
)
_LASTS_RU = russian(
    rf"^{NP} (?:теперь |сейчас |автоматически |всегда )?(?:(?P<ends>(?:истека|протуха|устарева)[ею]т) через|(?:жив[уё]т|действу[ею]т)) {_SPAN}{_END}"
)
_NAMED = r"(?P<v>[A-Za-z@][\w.+/@-]*\w(?: (?-i:[A-Z])[\w.+-]*)?)"
_DONE = worded(
    rf"^(?:all )?{NP} (?:is|are)(?: now| currently| always)? (?P<verb>[a-z]{{3,}}(?:ed|en)|built|sent|kept) (?P<how>with|via|using|over|in|as|through) {_NAMED}{_END}",
    " is ",
    " are ",
)
_GOES = worded(
    rf"^(?=(?:the|our|all) |[\w -]+s go )(?:the |our |all )?(?P<np>[a-z][\w -]*?) (?P<verb>go|goes)(?: now)? (?P<how>to) {_NAMED}{_END}",
    " go",
)
_DONE_RU = russian(
    rf"^{NP} (?:теперь |сейчас |всегда )?(?P<verb>[а-яё]+[аеиуюя]тся) (?:теперь )?(?P<how>через|с помощью|при помощи|по|в) {_NAMED}{_END}"
)
_PAST = compiled("[a-z]+ed|ran|went|came|took|fell|got|did|had|was|were|died|broke|held|kept|lost|said|made|gave|sent")


def find_properties(clause: str) -> Iterator[Finding]:
    """Yield what *clause* says that a thing does so often, for so long, with so many, or is done with."""
    stated, is_denied = affirmed(clause)
    for rule, read in (("property.lasts", _lasts), ("property.does", _counted), ("property.is", _done)):
        subject, attribute, value = read(stated) or ("", "", "")
        if subject:
            yield Finding(
                rule=rule,
                type=ClaimType.FACT,
                subject=subject,
                attribute=attribute,
                value=value,
                polarity=polarity(is_denied),
                confidence=STATED,
            )
            return


def _lasts(clause: str) -> tuple[str, str, str] | None:
    """Read how long something lasts, however that is worded: one subject has one such time."""
    if match := _LASTS.match(clause):
        attribute = "expires after" if match["ends"] else "lasts"
    elif match := _LASTS_RU.match(clause):
        attribute = "истекает через" if match["ends"] else "живёт"
    else:
        return None
    return normalize_subject(match["np"]), attribute, _amount(match["v"])


def _counted(clause: str) -> tuple[str, str, str] | None:
    if match := next(filter(None, (pattern.match(clause) for pattern in _COUNTED)), None):
        verb = _habit(match)
    elif match := next(filter(None, (pattern.match(clause) for pattern in _COUNTED_RU)), None):
        verb = match["verb"].casefold()
    else:
        return None
    how = match["how"].casefold()
    how = "каждые" if how.startswith("кажд") or how == "раз в" else how
    unit = (match.groupdict().get("unit") or "").casefold()
    counted = "" if _SIZE.fullmatch(unit) else unit
    said = (verb, re.sub("^ (?:the |its )?", "", (match["object"] or "").casefold()), how, counted)
    return (normalize_subject(match["np"]), " ".join(filter(None, said)), _amount(match["v"])) if verb else None


def _habit(match: re.Match[str]) -> str:
    """Return the verb as one thing does it again and again, ``""`` when it did it once or a person does it."""
    is_passive, _, verb = match["verb"].casefold().rpartition(" ")
    if is_passive in {"is", "are"}:
        return verb
    verb = match["verb"].casefold()
    is_plural = bool(_PLURAL.search(match["np"]))
    head = match["np"].split()[0]
    is_person = not match["det"] and not is_plural and head[:1].isupper() and head[1:].islower()
    if is_person or _PAST.fullmatch(verb):
        return ""
    first, _, more = verb.partition(" ")
    first = third_person(first) if is_plural else first
    return f"{first} {more}".strip() if re.search("[^s]s$", first) else ""


_SIZE = re.compile("times|раза?|[kmgt]i?b|bytes?|[кмгт]и?б|%|percent")
"""Units of which a thing has but one number."""

_PLURAL = re.compile(r"(?<![isu'’])s$", re.IGNORECASE)


def _done(clause: str) -> tuple[str, str, str] | None:
    match = _DONE.match(clause) or _DONE_RU.match(clause) or _GOES.match(clause)
    if match is None or not (match["v"][0].isupper() or re.search(r"\w[._/@+-]\w|\d", match["v"])):
        return None
    return normalize_subject(match["np"]), _said(match), normalize_value(match["v"])


def _said(match: re.Match[str]) -> str:
    return f"{match['verb']} {match['how']}".casefold().replace("goes to", "go to")


def _amount(said: str) -> str:
    """Return an amount as a comparable value; `every minute` and `after an hour` count one."""
    one = re.sub("^an? ", "", said.casefold())
    is_unit = not one[0].isdigit() and re.fullmatch(UNITS, one)
    return normalize_value(f"1 {one}" if is_unit else one)
