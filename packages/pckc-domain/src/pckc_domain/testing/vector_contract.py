"""What every vector index must do. Inherit `VectorContract` and provide the fixture *vectors*."""

import random
from array import array

import attrs
import pytest

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EmbeddingSpace, Vector, VectorFilter, VectorItem
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.memory.vector import MemoryVectorIndex, cosine

SCOPE = Scope(project="sample")
SPACE = EmbeddingSpace(model="sample", dimensions=96)
EVERYWHERE: frozenset[str] = frozenset()


def clustered(count: int, *, clusters: int = 40, seed: int = 7) -> list[Vector]:
    """Return unit vectors around random centres, as sentences lie around topics; the same seed gives the same ones."""
    dice = random.Random(seed)  # noqa: S311  # no secret
    centres = [[dice.gauss(0, 1) for _ in range(SPACE.dimensions)] for _ in range(clusters)]
    points = ([x + dice.gauss(0, 0.8) for x in dice.choice(centres)] for _ in range(count))
    return [unit(point) for point in points]


def unit(components: list[float]) -> Vector:
    """Return *components* scaled to length one."""
    length = sum(x * x for x in components) ** 0.5
    return array("f", (x / length for x in components))


def items(count: int, *, prefix: str = "item", seed: int = 7) -> list[VectorItem]:
    """Return *count* items, alternating between the partitions even and odd, ten to an owner."""
    return [
        VectorItem(id=f"{prefix}{i:05d}", partition=("even", "odd")[i % 2], vector=vector, owner=f"{prefix}-{i // 10}")
        for i, vector in enumerate(clustered(count, seed=seed))
    ]


