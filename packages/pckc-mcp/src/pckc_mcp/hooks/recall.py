"""
What memory holds about a prompt, when it holds anything.

A prompt is made of parts: words, names and terms. Each weighs the more, the fewer claims hold it. A claim is relevant
when the parts it holds make up enough of what the prompt weighs; a lone common word never does.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from math import log
from typing import NamedTuple, Protocol, TypeVar

from pckc_adapters_sqlite.belief_probe import ClaimRow, Part, SaidRow, WrittenRow
from pckc_domain.model.bounds import query_head
from pckc_domain.policy.analysis import content_words, query_parts
from pckc_domain.policy.quoting import CLOSING, NOTICE, OPENING, inline, quote, set_apart
from pckc_domain.policy.statements import is_statement

MAX_CHARACTERS = 9_000
"""Hosts cut or refuse longer additions to a context."""

MAX_CLAIMS = 8
MAX_RULES = 12
MAX_TEXT_CHARACTERS = 700
MAINLINES = ("", "develop", "main", "master", "trunk")
"""Names of the mainline, as in the domain, whose values are costly to import; a test keeps them alike."""

POOL = 40
MAX_PARTS = 16
WEIGHING_PARTS = 8
"""So many of a prompt's heaviest parts are its weight: a long prompt speaks of more than one thing."""

SMALLEST_STORE = 50
"""In a store of few claims, rarity says nothing yet."""

CLOSE_TO_BEST = 0.6
"""What adds nothing new is told too when it is nearly as relevant as the best."""

ENOUGH_CLAIMS = 3
"""With so many claims, what was said or written besides is left out."""

MAX_BESIDES = 3

SAME_TOPIC = 2 / 3
"""A claim that holds so many of a text's telling words is about the same; numbers, which are what changes, aside."""

MAX_TOPIC_WORDS = 24


class Bar(NamedTuple):
    """What a text must hold of a prompt's weight, with one of its parts and with more of them."""

    one: float
    more: float


CLAIM_BAR = Bar(0.34, 0.2)
SAID_BAR = Bar(0.6, 0.4)
WRITTEN_BAR = Bar(1.1, 0.5)
"""Claims are short and checked. A paragraph holds many words: one of them says nothing, whatever it weighs."""

_SMALL_TALK = frozenset(
    """
    add ask call called change changes check code commit continue could describe docstring docstrings explain
    fail failed failing fails file files find fix generate give go good great hello help hi implement know let
    live look looks made make may need new next ok okay project refactor remove rename review right run see ship
    show start stop suite sure task tell test tests thank thanks thing think translate try understand update use
    used uses using want way work works would write wrong yes
    """.split()
)
"""Words that nearly every prompt to an agent holds: alone they ask for nothing."""


class Row(Protocol):
    """A text that was found."""

    @property
    def key(self) -> int:
        """Its number."""

    @property
    def id(self) -> str:
        """Its id."""


RowT = TypeVar("RowT", bound=Row)
RowT_co = TypeVar("RowT_co", bound=Row, covariant=True)


class Shelf(Protocol[RowT_co]):
    """Texts looked up by parts; see `belief_probe.Shelf`."""

    def size(self) -> int:
        """Return about how many texts there are."""

    def count(self, part: Part, /) -> int:
        """Return how many texts match *part*."""

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> Sequence[RowT_co]:
        """Return the best matches of parts, each with its count, the best first."""

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys* match *part*."""


class Beliefs(Protocol):
    """What memory holds now; see `BeliefProbe`."""

    @property
    def claims(self) -> Shelf[ClaimRow]:
        """Current claims."""

    @property
    def said(self) -> Shelf[SaidRow] | None:
        """What people said besides."""

    @property
    def written(self) -> Shelf[WrittenRow] | None:
        """What files say."""

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules."""


