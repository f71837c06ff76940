"""The repository graph: symbols, what joins them, and what could not be resolved."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import attrs


class GraphLayer(StrEnum):
    """Two graphs that no edge joins."""

    REPOSITORY = "repository"
    SESSION = "session"


class NodeKind(StrEnum):
    """What a node stands for; the last ones stand in the session layer."""

    MODULE = "module"
    NAMESPACE = "namespace"
    CLASS = "class"
    STRUCT = "struct"
    TRAIT = "trait"
    INTERFACE = "interface"
    ENUM = "enum"
    FUNCTION = "function"
    METHOD = "method"
    LAMBDA = "lambda"
    CONSTANT = "constant"
    VARIABLE = "variable"
    FIELD = "field"
    TYPE_ALIAS = "type_alias"
    RATIONALE = "rationale"
    SESSION = "session"
    EPISODE = "episode"
    CLAIM = "claim"
    FILE = "file"
    TOOL = "tool"


class EdgeKind(StrEnum):
    """What an edge says of its source and target; the last ones stand in the session layer."""

    CONTAINS = "contains"
    CALLS = "calls"
    IMPORTS = "imports"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    OVERRIDES = "overrides"
    PARAMETER_TYPE = "parameter_type"
    RETURN_TYPE = "return_type"
    REFERENCES = "references"
    RATIONALE = "rationale"
    STATES = "states"
    TOUCHES = "touches"
    USES = "uses"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CONFIRMS = "confirms"
    FIXES = "fixes"
    QUALIFIES = "qualifies"


class EdgeEvidence(StrEnum):
    """How an edge is known: read in the text, concluded from a declared type, or one of several possible ones."""

    EXTRACTED = "extracted"
    INFERRED = "inferred"
    AMBIGUOUS = "ambiguous"


WEIGHTS: Mapping[EdgeEvidence, float] = {
    EdgeEvidence.EXTRACTED: 1.0,
    EdgeEvidence.INFERRED: 0.8,
    EdgeEvidence.AMBIGUOUS: 0.5,
}


class Span(NamedTuple):
    """A part of a file: lines from 1, columns in UTF-8 bytes from 0, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class ImportLink(NamedTuple):
    """One step of the way a name came: an import statement, and what it asks for."""

    path: str
    line: int
    text: str


@attrs.frozen(kw_only=True)
class Node:
    """
    A symbol, a module or a comment that says why.

    Attributes:
        id: Path, scope chain, kind and ordinal: the same in every checkout.
        qualified_name: Dotted from the project's root: ``pkg.module.Class.method``.
        ordinal: Tells nodes of one scope, kind and name apart, from 0 in the order of the text.
        start_byte: Where its text begins in the file's bytes; the end is exclusive.
        signature: Its head as written, on one line; ``""`` where there is none.
        doc: First line of its documentation.
        visibility: As the language has it: ``public``, ``protected``, ``private`` …; ``""`` where it has none.
        text: What a rationale comment says; else ``""``.
        community: Its community; ``None`` before there are any.
    """

    id: str
    kind: NodeKind
    name: str
    qualified_name: str
    path: str
    language: str
    start_line: int
    end_line: int
    ordinal: int = 0
    start_byte: int = 0
    end_byte: int = 0
    signature: str = ""
    doc: str = ""
    visibility: str = ""
    text: str = ""
    layer: GraphLayer = GraphLayer.REPOSITORY
    community: int | None = None


@attrs.frozen(kw_only=True)
class Edge:
    """
    What joins two nodes, with its proof.

    Attributes:
        origin: The rule that found it.
        sites: Every place that shows it, in the order of the text.
        imports: How the name came to the first site.
    """

    source: str
    target: str
    kind: EdgeKind
    evidence: EdgeEvidence
    origin: str
    sites: tuple[Span, ...] = ()
    imports: tuple[ImportLink, ...] = ()
    layer: GraphLayer = GraphLayer.REPOSITORY

    @property
    def weight(self) -> float:
        """How much it counts: 1.0, 0.8 or 0.5."""
        return WEIGHTS[self.evidence]


@attrs.frozen(kw_only=True)
class OpenCall:
    """
    A call that gave no edge.

    Attributes:
        caller: Node in which it stands.
        name: What is called, as written.
        external: What it is outside of the repository; ``""`` when nobody knows what is called.
        candidates: Nodes it may mean, by its last name.
    """

    caller: str
    name: str
    site: Span
    external: str = ""
    candidates: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class FileCoverage:
    """
    A file of the graph, and what of it could not be read.

    Attributes:
        problems: What was left out, and why.
        skipped: Why nothing of it was read; ``""`` when it was.
    """

    path: str
    language: str
    problems: tuple[str, ...] = ()
    skipped: str = ""


@attrs.frozen(kw_only=True)
class FileGraph:
    """
    What one file gives to the graph: the unit in which a graph is stored and replaced.

    Attributes:
        nodes: Everything that stands in the file, by id.
        edges: Those whose source stands in the file, by source, target and kind.
        open_calls: By site.
    """

    path: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    open_calls: tuple[OpenCall, ...]
    coverage: FileCoverage


@attrs.frozen(kw_only=True)
class Community:
    """
    Nodes that are joined with each other more than with others.

    Attributes:
        id: Kept from run to run by best overlap.
        parent: The community of level 0 around one of level 1; ``None`` at level 0.
        name: From its central symbols and paths.
        members: Node ids, by id.
        central: Ids of its most joined symbols, most joined first.
    """

    id: int
    level: int
    parent: int | None
    name: str
    members: tuple[str, ...]
    central: tuple[str, ...]


@attrs.frozen(kw_only=True, slots=False)  # slots leave no room for the cached index
class Graph:
    """
    A whole graph.

    Attributes:
        nodes: By id.
        edges: By source, target and kind.
        open_calls: By site.
        coverage: By path.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    open_calls: tuple[OpenCall, ...]
    coverage: tuple[FileCoverage, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}
