"""
How much of a question each of some passages holds.

BM25 prefers short passages and repeated words; in a conversation, where every turn is short, the share of the
question's words that a turn holds says more. Rarer words count more.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence

from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import analyze_query, stem_english, text_tokens
from pckc_domain.policy.stop_words import STOP_WORDS

_OF_ANYTHING = frozenset(("use", "used", "uses", "using"))
"""Said of whatever is asked about: beside a topic they are none."""


class WordWeights:
    """How much words weigh: ``ln(1 + (n - m + .5) / (m + .5))`` where *m* of *n* passages hold one, as in BM25."""

    def __init__(self, held: Collection[frozenset[str]]) -> None:
        """Weigh words by *held*, the words of each passage."""
        self._size = len(held)
        self._counts = Counter(word for words in held for word in words)

    def total(self, words: Collection[str]) -> float:
        """Return the sum of the weights of *words*."""
        return math.fsum(sorted(self._weight(self._counts[word]) for word in words))

    def share(self, wanted: frozenset[str], held: frozenset[str]) -> float:
        """Return the share of *wanted*, by weight, that is in *held*, in 0..1; 0 when nothing is wanted."""
        total = self.total(wanted)
        return self.total(wanted & held) / total if total else 0.0

    def _weight(self, count: int) -> float:
        return math.log1p((self._size - count + 0.5) / (count + 0.5))


def evidence_coverages(query: str, held: Sequence[frozenset[str]]) -> list[float]:
    """
    Return the coverage of each of some passages, in order, in 0..1; 0 when the query has no words.

    Args:
        query: In words.
        held: The words of each passage, as of `spoken_words`. A word that none of them holds does not count.
    """
    wanted = _parts(query)
    common = [wanted & words for words in held]
    weights = WordWeights(common)
    known = frozenset().union(*common)
    return [weights.share(known, words) for words in common]


def spoken_words(passage: Evidence) -> frozenset[str]:
    """Return the words of *passage*, as they are compared."""
    return frozenset([*map(stem_english, text_tokens(passage.text)), *passage.terms.split()])


def _parts(query: str) -> frozenset[str]:
    analysed = analyze_query(query)
    words = [word for word in analysed.words if word not in STOP_WORDS] or analysed.words
    topical = [word for word in words if word not in _OF_ANYTHING]
    return frozenset([*map(stem_english, topical or words), *analysed.terms])
