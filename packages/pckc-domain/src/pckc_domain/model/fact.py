"""Repository facts: what single lines of the work tree set, and the places of a repository that set it."""

import attrs


@attrs.frozen(kw_only=True)
class StatedFact:
    """
    What one line of a file sets.

    Attributes:
        subject: The thing spoken of, in the words a session would use: `auth` for ``AUTH_TIMEOUT``, `django`.
        attribute: What is said of it, such as ``timeout``, ``port``, ``version``, ``path`` or ``value``.
        value: Normalised for comparison; of a dependency its version, or the range that it may lie in.
        tail: The name without its section, where that says something; ``""`` otherwise.
        text: The line as it is read: with its section, redacted.
        line: Its number, from 1.
        excerpt: The whole line, verbatim but for redaction: what its proof shows.
    """

    subject: str
    attribute: str
    value: str
    tail: str = ""
    text: str
    line: int
    excerpt: str


@attrs.frozen(kw_only=True)
class FileFacts:
    """
    The facts of one file.

    Attributes:
        facts: By line; each subject and attribute once.
        left_out: How many more there are: a file with so many is data.
    """

    facts: tuple[StatedFact, ...] = ()
    left_out: int = 0


@attrs.frozen(kw_only=True)
class Place:
    """A file on a branch; the mainline, like a checkout without a branch, has the name ``""``."""

    branch: str
    path: str


@attrs.frozen(kw_only=True)
class FactPlace:
    """
    Where a fact is set, and which topics it may answer.

    Attributes:
        slot: The fact's own slot, of its place alone.
        owner_id: Owner of its assertions.
        place: The file.
        topic: The slot of claims that speak of the fact by its full name.
        tail: The slot of claims that leave out its section; ``""`` when that would say nothing.
        is_live: Whether the file sets it now.
        joined: The topic whose claims it is settled with; ``""`` while it stands alone.
    """

    slot: str
    owner_id: str
    place: Place
    topic: str
    tail: str = ""
    is_live: bool = True
    joined: str = ""
