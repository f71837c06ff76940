"""What built-in functions of JavaScript, and a few everybody's, do with the functions and values they are given."""

from collections.abc import Callable

from pckc_domain.model.code_facts import NOTHING
from pckc_domain.policy.graph.calls import Invocation
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.javascript.calls import UNKNOWN, ScriptCalls, plain_name
from pckc_domain.policy.graph.javascript.members import ANCESTORS, OBJECTS
from pckc_domain.policy.graph.members import Setting
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.values import (
    Bound,
    Container,
    ContainerMethod,
    Coroutine,
    External,
    FunctionValue,
    Generated,
    Instance,
    Partial,
    Prototype,
)
from pckc_domain.policy.graph.world import Remembered

CALLING = frozenset(
    "map filter forEach reduce reduceRight some every find findIndex findLast findLastIndex flatMap sort toSorted then "
    "catch finally addEventListener addListener on once".split()
)
"""Methods that call the functions they are given, whatever they are methods of."""

OPEN_TEXT = "\u2026"
"""Ends a text of which only the beginning is evident."""

_LIST_CALLS = frozenset("forEach map filter some every find findIndex findLast findLastIndex flatMap".split())
_SAME_ELEMENTS = frozenset(
    "slice reverse toReversed flat concat splice toSpliced with filter sort toSorted copyWithin values".split()
)
_ONE_ELEMENT = frozenset("pop shift at find findLast".split())
_ADDING = {"push": 0, "unshift": 0, "add": 0, "fill": 0, "splice": 2, "concat": 0}
_PROMISES = frozenset(("then", "catch", "finally"))
_REGISTERING = frozenset("on once addListener prependListener".split())
_LISTS = frozenset(("list", "tuple", "iterator", "set"))

_CALL_FIRST = frozenset(
    "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback process.nextTick "
    "window.setTimeout window.setInterval window.requestAnimationFrame globalThis.setTimeout "
    "react.useEffect react.useLayoutEffect react.useInsertionEffect react.startTransition React.useEffect "
    "React.useLayoutEffect".split()
)
_GIVE_FIRST = frozenset(
    "Object.freeze Object.seal Object.preventExtensions structuredClone util.promisify Object Promise.resolve "
    "react.memo react.forwardRef react.useCallback react.observer React.memo React.forwardRef React.useCallback".split()
)
_GATHERING = frozenset(("Promise.all", "Promise.allSettled"))
_EMITTERS = frozenset(("events", "events.EventEmitter"))
_CONTAINERS = {"Map": "map", "WeakMap": "map", "Set": "set", "WeakSet": "set", "Array": "list", "Object": "object"}


