"""Documents: the registered sources that passages are cut from."""

from datetime import datetime
from enum import StrEnum

import attrs

from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch, Scope


class DocumentKind(StrEnum):
    """How a document is read."""

    CODE = "code"
    MARKDOWN = "markdown"
    TEXT = "text"
    WEB = "web"
    PDF = "pdf"
    EPUB = "epub"
    SESSION = "session"


class SourceClass(StrEnum):
    """What a document is worth as a source; see ``policy.scoring.SOURCE_QUALITY``."""

    ADR = "adr"
    ARCHITECTURE = "architecture"
    CODE = "code"
    README = "readme"
    SPEC = "spec"
    TEST_REPORT = "test_report"
    MARKDOWN = "markdown"
    NOTE = "note"
    WEB = "web"
    DIFF = "diff"
    SESSION = "session"
    RUNTIME_LOG = "runtime_log"


@attrs.frozen(kw_only=True)
class Document:
    """
    One version of a source.

    Attributes:
        id: Hash of scope, uri, content and recipe: a version seen again is the same document.
        uri: Repository-relative POSIX path, or an absolute URI.
        kind: How it was read.
        source: What it is worth as a source.
        language: Programming or markup language in lower case; ``""`` when unknown.
        content_hash: SHA-256 of the bytes.
        blob_hash: Git blob id of the bytes.
        size_bytes: Length of the bytes.
        title: Human name.
        branch: Where it was first seen.
        indexed_at: When it was first stored, aware UTC.
        is_stale: No work tree holds this version any more.
    """

    id: str
    uri: str
    kind: DocumentKind
    source: SourceClass
    language: str = ""
    content_hash: str
    blob_hash: str
    size_bytes: int
    title: str = ""
    branch: Branch = attrs.field(factory=Branch)
    indexed_at: datetime
    is_stale: bool = False


def document_id(scope: Scope, uri: str, content_hash: str, recipe: str) -> str:
    """
    Return the id of the version of *uri* that has *content_hash*, cut by *recipe*.

    A recipe names the way documents are cut into passages: another recipe makes another version.
    """
    return content_id("doc", scope.tenant, scope.project, uri, content_hash, recipe)


@attrs.frozen(kw_only=True)
class ManifestEntry:
    """
    What one path of a checkout held when it was last looked at.

    Attributes:
        path: Repository-relative POSIX path.
        size_bytes: From stat.
        mtime_ns: From stat; 0 means "do not trust, hash again".
        content_hash: SHA-256 of the bytes; ``""`` when they were never read.
        document_id: The version it holds; ``None`` when it was skipped.
        skipped: Why it was skipped; ``""`` when it was not.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    content_hash: str = ""
    document_id: str | None = None
    skipped: str = ""
