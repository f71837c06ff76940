"""The steps of a file become flows between the program's variables."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.calls import Asking, Calls, Invocation
from pckc_domain.policy.graph.members import Reading, Setting
from pckc_domain.policy.graph.modules import File
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.values import (
    ClassValue,
    Container,
    External,
    FunctionValue,
    Instance,
    Plain,
    SuperValue,
)


class Place(NamedTuple):
    """A file and what its numbers are counted from."""

    file: int
    variables: int
    sites: int
    scopes: int

    def of(self, variable: int) -> int:
        """Return the program's number of a variable."""
        return self.variables + variable if variable else NOTHING


class Steps(Calls):
    """
    Registers every step once.

    Attributes:
        uses: Variable and site of what is mentioned and not called.
        imports: By the variable it fills: the file and the import.
        aliases: By variable: another one that holds what it is, or is a member of.
        call_sites: By site: the variable of what is called there.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.uses: list[tuple[int, int]] = []
        self.imports: dict[int, tuple[int, facts.Import]] = {}
        self.aliases: dict[int, int] = {}
        self.call_sites: dict[int, int] = {}
        self.narrowing: list[tuple[int, facts.Narrow]] = []
        self.declared: list[tuple[int, int, bool]] = []
        self.fallbacks: list[tuple[int, int, int]] = []
        self._registrars: dict[type, Callable[[Place, Any], None]] = {
            facts.Copy: self._copy_step,
            facts.Define: self._define,
            facts.Literal: self._literal,
            facts.Build: self._build,
            facts.Member: self._member,
            facts.SetMember: self._set_member,
            facts.Item: self._item,
            facts.SetItem: self._set_item,
            facts.Call: self._call_step,
            facts.New: self._new,
            facts.Super: self._super_step,
            facts.Special: self._special,
            facts.Iterate: self._iterate_step,
            facts.Enter: self._enter_step,
            facts.Await: self._await,
            facts.Raise: self._raise,
            facts.Import: self._import,
            facts.Global: self._global,
            facts.Narrow: self._narrow_step,
            facts.Declared: self._declared,
            facts.Use: self._use,
        }

    def register(self) -> None:
        """Register the steps of all files."""
        program, registrars = self.program, self._registrars
        self._collect_stored_names()
        for index, one in enumerate(program.files):
            place = Place(index, program.variable_base[index], program.site_base[index], program.scope_base[index])
            for step in one.steps:
                registrars[type(step)](place, step)

    def _collect_stored_names(self) -> None:
        """Only members that something sets by name are looked for in instances."""
        for one in self.program.files:
            texts = {step.into: step.text for step in one.steps if isinstance(step, facts.Literal) and step.text}
            for step in one.steps:
                if isinstance(step, facts.SetMember):
                    self.stored_names.add(step.name)
                elif (
                    isinstance(step, facts.Call) and one.sites[step.site].text == "setattr" and len(step.arguments) > 1
                ):
                    self.stored_names.add(texts.get(step.arguments[1][1], ""))
        for scope in self.program.scopes:
            self.stored_names.update(scope.fields)

    def _copy_step(self, at: Place, step: facts.Copy) -> None:
        if step.source:
            into, source = at.variables + step.into, at.variables + step.source
            self.join(source, into)
            self.aliases.setdefault(into, source)

    def _define(self, at: Place, step: facts.Define) -> None:
        scope = at.scopes + step.scope
        is_function = self.program.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
        self.put(at.of(step.into), FunctionValue(scope) if is_function else ClassValue(scope))

    def _literal(self, at: Place, step: facts.Literal) -> None:
        self.put(at.of(step.into), Plain(step.type))
        if step.text:
            self.texts[at.of(step.into)] = step.text

    def _build(self, at: Place, step: facts.Build) -> None:
        number = self.number(Container(step.type, at.of(step.into)))
        self.give(at.of(step.into), number)
        for key, variable in step.items:
            self.store(number, key, at.of(variable))
        for spread in step.spreads:
            if spread:
                self.listen(at.of(spread), self.widen, number)

    def _member(self, at: Place, step: facts.Member) -> None:
        into, owner = at.variables + step.into, at.variables + step.owner
        self.listen(owner, self.read_member, Reading(into, step.name, at.sites + step.site))
        self.aliases.setdefault(into, owner)

    def _set_member(self, at: Place, step: facts.SetMember) -> None:
        self.listen(at.of(step.owner), self.set_member, Setting(step.name, at.of(step.value), at.sites + step.site))

    def _item(self, at: Place, step: facts.Item) -> None:
        self.listen(at.of(step.owner), self.item, (at.of(step.into), step.key, at.sites + step.site))

    def _set_item(self, at: Place, step: facts.SetItem) -> None:
        self.listen(at.of(step.owner), self.set_item, (step.key, at.of(step.value), at.sites + step.site))

    def _call_step(self, at: Place, step: facts.Call) -> None:
        into, callee, fallback = at.of(step.into), at.of(step.callee), at.of(step.fallback)
        self.call_sites[at.sites + step.site] = callee
        if fallback:
            self.fallbacks.append((callee, fallback, into))
            given = self.variable()
            self.listen(given, self.decorate, (into, fallback))
            into = given
        if callee:
            arguments = tuple([(name, at.of(variable)) for name, variable in step.arguments])
            self.listen(callee, self.invoke, Invocation(into, arguments, at.sites + step.site, fallback))

    def _new(self, at: Place, step: facts.New) -> None:
        self.call_sites[at.sites + step.site] = at.of(step.callee)
        if step.callee:
            arguments = tuple([(name, at.of(variable)) for name, variable in step.arguments])
            data = Invocation(at.of(step.into), arguments, at.sites + step.site, NOTHING)
            self.listen(at.of(step.callee), self.construct, data)

    def _super_step(self, at: Place, step: facts.Super) -> None:
        if step.receiver:
            self.listen(at.of(step.receiver), self._give_super, (at.of(step.into), at.scopes + step.scope))

    def _give_super(self, number: int, data: tuple[int, int]) -> None:
        into, owner = data
        if isinstance(self.values[number], Instance | ClassValue):
            self.put(into, SuperValue(owner, number))

    def _special(self, at: Place, step: facts.Special) -> None:
        if step.owner:
            arguments = tuple([at.of(one) for one in step.arguments])
            asking = Asking(at.of(step.into), NOTHING, step.names, arguments, step.reflected, at.sites + step.site)
            self.listen(at.of(step.owner), self.ask, asking)

    def _iterate_step(self, at: Place, step: facts.Iterate) -> None:
        self.listen(at.of(step.source), self.iterate, (at.of(step.into), step.position, at.sites + step.site))

    def _enter_step(self, at: Place, step: facts.Enter) -> None:
        if step.source:
            self.listen(at.of(step.source), self.enter, (at.of(step.into), step.is_async, at.sites + step.site))

    def _await(self, at: Place, step: facts.Await) -> None:
        if step.source:
            self.listen(at.of(step.source), self.wait, (at.of(step.into), at.sites + step.site))

    def _raise(self, at: Place, step: facts.Raise) -> None:
        self.listen(at.of(step.source), self.throw, at.sites + step.site)

    def _narrow_step(self, at: Place, step: facts.Narrow) -> None:
        self.narrowing.append((at.variables, step))

    def _declared(self, at: Place, step: facts.Declared) -> None:
        self.declared.append((at.of(step.into), at.of(step.type), step.is_class))

    def _use(self, at: Place, step: facts.Use) -> None:
        self.uses.append((at.of(step.variable), at.sites + step.site))

    # Imports

    def _import(self, at: Place, step: facts.Import) -> None:
        into, modules = at.of(step.into), self.program.modules
        found = modules.find(self.program.files[at.file].path, step.module, step.level)
        self.imports[into] = (at.file, step)
        if found is None:
            name = f"{step.module}.{step.name}" if step.name else step.module
            self.put(into, External(f".{name}" if step.level else name))
        elif not step.name:
            self.put(into, self.module_value(found))
        elif isinstance(found, File) and not self._is_own_name(at, into, step, found):
            self.read_of_module(self.program.index[found.path], step.name, into, -1)
        elif (inner := modules.inside(found, step.name)) is not None:
            self.put(into, self.module_value(inner))

    def _is_own_name(self, at: Place, into: int, step: facts.Import, found: File) -> bool:
        """Return whether a package imports one of its modules under its name: its member is that import itself."""
        return found.path == self.program.files[at.file].path and self.program.members[at.scopes].get(step.name) == into

    def _global(self, at: Place, step: facts.Global) -> None:
        """A name that the file does not bind: star imports may, or someone from outside, or it is built in."""
        into = at.of(step.into)
        if not self.read_of_module(at.file, step.name, into, -1) and step.name in self.program.family.builtins:
            self.put(into, External(f"builtins.{step.name}"))
