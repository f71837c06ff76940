"""
The judged sets: questions over a handbook in prose and over the standard library, and how well a ranking answers them.

A judged unit is a section or a symbol, named so that edits above it do not matter, and found by its lines.
"""

import ast
import math
import re
import shutil
import sqlite3
import sysconfig
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import attrs

HERE = Path(__file__).parent
HANDBOOK = HERE / "handbook"
DEPTH = 10

LONG_LINES = 80
"""A result longer than this must spend a tenth of its lines on a unit to count for it: whole files answer nothing."""

PACKAGES = ("asyncio", "concurrent", "email", "http", "importlib", "json", "logging", "unittest", "urllib")
MODULES = tuple(
    """
    abc argparse ast base64 bdb bisect bz2 calendar cmd code codecs configparser contextlib copy csv dataclasses
    datetime decimal difflib dis doctest enum filecmp fileinput fnmatch fractions ftplib functools getopt getpass
    gettext glob graphlib gzip hashlib heapq hmac imaplib inspect io ipaddress keyword linecache locale lzma mailbox
    mimetypes netrc nntplib numbers operator optparse os pathlib pdb pickle pkgutil platform plistlib poplib
    posixpath pprint profile queue random runpy sched secrets selectors shelve shlex shutil signal smtplib socket
    socketserver ssl stat statistics string subprocess symtable tarfile telnetlib tempfile textwrap threading timeit
    tokenize trace traceback types typing uuid warnings weakref zipapp zipfile
    """.split()
)

_HEADING = re.compile(r"#+ (.+)")
_WORD = re.compile(r"\w+")


@attrs.frozen
class Span:
    """Lines of a file, from 1, inclusive."""

    path: str
    first: int
    last: int

    def shows(self, unit: "Span") -> bool:
        """Whether who reads this span has read of *unit*."""
        shared = min(self.last, unit.last) - max(self.first, unit.first) + 1
        length = self.last - self.first + 1
        return self.path == unit.path and shared > 0 and (length <= LONG_LINES or 10 * shared >= length)


@attrs.frozen(kw_only=True)
class Question:
    """
    A question with its judgements.

    Attributes:
        id: Its name.
        half: "dev", to tune on, or "held_out", to measure on.
        query: The words asked.
        grades: Judged units: 2 for one that answers, 1 for one that helps.
    """

    id: str
    half: str
    query: str
    grades: Mapping[Span, int]


@attrs.frozen(kw_only=True)
class BugReport:
    """A report in its reporter's words, and the files where a fix belongs."""

    id: str
    half: str
    text: str
    files: tuple[str, ...]


@attrs.frozen(kw_only=True)
class FileMeasures:
    """Means over bug reports: how often the first file is right, one of the first five, and the reciprocal rank."""

    first: float
    five: float
    reciprocal: float

    def __str__(self) -> str:
        return f"{self.first:.2f} {self.five:.2f} {self.reciprocal:.3f}"


@attrs.frozen(kw_only=True)
class Measures:
    """Means over questions, each in 0..1."""

    ndcg: float
    recall: float

    def __str__(self) -> str:
        return f"{self.ndcg:.3f} {self.recall:.3f}"


