"""The curated side: how chunks were distilled, verdicts on claims, gaps and traces."""
# ruff: noqa: S608 - what is put together here are constants of this module

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pckc_domain.model.distillation import Distillation, DistillationCount
from pckc_domain.model.gap import Gap, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict
from pckc_domain.ports.curated import DistillationRepository, GapRepository, TraceRepository, VerdictRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import clean, dump, load

_DISTILLATION_COLUMNS = ("scope_key", "owner_id", "uri", "document_id", "is_done", "is_failed", "data")
_REPLACING_DISTILLATION = """
    ON CONFLICT (scope_key, owner_id) DO UPDATE SET
        uri = excluded.uri, document_id = excluded.document_id, is_done = excluded.is_done,
        is_failed = excluded.is_failed, data = excluded.data
"""
_DISTILLATIONS_OF_URI = "SELECT data FROM distillation WHERE scope_key = %s AND uri = %s ORDER BY owner_id"
_FIND_DISTILLATIONS = """
    SELECT data FROM distillation WHERE scope_key = %s AND owner_id > %s {condition} ORDER BY owner_id LIMIT %s
"""
_DONE = {None: "", True: "AND is_done", False: "AND NOT is_done"}
_DELETE_DISTILLATIONS = "DELETE FROM distillation WHERE scope_key = %s AND owner_id = ANY(%s)"
_DELETE_DISTILLATIONS_OF_DOCUMENTS = "DELETE FROM distillation WHERE scope_key = %s AND document_id = ANY(%s)"
_COUNT_DISTILLATIONS = """
    SELECT count(*) FILTER (WHERE is_done), count(*) FILTER (WHERE is_failed),
        count(*) FILTER (WHERE NOT is_done AND NOT is_failed)
    FROM distillation WHERE scope_key = %s
"""

_VERDICT_COLUMNS = ("scope_key", "claim_id", "other_id", "method", "data")
_REPLACING_VERDICT = "ON CONFLICT (scope_key, claim_id, other_id, method) DO UPDATE SET data = excluded.data"
_NAMING = "scope_key = %(scope)s AND (claim_id = ANY(%(ids)s) OR (other_id <> '' AND other_id = ANY(%(ids)s)))"
_VERDICTS_OF = f"SELECT data FROM verdict WHERE {_NAMING} ORDER BY claim_id, other_id, method"
_FIND_VERDICTS = """
    SELECT data FROM verdict WHERE scope_key = %s AND (claim_id, other_id, method) > (%s, %s, %s)
    ORDER BY claim_id, other_id, method LIMIT %s
"""
_DELETE_VERDICTS = f"DELETE FROM verdict WHERE {_NAMING}"
_COUNT_VERDICTS = "SELECT count(*) FROM verdict WHERE scope_key = %s"

_PUT_GAP = """
    INSERT INTO gap (scope_key, id, status, priority, created_at, data) VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (scope_key, id) DO UPDATE SET
        status = excluded.status, priority = excluded.priority, created_at = excluded.created_at, data = excluded.data
"""
_GAP = "SELECT data FROM gap WHERE scope_key = %s AND id = %s"
_FIND_GAPS = """
    SELECT data FROM gap WHERE scope_key = %s AND status = ANY(%s)
    ORDER BY CASE priority WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END, created_at, id LIMIT %s OFFSET %s
"""
_DELETE_GAP = "DELETE FROM gap WHERE scope_key = %s AND id = %s"
_COUNT_GAPS = "SELECT status, count(*) FROM gap WHERE scope_key = %s GROUP BY status"

_TRACE_COLUMNS = ("scope_key", "id", "kind", "session_id", "at", "data")
_FIND_TRACES = """
    SELECT data FROM trace WHERE scope_key = %(scope)s {condition}
    ORDER BY at DESC, id LIMIT %(limit)s OFFSET %(offset)s
"""
_OF_KINDS = "AND kind = ANY(%(kinds)s)"
_OF_SESSION = "AND session_id = %(session)s"
_DELETE_TRACES = "DELETE FROM trace WHERE scope_key = %s AND session_id = ANY(%s)"
_COUNT_TRACES = "SELECT count(*) FROM trace WHERE scope_key = %s"


