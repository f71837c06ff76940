"""Canonical stores opened by themselves, and archives of them as files."""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, cast

import attrs
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, InvalidInputError, NotFoundError
from pckc_domain.model.progress import ProgressListener
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.usecases.archive import archive_lines, check_archive, restore_lines
from pckc_domain.usecases.migrate import Copied

from pckc_mcp.config import checked_tenant, read_config
from pckc_mcp.plugins import load, open_canonical
from pckc_mcp.system_errors import remedy_of

ENDING = "\n"
PACKED = ".gz"
"""How the name of a compressed archive ends."""

MAGIC = b"\x1f\x8b"
"""How a compressed file begins."""


@contextmanager
def open_store(file: Path) -> Iterator[Canonical]:
    """
    Open the canonical store that the configuration in *file* names; no other configuration counts.

    Whose it is, is what ``PCKC_TENANT`` says, or `tenant` in the file.

    Raises:
        NotFoundError: There is no such file.
        ConfigurationError: It names no store, or a setting does not fit.
    """
    if not file.is_file():
        raise NotFoundError(f"no configuration at {file}", remedy="write one with a table [canonical]")
    config = read_config(file)
    choice = config.slots["canonical"]
    settings = attrs.fields_dict(load("canonical", choice.backend).settings)
    if "path" in settings and "path" not in choice.settings:
        raise ConfigurationError(f"{file} names no store", remedy=f'set path below [canonical] of "{choice.backend}"')
    with open_canonical(choice, {}, tenant=checked_tenant(os.environ.get("PCKC_TENANT") or config.tenant)) as store:
        yield store


def write_archive(
    canonical: Canonical, scopes: Sequence[Scope], file: Path, progress: ProgressListener, *, is_packed: bool
) -> int:
    """
    Write an archive of these projects to *file*, which appears when it is whole and was read again; return its bytes.

    *is_packed* compresses it.

    Raises:
        InvalidInputError: The file exists.
        NotFoundError: Its folder does not.
        BackendUnavailableError: It cannot be written.
    """
    if not file.parent.is_dir():
        raise NotFoundError(f"{file.parent} is no folder", remedy="make it first, or name a file in another one")
    if file.exists():
        raise InvalidInputError(f"{file} exists", remedy="name another file, or take this one away first")
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with _private(unfinished) as raw:
            with _packing(raw) if is_packed else nullcontext(raw) as text:
                for line in archive_lines(canonical, scopes, progress=progress):
                    text.write(f"{line}{ENDING}".encode())
            raw.flush()
            os.fsync(raw.fileno())
        check_archive(_lines(unfinished))
        unfinished.replace(file)
    except OSError as error:
        raise BackendUnavailableError(f"{file} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error
    finally:
        with suppress(OSError):  # where nothing can be written nothing can be taken away; why was told already
            unfinished.unlink(missing_ok=True)
    return file.stat().st_size


def check_file(file: Path) -> None:
    """
    Read the archive in *file* to its end.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: It is no archive, or a damaged one.
    """
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder", remedy="name a file that `pckc backup` or `pckc export` wrote")
    if not file.is_file():
        raise NotFoundError(f"no archive at {file}", remedy="name a file that `pckc backup` or `pckc export` wrote")
    check_archive(_lines(file))


def read_archive(canonical: Canonical, file: Path, *, is_merging: bool, progress: ProgressListener) -> Sequence[Copied]:
    """
    Write the archive in *file* to a store, after `check_file` found it whole.

    Raises:
        ConflictError: The store holds something else of a project.
    """
    return restore_lines(canonical, _lines(file), is_merging=is_merging, progress=progress)


def _private(file: Path) -> IO[bytes]:
    """Make a file that nobody else may read: it holds what agents were told."""
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _packing(raw: IO[bytes]) -> IO[bytes]:
    """The same lines give the same bytes: neither a name nor a time is in them."""
    return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=6))


def _lines(file: Path) -> Iterator[str]:
    """Yield the lines of an archive, compressed or not."""
    done = 0
    try:
        with file.open("rb") as raw:
            is_packed = raw.read(len(MAGIC)) == MAGIC
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if is_packed else nullcontext(raw) as text:
                for line in text:
                    yield line.removesuffix(ENDING.encode()).decode()
                    done += 1
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        place = f"it is damaged behind line {done}" if done else "this is no archive of PCKC, or a damaged one"
        raise InvalidInputError(f"{file}: {place}", remedy="use another copy") from error
