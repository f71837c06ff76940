"""
What memory holds about a prompt, when it holds anything.

A prompt is made of parts: words, names and terms. Each weighs the more, the fewer claims hold it. A claim is relevant
when the parts it holds make up enough of what the prompt weighs; a lone common word never does.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from math import log
from typing import NamedTuple, Protocol, TypeVar

from pckc_adapters_sqlite.belief_probe import ClaimRow, SaidRow, WrittenRow
from pckc_adapters_sqlite.shelf import LooseTexts, Part, scratch
from pckc_domain.model.bounds import query_head
from pckc_domain.policy.analysis import content_words, query_parts, text_tokens
from pckc_domain.policy.bug_attributes import EXPLAINED_BY
from pckc_domain.policy.quoting import CLOSING, FOREIGN, NOTICE, OPENING, inline, quote, set_apart, since_text
from pckc_domain.policy.remnants import remnant, split_sentences
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
MAX_JUDGED = 6
"""Of so many texts that were said it is looked whether claims speak of the same."""

BUGS = ("bug", "fix")
"""Types of claims of a bug, as in the domain, whose values are costly to import; a test keeps them alike."""

MAX_EXPLANATIONS = 3
MOST_OF_A_SUBJECT = 1_000
"""Of what so many claims are about, none of them is found at once."""

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

    def like(self, parts: Sequence[Part], /, *, limit: int) -> Sequence[RowT_co]:
        """Return the best matches of *parts*, the best first."""

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys*, which were found before, match *part*."""


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
    claims = each_text_once([row for row, _ in relevant(beliefs.claims, parts, CLAIM_BAR)])
    claims = sorted(claims, key=lambda row: not row.is_said) if len(claims) > MAX_CLAIMS else claims
    claims = _without_overshadowed(claims)[:MAX_CLAIMS]
    is_enough = len(claims) >= ENOUGH_CLAIMS
    claims = each_text_once([*claims, *islice(_explanations(beliefs.claims, claims), MAX_EXPLANATIONS)])
    if is_enough:
        return Recalled(claims)
    written = relevant(beliefs.written, parts, WRITTEN_BAR) if beliefs.written else []
    said = _unclaimed(beliefs.claims, beliefs.said, parts) if beliefs.said else ()
    return Recalled(claims, list(islice(said, MAX_BESIDES)), [row for row, _ in written[:MAX_BESIDES]])


def _explanations(shelf: Shelf[ClaimRow], claims: Sequence[ClaimRow]) -> Iterator[ClaimRow]:
    """Yield what else is known of the bugs among *claims*: a fix, the cause, what helps, another report like it."""
    told = {row.key for row in claims}
    for bug in claims:
        subject = text_tokens(_topic(bug)[0]) if bug.type in BUGS else []
        named = Part("name", " ".join(subject))
        count = shelf.count(named) if subject else 0
        for row in shelf.best([(count, named)], limit=POOL) if count <= MOST_OF_A_SUBJECT else ():
            if row.key not in told and _explains(row, bug, subject):
                told.add(row.key)
                yield row


def _explains(row: ClaimRow, bug: ClaimRow, subject: Sequence[str]) -> bool:
    """Whether *row* is of the same *subject* as *bug*, and tells its cause, what helps, or shares another word."""
    own, attribute = _topic(row)
    words = text_tokens(own)
    if attribute not in EXPLAINED_BY or len(words) != len(subject) or not all(map(_is_form_of, words, subject)):
        return False
    return row.type not in BUGS or not set(_telling_words(bug.text)).difference(subject).isdisjoint(
        _telling_words(row.text)
    )


def _topic(row: ClaimRow) -> tuple[str, str]:
    """Return the subject and the attribute of a claim."""
    _, subject, attribute = [*row.place.split("\n", 2), "", ""][:3]
    return subject, attribute


def _unclaimed(claims: Shelf[ClaimRow], said: Shelf[SaidRow], parts: Sequence[Part]) -> Iterator[SaidRow]:
    """Yield statements about what no current claim speaks of, the best first: a claim would have the last word."""
    found = relevant(said, parts, SAID_BAR, lambda row: is_statement(row.text))
    told = set()
    for row, _ in sorted(found, key=lambda found: (-round(found[1], 1), -found[0].time_us))[:MAX_JUDGED]:
        text = _beside_claims(claims, row.text)
        is_whole = text == row.text
        if text not in told and (is_whole or (is_statement(text) and _is_relevant(text, Scale(said, parts), SAID_BAR))):
            told.add(text)
            yield row._replace(text=text)


def _beside_claims(claims: Shelf[ClaimRow], text: str) -> str:
    """Return the sentences of *text* but those about what a current claim speaks of; ``""`` when none is left."""
    while text and (topics := _claimed_topics(claims, text)):
        shorter = remnant((one, not _shares_word(one, topics)) for one in split_sentences(text))
        text = shorter if len(shorter) < len(text) else ""
    return text


def _claimed_topics(claims: Shelf[ClaimRow], text: str) -> set[str]:
    """
    Return the words of the topics that *text* shares with current claims.

    It shares it when it holds the claim's subject and attribute, or when the claim holds most of its telling words.
    """
    words = _telling_words(text)
    parts = [Part("word", word) for word in words[:MAX_TOPIC_WORDS]]
    pool = claims.like(parts, limit=POOL)
    topics = {word for row in pool for word in _topic_named(row, words)}
    keys = [row.key for row in pool]
    held = {part.text: claims.among(part, keys) for part in parts} if pool else {}
    enough = max(2, SAME_TOPIC * len(parts))
    same = {key for key in keys if sum(key in found for found in held.values()) >= enough}
    return topics | {word for word, found in held.items() if not same.isdisjoint(found)}


