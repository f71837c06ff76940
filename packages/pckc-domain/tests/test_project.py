"""The vector projection: at least once, resumable at any point, in step with the store."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.embedding import EmbeddingSpace, Vector, VectorItem
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.passage import PassageFilter
from pckc_domain.model.progress import Progress
from pckc_domain.model.scope import Scope
from pckc_domain.policy.embedded_text import EMBEDDED_LAYERS
from pckc_domain.testing.conversations import SCOPE, START, tell
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.projections import vector_projector
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.project import BATCH_WEIGHT, VECTOR_KINDS, VECTOR_PROJECTION, WEIGHTS
from pckc_domain.usecases.remember import Deriver

SPACE = HashEmbedder().space
BATCH_ENTRIES = BATCH_WEIGHT // WEIGHTS[OutboxKind.DOCUMENT]
FILES = {f"docs/{name}.md": f"# {name}\n\nThe {name} must never fail.\n".encode() for name in ("queue", "lease", "log")}


class Project:
    """A store, a work tree and vectors of both."""

    def __init__(self, files: Mapping[str, bytes] = FILES) -> None:
        self.canonical = MemoryCanonical()
        self.tree = MemoryRepository(files)
        self.embedder = Embedder()
        self.vectors = MemoryVectorIndex()

    def index(self) -> None:
        Indexer(self.canonical, self.tree, FixedClock()).run(SCOPE)

    def project(self, **more: object) -> int:
        return vector_projector(self.canonical, self.embedder, self.vectors).run(SCOPE, **more)  # type: ignore[arg-type]  # a listener

    def lag(self) -> int:
        with self.canonical.reading(SCOPE) as work:
            return work.outbox.lag(VECTOR_PROJECTION, kinds=VECTOR_KINDS)

    def held(self) -> dict[str, VectorItem]:
        """Return every item, by id."""
        return held(self.vectors)

    def wanted(self) -> set[str]:
        """Return the ids of the fresh passages that should have a vector."""
        with self.canonical.reading(SCOPE) as work:
            found = [work.passages.find(layer, where=PassageFilter(), limit=999) for layer in EMBEDDED_LAYERS]
        return {stored.passage.id for page in found for stored in page}


def held(vectors: MemoryVectorIndex, scope: Scope = SCOPE) -> dict[str, VectorItem]:
    items: dict[str, VectorItem] = vars(vectors)["_items"].get(scope, {})
    return items


class Embedder(HashEmbedder):
    """An embedder that may fail after some calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls_left: int | None = None
        self.texts = 0

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        if self.calls_left is not None:
            if not self.calls_left:
                raise BackendUnavailableError("the embedder is gone")
            self.calls_left -= 1
        self.texts += len(texts)
        return super().embed(texts)


def test_every_embedded_layer_of_every_fresh_document_has_a_vector() -> None:
    mine = Project()
    mine.index()
    assert mine.lag() == len(FILES)
    assert mine.project() == len(FILES)
    assert mine.lag() == 0
    assert mine.held().keys() == mine.wanted()


def test_what_did_not_change_is_not_embedded_again() -> None:
    mine = Project()
    mine.index()
    mine.project()
    before = mine.embedder.texts
    assert mine.project() == 0
    mine.index()
    assert mine.project() == 0
    assert mine.embedder.texts == before


def test_stale_and_removed_documents_lose_their_vectors() -> None:
    mine = Project()
    mine.index()
    mine.project()
    before = mine.held()
    mine.tree.write("docs/queue.md", b"# queue\n\nThe queue must be quick.\n")
    mine.tree.remove("docs/log.md")
    mine.index()
    assert mine.project() == 3  # one new, one stale, one removed
    assert mine.held().keys() == mine.wanted()
    assert {item.owner for item in before.values()} - {item.owner for item in mine.held().values()}


def test_a_version_that_comes_back_has_its_vectors_back() -> None:
    mine = Project()
    mine.index()
    mine.project()
    before = mine.held()
    mine.tree.write("docs/queue.md", b"# queue\n\nOther words.\n")
    mine.index()
    mine.project()
    mine.tree.write("docs/queue.md", FILES["docs/queue.md"])
    mine.index()
    mine.project()
    assert mine.held() == before


def test_claims_and_evidence_are_embedded_and_forgotten() -> None:
    mine = Project({})
    tell(mine.canonical, "s", ["The queue listens on port 8000.", "We decided to use SQLite for the job queue."])
    mine.project()
    kinds = [item.partition.partition(":")[0] for item in mine.held().values()]
    assert sorted(kinds) == ["claim", "claim", "evidence", "evidence"]
    deriver = Deriver(mine.canonical, FixedClock())
    Eraser(mine.canonical, deriver, vectors=mine.vectors).forget_session(SCOPE, "s")
    assert mine.held() == {}
    mine.project()
    assert (mine.held(), mine.lag()) == ({}, 0)


