"""Reading and setting members of modules, classes and instances."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pckc_domain.model.code_facts import NOTHING
from pckc_domain.policy.graph.classes import Classes
from pckc_domain.policy.graph.modules import File, Folder
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


class Members(Classes):
    """Answers what a member is, by the value that owns it."""

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
                self.defer(self.read_member, number, reading)
        elif isinstance(value, ModuleValue):
            self.read_of_module(value.file, name, into, reading.site)
        elif isinstance(value, ClassValue):
            self._read_of_class(number, value, reading)
        elif isinstance(value, SuperValue):
            if self.is_linearized:
                self._read_of_super(value, reading)
            else:
                self.defer(self.read_member, number, reading)
        elif isinstance(value, External):
            self.put(into, self.outside(value.external, name))
        elif isinstance(value, FolderValue):
            found = self.inside(Folder(value.path), name)
            if found is not None:
                self.put(into, self.module_value(found))
        elif isinstance(value, Container):
            self.put(into, ContainerMethod(number, name))
        elif isinstance(value, Property):
            self.put(into, PropertyPart(number, name))
        elif isinstance(value, FunctionValue):
            if self.is_stored(name):
                self.join(self.keyed("f", value.function, name), into)
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

    def inside(self, owner: File | Folder, name: str) -> File | Folder | None:
        """Return the module *name* of a package."""
        self.work.asked.add(f"/{name}")
        return self.program.modules.inside(owner, name)

    def read_of_module(self, file: int, name: str, into: int, site: int, seen: frozenset[int] = frozenset()) -> bool:
        """Let *into* hold member *name* of a module; return whether there is one."""
        one = self.program.files[file]
        scope = one.scope_base
        if file != self.here:
            self.work.asked.add(f"{one.path}m {one.shape.keys[0]} {name}")
        if self.is_stored(name):
            self.join(self.keyed("M", scope, name), into)
        variable = self.program.members[scope].get(name)
        if variable:
            self.join(variable, into)
            return True
        if file != self.here:
            self.work.asked.add(f"{one.path}*")
        for star in reversed(one.shape.stars):
            other = self.program.file(star)
            if (
                other is not None
                and other not in seen
                and self._is_public(other, name)
                and self.read_of_module(other, name, into, site, seen | {file})
            ):
                return True
        inner = self.inside(File(one.path), name)
        if inner is not None:
            self.put(into, self.module_value(inner))
            return True
        getter = self.program.members[scope].get("__getattr__")
        if getter and site >= 0 and not seen:
            self.listen(getter, self._call_getter, Binding(into, -1, site))
            return True
        return False

    def module_value(self, found: File | Folder) -> Value:
        """Return the value of a module."""
        file = self.program.file(found.path) if isinstance(found, File) else None
        return FolderValue(found.path) if file is None else ModuleValue(file)

    def _is_public(self, file: int, name: str) -> bool:
        if file != self.here:
            self.work.asked.add(f"{self.program.files[file].path}*")
        exports = self.program.files[file].shape.exports
        return name in exports if exports is not None else not name.startswith("_")

    def _read_of_class(self, number: int, value: ClassValue, reading: Reading) -> None:
        own = self.program.members[value.owner].get(reading.name)
        if not self.is_linearized:
            if own:
                self.listen(own, self._bind, Binding(reading.into, number, reading.site))
                self.defer(self._read_enum_member, number, reading)
            else:
                self.defer(self.read_member, number, reading)
            return
        binding = Binding(reading.into, number, reading.site)
        found = self.find_member(value.owner, reading.name)
        if self.is_stored(reading.name):
            for one in self.order(value.owner):
                self.join(self.keyed("c", one, reading.name), reading.into)
        if self.is_enum_member(value.owner, reading.name):
            self.put(reading.into, Instance(value.owner, value.level))
            return
        if found:
            self.listen(found, self._bind, binding)
            return
        metaclass = self.metaclass(value.owner)
        if metaclass is not None and (found := self.find_member(metaclass, reading.name)):
            self.listen(found, self._bind_to_receiver, binding)
        elif outer := self.outer_base(value.owner):
            self.put(reading.into, External(f"{outer}.{reading.name}"))

    def _read_enum_member(self, number: int, reading: Reading) -> None:
        value = self.values[number]
        if isinstance(value, ClassValue) and self.is_enum_member(value.owner, reading.name):
            self.put(reading.into, Instance(value.owner, value.level))

    def is_enum_member(self, owner: int, name: str) -> bool:
        """Return whether *name* is a member of an enumeration: an instance, whatever is assigned to it."""
        if not self.is_linearized or not self.outer_base(owner).startswith("enum."):
            return False
        self.ask_scope(owner)
        return not name.startswith("_") and any(one.name == name for one in self.program.scopes[owner].declared)

    def _read_of_instance(self, number: int, value: Instance, reading: Reading) -> None:
        order = self.order(value.owner)
        name, into = reading.name, reading.into
        found = self.find_member(value.owner, name)
        stored = self.stored_attribute(value.owner, name)
        self.join(stored, into)
        if name == "__class__":
            self.put(into, ClassValue(value.owner))
        if found:
            if value.level == EXTRACTED or not self._read_overrides(value, reading, found):
                self.listen(found, self._bind, Binding(into, number, reading.site))
            return
        if value.level != EXTRACTED and self._read_overrides(value, reading, NOTHING):
            return
        if stored and any(name in self.program.files[self.program.file_of[one]].shape.stores for one in order):
            return
        getter = self.find_member(value.owner, "__getattr__")
        if getter and not name.startswith("__"):
            if not any(name in self.program.scopes[one].fields for one in order):
                self.listen(getter, self._call_getter, Binding(into, number, reading.site))
        elif outer := self.outer_base(value.owner):
            self.put(into, External(f"{outer}.{name}"))

    def stored_attribute(self, owner: int, name: str) -> int:
        """Return what something stored as an attribute of an instance, of its class or of one above; or nothing."""
        known = self.work.attributes.get((owner, name))
        if known is None:
            known = self.work.attributes[owner, name] = self.variable() if self.is_stored(name) else NOTHING
            if known:
                self.join(self.keyed("i", owner, name), known)
                self.join(self.keyed("c", owner, name), known)
                for base in self.bases_of(owner):
                    self.join(self.stored_attribute(base, name), known)
        return known

    def _read_overrides(self, value: Instance, reading: Reading, found: int) -> bool:
        """
        Read a member of a declared type's subclasses too; return whether its own is out of the question.

        It is where it is there to be overridden, even when nothing in the repository does.
        """
        overriding = [one for one in self.below(value.owner) if reading.name in self.program.members[one]]
        is_abstract = self._is_abstract(value.owner, reading.name) if found else bool(overriding)
        if not overriding or len(overriding) > MAX_OVERRIDES:
            return is_abstract and bool(found)
        level = INFERRED if is_abstract and len(overriding) == 1 else AMBIGUOUS
        for one in overriding:
            member = self.program.members[one][reading.name]
            receiver = self.number(Instance(one, max(level, value.level)))
            self.listen(member, self._bind, Binding(reading.into, receiver, reading.site))
        return is_abstract

    def _is_abstract(self, owner: int, name: str) -> bool:
        """Return whether the member that a class has or inherits is a function that is there to be overridden."""
        for one in self.order(owner):
            if name in self.program.members[one]:
                function = self.function_in(one, name)
                return function >= 0 and self.program.scopes[function].is_abstract
        return False

    def _read_of_super(self, value: SuperValue, reading: Reading) -> None:
        receiver = self.values[value.receiver]
        order: list[int] = []
        if isinstance(receiver, Instance | ClassValue):
            order = self.order(receiver.owner)
            metaclass = self.metaclass(receiver.owner)
            if value.super_of not in order and metaclass is not None:
                order = self.order(metaclass)
        if value.super_of not in order:
            order = self.order(value.super_of)
        self.work.asked.add(f".{reading.name}")
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
            self.put(reading.into, External(f"{self.outer_base(value.super_of) or 'builtins.object'}.{reading.name}"))

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
            if value.descriptor >= 0:
                member = self.find_member(value.descriptor, "__get__")
                self.listen(member, self._call_descriptor, binding)
                binding = binding._replace(site=-1)
            self.listen(self.keyed("g", value.property, ""), self._call_getter, binding)
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
        is_new = isinstance(value, FunctionValue) and self.facts(value.function).name == "__new__"
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
                self.defer(self.set_member, number, setting)
                return
            found = self.find_member(value.owner, name)
            if found:
                self.listen(found, self._set_property, (number, setting))
            setter = self.find_member(value.owner, "__setattr__")
            if setter:
                arguments = (("", NOTHING), ("", setting.value))
                self.listen(setter, self._call_found, (number, arguments, NOTHING, setting.site))
            self.join(setting.value, self.keyed("i", value.owner, name))
        elif isinstance(value, ClassValue):
            self.join(setting.value, self.keyed("c", value.owner, name))
        elif isinstance(value, FunctionValue):
            self.join(setting.value, self.keyed("f", value.function, name))
        elif isinstance(value, ModuleValue):
            scope = self.program.files[value.file].scope_base
            self.join(setting.value, self.keyed("M", scope, name))
            if value.file == self.here:
                self.join(setting.value, self.program.members[scope].get(name, NOTHING))

    def _set_property(self, number: int, data: tuple[int, Setting]) -> None:
        receiver, setting = data
        value = self.values[number]
        if isinstance(value, Property):
            self.listen(
                self.keyed("t", value.property, ""),
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
        self.join(source, self.keyed("i", owner, name))

    def go_on(self) -> None:
        """Take up what waited for the order of classes."""
        waiting, self.work.deferred = self.work.deferred, []
        for call, data in waiting:
            call(*data)

    def defer(self, handler: Callable[[int, Any], None], number: int, data: object) -> None:
        """Wait for the order of classes."""
        self.work.deferred.append((handler, (number, data)))


def level_of(value: Value) -> int:
    """Return how sure a receiver is."""
    return value.level if isinstance(value, Instance) else EXTRACTED
