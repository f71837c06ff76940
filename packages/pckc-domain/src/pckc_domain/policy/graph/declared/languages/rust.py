"""Rust: a module is a file or part of one, and the folders above it up to the crate's root."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pckc_domain.policy.graph.declared.rules import How, Rules, World

_PACKAGE = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.MULTILINE | re.DOTALL)
_ROOTS = frozenset(("src", "tests", "benches", "examples"))
_WHOLE = frozenset(("lib", "main", "mod"))
_HOLDERS = (
    "Option Result Future Mutex RwLock RefCell Cell OnceCell OnceLock LazyLock LazyCell Lazy Weak Poll JoinHandle "
    "Receiver Sender"
).split()

_BUILTINS = frozenset(
    "std core alloc Ok Err Some None Box Vec String Option Result Default Iterator From Into Clone Drop Send Sync drop "
    "assert! assert_eq! assert_ne! cfg! compile_error! concat! dbg! debug_assert! debug_assert_eq! "
    "debug_assert_ne! env! eprint! eprintln! file! format! format_args! include! include_bytes! include_str! "
    "line! matches! module_path! option_env! panic! print! println! stringify! thread_local! todo! "
    "unimplemented! unreachable! vec! write! writeln!".split()
)


def root_of(path: str) -> str:
    """Return the key of the crate's root module: its folder with a slash, as no name has."""
    folders = path.split("/")[:-1]
    last = max((index for index, folder in enumerate(folders) if folder in _ROOTS), default=len(folders) - 1)
    return f"{'/'.join(folders[: last + 1])}/".replace(".", ":")


@lru_cache(maxsize=4096)
def module_of(path: str) -> str:
    """Return the key of the module that a file is."""
    root = root_of(path)
    inner = path[len(root.rstrip("/")) :].strip("/").removesuffix(".rs").split("/")
    is_crate = len(inner) == 1 and not root.endswith("src/")
    return ".".join((root, *(inner[:-1] if inner[-1] in _WHOLE or is_crate else inner)))


def _namespace(path: str, _: str, __: Mapping[str, str]) -> str:
    return module_of(path)


def _modules(module: str, importer: str, world: World) -> Sequence[str]:
    """Return the keys of a path: from a root on, of a part of the importing module, or of a crate."""
    here = module_of(importer)
    if not module:
        return (here,)
    first, _, rest = module.partition(".")
    if first.endswith("/"):
        return (module,)
    crates = [f"{root}.{rest}".rstrip(".") for root in _crates(first, world)]
    return (f"{here}.{module}", *crates, f"{root_of(importer)}.{module}")


def _crates(name: str, world: World) -> list[str]:
    """Return the root modules of the crates in the repository with a name."""
    found = _named_crates(world.settings, name)
    for folder in dict.fromkeys((name, name.replace("_", "-"))):
        found += [root_of(path) for path in world.files_named(f"{folder}/src/lib.rs")]
    return found


def _named_crates(settings: Mapping[str, str], name: str) -> list[str]:
    found = []
    for path, text in settings.items():
        named = _PACKAGE.search(text) if path.rpartition("/")[2] == "Cargo.toml" else None
        if named and named[1].replace("-", "_") == name:
            found.append(root_of(f"{path.removesuffix('Cargo.toml')}src/lib.rs"))
    return found


def _special(name: str, _: str, path: str, settings: Mapping[str, str]) -> str | None:
    """Return the root module of a crate of the repository that is named outright."""
    if not path:
        return None
    roots = _named_crates(settings, name)
    return roots[0] if len(roots) == 1 else None


RUST = Rules(
    languages=frozenset(("rust",)),
    operators={
        "operator+": "add",
        "operator-": "sub",
        "operator*": "mul",
        "operator/": "div",
        "operator%": "rem",
        "operator==": "eq",
        "operator!=": "eq",
        "operator next": "next",
    },
    conversion="operator ?",
    special=_special,
    modules_are_names=True,
    everywhere="!",
    builtins=_BUILTINS,
    namespace=_namespace,
    modules=_modules,
    has_implicit_members=False,
    has_overloads=False,
    self_types=frozenset(("Self",)),
    holders=dict.fromkeys(_HOLDERS, 0),
    methods={
        **dict.fromkeys(
            "iter iter_mut into_iter rev skip take filter cloned copied peekable chain as_ref as_mut as_deref ok or "
            "or_else clone to_owned to_vec by_ref step_by take_while skip_while inspect as_slice map_err context "
            "with_context cycle fuse drain split_off".split(),
            How.SAME,
        ),
        **dict.fromkeys(
            "unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_unchecked borrow borrow_mut or_insert "
            "or_insert_with or_default get_or_insert_with get_or_init swap_remove into_inner".split(),
            How.ITEM,
        ),
        **dict.fromkeys(
            "next next_back next_if first last first_mut last_mut get get_mut pop peek peek_mut max min find nth lock "
            "read write try_lock recv try_recv upgrade pop_front pop_back front back remove min_by max_by min_by_key "
            "max_by_key entry join values values_mut into_values".split(),
            How.OPTION,
        ),
        **dict.fromkeys(("keys", "into_keys"), How.KEYS),
        **dict.fromkeys(("map", "filter_map", "map_while"), How.MAPPED),
        **dict.fromkeys(("and_then", "flat_map", "map_or", "map_or_else"), How.FLAT),
    },
)