class Recalled(NamedTuple):
    """What is told of one prompt, or of none."""

    claims: Sequence[ClaimRow] = ()
    said: Sequence[SaidRow] = ()
    written: Sequence[WrittenRow] = ()

    @property
    def ids(self) -> list[str]:
        """Ids of all that is told."""
        rows: list[Row] = [*self.claims, *self.said, *self.written]
        return [row.id for row in rows]

    def only(self, ids: Iterable[str]) -> "Recalled":
        """Return what has one of these *ids*."""
        kept = set(ids)
        return Recalled(
            [row for row in self.claims if row.id in kept],
            [row for row in self.said if row.id in kept],
            [row for row in self.written if row.id in kept],
        )


def prompt_parts(prompt: str) -> list[Part]:
    """Return what a prompt asks about: names first, then words, then terms; none for small talk."""
    phrases, _, terms = query_parts(prompt)
    words = content_words(query_head(prompt))
    if all(word in _SMALL_TALK for word in words) and not phrases and not terms:
        return []
    parts = [Part("phrase", " ".join(phrase)) for phrase in phrases]
    parts += [Part("word", word) for word in words if len(word) > 1 and word not in _SMALL_TALK]
    parts += [Part("term", term) for term in terms]
    return parts[:MAX_PARTS]


def recall(beliefs: Beliefs, prompt: str) -> Recalled:
    """Return what is relevant to *prompt*: claims, and where these are few, what was said and what is written."""
    parts = prompt_parts(prompt)
    claims = [row for row, _ in relevant(beliefs.claims, parts, CLAIM_BAR)]
    claims = sorted(claims, key=lambda row: not row.is_said) if len(claims) > MAX_CLAIMS else claims
    claims = _without_overshadowed(claims)[:MAX_CLAIMS]
    if len(claims) >= ENOUGH_CLAIMS:
        return Recalled(claims)
    written = relevant(beliefs.written, parts, WRITTEN_BAR) if beliefs.written else []
    said = list(islice(_unclaimed(beliefs, parts), MAX_BESIDES))
    return Recalled(claims, said, [row for row, _ in written[:MAX_BESIDES]])


def _unclaimed(beliefs: Beliefs, parts: Sequence[Part]) -> Iterator[SaidRow]:
    """Yield statements about what no current claim speaks of, the best first: a claim would have the last word."""
    said = relevant(beliefs.said, parts, SAID_BAR, lambda row: is_statement(row.text)) if beliefs.said else []
    for row, _ in sorted(said, key=lambda found: (-round(found[1], 1), -found[0].time_us)):
        if not _is_claimed(beliefs.claims, row.text):
            yield row


def _is_claimed(claims: Shelf[ClaimRow], text: str) -> bool:
    """Whether a current claim shares the topic of *text*: its subject and attribute, or most of its telling words."""
    words = [word for word in content_words(query_head(text)) if not word[0].isdigit() and word not in _SMALL_TALK]
    counted = [(claims.count(part), part) for part in (Part("word", word) for word in words[:MAX_TOPIC_WORDS])]
    pool = claims.best(counted, limit=POOL)
    if any(_names_topic(row, words) for row in pool):
        return True
    keys = [row.key for row in pool]
    held = [key for count, part in counted if count for key in claims.among(part, keys)]
    enough = max(2, SAME_TOPIC * len(counted))
    return any(held.count(key) >= enough for key in keys)


def _names_topic(row: ClaimRow, words: Sequence[str]) -> bool:
    """Whether *words* hold the subject and the attribute of a claim, in whatever grammatical form."""
    topic = [word for word in content_words(row.place.split("\n", 1)[-1]) if word != "value"]
    return bool(topic) and all(any(_is_form_of(one, word) for word in words) for one in topic)


def _is_form_of(one: str, other: str) -> bool:
    """Whether two words differ in an ending of at most two letters; a rough stem that costs no import."""
    stem = max(min(len(one), len(other)) - 2, 3)
    return one == other or (one[:stem] == other[:stem] and abs(len(one) - len(other)) <= 2)


