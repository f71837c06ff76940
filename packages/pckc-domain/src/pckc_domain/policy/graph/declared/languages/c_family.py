"""C and C++: one namespace, of which a file sees what it includes."""

from collections.abc import Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World

_HOLDERS = (
    "vector list deque set unordered_set multiset array optional unique_ptr shared_ptr weak_ptr stack queue span "
    "initializer_list future atomic forward_list priority_queue QList QVector QPointer QSharedPointer"
).split()
_POINTERS = "unique_ptr shared_ptr weak_ptr QPointer QSharedPointer optional".split()


def _modules(module: str, _: str, __: World) -> Sequence[str]:
    is_path = "/" in module or module.rpartition(".")[2] in ("h", "hh", "hpp", "hxx", "inc", "c", "cc", "cpp", "ipp")
    return () if is_path else (module,)


C_FAMILY = Rules(
    languages=frozenset(("c", "cpp")),
    modules=_modules,
    modules_are_names=True,
    includes=True,
    hidden=frozenset(("static",)),
    pointee="->",
    searches_outer=True,
    holders={
        **dict.fromkeys(_HOLDERS, 0),
        **dict.fromkeys((f"std.{name}" for name in _HOLDERS), 0),
        **dict.fromkeys("map unordered_map multimap QMap QHash".split(), -1),
    },
    wrappers=frozenset(_POINTERS),
    methods={**METHODS},
    call_operator="operator()",
)
