"""The vector index of an opened project: opened when it is first asked, under a name that nobody else's index has."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pckc_domain.errors import BackendUnavailableError, ConfigurationError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.project import VECTOR_PROJECTION

from pckc_mcp.config import Slot
from pckc_mcp.locations import data_directory, make_folder
from pckc_mcp.plugins import has_setting

NAME_DIGITS = 12

REST_SECONDS = 15.0
"""How long nobody asks an index again that did not answer."""


def vector_projection_name(choice: Slot, *, default: Path, store: Path | None) -> str:
    """
    Return the name of the projection that feeds the index that *choice* opens.

    An index on a server, or in the *store*'s own file, is shared by all who share the store, and so is its cursor. One
    in a file or folder elsewhere is this machine's alone: it has a cursor of its own, or it would miss what others
    have taken from the queue.

    Args:
        choice: The configured vector index.
        default: Where it is when no path is configured.
        store: File of the canonical store; ``None`` when it is on a server.

    Raises:
        ConfigurationError: The backend is not installed, or no file can be written below the data directory.
    """
    if choice.settings.get("url") or not has_setting("vector", choice.backend, "path"):
        return VECTOR_PROJECTION
    path = Path(str(choice.settings.get("path", default))).expanduser().resolve()
    if store is not None and path == store.expanduser().resolve():
        return VECTOR_PROJECTION
    return f"{VECTOR_PROJECTION}-{digest(f'{_machine()} {path}')[:NAME_DIGITS]}"


def _machine() -> str:
    """Return what tells this data directory from that of every other machine or person: host names repeat."""
    file = data_directory() / "machine"
    try:
        if not file.is_file():
            make_folder(file.parent)
            mine = file.with_name(f".machine.{os.getpid()}.{secrets.token_hex(4)}")
            mine.write_text(secrets.token_hex(16), encoding="ascii")
            try:
                os.link(mine, file)  # the first of several processes wins
            except FileExistsError:
                pass
            finally:
                mine.unlink()
        return file.read_text(encoding="ascii")
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be used: {error.strerror}", remedy="set XDG_DATA_HOME to a folder that can be written"
        ) from error


class LateVectors(VectorIndex):
    """
    Opens another index when it is first asked, so that one that is down fails that question and nothing else.

    Waiting for one that does not answer is done once: questions soon afterwards fail at once, so that no command waits
    for it again and again. What is written tries anew.
    """

    def __init__(self, opening: Callable[[], VectorIndex], *, now: Callable[[], float] = time.monotonic) -> None:
        self._opening = opening
        self._now = now
        self._opened: VectorIndex | None = None
        self._lock = threading.Lock()
        self._lost: BackendUnavailableError | None = None
        self._lost_at = 0.0

    def _index(self) -> VectorIndex:
        with self._lock:
            if self._opened is None:
                self._opened = self._opening()
            return self._opened

    @contextmanager
    def _asking(self) -> Iterator[VectorIndex]:
        """Open it for a question, unless one has just failed."""
        if self._lost is not None and self._now() < self._lost_at + REST_SECONDS:
            raise self._lost
        try:
            yield self._index()
        except BackendUnavailableError as lost:
            self._lost, self._lost_at = lost, self._now()
            raise
        self._lost = None

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        self._index().upsert(scope, space, items)
        self._lost = None

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        self._index().delete(scope, owners=owners)

    def search(
        self,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vector,
        /,
        *,
        partitions: frozenset[str],
        limit: int,
        where: VectorFilter = EVERYTHING,
    ) -> Sequence[VectorHit]:
        """See the port."""
        with self._asking() as index:
            return index.search(scope, space, vector, partitions=partitions, limit=limit, where=where)

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        with self._asking() as index:
            return index.count(scope, partitions=partitions)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        self._index().clear(scope)
