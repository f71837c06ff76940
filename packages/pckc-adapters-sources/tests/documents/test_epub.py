"""Books made by mkepub, and books written by hand for what it does not make."""

import zipfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import mkepub
import pytest
from pckc_adapters_sources.documents.epub import read_epub
from pckc_domain.errors import InvalidInputError

LIMIT = 10 << 20
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>"""
OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>By hand</dc:title><dc:date>2019</dc:date></metadata>
<manifest>{}<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
<spine toc="ncx">{}</spine></package>"""
XHTML = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{}</body></html>'


def made(*pages: tuple[str, str]) -> bytes:
    """Return the book that mkepub makes of titles and bodies."""
    book = mkepub.Book(title="The handbook", author="A. Writer")
    for title, body in pages:
        book.add_page(title, body)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "book.epub"
        book.save(path)
        book.tempdir.cleanup()
        return path.read_bytes()


def by_hand(chapters: dict[str, str], contents: list[tuple[str, str]], **more: str) -> bytes:
    """Return a book of EPUB 2: files to bodies, and the table of contents as targets and titles."""
    points = "".join(
        f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/></navPoint>'
        for target, title in contents
    )
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    files = {
        "META-INF/container.xml": CONTAINER,
        "O/p.opf": OPF.format(items, "".join(f'<itemref idref="{name}"/>' for name in chapters)),
        "O/toc.ncx": f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>',
        **{f"O/{name}": XHTML.format(body) for name, body in chapters.items()},
        **more,
    }
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


def read(data: bytes) -> list[tuple[str, str]]:
    """Return places and texts."""
    return [(part.place, part.text) for part in read_epub(data, max_unpacked_bytes=LIMIT).parts]


def test_chapters_are_named_by_the_table_of_contents() -> None:
    book = made(
        ("Queues &amp; order", "<h1>Queues</h1><p>A queue keeps its order.</p>"),
        ("Пределы", "<p>Размер очереди ограничен.</p>"),
        ("Пределы", "<p>Время ожидания ограничено.</p>"),
    )
    assert read(book) == [
        ("section=Queues & order", "# Queues\n\nA queue keeps its order."),
        ("section=Пределы", "Размер очереди ограничен."),
        ("section=Пределы (2)", "Время ожидания ограничено."),
    ]
    assert read_epub(book, max_unpacked_bytes=LIMIT).title == "The handbook"


def test_lists_tables_and_code() -> None:
    body = "<ul><li>a<ol><li>b</li><li>c</li></ol></li></ul>"
    body += "<table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>"
    ((_, text),) = read(made(("One", body + '<pre class="language-sh"><code>ls -l\n  pwd</code></pre>')))
    assert text == "- a\n  1. b\n  2. c\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n```sh\nls -l\n  pwd\n```"


def test_the_spine_decides_the_order() -> None:
    book = by_hand({"z.xhtml": "<p>First.</p>", "a.xhtml": "<p>Second.</p>"}, [("a.xhtml", "A"), ("z.xhtml", "Z")])
    assert read(book) == [("section=Z", "First."), ("section=A", "Second.")]


def test_one_file_of_several_chapters_is_parted_at_their_anchors() -> None:
    body = '<p>Preface.</p><h2 id="one">One</h2><p>First.</p><p><a id="two"/>Two</p><p>Second.</p>'
    contents = [("all.xhtml", "Before"), ("all.xhtml#one", "Chapter one"), ("all.xhtml#two", "Chapter two")]
    assert read(by_hand({"all.xhtml": body}, contents)) == [
        ("section=Before", "Preface."),
        ("section=Chapter one", "## One\n\nFirst."),
        ("section=Chapter two", "Two\n\nSecond."),
    ]


def test_a_file_that_the_contents_leave_out_is_named_by_its_heading_or_goes_on() -> None:
    chapters = {"1.xhtml": "<p>Start.</p>", "2.xhtml": "<h1>Own name</h1><p>x</p>", "3.xhtml": "<p>More.</p>"}
    assert [place for place, _ in read(by_hand(chapters, []))] == [
        "section=1",
        "section=Own name",
        "section=Own name (2)",
    ]


