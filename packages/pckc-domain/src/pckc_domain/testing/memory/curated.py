"""The memory store's curated side."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.distillation import Distillation, DistillationCount
from pckc_domain.model.gap import Gap, GapPriority, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict
from pckc_domain.ports.curated import DistillationRepository, GapRepository, TraceRepository, VerdictRepository
from pckc_domain.testing.memory.state import State

_PRIORITIES = tuple(GapPriority)


class MemoryDistillations(DistillationRepository):
    """Distillations of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, distillations: Sequence[Distillation], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.distillations |= {each.owner_id: each for each in distillations}

    def of_uri(self, uri: str, /) -> Sequence[Distillation]:
        """See the port."""
        return [each for _, each in sorted(self._state.distillations.items()) if each.uri == uri]

    def find(self, *, is_done: bool | None = None, after: str = "", limit: int) -> Sequence[Distillation]:
        """See the port."""
        found = [each for id_, each in sorted(self._state.distillations.items()) if id_ > after]
        return [each for each in found if is_done in (None, each.is_done)][: max(limit, 0)]

    def remove(self, owner_ids: Collection[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        for id_ in owner_ids:
            self._state.distillations.pop(id_, None)

    def count(self) -> DistillationCount:
        """See the port."""
        found = self._state.distillations.values()
        done, failed = sum(each.is_done for each in found), sum(not each.is_done and each.error != "" for each in found)
        return DistillationCount(done=done, failed=failed, waiting=len(found) - done - failed)


class MemoryVerdicts(VerdictRepository):
    """Verdicts of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, verdicts: Sequence[Verdict], /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.verdicts |= {(each.claim_id, each.other_id, each.method): each for each in verdicts}

    def of(self, claim_ids: Collection[str], /) -> Sequence[Verdict]:
        """See the port."""
        return [self._state.verdicts[key] for key in self._naming(claim_ids)]

    def find(self, *, after: tuple[str, str, str] = ("", "", ""), limit: int) -> Sequence[Verdict]:
        """See the port."""
        return [each for key, each in sorted(self._state.verdicts.items()) if key > after][: max(limit, 0)]

    def remove(self, claim_ids: Collection[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        for key in self._naming(claim_ids):
            del self._state.verdicts[key]

    def count(self) -> int:
        """See the port."""
        return len(self._state.verdicts)

    def _naming(self, claim_ids: Collection[str]) -> list[tuple[str, str, str]]:
        asked = set(claim_ids) - {""}
        return sorted(key for key in self._state.verdicts if not asked.isdisjoint(key[:2]))


class MemoryGaps(GapRepository):
    """Gaps of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, gap: Gap, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.gaps[gap.id] = gap

    def get(self, gap_id: str, /) -> Gap | None:
        """See the port."""
        return self._state.gaps.get(gap_id)

    def find(self, *, statuses: Collection[GapStatus] = (), limit: int, offset: int = 0) -> Sequence[Gap]:
        """See the port."""
        found = [gap for gap in self._state.gaps.values() if not statuses or gap.status in statuses]
        found.sort(key=lambda gap: (_PRIORITIES.index(gap.priority), gap.created_at, gap.id))
        return found[max(offset, 0) :][: max(limit, 0)]

    def remove(self, gap_id: str, /) -> bool:
        """See the port."""
        self._state.check_writable()
        return self._state.gaps.pop(gap_id, None) is not None

    def count(self) -> Mapping[GapStatus, int]:
        """See the port."""
        return Counter(gap.status for gap in self._state.gaps.values())


class MemoryTraces(TraceRepository):
    """Traces of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, traces: Sequence[Trace], /) -> None:
        """See the port."""
        self._state.check_writable()
        for trace in traces:
            self._state.traces.setdefault(trace.id, trace)

    def find(
        self, *, kinds: Collection[TraceKind] = (), session_id: str | None = None, limit: int, offset: int = 0
    ) -> Sequence[Trace]:
        """See the port."""
        found = [
            trace
            for trace in self._state.traces.values()
            if (not kinds or trace.kind in kinds) and session_id in (None, trace.session_id)
        ]
        found.sort(key=lambda trace: trace.id)
        found.sort(key=lambda trace: trace.at, reverse=True)
        return found[max(offset, 0) :][: max(limit, 0)]

    def remove(self, session_ids: Collection[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        removed = set(session_ids)
        self._state.traces = {id_: t for id_, t in self._state.traces.items() if t.session_id not in removed}

    def count(self) -> int:
        """See the port."""
        return len(self._state.traces)
