"""Apostrophes as the rules spell them: typewriter ones, and those that people leave out (`dont`, `youre`)."""

import re

_NOT = "do does did is are was were has have had would could should must need ca wo ai"
_PRONOUNS = {"you": "re ve ll", "they": "re ve ll", "we": "ve", "i": "m ve", "that": "s", "what": "s", "there": "s"}
_CONTRACTIONS = {f"{verb}nt": f"{verb}n't" for verb in _NOT.split()} | {
    f"{word}{end}": f"{word}'{end}" for word, ends in _PRONOUNS.items() for end in ends.split()
}
_LEFT_OUT = re.compile(rf"`[^`\n]*`|(?<![\w./:@-])(?:{'|'.join(_CONTRACTIONS)})(?![\w/:@'-]|\.\w)", re.IGNORECASE)


def with_apostrophes(text: str) -> str:
    """Return *text* with the apostrophes of its contractions; names and code stay as they are."""
    return _LEFT_OUT.sub(_contracted, text.replace("’", "'"))


def _contracted(match: re.Match[str]) -> str:
    word = match[0]
    if contraction := _CONTRACTIONS.get(word.casefold()):
        at = contraction.index("'")
        return f"{word[:at]}'{word[at:]}"
    return word
