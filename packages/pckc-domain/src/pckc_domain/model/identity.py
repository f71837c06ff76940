"""Ids are content hashes: the same input gives the same ids on every backend."""

import hashlib
import unicodedata

ID_HEX_DIGITS = 24


def content_id(prefix: str, *parts: str) -> str:
    """
    Return ``prefix_`` and the first 24 hex digits of the SHA-256 of the length-prefixed *parts*.

    Length prefixes keep ``("ab", "c")`` and ``("a", "bc")`` apart. Lone surrogates are hashed as they are.
    """
    joined = "".join([f"{len(part)}:{part}" for part in parts])
    if joined.isascii():  # then lengths in characters are those in bytes
        hashed = hashlib.sha256(joined.encode())
    else:
        encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
        hashed = hashlib.sha256(b"".join([b"%d:%b" % (len(part), part) for part in encoded]))
    return f"{prefix}_{hashed.hexdigest()[:ID_HEX_DIGITS]}"


def digest(text: str) -> str:
    """Return the SHA-256 of *text* in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def text_number(text: str) -> int:
    """Return 64 signed bits that stand for *text*; of a million texts two are alike once in thirty million stores."""
    hashed = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(hashed, "little", signed=True)


def normalize(text: str) -> str:
    """Return *text* NFKC-normalised, case-folded, with white space collapsed: equal texts are one text."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())
