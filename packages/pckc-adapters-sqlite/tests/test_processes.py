"""Several processes on one file: waiting, crashing, losing rights."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.passage import Layer
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.samples import SCOPE, content, document
from pckc_domain.testing.vector_contract import SPACE, items

WORKER = Path(__file__).with_name("worker.py")
TEXTS = 5


def opened(path: Path) -> AbstractContextManager[Canonical]:
    """Open the store at *path*."""
    return CANONICAL.open(SqliteSettings(path=path))


def start(task: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a worker process."""
    command = [sys.executable, str(WORKER), task, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    """Wait for workers, require that none failed, and return what they printed."""
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), outputs
    return [output for output, _ in outputs]


def test_writers_and_readers_wait_for_each_other(tmp_path: Path) -> None:
    """Two writers and five readers that start without a file: no error, nothing lost, no half document."""
    path = tmp_path / "new" / "store.db"
    writers = [start("write", path, writer, 30) for writer in range(2)]
    finish(*writers, *(start("read", path, 20) for _ in range(5)))
    with opened(path) as store:
        assert store.info(check=True).problems == ()
        with store.reading(SCOPE) as work:
            assert [len(work.documents.at(f"src/{writer}.py")) for writer in range(2)] == [30, 30]
            pending = work.outbox.pending("vector", limit=1000)
    assert len({each.entity_id for each in pending}) == 60


def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """After kill -9 every noted document is whole, and the store is sound and can be written."""
    path, acknowledged = tmp_path / "store.db", tmp_path / "acknowledged"
    acknowledged.touch()
    for _ in range(3):
        before = acknowledged.stat().st_size
        process = start("write_for_ever", path, acknowledged)
        while acknowledged.stat().st_size < before + 500 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.communicate()
    noted = set(acknowledged.read_text().split())
    assert len(noted) > 30
    with opened(path) as store:
        assert store.info(check=True).problems == ()
        with store.reading(SCOPE) as work:
            assert {each.id for each in work.documents.get(sorted(noted))} == noted
            assert len(work.passages.of_documents(sorted(noted))) == len(noted) * TEXTS * len(Layer)
        with store.writing(SCOPE) as work:
            work.documents.remove(sorted(noted))


def test_another_process_s_vectors_are_found(tmp_path: Path) -> None:
    """The codes in memory follow what others write."""
    path = tmp_path / "store.db"
    wanted = items(50, prefix="other")[7].vector
    with VECTOR.open(SqliteSettings(path=path)) as index:
        index.upsert(SCOPE, SPACE, items(50))
        index.search(SCOPE, SPACE, wanted, partitions=frozenset(), limit=5)
        finish(start("upsert", path, "other"))
        found = index.search(SCOPE, SPACE, wanted, partitions=frozenset(), limit=2)
    assert {hit.id for hit in found} == {"item00007", "other00007"}


def test_a_locked_store_says_so(tmp_path: Path) -> None:
    """A writer that does not end makes another give up after the timeout."""
    path = tmp_path / "store.db"
    impatient = SqliteSettings(path=path, busy_timeout_seconds=0.05)
    with opened(path) as store, store.writing(SCOPE), CANONICAL.open(impatient) as other:
        with pytest.raises(BackendUnavailableError, match="locked") as raised, other.writing(SCOPE):
            pass
        assert "busy_timeout_seconds" in raised.value.remedy


@pytest.fixture
def public() -> Iterator[Path]:
    """Yield a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


@pytest.mark.parametrize("is_folder_writable", [True, False])
@pytest.mark.parametrize("is_open_elsewhere", [True, False])
def test_a_read_only_store_can_be_read(public: Path, is_folder_writable: bool, is_open_elsewhere: bool) -> None:
    """Without the right to write the file, with and without that to its folder and another process that has it open."""
    path = public / "store.db"
    with opened(path) as store:
        with store.writing(SCOPE) as work:
            work.documents.put(content(document(), *(f"alpha {i}" for i in range(TEXTS))))
        if is_open_elsewhere:
            check_read_only(path, is_folder_writable=is_folder_writable)
    if not is_open_elsewhere:
        check_read_only(path, is_folder_writable=is_folder_writable)


def check_read_only(path: Path, *, is_folder_writable: bool) -> None:
    """Take the rights from everybody but root, then read as somebody without."""
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(0o777 if is_folder_writable else 0o555)
    found, remedy = json.loads(finish(start("read_without_rights", path))[0])
    assert found == TEXTS
    assert "writable" in remedy
