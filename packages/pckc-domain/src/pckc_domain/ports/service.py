"""What a backend tells of the engine behind it."""

from abc import abstractmethod
from typing import Protocol, runtime_checkable


@runtime_checkable
class Service(Protocol):
    """Implemented beside its port by a backend that rests on an engine with a version of its own."""

    @abstractmethod
    def describe(self) -> str:
        """
        Ask the engine who it is: return its name, version and place, without credentials.

        Raises:
            BackendUnavailableError: It cannot be reached.
            ConfigurationError: It refuses the login.
        """
