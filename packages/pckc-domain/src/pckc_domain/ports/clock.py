"""The clock port."""

from abc import abstractmethod
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    @abstractmethod
    def now(self) -> datetime:
        """Return the present instant, aware UTC."""
