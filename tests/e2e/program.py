"""The real `pckc`, run in a home of its own on a repository of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import attrs

from .warm import Warm

PCKC = shutil.which("pckc", path=str(Path(sys.executable).parent)) or shutil.which("pckc") or "pckc"
TIMEOUT_SECONDS = 120.0
LONG_AGO_SECONDS = 3_600.0
KEPT = ("PATH", "PYTHONPATH", "LANG", "TZ", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_START")
EVERYWHERE = {name: os.environ[name] for name in KEPT if name in os.environ} | {
    "PYTHONUTF8": "1",
    "PYTHONWARNINGS": "error",
}
"""What the environment of every run has."""

WARM = Warm(PCKC, EVERYWHERE)

Argument = str | bytes | Path


@attrs.frozen(kw_only=True)
class Answer:
    """What one run of the program gave; bytes that are no UTF-8 are kept as surrogate escapes."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.stdout)

    @property
    def error(self) -> dict[str, str]:
        """The error object on stderr."""
        error: dict[str, str] = json.loads(self.stderr)["error"]
        return error


@attrs.frozen(kw_only=True)
class Program:
    """
    Runs `pckc`.

    Attributes:
        folder: Where it is run.
        environ: Its whole environment.
    """

    folder: Path
    environ: Mapping[str, str]

    def __call__(
        self,
        *arguments: Argument,
        check: bool = True,
        folder: Path | None = None,
        environ: Mapping[str, str] | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> Answer:
        """
        Run one command; with *check* it must not fail. No run ever shows a traceback.

        Python itself is not started anew, unless *prepare* is given or a variable that Python reads is changed.
        """
        whole = {**self.environ, **(environ or {})}
        words = [os.fsdecode(argument) for argument in arguments]
        if prepare is None and WARM.takes(words, whole):
            ran = WARM.run(words, folder or self.folder, whole, timeout=TIMEOUT_SECONDS)
            return answered(*ran, check=check)
        process = self.start(*arguments, folder=folder, environ=environ, prepare=prepare)
        return self.finish(process, check=check)

    def start(
        self,
        *arguments: Argument,
        folder: Path | None = None,
        environ: Mapping[str, str] | None = None,
        prepare: Callable[[], None] | None = None,
        output: IO[bytes] | None = None,
    ) -> "subprocess.Popen[bytes]":
        """Start one command; *prepare* runs in the child first, *output* takes all that it says."""
        return subprocess.Popen(
            [PCKC, *arguments],
            cwd=folder or self.folder,
            env={**self.environ, **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=output or subprocess.PIPE,
            stderr=output or subprocess.PIPE,
            preexec_fn=prepare,
        )

    @staticmethod
    def finish(process: "subprocess.Popen[bytes]", *, check: bool = True) -> Answer:
        """Wait for a started command."""
        with process:
            output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        return answered(process.returncode, output or b"", errors, check=check)

    def together(self, commands: Sequence[Sequence[Argument]], *, check: bool = True) -> list[Answer]:
        """Run several commands at once and return their answers in order."""
        started = [self.start(*command) for command in commands]
        with ThreadPoolExecutor(len(started)) as pool:  # all are waited for, also when one fails
            return list(pool.map(lambda process: self.finish(process, check=check), started))


def answered(code: int, output: bytes, errors: bytes, *, check: bool) -> Answer:
    """Return what a run gave; with *check* it must not have failed."""
    answer = Answer(
        code=code,
        stdout=output.decode("utf-8", "surrogateescape"),
        stderr=errors.decode("utf-8", "surrogateescape"),
    )
    assert "Traceback" not in answer.stderr, answer.stderr
    if check:
        assert answer.code == 0, f"exit code {answer.code}: {answer.stdout[-2000:]}{answer.stderr[-2000:]}"
    return answer


class Repository:
    """
    A git work tree whose files look old, so that no test depends on how fast it runs.

    PCKC does not trust the time of a file that was only just written; every write here gets a later, but old one.
    """

    def __init__(self, root: Path, environ: Mapping[str, str], *, with_git: bool = True) -> None:
        self.root = root
        self._environ = environ
        self._writes = 0
        root.mkdir(parents=True, exist_ok=True)
        if with_git:
            self.git("init", "--quiet", "--initial-branch=main")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.age(file)
        return file

    def age(self, file: Path) -> None:
        """Give *file* a time that is long ago, and later than that of every earlier write."""
        self._writes += 1
        now = file.stat().st_mtime_ns
        then = now - int(LONG_AGO_SECONDS * 1e9) + self._writes * 1_001_003
        os.utime(file, ns=(then, then))

    def replace(self, path: str, old: str, new: str) -> None:
        """Edit a file."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def git(self, *arguments: str) -> str:
        """Run git in the work tree."""
        command = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments)
        done = subprocess.run(
            command, cwd=self.root, env=dict(self._environ), check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def checkout(self, *arguments: str) -> None:
        """Check out a branch; the files that git writes look old."""
        before = {file: file.stat().st_mtime_ns for file in self._files()}
        self.git("checkout", "--quiet", *arguments)
        for file in self._files():
            if before.get(file) != file.stat().st_mtime_ns:
                self.age(file)

    def _files(self) -> list[Path]:
        return [file for file in self.root.rglob("*") if ".git" not in file.parts and file.is_file()]


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End *process* at once, as losing power would."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
