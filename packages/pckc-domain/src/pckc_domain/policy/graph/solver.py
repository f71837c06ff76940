"""
Resolution: from the facts of files to who calls whom.

The work has stages, each to its fixpoint, since a later one rests on what an earlier one could not tell:

1. values flow, but classes are not searched yet;
2. base classes are known: members are found in method resolution order, and checks of type narrow;
3. decorators of unknown meaning are taken to return what they decorate;
4. where nothing says what a value is, its annotation does, and methods nobody calls have an instance of their class;
5. decorators once more.

A stage has at most `MAX_ROUNDS` rounds. What is no test is solved first; then tests, which see what it came to.
"""

from collections.abc import Callable, Iterable

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, CodeFacts, ScopeKind
from pckc_domain.policy.graph.flow import MAX_IN_TABLES, MAX_IN_TESTS
from pckc_domain.policy.graph.shapes import Shape
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
from pckc_domain.policy.graph.world import FileWork

MAX_ROUNDS = 32
"""Rounds of a stage: values that cross more files on their way are left where they are."""

_CONTAINERS = {"builtins.list": "list", "builtins.tuple": "tuple", "builtins.dict": "dict", "builtins.set": "set"}


class Solver(Steps):
    """Solves files; read `works` after `solve`. A family adds its library."""

    def add_live(self, path: str, shape: Shape) -> int:
        """Add a file that is worked on; return its number."""
        file = self.program.add(path, shape)
        self.works[file] = FileWork()
        return file

    def release(self, file: int) -> None:
        """Forget what one solved and rendered file found out."""
        self.program.files[file].facts = None
        self.works[file] = FileWork()
        self.proxies[file] = {}
        self.sent[file] = {}

    def solve(
        self,
        files: Iterable[int],
        facts_of: Callable[[str], CodeFacts],
        inbox: Iterable[tuple[int, int, int]] = (),
    ) -> None:
        """
        Run all stages over *files*.

        Args:
            files: Numbers of files that were added as live.
            facts_of: Return the facts of the file at a path; asked for each once.
            inbox: Time, variable, number: what files that are not worked on give to these, and when.
        """
        files = list(files)
        self.is_linearized = self.is_late = False
        self.limit = min(self.most_values, MAX_IN_TESTS) if self.with_tests else self.most_values
        self.table_limit = self.limit if self.with_tests else MAX_IN_TABLES
        self.forget_orders()
        self.forget_ways()
        self.now = 0
        self.played = {}
        for time, variable, number in inbox:
            self.played.setdefault(time, []).append((variable, [number]))
        stages: list[Callable[[int], None]] = [
            lambda file: self.register(file, facts_of(self.program.files[file].path)),
            self._search_classes,
            self._use_fallbacks,
            self._use_declarations,
            self._use_fallbacks,
        ]
        inputs: dict[int, dict[int, list[int]]] = {}
        for number, begin in enumerate(stages):
            self.now = number * MAX_ROUNDS
            self._before(number, files)
            for file in files:
                self.enter_file(file)
                begin(file)
                self.receive(inputs.get(file, {}))
                self.run()
            inputs = self._run_rounds((number + 1) * MAX_ROUNDS - 1)

    def _run_rounds(self, last: int) -> dict[int, dict[int, list[int]]]:
        """Run rounds until nothing crosses files any more, or the *last*; return what it leaves."""
        inputs = self.exchange()
        while self.now < last and (inputs or any(self.now < time <= last for time in self.played)):
            self.now += 1
            for file, given in sorted(inputs.items()):
                self.enter_file(file)
                self.receive(given)
                self.run()
            inputs = self.exchange()
        return inputs

    def _before(self, stage: int, files: Iterable[int]) -> None:
        """Find out about classes, before the stages that rest on it."""
        if stage not in (1, 3):
            return
        self.is_late = stage == 3
        for file in files:
            self.read_rows(file)
        self.forget_orders()
        self.is_linearized = True
        if stage == 1:
            for file in files:
                self.note_subclasses(file)

    def _search_classes(self, file: int) -> None:
        for narrow in self.work.narrowing:
            base = self.program.files[file].variable_base
            self.listen(base + narrow.source, self._narrow, (base, narrow))
        self._call_subclass_hooks(file)
        self.go_on()

    # Stage 2

    def _call_subclass_hooks(self, file: int) -> None:
        """Defining a class calls ``__init_subclass__`` of its ancestors."""
        self.work.asked.add(".__init_subclass__")
        for scope in self.program.classes(file):
            hooks = [self.program.members[one].get("__init_subclass__", NOTHING) for one in self.order(scope)[1:]]
            hook = next((one for one in hooks if one), NOTHING)
            if hook:
                self.listen(hook, self._call_hook, scope)

    def _call_hook(self, number: int, scope: int) -> None:
        value = self.values[number]
        inner = value.inner if isinstance(value, ClassMethod) else number
        self.call(inner, self.number(ClassValue(scope)), (), NOTHING, self._site_of_definition(scope))

    def _site_of_definition(self, scope: int) -> int:
        """Return the site of a class statement, in the scope around it; it is made when it is first wanted."""
        known = self.work.definition_sites.get(scope)
        if known is None:
            program = self.program
            around = program.parent(scope)
            local = around - program.files[self.here].scope_base
            one = program.scopes[scope]
            site = facts.Site(local, one.start_line, 0, one.start_line, 0, one.name)
            known = self.work.definition_sites[scope] = program.add_site(around, site)
        return known

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
            is_one = not owners.isdisjoint(self.order(value.owner))
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

    def _use_fallbacks(self, _: int) -> None:
        for callee, fallback, into in self.work.fallbacks:
            if not callee or not self.holds(callee):
                self.join(fallback, into)

    def _use_declarations(self, file: int) -> None:
        base = self.program.files[file].variable_base
        additions: list[tuple[int, Instance | ClassValue]] = []
        for into, kind, is_class in self.work.declared:
            promised = ClassValue if is_class else Instance
            for number in self.holds(kind):
                value = self.values[number]
                if isinstance(value, ClassValue) and not self._has_one_of(into, value.owner, promised):
                    additions.append((into, promised(value.owner, INFERRED)))
        for step in self.work.narrowing:
            if not step.is_negated and not any(
                isinstance(self.values[one], Instance) for one in self.holds(base + step.into)
            ):
                for kind in (base + one for one in step.classes if one):
                    for number in self.holds(kind):
                        value = self.values[number]
                        if isinstance(value, ClassValue):
                            additions.append((base + step.into, Instance(value.owner, INFERRED)))
        receivers = self._receivers(file)
        defaults = self._uncalled_defaults(file)
        for variable, instance in additions:
            self.put(variable, instance)
        for variable, receiver in receivers:
            self.put(variable, receiver)
        for parameter, default in defaults:
            self.use_default(parameter, default)

    def _has_one_of(self, variable: int, owner: int, kind: type[Instance] | type[ClassValue]) -> bool:
        """Return whether a variable evidently holds a class or one below it, or an instance of them."""
        return any(
            isinstance(value, kind) and owner in self.order(value.owner)
            for value in (self.values[number] for number in self.holds(variable))
        )

    def _receivers(self, file: int) -> list[tuple[int, Instance | ClassValue]]:
        """Return an instance, or the class, for the first parameter of every method that nobody evidently calls."""
        found: list[tuple[int, Instance | ClassValue]] = []
        program = self.program
        for owner in program.of_kind(file, ScopeKind.CLASS):
            level = INFERRED if self.has_subclasses(owner) else EXTRACTED
            for variable in dict.fromkeys(program.members[owner].values()):
                for number in self.holds(variable):
                    function, receiver = self._method_of(number, owner, level)
                    if function < 0 or program.parent(function) != owner or not program.scopes[function].parameters:
                        continue
                    first = program.variable(function, program.scopes[function].parameters[0].variable)
                    if not self.held[first]:
                        found.append((first, receiver))
        for function in program.of_kind(file, ScopeKind.FUNCTION):
            if function not in self.work.called and program.is_method(function) and program.scopes[function].parameters:
                owner = program.parent(function)
                first = program.variable(function, program.scopes[function].parameters[0].variable)
                if not self.held[first] and program.scopes[function].name not in self._static_names(owner):
                    found.append((first, Instance(owner, INFERRED if self.has_subclasses(owner) else EXTRACTED)))
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
            if name == "__init_subclass__":
                return -1, ClassValue(owner)
            if name in ("__new__", "__class_getitem__"):
                return value.function, ClassValue(owner)
            return value.function, Instance(owner, level)
        return -1, Instance(owner, level)

    def _uncalled_defaults(self, file: int) -> list[tuple[int, int]]:
        program = self.program
        return [
            (program.variable(function, parameter.variable), program.variable(function, parameter.default))
            for function in program.of_kind(file, ScopeKind.FUNCTION, ScopeKind.LAMBDA)
            if function not in self.work.called
            for parameter in program.scopes[function].parameters
            if parameter.default
        ]
