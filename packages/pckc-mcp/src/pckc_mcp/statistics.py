"""Counts of everything a store holds, with the coverage of every index."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.passage import Layer
from pckc_domain.model.projection import generation_scope
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.graph import GraphCount
from pckc_domain.usecases.project import VECTOR_PROJECTION
from pckc_domain.usecases.project_graph import GRAPH_PROJECTION
from pckc_domain.usecases.recall_passages import PASSAGE_PARTITIONS

from pckc_mcp.engine import Engine
from pckc_mcp.forms import answer, time_form
from pckc_mcp.graph.feeding import graph_index_state
from pckc_mcp.searching import MOST_BEHIND


def stats_form(engine: Engine) -> dict[str, Any]:
    """Return counts by layer, coverage and lag by index, and bytes on disk."""
    from pckc_domain.usecases.graph_sync import graph_coverage  # its linkers would cost every start 30 ms

    info = engine.canonical.info()
    projections = (engine.semantic.projection if engine.semantic else VECTOR_PROJECTION, GRAPH_PROJECTION)
    with engine.canonical.reading(engine.scope) as work:
        counts = work.passages.count()
        entries = work.manifest.entries(engine.checkout.id)
        checkouts = work.manifest.checkouts()
        lag = engine.semantic.behind(work) if engine.semantic else 0
        sessions, events, claims = work.census.sessions(), work.census.events(), work.census.claims()
        evidence = work.census.evidence()
        graph = graph_coverage(work, engine.checkout.id)
        graphs = [(layer, work.graph(checkout, layer).links.count()) for checkout, layer in _graphs(engine, work)]
        distilled, gaps, traces = work.distillations.count(), work.gaps.count(), work.traces.count()
        set_aside = work.set_aside.count()
        building = [name for name in projections if _is_building(work, name)]
        underived = len(work.sessions.find(limit=MOST_BEHIND, is_underived=True))
    missing, wanted = missing_vectors(engine)
    fresh = sum(count.fresh for count in counts.values())
    indexed = sum(entry.document_id is not None for entry in entries)
    coverage = {
        "files": IndexCoverage(indexed=indexed, total=len(entries)),
        "passages": IndexCoverage(indexed=fresh, total=fresh),
        "evidence": IndexCoverage(indexed=evidence, total=evidence, behind=underived),
    }
    if graph is not None:
        coverage["graph"] = graph
    if engine.semantic is not None:
        vectors = engine.semantic.count(engine.scope, partitions=PASSAGE_PARTITIONS)
        total = fresh - counts[Layer.CHUNK].fresh
        coverage["vectors"] = IndexCoverage(indexed=vectors, total=total, behind=lag)
    index = graph_index_state(engine)
    if index is not None and not index.trouble:
        total = sum(claims.values()) + _symbols(engine)
        coverage["graph_index"] = IndexCoverage(indexed=index.nodes, total=total, behind=index.behind)
    checkout = next((known for known in checkouts if known.id == engine.checkout.id), None)
    return answer(
        "stats",
        coverage,
        project=engine.scope.project,
        store=info.location,
        backend=info.backend,
        schema_version=info.schema_version,
        bytes_on_disk=info.size_bytes,
        layers={str(layer): {"fresh": count.fresh, "stale": count.stale} for layer, count in counts.items()},
        sessions={"total": sum(sessions.values()), "by_host": dict(sorted(sessions.items()))},
        events={"total": sum(events.values()), "by_kind": _by_name(events)},
        evidence=evidence,
        claims={
            "total": sum(claims.values()),
            "by_type": _by_name(_summed(claims, 0)),
            "by_status": _by_name(_summed(claims, 1)),
            "by_governance": _by_name(_summed(claims, 2)),
        },
        distillations=attrs.asdict(distilled),
        gaps={"total": sum(gaps.values()), "by_status": _by_name(gaps)},
        traces=traces,
        graph={str(layer): _graph_form(count) for layer, count in graphs},
        set_aside=dict(sorted(set_aside.items())),
        building=building,
        missing_vectors=missing,
        wanted_vectors=wanted,
        skipped=_skipped(entries),
        checkouts=[{"root": known.root, "branch": known.branch.name} for known in checkouts],
        indexed_at=time_form(checkout.indexed_at) if checkout else None,
        is_complete=checkout.is_complete if checkout else False,
        embedder=engine.semantic.embedder.space.model if engine.semantic else None,
        why_no_embedder=engine.why_no_embedder,
        graph_index=None if index is None else {"trouble": index.trouble, "behind": index.behind},
    )


def missing_vectors(engine: Engine) -> tuple[int, int]:
    """
    Return how many vectors the index lacks, and how many there should be.

    Nothing lacks that is yet to come: changes that wait, or are set aside, are told apart.
    """
    projection = engine.vector_projection()
    if projection is None:
        return 0, 0
    with engine.canonical.reading(engine.scope) as work:
        is_behind = work.outbox.lag(projection.name, kinds=projection.kinds) or work.set_aside.count()
        serving = work.generations.get(projection.name).serving
    if is_behind:
        return 0, 0
    try:
        held = projection.count(generation_scope(engine.scope, serving))
    except (BackendError, ConfigurationError):  # told with every answer
        return 0, 0
    wanted = projection.wanted(engine.scope)
    return max(0, wanted - held), wanted


def _graphs(engine: Engine, work: UnitOfWork) -> list[tuple[str, GraphLayer]]:
    """Return the graphs of this work tree and of the sessions."""
    return [(checkout, layer) for checkout, layer in work.graphs() if checkout in ("", engine.checkout.id)]


def _is_building(work: UnitOfWork, projection: str) -> bool:
    return work.generations.get(projection).building is not None


def _symbols(engine: Engine) -> int:
    """Return the number of nodes in all graphs of the project, also those of other work trees."""
    with engine.canonical.reading(engine.scope) as work:
        return sum(sum(work.graph(*place).links.count().nodes.values()) for place in work.graphs())


def _graph_form(count: GraphCount) -> dict[str, Any]:
    return {
        "files": count.files,
        "nodes": {"total": sum(count.nodes.values()), "by_kind": _by_name(count.nodes)},
        "edges": {"total": sum(count.edges.values()), "by_kind": _by_name(count.edges)},
        "open_calls": count.open_calls,
        "external_calls": count.external_calls,
    }


def _summed(counts: Mapping[tuple[Any, ...], int], place: int) -> Counter[Any]:
    """Return the counts by one part of their keys."""
    summed: Counter[Any] = Counter()
    for key, count in counts.items():
        summed[key[place]] += count
    return summed


def _by_name(counts: Mapping[Any, int]) -> dict[str, int]:
    return {str(name): count for name, count in sorted(counts.items())}


def _skipped(entries: Any) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for entry in entries:
        if entry.skipped:
            reasons[entry.skipped] = reasons.get(entry.skipped, 0) + 1
    return dict(sorted(reasons.items()))
