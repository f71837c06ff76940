"""`pckc watch` follows real changes of real files, and ends when it should."""

import json
import os
import queue
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .hash_embedder import write_embedder
from .program import PCKC, Program, Repository, kill

PATIENCE_SECONDS = 60.0
WAYS = pytest.mark.parametrize("way", [(), ("--poll", "0.3")], ids=["events", "polling"])


class Watching:
    """A running watcher."""

    def __init__(self, pckc: Program, *options: str) -> None:
        self.process = subprocess.Popen(
            [PCKC, "watch", "--json", *options],
            cwd=pckc.folder,
            env=dict(pckc.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._pckc = pckc
        self.rounds: list[dict[str, Any]] = []
        self.said: list[str] = []
        self._lines: queue.Queue[tuple[str, str]] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(stream, name), daemon=True)
            for name, stream in (("round", self.process.stdout), ("said", self.process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: Any, name: str) -> None:
        for line in stream:
            self._lines.put((name, line.decode()))

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, or fail."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not is_so():
            assert time.monotonic() < end, (self.rounds[-3:], self.said)
            self._take(0.1)

    def _take(self, seconds: float) -> None:
        try:
            name, line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return
        if name == "round":
            self.rounds.append(json.loads(line))
        else:
            self.said.append(line)

    def until_heard(self, words: str) -> None:
        """Wait until it says *words*."""
        self.until(lambda: any(words in line for line in self.said))

    def until_found(self, words: str, *, is_there: bool = True) -> None:
        """Wait until a search finds *words*, or does not."""
        self.until(lambda: found(self._pckc, words) is is_there)

    def close(self) -> None:
        """Read what is left of a process that has ended."""
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and return the code when it has ended."""
        self.process.send_signal(how)
        return self.ended()

    def ended(self) -> int:
        """Return the code when it has ended."""
        code = self.process.wait(timeout=PATIENCE_SECONDS)
        self.close()
        while not self._lines.empty():
            self._take(0)
        assert "Traceback" not in "".join(self.said), self.said
        return code


def found(pckc: Program, words: str) -> bool:
    """Return whether a passage of a current file has these words."""
    hits = pckc("search", f'"{words}"', "--layer", "chunk", "--json").json["results"]
    return any(words in hit["text"] and hit["status"] != "stale" for hit in hits)


@pytest.fixture
def start(pckc: Program) -> Iterator[Callable[..., Watching]]:
    """Start watchers that do not outlive the test."""
    started: list[Watching] = []

    def begin(*options: str) -> Watching:
        started.append(Watching(pckc, *options))
        started[-1].until(lambda: bool(started[-1].rounds or started[-1].process.poll() is not None))
        return started[-1]

    yield begin
    for one in started:
        if one.process.poll() is None:
            kill(one.process)
        one.close()


def save(file: Path, text: str) -> None:
    """Save as editors do: a draft beside the file takes its name."""
    draft = file.with_name(f".{file.name}.swp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


@WAYS
def test_it_follows_what_editors_and_people_do(
    start: Callable[..., Watching], repository: Repository, way: tuple[str, ...]
) -> None:
    """Atomic saves, bursts, a mass rename, deletions."""
    watching = start(*way)
    assert watching.rounds[0]["indexed"] > 0
    watching.until_heard("watching")
    notes = repository.root / "notes.md"
    save(notes, "# Notes\n\nThe pangolin sleeps here.\n")
    watching.until_found("pangolin sleeps")
    save(notes, "# Notes\n\nThe aardvark sleeps here.\n")
    watching.until_found("aardvark sleeps")
    watching.until_found("pangolin sleeps", is_there=False)
    burst = repository.root / "burst"
    burst.mkdir()
    for number in range(60):
        (burst / f"one{number}.md").write_text(f"# One\n\nThe burst of number{number}x came.\n", encoding="utf-8")
    watching.until_found("burst of number59x")
    assert len(watching.rounds) < 20, "a burst is one change"
    burst.rename(repository.root / "moved")
    watching.until(lambda: paths_of(repository, watching) >= {f"moved/one{number}.md" for number in range(60)})
    watching.until_found("burst of number7x")
    shutil.rmtree(repository.root / "moved")
    watching.until_found("burst of number7x", is_there=False)
    assert watching.end() == 0


def paths_of(repository: Repository, watching: Watching) -> set[str]:
    """Return the paths that the last search of the renamed files gave."""
    hits = watching._pckc("search", "burst came", "--layer", "chunk", "--limit", "90", "--json").json["results"]
    return {hit["path"] for hit in hits}


@WAYS
def test_it_follows_another_branch(
    start: Callable[..., Watching], repository: Repository, way: tuple[str, ...]
) -> None:
    """Files and the branch's name change with a checkout, and come back."""
    repository.git("checkout", "--quiet", "-b", "side")
    (repository.root / "side.md").write_text("# Side\n\nOnly the okapi lives here.\n", encoding="utf-8")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "side")
    repository.git("checkout", "--quiet", "main")
    watching = start(*way)
    watching.until_heard("watching")
    assert watching.rounds[0]["branch"] == "main"
    repository.git("checkout", "--quiet", "side")
    watching.until_found("okapi lives")
    watching.until(lambda: watching.rounds[-1]["branch"] == "side")
    repository.git("checkout", "--quiet", "main")
    watching.until_found("okapi lives", is_there=False)
    watching.until(lambda: watching.rounds[-1]["branch"] == "main")
    assert watching.end(signal.SIGINT) == 0


def test_a_name_that_is_no_text_does_not_end_it(start: Callable[..., Watching], repository: Repository) -> None:
    """The library of events fails at it: the tree is looked at by the clock from then on."""
    watching = start()
    watching.until_heard("watching")
    nameless = Path(os.fsdecode(os.fsencode(repository.root) + b"/\xff2.txt"))

    def is_by_the_clock() -> bool:
        nameless.write_text("x", encoding="utf-8")  # again and again: the first events may come before they are heard
        return any("looking every" in line for line in watching.said)

    watching.until(is_by_the_clock)
    save(repository.root / "after.md", "# After\n\nThe dugong came later.\n")
    watching.until_found("dugong came")
    assert watching.end() == 0


def test_a_root_whose_name_is_no_text(repository: Repository, environ: dict[str, str]) -> None:
    """What the library of events refuses at once is looked at by the clock, too, and said to be what it is."""
    root = Path(os.fsdecode(os.fsencode(repository.root.parent) + b"/\xffroot"))
    repository.root.rename(root)
    watching = Watching(Program(folder=root, environ=environ))
    try:
        watching.until_heard("not UTF-8")
        watching.until_heard("looking every")
        assert watching.end() == 0
    finally:
        if watching.process.poll() is None:
            kill(watching.process)


def test_it_does_the_work_of_sync(start: Callable[..., Watching], repository: Repository, pckc: Program) -> None:
    """Nothing is left for it, the graph knows the new function, and what does not concern sources is passed over."""
    watching = start()
    watching.until_heard("watching")
    repository.write("more.py", "def quokka_feeder() -> int:\n    return 1\n")
    watching.until_found("quokka_feeder")
    rounds = len(watching.rounds)
    (repository.root / "node_modules").mkdir()
    (repository.root / "node_modules" / "x.js").write_text("1;", encoding="utf-8")
    assert pckc("sync", "--json").json["indexed"] == 0
    assert pckc("graph", "search", "quokka_feeder", "--no-sync", "--json").json["results"]
    assert watching.end() == 0
    assert len(watching.rounds) - rounds <= 1


def test_a_second_one_says_so(start: Callable[..., Watching], pckc: Program) -> None:
    """It ends at once and names the first; whatever killed that one, another may follow."""
    first = start()
    second = pckc("watch", "--json", check=False)
    assert second.code == 1
    assert second.error["code"] == "conflict"
    assert str(first.process.pid) in second.error["message"]
    kill(first.process)
    assert start().end() == 0


def test_the_root_goes(start: Callable[..., Watching], repository: Repository) -> None:
    """Nothing is left to watch."""
    watching = start()
    watching.until_heard("watching")
    shutil.rmtree(repository.root)
    assert watching.ended() == 5
    assert "is gone" in watching.said[-1]


def test_a_locked_store_is_waited_for(start: Callable[..., Watching], repository: Repository, pckc: Program) -> None:
    """It says so once, and goes on when the lock is gone."""
    repository.write("pckc.toml", "[canonical]\nbusy_timeout_seconds = 0.5\n")
    watching = start()
    watching.until_heard("watching")
    store = pckc("stats", "--json").json["store"]
    with sqlite3.connect(store, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        save(repository.root / "late.md", "# Late\n\nThe tamarin waits.\n")
        watching.until_heard("waits:")
        other.execute("ROLLBACK")
    other.close()
    watching.until_found("tamarin waits")
    watching.until_heard("answers again")
    assert watching.end() == 0


def test_a_store_that_is_taken_away_is_made_anew(
    start: Callable[..., Watching], repository: Repository, pckc: Program
) -> None:
    """What is written goes to no file that nobody can find."""
    watching = start()
    watching.until_heard("watching")
    store = Path(pckc("stats", "--json").json["store"])
    for file in store.parent.glob(f"{store.name}*"):
        file.unlink()
    save(repository.root / "anew.md", "# Anew\n\nThe caracal came.\n")
    watching.until_heard("taken away")
    watching.until(store.exists)
    watching.until_found("caracal came")
    assert watching.rounds[-1]["indexed"] > 1
    assert watching.end() == 0


def test_it_stops_in_the_middle_of_a_first_run(pckc: Program, repository: Repository) -> None:
    """What was committed is kept, and the next run goes on."""
    for number in range(150):
        repository.write(f"many/m{number}.py", f"def many{number}() -> int:\n    return {number}\n" * 20)
    watching = Watching(pckc)
    watching.until(lambda: any(Path(pckc.environ["XDG_DATA_HOME"]).rglob("*.db")))  # it has begun
    assert watching.end() == 0
    assert pckc("sync", "--json").json["coverage"]["files"]["indexed"] >= 150


def test_nothing_to_watch_is_refused(pckc: Program, tmp_path: Path) -> None:
    refused = pckc("watch", "--project", tmp_path / "nowhere", "--json", check=False)
    assert (refused.code, refused.error["code"]) == (3, "configuration")
    assert pckc("watch", "--poll", "0", check=False).code == 2


def test_embedding_follows(repository: Repository, environ: dict[str, str], tmp_path: Path) -> None:
    """What changed has vectors soon, without another command, also when a document takes longer than a slice."""
    write_embedder(tmp_path / "plugin")
    path = os.pathsep.join(filter(None, (str(tmp_path / "plugin"), environ.get("PYTHONPATH"))))
    pckc = Program(folder=repository.root, environ={**environ, "PYTHONPATH": path, "PCKC_EMBEDDER": "hash"})
    watching = Watching(pckc, "--embed-seconds", "0.03")
    try:
        watching.until_heard("watching")
        watching.until(lambda: is_embedded(pckc))
        save(repository.root / "more.md", "# More\n\nThe numbat eats termites.\n")
        watching.until_found("numbat eats")
        watching.until(lambda: is_embedded(pckc))
        assert watching.end() == 0
    finally:
        if watching.process.poll() is None:
            kill(watching.process)


def is_embedded(pckc: Program) -> bool:
    """Return whether every change has vectors."""
    vectors = pckc("stats", "--json").json["coverage"]["vectors"]
    return bool(vectors["total"]) and vectors["behind"] == 0