class VectorContract:
    """Recall against brute force, filters and lifecycle."""

    recall = 0.95
    """Mean share of the ten true neighbours that a search must find; an exact index may ask for more."""

    filters_inside = False
    """Whether branch, status and time are kept with each item, so that `VectorFilter` counts before the limit."""

    size = 2_000
    """Items in the recall tests."""

    def test_neighbours_are_found(self, vectors: VectorIndex) -> None:
        """Recall at ten against brute force, in all partitions and in one."""
        every, truth = items(self.size + 15), MemoryVectorIndex()
        stored, queries = every[: self.size], [item.vector for item in every[self.size :]]
        for start in range(0, self.size, 500):
            vectors.upsert(SCOPE, SPACE, stored[start : start + 500])
        truth.upsert(SCOPE, SPACE, stored)
        for partitions in (EVERYWHERE, frozenset({"odd"})):
            found = 0
            for query in queries:
                hits = vectors.search(SCOPE, SPACE, query, partitions=partitions, limit=10)
                best = truth.search(SCOPE, SPACE, query, partitions=partitions, limit=10)
                assert len(hits) == 10
                found += len({hit.id for hit in hits} & {hit.id for hit in best})
            assert found / (10 * len(queries)) >= self.recall

    def test_scores_are_cosines_in_order(self, vectors: VectorIndex) -> None:
        """Nearest first, ties by id."""
        stored = items(40)
        twins = [VectorItem(id=f"twin{i}", partition="even", vector=stored[0].vector) for i in (2, 0, 1)]
        vectors.upsert(SCOPE, SPACE, [*stored, *twins])
        by_id = {item.id: item.vector for item in (*stored, *twins)}
        hits = vectors.search(SCOPE, SPACE, stored[0].vector, partitions=EVERYWHERE, limit=20)
        assert [hit.id for hit in hits[:4]] == [stored[0].id, "twin0", "twin1", "twin2"]
        assert [-hit.score for hit in hits] == sorted(-hit.score for hit in hits)
        for hit in hits:
            assert hit.score == pytest.approx(cosine(by_id[hit.id], stored[0].vector), abs=1e-4)
            assert hit.vector is None or list(hit.vector) == pytest.approx(list(by_id[hit.id]), abs=1e-4)

    def test_only_the_partitions_asked_for(self, vectors: VectorIndex) -> None:
        """Before the limit: a rare partition is found among many nearer items of others."""
        stored = items(300)
        rare = VectorItem(id="rare", partition="claim:bug", vector=unit([-x for x in stored[0].vector]))
        vectors.upsert(SCOPE, SPACE, [*stored, rare])
        for partitions, expected in (
            (frozenset({"claim:bug"}), ["rare"]),
            (frozenset({"claim:bug", "unknown"}), ["rare"]),
            (frozenset({"unknown"}), []),
        ):
            hits = vectors.search(SCOPE, SPACE, stored[0].vector, partitions=partitions, limit=5)
            assert [hit.id for hit in hits] == expected
        odd = vectors.search(SCOPE, SPACE, stored[0].vector, partitions=frozenset({"odd"}), limit=200)
        assert {hit.id for hit in odd} == {item.id for item in stored if item.partition == "odd"}

    @pytest.mark.parametrize(
        "where",
        [
            VectorFilter(branches=frozenset({"main"})),
            VectorFilter(branches=frozenset({"", "side"}), statuses=frozenset({"verified"})),
            VectorFilter(valid_at=150.0),
            VectorFilter(valid_at=200.0, statuses=frozenset({"verified", "stale"}), branches=frozenset({"main"})),
        ],
    )
    def test_a_filter_leaves_out_nothing_that_was_asked_for(self, vectors: VectorIndex, where: VectorFilter) -> None:
        """Where these things are kept, and nothing else is answered; a status that changes counts from then on."""
        stored = [
            attrs.evolve(
                item,
                branch=("main", "side", "")[i % 3],
                status=("verified", "stale", "")[i % 5 % 3],
                valid_from=None if i % 7 == 0 else 100.0,
                valid_to=(None, 150.0, 200.0)[i % 4 % 3],
            )
            for i, item in enumerate(items(200))
        ]
        vectors.upsert(SCOPE, SPACE, stored)
        changed = [attrs.evolve(item, status="stale") for item in stored[:20]]
        vectors.upsert(SCOPE, SPACE, changed)
        expected = {item.id for item in (*changed, *stored[20:]) if where.accepts(item)}
        assert 0 < len(expected) < len(stored)
        limit = len(expected) if self.filters_inside else len(stored)
        hits = vectors.search(SCOPE, SPACE, stored[0].vector, partitions=EVERYWHERE, limit=limit, where=where)
        found = {hit.id for hit in hits}
        assert len(found & expected) / len(expected) >= self.recall
        assert not self.filters_inside or found <= expected

    def test_upserts_replace(self, vectors: VectorIndex) -> None:
        """The vector, the partition and the owner; twice the same changes nothing."""
        first, second = items(2)
        vectors.upsert(SCOPE, SPACE, [first, second])
        moved = VectorItem(id=first.id, partition="moved", vector=second.vector, owner="new")
        for _ in range(2):
            vectors.upsert(SCOPE, SPACE, [moved])
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == 2
        assert vectors.count(SCOPE, partitions=frozenset({"moved"})) == 1
        hits = vectors.search(SCOPE, SPACE, second.vector, partitions=frozenset({"moved"}), limit=5)
        assert [hit.id for hit in hits] == [first.id]
        assert hits[0].score == pytest.approx(1.0, abs=1e-4)
        vectors.delete(SCOPE, owners=[first.owner])
        assert vectors.count(SCOPE, partitions=frozenset({"moved"})) == 1

    def test_deletion_is_by_owner(self, vectors: VectorIndex) -> None:
        """The owner's items are gone from every answer; what comes after them is found."""
        stored = items(60)
        vectors.upsert(SCOPE, SPACE, stored)
        vectors.search(SCOPE, SPACE, stored[0].vector, partitions=EVERYWHERE, limit=1)
        vectors.delete(SCOPE, owners=["item-0", "item-5", "unknown"])
        vectors.delete(SCOPE, owners=["item-0"])
        left = {item.id for item in stored if item.owner not in ("item-0", "item-5")}
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == len(left)
        hits = vectors.search(SCOPE, SPACE, stored[0].vector, partitions=EVERYWHERE, limit=100)
        assert {hit.id for hit in hits} == left
        more = items(30, prefix="more", seed=9)
        vectors.upsert(SCOPE, SPACE, more)
        hits = vectors.search(SCOPE, SPACE, more[4].vector, partitions=EVERYWHERE, limit=100)
        assert hits[0].id == more[4].id
        assert {hit.id for hit in hits} == left | {item.id for item in more}

    def test_clearing_forgets_the_space(self, vectors: VectorIndex) -> None:
        """Afterwards another space is welcome, and nothing of the old one is found."""
        vectors.upsert(SCOPE, SPACE, items(30))
        vectors.search(SCOPE, SPACE, items(1)[0].vector, partitions=EVERYWHERE, limit=1)
        vectors.clear(SCOPE)
        vectors.clear(SCOPE)
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == 0
        other = EmbeddingSpace(model="other", dimensions=3)
        vectors.upsert(SCOPE, other, [VectorItem(id="x", partition="even", vector=array("f", (1, 0, 0)))])
        hits = vectors.search(SCOPE, other, array("f", (1, 1, 0)), partitions=EVERYWHERE, limit=9)
        assert [hit.id for hit in hits] == ["x"]

    @pytest.mark.parametrize(
        "other", [EmbeddingSpace(model="other", dimensions=96), EmbeddingSpace(model="sample", dimensions=4)]
    )
    def test_spaces_are_never_mixed(self, vectors: VectorIndex, other: EmbeddingSpace) -> None:
        """Neither stored nor searched; the error names the way out."""
        vectors.upsert(SCOPE, SPACE, items(3))
        vector = array("f", [1.0] * other.dimensions)
        with pytest.raises(ConfigurationError) as raised:
            vectors.upsert(SCOPE, other, [VectorItem(id="x", partition="even", vector=vector)])
        assert "pckc rebuild --vectors" in raised.value.remedy
        with pytest.raises(ConfigurationError):
            vectors.search(SCOPE, other, vector, partitions=EVERYWHERE, limit=1)
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == 3

    def test_a_vector_of_another_length_is_refused(self, vectors: VectorIndex) -> None:
        """And nothing of the batch is stored."""
        good, bad = items(1)[0], VectorItem(id="bad", partition="even", vector=array("f", (1.0, 2.0)))
        with pytest.raises(InvalidInputError):
            vectors.upsert(SCOPE, SPACE, [good, bad])
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == 0

    def test_an_empty_index_answers(self, vectors: VectorIndex) -> None:
        """A scope without vectors has no space yet and finds nothing."""
        vector = items(1)[0].vector
        vectors.upsert(SCOPE, SPACE, [])
        vectors.delete(SCOPE, owners=["x"])
        vectors.clear(SCOPE)
        assert vectors.search(SCOPE, SPACE, vector, partitions=EVERYWHERE, limit=5) == []
        assert vectors.count(SCOPE, partitions=frozenset({"even"})) == 0
        vectors.upsert(SCOPE, SPACE, items(2))
        assert vectors.search(SCOPE, SPACE, vector, partitions=EVERYWHERE, limit=0) == []

    def test_scopes_do_not_see_each_other(self, vectors: VectorIndex) -> None:
        """The same ids live in two scopes, in different spaces."""
        other, space = Scope(project="another"), EmbeddingSpace(model="other", dimensions=96)
        stored = items(20)
        vectors.upsert(SCOPE, SPACE, stored)
        vectors.upsert(other, space, [VectorItem(id="item00000", partition="even", vector=stored[1].vector)])
        hits = vectors.search(other, space, stored[0].vector, partitions=EVERYWHERE, limit=30)
        assert [hit.id for hit in hits] == ["item00000"]
        vectors.clear(other)
        assert vectors.count(SCOPE, partitions=EVERYWHERE) == 20
