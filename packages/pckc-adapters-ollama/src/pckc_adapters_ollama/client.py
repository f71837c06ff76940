"""Ollama's client with bounds, retries and PCKC's errors."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import httpx
import ollama
from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError

from pckc_adapters_ollama.bounded import BoundedTransport

PAUSE_SECONDS = 0.2
"""Before the second attempt; it doubles with each further one."""

PROBE_SECONDS = 5.0
"""How long Ollama may take to say that it is alive."""

MAX_ANSWER_TOKENS = 4_096
_OVERLOADED = frozenset({429, 500, 502, 503, 504})
_OPTIONS = {"temperature": 0, "seed": 0, "num_predict": MAX_ANSWER_TOKENS}

Messages = Sequence[Mapping[str, str]]
T = TypeVar("T")


class Connection(Protocol):
    """What both backends' settings say of a connection; see there."""

    @property
    def url(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def token_variable(self) -> str: ...
    @property
    def timeout_seconds(self) -> float: ...
    @property
    def attempts(self) -> int: ...


class UnusableError(Exception):
    """Ollama is there, but not for us: it lacks the model or refuses the token."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class Ollama:
    """
    One model of one Ollama.

    Args:
        connection: Where it is and how it is asked.
    """

    def __init__(self, connection: Connection) -> None:
        token = os.environ.get(connection.token_variable, "") if connection.token_variable else ""
        self._settings = connection
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._client = ollama.Client(
            host=connection.url,
            timeout=connection.timeout_seconds,
            follow_redirects=False,
            headers=self._headers,
            transport=BoundedTransport(connection.url, seconds=connection.timeout_seconds),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()  # type: ignore[no-untyped-call]  # the library leaves it untyped

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._settings.model

    @property
    def location(self) -> str:
        """Ollama's address, without credentials."""
        return self._settings.url.rpartition("@")[2].removeprefix("http://")

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """
        Return the model's vectors of *texts*, as it gives them.

        Raises:
            UnusableError: Ollama lacks the model or refuses the token.
            BackendUnavailableError: It cannot be reached, or does not answer.
            BackendError: It refused the texts.
        """
        return self._ask(lambda: self._client.embed(self.model, list(texts), truncate=True).embeddings)

    def chat(self, messages: Messages, *, schema: Mapping[str, Any]) -> str:
        """
        Return the model's answer to *messages*, held to *schema* (JSON Schema); ``""`` when it said nothing.

        Raises: as `embed`.
        """
        answer = self._ask(
            lambda: self._client.chat(self.model, messages, format=dict(schema), options=_OPTIONS, think=False)
        )
        return answer.message.content or ""

    def describe(self) -> str:
        """
        Return Ollama's version and place, and the model.

        Raises:
            BackendUnavailableError: It cannot be reached.
            ConfigurationError: It refuses the token, or lacks the model.
        """
        try:
            names = self._ask(lambda: [model.model or "" for model in self._client.list().models])
            version = self._version()
        except UnusableError as error:
            raise ConfigurationError(error.message, remedy=error.remedy) from error
        except (httpx.HTTPError, ValueError) as error:
            raise self._unreachable() from error
        if not {self.model, f"{self.model}:latest"} & set(names):
            missing = self._lacks_model()
            raise ConfigurationError(missing.message, remedy=missing.remedy)
        return f"Ollama {version} at {self.location}, model {self.model}"

    def _ask(self, request: Callable[[], T]) -> T:
        """Return what *request* gives; tried again, with growing pauses, while Ollama is unreachable or overloaded."""
        for attempt in range(1, self._settings.attempts + 1):
            try:
                return request()
            except ConnectionError as error:
                failure: Exception = error
            except ollama.ResponseError as error:
                if error.status_code not in _OVERLOADED:
                    raise self._refused(error) from error
                failure = error
            except httpx.TimeoutException as error:
                raise self._silent() from error
            except httpx.TransportError as error:
                failure = error
            except (httpx.HTTPError, ValueError) as error:  # no HTTP, no JSON, or not of Ollama's form
                raise BackendError(f"Ollama at {self.location} gave no readable answer") from error
            if attempt < self._settings.attempts:
                time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))
        raise self._unreachable() from failure

    def _refused(self, error: ollama.ResponseError) -> Exception:
        if error.status_code in (401, 403):
            return UnusableError(
                f"Ollama at {self.location} refuses the token",
                remedy="set token_variable to the name of the variable that holds a token",
            )
        if error.status_code == 404:
            return self._lacks_model()
        return BackendError(f"Ollama at {self.location} refused a request: status {error.status_code}")

    def _lacks_model(self) -> UnusableError:
        return UnusableError(
            f"Ollama at {self.location} lacks the model {self.model}", remedy=f"run `ollama pull {self.model}`"
        )

    def _silent(self) -> BackendError:
        """Return what a request that took too long means: of a server that is alive, only this request failed."""
        try:
            self._version()
        except (httpx.HTTPError, ValueError):
            return self._unreachable()
        return BackendError(
            f"the model {self.model} did not answer within {self._settings.timeout_seconds:g} s",
            remedy="raise timeout_seconds, or choose a smaller model",
        )

    def _version(self) -> str:
        seconds = min(PROBE_SECONDS, self._settings.timeout_seconds)
        transport = BoundedTransport(self._settings.url, seconds=seconds)
        with httpx.Client(transport=transport, timeout=seconds, headers=self._headers) as client:
            answer = client.get(f"{self._settings.url.rstrip('/')}/api/version").raise_for_status()
        content = answer.json()
        return str(content.get("version", "of unknown version")) if isinstance(content, dict) else "of unknown version"

    def _unreachable(self) -> BackendUnavailableError:
        return BackendUnavailableError(
            f"Ollama at {self.location} cannot be reached", remedy="start it with `ollama serve`, or correct url"
        )
