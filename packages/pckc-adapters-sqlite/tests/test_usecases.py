"""Use cases on SQLite: the ids of the memory store, whatever the way there, and no byte left of the forgotten."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.session import EventKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.conversations import SCOPE, START, Line, conversation, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.forgetting import BOOK, CLAIM_TEXT, DOCUMENT, KEPT_WORD, SECRET_WORD, SESSION, Memory
from pckc_domain.testing.holdings import beliefs_of, index_of
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.memory_transcripts import MemoryTranscripts
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.recall_claims import ClaimSearch
from pckc_domain.usecases.remember import Importer, ImportRequest

WORDS = "queue lease worker must never port 8000 raise always “quoted” серверы".split()
PATHS = ("a.py", "src/b.py", "docs/c.md", "d.txt", "e.toml", "f.bin")


@contextmanager
def empty_store() -> Iterator[Canonical]:
    """Open a store in a folder of its own."""
    with (
        TemporaryDirectory() as folder,
        CANONICAL.open(SqliteSettings(path=Path(folder) / "store.db")) as store,
    ):
        yield store


lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
contents = st.lists(st.one_of(lines, st.sampled_from(["", "# Head", "def f(x):", "    return x"])), max_size=8)
trees = st.dictionaries(st.sampled_from(PATHS), contents.map(lambda each: "\n".join(each).encode()), max_size=5)


class TestIndex:
    """Indexing."""

    @given(st.lists(trees, min_size=1, max_size=3))
    @settings(max_examples=25, deadline=None)
    def test_the_same_trees_give_the_same_store(self, states: list[dict[str, bytes]]) -> None:
        """One tree after the other in one work tree: every id, count and order is the memory store's."""
        tree, memory = MemoryRepository(), MemoryCanonical()
        with empty_store() as store:
            for state in states:
                for file in list(tree.scan({})):
                    if file.path not in state:
                        tree.remove(file.path)
                for path, data in state.items():
                    tree.write(path, data)
                for canonical in (memory, store):
                    Indexer(canonical, tree, FixedClock()).run(SCOPE)
                assert index_of(store, SCOPE) == index_of(memory, SCOPE)


TALKS: tuple[tuple[Line, ...], ...] = (
    ("The queue listens on port 8000.", "We decided to use SQLite for the job queue.", "Never commit to main."),
    ("The queue listens on port 8100 now.", (EventKind.RESPONSE, "The queue listens on port 9999.")),
    ("Bug: the importer crashes on empty files.", (EventKind.REASONING, "It is the parser.")),
    ("Fixed the importer crash on empty files.", "The queue listens on port 8000.", "Я живу в Казани."),
)


def import_talks(canonical: Canonical, order: Sequence[int], at_once: int) -> None:
    """Import the talks in some order, so many in a run."""
    transcripts = MemoryTranscripts(batch_events=2)
    files = [
        transcripts.write(f"/t/{number}", *conversation(f"s{number}", TALKS[number], start=START + timedelta(number)))
        for number in order
    ]
    for start in range(0, len(files), at_once):
        request = ImportRequest(files=files[start : start + at_once], commit_events=2)
        Importer(canonical, transcripts, FixedClock()).run(SCOPE, request)


class TestImport:
    """Importing."""

    @given(st.permutations(range(len(TALKS))), st.integers(1, 4))
    @settings(max_examples=24, deadline=None)
    def test_any_order_of_sessions_gives_the_same_beliefs(self, order: list[int], at_once: int) -> None:
        """They are the memory store's, in every id, status, link and time."""
        memory = MemoryCanonical()
        import_talks(memory, range(len(TALKS)), len(TALKS))
        with empty_store() as store:
            import_talks(store, order, at_once)
            assert beliefs_of(store, SCOPE) == beliefs_of(memory, SCOPE)


def test_pages_of_claims_do_not_overlap_and_lose_nothing() -> None:
    """Also when more claims match than are looked at for one page."""
    with empty_store() as store:
        tell(store, "many", [f"The service{number} listens on port {8000 + number}." for number in range(230)])
        search = ClaimSearch(store, clock=FixedClock(START + timedelta(days=1)))
        pages = [
            search.search(SCOPE, MemoryRequest(query="port of service7", limit=20, offset=offset)).results
            for offset in range(0, 240, 20)
        ]
    seen = [result.claim.id for page in pages for result in page]
    assert len(seen) == len(set(seen)) == 230


class TestForget:
    """Forgetting: the bytes of the store's files are searched."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        """Return where the store is."""
        return tmp_path / "store.db"

    @pytest.fixture
    def memory(self, path: Path) -> Iterator[Memory]:
        """Yield a store whose documents hold the word."""
        with CANONICAL.open(SqliteSettings(path=path)) as store, VECTOR.open(SqliteSettings(path=path)) as vectors:
            yield self.memory_of(store, vectors)

    @staticmethod
    def memory_of(store: Canonical, vectors: VectorIndex) -> Memory:
        """Return the memory over a store and its vectors."""
        memory = Memory(store, vectors)
        memory.project()
        return memory

    @pytest.fixture
    def told(self, memory: Memory) -> Memory:
        """Return a store in which the word was only said."""
        memory.tree.remove(DOCUMENT)
        memory.index()
        memory.plant()
        return memory

    @staticmethod
    def holders(path: Path, word: str) -> set[str]:
        """Return the files that hold a word in any spelling."""
        return {file.name for file in path.parent.iterdir() if word.casefold().encode() in file.read_bytes().lower()}

    def test_a_claim(self, told: Memory, path: Path) -> None:
        """Its sentence is gone, its neighbour in the same event is not."""
        told.ask()
        claim = next(claim for claim in told.claims() if claim.text == CLAIM_TEXT)
        assert self.holders(path, CLAIM_TEXT)
        told.eraser().forget_claim(SCOPE, claim.id)
        assert self.holders(path, CLAIM_TEXT.rstrip(".")) == set()
        assert self.holders(path, f"The {KEPT_WORD} listens on port 9000.")

    @pytest.mark.parametrize(
        "forget",
        [
            lambda eraser: eraser.forget_session(SCOPE, SESSION),
            lambda eraser: eraser.forget_project(SCOPE),
        ],
        ids=["session", "project"],
    )
    def test_what_was_said(self, told: Memory, path: Path, forget: Callable[[Eraser], None]) -> None:
        """A session or all of a project."""
        assert self.holders(path, SECRET_WORD)
        forget(told.eraser())
        assert self.holders(path, SECRET_WORD) == set()

    def test_a_document(self, memory: Memory, path: Path) -> None:
        """All its versions."""
        memory.tree.write(DOCUMENT, f"# {SECRET_WORD}\n\nAnother version.\n".encode())
        memory.index()
        memory.project()
        assert self.holders(path, SECRET_WORD)
        memory.eraser().forget_document(SCOPE, DOCUMENT)
        assert self.holders(path, SECRET_WORD) == set()
        assert self.holders(path, KEPT_WORD)

    @pytest.mark.parametrize(
        "forget",
        [
            lambda eraser: eraser.forget_document(SCOPE, BOOK),
            lambda eraser: eraser.forget_project(SCOPE),
        ],
        ids=["document", "project"],
    )
    def test_what_was_read(self, memory: Memory, path: Path, forget: Callable[[Eraser], None]) -> None:
        """A book or all of a project."""
        memory.tree.remove(DOCUMENT)
        memory.index()
        memory.ingest()
        assert self.holders(path, SECRET_WORD)
        forget(memory.eraser())
        assert self.holders(path, SECRET_WORD) == set()
