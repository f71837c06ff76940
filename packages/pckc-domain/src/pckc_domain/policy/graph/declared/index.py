"""All names of a language's files: who declares what, and who builds on whom."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.outline import FUNCTIONS, TYPES, Outline, Row, Symbol

_CALLABLE = frozenset(map(str, FUNCTIONS | TYPES))
_NO_ROWS: tuple[Symbol, ...] = ()


class Index:
    """
    Names of all files; outlines are loaded when they are asked for.

    Attributes:
        paths: Every file.
        settings: Path to text of the project files.
    """

    def __init__(
        self, paths: Iterable[str], settings: Mapping[str, str], load: Callable[[Sequence[str]], Iterable[Outline]]
    ) -> None:
        self.paths = frozenset(paths)
        self.settings = settings
        self._load = load
        self._outlines: dict[str, Outline] = {}
        self.members: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
        self.received: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
        self.subtypes: dict[str, list[Symbol]] = defaultdict(list)
        self.implementations: dict[str, list[str]] = defaultdict(list)
        self.implementors: dict[str, list[str]] = defaultdict(list)
        self.includers: dict[str, list[str]] = defaultdict(list)
        self.named: dict[str, list[Symbol]] = defaultdict(list)
        self.spaces: dict[str, list[str]] = defaultdict(list)
        self.files: dict[str, list[str]] = defaultdict(list)
        self.reexports: dict[str, list[str]] = defaultdict(list)
        self.givers: dict[str, list[str]] = defaultdict(list)

    def keep(self, outline: Outline) -> None:
        """Keep an outline that is at hand."""
        self._outlines[outline.path] = outline

    def outline(self, path: str) -> Outline:
        """Return the outline of a file."""
        known = self._outlines.get(path)
        if known is None:
            for known in self._load([path]):
                self._outlines[path] = known
        return self._outlines[path]

    def add(self, path: str, names: "Names") -> None:
        """Add what a file has; files come in the order of their paths."""
        self.files[path.rpartition("/")[2]].append(path)
        for space in names.spaces:
            self.spaces[space].append(path)
        for scope in names.reexports:
            self.reexports[scope].append(path)
        for name in names.given:
            self.givers[name].append(path)
        for name in names.included:
            self.includers[name].append(path)
        for trait, kind in names.implementations:
            self.implementors[trait].append(path)
            self.implementations[kind].append(path)
        for index, scope, name, kind, receiver, bases in names.rows:
            symbol = Symbol(path, index)
            if receiver:
                self.received[receiver, name].append(symbol)
            else:
                self.members[scope, name].append(symbol)
            for base in bases:
                self.subtypes[base].append(symbol)
            if kind in _CALLABLE:
                self.named[name].append(symbol)

    def kind(self, symbol: Symbol) -> NodeKind:
        """Return the kind of a symbol."""
        return self.outline(symbol.path).declarations[symbol.number].kind


class Names:
    """What the index is to know of one file."""

    def __init__(
        self,
        rows: Sequence[Row],
        spaces: Sequence[str],
        reexports: Sequence[str],
        implementations: Sequence[tuple[str, str]],
        included: Sequence[str],
        given: Sequence[str],
    ) -> None:
        self.rows = rows
        self.spaces = spaces
        self.reexports = reexports
        self.implementations = implementations
        self.included = included
        self.given = given
