"""The cache of embeddings in its file: its contract, its bound, other processes, and what cannot be used."""

import sqlite3
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_adapters_sqlite.backend import EMBEDDING_CACHE, EmbeddingCacheSettings
from pckc_domain.errors import BackendError
from pckc_domain.model.embedding import EmbeddingSpace
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedding_cache import EmbeddingCache
from pckc_domain.testing.embedding_cache_contract import EmbeddingCacheContract

SCOPE = Scope(tenant="team", project="p")
SPACE = EmbeddingSpace(model="m", dimensions=512)
COMPONENT = 0.123456


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the cache is."""
    return tmp_path / "a folder" / "store.db-embeddings"


@pytest.fixture
def cache(file: Path) -> Iterator[EmbeddingCache]:
    """Yield an empty cache of one megabyte."""
    with EMBEDDING_CACHE.open(EmbeddingCacheSettings(path=file, max_megabytes=1)) as opened:
        yield opened


class TestContract(EmbeddingCacheContract):
    @pytest.fixture
    def cache(self, file: Path) -> Iterator[EmbeddingCache]:
        with EMBEDDING_CACHE.open(EmbeddingCacheSettings(path=file)) as opened:
            yield opened


def put(cache: EmbeddingCache, texts: list[str]) -> None:
    known = cache.get(SCOPE, SPACE, [digest(text) for text in texts])
    cache.put(SCOPE, SPACE, {digest(text): array("f", [COMPONENT] * 512) for text in texts}, era=known.era)


def known(cache: EmbeddingCache, texts: list[str]) -> int:
    return len(cache.get(SCOPE, SPACE, [digest(text) for text in texts]).vectors)


def test_opening_and_clearing_make_no_file(cache: EmbeddingCache, file: Path) -> None:
    cache.clear(SCOPE)
    assert not file.parent.exists()


def test_it_does_not_grow_past_its_bound_and_keeps_most(cache: EmbeddingCache, file: Path) -> None:
    texts = [f"text {number}" for number in range(1200)]  # of 2 kB each
    for start in range(0, len(texts), 50):
        put(cache, texts[start : start + 50])
        assert file.stat().st_size < 1_250_000
    assert 250 < known(cache, texts) < 500
    assert known(cache, texts[:600]) > 25  # the oldest did not all go


def test_another_process_finds_it(cache: EmbeddingCache, file: Path) -> None:
    put(cache, ["a text"])
    program = f"""
from pathlib import Path
from pckc_adapters_sqlite.backend import EMBEDDING_CACHE, EmbeddingCacheSettings
from pckc_domain.model.embedding import EmbeddingSpace
from pckc_domain.model.scope import Scope
with EMBEDDING_CACHE.open(EmbeddingCacheSettings(path=Path({str(file)!r}))) as cache:
    space = EmbeddingSpace(model="m", dimensions=512)
    print(len(cache.get(Scope(tenant="team", project="p"), space, [{digest("a text")!r}]).vectors))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_neither_texts_nor_cleared_bytes_are_in_its_files(cache: EmbeddingCache, file: Path) -> None:
    put(cache, ["a secret text"])
    stored = b"".join(one.read_bytes() for one in file.parent.iterdir())
    assert b"secret" not in stored
    assert digest("a secret text").encode() in stored
    cache.clear(SCOPE)
    left = b"".join(one.read_bytes() for one in file.parent.iterdir())
    assert digest("a secret text").encode() not in left
    assert array("f", [COMPONENT] * 4).tobytes() not in left


@pytest.mark.parametrize("content", [b"no database at all, but some other file " * 50, None])
def test_what_cannot_be_used_says_so_and_is_left_alone(file: Path, content: bytes | None) -> None:
    if content is None:
        file.mkdir(parents=True)
    else:
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    with EMBEDDING_CACHE.open(EmbeddingCacheSettings(path=file)) as cache:
        with pytest.raises(BackendError, match="embeddings cannot be used") as caught:
            put(cache, ["a text"])
        assert "delete that file" in caught.value.remedy
        with pytest.raises(BackendError, match="embeddings cannot be used"):
            cache.clear(SCOPE)
    assert content is None or file.read_bytes() == content


def test_another_database_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with EMBEDDING_CACHE.open(EmbeddingCacheSettings(path=file)) as cache, pytest.raises(BackendError):
        put(cache, ["a text"])
    assert [name for (name,) in sqlite3.connect(file).execute("SELECT name FROM sqlite_master")] == ["mine"]
