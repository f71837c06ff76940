"""
An archive: all that a store holds, as lines of text that any engine can be filled from.

The first line names the format; each project begins with two lines that name and count it; the
last line holds the SHA-256 of all lines before it. Everything in between is one part a line, as JSON.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from cattrs.preconf.json import JsonConverter, make_converter

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.holding import (
    ActPart,
    CheckoutPart,
    DistillationPart,
    DocumentPart,
    GapPart,
    GraphFilePart,
    GraphPart,
    InferencePart,
    OwnerPart,
    SessionPart,
    SlotPart,
    TracePart,
    TranscriptPart,
    VerdictPart,
)
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.usecases.migrate import Copied, load, told
from pckc_domain.usecases.stocktaking import count_of, parts_of

FORMAT = "pckc-archive"
VERSION = 2
"""The second one added curated knowledge; archives of the first are read as holding none."""

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__.removesuffix("Part").lower(): kind
    for kind in (
        DocumentPart,
        CheckoutPart,
        SessionPart,
        OwnerPart,
        SlotPart,
        ActPart,
        DistillationPart,
        VerdictPart,
        GapPart,
        TracePart,
        TranscriptPart,
        GraphFilePart,
        GraphPart,
        InferencePart,
    )
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def archive_lines(
    canonical: Canonical, scopes: Sequence[Scope], *, progress: ProgressListener = ignore_progress
) -> Iterator[str]:
    """Yield the lines, without ends, of an archive of these projects; each is read as of one moment."""
    hashed = hashlib.sha256()
    for line in _body(canonical, scopes, progress):
        hashed.update(line.encode())
        yield line
    yield _line("sha256", hashed.hexdigest())


def check_archive(lines: Iterable[str]) -> Sequence[Scope]:
    """
    Read all of an archive and return the projects in it.

    Raises:
        InvalidInputError: It is none, is cut short, or is not what was written.
        ConfigurationError: A newer version wrote it.
    """
    hashed = hashlib.sha256()
    scopes: list[Scope] = []
    key, value = "", None
    for number, line in enumerate(lines):
        if key == "sha256":
            raise InvalidInputError("the archive goes on behind its end", remedy="Use another copy of it.")
        key, value = _read(line)
        if number == 0:
            _check_head(key, value)
        if key == "scope":
            scopes.append(_converter().structure(value, Scope))
        if key != "sha256":
            hashed.update(line.encode())
    if key != "sha256":
        raise InvalidInputError("the archive is cut short", remedy="Use another copy of it.")
    if value != hashed.hexdigest():
        raise InvalidInputError("the archive is damaged: its hash is another one", remedy="Use another copy of it.")
    return scopes


def restore_lines(
    canonical: Canonical,
    lines: Iterable[str],
    *,
    is_merging: bool = False,
    progress: ProgressListener = ignore_progress,
) -> Sequence[Copied]:
    """
    Write an archive, which was checked before, to a store: each project whole or not at all.

    Raises:
        ConflictError: The store holds something else of a project.
    """
    copied: list[Copied] = []
    scope = Scope(project="")
    counts: Mapping[str, int] = {}
    for is_part, group in groupby(map(_read, lines), key=lambda line: line[0] in _KINDS):
        if is_part:
            parts = (_converter().structure(value, _KINDS[key]) for key, value in group)
            copied.append(load(canonical, scope, told(parts, scope, progress), counts, is_merging=is_merging))
            continue
        for key, value in group:
            if key == "scope":
                scope = _converter().structure(value, Scope)
            elif key == "counts":
                counts = dict(value)
    return copied


def _body(canonical: Canonical, scopes: Sequence[Scope], progress: ProgressListener) -> Iterator[str]:
    yield _line(FORMAT, VERSION)
    for scope in scopes:
        with canonical.reading(scope) as work:
            yield _line("scope", _converter().unstructure(scope))
            yield _line("counts", count_of(work))
            for part in told(parts_of(work), scope, progress):
                yield _line(_NAMES[type(part)], _converter().unstructure(part))


def _check_head(key: str, value: Any) -> None:
    if key != FORMAT:
        raise InvalidInputError("this is no archive of PCKC", remedy="Name a file that `pckc backup` wrote.")
    if not isinstance(value, int) or value > VERSION:
        raise ConfigurationError(
            f"a newer version of PCKC wrote this archive (format {value}, known is {VERSION})", remedy="Update PCKC."
        )


def _line(key: str, value: Any) -> str:
    return json.dumps({key: value}, ensure_ascii=True, separators=(",", ":"))


def _read(line: str) -> tuple[str, Any]:
    try:
        ((key, value),) = json.loads(line).items()
    except (ValueError, AttributeError) as error:
        raise InvalidInputError("this is no archive of PCKC, or a damaged one", remedy="Use another copy.") from error
    return key, value


@cache
def _converter() -> JsonConverter:
    return make_converter()
