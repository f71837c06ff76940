"""Values that flow from variable to variable until nothing changes any more."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pckc_domain.policy.graph.values import Value

MAX_VALUES = 64
"""A variable that would hold more values keeps the first ones: nobody can tell then what it holds."""

MANY_TARGETS = 8
"""A list of more targets becomes a dictionary."""

Handler = Callable[[int, Any], None]


class Flow:
    """
    Variables, what they hold, where it flows to, and who is told of each new value.

    Values are numbers of `values`; equal values have one number. The result does not depend on the order of work, but
    where a variable is full.
    """

    most_values = MAX_VALUES

    def __init__(self, variables: int) -> None:
        self.values: list[Value] = []
        self._numbers: dict[tuple[type, Value], int] = {}
        self.held: list[set[int] | None] = [None] * variables
        self._targets: list[list[int] | dict[int, None] | None] = [None] * variables
        self._listeners: list[list[tuple[Handler, Any]] | None] = [None] * variables
        self._news: dict[int, set[int]] = {}
        self._queue: deque[int] = deque()
        self.full: set[int] = set()

    def number(self, value: Value) -> int:
        """Return the number of *value*."""
        key = (type(value), value)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.values)
            self.values.append(value)
        return known

    def variable(self) -> int:
        """Return a new variable."""
        self.held.append(None)
        self._targets.append(None)
        self._listeners.append(None)
        return len(self.held) - 1

    def holds(self, variable: int) -> Iterable[int]:
        """Return the numbers of what a variable holds."""
        return self.held[variable] or ()

    def put(self, variable: int, value: Value) -> None:
        """Let a variable hold *value* too."""
        self.give(variable, self.number(value))

    def give(self, variable: int, number: int) -> None:
        """Let a variable hold the value with *number* too."""
        held = self.held[variable]
        if held is None:
            held = self.held[variable] = set()
        elif number in held:
            return
        elif len(held) >= self.most_values:
            self.full.add(variable)
            return
        held.add(number)
        news = self._news.get(variable)
        if news is None:
            self._news[variable] = {number}
            self._queue.append(variable)
        else:
            news.add(number)

    def join(self, source: int, into: int) -> None:
        """Let *into* hold all that *source* holds, now and later."""
        if source == into:
            return
        targets = self._targets[source]
        if targets is None:
            self._targets[source] = [into]
        elif into in targets:
            return
        elif isinstance(targets, dict):
            targets[into] = None
        else:
            targets.append(into)
            if len(targets) > MANY_TARGETS:
                self._targets[source] = dict.fromkeys(targets)
        held = self.held[source]
        if held:
            self._give_all(into, held)

    def _give_all(self, variable: int, numbers: set[int]) -> None:
        held = self.held[variable]
        if held is None:
            held = self.held[variable] = set()
        elif variable in self.full:
            return
        fresh = numbers - held
        if not fresh:
            return
        if len(held) + len(fresh) > self.most_values:
            self.full.add(variable)
            fresh = set(sorted(fresh)[: self.most_values - len(held)])
        held |= fresh
        news = self._news.get(variable)
        if news is None:
            self._news[variable] = fresh
            self._queue.append(variable)
        else:
            news |= fresh

    def listen(self, variable: int, handler: Handler, data: object) -> None:
        """Call ``handler(number, data)`` for every value the variable holds, now and later."""
        listeners = self._listeners[variable]
        if listeners is None:
            self._listeners[variable] = [(handler, data)]
        else:
            listeners.append((handler, data))
        held = self.held[variable]
        if held:
            news = self._news.get(variable, ())
            for number in [one for one in held if one not in news]:
                handler(number, data)

    def run(self) -> None:
        """Work until nothing changes."""
        queue, news = self._queue, self._news
        while queue:
            variable = queue.popleft()
            fresh = news.pop(variable)
            targets = self._targets[variable]
            if targets:
                for target in targets:
                    self._give_all(target, fresh)
            listeners = self._listeners[variable]
            if listeners:
                for handler, data in list(listeners):
                    for number in fresh:
                        handler(number, data)
