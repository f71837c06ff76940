"""A claim's words in the form in which two claims are compared. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator
from math import isclose

import attrs

from pckc_domain.model.claim import Polarity
from pckc_domain.model.identity import normalize
from pckc_domain.policy.distillation.facts import read_fact
from pckc_domain.policy.markdown_outline import plain
from pckc_domain.policy.sentences import split_condition
from pckc_domain.policy.subjects import normalize_value, subject_key, topic_key
from pckc_domain.policy.version_ranges import same_version

ROUGHLY = 0.05
"""Two amounts of which one is said to be approximate are the same within this share."""


@attrs.frozen(order=True)
class Amount:
    """A number, date or version: *kind* is its dimension or unit, *value* its canonical form."""

    kind: str
    value: str
    is_rough: bool = attrs.field(default=False, eq=False)

    def is_same(self, other: "Amount") -> bool:
        """Return whether both may be one amount."""
        if self == other:
            return True
        if self.kind == other.kind == "version":
            return same_version(self.value, other.value)
        if self.kind != other.kind or not (self.is_rough or other.is_rough):
            return False
        try:
            return isclose(float(self.value), float(other.value), rel_tol=ROUGHLY)
        except ValueError:  # a date
            return False


@attrs.frozen
class Slot:
    """What a text puts into which slot; *is_one_of_many* when the slot may hold several values."""

    key: str
    value: str
    is_denied: bool
    is_one_of_many: bool


@attrs.frozen
class Reading:
    """
    A text as it is compared.

    Attributes:
        subject: Stems before the verb, amounts included: `version 2.0` is another subject than `version 2.1`.
        predicate: The other stems, each amount replaced by its kind, opposites by one of both.
        amounts: The predicate's amounts, in order.
        all_amounts: Those of the whole text, in order.
        words: Subject, predicate, and the reason that the text gives.
        is_denied: Whether it denies; an opposite counts as a denial of the other.
        limits: When or where alone it holds.
        names: Names in code: what has backticks, underscores, inner capitals.
        proper: Stems of words with a capital inside a sentence.
        sides: Which one of two opposed or contrasted words it has: its pair's number and its place in the pair.
        ends_in_value: Whether its last word is the one value of a slot.
        has_many: Whether its verb lets other values hold beside it (`supports`, `includes`).
        slot: See `Slot`; ``None`` when it fills none.
    """

    subject: tuple[str, ...]
    predicate: tuple[str, ...]
    amounts: tuple[Amount, ...]
    all_amounts: tuple[Amount, ...]
    words: tuple[str, ...]
    is_denied: bool
    limits: str
    names: frozenset[str]
    proper: frozenset[str]
    sides: frozenset[tuple[int, int]]
    ends_in_value: bool
    has_many: bool
    slot: Slot | None


_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0, "week": 604800.0}
_BYTES = {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30}
_METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0}
_GRAMS = {"g": 1.0, "kg": 1000.0}
_SCALES = {"seconds": _SECONDS, "bytes": _BYTES, "metres": _METRES, "grams": _GRAMS}
_UNIT_WORDS = {
    "ms": "ms millisecond milliseconds мс миллисекунд миллисекунды миллисекунда",
    "s": "s sec secs second seconds с сек секунд секунды секунда секунду секундам",
    "min": "min mins minute minutes мин минут минуты минута минуту минутам",
    "h": "h hr hrs hour hours ч час часа часов часам",
    "day": "day days день дня дней дням сутки суток",
    "week": "week weeks неделя недели недель неделю",
    "b": "b byte bytes байт байта байтов",
    "kb": "kb kilobyte kilobytes кб килобайт килобайта",
    "mb": "mb megabyte megabytes мб мегабайт мегабайта",
    "gb": "gb gigabyte gigabytes гб гигабайт гигабайта",
    "tb": "tb terabyte terabytes тб терабайт терабайта",
    "kib": "kib", "mib": "mib", "gib": "gib",
    "mm": "mm мм", "cm": "cm см", "m": "m metre metres meter meters м метр метра метров", "km": "km kilometre kilometres kilometer kilometers км километр километра километров",
    "g": "g gram grams г грамм грамма граммов", "kg": "kg kilogram kilograms кг килограмм килограмма килограммов",
    "%": "% percent процент процента процентов", "°c": "°c ℃", "°f": "°f",
}  # fmt: skip
_UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_MONTHS = {
    month: number
    for number, months in enumerate(
        "january января|february февраля|march марта|april апреля|may мая|june июня|july июля|august августа|september сентября|october октября|november ноября|december декабря".split("|"), 1
    )
    for month in months.split()
}  # fmt: skip
_NUMBER_WORDS = {
    word: number
    for number, words in enumerate("zero ноль|one один одна одно|two два две двух|three три трёх трех|four четыре|five пять|six шесть|seven семь|eight восемь|nine девять|ten десять|eleven одиннадцать|twelve двенадцать".split("|"))
    for word in words.split()
}  # fmt: skip

_MONTH = "|".join(_MONTHS)
_TOKEN = re.compile(
    rf"(?P<date>\d{{4}}-\d\d(?:-\d\d)?(?!\d)|(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? \d{{4}}(?!\d))"
    r"|(?P<version>\bv?\d+(?:\.\d+){2,}[\w-]*|\bv\d+(?:\.\d+)*|(?<=[a-zа-я] )\d+\.\d+(?= or (?:newer|later|above)|\+))"
    r"|(?P<number>(?<![\w.])[-+]?\d[\d,_]*(?:\.\d+)?(?: (?=\d{3}(?!\d))\d{3})*)(?P<unit>\s?(?:%|°[cf]|℃)|\s?[a-zа-яё]+(?![\w-]))?"
    r"|(?P<word>[^\W\d_][\w'’]*(?:[-./+#@_]+[\w'’]+)*[+#]*|\w+)"
)
_NAME = re.compile(r"`([^`]+)`|(?<![\w-])(\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\)|--[a-z][\w-]+)")

_PROPER = re.compile(r"(?<=[\w,;)] )[A-ZА-ЯЁ][\w-]*")

_ARTICLES = frozenset(
    "a an the this that these those its their our your his her этот эта это эти наш наша наше свой".split()
)
_FILLERS = frozenset(
    """
    do does did is are was were be been being has have had will would shall currently now also just already always generally usually typically
    actually really very quite simply exactly precisely all every each any then so too thus of and
    является являются сейчас теперь уже также тоже всегда обычно очень просто ровно точно весь все всё каждый любой и был была было были будет будут
    equals equal равен равна равно равны равняется составляет составляют
    """.split()
)
PREPOSITIONS = frozenset(
    "by in on at for with after before during every since from to по в на при с после до во для из через кажд".split()
)
_DENIALS = frozenset("not no never cannot can't cant don't doesn't didn't isn't aren't wasn't weren't won't shouldn't mustn't wouldn't couldn't hasn't haven't hadn't neither nor не нет нельзя никогда ни".split())  # fmt: skip
_MODAL_OF = {"cannot": "can", "can't": "can", "won't": "", "shouldn't": "should", "mustn't": "must", "нельзя": "можно"}
_DOUBLE = frozenset("ни никогда".split())
"""Russian denies twice: they count once with `не`."""

_OPPOSITES = """
    enabled disabled; enable disable; enables disables; on off; true false; yes no_; allowed forbidden; allowed prohibited; allowed disallowed; allows forbids; allows prohibits; permits forbids; allow deny
    required optional; mandatory optional; synchronous asynchronous; synchronously asynchronously; mutable immutable; public private; before after; increases decreases; increase decrease; increased decreased; raises lowers; raise lower
    faster slower; open closed; opens closes; accepts rejects; accept reject; includes excludes; supported unsupported; safe unsafe; valid invalid; ascending descending; stateful stateless
    blocking non-blocking; local remote; case-sensitive case-insensitive; writable read-only; online offline; internal external; deterministic non-deterministic; deterministic nondeterministic
    persistent ephemeral; encrypted unencrypted; eager lazy; eagerly lazily; horizontally vertically; static dynamic; statically dynamically; single-threaded multi-threaded; starts stops; sorted unsorted; with without
    available unavailable; possible impossible; higher lower; more less; larger smaller; longer shorter; succeeds fails; compatible incompatible; reversible irreversible; keeps discards; retains discards; ordered unordered; thread-safe thread-unsafe
    signed unsigned; idempotent non-idempotent; strict lenient; manually automatically; manual automatic; visible hidden; active inactive; correct incorrect; stable unstable; hot cold; best worst; first last; left right; north south; east west; cheap expensive; cheaper dearer
    включён выключен; включён отключён; включена выключена; включена отключена; включено выключено; включено отключено; включены выключены; включены отключены; включает выключает; включает отключает; разрешён запрещён; разрешена запрещена; разрешено запрещено; разрешены запрещены
    разрешает запрещает; обязателен необязателен; обязательна необязательна; обязательно необязательно; обязательны необязательны; обязательный необязательный; синхронно асинхронно; синхронный асинхронный; синхронная асинхронная; изменяемый неизменяемый; изменяемы неизменяемы
    публичный приватный; публичная приватная; открытый закрытый; открыт закрыт; открыта закрыта; до после; увеличивает уменьшает; увеличивается уменьшается; повышает понижает; повышает снижает; быстрее медленнее; принимает отклоняет; безопасно небезопасно; безопасен небезопасен; безопасна небезопасна
    возрастанию убыванию; локально удалённо; локальный удалённый; внутренний внешний; внутренняя внешняя; статический динамический; статически динамически; доступен недоступен; доступна недоступна; доступно недоступно; доступны недоступны; можно нельзя_; больше меньше; выше ниже; дороже дешевле
    вручную автоматически; совместим несовместим; совместима несовместима; поддерживается неподдерживается; зашифрован незашифрован; зашифрованы незашифрованы; с без; хранит удаляет; сохраняет удаляет; ленивая жадная; активен неактивен; активна неактивна; верно неверно; первый последний
    начинает прекращает; север юг; восток запад; истина ложь; да нет_; видимый скрытый; упорядочен неупорядочен; упорядочены неупорядочены
