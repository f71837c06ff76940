"""The memory store's assertions, claims, proofs, links and governance."""

from collections.abc import Collection, Mapping, Sequence

import attrs

from pckc_domain.model.belief import ClaimFilter, ClaimHit, StoredClaim
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, GovernanceAct, Link, Rejection
from pckc_domain.model.fact import FactPlace
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.proof import Proof
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.belief import (
    AssertionRepository,
    ClaimRepository,
    FactRepository,
    GovernanceRepository,
    LinkRepository,
    ProofRepository,
    RejectionRepository,
)
from pckc_domain.testing.memory.matching import keeps_claim, ranked
from pckc_domain.testing.memory.state import State


class MemoryAssertions(AssertionRepository):
    """Assertions of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def replace(self, owner_id: str, by_slot: Mapping[str, Sequence[Assertion]], /) -> frozenset[str]:
        """See the port."""
        self._state.check_writable()
        before = {key: each for key, each in self._state.assertions.items() if key[0] == owner_id}
        after: dict[tuple[str, str], tuple[str, Assertion]] = {}
        for slot, assertions in by_slot.items():
            for assertion in assertions:
                key = owner_id, assertion.claim.id
                after[key] = slot, _known_since(before[key][1], assertion) if key in before else assertion
        for key in before.keys() - after.keys():
            del self._state.assertions[key]
        self._state.assertions |= after
        changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        return frozenset(each[key][0] for each in (before, after) for key in changed if key in each)

    def of_slots(self, slots: Sequence[str], /) -> Mapping[str, Sequence[Assertion]]:
        """See the port."""
        by_slot: dict[str, list[Assertion]] = {}
        for _, (slot, assertion) in sorted(self._state.assertions.items(), key=_by_time):
            if slot in slots:
                by_slot.setdefault(slot, []).append(assertion)
        return by_slot

    def of_owners(self, owner_ids: Collection[str], /) -> Mapping[str, Mapping[str, Sequence[Assertion]]]:
        """See the port."""
        by_owner: dict[str, dict[str, list[Assertion]]] = {}
        for (owner_id, _), (slot, assertion) in sorted(self._state.assertions.items(), key=_by_time):
            if owner_id in owner_ids:
                by_owner.setdefault(owner_id, {}).setdefault(slot, []).append(assertion)
        return by_owner

    def slots(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        found = {slot for slot, _ in self._state.assertions.values() if slot > after}
        return sorted(found)[: max(limit, 0)]

    def slots_naming(
        self, values: Collection[str], attributes: Collection[str], /, *, versions_of: Collection[str] = ()
    ) -> frozenset[str]:
        """See the port."""
        return frozenset(
            slot
            for slot, assertion in self._state.assertions.values()
            if assertion.claim.value in values
            or assertion.claim.attribute in attributes
            or not _named_first(assertion.claim).isdisjoint(versions_of)
        )


class MemoryFacts(FactRepository):
    """Places of one scope's repository facts."""

    def __init__(self, state: State) -> None:
        self._state = state

    def replace(self, owner_id: str, places: Sequence[FactPlace], /) -> None:
        """See the port."""
        self._state.check_writable()
        kept = {slot: place for slot, place in self._state.fact_places.items() if place.owner_id != owner_id}
        self._state.fact_places = kept | {place.slot: place for place in places}

    def of_owners(self, owner_ids: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        return [place for place in self._sorted() if place.owner_id in owner_ids]

    def about(self, topics: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        asked = set(topics) - {""}
        return [place for place in self._sorted() if asked & {place.topic, place.tail, place.joined}]

    def at(self, path: str, /) -> Sequence[FactPlace]:
        """See the port."""
        return [place for place in self._sorted() if place.place.path == path]

    def join(self, topics: Mapping[str, str], /) -> None:
        """See the port."""
        self._state.check_writable()
        places = self._state.fact_places
        places |= {slot: attrs.evolve(places[slot], joined=topic) for slot, topic in topics.items() if slot in places}

    def _sorted(self) -> list[FactPlace]:
        return [place for _, place in sorted(self._state.fact_places.items())]


class MemoryRejections(RejectionRepository):
    """Rejections of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def replace(self, session_id: str, rejections: Sequence[Rejection], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.rejections[session_id] = tuple(dict.fromkeys(rejections))

    def find(self, *, session_id: str | None = None, limit: int) -> Sequence[Rejection]:
        """See the port."""
        found = [
            rejection
            for of, rejections in self._state.rejections.items()
            if session_id is None or of == session_id
            for rejection in rejections
        ]
        found.sort(key=lambda r: (r.session_id, r.seq, r.rule, r.excerpt, r.reason, r.event_id))
        return found[: max(limit, 0)]


class MemoryClaims(ClaimRepository):
    """Claims of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def settle(self, by_slot: Mapping[str, Beliefs], /) -> None:
        """See the port."""
        self._state.check_writable()
        state = self._state
        wanted = {
            claim.id: StoredClaim(claim=claim, slot=slot)
            for slot, beliefs in by_slot.items()
            for claim in beliefs.claims
        }
        gone = {id_ for id_, stored in state.claims.items() if stored.slot in by_slot} - wanted.keys()
        changed = [id_ for id_, stored in wanted.items() if state.claims.get(id_) != stored]
        self._erase(gone)
        linked = {key: link for key, link in state.links.items() if link[0] in by_slot}
        state.claims |= wanted
        state.proofs = {key: proof for key, proof in state.proofs.items() if key[0] not in wanted}
        state.proofs |= {
            (proof.claim_id, proof.id): proof
            for beliefs in by_slot.values()
            for proof in beliefs.proofs
            if proof.claim_id in wanted
        }
        links = {
            (link.source_id, link.target_id, link.kind): (slot, link)
            for slot, beliefs in by_slot.items()
            for link in beliefs.links
            if link.source_id in state.claims and link.target_id in state.claims
        }
        state.links = {key: link for key, link in state.links.items() if key not in linked} | links
        for id_ in sorted(changed):
            state.enqueue(OutboxKind.CLAIM, id_, OutboxOperation.UPSERT)
        relinked = {key[0] for key in linked.keys() | links if linked.get(key) != links.get(key)}
        for id_ in sorted(relinked.difference(changed)):
            state.enqueue(OutboxKind.LINK, id_, OutboxOperation.UPSERT)

    def get(self, claim_ids: Sequence[str], /) -> Sequence[StoredClaim]:
        """See the port."""
        return [self._stored(id_) for id_ in dict.fromkeys(claim_ids) if id_ in self._state.claims]

    def search(self, query: LexicalQuery, /, *, where: ClaimFilter, limit: int) -> Sequence[ClaimHit]:
        """See the port."""
        by_id = {stored.claim.id: stored for stored in self._kept(where)}
        hits = ranked([stored.claim for stored in by_id.values()], query)[: max(limit, 0)]
        return [ClaimHit(stored=by_id[claim.id], score=score) for score, claim in hits]

    def find(self, *, where: ClaimFilter, after: str = "", limit: int) -> Sequence[StoredClaim]:
        """See the port."""
        return [stored for stored in self._kept(where) if stored.claim.id > after][: max(limit, 0)]

    def note_check(self, claim_id: str, /, *, stale_reason: str) -> None:
        """See the port."""
        self._state.check_writable()
        if claim_id in self._state.claims and self._state.checks.get(claim_id, "") != stale_reason:
            self._state.checks[claim_id] = stale_reason
            self._state.enqueue(OutboxKind.CLAIM, claim_id, OutboxOperation.UPSERT)

    def _erase(self, claim_ids: set[str]) -> None:
        state = self._state
        for id_ in sorted(claim_ids):
            del state.claims[id_]
            state.checks.pop(id_, None)
            state.enqueue(OutboxKind.CLAIM, id_, OutboxOperation.DELETE)
        state.proofs = {key: proof for key, proof in state.proofs.items() if key[0] not in claim_ids}
        state.attached = {key: proof for key, proof in state.attached.items() if key[0] not in claim_ids}
        state.links = {key: link for key, link in state.links.items() if not claim_ids & {key[0], key[1]}}

    def _kept(self, where: ClaimFilter) -> list[StoredClaim]:
        """Return the claims that *where* keeps, by id."""
        stored = map(self._stored, sorted(self._state.claims))
        return [each for each in stored if keeps_claim(where, each.claim, each.slot)]

    def _stored(self, claim_id: str) -> StoredClaim:
        stored, reason = self._state.claims[claim_id], self._state.checks.get(claim_id)
        if not reason:
            return stored
        claim = attrs.evolve(stored.claim, status=ClaimStatus.STALE, status_reason=reason)
        return attrs.evolve(stored, claim=claim)


class MemoryProofs(ProofRepository):
    """Proofs of one scope's claims."""

    def __init__(self, state: State) -> None:
        self._state = state

    def of(self, claim_ids: Sequence[str], /) -> Mapping[str, Sequence[Proof]]:
        """See the port."""
        by_claim: dict[str, list[Proof]] = {}
        for proof in (self._state.proofs | self._state.attached).values():
            if proof.claim_id in claim_ids:
                by_claim.setdefault(proof.claim_id, []).append(proof)
        return {id_: sorted(found, key=lambda p: (p.observed_at, p.id)) for id_, found in by_claim.items()}

    def attach(self, proofs: Sequence[Proof], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.attached |= {(p.claim_id, p.id): p for p in proofs if p.claim_id in self._state.claims}


class MemoryLinks(LinkRepository):
    """Links between one scope's claims."""

    def __init__(self, state: State) -> None:
        self._state = state

    def of(self, claim_ids: Sequence[str], /) -> Sequence[Link]:
        """See the port."""
        asked = set(claim_ids)
        return [link for key, (_, link) in sorted(self._state.links.items()) if asked & {key[0], key[1]}]


class MemoryGovernance(GovernanceRepository):
    """Governance of one scope's claims."""

    def __init__(self, state: State) -> None:
        self._state = state

    def append(self, act: GovernanceAct, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.acts.append((self._session_of(act.claim_id), act))

    def of(self, claim_ids: Sequence[str], /) -> Sequence[GovernanceAct]:
        """See the port."""
        return [act for _, act in self._state.acts if act.claim_id in claim_ids]

    def _session_of(self, claim_id: str) -> str:
        """Return the session that the claim comes from, as far as the store knows."""
        if stored := self._state.claims.get(claim_id):
            return stored.claim.session_id
        asserted = [a.claim.session_id for (_, id_), (_, a) in self._state.assertions.items() if id_ == claim_id]
        acted = [session_id for session_id, act in self._state.acts if act.claim_id == claim_id]
        return next(iter([*asserted, *acted]), "")


def _named_first(claim: Claim) -> set[str]:
    """Return the names that stand before a space at the start of value and subject, and behind an attribute's first."""
    texts = (claim.value, claim.subject, claim.attribute.partition(" ")[2])
    return {name for name, space, _ in (text.partition(" ") for text in texts) if space}


def _known_since(known: Assertion, again: Assertion) -> Assertion:
    return attrs.evolve(again, claim=attrs.evolve(again.claim, recorded_at=known.claim.recorded_at))


def _by_time(item: tuple[tuple[str, str], tuple[str, Assertion]]) -> tuple[object, ...]:
    (owner_id, claim_id), (_, assertion) = item
    return assertion.proof.observed_at, assertion.seq, claim_id, owner_id
