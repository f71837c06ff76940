"""Characters as they are meant: ligatures as letters, no marks that only tell where a line may break."""

import re
import unicodedata

_PRESENTATION_FORMS = (*range(0xFB00, 0xFDFE), *range(0xFE70, 0xFEFD))
"""Letters as they are joined in print: Latin, Armenian, Hebrew and Arabic."""
_LIGATURES = {sign: unicodedata.normalize("NFKC", chr(sign)) for sign in _PRESENTATION_FORMS}
_SOFT_HYPHEN = re.compile("\u00ad[ \t]*\n?[ \t]*")
_NOTHING = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\ufffe\uffff\x00"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u202f"), " ")
_LINE_BREAKS = dict.fromkeys(map(ord, "\u2028\u2029\x0b\x85"), "\n")
_TABLE = {**_LIGATURES, **_NOTHING, **_SPACES, **_LINE_BREAKS}


def clean(text: str) -> str:
    """
    Return *text* in NFC with ligatures as letters, plain spaces, and no soft hyphens or zero-width spaces.

    Joiners and direction marks stay: Persian, Hindi and emoji need them.
    """
    text = text.encode("utf-8", "replace").decode("utf-8").translate(_TABLE)
    return _SOFT_HYPHEN.sub("", unicodedata.normalize("NFC", text))