def _telling_words(text: str) -> list[str]:
    return [word for word in content_words(query_head(text)) if not word[0].isdigit() and word not in _SMALL_TALK]


def _topic_named(row: ClaimRow, words: Sequence[str]) -> list[str]:
    """Return the subject and the attribute of a claim when *words* hold them, in whatever grammatical form."""
    topic = [word for word in content_words(row.place.split("\n", 1)[-1]) if word != "value"]
    return topic if all(any(_is_form_of(one, word) for word in words) for one in topic) else []


def _shares_word(text: str, words: Iterable[str]) -> bool:
    own = _telling_words(text)
    return any(_is_form_of(one, word) for one in words for word in own)


def _is_form_of(one: str, other: str) -> bool:
    """Whether two words differ in an ending of at most two letters; a rough stem that costs no import."""
    stem = max(min(len(one), len(other)) - 2, 3)
    return one == other or (one[:stem] == other[:stem] and abs(len(one) - len(other)) <= 2)


def _any(_: object) -> bool:
    return True


class Scale:
    """How much the parts of a prompt weigh among the texts of a shelf."""

    def __init__(self, shelf: Shelf[Row], parts: Sequence[Part]) -> None:
        size = max(shelf.size(), SMALLEST_STORE) if parts else 0
        self.counted = [(shelf.count(part), part) for part in parts]
        self._weights = {part: log(1 + size / max(count, 0.5)) for count, part in self.counted}
        self._total = sum(sorted(self._weights.values(), reverse=True)[:WEIGHING_PARTS])

    def share(self, held: Iterable[Part]) -> float:
        """Return which share of the prompt's weight the parts make up that a text holds."""
        return sum(self._weights[part] for part in held) / self._total

    def clears(self, held: Collection[Part], bar: Bar) -> bool:
        """Return whether that is as much as *bar* asks for."""
        return self.share(held) >= (bar.more if len(held) > 1 else bar.one)


def relevant(
    shelf: Shelf[RowT], parts: Sequence[Part], bar: Bar, counts: Callable[[RowT], bool] = _any
) -> list[tuple[RowT, float]]:
    """Return the texts that *counts* lets count and that clear the *bar*, each with its share, the largest first."""
    scale = Scale(shelf, parts)
    pool = [row for row in shelf.best(scale.counted, limit=POOL) if counts(row)] if parts else []
    held: dict[int, set[Part]] = {row.key: set() for row in pool}
    for count, part in scale.counted if pool else ():
        for key in shelf.among(part, [*held]) if count else ():
            held[key].add(part)
    share = {key: scale.share(own) for key, own in held.items()}
    cleared = [row for row in pool if scale.clears(held[row.key], bar)]
    ranked = sorted(cleared, key=lambda row: -share[row.key])
    return [(row, share[row.key]) for row in _cover(ranked, held, share)]


def _is_relevant(text: str, scale: Scale, bar: Bar) -> bool:
    """Whether a *text* that is on no shelf clears the *bar*."""
    with scratch() as connection:
        loose = LooseTexts(connection, {1: text})
        return scale.clears([part for count, part in scale.counted if count and loose.among(part)], bar)


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


def each_text_once(claims: Iterable[ClaimRow]) -> list[ClaimRow]:
    """Keep one of the claims that a sentence made, whatever was asked the same one: a contested one, else by id."""
    told: dict[tuple[str, str], ClaimRow] = {}
    for row in claims:
        sentence = row.text, "" if row.is_said else row.proof
        told[sentence] = min(told.get(sentence, row), row, key=lambda one: (one.status != "contested", one.id))
    return [*told.values()]


def _without_overshadowed(claims: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Leave out what the mainline sets where the branch sets it otherwise, in the same file."""
    own = {row.place for row in claims if not row.is_said and row.branch not in MAINLINES}
    return [row for row in claims if row.is_said or row.branch not in MAINLINES or row.place not in own]


def render(recalled: Recalled, title: str, *, limit: int = MAX_CHARACTERS) -> str:
    """Return what was recalled as quoted data within *limit* characters; ``""`` for nothing."""
    sections = [
        (title, [_claim(row) for row in recalled.claims]),
        ("Said earlier, not checked", [_said(row) for row in recalled.said]),
        ("Written in the project", [_written(row) for row in recalled.written if not _is_foreign(row)]),
        (
            "Written in documents from outside, not checked",
            [_written(row) for row in recalled.written if _is_foreign(row)],
        ),
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
    since = since_text(_day(row.valid_from_us))
    head = f"{row.type} {row.status}{why}, {row.authority}{rule}{_explained(row)}, {since}; {row.id}"
    return _block(head, row.proof, row.text)


def _explained(row: ClaimRow) -> str:
    """Return what it is that *row* tells the cause of, or what helps against: its words may only say `it`."""
    subject, attribute = _topic(row)
    return f", {attribute} of {inline(subject)}" if attribute in EXPLAINED_BY and row.type not in BUGS else ""


def _said(row: SaidRow) -> str:
    when = f" on {_day(row.time_us)}" if row.time_us else ""
    return _block(f"said by {inline(row.speaker) or 'the user'}{when}", row.proof, row.text)


def _is_foreign(row: WrittenRow) -> bool:
    """Whether a paragraph is none of the work tree: nobody vouches for what was ingested."""
    return row.uri.startswith(FOREIGN)


def _written(row: WrittenRow) -> str:
    return _block("", f"{row.uri}:{row.start_line}-{row.end_line}", row.text)


def _block(head: str, place: str, text: str) -> str:
    shown = text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 1]}…"
    own, foreign = set_apart([place])
    about = "; ".join(filter(None, [head, *own])) or "document"
    return "\n".join([f"[{about}]", *foreign, quote(shown)]) + "\n"


def _day(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()
