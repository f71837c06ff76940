"""What a store holds, as far as its ports tell: two stores that hold the same answer the same."""

from collections.abc import Mapping

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.scope import Scope
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction

EVERYTHING = 100_000


def index_of(canonical: Canonical, scope: Scope) -> Mapping[str, object]:
    """Return the index side: every fresh passage with its document, counts, and what each checkout holds."""
    with canonical.reading(scope) as work:
        checkouts = work.manifest.checkouts()
        return {
            "passages": {layer: work.passages.find(layer, where=PassageFilter(), limit=EVERYTHING) for layer in Layer},
            "fresh": {layer: count.fresh for layer, count in work.passages.count().items()},
            "checkouts": checkouts,
            "manifest": {checkout.id: work.manifest.entries(checkout.id) for checkout in checkouts},
        }


def beliefs_of(canonical: Canonical, scope: Scope) -> Mapping[str, object]:
    """Return the session side: sessions, events, evidence, assertions, rejections, claims, proofs, links, decisions."""
    with canonical.reading(scope) as work:
        sessions = work.sessions.find(limit=EVERYTHING)
        slots = work.assertions.slots(limit=EVERYTHING)
        claims = work.claims.find(where=ClaimFilter(), limit=EVERYTHING)
        ids = [stored.claim.id for stored in claims]
        events = {session.id: work.sessions.events(session.id) for session in sessions}
        episodes = [episode.id for of in events.values() for episode in segment_episodes(of)]
        return {
            "sessions": sessions,
            "underived": work.sessions.find(limit=EVERYTHING, is_underived=True),
            "events": events,
            "evidence": (work.census.evidence(), work.evidence.of_episodes(episodes)),
            "assertions": work.assertions.of_slots(slots),
            "rejections": work.rejections.find(limit=EVERYTHING),
            "claims": claims,
            "proofs": work.proofs.of(ids),
            "links": work.links.of(ids),
            "governance": work.governance.of(ids),
        }


def facts_of(canonical: Canonical, scope: Scope) -> Mapping[str, object]:
    """Return places of repository facts, and how far the transcripts at the usual paths of tests were read."""
    with canonical.reading(scope) as work:
        paths = sorted({entry.path for one in work.manifest.checkouts() for entry in work.manifest.entries(one.id)})
        return {
            "places": {path: work.facts.at(path) for path in paths},
            "positions": {path: work.imports.position(path) for path in (*paths, "/t/0", "/t/1")},
        }


def curated_of(canonical: Canonical, scope: Scope) -> Mapping[str, object]:
    """Return the curated side: how chunks were distilled, verdicts, gaps and traces."""
    with canonical.reading(scope) as work:
        return {
            "distillations": (work.distillations.count(), work.distillations.find(limit=EVERYTHING)),
            "verdicts": (work.verdicts.count(), work.verdicts.find(limit=EVERYTHING)),
            "gaps": (dict(work.gaps.count()), work.gaps.find(limit=EVERYTHING)),
            "traces": (work.traces.count(), work.traces.find(limit=EVERYTHING)),
        }


def graphs_of(canonical: Canonical, scope: Scope) -> Mapping[object, object]:
    """Return every graph: nodes, edges, calls, coverage, what was read, communities and state."""
    with canonical.reading(scope) as work:
        found: dict[object, object] = {}
        for key in work.graphs():
            graph = work.graph(*key)
            whole = graph.links.whole()
            ids = [node.id for node in whole.nodes]
            found[key] = {
                "whole": (whole.nodes, whole.edges, whole.open_calls, whole.coverage),
                "edges": {end: graph.links.edges(ids, end) for end in Direction},
                "known": graph.files.known(),
                "communities": graph.communities.all(),
                "state": graph.state.get(),
            }
        return found


def inferences_of(canonical: Canonical, scope: Scope) -> Mapping[object, object]:
    """Return what was inferred, by graph."""
    with canonical.reading(scope) as work:
        return {graph: (state, list(work.inferences.edges(graph))) for graph, state in work.inferences.known().items()}


def everything_of(canonical: Canonical, scope: Scope) -> Mapping[str, object]:
    """Return all of it."""
    return {
        "index": index_of(canonical, scope),
        "beliefs": beliefs_of(canonical, scope),
        "facts": facts_of(canonical, scope),
        "curated": curated_of(canonical, scope),
        "graphs": graphs_of(canonical, scope),
        "inferences": inferences_of(canonical, scope),
    }
