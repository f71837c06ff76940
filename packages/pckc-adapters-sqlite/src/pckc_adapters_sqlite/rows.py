"""Values to rows and back. Rows follow the column order of the statements in ``queries``."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pckc_domain.model.document import Document, DocumentKind, ManifestEntry, SourceClass
from pckc_domain.model.passage import (
    Chunk,
    GranularityLevel,
    Layer,
    Paragraph,
    Passage,
    Proposition,
    PropositionType,
    Summary,
)
from pckc_domain.model.scope import Branch, BranchScope, Checkout

from pckc_adapters_sqlite.connection import Row

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_read_json = json.JSONDecoder().raw_decode  # half of the time of `loads`, which looks for what these rows never have
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return *text* with lone surrogates, which SQLite cannot store, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def json_list(values: Iterable[str]) -> str:
    """Return *values* as a JSON list; ``""`` when there are none."""
    values = list(values)
    return clean(json.dumps(values, ensure_ascii=False)) if values else ""


def strings(text: str) -> tuple[str, ...]:
    """Read ``json_list`` back."""
    return tuple(_read_json(text)[0]) if text else ()


def array(values: Iterable[str]) -> str:
    """Return *values* as the JSON array that ``json_each`` takes for a list parameter."""
    return json_list(values) or "[]"


def microseconds(time: datetime) -> int:
    """Return *time* as microseconds since 1970 in UTC."""
    return (time - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=1024)  # rows that were written together share theirs
def instant(microseconds: int) -> datetime:
    """Read ``microseconds`` back."""
    return _EPOCH + timedelta(microseconds=microseconds)


def branch_row(branch: Branch) -> Row:
    """Columns branch_name, branch_scope, source_revision, commit_sha."""
    return (
        branch.name and clean(branch.name),
        branch.scope.value,
        branch.source_revision and clean(branch.source_revision),
        branch.commit_sha,
    )


@lru_cache(maxsize=256)  # many rows, few branches
def branch(row: Row) -> Branch:
    """Read ``branch_row`` back."""
    name, scope, source_revision, commit_sha = row
    return Branch(name=name, scope=BranchScope(scope), source_revision=source_revision, commit_sha=commit_sha)


def document_row(document: Document) -> Row:
    """Columns id to indexed_at of a document."""
    return (
        document.id,
        clean(document.uri),
        document.kind.value,
        document.source.value,
        document.language,
        document.content_hash,
        document.blob_hash,
        document.size_bytes,
        clean(document.title),
        *branch_row(document.branch),
        microseconds(document.indexed_at),
    )


def document(row: Sequence[Any]) -> Document:
    """Read the columns is_stale and id to indexed_at."""
    return Document(
        is_stale=bool(row[0]),
        id=row[1],
        uri=row[2],
        kind=DocumentKind(row[3]),
        source=SourceClass(row[4]),
        language=row[5],
        content_hash=row[6],
        blob_hash=row[7],
        size_bytes=row[8],
        title=row[9],
        branch=branch(row[10:14]),
        indexed_at=instant(row[14]),
    )


def checkout_row(checkout: Checkout) -> Row:
    """Columns id to recipe of a checkout."""
    return (
        checkout.id,
        clean(checkout.root),
        checkout.project,
        *branch_row(checkout.branch),
        None if checkout.indexed_at is None else microseconds(checkout.indexed_at),
        int(checkout.is_complete),
        checkout.recipe,
    )


def checkout(row: Sequence[Any]) -> Checkout:
    """Read ``checkout_row`` back."""
    return Checkout(
        id=row[0],
        root=row[1],
        project=row[2],
        branch=branch(row[3:7]),
        indexed_at=None if row[7] is None else instant(row[7]),
        is_complete=bool(row[8]),
        recipe=row[9],
    )


def entry_row(entry: ManifestEntry) -> Row:
    """Columns path to skipped of a manifest entry."""
    return (
        clean(entry.path),
        entry.size_bytes,
        entry.mtime_ns,
        entry.content_hash,
        entry.document_id,
        clean(entry.skipped),
    )


def entry(row: Sequence[Any]) -> ManifestEntry:
    """Read ``entry_row`` back."""
    return ManifestEntry(
        path=row[0], size_bytes=row[1], mtime_ns=row[2], content_hash=row[3], document_id=row[4], skipped=row[5]
    )


def passage_row(passage: Passage) -> Row:
    """Columns layer to place of a passage."""
    layer, kind, heading, symbols, abstract, module, tags, details = _LAYER_ROWS[type(passage)](passage)
    return (
        layer,
        kind,
        passage.id,
        passage.ordinal,
        passage.start_line,
        passage.end_line,
        passage.digest,
        clean(heading),
        json_list(symbols) if symbols else "",
        clean(abstract),
        clean(module),
        json_list(tags) if tags else "",
        json.dumps(details) if details else "",
        clean(passage.terms),
        clean(passage.text),
        clean(passage.place),
    )


def _chunk_row(chunk: Chunk) -> Row:
    return ("chunk", "", chunk.heading, chunk.symbols, "", chunk.module, chunk.tags, None)


def _paragraph_row(paragraph: Paragraph) -> Row:
    details = {"heading_path": paragraph.heading_path} if paragraph.heading_path else None
    return (
        "paragraph",
        "",
        paragraph.section_heading,
        paragraph.symbol_names,
        paragraph.summary,
        "",
        (),
        details,
    )


def _proposition_row(proposition: Proposition) -> Row:
    details = {
        "paragraph_id": proposition.paragraph_id,
        "confidence": proposition.confidence,
        "normalized_hash": proposition.normalized_hash,
    }
    return ("proposition", proposition.type.value, proposition.subject, (), "", "", (), details)


def _summary_row(summary: Summary) -> Row:
    details = {
        "responsibilities": summary.responsibilities,
        "constraints_mentioned": summary.constraints_mentioned,
        "important_interactions": summary.important_interactions,
    }
    return ("summary", summary.level.value, "", summary.key_symbols, summary.purpose, "", (), details)


_LAYER_ROWS: dict[type[Passage], Callable[[Any], Row]] = {
    Chunk: _chunk_row,
    Paragraph: _paragraph_row,
    Proposition: _proposition_row,
    Summary: _summary_row,
}


def passage(document_id: str, row: Sequence[Any]) -> Passage:
    """Read ``passage_row`` back."""
    layer, kind, id_, ordinal, start, end, digest, heading, symbols, abstract, module, tags, *rest = row
    details, terms, text, place = rest
    base: dict[str, Any] = {
        "id": id_,
        "document_id": document_id,
        "text": text,
        "start_line": start,
        "end_line": end,
        "digest": digest,
        "ordinal": ordinal,
        "terms": terms,
        "place": place,
    }
    more: dict[str, Any] = _read_json(details)[0] if details else {}
    match layer:
        case Layer.CHUNK:
            return Chunk(heading=heading, symbols=strings(symbols), module=module, tags=strings(tags), **base)
        case Layer.PARAGRAPH:
            return Paragraph(
                section_heading=heading,
                heading_path=tuple(more.get("heading_path", ())),
                symbol_names=strings(symbols),
                summary=abstract,
                **base,
            )
        case Layer.PROPOSITION:
            return Proposition(type=PropositionType(kind), subject=heading, **more, **base)
        case _:
            lists: dict[str, Any] = {name: tuple(values) for name, values in more.items()}
            return Summary(
                level=GranularityLevel(kind), purpose=abstract, key_symbols=strings(symbols), **lists, **base
            )
