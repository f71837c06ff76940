"""
The labelled suite: small situations and the beliefs they must lead to.

`python packages/pckc-domain/tests/test_situations.py` prints its table; with `-v` also every miss of `dev`. The grammar
of the data is explained at the top of `situations/held_out.toml`.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import pytest
from pckc_domain.model.claim import Assertion, Beliefs, Claim, LinkKind, Polarity
from pckc_domain.model.identity import content_id
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.changes import leavings
from pckc_domain.policy.derivation import derive
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.slots import slot_key
from pckc_domain.policy.subjects import normalize_value, subject_key, value_key

SITUATIONS = Path(__file__).parent / "situations"
FLOORS = tomllib.loads((SITUATIONS / "floors.toml").read_text())
MEASURES = ("claims", "types", "slots", "supersession", "contradiction", "fixes", "qualification")
_KINDS = {
    "user": EventKind.PROMPT,
    "agent": EventKind.AGENT_MESSAGE,
    "reasoning": EventKind.REASONING,
    "context": EventKind.TURN_CONTEXT,
    "note": EventKind.ANNOTATION,
    "sub": EventKind.PROMPT,
    "test": EventKind.TEST_RESULT,
    "error": EventKind.ERROR,
    "call": EventKind.TOOL_CALL,
    "tool": EventKind.TOOL_RESULT,
    "command": EventKind.COMMAND,
    "file": EventKind.FILE_CHANGE,
    "summary": EventKind.SUMMARY,
}
_LINKS = {
    "supersession": ("supersedes", ">", LinkKind.SUPERSEDES),
    "contradiction": ("contradicts", "~", LinkKind.CONTRADICTS),
    "fixes": ("fixes", ">", LinkKind.FIXES),
    "qualification": ("qualifies", ">", LinkKind.QUALIFIES),
}


@attrs.define
class Tally:
    """Hits, what was found in all, and what should have been found."""

    hits: int = 0
    found: int = 0
    wanted: int = 0

    @property
    def precision(self) -> float:
        return self.hits / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.wanted if self.wanted else 1.0


def load(name: str) -> list[dict[str, Any]]:
    return [
        situation
        for path in sorted(SITUATIONS.glob(f"{name}*.toml"))
        for situation in tomllib.loads(path.read_text())["situation"]
    ]


def events_of(lines: Iterable[str]) -> dict[str, list[Event]]:
    """Read event lines into events by session."""
    sessions: dict[str, list[Event]] = {}
    for line in lines:
        head, text = line.split(" | ", 1)
        day, clock, session, role = head.split(" ", 3)
        kind, _, detail = role.partition(":")
        known = _KINDS.get(kind)
        events = sessions.setdefault(session, [])
        events.append(
            Event(
                id=content_id("event", line),
                session_id=session,
                seq=len(events),
                kind=known or EventKind.PROMPT,
                time=datetime.strptime(f"2026-{day} {clock}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC),
                text=text,
                speaker="" if known else role,
                tool=detail if kind in {"call", "tool"} else "",
                exit_code=int(detail) if kind == "command" and detail else None,
                path=detail if kind == "file" else "",
                is_sidechain=kind == "sub",
            )
        )
    return sessions


def assertions_of(sessions: dict[str, list[Event]]) -> list[Assertion]:
    at = datetime(2026, 12, 1, tzinfo=UTC)
    return [
        assertion
        for name, events in sessions.items()
        for assertion in derive(
            Session(id=name, source_id=name, host="plain", started_at=None), events, recorded_at=at
        ).assertions
    ]


def settle(assertions: Iterable[Assertion]) -> Beliefs:
    slots: dict[str, list[Assertion]] = {}
    for assertion in assertions:
        slots.setdefault(slot_key(assertion.claim), []).append(assertion)
    left = [one for of_slot in slots.values() for one in leavings(settle_slot(of_slot))]
    settled = [settle_slot(slots[key], left=left) for key in sorted(slots)]
    return Beliefs(
        claims=tuple(claim for beliefs in settled for claim in beliefs.claims),
        proofs=tuple(proof for beliefs in settled for proof in beliefs.proofs),
        links=tuple(link for beliefs in settled for link in beliefs.links),
    )


def judge(situation: dict[str, Any], tallies: dict[str, Tally]) -> list[str]:
    """Count one situation into *tallies* and return what is wrong with it."""
    beliefs = settle(assertions_of(events_of(situation["events"])))
    durable = [claim for claim in beliefs.claims if claim.status != "candidate"]
    current = [claim for claim in durable if claim.valid_to is None]
    wrong = list(_judge_claims(situation.get("claims", []), current, tallies))
    for measure, (name, arrow, kind) in _LINKS.items():
        wrong += _judge_links(situation.get(name, []), arrow, kind, beliefs, tallies[measure])
    for forbidden in situation.get("never", []):
        if any(forbidden in claim.text for claim in beliefs.claims):
            wrong.append(f"forbidden: {forbidden}")
    return wrong


def _judge_claims(lines: list[str], current: list[Claim], tallies: dict[str, Tally]) -> Iterator[str]:
    wanted = [[field.strip() for field in line.split("|")] for line in lines]
    left = list(current)
    tallies["claims"].wanted += len(wanted)
    tallies["claims"].found += len(current)
    for fields in sorted(wanted, key=len, reverse=True):
        matches = sorted((claim for claim in left if _is_meant(fields, claim)), key=lambda claim: -_fit(fields, claim))
        if not matches:
            yield f"missing: {' | '.join(fields)}"
            continue
        claim = matches[0]
        left.remove(claim)
        tallies["claims"].hits += 1
        for measure, fits in (("types", _type_fits(fields, claim)), ("slots", _slot_fits(fields, claim))):
            tallies[measure].wanted += 1
            tallies[measure].found += 1
            tallies[measure].hits += fits
            if not fits:
                yield f"wrong {measure}: {_shown(claim)} for {' | '.join(fields)}"
    for claim in left:
        yield f"unwanted: {_shown(claim)}"


def _is_meant(fields: list[str], claim: Claim) -> bool:
    polarity = Polarity.NEGATIVE if fields[0].startswith("-") else Polarity.POSITIVE
    if claim.polarity is not polarity:
        return False
    if len(fields) > 4:
        return fields[4] in claim.text
    return fields[3] == "*" or claim.value == normalize_value(fields[3]) or fields[3] in claim.text.casefold()


def _type_fits(fields: list[str], claim: Claim) -> bool:
    return fields[0].lstrip("-") in {"*", claim.type.value}


def _slot_fits(fields: list[str], claim: Claim) -> bool:
    return (
        (
            fields[1] == "?"
            or (bool(claim.subject) if fields[1] == "*" else subject_key(fields[1]) == subject_key(claim.subject))
        )
        and fields[2] in {"*", "?", claim.attribute}
        and (fields[3] == "*" or value_key(normalize_value(fields[3])) == value_key(claim.value))
    )


def _fit(fields: list[str], claim: Claim) -> int:
    return 2 * _slot_fits(fields, claim) + _type_fits(fields, claim)


def _judge_links(lines: list[str], arrow: str, kind: LinkKind, beliefs: Beliefs, tally: Tally) -> Iterator[str]:
    texts = {claim.id: claim.text for claim in beliefs.claims}
    found = [(texts[link.source_id], texts[link.target_id]) for link in beliefs.links if link.kind is kind]
    tally.found += len(found)
    tally.wanted += len(lines)
    for line in lines:
        source, target = (part.strip() for part in line.split(f" {arrow} "))
        hit = next((pair for pair in found if _is_pair(pair, source, target, either=arrow == "~")), None)
        if hit:
            found.remove(hit)
            tally.hits += 1
        else:
            yield f"missing {kind.value}: {line}"
    yield from (f"unwanted {kind.value}: {pair}" for pair in found)


def _is_pair(pair: tuple[str, str], source: str, target: str, *, either: bool) -> bool:
    if source in pair[0] and target in pair[1]:
        return True
    return either and source in pair[1] and target in pair[0]


def _shown(claim: Claim) -> str:
    sign = "-" if claim.polarity is Polarity.NEGATIVE else ""
    parts = (
        f"{sign}{claim.type.value}",
        claim.subject,
        claim.attribute,
        claim.value,
        claim.condition,
        repr(claim.text),
    )
    return " | ".join(parts)


def measure(name: str) -> tuple[dict[str, Tally], dict[str, list[str]]]:
    """Return the tallies of one half of the suite, and what is wrong by situation."""
    tallies = {key: Tally() for key in MEASURES}
    wrong = {situation["name"]: judge(situation, tallies) for situation in load(name)}
    return tallies, {key: value for key, value in wrong.items() if value}


@pytest.mark.parametrize("name", ["dev", "held_out"])
def test_precision_and_recall_stay_above_their_floors(name: str) -> None:
    tallies, wrong = measure(name)
    for key, tally in tallies.items():
        floor = FLOORS[name][key]
        assert tally.precision >= floor["precision"], (key, tally, wrong)
        assert tally.recall >= floor["recall"], (key, tally, wrong)


@pytest.mark.parametrize("name", ["dev", "held_out"])
def test_no_forbidden_text_becomes_a_claim(name: str) -> None:
    _, wrong = measure(name)
    assert not [line for lines in wrong.values() for line in lines if line.startswith("forbidden")]


def test_the_suite_is_large_and_its_names_are_distinct() -> None:
    names = Counter(situation["name"] for half in ("dev", "held_out") for situation in load(half))
    assert len(names) >= 150
    assert max(names.values()) == 1


def test_every_situation_gives_the_same_beliefs_in_any_order() -> None:
    for situation in [*load("dev"), *load("held_out")]:
        assertions = assertions_of(events_of(situation["events"]))
        assert settle(assertions) == settle(reversed(assertions)), situation["name"]
        assert settle(assertions) == settle([*assertions, *assertions]), situation["name"]


def print_table(*, is_verbose: bool) -> None:
    for name in ("dev", "held_out"):
        tallies, wrong = measure(name)
        situations = load(name)
        print(f"\n{name}: {len(situations)} situations, {len(situations) - len(wrong)} without a fault")
        print(f"  {'':15}{'precision':>10}{'recall':>8}{'hits':>6}{'found':>7}{'wanted':>8}")
        for key, tally in tallies.items():
            print(f"  {key:15}{tally.precision:10.3f}{tally.recall:8.3f}{tally.hits:6}{tally.found:7}{tally.wanted:8}")
        if is_verbose and name == "dev":
            for situation, lines in wrong.items():
                print(f"\n  {situation}")
                print(*(f"    {line}" for line in lines), sep="\n")


if __name__ == "__main__":
    print_table(is_verbose="-v" in sys.argv)
