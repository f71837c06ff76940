"""
What memory holds about a prompt, when it holds anything.

A prompt is made of parts: words, names and terms. Each weighs the more, the fewer claims hold it. A claim is relevant
when the parts it holds make up enough of what the prompt weighs; a lone common word never does.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import log
from typing import Protocol

from pckc_adapters_sqlite.belief_probe import ClaimRow, Part
from pckc_domain.policy.analysis import content_words, query_parts
from pckc_domain.policy.quoting import CLOSING, NOTICE, OPENING, inline, quote

MAX_CHARACTERS = 9_000
"""Hosts cut or refuse longer additions to a context."""

MAX_CLAIMS = 8
MAX_RULES = 12
MAX_CLAIM_CHARACTERS = 700
POOL = 40
MAX_PARTS = 16
WEIGHING_PARTS = 8
"""So many of a prompt's heaviest parts are its weight: a long prompt speaks of more than one thing."""

SMALLEST_STORE = 50
"""In a store of few claims, rarity says nothing yet."""

SHARE_OF_ONE = 0.34
SHARE_OF_MORE = 0.2
"""What a claim must hold of a prompt's weight with one of its parts, and with more of them."""

CLOSE_TO_BEST = 0.6
"""A claim that adds nothing new is told too when it is nearly as relevant as the best."""

_SMALL_TALK = frozenset(
    """
    add change check code continue could file files find fix go good great help hi hello know let look make made
    may need new next ok okay project right run see show start stop sure task test tests thank thanks thing think try
    understand update use used uses using want way work works would write wrong yes
    """.split()
)
"""Words that nearly every prompt to an agent holds: alone they ask for nothing."""


class Beliefs(Protocol):
    """Current claims, looked up by parts; see `BeliefProbe`."""

    def size(self) -> int:
        """Return about how many claims there are."""

    def count(self, part: Part, /) -> int:
        """Return how many claims match *part*."""

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[ClaimRow]:
        """Return the best matches of parts, each with its count."""

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the claims with these *keys* match *part*."""

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules."""


def prompt_parts(prompt: str) -> list[Part]:
    """Return what a prompt asks about: names first, then words, then terms; none for small talk."""
    phrases, _, terms = query_parts(prompt)
    words = content_words(prompt[:20_000])
    if all(word in _SMALL_TALK for word in words) and not phrases and not terms:
        return []
    parts = [Part("phrase", " ".join(phrase)) for phrase in phrases]
    parts += [Part("word", word) for word in words if len(word) > 1 and word not in _SMALL_TALK]
    parts += [Part("term", term) for term in terms]
    return parts[:MAX_PARTS]


def relevant(beliefs: Beliefs, prompt: str) -> list[ClaimRow]:
    """Return the current claims that are relevant to *prompt*, the most relevant first; often none."""
    parts = prompt_parts(prompt)
    size = max(beliefs.size(), SMALLEST_STORE)
    counted = [(beliefs.count(part), part) for part in parts]
    weights = {part: log(1 + size / max(count, 0.5)) for count, part in counted}
    pool = {row.key: row for row in beliefs.best(counted, limit=POOL)} if parts else {}
    if not pool:
        return []
    held: dict[int, set[Part]] = {key: set() for key in pool}
    for count, part in counted:
        for key in beliefs.among(part, [*pool]) if count else ():
            held[key].add(part)
    total = sum(sorted(weights.values(), reverse=True)[:WEIGHING_PARTS])
    share = {key: sum(weights[part] for part in own) / total for key, own in held.items()}
    ranked = sorted(
        (row for key, row in pool.items() if share[key] >= (SHARE_OF_MORE if len(held[key]) > 1 else SHARE_OF_ONE)),
        key=lambda row: (-share[row.key], not row.is_said, -row.valid_from_us, row.id),
    )
    return _cover(ranked, held, share)


def _cover(ranked: Sequence[ClaimRow], held: dict[int, set[Part]], share: dict[int, float]) -> list[ClaimRow]:
    """Return those that add something, or are about as relevant as the best."""
    chosen: list[ClaimRow] = []
    told: set[Part] = set()
    for row in ranked:
        is_close = share[row.key] >= CLOSE_TO_BEST * share[ranked[0].key]
        if is_close or not held[row.key] <= told:
            chosen.append(row)
            told |= held[row.key]
    return chosen[:MAX_CLAIMS]


def render(rows: Sequence[ClaimRow], title: str, *, limit: int = MAX_CHARACTERS) -> str:
    """Return *rows* as quoted data within *limit* characters; ``""`` without any."""
    if not rows:
        return ""
    text = f"{OPENING}\n{NOTICE}\n## {title}\n"
    for row in rows:
        block = _claim(row)
        if len(text) + len(block) + len(CLOSING) > limit:
            break
        text += block
    return text + CLOSING


def _claim(row: ClaimRow) -> str:
    since = datetime.fromtimestamp(row.valid_from_us / 1e6, UTC).date().isoformat()
    rule = ", standing rule" if row.is_standing else ""
    why = f" ({inline(row.status_reason)})" if row.status_reason else ""
    text = row.text if len(row.text) <= MAX_CLAIM_CHARACTERS else f"{row.text[: MAX_CLAIM_CHARACTERS - 1]}…"
    head = f"{row.type} {row.status}{why}, {row.authority}{rule}, since {since}; {row.id}; {inline(row.proof)}"
    return f"[{head}]\n{quote(text)}\n"
