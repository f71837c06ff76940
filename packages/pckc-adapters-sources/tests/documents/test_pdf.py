"""PDF files made by ReportLab and pypdf."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdf
import pytest
from pckc_adapters_sources.documents.pdf import read_pdf
from pckc_domain.errors import InvalidInputError
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Preformatted, SimpleDocTemplate, Spacer, Table

LEFT = [f"Left line {number} runs on to the gutter of the page" for number in range(8)]
RIGHT = [f"Right line {number} is read after all of the left ones" for number in range(8)]
STYLES = getSampleStyleSheet()
ROWS = [["Name", "Value", "Unit"], ["timeout", "30", "s"], ["size | most", "10", "MB"], ["retries", "5", ""]]
TABLE = """| Name | Value | Unit |
| --- | --- | --- |
| timeout | 30 | s |
| size \\| most | 10 | MB |
| retries | 5 |  |"""
PROSE = "The service keeps every message until it has been read by each of the subscribers. " * 4


def drawn(draw: Callable[[Canvas], None]) -> bytes:
    """Return a PDF that *draw* draws."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=(595, 842), invariant=True)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def flowed(*story: object, **about: str) -> bytes:
    """Return a PDF of flowing blocks."""
    file = BytesIO()
    SimpleDocTemplate(file, invariant=True, **about).build(list(story))
    return file.getvalue()


def text_of(data: bytes, page: int = 1) -> str:
    """Return the text of one page."""
    parts = {part.place: part.text for part in read_pdf(data, max_pages=100).parts}
    return parts[f"page={page}"]


def columns(canvas: Canvas) -> None:
    """Draw a title and two columns, row by row as a careless program does."""
    canvas.setFont("Helvetica", 16)
    canvas.drawString(60, 790, "A title across both columns")
    canvas.setFont("Helvetica", 9)
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        canvas.drawString(60, 750 - 12 * row, left)
        canvas.drawString(320, 750 - 12 * row, right)


def test_columns_are_read_one_after_the_other() -> None:
    text = text_of(drawn(columns))
    assert text == f"# A title across both columns\n\n{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_three_columns_under_a_line_across() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 8)
        for row in range(6):
            for column, name in enumerate(("alpha", "beta", "gamma")):
                canvas.drawString(40 + 180 * column, 700 - 10 * row, f"{name} {row} has words up to its gutter here")
        line = "One line across the page, from the left margin to the right one, below all of the three columns"
        canvas.drawString(40, 600, f"{line}, ends the columns above.")

    text = text_of(drawn(draw))
    found = re.findall(r"(alpha|beta|gamma) (\d)", text)
    assert found == [(name, str(row)) for name in ("alpha", "beta", "gamma") for row in range(6)]
    assert text.endswith("ends the columns above.")


def test_a_ruled_table_is_a_markdown_table() -> None:
    grid = Table(ROWS, style=[("GRID", (0, 0), (-1, -1), 1, colors.black)])
    text = text_of(flowed(Paragraph(PROSE, STYLES["Normal"]), Spacer(1, 12), grid, Spacer(1, 12), Paragraph(PROSE)))
    assert text == f"{PROSE.strip()}\n\n{TABLE}\n\n{PROSE.strip()}"


def test_a_table_without_rules_is_a_markdown_table() -> None:
    text = text_of(flowed(Paragraph(PROSE), Spacer(1, 12), Table(ROWS, colWidths=120), Spacer(1, 12), Paragraph(PROSE)))
    assert text == f"{PROSE.strip()}\n\n{TABLE}\n\n{PROSE.strip()}"


