"""
How text becomes search terms.

Lexical indexes split text as SQLite's ``unicode61`` does and stem English with Porter. What that misses goes into a
column of extra terms: parts of camelCase names, Russian stems, CJK uni- and bigrams, names such as ``C++`` and
``--flag``. A query is analysed into the matching parts.

Nothing heavy is imported here: a hook of an agent host analyses a prompt in a process of its own.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from pckc_domain.model.bounds import query_head
from pckc_domain.policy.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from pckc_domain.model.query import LexicalQuery

MAX_QUERY_PARTS = 48
"""A longer query keeps its phrases, then its identifiers, then its other words, in order."""

_TOKEN = re.compile(r"[^\W_]+")
_WORDS = bytes(ord(char.lower()) if (char := chr(byte)).isalnum() else ord(" ") for byte in range(128)) + bytes(128)
"""ASCII as tokens have it, what parts them as blanks."""
_CLASSES = bytes(
    ord("A") if 65 <= byte <= 90 else ord("a") if 97 <= byte <= 122 else ord("0") if 48 <= byte <= 57 else ord(" ")
    for byte in range(256)
)
_HUMPS = (b"aA", b"0A", b"AAa")
"""What makes a name camelCase, each character as its class."""
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")
_CYRILLIC = re.compile(r"[а-яё]+")
_CJK = re.compile("[぀-ヿ㐀-䶿一-鿿가-힯豈-﫿฀-๿]+")
_SYMBOL_MARKS = ("--", "c++", "c#", "f#", ".net")
_SYMBOL_NAMES = re.compile(r"(?<!\w)(?:c\+\+|c#|f#|\.net|--[a-z][\w-]+)(?![\w+#])", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|«([^»]+)»|`([^`]+)`')
_IDENTIFIER = re.compile(r"(?<![^\W_])[^\W_]++(?:(?:[._/:\\]|->?)++[^\W_]++)+")  # starts at words only: linear
_CODE_MARK = re.compile(r"[_(){}\[\]=<>;/\\]|::|->|\w\.\w|[a-z][A-Z]|--\w")


def text_tokens(text: str) -> list[str]:
    """Return the lower-case tokens of *text* as ``unicode61`` makes them, before stemming, in order."""
    if text.isascii():  # nearly all of code and logs is, and this way takes a third of the time
        return text.encode().translate(_WORDS).decode().split()
    return [_fold(token) for token in _TOKEN.findall(unicodedata.normalize("NFC", text))]


def index_terms(text: str) -> str:
    """Return the extra terms of *text*, distinct, separated by spaces; the same text gives the same terms."""
    return " ".join(dict.fromkeys(_extra_terms(text)))


def is_prose(query: str) -> bool:
    """
    Return whether *query* is a question in words rather than code: then its stop words are dropped.

    Marks of code are identifiers, brackets, operators and flags; a query with more stop words than such marks is prose.
    """
    words = _TOKEN.findall(query.lower())
    stops = sum(word in STOP_WORDS for word in words)
    marks = len(_CODE_MARK.findall(query))
    return stops > marks or (stops > 0 and len(words) >= 6 and marks <= stops)


def analyze_query(query: str) -> "LexicalQuery":
    """Return the parts of *query* to look for; any string is fine, an empty or all-symbol one gives an empty query."""
    from pckc_domain.model.query import LexicalQuery

    phrases, words, terms = query_parts(query)
    return LexicalQuery(words=words, phrases=phrases, terms=terms)


def query_parts(query: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...], tuple[str, ...]]:
    """Return the phrases, words and terms of *query*, as `LexicalQuery` describes them, without making one."""
    query = query_head(query)
    phrases = [*_quoted_phrases(query), *_identifier_phrases(query)]
    words = _words(query)
    if is_prose(query):
        words = [word for word in words if word not in STOP_WORDS] or words
    return _limited(phrases, words, _query_terms(query))


def content_words(query: str) -> tuple[str, ...]:
    """Return the distinct words of *query* that are no stop words, in order."""
    return tuple(word for word in _words(query) if word not in STOP_WORDS)


@lru_cache(maxsize=65_536)
def stem_russian(word: str) -> str:
    """Return the Snowball stem of a lower-case Russian *word*."""
    return _stem("russian", word.replace("ё", "е"))


@lru_cache(maxsize=65_536)
def stem_english(word: str) -> str:
    """Return the Porter stem of a lower-case *word*, as SQLite's ``porter`` tokenizer makes it."""
    return _stem("porter", word)


