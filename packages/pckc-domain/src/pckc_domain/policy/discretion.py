"""
Leave out what a speaker asks not to keep: `…, please do not store it`, `Off the record: …`, `не запоминай это`.

A request within a sentence covers that sentence. One that opens a sentence covers what follows to the end of the
message, one that stands alone the whole message, and one that is all of a message the speaker's last one before. What
is said of a program (`do not store it in the database`, `if it is empty, don't save it`) asks for nothing.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator
from typing import NamedTuple

from pckc_domain.policy.redaction import Finding, Redaction

NOT_KEPT = "[REDACTED:asked-not-to-keep]"
"""Stands for what its speaker asked not to keep."""

LAST_NOT_KEPT = "[REDACTED:asked-not-to-keep-the-last]"
"""Stands for a message that asks not to keep the speaker's last one."""

UNKEPT = "its speaker asked not to keep it"
"""Why it is neither evidence nor a claim."""

_HINT = re.compile(
    r"(?:\bnot|n['’]?t)\s+(?:\w+\s+){0,2}?(?:stor|sav|remember|memor|record|retain|persist|writ|note|keep)|not for (?:the|your|memory|notes)"
    r"|off[ -]the[ -]record|between (?:us|you|ourselves)|\bне\s+(?:\w+\s+){0,3}?(?:запом|помн|сохран|запис|хран|занос|фиксир|для|под)"
    r"|(?:запом|сохран|запис|хран|фиксир)\w+\s+не\s|без протокола|между нами",
    re.IGNORECASE,
)
"""What every request has; few texts do, and for the others no other pattern is compiled."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"\"[^\"\n]{8,}\"|“[^”\n]{8,}”|«[^»\n]{8,}»|`[^`\n]+`|^[ \t]*>.*$", re.MULTILINE)
_BORDER = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-ZА-Я])[.!?…]+[\"')»*]*\s+|[ \t]*\n\s*"
)

_START = r"(?:^|[.,;:!?(—–]\s*|\s-\s+|\b(?:please|pls|plz|and|but|so|also|just)\s+)"
_END = r"(?=[\s\"')*]*(?:[.,;:!?)…—–]|$|\s-\s|(?:because|since|as it|as this)\b))"
_NOT = (
    r"(?:do not|don['’]?t|(?:you )?(?:must|should) not|(?:can|could|would) you (?:please )?not"
    r"|i(?:['’]d| would) (?:rather|prefer) (?:that )?you (?:didn['’]t|did not|do not|don['’]t|not))\s+(?:please\s+)?(?:ever\s+)?"
)
_PERSONAL = (
    r"(?:(?:first|last|full|home|phone|private|personal|e-?mail|work)\s+)?(?:names?|e-?mails?|address(?:es)?|numbers?"
    r"|phones?|salary|passwords?|pin|birthday|birth date|age|data|details|information|info|location|cards?|health)"
)
_I_SAY = r"(?:i|we)(?:['’]m| am|['’]ve| have)?(?:\s+just)?\s+\w+(?:\s+(?:you|here|now|above|before))*"
_THING = (
    rf"(?:(?P<all>(?:any|all) of (?:it|this|that)|(?:what|everything|anything)\s+{_I_SAY}|anything"
    r"|(?:this|that|the last|my last|the previous|the above)\s+(?:message|prompt|conversation|chat))"
    r"|(?P<next>(?:the )?following|what follows)|(?P<many>these|those|them)"
    rf"|(?:it|this|that|the above)(?:\s+{_PERSONAL}|\s+(?:fact|sentence|part|bit))?|(?:my|our|his|her|their)\s+{_PERSONAL})"
)
_WHERE = (
    r"(?:\s+(?:in|to|into|for)\s+(?:(?:your|the|its|long[- ]term|pckc(?:['’]s)?|project)\s+)*"
    r"(?:memory|memories|notes?|knowledge base|records?|history|pckc|future use|future sessions|later)"
    r"|,?\s+(?:down|anywhere|in any way|please|thanks?|thank you|ok(?:ay)?|though|either))*"
)
_ASIDE_START = (
    r"(?:^|[.,;:!?(—–]\s*|\s-\s+|\b(?:please|and|but|so)\s+|\b(?:keep|leave)\s+(?:this|it|that)\s+"
    r"|\b(?:this|that|it|everything|all this)(?:['’]s|\s+is|\s+was|(?:\s+(?:should|must|has to))?\s+(?:stays?|remains?|be))\s+)"
    r"(?:(?:strictly|completely|just|all)\s+)?"
)
_ENGLISH = (
    rf"{_START}{_NOT}(?P<firm>store|remember|memori[sz]e|record|(?:write|note)(?=.{{1,60}}\bdown\b)|keep (?:a |any )?(?:record|note|memory) of)"
    rf"\s+(?:down\s+)?{_THING}{_WHERE}{_END}",
    rf"{_START}{_NOT}(?P<loose>save|persist|retain|keep(?=.+\b(?:memory|notes?)\b))\s+{_THING}{_WHERE}{_END}",
    rf"{_ASIDE_START}(?P<firm>off[ -]the[ -]record|not for (?:the record|(?:your )?(?:memory|notes))"
    rf"|between (?:us|you and me|ourselves)(?: only| two)?)(?:,?\s+please)?{_END}",
)

_THING_RUSSIAN = (
    r"(?:(?P<all>ничего(?:\s+из\s+этого)?|(?:то|вс[её]),?\s+что\s+я\s+[а-яё]+|это\s+сообщение|эт[оу]т?\s+(?:переписку|разговор))"
    r"|(?P<next>следующее)|(?P<many>их)|это(?:го)?|его|е[её]|эту\s+информацию|эти\s+данные"
    r"|(?:мой|мою|мо[её]|мои)\s+(?:e-?mail|[а-яё]+))"
)
_START_RUSSIAN = r"(?:^|[.,;:!?(—–]\s*|\s-\s+|\b(?:пожалуйста|и|но|а|только|прошу)\s+)"
_WHERE_RUSSIAN = (
    r"(?:,?\s+(?:пожалуйста|в память|в памяти|себе|нигде|никуда|на будущее|в заметк[аи]х?|в историю|ладно|хорошо))*"
)
_VERB_RUSSIAN = r"(?:сохраня|записыва|хран|фиксирова|заноси)"
_RUSSIAN = (
    rf"{_START_RUSSIAN}(?:это\s+)?(?P<firm>не (?:запоминай|запоминайте|надо запоминать|нужно запоминать|стоит запоминать"
    rf"|надо помнить))(?:\s+{_THING_RUSSIAN})?{_WHERE_RUSSIAN}{_END}",
    rf"{_START_RUSSIAN}не (?P<firm>сохраняй|записывай|храни|фиксируй|заноси)(?:те)?{_WHERE_RUSSIAN}\s+{_THING_RUSSIAN}"
    rf"{_WHERE_RUSSIAN}{_END}",
    rf"{_START_RUSSIAN}(?:это|этого|его|е[её])\s+(?P<firm>не (?:сохраняй|записывай|храни|фиксируй|заноси)(?:те)?"
    rf"|(?:запоминать|{_VERB_RUSSIAN}[а-яё]*ть)\s+не (?:надо|нужно|стоит|следует)"
    rf"|не (?:надо|нужно|стоит|следует)\s+(?:запоминать|{_VERB_RUSSIAN}[а-яё]*ть)){_WHERE_RUSSIAN}{_END}",
    rf"{_START_RUSSIAN}(?:прошу |просьба |лучше )?не (?:(?:надо|нужно|стоит|следует) )?(?P<firm>запоминать|{_VERB_RUSSIAN}[а-яё]*ть)"
    rf"\s+{_THING_RUSSIAN}{_WHERE_RUSSIAN}{_END}",
    rf"(?:^|[.,;:!?(—–]\s*|\s-\s+|\b(?:это|и|но|а|пусть|строго|останется|остаётся|остается)\s+)"
    rf"(?P<firm>не для протокола|не под (?:запись|протокол)|не для записи|без протокола|между нами(?:\s+(?:говоря|двумя))?){_END}",
)
_CONDITIONAL = re.compile(
    r"\W*(?:(?:if|when|whenever|unless|in case|once)\b(?! (?:possible|you (?:can|may|don['’]t mind)))|если\b(?! можно)|когда\b)",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"(?:\W|\b(?:please|pls|plz|thanks?|thank you|ok(?:ay)?|and|but|so|also|just|this|it|that|is|note|hey|hi|claude|because|since"
    r"|пожалуйста|спасибо|и|но|а|только|это|так|прошу|ладно|кстати|пусть|строго|останется|остаётся|остается)\b)+",
    re.IGNORECASE,
)
"""What stands beside a request and says nothing."""


class _Request(NamedTuple):
    """A request: the sentence it stands in, what else the sentence says, and how it was made."""

    start: int
    end: int
    before: str
    after: str
    is_all: bool
    is_next: bool
    is_firm: bool


def without_unkept(text: str) -> Redaction:
    """
    Return what someone said without what it asks not to keep, for which `NOT_KEPT` stands.

    `without_unkept(without_unkept(t).text).text == without_unkept(t).text`.
    """
    if not _HINT.search(text):
        return Redaction(text, ())
    requests = list(_requests(text))
    if not requests:
        return Redaction(text, ())
    spans = [_covered(text, request) for request in requests]
    if _is_of_the_last(text, requests):
        return _replaced(text, [(0, len(text))], LAST_NOT_KEPT)
    return _replaced(text, spans, NOT_KEPT)


def is_unkept(text: str) -> bool:
    """Return whether nothing is left of a text but the marks of what is not kept."""
    rest = text.replace(NOT_KEPT, "").replace(LAST_NOT_KEPT, "")
    return rest != text and not rest.strip()


def asks_not_to_keep_the_last(text: str) -> bool:
    """Return whether a text, as `without_unkept` returns it, asks not to keep what its speaker said before."""
    return text.strip() == LAST_NOT_KEPT


def has_unkept(text: str) -> bool:
    """Return whether something was left out of *text*."""
    return NOT_KEPT in text or LAST_NOT_KEPT in text


def _requests(text: str) -> Iterator[_Request]:
    # What is quoted or code asks for nothing: blanks of its length stand for it.
    own = _QUOTED.sub(_blank, _FENCE.sub(_blank, text))
    start = 0
    for end, following in _borders(own):
        sentence = own[start:end]
        if _HINT.search(sentence) and (match := _match(sentence)):
            groups = match.groupdict()
            yield _Request(
                start=start,
                end=end,
                before=_IDLE.sub(" ", sentence[: match.start()]).strip(),
                after=_IDLE.sub(" ", sentence[match.end() :]).strip(),
                is_all=bool(groups.get("all")),
                is_next=bool(groups.get("next")) or sentence.rstrip().endswith(":"),
                is_firm=bool(groups.get("firm")),
            )
        start = following


def _blank(match: re.Match[str]) -> str:
    return "".join("\n" if character == "\n" else "\x00" for character in match[0])


def _borders(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence ends and the next one begins."""
    for border in _BORDER.finditer(text):
        yield border.end(), border.end()
    yield len(text), len(text)