"""
_CONTRASTS = """
    read write; reads writes; minimum maximum; min max; primary replica; source target; input output; producer consumer; parent child; staging production; development production; incoming outgoing; upload download; request response
    чтения записи; чтение запись; читает пишет; минимальная максимальная; минимальный максимальный; минимальное максимальное; тестовый рабочий; входящие исходящие; ведущий ведомый; источник приёмник; запрос ответ
"""
"""Words that name two things of one kind: no opposites of what is said, but never one thing."""


def _pairs(text: str) -> list[tuple[str, str]]:
    lists = text.replace("ё", "е").replace("\n", ";").split(";")
    return [(one, other) for one, other in map(str.split, filter(str.strip, lists))]


_OPPOSITE_OF = {other: one for one, other in reversed(_pairs(_OPPOSITES))}
_PAIRS = (*_pairs(_OPPOSITES), *_pairs(_CONTRASTS))

_SYNONYMS = {
    word: words.split()[0]
    for words in (
        "uses utilizes utilises employs", "keeps stores holds retains", "starts begins launches", "returns yields gives", "removes deletes erases",
        "creates makes builds generates", "needs requires", "shows displays", "lets allows permits enables", "maximum max", "minimum min", "sends transmits",
        "big large", "small little", "fast quick", "wrong incorrect", "config configuration", "folder directory", "docs documentation", "repo repository",
        "написан написана написано написаны", "использует применяет", "хранит держит", "запускает стартует", "возвращает отдаёт", "удаляет стирает", "создаёт генерирует",
        "нужен требуется необходим нужна нужно нужны необходима необходимо", "максимальный максимум", "минимальный минимум", "папка каталог директория",
    )
    for word in words.replace("ё", "е").split()
}  # fmt: skip
_ROUGH = frozenset(
    "about around approximately roughly nearly almost circa ~ ≈ около примерно приблизительно почти порядка".split()
)

_VERB = re.compile(
    r"(?:is|are|was|were|be|has|have|had|can|could|may|must|should|shall|will|would|do|does|did|cannot|can't|don't|doesn't|didn't|isn't|aren't|won't|mustn't|shouldn't|never|not"
    r"|uses?|used|utilizes|employs|keeps?|stores?|holds?|retains?|starts?|begins?|returns?|yields?|gives?|removes?|deletes?|creates?|makes?|builds?|generates?|needs?|requires?|shows?|displays?|lets?|allows?|permits?|enables?|disables?"
    r"|listens?|runs?|supports?|accepts?|rejects?|includes?|excludes?|contains?|consists?|depends?|equals?|lasts?|takes?|costs?|expires?|times?|reads?|writes?|sends?|receives?|fails?|succeeds?|increases?|decreases?|raises?|lowers?"
    r"|opens?|closes?|stops?|forbids?|prohibits?|discards?|measures?|weighs?|boils?|melts?|freezes?|works?|lives?|serves?|handles?|processes|sorts?|waits?|retries|limits?|caches?|logs?|encrypts?|evaluates?|loads?|grows?|scales?|orbits?|defaults?|happens?|occurs?|comes?|goes|gets?|sets?|provides?|produces?|absorbs?|causes?|converts?|validates?|checks?|blocks?|ships?|belongs?|commits?|locks?|deploys?|moves?|ends?|calls?|has"
    r"|не|это|является|являются|равен|равна|равно|равны|был|была|было|были|может|могут|должен|должна|должно|должны|нужно|можно|нельзя|нужен|нужна|нужны|требуется|требуют|доступ\w+|недоступ\w+"
    r"|вруч\w+|(?:в|от)ключ[её]н\w{0,2}|выключен\w{0,2}|разрешен\w{0,2}|разреш[её]н\w{0,2}|запрещ[её]н\w{0,2}|написан\w{0,2}|обязател\w+|необязател\w+|совместим\w{0,2}|несовместим\w{0,2}|зашифрован\w{0,2}|незашифрован\w{0,2}|открыт\w{0,1}|закрыт\w{0,1}"
    r"|(?!(?:пакет|ответ|совет|бюджет|билет|интернет|предмет|объект|проект|клиент|сервлет|планшет|лимит|аудит|бит|кредит|эффект|аспект|тест|текст|контекст|список)$)\w{2,}(?:[аеиую]ет|[аеиую]ют|ит|ят|ат|ется|ются|ится|ятся|ает|яет|ёт|ал|ил|ел|ала|ила|али|или))$",
    re.IGNORECASE,
)
_REASON = re.compile(r",? (?:because|since|so that|as it|потому что|так как|поскольку|чтобы)\b", re.IGNORECASE)
"""From here on a text says why: what it denies there is no denial of what it states."""

_ONE_VALUE = re.compile(
    r"^(?:(?:[Tt]he|[Oo]ur|[Ii]ts) [^,]+ (?:is|are) [A-Z][\w.-]*|[^,]+ (?:written|implemented|developed) in \S+|[^,]+ [Нн]аписан\w* на \S+|[^,—–]+ [—–] [A-ZА-ЯЁ][\w.-]*)$"
)
"""Sentences whose last word is the one value of a slot: another one there excludes it."""

_LINK = re.compile(r"[—–=:]|(?<= )-(?= )")
_MANY = re.compile(
    r"\b(?:supports?|includes?|contains?|has|have|accepts?|provides?|offers?|compatible|tested|works with|runs on|one of|such as|e\.g|or|содерж\w+|включает|поддержива\w+|совместим\w*|принимает|например|или)\b",
    re.IGNORECASE,
)


def read(text: str) -> Reading:
    """Return *text* as it is compared."""
    clear = plain(text).replace("’", "'").strip().rstrip(".!;")
    reason = _REASON.search(clear)
    stated, why = (clear[: reason.start()], clear[reason.start() :]) if reason else (clear, "")
    folded = _folded(stated)
    subject: list[str] = []
    predicate: list[str] = []
    amounts: list[Amount] = []
    before: list[Amount] = []
    denials = flips = doubles = 0
    is_rough = in_predicate = False
    for amount, word in _tokens(folded):
        if amount is not None:
            amount = attrs.evolve(amount, is_rough=is_rough)
            is_rough = False
            (amounts if in_predicate else before).append(amount)
            (predicate if in_predicate else subject).append(
                f"#{amount.kind}" if in_predicate else f"{amount.kind}{amount.value}"
            )
            continue
        if subject and not in_predicate and _VERB.match(word):
            in_predicate = True
        if word in _ROUGH:
            is_rough = True
        elif word in _DENIALS:
            denials += word not in _DOUBLE
            doubles += word in _DOUBLE
            if modal := _MODAL_OF.get(word):
                predicate.append(_key(modal))
        elif word not in _ARTICLES and word not in _FILLERS:
            if in_predicate and (opposite := _OPPOSITE_OF.get(word)):
                flips += 1
                word = opposite
            (predicate if in_predicate else subject).append(_key(word))
    denied = (denials or doubles) + flips
    return Reading(
        subject=tuple(subject),
        predicate=tuple(predicate),
        amounts=tuple(amounts),
        all_amounts=(*before, *amounts),
        words=(*subject, *predicate, *(_key(word) for _, word in _tokens(_folded(why)) if word)),
        is_denied=denied % 2 == 1,
        limits=split_condition(stated)[1],
        names=frozenset(normalize("".join(groups)) for groups in _NAME.findall(text)),
        proper=frozenset(_key(normalize(word)) for word in _PROPER.findall(clear)),
        sides=_sides({word for _, word in _tokens(folded)}),
        ends_in_value=_ONE_VALUE.match(stated) is not None,
        has_many=_MANY.search(folded) is not None,
        slot=_slot(stated, folded),
    )


def _sides(words: set[str]) -> frozenset[tuple[int, int]]:
    return frozenset((number, pair.index(word)) for number, pair in enumerate(_PAIRS) for word in pair if word in words)


def _folded(text: str) -> str:
    return _LINK.sub(" is ", normalize(text).replace("ё", "е").replace("`", ""))


def _tokens(folded: str) -> Iterator[tuple[Amount | None, str]]:
    for match in _TOKEN.finditer(folded):
        kind = match.lastgroup
        if kind == "date":
            yield Amount("date", _date(match["date"])), ""
        elif kind == "version":
            yield Amount("version", match["version"].lstrip("v")), ""
        elif match["number"]:
            unit = (match["unit"] or "").strip()
            yield _amount(match["number"], _UNITS.get(unit, "")), ""
            if unit and unit not in _UNITS:
                yield None, unit
        elif match["word"] in _NUMBER_WORDS:
            yield Amount("number", str(_NUMBER_WORDS[match["word"]])), ""
        else:
            yield None, match["word"]


def _amount(number: str, unit: str) -> Amount:
    digits = re.sub(r"(?<=\d)[,_ ](?=\d{3}(?!\d))", "", number).replace(",", ".")
    try:
        value = float(digits)
    except ValueError:
        return Amount("number", digits)
    for kind, scale in _SCALES.items():
        if unit in scale:
            return Amount(kind, f"{value * scale[unit]:.15g}")
    return Amount(unit or "number", f"{value:.15g}")


def _date(text: str) -> str:
    if text[:4].isdigit() and text[4:5] == "-":
        return text
    month = next(word for word in text.replace(",", "").split() if word in _MONTHS)
    year = text[-4:]
    day = re.search(r"\d{1,2}", text[:-4])
    return f"{year}-{_MONTHS[month]:02}" + (f"-{int(day[0]):02}" if day else "")


def _key(word: str) -> str:
    word = word.strip("'")
    return subject_key(_SYNONYMS.get(word, word))


def _slot(clear: str, folded: str) -> Slot | None:
    finding = read_fact(clear)
    if finding is None:
        return None
    return Slot(
        key=topic_key(finding.subject, finding.attribute),
        value=normalize_value(finding.value),
        is_denied=finding.polarity is Polarity.NEGATIVE,
        is_one_of_many=finding.attribute.startswith(("supports", "tool for")) or _MANY.search(folded) is not None,
    )
