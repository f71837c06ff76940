"""The process that reads one document: a request on stdin, a reply on stdout, both JSON."""

import math
import signal
import sys
from contextlib import suppress
from pathlib import Path

from pckc_domain.errors import InvalidInputError, PckcError
from pckc_domain.model.source import SourceDocument

from pckc_adapters_sources.documents.apart import CONVERTER, Failure, Reply, Request
from pckc_adapters_sources.documents.errors import too_large
from pckc_adapters_sources.documents.reading import document_of, read_file

_RECURSION = 6_000
"""Parsers of HTML nest at most 256 elements, several calls each."""


def main() -> None:
    """Answer the request on stdin."""
    request = CONVERTER.loads(sys.stdin.buffer.read(), Request)
    _limit(request)
    reply = _answer(request)
    sys.stdout.buffer.write(CONVERTER.dumps(reply).encode("utf-8", "replace"))


def _limit(request: Request) -> None:
    """End this process by the system when it takes too long, too much memory, or writes too much."""
    sys.setrecursionlimit(_RECURSION)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, request.settings.timeout_seconds)
    with suppress(ImportError, ValueError, OSError):  # there are no such limits on Windows
        import resource

        seconds = math.ceil(request.settings.timeout_seconds) + 1
        for what, most in (
            (resource.RLIMIT_AS, request.settings.max_memory_bytes),
            (resource.RLIMIT_CPU, seconds),
            (resource.RLIMIT_FSIZE, request.output_bytes),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most))


def _answer(request: Request) -> Reply:
    location = request.location
    try:
        return Reply(document=_read(request))
    except PckcError as error:
        return Reply(failure=Failure(code=error.code, message=error.message, remedy=error.remedy))
    except MemoryError:
        limit = request.settings.max_memory_bytes
        refusal = too_large(f"What {location} needs in memory", limit, "max_memory_bytes")
        return Reply(failure=Failure(code=refusal.code, message=refusal.message, remedy=refusal.remedy))
    except Exception as error:  # whatever a parser raises about a hostile file
        message = f"{location} cannot be read: it is damaged ({type(error).__name__}: {str(error)[:200]})"
        return Reply(failure=Failure(code=InvalidInputError.code, message=message))


def _read(request: Request) -> SourceDocument:
    settings = request.settings
    if not request.location.lower().startswith(("http:", "https:")):
        return read_file(Path(request.location), settings)
    from pckc_adapters_sources.documents.parsing import parse
    from pckc_adapters_sources.documents.web import Web

    with Web(settings, proxy=request.proxy) as web:
        page = web.get(request.location)
    parsed = parse(page.data, settings, name=page.path, content_type=page.content_type, charset=page.charset)
    return document_of(page.data, parsed, uri=page.asked, settings=settings, fetched_from=page.url)


if __name__ == "__main__":
    main()
