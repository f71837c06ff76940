"""
Resolution: from the facts of all files to who calls whom.

The work has stages, each to its fixpoint, since a later one rests on what an earlier one could not tell:

1. values flow, but classes are not searched yet;
2. base classes are known: members are found in method resolution order, and checks of type narrow;
3. decorators of unknown meaning are taken to return what they decorate;
4. where nothing says what a value is, its annotation does, and methods nobody calls have an instance of their class.
"""

import builtins

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.calls import Asking, Invocation
from pckc_domain.policy.graph.hierarchy import linearize
from pckc_domain.policy.graph.library import Library
from pckc_domain.policy.graph.members import Reading, Setting
from pckc_domain.policy.graph.modules import File
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.values import (
    EXTRACTED,
    INFERRED,
    ClassMethod,
    ClassValue,
    Container,
    External,
    FolderValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Plain,
    Static,
)

_BUILTINS = frozenset(dir(builtins))
_CONTAINERS = {"builtins.list": "list", "builtins.tuple": "tuple", "builtins.dict": "dict", "builtins.set": "set"}


class Linker(Library):
    """Links a program; read `edges` and the other results after `link`."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.uses: list[tuple[int, int]] = []
        self.imports: dict[int, tuple[int, facts.Import]] = {}
        self.aliases: dict[int, int] = {}
        self.call_sites: dict[int, int] = {}
        self._narrowing: list[tuple[int, facts.Narrow]] = []
        self._declared: list[tuple[int, int, bool]] = []
        self._fallbacks: list[tuple[int, int, int]] = []

    def link(self) -> None:
        """Run all stages."""
        self._collect_stored_names()
        for index, one in enumerate(self.program.files):
            self._register(index, one)
        self.run()
        self._linearize()
        for base, narrow in self._narrowing:
            self.listen(base + narrow.source, self._narrow, (base, narrow))
        self.is_linearized = True
        self.go_on()
        self.run()
        self._use_fallbacks()
        self._find_late_bases()
        self._use_declarations()
        self.run()
        self._use_fallbacks()

    # Stage 1

    def _collect_stored_names(self) -> None:
        for one in self.program.files:
            texts = {step.into: step.text for step in one.steps if type(step) is facts.Literal and step.text}
            for step in one.steps:
                if type(step) is facts.SetMember:
                    self.stored_names.add(step.name)
                elif type(step) is facts.Call and len(step.arguments) > 2:  # noqa: PLR2004 - as setattr has
                    name = texts.get(step.arguments[1][1])
                    if name is not None and one.sites[step.site].text == "setattr":
                        self.stored_names.add(name)
        for scope in self.program.scopes:
            self.stored_names.update(scope.fields)

    def _register(self, index: int, one: facts.CodeFacts) -> None:
        program = self.program
        b, s, scopes = program.variable_base[index], program.site_base[index], program.scope_base[index]
        listen = self.listen
        for step in one.steps:
            kind = type(step)
            if kind is facts.Copy:
                if step[1]:
                    self.join(b + step[1], b + step[0])
                    self.aliases.setdefault(b + step[0], b + step[1])
            elif kind is facts.Member:
                reading = Reading(b + step.into, step.name, s + step.site)
                listen(b + step.owner, self.read_member, reading)
                self.aliases.setdefault(b + step.into, b + step.owner)
            elif kind is facts.Call:
                arguments = tuple([(name, b + variable if variable else 0) for name, variable in step.arguments])
                fallback = b + step.fallback if step.fallback else NOTHING
                into = b + step.into
                if fallback:
                    into = self.variable()
                    self.listen(into, self.decorate, (b + step.into, fallback))
                invocation = Invocation(into, arguments, s + step.site, fallback)
                callee = b + step.callee if step.callee else NOTHING
                self.call_sites[s + step.site] = callee
                if callee:
                    listen(callee, self.invoke, invocation)
                if fallback:
                    self._fallbacks.append((callee, fallback, b + step.into))
            elif kind is facts.Use:
                self.uses.append((b + step.variable, s + step.site))
            elif kind is facts.Define:
                scope = scopes + step.scope
                is_class = program.scopes[scope].kind is ScopeKind.CLASS
                self.put(b + step.into, ClassValue(scope) if is_class else FunctionValue(scope))
            elif kind is facts.Special:
                arguments_ = tuple(b + one if one else 0 for one in step.arguments)
                into = b + step.into
                asking = Asking(into, NOTHING, step.names, arguments_, step.reflected, s + step.site)
                if step.owner:
                    listen(b + step.owner, self.ask, asking)
            elif kind is facts.SetMember:
                value = b + step.value if step.value else NOTHING
                listen(b + step.owner, self.set_member, Setting(step.name, value, s + step.site))
            elif kind is facts.Import:
                self._import(index, b + step.into, step)
            elif kind is facts.Item:
                listen(b + step.owner, self.item, (b + step.into, step.key, s + step.site))
            elif kind is facts.SetItem:
                value = b + step.value if step.value else NOTHING
                listen(b + step.owner, self.set_item, (step.key, value, s + step.site))
            elif kind is facts.Build:
                self._build(b, step)
            elif kind is facts.Iterate:
                listen(b + step.source, self.iterate, (b + step.into, step.index, s + step.site))
            elif kind is facts.Literal:
                self.put(b + step.into, Plain(step.type))
                if step.text:
                    self.texts[b + step.into] = step.text
            elif kind is facts.Declared:
                self._declared.append((b + step.into, b + step.type, step.is_class))
            elif kind is facts.Enter:
                if step.source:
                    listen(b + step.source, self.enter, (b + step.into, step.is_async, s + step.site))
            elif kind is facts.Await:
                if step.source:
                    listen(b + step.source, self.wait, (b + step.into, s + step.site))
            elif kind is facts.Raise:
                listen(b + step.source, self.throw, s + step.site)
            elif kind is facts.Global:
                self._global(index, b + step.into, step.name)
            elif kind is facts.Narrow:
                self._narrowing.append((b, step))

    def _build(self, base: int, step: facts.Build) -> None:
        number = self.number(Container(step.type, base + step.into))
        self.give(base + step.into, number)
        for key, variable in step.items:
            self.store(number, key, base + variable)
        for spread in step.spreads:
            if spread:
                self.listen(base + spread, self._widen, number)

    def _import(self, index: int, into: int, step: facts.Import) -> None:
        found = self.program.modules.find(index, step.module, step.level)
        self.imports[into] = (index, step)
        if found is None:
            name = f"{step.module}.{step.name}" if step.name else step.module
            self.put(into, External(name if not step.level else f".{name}"))
        elif not step.name:
            self.put(into, ModuleValue(found.index) if isinstance(found, File) else FolderValue(found.path))
        elif isinstance(found, File):
            if found.index == index and not self.program.members[self.program.scope_base[index]].get(step.name) == into:
                self.read_of_module(index, step.name, into, -1)
            elif found.index == index:
                inner = self.program.modules.inside(found, step.name)
                if isinstance(inner, File):
                    self.put(into, ModuleValue(inner.index))
            else:
                self.read_of_module(found.index, step.name, into, -1)
        else:
            inner = self.program.modules.inside(found, step.name)
            if isinstance(inner, File):
                self.put(into, ModuleValue(inner.index))
            elif inner is not None:
                self.put(into, FolderValue(inner.path))

    def _global(self, index: int, into: int, name: str) -> None:
        """A name that the file does not bind: star imports may, or someone from outside, or it is built in."""
        if not self.read_of_module(index, name, into, -1) and name in _BUILTINS:
            self.put(into, External(f"builtins.{name}"))

    # Stage 2

    def _linearize(self) -> None:
        bases: dict[int, list[int]] = {}
        for scope in self.program.of_kind(ScopeKind.CLASS):
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
            hook = next((self.program.members[one].get("__init_subclass__") for one in order[1:] if
                         self.program.members[one].get("__init_subclass__")), None)  # fmt: skip
            if hook:
                self.listen(hook, self._call_hook, scope)

    def _call_hook(self, number: int, scope: int) -> None:
        value = self.values[number]
        inner = value.inner if isinstance(value, ClassMethod) else number
        site = self._site_of_definition(scope)
        if site >= 0:
            self.call(inner, self.number(ClassValue(scope)), (), NOTHING, site)

    def _site_of_definition(self, scope: int) -> int:
        """Return a site for a class statement: the first one inside its line span that stands in the scope around."""
        return self.definition_sites.setdefault(scope, self._new_site(scope))

    @property
    def definition_sites(self) -> dict[int, int]:
        """Sites made for class statements, by scope."""
        known: dict[int, int] = self.__dict__.setdefault("_definition_sites", {})
        return known

    def _new_site(self, scope: int) -> int:
        program = self.program
        around = program.parent(scope)
        one = program.scopes[scope]
        local = around - program.scope_base[program.file_of[scope]]
        program.sites.append(facts.Site(local, one.start_line, 0, one.start_line, 0, one.name))
        self.scope_of_site.append(around)
        return len(program.sites) - 1

    def _find_late_bases(self) -> None:
        """A base class may come out of a call; members read meanwhile are read again."""
        late = {
            scope
            for scope in self.program.of_kind(ScopeKind.CLASS)
            if self.outer_bases.get(scope) == "?" and self.bases_of(scope) != self.orders[scope][1:2]
        }
        if late:
            bases = {scope: self.bases_of(scope) for scope in self.program.of_kind(ScopeKind.CLASS)}
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
        for callee, fallback, into in self._fallbacks:
            if not callee or not self.holds(callee):
                self.join(fallback, into)
        self.run()

    def _use_declarations(self) -> None:
        additions: list[tuple[int, Instance | ClassValue]] = []
        for into, kind, is_class in self._declared:
            promised = ClassValue if is_class else Instance
            for number in self.holds(kind):
                value = self.values[number]
                if isinstance(value, ClassValue) and not self._has_one_of(into, value.owner, promised):
                    additions.append((into, promised(value.owner, INFERRED)))
        for base, step in self._narrowing:
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

    def _receivers(self) -> "list[tuple[int, Instance | ClassValue]]":
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

    def _uncalled_defaults(self) -> "list[tuple[int, int]]":
        program = self.program
        return [
            (program.variable(function, parameter.variable), program.variable(function, parameter.default))
            for function in program.of_kind(ScopeKind.FUNCTION, ScopeKind.LAMBDA)
            if function not in self.called
            for parameter in program.scopes[function].parameters
            if parameter.default
        ]
