"""The steps of a file become flows between the program's variables."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import NOTHING, CodeFacts, ParameterKind
from pckc_domain.policy.graph.calls import Calls, Invocation
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.members import Reading, Setting
from pckc_domain.policy.graph.modules import File, ModuleTable
from pckc_domain.policy.graph.program import SourceFile
from pckc_domain.policy.graph.specials import Asking
from pckc_domain.policy.graph.values import (
    ClassValue,
    Container,
    External,
    Instance,
    Plain,
    SuperValue,
)
from pckc_domain.policy.graph.world import Remembered


class Bases(NamedTuple):
    """What a file's numbers are counted from."""

    variables: int
    sites: int
    scopes: int

    def of(self, variable: int) -> int:
        """Return the program's number of a variable."""
        return self.variables + variable if variable else NOTHING


class Steps(Calls):
    """Registers the steps of a file."""

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self._registrars: dict[type, Callable[[Bases, Any], None]] = {
            facts.Copy: self._copy_step,
            facts.Define: self._define,
            facts.Literal: self._literal,
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
            facts.Fit: self._fit_step,
            facts.Declared: self._declared,
            facts.Use: self._use,
        }

    def register(self, file: int, facts_: CodeFacts) -> None:
        """Register the steps of a file."""
        self.enter_file(file)
        one = self.program.attach(file, facts_)
        self._number_sites(facts_)
        self._make_rests(one)
        at = Bases(one.variable_base, one.site_base, one.scope_base)
        registrars = self._registrars
        built: dict[int, int] = {}
        scope = 0
        for step in facts_.steps:
            if isinstance(step, facts.Build):
                ordinal = built[scope] = built.get(scope, 0) + 1
                self._build(at, step, self.place(at.scopes + scope, "", ordinal))
            else:
                site = getattr(step, "site", None)
                if site is not None:
                    scope = facts_.sites[site].scope
                registrars[type(step)](at, step)
        for star in facts_.stars:
            self.work.asked.update(f"/{name}" for name in self.program.modules.asked(one.path, star.module, star.level))

    def _number_sites(self, one: CodeFacts) -> None:
        """Number the sites of each scope: others know by that what is made there."""
        counts: dict[int, int] = {}
        for site in one.sites:
            counts[site.scope] = counts.get(site.scope, 0) + 1
            self.work.ordinals.append(counts[site.scope])

    def _make_rests(self, one: SourceFile) -> None:
        for scope, facts_ in enumerate(one.shape.scopes, start=one.scope_base):
            for parameter in facts_.parameters:
                if parameter.kind is ParameterKind.REST:
                    self.put(one.variable_base + parameter.variable, self.rest_of(scope, "tuple"))
                elif parameter.kind is ParameterKind.NAMED_REST:
                    self.put(one.variable_base + parameter.variable, self.rest_of(scope, "dict"))

    def _copy_step(self, at: Bases, step: facts.Copy) -> None:
        if step.source:
            into, source = at.variables + step.into, at.variables + step.source
            self.join(source, into)
            self.work.aliases.setdefault(into, source)

    def _define(self, at: Bases, step: facts.Define) -> None:
        self.put(at.of(step.into), self.value_of_scope(at.scopes + step.scope))

    def _literal(self, at: Bases, step: facts.Literal) -> None:
        self.put(at.of(step.into), Plain(step.type))
        if step.text:
            self.texts[at.of(step.into)] = step.text

    def _build(self, at: Bases, step: facts.Build, place: int) -> None:
        number = self.number(Container(step.type, place))
        self.give(at.of(step.into), number)
        for key, variable in step.items:
            self.store(number, key, at.of(variable))
        for spread in step.spreads:
            if spread:
                self.listen(at.of(spread), self.widen, number)

    def _member(self, at: Bases, step: facts.Member) -> None:
        into, owner = at.variables + step.into, at.variables + step.owner
        self.listen(owner, self.read_member, Reading(into, step.name, at.sites + step.site))
        self.work.aliases.setdefault(into, owner)

    def _set_member(self, at: Bases, step: facts.SetMember) -> None:
        self.listen(at.of(step.owner), self.set_member, Setting(step.name, at.of(step.value), at.sites + step.site))

    def _item(self, at: Bases, step: facts.Item) -> None:
        self.listen(at.of(step.owner), self.item, (at.of(step.into), step.key, at.sites + step.site))

    def _set_item(self, at: Bases, step: facts.SetItem) -> None:
        self.listen(at.of(step.owner), self.set_item, (step.key, at.of(step.value), at.sites + step.site))

    def _call_step(self, at: Bases, step: facts.Call) -> None:
        into, callee, fallback = at.of(step.into), at.of(step.callee), at.of(step.fallback)
        self.work.call_sites[at.sites + step.site] = callee
        if fallback:
            self.work.fallbacks.append((callee, fallback, into))
            given = self.variable()
            self.listen(given, self.decorate, (into, fallback))
            into = given
        if callee:
            arguments = tuple([(name, at.of(variable)) for name, variable in step.arguments])
            self.listen(callee, self.invoke, Invocation(into, arguments, at.sites + step.site, fallback))

    def _new(self, at: Bases, step: facts.New) -> None:
        self.work.call_sites[at.sites + step.site] = at.of(step.callee)
        if step.callee:
            arguments = tuple([(name, at.of(variable)) for name, variable in step.arguments])
            data = Invocation(at.of(step.into), arguments, at.sites + step.site, NOTHING)
            self.listen(at.of(step.callee), self.construct, data)

    def _super_step(self, at: Bases, step: facts.Super) -> None:
        if step.receiver:
            self.listen(at.of(step.receiver), self._give_super, (at.of(step.into), at.scopes + step.scope))

    def _give_super(self, number: int, data: tuple[int, int]) -> None:
        into, owner = data
        if isinstance(self.values[number], Instance | ClassValue):
            self.put(into, SuperValue(owner, number))

    def _special(self, at: Bases, step: facts.Special) -> None:
        if step.owner:
            arguments = tuple([at.of(one) for one in step.arguments])
            asking = Asking(at.of(step.into), step.names, arguments, step.reflected, at.sites + step.site)
            self.listen(at.of(step.owner), self.ask, asking)

    def _iterate_step(self, at: Bases, step: facts.Iterate) -> None:
        self.listen(at.of(step.source), self.iterate, (at.of(step.into), step.position, at.sites + step.site))

    def _enter_step(self, at: Bases, step: facts.Enter) -> None:
        if step.source:
            self.listen(at.of(step.source), self.enter, (at.of(step.into), step.is_async, at.sites + step.site))

    def _await(self, at: Bases, step: facts.Await) -> None:
        if step.source:
            self.listen(at.of(step.source), self.wait, (at.of(step.into), at.sites + step.site))

    def _raise(self, at: Bases, step: facts.Raise) -> None:
        self.listen(at.of(step.source), self.throw, at.sites + step.site)

    def _narrow_step(self, _: Bases, step: facts.Narrow) -> None:
        self.work.narrowing.append(step)

    def _fit_step(self, at: Bases, step: facts.Fit) -> None:
        data = (at.of(step.into), tuple([at.of(one) for one in step.classes]))
        self.listen(at.of(step.source), self._fit, data)

    def _fit(self, number: int, data: tuple[int, tuple[int, ...]]) -> None:
        """Let *into* hold a value unless it is an instance of a class that none of *classes* is, or may be, above."""
        into, classes = data
        value = self.values[number]
        if isinstance(value, Instance):
            if not self.is_linearized:
                self.defer(self._fit, number, data)
                return
            if not self._may_be_one_of(value.owner, classes):
                return
        self.give(into, number)

    def _may_be_one_of(self, owner: int, classes: tuple[int, ...]) -> bool:
        if self.outer_base(owner):
            return True
        order = self.order(owner)
        for variable in classes:
            held = [self.values[number] for number in self.holds(variable)]
            if not held:
                return True
            for kind in held:
                if not isinstance(kind, ClassValue) or kind.owner in order or self.outer_base(kind.owner):
                    return True
        return False

    def _declared(self, at: Bases, step: facts.Declared) -> None:
        self.work.declared.append((at.of(step.into), at.of(step.type), step.is_class))

    def _use(self, at: Bases, step: facts.Use) -> None:
        self.work.uses.append((at.of(step.variable), at.sites + step.site))

    # Imports

    def _import(self, at: Bases, step: facts.Import) -> None:
        into = at.of(step.into)
        path = self.program.files[self.here].path
        found = self.program.find(path, step.module, step.level)
        self.work.asked.update(f"/{name}" for name in self.program.modules.asked(path, step.module, step.level))
        self.work.imports[into] = step
        if found is None:
            name = f"{step.module}.{step.name}" if step.name else step.module
            self.put(into, External(f".{name}" if step.level else name))
        elif not step.name:
            self.put(into, self.module_value(found))
        elif isinstance(found, File) and not self._is_own_name(into, step, found):
            file = self.program.file(found.path)
            if file is not None:
                self.read_of_module(file, step.name, into, -1)
        elif (inner := self.inside(found, step.name)) is not None:
            self.put(into, self.module_value(inner))

    def _is_own_name(self, into: int, step: facts.Import, found: File) -> bool:
        """Return whether a package imports one of its modules under its name: its member is that import itself."""
        one = self.program.files[self.here]
        return found.path == one.path and self.program.members[one.scope_base].get(step.name) == into

    def _global(self, at: Bases, step: facts.Global) -> None:
        """A name that the file does not bind: star imports may, or someone from outside, or it is built in."""
        into = at.of(step.into)
        if not self.read_of_module(self.here, step.name, into, -1) and step.name in self.program.family.builtins:
            self.put(into, External(f"builtins.{step.name}"))
