"""The vector index: one collection for each embedding space and group of projects, filters inside the query."""

import re
import uuid
from array import array
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Metric, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.service import Service
from pckc_domain.ports.vector import VectorIndex
from qdrant_client import QdrantClient, models

from pckc_adapters_qdrant.errors import translating

BATCH = 500
OLDEST = (1, 10)
"""Version of a server that has the queries used here."""

SCORE_DIGITS = 6
"""Single precision holds no more; equal vectors must score equally."""

TIES = 16
"""Neighbours asked for on top, since the engine breaks ties as it likes."""

KEYWORDS = ("tenant", "project", "partition", "layer", "type", "owner", "branch", "status")
TIMES = ("valid_from", "valid_to")
"""Payload fields that filters use, texts and seconds since 1970; each has an index."""

_NAMES = uuid.UUID("6f1d2c3a-8a3e-5b0e-9b1e-2f3c4d5e6f70")


class QdrantVectorIndex(VectorIndex, Service):
    """A vector index in Qdrant; any number of processes may share a server."""

    def __init__(self, client: QdrantClient, group: str, location: str, *, is_server: bool) -> None:
        self._client = client
        self._prefix = f"pckc_{group}_"
        self._location = location
        self._is_server = is_server
        self._is_checked = False
        self._ready: set[str] = set()

    def describe(self) -> str:
        """See `Service`."""
        with translating(self._location):
            if self._is_server:
                return f"Qdrant {self._client.info().version}, {self._location}"
            return f"Qdrant's own engine of {version('qdrant-client')}, {self._location}"

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        for item in items:
            _check_length(item.vector, space)
        newest = list({item.id: item for item in items}.values())
        if not newest:
            return
        with translating(self._location):
            self._check_space(scope, space)
            name = self._collection(space)
            self._prepare(name, space)
            for start in range(0, len(newest), BATCH):
                points = [_point(scope, space, item) for item in newest[start : start + BATCH]]
                self._client.upsert(name, points=points, wait=True)

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        with translating(self._location):
            for name in self._collections():
                for start in range(0, len(owners), BATCH):
                    where = _where(scope, owner=owners[start : start + BATCH])
                    self._client.delete(name, points_selector=models.FilterSelector(filter=where), wait=True)

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
        _check_length(vector, space)
        if limit < 1:
            return []
        with translating(self._location):
            self._check_space(scope, space)
            name = self._collection(space)
            if name not in self._collections():
                return []
            found = self._client.query_points(
                name,
                query=list(vector),
                query_filter=_narrowed(_where(scope, partition=sorted(partitions)), where),
                limit=limit + TIES,
                with_payload=["id"],
                with_vectors=True,
            ).points
        hits = [_hit(point) for point in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        where = _where(scope, partition=sorted(partitions))
        with translating(self._location):
            return sum(self._client.count(name, count_filter=where, exact=True).count for name in self._collections())

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        selector = models.FilterSelector(filter=_where(scope))
        with translating(self._location):
            for name in self._collections():
                self._client.delete(name, points_selector=selector, wait=True)

    def _check_version(self) -> None:
        """Refuse a server that does not know what it is asked, once for each process."""
        if not self._is_server or self._is_checked:
            return
        told = self._client.info().version
        parts = re.match(r"(\d+)\.(\d+)", told)
        if parts and (int(parts[1]), int(parts[2])) < OLDEST:
            raise ConfigurationError(
                f"Qdrant {told} at {self._location} is too old", remedy=f"Use {OLDEST[0]}.{OLDEST[1]} or newer."
            )
        self._is_checked = True

    def _collections(self) -> list[str]:
        self._check_version()
        names = (collection.name for collection in self._client.get_collections().collections)
        return sorted(name for name in names if name.startswith(self._prefix))

    def _collection(self, space: EmbeddingSpace) -> str:
        readable = re.sub(r"[^A-Za-z0-9]+", "-", space.model)[:40].strip("-")
        return f"{self._prefix}{readable}_{space.dimensions}_{digest(f'{space.model} {space.metric}')[:8]}"

    def _prepare(self, name: str, space: EmbeddingSpace) -> None:
        """Make the collection and its payload indexes once."""
        if name in self._ready:
            return
        if not self._client.collection_exists(name):
            config = models.VectorParams(size=space.dimensions, distance=_DISTANCES[space.metric])
            self._client.create_collection(name, vectors_config=config)
        if self._is_server:  # the client's own engine has no payload indexes
            known = self._client.get_collection(name).payload_schema
            for field in (*KEYWORDS, *TIMES):
                if field not in known:
                    self._client.create_payload_index(name, field_name=field, field_schema=_indexed(field))
        self._ready.add(name)

    def _check_space(self, scope: Scope, space: EmbeddingSpace) -> None:
        """Refuse a space beside the one that the scope's vectors are in."""
        for name in self._collections():
            if name == self._collection(space):
                continue
            others, _ = self._client.scroll(name, scroll_filter=_where(scope), limit=1, with_payload=["space"])
            for other in others:
                held = (other.payload or {}).get("space", name)
                raise ConfigurationError(
                    f"the vector index holds {held}, not {_described(space)}",
                    remedy="Run `pckc rebuild --vectors` to embed everything again.",
                )


_DISTANCES = {Metric.COSINE: models.Distance.COSINE}


def _described(space: EmbeddingSpace) -> str:
    return f"{space.model} ({space.dimensions} dimensions)"


def _check_length(vector: Vector, space: EmbeddingSpace) -> None:
    if len(vector) != space.dimensions:
        raise InvalidInputError(f"a vector has {len(vector)} components, the space {space.model} {space.dimensions}")


def _point(scope: Scope, space: EmbeddingSpace, item: VectorItem) -> models.PointStruct:
    layer, _, kind = item.partition.partition(":")
    payload = {
        "tenant": scope.tenant,
        "project": scope.project,
        "id": item.id,
        "partition": item.partition,
        "layer": layer,
        "type": kind,
        "owner": item.owner,
        "space": _described(space),
        "branch": item.branch,
        "status": str(item.status),
        "valid_from": item.valid_from,
        "valid_to": item.valid_to,
    }
    key = "\x00".join((scope.tenant, scope.project, item.id))
    return models.PointStruct(id=str(uuid.uuid5(_NAMES, key)), vector=list(item.vector), payload=payload)


def _where(scope: Scope, **any_of: Sequence[str]) -> models.Filter:
    """Return a filter for one scope and, for each field with values, one of these."""

    def conditions() -> Iterator[models.Condition]:
        yield models.FieldCondition(key="tenant", match=models.MatchValue(value=scope.tenant))
        yield models.FieldCondition(key="project", match=models.MatchValue(value=scope.project))
        for field, values in any_of.items():
            if values:
                yield models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))

    return models.Filter(must=list(conditions()))


