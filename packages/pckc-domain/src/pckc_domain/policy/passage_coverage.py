"""
How much of a question a passage speaks of.

BM25 ranks within a layer, and its best hit may hold one word of six. Coverage says how many of the question's words a
passage holds, rarer ones counting more, and so compares passages across layers.
"""

import math
from collections.abc import Collection, Iterable, Sequence

from pckc_domain.model.passage import Chunk, GranularityLevel, Paragraph, Passage, Proposition, StoredPassage, Summary
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.analysis import split_camel, stem_english, text_tokens
from pckc_domain.policy.naming import FAULTS
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import EMPTY_WORDS

_TOPICLESS = STOP_WORDS | EMPTY_WORDS


def coverages(query: LexicalQuery, passages: Sequence[StoredPassage]) -> list[float]:
    """
    Return the coverage of each of *passages*, in order, in 0..1.

    A word weighs ``ln(1 + n / m)`` where *m* of the *n* passages hold it; words without a topic count only when there
    are no others. What bears an identifier of the question as its name lacks half as much, and so does the digest of a
    file that is called by one of the words.
    """
    words = topics_of(query) or list(query.words)
    stems = {word: stem_english(word) for word in words}
    names = frozenset(phrase for phrase in query.phrases if phrase[-1] not in FAULTS)
    held = [_held(stems, query.terms, _spoken(stored)) for stored in passages]
    counts = {part: sum(part in each for each in held) for part in (*words, *query.terms)}
    weights = {part: math.log1p(len(passages) / count) for part, count in counts.items() if count}
    total = sum(weights.values())
    if not total:
        return [0.0] * len(passages)
    shares = (math.fsum(weights[part] for part in each) / total for each in held)
    return [
        (1 + share) / 2 if _is_named(stored, names) or is_called(stored, stems.values()) else share
        for share, stored in zip(shares, passages, strict=True)
    ]


def topics_of(query: LexicalQuery) -> list[str]:
    """Return the words of *query* that name a topic, in order."""
    return [word for word in query.words if word not in _TOPICLESS]


def is_called(stored: StoredPassage, stems: Collection[str]) -> bool:
    """Whether the passage digests a file whose name has one of *stems*: ``compiler`` is sql/compiler.py's."""
    passage = stored.passage
    if not isinstance(passage, Summary) or passage.level is not GranularityLevel.MODULE:
        return False
    name = stored.document.uri.rpartition("/")[2].partition(".")[0].lower()
    return stem_english(name) in stems


def _held(stems: dict[str, str], terms: Iterable[str], text: str) -> frozenset[str]:
    words = {word for word, stem in stems.items() if _holds(text, stem)}
    return frozenset(words.union(term for term in terms if f" {term} " in text))


def _holds(text: str, stem: str) -> bool:
    """Whether a word of *text* has this English *stem*."""
    root = stem[:-1] if stem.endswith("i") else stem  # "queri" is the stem of "query"
    at = text.find(root)
    while at >= 0:
        if not at or not text[at - 1].isalnum():
            end = at + len(root)
            while end < len(text) and text[end].isalnum():
                end += 1
            if stem_english(text[at:end]) == stem:
                return True
        at = text.find(root, at + 1)
    return False


def _is_named(stored: StoredPassage, names: frozenset[tuple[str, ...]]) -> bool:
    """Whether the passage bears one of *names*, given as words: its qualified name or the last part of it."""
    passage = stored.passage
    if not names or not isinstance(passage, Paragraph | Proposition):
        return False
    name = passage.section_heading if isinstance(passage, Paragraph) else passage.subject
    forms = (name, name.rpartition(".")[2])
    return any(tuple(text_tokens(form)) in names or split_camel(form) in names for form in forms)


def _spoken(stored: StoredPassage) -> str:
    """All by which a passage speaks, in lower case, its extra terms between spaces."""
    passage = stored.passage
    return " ".join((*_names(passage), stored.document.uri, passage.text, passage.terms, "")).lower()


def _names(passage: Passage) -> tuple[str, ...]:
    if isinstance(passage, Paragraph):
        return (*passage.heading_path, *passage.symbol_names)
    if isinstance(passage, Proposition):
        return (passage.subject,)
    if isinstance(passage, Chunk):
        return (passage.heading, *passage.symbols)
    return passage.key_symbols if isinstance(passage, Summary) else ()
