"""What functions of the standard library do with the functions and values they are given."""

from collections.abc import Callable

from pckc_domain.model.code_facts import NOTHING
from pckc_domain.policy.graph.calls import Calls, Invocation
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.members import Reading, Setting
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.specials import Asking
from pckc_domain.policy.graph.values import (
    ClassMethod,
    ClassValue,
    Container,
    Instance,
    Maker,
    Partial,
    Property,
    Same,
    Static,
    SuperValue,
)
from pckc_domain.policy.graph.world import Remembered

_ASKED = {
    "len": ("__len__",),
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "print": ("__str__", "__repr__"),
    "bool": ("__bool__", "__len__"),
    "hash": ("__hash__",),
    "abs": ("__abs__",),
    "int": ("__int__", "__index__"),
    "float": ("__float__",),
    "bytes": ("__bytes__",),
    "format": ("__format__", "__str__"),
    "reversed": ("__reversed__",),
    "round": ("__round__",),
    "divmod": ("__divmod__",),
}
_COPIES = {
    "list": "list",
    "tuple": "tuple",
    "set": "set",
    "frozenset": "set",
    "sorted": "list",
    "reversed": "iterator",
    "iter": "iterator",
    "collections.deque": "list",
    "itertools.chain": "iterator",
}
_WAITED = frozenset(
    ("asyncio.run", "asyncio.wait_for", "asyncio.shield", "asyncio.create_task", "asyncio.ensure_future", "anyio.run")
)
_GATHERED = frozenset(("asyncio.gather", "asyncio.as_completed"))
_DICTS = frozenset(("dict", "collections.OrderedDict", "collections.ChainMap", "types.MappingProxyType"))
_FIELDS = tuple(f"{owner}.{name}" for owner in ("dataclasses", "attrs", "attr") for name in ("field", "ib", "Factory"))
_READING = frozenset("get pop setdefault popleft popitem".split())
_ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1}
_WIDENING = frozenset("extend update extendleft union".split())
_WRAPPERS = (Static, ClassMethod)