def _stem(language: str, word: str) -> str:
    import snowballstemmer  # type: ignore[import-untyped]  # costs 10 ms: only when a stem is asked for

    # A new one for each word: it holds the word that it is at, servers search in many threads, and making one is quick.
    return snowballstemmer.stemmer(language).stemWord(word)  # type: ignore[no-any-return]  # untyped library


@lru_cache(maxsize=65_536)
def split_camel(name: str) -> tuple[str, ...]:
    """Return the lower-case parts of a camelCase *name*: ``HTTPServerName`` gives http, server, name."""
    return tuple(part.lower() for part in _CAMEL_PART.findall(name))


def camel_names(text: str) -> list[str]:
    """Return the distinct camelCase names of *text*, in order; only where classes of characters meet is it read."""
    classes = text.encode("latin-1", "replace").translate(_CLASSES)
    ends: dict[int, int] = {}
    for hump in _HUMPS:
        at = classes.find(hump)
        while at >= 0:
            start = classes.rfind(b" ", 0, at) + 1
            end = ends[start] = classes.find(b" ", at) % (len(classes) + 1)  # -1 is the end of the text
            at = classes.find(hump, end)
    names = dict.fromkeys(text[start : ends[start]] for start in sorted(ends))
    return [name for name in names if len(name) > 2 and not name.isupper()]


def _fold(token: str) -> str:
    token = token.lower()
    return token if token.isascii() else "".join(map(_without_diacritic, token))


@lru_cache(maxsize=4096)
def _without_diacritic(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() else character


def _extra_terms(text: str) -> Iterator[str]:
    for name in camel_names(text):
        yield from split_camel(name)
    lower = text.lower()
    if any(mark in lower for mark in _SYMBOL_MARKS):
        yield from map(_symbol_term, _SYMBOL_NAMES.findall(text))
    if text.isascii():
        return
    folded = unicodedata.normalize("NFKC", text).casefold()
    for word in _CYRILLIC.findall(folded):
        yield stem_russian(word)
    for run in _CJK.findall(folded):
        yield from run
        yield from _bigrams(run)
    if folded != lower:
        yield from (token for token in _TOKEN.findall(folded) if not _CJK.match(token))


def _query_terms(query: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", query).casefold()
    stems = [stem_russian(word) for word in _CYRILLIC.findall(folded) if word not in STOP_WORDS]
    grams = [gram for run in _CJK.findall(folded) for gram in (_bigrams(run) or [run])]
    return list(dict.fromkeys([*map(_symbol_term, _SYMBOL_NAMES.findall(query)), *stems, *grams]))


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _symbol_term(name: str) -> str:
    name = name.lower()
    known = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}
    return known.get(name) or "option" + "".join(_TOKEN.findall(name))


def _words(query: str) -> list[str]:
    """Words to match in the text; Cyrillic and CJK ones are matched through their terms instead."""
    tokens = (token for token in text_tokens(query) if not _CYRILLIC.search(token) and not _CJK.search(token))
    parts = (part for name in camel_names(query) for part in split_camel(name))
    return list(dict.fromkeys([*tokens, *parts]))


def _quoted_phrases(query: str) -> list[tuple[str, ...]]:
    quoted = ("".join(groups) for groups in _QUOTED.findall(query))
    return [tokens for text in quoted if len(tokens := tuple(text_tokens(text))) > 1]


def _identifier_phrases(query: str) -> list[tuple[str, ...]]:
    names = [tuple(text_tokens(name)) for name in _IDENTIFIER.findall(query)]
    return names + [split_camel(name) for name in camel_names(query)]


def _limited(
    phrases: list[tuple[str, ...]], words: list[str], terms: list[str]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...], tuple[str, ...]]:
    kept_phrases = tuple(dict.fromkeys(phrase[:16] for phrase in phrases if len(phrase) > 1))[: MAX_QUERY_PARTS // 3]
    kept_words = tuple(words[:MAX_QUERY_PARTS])
    kept_terms = tuple(term for term in terms if term not in kept_words)[:MAX_QUERY_PARTS]
    return kept_phrases, kept_words, kept_terms
