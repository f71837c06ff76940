"""Which files are read, and what becomes of those that do not end by themselves."""

import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import attrs
import pytest
from pckc_adapters_sources.backend import DOCUMENTS
from pckc_adapters_sources.documents.settings import DocumentSettings
from pckc_adapters_sources.documents.source import Documents
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.testing.document_contract import DocumentShelf

MARKDOWN = b"# Ports\n\nThe server listens on port 9090.\n"
PAGE = b"<html><body><h1>Ports</h1><p>The server listens on port 9090.</p></body></html>"


def pdf(stream: bytes, filters: bytes = b"/FlateDecode") -> bytes:
    """Return a PDF of one page whose packed content is *stream*."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d/Filter%b>>stream\n%b\nendstream" % (len(stream), filters, stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF"


def packed(unit: bytes, times: int) -> bytes:
    """Return *unit* repeated, packed piece by piece."""
    packer = zlib.compressobj(1)
    return b"".join([*(packer.compress(unit) for _ in range(times)), packer.flush()])


def test_the_backend_opens(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(MARKDOWN)
    with DOCUMENTS.open(DOCUMENTS.settings(folders=(str(tmp_path),))) as source:
        assert source.read(str(tmp_path / "a.md")).title == "Ports"


def test_links_are_followed_only_within_the_folders(
    shelf: DocumentShelf, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_bytes(MARKDOWN)
    inside = Path(shelf.write("notes.md", MARKDOWN))
    (inside.parent / "good").symlink_to(inside)
    (inside.parent / "bad.md").symlink_to(outside / "secret.md")
    (inside.parent / "folder").symlink_to(outside)
    assert shelf.source.read(str(inside.parent / "good")).uri == inside.as_uri()
    for name in ("bad.md", "folder/secret.md", "folder/../bad.md"):
        with pytest.raises(InvalidInputError, match="outside"):
            shelf.source.read(str(inside.parent / name))


def test_a_folder_that_only_begins_alike_is_outside(tmp_path: Path) -> None:
    (tmp_path / "docs-old").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs-old" / "a.md").write_bytes(MARKDOWN)
    with pytest.raises(InvalidInputError, match="outside") as error:
        Documents(DocumentSettings(folders=(str(tmp_path / "docs"),))).read(str(tmp_path / "docs-old" / "a.md"))
    assert "folders" in error.value.remedy


def test_a_relative_path_is_looked_for_in_the_folders(shelf: DocumentShelf) -> None:
    path = shelf.write("unusual name.md", MARKDOWN)
    assert shelf.source.read("unusual name.md").uri == Path(path).as_uri()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_opened(shelf: DocumentShelf, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(InvalidInputError, match="no file"):
        shelf.source.read(str(tmp_path / "pipe.md"))


def test_a_folder_is_no_document(shelf: DocumentShelf, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no file"):
        shelf.source.read(str(tmp_path))


def test_file_addresses_when_they_are_allowed(shelf: DocumentShelf, tmp_path: Path) -> None:
    path = Path(shelf.write("a b.md", MARKDOWN))
    source = Documents(DocumentSettings(folders=(str(tmp_path),), file_addresses=True))
    assert source.read(path.as_uri()).uri == path.as_uri()
    with pytest.raises(InvalidInputError):
        source.read("file:///etc/passwd")


def test_bytes_tell_the_format_not_names(shelf: DocumentShelf) -> None:
    content = b"BT /F 12 Tf 60 700 Td (The only words.) Tj ET"
    document = shelf.source.read(shelf.write("really.txt", pdf(zlib.compress(content))))
    assert document.kind is DocumentKind.PDF
    assert [(part.place, part.text) for part in document.parts] == [("page=1", "The only words.")]
    assert shelf.source.read(shelf.write("page.md", PAGE)).kind is DocumentKind.WEB


def limited(shelf: DocumentShelf, **limits: float) -> Documents:
    """Return a source of the shelf's folder with other limits."""
    return Documents(attrs.evolve(shelf.source._settings, **limits))  # type: ignore[attr-defined]  # the fixture's


@pytest.mark.parametrize("name", ["large.md", "large.html", "large.pdf"])
def test_a_file_over_the_cap_is_refused(shelf: DocumentShelf, name: str) -> None:
    head = b"%PDF-1.4\n" if name.endswith("pdf") else b"<html>" if name.endswith("html") else b""
    path = shelf.write(name, head + b"a " * 10_000)
    with pytest.raises(InvalidInputError, match="larger than 1,000 bytes"):
        limited(shelf, max_bytes=1_000).read(path)


