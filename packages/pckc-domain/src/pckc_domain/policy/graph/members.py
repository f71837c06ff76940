"""Reading and setting members of modules, classes and instances."""

from typing import NamedTuple

from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.flow import Flow
from pckc_domain.policy.graph.modules import File, Folder
from pckc_domain.policy.graph.program import Program
from pckc_domain.policy.graph.values import (
    AMBIGUOUS,
    EXTRACTED,
    INFERRED,
    Bound,
    ClassMethod,
    ClassValue,
    Container,
    ContainerMethod,
    Coroutine,
    External,
    FolderValue,
    FunctionValue,
    Generated,
    Instance,
    Maker,
    ModuleValue,
    Partial,
    Plain,
    Property,
    PropertyPart,
    Static,
    SuperValue,
    Value,
)

MAX_OVERRIDES = 20
"""A call on a declared type may mean its method in so many subclasses; with more it stays unresolved."""

MAX_DOTS = 6
"""An external name is not followed deeper: a chain such as ``node = node.parent`` has no end."""

Arguments = tuple[tuple[str, int], ...]


class Reading(NamedTuple):
    """``into = owner.name`` at a site."""

    into: int
    name: str
    site: int


class Setting(NamedTuple):
    """``owner.name = value`` at a site."""

    name: str
    value: int
    site: int


class Binding(NamedTuple):
    """A member found in a class goes *into* a variable, read through *receiver*."""

    into: int
    receiver: int
    site: int


