"""The curated side: how chunks were distilled, verdicts on claims, gaps and traces. List parameters are JSON arrays."""
# ruff: noqa: S608 - what is put together here are constants of this module

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pckc_domain.model.distillation import Distillation, DistillationCount
from pckc_domain.model.gap import Gap, GapPriority, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict, VerdictKind
from pckc_domain.ports.curated import DistillationRepository, GapRepository, TraceRepository, VerdictRepository

from pckc_adapters_sqlite import rows
from pckc_adapters_sqlite.connection import Connection, Row

_DISTILLATION_COLUMNS = "owner_id, uri, document_id, passage_id, distiller, attempts, error, refused, is_done, at"
_PUT_DISTILLATION = f"""
    INSERT OR REPLACE INTO distillation (scope_key, {_DISTILLATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DISTILLATIONS_OF_URI = f"""
    SELECT {_DISTILLATION_COLUMNS} FROM distillation WHERE scope_key = ? AND uri = ? ORDER BY owner_id
"""
_FIND_DISTILLATIONS = f"""
    SELECT {_DISTILLATION_COLUMNS} FROM distillation WHERE scope_key = ? AND owner_id > ? {{condition}}
    ORDER BY owner_id LIMIT ?
"""
_DONE = {None: "", True: "AND is_done", False: "AND NOT is_done"}
_DELETE_DISTILLATIONS = """
    DELETE FROM distillation WHERE scope_key = ? AND owner_id IN (SELECT value FROM json_each(?))
"""
_DELETE_DISTILLATIONS_OF_DOCUMENTS = """
    DELETE FROM distillation WHERE scope_key = ? AND document_id IN (SELECT value FROM json_each(?))
"""
_COUNT_DISTILLATIONS = """
    SELECT count(*) FILTER (WHERE is_done), count(*) FILTER (WHERE NOT is_done AND error <> ''),
        count(*) FILTER (WHERE NOT is_done AND error = '')
    FROM distillation WHERE scope_key = ?
"""

_VERDICT_COLUMNS = "claim_id, other_id, method, kind, similarity, reason, at"
_PUT_VERDICT = f"INSERT OR REPLACE INTO verdict (scope_key, {_VERDICT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_NAMING = """
    scope_key = :scope
    AND (
        claim_id IN (SELECT value FROM json_each(:ids))
        OR (other_id <> '' AND other_id IN (SELECT value FROM json_each(:ids)))
    )
"""
_VERDICTS_OF = f"SELECT {_VERDICT_COLUMNS} FROM verdict WHERE {_NAMING} ORDER BY claim_id, other_id, method"
_FIND_VERDICTS = f"""
    SELECT {_VERDICT_COLUMNS} FROM verdict WHERE scope_key = ? AND (claim_id, other_id, method) > (?, ?, ?)
    ORDER BY claim_id, other_id, method LIMIT ?
"""
_DELETE_VERDICTS = f"DELETE FROM verdict WHERE {_NAMING}"
_COUNT_VERDICTS = "SELECT count(*) FROM verdict WHERE scope_key = ?"

_GAP_COLUMNS = "id, question, reason, priority, status, raised_by, closed_by, created_at, updated_at"
_PUT_GAP = f"INSERT OR REPLACE INTO gap (scope_key, {_GAP_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_GAP = f"SELECT {_GAP_COLUMNS} FROM gap WHERE scope_key = ? AND id = ?"
_FIND_GAPS = f"""
    SELECT {_GAP_COLUMNS} FROM gap WHERE scope_key = ? AND status IN (SELECT value FROM json_each(?))
    ORDER BY CASE priority WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END, created_at, id LIMIT ? OFFSET ?
"""
_DELETE_GAP = "DELETE FROM gap WHERE scope_key = ? AND id = ?"
_COUNT_GAPS = "SELECT status, count(*) FROM gap WHERE scope_key = ? GROUP BY status"

_TRACE_COLUMNS = "id, kind, session_id, at, text"
_ADD_TRACE = f"INSERT OR IGNORE INTO trace (scope_key, {_TRACE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
_FIND_TRACES = f"""
    SELECT {_TRACE_COLUMNS} FROM trace WHERE scope_key = :scope {{condition}}
    ORDER BY at DESC, id LIMIT :limit OFFSET :offset
