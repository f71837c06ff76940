"""A file of the work tree as it is now, to follow locators into."""

from collections.abc import Mapping, Sequence

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.identity import digest
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.sources import RepositorySource, SkippedFile, SourceFile

MAX_HASHED_LINES = 1_000_000
"""Where the windows of a file hold more lines than this together, only those near the old place are looked at."""


class WorkingFile:
    """A file as it is now, redacted as it is stored; *is_gone* when it cannot be read, with the reason."""

    def __init__(self, read: SourceFile | SkippedFile) -> None:
        self.is_gone = isinstance(read, SkippedFile)
        self.reason = read.reason if isinstance(read, SkippedFile) else ""
        self.blob_hash = read.blob_hash if isinstance(read, SourceFile) else ""
        self._text = read.text if isinstance(read, SourceFile) else ""
        self._lines: list[str] | None = None
        self._places: dict[str, list[int]] = {}
        self._windows: dict[int, Mapping[str, Sequence[int]]] = {}

    def find(self, locator: RepositoryLocator, excerpt_digest: str, *, text: str = "") -> int:
        """
        Return the first line of the text now, the nearest to where it was; 0 when it is not there.

        Args:
            locator: Where the text was.
            excerpt_digest: SHA-256 of its lines.
            text: Its lines, where they are known: compared, which is cheaper than hashing every window of the file.
        """
        if self.is_gone:
            return 0
        if self.blob_hash == locator.blob_hash:
            return locator.start_line
        if text and digest(text) == excerpt_digest:
            starts: Sequence[int] = self._starts_of(text.split("\n"))
        else:
            starts = self._hashed(locator).get(excerpt_digest, ())
        return min(starts, key=lambda start: (abs(start - locator.start_line), start), default=0)

    def lines(self) -> list[str]:
        """Return the redacted lines."""
        if self._lines is None:
            self._lines = redact(self._text).text.split("\n")
        return self._lines

    def _starts_of(self, wanted: Sequence[str]) -> list[int]:
        lines, places = self.lines(), self._places
        if not places:
            for number, line in enumerate(lines, 1):
                places.setdefault(line, []).append(number)
        rarest = min(range(len(wanted)), key=lambda index: len(places.get(wanted[index], ())))
        starts = (place - rarest for place in places.get(wanted[rarest], ()))
        return [start for start in starts if start > 0 and lines[start - 1 : start - 1 + len(wanted)] == wanted]

    def _hashed(self, locator: RepositoryLocator) -> Mapping[str, Sequence[int]]:
        """Return the first lines of the windows as long as the located text, by digest, hashed once for each length."""
        lines = self.lines()
        length = locator.end_line - locator.start_line + 1
        count = len(lines) - length + 1
        is_bounded = count * length > MAX_HASHED_LINES
        if length in self._windows and not is_bounded:
            return self._windows[length]
        first, last = 1, count
        if is_bounded:
            reach = MAX_HASHED_LINES // length // 2
            first, last = max(1, locator.start_line - reach), min(count, locator.start_line + reach)
        windows: dict[str, list[int]] = {}
        for start in range(first, last + 1):
            windows.setdefault(digest("\n".join(lines[start - 1 : start - 1 + length])), []).append(start)
        if not is_bounded:
            self._windows[length] = windows
        return windows


def open_working_file(source: RepositorySource, path: str) -> WorkingFile:
    """Read *path*; a path that leads out of the work tree counts as gone."""
    try:
        return WorkingFile(source.read(path))
    except InvalidInputError as error:
        return WorkingFile(SkippedFile(path=path, reason=error.message))
