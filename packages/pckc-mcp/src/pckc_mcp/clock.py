"""The system's clock."""

from datetime import UTC, datetime

from pckc_domain.ports.clock import Clock


class SystemClock(Clock):
    """Tells the system's time."""

    def now(self) -> datetime:
        """Return the present instant, aware UTC."""
        return datetime.now(UTC)
