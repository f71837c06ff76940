"""What a store holds, as far as its ports tell: two stores that hold the same answer the same."""

from collections.abc import Mapping

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.scope import Scope
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.ports.canonical import Canonical

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
            "evidence": (work.evidence.count(), work.evidence.of_episodes(episodes)),
            "assertions": work.assertions.of_slots(slots),
            "rejections": work.rejections.find(limit=EVERYTHING),
            "claims": claims,
            "proofs": work.proofs.of(ids),
            "links": work.links.of(ids),
            "governance": work.governance.of(ids),
        }
