"""
An archive: all that a store holds, as lines of text that any engine can be filled from.

The first line names the format; each project begins with two lines that name and count it; the last line holds the
SHA-256 of all lines before it. Everything in between is one part a line, as JSON. Every line ends with the beginning of
the SHA-256 of all that stands before that end, so that damage has a place. ``docs/archive.md`` describes each part.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import groupby
from typing import Any, TypeVar

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

T = TypeVar("T")

FORMAT = "pckc-archive"
END = "sha256"
VERSION = 3
"""The second one added curated knowledge, the third a seal on every line; older archives are read without."""

SEALED_SINCE = 3
SEAL = ',"sha256":"'
"""What stands before a line's seal; within a value its quotation marks would be escaped."""

SEAL_DIGITS = 16

RECORDS: Mapping[str, type[Any]] = {
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
"""What a line between may hold, by its key."""

_NAMES = {kind: name for name, kind in RECORDS.items()}


def archive_lines(
    canonical: Canonical, scopes: Sequence[Scope], *, progress: ProgressListener = ignore_progress
) -> Iterator[str]:
    """Yield the lines, without ends, of an archive of these projects; each is read as of one moment."""
    seal, whole = hashlib.sha256(), hashlib.sha256()
    for body in _body(canonical, scopes, progress):
        seal.update(body.encode())
        line = f'{body[:-1]}{SEAL}{seal.hexdigest()[:SEAL_DIGITS]}"}}'
        whole.update(line.encode())
        yield line
    yield _line(END, whole.hexdigest())


def check_archive(lines: Iterable[str]) -> Sequence[Scope]:
    """
    Read all of an archive and return the projects in it.

    Raises:
        InvalidInputError: It is none, is cut short, or is not what was written; names the first line that is not.
        ConfigurationError: A newer version wrote it.
    """
    reading = _Checking()
    for number, line in enumerate(lines, 1):
        try:
            reading.take(line)
        except _DamageError as damage:
            raise InvalidInputError(
                f"the archive is damaged at line {number}: {damage}", remedy="Use another copy of it."
            ) from damage
    if not reading.is_ended:
        raise InvalidInputError(
            f"the archive is cut short behind line {reading.lines}", remedy="Use another copy of it."
        )
    return reading.scopes


class _DamageError(InvalidInputError):
    """What is wrong with a line."""


class _Checking:
    """An archive that is read line by line, without writing any of it."""

    def __init__(self) -> None:
        self.lines = 0
        self.is_ended = False
        self.scopes: list[Scope] = []
        self._seal = hashlib.sha256()
        self._whole = hashlib.sha256()
        self._is_sealed = False

    def take(self, line: str) -> None:
        """
        Check the next line.

        Raises:
            _DamageError: It is not what was written.
            InvalidInputError: It is the first one, and of something else.
            ConfigurationError: It is the first one, of a newer version.
        """
        if self.is_ended:
            raise _DamageError("it stands behind the end")
        if self.lines == 0:
            self._is_sealed = _version_of(line) >= SEALED_SINCE
        key, value = _read(line)
        self.lines += 1
        if key == END:
            self.is_ended = True
            if value != self._whole.hexdigest():
                raise _DamageError("the hash of all lines is another one")
            return
        if self._is_sealed:
            self._check_seal(line)
        self._whole.update(line.encode())
        if key == "scope":
            self.scopes.append(_structured(value, Scope))
        elif key in RECORDS:
            _structured(value, RECORDS[key])
        elif key not in ("counts", FORMAT):
            raise _DamageError(f"nothing is known of a {key!r}")

    def _check_seal(self, line: str) -> None:
        body, _, seal = line.rpartition(SEAL)
        self._seal.update(f"{body}}}".encode())
        if seal != f'{self._seal.hexdigest()[:SEAL_DIGITS]}"}}':
            raise _DamageError("its hash is another one")


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
    for is_part, group in groupby(map(_read, lines), key=lambda line: line[0] in RECORDS):
        if is_part:
            parts = (_converter().structure(value, RECORDS[key]) for key, value in group)
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


def _version_of(first: str) -> int:
    """Return the version that the first line names."""
    try:
        key, value = _read(first)
    except _DamageError:
        key, value = "", None
    if key != FORMAT:
        raise InvalidInputError("this is no archive of PCKC", remedy="Name a file that an export or a backup wrote.")
    if type(value) is not int or not 0 < value <= VERSION:
        raise ConfigurationError(
            f"a newer version of PCKC wrote this archive (format {value}, known is {VERSION})", remedy="Update PCKC."
        )
    return value


def _line(key: str, value: Any) -> str:
    return json.dumps({key: value}, ensure_ascii=True, separators=(",", ":"))


def _read(line: str) -> tuple[str, Any]:
    """Return a line's key and value; its seal, if it has one, comes behind them."""
    try:
        key, value = next(iter(json.loads(line).items()))
    except (ValueError, AttributeError, StopIteration, RecursionError) as error:
        raise _DamageError("it is no JSON object") from error
    return key, value


def _structured(value: Any, kind: type[T]) -> T:
    try:
        return _converter().structure(value, kind)
    except Exception as error:  # whatever a converter makes of values that PCKC did not write
        raise _DamageError(f"it is no {kind.__name__}") from error


@cache
def _converter() -> JsonConverter:
    return make_converter(unstruct_collection_overrides={Set: sorted})  # a set has no order, and the archive one
