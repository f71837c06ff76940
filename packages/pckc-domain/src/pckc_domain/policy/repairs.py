"""A bug that a person reported and an agent repaired: with a change, a green run after it, and the person's consent."""

import re
from collections.abc import Iterator, Sequence

import attrs

from pckc_domain.model.claim import Candidate, ClaimType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.acknowledgements import acknowledges
from pckc_domain.policy.belief_gate import is_human, why_not_admitted
from pckc_domain.policy.bug_attributes import BUG
from pckc_domain.policy.code_rules import passes
from pckc_domain.policy.descriptions import continued, described
from pckc_domain.policy.findings import IMPORTANCE, STATED
from pckc_domain.policy.reading import spoken_sentences

MAX_GO_ON = 3
"""A prompt of so many words that says nothing (`yes, go on`) leaves open what was asked for before."""

MAX_TOLD = 240
"""So many characters of what the agent said at last tell what the repair was."""

_AGENT = frozenset({EventKind.RESPONSE, EventKind.AGENT_MESSAGE})
_OBJECTION = re.compile(
    r"\b(?:but|still|however|except|again|not|never|\w+n['’]t|fail\w*|errors?|wrong|broken|bugs?|revert|undo|instead|"
    r"но|однако|только|ещё|еще|опять|снова|не|нет|ошибк\w*|пада\w+|верни|откати)\b|[?？]",
    re.IGNORECASE,
)


class Repairs:
    """
    The one bug that the last prompt reported, and what was done since.

    A green run alone ends no bug: the tests may not know of it. That the person is content with it does.
    """

    def __init__(self) -> None:
        self._bugs: list[Candidate] = []
        self._changed = self._green = -1
        self._told: list[str] = []

    def follow(self, event: Event, said: Sequence[Candidate]) -> Iterator[Candidate]:
        """
        Take *event* in; yield the fix that it agrees to.

        Args:
            event: Any; a change only when it is known to be done.
            said: What the rules read in it.
        """
        if event.kind is EventKind.FILE_CHANGE:
            self._changed = max(self._changed, event.seq)
        elif event.kind is EventKind.TEST_RESULT:
            self._green = event.seq if passes(event) else -1
        elif event.kind in _AGENT:
            fixes = [one.text for one in said if one.type is ClaimType.FIX]
            self._told = [*fixes, *_opening(event)]
        elif is_human(event):
            yield from self._agreed(event)
            self._begin(event, said)

    def _agreed(self, event: Event) -> Iterator[Candidate]:
        is_repaired = len(self._bugs) == 1 and -1 < self._changed < self._green
        answer = next(spoken_sentences(event), None)
        if not is_repaired or answer is None or not acknowledges(answer.text) or _OBJECTION.search(event.text):
            return
        (bug,) = self._bugs
        for told in [*self._told, answer.text]:
            fix = attrs.evolve(
                bug,
                type=ClaimType.FIX,
                attribute=BUG,
                value=described(told),
                text=continued(bug.text, told),
                start=answer.start,
                end=answer.end,
                rule="repair.agreed",
                confidence=STATED,
                importance=IMPORTANCE[ClaimType.FIX],
            )
            if not any(why_not_admitted(fix)):
                yield fix
                return

    def _begin(self, event: Event, said: Sequence[Candidate]) -> None:
        if len(event.text.split()) <= MAX_GO_ON and not said and self._changed < 0:
            return
        self._bugs = [one for one in said if one.type is ClaimType.BUG and one.subject]
        self._changed = self._green = -1
        self._told = []


def _opening(event: Event) -> Iterator[str]:
    """Yield the first sentences of *event*, and the first one alone."""
    spoken = [one for one in spoken_sentences(event) if one.start < MAX_TOLD]
    if spoken:
        start, ends = spoken[0].start, [one.end for one in spoken]
        end = max((one for one in ends if one - start <= MAX_TOLD), default=ends[0])
        yield " ".join(event.text[start:end].split())
        yield spoken[0].text
