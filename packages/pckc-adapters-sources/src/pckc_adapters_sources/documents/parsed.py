"""What every format's reader gives back."""

from datetime import datetime

import attrs
from pckc_domain.model.document import DocumentKind
from pckc_domain.model.source import SourcePart


@attrs.frozen(kw_only=True)
class Parsed:
    """The text of a document; see `SourceDocument` for the fields."""

    kind: DocumentKind
    parts: tuple[SourcePart, ...]
    title: str = ""
    published_at: datetime | None = None
    notes: tuple[str, ...] = ()
