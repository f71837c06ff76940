"""
Bring together what sessions say and what the repository sets.

A repository fact is settled in its place's slot alone until a session speaks of it: then its place joins the slot of
that topic, so that both are current or history, proof or conflict of each other, in one slot like any other.
"""

from collections.abc import Collection, Mapping, Sequence

import attrs

from pckc_domain.model.claim import Assertion, Claim
from pckc_domain.model.fact import FactPlace, Place
from pckc_domain.policy.changes import version_used
from pckc_domain.policy.facts.meeting import place_met, relative
from pckc_domain.policy.slots import is_fact, topic_slot
from pckc_domain.policy.subjects import VERSION
from pckc_domain.policy.vocabulary import ALIASES
from pckc_domain.ports.canonical import UnitOfWork


@attrs.frozen(kw_only=True)
class Gathered:
    """
    What is settled together.

    Attributes:
        slots: All that must be settled: those asked for, and those that lose or gain a place.
        by_slot: Their assertions; a joined place's stand in its topic's slot.
        met: Claim id of a session's claim to the place that it means.
        joined: By slot of a place the topic that it joins now; ``""`` for none.
    """

    slots: frozenset[str]
    by_slot: Mapping[str, Sequence[Assertion]]
    met: Mapping[str, Place] = attrs.field(factory=dict)
    joined: Mapping[str, str] = attrs.field(factory=dict)


def gather(
    work: UnitOfWork, slots: Collection[str], known: Mapping[str, Sequence[Assertion]] | None = None
) -> Gathered:
    """Return the assertions of *slots* with those that they are settled with; *known* are those already read."""
    asked, by_slot = frozenset(slots), dict(known or {})
    unread = asked - by_slot.keys()
    while True:
        by_slot |= work.assertions.of_slots(sorted(unread))
        said = _said(by_slot)
        used = _used(said)
        places = work.facts.about({*asked, *(topic for topics in used.values() for topic in topics)})
        if not places:
            return Gathered(slots=asked, by_slot=by_slot)
        meetings = _meetings(Folders(work), said, used, places)
        touched = [place for place in places if place.joined or place.slot in meetings.joined]
        topics = {topic for place in touched for topic in (place.topic, place.tail, place.joined) if topic}
        if not topics <= asked:
            unread = frozenset(topics) - asked
        elif not (unread := _others_of_left(work, touched, meetings) - asked):
            return _joined(work, asked, by_slot, touched, meetings)
        asked |= unread


def slots_using(work: UnitOfWork, names: Collection[str]) -> frozenset[str]:
    """Return the slots of claims that name a version of one of these things (`we use Django 5.1`)."""
    if not names:
        return frozenset()
    return work.assertions.slots_naming((), (), versions_of={*names, *(ALIASES.get(name, name) for name in names)})


def _others_of_left(work: UnitOfWork, places: Sequence[FactPlace], meetings: "_Meetings") -> frozenset[str]:
    """Return the slots that may mean a place whose topic means it no more, but only name it in passing."""
    left = [place.slot for place in places if place.joined and place.joined != meetings.joined.get(place.slot)]
    facts = [assertions[-1].claim for assertions in work.assertions.of_slots(left).values()] if left else []
    return slots_using(work, {fact.subject for fact in facts if fact.attribute == VERSION})


@attrs.frozen
class _Meetings:
    met: dict[str, Place] = attrs.field(factory=dict)
    joined: dict[str, str] = attrs.field(factory=dict)


def _said(by_slot: Mapping[str, Sequence[Assertion]]) -> dict[str, list[Assertion]]:
    """Return what sessions assert."""
    found = {slot: [one for one in assertions if not is_fact(one.claim)] for slot, assertions in by_slot.items()}
    return {slot: assertions for slot, assertions in found.items() if assertions}


def _used(said: Mapping[str, Sequence[Assertion]]) -> dict[str, dict[str, list[Assertion]]]:
    """Return by slot the topics of the versions that its claims use, each with these claims."""
    used: dict[str, dict[str, list[Assertion]]] = {}
    for slot, assertions in said.items():
        for one in assertions:
            name, _ = version_used(one.claim)
            if name:
                used.setdefault(slot, {}).setdefault(topic_slot(name, VERSION), []).append(one)
    return used


def _meetings(
    folders: "Folders",
    said: Mapping[str, Sequence[Assertion]],
    used: Mapping[str, Mapping[str, Sequence[Assertion]]],
    places: Sequence[FactPlace],
) -> _Meetings:
    """Let claims mean places: those who speak of one by its full name come before those who do not."""
    by_topic: dict[str, list[FactPlace]] = {}
    by_tail: dict[str, list[FactPlace]] = {}
    for place in places:
        by_topic.setdefault(place.topic, []).append(place)
        if place.tail:
            by_tail.setdefault(place.tail, []).append(place)
    meetings = _Meetings()
    for slot in sorted(said.keys() & by_topic.keys()):
        _meet(meetings, slot, said[slot], by_topic[slot], folders)
    for slot in sorted(said.keys() & by_tail.keys() - by_topic.keys()):
        _meet(meetings, slot, said[slot], by_tail[slot], folders)
    for slot in sorted(used):
        for topic in sorted(used[slot].keys() & by_topic.keys()):
            _meet(meetings, slot, used[slot][topic], by_topic[topic], folders)
    return meetings


def _meet(
    meetings: _Meetings, slot: str, said: Sequence[Assertion], places: Sequence[FactPlace], folders: "Folders"
) -> None:
    for one in said:
        place = place_met(one.claim, folders.relative(one.claim), places)
        if place is not None and meetings.joined.setdefault(place.slot, slot) == slot:
            meetings.met[one.claim.id] = place.place


class Folders:
    """The folders that paths in transcripts start from, read when the first path needs them."""

    def __init__(self, work: UnitOfWork) -> None:
        self._work = work
        self._roots: list[str] | None = None
        self._cwds: dict[str, str] = {}

    def relative(self, claim: Claim) -> str:
        """Return the path of the file that *claim* speaks of, from the project's root where that is known."""
        path, session_id = claim.path, claim.session_id
        if not path.startswith(("/", "./")) and ":" not in path:
            return path
        if self._roots is None:
            self._roots = project_roots(self._work)
        if session_id not in self._cwds:
            found = self._work.sessions.get([session_id])
            self._cwds[session_id] = found[0].cwd if found else ""
        return relative(path, [*self._roots, self._cwds[session_id]])


def project_roots(work: UnitOfWork) -> list[str]:
    """Return the roots of the known checkouts, the innermost first."""
    return sorted((checkout.root for checkout in work.manifest.checkouts()), key=len, reverse=True)


def _joined(
    work: UnitOfWork,
    asked: frozenset[str],
    read: Mapping[str, Sequence[Assertion]],
    touched: Sequence[FactPlace],
    meetings: _Meetings,
) -> Gathered:
    own = {place.slot for place in touched} | asked
    by_slot: dict[str, list[Assertion]] = {}
    for slot, assertions in {**read, **work.assertions.of_slots(sorted(own - asked))}.items():
        for one in assertions:
            at = meetings.joined.get(slot, slot) if is_fact(one.claim) else slot
            by_slot.setdefault(at, []).append(one)
    return Gathered(
        slots=frozenset(own),
        by_slot=by_slot,
        met=meetings.met,
        joined={place.slot: meetings.joined.get(place.slot, "") for place in touched},
    )
