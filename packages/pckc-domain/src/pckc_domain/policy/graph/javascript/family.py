"""JavaScript and TypeScript as a family: how a program of them is solved."""

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.javascript.calls import UNKNOWN
from pckc_domain.policy.graph.javascript.library import CALLING, ScriptLibrary
from pckc_domain.policy.graph.javascript.modules import Modules
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.solver import Solver
from pckc_domain.policy.graph.steps import Place
from pckc_domain.policy.graph.values import (
    EXTRACTED,
    INFERRED,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
)

_GLOBALS = frozenset(
    "AbortController Array ArrayBuffer BigInt Blob Boolean Buffer Date Error EvalError Event EventTarget FormData "
    "Function Headers Infinity Intl JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect "
    "RegExp Request Response Set String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL "
    "URLSearchParams Uint8Array WeakMap WeakRef WeakSet WebSocket XMLHttpRequest __dirname __filename alert atob btoa "
    "clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent document encodeURI "
    "encodeURIComponent eval fetch global globalThis history isFinite isNaN jQuery localStorage location navigator "
    "parseFloat parseInt performance process queueMicrotask requestAnimationFrame requestIdleCallback sessionStorage "
    "setImmediate setInterval setTimeout structuredClone window describe it test expect beforeEach afterEach "
    "beforeAll afterAll before after jest vi".split()
)
_FUNCTIONS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)


class _Orders(dict[int, list[int]]):
    """The orders of classes; any function may be a constructor, with itself as the only one."""

    def __missing__(self, owner: int) -> list[int]:
        return [owner]


