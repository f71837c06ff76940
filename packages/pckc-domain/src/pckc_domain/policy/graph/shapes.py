"""What other files can see of a file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import CodeFacts, ScopeFacts, ScopeKind
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.modules import File, Folder

KINDS: Mapping[ScopeKind, NodeKind] = {
    ScopeKind.MODULE: NodeKind.MODULE,
    ScopeKind.NAMESPACE: NodeKind.NAMESPACE,
    ScopeKind.CLASS: NodeKind.CLASS,
    ScopeKind.INTERFACE: NodeKind.INTERFACE,
    ScopeKind.ENUM: NodeKind.ENUM,
    ScopeKind.FUNCTION: NodeKind.FUNCTION,
    ScopeKind.LAMBDA: NodeKind.LAMBDA,
}
OWNERS = (ScopeKind.CLASS, ScopeKind.INTERFACE, ScopeKind.ENUM)
_COPIES = 24
"""So many names for one value are followed."""

_FILLING = frozenset(
    (
        facts.Copy, facts.Define, facts.Literal, facts.Build, facts.Member, facts.Item, facts.Call, facts.New,
        facts.Super, facts.Special, facts.Iterate, facts.Enter, facts.Await, facts.Import, facts.Global, facts.Narrow,
        facts.Fit, facts.Declared,
    )
)  # fmt: skip

_SETTERS = frozenset(("setattr", "object.__setattr__"))

Find = Callable[[str, str, int], File | Folder | None]


class Row(NamedTuple):
    """
    What a class statement says of the classes above it; a class is named by path and key.

    *outer* is the first base that stands outside of the program, ``?`` when nobody knows which.
    """

    bases: tuple[tuple[str, str], ...] = ()
    outer: str = ""
    metaclass: tuple[str, str] | None = None


class Imported(NamedTuple):
    """A member that an import binds: the statement, and the file it names or ``""``."""

    module: str
    level: int
    name: str
    line: int
    path: str


Constant = tuple[str, int | str, str]
"""``d`` and a scope, ``i`` with a path and a name there, ``m`` and a path, ``x`` and a dotted name."""


@attrs.frozen(kw_only=True)
class Shape:
    """
    What other files can see of a file.

    Attributes:
        variables: How many variables it has.
        scopes: Its scopes; what nobody else needs may be left out of them.
        keys: The part of each scope's node id that follows the path.
        stars: Paths of the files whose public names it binds all.
        stores: Names of the attributes that it sets.
        constants: What a member evidently is, by variable.
        imported: Module members that an import binds.
        rows: What is known of its classes while classes are searched first, by scope.
        late: The same in the end, where that is not the same.
    """

    variables: int
    scopes: Sequence[ScopeFacts]
    keys: Sequence[str]
    stars: Sequence[str]
    exports: Sequence[str] | None
    stores: frozenset[str]
    constants: Mapping[int, Constant]
    imported: Mapping[str, Imported]
    rows: dict[int, Row]
    late: dict[int, Row]


NO_SHAPE = Shape(
    variables=1,
    scopes=(),
    keys=(),
    stars=(),
    exports=None,
    stores=frozenset(),
    constants={},
    imported={},
    rows={},
    late={},
)
"""That of a file that is gone."""


def shape_of(one: CodeFacts, find: Find) -> Shape:
    """Return what other files can see of one; *find* tells what its imports mean."""
    sources = _only_sources(one)
    members = [(name, variable) for name, variable in one.scopes[0].members] if one.scopes else []
    imported = {}
    for name, variable in members:
        step = _first(sources, variable)
        if isinstance(step, facts.Import):
            imported[name] = Imported(step.module, step.level, step.name, step.line, _path(find, one.path, step))
    stars = (find(one.path, star.module, star.level) for star in one.stars)
    return Shape(
        variables=one.variables,
        scopes=one.scopes,
        keys=keys_of(one.scopes),
        stars=[found.path for found in stars if isinstance(found, File)],
        exports=one.exports,
        stores=_stored_names(one),
        constants=dict(_constants(one, sources, find)),
        imported=imported,
        rows={},
        late={},
    )


def keys_of(scopes: Sequence[ScopeFacts]) -> list[str]:
    """Return what follows the path in each scope's node id: its chain of scopes, kind and ordinal."""
    chains: list[str] = []
    keys = []
    for facts_ in scopes:
        kind = KINDS[facts_.kind]
        if facts_.parent < 0:
            chain = ""
            chains.append("")
        else:
            above = chains[facts_.parent]
            chain = f"{above}.{facts_.name}" if above else facts_.name
            chains.append(f"{chain}~{facts_.ordinal}" if facts_.ordinal else chain)
            if kind is NodeKind.FUNCTION and scopes[facts_.parent].kind in OWNERS:
                kind = NodeKind.METHOD
        keys.append(f"#{chain}#{kind}#{facts_.ordinal}")
    return keys


def _only_sources(one: CodeFacts) -> dict[int, facts.Step | None]:
    """Return by variable the one step that fills it; ``None`` when there are more."""
    sources: dict[int, facts.Step | None] = {}
    for step in one.steps:
        if type(step) in _FILLING:
            into = step[0]
            sources[into] = None if into in sources else step
    return sources


def _first(sources: Mapping[int, facts.Step | None], variable: int) -> facts.Step | None:
    """Return the step that evidently gives a variable its one value."""
    for _ in range(_COPIES):
        step = sources.get(variable)
        if not isinstance(step, facts.Copy):
            return step
        variable = step.source
    return None


def _constants(one: CodeFacts, sources: Mapping[int, facts.Step | None], find: Find) -> Iterator[tuple[int, Constant]]:
    for scope in one.scopes:
        for _, variable in (*scope.members, *scope.statics):
            step = _first(sources, variable)
            if isinstance(step, facts.Define):
                yield variable, ("d", step.scope, "")
            elif isinstance(step, facts.Import):
                found = find(one.path, step.module, step.level)
                if found is None:
                    name = f"{step.module}.{step.name}" if step.name else step.module
                    yield variable, ("x", f".{name}" if step.level else name, "")
                elif isinstance(found, File) and (not step.name or found.path != one.path):
                    yield variable, ("i" if step.name else "m", found.path, step.name)


def _path(find: Find, path: str, step: facts.Import) -> str:
    found = find(path, step.module, step.level)
    return found.path if isinstance(found, File) else ""


def _stored_names(one: CodeFacts) -> frozenset[str]:
    """Return the names of attributes that the file sets: only such are looked for in instances."""
    stored = {step.name for step in one.steps if isinstance(step, facts.SetMember)}
    calls = [
        step
        for step in one.steps
        if isinstance(step, facts.Call) and len(step.arguments) > 1 and one.sites[step.site].text in _SETTERS
    ]
    if calls:
        texts = {step.into: step.text for step in one.steps if isinstance(step, facts.Literal) and step.text}
        stored.update(texts.get(step.arguments[1][1], "") for step in calls)
    stored.update(name for scope in one.scopes for name in scope.fields)
    return frozenset(stored)
