"""Subjects, attributes and values in a form in which the same thing said differently is the same."""

import re
from collections.abc import Mapping
from functools import lru_cache

from pckc_domain.model.identity import normalize
from pckc_domain.policy.analysis import stem_english, stem_russian
from pckc_domain.policy.vocabulary import (
    ALIASES,
    ATTRIBUTES,
    COUNTERPARTS,
    GENERAL,
    KIND_NAMES,
    KINDS,
    ORDINARY_SUBJECT_STOPS,
    PLATFORMS,
)

MAX_SUBJECT_WORDS = 5

VALUE = "value"
"""Attribute of a subject that is itself an attribute, a setting or a kind: the value of `default branch`."""

YES = "yes"
"""Value of an attribute that only holds or does not hold."""

VERSION = "version"
"""Attribute of a dependency or a platform."""

PATH = "path"
"""Attribute of a thing that lies somewhere in a file system."""

MAXIMUM, MINIMUM = "maximum", "minimum"
"""Attributes of what is bounded."""

PLACES = frozenset("dir directory folder file root path".split())
"""Last words of names whose value is a path."""

UNIT_WORDS = frozenset(
    "ms msec msecs millis milliseconds s sec secs second seconds min mins minute minutes hour hours hr hrs day days "
    "bytes kb mb gb kib mib gib".split()
)
"""Last words of identifiers that say in what the value is counted."""

_NAME_PARTS = re.compile(r"[\s_.:/-]+")
_QUOTES = "`'\"“”„«»*_"
_ARTICLE = re.compile(r"^(?:(?:the|a|an|our|your|its|наш\w{0,3})\s+)+")
_THIS = re.compile(
    r"^(?:this|our|этот|эта|это|этом|этого|нашем) (?=(?:project|repo|repository|codebase|app|"
    r"application|service|package|library|проект|репозитори|сервис|приложени)\w{0,2}\b)"
)
_PROJECT = re.compile(r"^(?:project|repo|repository|codebase)['’]s (?=\w)")
"""Of the project everything is: `this project's license` is the license."""

_MAIN = re.compile(
    r"^(?:main|primary|основная|главная) (?=(?:database|db|queue|message queue|search engine|бд|база(?: данных)?)$)"
)
_POSSESSIVE = re.compile(r"['’]s\b")
PROJECT_WORDS = frozenset("project repo repository codebase проект проекта репозитория".split())
"""Subjects of which everything is."""

_NO_SUBJECT = frozenset("default max maximum min minimum new only current common value values".split())
_DANGLING = frozenset(
    "a an the of in on to for with from by at after before до от об о про при в во на с со к по для из".split()
)
_CONTRACTION = re.compile(r"(?:i|we|you|he|she|it|they|that|there|what|who|let|here)['’]\w+$")
_EDGES = " \t,;:.!?()[]{}" + _QUOTES
_NUMBER = re.compile(r"[-+]?\d[\d_,]*(?:\.\d+)?")
_QUANTITY = re.compile(r"([-+]?\d[\d_,]*(?:\.\d+)?)\s*([a-zа-яё%]+)")
_DURATION = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)s")
_PLATFORM = re.compile(r"[a-z@][\w.+#/@-]*")
_DOTTED = re.compile(r"\d+(?:\.\d+)*(?:/\d+(?:\.\d+)*)*")
_EACH_VERSION = re.compile(r"\d+(?:\.\d+)*")
_VERSIONS = re.compile(
    r"\b(?P<name>[A-Za-z][\w.+#@-]*) "
    r"(?P<versions>v?\d+(?:\.\d+)*(?:(?:,|,? (?:and|и)) (?:(?P=name) )?v?\d+(?:\.\d+)*(?![\w.]*\w))+)"
    r"(?=$|[.,;:!?)]|\s(?:now|currently|today|for|in|on|at|because|since|so|теперь|сейчас|для|в|на)\b)"
)
"""Versions of one thing, one after the other."""

