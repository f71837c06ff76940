"""What a chunk of a document is distilled into, and what became of each chunk."""

from datetime import datetime

import attrs

from pckc_domain.model.claim import ClaimType, Polarity


@attrs.frozen(kw_only=True)
class SourceChunk:
    """
    What a distiller is given.

    Attributes:
        title: The document's title.
        place: Where the chunk begins; see `SourcePart`.
        heading: The heading it stands under; ``""`` when there is none.
        text: Its redacted text, Markdown where the source has structure.
    """

    title: str
    place: str
    heading: str = ""
    text: str


@attrs.frozen(kw_only=True)
class DistilledClaim:
    """
    One claim read from a chunk.

    Attributes:
        type: What it asserts.
        text: The claim in words; of ``code`` and ``table`` the code and the table.
        quote: What vouches for it, verbatim from the chunk.
        subject: The thing spoken of, such as the term that a definition defines; ``""`` when there is none.
        attribute: What is said of it; ``""`` when it has no slot of its own.
        value: The slot's value; of a ``logical_rule`` its JSON, ``{"if": [KIND, …], "then": KIND}``.
        polarity: Whether it affirms or denies.
        confidence: The rule's constant or what the model gave, 0 to 1.
        rule: Name of the rule or model that read it.
    """

    type: ClaimType
    text: str
    quote: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    polarity: Polarity = Polarity.POSITIVE
    confidence: float
    rule: str


@attrs.frozen(kw_only=True)
class RefusedClaim:
    """What a distiller read that is no claim of the chunk, and why: its quote is not there, its form is wrong …"""

    text: str
    reason: str


@attrs.frozen(kw_only=True)
class Distilled:
    """What a distiller made of one chunk, in reading order."""

    claims: tuple[DistilledClaim, ...] = ()
    refused: tuple[RefusedClaim, ...] = ()


@attrs.frozen(kw_only=True)
class Distillation:
    """
    What became of one chunk.

    Attributes:
        owner_id: Owner of the assertions read from it; see ``policy.curation``.
        uri: The document's.
        document_id: The version it was cut from.
        passage_id: The chunk.
        distiller: Name of the distiller.
        attempts: How often it was tried, >= 0.
        error: Why the last attempt failed; ``""`` when it did not.
        refused: Number of claims that were refused.
        is_done: Whether its claims are stored.
        at: When it was tried last.
    """

    owner_id: str
    uri: str
    document_id: str
    passage_id: str
    distiller: str
    attempts: int = 0
    error: str = ""
    refused: int = 0
    is_done: bool = False
    at: datetime


@attrs.frozen(kw_only=True)
class DistillationCount:
    """
    How many chunks became what.

    Attributes:
        done: Their claims are stored.
        failed: The last attempt failed; they can be tried again.
        waiting: Not tried yet.
    """

    done: int = 0
    failed: int = 0
    waiting: int = 0
