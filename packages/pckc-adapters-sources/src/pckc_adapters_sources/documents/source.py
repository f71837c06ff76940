"""The document source: files in the allowed folders, and pages of the web."""

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.source import SourceDocument
from pckc_domain.ports.documents import DocumentSource

from pckc_adapters_sources.documents.apart import read_apart
from pckc_adapters_sources.documents.folders import Folders
from pckc_adapters_sources.documents.kinds import SNIFFED_BYTES, Format, format_of
from pckc_adapters_sources.documents.reading import read_file
from pckc_adapters_sources.documents.settings import DocumentSettings

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)
_PLAIN = (Format.MARKDOWN, Format.TEXT)


class Documents(DocumentSource):
    """
    Reads documents one at a time.

    Pages, PDF, EPUB and HTML are fetched and parsed in a process of their own: what hangs, crashes or swells there ends
    there, and this process never loads their libraries.
    """

    def __init__(self, settings: DocumentSettings) -> None:
        self._settings = settings
        self._folders = Folders(settings.folders)

    def read(self, location: str, /) -> SourceDocument:
        """Read the document at *location*; see `DocumentSource`."""
        location = location.strip()
        scheme = _SCHEME.match(location)
        match scheme[1].lower() if scheme else "":
            case "http" | "https":
                return read_apart(location, self._settings)
            case "file" if self._settings.file_addresses:
                location = url2pathname(urlsplit(location).path)
            case "file":
                raise InvalidInputError(
                    "Addresses of file: are not read",
                    remedy="Give the path alone, or set file_addresses under [documents]",
                )
            case other if other and "//" in location:
                raise InvalidInputError(
                    f"Addresses of {other}: are not read", remedy="Give a path, or an http or https address"
                )
        path = self._folders.admitted(location)
        if _head_format(path) in _PLAIN:
            return read_file(path, self._settings)
        return read_apart(str(path), self._settings)


def _head_format(path: Path) -> Format:
    with path.open("rb") as file:
        return format_of(file.read(SNIFFED_BYTES), name=path.name)