class ScriptLibrary(ScriptCalls):
    """Knows built-in functions and methods."""

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self._models: dict[str, Callable[[Invocation], None]] = {
            "Object.assign": self._assign,
            "Object.create": self._create,
            "Object.values": self._object_values,
            "Object.entries": self._object_entries,
            "Object.fromEntries": self._from_entries,
            "Object.getPrototypeOf": self._prototype_of,
            "Object.setPrototypeOf": self._first,
            "Array.from": self._array_from,
            "Array.of": self._array_of,
            "Array": self._array_of,
            "Promise.race": self._race,
            "Promise.any": self._race,
            "Reflect.apply": self._reflect_apply,
            "Reflect.construct": self._reflect_construct,
            "react.useMemo": self._use_memo,
            "React.useMemo": self._use_memo,
            "react.useState": self._use_state,
            "React.useState": self._use_state,
            **dict.fromkeys(_CALL_FIRST, self._call_first),
            **dict.fromkeys(_GIVE_FIRST, self._first),
            **dict.fromkeys(_GATHERING, self._gather),
        }

    def apply_model(self, name: str, data: Invocation) -> bool:
        """Do what the external function *name* is known to do."""
        short = plain_name(name)
        model = self._models.get(short)
        method = short.rpartition(".")[2]
        if model is not None:
            model(data)
        elif method in CALLING and "." in short:
            self._call_unknown(method, data)
        else:
            return False
        return True

    def construct_model(self, name: str, data: Invocation) -> bool:
        """Do what ``new`` is known to do with the external class *name*."""
        short = plain_name(name)
        if short == "Promise":
            self._new_promise(data)
        elif short in _EMITTERS:
            self.made("emitter", data.into, data.site)
        elif short in _CONTAINERS:
            made = self.made(_CONTAINERS[short], data.into, data.site)
            for _, variable in data.arguments:
                self.listen(variable, self._fill, (made, data.site))
        else:
            return False
        return True

    def call_container(self, number: int, name: str, data: Invocation) -> None:
        """Call a method of a container, a function, a promise or a generator."""
        value = self.values[number]
        if isinstance(value, FunctionValue | Bound):
            self._call_function_method(number, name, data)
        elif name == "resolve":
            for _, variable in data.arguments[:1]:
                self.store(number, 0, variable)
        elif isinstance(value, Coroutine) or (isinstance(value, Container) and value.kind == "promise"):
            waited = self.variable()
            self.wait(number, (waited, data.site))
            self._call_promise(waited, name, data)
        elif isinstance(value, Generated):
            if name == "next":
                self.store(self.made("object", data.into, data.site), "value", self._elements_of(number, data.site))
        elif isinstance(value, Instance) or (isinstance(value, Container) and value.kind == "emitter"):
            self._call_emitter(number, value, name, data)
        elif isinstance(value, Container) and value.kind == "map":
            self._call_map(number, name, data)
        elif isinstance(value, Container) and value.kind in _LISTS:
            self._call_list(number, name, data)

    # Containers

    def made(self, kind: str, into: int, site: int, tag: str = "") -> int:
        """Return the number of the container that a call makes, which *into* holds; *tag* tells several apart."""
        number = self.number(Container(kind, self.place_of_site(site, tag or kind)))
        self.give(into, number)
        return number

    def _holding(self, key: object, source: int, site: int) -> int:
        """Return a new variable of a list that holds what *source* holds."""
        into = self.variable()
        self.store(self.made("list", into, site, "held"), key, source)
        return into

    def _elements(self, source: int, site: int) -> int:
        element = self.variable()
        self.listen(source, self.iterate, (element, None, site))
        return element

    def _elements_of(self, number: int, site: int) -> int:
        element = self.variable()
        self.iterate(number, (element, None, site))
        return element

    def _fill(self, number: int, data: tuple[int, int]) -> None:
        """Fill a container with the elements of a value; pairs fill a map."""
        made, site = data
        value = self.values[made]
        if not isinstance(value, Container):
            return
        element = self._elements_of(number, site)
        if value.kind in ("map", "object"):
            self.listen(element, self._fill_pair, made)
        elif value.kind == "list" and isinstance(self.values[number], Container):
            self.widen(number, made)
        else:
            self.store(made, None, element)

    def _fill_pair(self, number: int, made: int) -> None:
        pair = self.values[number]
        if not isinstance(pair, Container):
            return
        if pair.kind == "pair":
            self.load(number, 1, self._slot(made, None))
        elif pair.kind in _LISTS:
            key = self._text(self._slot(number, 0))
            self.store(made, key, self._slot(number, 1))
            self.store(made, key, self._slot(number, None))

    def _text(self, variable: int) -> str | None:
        """Return the text that a variable evidently holds."""
        text = self.texts.get(variable)
        return None if text is None or text.endswith(OPEN_TEXT) else text

    def _call_map(self, number: int, name: str, data: Invocation) -> None:
        arguments = data.arguments
        key = self._text(arguments[0][1]) if arguments else None
        if name == "set" and len(arguments) > 1:
            self.store(number, key, arguments[1][1])
            self.give(data.into, number)
        elif name == "get":
            self.load(number, key, data.into)
        elif name == "forEach" and arguments:
            element = self.variable()
            self.load(number, None, element)
            self.call_with(arguments[0][1], (element, NOTHING), NOTHING, data.site)
        elif name == "values":
            element = self.variable()
            self.load(number, None, element)
            self.store(self.made("iterator", data.into, data.site), None, element)
        elif name in ("entries", "Symbol.iterator"):
            self.store(self.made("iterator", data.into, data.site), None, self._elements_of(number, data.site))

    def _call_list(self, number: int, name: str, data: Invocation) -> None:
        arguments = data.arguments
        element = self.variable()
        self.load(number, None, element)
        if name in _ADDING:
            for kind, variable in arguments[_ADDING[name] :]:
                if name == "concat" or kind == "*":
                    self.listen(variable, self.widen, number)
                else:
                    self.store(number, None, variable)
        if name in CALLING and arguments:
            self._call_with_elements(name, element, data)
        if name in _SAME_ELEMENTS:
            made = self.made("list", data.into, data.site)
            self.store(made, None, element)
            if name == "flat":
                self.store(made, None, self._elements(element, data.site))
        elif name in _ONE_ELEMENT:
            self.join(element, data.into)
        elif name == "add":
            self.give(data.into, number)
        elif name == "entries":
            pair = self._holding(1, element, data.site)
            self.store(self.made("iterator", data.into, data.site), None, pair)
        elif name == "next":
            self.store(self.made("object", data.into, data.site), "value", element)

    def _call_with_elements(self, name: str, element: int, data: Invocation) -> None:
        """Let a method call its first argument with the elements of a list."""
        callback = data.arguments[0][1]
        if name in ("reduce", "reduceRight"):
            for _, first in data.arguments[1:2]:
                self.join(first, data.into)
            if len(data.arguments) == 1:
                self.join(element, data.into)
            self.call_with(callback, (data.into, element), data.into, data.site)
        elif name in ("sort", "toSorted"):
            self.call_with(callback, (element, element), NOTHING, data.site)
        elif name in _LIST_CALLS:
            result = self.variable()
            for _, this in data.arguments[1:2]:
                self.listen(callback, self._give_this, this)
            self.call_with(callback, (element,), result, data.site)
            if name == "map":
                self.store(self.made("list", data.into, data.site), None, result)
            elif name == "flatMap":
                made = self.made("list", data.into, data.site)
                self.store(made, None, self._elements(result, data.site))

    def _call_unknown(self, name: str, data: Invocation) -> None:
        """Call what a method of something unknown is given, as every method of its name does."""
        if not data.arguments:
            return
        if name in _PROMISES:
            self._call_promise(NOTHING, name, data)
        elif name in _LIST_CALLS or name in ("reduce", "reduceRight", "sort", "toSorted"):
            self._call_with_elements(name, self.variable(), data)
            if name in ("filter", "sort", "find"):
                self.put(data.into, External(f"{UNKNOWN}()"))
        else:
            for _, variable in data.arguments:
                self.call_with(variable, (), NOTHING, data.site)

    # Promises

    def _call_promise(self, value: int, name: str, data: Invocation) -> None:
        if name not in _PROMISES:
            return
        made = self.made("promise", data.into, data.site)
        result, awaited = self.variable(), self.variable()
        self.listen(result, self.wait, (awaited, data.site))
        self.store(made, 0, awaited)
        if name != "then":
            self.store(made, 0, value)
        for at, (_, callback) in enumerate(data.arguments):
            given = (value,) if name == "then" and at == 0 else ()
            self.call_with(callback, given, NOTHING if name == "finally" else result, data.site)

    def _new_promise(self, data: Invocation) -> None:
        made = self.made("promise", data.into, data.site)
        resolve = self.variable()
        self.put(resolve, ContainerMethod(made, "resolve"))
        for _, executor in data.arguments[:1]:
            self.call_with(executor, (resolve, NOTHING), NOTHING, data.site)

    def _gather(self, data: Invocation) -> None:
        every = self.variable()
        made = self.made("list", every, data.site)
        for _, variable in data.arguments:
            self.listen(variable, self._gather_from, (made, data.site))
        self.store(self.made("promise", data.into, data.site), 0, every)

    def _gather_from(self, number: int, data: tuple[int, int]) -> None:
        if isinstance(self.values[number], Container):
            self._watch(number, self._gather_slot, data)

    def _gather_slot(self, key: object, variable: int, data: tuple[int, int]) -> None:
        made, site = data
        result = self.variable()
        self.listen(variable, self.wait, (result, site))
        self.store(made, key, result)

    def _race(self, data: Invocation) -> None:
        result = self.variable()
        for _, variable in data.arguments:
            self.listen(self._elements(variable, data.site), self.wait, (result, data.site))
        self.store(self.made("promise", data.into, data.site), 0, result)

    # Events

    def _call_emitter(self, number: int, value: Instance | Container, name: str, data: Invocation) -> None:
        """Events are told apart by their text, or by what it begins with when it is put together."""
        arguments = data.arguments
        if not arguments:
            return
        event = self.texts.get(arguments[0][1], "")
        heard = self.keyed("e", value.owner, event) if isinstance(value, Instance) else self._slot(number, event)
        if name in _REGISTERING and len(arguments) > 1:
            self.join(arguments[1][1], heard)
            self.give(data.into, number)
        elif name == "emit":
            self.call_with(heard, tuple(variable for _, variable in arguments[1:]), NOTHING, data.site)

    # Functions

    def _call_function_method(self, number: int, name: str, data: Invocation) -> None:
        """``f.call(this, …)``, ``f.apply(this, list)`` and ``f.bind(this, …)``."""
        receiver = data.arguments[0][1] if data.arguments else NOTHING
        given = data.arguments[1:]
        if receiver:
            self._give_this(number, receiver)
        if name == "bind":
            if given:
                place = self.place_of_site(data.site, "partial")
                self.give(self.keyed("p", place, -1), number)
                for at, (_, variable) in enumerate(given):
                    self.join(variable, self.keyed("p", place, at))
                self.put(data.into, Partial(place, tuple(name for name, _ in given)))
            else:
                self.give(data.into, number)
        else:
            passed = tuple(("*", variable) for _, variable in given[:1]) if name == "apply" else given
            self.call(number, None, passed, data.into, data.site)

    def _give_this(self, number: int, this: int) -> None:
        """Let a function have what *this* holds as its ``this``."""
        value = self.values[number]
        if isinstance(value, FunctionValue):
            receiver = self.facts(value.function).receiver
            if receiver > NOTHING:
                self.join(this, self.program.variable(value.function, receiver))
        elif isinstance(value, Bound):
            self._give_this(value.bound, this)

    def _call_first(self, data: Invocation) -> None:
        if data.arguments:
            passed = tuple(variable for _, variable in data.arguments[2:])
            self.call_with(data.arguments[0][1], passed, NOTHING, data.site)

    def _first(self, data: Invocation) -> None:
        if data.arguments:
            self.join(data.arguments[0][1], data.into)

    def _reflect_apply(self, data: Invocation) -> None:
        if len(data.arguments) == 3:
            callee, this, passed = (variable for _, variable in data.arguments)
            self.listen(callee, self._give_this, this)
            self.listen(callee, self.invoke, Invocation(data.into, (("*", passed),), data.site, NOTHING))

    def _reflect_construct(self, data: Invocation) -> None:
        if len(data.arguments) > 1:
            given = (("*", data.arguments[1][1]),)
            self.listen(data.arguments[0][1], self.construct, Invocation(data.into, given, data.site, NOTHING))

    def _use_memo(self, data: Invocation) -> None:
        for _, callback in data.arguments[:1]:
            self.call_with(callback, (), data.into, data.site)

    def _use_state(self, data: Invocation) -> None:
        made = self.made("list", data.into, data.site)
        for _, variable in data.arguments[:1]:
            self.store(made, 0, variable)

    # Objects

    def _assign(self, data: Invocation) -> None:
        if not data.arguments:
            return
        (_, target), *sources = data.arguments
        self.join(target, data.into)
        for _, source in sources:
            self.listen(target, self._assign_to, (source, data.site))

    def _assign_to(self, number: int, data: tuple[int, int]) -> None:
        source, site = data
        self.listen(source, self._assign_from, (number, site))

    def _assign_from(self, number: int, data: tuple[int, int]) -> None:
        target, site = data
        if isinstance(self.values[number], Container) and number != target:
            self._watch(number, self._assign_slot, (target, site))

    def _assign_slot(self, key: object, variable: int, data: tuple[int, int]) -> None:
        target, site = data
        value = self.values[target]
        if isinstance(value, Container) and value.kind in OBJECTS:
            self.store(target, key, variable)
        elif isinstance(key, str) and key != ANCESTORS:
            self.set_member(target, Setting(key, variable, site))

    def _create(self, data: Invocation) -> None:
        made = self.made("heir", data.into, data.site)
        for _, parent in data.arguments[:1]:
            self.inherit(made, parent)

    def _prototype_of(self, data: Invocation) -> None:
        for _, variable in data.arguments[:1]:
            self.listen(variable, self._give_prototype, data.into)

    def _give_prototype(self, number: int, into: int) -> None:
        value = self.values[number]
        if isinstance(value, Instance):
            self.put(into, Prototype(value.owner))

    def _object_values(self, data: Invocation) -> None:
        made = self.made("list", data.into, data.site)
        for _, variable in data.arguments[:1]:
            self.store(made, None, self._members_of(variable, data.site))

    def _object_entries(self, data: Invocation) -> None:
        made = self.made("list", data.into, data.site)
        for _, variable in data.arguments[:1]:
            self.store(made, None, self._holding(1, self._members_of(variable, data.site), data.site))

    def _members_of(self, source: int, site: int) -> int:
        """Return the variable of all members of an object."""
        into = self.variable()
        self.listen(source, self.item, (into, None, site))
        return into

    def _from_entries(self, data: Invocation) -> None:
        made = self.made("object", data.into, data.site)
        for _, variable in data.arguments[:1]:
            self.listen(variable, self._fill, (made, data.site))

    def _array_from(self, data: Invocation) -> None:
        made = self.made("list", data.into, data.site)
        if len(data.arguments) > 1:
            result = self.variable()
            element = self._elements(data.arguments[0][1], data.site)
            self.call_with(data.arguments[1][1], (element,), result, data.site)
            self.store(made, None, result)
        else:
            for _, variable in data.arguments:
                self.listen(variable, self._fill, (made, data.site))

    def _array_of(self, data: Invocation) -> None:
        made = self.made("list", data.into, data.site)
        for at, (kind, variable) in enumerate(data.arguments):
            if not kind:
                self.store(made, at, variable)