_VERSION = re.compile(r"^v(?=\d+\.\d|\d+$)")
_ON = frozenset("on enabled true active включен включён включена включено включены вкл".split())
_OFF = frozenset(
    "off disabled false inactive выключен выключена выключено выключены отключен отключён отключена отключено "
    "отключены выкл".split()
)
_SECONDS = {
    unit: factor
    for factor, units in {
        0.001: "ms millisecond milliseconds мс миллисекунд миллисекунды",
        1.0: "s sec secs second seconds с сек секунд секунды секунда секунду",
        60.0: "min mins minute minutes мин минут минуты минута минуту",
        3600.0: "h hr hrs hour hours ч час часа часов",
        86400.0: "day days день дня дней",
    }.items()
    for unit in units.split()
}
_UNITS = {
    "кб": "kb",
    "мб": "mb",
    "гб": "gb",
    "килобайт": "kb",
    "мегабайт": "mb",
    "гигабайт": "gb",
    "киб": "kib",
    "миб": "mib",
    "гиб": "gib",
    "mib": "mib",
    "percent": "%",
    "процентов": "%",
    "процента": "%",
}
_SMALL_NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}


@lru_cache(maxsize=16_384)
def normalize_subject(text: str) -> str:
    """
    Return *text* as a subject: lower case, no article, quotes or possessive; ``""`` when it names nothing plainly.

    `The auth service`, `` `auth service` `` and `auth service's` are one subject. Pronouns, clauses and phrases of more
    than 5 words name nothing.
    """
    plain = _ARTICLE.sub("", _THIS.sub("", normalize(text).strip(_EDGES))).strip(_EDGES)
    plain = _MAIN.sub("", _POSSESSIVE.sub("", _PROJECT.sub("", plain)))
    words = [word.strip(_EDGES.replace("_", "")) for word in plain.split()]
    words = [word for word in words if word]
    if not words or len(words) > MAX_SUBJECT_WORDS or not ORDINARY_SUBJECT_STOPS.isdisjoint(words):
        return ""
    if words[-1] in _DANGLING or words[-2:] == ["no", "longer"] or _NO_SUBJECT.issuperset(words):
        return ""
    if any(_CONTRACTION.match(word) or not re.search(r"\w", word) for word in words):
        return ""
    return " ".join(words) if re.search(r"[^\W_]", plain) else ""


@lru_cache(maxsize=16_384)
def subject_key(subject: str) -> str:
    """Return what two spellings and inflections of one subject share; names with marks of code stay as they are."""
    words = [word.replace("ё", "е") for word in normalize(subject).split()]
    return " ".join(map(_word_key, words))


@lru_cache(maxsize=16_384)
def topic_key(subject: str, attribute: str) -> str:
    """
    Return what all ways to name one value share: `the auth timeout`, ``auth.timeout``, ``AUTH_TIMEOUT``.

    Subject and attribute are one name whose parts run together; a unit at the end of an identifier (``timeout_ms``)
    belongs to the value. That it is the ``path`` of a folder or file says nothing more. A maximum is one wherever it
    stands, and that of a thing is that of its size: ``MAX_CHUNK_SIZE`` bounds the chunk. The database of the orders is
    that of the `orders database` and of the `база заказов`.
    """
    words = _name_words(subject)
    if attribute in KIND_NAMES:
        words = [_counterpart(word) for word in _name_words(beside_kind(subject, attribute))]
    if attribute != VALUE and not (attribute == PATH and words and words[-1] in PLACES):
        words += _name_words(_SAME_ATTRIBUTE.get(attribute, attribute))
    if ends := [_EXTREMES[word] for word in words if word in _EXTREMES]:
        bounded = [word for word in words if word not in _EXTREMES]
        words = [*([word for word in bounded if not _SIZE.fullmatch(word)] or bounded), *ends]
    return "".join(map(_word_key, words)) or normalize(subject)


_OF = re.compile(r"(.+?)\s+(?:of|for|для|у)\s+(.+)", re.IGNORECASE | re.DOTALL)
_SIZE = re.compile("sizes?|размер[а-я]{0,2}")
_SAME_ATTRIBUTE = {"lasts": "ttl", "expires after": "ttl", "живёт": "ttl", "истекает через": "ttl"}
_EXTREMES = {
    form: name
    for name, forms in {MAXIMUM: "max maximum limit", MINIMUM: "min minimum"}.items()
    for form in forms.split()
}
_EXTREME = re.compile(
    r"^(?:(?P<maximum>max(?:imum)?|максим(?:альн\w{2,3}|ум))|(?P<minimum>min(?:imum)?|миним(?:альн\w{2,3}|ум)))"
    r"(?: allowed| permitted)? (?P<rest>.+)$",
    re.IGNORECASE,
)


