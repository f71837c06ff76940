"""From words on a command line or in a tool call to a checked request."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.claim import ClaimStatus, ClaimType
from pckc_domain.model.intent import TaskIntent
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.model.recall import SearchRequest
from pckc_domain.model.reflection import Reflection
from pckc_domain.model.session import EventKind

from pckc_mcp.times import parse_time

if TYPE_CHECKING:
    from pckc_domain.usecases.compile import ContextRequest

E = TypeVar("E", bound=StrEnum)

GROUPS: dict[str, tuple[Layer, ...]] = {"passages": ()}
"""Names for several layers; empty lets the intent choose."""

MOST_RESULTS = 10_000


def search_request(
    query: str,
    *,
    layers: Sequence[str] = (),
    types: Sequence[str] = (),
    intent: str = "unknown",
    paths: Sequence[str] = (),
    limit: int = 10,
) -> SearchRequest:
    """
    Return a search over passages; with *types* every result is a proposition of one of them.

    Raises:
        InvalidInputError: A name is unknown, or *layers* leave out the one that has types; the remedy lists what is
            known.
    """
    kinds = frozenset(_members(PropositionType, types, "type"))
    chosen = parse_layers(layers)
    if kinds and chosen and Layer.PROPOSITION not in chosen:
        raise InvalidInputError("only propositions have a type", remedy="leave out the types, or search propositions")
    return SearchRequest(
        query=query,
        intent=_members(TaskIntent, [intent], "intent")[0],
        preferred_layers=(Layer.PROPOSITION,) if kinds else chosen,
        proposition_types=kinds or None,
        uri_prefixes=tuple(paths),
        limit=limit,
    )


def context_request(
    task: str,
    *,
    intent: str = "unknown",
    layers: Sequence[str] = (),
    types: Sequence[str] | None = None,
    files: Sequence[str] = (),
    symbols: Sequence[str] = (),
    budget: Any,
) -> "ContextRequest":
    """
    Return a task to compile a context for.

    Raises:
        InvalidInputError: A name is unknown or the budget is negative.
    """
    if type(budget) is not int or budget < 0:
        raise InvalidInputError(
            f"the budget must be a number of tokens, 0 or more, not {str(budget)[:40]}", remedy="give one such as 6000"
        )
    from pckc_domain.usecases.compile import ContextRequest  # its rules cost a search 40 ms of start-up

    return ContextRequest(
        task=task,
        intent=_members(TaskIntent, [intent], "intent")[0],
        preferred_layers=parse_layers(layers),
        proposition_types=frozenset(_members(PropositionType, types, "type")) if types else None,
        files=tuple(files),
        symbols=tuple(symbols),
        budget_tokens=budget,
    )


def claim_types(names: Iterable[str]) -> frozenset[ClaimType]:
    """
    Return the claim types that *names* mean.

    Raises:
        InvalidInputError: A name is unknown; the remedy lists what is known.
    """
    return frozenset(_members(ClaimType, names, "claim type"))


def statuses(names: Iterable[str]) -> frozenset[ClaimStatus]:
    """
    Return the claim statuses that *names* mean.

    Raises:
        InvalidInputError: A name is unknown.
    """
    return frozenset(_members(ClaimStatus, names, "status"))


def memory_request(
    query: str,
    *,
    types: Sequence[str] = (),
    status: Sequence[str] = (),
    sessions: Sequence[str] = (),
    paths: Sequence[str] = (),
    as_of: str | None = None,
    known_at: str | None = None,
    limit: int = 10,
) -> MemoryRequest:
    """
    Return a search over claims or evidence.

    Raises:
        InvalidInputError: A name or a time is no such thing.
    """
    return MemoryRequest(
        query=query,
        types=claim_types(types),
        statuses=statuses(status),
        session_ids=frozenset(sessions),
        paths=tuple(paths),
        as_of=parse_time(as_of) if as_of else None,
        known_at=parse_time(known_at) if known_at else None,
        limit=limit,
    )


ROLES = {
    "user": EventKind.PROMPT,
    "assistant": EventKind.AGENT_MESSAGE,
    "tool": EventKind.TOOL_RESULT,
    "system": EventKind.TURN_CONTEXT,
}
"""What hosts call the speakers, beside the kinds of events."""


def event_kind(name: str) -> EventKind:
    """
    Return the kind of event that *name* means: a kind, or the role of who speaks.

    Raises:
        InvalidInputError: It means none.
    """
    return ROLES[name] if name in ROLES else _members(EventKind, [name], "kind")[0]


def reflection(item: Any) -> Reflection:
    """
    Return what an agent wants remembered.

    Raises:
        InvalidInputError: It is no object of known keys, or one of these has the wrong type.
    """
    if not isinstance(item, dict):
        raise InvalidInputError("an item must be an object with a type and a text")
    known = {field.name: field for field in attrs.fields(Reflection)}
    if unknown := sorted(item.keys() - known):
        raise InvalidInputError(f"unknown key {str(unknown[0])[:40]!r}", remedy=f"known: {', '.join(known)}")
    given = {name: value for name, value in item.items() if value is not None}
    for name, value in given.items():
        wanted: Any = {"event_ids": list}.get(name) or (str if name == "type" else known[name].type)
        if type(value) is not wanted:
            raise InvalidInputError(f"{name} must be {wanted.__name__}, not {str(value)[:40]!r}")
    if not all(isinstance(name, str) for name in given.get("event_ids", ())):
        raise InvalidInputError("event_ids must be texts")
    if missing := sorted({"type", "text"} - given.keys()):
        raise InvalidInputError(f"{missing[0]} is missing")
    given["type"] = _members(ClaimType, [given["type"]], "claim type")[0]
    return Reflection(**{**given, "event_ids": tuple(given.get("event_ids", ()))})


def parse_offset(cursor: str) -> int:
    """
    Return the number of results to pass over.

    Raises:
        InvalidInputError: *cursor* is no answer's ``next_cursor``.
    """
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= len(str(MOST_RESULTS))):
        raise InvalidInputError(f"{cursor[:40]!r} is no cursor", remedy="pass an answer's next_cursor as it is")
    return int(cursor)


def parse_layers(names: Iterable[str]) -> tuple[Layer, ...]:
    """Return the layers that *names* mean, in order; group names are expanded."""
    layers: list[Layer] = []
    for name in names:
        layers.extend(GROUPS[name] if name in GROUPS else _members(Layer, [name], "layer"))
    return tuple(dict.fromkeys(layers))


def one_of(kind: type[E], name: str, what: str) -> E:
    """
    Return the member of *kind* called *name*.

    Raises:
        InvalidInputError: There is none; the remedy lists what is known.
    """
    return _members(kind, [name], what)[0]


def _members(kind: type[E], names: Iterable[str], what: str) -> list[E]:
    known = {str(member): member for member in kind}
    chosen = []
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise InvalidInputError(f"unknown {what} {name!r}", remedy=f"one of: {', '.join(known)}")
        chosen.append(known[name])
    return chosen


def check_limit(value: Any) -> int:
    """
    Return *value* when it is a number of results.

    Raises:
        InvalidInputError: It is none.
    """
    if type(value) is not int or not 1 <= value <= MOST_RESULTS:
        raise InvalidInputError(
            f"the limit must be a whole number from 1 to {MOST_RESULTS}, not {str(value)[:40]}",
            remedy="give one such as 10",
        )
    return value
