"""
How much of a question each of some passages holds.

BM25 prefers short passages and repeated words; in a conversation, where every turn is short, the share of the
question's words that a turn holds says more. Rarer words count more.
"""

import math
from collections import Counter
from collections.abc import Sequence

from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import analyze_query, stem_english, text_tokens
from pckc_domain.policy.stop_words import STOP_WORDS


def evidence_coverages(query: str, passages: Sequence[Evidence]) -> list[float]:
    """
    Return the coverage of each of *passages*, in order, in 0..1; 0 when the query has no words.

    A word weighs ``ln(1 + (n - m + .5) / (m + .5))`` where *m* of the *n* passages hold it, as in BM25.
    """
    wanted = _parts(query)
    held = [wanted & _spoken(passage) for passage in passages]
    counts = Counter(part for parts in held for part in parts)
    weights = {part: math.log1p((len(passages) - count + 0.5) / (count + 0.5)) for part, count in counts.items()}
    total = math.fsum(weights.values())
    if not total:
        return [0.0] * len(passages)
    return [math.fsum(sorted(weights[part] for part in parts)) / total for parts in held]


def _parts(query: str) -> frozenset[str]:
    analysed = analyze_query(query)
    words = [word for word in analysed.words if word not in STOP_WORDS] or analysed.words
    return frozenset([*map(stem_english, words), *analysed.terms])


def _spoken(passage: Evidence) -> frozenset[str]:
    return frozenset([*map(stem_english, text_tokens(passage.text)), *passage.terms.split()])
