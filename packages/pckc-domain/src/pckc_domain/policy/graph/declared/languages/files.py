"""Lua, Zig and Julia, where a file is a module of its own, named by its path."""

from collections.abc import Mapping, Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Calling, Rules, World


def _by_path(path: str, _: str, __: Mapping[str, str]) -> str:
    return path.rpartition(".")[0].replace(".", "_")


def _key(path: str) -> str:
    return _by_path(path, "", {})


def _relative(module: str, importer: str, world: World) -> Sequence[str]:
    """Return the file that a path means beside the importing one."""
    name = module.rpartition("/")[2]
    parts = importer.split("/")[:-1]
    for part in module.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    path = "/".join(parts)
    return (_key(path),) if "." in name and path in world.files_named(name) else ()


def _lua_modules(module: str, _: str, world: World) -> Sequence[str]:
    """Return the file that a dotted name means, below whatever folder."""
    inner = module.replace(".", "/")
    for ending in (f"{inner}.lua", f"{inner}/init.lua"):
        found = world.files_named(ending)
        if found:
            return (_key(min(found, key=lambda path: (path.count("/"), path))),)
    return ()


LUA = Rules(
    languages=frozenset(("lua",)),
    namespace=_by_path,
    modules=_lua_modules,
    has_module_results=True,
    local="local",
    has_implicit_members=False,
    has_dotted_spaces=False,
    has_overloads=False,
    call_operator="__call",
    methods={},
)

ZIG = Rules(
    languages=frozenset(("zig",)),
    namespace=_by_path,
    modules=_relative,
    modules_are_names=True,
    modules_are_types=True,
    has_dotted_spaces=False,
    has_overloads=False,
    calling=Calling.CONVERTS,
    self_types=frozenset(("@This",)),
    holders={"ArrayList": 0, "ArrayListUnmanaged": 0, "AutoHashMap": -1, "StringHashMap": -1, "HashMap": -1},
    methods={},
)

JULIA = Rules(
    languages=frozenset(("julia",)),
    namespace=_by_path,
    modules=_relative,
    modules_are_names=True,
    is_included=True,
    counts_arguments=True,
    has_implicit_members=False,
    has_dotted_spaces=False,
    holders={"Vector": 0, "Array": 0, "Set": 0, "Dict": -1, "AbstractVector": 0, "Ref": 0},
    methods=METHODS,
)