def split_extreme(phrase: str) -> tuple[str, str]:
    """Return what *phrase* names a bound of, and which: chunk size and maximum; ``""`` twice when it names no bound."""
    match = _EXTREME.match(_ARTICLE.sub("", normalize(phrase).strip(_EDGES)))
    if match is None:
        return "", ""
    subject, attribute = split_attribute(match["rest"]) if _OF.fullmatch(match["rest"]) else ("", VALUE)
    name = f"{subject} {attribute}" if subject and attribute != VALUE else normalize_subject(match["rest"])
    return (name, MAXIMUM if match["maximum"] else MINIMUM) if name else ("", "")


def _counterpart(word: str) -> str:
    return _counterparts().get(_word_key(word), word)


@lru_cache(maxsize=1)
def _counterparts() -> Mapping[str, str]:
    """Return the names of counterparts by the keys of the words; made when first asked for, as stems take time."""
    return {_word_key(word): name for name, words in COUNTERPARTS.items() for word in words.split()}


def _name_words(name: str) -> list[str]:
    words = [word for word in _NAME_PARTS.split(normalize(name).replace("ё", "е")) if word]
    if len(words) > 1 and "_" in name and words[-1] in UNIT_WORDS:
        words.pop()
    return words


def _word_key(word: str) -> str:
    word = ALIASES.get(word, word)
    if not word.isalpha() or len(word) < 4:
        return word
    if word.isascii():
        return stem_english(word)
    return stem_russian(word)


@lru_cache(maxsize=16_384)
def normalize_value(text: str) -> str:
    """
    Return *text* as a comparable value.

    Durations become seconds (``2 min`` and ``120 s`` are ``120s``), numbers lose separators, versions their ``v``,
    on/enabled/true and off/disabled/false become ``on`` and ``off`` in both languages, known aliases their one name.
    """
    plain = _ARTICLE.sub("", normalize(text).strip(_EDGES)).strip(_EDGES)
    if plain in _ON:
        return "on"
    if plain in _OFF:
        return "off"
    plain = _SMALL_NUMBERS.get(plain, plain)
    if quantity := _QUANTITY.fullmatch(plain):
        return _quantity(quantity[1], quantity[2])
    if _NUMBER.fullmatch(plain):
        return _number(plain)
    words = [ALIASES.get(word, word) for word in (_VERSION.sub("", word).strip(_QUOTES) for word in plain.split())]
    return " ".join(words)


def _number(text: str) -> str:
    if re.fullmatch(r"[-+]?\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?", text):
        return re.sub("[,_]", "", text)
    return text.replace("_", "")


def _quantity(number: str, unit: str) -> str:
    number = _number(number)
    if unit in _SECONDS and "," not in number:
        return f"{float(number) * _SECONDS[unit]:.15g}s"
    return number + _UNITS.get(unit, unit if len(unit) <= 3 else f" {unit}")


def kind_of_value(value: str) -> str:
    """Return the kind of a normalised *value*, such as database for ``postgresql 16``; ``""`` when none is known."""
    if kind := KINDS.get(value):
        return kind
    head, _, version = value.rpartition(" ")
    return KINDS.get(head, "") if version[:1].isdigit() else ""


@lru_cache(maxsize=16_384)
def named_version(value: str) -> tuple[str, str]:
    """
    Return name and version of a normalised *value* (``python 3.12``); ``""`` twice when it names no version.

    A bare number is one behind a known platform only: `option 2` and `iso 8601` name things of their own.
    """
    name, _, version = value.rpartition(" ")
    if not _PLATFORM.fullmatch(name) or not _DOTTED.fullmatch(version):
        return "", ""
    return (name, version) if "." in version or name in PLATFORMS else ("", "")


def joined_versions(clause: str) -> str:
    """Return *clause* with each list of versions of one thing as one: `Python 3.11 and 3.12` is `Python 3.11/3.12`."""
    return _VERSIONS.sub(_joined, clause)


