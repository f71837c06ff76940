"""JavaScript and TypeScript as a family: how a program of them is solved."""

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.javascript.calls import UNKNOWN
from pckc_domain.policy.graph.javascript.library import CALLING, ScriptLibrary
from pckc_domain.policy.graph.javascript.members import EXPORTS
from pckc_domain.policy.graph.javascript.modules import Modules
from pckc_domain.policy.graph.modules import File, ModuleTable
from pckc_domain.policy.graph.shapes import Row
from pckc_domain.policy.graph.solver import Solver
from pckc_domain.policy.graph.steps import Bases
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
from pckc_domain.policy.graph.world import Remembered

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


class ScriptSolver(ScriptLibrary, Solver):
    """Solves programs of JavaScript and TypeScript."""

    most_values = 24

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self._calling: dict[int, list[tuple[int, str]]] = {}
        self._given: dict[int, frozenset[object]] = {}
        self._known_fields: dict[int, dict[int, tuple[int, str]]] = {}

    # Steps

    def _build(self, at: Bases, step: facts.Build, place: int) -> None:
        if step.spreads and step.items:
            self._given[self.number(Container(step.type, place))] = frozenset(key for key, _ in step.items)
        super()._build(at, step, place)

    def copy_slot(self, key: object, variable: int, data: tuple[int, bool]) -> None:
        """Let an object have another one's slot, unless it is written after the spread."""
        if key is None or key not in self._given.get(data[0], ()):
            super().copy_slot(key, variable, data)

    def _member(self, at: Bases, step: facts.Member) -> None:
        super()._member(at, step)
        if step.name in CALLING:
            self._calling.setdefault(self.here, []).append((at.of(step.into), step.name))

    def _import(self, at: Bases, step: facts.Import) -> None:
        into, path = at.of(step.into), self.program.files[self.here].path
        found = self.program.find(path, step.module, step.level)
        self.work.asked.update(f"/{name}" for name in self.program.modules.asked(path, step.module, step.level))
        self.work.imports[into] = step
        other = self.program.file(found.path) if isinstance(found, File) else None
        if other is None:
            self.put(into, External(f"{step.module}.{step.name}" if step.name else step.module))
        elif step.name:
            self.read_of_module(other, step.name, into, -1)
        else:
            self.put(into, ModuleValue(other))

    def _global(self, at: Bases, step: facts.Global) -> None:
        if step.name in self.program.family.builtins:
            self.put(at.of(step.into), External(f"builtins.{step.name}"))

    def edge(self, callee: int, site: int, level: int) -> None:
        """Note that a site calls a function; what is only declared does nothing."""
        if not self.facts(callee).is_abstract:
            super().edge(callee, site, level)

    # Classes

    def _read_row(self, scope: int) -> Row:
        """Return what a class, an interface or a constructor says of what it inherits from."""
        found: list[int] = []
        outer = ""
        for local in self.program.scopes[scope].bases:
            held = [self.values[number] for number in self.holds(self.program.variable(scope, local))] if local else []
            owners = [value.owner for value in held if isinstance(value, ClassValue)]
            owners += [value.function for value in held if isinstance(value, FunctionValue)]
            found += [one for one in dict.fromkeys(owners) if one not in found and one != scope]
            if not owners:
                outer = outer or next((value.external for value in held if isinstance(value, External)), "?")
        return Row(tuple(map(self._class_name, found)), outer)

    def _is_one_of(self, number: int, classes: list[int], _wanted: int, is_negated: bool) -> bool:
        value = self.values[number]
        kinds = [self.values[kind] for variable in classes for kind in self.holds(variable)]
        owners = {kind.owner for kind in kinds if isinstance(kind, ClassValue)}
        owners |= {kind.function for kind in kinds if isinstance(kind, FunctionValue)}
        if not owners or not isinstance(value, Instance):
            return True
        return owners.isdisjoint(self.order(value.owner)) is is_negated

    # What is known last

    def _use_fallbacks(self, file: int) -> None:
        for into, name in self._calling.get(file, ()):
            if not self.holds(into):
                self.put(into, External(f"{UNKNOWN}.{name}"))
        super()._use_fallbacks(file)

    def _has_one_of(self, variable: int, owner: int, kind: type[Instance] | type[ClassValue]) -> bool:
        """Return whether a variable, or the field that it promises, evidently holds what a type allows."""
        variables = [variable, *self._cells_of_field(variable)]
        if self.facts(owner).kind is ScopeKind.INTERFACE:
            values = [self.values[number] for one in variables for number in self.holds(one)]
            if any(isinstance(value, FunctionValue) for value in values):
                return True
            if any(isinstance(value, Container) and value.kind in ("object", "heir") for value in values):
                return True
        return any(super(ScriptSolver, self)._has_one_of(one, owner, kind) for one in variables)

    def _cells_of_field(self, variable: int) -> list[int]:
        owner, name = self._fields(self.here).get(variable, (-1, ""))
        return [self.keyed("i", owner, name)] if owner >= 0 else []

    def _fields(self, file: int) -> dict[int, tuple[int, str]]:
        """Return the variables of a file's class members, with class and name."""
        known = self._known_fields.get(file)
        if known is None:
            known = self._known_fields[file] = {
                variable: (owner, name)
                for owner in self.program.of_kind(file, ScopeKind.CLASS)
                for name, variable in self.program.members[owner].items()
            }
        return known

    def _receivers(self, file: int) -> list[tuple[int, Instance | ClassValue]]:
        """Return what ``this`` is in every function that nobody evidently calls on something."""
        found: list[tuple[int, Instance | ClassValue]] = []
        program = self.program
        one = program.files[file]
        for scope, facts_of in enumerate(one.shape.scopes, start=one.scope_base):
            if facts_of.receiver <= NOTHING:
                continue
            variable = program.variable(scope, facts_of.receiver)
            if self.held[variable]:
                continue
            owner, is_static = self._owner_of_this(scope)
            if owner >= 0:
                level = INFERRED if self.has_subclasses(owner) else EXTRACTED
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


def _import_text(module: str, _level: int, name: str) -> str:
    if name == EXPORTS:
        return f'require("{module}")'
    wanted = {"": "*", "default": "default"}.get(name, f"{{ {name} }}")
    return f'import {wanted} from "{module}"'


SCRIPT = Family(
    languages=frozenset(("javascript", "typescript", "tsx")),
    modules=Modules,
    builtins=_GLOBALS,
    solver=ScriptSolver,
    import_text=_import_text,
)
