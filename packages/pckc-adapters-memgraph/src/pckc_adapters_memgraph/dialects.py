"""How servers want their indexes declared: the only statements that openCypher leaves to each."""

from collections.abc import Sequence
from typing import LiteralString

_MEMGRAPH: Sequence[LiteralString] = (
    "CREATE INDEX ON :PckcNode(key)",
    "CREATE INDEX ON :PckcNode(home)",
    "CREATE INDEX ON :PckcNode(graph)",
    "CREATE INDEX ON :PckcNode(scope)",
)
_NEO4J: Sequence[LiteralString] = (
    "CREATE INDEX pckc_key IF NOT EXISTS FOR (n:PckcNode) ON (n.key)",
    "CREATE INDEX pckc_home IF NOT EXISTS FOR (n:PckcNode) ON (n.home)",
    "CREATE INDEX pckc_graph IF NOT EXISTS FOR (n:PckcNode) ON (n.graph)",
    "CREATE INDEX pckc_scope IF NOT EXISTS FOR (n:PckcNode) ON (n.scope)",
)


def declarations(dialect: str) -> Sequence[LiteralString]:
    """Return the declarations of *dialect*: ``memgraph``, or ``neo4j``, which ArcadeDB speaks too."""
    return _MEMGRAPH if dialect == "memgraph" else _NEO4J
