"""What an ingest leaves for later: how much of it is embedded and compared at once has an end."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pckc_domain.model.embedding import Vector
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_mcp.indexing import embed_and_compare, left_to_embed
from pckc_mcp.ingesting import Ingested, Ingesting, Text
from pckc_mcp.memory import Memory, open_memory
from pckc_mcp.patience import SLICE_TEXTS

BOOK = "\n\n".join(f"The zeppelin z{number} must never carry more than {number} passengers." for number in range(60))


class CountingEmbedder(HashEmbedder):
    """Counts the texts it was given."""

    def __init__(self) -> None:
        super().__init__(256)
        self.texts = 0

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        self.texts += len(texts)
        return super().embed(texts)


def ingested(memory: Memory, text: str, name: str) -> Ingested:
    (done,) = Ingesting(memory.engine).run([Text(text=text, name=name)])
    return done


def compared(memory: Memory, done: Ingested) -> Ingested:
    (result,) = Ingesting(memory.engine).compared([done])
    return result


@pytest.mark.parametrize("budget", [1, 10, 50])
def test_enough_is_enough_inside_of_a_document(project: Path, budget: int) -> None:
    embedder = CountingEmbedder()
    with open_memory(project, embedder=embedder, vectors=MemoryVectorIndex()) as memory:
        done = ingested(memory, BOOK, "book")
        embed_and_compare(memory.engine, is_enough=lambda: embedder.texts >= budget)
        assert budget <= embedder.texts < budget + SLICE_TEXTS
        assert left_to_embed(memory.engine) > 0
        assert done.report is not None
        assert compared(memory, done).uncompared == len(done.report.claim_ids) > 0
        embed_and_compare(memory.engine)
        assert (left_to_embed(memory.engine), compared(memory, done).uncompared) == (0, 0)


def test_what_repeats_is_counted_once_it_was_compared(project: Path) -> None:
    with open_memory(project, embedder=HashEmbedder(256), vectors=MemoryVectorIndex()) as memory:
        ingested(memory, "The zeppelin must always fly above the clouds.", "one")
        other = ingested(memory, "The zeppelin must always fly the clouds above.", "other")
        assert (compared(memory, other).duplicates, compared(memory, other).uncompared) == (0, 1)
        embed_and_compare(memory.engine)
        assert (compared(memory, other).duplicates, compared(memory, other).uncompared) == (1, 0)


def test_an_agents_own_memory_compares_too(project: Path, tmp_path: Path) -> None:
    with open_memory(project, embedder=HashEmbedder(256), vectors=MemoryVectorIndex()) as memory:
        for name, text in {"one": "fly above the clouds", "other": "fly the clouds above"}.items():
            (project / f"{name}.md").write_text(f"The zeppelin must always {text}.\n", encoding="utf-8")
            memory.ingest(str(project / f"{name}.md"))
        with memory.engine.canonical.reading(memory.engine.scope) as work:
            assert len(work.verdicts.find(limit=10)) == 1


def test_without_an_embedder_nothing_is_left(project: Path) -> None:
    with open_memory(project) as memory:
        done = ingested(memory, BOOK, "book")
        assert embed_and_compare(memory.engine) == 0
        assert compared(memory, done).uncompared == 0
