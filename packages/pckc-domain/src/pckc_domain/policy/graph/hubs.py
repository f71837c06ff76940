"""Which nodes may stand for a part of a graph."""

from pckc_domain.model.graph import NodeKind

HUB_KINDS = frozenset(
    (
        NodeKind.CLASS, NodeKind.STRUCT, NodeKind.TRAIT, NodeKind.INTERFACE, NodeKind.ENUM, NodeKind.FUNCTION,
        NodeKind.METHOD, NodeKind.TYPE_ALIAS, NodeKind.EPISODE, NodeKind.CLAIM,
    )
)  # fmt: skip
"""
Kinds of hubs and central symbols.

The others are joined a lot for what they hold or are, not for what they do: modules, namespaces, sessions, files and
tools hold or touch everything of theirs; constants, variables and fields are read everywhere; lambdas and rationale
have no name to speak of.
"""
