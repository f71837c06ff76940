"""From the name of a constant or setting to the subject and attribute that a session would speak of."""

import re

from pckc_domain.model.fact import StatedFact
from pckc_domain.policy.facts.literals import words_of
from pckc_domain.policy.subjects import PATH, PLACES, VALUE, VERSION, split_attribute

MAX_WORDS = 8

_SECRET = frozenset(
    "secret secrets password passwd passphrase token tokens apikey credential credentials salt signature private "
    "cookie bearer dsn pwd pin otp".split()
)
_SAYS_NOTHING = frozenset(
    "name title description type id key value values url urls enabled default path version author authors license "
    "label text image tag tags class command script main module files include exclude format kind mode level "
    "size".split()
)
"""Names that say nothing without the section they stand in: every other section has one."""


def named(name: str, value: str, *, text: str, line: int, excerpt: str, section: str = "") -> StatedFact | None:
    """
    Return the fact that *name*, in its *section*, is set to *value*; ``None`` when it may be a secret or says nothing.

    `AUTH_TIMEOUT` is the timeout of `auth`, `server.port` the port of `server`; what has no attribute in its name is
    its own subject, and what names a folder or file has a path.
    """
    own = words_of(name)
    words = [*words_of(section), *own] if section else own
    if not own or len(words) > MAX_WORDS or is_secret(words):
        return None
    subject, attribute = split_attribute(" ".join(words)) if len(words) <= MAX_SPOKEN else (" ".join(words), VALUE)
    if not subject:
        subject, attribute = " ".join(words), VALUE
    if attribute == VALUE and words[-1] in PLACES and "/" in value:
        attribute = PATH
    tail = " ".join(own) if section and (len(own) > 1 or own[0] not in _SAYS_NOTHING) else ""
    return StatedFact(
        subject=subject, attribute=attribute, value=value, tail=tail, text=text, line=line, excerpt=excerpt
    )


MAX_SPOKEN = 5
"""Longer names are spoken in full or not at all."""


def versioned(name: str, version: str, *, text: str, line: int, excerpt: str) -> StatedFact | None:
    """Return the fact that the dependency *name* has *version*, or may lie in that range."""
    version = re.sub(r"\s*([,<>=!~^|]+)\s*", r"\1", version.strip().casefold())
    version = re.sub(r"^={1,3}(?=v?\d)(?!.*[*,|<>])|^v(?=\d)", "", version)
    if not name or not version or version in ("*", "latest") or not re.search(r"\d", version):
        return None
    name = name.casefold()
    return StatedFact(
        subject=name,
        attribute=VERSION,
        value=version,
        tail=name.rpartition("/")[2] if "/" in name else "",
        text=text,
        line=line,
        excerpt=excerpt,
    )


def is_secret(words: list[str]) -> bool:
    """Return whether a name of these words may hold a secret."""
    return not _SECRET.isdisjoint(words) or words[-1] in ("key", "keys")
