"""Proofs: evidence with a locator that can be followed."""

import re
from datetime import datetime
from enum import StrEnum
from urllib.parse import quote, unquote

import attrs

from pckc_domain.errors import InvalidInputError


class AuthorityClass(StrEnum):
    """Who vouches."""

    TOOL_VERIFIED = "tool_verified"
    TEST_VERIFIED = "test_verified"
    USER_CONFIRMED = "user_confirmed"
    REPOSITORY_DERIVED = "repository_derived"
    DOCUMENT_DERIVED = "document_derived"
    SESSION_DERIVED = "session_derived"
    MODEL_INFERRED = "model_inferred"


class VerificationStatus(StrEnum):
    """What became of a proof."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    REFUTED = "refuted"
    SUPERSEDED = "superseded"


class ProofType(StrEnum):
    """Where a proof comes from."""

    REPOSITORY = "repository"
    SESSION_EVENT = "session_event"
    TOOL_RESULT = "tool_result"
    TEST_RESULT = "test_result"
    USER_CONFIRMATION = "user_confirmation"
    CITATION = "citation"


class Liveness(StrEnum):
    """What following a locator found."""

    LIVE = "live"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@attrs.frozen(kw_only=True)
class RepositoryLocator:
    """Lines of a file version: ``repo:PATH@BLOB#L1-L9``."""

    path: str
    blob_hash: str
    start_line: int
    end_line: int

    def __str__(self) -> str:
        return f"repo:{quote(self.path)}@{self.blob_hash}#L{self.start_line}-L{self.end_line}"


@attrs.frozen(kw_only=True)
class EventLocator:
    """Characters of a session event: ``session:ID#SEQ:START-END``."""

    session_id: str
    seq: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"session:{quote(self.session_id)}#{self.seq}:{self.start}-{self.end}"


@attrs.frozen(kw_only=True)
class DocumentLocator:
    """A place in a document: ``doc:URI#PLACE``, the place being ``page=3``, ``section=…`` or ``paragraph=…``."""

    uri: str
    place: str

    def __str__(self) -> str:
        return f"doc:{quote(self.uri)}#{quote(self.place)}"


Locator = RepositoryLocator | EventLocator | DocumentLocator

_REPOSITORY = re.compile(r"repo:(.+)@([0-9a-f]*)#L(\d+)-L(\d+)")
_EVENT = re.compile(r"session:(.+)#(\d+):(\d+)-(\d+)")
_DOCUMENT = re.compile(r"doc:(.+)#(.*)")


def parse_locator(text: str) -> Locator:
    """
    Read a locator's string form back.

    Raises:
        InvalidInputError: *text* is no locator.
    """
    if match := _REPOSITORY.fullmatch(text):
        path, blob_hash, start, end = match.groups()
        return RepositoryLocator(path=unquote(path), blob_hash=blob_hash, start_line=int(start), end_line=int(end))
    if match := _EVENT.fullmatch(text):
        session_id, seq, start, end = match.groups()
        return EventLocator(session_id=unquote(session_id), seq=int(seq), start=int(start), end=int(end))
    if match := _DOCUMENT.fullmatch(text):
        return DocumentLocator(uri=unquote(match[1]), place=unquote(match[2]))
    raise InvalidInputError(f"not a locator: {text[:80]!r}")


@attrs.frozen(kw_only=True)
class Proof:
    """
    Evidence for a claim or a passage.

    Attributes:
        id: Hash of claim, locator and digest.
        claim_id: What it proves: a claim's or a passage's id.
        authority: Who vouches.
        verification: What became of it.
        type: Where it comes from.
        source_ref: A locator in string form.
        excerpt: The redacted text found there.
        digest: SHA-256 of the excerpt.
        observed_at: When the evidence came to be, aware UTC.
    """

    id: str
    claim_id: str
    authority: AuthorityClass
    verification: VerificationStatus
    type: ProofType
    source_ref: str
    excerpt: str
    digest: str
    observed_at: datetime


@attrs.frozen(kw_only=True)
class ProofCheck:
    """
    What following one proof found.

    Attributes:
        proof: The proof as it was stored.
        liveness: What was found.
        source_ref: Where the text is now; differs from the proof's when it moved.
        reason: One sentence for a person.
    """

    proof: Proof
    liveness: Liveness
    source_ref: str
    reason: str
