"""
What is left of a text when sentences of it are left out.

Nothing heavy is imported: a hook of an agent host cuts texts in a process of its own.
"""

import re
from collections.abc import Iterable
from itertools import groupby

OMITTED = "…"
"""What stands for sentences that were left out."""

_SENTENCE_END = re.compile(
    r"(?<=[.!?…;])\s+(?=[^\sa-zа-яё]|(?:i|we|my|our|the|it|its|they|я|мы|он|она|оно|они)\b)|(?<=[。！？])|\n+"
)
_SPEAKS_BACK = re.compile(
    r"\W*(?:(?:and|but|also|so|и|а|но)\W+)?(?:it|its|it['’]s|they|their|them|he|his|she|her|he['’]s|she['’]s|that|those|"
    r"this(?! (?:project|repo|repository|codebase|app|service)\b)|these(?! days\b)|"
    r"он|она|оно|они|его|её|ее|их|ему|ей|им|это|этот|эта|эти|этого|этой|этих|там)(?!\w)",
    re.IGNORECASE,
)
"""`Its port is 80.` after a sentence that is left out."""


def split_sentences(text: str) -> list[str]:
    """Return *text* cut behind its sentences and lines, whatever they are; together with blanks they are the text."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def remnant(sentences: Iterable[tuple[str, bool]]) -> str:
    """
    Return the sentences that are kept, with `OMITTED` between what did not stand together; ``""`` when none has words.

    Args:
        sentences: Those of a text in order, each with whether it is kept. One that speaks of the sentence before it
            goes with that.
    """
    told: list[tuple[str, bool]] = []
    for sentence, is_kept in sentences:
        if any(map(str.isalpha, sentence)):
            is_bereft = bool(told) and not told[-1][1] and _SPEAKS_BACK.match(sentence) is not None
            told.append((sentence.strip(), is_kept and not is_bereft))
    runs = groupby(told, lambda one: one[1])
    return f" {OMITTED} ".join(" ".join(sentence for sentence, _ in run) for is_kept, run in runs if is_kept)


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return *text* without *spans* of it, each its start and end, with what only speaks of these left out as well."""
    cut: list[tuple[str, bool]] = []
    done = 0
    for start, end in sorted((max(start, 0), min(end, len(text))) for start, end in spans):
        if done < end and start < end:
            cut += [(sentence, True) for sentence in split_sentences(text[done:start])]
            cut.append((text[max(start, done) : end], False))
            done = end
    cut += [(sentence, True) for sentence in split_sentences(text[done:])]
    return remnant(cut) if done else text
