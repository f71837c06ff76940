"""Progress bars on stderr."""

import sys
from types import TracebackType

from pckc_domain.model.progress import Progress
from tqdm import tqdm


class Bars:
    """Shows one bar per stage."""

    def __init__(self) -> None:
        self._bar: tqdm[None] | None = None
        self._stage = ""

    def __enter__(self) -> "Bars":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def show(self, progress: Progress) -> None:
        """Move the bar of ``progress.stage``, opening it when it is new."""
        if self._bar is None or progress.stage != self._stage:
            self._close()
            self._bar = tqdm(desc=progress.stage, total=progress.total or None, file=sys.stderr, unit="", leave=False)
            self._stage = progress.stage
        self._bar.total = progress.total or None
        self._bar.update(progress.done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
