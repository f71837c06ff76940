"""Small graphs for tests."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from pckc_domain.model.graph import (
    Edge,
    EdgeEvidence,
    EdgeKind,
    FileCoverage,
    FileGraph,
    Graph,
    ImportLink,
    Node,
    NodeKind,
    OpenCall,
    Span,
)
from pckc_domain.model.linking import GraphState, LinkedFile

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def node_id(path: str, name: str, kind: NodeKind = NodeKind.FUNCTION) -> str:
    """Return the id of a sample node."""
    return f"{path}#{'' if kind is NodeKind.MODULE else name}#{kind}#0"


def node(path: str, name: str, kind: NodeKind = NodeKind.FUNCTION, *, line: int = 1, **fields: object) -> Node:
    """Return a node of three lines; *name* may have dots."""
    module = path.rpartition(".")[0].replace("/", ".")
    values: dict[str, object] = {
        "id": node_id(path, name, kind),
        "kind": kind,
        "name": (name or module).rpartition(".")[2],
        "qualified_name": module if kind is NodeKind.MODULE else f"{module}.{name}",
        "path": path,
        "language": "python",
        "start_line": line,
        "end_line": line + 2,
        **fields,
    }
    return Node(**values)  # type: ignore[arg-type]  # any of the node's own fields


def edge(source: str, target: str, kind: EdgeKind = EdgeKind.CALLS, *, lines: Sequence[int] = (1,)) -> Edge:
    """Return an edge between two node ids, seen at *lines* of the source's file."""
    path = source.partition("#")[0]
    return Edge(
        source=source,
        target=target,
        kind=kind,
        evidence=EdgeEvidence.EXTRACTED,
        origin="call",
        sites=tuple(Span(path, line, 4, line, 9) for line in lines),
        imports=(ImportLink(path, 1, "from é import b"),),
    )


def open_call(caller: str, name: str, *, line: int = 1, external: str = "", candidates: Sequence[str] = ()) -> OpenCall:
    """Return a call that gave no edge."""
    site = Span(caller.partition("#")[0], line, 0, line, 3)
    return OpenCall(caller=caller, name=name, site=site, external=external, candidates=tuple(candidates))


def linked(
    path: str,
    nodes: Sequence[Node] = (),
    edges: Sequence[Edge] = (),
    calls: Sequence[OpenCall] = (),
    *,
    sections: Mapping[str, bytes] | None = None,
    asked: Collection[str] | None = (),
    content_hash: str = "aa" * 32,
    problems: Sequence[str] = (),
    skipped: str = "",
) -> LinkedFile:
    """Return a file with what it gives."""
    return LinkedFile(
        path=path,
        language="python",
        content_hash=content_hash,
        graph=FileGraph(
            path=path,
            nodes=tuple(sorted(nodes, key=lambda one: one.id)),
            edges=tuple(sorted(edges, key=lambda one: (one.source, one.target, one.kind))),
            open_calls=tuple(sorted(calls, key=lambda one: one.site)),
            coverage=FileCoverage(path=path, language="python", problems=tuple(problems), skipped=skipped),
        ),
        sections=sections or {},
        asked=None if asked is None else frozenset(asked),
    )


def state(revision: int = 1, *, is_complete: bool = True) -> GraphState:
    """Return a state."""
    return GraphState(
        recipe="r1", revision=revision, is_complete=is_complete, updated_at=NOON, settings={"a/tsconfig.json": "bb"}
    )


def files_of(graph: Graph) -> list[LinkedFile]:
    """Return a whole graph as the files that give it."""
    path_of = {one.id: one.path for one in graph.nodes}
    return [
        linked(
            one.path,
            [each for each in graph.nodes if each.path == one.path],
            [each for each in graph.edges if path_of[each.source] == one.path],
            [each for each in graph.open_calls if each.site.path == one.path],
        )
        for one in graph.coverage
    ]


def versioned_project(version: int, *, files: int = 12) -> dict[str, bytes]:
    """Return a project of Python whose every name tells its version: four calls, five nodes and an import a file."""
    return {
        f"m{index}.py": "\n".join(
            (
                f"from m{(index + 1) % files} import a_v{version}",
                f"def a_v{version}(): return b_v{version}()",
                f"def b_v{version}(): return c_v{version}()",
                f"def c_v{version}(): return d_v{version}()",
                f"def d_v{version}(): return m(a_v{version})",
                f"a_v{version}()",
                "",
            )
        ).encode()
        for index in range(files)
    }