def test_too_much_text_is_refused(shelf: DocumentShelf) -> None:
    with pytest.raises(InvalidInputError, match="characters") as error:
        limited(shelf, max_text_characters=100).read(shelf.write("long.html", PAGE.replace(b"9090", b"9090 " * 100)))
    assert "max_text_characters" in error.value.remedy


@pytest.mark.parametrize("times", [1, 2])
def test_a_bomb_of_packed_blanks_ends_at_the_memory_cap(shelf: DocumentShelf, times: int) -> None:
    bomb = packed(b" " * (1 << 20), 400)
    bomb = zlib.compress(bomb) if times == 2 else bomb
    path = shelf.write("bomb.pdf", pdf(bomb, b"[" + b"/FlateDecode" * times + b"]"))
    with pytest.raises(InvalidInputError, match="memory"):
        limited(shelf, max_memory_bytes=256 << 20).read(path)


def test_a_page_that_takes_too_long_ends_at_the_deadline(shelf: DocumentShelf) -> None:
    words = b"BT /F 1 Tf 1 0 0 1 %d 10 Tm (words of a page) Tj ET\n"
    page = packed(b"".join(words % (number % 500) for number in range(20_000)), 40)
    with pytest.raises(InvalidInputError, match="longer than 1 s") as error:
        limited(shelf, timeout_seconds=1).read(shelf.write("slow.pdf", pdf(page)))
    assert "timeout_seconds" in error.value.remedy


def test_a_tree_of_pages_that_leads_round_is_refused(shelf: DocumentShelf) -> None:
    data = pdf(b"").replace(b"/Kids[3 0 R]/Count 1", b"/Kids[2 0 R]/Count 1000000")
    with pytest.raises(InvalidInputError):
        shelf.source.read(shelf.write("round.pdf", data))


def test_the_process_leaves_nothing_behind(shelf: DocumentShelf, tmp_path: Path) -> None:
    shelf.source.read(shelf.write("page.html", PAGE))
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_module_beside_the_document_is_not_run(
    shelf: DocumentShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cattrs.py").write_text("raise SystemExit(7)")
    (tmp_path / "lxml.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert shelf.source.read(shelf.write("page.html", PAGE)).title == "Ports"


@pytest.mark.parametrize(
    ("library", "name", "data"),
    [
        ("trafilatura", "a.html", PAGE),
        ("pypdfium2", "a.pdf", pdf(zlib.compress(b" "))),
        ("lxml", "a.epub", b"PK\x03\x04" + bytes(60)),
    ],
)
def test_a_missing_library_is_named_with_its_remedy(library: str, name: str, data: bytes) -> None:
    # A process without the library: the modules of this one are loaded.
    program = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from pckc_adapters_sources.documents.parsing import parse\n"
        "from pckc_adapters_sources.documents.settings import DocumentSettings\n"
        "from pckc_domain.errors import ConfigurationError\n"
        "try:\n    parse(sys.stdin.buffer.read(), DocumentSettings(), name=sys.argv[1])\n"
        "except ConfigurationError as error:\n    print(error, error.remedy)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, name], input=data, capture_output=True, check=True)
    assert library.encode() in done.stdout
    assert b"pip install 'pckc-adapters-sources[documents]'" in done.stdout


def test_markdown_and_text_need_no_library(shelf: DocumentShelf) -> None:
    path = shelf.write("a.md", MARKDOWN)
    program = (
        "import sys\nfrom pckc_adapters_sources.backend import DOCUMENTS\n"
        "with DOCUMENTS.open(DOCUMENTS.settings(folders=(sys.argv[2],))) as source:\n    source.read(sys.argv[1])\n"
        "print([name for name in ('httpx', 'lxml', 'pypdfium2', 'trafilatura', 'protego') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path, str(Path(path).parent)], capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[]"


@pytest.mark.parametrize(
    "settings",
    [
        {"private_networks": ("10.0.0.1/8",)},
        {"private_networks": ("office",)},
        {"timeout_seconds": 0},
        {"max_pages": 0},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=re.escape(next(iter(settings)))):
        DocumentSettings(**settings)  # type: ignore[arg-type]  # wrong on purpose
