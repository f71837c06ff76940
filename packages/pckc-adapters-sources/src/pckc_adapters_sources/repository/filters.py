"""Which files are not worth reading, and why, in short stable words."""

import re
from collections.abc import Iterator
from functools import lru_cache

BINARY = "binary"
GENERATED = "generated"
LFS_POINTER = "lfs pointer"
LOCK_FILE = "lock file"
MINIFIED = "minified"
TOO_LARGE = "too large"
VENDORED = "vendored"

CONTENT_REASONS = frozenset({BINARY, GENERATED, LFS_POINTER, MINIFIED})
"""Reasons that only the content gives: they hold until the file changes."""

_FOLDERS = {
    **dict.fromkeys(
        (
            "node_modules", "bower_components", "jspm_packages", "vendor", "third_party", "third-party", "thirdparty",
            "site-packages", "dist-packages", ".venv",
        ),
        VENDORED,
    ),
    **dict.fromkeys(("dist", "__pycache__", ".next", ".nuxt"), GENERATED),
}  # fmt: skip

_LOCK_FILES = frozenset(
    {
        "uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "pipfile.lock", "conda-lock.yml", "package-lock.json",
        "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "cargo.lock",
        "go.sum", "gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock", "podfile.lock", "package.resolved",
        "flake.lock", "packages.lock.json", "gradle.lockfile", "cartfile.resolved", ".terraform.lock.hcl", "conan.lock",
        "rebar.lock",
    }
)  # fmt: skip

_SUFFIXES = {
    **dict.fromkeys((".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js", "-min.css"), MINIFIED),
    **dict.fromkeys(
        (".js.map", ".mjs.map", ".cjs.map", ".css.map", ".ts.map", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.go",
         ".pb.cc", ".pb.h", ".g.dart", ".freezed.dart", ".designer.cs"),
        GENERATED,
    ),
}  # fmt: skip
_ALL_SUFFIXES = tuple(_SUFFIXES)


def path_reason(path: str) -> str:
    """Return why the file at *path* is not worth reading, judged by its name alone; ``""`` when it may be."""
    folder, _, name = path.lower().rpartition("/")
    reason = _folder_reason(folder) if folder else ""
    if reason or "." not in name:
        return reason
    if name in _LOCK_FILES:
        return LOCK_FILE
    if name.endswith(_ALL_SUFFIXES):
        return next(reason for suffix, reason in _SUFFIXES.items() if name.endswith(suffix))
    return ""


@lru_cache(maxsize=64)  # a scan goes folder by folder
def _folder_reason(folder: str) -> str:
    return next((_FOLDERS[part] for part in folder.split("/") if part in _FOLDERS), "")


_MAGIC = (
    b"%PDF-", b"\x89PNG", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh",
    b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\x7fELF", b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe", b"wOFF", b"wOF2", b"OTTO", b"OggS", b"fLaC", b"ID3", b"SQLite format 3",
)  # fmt: skip
_LFS = b"version https://git-lfs.github.com/spec/"


def bytes_reason(data: bytes) -> str:
    """Return ``binary`` for images, fonts, archives and programs, ``lfs pointer`` for what stands in for one."""
    if data.startswith(_MAGIC):
        return BINARY
    return LFS_POINTER if data.startswith(_LFS) else ""


HEADER_LINES = 20
HEADER_CHARACTERS = 4_000
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|%|\(\*|\{-)")
_MARK = re.compile(r"@generated\b|\bdo not (?:edit|modify)\b", re.IGNORECASE)
_ORIGIN = re.compile(r"generat|automatic|auto-|autogen|managed by|produced by|created by|compiled", re.IGNORECASE)

MAX_MEAN_LINE = 500
MAX_LINE = 5_000
# Prose has 15-20 % white space, minified JavaScript and JSON 1-6 %. Scripts written without spaces are not ASCII.
MIN_WHITE_SHARE = 0.1
MAX_FOREIGN_SHARE = 0.3


def text_reason(text: str) -> str:
    """Return ``generated`` or ``minified`` when *text* shows that no person wrote it; ``""`` otherwise."""
    if _is_generated(text):
        return GENERATED
    return MINIFIED if _is_minified(text) else ""


def _is_generated(text: str) -> bool:
    """Tell whether comments at the top say so: ``@generated``, or both an origin and "DO NOT EDIT"."""
    head = text[:HEADER_CHARACTERS]
    if not _MARK.search(head):
        return False
    comments = "\n".join(line for line in head.split("\n")[:HEADER_LINES] if _COMMENT.match(line))
    mark = _MARK.search(comments)
    return mark is not None and (mark[0].startswith("@") or _ORIGIN.search(comments) is not None)


def _is_minified(text: str) -> bool:
    """Tell whether lines have over 500 characters on average, or most text is in lines over 5,000, with few blanks."""
    dense = text if len(text) > MAX_MEAN_LINE * (text.count("\n") + 1) else "".join(_long_lines(text))
    if len(dense) * 2 <= len(text) or not dense:
        return False
    white = sum(map(dense.count, " \t\n"))
    ascii_length = len(dense.encode("ascii", "ignore"))
    return white < MIN_WHITE_SHARE * len(dense) and ascii_length > (1 - MAX_FOREIGN_SHARE) * len(dense)


def _long_lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if len(line) > MAX_LINE) if len(text) > MAX_LINE else iter(())
