"""Sentences of prose, with exact spans, and what in them limits, dates or asks."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import attrs

MAX_SENTENCE = 400
"""A longer stretch without a border is no sentence a rule could read."""

MIN_QUOTED_WORDS = 4
"""A shorter quotation is a name."""

HEAD_CHARACTERS = 6_000
TAIL_CHARACTERS = 2_000
"""Of a longer text only its head and tail are read: what was pasted stands in the middle."""

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NOT_PROSE = re.compile(
    r"\s*(?:>|\||@@|\+\+\+|---|#!|\$ |at \w+[.(]|File \"|Traceback|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d"
    r"|(?:def|class|import|from|const|let|var|return|public|private|if \(|for \() ?\S+.*[:;{(]\s*$)"
    r"|.*(?:[{};]|=>|\);?)\s*$|\s*<[\w/!]"
)
_PASTE = re.compile(
    r"(?:^|[.!?:] )(?:(?:here(?:'s|’s| is| are)|this is|below is|see|got|i got|fix|read|check|look at)\b (?:the |a |an |my |this |full |that )*|(?:the |full )?"
    r"|вот |ниже |смотри )"
    r"(?:[\w.-]+ ){0,2}?(?:logs?|output|errors?|traceback|stack ?trace|issue|ticket|e-?mail|message|letter|article|transcript|"
    r"response|file|config|snippet|diff|readme|changelog|report|лог|логи|вывод|ошибка|ошибку|трейсбек|письмо|тикет|задача|сообщение|статья|"
    r"файл|конфиг|ответ сервера|отч[её]т)\b(?! (?:format|name|path|limit|size|level|формат))[^:.!?\n]{0,40}:\s*(?=\n|\Z|\d{4}-)",
    re.IGNORECASE | re.MULTILINE,
)
"""What leads to a paste; from there on a text is nobody's word: it may have blank lines and sentences of its own."""

_QUOTE = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|«[^»\n]{12,}»|„[^“”\n]{12,}[“”]")
_QUOTATION_MARKS = frozenset('"“«„')
_REPORTED = re.compile(
    r"((?:\b(?:got|get|gets|see|saw|says|here(?:'s|’s| is))|вот|получил[аи]?|вижу) (?:this |the |an? |following )*"
    r"(?:errors?|logs?|output|message|e-?mail|traceback|ошибк[уа]|лог|вывод|письмо|сообщение)\b[^:]{0,30}:)\s.+",
    re.IGNORECASE,
)
_VALUE_BEFORE = re.compile(r"(?:\b(?:is|are|to|as|called|named|titled|says?|это|на|в|=)|[—–=])\s*$", re.IGNORECASE)
_MARKER = re.compile(r"\s*(?:[✅✔☑✓→]\ufe0f?\s*)?(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[[ xX]\])\s+)*(?:\*\*|__)?")
_BORDER = re.compile(
    r"(?:[.!?…]+[\"')»*]*\s+(?=[^\sa-zа-яё])|[.!?…]+[\"')»*]*\s+(?=i\b|we\b|my\b|я\b|мы\b)|;\s+(?!(?:now )?(?:fixed|resolved|solved|исправ|почин)|(?:instead,? |вместо этого )?(?:use|используй(?:те)?) ))"
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|т\.е|т\.к|т\.д|т\.п)\.|\b[A-ZА-Я]\.)\s+$")

_EXCEPT = r"except|apart from|other than|but not|unless|кроме|за исключением|но не|если только не"
_PLACES = (
    r"(?:unit |integration |e2e )?tests?|production|prod|staging|dev|development|ci|debug mode|generated code|"
    r"тестах|проде|продакшене|стейджинге|разработке|дебаге"
)
_ALL = r"(?:all|every|the|our|these|those|some|any|other|new|most|such)\b"
_SYSTEMS = r"windows|macos|linux|ios|android|windows|mac|винде|маке|линуксе"
_CONDITION = re.compile(
    rf",?\s*\(?\b(?:(?:{_EXCEPT})\s+[^,.;!?()]{{2,60}}"
    rf"|only\s+(?:in|on|for|when|during|at|if)\s+[^,.;!?()]{{2,60}}|только\s+(?:в|на|для|при|когда)\s+[^,.;!?()]{{2,60}}"
    rf"|(?:in|on|в|на)\s+(?:the\s+)?(?:{_PLACES}|{_SYSTEMS})(?=$|[\s,.;:!?)])"
    rf"|(?:in|for|inside|within)\s+(?!{_ALL})[\w.+#*-]+\s+(?:files|code|scripts|modules|notebooks|sources)(?=$|[\s,.;:!?)])"
    r"|(?:в|для)\s+(?!(?:всех|этих|наших|других)\b)[\w.+#*-]+[ -](?:файлах|файлов|коде|кода|скриптах|скриптов|модулях)(?=$|[\s,.;:!?)]))\)?",
    re.IGNORECASE,
)

