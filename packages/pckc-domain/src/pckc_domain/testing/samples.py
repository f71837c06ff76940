"""Values for the contract suites."""

from datetime import UTC, datetime, timedelta

from pckc_domain.model.document import Document, DocumentKind, ManifestEntry, SourceClass, document_id
from pckc_domain.model.identity import content_id, digest
from pckc_domain.model.passage import (
    Chunk,
    DocumentContent,
    GranularityLevel,
    Layer,
    Paragraph,
    Passage,
    Proposition,
    PropositionType,
    Summary,
)
from pckc_domain.model.scope import Branch, BranchScope, Checkout, Scope

SCOPE = Scope(project="sample")
TIME = datetime(2026, 6, 26, 12, 0, 0, 123456, tzinfo=UTC)


def document(uri: str = "src/app.py", version: int = 1, *, scope: Scope = SCOPE) -> Document:
    """Return a version of *uri*; later versions are later by a minute."""
    content_hash = digest(f"{uri} {version}")
    return Document(
        id=document_id(scope, uri, content_hash, "sample"),
        uri=uri,
        kind=DocumentKind.CODE,
        source=SourceClass.CODE,
        language="python",
        content_hash=content_hash,
        blob_hash=content_hash[:40],
        size_bytes=100 + version,
        title=uri.rsplit("/", 1)[-1],
        branch=Branch(name="main", scope=BranchScope.MAINLINE, source_revision="git:abc", commit_sha="abc"),
        indexed_at=TIME + timedelta(minutes=version),
    )


def passages(
    of: Document,
    text: str,
    *,
    terms: str = "",
    heading: str = "",
    type: PropositionType = PropositionType.CONSTRAINT,  # the field's name
    level: GranularityLevel = GranularityLevel.MODULE,
) -> dict[Layer, Passage]:
    """Return one passage of each layer, all with this text."""

    def base(layer: Layer) -> dict[str, object]:
        return {
            "id": content_id("psg", of.id, layer, text, type, level),
            "document_id": of.id,
            "text": text,
            "start_line": 3,
            "end_line": 9,
            "digest": digest(text),
            "ordinal": 0,
            "terms": terms,
        }

    paragraph = Paragraph(
        section_heading=heading,
        heading_path=("Guide", heading),
        symbol_names=("load_settings", "Parser"),
        summary="",
        **base(Layer.PARAGRAPH),  # type: ignore[arg-type]  # the base class's fields
    )
    return {
        Layer.CHUNK: Chunk(
            heading=heading,
            symbols=("load_settings",),
            module="app",
            tags=("tag one", "two"),
            **base(Layer.CHUNK),  # type: ignore[arg-type]  # the base class's fields
        ),
        Layer.PARAGRAPH: paragraph,
        Layer.PROPOSITION: Proposition(
            paragraph_id=paragraph.id,
            type=type,
            confidence=0.875,
            normalized_hash=digest(text.lower()),
            subject=heading,
            **base(Layer.PROPOSITION),  # type: ignore[arg-type]  # the base class's fields
        ),
        Layer.SUMMARY: Summary(
            level=level,
            purpose=heading,
            key_symbols=("Parser",),
            responsibilities=("reads settings", "writes logs"),
            constraints_mentioned=("must be quick",),
            important_interactions=("LogManager",),
            **base(Layer.SUMMARY),  # type: ignore[arg-type]  # the base class's fields
        ),
    }


def content(of: Document, *texts: str) -> DocumentContent:
    """Return *of* with one passage of each layer for each of *texts*."""
    return DocumentContent(
        document=of, passages=tuple(passage for text in texts for passage in passages(of, text).values())
    )


def entry(of: Document, *, path: str | None = None) -> ManifestEntry:
    """Return the entry of a checkout that holds *of*."""
    return ManifestEntry(
        path=of.uri if path is None else path,
        size_bytes=of.size_bytes,
        mtime_ns=1_000_000_007,
        content_hash=of.content_hash,
        document_id=of.id,
    )


def checkout(id: str = "co_one", *, is_complete: bool = True) -> Checkout:  # the field's name
    """Return a checkout."""
    return Checkout(
        id=id,
        root=f"/trees/{id}",
        project="sample",
        branch=Branch(name="main"),
        indexed_at=TIME,
        is_complete=is_complete,
        recipe="sample",
    )
