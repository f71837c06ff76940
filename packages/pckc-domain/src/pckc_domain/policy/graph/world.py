"""What files know of each other while they are worked on, and of those that are not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import attrs

from pckc_domain.model.code_facts import NOTHING, Import, Narrow, ScopeFacts
from pckc_domain.policy.graph import values as v
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.naming import Name, Naming, Times, asked_name
from pckc_domain.policy.graph.shapes import Constant, Shape

CALLED = v.Mark("")
"""A function is called; other marks name a parameter whose default is used."""

_LONGEST_WAY = 12
"""So many files are gone through to find what a variable evidently holds."""


@attrs.define
class FileWork:
    """
    What one file has found out.

    Attributes:
        edges: How sure each call is, by site and function.
        external: What is called outside of the program, by site.
        outside: Sites at which the language may call something outside of the program.
        instantiated: Sites at which a class without a constructor of its own is called, with the class.
        called: Its functions that something calls.
        uses: Variable and site of what is mentioned and not called.
        imports: Imports, by the variable they fill.
        aliases: By variable: another one that holds what it is, or is a member of.
        call_sites: By site: the variable of what is called there.
        deferred: What waits for the order of classes.
        asked_scopes: Scopes of other files that it looked at.
        asked: Texts by which it asked for other things.
    """

    edges: dict[tuple[int, int], int] = attrs.Factory(dict)
    external: dict[int, str] = attrs.Factory(dict)
    outside: set[int] = attrs.Factory(set)
    instantiated: dict[tuple[int, int], int] = attrs.Factory(dict)
    called: set[int] = attrs.Factory(set)
    uses: list[tuple[int, int]] = attrs.Factory(list)
    imports: dict[int, Import] = attrs.Factory(dict)
    aliases: dict[int, int] = attrs.Factory(dict)
    call_sites: dict[int, int] = attrs.Factory(dict)
    narrowing: list[Narrow] = attrs.Factory(list)
    declared: list[tuple[int, int, bool]] = attrs.Factory(list)
    fallbacks: list[tuple[int, int, int]] = attrs.Factory(list)
    deferred: list[tuple[Callable[[int, Any], None], tuple[int, Any]]] = attrs.Factory(list)
    defaulted: set[int] = attrs.Factory(set)
    partial_calls: set[tuple[int, int]] = attrs.Factory(set)
    definition_sites: dict[int, int] = attrs.Factory(dict)
    orders: dict[int, list[int]] = attrs.Factory(dict)
    found: dict[tuple[int, str], int] = attrs.Factory(dict)
    attributes: dict[tuple[int, str], int] = attrs.Factory(dict)
    ordinals: list[int] = attrs.Factory(list)
    asked_scopes: set[int] = attrs.Factory(set)
    asked: set[str] = attrs.Factory(set)


class Remembered(Protocol):
    """What is known of files that are not worked on."""

    def shape(self, path: str, /) -> Shape | None:
        """Return what can be seen of a file; ``None`` when there is no such file."""

    def tape(self, path: str, /) -> Mapping[Name, Times]:
        """Return what the file's variables came to hold."""

    def stores(self, name: str, /, *, with_tests: bool) -> bool:
        """Return whether a file sets an attribute *name*."""

    def subclasses(self, id: str, /) -> Iterable[str]:
        """Return the paths of files with classes right below the class with this node id."""

    def defined(self, name: str, /) -> Sequence[str]:
        """Return the node ids of the functions and classes with a name, tests left out."""


