"""What the language calls by itself, on the type of a value; and the slots of containers, which it reads instead."""

from typing import Any, NamedTuple

from pckc_domain.model.code_facts import NOTHING
from pckc_domain.policy.graph.members import Arguments, Members
from pckc_domain.policy.graph.values import (
    ClassValue,
    Container,
    Coroutine,
    External,
    Generated,
    Instance,
    Plain,
    Slot,
)

_SELF_LIKE = frozenset(("__add__", "__iadd__", "__or__", "__ior__", "__mul__", "__getitem__", "__sub__", "__and__"))
_INHERITED = frozenset(("__contains__", "__str__", "__format__"))
"""Classes outside of the program tend to have these, so what is asked for in their place is not asked for."""

MAX_SLOTS = 64
"""Slots of a container that are told apart; it also ends the recursion of a function that adds to its ``*args``."""


class Asking(NamedTuple):
    """The language calls one of *names* on the type of an owner, or *reflected* of the first argument."""

    into: int
    names: tuple[str, ...]
    arguments: tuple[int, ...]
    reflected: str
    site: int


class Specials(Members):
    """Answers what operators, loops, ``with``, ``await`` and subscripts do."""

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
        if asking.site >= 0:
            self.work.outside.add(asking.site)
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
            if not member and name in _INHERITED and not self._is_bare(value.owner):
                break
            if member:
                given = () if name == "__iter__" else arguments
                self.listen(member, self._call_found, (number, given, asking.into, asking.site))
                return
        if asking.reflected and asking.arguments:
            self.listen(asking.arguments[0], self._reflect, (number, asking))

    def _is_bare(self, owner: int) -> bool:
        """Return whether a class has nothing from outside of the program but what every class has."""
        outer = self.outer_base(owner)
        return not outer or outer.startswith(("abc.", "typing.", "builtins.object"))

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
        self._ask_later(number, Asking(into, (name,), (), "", site), ())

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
            self._ask_later(number, Asking(NOTHING, (name,), (), "", site), ending)
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
            self._ask_later(number, Asking(into, ("__getitem__",), (), "", site), (("", NOTHING),))
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
            self._ask_later(number, Asking(NOTHING, ("__setitem__",), (), "", site), arguments)
