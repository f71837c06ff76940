"""
Names of variables and values, by which they are remembered and asked for.

A name is the same in every run as long as the text it stands for is the same: it is made of a path, a scope's key and
what the thing is to that scope. Numbers are those of one run.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pckc_domain.model.code_facts import NOTHING
from pckc_domain.policy.graph import values as v
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.flow import Flow
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.shapes import Shape

Name = tuple[Any, ...]
"""What a variable is in its file: a role, a scope's key, and more as the role needs."""

ValueName = tuple[Any, ...]
Times = Mapping[ValueName, int]
"""When each value came."""


class Place(NamedTuple):
    """Where something is made: the *ordinal*-th site or container of a scope; *tag* tells several there apart."""

    scope: int
    tag: str
    ordinal: int


class Naming(Flow):
    """
    Knows variables and values by name.

    Attributes:
        program: The files.
        places: Where things are made, by number.
    """

    def __init__(self, family: Family, modules: ModuleTable, shape_of: Callable[[str], Shape | None]) -> None:
        super().__init__()
        self.program = Program(family, modules, shape_of, self.add_file)
        self.places: list[Place] = []
        self._place_numbers: dict[Place, int] = {}
        self._keyed: dict[tuple[Any, ...], int] = {}
        self._key_of: dict[int, tuple[Any, ...]] = {}
        self._keyed_in: dict[int, list[int]] = {}
        self._own_names: dict[int, dict[int, list[Name]]] = {}
        self._own_targets: dict[int, dict[int, Name]] = {}
        self._encoded: dict[int, ValueName] = {}

    # Places and variables that have a name but no number in the facts

    def place(self, scope: int, tag: str, ordinal: int) -> int:
        """Return the number of a place."""
        key = Place(scope, tag, ordinal)
        known = self._place_numbers.get(key)
        if known is None:
            known = self._place_numbers[key] = len(self.places)
            self.places.append(key)
        return known

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
