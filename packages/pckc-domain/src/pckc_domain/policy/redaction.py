"""
Replace secrets by markers before any text is stored or shown.

Speed comes from two cheap gates. Keys with a known prefix are long runs of key characters, so their prefixes are
looked for in those runs alone, a few per cent of ordinary text. All other kinds are looked for only when one
of their anchors occurs in the lower-cased text. Every pattern is linear or bounded.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from pckc_domain.model.identity import digest
from pckc_domain.policy.secrets.contexts import CONTEXTS
from pckc_domain.policy.secrets.kinds import KEYS, Candidate, Kind
from pckc_domain.policy.secrets.payment_cards import card_numbers

Span = tuple[int, int]
Anchors = dict[str, dict[str, list[int]]]
"""The places in their table of the kinds that have an anchor, by a character of the anchor and by the anchor."""


def _anchors(kinds: tuple[Kind, ...]) -> Anchors:
    """Group the anchors by their first mark (most end in `-` or `_`): a text without it is not searched for them."""
    by_mark: Anchors = {}
    for place, kind in enumerate(kinds):
        for anchor in kind.anchors:
            mark = next((character for character in anchor if not character.isalnum()), anchor[0])
            by_mark.setdefault(mark, {}).setdefault(anchor, []).append(place)
    return by_mark


_KEY_ANCHORS = _anchors(KEYS)
_CONTEXT_ANCHORS = _anchors(CONTEXTS)

_KEY_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_RUN_MASK = bytes(ord("x") if byte in _KEY_BYTES else ord(" ") for byte in range(256))
_RUN = re.compile(b"x" * 16 + b"x*+")
_PREFIX_REACH = 12
"""Characters kept before a run: a prefix such as `dp.pt.` or `:` is not part of the run."""

_DIGEST = re.compile(r"(?:sha(?:1|256|384|512)|md5)[=:-]")
"""What stands before a hash in a lock file or a wheel's record; by chance such a hash holds a prefix."""

