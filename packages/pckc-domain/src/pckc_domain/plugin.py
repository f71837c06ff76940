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
class Found:
    """
    What a backend finds where it would be opened.

    Attributes:
        is_there: Whether anything was made there before.
        engine: Name and version of the engine, and the place; without credentials.
    """

    is_there: bool
    engine: str


@attrs.frozen
class Backend(Generic[SettingsT, PortT]):
    """
    One way to fill a port.

    Attributes:
        settings: An attrs class; the backend's table in ``pckc.toml`` is structured into it.
        open: Opens the port with such settings, for the length of a ``with`` block; makes what is missing.
        look: Looks whether what *open* makes was made before, and makes nothing; raises what *open* raises. ``None``
            when there is nothing to make.
    """

    settings: type[SettingsT]
    open: Callable[[SettingsT], AbstractContextManager[PortT]]
    look: Callable[[SettingsT], Found] | None = None
