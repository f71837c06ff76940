"""Progress bars on stderr."""

import sys
from types import TracebackType
from typing import NoReturn

from pckc_domain.model.progress import Progress
from tqdm import tqdm


class Bars:
    """Shows one bar per stage."""

    def __init__(self) -> None:
        self._bars: dict[str, tqdm[NoReturn]] = {}

    def __enter__(self) -> "Bars":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for bar in self._bars.values():
            bar.close()

    def show(self, progress: Progress) -> None:
        """Move the bar of ``progress.stage``, opening it when it is new."""
        total = progress.total or None
        if progress.stage not in self._bars:
            self._bars[progress.stage] = tqdm(
                desc=progress.stage, total=total, file=sys.stderr, unit="", leave=False, position=len(self._bars)
            )
        bar = self._bars[progress.stage]
        bar.total = total
        bar.update(progress.done - bar.n)
