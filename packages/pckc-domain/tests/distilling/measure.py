"""
Prints precision and recall of the deterministic distiller on labelled sentences: run it as a script.

A sentence counts as kept when any claim is read from it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pckc_domain.model.distillation import SourceChunk
from pckc_domain.policy.distillation.distil import distil

SENTENCES = Path(__file__).with_name("sentences.txt")
FRESH = Path(__file__).with_name("fresh.txt")
"""Written after the rule was finished: nobody has looked at them while writing it."""


class Labelled(NamedTuple):
    """A sentence and whether it is worth keeping."""

    text: str
    is_kept: bool
    is_held_out: bool

    @property
    def language(self) -> str:
        """Its script tells it."""
        return "English" if self.text.isascii() else "Russian"


class Quality(NamedTuple):
    """How many of the kept sentences are worth it, and how many of those worth it are kept."""

    precision: float
    recall: float


def labelled() -> list[Labelled]:
    """Return the labelled sentences, every second one held out."""
    return [Labelled(line[2:], line[0] == "+", number % 2 == 1) for number, line in enumerate(_lines(SENTENCES))]


def fresh() -> list[Labelled]:
    """Return those that were written last, all held out."""
    return [Labelled(line[2:], line[0] == "+", is_held_out=True) for line in _lines(FRESH)]


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line[0] in "+-"]


def is_distilled(text: str) -> bool:
    """Return whether any claim is read from *text*."""
    return bool(distil(SourceChunk(title="", place="", text=text)).claims)


def quality(sentences: list[Labelled]) -> Quality:
    """Return precision and recall over *sentences*."""
    kept = [one for one in sentences if is_distilled(one.text)]
    right = sum(one.is_kept for one in kept)
    return Quality(right / len(kept) if kept else 1.0, right / sum(one.is_kept for one in sentences))


def _mistakes() -> Iterator[str]:
    for one in labelled():
        if not one.is_held_out and is_distilled(one.text) is not one.is_kept:
            yield f"  {'left' if one.is_kept else 'kept'}: {one.text}"


def main() -> None:
    """Print a line for each half and language, and the mistakes of the half for tuning."""
    halves = {
        "tuning": [one for one in labelled() if not one.is_held_out],
        "held-out": [one for one in labelled() if one.is_held_out],
        "fresh": fresh(),
    }
    for half, sentences in halves.items():
        for language in ("English", "Russian"):
            chosen = [one for one in sentences if one.language == language]
            found = quality(chosen)
            sys.stdout.write(
                f"{half:9} {language}, {len(chosen)}: precision {found.precision:.2f} recall {found.recall:.2f}\n"
            )
    sys.stdout.write("\n".join(_mistakes()) + "\n")


if __name__ == "__main__":
    main()