def _joined(match: re.Match[str]) -> str:
    name, versions = match["name"], sorted(_EACH_VERSION.findall(match["versions"]), key=_version_order)
    first = normalize_value(f"{name} {versions[0]}")
    return f"{name} {'/'.join(versions)}" if named_version(first)[1] or kind_of_value(first) else match[0]


def _version_order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def names_kind(phrase: str, kind: str) -> bool:
    """Return whether a normalised *phrase* only names the *kind*, in whatever inflection."""
    return phrase == kind or subject_key(phrase) in _kind_keys(kind)


@lru_cache(maxsize=16_384)
def beside_kind(phrase: str, kind: str) -> str:
    """
    Return what a normalised *phrase* says beside the *kind* that it names: ``orders`` of `orders database`, ``задач``
    of `очередь задач`; the phrase itself when it names none, ``""`` when it names nothing else.
    """
    words = phrase.split()
    for count in range(len(words), 0, -1):
        if names_kind(" ".join(words[-count:]), kind):
            return " ".join(words[:-count])
        if not phrase.isascii() and names_kind(" ".join(words[:count]), kind):
            return " ".join(words[count:])
    return phrase


@lru_cache(maxsize=64)
def _kind_keys(kind: str) -> frozenset[str]:
    return frozenset(map(subject_key, KIND_NAMES.get(kind, "").split("|")))


def split_attribute(phrase: str) -> tuple[str, str]:
    """
    Return subject and attribute of a noun phrase.

    ``the gateway's port``, ``port of the gateway`` and ``порт шлюза`` name the port of a subject; a phrase without a
    known attribute, or with nothing but general adjectives beside it, is a subject whose ``value`` is spoken of.
    """
    bounded, extreme = split_extreme(phrase)
    if extreme:
        return bounded, extreme
    if of := _OF.fullmatch(phrase.strip()):
        head, subject = normalize_subject(of[1]), normalize_subject(of[2])
        if _ARTICLE.sub("", normalize(of[1])) in {VALUE, "значение"}:
            return subject, VALUE if subject else ""
        if not head or not subject:
            return "", ""
        first, attribute = split_attribute(head)
        attribute = attribute if attribute != VALUE else attribute_name(first)
        return (attribute, VALUE) if subject in PROJECT_WORDS else (subject, attribute)
    subject = normalize_subject(phrase)
    words = subject.split()
    if len(words) > 1 and words[-1] in ATTRIBUTES and words[-1].isascii() and GENERAL.isdisjoint(words[:-1]):
        return " ".join(words[:-1]), ATTRIBUTES[words[-1]]
    if len(words) > 1 and words[0] in ATTRIBUTES and not words[0].isascii():
        subject, attribute = " ".join(words[1:]), ATTRIBUTES[words[0]]
        return (attribute, VALUE) if subject in PROJECT_WORDS else (subject, attribute)
    return subject, VALUE if subject else ""


def attribute_name(word: str) -> str:
    """Return the canonical name of an attribute, or *word* itself."""
    return ATTRIBUTES.get(word, word)


def ends_in_attribute(phrase: str) -> bool:
    """Return whether a noun phrase names an attribute, so that what follows `is` is its value."""
    head = re.split(r" (?:of|for|для|у) ", normalize(phrase))[0]
    words = _ARTICLE.sub("", head.strip(_EDGES)).split()
    if not words:
        return False
    return any(word.strip(_EDGES) in ATTRIBUTES for word in (words[0], words[-1]))


@lru_cache(maxsize=16_384)
def value_key(value: str) -> str:
    """Return what inflections of one Russian value share (`казани`, `казань`); other values stay as they are."""
    if value.isascii():
        return value
    words = value.replace("ё", "е").split()
    return " ".join(stem_russian(word) if word.isalpha() and not word.isascii() else word for word in words)


def same_amount(value: str, other: str) -> bool:
    """Return whether a number without a unit and one with some unit of time may be the same amount."""
    bare, amount = (value, other) if _NUMBER.fullmatch(value) else (other, value)
    duration = _DURATION.fullmatch(amount)
    if duration is None or not _NUMBER.fullmatch(bare):
        return False
    seconds, number = float(duration[1]), float(_number(bare).replace(",", ""))
    return any(abs(number * factor - seconds) <= 1e-9 * abs(seconds) for factor in set(_SECONDS.values()))