"""
_OF_KINDS = "AND kind IN (SELECT value FROM json_each(:kinds))"
_OF_SESSION = "AND session_id = :session"
_DELETE_TRACES = "DELETE FROM trace WHERE scope_key = ? AND session_id IN (SELECT value FROM json_each(?))"
_COUNT_TRACES = "SELECT count(*) FROM trace WHERE scope_key = ?"


class SqliteDistillations(DistillationRepository):
    """Distillations of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, distillations: Sequence[Distillation], /) -> None:
        """See the port."""
        self._connection.run_many(
            _PUT_DISTILLATION, [(self._scope_key, *_distillation_row(each)) for each in distillations]
        )

    def of_uri(self, uri: str, /) -> Sequence[Distillation]:
        """See the port."""
        found = self._connection.rows(_DISTILLATIONS_OF_URI, (self._scope_key, rows.clean(uri)))
        return [_distillation(row) for row in found]

    def find(self, *, is_done: bool | None = None, after: str = "", limit: int) -> Sequence[Distillation]:
        """See the port."""
        sql = _FIND_DISTILLATIONS.format(condition=_DONE[is_done])
        return [_distillation(row) for row in self._connection.rows(sql, (self._scope_key, after, max(limit, 0)))]

    def remove(self, owner_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_DISTILLATIONS, (self._scope_key, rows.array(owner_ids)))

    def remove_with(self, document_ids: Collection[str], /) -> None:
        """Forget those of these document versions."""
        self._connection.run(_DELETE_DISTILLATIONS_OF_DOCUMENTS, (self._scope_key, rows.array(document_ids)))

    def count(self) -> DistillationCount:
        """See the port."""
        ((done, failed, waiting),) = self._connection.rows(_COUNT_DISTILLATIONS, (self._scope_key,))
        return DistillationCount(done=done, failed=failed, waiting=waiting)


class SqliteVerdicts(VerdictRepository):
    """Verdicts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, verdicts: Sequence[Verdict], /) -> None:
        """See the port."""
        self._connection.run_many(_PUT_VERDICT, [(self._scope_key, *_verdict_row(each)) for each in verdicts])

    def of(self, claim_ids: Collection[str], /) -> Sequence[Verdict]:
        """See the port."""
        asked = {"scope": self._scope_key, "ids": rows.array(claim_ids)}
        return [_verdict(row) for row in self._connection.rows(_VERDICTS_OF, asked)]

    def find(self, *, after: tuple[str, str, str] = ("", "", ""), limit: int) -> Sequence[Verdict]:
        """See the port."""
        asked = (self._scope_key, *map(rows.clean, after), max(limit, 0))
        return [_verdict(row) for row in self._connection.rows(_FIND_VERDICTS, asked)]

    def remove(self, claim_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_VERDICTS, {"scope": self._scope_key, "ids": rows.array(claim_ids)})

    def count(self) -> int:
        """See the port."""
        count: int = self._connection.value(_COUNT_VERDICTS, (self._scope_key,))
        return count


class SqliteGaps(GapRepository):
    """Gaps of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, gap: Gap, /) -> None:
        """See the port."""
        self._connection.run(_PUT_GAP, (self._scope_key, *_gap_row(gap)))

    def get(self, gap_id: str, /) -> Gap | None:
        """See the port."""
        found = self._connection.rows(_GAP, (self._scope_key, gap_id))
        return _gap(found[0]) if found else None

    def find(self, *, statuses: Collection[GapStatus] = (), limit: int, offset: int = 0) -> Sequence[Gap]:
        """See the port."""
        asked = (self._scope_key, rows.array(statuses or GapStatus), max(limit, 0), max(offset, 0))
        return [_gap(row) for row in self._connection.rows(_FIND_GAPS, asked)]

    def remove(self, gap_id: str, /) -> bool:
        """See the port."""
        return self._connection.run(_DELETE_GAP, (self._scope_key, gap_id)) > 0

    def count(self) -> Mapping[GapStatus, int]:
        """See the port."""
        return {GapStatus(status): count for status, count in self._connection.rows(_COUNT_GAPS, (self._scope_key,))}


