"""The vector index: full vectors in SQLite, their codes in memory."""

import threading
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Metric, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.scope import Scope
from pckc_domain.ports.service import Service
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_sqlite import queries, vector_queries
from pckc_adapters_sqlite.connection import Connection, Connections
from pckc_adapters_sqlite.rows import array
from pckc_adapters_sqlite.scopes import scope_key
from pckc_adapters_sqlite.vector_codes import BLOCK_SLOTS, NO_PARTITION, Block, Snapshot, code_words, encode

MIN_CANDIDATES = 512
OVERSAMPLING = 8
"""Candidates compared exactly: so many times the limit, and never fewer than the minimum."""

SCORE_DIGITS = 9
"""Equal vectors must score equally, whatever order their components were summed in."""

ROUGH_ERROR = 1e-5
"""More than a cosine in single precision is off."""


class SqliteVectorIndex(VectorIndex, Service):
    """A vector index in one file; several processes may share it."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._snapshots: dict[int, Snapshot] = {}
        self._lock = threading.Lock()

    def describe(self) -> str:
        """See `Service`."""
        with self._connections.reading() as connection:
            version = connection.value("SELECT sqlite_version()")
        return f"SQLite {version}, {self._connections.path}"

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        for item in items:
            _check_length(item.vector, space)
        newest = {item.id: item for item in items}
        if not newest:
            return
        with self._connections.writing() as connection:
            key = scope_key(connection, scope)
            _check_space(connection, key, space)
            revision = connection.value(
                vector_queries.NEXT_REVISION, (key, space.model, space.dimensions, space.metric.value)
            )
            slots = _allocate(connection, key, list(newest))
            partitions = _partition_keys(connection, key, {item.partition for item in newest.values()})
            connection.run_many(
                vector_queries.PUT_ITEM,
                [
                    (key, slots[item.id], item.id, partitions[item.partition], item.owner, _little_endian(item.vector))
                    for item in newest.values()
                ],
            )
            codes = encode(np.array([item.vector for item in newest.values()], np.float32))
            with _Blocks(connection, key, revision, code_words(space.dimensions)) as blocks:
                for item, code in zip(newest.values(), codes, strict=True):
                    blocks.set(slots[item.id], partitions[item.partition], code)

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        with self._connections.writing() as connection:
            key = scope_key(connection, scope)
            slots = [slot for (slot,) in connection.rows(vector_queries.OWNED_SLOTS, (key, array(owners)))]
            if not slots:
                return
            model, dimensions, metric, _, _ = connection.rows(vector_queries.SPACE, (key,))[0]
            revision = connection.value(vector_queries.NEXT_REVISION, (key, model, dimensions, metric))
            connection.run_many(vector_queries.DELETE_ITEM, [(key, slot) for slot in slots])
            connection.run_many(vector_queries.FREE_SLOT, [(key, slot) for slot in slots])
            words = code_words(dimensions)
            with _Blocks(connection, key, revision, words) as blocks:
                for slot in slots:
                    blocks.set(slot, NO_PARTITION, np.zeros(words, np.uint64))

    def search(
        self,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vector,
        /,
        *,
        partitions: frozenset[str],
        limit: int,
        where: VectorFilter = EVERYTHING,  # noqa: ARG002 - nothing of it is kept here
    ) -> Sequence[VectorHit]:
        """See the port."""
        _check_length(vector, space)
        if limit < 1:
            return []
        with self._connections.reading() as connection:
            key = connection.value(queries.SCOPE_KEY, (scope.tenant, scope.project))
            snapshot = self._snapshot(connection, key, space)
            if snapshot is None:
                return []
            wanted = np.array(vector, np.float32)
            candidates = snapshot.nearest(
                encode(wanted[None, :])[0],
                _known_partition_keys(connection, key, partitions),
                max(MIN_CANDIDATES, OVERSAMPLING * limit),
            )
            found = connection.rows(vector_queries.ITEMS, (key, str(candidates)))
        return _ranked(found, wanted, limit)

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        with self._connections.reading() as connection:
            key = connection.value(queries.SCOPE_KEY, (scope.tenant, scope.project))
            keys = _known_partition_keys(connection, key, partitions)
            stored = b"".join(blob for (blob,) in connection.rows(vector_queries.BLOCK_PARTITIONS, (key,)))
        slots = np.frombuffer(stored, "<u4")
        return int(np.count_nonzero(slots if keys is None else np.isin(slots, keys)))

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        with self._connections.writing() as connection:
            key = scope_key(connection, scope)
            for statement in vector_queries.CLEAR_TABLES:
                connection.run(statement, (key,))
            connection.run(vector_queries.CLEAR_SPACE, (key,))

    def _snapshot(self, connection: Connection, key: int, space: EmbeddingSpace) -> Snapshot | None:
        """Return the scope's codes as of this transaction; ``None`` when it has none."""
        stored = _check_space(connection, key, space)
        if stored is None:
            return None
        revision, cleared_at = stored
        with self._lock:
            known = self._snapshots.get(key)
        if known is not None and known.revision == revision:
            return known
        # Only what changed since is read, unless the scope was cleared or this transaction is behind the other one.
        is_base = known is not None and cleared_at <= known.revision < revision
        base = known if is_base else None
        blocks = dict(base.blocks) if base else {}
        since = base.revision if base else 0
        for number, partitions, codes in connection.rows(vector_queries.BLOCKS_SINCE, (key, since)):
            blocks[number] = Block.read(partitions, codes)
        if not blocks:
            return None
        snapshot = Snapshot.of(revision, blocks)
        with self._lock:
            newest = self._snapshots.get(key)
            if newest is None or newest.revision < revision:
                self._snapshots[key] = snapshot
        return snapshot


