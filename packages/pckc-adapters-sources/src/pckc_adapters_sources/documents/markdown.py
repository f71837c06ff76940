"""HTML as Markdown: headings, lists, tables, code and quotes; emphasis, links and pictures leave their text only."""

import re
from collections.abc import Callable, Iterator

from lxml.etree import _Element

from pckc_adapters_sources.documents.cleaning import clean

_SKIPPED = frozenset("script style template noscript svg canvas iframe object button select textarea graphic".split())
_CONTAINERS = frozenset(
    "html body main article section div p header footer nav aside figure figcaption details summary address fieldset"
    " form center dd dt td th cell thead tbody tfoot tr row caption hgroup search".split()
)
_BREAK = "\x0b"
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]{1,30})")
MARKED_LANGUAGE = re.compile("\ue000([\\w+#.-]{1,30})\ue001")
"""How a language is written before code whose class will be lost."""
_BLANK_LINES = re.compile(r"\n{3,}")
_MOST_COLUMNS = 100

Run = list[str]


def markdown_of(element: _Element) -> str:
    """Return the Markdown of an HTML tree, or of one in trafilatura's vocabulary."""
    return _BLANK_LINES.sub("\n\n", clean("\n\n".join(_blocks(element)))).strip()


def text_inside(element: _Element) -> str:
    """Return all text in *element*."""
    return "".join(map(str, element.itertext()))


def language_of(element: _Element) -> str:
    """Return the language that the classes of a ``pre``, of what is around it or in it, name; ``""`` when none does."""
    around = element.getparent()
    for candidate in (element, *element.iterfind("code"), *([around] if around is not None else [])):
        found = _LANGUAGE.search(candidate.get("class") or "")
        if found:
            return found[1].lower()
    return ""


def _blocks(element: _Element) -> Iterator[str]:
    run: Run = []
    yield from _walk(element, run)
    yield from _paragraph(run)


def _walk(element: _Element, run: Run) -> Iterator[str]:
    """Yield the blocks in *element*; *run* holds the text of the paragraph that is not over yet."""
    run.append(element.text or "")
    for child in element:
        tag = child.tag
        if not isinstance(tag, str) or tag in _SKIPPED:
            pass  # a comment has a tail like anything else
        elif tag in ("br", "lb"):
            run.append(_BREAK)
        elif tag == "code" and not _is_block_of_code(child):
            run.append(_code_span(child))
        elif block := _BLOCKS.get(tag):
            yield from _paragraph(run)
            yield from block(child)
        elif tag in _CONTAINERS:
            yield from _paragraph(run)
            yield from _walk(child, run)
            yield from _paragraph(run)
        else:
            yield from _walk(child, run)
        run.append(child.tail or "")


def _paragraph(run: Run) -> Iterator[str]:
    """Yield the paragraph that ends here, if there is one."""
    lines = (" ".join(line.split()) for line in "".join(run).split(_BREAK))
    text = "\n".join(filter(None, lines))
    run.clear()
    if text:
        yield text


def _line(element: _Element) -> str:
    return " ".join(" ".join(_blocks(element)).split())


def _heading(element: _Element) -> Iterator[str]:
    name = element.get("rend", "h2") if element.tag == "head" else str(element.tag)
    text = _line(element)
    if text:
        yield f"{'#' * int(name[1:] if name[1:].isdigit() else 2)} {text}"


def _is_block_of_code(code: _Element) -> bool:
    around = code.getparent()
    return "\n" in (code.text or "").strip() or (around is not None and around.tag in ("body", "main"))


def _code_span(code: _Element) -> str:
    text = " ".join(text_inside(code).split())
    return f"`{text}`" if text and "`" not in text else text


def _fence(element: _Element) -> Iterator[str]:
    for line_break in element.iter("br", "lb"):
        line_break.text = "\n"
    text = text_inside(element).replace("\r\n", "\n")
    language = language_of(element)
    if marked := MARKED_LANGUAGE.search(text):
        language, text = marked[1], text.replace(marked[0], "")
    text = text.strip("\n").rstrip()
    if text:
        mark = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])
        yield f"{mark}{language}\n{text}\n{mark}"


def _quote(element: _Element) -> Iterator[str]:
    text = "\n\n".join(_blocks(element))
    if text:
        yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _list(element: _Element) -> Iterator[str]:
    if element.get("rend") == "dl":
        yield from _definitions(element)
        return
    numbered = element.tag == "ol" or element.get("rend") == "ol"
    first = element.get("start") or "1"
    number = int(first) if first.isdigit() and len(first) < 9 else 1
    items: list[str] = []
    for child in element:
        if child.tag in ("li", "item"):
            mark = f"{number}. " if numbered else "- "
            text = _tight(_blocks(child))
            if text:
                items.append(mark + _indented(text, len(mark)).lstrip())
                number += 1
        elif isinstance(child.tag, str):  # a list right in a list belongs to the item before it
            items += [_indented(block, 2) for block in (_BLOCKS.get(child.tag) or _blocks)(child)]
    if items:
        yield "\n".join(items)


def _tight(blocks: Iterator[str]) -> str:
    """Return the blocks of an item, lists right under what they belong to."""
    text = ""
    for block in blocks:
        text += ("\n" if block.startswith(("- ", "1. ")) else "\n\n" if text else "") + block
    return text.strip("\n")


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line if line else "" for line in text.split("\n"))


def _definitions(element: _Element) -> Iterator[str]:
    terms: list[str] = []
    for child in element.iter("dt", "dd", "item"):
        text = _line(child)
        if child.tag == "dt" or (child.get("rend") or "").startswith("dt"):
            terms.append(text)
        elif text:
            yield f"**{', '.join(terms)}**: {text}" if terms else text
            terms = []
    yield from filter(None, terms)


def _table(table: _Element) -> Iterator[str]:
    rows = [row for row in table.iter("tr", "row") if next(row.iterancestors("table"), None) is table]
    cells = [[cell for cell in row if cell.tag in ("td", "th", "cell")] for row in rows]
    for caption in table.iterfind("caption"):
        yield from _blocks(caption)
    if max(map(len, cells), default=0) < 2 or _is_layout(table):
        for row in rows:
            yield from _blocks(row)
        return
    lines = [_row(row) for row in cells if row]
    width = max(map(len, lines))
    head, *body = [f"| {' | '.join(line + [''] * (width - len(line)))} |" for line in lines]
    yield "\n".join([head, "|" + " --- |" * width, *body])


def _is_layout(table: _Element) -> bool:
    """Return whether *table* only arranges a page."""
    inside = {element.tag for element in table.iter("table", "pre", "h1", "h2", "h3", "head", "th")} - {"th"}
    return (
        table.get("role") in ("presentation", "none") or len(list(table.iter("table"))) > 1 or bool(inside - {"table"})
    )


def _row(cells: list[_Element]) -> list[str]:
    line: list[str] = []
    for cell in cells:
        span = cell.get("colspan") or "1"
        line.append(_line(cell).replace("|", "\\|"))
        line += [""] * ((int(span) if span.isdigit() and len(span) < 4 else 1) - 1)
    return line[:_MOST_COLUMNS]


def _rule(_: _Element) -> Iterator[str]:
    yield from ()


_BLOCKS: dict[str, Callable[[_Element], Iterator[str]]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "head"), _heading),
    **dict.fromkeys(("ul", "ol", "menu", "list"), _list),
    **dict.fromkeys(("pre", "code"), _fence),
    **dict.fromkeys(("blockquote", "quote"), _quote),
    "dl": _definitions,
    "table": _table,
    "hr": _rule,
}
