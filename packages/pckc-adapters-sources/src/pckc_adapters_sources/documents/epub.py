"""EPUB: its chapters in the order of the spine, named by its table of contents."""

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from urllib.parse import unquote

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.model.source import SourcePart
from pckc_domain.policy.document_parts import one_line, with_unique_places

from pckc_adapters_sources.documents.cleaning import clean
from pckc_adapters_sources.documents.errors import missing, too_large, without_text
from pckc_adapters_sources.documents.html import body_of, text_of
from pckc_adapters_sources.documents.parsed import Parsed

try:
    from lxml import etree, html

    from pckc_adapters_sources.documents.markdown import markdown_of, text_inside
except ImportError as _error:
    raise missing("lxml") from _error

_MOST_ENTRIES = 20_000
_ANCHOR = re.compile("\ue002(\\d+)\ue003")
"""Where an entry of the table of contents begins within a chapter."""
_HEADING = re.compile(r"#{1,6} (.+)")
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")

_NCX = "application/x-dtbncx+xml"
_TYPE = "{http://www.idpf.org/2007/ops}type"
_INSIDE_LINES = frozenset("a b i em strong span sup sub small code tr td th li thead tbody dt dd".split())

_DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)
"""What `zipfile` raises about archives that are cut, changed or packed in ways it does not know."""

Manifest = Mapping[str, "tuple[str, etree._Element]"]
Titles = dict[str, list[tuple[str, str]]]
"""Chapter to the anchors in it, ``""`` for its beginning, and their titles."""


def read_epub(data: bytes, *, max_unpacked_bytes: int) -> Parsed:
    """
    Return the chapters' text; a place is ``section=TITLE``.

    Raises:
        InvalidInputError: It is no EPUB, is encrypted, damaged, unpacks to too much, or has no text.
    """
    try:
        book = _Archive(data, max_unpacked_bytes)
        folder, package = _package(book)
        _refuse_encrypted(book)
        manifest = _manifest(package, folder)
        titles = _contents(book, manifest)
        parts = list(_sections(book, _spine(package, manifest), titles))
    except _DAMAGED as error:
        raise InvalidInputError(f"This EPUB is damaged: {error}", remedy="Fetch it again") from error
    if not parts:
        raise without_text("This EPUB", remedy="Its pages may be pictures: run them through OCR first")
    return Parsed(
        kind=DocumentKind.EPUB,
        title=_metadata(package, "title"),
        parts=with_unique_places(parts),
        published_at=_date(_metadata(package, "date")),
    )


class _Archive:
    """The files of a book, unpacked up to a limit in all; what the archive says of their sizes is not believed."""

    def __init__(self, data: bytes, limit: int) -> None:
        self._zip = zipfile.ZipFile(BytesIO(data))
        self._limit = self._left = limit
        if len(self._zip.namelist()) > _MOST_ENTRIES:
            raise InvalidInputError(f"This EPUB holds more than {_MOST_ENTRIES:,} files")

    def read(self, name: str) -> bytes:
        """
        Return the file *name*.

        Raises:
            KeyError: There is none.
            InvalidInputError: It unpacks to too much, or needs a password.
        """
        try:
            with self._zip.open(name) as file:
                data = file.read(self._left + 1)
        except RuntimeError as error:
            raise InvalidInputError("This EPUB needs a password", remedy="Save it without one first") from error
        self._left -= len(data)
        if self._left < 0:
            raise too_large("This EPUB unpacked", self._limit, "max_unpacked_bytes")
        return data

    def xml(self, name: str) -> "etree._Element | None":
        """Return the root of the XML file *name*, entities left alone; ``None`` when it is empty or missing."""
        try:
            data = self.read(name)
        except KeyError:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
        return etree.fromstring(data, parser) if data.strip() else None


def _package(book: _Archive) -> tuple[str, "etree._Element"]:
    """Return the folder of the package file, and its root."""
    container = book.xml("META-INF/container.xml")
    root = next(container.iter("{*}rootfile"), None) if container is not None else None
    path = (root.get("full-path") or "") if root is not None else ""
    package = book.xml(path) if path else None
    if package is None:
        raise InvalidInputError("This archive is no EPUB: it has no package file", remedy="Give its files one by one")
    return posixpath.dirname(path), package


def _refuse_encrypted(book: _Archive) -> None:
    encryption = book.xml("META-INF/encryption.xml")
    methods = encryption.iter("{*}EncryptionMethod") if encryption is not None else ()
    if any(method.get("Algorithm") not in _FONT_OBFUSCATION for method in methods):
        raise InvalidInputError("This EPUB is encrypted", remedy="Only books without copy protection can be read")


