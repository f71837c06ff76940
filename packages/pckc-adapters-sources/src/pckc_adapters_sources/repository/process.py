"""
How git is run: apart from the caller's own git, quietly, and with a time limit.

Standard library only: this is on the fast path of ``pckc sync``.
"""

import os
import subprocess

TIMEOUT_SECONDS = 120.0

# Hooks run with GIT_DIR, GIT_INDEX_FILE and more set, which would show this reader another repository. Only what says
# where git's configuration and programs are is passed on.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_",
         "GIT_CONFIG_VALUE_", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH")  # fmt: skip

# A repository's own configuration could name a program as its file system monitor, and listing would start it.
_COMMAND = ("git", "--no-optional-locks", "--no-replace-objects", "-c", "core.fsmonitor=false")


class GitError(Exception):
    """Git ran and failed; the message is what it wrote to stderr."""

    @property
    def is_outside(self) -> bool:
        """The folder belongs to no repository, or to a broken one."""
        return "not a git repository" in str(self)

    @property
    def is_untrusted(self) -> bool:
        """Another user owns the repository, and ``safe.directory`` does not name it."""
        return "dubious ownership" in str(self)


class GitTimeoutError(GitError):
    """Git did not finish in time and was stopped."""


class GitMissingError(Exception):
    """There is no ``git`` on PATH."""


def environment() -> dict[str, str]:
    """Return the environment that git gets: English, without prompts, without another repository's variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


def start(root: str, *arguments: str) -> subprocess.Popen[bytes]:
    """
    Start ``git *arguments`` in *root* and return at once.

    Raises:
        GitMissingError: There is no git.
        FileNotFoundError: *root* does not exist.
    """
    try:
        return subprocess.Popen(
            (*_COMMAND, *arguments),
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (FileNotFoundError, PermissionError) as error:
        if error.filename == "git":
            raise GitMissingError from error
        raise


def finish(process: subprocess.Popen[bytes], timeout_seconds: float = TIMEOUT_SECONDS) -> bytes:
    """
    Wait for *process* and return what it wrote to stdout.

    Raises:
        GitError: It exited with another code than 0.
        GitTimeoutError: It took longer than *timeout_seconds*.
    """
    with process:
        try:
            output, complaint = process.communicate(timeout=timeout_seconds)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise GitTimeoutError(f"git took longer than {timeout_seconds:g} s") from error
    if process.returncode != 0:
        raise GitError(complaint.decode("utf-8", "replace").strip() or f"git exited with {process.returncode}")
    return output


def run(root: str, *arguments: str, timeout_seconds: float = TIMEOUT_SECONDS) -> str:
    """Return what ``git *arguments`` writes in *root*, without the last line end; raises as `start` and `finish` do."""
    output = finish(start(root, *arguments), timeout_seconds)
    return output.decode("utf-8", "surrogateescape").removesuffix("\n")
