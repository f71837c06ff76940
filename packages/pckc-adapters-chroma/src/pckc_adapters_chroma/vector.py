"""The vector index: one collection for each partition of an embedding space, such as ``memories_bug``."""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.api.types import Where
from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.service import Service
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_chroma.budget import within
from pckc_adapters_chroma.errors import translating

BATCH = 500
SCORE_DIGITS = 6
"""Single precision holds no more; equal vectors must score equally."""

TIES = 16
"""Neighbours asked for on top, since the engine breaks ties as it likes."""

SEARCH_BREADTH = 200
"""``ef_search`` of the graph: the neighbours it keeps in sight; filters need more than its default."""

MOST_COMPARED = 10_000
"""Vectors that are compared one by one where the graph answers fewer than were asked for."""


class ChromaVectorIndex(VectorIndex, Service):
    """A vector index in Chroma; any number of processes may share a server."""

    def __init__(self, client: ClientAPI, location: str, *, query_seconds: float) -> None:
        self._client = client
        self._location = location
        self._query_seconds = query_seconds

    def describe(self) -> str:
        """See `Service`."""
        with self._asking():
            return f"Chroma {self._client.get_version()}, {self._location}"

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        for item in items:
            _check_length(item.vector, space)
        newest = {item.id: item for item in items}
        if not newest:
            return
        with translating(self._location):
            self._check_space(scope, space)
            self._forget(scope, newest)
            for partition in sorted({item.partition for item in newest.values()}):
                collection = self._collection(partition, space)
                wanted = [item for item in newest.values() if item.partition == partition]
                for start in range(0, len(wanted), BATCH):
                    batch = wanted[start : start + BATCH]
                    collection.upsert(
                        ids=[_key(scope, item.id) for item in batch],
                        embeddings=np.array([item.vector for item in batch], np.float32),
                        metadatas=[_metadata(scope, item) for item in batch],
                    )

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        with translating(self._location):
            for collection in self._collections():
                for start in range(0, len(owners), BATCH):
                    collection.delete(where=_where(scope, owner=owners[start : start + BATCH]))

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
        hits: list[VectorHit] = []
        with self._asking():
            self._check_space(scope, space)
            for collection in self._collections(partitions):
                hits += self._nearest(collection, scope, vector, limit + TIES)
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        with self._asking():
            return sum(
                len(collection.get(where=_where(scope), include=[])["ids"])
                for collection in self._collections(partitions)
            )

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        with translating(self._location):
            for collection in self._collections():
                collection.delete(where=_where(scope))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with translating(self._location), within(self._query_seconds):
            yield

    def _nearest(self, collection: Collection, scope: Scope, vector: Vector, limit: int) -> list[VectorHit]:
        held = collection.count()
        if not held:
            return []
        found = collection.query(
            query_embeddings=np.array([vector], np.float32),
            n_results=min(limit, held),
            where=_where(scope),
            include=["distances", "metadatas", "embeddings"],
        )
        answer = cast(Any, found)
        rows = list(zip(answer["metadatas"][0], answer["distances"][0], answer["embeddings"][0], strict=True))
        if len(rows) < min(limit, held):  # few of this scope are here, or erased ones stand in the graph's way
            rows = _exact_rows(collection, scope, vector)
        return [
            VectorHit(
                id=metadata["item"], score=round(1 - distance, SCORE_DIGITS), vector=array("f", embedding.tolist())
            )
            for metadata, distance, embedding in rows
        ]

    def _forget(self, scope: Scope, newest: dict[str, VectorItem]) -> None:
        """An item may come from another partition: it is taken out of that one."""
        keys = {_key(scope, item.id): item.partition for item in newest.values()}
        for collection in self._collections():
            held = collection.get(ids=list(keys), include=[])["ids"]
            moved = [key for key in held if keys[key] != (collection.metadata or {}).get("partition")]
            if moved:
                collection.delete(ids=moved)

    def _collection(self, partition: str, space: EmbeddingSpace) -> Collection:
        return self._client.get_or_create_collection(
            _name(partition, space),
            embedding_function=None,
            metadata={
                "pckc": 1,
                "partition": partition,
                "space": _described(space),
                "hnsw:space": "cosine",
                "hnsw:search_ef": SEARCH_BREADTH,
            },
        )

    def _collections(self, partitions: frozenset[str] = frozenset()) -> list[Collection]:
        """Return PCKC's collections, of *partitions* if any are named, by name."""
        found = []
        offset = 0
        while page := self._client.list_collections(limit=BATCH, offset=offset):
            offset += len(page)
            found += [one for one in page if (one.metadata or {}).get("pckc")]
        wanted = [one for one in found if not partitions or (one.metadata or {}).get("partition") in partitions]
        return sorted(wanted, key=lambda collection: collection.name)

    def _check_space(self, scope: Scope, space: EmbeddingSpace) -> None:
        """Refuse a space beside the one that the scope's vectors are in."""
        for collection in self._collections():
            held = (collection.metadata or {}).get("space")
            if held == _described(space) or not collection.get(where=_where(scope), limit=1, include=[])["ids"]:
                continue
            raise ConfigurationError(
                f"the vector index holds {held}, not {_described(space)}",
                remedy="Run `pckc rebuild --vectors` to embed everything again.",
            )


def _name(partition: str, space: EmbeddingSpace) -> str:
    layer, _, kind = partition.partition(":")
    readable = f"memories_{kind}" if layer == "claim" and kind else partition.replace(":", "_")
    return f"{readable}_{digest(f'{partition} {_described(space)} {space.metric}')[:8]}"


def _described(space: EmbeddingSpace) -> str:
    return f"{space.model} ({space.dimensions} dimensions)"


def _check_length(vector: Vector, space: EmbeddingSpace) -> None:
    if len(vector) != space.dimensions:
        raise InvalidInputError(f"a vector has {len(vector)} components, the space {space.model} {space.dimensions}")


def _key(scope: Scope, item_id: str) -> str:
    return digest("\x00".join((scope.tenant, scope.project, item_id)))


def _metadata(scope: Scope, item: VectorItem) -> dict[str, str]:
    return {"tenant": scope.tenant, "project": scope.project, "item": item.id, "owner": item.owner}


def _where(scope: Scope, *, owner: Sequence[str] = ()) -> Where:
    conditions: list[dict[str, Any]] = [{"tenant": {"$eq": scope.tenant}}, {"project": {"$eq": scope.project}}]
    if owner:
        conditions.append({"owner": {"$in": list(owner)}})
    return cast(Where, {"$and": conditions})


def _exact_rows(collection: Collection, scope: Scope, vector: Vector) -> list[tuple[Any, float, Any]]:
    """Return metadata, distance and vector of what *scope* has in *collection*, up to `MOST_COMPARED` of it."""
    kept = cast(Any, collection.get(where=_where(scope), limit=MOST_COMPARED, include=["metadatas", "embeddings"]))
    distances = 1 - np.asarray(kept["embeddings"], np.float32).reshape(-1, len(vector)) @ np.asarray(vector, np.float32)
    return list(zip(kept["metadatas"], map(float, distances), kept["embeddings"], strict=True))