def copy_standard_library(target: Path) -> None:
    """Copy the judged modules of the running interpreter to *target*."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    for package in PACKAGES:
        shutil.copytree(
            stdlib / package, target / package, ignore=shutil.ignore_patterns("__pycache__", "test", "tests")
        )
    for module in MODULES:
        shutil.copy(stdlib / f"{module}.py", target)


def questions(name: str, root: Path) -> list[Question]:
    """Return the questions of the set *name*, "prose" or "code", with their units found in the files below *root*."""
    spans: dict[str, dict[str, Span]] = {}

    def unit(place: str) -> Span:
        path, _, symbol = place.partition("#")
        if path not in spans:
            text = (root / path).read_text(encoding="utf-8")
            spans[path] = _sections(path, text) if path.endswith(".md") else _symbols(path, text)
        return spans[path][symbol]

    found = []
    for table in tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))["question"]:
        grades = {unit(place): 1 for place in table.get("related", ())} | {unit(place): 2 for place in table["answers"]}
        found.append(Question(id=table["id"], half=table["half"], query=table["query"], grades=grades))
    return found


def bug_reports() -> list[BugReport]:
    """Return the bug reports over the standard library."""
    tables = tomllib.loads((HERE / "bugs.toml").read_text(encoding="utf-8"))["report"]
    return [BugReport(id=t["id"], half=t["half"], text=t["text"], files=tuple(t["files"])) for t in tables]


def measure_files(reports: Iterable[BugReport], ranking: Callable[[str], Sequence[str]]) -> FileMeasures:
    """Return how well *ranking* finds the files of *reports*."""
    ranks = []
    for report in reports:
        found = list(dict.fromkeys(ranking(report.text)))
        ranks.append(min((found.index(path) for path in report.files if path in found), default=math.inf))
    return FileMeasures(
        first=sum(rank == 0 for rank in ranks) / len(ranks),
        five=sum(rank < 5 for rank in ranks) / len(ranks),
        reciprocal=sum(1 / (rank + 1) for rank in ranks) / len(ranks),
    )


def measure(question: Question, ranking: Iterable[Span]) -> Measures:
    """Return nDCG and recall of the first ten results; a unit counts once, and a result counts for one unit."""
    open_units = dict(question.grades)
    gain = 0.0
    for rank, span in enumerate(list(ranking)[:DEPTH]):
        shown = [unit for unit in open_units if span.shows(unit)]
        if shown:
            best = max(shown, key=lambda unit: (open_units[unit], -unit.first))
            gain += _gain(open_units.pop(best), rank)
    ideal = sum(_gain(grade, rank) for rank, grade in enumerate(sorted(question.grades.values(), reverse=True)[:DEPTH]))
    return Measures(ndcg=gain / ideal, recall=1 - len(open_units) / len(question.grades))


def mean(measures: Sequence[Measures]) -> Measures:
    """Return the mean of each measure."""
    count = len(measures)
    return Measures(
        ndcg=sum(each.ndcg for each in measures) / count, recall=sum(each.recall for each in measures) / count
    )


class PlainSearch:
    """The baseline: one FTS5 table of all paragraphs with the default tokenizer; the words of a question are OR-ed."""

    def __init__(self, paragraphs: Iterable[tuple[Span, str]]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE plain USING fts5 (text)")
        self._spans: list[Span] = []
        for span, text in paragraphs:
            self._spans.append(span)
            self._connection.execute("INSERT INTO plain (rowid, text) VALUES (?, ?)", (len(self._spans), text))

    def __call__(self, query: str) -> list[Span]:
        """Return the best paragraphs, best first."""
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(query))
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank, rowid LIMIT ?"
        with closing(self._connection.execute(sql, (match, DEPTH))) as found:
            return [self._spans[key - 1] for (key,) in found]

    def close(self) -> None:
        """Drop the table."""
        self._connection.close()


def _gain(grade: int, rank: int) -> float:
    return (2**grade - 1) / math.log2(rank + 2)


def _sections(path: str, text: str) -> dict[str, Span]:
    """Each section by its heading, up to the next heading."""
    lines = text.splitlines()
    starts = [(number, match[1]) for number, line in enumerate(lines, 1) if (match := _HEADING.match(line))]
    ends = [number - 1 for number, _ in starts[1:]] + [len(lines)]
    return {heading: Span(path, first, last) for (first, heading), last in zip(starts, ends, strict=True)}


def _symbols(path: str, text: str) -> dict[str, Span]:
    """Each function and class by its qualified name, the last one where a name is defined twice."""
    found: dict[str, Span] = {}

    def visit(body: Iterable[ast.AST], scope: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                found[scope + node.name] = Span(path, first, node.end_lineno or first)
                visit(node.body, f"{scope}{node.name}.")
            else:
                visit(ast.iter_child_nodes(node), scope)

    visit(ast.parse(text).body, "")
    return found
