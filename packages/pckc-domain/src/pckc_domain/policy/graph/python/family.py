"""Python as a family of its own."""

import builtins

from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.python.library import PythonLibrary
from pckc_domain.policy.graph.python.modules import Modules
from pckc_domain.policy.graph.solver import Solver


class PythonSolver(Solver, PythonLibrary):
    """Knows Python's standard library."""


def _import_text(module: str, level: int, name: str) -> str:
    text = "." * level + module
    return f"from {text} import {name}" if name else f"import {text}"


PYTHON = Family(
    languages=frozenset(("python",)),
    modules=Modules,
    builtins=frozenset(dir(builtins)),
    solver=PythonSolver,
    import_text=_import_text,
)
