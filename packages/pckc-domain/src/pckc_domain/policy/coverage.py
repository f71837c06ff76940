"""
How much of a query a text speaks of.

BM25 weighs words by how rare they are in the store; in a small store that says little, and a word in half of the texts
weighs nothing. Coverage is absolute: the share of the query's topic words that occur in the text, longer words counting
more, since they say more.
"""

from collections.abc import Iterable

from pckc_domain.policy.analysis import content_words
from pckc_domain.policy.subgoals import EMPTY_WORDS, found_stems, stem


def topic_stems(query: str) -> frozenset[str]:
    """Return the stems of the words of *query* that carry its topic; all of its content words when none does."""
    words = content_words(query)
    topical = [word for word in words if word not in EMPTY_WORDS] or list(words)
    return frozenset(map(stem, topical))


def coverage_of(stems: frozenset[str], texts: Iterable[str]) -> float:
    """Return the share of *stems* that *texts* speak of, weighted by length; 0 when there are no stems."""
    if not stems:
        return 0.0
    found = found_stems(stems, texts)
    return sum(map(len, found)) / sum(map(len, stems))