def _match(sentence: str) -> re.Match[str] | None:
    if _CONDITIONAL.match(sentence):
        return None
    for regex in (*_ENGLISH, *_RUSSIAN):
        match = re.search(regex, sentence, re.IGNORECASE)
        if match and (not match.groupdict().get("many") or _ASKED_KINDLY.search(sentence)):
            return match
    return None


_ASKED_KINDLY = re.compile(r"\b(?:please|pls|plz|my|our|пожалуйста|прошу|мои|наши)\b", re.IGNORECASE)
"""`Cookies are large, don't store them` is about cookies."""


def _covered(text: str, request: _Request) -> tuple[int, int]:
    """Return the span of what a request covers."""
    if request.is_all:
        return 0, len(text)
    if not request.before and (request.after or request.is_next):
        return request.start, len(text)
    if not request.before:
        return 0, len(text)
    return request.start, request.end


def _is_of_the_last(text: str, requests: list[_Request]) -> bool:
    """Return whether a message says nothing but that what was said before is not to be kept."""
    if len(requests) > 1 or not requests[0].is_firm:
        return False
    request = requests[0]
    around = f"{text[: request.start]} {text[request.end :]}"
    return not (request.before or request.after or request.is_next or _IDLE.sub("", around))


def _replaced(text: str, spans: list[tuple[int, int]], mark: str) -> Redaction:
    """Return *text* with *mark* in place of the spans, white space around them left; spans that meet are one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    pieces: list[str] = []
    findings: list[Finding] = []
    done = 0
    for start, end in merged:
        said = text[start:end]
        start, end = start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())
        pieces += text[done:start], mark
        findings.append(Finding("asked-not-to-keep", text.count("\n", 0, start) + 1, end - start))
        done = end
    return Redaction("".join([*pieces, text[done:]]), tuple(findings))
