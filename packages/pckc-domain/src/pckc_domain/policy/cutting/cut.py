"""
Cutting: one redacted document into chunks, paragraphs, propositions and summaries.

Everything is deterministic: the same document, text and blocks give the same passages with the same ids.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import attrs

from pckc_domain.model.code import CodeBlock
from pckc_domain.model.document import Document, DocumentKind, SourceClass
from pckc_domain.model.identity import content_id, digest
from pckc_domain.model.passage import Chunk, DocumentContent, Paragraph, Passage, Proposition, Summary
from pckc_domain.policy.analysis import index_terms, text_tokens
from pckc_domain.policy.cutting.chunking import Window, chunk
from pckc_domain.policy.cutting.code_outline import outline
from pckc_domain.policy.cutting.code_statements import code_candidates
from pckc_domain.policy.cutting.extraction import Statement, select
from pckc_domain.policy.cutting.markdown_outline import Block, BlockKind, Markup, blocks, plain
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.prose_statements import prose_candidates
from pckc_domain.policy.cutting.segmentation import Section, segment_code, segment_prose
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.cutting.summary import Digest, describe, summarize_code, summarize_prose
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.source_lines import SourceLines

MAX_PURPOSE_CHARACTERS = 400

_SOURCE_ROOTS = re.compile(r"^(?:.*/)?(?:src|lib|packages/[^/]+/src|python)/(?=.)")
_SUFFIX = re.compile(r"(?:/__init__|/index|/mod)?\.\w+$")
_MARKDOWN_KINDS = frozenset((DocumentKind.MARKDOWN, DocumentKind.WEB, DocumentKind.EPUB, DocumentKind.PDF))


class _Cut(NamedTuple):
    """The parts of a text before they have ids."""

    sections: list[Section]
    windows: list[Window]
    statements: list[Statement]
    digests: list[Digest]
    described: dict[str, str]


def cut(
    document: Document,
    text: str,
    *,
    blocks: Sequence[CodeBlock] | None = None,
    places: SourceLines | None = None,
) -> DocumentContent:
    """
    Return *document* with its passages: chunks, paragraphs, propositions, summaries, each layer in line order.

    Args:
        document: The version *text* was read from.
        text: Redacted, with ``\\n`` as its only line break; any string is fine.
        blocks: The definitions that a parser found; ``None`` when none knows the language, and patterns decide.
        places: Where each line stands, of a document whose readers look up no lines; no paragraph has two places.
    """
    source = SourceText(text)
    module = module_name(document.uri)
    if document.kind is DocumentKind.CODE:
        parts = _cut_code(source, document, module, blocks)
    else:
        parts = _cut_prose(source, document, places.starts if places else ())
    passages = _Builder(document, source, module).passages(parts)
    if places is not None:
        passages = tuple(attrs.evolve(passage, place=places.place_at(passage.start_line)) for passage in passages)
    return DocumentContent(document=document, passages=passages)


def module_name(uri: str) -> str:
    """Return the dotted module name of a path: what follows a source root, without its suffix."""
    path = _SUFFIX.sub("", _SOURCE_ROOTS.sub("", uri) if "://" not in uri else uri)
    return path.strip("/").replace("/", ".") if "://" not in uri else path


def _cut_code(
    source: SourceText, document: Document, module: str, definitions_found: Sequence[CodeBlock] | None
) -> _Cut:
    language = document.language
    masked = mask(source, language)
    definitions = outline(masked, language, blocks=definitions_found)
    sections = segment_code(source, definitions)
    is_test = is_test_path(document.uri)
    statements = select(code_candidates(masked, definitions, language=language, module=module, is_test=is_test))
    described = describe(source, definitions, statements, module=module)
    digests = summarize_code(source, sections, definitions, statements, described, module=module)
    return _Cut(sections, chunk(source, sections), statements, digests, described)


def _cut_prose(source: SourceText, document: Document, starts: Sequence[int]) -> _Cut:
    is_markdown = document.kind in _MARKDOWN_KINDS or document.language == "markdown"
    found = blocks(source, Markup.MARKDOWN if is_markdown else Markup.UNDERLINED)
    title = _title(document, found)
    sections = [part for section in segment_prose(source, found) for part in _split(source, section, starts)]
    is_log = document.source in (SourceClass.RUNTIME_LOG, SourceClass.DIFF)
    statements = [] if is_log else select(prose_candidates(source, found, title=title))
    digests = summarize_prose(source, sections, statements, title=title, purpose=_purpose(source, found))
    return _Cut(sections, chunk(source, sections), statements, digests, {})


def _split(source: SourceText, section: Section, starts: Sequence[int]) -> Iterator[Section]:
    """Cut a section where one of the *starts*, ascending lines, lies in it."""
    first = section.first
    for start in starts[bisect_right(starts, first) : bisect_right(starts, section.last)]:
        if text := source.lines(first, start - 1).rstrip():
            yield attrs.evolve(section, first=first, last=first + text.count("\n"), text=text)
        first = start
    if first > section.first:
        section = attrs.evolve(section, first=first, text=source.lines(first, section.last))
    yield section


def _title(document: Document, found: Sequence[Block]) -> str:
    if document.title:
        return document.title
    for block in found:
        if block.kind is BlockKind.HEADING and block.label:
            return block.label
    return document.uri.rpartition("/")[2]


def _purpose(source: SourceText, found: Sequence[Block]) -> str:
    """Return the first paragraph that has words of its own, no badges."""
    for block in found[:40]:
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            text = plain(source.lines(block.first, block.last).replace("\n>", "\n").removeprefix(">"))
            if text.count(" ") >= 3 and not text.startswith(("[![", "![", ".. ")):
                return text[:MAX_PURPOSE_CHARACTERS].strip()
    return ""


class _Builder:
    """Gives the parts of one document their ids, digests and search terms."""

    def __init__(self, document: Document, source: SourceText, module: str) -> None:
        self._document = document
        self._source = source
        self._module = module
        self._seen: dict[tuple[str, str], int] = {}
        self._digests: dict[tuple[int, int], str] = {}
        self._place = tuple(text_tokens(_SUFFIX.sub("", document.uri)))

    def passages(self, parts: _Cut) -> tuple[Passage, ...]:
        paragraphs = self._paragraphs(parts)
        return (
            *self._chunks(parts.windows),
            *paragraphs,
            *self._propositions(parts.statements, paragraphs),
            *self._summaries(parts.digests),
        )

    def _chunks(self, windows: Sequence[Window]) -> list[Chunk]:
        document = self._document
        tags = [document.kind.value, document.source.value, document.language]
        if document.kind is DocumentKind.CODE and is_test_path(document.uri):
            tags.append("test")
        distinct = tuple(dict.fromkeys(filter(None, tags)))
        return [
            Chunk(
                id=self._id("chk", window.text),
                document_id=document.id,
                text=window.text,
                start_line=window.first,
                end_line=window.last,
                digest=self._digest(window.first, window.last),
                ordinal=ordinal,
                terms=self._terms(window.text, (window.heading,), window.symbols),
                heading=window.heading,
                symbols=window.symbols,
                module=self._module,
                tags=distinct,
            )
            for ordinal, window in enumerate(windows)
        ]

    def _paragraphs(self, parts: _Cut) -> list[Paragraph]:
        return [
            Paragraph(
                id=self._id("par", section.text),
                document_id=self._document.id,
                text=section.text,
                start_line=section.first,
                end_line=section.last,
                digest=self._digest(section.first, section.last),
                ordinal=ordinal,
                terms=self._terms(section.text, section.path, section.symbols),
                section_heading=section.heading,
                heading_path=section.path,
                symbol_names=section.symbols,
                summary=parts.described.get(section.heading, ""),
            )
            for ordinal, section in enumerate(parts.sections)
        ]

    def _propositions(self, statements: Sequence[Statement], paragraphs: Sequence[Paragraph]) -> list[Proposition]:
        found: list[Proposition] = []
        at = 0
        for ordinal, statement in enumerate(statements):
            while at + 1 < len(paragraphs) and paragraphs[at].end_line < statement.first:
                at += 1
            found.append(
                Proposition(
                    id=self._id("pro", statement.normalized),
                    document_id=self._document.id,
                    text=statement.text,
                    start_line=statement.first,
                    end_line=statement.last,
                    digest=self._digest(statement.first, statement.last),
                    ordinal=ordinal,
                    terms=self._terms(statement.text, (statement.subject,)),
                    paragraph_id=paragraphs[at].id,
                    type=statement.type,
                    confidence=statement.confidence,
                    normalized_hash=digest(statement.normalized),
                    subject=statement.subject,
                )
            )
        return found

    def _summaries(self, digests: Sequence[Digest]) -> list[Summary]:
        return [
            Summary(
                id=self._id("sum", found.text),
                document_id=self._document.id,
                text=found.text,
                start_line=found.first,
                end_line=found.last,
                digest=self._digest(found.first, found.last),
                ordinal=ordinal,
                terms=self._terms(found.text),
                level=found.level,
                purpose=found.purpose,
                key_symbols=found.key_symbols,
                responsibilities=found.responsibilities,
                constraints_mentioned=found.constraints_mentioned,
                important_interactions=found.important_interactions,
            )
            for ordinal, found in enumerate(digests)
        ]

    def _terms(self, text: str, around: Sequence[str] = (), symbols: Sequence[str] = ()) -> str:
        """Return the extra terms of a text: its own, and the words of the headings around it and of its file's path."""
        terms = index_terms(" ".join((text, *around, *symbols))).split()
        return " ".join(dict.fromkeys([*terms, *text_tokens(" ".join(around)), *self._place]))

    def _id(self, prefix: str, text: str) -> str:
        repetition = self._seen.get((prefix, text), 0)
        self._seen[prefix, text] = repetition + 1
        return content_id(prefix, self._document.id, text, str(repetition))

    def _digest(self, first: int, last: int) -> str:
        key = (first, last)
        if key not in self._digests:
            self._digests[key] = digest(self._source.lines(first, last))
        return self._digests[key]