def test_right_to_left_and_ligatures() -> None:
    assert read(made(("א", "<p>השרת מאזין</p><p>e\ufb03cient con\u00adfig</p>"))) == [
        ("section=א", "השרת מאזין\n\nefficient config")
    ]


def test_a_year_alone_is_a_date() -> None:
    book = read_epub(by_hand({"1.xhtml": "<p>x</p>"}, []), max_unpacked_bytes=LIMIT)
    assert book.published_at is not None
    assert book.published_at.year == 2019


def test_a_zip_bomb_is_refused() -> None:
    bomb = by_hand({"1.xhtml": "<p>" + "a" * (LIMIT + 1) + "</p>"}, [])
    assert len(bomb) < LIMIT // 100
    with pytest.raises(InvalidInputError, match="larger than") as error:
        read(bomb)
    assert "max_unpacked_bytes" in error.value.remedy


def test_many_files_that_are_too_much_together_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="larger than"):
        read(by_hand({f"{number}.xhtml": "<p>" + "a" * (LIMIT // 8) + "</p>" for number in range(9)}, []))


def test_entities_do_not_swell() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 50 if n else "lol" * 50}">' for n in range(9))
    opf = f"<!DOCTYPE package [{bomb}]>" + OPF.format("", "").partition("?>")[2].replace("By hand", "&e8;")
    with pytest.raises(InvalidInputError):
        read(by_hand({"1.xhtml": "<p>x</p>"}, [], **{"O/p.opf": opf}))


def test_a_file_outside_is_not_read() -> None:
    entity = '<!DOCTYPE package [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    opf = (
        OPF.format('<item id="c" href="c.xhtml"/>', '<itemref idref="c"/>').partition("?>")[2].replace("By hand", "&x;")
    )
    book = read_epub(by_hand({"c.xhtml": "<p>x</p>"}, [], **{"O/p.opf": entity + opf}), max_unpacked_bytes=LIMIT)
    assert "root:" not in book.title


def test_an_encrypted_book_is_refused() -> None:
    encryption = '<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/></e>'
    with pytest.raises(InvalidInputError, match="encrypted"):
        read(by_hand({"1.xhtml": "<p>x</p>"}, [], **{"META-INF/encryption.xml": encryption}))


def test_veiled_fonts_are_no_encryption() -> None:
    encryption = '<e><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></e>'
    assert read(by_hand({"1.xhtml": "<p>x</p>"}, [], **{"META-INF/encryption.xml": encryption})) == [("section=1", "x")]


def test_a_book_of_pictures_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no text"):
        read(by_hand({"1.xhtml": '<img src="1.png"/>', "2.xhtml": ""}, []))


@pytest.mark.parametrize("cut", [30, 200, -30])
def test_a_cut_book_is_refused(cut: int) -> None:
    with pytest.raises(InvalidInputError):
        read(made(("One", "<p>x</p>"))[:cut])


def test_a_book_with_a_damaged_chapter_is_refused() -> None:
    book = bytearray(by_hand({"1.xhtml": "<p>" + "words of a chapter " * 50 + "</p>"}, []))
    at = book.index(b"O/1.xhtml") + 20
    book[at : at + 20] = bytes(20)
    with pytest.raises(InvalidInputError, match="damaged"):
        read(bytes(book))


def test_an_archive_that_is_no_book_is_refused() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    with pytest.raises(InvalidInputError, match="no EPUB"):
        read(file.getvalue())


def test_an_archive_with_a_name_that_is_no_text_is_refused() -> None:
    book = by_hand({"1.xhtml": "<p>x</p>"}, [], **{"O/ж.css": ""})
    with pytest.raises(InvalidInputError, match="damaged"):
        read(book.replace("ж".encode(), b"\x80\x80"))