class PostgresDistillations(DistillationRepository):
    """Distillations of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, distillations: Sequence[Distillation], /) -> None:
        """See the port."""
        newest = {each.owner_id: each for each in distillations}
        rows = [
            (
                self._scope_key,
                each.owner_id,
                clean(each.uri),
                each.document_id,
                each.is_done,
                bool(each.error) and not each.is_done,
                dump(each),
            )
            for each in newest.values()
        ]
        self._connection.insert("distillation", _DISTILLATION_COLUMNS, rows, on_conflict=_REPLACING_DISTILLATION)

    def of_uri(self, uri: str, /) -> Sequence[Distillation]:
        """See the port."""
        found = self._connection.rows(_DISTILLATIONS_OF_URI, (self._scope_key, clean(uri)))
        return [load(data, Distillation) for (data,) in found]

    def find(self, *, is_done: bool | None = None, after: str = "", limit: int) -> Sequence[Distillation]:
        """See the port."""
        sql = _FIND_DISTILLATIONS.format(condition=_DONE[is_done])
        found = self._connection.rows(sql, (self._scope_key, after, max(limit, 0)))
        return [load(data, Distillation) for (data,) in found]

    def remove(self, owner_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_DISTILLATIONS, (self._scope_key, list(owner_ids)))

    def remove_with(self, document_ids: Collection[str], /) -> None:
        """Forget those of these document versions."""
        self._connection.run(_DELETE_DISTILLATIONS_OF_DOCUMENTS, (self._scope_key, list(document_ids)))

    def count(self) -> DistillationCount:
        """See the port."""
        ((done, failed, waiting),) = self._connection.rows(_COUNT_DISTILLATIONS, (self._scope_key,))
        return DistillationCount(done=done, failed=failed, waiting=waiting)


class PostgresVerdicts(VerdictRepository):
    """Verdicts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, verdicts: Sequence[Verdict], /) -> None:
        """See the port."""
        newest = {(each.claim_id, each.other_id, clean(each.method)): each for each in verdicts}
        rows = [(self._scope_key, *key, dump(each)) for key, each in newest.items()]
        self._connection.insert("verdict", _VERDICT_COLUMNS, rows, on_conflict=_REPLACING_VERDICT)

    def of(self, claim_ids: Collection[str], /) -> Sequence[Verdict]:
        """See the port."""
        found = self._connection.rows(_VERDICTS_OF, {"scope": self._scope_key, "ids": list(claim_ids)})
        return [load(data, Verdict) for (data,) in found]

    def find(self, *, after: tuple[str, str, str] = ("", "", ""), limit: int) -> Sequence[Verdict]:
        """See the port."""
        asked = (self._scope_key, *map(clean, after), max(limit, 0))
        return [load(data, Verdict) for (data,) in self._connection.rows(_FIND_VERDICTS, asked)]

    def remove(self, claim_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_VERDICTS, {"scope": self._scope_key, "ids": list(claim_ids)})

    def count(self) -> int:
        """See the port."""
        count: int = self._connection.value(_COUNT_VERDICTS, (self._scope_key,))
        return count


class PostgresGaps(GapRepository):
    """Gaps of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, gap: Gap, /) -> None:
        """See the port."""
        row = (self._scope_key, gap.id, gap.status, gap.priority, gap.created_at, dump(gap))
        self._connection.run(_PUT_GAP, row)

    def get(self, gap_id: str, /) -> Gap | None:
        """See the port."""
        found = self._connection.rows(_GAP, (self._scope_key, gap_id))
        return load(found[0][0], Gap) if found else None

    def find(self, *, statuses: Collection[GapStatus] = (), limit: int, offset: int = 0) -> Sequence[Gap]:
        """See the port."""
        asked = (self._scope_key, [str(each) for each in statuses or GapStatus], max(limit, 0), max(offset, 0))
        return [load(data, Gap) for (data,) in self._connection.rows(_FIND_GAPS, asked)]

    def remove(self, gap_id: str, /) -> bool:
        """See the port."""
        return self._connection.touched(_DELETE_GAP, (self._scope_key, gap_id)) > 0

    def count(self) -> Mapping[GapStatus, int]:
        """See the port."""
        return {GapStatus(status): count for status, count in self._connection.rows(_COUNT_GAPS, (self._scope_key,))}


class PostgresTraces(TraceRepository):
    """Traces of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def add(self, traces: Sequence[Trace], /) -> None:
        """See the port."""
        rows = [(self._scope_key, t.id, str(t.kind), clean(t.session_id), t.at, dump(t)) for t in traces]
        self._connection.insert("trace", _TRACE_COLUMNS, rows, on_conflict="ON CONFLICT DO NOTHING")

    def find(
        self, *, kinds: Collection[TraceKind] = (), session_id: str | None = None, limit: int, offset: int = 0
    ) -> Sequence[Trace]:
        """See the port."""
        conditions: list[str] = []
        values: dict[str, Any] = {"scope": self._scope_key, "limit": max(limit, 0), "offset": max(offset, 0)}
        if kinds:
            conditions.append(_OF_KINDS)
            values["kinds"] = [str(kind) for kind in kinds]
        if session_id is not None:
            conditions.append(_OF_SESSION)
            values["session"] = clean(session_id)
        found = self._connection.rows(_FIND_TRACES.format(condition=" ".join(conditions)), values)
        return [load(data, Trace) for (data,) in found]

    def remove(self, session_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_TRACES, (self._scope_key, [clean(id_) for id_ in session_ids]))

    def count(self) -> int:
        """See the port."""
        count: int = self._connection.value(_COUNT_TRACES, (self._scope_key,))
        return count
