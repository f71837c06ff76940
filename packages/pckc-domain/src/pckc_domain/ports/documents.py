"""The port that reads documents: files, pages of the web."""

from abc import abstractmethod
from typing import Protocol

from pckc_domain.model.source import SourceDocument


class DocumentSource(Protocol):
    """Reads one document at a time."""

    @abstractmethod
    def read(self, location: str, /) -> SourceDocument:
        """
        Read the document at *location*: a path, or an ``http`` or ``https`` address.

        Raises:
            InvalidInputError: It is refused (outside the allowed folders, a private network, a forbidden page), cannot
                be read (encrypted, damaged, too large), has no text, or is of no known kind.
            BackendUnavailableError: It cannot be reached now, or did not answer in time.
        """
