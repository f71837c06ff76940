"""Calls: arguments flow to parameters, results flow back, and each gives an edge."""

from typing import Any, NamedTuple

from pckc_domain.model.code_facts import FIRST_PARAMETER, NOTHING, ParameterKind, ScopeKind
from pckc_domain.policy.graph.members import Arguments, Members, level_of
from pckc_domain.policy.graph.values import (
    AMBIGUOUS,
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
    Slot,
    Static,
    Value,
)
from pckc_domain.policy.graph.world import CALLED

_GENERATED_FIELDS = ("__post_init__", "__attrs_post_init__")
_SELF_LIKE = frozenset(("__add__", "__iadd__", "__or__", "__ior__", "__mul__", "__getitem__", "__sub__", "__and__"))


MAX_SLOTS = 64
"""Slots of a container that are told apart; it also ends the recursion of a function that adds to its ``*args``."""


class Invocation(NamedTuple):
    """``into = …(arguments)`` at a site."""

    into: int
    arguments: Arguments
    site: int
    fallback: int


class Asking(NamedTuple):
    """The language calls one of *names* on the type of an owner, or *reflected* of the first argument."""

    into: int
    owner: int
    names: tuple[str, ...]
    arguments: tuple[int, ...]
    reflected: str
    site: int


class Calls(Members):
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
            self._ask_later(number, Asking(into, NOTHING, ("__call__",), (), "", site), arguments)
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

    # What the language calls

    def ask(self, number: int, asking: Asking) -> None:
        """Let a special method call go on with an owner."""
        self._ask_later(number, asking, tuple(("", one) for one in asking.arguments))

    def _ask_later(self, number: int, asking: Asking, arguments: Arguments) -> None:
        value = self.values[number]
        if isinstance(value, Instance):
            if self.is_linearized:
                self._ask(number, (asking, arguments))
            else:
                self.defer(self._ask, number, (asking, arguments))
            return
        if isinstance(value, Container) and asking.names[-1] in _SELF_LIKE:
            self.give(asking.into, number)
            if asking.arguments:
                self.join(asking.arguments[0], asking.into)
        elif isinstance(value, Plain):
            self.give(asking.into, number)
        if asking.reflected and asking.arguments:
            self.listen(asking.arguments[0], self._reflect, (number, asking))

    def _ask(self, number: int, data: tuple[Asking, Arguments]) -> None:
        asking, arguments = data
        value = self.values[number]
        assert isinstance(value, Instance)  # noqa: S101 - nothing else is deferred
        for name in asking.names:
            member = self.find_member(value.owner, name)
            if member:
                given = () if name == "__iter__" else arguments
                self.listen(member, self._call_found, (number, given, asking.into, asking.site))
                return
        if asking.reflected and asking.arguments:
            self.listen(asking.arguments[0], self._reflect, (number, asking))

    def _reflect(self, number: int, data: tuple[int, Asking]) -> None:
        left, asking = data
        value = self.values[number]
        if not isinstance(value, Instance):
            return
        if not self.is_linearized:
            self.defer(self._reflect, number, data)
            return
        if member := self.find_member(value.owner, asking.reflected):
            variable = self.variable()
            self.give(variable, left)
            self.listen(member, self._call_found, (number, (("", variable),), asking.into, asking.site))

    def ask_of(self, number: int, name: str, into: int, site: int) -> None:
        """Call the special method *name* of an instance without arguments."""
        self._ask_later(number, Asking(into, NOTHING, (name,), (), "", site), ())

    def iterate(self, number: int, data: tuple[int, int | None, int]) -> None:
        """Let an iteration go on with what is iterated."""
        into, index, site = data
        value = self.values[number]
        if isinstance(value, Container):
            if value.kind != "dict":
                self.load(number, index, into)
        elif isinstance(value, Generated):
            facts = self.facts(value.generator)
            self.join(self.program.variable(value.generator, facts.yields), into)
        elif isinstance(value, Instance):
            if not self.is_linearized:
                self.defer(self.iterate, number, data)
                return
            iterator = self.variable()
            for name in ("__iter__", "__aiter__"):
                if self.find_member(value.owner, name):
                    self.ask_of(number, name, iterator, site)
                    self.listen(iterator, self._next, (into, site))
                    return
            if self.find_member(value.owner, "__getitem__"):
                self.ask_of(number, "__getitem__", into, site)
        elif isinstance(value, ClassValue):
            if self.is_linearized and self.outer_base(value.owner).startswith("enum."):
                self.put(into, Instance(value.owner, value.level))
        elif isinstance(value, External):
            self.put(into, self.outside(value.external, "…") if value.external.endswith(")") else External("?()"))

    def _next(self, number: int, data: tuple[int, int]) -> None:
        into, site = data
        value = self.values[number]
        if isinstance(value, Instance):
            name = "__next__" if self.find_member(value.owner, "__next__") else "__anext__"
            result = self.variable()
            self.ask_of(number, name, result, site)
            self.listen(result, self.wait, (into, site))
        elif isinstance(value, Container | Generated):
            self.iterate(number, (into, None, site))

    def wait(self, number: int, data: tuple[int, int]) -> None:
        """``await`` a value; what cannot be waited for is its own result."""
        into, site = data
        value = self.values[number]
        if isinstance(value, Coroutine):
            self.join(self.program.variable(value.coroutine, self.facts(value.coroutine).result), into)
        elif isinstance(value, Generated):
            self.join(self.program.variable(value.generator, self.facts(value.generator).result), into)
        else:
            if isinstance(value, Instance):
                self.ask_of(number, "__await__", NOTHING, site)
            self.give(into, number)

    def enter(self, number: int, data: tuple[int, bool, int]) -> None:
        """Let ``with`` go on with a context manager."""
        into, is_async, site = data
        value = self.values[number]
        if isinstance(value, Generated):
            self.iterate(number, (into, None, site))
        elif isinstance(value, Instance):
            result = self.variable() if is_async else into
            self.ask_of(number, "__aenter__" if is_async else "__enter__", result, site)
            if is_async:
                self.listen(result, self.wait, (into, site))
            ending = tuple(("", NOTHING) for _ in range(3))
            name = "__aexit__" if is_async else "__exit__"
            self._ask_later(number, Asking(NOTHING, NOTHING, (name,), (), "", site), ending)
        elif isinstance(value, External):
            self.give(into, number)

    def throw(self, number: int, site: int) -> None:
        """``raise`` a class: it is called."""
        if isinstance(self.values[number], ClassValue):
            self.call(number, None, (), NOTHING, site)

    # Slots

    def store(self, container: int, key: object, variable: int) -> None:
        """Let a slot of a container hold what *variable* holds."""
        if variable:
            self.join(variable, self._slot(container, key))

    def _fill_slot(self, container: int, key: object, number: int) -> None:
        self.give(self._slot(container, key), number)

    def load(self, container: int, key: object, into: int) -> None:
        """Let *into* hold what the slot *key* may hold; every slot when the key is unknown."""
        if key is None:
            self._watch(container, self._load_slot, into)
            return
        value = self.values[container]
        assert isinstance(value, Container)  # noqa: S101 - only containers have slots
        self.join(self.keyed("s", value.place, key), into)
        self.join(self.keyed("s", value.place, None), into)

    def _load_slot(self, _: object, variable: int, into: int) -> None:
        self.join(variable, into)

    def _slot(self, container: int, key: object) -> int:
        """Return the variable of a slot, of the rest of the container where that has too many."""
        value = self.values[container]
        assert isinstance(value, Container)  # noqa: S101 - only containers have slots
        keys = self.keyed("S", value.place, "")
        slot = self.number(Slot(key))
        if key is not None and (self.home[keys] != self.here or slot not in self.holds(keys)):
            is_beyond = isinstance(key, int) and key >= MAX_SLOTS
            if is_beyond or (self.home[keys] == self.here and len(self.held[keys] or ()) >= MAX_SLOTS):
                key = None
                slot = self.number(Slot(None))
        self.give(keys, slot)
        return self.keyed("s", value.place, key)

    def _watch(self, container: int, handler: Any, data: Any) -> None:
        """Call ``handler(key, variable, data)`` for every slot, now and later."""
        value = self.values[container]
        assert isinstance(value, Container)  # noqa: S101 - only containers have slots
        self.listen(self.keyed("S", value.place, ""), self._watch_slot, (value.place, handler, data))

    def _watch_slot(self, number: int, watcher: tuple[int, Any, Any]) -> None:
        place, handler, data = watcher
        slot = self.values[number]
        if isinstance(slot, Slot):
            handler(slot.slot, self.keyed("s", place, slot.slot), data)

    def widen(self, number: int, container: int) -> None:
        """Let a container hold what another one holds, or the elements of anything else."""
        value = self.values[number]
        if isinstance(value, Container):
            self._watch(number, self.copy_slot, (container, value.kind != "dict"))
        else:
            element = self.variable()
            self.iterate(number, (element, None, -1))
            self.store(container, None, element)

    def copy_slot(self, key: object, variable: int, data: tuple[int, bool]) -> None:
        """Let a container have another one's slot, or its contents at an unknown place."""
        container, forgets_keys = data
        self.store(container, None if forgets_keys else key, variable)

    def item(self, number: int, data: tuple[int, object, int]) -> None:
        """Let ``into = owner[key]`` go on with an owner."""
        into, key, site = data
        value = self.values[number]
        if isinstance(value, Container):
            self.load(number, key, into)
        elif isinstance(value, Instance):
            self._ask_later(number, Asking(into, NOTHING, ("__getitem__",), (), "", site), (("", NOTHING),))
        elif isinstance(value, ClassValue | External):
            self.give(into, number)

    def set_item(self, number: int, data: tuple[object, int, int]) -> None:
        """Let ``owner[key] = value`` go on with an owner."""
        key, source, site = data
        value = self.values[number]
        if isinstance(value, Container):
            self.store(number, key, source)
        elif isinstance(value, Instance):
            arguments = (("", NOTHING), ("", source))
            self._ask_later(number, Asking(NOTHING, NOTHING, ("__setitem__",), (), "", site), arguments)


__all__ = ["AMBIGUOUS", "Asking", "Calls", "Invocation"]
