"""Bytes to text."""

import codecs
import re

import attrs

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)

SAMPLE_BYTES = 16 * 1024
"""How much of a text in an unknown encoding is looked at."""

# Left alone, the guess for a short text is often an old Macintosh or DOS table.
_CANDIDATES = [
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp866", "koi8_r", "shift_jis", "euc_jp", "gb18030", "big5",
    "euc_kr",
]  # fmt: skip
_LONG_FOREIGN_RUN = re.compile(rb"[\x80-\xff]{3}")
_WESTERN_SIGNS = frozenset("\xa0¡¢£§©«®°±·»¿€‘’‚“”„–—…•™")

_NOT_ASCII = re.compile(r"[^\x00-\x7f\ufffd]")
_GOOD_PER_BAD = 4


@attrs.frozen(kw_only=True)
class Decoded:
    """
    A text and how it was decoded.

    Attributes:
        text: With ``\\n`` line ends and without a byte order mark.
        encoding: Python's name of the codec, with ``-sig`` after a UTF-8 mark; ``utf-8`` also if a few bytes were not.
    """

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """
    Decode *data*; ``None`` when it is not text.

    A byte order mark decides; then NUL makes it binary; then UTF-8 is tried; then, where most of the text outside ASCII
    is UTF-8, the bad bytes become U+FFFD; then lone letters outside ASCII are read as Western European; then the
    encoding is guessed from a sample.
    """
    for mark, name, codec in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], codec, name)
    if b"\0" in data:
        return None
    return _strict(data, "utf-8", "utf-8") or _damaged_utf8(data) or _western(data) or _guessed(data)


def _strict(data: bytes, codec: str, name: str) -> Decoded | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return Decoded(text=_with_plain_line_ends(text), encoding=name)


def _damaged_utf8(data: bytes) -> Decoded | None:
    text = data.decode("utf-8", "replace")
    good = len(_NOT_ASCII.findall(text))
    if good < _GOOD_PER_BAD * text.count("\ufffd"):
        return None
    return Decoded(text=_with_plain_line_ends(text), encoding="utf-8")


def _western(data: bytes) -> Decoded | None:
    """Decode Windows-1252, whose accents stand alone or in pairs; guessing is unsure of so few bytes."""
    if _LONG_FOREIGN_RUN.search(data):
        return None
    decoded = _strict(data, "cp1252", "cp1252")
    if decoded and all(sign.isalpha() or sign in _WESTERN_SIGNS for sign in set(_NOT_ASCII.findall(decoded.text))):
        return decoded
    return None


def _guessed(data: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes  # takes 30 ms to import, for few files

    # Only bytes outside ASCII tell encodings apart: start where they do.
    first = next((match.start() for match in re.finditer(rb"[\x80-\xff]", data)), 0)
    start = max(0, first - SAMPLE_BYTES // 8)
    best = from_bytes(data[start : start + SAMPLE_BYTES], cp_isolation=_CANDIDATES).best()
    return _strict(data, best.encoding, codecs.lookup(best.encoding).name) if best else None


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
