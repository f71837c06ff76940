"""The graph of many files at once."""

from collections.abc import Iterable, Mapping

from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.graph import FileGraph, Graph
from pckc_domain.model.linking import FileChange, NoMemory
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.families import FAMILIES
from pckc_domain.policy.graph.flow_linker import FlowLinker


def build_graph(files: Iterable[CodeFacts], settings: Mapping[str, str] | None = None) -> Graph:
    """Link the facts of all *files*, of languages of one family, and return their graph; *settings* as `Linker` has."""
    facts = list(files)
    known = {one.path: one.language for one in facts}
    family = FAMILIES[facts[0].language if facts else "python"]
    linked = FlowLinker(family).link(
        [FileChange(facts=one, content_hash="") for one in facts],
        gone=(),
        known=known,
        settings=settings or {},
        memory=NoMemory(),
        progress=ignore_progress,
    )
    return graph_of([one.graph for one in linked if one.graph is not None])


def graph_of(parts: Iterable[FileGraph]) -> Graph:
    """Return the graph of the parts that files give."""
    ordered = sorted(parts, key=lambda part: part.path)
    return Graph(
        nodes=tuple(sorted((node for part in ordered for node in part.nodes), key=lambda node: node.id)),
        edges=tuple(
            sorted(
                (edge for part in ordered for edge in part.edges),
                key=lambda edge: (edge.source, edge.target, edge.kind),
            )
        ),
        open_calls=tuple(sorted((call for part in ordered for call in part.open_calls), key=lambda call: call.site)),
        coverage=tuple(part.coverage for part in ordered),
    )