class PythonLibrary(Calls):
    """Knows some functions of the standard library."""

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self._models: dict[str, Callable[[Invocation], None]] = {
            "functools.partial": self._partial,
            "functools.partialmethod": self._partial,
            "functools.wraps": self._wraps,
            "functools.update_wrapper": self._first,
            "functools.reduce": self._call_first_with_elements,
            "property": self._property,
            "functools.cached_property": self._property,
            "staticmethod": self._static,
            "classmethod": self._class_method,
            "super": self._super,
            "type": self._type,
            "getattr": self._getattr,
            "setattr": self._setattr,
            "object.__setattr__": self._setattr,
            "map": self._map,
            "filter": self._filter,
            "enumerate": self._enumerate,
            "zip": self._zip,
            "next": self._next_of,
            "anext": self._next_of,
            "collections.defaultdict": self._defaultdict,
            "object.__new__": self._object_new,
            "typing.cast": self._second,
            "copy.copy": self._first,
            "copy.deepcopy": self._first,
            "vars": self._nothing,
            **dict.fromkeys(_FIELDS, self._field),
        }

    def apply_model(self, name: str, data: Invocation) -> bool:
        """Do what the external function *name* is known to do."""
        short = name.removeprefix("builtins.")
        if short in ("min", "max", "sorted"):
            self._call_key(data)
        if short in _ASKED and data.arguments:
            asking = Asking(NOTHING, _ASKED[short], (), "", data.site)
            self.listen(data.arguments[0][1], self.ask, asking)
        model = self._models.get(short)
        if model is not None:
            model(data)
        elif short in _COPIES:
            self._copy(data, _COPIES[short])
        elif short in ("min", "max"):
            self._choose(data)
        elif short in _DICTS:
            self._dict(data)
        elif short in _WAITED and data.arguments:
            self.listen(data.arguments[0][1], self.wait, (data.into, data.site))
        elif short in _GATHERED:
            self._gather(data)
        else:
            return short in _ASKED
        return True

    def call_container(self, number: int, name: str, data: Invocation) -> None:
        """Call a method of a container."""
        arguments = data.arguments
        value = self.values[number]
        is_dict = isinstance(value, Container) and value.kind == "dict"
        if name in _ADDING and len(arguments) > _ADDING[name]:
            self.store(number, None, arguments[_ADDING[name]][1])
        elif name in _WIDENING:
            for key, variable in arguments:
                if key:
                    self.store(number, key, variable)
                else:
                    self.listen(variable, self.widen, number)
            self.give(data.into, number)
        elif name in _READING:
            known = self.texts.get(arguments[0][1]) if arguments and is_dict else None
            self.load(number, known, data.into)
            if len(arguments) > 1:
                self.join(arguments[1][1], data.into)
                if name == "setdefault":
                    self.store(number, known, arguments[1][1])
        elif name in ("values", "copy", "__iter__"):
            made = self._made("list" if name == "values" else _kind_of(value), data)
            self._watch(number, self.copy_slot, (made, name == "values"))
        elif name == "items":
            element = self.variable()
            self.load(number, None, element)
            self._made_of_pairs("list", [(1, element)], data)
        elif name == "sort":
            for key, variable in arguments:
                if key == "key":
                    element = self.variable()
                    self.load(number, None, element)
                    self._call_with(variable, (element,), NOTHING, data.site)

    # Containers

    def _made(self, kind: str, data: Invocation) -> int:
        number = self.number(Container(kind, self.place_of_site(data.site, kind)))
        self.give(data.into, number)
        return number

    def _made_of_pairs(self, kind: str, parts: list[tuple[int, int]], data: Invocation) -> None:
        pair = self.variable()
        pairs = self.number(Container("tuple", self.place_of_site(data.site, f"pair of {kind}")))
        self.give(pair, pairs)
        for at, variable in parts:
            self.store(pairs, at, variable)
        self.store(self._made(kind, data), None, pair)

    def _copy(self, data: Invocation, kind: str) -> None:
        made = self._made(kind, data)
        for name, variable in data.arguments:
            if not name:
                self.listen(variable, self._copy_elements, (made, data.site))

    def _copy_elements(self, number: int, data: tuple[int, int]) -> None:
        made, site = data
        value = self.values[number]
        if isinstance(value, Container) and value.kind in ("list", "tuple", "iterator"):
            self._watch(number, self.copy_slot, (made, False))
        else:
            element = self.variable()
            self.iterate(number, (element, None, site))
            self.store(made, None, element)

    def _dict(self, data: Invocation) -> None:
        made = self._made("dict", data)
        for name, variable in data.arguments:
            if name in ("", "**"):
                self.listen(variable, self.widen, made)
            else:
                self.store(made, name, variable)

    def _defaultdict(self, data: Invocation) -> None:
        made = self._made("dict", data)
        if data.arguments:
            value = self.variable()
            self._call_with(data.arguments[0][1], (), value, data.site)
            self.store(made, None, value)

    def _field(self, data: Invocation) -> None:
        """A generated constructor gives the field its default, or what its factory makes."""
        for at, (name, variable) in enumerate(data.arguments):
            if name == "default":
                self.join(variable, data.into)
            elif name in ("default_factory", "factory") or (at == 0 and not name):
                self._call_with(variable, (), data.into, ~data.site)

    def _enumerate(self, data: Invocation) -> None:
        self._pairs([(1, data.arguments[0][1])] if data.arguments else [], data)

    def _zip(self, data: Invocation) -> None:
        self._pairs([(at, variable) for at, (name, variable) in enumerate(data.arguments) if not name], data)

    def _pairs(self, sources: list[tuple[int, int]], data: Invocation) -> None:
        parts = [(at, self._elements(source, data.site)) for at, source in sources]
        self._made_of_pairs("iterator", parts, data)

    def _elements(self, source: int, site: int) -> int:
        element = self.variable()
        self.listen(source, self.iterate, (element, None, site))
        return element

    def _next_of(self, data: Invocation) -> None:
        if data.arguments:
            self.listen(data.arguments[0][1], self._next, (data.into, data.site))

    def _choose(self, data: Invocation) -> None:
        given = [variable for name, variable in data.arguments if not name]
        for variable in given:
            self.join(variable if len(given) > 1 else self._elements(variable, data.site), data.into)

    # Functions that call functions

    def _call_with(self, callee: int, arguments: tuple[int, ...], into: int, site: int) -> None:
        given = tuple(("", one) for one in arguments)
        self.listen(callee, self.invoke, Invocation(into, given, site, NOTHING))

    def _call_key(self, data: Invocation) -> None:
        key = next((variable for name, variable in data.arguments if name == "key"), NOTHING)
        given = [variable for name, variable in data.arguments if not name]
        if key and given:
            element = given[0] if len(given) > 1 else self._elements(given[0], data.site)
            self._call_with(key, (element,), NOTHING, data.site)

    def _map(self, data: Invocation) -> None:
        made = self._made("iterator", data)
        if len(data.arguments) > 1:
            elements = tuple(self._elements(variable, data.site) for _, variable in data.arguments[1:])
            result = self.variable()
            self._call_with(data.arguments[0][1], elements, result, data.site)
            self.store(made, None, result)

    def _filter(self, data: Invocation) -> None:
        made = self._made("iterator", data)
        if len(data.arguments) > 1:
            element = self._elements(data.arguments[1][1], data.site)
            self._call_with(data.arguments[0][1], (element,), NOTHING, data.site)
            self.store(made, None, element)

    def _call_first_with_elements(self, data: Invocation) -> None:
        if len(data.arguments) > 1:
            element = self._elements(data.arguments[1][1], data.site)
            accumulated = self.variable()
            self.join(element, accumulated)
            if len(data.arguments) > 2:
                self.join(data.arguments[2][1], accumulated)
            self._call_with(data.arguments[0][1], (accumulated, element), accumulated, data.site)
            self.join(accumulated, data.into)

    def _partial(self, data: Invocation) -> None:
        if data.arguments:
            place = self.place_of_site(data.site, "partial")
            for at, (_, variable) in enumerate(data.arguments, start=-1):
                self.join(variable, self.keyed("p", place, at))
            self.put(data.into, Partial(place, tuple(name for name, _ in data.arguments[1:])))

    def _gather(self, data: Invocation) -> None:
        made = self._made("list", data)
        for at, (name, variable) in enumerate(data.arguments):
            result = self.variable()
            if name == "*":
                self.listen(self._elements(variable, data.site), self.wait, (result, data.site))
                self.store(made, None, result)
            elif not name:
                self.listen(variable, self.wait, (result, data.site))
                self.store(made, at, result)

    # Decorators and descriptors

    def _wraps(self, data: Invocation) -> None:
        self.put(data.into, Same("functools.wraps"))

    def _first(self, data: Invocation) -> None:
        if data.arguments:
            self.join(data.arguments[0][1], data.into)

    def _second(self, data: Invocation) -> None:
        if len(data.arguments) > 1:
            self.join(data.arguments[1][1], data.into)
            self.listen(data.arguments[0][1], self._cast, data.into)

    def _cast(self, number: int, into: int) -> None:
        value = self.values[number]
        if isinstance(value, ClassValue):
            self.put(into, Instance(value.owner, 1))

    def _property(self, data: Invocation) -> None:
        place = self.place_of_site(data.site, "property")
        for at, (name, variable) in enumerate(data.arguments):
            if name == "fget" or (not name and at == 0):
                self.join(variable, self.keyed("g", place, ""))
            elif name == "fset" or (not name and at == 1):
                self.join(variable, self.keyed("t", place, ""))
        self.put(data.into, Property(place, -1))

    def _static(self, data: Invocation) -> None:
        if data.arguments:
            self.listen(data.arguments[0][1], self._wrap_static, data.into)

    def _wrap_static(self, number: int, into: int) -> None:
        value = self.values[number]
        self.put(into, value if isinstance(value, _WRAPPERS) else Static(number))

    def _class_method(self, data: Invocation) -> None:
        if data.arguments:
            self.listen(data.arguments[0][1], self._wrap_class_method, data.into)

    def _wrap_class_method(self, number: int, into: int) -> None:
        value = self.values[number]
        self.put(into, value if isinstance(value, _WRAPPERS) else ClassMethod(number))

    # Classes and members

    def _super(self, data: Invocation) -> None:
        if len(data.arguments) > 1:
            self.listen(data.arguments[0][1], self._super_of, (data.into, data.arguments[1][1]))

    def _super_of(self, number: int, data: tuple[int, int]) -> None:
        into, receiver = data
        value = self.values[number]
        if isinstance(value, ClassValue):
            self.listen(receiver, self._super_with, (into, value.owner))

    def _super_with(self, number: int, data: tuple[int, int]) -> None:
        into, owner = data
        if isinstance(self.values[number], Instance | ClassValue):
            self.put(into, SuperValue(owner, number))

    def _type(self, data: Invocation) -> None:
        if len(data.arguments) == 1:
            self.listen(data.arguments[0][1], self._type_of, data.into)

    def _type_of(self, number: int, into: int) -> None:
        value = self.values[number]
        if isinstance(value, Instance):
            self.put(into, ClassValue(value.owner))

    def _getattr(self, data: Invocation) -> None:
        if len(data.arguments) < 2:
            return
        name = self.texts.get(data.arguments[1][1])
        if name is not None:
            self.listen(data.arguments[0][1], self.read_member, Reading(data.into, name, data.site))
        for _, default in data.arguments[2:]:
            self.join(default, data.into)

    def _setattr(self, data: Invocation) -> None:
        if len(data.arguments) > 2:
            name = self.texts.get(data.arguments[1][1])
            if name is not None:
                self.listen(data.arguments[0][1], self.set_member, Setting(name, data.arguments[2][1], data.site))

    def _object_new(self, data: Invocation) -> None:
        self.call(self.number(Maker(-1)), None, data.arguments, data.into, data.site)

    def _nothing(self, data: Invocation) -> None:
        """Tell nothing about the result."""


def _kind_of(value: object) -> str:
    return value.kind if isinstance(value, Container) else "list"


__all__ = ["PythonLibrary"]
