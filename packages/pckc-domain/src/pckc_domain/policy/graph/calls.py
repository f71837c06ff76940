"""Calls: arguments flow to parameters, results flow back, and each gives an edge."""

from typing import NamedTuple

from pckc_domain.model.code_facts import FIRST_PARAMETER, NOTHING, ParameterKind, ScopeKind
from pckc_domain.policy.graph.members import Arguments, level_of
from pckc_domain.policy.graph.specials import Asking, Specials
from pckc_domain.policy.graph.values import (
    EXTRACTED,
    Bound,
    ClassValue,
    Container,
    ContainerMethod,
    Coroutine,
    External,
    FunctionValue,
    Generated,
    Instance,
    Maker,
    Mark,
    ModuleValue,
    Partial,
    Plain,
    Property,
    PropertyPart,
    Same,
    Static,
    Value,
)
from pckc_domain.policy.graph.world import CALLED

_GENERATED_FIELDS = ("__post_init__", "__attrs_post_init__")


class Invocation(NamedTuple):
    """``into = …(arguments)`` at a site."""

    into: int
    arguments: Arguments
    site: int
    fallback: int


class Calls(Specials):
    """Answers what a call does, by the value that is called."""

    def apply_model(self, name: str, data: Invocation) -> bool:
        """Do what the external function *name* is known to do; a library knows."""
        raise NotImplementedError

    def call_container(self, number: int, name: str, data: Invocation) -> None:
        """Call a method of a container; a library knows them."""
        raise NotImplementedError

    # Calls

    def decorate(self, number: int, data: tuple[int, int]) -> None:
        """
        Let *into* hold what a decorator gives for what *subject* holds.

        A decorator that returns what it is given has seen other functions and classes too: of those that stand on their
        own only the subject can come out; and what decorates a class gives a class.
        """
        into, subject = data
        value = self.values[number]
        is_class = any(isinstance(self.values[one], ClassValue) for one in self.holds(subject))
        if is_class and not isinstance(value, ClassValue):
            return
        if isinstance(value, FunctionValue | ClassValue) and number not in self.holds(subject):
            scope = value.function if isinstance(value, FunctionValue) else value.owner
            parent = self.program.parent(scope)
            if parent < 0 or self.program.scopes[parent].kind not in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
                return
        self.give(into, number)

    def invoke(self, number: int, data: Invocation) -> None:
        """Let a call go on with a callee."""
        self.call(number, None, data.arguments, data.into, data.site, data.fallback)

    def construct(self, number: int, data: Invocation) -> None:
        """Let ``new`` go on with a callee."""
        self.invoke(number, data)

    def call(
        self, number: int, receiver: int | None, arguments: Arguments, into: int, site: int, fallback: int = NOTHING
    ) -> None:
        """Call the value *number*, with *receiver* as first argument when there is one."""
        value = self.values[number]
        if isinstance(value, FunctionValue):
            self._link(value.function, receiver, arguments, into, site)
        elif isinstance(value, Bound):
            self.call(value.bound, value.receiver, arguments, into, site)
        elif isinstance(value, ClassValue | Maker):
            self._construct_later(number, Invocation(into, arguments, site, fallback))
        elif isinstance(value, Instance):
            self._ask_later(number, Asking(into, ("__call__",), (), "", site), arguments)
        elif isinstance(value, External):
            is_modelled = self.apply_model(value.external, Invocation(into, arguments, site, fallback))
            self.work.external.setdefault(site, value.external)
            if is_modelled:
                return
            if fallback:
                self.join(fallback, into)
            else:
                top = value.external.partition(".")[0]
                self.put(into, External(value.external if value.external.endswith(")") else f"{top}()"))
        elif isinstance(value, ContainerMethod):
            self.work.external.setdefault(site, f"builtins.{value.name}")
            self.call_container(value.container, value.name, Invocation(into, arguments, site, fallback))
        elif isinstance(value, Partial):
            if (value.partial, site) not in self.work.partial_calls:
                self.work.partial_calls.add((value.partial, site))
                first = tuple((name, self.keyed("p", value.partial, at)) for at, name in enumerate(value.names))
                callee = self.keyed("p", value.partial, -1)
                self.listen(callee, self.invoke, Invocation(into, (*first, *arguments), site, fallback))
        elif isinstance(value, PropertyPart):
            if arguments:
                owner = self.values[value.parts_of]
                if value.name != "deleter" and isinstance(owner, Property):
                    role = "t" if value.name == "setter" else "g"
                    self.join(arguments[0][1], self.keyed(role, owner.property, ""))
            self.give(into, value.parts_of)
        elif isinstance(value, Same):
            self.work.external.setdefault(site, value.same)
            if arguments:
                self.join(arguments[0][1], into)
        elif isinstance(value, Static):
            self.call(value.static, None, arguments, into, site)
        elif isinstance(value, ModuleValue | Plain | Container | Generated | Coroutine):
            return

    def edge(self, callee: int, site: int, level: int) -> None:
        """Note that a site calls a function; the surest evidence counts. Site -1 stands for no place in the text."""
        self.mark(callee, CALLED)
        if site < 0:
            return
        key = (site, callee)
        known = self.work.edges.get(key)
        if known is None or level < known:
            self.work.edges[key] = level

    def mark(self, scope: int, mark: Mark) -> None:
        """Tell a function's file something about it."""
        if self.program.file_of[scope] == self.here:
            self.take_mark(scope, mark)
        else:
            self.put(self.keyed("!", scope, ""), mark)

    def take_mark(self, scope: int, mark: Value) -> None:
        """Learn that a function of this file is called, or a parameter's default is used."""
        if mark == CALLED:
            self.work.called.add(scope)
            return
        for parameter in self.program.scopes[scope].parameters:
            if Mark(parameter.name) == mark:
                variable = self.program.variable(scope, parameter.variable)
                self.use_default(variable, self.program.variable(scope, parameter.default))

    def _link(self, scope: int, receiver: int | None, arguments: Arguments, into: int, site: int) -> None:
        program = self.program
        facts = self.facts(scope)
        level = level_of(self.values[receiver]) if receiver is not None else EXTRACTED
        self.edge(scope, site, level)
        base = program.files[program.file_of[scope]].variable_base
        parameters = facts.parameters
        filled: dict[int, int] = {}
        first = 0
        takes_first = receiver is not None and facts.receiver == FIRST_PARAMETER
        if receiver is not None and facts.receiver > NOTHING:
            self.give(base + facts.receiver, receiver)
        if receiver is not None and takes_first and parameters:
            if parameters[0].kind is ParameterKind.REST:
                self._fill_slot(self.number(self.rest_of(scope, "tuple")), 0, receiver)
            else:
                self.give(base + parameters[0].variable, receiver)
                filled[0] = NOTHING
                first = 1
        self._pass_arguments(scope, first, arguments, filled)
        has_spread = any(name in ("*", "**") for name, _ in arguments)
        for index, parameter in enumerate(parameters):
            if parameter.default and index not in filled and not has_spread:
                self.mark(scope, Mark(parameter.name))
        if not into:
            return
        if facts.is_generator:
            self.put(into, Generated(scope))
        elif facts.is_async:
            self.put(into, Coroutine(scope))
        else:
            if facts.result:
                self.join(base + facts.result, into)
            for index in facts.passes:
                if index == 0 and receiver is not None and takes_first:
                    self.give(into, receiver)
                elif index in filled:
                    self.join(filled[index], into)
                elif has_spread:
                    self._pass_spread(arguments, into)
                elif parameters[index].default:
                    self.join(base + parameters[index].default, into)

    def _pass_spread(self, arguments: Arguments, into: int) -> None:
        """Let *into* hold what any of the spread arguments may be."""
        for name, variable in arguments:
            if name in ("*", "**"):
                self.listen(variable, self._load_all, into)

    def _load_all(self, number: int, into: int) -> None:
        if isinstance(self.values[number], Container):
            self.load(number, None, into)

    def rest_of(self, scope: int, kind: str) -> Container:
        """Return the container of a function's further arguments: a tuple, or a dict of the named ones."""
        return Container(kind, self.place(scope, f"*{kind}", 0))

    def use_default(self, parameter: int, default: int) -> None:
        """Let a parameter hold its default value."""
        if parameter not in self.work.defaulted:
            self.work.defaulted.add(parameter)
            self.join(default, parameter)

    def _pass_arguments(self, scope: int, first: int, arguments: Arguments, filled: dict[int, int]) -> None:
        facts = self.program.scopes[scope]
        base = self.program.files[self.program.file_of[scope]].variable_base
        parameters = facts.parameters
        positional = [
            index
            for index, one in enumerate(parameters)
            if one.kind in (ParameterKind.POSITIONAL, ParameterKind.EITHER)
        ]
        named = {one.name: index for index, one in enumerate(parameters) if one.kind is not ParameterKind.POSITIONAL}
        rest = next((one for one in parameters if one.kind is ParameterKind.REST), None)
        named_rest = next((one for one in parameters if one.kind is ParameterKind.NAMED_REST), None)
        position = first
        is_method = facts.receiver == FIRST_PARAMETER and self.program.is_method(scope)
        owner = self.program.parent(scope) if first == 0 and is_method else -1
        for name, argument in arguments:
            if name == "":
                if position < len(positional):
                    index = positional[position]
                    if index == 0 and owner >= 0:
                        self.listen(argument, self._give_self, (base + parameters[0].variable, owner))
                    else:
                        self.join(argument, base + parameters[index].variable)
                    filled[index] = argument
                elif rest is not None:
                    slot = position - len(positional)
                    self.store(self.number(self.rest_of(scope, "tuple")), slot, argument)
                position += 1
            elif name == "*":
                self.listen(argument, self._spread, (scope, position))
            elif name == "**":
                self.listen(argument, self._spread_named, scope)
            elif name in named and parameters[named[name]].kind not in (ParameterKind.REST, ParameterKind.NAMED_REST):
                index = named[name]
                self.join(argument, base + parameters[index].variable)
                filled[index] = argument
            elif named_rest is not None:
                self.store(self.number(self.rest_of(scope, "dict")), name, argument)

    def _give_self(self, number: int, data: tuple[int, int]) -> None:
        """The first argument of a method called as a function is of its class, whatever else the variable may hold."""
        parameter, owner = data
        value = self.values[number]
        if not isinstance(value, Instance) or not self.is_linearized or owner in self.order(value.owner):
            self.give(parameter, number)

    def _spread(self, number: int, data: tuple[int, int]) -> None:
        """Spread ``*argument`` over the parameters from a position on."""
        scope, position = data
        if not isinstance(self.values[number], Container):
            return
        self._watch(number, self._spread_slot, (scope, position))

    def _spread_slot(self, key: object, variable: int, data: tuple[int, int]) -> None:
        scope, position = data
        facts = self.program.scopes[scope]
        base = self.program.files[self.program.file_of[scope]].variable_base
        positional = [one for one in facts.parameters if one.kind in (ParameterKind.POSITIONAL, ParameterKind.EITHER)]
        rest = next((one for one in facts.parameters if one.kind is ParameterKind.REST), None)
        if isinstance(key, int) and key >= 0:
            index = position + key
            if index < len(positional):
                self.join(variable, base + positional[index].variable)
            elif rest is not None:
                self.store(self.number(self.rest_of(scope, "tuple")), index - len(positional), variable)
            return
        for one in positional[position:]:
            self.join(variable, base + one.variable)
        if rest is not None:
            self.store(self.number(self.rest_of(scope, "tuple")), None, variable)

    def _spread_named(self, number: int, scope: int) -> None:
        if isinstance(self.values[number], Container):
            self._watch(number, self._spread_named_slot, scope)

    def _spread_named_slot(self, key: object, variable: int, scope: int) -> None:
        facts = self.program.scopes[scope]
        base = self.program.files[self.program.file_of[scope]].variable_base
        named_rest = next((one for one in facts.parameters if one.kind is ParameterKind.NAMED_REST), None)
        for one in facts.parameters:
            if one.name == key and one.kind in (ParameterKind.EITHER, ParameterKind.KEYWORD):
                self.join(variable, base + one.variable)
                return
        if named_rest is not None:
            self.store(self.number(self.rest_of(scope, "dict")), key, variable)

    # Construction

    def _construct_later(self, number: int, data: Invocation) -> None:
        if self.is_linearized:
            self._construct(number, data)
        else:
            self.defer(self._construct, number, data)

    def _construct(self, number: int, data: Invocation) -> None:
        into, arguments, site, fallback = data
        value = self.values[number]
        if isinstance(value, Maker):
            if value.made >= 0:
                self._make(value.made, arguments, into, site)
            elif arguments:
                self.listen(arguments[0][1], self._make_of_argument, into)
            return
        assert isinstance(value, ClassValue)  # noqa: S101 - the only other kind
        if fallback and self.find_member(value.owner, "__get__"):
            self._make(value.owner, arguments, NOTHING, site)
            self.describe(value.owner, into, fallback, site)
            return
        metaclass = self.metaclass(value.owner)
        caller = self.find_member(metaclass, "__call__") if metaclass is not None else NOTHING
        if caller:
            self.listen(caller, self._call_found, (number, arguments, into, site))
        else:
            self._make(value.owner, arguments, into, site, value.level)

    def describe(self, owner: int, into: int, getter: int, site: int) -> None:
        """
        Let *into* hold a property that the descriptor class *owner* makes of what *getter* holds.

        What is read through it is what that one function gives, not what all that the class was ever given do.
        """
        place = self.place_of_site(site, "property")
        self.join(getter, self.keyed("g", place, ""))
        self.put(into, Property(place, owner))

    def _make_of_argument(self, number: int, into: int) -> None:
        value = self.values[number]
        if isinstance(value, ClassValue):
            self.put(into, Instance(value.owner, value.level))

    def _make(self, owner: int, arguments: Arguments, into: int, site: int, level: int = EXTRACTED) -> None:
        receiver = self.number(Instance(owner, level))
        if into:
            self.give(into, receiver)
        maker = self.find_member(owner, "__new__")
        if maker:
            self.listen(maker, self._call_new, (owner, arguments, into, site))
        found = self.find_member(owner, "__init__")
        if found:
            self.listen(found, self._call_found, (receiver, arguments, NOTHING, site))
            return
        self.work.instantiated[site, owner] = EXTRACTED
        self.work.external.setdefault(site, self.outer_base(owner) or "builtins.object")
        self._fill_fields(owner, arguments)
        for name in _GENERATED_FIELDS:
            if after := self.find_member(owner, name):
                self.listen(after, self._call_found, (receiver, (), NOTHING, site))

    def _call_new(self, number: int, data: tuple[int, Arguments, int, int]) -> None:
        owner, arguments, into, site = data
        self.call_bound(number, self.number(ClassValue(owner)), arguments, into, site)

    def _fill_fields(self, owner: int, arguments: Arguments) -> None:
        """A generated constructor stores its arguments in the fields."""
        fields: dict[str, None] = {}
        for one in reversed(self.order(owner)):
            fields.update(dict.fromkeys(self.program.scopes[one].fields))
        names = list(fields)
        for index, (name, variable) in enumerate(arguments):
            if name == "" and index < len(names):
                self.fill(owner, names[index], variable)
            elif name in fields:
                self.fill(owner, name, variable)
