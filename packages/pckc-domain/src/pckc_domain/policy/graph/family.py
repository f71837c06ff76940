"""What languages that can call each other have of their own."""

from __future__ import annotations  # a family names its solver, whose program names the family

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from pckc_domain.policy.graph.modules import ModuleTable

if TYPE_CHECKING:
    from pckc_domain.policy.graph.solver import Solver


@attrs.frozen(kw_only=True)
class Family:
    """
    Languages whose files import each other.

    Attributes:
        modules: Makes the table of modules, from all paths and the texts of project files by path.
        builtins: Names that need no import.
        solver: The solver with the family's library.
        import_text: An import of a module's name, or of the module, as the language writes it; takes module, level and
            name.
    """

    languages: frozenset[str]
    modules: Callable[[Iterable[str], Mapping[str, str]], ModuleTable]
    builtins: frozenset[str]
    solver: type[Solver]
    import_text: Callable[[str, int, str], str]
