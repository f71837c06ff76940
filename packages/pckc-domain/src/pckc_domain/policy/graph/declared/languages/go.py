"""Go: a package is a folder, and go.mod says how the folders of a module are called."""

import re
from collections.abc import Mapping, Sequence

from pckc_domain.policy.graph.declared.rules import Calling, Rules, World

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_TESTS = "_test"


def _namespace(path: str, package: str, _: Mapping[str, str]) -> str:
    folder = path.rpartition("/")[0] or "."
    is_apart = package.endswith(_TESTS) and path.endswith("_test.go")
    return f"{folder}{_TESTS}" if is_apart else folder


def _modules(module: str, importer: str, world: World) -> Sequence[str]:
    if module.startswith("."):
        return (_joined(importer.rpartition("/")[0], module),)
    found = []
    for path, text in world.settings.items():
        named = _MODULE.search(text) if path.rpartition("/")[2] == "go.mod" else None
        if named and (module == named[1] or module.startswith(f"{named[1]}/")):
            folder = path.rpartition("/")[0]
            inner = module[len(named[1]) :].strip("/")
            found.append((len(named[1]), "/".join(part for part in (folder, inner) if part) or "."))
    return [folder for _, folder in sorted(found, reverse=True)]


def _joined(folder: str, relative: str) -> str:
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


_BUILTINS = (
    "append cap clear close complex copy delete imag len make max min new panic print println real recover "
    "bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 "
    "uint32 uint64 uintptr any"
).split()

GO = Rules(
    languages=frozenset(("go",)),
    namespace=_namespace,
    modules=_modules,
    has_implicit_members=False,
    has_dotted_spaces=False,
    has_overloads=False,
    calling=Calling.CONVERTS,
    is_structural=True,
    builtins=frozenset(_BUILTINS),
    passing=frozenset(("append", "max", "min")),
)