def test_a_table_of_filled_cells() -> None:
    filled = [("BACKGROUND", (0, 0), (-1, -1), colors.lightgrey), ("BOX", (0, 0), (-1, -1), 1, colors.black)]
    filled.append(("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey))
    assert text_of(flowed(Table(ROWS, style=filled))) == TABLE


def test_headings_are_told_by_their_size() -> None:
    story = [Paragraph("Limits", STYLES["Heading1"]), Paragraph(PROSE), Paragraph("Of time", STYLES["Heading2"])]
    text = text_of(flowed(*story, Paragraph(PROSE), title="The manual"))
    assert text.split("\n\n") == ["# Limits", PROSE.strip(), "## Of time", PROSE.strip()]


def set_solid(*texts: str, font: str = "Helvetica") -> bytes:
    """Return a page of lines in one type, each close below the other."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(60, 700)
        text.setFont(font, 12, leading=14)
        text.textLines("\n".join(texts))
        canvas.drawText(text)

    return drawn(draw)


def test_a_heading_set_like_its_text_stands_alone() -> None:
    lines = [
        "Operations handbook",
        "The backup window is 02:00 to 04:00 UTC. Operators must never",
        "restart the primary during it.",
        "Limits of the cluster",
        "It has 5 nodes. Each node requires 32 GB of memory.",
    ]
    assert text_of(set_solid(*lines)).split("\n\n") == [
        "Operations handbook",
        "The backup window is 02:00 to 04:00 UTC. Operators must never restart the primary during it.",
        "Limits of the cluster",
        "It has 5 nodes. Each node requires 32 GB of memory.",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("The report was written for the board of directors by Professor", "Montgomery in the spring."),
        ("The service answers on port 8000 of every node that is up and", "never anywhere else, as agreed."),
        ("The service answers on port 8000.", "Nobody has to restart it after a change of the settings."),
        ("The service keeps its settings in a file of its own, such as", "AppData or the home."),
    ],
)
def test_running_text_is_not_parted(lines: tuple[str, ...]) -> None:
    """Its lines end where the next word has no room, or with a sentence."""
    assert text_of(set_solid(*lines)) == " ".join(lines)


def test_lines_of_code_stay_together() -> None:
    code = ("Node DEFINITIONS", "First INTEGER", "SecondOfThem OCTET STRING { size = 4 }")
    assert text_of(set_solid(*code, font="Courier")) == "\n".join(["```", *code, "```"])


def test_the_title_and_the_date() -> None:
    document = read_pdf(flowed(Paragraph(PROSE), title="The manual"), max_pages=9)
    assert document.title == "The manual"
    assert document.published_at is not None
    assert document.published_at.utcoffset() is not None
    assert read_pdf(flowed(Paragraph("Limits", STYLES["Heading1"]), Paragraph(PROSE)), max_pages=9).title == "Limits"


def test_code_is_fenced_and_indented() -> None:
    code = "def wait(seconds):\n    if seconds > 0:\n        time.sleep(seconds)\n\n    return seconds"
    text = text_of(flowed(Paragraph(PROSE), Preformatted(code, STYLES["Code"]), Paragraph(PROSE)))
    assert text == f"{PROSE.strip()}\n\n```\n{code}\n```\n\n{PROSE.strip()}"


def test_bullets_are_items() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for row, item in enumerate(("first of the things", "second of the things", "third of them all")):
            canvas.drawString(60, 700 - 14 * row, "•")
            canvas.drawString(75, 700 - 14 * row, item)

    assert text_of(drawn(draw)) == "- first of the things\n\n- second of the things\n\n- third of them all"


@pytest.fixture
def dejavu() -> str:
    """Return a font with ligatures, Cyrillic and Hebrew letters, the one that comes with ReportLab."""
    import reportlab
    from reportlab.pdfbase.ttfonts import TTFont

    for folder in ("/usr/share/fonts/truetype/dejavu", str(Path(reportlab.__file__).parent / "fonts")):
        for name in ("DejaVuSans.ttf", "Vera.ttf"):
            path = Path(folder) / name
            if path.exists():
                pdfmetrics.registerFont(TTFont("Wide", str(path)))
                return path.name
    raise AssertionError("no font")


def lines(*texts: str) -> bytes:
    """Return a PDF of one column of lines in the wide font."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Wide", 10)
        for row, text in enumerate(texts):
            canvas.drawString(60, 760 - 12 * row, text)

    return drawn(draw)


def needs_dejavu(font: str) -> None:
    """Skip where the system has no font with all letters."""
    if font != "DejaVuSans.ttf":
        pytest.skip("no DejaVu font here")


def test_ligatures_are_letters(dejavu: str) -> None:
    needs_dejavu(dejavu)
    assert (
        text_of(lines("An e\ufb03cient work\ufb02ow \ufb01nds its \ufb01les."))
        == "An efficient workflow finds its files."
    )


def test_cyrillic(dejavu: str) -> None:
    needs_dejavu(dejavu)
    assert text_of(lines("Сервер слушает порт 9090,", "а журнал хранится месяц.")) == (
        "Сервер слушает порт 9090, а журнал хранится месяц."
    )


def test_right_to_left(dejavu: str) -> None:
    needs_dejavu(dejavu)
    drawn_leftwards = ["9090 " + "השרת מאזין בפורט"[::-1], "." + "ואינו מאזין בפורט אחר"[::-1]]
    assert text_of(lines(*drawn_leftwards)) == "השרת מאזין בפורט 9090 ואינו מאזין בפורט אחר."
    assert text_of(lines("\ufe8e\ufe92\ufea3\ufeae\ufee3")) == "مرحبا"


def test_columns_of_a_right_to_left_page(dejavu: str) -> None:
    needs_dejavu(dejavu)
    right = [f"טור ימני מספר {number} של העמוד הזה" for number in range(6)]
    left = [f"טור שמאלי מספר {number} של העמוד הזה" for number in range(6)]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Wide", 10)
        for row in range(6):
            canvas.drawString(60, 700 - 12 * row, left[row][::-1])
            canvas.drawString(330, 700 - 12 * row, right[row][::-1])

    assert text_of(drawn(draw)) == f"{' '.join(right)}\n\n{' '.join(left)}"


def test_words_are_mended_at_line_ends(dejavu: str) -> None:
    text = text_of(
        lines("The configu-", "ration of a state-of-the-", "art server, under-", "Linux, is hyphen\u00ad", "ated.")
    )
    assert text == "The configuration of a state-of-the-art server, under-Linux, is hyphenated."


def test_chinese_without_an_embedded_font() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("STSong-Light", 12)
        canvas.drawString(60, 700, "服务器监听端口")

    assert text_of(drawn(draw)) == "服务器监听端口"


def picture(canvas: Canvas) -> None:
    """Draw what a scan is: a picture on a page."""
    canvas.rect(50, 50, 400, 600, fill=1)


def test_pages_without_text_are_named() -> None:
    def draw(canvas: Canvas) -> None:
        picture(canvas)
        canvas.showPage()
        canvas.drawString(60, 700, "The only words.")
        canvas.showPage()
        picture(canvas)

    document = read_pdf(drawn(draw), max_pages=9)
    assert [(part.place, part.text) for part in document.parts] == [("page=2", "The only words.")]
    assert document.notes == ("2 of 3 pages have no text",)


def test_a_scan_without_text_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no text") as error:
        read_pdf(drawn(picture), max_pages=9)
    assert "OCR" in error.value.remedy


def encrypted(user: str, algorithm: str) -> bytes:
    """Return an encrypted PDF."""
    writer = pypdf.PdfWriter(BytesIO(flowed(Paragraph("Secret words."))))
    writer.encrypt(user, "owner", algorithm=algorithm)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_pdf_with_a_password_is_refused(algorithm: str) -> None:
    with pytest.raises(InvalidInputError, match="password"):
        read_pdf(encrypted("secret", algorithm), max_pages=9)


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_pdf_that_only_forbids_is_read(algorithm: str) -> None:
    assert text_of(encrypted("", algorithm)) == "Secret words."


def test_a_broken_cross_reference_table_is_mended() -> None:
    data = drawn(columns)
    assert text_of(re.sub(rb"startxref\n\d+", b"startxref\n99999999", data)) == text_of(data)
    assert text_of(re.sub(rb"\d{10} 00000 n", b"0000000007 00000 n", data)) == text_of(data)
    assert text_of(data[: data.index(b"xref\n0")] + data[data.index(b"trailer") :]) == text_of(data)


def test_a_cut_file_is_refused() -> None:
    data = drawn(columns)
    with pytest.raises(InvalidInputError, match="damaged"):
        read_pdf(data[: data.index(b"xref\n0")], max_pages=9)


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n" + bytes(5000), b"%PDF-1.4\n1 0 obj\n<<"], ids=len)
def test_what_is_beyond_repair_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInputError, match="damaged"):
        read_pdf(data, max_pages=9)


