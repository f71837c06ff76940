"""What the memory store remembers for those who feed projections."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.projection import Generations, Lease, SetAside, building_cursor
from pckc_domain.ports.projecting import GenerationRepository, LeaseRepository, SetAsideRepository
from pckc_domain.testing.memory.state import State


class MemorySetAside(SetAsideRepository):
    """Changes of one scope that projections could not take in."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, failed: Sequence[SetAside], /) -> None:
        """See the port."""
        self._state.check_writable()
        for each in failed:
            entity = (each.entry.kind, each.entry.entity_id)
            newest = self._state.outbox.get(entity)
            if newest is None or newest.seq <= each.entry.seq:
                self._state.set_aside[each.projection, *entity] = each

    def find(self, projection: str, /, *, after: int = 0, limit: int) -> Sequence[SetAside]:
        """See the port."""
        every = self._state.set_aside.values()
        found = [each for each in every if each.projection == projection and each.entry.seq > after]
        return sorted(found, key=lambda each: each.entry.seq)[:limit]

    def count(self) -> Mapping[str, int]:
        """See the port."""
        return Counter(each.projection for each in self._state.set_aside.values())

    def remove(self, projection: str, seqs: Sequence[int], /) -> None:
        """See the port."""
        self._state.check_writable()
        kept = self._state.set_aside.items()
        self._state.set_aside = {
            key: each for key, each in kept if each.projection != projection or each.entry.seq not in set(seqs)
        }


class MemoryLeases(LeaseRepository):
    """Who works at what in one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def take(self, name: str, lease: Lease, /, *, now: datetime) -> bool:
        """See the port."""
        self._state.check_writable()
        held = self.get(name)
        if held is not None and held.holder != lease.holder and held.until > now:
            return False
        self._state.leases[name] = lease
        return True

    def get(self, name: str, /) -> Lease | None:
        """See the port."""
        return self._state.leases.get(name)

    def release(self, name: str, holder: str, /) -> None:
        """See the port."""
        self._state.check_writable()
        held = self.get(name)
        if held is not None and held.holder == holder:
            del self._state.leases[name]


class MemoryGenerations(GenerationRepository):
    """Which index of each projection serves one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, projection: str, /) -> Generations:
        """See the port."""
        return self._state.generations.get(projection, Generations())

    def begin(self, projection: str, generation: int, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.generations[projection] = Generations(serving=self.get(projection).serving, building=generation)

    def switch(self, projection: str, /) -> None:
        """See the port."""
        self._state.check_writable()
        built = self.get(projection).building
        if built is None:
            return
        state, cursor = self._state, building_cursor(projection)
        state.generations[projection] = Generations(serving=built)
        state.cursors[projection] = state.cursors.pop(cursor, 0)
        moved = {cursor: projection}
        kept = [each for each in state.set_aside.values() if each.projection != projection]
        switched = [attrs.evolve(each, projection=moved.get(each.projection, each.projection)) for each in kept]
        state.set_aside = {(each.projection, each.entry.kind, each.entry.entity_id): each for each in switched}
