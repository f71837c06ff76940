"""A file of the work tree as it is now, to follow locators into."""

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.identity import digest
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.sources import RepositorySource, SkippedFile, SourceFile


class WorkingFile:
    """A file as it is now, redacted as it is stored; *is_gone* when it cannot be read, with the reason."""

    def __init__(self, read: SourceFile | SkippedFile) -> None:
        self.is_gone = isinstance(read, SkippedFile)
        self.reason = read.reason if isinstance(read, SkippedFile) else ""
        self.blob_hash = read.blob_hash if isinstance(read, SourceFile) else ""
        self._text = read.text if isinstance(read, SourceFile) else ""
        self._lines: list[str] | None = None

    def find(self, locator: RepositoryLocator, excerpt_digest: str) -> int:
        """Return the first line of the text now, the nearest to where it was; 0 when it is not there."""
        if self.is_gone:
            return 0
        if self.blob_hash == locator.blob_hash:
            return locator.start_line
        lines = self.lines()
        length = locator.end_line - locator.start_line + 1
        starts = range(1, len(lines) - length + 2)
        for start in sorted(starts, key=lambda start: abs(start - locator.start_line)):
            if digest("\n".join(lines[start - 1 : start - 1 + length])) == excerpt_digest:
                return start
        return 0

    def lines(self) -> list[str]:
        """Return the redacted lines."""
        if self._lines is None:
            self._lines = redact(self._text).text.split("\n")
        return self._lines


def open_working_file(source: RepositorySource, path: str) -> WorkingFile:
    """Read *path*; a path that leads out of the work tree counts as gone."""
    try:
        return WorkingFile(source.read(path))
    except InvalidInputError as error:
        return WorkingFile(SkippedFile(path=path, reason=error.message))