class SqliteTraces(TraceRepository):
    """Traces of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def add(self, traces: Sequence[Trace], /) -> None:
        """See the port."""
        self._connection.run_many(_ADD_TRACE, [(self._scope_key, *_trace_row(each)) for each in traces])

    def find(
        self, *, kinds: Collection[TraceKind] = (), session_id: str | None = None, limit: int, offset: int = 0
    ) -> Sequence[Trace]:
        """See the port."""
        conditions: list[str] = []
        values: dict[str, Any] = {"scope": self._scope_key, "limit": max(limit, 0), "offset": max(offset, 0)}
        if kinds:
            conditions.append(_OF_KINDS)
            values["kinds"] = rows.array(kinds)
        if session_id is not None:
            conditions.append(_OF_SESSION)
            values["session"] = rows.clean(session_id)
        sql = _FIND_TRACES.format(condition=" ".join(conditions))
        return [_trace(row) for row in self._connection.rows(sql, values)]

    def remove(self, session_ids: Collection[str], /) -> None:
        """See the port."""
        self._connection.run(_DELETE_TRACES, (self._scope_key, rows.array(session_ids)))

    def count(self) -> int:
        """See the port."""
        count: int = self._connection.value(_COUNT_TRACES, (self._scope_key,))
        return count


def _distillation_row(distillation: Distillation) -> Row:
    return (
        distillation.owner_id,
        rows.clean(distillation.uri),
        distillation.document_id,
        distillation.passage_id,
        rows.clean(distillation.distiller),
        distillation.attempts,
        rows.clean(distillation.error),
        distillation.refused,
        int(distillation.is_done),
        rows.microseconds(distillation.at),
    )


def _distillation(row: Row) -> Distillation:
    owner_id, uri, document_id, passage_id, distiller, attempts, error, refused, is_done, at = row
    return Distillation(
        owner_id=owner_id,
        uri=uri,
        document_id=document_id,
        passage_id=passage_id,
        distiller=distiller,
        attempts=attempts,
        error=error,
        refused=refused,
        is_done=bool(is_done),
        at=rows.instant(at),
    )


def _verdict_row(verdict: Verdict) -> Row:
    return (
        verdict.claim_id,
        verdict.other_id,
        rows.clean(verdict.method),
        verdict.kind.value,
        verdict.similarity,
        rows.clean(verdict.reason),
        rows.microseconds(verdict.at),
    )


def _verdict(row: Row) -> Verdict:
    claim_id, other_id, method, kind, similarity, reason, at = row
    return Verdict(
        claim_id=claim_id,
        other_id=other_id,
        kind=VerdictKind(kind),
        similarity=similarity,
        method=method,
        reason=reason,
        at=rows.instant(at),
    )


def _gap_row(gap: Gap) -> Row:
    return (
        gap.id,
        rows.clean(gap.question),
        rows.clean(gap.reason),
        gap.priority.value,
        gap.status.value,
        rows.clean(gap.raised_by),
        rows.json_list(gap.closed_by),
        rows.microseconds(gap.created_at),
        rows.microseconds(gap.updated_at),
    )


def _gap(row: Row) -> Gap:
    id_, question, reason, priority, status, raised_by, closed_by, created_at, updated_at = row
    return Gap(
        id=id_,
        question=question,
        reason=reason,
        priority=GapPriority(priority),
        status=GapStatus(status),
        raised_by=raised_by,
        closed_by=rows.strings(closed_by),
        created_at=rows.instant(created_at),
        updated_at=rows.instant(updated_at),
    )


def _trace_row(trace: Trace) -> Row:
    return (
        trace.id,
        trace.kind.value,
        rows.clean(trace.session_id),
        rows.microseconds(trace.at),
        rows.clean(trace.text),
    )


def _trace(row: Row) -> Trace:
    id_, kind, session_id, at, text = row
    return Trace(id=id_, kind=TraceKind(kind), text=text, session_id=session_id, at=rows.instant(at))