class World(Naming):
    """
    Knows variables of all files by name, and plays the parts of files that are not worked on.

    Attributes:
        works: What the files that are worked on have found out.
        work: That of the file `here`.
        is_live: By file: whether it is worked on, or was, in this run.
        with_tests: Whether tests are worked on now: what is no test is final then, and takes nothing any more.
    """

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered.shape)
        self.remembered = remembered
        self.works: dict[int, FileWork] = {}
        self.work = FileWork()
        self.with_tests = False
        self.texts: dict[int, str] = {}
        self.played: dict[int, list[tuple[int, list[int]]]] = {}
        self._constants: dict[int, tuple[int | None, tuple[str, ...]]] = {}
        self._sort_keys: dict[int, str] = {}

    def forget_ways(self) -> None:
        """Look anew for what variables of other files evidently hold: tests are seen now, or no more."""
        self._constants.clear()

    def enter_file(self, file: int) -> None:
        """Work on a file from now on."""
        self.here = file
        self.work = self.works[file]

    def place_of_site(self, site: int, tag: str) -> int:
        """Return the place where a call of this file makes something; a hidden site is one below 0."""
        site = ~site if site < 0 else site
        base = self.program.files[self.here].site_base
        scope = self.program.scope_of_site[site]
        known = site - base
        ordinal = self.work.ordinals[known] if known < len(self.work.ordinals) else 0
        return self.place(scope, tag, ordinal)

    # Other files

    def ask_scope(self, scope: int) -> None:
        """Note that this file looks at a scope."""
        if self.program.file_of[scope] != self.here:
            self.work.asked_scopes.add(scope)

    def facts(self, scope: int) -> ScopeFacts:
        """Return what is known of a scope, which this file looks at."""
        self.ask_scope(scope)
        return self.program.scopes[scope]

    def is_frozen(self, file: int) -> bool:
        """Return whether a file is final: tests see what the code under test came to, and give it nothing."""
        return self.with_tests and not self.program.files[file].is_test

    def takes(self, file: int) -> bool:
        """Return whether a file takes what this one gives it."""
        return not self.is_frozen(file)

    def constant(self, variable: int) -> int | None:
        """Return the number of the one value that another file's variable evidently holds, which is asked for."""
        known = self._constants.get(variable)
        if known is None:
            known = self._constants[variable] = self._constant(variable)
        number, asked = known
        self.work.asked.update(asked)
        return number

    def _constant(self, variable: int) -> tuple[int | None, tuple[str, ...]]:
        """Return the value, and what was asked for on the way to it, also what is not there."""
        asked: dict[str, None] = {}
        while len(asked) < _LONGEST_WAY:
            asked.update(dict.fromkeys(self.asked_names(variable)))
            file = self.program.files[self.home[variable]]
            found = file.shape.constants.get(variable - file.variable_base)
            if found is None:
                break
            value = self._constant_value(found, file.scope_base)
            if value is not None:
                return self.number(value), tuple(asked)
            other = self.program.file(str(found[1])) if found[0] == "i" else None
            if other is None:
                break
            one = self.program.files[other]
            name = asked_name(one.path, ("m", one.shape.keys[0], found[2]))
            variable = self.program.members[one.scope_base].get(found[2], NOTHING)
            if not variable or name in asked:
                asked[name] = None
                break
        return None, tuple(asked)

    def _constant_value(self, found: Constant, scope_base: int) -> v.Value | None:
        kind, what, _ = found
        if kind == "d":
            return self.value_of_scope(scope_base + int(what))
        if kind == "x":
            return v.External(str(what))
        if kind == "m":
            file = self.program.file(str(what))
            return None if file is None else v.ModuleValue(file)
        return None

    def value_of_scope(self, scope: int) -> v.Value:
        """Return the function or class of a scope."""
        is_function = self.program.scopes[scope].kind in ("function", "lambda")
        return v.FunctionValue(scope) if is_function else v.ClassValue(scope)

    def final(self, variable: int) -> Iterable[int] | None:
        """Return what a variable of another file holds in the end, when that is known already."""
        self.work.asked.update(self.asked_names(variable))
        file = self.home[variable]
        if not self.is_frozen(file):
            return None
        if file in self.works:
            return sorted(self.holds(variable), key=self.sort_key)
        return sorted({number for number, _ in self._played(variable)}, key=self.sort_key)

    def _played(self, variable: int) -> list[tuple[int, int]]:
        """Return number and time of what a variable of a file that is not worked on holds."""
        path = self.program.files[self.home[variable]].path
        names = self.names(variable)
        times = self.remembered.tape(path).get(names[0], {}) if names else {}
        found = ((self.decode(name), time) for name, time in times.items())
        return [(number, time) for number, time in found if number is not None]

    def exchange(self) -> dict[int, dict[int, list[int]]]:
        """End a round: return by file and variable what comes in the next one."""
        inputs: dict[int, dict[int, list[int]]] = {}

        def bring(variable: int, numbers: Iterable[int]) -> None:
            inputs.setdefault(self.home[variable], {}).setdefault(variable, []).extend(numbers)

        for variable, fresh in self.changed.items():
            for proxy in self.subscribers[variable]:
                bring(proxy, fresh)
        for proxy, variable in self.started:
            if self.home[variable] in self.works:
                self.subscribers.setdefault(variable, []).append(proxy)
                bring(proxy, self.holds(variable))
                continue
            for number, time in self._played(variable):
                if time <= self.now:
                    bring(proxy, (number,))
                else:
                    self.played.setdefault(time, []).append((proxy, [number]))
        for variable, numbers in self.outbox.items():
            if self.home[variable] in self.works:
                bring(variable, numbers)
        for variable, fresh in self.played.pop(self.now, ()):
            bring(variable, fresh)
        self.changed, self.started, self.outbox = {}, [], {}
        return inputs

    def receive(self, inputs: Mapping[int, list[int]]) -> None:
        """Take what came for this file, in an order that is the same in every run."""
        for variable in sorted(inputs, key=self._order_of_variable):
            numbers = inputs[variable]
            if len(numbers) > 1:
                numbers = sorted(set(numbers), key=self.sort_key)
            self.give_all(variable, numbers)
            key = self._key_of.get(variable)
            if key is None:
                continue
            if key[0] == "!":
                for number in numbers:
                    self.take_mark(key[1], self.values[number])
            elif key[0] == "M":
                member = self.program.members[key[1]].get(key[3], NOTHING)
                if member:
                    self.give_all(member, numbers)

    def take_mark(self, scope: int, mark: v.Value) -> None:
        """Learn that a function is called, or a parameter's default is used."""
        raise NotImplementedError

    def _order_of_variable(self, variable: int) -> tuple[int, int, str]:
        if variable in self._key_of:
            return (1, 0, repr(self.target_name(variable)))
        return (0, variable, "")

    def sort_key(self, number: int) -> str:
        """Return what values are ordered by."""
        known = self._sort_keys.get(number)
        if known is None:
            known = self._sort_keys[number] = repr(self.encode(number))
        return known

    def settle_all(self) -> None:
        """Keep only what other files can read: all files are solved."""
        readable = {variable for names in self._own_names.values() for variable in names}
        self.settle(readable.union(*self._keyed_in.values()))
        self._encoded.clear()
        self._sort_keys.clear()
