"""Prints precision and recall of the judging rules on the labelled pairs: ``python -m`` free, ``python measure.py``."""

import sys
from collections import Counter
from pathlib import Path

from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.judging.judge import compare

HERE = Path(__file__).parent
Pair = tuple[VerdictKind, str, str]


def pairs(name: str) -> list[Pair]:
    """Return the labelled pairs of a half, ``tuning`` or ``held_out``."""
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    return [(VerdictKind(kind), one, other) for kind, one, other in cells]


def measured(labelled: list[Pair]) -> dict[VerdictKind, tuple[float, float, int]]:
    """Return precision, recall and number of pairs by verdict."""
    counts = Counter((kind, compare(one, other).kind) for kind, one, other in labelled)
    result = {}
    for kind in VerdictKind:
        right = counts[kind, kind]
        said = sum(count for (_, found), count in counts.items() if found is kind)
        true = sum(count for (label, _), count in counts.items() if label is kind)
        result[kind] = (right / said if said else 1.0, right / true if true else 1.0, true)
    return result


def table(name: str) -> str:
    """Return the table of a half as text."""
    rows = [f"{name:<14}precision  recall  pairs"]
    rows += [f"{kind:<14}{p:9.2f}{r:8.2f}{n:7}" for kind, (p, r, n) in measured(pairs(name)).items()]
    return "\n".join(rows)


if __name__ == "__main__":
    for half in sys.argv[1:] or ("tuning", "held_out"):
        sys.stdout.write(table(half) + "\n")
        if half == "tuning":  # the other half is for reporting
            for kind, one, other in pairs(half):
                found = compare(one, other)
                if found.kind is not kind:
                    sys.stdout.write(f"  {kind} but {found.kind}: {one} | {other} ({found.reason})\n")
