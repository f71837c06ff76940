"""What a person asked an agent to change, waiting for the agent to report that it was changed."""

import re
from collections import deque
from collections.abc import Iterator, Sequence

import attrs

from pckc_domain.model.claim import Candidate, ClaimType, Polarity
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.deeds import Seen
from pckc_domain.policy.reading import spoken_sentences
from pckc_domain.policy.subjects import topic_key, value_key
from pckc_domain.policy.work_rules import TASK

MAX_REQUESTS = 16
"""How many of the last requests a report may speak of."""

_AGENT = frozenset({EventKind.RESPONSE, EventKind.AGENT_MESSAGE})
_SET = re.compile(r"set\b", re.IGNORECASE)
_DONE = re.compile(r"\W*(?:all )?(?:is )?(?:done|готово|сделано|сделал[аи]?)[\s.!]*", re.IGNORECASE)


@attrs.frozen
class Request:
    """A value that *candidate*, a task, asks for; *seen* is where a person asked."""

    seen: Seen
    candidate: Candidate


class Requests:
    """
    Requests for a value of something: `increase the chunk size to 16 MiB`.

    A person vouches for the value, the agent for its being in force: together that is a fact. `Done.` reports all that
    the last prompt asked for, and `the chunk size is now 16 MiB` that alone.
    """

    def __init__(self) -> None:
        self._open: deque[Request] = deque(maxlen=MAX_REQUESTS)
        self._prompt = ""

    def ask(self, seen: Seen, candidate: Candidate) -> None:
        """Take in what a person said; only a task with a value of its own waits for a report."""
        self._prompt = seen.event.id
        if candidate.type is ClaimType.TASK and candidate.attribute not in {"", TASK}:
            topic = _topic(candidate)
            kept = (one for one in self._open if _topic(one.candidate) != topic)
            self._open = deque([*kept, Request(seen, candidate)], maxlen=MAX_REQUESTS)

    def reported_by(self, event: Event, said: Sequence[Candidate]) -> Iterator[tuple[Seen, Candidate]]:
        """
        Yield the facts that a report makes of requests, each with where it was asked for.

        Args:
            event: Any; only an agent reports.
            said: What the rules read in it.
        """
        if event.kind not in _AGENT or not self._open:
            return
        for request in tuple(self._open):
            if facts := tuple(_facts(request, event, said, is_last=request.seen.event.id == self._prompt)):
                self._open.remove(request)
                yield from ((request.seen, fact) for fact in facts)


def _facts(request: Request, event: Event, said: Sequence[Candidate], *, is_last: bool) -> Iterator[Candidate]:
    asked = request.candidate
    told = next((one for one in said if _tells(one) and _is_asked(one, asked)), None)
    if told is None and is_last:
        done = next((one for one in spoken_sentences(event) if _DONE.fullmatch(one.text)), None)
        if done:
            yield _fact(attrs.evolve(asked, text=f"{asked.text} {done.text}"), asked)
    elif told:  # with it comes what it says was left
        yield from (_fact(one, asked) for one in said if one.start == told.start and _tells(one))


def _tells(said: Candidate) -> bool:
    """Whether an agent says that something is so; its `Set the limit to 5.` tells what it did."""
    return said.type is ClaimType.FACT or (said.type is ClaimType.TASK and bool(_SET.match(said.text)))


def _fact(said: Candidate, asked: Candidate) -> Candidate:
    """Return what was *said* as a fact that the request vouches for."""
    return attrs.evolve(said, type=ClaimType.FACT, start=asked.start, end=asked.end, rule=f"{said.rule}.done")


def _is_asked(said: Candidate, asked: Candidate) -> bool:
    same_value = value_key(said.value) == value_key(asked.value) and said.condition == asked.condition
    return same_value and said.polarity is Polarity.POSITIVE and _topic(said) == _topic(asked)


def _topic(candidate: Candidate) -> str:
    return topic_key(candidate.subject, candidate.attribute)
