"""Rules for what a thing does, when that is counted or named: `expires after 15 minutes`. English and Russian."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.denials import affirmed, third_person
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, polarity, russian
from pckc_domain.policy.setting_rules import UNITS
from pckc_domain.policy.subjects import normalize_subject, normalize_value

_AMOUNT = rf"(?P<v>\d[\d.,]*(?<![.,])(?: ?(?:{UNITS})(?!\w))|(?P<once>second|minute|hour|day|week|month|секунду|минуту|час|день|неделю|месяц)\b)"
_COUNT = rf"(?P<count>\d[\d.,]*(?<![.,]) (?:times|раза?)\b|\d[\d.,]*(?<![.,]) ?(?:[kmgt]i?b|bytes?|items?|rows?|entries|lines?|records?|messages?|connections?|characters?)(?!\w))"
_END = r"(?=\s*(?:$|[.;:!(—–]|,? (?:now|again|by default|because|since|so|and then|теперь|по умолчанию|потому|так как)\b))"
_DOES = compiled(
    rf"^(?P<det>the |our |each |every |all )?{NP} (?:now |currently |automatically |always )?(?P<verb>[a-z]{{3,}})(?P<more> (?:out|off|up|over))? "
    rf"(?:(?P<how>after|every|for up to|up to|at most) {_AMOUNT}|{_COUNT}){_END}"
)
_DOES_RU = russian(
    rf"^{NP} (?:теперь |сейчас |автоматически |всегда )?(?P<verb>[а-яё]+[аеиуюя]т(?:ся)?)(?P<object> [а-яё]+)? "
    rf"(?:(?P<how>кажд(?:ый|ую|ые|ое)|раз в|не более|до) {_AMOUNT}|(?P<lapse>через) (?P<v2>\d[\d.,]* ?(?:{UNITS})(?!\w))|{_COUNT}){_END}"
)
_LAPSES = compiled("истека|протуха|устарева|действу|жив[её]т|сбрасыва|удаля|очища|обновля|отключа|закрыва")
"""`Через` tells how long these last; of a train it tells when it leaves."""

_NAMED = r"(?P<v>[A-Za-z@][\w.+/@-]*\w(?: [A-Z][\w.+-]*)?)"
_IS_DONE = compiled(
    rf"^(?:all )?{NP} (?:is|are)(?: now| currently| always)? (?P<verb>[a-z]{{3,}}(?:ed|en)|built|sent|kept) (?P<how>with|by|via|using|over|in|as|through) {_NAMED}{_END}"
)
_IS_DONE_RU = russian(
    rf"^{NP} (?:теперь |сейчас |всегда )?(?P<verb>[а-яё]+[аеиуюя]тся) (?:теперь )?(?P<how>через|с помощью|при помощи|по|в) {_NAMED}{_END}"
)
_PAST = compiled("[a-z]+ed|ran|went|came|took|fell|got|did|had|was|were|died|broke|held|kept|lost|said|made|gave|sent")


def find_properties(clause: str) -> Iterator[Finding]:
    """Yield what *clause* says that a thing does so often, for so long, with so many, or is done with."""
    stated, is_denied = affirmed(clause)
    for read in (_counted, _done):
        if found := read(stated):
            subject, attribute, value = found
            yield Finding(
                rule="property.is" if read is _done else "property.does",
                type=ClaimType.FACT,
                subject=subject,
                attribute=attribute,
                value=value,
                polarity=polarity(is_denied),
                confidence=STATED,
            )
            return


def _counted(clause: str) -> tuple[str, str, str] | None:
    if match := _DOES.match(clause):
        subject, verb = _subject(match["np"]), match["verb"].casefold()
        verb = third_person(verb) if _is_plural(match["np"]) else verb
        if not subject or not re.search("[^s]s$", verb) or _PAST.fullmatch(match["verb"]) or _is_person(match):
            return None
        how = f"{match['more'] or ''} {match['how'] or ''}".strip()
        return subject, f"{verb} {how}".strip(), _amount(match)
    if match := _DOES_RU.match(clause):
        subject = _subject(match["np"])
        if not subject or (match["lapse"] and not _LAPSES.match(match["verb"])):
            return None
        said = (match["verb"], (match["object"] or "").strip(), _how(match))
        return subject, " ".join(filter(None, said)).casefold(), _amount(match)
    return None


def _done(clause: str) -> tuple[str, str, str] | None:
    match = _IS_DONE.match(clause) or _IS_DONE_RU.match(clause)
    if match is None or not _is_name(match["v"]):
        return None
    subject = _subject(match["np"])
    return (subject, f"{match['verb']} {match['how']}".casefold(), normalize_value(match["v"])) if subject else None


def _subject(phrase: str) -> str:
    return normalize_subject(phrase)


def _is_plural(phrase: str) -> bool:
    return bool(re.search(r"(?<![isu'’])s$", phrase.casefold()))


def _is_person(match: re.Match[str]) -> bool:
    """Whether a name without an article does it: `Anna runs every 10 minutes`."""
    head = match["np"].split()[0]
    return not match["det"] and not _is_plural(match["np"]) and head[:1].isupper() and head[1:].islower()


def _is_name(value: str) -> bool:
    return value[0].isupper() or bool(re.search(r"\w[._/@+-]\w|\d", value))


def _how(match: re.Match[str]) -> str:
    how = (match["how"] or match["lapse"] or "").casefold()
    return "каждые" if how.startswith("кажд") or how == "раз в" else how


def _amount(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if groups["once"]:
        return normalize_value(f"1 {groups['once']}")
    return normalize_value(groups["v"] or groups.get("v2") or groups["count"])
