"""Documents read in a process of their own, with a deadline and limits."""

import json
import os
import subprocess
import sys
from tempfile import TemporaryFile

import attrs
from cattrs.preconf.json import make_converter
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, InvalidInputError, PckcError
from pckc_domain.model.source import SourceDocument

from pckc_adapters_sources.documents.settings import DocumentSettings

_GRACE_SECONDS = 2.0
"""How much later than the process itself its parent gives up."""
_MOST_BYTES_PER_CHARACTER = 12
"""What JSON takes for a character at most."""
_ERRORS: dict[str, type[PckcError]] = {
    error.code: error for error in (InvalidInputError, ConfigurationError, BackendUnavailableError)
}
CONVERTER = make_converter()


@attrs.frozen(kw_only=True)
class Request:
    """What the process is told: a path that may be read or an address, and the settings."""

    location: str
    settings: DocumentSettings
    proxy: str
    output_bytes: int


@attrs.frozen(kw_only=True)
class Failure:
    """The error that the process met."""

    code: str
    message: str
    remedy: str = ""


@attrs.frozen(kw_only=True)
class Reply:
    """What the process answers: one of the two."""

    document: SourceDocument | None = None
    failure: Failure | None = None


def read_apart(location: str, settings: DocumentSettings) -> SourceDocument:
    """
    Return the document at *location*, a path that may be read or an address.

    Raises:
        InvalidInputError: It is refused, cannot be read, or takes more time or memory than the settings allow.
        BackendUnavailableError: It cannot be reached now, or did not answer in time.
        ConfigurationError: A library is not installed, or a setting is wrong.
    """
    request = Request(
        location=location,
        settings=settings,
        proxy=settings.proxy or os.environ.get("PROXY_URL", ""),
        output_bytes=settings.max_text_characters * _MOST_BYTES_PER_CHARACTER + (1 << 20),
    )
    command = [sys.executable, "-P", "-m", "pckc_adapters_sources.documents.reader"]
    with TemporaryFile() as output:
        try:
            done = subprocess.run(
                command,
                input=CONVERTER.dumps(request).encode(),
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=settings.timeout_seconds + _GRACE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise _too_slow(location, settings) from error
        output.seek(0)
        reply = _reply(output.read())
    if reply is None:
        raise _ended_badly(done.returncode, location, settings)
    if reply.document:
        return reply.document
    failure = reply.failure or Failure(code="invalid_input", message=f"{location} cannot be read")
    raise _ERRORS.get(failure.code, InvalidInputError)(failure.message, remedy=failure.remedy)


def _reply(output: bytes) -> Reply | None:
    """Return what the process answered; ``None`` when it ended before it could."""
    try:
        return CONVERTER.structure(json.loads(output), Reply)
    except ValueError:
        return None


def _too_slow(location: str, settings: DocumentSettings) -> PckcError:
    message = f"{location} takes longer than {settings.timeout_seconds:g} s"
    remedy = "Try again, or raise timeout_seconds under [documents]"
    if location.startswith(("http:", "https:")):
        return BackendUnavailableError(message, remedy=remedy)
    return InvalidInputError(message + " to read", remedy=remedy)


def _ended_badly(code: int, location: str, settings: DocumentSettings) -> PckcError:
    import signal

    if hasattr(signal, "SIGALRM") and code == -signal.SIGALRM:
        return _too_slow(location, settings)
    return InvalidInputError(
        f"{location} cannot be read: it is damaged or needs more than {settings.max_memory_bytes >> 20:,} MB of memory",
        remedy="Repair it or take a smaller part; or raise max_memory_bytes under [documents]",
    )