def _manifest(package: "etree._Element", folder: str) -> Manifest:
    """Return the files of the book by id: path in the archive, and entry."""
    items = (item for manifest in package.iter("{*}manifest") for item in manifest.iter("{*}item"))
    return {item.get("id") or "": (_path(folder, item.get("href") or ""), item) for item in items}


def _path(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _spine(package: "etree._Element", manifest: Manifest) -> list[str]:
    """Return the paths of the chapters in reading order, each once."""
    ids = (entry.get("idref") or "" for spine in package.iter("{*}spine") for entry in spine.iter("{*}itemref"))
    return list(dict.fromkeys(manifest[name][0] for name in ids if name in manifest))


def _contents(book: _Archive, manifest: Manifest) -> Titles:
    """Return the table of contents: that of EPUB 3, else that of EPUB 2."""
    entries: list[tuple[str, str]] = []
    for path, item in manifest.values():
        is_navigation = "nav" in (item.get("properties") or "").split()
        if not is_navigation and (entries or item.get("media-type") != _NCX):
            continue
        root = book.xml(path)
        if root is not None:
            found = _navigation(root) if is_navigation else _navigation_points(root)
            entries = [(_target(posixpath.dirname(path), href), label) for href, label in found]
        if is_navigation and entries:
            break
    titles: Titles = {}
    for target, label in entries:
        path, _, anchor = target.partition("#")
        if name := one_line(clean(label)):
            titles.setdefault(path, []).append((anchor, name))
    return titles


def _navigation(root: "etree._Element") -> Iterator[tuple[str, str]]:
    """Yield the entries of EPUB 3's table of contents: target and title."""
    lists = list(root.iter("{*}nav"))
    for contents in [nav for nav in lists if nav.get(_TYPE) == "toc"] or lists[:1]:
        for link in contents.iter("{*}a"):
            yield link.get("href") or "", text_inside(link)


def _navigation_points(root: "etree._Element") -> Iterator[tuple[str, str]]:
    """Yield the entries of EPUB 2's table of contents."""
    for point in root.iter("{*}navPoint"):
        target, label = point.find("{*}content"), point.find("{*}navLabel")
        if target is not None and label is not None:
            yield target.get("src") or "", text_inside(label)


def _target(folder: str, href: str) -> str:
    return f"{_path(folder, href)}#{unquote(href.partition('#')[2])}"


def _sections(book: _Archive, spine: Sequence[str], titles: Titles) -> Iterator[SourcePart]:
    """Yield the chapters, parted where the table of contents names a place within one."""
    name = ""
    for number, path in enumerate(spine, 1):
        try:
            tree = html.document_fromstring(text_of(book.read(path)))
        except (KeyError, etree.ParserError):  # it is not there, or empty
            continue
        entries = titles.get(path, [])
        marked = [_mark(tree, at, anchor) for at, (anchor, _) in enumerate(entries)]
        markdown = markdown_of(body_of(tree))
        for at, text in _marked_pieces(markdown):
            if at is not None:
                name = entries[at][1]
            elif entries and not all(marked):
                name = entries[marked.index(False)][1]
            elif not entries and (heading := _HEADING.match(text)):
                name = one_line(heading[1])
            if text:
                yield SourcePart(place=f"section={name or number}", text=text)


def _mark(tree: "html.HtmlElement", at: int, anchor: str) -> bool:
    """Mark the place of *anchor* in the text; answer whether there is one that is not the chapter's beginning."""
    target = next((element for element in tree.iter() if anchor in (element.get("id"), element.get("name"))), None)
    while target is not None and target.tag in _INSIDE_LINES:
        target = target.getparent()
    if not anchor or target is None or target.tag in ("body", "html"):
        return False
    mark = etree.Element("p")
    mark.text = f"\ue002{at}\ue003"
    target.addprevious(mark)
    return True


def _marked_pieces(markdown: str) -> Iterator[tuple[int | None, str]]:
    """Yield the text before the first mark with ``None``, and what follows each mark with its number."""
    first, *rest = _ANCHOR.split(markdown)
    if first.strip():
        yield None, first.strip()
    for number, text in zip(rest[::2], rest[1::2], strict=True):
        yield int(number), text.strip()


def _metadata(package: "etree._Element", name: str) -> str:
    found = next((entry for about in package.iter("{*}metadata") for entry in about.iter(f"{{*}}{name}")), None)
    return one_line(clean(text_inside(found))) if found is not None else ""


def _date(text: str) -> datetime | None:
    with suppress(ValueError):
        at = datetime.fromisoformat(text if len(text) > 7 else f"{text:0<4}-01-01")
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return None