_WIDE = re.compile("[\uff01-\uff5e]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width signs and letters, and the usual ones."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|\x1b\\[[0-9;]*[A-Za-z]")
"""Characters without a width, and what colours a terminal."""

_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
_TOLD_SECRET = re.compile(
    r"(?:[=:—–|]|(?<!\w)(?:is|are|was|to|это|теперь))[\s\"'`*«(]*\[REDACTED:[a-z0-9-]+\]|^\W*\[REDACTED:[a-z0-9-]+\]\W*$",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CUT = 512
"""Patterns stop a value here to stay linear; what follows directly belongs to it."""
_TAIL = re.compile(r"[A-Za-z0-9+/=_.~%-]*+")


class Finding(NamedTuple):
    """One removed secret: its kind, its 1-based line, its length in characters. Never the secret."""

    kind: str
    line: int
    length: int


class Redaction(NamedTuple):
    """A text without its secrets, and what was removed, in order of position within each pass."""

    text: str
    findings: tuple[Finding, ...]


class _Hit(NamedTuple):
    """A span to remove; *rank* is the place of its kind in the tables, lower is more specific."""

    start: int
    end: int
    rank: int
    kind: str


def without_marks(text: str) -> str:
    """Return a redacted *text* without the marks that stand for its secrets: they say nothing of what it is about."""
    return _MARKER.sub(" ", text) if "[REDACTED:" in text else text


def tells_secret(text: str) -> bool:
    """Return whether what a redacted *text* told is a secret: `API_KEY = […]`, `The password is […]`."""
    return "[REDACTED:" in text.upper() and _TOLD_SECRET.search(text) is not None


def redact_uri(uri: str) -> str:
    """
    Return *uri*, or a name in its place when it holds a secret, also an encoded one: the scheme and a digest.

    The same address has the same name, so that what it names is found and ingested again.
    """
    is_clean = redact(uri).text == uri and redact(unquote(uri)).text == unquote(uri)
    return uri if is_clean else f"{uri.partition(':')[0]}:REDACTED-{digest(uri)[:16]}"


def redact(text: str) -> Redaction:
    """
    Replace every secret in *text* by `[REDACTED:<kind>]`, keeping all line breaks.

    Never raises. `redact(redact(t).text).text == redact(t).text`: passes repeat until one finds nothing, because
    removing a secret may uncover another.
    """
    findings: list[Finding] = []
    while hits := _merged(_hits(text)):
        pieces: list[str] = []
        done, line = 0, 1
        for hit in hits:
            secret = text[hit.start : hit.end]
            line += text.count("\n", done, hit.start)
            findings.append(Finding(kind=hit.kind, line=line, length=len(secret)))
            line += secret.count("\n")
            pieces += text[done : hit.start], f"[REDACTED:{hit.kind}]", *_LINE_BREAK.findall(secret)
            done = hit.end
        pieces.append(text[done:])
        text = "".join(pieces)
    return Redaction(text=text, findings=tuple(findings))


def _hits(text: str) -> list[_Hit]:
    """Return all secrets of one pass, in no order, possibly overlapping, also those in disguise."""
    hits = _plain_hits(text)
    plain = _undisguised(text)
    if plain.text != text:
        hits += [
            hit._replace(start=plain.place(hit.start), end=plain.place(hit.end - 1) + 1)
            for hit in _plain_hits(plain.text)
        ]
    return hits


def _plain_hits(text: str) -> list[_Hit]:
    # Markers become line breaks of the same length, which end every value: nothing matches in or across one.
    if "[REDACTED:" in text:
        text = _MARKER.sub(lambda marker: "\n" * len(marker[0]), text)
    return [*_key_hits(text), *_context_hits(text), *_card_hits(text)]


class _Undisguised(NamedTuple):
    """A text without what no one sees, and where the stretches that were left stood."""

    text: str
    starts: tuple[int, ...] = ()
    """Of each stretch, in *text*; empty when nothing was taken out."""
    origins: tuple[int, ...] = ()
    """Of each stretch, in the text as written."""

    def place(self, position: int) -> int:
        """Return where the character at *position* stands in the text as written."""
        if not self.starts:
            return position
        stretch = bisect_right(self.starts, position) - 1
        return self.origins[stretch] + position - self.starts[stretch]


def _undisguised(text: str) -> _Undisguised:
    """Return *text* with full-width signs as usual ones, and without invisible ones and a terminal's colours."""
    plain = text if text.isascii() or not _WIDE.search(text) else text.translate(_NARROW)
    if "\x1b" not in plain and (plain.isascii() or not _INVISIBLE.search(plain)):
        return _Undisguised(plain)
    pieces, starts, origins = [], [], []
    done = size = 0
    for start, end in [*(unseen.span() for unseen in _INVISIBLE.finditer(plain)), (len(plain), len(plain))]:
        if start > done:
            starts.append(size)
            origins.append(done)
            pieces.append(plain[done:start])
            size += start - done
        done = end
    return _Undisguised("".join(pieces), tuple(starts), tuple(origins))


def _key_hits(text: str) -> Iterator[_Hit]:
    """Yield keys with a known prefix, each widened to the whole run of key characters around it."""
    mask = text.encode("latin-1", "replace").translate(_RUN_MASK)
    runs = [run.span() for run in _RUN.finditer(mask)]
    # In no order and each run once: what is in it decides only which kinds are looked for.
    haystack = "\n".join({text[max(0, start - _PREFIX_REACH) : end] for start, end in runs})
    for rank in _present(_KEY_ANCHORS, haystack):
        kind = KEYS[rank]
        for _, start, end in _found(kind, text, text):
            start, end = _widened(text, runs, start, end)
            if not _DIGEST.search(text[max(0, start - 8) : start + 8]):
                yield _Hit(start, end, rank, kind.name)


def _context_hits(text: str) -> Iterator[_Hit]:
    """Yield secrets known by what stands around them; their patterns read the lower-cased text."""
    # The only character whose lower case is longer is replaced first: offsets must stay those of the text.
    lower = text.replace("İ", "i").lower()
    told: dict[tuple[str, ...], bool] = {(): True}
    for rank in _present(_CONTEXT_ANCHORS, lower):
        kind = CONTEXTS[rank]
        if kind.also not in told:
            told[kind.also] = any(also in lower for also in kind.also)
        if not told[kind.also]:
            continue
        for candidate, start, end in _found(kind, text, lower):
            yield _Hit(start, end, len(KEYS) + rank, _owner(candidate, kind))


def _card_hits(text: str) -> Iterator[_Hit]:
    for start, end in card_numbers(text):
        yield _Hit(start, end, len(KEYS) + len(CONTEXTS), "payment-card")


def _present(anchors: Anchors, text: str) -> list[int]:
    """Return the places of the kinds whose anchors occur in *text*."""
    present: set[int] = set()
    for mark, group in anchors.items():
        if mark in text:
            for anchor, places in group.items():
                if anchor in text:
                    present.update(places)
    return sorted(present)


def _found(kind: Kind, text: str, searched: str) -> Iterator[tuple[Candidate, int, int]]:
    """Yield the accepted candidates of *kind* with the span of the secret."""
    position = 0
    while match := kind.pattern.search(searched, position):
        candidate = Candidate(text=text, searched=searched, match=match)
        start, end = candidate.span
        if kind.accept(candidate):
            if end - start >= _CUT and (tail := _TAIL.match(text, end)):
                end = tail.end()
            yield candidate, start, end
            position = end
        else:
            # A rejected value may itself hold a secret.
            position = max(start, match.start() + 1)


def _widened(text: str, runs: list[Span], start: int, end: int) -> Span:
    """Return the span together with the key characters that touch it, so that no part of a key stays behind."""
    before = bisect_right(runs, start, key=_first) - 1
    if before >= 0 and start <= runs[before][1]:
        first = runs[before][0]
        escaped = text[max(0, first - 1)] == "\\"  # the run begins with the letter of an escape such as \n
        start = min(start, first + escaped)
    after = bisect_right(runs, end - 1, key=_first) - 1
    return start, max(end, runs[after][1]) if after >= 0 else end


def _first(run: Span) -> int:
    return run[0]


def _owner(candidate: Candidate, kind: Kind) -> str:
    """Return the kind of a secret, narrowed by the words in its name."""
    if not kind.owners:
        return kind.name
    name = candidate.name
    return next((owned for word, owned in kind.owners if word in name), kind.name)


def _merged(hits: list[_Hit]) -> list[_Hit]:
    """Return disjoint spans in order; overlapping ones are joined under their most specific kind."""
    merged: list[_Hit] = []
    for hit in sorted(hits):
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            best = min(last, hit, key=lambda h: h.rank)
            merged[-1] = _Hit(last.start, max(last.end, hit.end), best.rank, best.kind)
        else:
            merged.append(hit)
    return merged
