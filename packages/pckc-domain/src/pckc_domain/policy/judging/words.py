"""The words by which claims are compared: what denies, what is opposed, what says the same. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pckc_domain.policy.subjects import subject_key

ARTICLES = frozenset(
    "a an the this that these those its their our your his her этот эта это эти наш наша наше свой".split()
)
FILLERS = frozenset(
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
DENIALS = frozenset("not no never cannot can't cant don't doesn't didn't isn't aren't wasn't weren't won't shouldn't mustn't wouldn't couldn't hasn't haven't hadn't neither nor hardly scarcely barely не нет нельзя никогда ни".split())  # fmt: skip
MODAL_OF = {"cannot": "can", "can't": "can", "won't": "", "shouldn't": "should", "mustn't": "must", "нельзя": "можно"}
DOUBLE = frozenset("ни никогда".split())
"""Russian denies twice: they count once with `не`."""

_OPPOSITES = """
    enabled disabled; enable disable; enables disables; on off; true false; yes no_; allowed forbidden; allowed prohibited; allowed disallowed; allows forbids; allows prohibits; permits forbids; allow deny
    required optional; mandatory optional; synchronous asynchronous; synchronously asynchronously; mutable immutable; public private; before after; increases decreases; increase decrease; increased decreased; raises lowers; raise lower
    faster slower; open closed; opens closes; accepts rejects; accept reject; includes excludes; supported unsupported; safe unsafe; valid invalid; ascending descending; stateful stateless
    blocking non-blocking; local remote; case-sensitive case-insensitive; writable read-only; online offline; internal external; deterministic non-deterministic; deterministic nondeterministic
    persistent ephemeral; encrypted unencrypted; eager lazy; eagerly lazily; horizontally vertically; static dynamic; statically dynamically; single-threaded multi-threaded; starts stops; sorted unsorted; with without
    available unavailable; possible impossible; higher lower; more less; larger smaller; longer shorter; succeeds fails; compatible incompatible; reversible irreversible; keeps discards; retains discards; ordered unordered; thread-safe thread-unsafe
    signed unsigned; idempotent non-idempotent; strict lenient; manually automatically; manual automatic; visible hidden; visible invisible; active inactive; correct incorrect; stable unstable; hot cold; best worst; first last; left right; north south; east west; cheap expensive; cheaper dearer
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


_SYNONYMS = """
    uses use utilizes utilises employs; keeps stores holds retains; starts begins launches; returns yields gives; removes deletes erases; creates makes builds generates
    needs requires; shows displays; lets allows permits enables; maximum max; minimum min; sends transmits
    big large; small little; fast quick; wrong incorrect; config configuration; folder directory
    docs documentation; repo repository; написан написана написано написаны; использует применяет; хранит держит; запускает стартует
    возвращает отдаёт; удаляет стирает; создаёт генерирует; нужен требуется необходим нужна нужно нужны необходима необходимо; максимальный максимум; минимальный минимум
    папка каталог директория; ё; е
"""
"""Words that say the same; the first stands for all."""

ROUGH = frozenset(
    "about around approximately roughly nearly almost circa ~ ≈ около примерно приблизительно почти порядка".split()
)

_VERB = re.compile(
    r"(?:is|are|was|were|be|has|have|had|can|could|may|must|should|shall|will|would|do|does|did|cannot|can't|don't|doesn't|didn't|isn't|aren't|won't|mustn't|shouldn't|never|not"
    r"|uses?|used|utilizes|employs|keeps?|stores?|holds?|retains?|starts?|begins?|returns?|yields?|gives?|removes?|deletes?|creates?|makes?|builds?|generates?|needs?|requires?|shows?|displays?|lets?|allows?|permits?|enables?|disables?"
    r"|listens?|runs?|supports?|accepts?|rejects?|includes?|excludes?|contains?|consists?|depends?|equals?|lasts?|takes?|costs?|expires?|times?|reads?|writes?|sends?|receives?|fails?|succeeds?|increases?|decreases?|raises?|lowers?"
    r"|opens?|closes?|stops?|forbids?|prohibits?|discards?|measures?|weighs?|boils?|melts?|freezes?|works?|lives?|serves?|handles?|processes|sorts?|waits?|retries|limits?|caches?|logs?|encrypts?|evaluates?|loads?|grows?|scales?|orbits?|defaults?|happens?|occurs?|comes?|goes|gets?|sets?|provides?|produces?|absorbs?|causes?|converts?|validates?|checks?|blocks?|ships?|belongs?|commits?|locks?|deploys?|moves?|ends?|calls?|has"
    r"|не|это|является|являются|равен|равна|равно|равны|был|была|было|были|может|могут|должен|должна|должно|должны|нужно|можно|нельзя|нужен|нужна|нужны|требуется|требуют|доступ\w+|недоступ\w+"
    r"|вруч\w+|(?:в|от)ключ[её]н\w{0,2}|выключен\w{0,2}|разрешен\w{0,2}|разреш[её]н\w{0,2}|запрещ[её]н\w{0,2}|написан\w{0,2}|обязател\w+|необязател\w+|совместим\w{0,2}|несовместим\w{0,2}|зашифрован\w{0,2}|незашифрован\w{0,2}|открыт\w{0,1}|закрыт\w{0,1}"
    r"|(?!(?:пакет|ответ|совет|бюджет|билет|интернет|предмет|объект|проект|клиент|сервлет|планшет|лимит|аудит|бит|кредит|эффект|аспект|тест|текст|контекст|список)$)\w{2,}(?:[аеиую]ет|[аеиую]ют|ит|ят|ат|ется|ются|ится|ятся|ает|яет|ёт|ал|ил|ел|ала|ила|али|или|ыл|ыла|ыли|ела|ели|нул|нула|нули))$",
    re.IGNORECASE,
)


def is_verb(word: str) -> bool:
    """Return whether *word* may open a predicate."""
    return _VERB.match(word) is not None


@lru_cache(maxsize=16_384)
def key(word: str) -> str:
    """Return what inflections and synonyms of a case-folded *word* share."""
    stem = subject_key(word.strip("'"))
    return _synonyms().get(stem, stem)


def opposite(key: str) -> str:
    """Return the key that stands for *key* and its opposite when *key* is the denied one of both; else ``""``."""
    return _opposites().get(key, "")


def sides(keys: Sequence[str]) -> frozenset[tuple[int, int]]:
    """Return which of two opposed or contrasted words *keys* has: numbers of their pairs, and the place in each."""
    table = _sides()
    return frozenset(side for one in keys for side in table.get(one, ()))


def _groups(text: str) -> Iterator[list[str]]:
    for group in text.replace("ё", "е").replace("\n", ";").split(";"):
        if words := group.split():
            yield words


@lru_cache(maxsize=1)
def _synonyms() -> Mapping[str, str]:
    return {subject_key(word): subject_key(words[0]) for words in _groups(_SYNONYMS) for word in words}


@lru_cache(maxsize=1)
def _opposites() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for one, other in _groups(_OPPOSITES):
        if key(one) != key(other):
            table.setdefault(key(other), key(one))
    return table


@lru_cache(maxsize=1)
def _sides() -> Mapping[str, Sequence[tuple[int, int]]]:
    table: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, pair in enumerate((*_groups(_OPPOSITES), *_groups(_CONTRASTS))):
        for place, word in enumerate(pair):
            table[key(word)].append((number, place))
    return table