class ScriptSolver(ScriptLibrary, Solver):
    """Solves programs of JavaScript and TypeScript."""

    most_values = 24

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._calling: list[tuple[int, str]] = []
        self._given: dict[int, frozenset[object]] = {}
        self.orders = _Orders()

    # Steps

    def _build(self, at: Place, step: facts.Build) -> None:
        if step.spreads and step.items:
            self._given[self.number(Container(step.type, at.of(step.into)))] = frozenset(key for key, _ in step.items)
        super()._build(at, step)

    def copy_slot(self, key: object, variable: int, data: tuple[int, bool]) -> None:
        """Let an object have another one's slot, unless it is written after the spread."""
        if key is None or key not in self._given.get(data[0], ()):
            super().copy_slot(key, variable, data)

    def _member(self, at: Place, step: facts.Member) -> None:
        super()._member(at, step)
        if step.name in CALLING:
            self._calling.append((at.of(step.into), step.name))

    def _import(self, at: Place, step: facts.Import) -> None:
        into = at.of(step.into)
        self.imports[into] = (at.file, step)
        other = self.file_of_module(at.file, step.module)
        if other < 0:
            module = step.module.removeprefix("node:")
            is_whole = step.name in ("", "default", "module.exports")
            self.put(into, External(module if is_whole else f"{module}.{step.name}"))
        elif step.name:
            self.read_of_module(other, step.name, into, -1)
        else:
            self.put(into, ModuleValue(other))

    def _global(self, at: Place, step: facts.Global) -> None:
        if step.name in self.program.family.builtins:
            self.put(at.of(step.into), External(f"builtins.{step.name}"))

    def edge(self, callee: int, site: int, level: int) -> None:
        """Note that a site calls a function; what is only declared does nothing."""
        if not self.program.scopes[callee].is_abstract:
            super().edge(callee, site, level)

    # Classes

    def _linearize(self) -> None:
        super()._linearize()
        self.orders = _Orders(self.orders)

    def bases_of(self, scope: int) -> list[int]:
        """Return the classes, interfaces and constructors in the program that a class inherits from, in order."""
        found: list[int] = []
        for local in self.program.scopes[scope].bases:
            held = [self.values[number] for number in self.holds(self.program.variable(scope, local))] if local else []
            owners = [value.owner for value in held if isinstance(value, ClassValue)]
            owners += [value.function for value in held if isinstance(value, FunctionValue)]
            found += [one for one in owners if one not in found and one != scope]
            if not owners:
                names = [value.external for value in held if isinstance(value, External)]
                self.outer_bases.setdefault(scope, names[0] if names else "?")
        return found

    def _is_one_of(self, number: int, classes: list[int], _wanted: int, is_negated: bool) -> bool:
        value = self.values[number]
        kinds = [self.values[kind] for variable in classes for kind in self.holds(variable)]
        owners = {kind.owner for kind in kinds if isinstance(kind, ClassValue)}
        owners |= {kind.function for kind in kinds if isinstance(kind, FunctionValue)}
        if not owners or not isinstance(value, Instance):
            return True
        return owners.isdisjoint(self.orders[value.owner]) is is_negated

    # What is known last

    def _use_fallbacks(self) -> None:
        for into, name in self._calling:
            if not self.holds(into):
                self.put(into, External(f"{UNKNOWN}.{name}"))
        super()._use_fallbacks()

    def _has_one_of(self, variable: int, owner: int, kind: type[Instance] | type[ClassValue]) -> bool:
        """Return whether a variable, or the field that it promises, evidently holds what a type allows."""
        variables = [variable, *self._cells_of_field(variable)]
        if self.program.scopes[owner].kind is ScopeKind.INTERFACE:
            values = [self.values[number] for one in variables for number in self.holds(one)]
            if any(isinstance(value, FunctionValue) for value in values):
                return True
            if any(isinstance(value, Container) and value.kind in ("object", "heir") for value in values):
                return True
        return any(super(ScriptSolver, self)._has_one_of(one, owner, kind) for one in variables)

    def _cells_of_field(self, variable: int) -> list[int]:
        owner, name = self._fields.get(variable, (-1, ""))
        if owner < 0:
            return []
        owners = [owner, *self._below(owner)]
        return [cell for one in owners if (cell := self._cells.get(("instance", one, name), NOTHING))]

    @property
    def _fields(self) -> dict[int, tuple[int, str]]:
        """The variables of class members, with class and name."""
        known: dict[int, tuple[int, str]] = self.__dict__.setdefault("_known_fields", {})
        if not known:
            for owner in self.program.of_kind(ScopeKind.CLASS):
                for name, variable in self.program.members[owner].items():
                    known[variable] = (owner, name)
        return known

    def _receivers(self) -> list[tuple[int, Instance | ClassValue]]:
        """Return what ``this`` is in every function that nobody evidently calls on something."""
        found: list[tuple[int, Instance | ClassValue]] = []
        program = self.program
        for scope, facts_of in enumerate(program.scopes):
            if facts_of.receiver <= NOTHING:
                continue
            variable = program.variable(scope, facts_of.receiver)
            if self.held[variable]:
                continue
            owner, is_static = self._owner_of_this(scope)
            if owner >= 0:
                level = INFERRED if owner in self.subclasses else EXTRACTED
                found.append((variable, ClassValue(owner) if is_static else Instance(owner, level)))
        return found

    def _owner_of_this(self, scope: int) -> tuple[int, bool]:
        """Return the class whose instance, or which itself, is ``this`` in a function; -1 when that is not evident."""
        program = self.program
        facts_of, parent = program.scopes[scope], program.parent(scope)
        if facts_of.kind is ScopeKind.CLASS or facts_of.members or facts_of.bases or facts_of.name[:1].isupper():
            return scope, False
        if parent < 0:
            return -1, False
        around = program.scopes[parent]
        if around.kind is ScopeKind.CLASS:
            return parent, any(name == facts_of.name for name, _ in around.statics)
        if around.kind in _FUNCTIONS and any(name == facts_of.name for name, _ in around.members):
            return parent, False
        return -1, False


SCRIPT = Family(
    languages=frozenset(("javascript", "typescript", "tsx")),
    modules=Modules,
    builtins=_GLOBALS,
    solver=ScriptSolver,
)
