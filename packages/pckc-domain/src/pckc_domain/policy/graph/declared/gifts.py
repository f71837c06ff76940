"""Functions that a file may give away by their names: what it passes to calls, and what it keeps in fields."""

from collections.abc import Iterator, Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    DeclaredFacts,
    Expression,
    Gift,
    Item,
    Local,
    Name,
    New,
    Part,
    Place,
    Select,
    This,
)

_MAX_STEPS = 4
"""Locals that are followed to what they are made of."""


_FILLING = frozenset(
    "add Add addLast AddLast offer push push! push_back push_front emplace_back append Append add_last enqueue Enqueue "
    "insert put set TryAdd subscribe".split()
)
"""Methods, or functions of a container, that put their last argument into it."""

_WRAPPING = frozenset(("move", "forward", "new", "Some", "ref"))
"""Functions that give their only argument in another form."""


def unwrapped(expression: Expression | None) -> Expression | None:
    """Return what a call that only wraps its argument gives on."""
    while isinstance(expression, Call) and len(expression.arguments) == 1 and sink_of(expression.callee) in _WRAPPING:
        expression = expression.arguments[0]
    return expression


def gifts_of(facts: DeclaredFacts) -> tuple[Gift, ...]:
    """Return what a file may give away, in the order of the text."""
    return tuple(_Finder(facts).gifts())


def sink_of(into: Expression) -> str:
    """Return the last name of whom or what gets a gift."""
    match into:
        case Name(text):
            return text
        case Select(_, name):
            return name
        case Item(owner):
            return sink_of(owner)
        case Cast(_, kind):
            return kind.name.rpartition(".")[2]
    return ""


class _Finder:
    def __init__(self, facts: DeclaredFacts) -> None:
        self.facts = facts

    def gifts(self) -> Iterator[Gift]:
        for index, one in enumerate(self.facts.declarations):
            values = [*one.calls, *(local.value for local in one.locals), *one.result, one.value]
            seen: set[Place] = set()
            for call in calls_in(values):
                if call.place in seen or not call.arguments:
                    continue
                seen.add(call.place)
                yield from self._passed(call, index)
                yield from self._filled(call, index)
            for target, value, line in one.stored:
                into, given = self._owned(target, index, line), self._open(value, index, line)
                if into is not None and given is not None:
                    yield Gift(into, -1, given, index, line)

    def _passed(self, call: Call | New, index: int) -> Iterator[Gift]:
        line = call.place.line
        into: Expression | None = None
        for position, argument in enumerate(map(unwrapped, call.arguments)):
            if not isinstance(argument, Name | Select):
                continue
            given = self._open(argument, index, line)
            if given is not None and self._may_be_function(given, index):
                into = into or (Cast(None, call.type) if isinstance(call, New) else self._callee(call, index))
                if into is not None:
                    yield Gift(into, position, given, index, line)

    def _filled(self, call: Call | New, index: int) -> Iterator[Gift]:
        """Yield what a call puts into a container."""
        last = unwrapped(call.arguments[-1])
        if isinstance(call, New) or sink_of(call.callee) not in _FILLING or not isinstance(last, Name | Select):
            return
        container = call.callee.owner if isinstance(call.callee, Select) else call.arguments[0]
        if isinstance(container, Name) and container.text == "table":  # Lua's table.insert
            container = call.arguments[0]
        line = call.place.line
        into = self._owned(container, index, line) if container and container != last else None
        given = self._open(last, index, line)
        if into is not None and given is not None:
            yield Gift(Item(into), -1, given, index, line)

    def _callee(self, call: Call, index: int) -> Expression | None:
        return self._owned(call.callee, index, call.place.line)

    def _owned(self, target: Expression, index: int, line: int) -> Expression | None:
        """Return what a gift goes to; an owner that nobody knows elsewhere is left out."""
        match target:
            case Name(text):
                return None if self._local(text, index, line) else target
            case Select(owner, name):
                return Select(self._open(owner, index, line), name)
            case Item(owner):
                inner = self._owned(owner, index, line)
                return Item(inner) if inner else None
        return None

    def _may_be_function(self, given: Expression, index: int) -> bool:
        if isinstance(given, Name):
            return not self._is_parameter(given.text, index)
        return True

    def _open(self, expression: Expression | None, index: int, line: int, steps: int = 0) -> Expression | None:
        """Return an expression with locals replaced by what they are given; ``None`` when that is not known."""
        if steps > _MAX_STEPS:
            return None
        match expression:
            case Name(text, is_space):
                local = None if is_space else self._local(text, index, line)
                if local is None:
                    return expression
                if local.type is not None and local.type.name != "->":
                    return Cast(None, local.type)
                return self._open(local.value, index, local.line - 1, steps + 1)
            case Select(owner, name):
                inner = self._open(owner, index, line, steps + 1)
                return Select(inner, name) if inner else None
            case Call(callee, _, types, place):
                inner = self._open(callee, index, line, steps + 1)
                return Call(inner, (), types, place) if inner else None
            case New(kind, _, place):
                return New(kind, (), place)
            case Item(owner, is_key):
                inner = self._open(owner, index, line, steps + 1)
                return Item(inner, is_key) if inner else None
            case This():
                return expression
            case Cast(_, kind):
                return Cast(None, kind)
        return None

    def _local(self, name: str, index: int, line: int) -> Local | None:
        """Return the last local of a name that is bound up to a line, in a declaration or around it."""
        while index > 0:
            one = self.facts.declarations[index]
            found = None
            is_parameter = any(parameter.name == name for parameter in one.parameters)
            for local in one.locals:
                if is_parameter and local.value is None:
                    continue
                if local.name == name and local.line <= line and (not local.end_line or line <= local.end_line):
                    found = local
            if found is not None:
                return found
            if is_parameter:
                return None
            index = one.parent
        return None

    def _is_parameter(self, name: str, index: int) -> bool:
        while index > 0:
            one = self.facts.declarations[index]
            if any(parameter.name == name for parameter in one.parameters):
                return True
            index = one.parent
        return False


def calls_in(values: Sequence[Expression | None]) -> Iterator[Call | New]:
    """Yield all calls in expressions, outer ones before what they hold."""
    stack = list(reversed(values))
    while stack:
        one = stack.pop()
        match one:
            case Call(callee, arguments):
                yield one
                stack += [callee, *arguments]
            case New(_, arguments):
                yield one
                stack += arguments
            case Select(owner) | Item(owner) | Part(owner):
                stack.append(owner)
            case Cast(value):
                stack.append(value)
            case Choice(options):
                stack += options
