"""Code is read in other processes; what goes wrong there stays there."""

import os
import subprocess
import sys
import time

import pytest
from pckc_domain.model.code_facts import CodeFacts, ScopeFacts, ScopeKind
from pckc_domain.model.linking import FileFacts
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.usecases.read_code import CRASHED, TOO_SLOW, CodeText, SerialReading
from pckc_mcp import code_reading
from pckc_mcp.code_reading import ProcessReading


class Moody(CodeReader):
    """Does to a file what its text says."""

    def languages(self) -> frozenset[str]:
        """Return a language."""
        return frozenset(("javascript",))

    def facts(self, path: str, text: str, /, *, language: str) -> FileFacts | None:
        """Read, die or hang."""
        if "die" in text:
            os._exit(9)
        if "hang" in text:
            time.sleep(60)
        scope = ScopeFacts(parent=-1, kind=ScopeKind.MODULE, name=path, ordinal=0, start_line=1, end_line=1)
        return CodeFacts(path=path, language=language, scopes=(scope,), variables=1, steps=(), sites=(), problems=())


def files(*texts: str) -> list[CodeText]:
    """Return a file for each text."""
    return [CodeText(f"f{index}.js", "javascript", text) for index, text in enumerate(texts)]


def problems(reading: ProcessReading, given: list[CodeText]) -> list[tuple[str, ...]]:
    """Return what could not be read of each file, in order."""
    facts = [one.facts for one in reading.read(given)]
    assert [one.path for one in facts] == [file.path for file in given]
    return [one.problems for one in facts]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_many_files_come_in_order_and_as_read_one_by_one(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of processes, and however they are started."""
    monkeypatch.setattr(code_reading, "CHUNK_FILES", 7)
    if method == "spawn":
        monkeypatch.setattr(code_reading.threading, "active_count", lambda: 2)
    given = [CodeText(f"m{index}.py", "python", f"def f{index}():\n    return f{index}()\n") for index in range(60)]
    read = [one.facts for one in ProcessReading(None).read(given)]
    assert read == [one.facts for one in SerialReading(None).read(given)]


def test_a_grammar_that_crashes_costs_one_file() -> None:
    """The files behind it are read."""
    assert problems(ProcessReading(Moody()), files("x", "die", "y", "die", "z")) == [
        (),
        (CRASHED,),
        (),
        (CRASHED,),
        (),
    ]


def test_a_grammar_that_hangs_costs_one_file() -> None:
    """After a while."""
    assert problems(ProcessReading(Moody(), file_seconds=0.5), files("x", "hang", "y")) == [(), (TOO_SLOW,), ()]


def test_a_reader_that_stops_listening_leaves_no_process() -> None:
    """An interrupted run ends its workers."""
    facts = ProcessReading(Moody()).read(files(*("x" * 50)))
    next(facts)
    facts.close()  # type: ignore[attr-defined]  # it is a generator
    assert not code_reading.multiprocessing.active_children()


def test_nothing_to_read() -> None:
    """No file, no process."""
    assert list(ProcessReading(Moody()).read([])) == []


KILLED = """
import sys, time
from pckc_domain.usecases.read_code import CodeText
from pckc_mcp.code_reading import ProcessReading
from multiprocessing import active_children
files = [CodeText(path=f"{i}.py", language="python", text="x = 1\\n") for i in range(200)]
reading = ProcessReading(None).read(files)
next(reading)
print(*(child.pid for child in active_children()), flush=True)
time.sleep(60)
"""


def test_no_reader_outlives_a_killed_parent() -> None:
    """Not even one that waits for work, and holds what a caller of the parent waits for."""
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().split()
        parent.kill()
        assert parent.stdout.read() == ""  # ends when the last one that could write has gone
