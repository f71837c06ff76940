"""
What a name means at a place in the text, and the scopes and steps that are being collected.

A name that is given one value, or that inner functions set, has one variable. Any other has a version for each value it
is given; versions join where branches meet. A function sees of an outer name the version at its definition and all
later ones.
"""

from collections import Counter
from collections.abc import Iterable

from pckc_domain.model.code_facts import (
    NOTHING,
    Copy,
    Global,
    Parameter,
    ScopeFacts,
    ScopeKind,
    Site,
    StarImport,
    Step,
    Variable,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.bindings import Bindings


class Binding:
    """A declared name; *scope* is the function or module it belongs to."""

    def __init__(self, scope: "Scope", *, is_fixed: bool) -> None:
        self.scope = scope
        self.is_fixed = is_fixed
        self.variable = NOTHING
        self.later = NOTHING
        self.captured = (NOTHING, NOTHING, NOTHING)
        self.defines = -1
        self.text: str | None = None


Versions = dict[Binding, int]


class Block:
    """The names that one pair of braces declares; types have names of their own."""

    def __init__(self, parent: "Block | None", scope: "Scope") -> None:
        self.parent = parent
        self.scope = scope
        self.values: dict[str, Binding] = {}
        self.types: dict[str, Binding] = {}


class Scope:
    """
    A scope that is being read; its facts are made when all is read.

    Attributes:
        owner: Index of the scope that its name counts from.
        around: The scope whose names it sees.
        definition: What an object literal, class or function stands for: a variable that holds it.
    """

    def __init__(self, kind: ScopeKind, name: str, index: int, owner: int, around: "Scope | None", node: Node) -> None:
        self.kind = kind
        self.name = name
        self.index = index
        self.owner = owner
        self.around = around
        self.node = node
        self.bindings = Bindings()
        self.versions: Versions = {}
        self.is_dead = False
        self.loops: list[Loop] = []
        self.ordinal = 0
        self.children: Counter[tuple[ScopeKind, str]] = Counter()
        self.lambdas: list[Scope] = []
        self.definition = NOTHING
        self.parameters: list[Parameter] = []
        self.receiver = NOTHING
        self.arguments = NOTHING
        self.is_arrow = False
        self.is_static = False
        self.bases: list[int] = []
        self.members: dict[str, int] = {}
        self.statics: dict[str, int] = {}
        self.declared: list[Variable] = []
        self.result = NOTHING
        self.passes: tuple[int, ...] = ()
        self.yields = NOTHING
        self.is_async = False
        self.is_generator = False
        self.is_abstract = False
        self.types: list[int] = []
        self.return_types: list[int] = []
        self.start_line = 1
        self.signature = ""
        self.doc = ""
        self.visibility = ""

    def facts(self, last_line: int) -> ScopeFacts:
        """Return what was found out."""
        return ScopeFacts(
            parent=self.owner,
            kind=self.kind,
            name=self.name,
            ordinal=self.ordinal,
            start_line=self.start_line,
            end_line=last_line,
            parameters=tuple(self.parameters),
            bases=tuple(self.bases),
            members=tuple(self.members.items()),
            statics=tuple(self.statics.items()),
            receiver=self.receiver,
            result=self.result,
            passes=self.passes,
            yields=self.yields,
            is_async=self.is_async,
            is_generator=self.is_generator,
            is_abstract=self.is_abstract,
            types=tuple(self.types),
            return_types=tuple(self.return_types),
            declared=tuple(self.declared),
            start_byte=self.node.start_byte,
            end_byte=self.node.end_byte,
            signature=self.signature,
            doc=self.doc,
            visibility=self.visibility,
        )


class Loop:
    """A loop or switch that is being read: the versions at its head, and those at each place that leaves it."""

    def __init__(self, heads: Versions) -> None:
        self.heads = heads
        self.breaks: list[Versions] = []


class Names:
    """Collects the steps of a file, and knows which variable a name means."""

    def __init__(self, shared: frozenset[str]) -> None:
        self.steps: list[Step] = []
        self.sites: list[Site] = []
        self.scopes: list[Scope] = []
        self.stars: list[StarImport] = []
        self.variables = 1
        self.literals: set[int] = set()
        self._shared = shared
        self._globals: dict[str, int] = {}
        self.scope: Scope
        self.block: Block

    def new(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables - 1

    def open(self, kind: ScopeKind, name: str, node: Node, owner: Scope | None = None) -> Scope:
        """Return a new scope inside the current one; its name counts from *owner*."""
        around = self.scope if self.scopes else None
        owner = owner or around
        scope = Scope(kind, name, len(self.scopes), owner.index if owner else -1, around, node)
        if owner is not None:
            if kind is ScopeKind.LAMBDA:
                owner.lambdas.append(scope)
            else:
                scope.ordinal = owner.children[kind, name]
                owner.children[kind, name] += 1
        scope.start_line = node.start_point.row + 1
        self.scopes.append(scope)
        return scope

    def finish(self) -> None:
        """Give the functions without a name their numbers."""
        for scope in self.scopes:
            ordered = sorted(scope.lambdas, key=lambda one: one.node.start_byte)
            for number, inner in enumerate(ordered, start=1):
                inner.name = f"<lambda{number}>"

    # Names

    def declare(self, name: str, *, is_type: bool = False) -> Binding:
        """Return the binding of *name* in the current block, a new one if there is none."""
        block = self.block
        table = block.types if is_type else block.values
        binding = table.get(name)
        if binding is None:
            is_fixed = is_type or name in self._shared or block.scope.bindings.bound[name] <= 1
            binding = table[name] = Binding(block.scope, is_fixed=is_fixed)
            if not is_fixed:
                block.scope.versions[binding] = self.new()
        return binding

    def find(self, name: str) -> Binding | None:
        """Return what *name* is bound to here."""
        block: Block | None = self.block
        while block is not None:
            binding = block.values.get(name)
            if binding is not None:
                return binding
            block = block.parent
        return None

    def find_type(self, name: str) -> Binding | None:
        """Return what *name* is bound to as a type."""
        block: Block | None = self.block
        while block is not None:
            binding = block.types.get(name) or block.values.get(name)
            if binding is not None:
                return binding
            block = block.parent
        return None

    def value_of(self, binding: Binding) -> int:
        """Return the variable that a binding means here."""
        narrowed = self.scope.versions.get(binding)
        if narrowed is not None:
            return narrowed
        if binding.is_fixed:
            return self.fixed(binding)
        if binding.scope is self.scope:
            binding.scope.versions[binding] = self.new()
            return binding.scope.versions[binding]
        return self._captured(binding)

    def fixed(self, binding: Binding) -> int:
        """Return the one variable of a binding."""
        binding.variable = binding.variable or self.new()
        return binding.variable

    def last(self, binding: Binding) -> int:
        """Return the variable of the last value a binding has."""
        if binding.is_fixed:
            return self.fixed(binding)
        return binding.scope.versions.get(binding, NOTHING)

    def unbound(self, name: str) -> int:
        """Return the variable of a name that the file does not bind."""
        if name not in self._globals:
            self._globals[name] = self.new()
            self.steps.append(Global(self._globals[name], name))
        return self._globals[name]

    def _captured(self, binding: Binding) -> int:
        now = binding.scope.versions.get(binding, NOTHING)
        binding.later = binding.later or self.new()
        if binding.captured[:2] != (now, binding.later):
            binding.captured = (now, binding.later, self.copied(now, binding.later))
        return binding.captured[2]

    def bind(self, binding: Binding, value: int) -> None:
        """Give a binding a value."""
        if binding.is_fixed:
            if binding.variable:
                self.copy(value, binding.variable)
            elif value:
                binding.variable = value if value in self.literals else self.copied(value)
            self.scope.versions.pop(binding, None)
            return
        if binding.scope is not self.scope:  # a class body sets a name of the scope around
            binding.later = binding.later or self.new()
            self.copy(value, binding.later)
            return
        version = binding.scope.versions[binding] = value or self.new()
        if binding.later:
            after = self.new()
            self.copy(version, binding.later)
            self.copy(after, binding.later)
            binding.later = after

    # Copies

    def copy(self, source: int, into: int) -> None:
        """Let *into* hold what *source* holds."""
        if source and into:
            self.steps.append(Copy(into, source))

    def copied(self, *sources: int) -> int:
        """Return a new variable that holds what *sources* hold."""
        into = self.new()
        for source in sources:
            self.copy(source, into)
        return into

    def joined(self, sources: Iterable[int]) -> int:
        """Return a variable that holds what *sources* hold, one of them when they are all the same."""
        distinct = list(dict.fromkeys(source for source in sources if source))
        if len(distinct) == 1:
            return distinct[0]
        return self.copied(*distinct) if distinct else NOTHING

    # Branches

    def snapshot(self) -> Versions:
        """Return the versions as they are now."""
        return dict(self.scope.versions)

    def restore(self, versions: Versions) -> None:
        """Go on with *versions*, on a path that can be reached."""
        self.scope.versions = dict(versions)
        self.scope.is_dead = False

    def path(self) -> Versions | None:
        """Return the versions at the end of a path; ``None`` when it does not get there."""
        return None if self.scope.is_dead else self.snapshot()

    def merge(self, paths: Iterable[Versions | None]) -> None:
        """Go on where *paths* meet; ``None`` is a path that ended before."""
        alive = [path for path in paths if path is not None]
        if not alive:
            self.scope.is_dead = True
            return
        self.scope.is_dead = False
        merged = dict(alive[0])
        for binding in dict.fromkeys(binding for path in alive for binding in path) if len(alive) > 1 else ():
            found = [path.get(binding, NOTHING) for path in alive]
            if all(one == found[0] for one in found):
                continue
            if binding.is_fixed:
                merged.pop(binding, None)
            else:
                merged[binding] = self.joined(found)
        self.scope.versions = merged
