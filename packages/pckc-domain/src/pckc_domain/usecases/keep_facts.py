"""Keep the claims of repository facts in step with the files that were read."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.model.claim import Assertion
from pckc_domain.model.document import Document
from pckc_domain.model.fact import FactPlace, StatedFact
from pckc_domain.model.scope import Branch
from pckc_domain.policy.facts.history import by_slot, ceased, continued, owner_of, place_after
from pckc_domain.policy.subjects import VERSION
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.usecases.meeting import slots_using
from pckc_domain.usecases.settling import settle


@attrs.frozen(kw_only=True)
class ReadFile:
    """A version of a file as it was read, on the branch where it was, and the facts that it sets."""

    document: Document
    facts: Sequence[StatedFact]


def keep_facts(work: UnitOfWork, branch: Branch, read: Sequence[ReadFile], gone: Sequence[str] = ()) -> None:
    """
    Make the facts of these files what the store believes of them, and settle what sessions said of the same.

    A file that says what it said changes nothing. *gone* are paths on *branch* that cannot be read any more: their
    facts turn stale.
    """
    files: dict[str, ReadFile | None] = {owner_of(branch, path): None for path in gone}
    files |= {owner_of(branch, file.document.uri): file for file in read}
    assertions = work.assertions.of_owners(files)
    places: dict[str, dict[str, FactPlace]] = {}
    for known in work.facts.of_owners(files):
        places.setdefault(known.owner_id, {})[known.slot] = known
    changed: set[str] = set()
    for owner_id, file in files.items():
        known_here = places.get(owner_id, {})
        if file is not None or known_here:
            changed |= _keep(work, owner_id, file, assertions.get(owner_id, {}), known_here)
    if changed:
        settle(work, changed)


def forget_facts(work: UnitOfWork, paths: Sequence[str]) -> None:
    """Erase the facts of the files at *paths* on every branch, with their history."""
    places = [place for path in paths for place in work.facts.at(path)]
    changed = {topic for place in places for topic in _topics(place)}
    for owner_id in sorted({place.owner_id for place in places}):
        changed |= work.assertions.replace(owner_id, {})
        work.facts.replace(owner_id, ())
    if changed:
        settle(work, changed)


def _keep(
    work: UnitOfWork,
    owner_id: str,
    file: ReadFile | None,
    known: Mapping[str, Sequence[Assertion]],
    places: Mapping[str, FactPlace],
) -> set[str]:
    """Store one file's facts and return the slots to settle again."""
    stated = by_slot(file.facts, file.document) if file else {}
    after = {
        slot: continued(known.get(slot, ()), stated[slot], file.document)
        if file and slot in stated
        else ceased(known[slot])
        for slot in [*stated, *(slot for slot in known if slot not in stated)]
    }
    for slot in stated.keys() & known.keys():  # its line was seen: what a check found missing is there
        work.claims.note_check(known[slot][-1].claim.id, stale_reason="")
    changed = set(work.assertions.replace(owner_id, after))
    now = {slot: place_after(owner_id, all_[-1], stated.get(slot), places.get(slot)) for slot, all_ in after.items()}
    work.facts.replace(owner_id, list(now.values()))
    names = {
        all_[-1].claim.subject
        for slot, all_ in after.items()
        if all_[-1].claim.attribute == VERSION and slot in changed
    }
    changed |= slots_using(work, names)
    moved = {slot for slot, each in now.items() if places.get(slot) != each} | (changed & now.keys())
    return changed | {topic for slot in moved for each in (now[slot], places.get(slot)) for topic in _topics(each)}


def _topics(place: FactPlace | None) -> set[str]:
    return {topic for topic in (place.topic, place.tail, place.joined) if topic} if place else set()
