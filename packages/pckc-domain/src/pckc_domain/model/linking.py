"""What linking takes, gives and remembers, file by file."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import attrs

from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.declared_facts import DeclaredFacts
from pckc_domain.model.graph import FileGraph

FileFacts = CodeFacts | DeclaredFacts


@attrs.frozen(kw_only=True)
class KnownFile:
    """
    A file of the graph: its language, and the hash of the content that was read.

    Attributes:
        skipped: Why nothing of it was read; ``""`` when it was.
    """

    path: str
    language: str
    content_hash: str
    skipped: str = ""


@attrs.frozen(kw_only=True)
class GraphState:
    """
    How far a graph is.

    Attributes:
        recipe: How it was made; another recipe asks for making it anew.
        revision: Grows with every change, so that two writers notice each other.
        is_complete: Whether the run that wrote it ended; what an interrupted one left must be made anew.
        updated_at: When it was last found to be up to date, aware UTC.
        settings: Path to content hash of the project files that say how names are found.
    """

    recipe: str
    revision: int
    is_complete: bool
    updated_at: datetime
    settings: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class FileChange:
    """
    A new or changed file.

    Attributes:
        packed: Value facts as `policy.graph.codec` packs them, where somebody has done so already; else ``b""``.
    """

    facts: FileFacts
    content_hash: str
    packed: bytes = b""


@attrs.frozen(kw_only=True)
class LinkedFile:
    """
    A file with all that linking found in it.

    Attributes:
        content_hash: Of what was read; of files that did not change linkers may leave it ``""``.
        graph: What it gives to the graph; ``None`` when that is as it was.
        sections: What the linker wants to remember, by section; sections left out stay as they were.
        asked: Keys of everything outside of the file that its links depend on, also of what was not found; ``None``
            when they are as they were.
    """

    path: str
    language: str
    content_hash: str
    graph: FileGraph | None
    sections: Mapping[str, bytes] = attrs.field(factory=dict)
    asked: frozenset[str] | None = None


class LinkMemory(Protocol):
    """What a linker reads of what it gave before, by file; only the linker knows what the sections hold."""

    @abstractmethod
    def load(self, section: str, paths: Sequence[str], /) -> Mapping[str, bytes]:
        """Return a section of these files; those without it are left out."""

    @abstractmethod
    def askers(self, keys: Collection[str], /) -> Sequence[str]:
        """Return the paths of the files that asked for one of *keys*, in order."""


class NoMemory(LinkMemory):
    """Of a graph that is made anew."""

    def load(self, _: str, _paths: Sequence[str], /) -> Mapping[str, bytes]:
        """Remember nothing."""
        return {}

    def askers(self, _: Collection[str], /) -> Sequence[str]:
        """Remember nothing."""
        return ()
