"""
Resolution: from the facts of all files to who calls whom.

The work has stages, each to its fixpoint, since a later one rests on what an earlier one could not tell:

1. values flow, but classes are not searched yet;
2. base classes are known: members are found in method resolution order, and checks of type narrow;
3. decorators of unknown meaning are taken to return what they decorate;
4. where nothing says what a value is, its annotation does, and methods nobody calls have an instance of their class.
"""

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.hierarchy import linearize
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.steps import Steps
from pckc_domain.policy.graph.values import (
    EXTRACTED,
    INFERRED,
    ClassMethod,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Instance,
    Static,
)

_CONTAINERS = {"builtins.list": "list", "builtins.tuple": "tuple", "builtins.dict": "dict", "builtins.set": "set"}


class Solver(Steps):
    """Solves a program; read `edges` and the other results after `solve`. A family adds its library."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._definition_sites: dict[int, int] = {}

    def solve(self) -> None:
        """Run all stages."""
        self.register()
        self.run()
        self._linearize()
        for base, narrow in self.narrowing:
            self.listen(base + narrow.source, self._narrow, (base, narrow))
        self.is_linearized = True
        self.go_on()
        self.run()
        self._use_fallbacks()
        self._find_late_bases()
        self._use_declarations()
        self.run()
        self._use_fallbacks()

    # Stage 2

    def _linearize(self) -> None:
        bases: dict[int, list[int]] = {}
        for scope in self.program.classes():
            bases[scope] = self.bases_of(scope)
        self.orders = linearize(bases)
        for scope, known in bases.items():
            for base in known:
                self.subclasses.setdefault(base, []).append(scope)
        for scope, order in self.orders.items():
            for one in order:
                if one in self.outer_bases:
                    self.is_open.add(scope)
                    self.outer_bases.setdefault(scope, self.outer_bases[one])
            for one in order:
                metaclass = self.program.scopes[one].metaclass
                if metaclass:
                    for number in self.holds(self.program.variable(one, metaclass)):
                        value = self.values[number]
                        if isinstance(value, ClassValue):
                            self.metaclasses.setdefault(scope, value.owner)
        self._call_subclass_hooks()

    def bases_outside(self, scope: int) -> str:
        """Return the first base class that a class itself names and that stands outside of the program."""
        return "" if self.bases_of(scope) else self.outer_bases.get(scope, "")

    def bases_of(self, scope: int) -> list[int]:
        """Return the base classes of a class that stand in the program, in order."""
        found: list[int] = []
        for local in self.program.scopes[scope].bases:
            held = [self.values[number] for number in self.holds(self.program.variable(scope, local))] if local else []
            classes = [value.owner for value in held if isinstance(value, ClassValue) and value.owner != scope]
            found += [one for one in classes if one not in found]
            if not classes:
                names = [value.external for value in held if isinstance(value, External)]
                self.outer_bases.setdefault(scope, names[0] if names else "?")
        return found

    def _call_subclass_hooks(self) -> None:
        """Defining a class calls ``__init_subclass__`` of its ancestors."""
        for scope, order in self.orders.items():
            hooks = [self.program.members[one].get("__init_subclass__", NOTHING) for one in order[1:]]
            hook = next((one for one in hooks if one), NOTHING)
            if hook:
                self.listen(hook, self._call_hook, scope)

    def _call_hook(self, number: int, scope: int) -> None:
        value = self.values[number]
        inner = value.inner if isinstance(value, ClassMethod) else number
        self.call(inner, self.number(ClassValue(scope)), (), NOTHING, self._site_of_definition(scope))

    def _site_of_definition(self, scope: int) -> int:
        """Return the site of a class statement, in the scope around it; it is made when it is first wanted."""
        known = self._definition_sites.get(scope)
        if known is None:
            program = self.program
            around = program.parent(scope)
            local = around - program.scope_base[program.file_of[scope]]
            one = program.scopes[scope]
            program.sites.append(facts.Site(local, one.start_line, 0, one.start_line, 0, one.name))
            self.scope_of_site.append(around)
            known = self._definition_sites[scope] = len(program.sites) - 1
        return known

    def _find_late_bases(self) -> None:
        """A base class may come out of a call; members read meanwhile are read again."""
        late = {
            scope
            for scope in self.program.classes()
            if self.outer_bases.get(scope) == "?" and self.bases_of(scope) != self.orders[scope][1:2]
        }
        if late:
            bases = {scope: self.bases_of(scope) for scope in self.program.classes()}
            self.orders = linearize(bases)

    def _narrow(self, number: int, data: tuple[int, facts.Narrow]) -> None:
        base, step = data
        if self._is_one_of(number, [base + one for one in step.classes if one], len(step.classes), step.is_negated):
            self.give(base + step.into, number)

    def _is_one_of(self, number: int, classes: list[int], wanted: int, is_negated: bool) -> bool:
        """Return whether a value may pass a check of type."""
        value = self.values[number]
        kinds = [self.values[kind] for variable in classes for kind in self.holds(variable)]
        owners = {kind.owner for kind in kinds if isinstance(kind, ClassValue)}
        is_known = len(classes) == wanted and len(owners) == len(kinds) and bool(kinds)
        if isinstance(value, Instance):
            is_one = not owners.isdisjoint(self.orders[value.owner])
            if is_negated:
                return not is_one
            return is_one or (not is_known and any(isinstance(kind, External) for kind in kinds))
        names = {kind.external for kind in kinds if isinstance(kind, External)}
        if isinstance(value, Container) and names:
            is_one = any(_CONTAINERS.get(name) == value.kind for name in names)
            is_unknown = any(name not in _CONTAINERS and not name.startswith("builtins.") for name in names)
            return (is_one or is_unknown) if not is_negated else not is_one
        return is_negated or not is_known

    # Stages 3 and 4

    def _use_fallbacks(self) -> None:
        for callee, fallback, into in self.fallbacks:
            if not callee or not self.holds(callee):
                self.join(fallback, into)
        self.run()

    def _use_declarations(self) -> None:
        additions: list[tuple[int, Instance | ClassValue]] = []
        for into, kind, is_class in self.declared:
            promised = ClassValue if is_class else Instance
            for number in self.holds(kind):
                value = self.values[number]
                if isinstance(value, ClassValue) and not self._has_one_of(into, value.owner, promised):
                    additions.append((into, promised(value.owner, INFERRED)))
        for base, step in self.narrowing:
            if not step.is_negated and not any(
                isinstance(self.values[one], Instance) for one in self.holds(base + step.into)
            ):
                for kind in (base + one for one in step.classes if one):
                    for number in self.holds(kind):
                        value = self.values[number]
                        if isinstance(value, ClassValue):
                            additions.append((base + step.into, Instance(value.owner, INFERRED)))
        receivers = list(self._receivers())
        defaults = list(self._uncalled_defaults())
        for variable, instance in additions:
            self.put(variable, instance)
        for variable, receiver in receivers:
            self.put(variable, receiver)
        for parameter, default in defaults:
            self.use_default(parameter, default)

    def _has_one_of(self, variable: int, owner: int, kind: type[Instance] | type[ClassValue]) -> bool:
        """Return whether a variable evidently holds a class or one below it, or an instance of them."""
        return any(
            isinstance(value, kind) and owner in self.orders[value.owner]
            for value in (self.values[number] for number in self.holds(variable))
        )

    def _receivers(self) -> list[tuple[int, Instance | ClassValue]]:
        """Return an instance, or the class, for the first parameter of every method that nobody evidently calls."""
        found: list[tuple[int, Instance | ClassValue]] = []
        program = self.program
        for owner in program.of_kind(ScopeKind.CLASS):
            level = INFERRED if owner in self.subclasses else EXTRACTED
            for variable in dict.fromkeys(program.members[owner].values()):
                for number in self.holds(variable):
                    function, receiver = self._method_of(number, owner, level)
                    if function < 0 or program.parent(function) != owner or not program.scopes[function].parameters:
                        continue
                    first = program.variable(function, program.scopes[function].parameters[0].variable)
                    if not self.held[first]:
                        found.append((first, receiver))
        for function in program.of_kind(ScopeKind.FUNCTION):
            if function not in self.called and program.is_method(function) and program.scopes[function].parameters:
                owner = program.parent(function)
                first = program.variable(function, program.scopes[function].parameters[0].variable)
                if not self.held[first] and program.scopes[function].name not in self._static_names(owner):
                    found.append((first, Instance(owner, INFERRED if owner in self.subclasses else EXTRACTED)))
        return found

    def _static_names(self, owner: int) -> set[str]:
        return {
            name
            for name, variable in self.program.members[owner].items()
            if any(isinstance(self.values[number], Static | ClassMethod) for number in self.holds(variable))
        } | {"__new__", "__init_subclass__", "__class_getitem__"}

    def _method_of(self, number: int, owner: int, level: int) -> tuple[int, Instance | ClassValue]:
        value = self.values[number]
        if isinstance(value, ClassMethod):
            inner = self.values[value.inner]
            return (inner.function if isinstance(inner, FunctionValue) else -1), ClassValue(owner)
        if isinstance(value, FunctionValue):
            name = self.program.scopes[value.function].name
            if name in ("__new__", "__init_subclass__", "__class_getitem__"):
                return value.function, ClassValue(owner)
            return value.function, Instance(owner, level)
        return -1, Instance(owner, level)

    def _uncalled_defaults(self) -> list[tuple[int, int]]:
        program = self.program
        return [
            (program.variable(function, parameter.variable), program.variable(function, parameter.default))
            for function in program.of_kind(ScopeKind.FUNCTION, ScopeKind.LAMBDA)
            if function not in self.called
            for parameter in program.scopes[function].parameters
            if parameter.default
        ]
