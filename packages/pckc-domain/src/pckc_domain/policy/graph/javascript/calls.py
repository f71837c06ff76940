"""Calls, construction, iteration and waiting the way JavaScript does them."""

from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.calls import Invocation
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.javascript.members import EXPORTS, OBJECTS, ScriptMembers
from pckc_domain.policy.graph.members import Arguments, Reading
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.values import (
    EXTRACTED,
    Bound,
    ClassValue,
    Container,
    Coroutine,
    External,
    FunctionValue,
    Generated,
    Instance,
)
from pckc_domain.policy.graph.world import Remembered

_LISTS = frozenset(("list", "tuple", "iterator", "set"))
_FUNCTIONS = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
UNKNOWN = "?"
"""How an external name begins of which nobody knows whose it is."""


class ScriptCalls(ScriptMembers):
    """Answers what a call does."""

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self._awaited: set[tuple[int, int]] = set()

    def call(
        self, number: int, receiver: int | None, arguments: Arguments, into: int, site: int, fallback: int = NOTHING
    ) -> None:
        """Call a value; only JSX calls a class, to show what it renders."""
        value = self.values[number]
        if isinstance(value, ClassValue) and not fallback:
            made = self.variable()
            self._construct_later(number, Invocation(made, arguments, site, NOTHING))
            self.listen(made, self._call_member, ("render", into, site))
        elif isinstance(value, External) and value.external.startswith(UNKNOWN):
            self.apply_model(value.external, Invocation(into, arguments, site, fallback))
        elif not isinstance(value, Instance):
            if isinstance(value, External):
                self.work.external.setdefault(site, plain_name(value.external))
            super().call(number, receiver, arguments, into, site, fallback)

    def _call_member(self, number: int, data: tuple[str, int, int]) -> None:
        """Call a method without arguments."""
        name, into, site = data
        method = self.variable()
        self.read_member(number, Reading(method, name, site))
        self.call_with(method, (), into, site)

    def call_with(self, callee: int, arguments: tuple[int, ...], into: int, site: int) -> None:
        """Call what *callee* holds."""
        given = tuple(("", one) for one in arguments)
        self.listen(callee, self.invoke, Invocation(into, given, site, NOTHING))

    # Construction

    def construct(self, number: int, data: Invocation) -> None:
        """Let ``new`` go on with a callee."""
        value = self.values[number]
        if isinstance(value, FunctionValue):
            receiver = self.number(Instance(value.function, EXTRACTED))
            self.give(data.into, receiver)
            self._link(value.function, receiver, data.arguments, data.into, data.site)
        elif isinstance(value, Bound):
            self.construct(value.bound, data)
        elif isinstance(value, ClassValue):
            self._construct_later(number, data)
        elif isinstance(value, External):
            self.work.external.setdefault(data.site, plain_name(value.external))
            if not self.construct_model(value.external, data):
                self.put(data.into, External(f"{value.external.partition('(')[0]}()"))

    def construct_model(self, name: str, data: Invocation) -> bool:
        """Do what ``new`` is known to do with the external class *name*; a library knows."""
        raise NotImplementedError

    def _make(self, owner: int, arguments: Arguments, into: int, site: int, level: int = EXTRACTED) -> None:
        receiver = self.number(Instance(owner, level))
        if into:
            self.give(into, receiver)
        order = self.order(owner)
        self.work.asked.add(".constructor")
        for one in order:
            facts = self.facts(one)
            if facts.kind is ScopeKind.CLASS and facts.receiver > NOTHING:
                self.give(self.program.variable(one, facts.receiver), receiver)
        for one in order:
            if self.facts(one).kind in _FUNCTIONS:
                self._link(one, receiver, arguments, NOTHING, site)
                return
            if found := self.program.members[one].get("constructor", NOTHING):
                self.listen(found, self._call_found, (receiver, arguments, NOTHING, site))
                return
        self.work.instantiated[site, owner] = EXTRACTED
        if outer := self.outer_base(owner):
            self.work.external.setdefault(site, outer)

    # Iteration

    def iterate(self, number: int, data: tuple[int, int | None, int]) -> None:
        """Let an iteration go on with what is iterated."""
        into, index, site = data
        value = self.values[number]
        if isinstance(value, Container) and value.kind in _LISTS:
            self.load(number, index if value.kind != "set" else None, into)
        elif isinstance(value, Container) and value.kind == "map":
            place = self.places[value.place]
            pair = self.number(Container("pair", self.place(place.scope, f"pair of {place.tag}", place.ordinal)))
            self.give(into, pair)
            self.load(number, None, self._slot(pair, 1))
        elif isinstance(value, Container) and value.kind == "pair":
            self.load(number, index, into)
        elif isinstance(value, Generated):
            self.join(self.program.variable(value.generator, self.facts(value.generator).yields), into)
        elif isinstance(value, Instance) or (isinstance(value, Container) and value.kind in OBJECTS):
            if not self.is_linearized:
                self.defer(self.iterate, number, data)
                return
            for name in ("Symbol.iterator", "Symbol.asyncIterator"):
                iterator = self.variable()
                self._call_member(number, (name, iterator, site))
                self.listen(iterator, self._next, (into, site))
        elif isinstance(value, External):
            self.put(into, External(f"{UNKNOWN}()"))

    def _next(self, number: int, data: tuple[int, int]) -> None:
        into, site = data
        value = self.values[number]
        if isinstance(value, Instance) or (isinstance(value, Container) and value.kind in OBJECTS):
            result, awaited = self.variable(), self.variable()
            self._call_member(number, ("next", result, site))
            self.listen(result, self.wait, (awaited, site))
            self.listen(awaited, self.read_member, Reading(into, "value", site))
        else:
            self.iterate(number, (into, None, site))

    # Waiting

    def wait(self, number: int, data: tuple[int, int]) -> None:
        """``await`` a value; what cannot be waited for is its own result."""
        into, _ = data
        value = self.values[number]
        if isinstance(value, Coroutine):
            self._wait_for(self.program.variable(value.coroutine, self.facts(value.coroutine).result), into)
        elif isinstance(value, Container) and value.kind == "promise":
            self._wait_for(self.slot(number, 0), into)
        else:
            self.give(into, number)

    def _wait_for(self, source: int, into: int) -> None:
        """A promise of a promise is a promise of what that one gives."""
        if source and (source, into) not in self._awaited:
            self._awaited.add((source, into))
            self.listen(source, self.wait, (into, -1))


def plain_name(name: str) -> str:
    """Return the name of something external without what tells how it was imported."""
    plain = name.removeprefix("builtins.").removeprefix("node:")
    return plain.replace(f".{EXPORTS}", "").replace(".default", "")
