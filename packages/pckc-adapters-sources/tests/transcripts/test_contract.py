"""The file reader fulfils the transcript contract, plain and compressed."""

from pathlib import Path

import attrs
import pytest
import zstandard
from pckc_adapters_sources.transcripts.source import FileTranscripts
from pckc_domain.ports.transcripts import TranscriptSource
from pckc_domain.testing.transcript_contract import Shelf, TranscriptContract


@attrs.frozen
class Folder(Shelf):
    """Files as they are."""

    path: Path
    source: TranscriptSource = attrs.field(factory=FileTranscripts)

    def write(self, name: str, data: bytes) -> str:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return str(file)

    @property
    def root(self) -> str:
        return str(self.path)


class TestFiles(TranscriptContract):
    """Plain files."""

    @pytest.fixture
    def shelf(self, tmp_path: Path) -> Shelf:
        return Folder(tmp_path.resolve())


class CompressedFolder(Folder):
    """Files in many small zstd frames, as a host leaves them that writes a frame at a time."""

    def write(self, name: str, data: bytes) -> str:
        compressor = zstandard.ZstdCompressor()
        steps = range(0, max(len(data), 1), 700)
        return super().write(name, b"".join(compressor.compress(data[at : at + 700]) for at in steps))


class TestCompressedFiles(TranscriptContract):
    """Files of concatenated zstd frames."""

    @pytest.fixture
    def shelf(self, tmp_path: Path) -> Shelf:
        return CompressedFolder(tmp_path.resolve())