_MONTHS = {
    name: number
    for number, names in enumerate(
        """january jan январе января январь|february feb феврале февраля|march mar марте марта|april apr апреле апреля
        |may мае мая|june jun июне июня|july jul июле июля|august aug августе августа
        |september sep sept сентябре сентября|october oct октябре октября|november nov ноябре ноября
        |december dec декабре декабря""".split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_SINCE = r"(?:since|as of|starting|effective|beginning|from|с|начиная с)"
_DATE = (
    rf"(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+)?(?P<month>{_MONTH})\b"
    r"(?:\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?P<year>\d{4}))?"
)
_SINCE_DATE = re.compile(rf"\b{_SINCE}\s+(?:{_DATE})", re.IGNORECASE)
_IN_MONTH = re.compile(rf"\b(?:in|в)\s+(?:{_DATE})", re.IGNORECASE)


@attrs.frozen
class Sentence:
    """A sentence: ``text[start:end]`` of its event, verbatim."""

    text: str
    start: int
    end: int

    @property
    def is_question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip("\"')»* ").endswith("?")


def sentences(text: str, position: int = 0) -> Iterator[Sentence]:
    """Yield the prose sentences of *text*, in order; code, quotes, pastes, tables, logs, overlong lines are left out."""
    if ":" in text and (paste := _PASTE.search(text)):
        text = text[: paste.end()]
    if len(text) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        tail = text.find("\n", len(text) - TAIL_CHARACTERS) + 1 or len(text)
        yield from _prose(text[:HEAD_CHARACTERS], position)
        yield from _prose(text[tail:], position + tail)
    else:
        yield from _prose(text, position)


def _prose(text: str, position: int) -> Iterator[Sentence]:
    in_fence = False
    for line in _LINE.finditer(text):
        if _FENCE.match(line[0]):
            in_fence = not in_fence
        elif not in_fence and not _NOT_PROSE.match(line[0][:2_000]):
            marker = _MARKER.match(line[0])
            start = line.start() + (marker.end() if marker else 0)
            yield from _split(text, start, line.end(), position)


def _split(text: str, start: int, end: int, position: int) -> Iterator[Sentence]:
    is_quoting = not _QUOTATION_MARKS.isdisjoint(text[start:end])
    quotes = [quote.span() for quote in _QUOTE.finditer(text, start, end)] if is_quoting else []
    for border in _BORDER.finditer(text, start, end):
        if any(first < border.start() and border.end() < last for first, last in quotes):
            continue
        if not _ABBREVIATION.search(text, max(start, border.end() - 12), border.end()):
            yield from _sentence(text, start, border.end(), position)
            start = border.end()
    yield from _sentence(text, start, end, position)


def _sentence(text: str, start: int, end: int, position: int) -> Iterator[Sentence]:
    words = text[start:end].strip().rstrip("; ")
    if 2 < len(words) <= MAX_SENTENCE:
        start = text.index(words, start)
        yield Sentence(words, position + start, position + start + len(words))


def own_words(text: str) -> str:
    """Return a sentence without what it reports (`I got this error: …`), its long quotations emptied unless they are values."""
    text = _REPORTED.sub(r"\1 …", text) if ":" in text else text
    if _QUOTATION_MARKS.isdisjoint(text):
        return text
    return _QUOTE.sub(lambda quote: quote[0] if _is_own(text, quote) else "…", text)


def _is_own(text: str, quote: re.Match[str]) -> bool:
    return len(quote[0].split()) < MIN_QUOTED_WORDS or bool(_VALUE_BEFORE.search(text, 0, quote.start()))


def split_condition(text: str) -> tuple[str, str]:
    """Return *text* without the phrases that limit it, and those phrases: ``in tests``, ``except on Windows``."""
    found = [match for match in _CONDITION.finditer(text) if match.end() - match.start() < len(text.rstrip(".! ")) - 3]
    if not found:
        return text, ""
    rest = _CONDITION.sub(lambda match: "" if match[0] in {one[0] for one in found} else match[0], text)
    limits = " ".join(" ".join(match[0].split()).strip(" ,()").casefold() for match in found)
    return rest.strip(" ,"), limits


def lone_condition(text: str) -> str:
    """Return the limit that a sentence consists of (`Except on Windows.`), ``""`` when it says anything else."""
    match = re.match(r"(?:but|and|well|no|но|а|ну|нет)?,?\s*", text, re.IGNORECASE)
    rest = text[match.end() if match else 0 :].strip(" .!")
    found = _CONDITION.fullmatch(rest)
    return " ".join(rest.split()).casefold() if found else ""


def stated_date(text: str, *, said_at: datetime, is_event: bool) -> datetime | None:
    """
    Return the date from which *text* plainly says to hold, aware UTC; ``None`` when it does not say.

    `since 2024-05-01`, `as of March 2024`. Of an event (`moved in May`) also the last such month before *said_at*.
    """
    match = _SINCE_DATE.search(text) or (_IN_MONTH.search(text) if is_event else None)
    if match is None:
        return None
    try:
        if match["iso"]:
            return datetime.fromisoformat(match["iso"]).replace(tzinfo=UTC)
        month = _MONTHS[match["month"].casefold()]
        day = int(match["day"] or match["day2"] or 1)
        if match["year"]:
            return datetime(int(match["year"]), month, day, tzinfo=UTC)
        if not is_event:
            return None
        this_year = datetime(said_at.year, month, day, tzinfo=UTC)
        return this_year if this_year <= said_at else this_year.replace(year=said_at.year - 1)
    except ValueError:  # a day that the month does not have
        return None
