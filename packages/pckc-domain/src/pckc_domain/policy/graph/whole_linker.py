"""Links all files of Python anew whenever one changed: right, and slow."""

import pickle
from collections.abc import Collection, Iterable, Iterator, Mapping

from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.graph import Edge, FileGraph, Node, OpenCall
from pckc_domain.model.identity import digest
from pckc_domain.model.linking import FileChange, LinkedFile, LinkMemory
from pckc_domain.model.progress import ProgressListener
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.linking import Linker

FACTS = "facts"
GRAPH = "graph"


class WholeLinker(Linker):
    """Remembers the facts of every file."""

    def languages(self) -> frozenset[str]:
        """Return Python."""
        return frozenset(("python",))

    def link(
        self,
        changed: Iterable[FileChange],
        /,
        *,
        gone: Collection[str],  # noqa: ARG002  # what is known says it all
        known: Mapping[str, str],
        settings: Mapping[str, str],  # noqa: ARG002  # Python has none
        memory: LinkMemory,
        progress: ProgressListener,  # noqa: ARG002  # one step
    ) -> Iterator[LinkedFile]:
        """Yield every changed file, and those whose part of the graph is another."""
        new = {change.facts.path: change for change in changed}
        rest = [path for path in known if path not in new]
        remembered = memory.load(FACTS, rest)
        facts: dict[str, CodeFacts] = {
            path: pickle.loads(data)  # noqa: S301  # written by this class
            for path, data in remembered.items()
        }
        for path, change in new.items():
            if isinstance(change.facts, CodeFacts):
                facts[path] = change.facts
        before = memory.load(GRAPH, rest)
        for part in _parts(facts.values()):
            mark = digest(repr(part)).encode()
            if part.path in new:
                sections = {FACTS: pickle.dumps(facts[part.path]), GRAPH: mark}
                yield _linked(facts[part.path], new[part.path].content_hash, part, sections)
            elif before.get(part.path) != mark:
                yield _linked(facts[part.path], "", part, {GRAPH: mark})


def _linked(facts: CodeFacts, content_hash: str, part: FileGraph, sections: Mapping[str, bytes]) -> LinkedFile:
    return LinkedFile(
        path=facts.path,
        language=facts.language,
        content_hash=content_hash,
        graph=part,
        sections=sections,
        asked=frozenset(),
    )


def _parts(files: Iterable[CodeFacts]) -> Iterator[FileGraph]:
    graph = build_graph(files)
    paths = {node.id: node.path for node in graph.nodes}
    parts: dict[str, tuple[list[Node], list[Edge], list[OpenCall]]] = {one.path: ([], [], []) for one in graph.coverage}
    for node in graph.nodes:
        parts[node.path][0].append(node)
    for edge in graph.edges:
        parts[paths[edge.source]][1].append(edge)
    for call in graph.open_calls:
        parts[paths[call.caller]][2].append(call)
    for one in graph.coverage:
        nodes, edges, calls = parts[one.path]
        yield FileGraph(path=one.path, nodes=tuple(nodes), edges=tuple(edges), open_calls=tuple(calls), coverage=one)