def test_status_and_time_of_a_claim_are_followed() -> None:
    """A claim that is replaced, and one whose proof is gone: the queue brings both into the index."""
    mine = Project({})
    tell(mine.canonical, "s", ["The server listens on port 8000."])
    mine.project()
    (first,) = (item for item in mine.held().values() if item.partition.startswith("claim:"))
    assert (first.status, first.valid_from, first.valid_to) == ("verified", START.timestamp(), None)
    later = START + timedelta(days=1)
    tell(mine.canonical, "t", ["Correction: the server listens on port 9090 now."], start=later)
    mine.project()
    assert mine.held()[first.id].valid_to == later.timestamp()
    with mine.canonical.writing(SCOPE) as work:
        work.claims.note_check(first.id, stale_reason="the line is gone")
    assert mine.lag() == 1
    mine.project()
    assert mine.held()[first.id].status == "stale"


def test_progress_counts_changes() -> None:
    mine = Project({f"{number:02}.md": b"# A\n\nIt must hold.\n" for number in range(BATCH_ENTRIES + 4)})
    mine.index()
    steps: list[Progress] = []
    mine.project(progress=steps.append)
    total = BATCH_ENTRIES + 4
    assert [(step.done, step.total) for step in steps] == [(BATCH_ENTRIES, total), (total, total)]


def test_a_failing_embedder_loses_nothing() -> None:
    mine = Project({f"{number:02}.md": b"# %d\n\nIt must hold.\n" % number for number in range(3 * BATCH_ENTRIES)})
    mine.index()
    mine.embedder.calls_left = 1
    with pytest.raises(BackendUnavailableError):
        mine.project()
    assert mine.lag() == 2 * BATCH_ENTRIES
    mine.embedder.calls_left = None
    assert mine.project() == 2 * BATCH_ENTRIES
    assert mine.held().keys() == mine.wanted()


def test_a_change_between_writing_and_remembering_is_projected_again() -> None:
    """The place is remembered last: a run that dies before it does everything once more."""
    mine = Project()
    mine.index()

    class Dying(MemoryVectorIndex):
        def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
            super().upsert(scope, space, items)
            raise BackendUnavailableError("killed")

    dying = Dying()
    with pytest.raises(BackendUnavailableError):
        vector_projector(mine.canonical, mine.embedder, dying).run(SCOPE)
    assert held(dying).keys() == mine.wanted()
    assert mine.lag() == len(FILES)
    assert mine.project() == len(FILES)


STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(sorted(FILES)), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.sampled_from(sorted(FILES)), st.none()),
    st.tuples(st.just("project"), st.none(), st.none()),
    st.tuples(st.just("fail"), st.none(), st.none()),
    st.tuples(st.just("tell"), st.sampled_from(["8000", "8100"]), st.integers(0, 2)),
)


@given(st.lists(STEPS, max_size=12))
@settings(max_examples=60, deadline=None)
def test_whatever_happened_the_vectors_are_those_of_a_rebuild(script: list[tuple[str, str | None, int | None]]) -> None:
    mine = Project()
    mine.index()
    for act, target, number in script:
        if act == "write" and target:
            mine.tree.write(target, b"# Version\n\nIt must be %d.\n" % (number or 0))
        elif act == "remove" and any(file.path == target for file in mine.tree.scan({})):
            mine.tree.remove(target or "")
        elif act == "tell":
            tell(mine.canonical, f"s{target}{number}", [f"The queue listens on port {target}."])
        elif act == "project":
            mine.project()
        elif act == "fail":
            mine.embedder.calls_left = 0
            with suppress(BackendUnavailableError):
                mine.project()
            mine.embedder.calls_left = None
        if act in ("write", "remove"):
            mine.index()
    mine.project()
    assert mine.lag() == 0
    before = dict(mine.held())
    with mine.canonical.writing(SCOPE) as work:
        work.outbox.reset(VECTOR_PROJECTION)
    mine.vectors = MemoryVectorIndex()
    mine.project()
    assert mine.held() == before
    assert mine.wanted() <= before.keys()


def test_items_are_of_the_embedders_space() -> None:
    mine = Project()
    mine.index()
    mine.project()
    assert {len(item.vector) for item in mine.held().values()} == {SPACE.dimensions}
    assert (
        len(mine.vectors.search(SCOPE, SPACE, mine.embedder.embed(["queue"])[0], partitions=frozenset(), limit=1)) == 1
    )
