"""How long operations tell where they are."""

from collections.abc import Callable
from typing import TypeAlias

import attrs


@attrs.frozen(kw_only=True)
class Progress:
    """
    One step of a long operation.

    Attributes:
        stage: What is being done, in a few words.
        done: Steps done.
        total: Steps in all; 0 when not known.
    """

    stage: str
    done: int
    total: int


ProgressListener: TypeAlias = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """Listen to nothing."""
