"""The queue that feeds rebuildable projections."""

from enum import StrEnum

import attrs

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.identity import ID_HEX_DIGITS, digest


class OutboxKind(StrEnum):
    """What changed; `LINK` stands for the links of a claim, by its id, and `GRAPH_FILE` for a `graph_file_id`."""

    DOCUMENT = "document"
    CLAIM = "claim"
    EPISODE = "episode"
    LINK = "link"
    GRAPH_FILE = "graph_file"


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


def graph_file_id(checkout_id: str, layer: GraphLayer, path: str) -> str:
    """Return the id of a graph's file; a queue tells nothing of what is gone: the path cannot be read from it."""
    return f"{layer}:{checkout_id}:{digest(path)[:ID_HEX_DIGITS]}"


def graph_of_file(file_id: str) -> tuple[str, GraphLayer]:
    """Return the checkout and layer that `graph_file_id` was made of."""
    layer, _, rest = file_id.partition(":")
    return rest.rpartition(":")[0], GraphLayer(layer)
