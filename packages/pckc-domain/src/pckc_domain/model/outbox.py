"""The queue that feeds rebuildable projections."""

from enum import StrEnum

import attrs


class OutboxKind(StrEnum):
    """What changed."""

    DOCUMENT = "document"
    CLAIM = "claim"
    EPISODE = "episode"


class OutboxOperation(StrEnum):
    """How it changed."""

    UPSERT = "upsert"
    DELETE = "delete"


@attrs.frozen(kw_only=True)
class OutboxEntry:
    """A change, in commit order; *seq* grows and never becomes visible out of order."""

    seq: int
    kind: OutboxKind
    entity_id: str
    operation: OutboxOperation
