"""Words that tell whether a question is about the present or the past."""

import re

_PAST = re.compile(
    r"\b(?:used\s+to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|at\s+first|initial(?:ly)?|before|earlier|old|back\s+then"
    r"|in\s+the\s+past|no\s+longer|history|first(?:\s+time)?|prior)\b"
    r"|\b(?:раньше|прежде|прежн\w+|сначала|изначально|первоначальн\w+|до\s+(?:того|этого)|стар(?:ый|ая|ое|ые|ого|ой)"
    r"|бывш\w+|истори\w+)\b",
    re.IGNORECASE,
)


def asks_for_the_past(query: str) -> bool:
    """Return whether the words of *query* ask for what held before rather than for what holds now."""
    return _PAST.search(query) is not None
