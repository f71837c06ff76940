"""Tables on a page: drawn with rules, or told by runs that stand in rows and columns."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, median

import attrs

from pckc_adapters_sources.documents.pdf_page import HYPHEN, Box, Run

_NEAR = 2.5
"""Points within which two rules meet, or are one."""
_FEWEST_ROWS = 3
_SHORT_CELL = 24
"""Characters: columns of longer text are columns of a page, but for one of them."""
_FEWEST_FILLED = 0.6
_MOST_CELLS = 20_000


@attrs.frozen
class Table:
    """A table on a page; *rows* are from top to bottom, equally long."""

    rows: tuple[tuple[str, ...], ...]
    box: Box
    size: float

    def markdown(self) -> str:
        """Return it as a Markdown table whose head is the first row."""
        head, *body = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in self.rows]
        return "\n".join([head, "|" + " --- |" * len(self.rows[0]), *body])


def ruled_tables(runs: Sequence[Run], level: Sequence[Box], upright: Sequence[Box]) -> tuple[list[Table], list[Run]]:
    """Return the tables whose cells are parted by *level* and *upright* rules, and the runs outside of them."""
    tables: list[Table] = []
    rest = list(runs)
    for level_rules, upright_rules in _clusters(level, upright):
        xs = _distinct([rule.left for rule in upright_rules])
        ys = _distinct([rule.bottom for rule in level_rules])
        if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > _MOST_CELLS:
            continue
        box = Box(xs[0] - _NEAR, ys[0] - _NEAR, xs[-1] + _NEAR, ys[-1] + _NEAR)
        inside = [run for run in rest if box.holds(run.box)]
        if rows := _grid(inside, xs, ys):
            tables.append(Table(rows, box, median(run.size for run in inside)))
            rest = [run for run in rest if not box.holds(run.box)]
    return tables, rest


def _clusters(level: Sequence[Box], upright: Sequence[Box]) -> Iterator[tuple[list[Box], list[Box]]]:
    """Yield the level and upright rules that hang together."""
    rules = sorted(
        [(rule, True) for rule in level] + [(rule, False) for rule in upright], key=lambda rule: rule[0].left
    )
    groups = list(range(len(rules)))

    def first_of(at: int) -> int:
        while groups[at] != at:
            groups[at] = at = groups[groups[at]]
        return at

    for at, (rule, _) in enumerate(rules):
        for other in range(at + 1, len(rules)):
            if rules[other][0].left > rule.right + _NEAR:
                break
            if _touch(rule, rules[other][0]):
                groups[first_of(other)] = first_of(at)
    members: dict[int, tuple[list[Box], list[Box]]] = {}
    for at, (rule, is_level) in enumerate(rules):
        members.setdefault(first_of(at), ([], []))[0 if is_level else 1].append(rule)
    yield from members.values()


def _touch(one: Box, other: Box) -> bool:
    return (
        one.left - _NEAR <= other.right
        and other.left - _NEAR <= one.right
        and one.bottom - _NEAR <= other.top
        and other.bottom - _NEAR <= one.top
    )


def _distinct(places: Sequence[float]) -> list[float]:
    """Return the places in order, near ones once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _NEAR:
            found.append(place)
    return found


def _grid(runs: Sequence[Run], xs: Sequence[float], ys: Sequence[float]) -> tuple[tuple[str, ...], ...] | None:
    """Return the cells of the grid; ``None`` when fewer than two columns or rows hold text."""
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        row = len(ys) - 1 - bisect_right(ys, run.box.middle)
        column = bisect_right(xs, (run.box.left + run.box.right) / 2) - 1
        cells.setdefault((row, column), []).append(run)
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    if len(rows) < 2 or len(columns) < 2:
        return None
    return tuple(tuple(_cell(cells.get((row, column), [])) for column in columns) for row in rows)


def _cell(runs: Sequence[Run]) -> str:
    ordered = sorted(runs, key=lambda run: (-round(2 * run.baseline / max(run.size, 1)), run.box.left))
    text = " ".join(run.text for run in ordered)
    return " ".join(text.replace(f"{HYPHEN} ", "").replace(HYPHEN, "-").split())


def aligned_tables(runs: Sequence[Run]) -> tuple[list[Table], list[Run]]:
    """Return the tables told by three or more rows whose runs stand in columns, and the other runs."""
    tables: list[Table] = []
    rest: list[Run] = []
    block: list[list[Run]] = []
    for row in [*_rows(runs), []]:
        is_of_table = len(row) >= 2 and not all(run.is_monospaced for run in row)
        if is_of_table and (not block or _follows(block[-1], row)):
            block.append(row)
            continue
        _settle(block, tables, rest)
        block = [row] if is_of_table else []
        if not is_of_table:
            rest += row
    _settle(block, tables, rest)
    return tables, rest


def _rows(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Yield runs of one height, from top to bottom, each row from left to right."""
    row: list[Run] = []
    for run in sorted(runs, key=lambda run: -run.baseline):
        if row and row[0].baseline - run.baseline > 0.5 * row[0].size:
            yield sorted(row, key=lambda run: run.box.left)
            row = []
        row.append(run)
    if row:
        yield sorted(row, key=lambda run: run.box.left)


def _follows(above: Sequence[Run], below: Sequence[Run]) -> bool:
    return above[0].baseline - below[0].baseline < 3.5 * max(above[0].size, below[0].size)


def _settle(block: Sequence[Sequence[Run]], tables: list[Table], rest: list[Run]) -> None:
    """Add the rows to the tables if they make one, to the rest if not."""
    runs = [run for row in block for run in row]
    rows = _aligned(block) if len(block) >= _FEWEST_ROWS else None
    if rows is None:
        rest += runs
        return
    box = runs[0].box
    for run in runs[1:]:
        box = box.around(run.box)
    tables.append(Table(rows, box, median(run.size for run in runs)))


def _aligned(block: Sequence[Sequence[Run]]) -> tuple[tuple[str, ...], ...] | None:
    """Return the cells of rows of runs; ``None`` when they are not in columns, or the columns are those of a page."""
    starts = _columns([run.box for row in block for run in row])
    rows: list[list[str]] = []
    for row in block:
        cells = [""] * len(starts)
        for run in row:
            at = bisect_right(starts, run.box.left + 0.1) - 1
            if cells[at]:
                return None
            cells[at] = run.text.replace(HYPHEN, "-").strip()
        rows.append(cells)
    if len(starts) < 2 or sum(bool(cell) for row in rows for cell in row) < _FEWEST_FILLED * len(rows) * len(starts):
        return None
    lengths = [fmean(len(row[at]) for row in rows if row[at]) for at in range(len(starts))]
    if sum(length > _SHORT_CELL for length in lengths) > 1 or max(lengths) > 3 * _SHORT_CELL:
        return None
    if all(len(cell) <= 3 for cell in (row[0] for row in rows)) and len(starts) == 2:
        return None  # bullets or numbers, and what they stand for
    return tuple(map(tuple, rows))


def _columns(boxes: Sequence[Box]) -> list[float]:
    """Return where the columns begin: stretches that runs cover, parted by gaps that none does."""
    ordered = sorted(boxes, key=lambda box: box.left)
    starts = [ordered[0].left]
    for one, other in pairwise(_reaches(ordered)):
        if other[0] > one[1]:
            starts.append(other[0])
    return starts


def _reaches(boxes: Sequence[Box]) -> Iterator[tuple[float, float]]:
    """Yield where each box begins and how far the boxes up to it reach."""
    reach = boxes[0].right
    for box in boxes:
        reach = max(reach, box.right)
        yield box.left, reach
