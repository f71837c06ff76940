"""Proper names in a sentence: what means the same thing wherever it is read."""

import re
from functools import cache

from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stem

_WORD = re.compile(r"\w[\w.+#-]*\w|\w")
_NAME = re.compile(r"[A-ZА-ЯЁ][\w.+#-]*[a-zа-яё][\w.+#-]*|[a-zа-яё]+[A-ZА-ЯЁ][\w.+#-]*")

_COMMON = (
    "account address application attribute backend batch block branch browser buffer bug build byte cache call chapter"
    " client cluster code collection column command connection container cookie count data database default delay"
    " dependency device disk document driver endpoint engine entry error event feature field file flag folder format"
    " frame function group handler header heap host image index input instance interface interval item job key language"
    " latency length level library limit line link list load log machine manager maximum memory message method metric"
    " minimum mode model module name network node number object operation option order output package page parameter"
    " password path period pipeline platform plugin point policy pool port process product program project protocol"
    " provider proxy query queue rate record region release replica report repository request resource response result"
    " retry role row rule runtime schema scope script search section server service session set setting size source"
    " speed stage standard state statement status step storage store stream string system table tag target task team"
    " temperature template tenant test text thread threshold time timeout token tool total transaction type unit update"
    " user value variable version volume weight window worker"
    " адрес версия время значение имя клиент ключ лимит максимум настройка параметр порт предел проект размер сервер"
    " сервис скорость таймаут температура тип файл число"
)
"""Words that begin a sentence without naming anything."""


def names_in(text: str) -> frozenset[str]:
    """Return the names in *text*, folded; a common word that begins it is none."""
    names = set()
    for match in _WORD.finditer(text):
        word = match[0]
        is_initial = not any(character.isalnum() for character in text[: match.start()])
        if _NAME.fullmatch(word) and not (is_initial and _is_common(word.casefold())):
            names.add(word.casefold())
    return frozenset(names)


def _is_common(word: str) -> bool:
    return word in STOP_WORDS or stem(word) in _common_stems()


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(map(stem, _COMMON.split()))