def _narrowed(asked: models.Filter, where: VectorFilter) -> models.Filter:
    """Return *asked* with what *where* leaves in; a point of an earlier version, without such a field, stays in."""
    must: list[Any] = [asked]
    for field, values in (("branch", where.branches), ("status", where.statuses)):
        if values:
            must.append(_unless_known(field, match=models.MatchAny(any=sorted(map(str, values)))))
    if where.valid_at is not None:
        must.append(_unless_known("valid_from", range=models.Range(lte=where.valid_at)))
        must.append(_unless_known("valid_to", range=models.Range(gt=where.valid_at)))
    return models.Filter(must=must)


def _unless_known(field: str, **condition: Any) -> models.Filter:
    unknown = models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
    return models.Filter(should=[unknown, models.FieldCondition(key=field, **condition)])


def _indexed(field: str) -> models.KeywordIndexParams | models.PayloadSchemaType:
    if field in TIMES:
        return models.PayloadSchemaType.FLOAT
    return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=field == "project")


def _hit(point: models.ScoredPoint) -> VectorHit:
    components = point.vector if isinstance(point.vector, list) else []
    return VectorHit(
        id=(point.payload or {})["id"],
        score=round(point.score, SCORE_DIGITS),
        vector=array("f", [x for x in components if isinstance(x, float)]) or None,
    )
