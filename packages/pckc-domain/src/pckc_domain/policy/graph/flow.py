"""
Values that flow from variable to variable, file by file, in rounds.

In a round every file works until nothing changes inside of it. What it gives to variables of other files, and what
they hold that it reads, crosses between rounds. So what a file does depends on its own facts and on what came in which
round, never on the order in which files are worked on: a file can be worked on again alone, with the others' parts
played from what is remembered of them.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable
from typing import Any

from pckc_domain.policy.graph.values import ClassValue, FunctionValue, Slot, Value

MAX_VALUES = 16
"""A variable that would hold more values keeps the first ones: nobody can tell then what it holds."""

MAX_IN_TABLES = 64
"""The same for functions, classes and keys, of which a table has many that it evidently holds."""

_OF_TABLES = (FunctionValue, ClassValue, Slot)

MAX_IN_TESTS = 16
"""The same for tests: little of what they call is chosen from a table."""

MANY_TARGETS = 8
"""A list of more targets becomes a dictionary."""

Handler = Callable[[int, Any], None]
Numbers = dict[int, int]
"""Numbers of values, each with the time it came."""


class Flow:
    """
    Variables, what they hold, where it flows to, and who is told of each new value.

    Values are numbers of `values`; equal values have one number. Variable 0 takes and holds nothing.

    Attributes:
        most_values: So many values a variable holds; a family may have its own number.
        limit: The same for the files that are worked on now.
        table_limit: The same for functions, classes and keys.
        home: The file of each variable.
        here: The file that is being worked on.
        now: The current time: rounds are counted through all stages.
        sent: By file: by variable of another file: what was given to it.
    """

    most_values = MAX_VALUES

    def __init__(self) -> None:
        self.limit = self.most_values
        self.table_limit = MAX_IN_TABLES
        self.values: list[Value] = []
        self._numbers: dict[tuple[type, Value], int] = {}
        self.held: list[Numbers | None] = [None]
        self._targets: list[list[int] | dict[int, None] | None] = [None]
        self._listeners: list[list[tuple[Handler, Any]] | None] = [None]
        self.home: list[int] = [-1]
        self.here = -1
        self.now = 0
        self.full: set[int] = set()
        self.sent: list[dict[int, Numbers]] = []
        self.proxies: list[dict[int, int]] = []
        self.subscribers: dict[int, list[int]] = {}
        self._news: dict[int, list[int]] = {}
        self._queue: deque[int] = deque()
        self.started: list[tuple[int, int]] = []
        self.changed: dict[int, list[int]] = {}
        self.outbox: dict[int, dict[int, None]] = {}

    def add_file(self, variables: int) -> int:
        """Make room for a file with so many variables; return the number of its variable 0, which is never used."""
        base = len(self.held)
        self.held += [None] * variables
        self._targets += [None] * variables
        self._listeners += [None] * variables
        self.home += [len(self.sent)] * variables
        self.sent.append({})
        self.proxies.append({})
        return base

    def number(self, value: Value) -> int:
        """Return the number of *value*."""
        key = (type(value), value)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.values)
            self.values.append(value)
        return known

    def variable(self, home: int | None = None) -> int:
        """Return a new variable of this file, or of another one."""
        self.held.append(None)
        self._targets.append(None)
        self._listeners.append(None)
        self.home.append(self.here if home is None else home)
        return len(self.held) - 1

    def holds(self, variable: int) -> Iterable[int]:
        """Return the numbers of what a variable holds, in the order they came."""
        return self.held[variable] or ()

    def put(self, variable: int, value: Value) -> None:
        """Let a variable hold *value* too."""
        self.give(variable, self.number(value))

    def give(self, variable: int, number: int) -> None:
        """Let a variable hold the value with *number* too."""
        if self.home[variable] != self.here:
            self._send(variable, (number,))
            return
        held = self.held[variable]
        if held is None:
            held = self.held[variable] = {}
        elif number in held or (len(held) >= self.limit and not self._still_taken(variable, [number])):
            return
        held[number] = self.now
        news = self._news.get(variable)
        if news is None:
            self._news[variable] = [number]
            self._queue.append(variable)
        else:
            news.append(number)

    def join(self, source: int, into: int) -> None:
        """Let *into* hold all that *source* holds, now and later."""
        if source == into or not source or not into:
            return
        if self.home[source] != self.here:
            proxy = self.proxies[self.here].get(source)
            if proxy is None:
                constant = self.constant(source)
                if constant is not None:
                    self.give(into, constant)
                    return
                proxy = self._proxy(source)
            source = proxy
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
            self.give_all(into, held)

    def give_all(self, variable: int, numbers: Iterable[int]) -> None:
        """Let a variable hold several values too."""
        if self.home[variable] != self.here:
            self._send(variable, numbers)
            return
        held = self.held[variable]
        if held is None:
            held = self.held[variable] = {}
        elif variable in self.full:
            return
        fresh = [number for number in numbers if number not in held]
        if not fresh:
            return
        if len(held) + len(fresh) > self.limit:
            fresh = self._still_taken(variable, fresh)
            if not fresh:
                return
        now = self.now
        for number in fresh:
            held[number] = now
        news = self._news.get(variable)
        if news is None:
            self._news[variable] = fresh
            self._queue.append(variable)
        else:
            news += fresh

    def _still_taken(self, variable: int, fresh: list[int]) -> list[int]:
        """Return those of *fresh* values that a variable still takes."""
        count = len(self.held[variable] or ())
        room = max(self.limit - count, 0)
        taken = fresh[:room]
        for number in fresh[room:]:
            if count + len(taken) >= self.table_limit:
                self.full.add(variable)
                break
            if isinstance(self.values[number], _OF_TABLES):
                taken.append(number)
        return taken

    def listen(self, variable: int, handler: Handler, data: object) -> None:
        """Call ``handler(number, data)`` for every value the variable holds, now and later."""
        if not variable:
            return
        if self.home[variable] != self.here:
            constant = self.constant(variable)
            if constant is not None:
                handler(constant, data)
                return
            variable = self._proxy(variable)
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
        """Work until nothing changes in this file."""
        queue, news, subscribers = self._queue, self._news, self.subscribers
        while queue:
            variable = queue.popleft()
            fresh = news.pop(variable)
            if variable in subscribers:
                self.changed.setdefault(variable, []).extend(fresh)
            targets = self._targets[variable]
            if targets:
                for target in list(targets):
                    self.give_all(target, fresh)
            listeners = self._listeners[variable]
            if listeners:
                for handler, data in list(listeners):
                    for number in fresh:
                        handler(number, data)

    # Between files

    def constant(self, variable: int) -> int | None:
        """Return the number of the one value that another file's variable evidently holds, which is asked for."""
        raise NotImplementedError

    def final(self, variable: int) -> Iterable[int] | None:
        """Return what a variable of another file holds in the end, when that is known already."""
        raise NotImplementedError

    def _proxy(self, variable: int) -> int:
        """Return the variable that stands for another file's *variable* in this one."""
        proxies = self.proxies[self.here]
        known = proxies.get(variable)
        if known is None:
            known = proxies[variable] = self.variable()
            final = self.final(variable)
            if final is None:
                self.started.append((known, variable))
            else:
                self.give_all(known, final)
        return known

    def _send(self, variable: int, numbers: Iterable[int]) -> None:
        """Give values to a variable of another file: it gets them in the next round."""
        if not variable or not self.takes(self.home[variable]):
            return
        sent = self.sent[self.here].setdefault(variable, {})
        for number in numbers:
            if number not in sent:
                sent[number] = self.now
                self.outbox.setdefault(variable, {})[number] = None

    def takes(self, file: int) -> bool:
        """Return whether a file takes what this one gives it."""
        raise NotImplementedError

    def settle(self, readable: Container[int]) -> None:
        """Let variables tell nobody any more; only *readable* ones go on holding what they hold."""
        count = len(self.held)
        self._targets = [None] * count
        self._listeners = [None] * count
        self.held = [held if held and variable in readable else None for variable, held in enumerate(self.held)]
        self.subscribers = {}