class Members(Flow):
    """Answers what a member is, by the value that owns it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program.variables)
        self.program = program
        self.orders: dict[int, list[int]] = {}
        self.is_open: set[int] = set()
        self.outer_bases: dict[int, str] = {}
        self.subclasses: dict[int, list[int]] = {}
        self.is_linearized = False
        self.stored_names: set[str] = set()
        self.metaclasses: dict[int, int] = {}
        self.property_getters: dict[int, int] = {}
        self.property_setters: dict[int, int] = {}
        self.descriptors: dict[int, int] = {}
        self._deferred: list[tuple[object, int, object]] = []
        self._cells: dict[tuple[str, int, str], int] = {}
        self._extra_module_members: list[dict[str, int]] = [{} for _ in program.files]
        self.scope_of_site: list[int] = [
            program.scope_base[index] + site.scope for index, facts in enumerate(program.files) for site in facts.sites
        ]

    # What the parts below need of each other

    def call(self, callee: int, receiver: int | None, arguments: Arguments, into: int, site: int) -> None:
        """Call the value numbered *callee*; `Calls` says how."""
        raise NotImplementedError

    # Reading

    def read_member(self, number: int, reading: Reading) -> None:
        """Let *reading* go on with an owner."""
        value = self.values[number]
        into, name = reading.into, reading.name
        if isinstance(value, Instance):
            if self.is_linearized:
                self._read_of_instance(number, value, reading)
            else:
                self._deferred.append((self.read_member, number, reading))
        elif isinstance(value, ModuleValue):
            self.read_of_module(value.file, name, into, reading.site)
        elif isinstance(value, ClassValue):
            self._read_of_class(number, value, reading)
        elif isinstance(value, SuperValue):
            if self.is_linearized:
                self._read_of_super(value, reading)
            else:
                self._deferred.append((self.read_member, number, reading))
        elif isinstance(value, External):
            self.put(into, self.outside(value.external, name))
        elif isinstance(value, FolderValue):
            found = self.program.modules.inside(Folder(value.path), name)
            if found is not None:
                self.put(into, self.module_value(found))
        elif isinstance(value, Container):
            self.put(into, ContainerMethod(number, name))
        elif isinstance(value, Property):
            self.put(into, PropertyPart(number, name))
        elif isinstance(value, FunctionValue):
            if name in self.stored_names:
                self.join(self._cell("function", value.function, name), into)
        elif isinstance(value, Bound):
            if name == "__func__":
                self.give(into, value.bound)
            elif name == "__self__":
                self.give(into, value.receiver)
        elif isinstance(value, Plain):
            self.put(into, External(f"builtins.{value.type}.{name}"))
        elif isinstance(value, Generated | Coroutine):
            self.put(into, External(f"generator.{name}"))

    def outside(self, owner: str, name: str) -> External:
        """Return a member of something external; of what an external call gave only the call is known."""
        is_known = not owner.endswith(")") and owner.count(".") < MAX_DOTS
        return External(f"{owner}.{name}" if is_known else owner)

    def read_of_module(self, file: int, name: str, into: int, site: int, seen: frozenset[int] = frozenset()) -> bool:
        """Let *into* hold member *name* of a module; return whether there is one."""
        program = self.program
        scope = program.scope_base[file]
        variable = program.members[scope].get(name) or self._extra_module_members[file].get(name)
        if variable is None and name in self.stored_names:
            variable = self._extra_module_members[file][name] = self.variable()
            self.join(variable, into)
            variable = None
        if variable:
            self.join(variable, into)
            return True
        for star in reversed(program.files[file].stars):
            found = program.modules.find(program.files[file].path, star.module, star.level)
            if not isinstance(found, File):
                continue
            other = program.index[found.path]
            if (
                other not in seen
                and self._is_public(other, name)
                and self.read_of_module(other, name, into, site, seen | {file})
            ):
                return True
        inner = program.modules.inside(File(program.files[file].path), name)
        if inner is not None:
            self.put(into, self.module_value(inner))
            return True
        getter = program.members[scope].get("__getattr__")
        if getter and site >= 0 and not seen:
            self.listen(getter, self._call_getter, Binding(into, -1, site))
            return True
        return False

    def module_value(self, found: File | Folder) -> Value:
        """Return the value of a module."""
        return ModuleValue(self.program.index[found.path]) if isinstance(found, File) else FolderValue(found.path)

    def _is_public(self, file: int, name: str) -> bool:
        exports = self.program.files[file].exports
        return name in exports if exports is not None else not name.startswith("_")

    def _read_of_class(self, number: int, value: ClassValue, reading: Reading) -> None:
        own = self.program.members[value.owner].get(reading.name)
        if not self.is_linearized:
            if own:
                self.listen(own, self._bind, Binding(reading.into, number, reading.site))
                self._deferred.append((self._read_enum_member, number, reading))
            else:
                self._deferred.append((self.read_member, number, reading))
            return
        binding = Binding(reading.into, number, reading.site)
        found = self.find_member(value.owner, reading.name)
        if reading.name in self.stored_names:
            for one in self.orders[value.owner]:
                self.join(self._cell("class", one, reading.name), reading.into)
        if self.is_enum_member(value.owner, reading.name):
            self.put(reading.into, Instance(value.owner, value.level))
            return
        if found:
            self.listen(found, self._bind, binding)
            return
        metaclass = self.metaclasses.get(value.owner)
        if metaclass is not None and (found := self.find_member(metaclass, reading.name)):
            self.listen(found, self._bind_to_receiver, binding)
        elif value.owner in self.is_open:
            self.put(reading.into, External(f"{self.outer_bases.get(value.owner, '?')}.{reading.name}"))

    def _read_enum_member(self, number: int, reading: Reading) -> None:
        value = self.values[number]
        if isinstance(value, ClassValue) and self.is_enum_member(value.owner, reading.name):
            self.put(reading.into, Instance(value.owner, value.level))

    def is_enum_member(self, owner: int, name: str) -> bool:
        """Return whether *name* is a member of an enumeration: an instance, whatever is assigned to it."""
        if not self.outer_bases.get(owner, "").startswith("enum."):
            return False
        return not name.startswith("_") and any(one.name == name for one in self.program.scopes[owner].declared)

    def _read_of_instance(self, number: int, value: Instance, reading: Reading) -> None:
        order = self.orders[value.owner]
        name, into = reading.name, reading.into
        found = self.find_member(value.owner, name)
        if name in self.stored_names:
            for one in order:
                self.join(self._cell("instance", one, name), into)
                self.join(self._cell("class", one, name), into)
        if name == "__class__":
            self.put(into, ClassValue(value.owner))
        if found:
            if value.level == EXTRACTED or not self._read_overrides(value, reading, found):
                self.listen(found, self._bind, Binding(into, number, reading.site))
            return
        if value.level != EXTRACTED and self._read_overrides(value, reading, NOTHING):
            return
        if name in self.stored_names and any(self.held[self._cell("instance", one, name)] for one in order):
            return
        getter = self.find_member(value.owner, "__getattr__")
        if getter and not name.startswith("__"):
            self.listen(getter, self._call_getter, Binding(into, number, reading.site))
        elif value.owner in self.is_open:
            self.put(into, External(f"{self.outer_bases.get(value.owner, '?')}.{name}"))

    def _read_overrides(self, value: Instance, reading: Reading, found: int) -> bool:
        """
        Read a member of a declared type's subclasses too; return whether its own is out of the question.

        It is where it is there to be overridden, even when nothing in the repository does.
        """
        overriding = [one for one in self._below(value.owner) if reading.name in self.program.members[one]]
        is_abstract = self._is_abstract(found) if found else bool(overriding)
        if not overriding or len(overriding) > MAX_OVERRIDES:
            return is_abstract and bool(found)
        level = INFERRED if is_abstract and len(overriding) == 1 else AMBIGUOUS
        for one in overriding:
            member = self.program.members[one][reading.name]
            receiver = self.number(Instance(one, max(level, value.level)))
            self.listen(member, self._bind, Binding(reading.into, receiver, reading.site))
        return is_abstract

    def _is_abstract(self, member: int) -> bool:
        functions = [self.values[number] for number in self.holds(member)]
        return bool(functions) and all(
            isinstance(one, FunctionValue) and self.program.scopes[one.function].is_abstract for one in functions
        )

    def _below(self, owner: int) -> list[int]:
        found: dict[int, None] = {}
        stack = list(self.subclasses.get(owner, ()))
        while stack:
            one = stack.pop()
            if one not in found:
                found[one] = None
                stack.extend(self.subclasses.get(one, ()))
        return sorted(found)

    def _read_of_super(self, value: SuperValue, reading: Reading) -> None:
        receiver = self.values[value.receiver]
        order: list[int] = []
        if isinstance(receiver, Instance | ClassValue):
            order = self.orders[receiver.owner]
            if value.super_of not in order and receiver.owner in self.metaclasses:
                order = self.orders[self.metaclasses[receiver.owner]]
        if value.super_of not in order:
            order = self.orders[value.super_of]
        for one in order[order.index(value.super_of) + 1 :]:
            member = self.program.members[one].get(reading.name)
            if member:
                self.listen(member, self._bind_of_super, Binding(reading.into, value.receiver, reading.site))
                return
        if reading.name == "__new__":
            self.put(reading.into, Maker(-1))
        elif reading.name == "__call__" and isinstance(receiver, ClassValue):
            self.put(reading.into, Maker(receiver.owner))
        else:
            self.put(
                reading.into, External(f"{self.outer_bases.get(value.super_of, 'builtins.object')}.{reading.name}")
            )

    def find_member(self, owner: int, name: str) -> int:
        """Return the variable of the first member *name* among a class and its ancestors; nothing without one."""
        members = self.program.members
        for one in self.orders[owner]:
            variable = members[one].get(name)
            if variable:
                return variable
        return NOTHING

    # Binding

    def _bind(self, number: int, binding: Binding) -> None:
        """A class holds a member, and it is read through an instance or the class."""
        value = self.values[number]
        receiver = self.values[binding.receiver]
        if isinstance(value, Static):
            self.give(binding.into, value.static)
        elif isinstance(value, ClassMethod):
            owner = receiver.owner if isinstance(receiver, Instance | ClassValue) else -1
            self.put(binding.into, Bound(value.inner, self.number(ClassValue(owner))))
        elif isinstance(receiver, ClassValue):
            if isinstance(value, Instance) and self._is_descriptor(value):
                self._call_special(number, value, "__get__", binding)
            else:
                self.give(binding.into, number)
        elif isinstance(value, FunctionValue):
            self.put(binding.into, Bound(number, binding.receiver))
        elif isinstance(value, Property):
            descriptor = self.descriptors.get(number)
            if descriptor is not None:
                member = self.find_member(descriptor, "__get__")
                self.listen(member, self._call_descriptor, binding)
                binding = binding._replace(site=-1)
            self.listen(self.property_getters[number], self._call_getter, binding)
        elif isinstance(value, Instance) and self._is_descriptor(value):
            self._call_special(number, value, "__get__", binding)
        else:
            self.give(binding.into, number)

    def _call_descriptor(self, number: int, binding: Binding) -> None:
        value = self.values[number]
        if isinstance(value, FunctionValue):
            self.edge(value.function, binding.site, EXTRACTED)

    def edge(self, callee: int, site: int, level: int) -> None:
        """Note that a site calls a function; `Calls` keeps them."""
        raise NotImplementedError

    def _bind_to_receiver(self, number: int, binding: Binding) -> None:
        if isinstance(self.values[number], FunctionValue):
            self.put(binding.into, Bound(number, binding.receiver))
        else:
            self._bind(number, binding)

    def _bind_of_super(self, number: int, binding: Binding) -> None:
        """Found past ``super()``: a function of a class that is no class method takes the class as its instance."""
        value = self.values[number]
        receiver = self.values[binding.receiver]
        is_new = isinstance(value, FunctionValue) and self.program.scopes[value.function].name == "__new__"
        if isinstance(receiver, ClassValue) and isinstance(value, FunctionValue) and not is_new:
            self.put(binding.into, Bound(number, binding.receiver))
        elif is_new:
            self.give(binding.into, number)
        else:
            self._bind(number, binding)

    def _is_descriptor(self, value: Instance) -> bool:
        return self.is_linearized and bool(self.find_member(value.owner, "__get__"))

    def _call_special(self, number: int, value: Instance, name: str, binding: Binding) -> None:
        arguments = []
        for one in (binding.receiver, None):
            variable = self.variable()
            if one is not None:
                self.give(variable, one)
            arguments.append(("", variable))
        member = self.find_member(value.owner, name)
        self.listen(member, self._call_found, (number, tuple(arguments), binding.into, binding.site))

    def _call_found(self, number: int, data: tuple[int, Arguments, int, int]) -> None:
        receiver, arguments, into, site = data
        self.call_bound(number, receiver, arguments, into, site)

    def call_bound(self, number: int, receiver: int, arguments: Arguments, into: int, site: int) -> None:
        """Call a member of a class on *receiver*."""
        value = self.values[number]
        if isinstance(value, FunctionValue):
            self.call(number, receiver, arguments, into, site)
        elif isinstance(value, Static):
            self.call(value.static, None, arguments, into, site)
        elif isinstance(value, ClassMethod):
            owner = self.values[receiver]
            if isinstance(owner, Instance | ClassValue):
                self.call(value.inner, self.number(ClassValue(owner.owner)), arguments, into, site)
        else:
            self.call(number, None, arguments, into, site)

    def _call_getter(self, number: int, binding: Binding) -> None:
        if isinstance(self.values[number], FunctionValue):
            receiver = binding.receiver if binding.receiver >= 0 else None
            self.call(number, receiver, (), binding.into, binding.site)

    # Setting

    def set_member(self, number: int, setting: Setting) -> None:
        """Let *setting* go on with an owner."""
        value = self.values[number]
        name = setting.name
        if isinstance(value, Instance):
            if not self.is_linearized:
                self._deferred.append((self.set_member, number, setting))
                return
            found = self.find_member(value.owner, name)
            if found:
                self.listen(found, self._set_property, (number, setting))
            setter = self.find_member(value.owner, "__setattr__")
            if setter:
                arguments = (("", NOTHING), ("", setting.value))
                self.listen(setter, self._call_found, (number, arguments, NOTHING, setting.site))
            self.join(setting.value, self._cell("instance", value.owner, name))
        elif isinstance(value, ClassValue):
            self.join(setting.value, self._cell("class", value.owner, name))
        elif isinstance(value, FunctionValue):
            self.join(setting.value, self._cell("function", value.function, name))
        elif isinstance(value, ModuleValue):
            members = self.program.members[self.program.scope_base[value.file]]
            variable = members.get(name)
            if variable is None:
                extra = self._extra_module_members[value.file]
                variable = extra.get(name) or extra.setdefault(name, self.variable())
            self.join(setting.value, variable)

    def _set_property(self, number: int, data: tuple[int, Setting]) -> None:
        receiver, setting = data
        value = self.values[number]
        if isinstance(value, Property):
            self.listen(
                self.property_setters[number],
                self._call_found,
                (receiver, (("", setting.value),), NOTHING, setting.site),
            )
        elif isinstance(value, Instance) and (setter := self.find_member(value.owner, "__set__")):
            owner = self.variable()
            self.give(owner, receiver)
            arguments = (("", owner), ("", setting.value))
            self.listen(setter, self._call_found, (number, arguments, NOTHING, setting.site))

    def fill(self, owner: int, name: str, source: int) -> None:
        """Let the attribute *name* of a class's instances hold what *source* holds."""
        self.stored_names.add(name)
        self.join(source, self._cell("instance", owner, name))

    def _cell(self, kind: str, owner: int, name: str) -> int:
        key = (kind, owner, name)
        variable = self._cells.get(key)
        if variable is None:
            variable = self._cells[key] = self.variable()
        return variable

    def go_on(self) -> None:
        """Take up what waited for the order of classes."""
        waiting, self._deferred = self._deferred, []
        for handler, number, data in waiting:
            handler(number, data)  # type: ignore[operator]  # each is one of the methods above

    def defer(self, handler: object, number: int, data: object) -> None:
        """Wait for the order of classes."""
        self._deferred.append((handler, number, data))


def level_of(value: Value) -> int:
    """Return how sure a receiver is."""
    return value.level if isinstance(value, Instance) else EXTRACTED


__all__ = ["Arguments", "Members", "Partial", "Reading", "ScopeKind", "Setting", "level_of"]
