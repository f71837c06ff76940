"""PHP: namespaces, imports of classes and functions; what has no namespace is seen everywhere."""

from collections.abc import Mapping, Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World


def _modules(module: str, _: str, __: World) -> Sequence[str]:
    return () if module.endswith(".php") else (module.lstrip("."),)


def _special(name: str, _: str, __: str, ___: Mapping[str, str]) -> str | None:
    return "" if name == "" else None


PHP = Rules(
    languages=frozenset(("php",)),
    modules=_modules,
    special=_special,
    has_implicit_members=False,
    self_types=frozenset(("self", "static")),
    holders={"iterable": 0, "Collection": -1, "array": -1, "Generator": -1, "Traversable": -1, "Iterator": -1},
    methods=METHODS,
    preludes=("",),
    call_operator="__invoke",
)
