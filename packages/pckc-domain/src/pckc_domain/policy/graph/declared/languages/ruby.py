"""Ruby: constants and top-level methods are seen everywhere once they are loaded; classes can be opened again."""

from collections.abc import Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World


def _modules(_: str, __: str, ___: World) -> Sequence[str]:
    """Return nothing: what is required binds no name."""
    return ()


RUBY = Rules(
    languages=frozenset(("ruby",)),
    modules=_modules,
    searches_outer=True,
    has_overloads=False,
    makers=frozenset(("new",)),
    constructors=frozenset(("initialize",)),
    methods=METHODS,
    backing="@",
)