def test_only_so_many_pages_are_read() -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(1, 31):
            canvas.drawString(60, 700, f"This is page {number}.")
            canvas.showPage()

    document = read_pdf(drawn(draw), max_pages=10)
    assert [part.place for part in document.parts] == [f"page={number}" for number in range(1, 11)]
    assert document.notes == ("only the first 10 of 30 pages were read",)


def test_a_rotated_page_is_read() -> None:
    writer = pypdf.PdfWriter(BytesIO(drawn(columns)))
    writer.pages[0].rotate(90)
    file = BytesIO()
    writer.write(file)
    assert text_of(file.getvalue()) == text_of(drawn(columns))


def test_running_titles_and_page_numbers_are_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(1, 6):
            canvas.setFont("Helvetica", 8)
            canvas.drawString(60, 820, f"The manual, chapter {number}")
            canvas.drawString(290, 20, str(number))
            canvas.setFont("Helvetica", 10)
            canvas.drawString(60, 700, f"Page {number} says something of its own.")
            canvas.drawString(60, 660, "Every page says this.")
            canvas.drawString(60, 620, f"And it ends with {'a rule' if number % 2 else 'a wish'}.")
            canvas.showPage()

    parts = read_pdf(drawn(draw), max_pages=9).parts
    assert [part.text.split("\n\n") for part in parts] == [
        [
            f"Page {number} says something of its own.",
            "Every page says this.",
            f"And it ends with {'a rule' if number % 2 else 'a wish'}.",
        ]
        for number in range(1, 6)
    ]
