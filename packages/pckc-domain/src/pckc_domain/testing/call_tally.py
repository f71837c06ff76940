"""How well a call graph agrees with the labelled calls of small programs."""

import attrs

Calls = set[tuple[str, str]]
"""Qualified names of callers and of what they call."""


@attrs.define
class Tally:
    """Hits, what was found in all, and what should have been found."""

    hits: int = 0
    found: int = 0
    wanted: int = 0

    def add(self, found: Calls, wanted: Calls) -> None:
        """Count one case."""
        self.hits += len(found & wanted)
        self.found += len(found)
        self.wanted += len(wanted)

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 1.0 when nothing was."""
        return self.hits / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of what is right that was found; 1.0 when nothing is."""
        return self.hits / self.wanted if self.wanted else 1.0
