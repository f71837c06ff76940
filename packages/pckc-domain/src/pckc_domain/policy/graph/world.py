"""
Variables and values of other files: by which names files know them, and what of them is remembered.

A *name* is the same in every run as long as the text it stands for is the same: it is made of a path, a scope's key and
what the thing is to that scope. Numbers are those of one run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import attrs

from pckc_domain.model.code_facts import NOTHING, Import, Narrow, ScopeFacts
from pckc_domain.policy.graph import values as v
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.flow import Flow
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.shapes import Constant, Shape

Name = tuple[Any, ...]
"""What a variable is in its file: a role, a scope's key, and more as the role needs."""

ValueName = tuple[Any, ...]
Times = Mapping[ValueName, int]
"""When each value came."""

CALLED = v.Mark("")
"""A function is called; other marks name a parameter whose default is used."""


class Place(NamedTuple):
    """Where something is made: the *ordinal*-th site or container of a scope; *tag* tells several there apart."""

    scope: int
    tag: str
    ordinal: int


@attrs.define
class FileWork:
    """
    What one file has found out.

    Attributes:
        edges: How sure each call is, by site and function.
        external: What is called outside of the program, by site.
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


class World(Flow):
    """
    Knows variables of all files by name, and plays the parts of files that are not worked on.

    Attributes:
        works: What the files that are worked on have found out.
        work: That of the file `here`.
        is_live: By file: whether it is worked on, or was, in this run.
        with_tests: Whether tests are worked on now: what is no test is final then, and takes nothing any more.
    """

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__()
        self.remembered = remembered
        self.program = Program(family, modules, remembered.shape, self.add_file)
        self.works: dict[int, FileWork] = {}
        self.work = FileWork()
        self.with_tests = False
        self.texts: dict[int, str] = {}
        self.played: dict[int, list[tuple[int, list[int]]]] = {}
        self.places: list[Place] = []
        self._place_numbers: dict[Place, int] = {}
        self._keyed: dict[tuple[Any, ...], int] = {}
        self._key_of: dict[int, tuple[Any, ...]] = {}
        self._keyed_in: dict[int, list[int]] = {}
        self._own_names: dict[int, dict[int, list[Name]]] = {}
        self._own_targets: dict[int, dict[int, Name]] = {}
        self._constants: dict[int, tuple[int | None, tuple[str, ...]]] = {}
        self._sort_keys: dict[int, str] = {}
        self._encoded: dict[int, ValueName] = {}

    def forget_ways(self) -> None:
        """Look anew for what variables of other files evidently hold: tests are seen now, or no more."""
        self._constants.clear()

    def enter_file(self, file: int) -> None:
        """Work on a file from now on."""
        self.here = file
        self.work = self.works[file]

    # Places and variables that have a name but no number in the facts

    def place(self, scope: int, tag: str, ordinal: int) -> int:
        """Return the number of a place."""
        key = Place(scope, tag, ordinal)
        known = self._place_numbers.get(key)
        if known is None:
            known = self._place_numbers[key] = len(self.places)
            self.places.append(key)
        return known

    def place_of_site(self, site: int, tag: str) -> int:
        """Return the place where a call of this file makes something; a hidden site is one below 0."""
        site = ~site if site < 0 else site
        base = self.program.files[self.here].site_base
        scope = self.program.scope_of_site[site]
        known = site - base
        ordinal = self.work.ordinals[known] if known < len(self.work.ordinals) else 0
        return self.place(scope, tag, ordinal)

    def keyed(self, role: str, owner: int, key: object) -> int:
        """Return the variable that is *role* and *key* to a scope, or with a role of places to a place."""
        full = (role, owner, type(key), key)
        known = self._keyed.get(full)
        if known is None:
            scope = self.places[owner].scope if role in _OF_PLACES else owner
            home = self.program.file_of[scope]
            known = self._keyed[full] = self.variable(home)
            self._key_of[known] = full
            self._keyed_in.setdefault(home, []).append(known)
        return known

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

    # Names of variables

    def names(self, variable: int) -> list[Name]:
        """Return the names by which a variable is read in its file; parameters are only given something."""
        key = self._key_of.get(variable)
        if key is None:
            return self._names_of(self.home[variable]).get(variable, [])
        return [self.target_name(variable)]

    def target_name(self, variable: int) -> Name:
        """Return the name by which a variable is given something by other files."""
        key = self._key_of.get(variable)
        if key is None:
            return self._target_names_of(self.home[variable])[variable]
        role, owner, _, rest = key
        if role in _OF_PLACES:
            place = self.places[owner]
            return (role, self.program.key(place.scope), place.tag, place.ordinal, rest)
        return (role, self.program.key(owner), rest)

    def asked_names(self, variable: int) -> list[str]:
        """Return the texts by which a variable of another file is asked for."""
        path = self.program.files[self.home[variable]].path
        return [asked_name(path, name) for name in self.names(variable)]

    def _names_of(self, file: int) -> dict[int, list[Name]]:
        known = self._own_names.get(file)
        if known is None:
            known = self._own_names[file] = {}
            one = self.program.files[file]
            base = one.variable_base
            for facts, key in zip(one.shape.scopes, one.shape.keys, strict=True):
                names: list[tuple[int, Name]] = [(facts.result, ("R", key)), (facts.yields, ("Y", key))]
                names += [(variable, ("m", key, name)) for name, variable in facts.members]
                names += [(variable, ("x", key, name)) for name, variable in facts.statics]
                names += [(parameter.default, ("D", key, parameter.name)) for parameter in facts.parameters]
                for variable, name in names:
                    if variable:
                        known.setdefault(base + variable, []).append(name)
        return known

    def _target_names_of(self, file: int) -> dict[int, Name]:
        known = self._own_targets.get(file)
        if known is None:
            known = self._own_targets[file] = {}
            one = self.program.files[file]
            for facts, key in zip(one.shape.scopes, one.shape.keys, strict=True):
                for parameter in facts.parameters:
                    known.setdefault(one.variable_base + parameter.variable, ("P", key, parameter.name))
                if facts.receiver > NOTHING:
                    known.setdefault(one.variable_base + facts.receiver, ("T", key))
        return known

    def target(self, path: str, name: Name) -> int | None:
        """Return the variable that is given something by *name* in the file at *path*."""
        role, key, *rest = name
        scope = self.program.scope(path, key)
        if scope is None:
            return None
        facts = self.program.scopes[scope]
        if role == "P":
            local = next((one.variable for one in facts.parameters if one.name == rest[0]), NOTHING)
        elif role == "T":
            local = facts.receiver
        elif role in _OF_PLACES:
            return self.keyed(role, self.place(scope, rest[0], rest[1]), rest[2])
        else:
            return self.keyed(role, scope, rest[0])
        return self.program.variable(scope, local) if local > NOTHING else None

    def tape_of(self, file: int) -> dict[Name, dict[ValueName, int]]:
        """Return what this file's variables came to hold that others can read."""
        tape = {}
        for variable, names in self._names_of(file).items():
            if self.held[variable]:
                is_constant = self._is_constant(variable)
                for name in names:
                    if name[0] not in "mx" or not is_constant:
                        tape[name] = self._times(variable)
        for variable in self._keyed_in.get(file, ()):
            if self._key_of[variable][0] != "!" and self.held[variable]:
                tape[self.target_name(variable)] = self._times(variable)
        return tape

    def settle_all(self) -> None:
        """Keep only what other files can read: all files are solved."""
        readable = {variable for names in self._own_names.values() for variable in names}
        self.settle(readable.union(*self._keyed_in.values()))
        self._encoded.clear()
        self._sort_keys.clear()

    def _times(self, variable: int) -> dict[ValueName, int]:
        return {self.encode(number): time for number, time in (self.held[variable] or {}).items()}

    def _is_constant(self, variable: int) -> bool:
        one = self.program.files[self.home[variable]]
        return one.shape.constants.get(variable - one.variable_base, "i")[0] != "i"

    # Names of values

    def encode(self, number: int) -> ValueName:
        """Return the name of a value."""
        known = self._encoded.get(number)
        if known is None:
            value = self.values[number]
            parts = (self._part(field, part) for field, part in zip(value._fields, value, strict=True))
            known = self._encoded[number] = (type(value).__name__, *parts)
        return known

    def _part(self, field: str, part: Any) -> Any:
        if field in _SCOPES:
            if part < 0:
                return None
            return (self.program.files[self.program.file_of[part]].path, self.program.key(part))
        if field == "file":
            return self.program.files[part].path
        if field in _NUMBERS:
            return self.encode(part)
        if field in _PLACES:
            place = self.places[part]
            path = self.program.files[self.program.file_of[place.scope]].path
            return (path, self.program.key(place.scope), place.tag, place.ordinal)
        return part

    def decode(self, name: ValueName) -> int | None:
        """Return the number of the value with a name; ``None`` when what it is made of is no more."""
        kind = _TYPES[name[0]]
        parts = []
        for field, part in zip(kind._fields, name[1:], strict=True):
            found = self._found_part(field, part)
            if found is None and field != "slot":
                return None
            parts.append(found)
        return self.number(kind(*parts))

    def _found_part(self, field: str, part: Any) -> Any:
        if field in _SCOPES:
            return -1 if part is None else self.program.scope(*part)
        if field == "file":
            return self.program.file(part)
        if field in _NUMBERS:
            return self.decode(part)
        if field in _PLACES:
            path, key, tag, ordinal = part
            scope = self.program.scope(path, key)
            return None if scope is None else self.place(scope, tag, ordinal)
        return part


def asked_name(path: str, name: Name) -> str:
    """Return the text by which the variable with *name* of the file at *path* is asked for."""
    return f"{path}{' '.join(map(str, name))}"


_LONGEST_WAY = 12
_OF_PLACES = frozenset("sSgtp")
_SCOPES = frozenset(("function", "owner", "super_of", "prototype", "generator", "coroutine", "made", "descriptor"))
_NUMBERS = frozenset(("bound", "receiver", "container", "static", "inner", "parts_of"))
_PLACES = frozenset(("place", "partial", "property"))
_TYPES: Mapping[str, Any] = {
    kind.__name__: kind
    for kind in (
        v.FunctionValue, v.ClassValue, v.Instance, v.ModuleValue, v.FolderValue, v.Bound, v.Container,
        v.ContainerMethod, v.Prototype, v.SuperValue, v.Partial, v.Generated, v.Coroutine, v.Property, v.PropertyPart,
        v.Static,
        v.ClassMethod, v.Maker, v.Same, v.External, v.Plain, v.Slot, v.Mark,
    )
}  # fmt: skip