class _Blocks:
    """The blocks that one transaction changes, read when first touched and written at the end."""

    def __init__(self, connection: Connection, key: int, revision: int, words: int) -> None:
        self._connection = connection
        self._key = key
        self._revision = revision
        self._words = words
        self._blocks: dict[int, Block] = {}

    def __enter__(self) -> "_Blocks":
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is None:
            self._connection.run_many(
                vector_queries.PUT_BLOCK,
                [(self._key, number, self._revision, *block.row()) for number, block in self._blocks.items()],
            )

    def set(self, slot: int, partition_key: int, code: "np.typing.NDArray[np.uint64]") -> None:
        """Fill a slot."""
        number, offset = divmod(slot, BLOCK_SLOTS)
        if number not in self._blocks:
            stored = self._connection.rows(vector_queries.BLOCK, (self._key, number))
            self._blocks[number] = Block.read(*stored[0]) if stored else Block.empty(self._words)
        self._blocks[number].partitions[offset] = partition_key
        self._blocks[number].codes[offset] = code


def _check_length(vector: Vector, space: EmbeddingSpace) -> None:
    if len(vector) != space.dimensions:
        raise InvalidInputError(f"a vector has {len(vector)} components, the space {space.model} {space.dimensions}")


def _check_space(connection: Connection, key: int, space: EmbeddingSpace) -> tuple[int, int] | None:
    """Return the revisions of the scope's vectors and of their last clearing; ``None`` when it has no space yet."""
    for model, dimensions, metric, revision, cleared_at in connection.rows(vector_queries.SPACE, (key,)):
        if not dimensions:
            return None
        if space != EmbeddingSpace(model=model, dimensions=dimensions, metric=Metric(metric)):
            raise ConfigurationError(
                f"the vector index holds {model} ({dimensions} dimensions), not {space.model} ({space.dimensions})",
                remedy="Run `pckc rebuild --vectors` to embed everything again.",
            )
        return revision, cleared_at
    return None


def _allocate(connection: Connection, key: int, ids: list[str]) -> dict[str, int]:
    """Return a slot for each of *ids*: its own, one that is free, or one behind the last."""
    slots: dict[str, int] = dict(connection.rows(vector_queries.SLOTS, (key, array(ids))))
    new = [id_ for id_ in ids if id_ not in slots]
    free = [slot for (slot,) in connection.rows(vector_queries.FREE_SLOTS, (key, len(new)))]
    connection.run_many(vector_queries.TAKE_FREE_SLOT, [(key, slot) for slot in free])
    last = connection.value(vector_queries.LAST_SLOT, (key,))
    # The end moves only once all free slots are used up, so the last slot ever used is an item's or was just taken.
    start = max([-1 if last is None else last, *free]) + 1
    slots.update(zip(new, [*free, *range(start, start + len(new) - len(free))], strict=True))
    return slots


def _partition_keys(connection: Connection, key: int, names: Iterable[str]) -> dict[str, int]:
    connection.run_many(vector_queries.INSERT_PARTITION, [(key, name) for name in sorted(names)])
    return dict(connection.rows(vector_queries.PARTITIONS, (key,)))


def _known_partition_keys(connection: Connection, key: int, names: frozenset[str]) -> list[int] | None:
    """Return the keys of the known ones among *names*; ``None``, which means all, when *names* is empty."""
    if not names:
        return None
    return [partition for name, partition in connection.rows(vector_queries.PARTITIONS, (key,)) if name in names]


Number = TypeVar("Number", np.float32, np.float64)


def _little_endian(vector: Vector) -> bytes:
    return np.asarray(vector, "<f4").tobytes()


def _ranked(found: Sequence[tuple[str, bytes]], wanted: "np.typing.NDArray[np.float32]", limit: int) -> list[VectorHit]:
    """Return the best *limit* by cosine, ties by id."""
    if not found:
        return []
    every = np.frombuffer(b"".join(vector for _, vector in found), "<f4").reshape(len(found), -1)
    best = _roughly_best(every, wanted, limit)
    found = [found[place] for place in best]
    vectors = every[best].astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(wanted)
    products = _products(vectors, wanted.astype(np.float64))
    scores = np.divide(products, lengths, out=np.zeros(len(found)), where=lengths > 0).round(SCORE_DIGITS).tolist()
    ranked = sorted((-score, id_, stored) for (id_, stored), score in zip(found, scores, strict=True))
    return [VectorHit(id=id_, score=-score, vector=_vector(stored)) for score, id_, stored in ranked[:limit]]


def _roughly_best(
    vectors: "np.typing.NDArray[np.float32]", wanted: "np.typing.NDArray[np.float32]", limit: int
) -> list[int]:
    """Return the places of all that may be among the best *limit*: in single precision, which costs a tenth."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors)) * np.linalg.norm(wanted)
    scores = np.divide(_products(vectors, wanted), lengths, out=np.zeros(len(vectors), np.float32), where=lengths > 0)
    if len(scores) > limit:
        least = np.partition(scores, -limit)[-limit]
        return np.flatnonzero(scores >= least - ROUGH_ERROR).tolist()
    return list(range(len(scores)))


def _products(vectors: "np.typing.NDArray[Number]", wanted: "np.typing.NDArray[Number]") -> "np.typing.NDArray[Number]":
    """Return the inner products: BLAS would start threads for so few, which cost more than they compute."""
    products: np.typing.NDArray[Number] = np.einsum("ij,j->i", vectors, wanted)
    return products


def _vector(little_endian: bytes) -> Vector:
    return Vector("f", np.frombuffer(little_endian, "<f4").astype(np.float32).tobytes())
