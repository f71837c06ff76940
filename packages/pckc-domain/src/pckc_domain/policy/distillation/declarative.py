"""
Whether a sentence declares something: a subject, a finite verb after it, a full stop. English and Russian.

Verbs are told by their endings and their place, not by a list of them. That mistakes a noun for a verb now and then
(*the best tools*); the full stop and the content that is asked for elsewhere keep headings and labels out.
"""

# ruff: noqa: E501  # word lists read best on one line

import re

from pckc_domain.model.identity import normalize
from pckc_domain.policy.stop_words import STOP_WORDS

VERB_WITHIN = 10
"""A sentence whose verb has not come after so many words is not understood."""

_WORD = re.compile(r"\w[\w'’-]*|[,;:—–]")
_ENDS = re.compile(r"[\w)\]`\"'»”%*]\.[)\"'»”*]*$")
_CYRILLIC = re.compile("[а-яё]")

_VAGUE = re.compile(
    r"(?:everything|nothing|something|anything|everyone|everybody|nobody|someone|somebody|some|many|most|few|others|one|none|all of|both of|more|additional|useful|each is|whoever|whatever|beyond|like|the (?:best|rest|remainder|following|next|previous|above|below|same|former|latter|other)"
    r"|how|what|why|who|whom|whose|which|in (?:the )?(?:following|next|previous|short|general|fact|case|other)|for (?:more|further|details|information)|to (?:learn|summari[sz]e|be)|as|if|please|yes|no|well|oh|wow|of course|fortunately|unfortunately|luckily|sadly|today|yesterday|tomorrow|recently|lately"
    r"|вс[её]|ничто|ничего|никто|что-то|кто-то|некоторые|многие|большинство|остальные|остаток|лучшее|один из|как|что|почему|зачем|кто|чей|какой|какие|именно|вот|в следующ\w*|в предыдущ\w*|ниже|выше|для (?:подробностей|справки)|если|пожалуйста|да|нет|увы|к счастью|к сожалению|сегодня|вчера|завтра|недавно|давайте|пусть)\b"
)
_AUXILIARY = frozenset(
    "is are was were has have had does did can cannot could will would must shall should isn't aren't wasn't weren't hasn't haven't doesn't don't didn't can't won't".split()
)
_IRREGULAR = frozenset(
    """
    ate beat became began bent blew bore bought bound bred broke brought built burnt came cast caught chose cost crept cut dealt drank drew drove dug fed fell felt fled flew forbade
    forgot fought found froze gave got grew held hid hit hung kept knew laid lay led left lent lit lost made meant met overcame paid put ran rang rebuilt rode rose said sang sank sat saw
    sent set shone shook shot shrank shut slept slid sold sought spent split spoke spread sprang stole stood struck stuck swam swept swore taught took tore threw undertook withdrew woke won wore wound wove wrote
    """.split()
)
_AFTER_IMPERATIVE = frozenset("a an the this that these those your all any it them to up on out into".split())
_PREPOSITIONS = frozenset(
    "across along although among around behind beneath beside besides despite every inside instead near once only outside per since though toward towards unlike upon using via whereas within".split()
)
_ADJECTIVE = ("ed", "ing", "al", "ive", "ous", "ful", "ic", "able", "ible", "ary", "less", "est", "ern", "ish", "ly")
_NO_PLURAL = ("ss", "us", "is", "'s", "’s")

_RUSSIAN_VERB = re.compile(
    r"\w{2,}(?:[аяуюеё]ет|[ёе]т|[аяую]т|ит|ут|[аяоиеуы]л[аои]?)(?:ся|сь)|\w{2,}(?:[аяуюе]ет|[аяеуо]ют|[аеиуя]ёт|ят|ит|[бвгджзклмнпрстхшщч]ут|[жчшщ]ат)|\w{2,}(?:[аяиеу]л[аои]?|[ое]сл[аои]|ёл|ш[её]л|шл[аои])"
    r"|(?:был[аои]?|есть|нужн[аоы]?|может|могут|долж(?:ен|на|но|ны)|держ[аи]т|ве[дз][уё]т|бер[уё]т|ид[уё]т|жив[уё]т|ед[яу]т|ест|да[ею]т|ш[её]л|лежит|стоит)|\w{3,}(?:ан|ен|ён|ят|ыт)[аоы]"
)
_RUSSIAN_NO_VERB = re.compile(
    r"(?:журнал|канал|терминал|материал|сигнал|интервал|персонал|оригинал|потенциал|портал|финал|металл|раздел|предел|отдел|узел|пункт|пакет|билет|совет|предмет|объект|формат|результат|аппарат|сертификат|кредит|лимит|транзит|бюджет|интернет|кабинет|факультет|приоритет|авторитет|портрет"
    r"|маршрут|институт|минут|статут|атрибут|модел|цел|рол|недел|сил|правил|школ|числ|начал|зеркал|масл|мыл|тел|дел|сел|земл|капл|петл|кил|стран|план|экран|цен|замен|смен|стен|времен|имен|сцен|систем)[аоиыеуяю]?|разумеется|знает"
)
_RUSSIAN_IMPERATIVE = re.compile(r"\w+(?:[ийь]те|[ийь]тесь)")


def is_declarative(text: str) -> bool:
    """Return whether *text*, one sentence without marks, has a subject that it names and a finite verb after it."""
    folded = normalize(text)
    if not _ENDS.search(text) or _VAGUE.match(folded) or text[0].islower():
        return False
    words = _WORD.findall(text)
    if len(words) < 2:
        return False
    return _is_russian(words) if _CYRILLIC.search(folded) else _is_english(words)


def _is_english(words: list[str]) -> bool:
    if _is_imperative(words[0].lower(), words[1].lower()):
        return False
    for place, word in enumerate(words[1 : VERB_WITHIN + 1], start=1):
        low, before = word.lower(), words[place - 1]
        if low in _AUXILIARY:
            return before != ","
        if place + 1 == len(words) or low in STOP_WORDS or not (before[0].isalpha() and _is_content(before)):
            continue
        if low.endswith("ed") or low in _IRREGULAR:
            return True
        if low.endswith("s") and not low.endswith(_NO_PLURAL):
            if place == 1 or not (_is_plural(before) or before.lower().endswith(_ADJECTIVE)):
                return True
        elif _is_plural(before) and low[0].isalpha() and not low.endswith(_ADJECTIVE):
            return True
    return False


def _is_imperative(first: str, second: str) -> bool:
    """Return whether *first* can only be the verb, with its object after it: ``Open the file``."""
    return second in _AFTER_IMPERATIVE and first not in STOP_WORDS and first not in _PREPOSITIONS


def _is_content(word: str) -> bool:
    return word.lower() not in STOP_WORDS


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.lower().endswith(_NO_PLURAL) and not word.isupper()


def _is_russian(words: list[str]) -> bool:
    folded = [normalize(word) for word in words[: VERB_WITHIN + 1]]
    if _RUSSIAN_IMPERATIVE.fullmatch(folded[0]):
        return False
    return any(_RUSSIAN_VERB.fullmatch(word) and not _RUSSIAN_NO_VERB.fullmatch(word) for word in folded[1:])
