"""What every document source must do."""

import hashlib
from abc import abstractmethod
from datetime import timedelta
from typing import Protocol

import pytest

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.ports.documents import DocumentSource

MARKDOWN = """Before any heading.

# Queues

A queue keeps its order.

## Limits

| name | value |
| --- | --- |
| size | 10 |

- one
  - nested

## Limits

```python
# no heading
x = 1

y = 2
```

# Сервер

Порт 9090.
"""

TEXT = "First paragraph\nof two lines.\n\nSecond: naïve, Ж, שלום.\n"

UNREADABLE = {
    "nothing": ("empty.txt", b""),
    "blanks": ("blank.md", b" \n\t\n"),
    "an image": ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
    "no page of the web": ("page.html", b"<html><body><script>draw()</script></body></html>"),
    "half a PDF": ("half.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Cat"),
    "an archive that is no EPUB": ("book.epub", b"PK\x05\x06" + bytes(18)),
    "a cut archive": ("cut.epub", b"PK\x03\x04" + bytes(60)),
}

REFUSED = {
    "a file address": "file:///etc/passwd",
    "another scheme": "ftp://example.org/notes.txt",
    "a data address": "data://text/plain,secret",
    "loopback": "http://127.0.0.1:1/",
    "loopback as one number": "http://2130706433:1/",
    "loopback as hexadecimal": "http://0x7f000001:1/",
    "loopback in short": "http://127.1:1/",
    "loopback as octal": "http://0177.0.0.1:1/",
    "loopback of IPv6": "http://[::1]:1/",
    "loopback mapped to IPv6": "http://[::ffff:127.0.0.1]:1/",
    "loopback mapped in hexadecimal": "http://[::ffff:7f00:1]:1/",
    "a name of loopback": "http://localhost:1/",
    "a private network": "http://10.1.2.3:1/",
    "link local": "http://169.254.169.254:1/latest/meta-data/",
    "unspecified": "http://0.0.0.0:1/",
    "unique local": "http://[fd00::1]:1/",
    "a password": "http://user:secret@example.org/",
    "no host": "http:///path",
    "no path": "",
    "a NUL": "notes\0.txt",
    "missing": "no/such/file.md",
    "outside": "/etc/passwd",
    "outside by dots": "../../../../../../../../../../../../etc/passwd",
}


class DocumentShelf(Protocol):
    """A folder that a test can put files into, and the source that reads them; no private network may be reached."""

    source: DocumentSource

    @abstractmethod
    def write(self, name: str, data: bytes) -> str:
        """Make or replace a file; return its location."""


class DocumentContract:
    """Inherit it and provide the fixture *shelf*: an empty folder, the only one that may be read."""

    @pytest.fixture
    def shelf(self) -> DocumentShelf:
        """Return an empty shelf."""
        raise NotImplementedError

    def test_markdown_is_parted_by_its_headings(self, shelf: DocumentShelf) -> None:
        document = shelf.source.read(shelf.write("notes.md", MARKDOWN.encode()))
        assert document.kind is DocumentKind.MARKDOWN
        assert document.title == "Queues"
        assert [part.place for part in document.parts] == [
            "paragraph=1",
            "heading=Queues",
            "heading=Queues > Limits",
            "heading=Queues > Limits (2)",
            "heading=Сервер",
        ]

    def test_markdown_keeps_tables_lists_and_code(self, shelf: DocumentShelf) -> None:
        document = shelf.source.read(shelf.write("notes.md", MARKDOWN.encode()))
        texts = {part.place: part.text for part in document.parts}
        assert "| size | 10 |" in texts["heading=Queues > Limits"]
        assert "- one\n  - nested" in texts["heading=Queues > Limits"]
        assert "```python\n# no heading\nx = 1\n\ny = 2\n```" in texts["heading=Queues > Limits (2)"]

    def test_text_is_parted_by_its_paragraphs(self, shelf: DocumentShelf) -> None:
        document = shelf.source.read(shelf.write("notes.txt", TEXT.encode()))
        assert document.kind is DocumentKind.TEXT
        assert [(part.place, part.text) for part in document.parts] == [
            ("paragraph=1", "First paragraph\nof two lines."),
            ("paragraph=2", "Second: naïve, Ж, שלום."),
        ]

    @pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1251", "koi8-r"])
    def test_any_charset_is_read(self, shelf: DocumentShelf, codec: str) -> None:
        text = "Сервер слушает порт 9090, а журнал хранится тридцать дней.\nЭто правило для всех узлов.\n"
        document = shelf.source.read(shelf.write("notes.txt", text.encode(codec)))
        assert document.parts[0].text == text.strip()

    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_lines_end_with_a_newline_only(self, shelf: DocumentShelf, end: str) -> None:
        document = shelf.source.read(shelf.write("notes.md", MARKDOWN.replace("\n", end).encode()))
        assert not any("\r" in part.text for part in document.parts)

    def test_the_bytes_are_named_by_their_digest(self, shelf: DocumentShelf) -> None:
        data = MARKDOWN.encode()
        document = shelf.source.read(shelf.write("notes.md", data))
        assert document.content_hash == hashlib.sha256(data).hexdigest()
        assert document.size_bytes == len(data)
        assert document.uri.startswith("file:///")
        assert document.fetched_from == ""

    def test_the_same_bytes_are_the_same_document(self, shelf: DocumentShelf) -> None:
        location = shelf.write(
            "page.html", b"<html><body><h1>Ports</h1><p>The server listens on 9090.</p></body></html>"
        )
        assert shelf.source.read(location) == shelf.source.read(location)

    def test_places_are_unique_and_on_one_line(self, shelf: DocumentShelf) -> None:
        text = "# Same\n\nx\n\n# Same\n\nx\n\n# Same (2)\n\nx\n\n# " + "long " * 200 + "\n\nx\n\n#\n\nx\n"
        places = [part.place for part in shelf.source.read(shelf.write("same.md", text.encode())).parts]
        assert len(places) == len(set(places)) == 4
        assert all("\n" not in place and 0 < len(place) < 300 for place in places)

    def test_times_are_aware(self, shelf: DocumentShelf) -> None:
        page = (
            b'<html><head><meta property="article:published_time" content="2024-05-01T10:00:00Z"></head><body><article>'
        )
        page += (
            b"<h1>Ports</h1><p>"
            + b"The server listens on port 9090 and nowhere else. " * 20
            + b"</p></article></body></html>"
        )
        published = shelf.source.read(shelf.write("page.html", page)).published_at
        assert published is not None
        assert published.utcoffset() == timedelta(0)
        assert (published.year, published.month, published.day) == (2024, 5, 1)

    @pytest.mark.parametrize(("name", "data"), UNREADABLE.values(), ids=UNREADABLE)
    def test_what_has_no_text_is_refused(self, shelf: DocumentShelf, name: str, data: bytes) -> None:
        with pytest.raises(InvalidInputError) as error:
            shelf.source.read(shelf.write(name, data))
        assert error.value.message

    @pytest.mark.parametrize("location", REFUSED.values(), ids=REFUSED)
    def test_what_may_not_be_read_is_refused(self, shelf: DocumentShelf, location: str) -> None:
        with pytest.raises(InvalidInputError):
            shelf.source.read(location)
