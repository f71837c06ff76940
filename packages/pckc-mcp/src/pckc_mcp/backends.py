"""The configured backends of one opened project."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.ports.communities import CommunityDetector
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.documents import DocumentSource
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.embedding_cache import EmbeddingCache
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.transcripts import TranscriptSource
from pckc_domain.ports.vector import VectorIndex

from pckc_mcp.config import Slot
from pckc_mcp.plugins import check_installed, has_setting, installed, open_backend

AUTOMATIC = {
    "embedder": ("blend", "use", "minilm"),
    "embedding_cache": ("sqlite",),
    "code_parser": ("treesitter",),
    "code_reader": ("treesitter",),
    "communities": ("igraph",),
    "graph_index": (),
}
"""Slots that may stay empty, and the backends that ``auto`` tries, in order."""

NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})


def check_names(slots: Mapping[str, Slot]) -> None:
    """
    Check that each named backend is installed: not every command opens every one, and an error should not wait.

    Raises:
        ConfigurationError: One is not.
    """
    for slot, choice in slots.items():
        if slot not in AUTOMATIC or choice.backend not in ("auto", "none"):
            check_installed(slot, choice.backend)


def fitting(slot: str, choice: Slot, defaults: Mapping[str, Any] = NO_DEFAULTS) -> list[Slot]:
    """
    Return the backends that *choice* lets be opened, in order, each with settings that it takes; none are opened.

    With ``auto`` those come first that are liked best, and one that cannot be imported, or does not take what is set,
    is passed over.

    Raises:
        ConfigurationError: The named one is not installed, or none of them takes what is set.
    """
    if choice.backend == "none" and slot in AUTOMATIC:
        return []
    if choice.backend != "auto" or slot not in AUTOMATIC:
        open_backend(slot, choice, defaults)  # whose settings are read before it is entered
        return [choice]
    taking, refused = [], []
    for name in (name for name in AUTOMATIC[slot] if name in installed(slot)):
        one = attrs.evolve(choice, backend=name)
        try:
            open_backend(slot, one, defaults)
        except ConfigurationError as error:
            refused.append(error)
        else:
            taking.append(one)
    if refused and not taking and choice.settings:
        raise refused[0]
    return taking


class Backends:
    """
    What the slots of the configuration open: each once, when it is first asked for.

    An optional one is ``None`` when the configuration wants none, or ``auto`` finds none. Not safe for threads.

    Args:
        stack: What closes them.
        slots: The choices, by slot.
        root: Root of the work tree.
        store: File of the embedded store, or where it would be if no server kept the truth.

    Raises:
        ConfigurationError: By every attribute: a setting or an installed package does not fit.
        BackendUnavailableError: By every attribute: it cannot be opened.
    """

    def __init__(self, stack: ExitStack, slots: Mapping[str, Slot], *, root: Path, store: Path) -> None:
        self._stack = stack
        self._slots = slots
        self._root = root
        self._store = store

    @cached_property
    def transcripts(self) -> TranscriptSource:
        """The transcripts on this machine."""
        opened: TranscriptSource = self._open("transcripts")
        return opened

    @cached_property
    def documents(self) -> DocumentSource:
        """The reader of documents."""
        opened: DocumentSource = self._open("documents", {"folders": [str(self._root)]})
        return opened

    @cached_property
    def distiller(self) -> Distiller:
        """What turns documents into claims."""
        opened: Distiller = self._open("distiller")
        return opened

    @cached_property
    def vectors(self) -> VectorIndex:
        """The vector index, with every generation."""
        opened: VectorIndex = self._open("vector", self._place_of_vectors)
        return opened

    def check_vectors(self) -> None:
        """Check the settings of the vector index, which is opened late, without opening it."""
        open_backend("vector", self._slots["vector"], self._place_of_vectors)

    @cached_property
    def parser(self) -> CodeParser | None:
        """What cuts code into passages."""
        opened: CodeParser | None = self._open_optional("code_parser")[0]
        return opened

    @cached_property
    def reader(self) -> CodeReader | None:
        """What reads code for the graph."""
        opened: CodeReader | None = self._open_optional("code_reader")[0]
        return opened

    @cached_property
    def communities(self) -> CommunityDetector | None:
        """The engine for communities."""
        opened: CommunityDetector | None = self._open_optional("communities")[0]
        return opened

    @cached_property
    def graph_index(self) -> GraphIndex | None:
        """The graph index, with every generation."""
        opened: GraphIndex | None = self._open_optional("graph_index")[0]
        return opened

    @cached_property
    def embeddings(self) -> EmbeddingCache | None:
        """The cache of embeddings: beside the store."""
        beside = {"path": str(self._store.with_name(f"{self._store.name}-embeddings"))}
        opened: EmbeddingCache | None = self._open_optional("embedding_cache", beside)[0]
        return opened

    def embedder(self) -> tuple[Embedder | None, str]:
        """Open the embedder; return it, or why there is none."""
        return self._open_optional("embedder")

    @property
    def _place_of_vectors(self) -> Mapping[str, str]:
        """Where an index is that nobody gave a place: beside the store, unless it may be on a server."""
        may_be_served = has_setting("vector", self._slots["vector"].backend, "url")
        return NO_DEFAULTS if may_be_served else {"path": str(self._store)}

    def _open(self, slot: str, defaults: Mapping[str, Any] = NO_DEFAULTS) -> Any:
        return self._stack.enter_context(open_backend(slot, self._slots[slot], defaults))

    def _open_optional(self, slot: str, defaults: Mapping[str, Any] = NO_DEFAULTS) -> tuple[Any, str]:
        """Open the one named, or with ``auto`` the first that opens; return it, or why there is none."""
        choice = self._slots[slot]
        if choice.backend == "none":
            return None, f"{slot} is set to none ({choice.origin})"
        if choice.backend != "auto":
            return self._open(slot, defaults), ""
        for one in fitting(slot, choice, defaults):
            try:
                return self._stack.enter_context(open_backend(slot, one, defaults)), ""
            except ConfigurationError:
                continue  # its extra is not installed: automatic means doing without
        return None, f"no {slot} is installed"