def _any(_: object) -> bool:
    return True


def relevant(
    shelf: Shelf[RowT], parts: Sequence[Part], bar: Bar, counts: Callable[[RowT], bool] = _any
) -> list[tuple[RowT, float]]:
    """Return the texts that *counts* lets count and that clear the *bar*, each with its share, the largest first."""
    size = max(shelf.size(), SMALLEST_STORE) if parts else 0
    counted = [(shelf.count(part), part) for part in parts]
    weights = {part: log(1 + size / max(count, 0.5)) for count, part in counted}
    pool = [row for row in shelf.best(counted, limit=POOL) if counts(row)] if parts else []
    if not pool:
        return []
    held: dict[int, set[Part]] = {row.key: set() for row in pool}
    for count, part in counted:
        for key in shelf.among(part, [*held]) if count else ():
            held[key].add(part)
    total = sum(sorted(weights.values(), reverse=True)[:WEIGHING_PARTS])
    share = {key: sum(weights[part] for part in own) / total for key, own in held.items()}
    cleared = [row for row in pool if share[row.key] >= (bar.more if len(held[row.key]) > 1 else bar.one)]
    ranked = sorted(cleared, key=lambda row: -share[row.key])
    return [(row, share[row.key]) for row in _cover(ranked, held, share)]


def _cover(ranked: Sequence[RowT], held: dict[int, set[Part]], share: dict[int, float]) -> list[RowT]:
    """Return those that add something, or are about as relevant as the best."""
    chosen: list[RowT] = []
    told: set[Part] = set()
    for row in ranked:
        is_close = share[row.key] >= CLOSE_TO_BEST * share[ranked[0].key]
        if is_close or not held[row.key] <= told:
            chosen.append(row)
            told |= held[row.key]
    return chosen


def _without_overshadowed(claims: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Leave out what the mainline sets where the branch sets it otherwise, in the same file."""
    own = {row.place for row in claims if not row.is_said and row.branch not in MAINLINES}
    return [row for row in claims if row.is_said or row.branch not in MAINLINES or row.place not in own]


def render(recalled: Recalled, title: str, *, limit: int = MAX_CHARACTERS) -> str:
    """Return what was recalled as quoted data within *limit* characters; ``""`` for nothing."""
    sections = [
        (title, [_claim(row) for row in recalled.claims]),
        ("Said earlier, not checked", [_said(row) for row in recalled.said]),
        ("Written in the project", [_written(row) for row in recalled.written]),
    ]
    text, left = f"{OPENING}\n{NOTICE}\n", limit - len(OPENING) - len(NOTICE) - len(CLOSING) - 2
    is_empty = True
    for heading, blocks in sections:
        section = f"## {heading}\n"
        for block in blocks:
            if len(section) + len(block) <= left:
                text, left = text + section + block, left - len(section) - len(block)
                section, is_empty = "", False
    return "" if is_empty else text + CLOSING


def _claim(row: ClaimRow) -> str:
    rule = ", standing rule" if row.is_standing else ""
    why = f" ({inline(row.status_reason)})" if row.status_reason else ""
    since = f"since {_day(row.valid_from_us)}"
    head = f"{row.type} {row.status}{why}, {row.authority}{rule}, {since}; {row.id}"
    return _block(head, row.proof, row.text)


def _said(row: SaidRow) -> str:
    when = f" on {_day(row.time_us)}" if row.time_us else ""
    return _block(f"said by {inline(row.speaker) or 'the user'}{when}", row.proof, row.text)


def _written(row: WrittenRow) -> str:
    return _block("", f"{row.uri}:{row.start_line}-{row.end_line}", row.text)


def _block(head: str, place: str, text: str) -> str:
    shown = text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 1]}…"
    own, foreign = set_apart([place])
    about = "; ".join(filter(None, [head, *own])) or "document"
    return "\n".join([f"[{about}]", *foreign, quote(shown)]) + "\n"


def _day(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()
