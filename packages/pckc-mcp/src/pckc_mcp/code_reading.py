"""Code read in processes of its own: several at once, and a grammar that hangs or crashes takes no run down."""

import gc
import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.linking import FileFacts
from pckc_domain.policy.graph.codec import facts_from_bytes, facts_to_bytes
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.usecases.read_code import (
    CRASHED,
    TOO_SLOW,
    CodeReading,
    CodeText,
    ReadCode,
    SerialReading,
    no_facts,
    read_facts,
    readable,
)

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

PROCESSES = 2
FEW_FILES = 24
"""So many files that no grammar parses are read sooner in this process."""

CHUNK_FILES = 48
FILE_SECONDS = 30.0
"""A file that takes longer is left out; readers have budgets of their own, this one is for what ignores them."""

Job = tuple[int, CodeText]


class ProcessReading(CodeReading):
    """
    Reads many files in several processes, and what a grammar parses always in another one.

    Args:
        reader: Reads the languages other than Python; it must survive pickling where processes cannot fork.
        file_seconds: How long a file may take.
    """

    def __init__(self, reader: CodeReader | None, *, file_seconds: float = FILE_SECONDS) -> None:
        self._reader = reader
        self._file_seconds = file_seconds

    def languages(self) -> frozenset[str]:
        """Return Python, and what the reader reads."""
        return readable(self._reader)

    def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
        """Yield the facts of every file, in order."""
        parsed = self._reader.languages() if self._reader else frozenset()
        if len(files) <= FEW_FILES and parsed.isdisjoint(file.language for file in files):
            return SerialReading(self._reader).read(files)
        return self._read(files)

    def _read(self, files: Sequence[CodeText]) -> Iterator[ReadCode]:
        jobs = deque(enumerate(files))
        workers = [_Worker(self._reader) for _ in range(min(PROCESSES, len(files)))]
        done: dict[int, ReadCode] = {}
        try:
            for index in range(len(files)):
                while True:
                    for worker in workers:
                        worker.keep_busy(jobs)
                    _collect(workers, done, timeout=0 if index in done else 1.0)
                    if index in done:
                        break
                    for worker in workers:
                        worker.watch(done, self._file_seconds)
                yield done.pop(index)
        finally:
            for worker in workers:
                worker.end()


def _collect(workers: Sequence["_Worker"], done: dict[int, ReadCode], *, timeout: float) -> None:
    """Take in what has been read; wait up to *timeout* seconds for the first of it."""
    by_connection = {worker.connection: worker for worker in workers if worker.jobs}
    for connection in wait(list(by_connection), timeout):
        by_connection[connection].receive(done)  # type: ignore[index]  # it is one of those given


class _Worker:
    """A process that reads, and what it has still to read."""

    def __init__(self, reader: CodeReader | None) -> None:
        self._reader = reader
        self.jobs: deque[Job] = deque()
        self._start()

    def _start(self) -> None:
        context = _context()
        self.connection, other = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_work, args=(other, self.connection, self._reader), daemon=True
        )
        self._process.start()
        other.close()
        self._heard_at = time.monotonic()

    def keep_busy(self, jobs: deque[Job]) -> None:
        """Hand out the next files when there are none left."""
        if not self.jobs and jobs:
            self._hand_out([jobs.popleft() for _ in range(min(CHUNK_FILES, len(jobs)))])

    def receive(self, done: dict[int, ReadCode]) -> None:
        """Take in what is there; a process that died is replaced, and the file it died of left out."""
        try:
            while self.jobs and self.connection.poll():
                done[self.jobs[0][0]] = _unpacked(self.connection.recv())
                self.jobs.popleft()
                self._heard_at = time.monotonic()
        except (EOFError, OSError):
            self._replace(done, CRASHED)

    def watch(self, done: dict[int, ReadCode], seconds: float) -> None:
        """Replace the process when a file takes too long."""
        if self.jobs and time.monotonic() - self._heard_at > seconds:
            self._replace(done, TOO_SLOW)

    def end(self) -> None:
        """End the process."""
        self.connection.close()
        self._process.kill()
        self._process.join()

    def _hand_out(self, jobs: list[Job]) -> None:
        self.jobs.extend(jobs)
        self._heard_at = time.monotonic()
        with suppress(OSError):  # a process that has died shows when it is listened to
            self.connection.send([file for _, file in jobs])

    def _replace(self, done: dict[int, ReadCode], problem: str) -> None:
        self.end()
        index, file = self.jobs.popleft()
        done[index] = ReadCode(no_facts(file, problem))
        rest = list(self.jobs)
        self.jobs.clear()
        self._start()
        if rest:
            self._hand_out(rest)


def _context() -> "ForkContext | SpawnContext":
    """Forking is quick, and safe only while there is one thread."""
    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return multiprocessing.get_context("fork") if can_fork else multiprocessing.get_context("spawn")


def _work(connection: Connection, parents_end: Connection, reader: CodeReader | None) -> None:
    """Read what comes until nothing more does, also when the parent was killed."""
    parents_end.close()  # a copy: while one is open here, the parent's death would not be heard
    gc.disable()  # facts hold no circles, and the process ends soon
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            for file in connection.recv():
                facts = read_facts(file, reader)
                connection.send(facts_to_bytes(facts) if isinstance(facts, CodeFacts) else facts)


def _unpacked(received: bytes | FileFacts) -> ReadCode:
    """Return what `_work` sent: value facts come packed, which takes half as long as pickling."""
    if isinstance(received, bytes):
        return ReadCode(facts_from_bytes(received), received)
    return ReadCode(received)
