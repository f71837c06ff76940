"""What a session's hooks and its transcript both tell is one thing, and the transcript knows it better."""

from collections.abc import Sequence

from pckc_domain.model.identity import normalize
from pckc_domain.model.session import HOOKED, Event, EventKind

COMPARED_CHARACTERS = 2_000
"""So much of two texts must be the same: hooks cut long ones."""

_SAID = frozenset({EventKind.AGENT_MESSAGE, EventKind.RESPONSE})


def without_echoes(events: Sequence[Event]) -> list[Event]:
    """
    Return *events* without those of hooks that a transcript tells too.

    A hook tells a call and its result in one go, as ``hook:ID#0``, ``hook:ID#1`` …: when the transcript tells one of
    these, it tells them all.
    """
    hooked = [event for event in events if event.source_id.startswith(HOOKED)]
    if not hooked or len(hooked) == len(events):
        return [*events]
    told = {_key(event) for event in events if not event.source_id.startswith(HOOKED)}
    echoes = {_record(event) for event in hooked if _key(event) in told}
    return [event for event in events if _record(event) not in echoes]


def _key(event: Event) -> tuple[str, str, str]:
    kind = EventKind.AGENT_MESSAGE if event.kind in _SAID else event.kind
    return kind, event.path, normalize(event.text[:COMPARED_CHARACTERS])


def _record(event: Event) -> str:
    """Return what events of one record of a hook have in common; ``""`` for others."""
    return event.source_id.partition("#")[0] if event.source_id.startswith(HOOKED) else ""
