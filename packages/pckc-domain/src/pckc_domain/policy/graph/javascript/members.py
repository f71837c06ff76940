"""Reading and setting members the way JavaScript does: objects, prototypes, accessors, static members, ``this``."""

from pckc_domain.model.code_facts import FIRST_PARAMETER, NOTHING, ScopeKind
from pckc_domain.policy.graph.calls import Calls
from pckc_domain.policy.graph.members import MAX_DOTS, Binding, Reading, Setting
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
    ModuleValue,
    Plain,
    Prototype,
    SuperValue,
    Value,
)

EXPORTS = "module.exports"
"""The export that is all that ``require`` gives."""

OBJECTS = frozenset(("object", "heir"))
"""Containers whose slots are members; an heir has those of another object too."""

ANCESTORS = "__proto__"
"""The slot of an heir with all that it inherits from."""

_OF_FUNCTIONS = frozenset(("call", "apply", "bind"))
_OF_EMITTERS = frozenset(("on", "once", "addListener", "prependListener", "off", "removeListener", "emit"))
_FUNCTIONS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)


class ScriptMembers(Calls):
    """Answers what a member is."""

    # Reading

    def read_member(self, number: int, reading: Reading) -> None:
        """Let *reading* go on with an owner."""
        value = self.values[number]
        if isinstance(value, Container):
            self._read_of_container(number, value, reading, number)
        elif isinstance(value, FunctionValue):
            self._read_of_function(number, value, reading)
        elif isinstance(value, Bound):
            if reading.name in _OF_FUNCTIONS:
                self.put(reading.into, ContainerMethod(number, reading.name))
            else:
                self.read_member(value.bound, reading)
        elif isinstance(value, Prototype):
            self._read_of_prototype(value, reading, number)
        elif isinstance(value, Generated | Coroutine):
            self.put(reading.into, ContainerMethod(number, reading.name))
        elif isinstance(value, Plain):
            if value.type:
                self.put(reading.into, External(f"builtins.{value.type}.{reading.name}"))
        elif isinstance(value, ModuleValue):
            self.read_of_module(value.file, reading.name, reading.into, reading.site)
        else:
            super().read_member(number, reading)

    def outside(self, owner: str, name: str) -> External:
        """Return a member of something external."""
        return External(f"{owner}.{name}" if owner.count(".") < MAX_DOTS else owner)

    def _read_of_container(self, number: int, value: Container, reading: Reading, receiver: int) -> None:
        if value.kind not in OBJECTS:
            self.put(reading.into, ContainerMethod(number, reading.name))
            return
        binding = Binding(reading.into, receiver, reading.site)
        self.listen(self.slot(number, reading.name), self._bind, binding)
        self.listen(self.slot(number, None), self._bind, binding)
        if value.kind == "heir":
            self.listen(self.slot(number, ANCESTORS), self._read_of_ancestor, (reading, receiver))

    def slot(self, container: int, key: object) -> int:
        """Return the variable of a slot that a container may have."""
        value = self.values[container]
        assert isinstance(value, Container)  # noqa: S101 - only containers have slots
        return self.keyed("s", value.place, key)

    def inherit(self, heir: int, parent: int) -> None:
        """Let an object have the members of what *parent* holds, and of what that inherits from."""
        self.join(parent, self.slot(heir, ANCESTORS))
        self.listen(self.slot(heir, ANCESTORS), self._inherit_further, heir)

    def _inherit_further(self, number: int, heir: int) -> None:
        value = self.values[number]
        if isinstance(value, Container) and value.kind == "heir" and number != heir:
            self.join(self.slot(number, ANCESTORS), self.slot(heir, ANCESTORS))

    def _read_of_ancestor(self, number: int, data: tuple[Reading, int]) -> None:
        reading, receiver = data
        value = self.values[number]
        if isinstance(value, Container) and value.kind in OBJECTS:
            binding = Binding(reading.into, receiver, reading.site)
            self.listen(self.slot(number, reading.name), self._bind, binding)
        elif isinstance(value, Prototype):
            self._read_of_prototype(value, reading, receiver)

    def _read_of_function(self, number: int, value: FunctionValue, reading: Reading) -> None:
        if reading.name in _OF_FUNCTIONS:
            self.put(reading.into, ContainerMethod(number, reading.name))
        elif reading.name == "prototype":
            self.put(reading.into, Prototype(value.function))
        elif self.is_stored(reading.name):
            cell = self.keyed("f", value.function, reading.name)
            self.listen(cell, self._bind, Binding(reading.into, number, reading.site))

    def _read_of_prototype(self, value: Prototype, reading: Reading, receiver: int) -> None:
        if not self.is_linearized:
            self.defer(self._read_of_ancestor, self.number(value), (reading, receiver))
            return
        binding = Binding(reading.into, receiver, reading.site)
        if reading.name == "constructor":
            self.put(reading.into, self.value_of(value.prototype))
        elif found := self.find_member(value.prototype, reading.name):
            self.listen(found, self._bind, binding)
        if self.is_stored(reading.name):
            for one in self.order(value.prototype):
                self.listen(self.keyed("o", one, reading.name), self._bind, binding)

    def value_of(self, owner: int) -> Value:
        """Return the class or constructor of a scope."""
        is_function = self.facts(owner).kind in _FUNCTIONS
        return FunctionValue(owner) if is_function else ClassValue(owner)

    def _read_of_class(self, number: int, value: ClassValue, reading: Reading) -> None:
        if reading.name == "prototype":
            self.put(reading.into, Prototype(value.owner))
            return
        if not self.is_linearized:
            self.defer(self.read_member, number, reading)
            if self.static_of(value.owner, reading.name) == NOTHING:
                return
        binding = Binding(reading.into, number, reading.site)
        order = self.order(value.owner) if self.is_linearized else [value.owner]
        if self.is_stored(reading.name):
            for one in order:
                role = "f" if self.facts(one).kind in _FUNCTIONS else "c"
                self.listen(self.keyed(role, one, reading.name), self._bind, binding)
        found = next((static for one in order if (static := self.static_of(one, reading.name))), NOTHING)
        if found:
            self.listen(found, self._bind, binding)
        elif self.is_linearized and (outer := self.outer_base(value.owner)):
            self.put(reading.into, External(f"{outer}.{reading.name}"))

    def static_of(self, owner: int, name: str) -> int:
        """Return the variable of a class's own static member."""
        self.work.asked.add(f".{name} ")
        for known, variable in self.facts(owner).statics:
            if known == name:
                return self.program.variable(owner, variable)
        return NOTHING

    def _read_of_instance(self, number: int, value: Instance, reading: Reading) -> None:
        name, into = reading.name, reading.into
        if name == "constructor":
            self.put(into, self.value_of(value.owner))
            return
        binding = Binding(into, number, reading.site)
        if self.is_stored(name):
            for one in self.order(value.owner):
                self.listen(self.keyed("i", one, name), self._bind, binding)
                self.listen(self.keyed("o", one, name), self._bind, binding)
        found = self.find_member(value.owner, name)
        if found:
            if value.level == EXTRACTED or not self._read_overrides(value, reading, found):
                self.listen(found, self._bind, binding)
        elif value.level != EXTRACTED and self._read_overrides(value, reading, NOTHING):
            return
        elif outer := self.outer_base(value.owner):
            if name in _OF_EMITTERS and (outer.startswith(("events", "node:events")) or outer.endswith("EventEmitter")):
                self.put(into, ContainerMethod(number, name))
            else:
                self.put(into, External(f"{outer}.{name}"))

    def _read_of_super(self, value: SuperValue, reading: Reading) -> None:
        receiver = self.values[value.receiver]
        order = self.order(receiver.owner) if isinstance(receiver, Instance | ClassValue) else []
        if value.super_of not in order:
            order = self.order(value.super_of)
        above = order[order.index(value.super_of) + 1 :]
        binding = Binding(reading.into, value.receiver, reading.site)
        self.work.asked.add(f".{reading.name}")
        for one in above:
            if isinstance(receiver, ClassValue):
                found = self.static_of(one, reading.name)
            elif reading.name == "constructor" and self.facts(one).kind in _FUNCTIONS:
                self.put(reading.into, Bound(self.number(FunctionValue(one)), value.receiver))
                return
            else:
                found = self.program.members[one].get(reading.name, NOTHING)
            if found:
                self.listen(found, self._bind, binding)
                return
        self.put(reading.into, External(f"{self.outer_base(value.super_of) or 'Object'}.{reading.name}"))

    def read_of_module(self, file: int, name: str, into: int, site: int, seen: frozenset[int] = frozenset()) -> bool:
        """
        Let *into* hold the export *name* of a module.

        What ``require`` gives is ``module.exports``, or the module itself when it is one of the newer kind; one of the
        older kind has what it exports as members and as default.
        """
        one = self.program.files[file]
        if file != self.here:
            self.work.asked.update(f"{one.path}m {one.shape.keys[0]} {export}" for export in (name, EXPORTS))
            self.work.asked.add(f"{one.path}*")
        members = self.program.members[one.scope_base]
        variable, exports = members.get(name, NOTHING), members.get(EXPORTS, NOTHING)
        if variable:
            self.join(variable, into)
            return True
        if name == EXPORTS:
            self.put(into, ModuleValue(file))
            return True
        if exports:
            self.listen(exports, self.read_member, Reading(into, name, site))
        if name == "default":
            self.join(exports, into)
            return bool(exports)
        for star in one.shape.stars:
            other = self.program.file(star)
            if other is None or other in seen:
                continue
            if self.read_of_module(other, name, into, site, seen | {file}):
                return True
        return bool(exports)

    def _bind(self, number: int, binding: Binding) -> None:
        """A member is read: a function takes its owner as ``this``, an accessor is called."""
        value = self.values[number]
        if isinstance(value, FunctionValue):
            is_object = not isinstance(self.values[binding.receiver], Instance)
            if is_object and self.facts(value.function).receiver in (NOTHING, FIRST_PARAMETER):
                self.give(binding.into, number)
            else:
                self.put(binding.into, Bound(number, binding.receiver))
        elif isinstance(value, Container) and value.kind == "accessor":
            self.listen(self.slot(number, "get"), self._call_getter, binding)
        else:
            self.give(binding.into, number)

    # Setting

    def set_member(self, number: int, setting: Setting) -> None:
        """Let *setting* go on with an owner."""
        value = self.values[number]
        if isinstance(value, Instance):
            if not self.is_linearized:
                self.defer(self.set_member, number, setting)
                return
            found = self.find_member(value.owner, setting.name)
            if found:
                self.listen(found, self._set_property, (number, setting))
            self.join(setting.value, self.keyed("i", value.owner, setting.name))
        elif isinstance(value, ClassValue):
            if found := self.static_of(value.owner, setting.name):
                self.listen(found, self._set_property, (number, setting))
            self.join(setting.value, self.keyed("c", value.owner, setting.name))
        elif isinstance(value, FunctionValue):
            self.join(setting.value, self.keyed("f", value.function, setting.name))
        elif isinstance(value, Prototype):
            self.join(setting.value, self.keyed("o", value.prototype, setting.name))
        elif isinstance(value, Container) and value.kind in OBJECTS:
            self.listen(self.slot(number, setting.name), self._set_property, (number, setting))
            self.store(number, setting.name, setting.value)

    def _set_property(self, number: int, data: tuple[int, Setting]) -> None:
        receiver, setting = data
        value = self.values[number]
        if isinstance(value, Container) and value.kind == "accessor":
            arguments = (("", setting.value),)
            self.listen(self.slot(number, "set"), self._call_found, (receiver, arguments, NOTHING, setting.site))

    # Items

    def item(self, number: int, data: tuple[int, object, int]) -> None:
        """Let ``into = owner[key]`` go on with an owner."""
        into, key, site = data
        value = self.values[number]
        if isinstance(value, Container) and value.kind in OBJECTS:
            self._watch(number, self._bind_slot, Binding(into, number, site))
        elif isinstance(value, Container):
            self.load(number, key, into)
        elif isinstance(value, External):
            self.give(into, number)

    def _bind_slot(self, key: object, variable: int, binding: Binding) -> None:
        if key != ANCESTORS:
            self.listen(variable, self._bind, binding)

    def set_item(self, number: int, data: tuple[object, int, int]) -> None:
        """Let ``owner[key] = value`` go on with an owner."""
        key, source, _ = data
        if isinstance(self.values[number], Container):
            self.store(number, key, source)

    def widen(self, number: int, container: int) -> None:
        """Let a container hold what another one holds, or the elements of anything else."""
        value = self.values[number]
        if isinstance(value, Container):
            self._watch(number, self.copy_slot, (container, False))
        elif isinstance(value, ModuleValue):
            one = self.program.files[value.file]
            self.work.asked.add(f"{one.path}*")
            for name, variable in self.program.members[one.scope_base].items():
                self.store(container, name, variable)
        elif isinstance(value, Generated):
            element = self.variable()
            self.iterate(number, (element, None, -1))
            self.store(container, None, element)
