"""
Prints precision and recall of the rule of duplicates over thresholds, for each embedder: run it as a script.

Beside it stands the cosine alone: what the rule keeps apart is what a vector hardly tells, amounts and denials.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from pckc_adapters_embedded.backend import BLEND, MINILM, USE
from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.deduplication import DUPLICATE_COSINE, is_duplicate
from pckc_domain.ports.embedder import Embedder

PAIRS = Path(__file__).with_name("data") / "duplicates.txt"
THRESHOLDS = (0.70, 0.75, 0.80, 0.85, 0.88, 0.90, 0.92, 0.95, 0.98)


class Pair(NamedTuple):
    """Two claims and what they are to each other: ``same``, ``near`` or ``similar``."""

    label: str
    one: str
    other: str


class Quality(NamedTuple):
    """How many of the merged pairs are the same, and how many of the same are merged."""

    precision: float
    recall: float


def labelled_pairs() -> list[Pair]:
    """Return the labelled pairs."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [Pair(*(cell.strip() for cell in line.split(" | "))) for line in lines if line and not line.startswith("#")]


def cosines(embedder: Embedder, pairs: list[Pair]) -> list[float]:
    """Return the cosine of each pair."""
    ones = embedder.embed([pair.one for pair in pairs])
    others = embedder.embed([pair.other for pair in pairs])
    return [sum(x * y for x, y in zip(one, other, strict=True)) for one, other in zip(ones, others, strict=True)]


def quality(pairs: list[Pair], values: list[float], threshold: float, *, by_rule: bool = True) -> Quality:
    """Return precision and recall at *threshold*, of the rule or of the cosine alone."""
    merged = [
        pair.label
        for pair, cosine in zip(pairs, values, strict=True)
        if cosine >= threshold
        and (not by_rule or is_duplicate(ClaimType.TEXT, pair.one, pair.other, cosine, threshold=threshold))
    ]
    right = merged.count("same")
    true = sum(pair.label == "same" for pair in pairs)
    return Quality(right / len(merged) if merged else 1.0, right / true)


def main() -> None:
    """Print the table of each embedder, and what is merged wrongly at the default."""
    pairs = labelled_pairs()
    for name, backend in (("use", USE), ("minilm", MINILM), ("blend", BLEND)):
        with backend.open(backend.settings()) as embedder:
            values = cosines(embedder, pairs)
        sys.stdout.write(f"{name:<10}cosine and rule          cosine alone\n")
        sys.stdout.write("threshold precision  recall   precision  recall\n")
        for threshold in THRESHOLDS:
            rule, alone = quality(pairs, values, threshold), quality(pairs, values, threshold, by_rule=False)
            sys.stdout.write(
                f"{threshold:<10.2f}{rule.precision:9.2f}{rule.recall:8.2f}{alone.precision:12.2f}{alone.recall:8.2f}\n"
            )
        for pair, cosine in zip(pairs, values, strict=True):
            if pair.label != "same" and is_duplicate(ClaimType.TEXT, pair.one, pair.other, cosine):
                sys.stdout.write(f"  merged at {DUPLICATE_COSINE}: {cosine:.3f} {pair}\n")


if __name__ == "__main__":
    main()
