"""What an adapter package offers through an entry point."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

import attrs

SettingsT = TypeVar("SettingsT")
PortT = TypeVar("PortT", covariant=True)

GROUPS = {
    "canonical": "pckc.canonical",
    "vector": "pckc.vector",
    "graph_index": "pckc.graph",
    "embedder": "pckc.embedder",
    "embedding_cache": "pckc.embedding_cache",
    "code_parser": "pckc.code_parser",
    "communities": "pckc.communities",
    "code_reader": "pckc.code_reader",
    "source": "pckc.source",
    "transcripts": "pckc.transcripts",
    "documents": "pckc.documents",
    "distiller": "pckc.distiller",
}
"""Slot in ``pckc.toml`` to entry-point group."""


@attrs.frozen
class Backend(Generic[SettingsT, PortT]):
    """
    One way to fill a port.

    Attributes:
        settings: An attrs class; the backend's table in ``pckc.toml`` is structured into it.
        open: Opens the port with such settings, for the length of a ``with`` block.
    """

    settings: type[SettingsT]
    open: Callable[[SettingsT], AbstractContextManager[PortT]]
