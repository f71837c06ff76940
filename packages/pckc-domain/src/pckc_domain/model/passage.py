"""Passages: the four layers that a document is cut into."""

from enum import StrEnum

import attrs

from pckc_domain.model.document import Document


class Layer(StrEnum):
    """Granularity of a passage, fine to coarse but for the chunk, which is a layer of its own."""

    CHUNK = "chunk"
    PARAGRAPH = "paragraph"
    PROPOSITION = "proposition"
    SUMMARY = "summary"


class PropositionType(StrEnum):
    """What a proposition says."""

    SECURITY_RULE = "security_rule"
    CONSTRAINT = "constraint"
    ARCHITECTURE = "architecture"
    DECISION = "decision"
    RISK = "risk"
    TEST_EVIDENCE = "test_evidence"
    PROCEDURE = "procedure"
    BEHAVIOR = "behavior"
    IMPLEMENTATION_DETAIL = "implementation_detail"


class GranularityLevel(StrEnum):
    """What a summary speaks of."""

    CHUNK = "chunk"
    MODULE = "module"
    DOCUMENT = "document"


@attrs.frozen(kw_only=True)
class Passage:
    """
    A span of a document.

    Attributes:
        id: Hash of document version, layer, text and repetition within the document.
        document_id: The version it was cut from.
        text: Redacted text.
        start_line: First line, from 1.
        end_line: Last line, inclusive.
        digest: SHA-256 of the redacted lines ``start_line..end_line`` joined by newlines: what `verify` compares.
        ordinal: Position within its layer and document, from 0.
        terms: Extra search terms of the text, separated by spaces (see ``policy.analysis``).
        place: Where it stands in a document without lines of its own, such as ``page=3`` (see `SourcePart`).
    """

    id: str
    document_id: str
    text: str
    start_line: int
    end_line: int
    digest: str
    ordinal: int
    terms: str = ""
    place: str = ""


@attrs.frozen(kw_only=True)
class Chunk(Passage):
    """A window of at most 1,200 tokens: surrounding context."""

    heading: str = ""
    symbols: tuple[str, ...] = ()
    module: str = ""
    tags: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Paragraph(Passage):
    """One function or class, or one headed section: local context, and what a proposition expands to."""

    section_heading: str = ""
    heading_path: tuple[str, ...] = ()
    symbol_names: tuple[str, ...] = ()
    summary: str = ""


@attrs.frozen(kw_only=True)
class Proposition(Passage):
    """
    An atomic statement extracted without a model.

    Attributes:
        paragraph_id: The paragraph it stands in.
        type: What it says.
        confidence: From the type's range; see ``policy.cutting.extraction``.
        normalized_hash: SHA-256 of the normalised text; unique within a document.
        subject: Symbol or heading it speaks of; ``""`` when it has none.
    """

    paragraph_id: str
    type: PropositionType
    confidence: float
    normalized_hash: str
    subject: str = ""


@attrs.frozen(kw_only=True)
class Summary(Passage):
    """A digest of a module, a document or a run of paragraphs; ``text`` is its readable form."""

    level: GranularityLevel
    purpose: str = ""
    key_symbols: tuple[str, ...] = ()
    responsibilities: tuple[str, ...] = ()
    constraints_mentioned: tuple[str, ...] = ()
    important_interactions: tuple[str, ...] = ()


LAYER_CLASSES: dict[Layer, type[Passage]] = {
    Layer.CHUNK: Chunk,
    Layer.PARAGRAPH: Paragraph,
    Layer.PROPOSITION: Proposition,
    Layer.SUMMARY: Summary,
}


def layer_of(passage: Passage) -> Layer:
    """Return the layer of *passage*."""
    for layer, kind in LAYER_CLASSES.items():
        if isinstance(passage, kind):
            return layer
    raise TypeError(f"{type(passage).__name__} is no layer's class")


@attrs.frozen(kw_only=True)
class DocumentContent:
    """A document version and everything cut from it; stored in one commit."""

    document: Document
    passages: tuple[Passage, ...]


@attrs.frozen(kw_only=True)
class StoredPassage:
    """A passage with the document version it belongs to."""

    passage: Passage
    document: Document


@attrs.frozen(kw_only=True)
class PassageHit:
    """
    A lexical match.

    Attributes:
        stored: What matched.
        score: Higher is better, comparable within one call only.
    """

    stored: StoredPassage
    score: float


@attrs.frozen(kw_only=True)
class PassageFilter:
    """
    Which passages a query may answer; applied inside the query, before any limit. Empty means all.

    Attributes:
        types: Keep propositions of these types; other layers are not touched.
        levels: Keep summaries of these levels; other layers are not touched.
        uris: Keep passages of documents at exactly these uris.
        uri_prefixes: Keep passages of documents whose uri starts with one of these.
        digests: Keep passages with one of these digests.
        names: Keep passages that bear one of these names exactly; see ``policy.naming``.
        checkout: Keep versions that this checkout holds, and documents no checkout ever held.
        include_stale: Also answer versions that no checkout holds any more.
    """

    types: frozenset[PropositionType] = frozenset()
    levels: frozenset[GranularityLevel] = frozenset()
    uris: frozenset[str] = frozenset()
    uri_prefixes: tuple[str, ...] = ()
    digests: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    checkout: str | None = None
    include_stale: bool = False


@attrs.frozen(kw_only=True)
class LayerCount:
    """How many passages a layer holds."""

    fresh: int = 0
    stale: int = 0
