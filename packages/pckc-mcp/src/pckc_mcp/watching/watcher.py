"""A project that is kept fresh: what is done when something may have changed."""

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import attrs
from pckc_domain.errors import NotFoundError, PckcError
from pckc_domain.model.progress import Progress
from pckc_domain.usecases.projecting import StoppedError, pause_seconds

from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form
from pckc_mcp.hooks.spool import is_waiting
from pckc_mcp.indexing import Say, bring_up_to_date, embed, left_to_embed
from pckc_mcp.opening import open_engine
from pckc_mcp.sync_mark import git_folder, main_tree, settings_stamp
from pckc_mcp.watching.tree_state import tree_state

LOOK_SECONDS = 300.0
"""Look at the tree so often even without events: a system drops some when there are too many."""

NEVER = float("-inf")

GIT_SECONDS = 10.0
"""How long a git that is at work is waited for; a lock that is older was left behind."""


class Watcher:
    """
    Does the work of ``pckc sync`` and of embedding whenever the tree changed, in an engine that stays open.

    A store that is locked or gone is told once and tried again, ever less often.
    """

    def __init__(
        self,
        root: Path,
        *,
        store: Path | None,
        is_embedding: bool,
        embed_seconds: float,
        stopping: threading.Event,
        say: Say,
    ) -> None:
        self._root = root
        self._store = store
        self._is_embedding = is_embedding
        self._embed_seconds = embed_seconds
        self._stopping = stopping
        self._say = say
        self._opened = ExitStack()
        self._engine: Engine | None = None
        self._stamp = self._project = ""
        self._file: tuple[int, int] | None = None
        self._seen: int | None = None
        self._looked_at = NEVER
        self._has_more = False
        self._patience = 1
        self._failures = 0
        self._retry_at = 0.0
        self._trouble = ""

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def store(self) -> Path | None:
        """The embedded store that was opened last."""
        return self._engine.store if self._engine else self._store

    def look(self, *, has_changed: bool) -> Form | None:
        """
        Do what there is to do and return it; ``None`` when there was nothing, or it must wait.

        Raises:
            NotFoundError: The project's folder is gone.
        """
        if not self._root.is_dir():
            raise NotFoundError(f"{self._root} is gone: nothing is left to watch")
        now = time.monotonic()
        if now < self._retry_at or self._is_git_at_work():
            self._looked_at = NEVER  # what was told now is looked at later
            return None
        try:
            if has_changed or now - self._looked_at >= LOOK_SECONDS or is_waiting(main_tree(self._root)):
                form = self._follow(now)
                if form is not None:
                    return form
            if self._has_more:
                self._embed_more()
            return None
        except StoppedError:
            return None
        except (PckcError, OSError) as error:
            if self._root.is_dir():
                self._wait(error)
            return None

    def _follow(self, now: float) -> Form | None:
        state = tree_state(self._root)
        self._open_again_if_changed()
        if state == self._seen and not is_waiting(main_tree(self._root)):
            self._looked_at = now
            return None
        engine = self._opened_engine()
        form = bring_up_to_date(
            self._on_its_branch(engine),
            stamp=self._stamp,
            is_chosen=self._store is not None,
            say=self._say,
            is_embedding=False,  # which takes longer than people wait for their files to be found
            progress=self._stop_if_asked,
        )
        self._seen, self._looked_at = state, now
        self._recovered()
        self._has_more = self._is_embedding
        return form

    def _on_its_branch(self, engine: Engine) -> Engine:
        """Return the engine with the checkout as it is now, under the name that the project is kept as."""
        return attrs.evolve(engine, checkout=attrs.evolve(engine.source.checkout(), project=engine.checkout.project))

    def _embed_more(self) -> None:
        engine = self._opened_engine()
        before = left_to_embed(engine)
        embed(engine, say=self._say, is_enough=self._budget())
        self._recovered()
        left = left_to_embed(engine)
        self._has_more = left > 0
        self._patience = 1 if left < before else 2 * self._patience  # a document may take longer than a slice

    def _recovered(self) -> None:
        if self._failures:
            self._say("pckc: the store answers again")
        self._failures, self._trouble = 0, ""

    def _wait(self, error: PckcError | OSError) -> None:
        """Try again later; the same trouble is told once."""
        self._close()
        self._failures += 1
        self._retry_at = time.monotonic() + pause_seconds(self._failures)
        self._seen, self._looked_at = None, NEVER
        message = error.message if isinstance(error, PckcError) else str(error)
        if message != self._trouble:
            self._say(f"pckc: waits: {message}")
        self._trouble = message

    def _opened_engine(self) -> Engine:
        if self._engine is None:
            self._stamp = settings_stamp(self._root)
            self._engine = self._opened.enter_context(
                open_engine(self._root, store=self._store, with_semantic=self._is_embedding)
            )
            self._file, self._project = _identity(self._engine.store), self._engine.source.checkout().project
        return self._engine

    def _open_again_if_changed(self) -> None:
        """Other settings, or another file where the store was, are another store."""
        if self._engine is None:
            return
        is_gone = self._engine.store is not None and _identity(self._engine.store) != self._file
        if is_gone:
            self._say(f"pckc: {self._engine.store} was taken away: the index is made anew")
        is_renamed = self._engine.source.checkout().project != self._project  # its first commit, or a new remote
        if is_gone or is_renamed or settings_stamp(self._root) != self._stamp:
            self._close()
            self._seen = None

    def _close(self) -> None:
        self._engine = None
        self._opened.close()

    def _budget(self) -> "_Budget":
        return _Budget(time.monotonic() + self._embed_seconds * self._patience, self._stopping)

    def _stop_if_asked(self, _: Progress) -> None:
        if self._stopping.is_set():
            self._stop()

    def _stop(self) -> NoReturn:
        raise StoppedError

    def _is_git_at_work(self) -> bool:
        """Git changes many files one after the other: half of them would be read for nothing."""
        try:
            since = os.stat(os.path.join(git_folder(self._root), "index.lock")).st_mtime  # noqa: PTH116, PTH118 - of a text
        except OSError:
            return False
        return time.time() - since < GIT_SECONDS


@attrs.frozen
class _Budget:
    """Is called between batches, and says whether to stop."""

    end: float
    stopping: threading.Event

    def __call__(self) -> bool:
        return self.stopping.is_set() or time.monotonic() >= self.end


def _identity(store: Path | None) -> tuple[int, int] | None:
    if store is None:
        return None
    try:
        status = store.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
