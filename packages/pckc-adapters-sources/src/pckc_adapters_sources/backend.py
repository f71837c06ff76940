"""What this package offers through entry points."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pckc_domain.plugin import Backend
from pckc_domain.ports.documents import DocumentSource
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.ports.transcripts import TranscriptSource

from pckc_adapters_sources.documents.settings import DocumentSettings


@attrs.frozen(kw_only=True)
class RepositorySettings:
    """
    Settings of the repository source.

    Attributes:
        root: Any folder of the work tree to read.
        max_file_bytes: Larger files are skipped.
        ignore: Patterns as in ``.pckcignore``, relative to the work tree's root.
    """

    root: str = "."
    max_file_bytes: int = attrs.field(default=1 << 20, validator=attrs.validators.ge(1))
    ignore: tuple[str, ...] = ()


@contextmanager
def open_repository(settings: RepositorySettings) -> Iterator[RepositorySource]:
    """
    Open the work tree that ``settings.root`` belongs to.

    Raises:
        ConfigurationError: The root is no folder or a bare repository, or its name is not UTF-8.
    """
    from pckc_adapters_sources.repository.work_tree import WorkTree  # settings alone should load fast

    yield WorkTree(settings.root, max_file_bytes=settings.max_file_bytes, ignore=settings.ignore)


REPOSITORY = Backend(settings=RepositorySettings, open=open_repository)


@attrs.frozen(kw_only=True)
class TranscriptSettings:
    """
    Settings of the transcript source.

    Attributes:
        places: Folders to look through when an import names none; empty means the hosts' own places.
    """

    places: tuple[str, ...] = ()


@contextmanager
def open_transcripts(settings: TranscriptSettings) -> Iterator[TranscriptSource]:
    """Open the transcripts on this machine."""
    from pckc_adapters_sources.transcripts.source import FileTranscripts  # settings alone should load fast

    yield FileTranscripts(settings.places)


TRANSCRIPTS = Backend(settings=TranscriptSettings, open=open_transcripts)


@contextmanager
def open_documents(settings: DocumentSettings) -> Iterator[DocumentSource]:
    """Open the documents of this machine and the web."""
    from pckc_adapters_sources.documents.source import Documents  # settings alone should load fast

    yield Documents(settings)


DOCUMENTS = Backend(settings=DocumentSettings, open=open_documents)
