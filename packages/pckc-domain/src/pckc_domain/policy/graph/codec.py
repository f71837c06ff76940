"""Facts and shapes of files as bytes."""

import marshal
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from pckc_domain.model import code_facts as facts
from pckc_domain.model.code_facts import (
    CodeFacts,
    Parameter,
    ParameterKind,
    Rationale,
    ScopeFacts,
    ScopeKind,
    Site,
    StarImport,
    Variable,
)
from pckc_domain.policy.graph.shapes import Imported, Row, Shape

VERSION = 2
"""Changes whenever bytes of an earlier version mean something else."""

_STEPS: tuple[Any, ...] = (
    facts.Copy, facts.Define, facts.Literal, facts.Build, facts.Member, facts.SetMember, facts.Item, facts.SetItem,
    facts.Call, facts.New, facts.Super, facts.Special, facts.Iterate, facts.Enter, facts.Await, facts.Raise,
    facts.Import, facts.Global, facts.Narrow, facts.Fit, facts.Declared, facts.Use,
)  # fmt: skip
_NUMBERS = {kind: number for number, kind in enumerate(_STEPS)}
_MAKERS: tuple[Callable[[Any], Any], ...] = tuple(kind._make for kind in _STEPS)
_FIELDS = tuple(one.name for one in attrs.fields(ScopeFacts))
_UNSEEN = frozenset(
    ("start_line", "end_line", "start_byte", "end_byte", "signature", "doc", "visibility", "types", "return_types")
)
_SEEN = tuple(name for name in _FIELDS if name not in _UNSEEN)


def dump(value: Any) -> bytes:
    """Return plain tuples, dictionaries, texts and numbers as bytes."""
    return marshal.dumps(value)


def load(data: bytes) -> Any:
    """Return what `dump` was given."""
    return marshal.loads(data)  # noqa: S302  # only a linker's own memory is read


def facts_to_bytes(one: CodeFacts) -> bytes:
    """Return the facts of a file as bytes."""
    return dump(
        (
            one.path,
            one.language,
            [_plain_scope(scope, _FIELDS) for scope in one.scopes],
            one.variables,
            [(_NUMBERS[type(step)], tuple(step)) for step in one.steps],
            [tuple(site) for site in one.sites],
            [tuple(star) for star in one.stars],
            one.exports,
            [tuple(note) for note in one.rationale],
            one.problems,
        )
    )


def facts_from_bytes(data: bytes) -> CodeFacts:
    """Return the facts that bytes tell."""
    path, language, scopes, variables, steps, sites, stars, exports, rationale, problems = load(data)
    return CodeFacts(
        path=path,
        language=language,
        scopes=tuple(_scope(plain, _FIELDS) for plain in scopes),
        variables=variables,
        steps=tuple([_MAKERS[number](step) for number, step in steps]),
        sites=tuple(map(Site._make, sites)),
        stars=tuple(map(StarImport._make, stars)),
        exports=exports,
        rationale=tuple(map(Rationale._make, rationale)),
        problems=problems,
    )


def shape_to_bytes(one: Shape) -> bytes:
    """Return as bytes what others can see of a file."""
    return dump(
        (
            one.variables,
            [_plain_scope(scope, _SEEN) for scope in one.scopes],
            tuple(one.keys),
            tuple(one.stars),
            None if one.exports is None else tuple(one.exports),
            sorted(one.stores),
            dict(one.constants),
            {name: tuple(imported) for name, imported in one.imported.items()},
            {scope: tuple(row) for scope, row in one.rows.items()},
            {scope: tuple(row) for scope, row in one.late.items()},
        )
    )


def shape_from_bytes(data: bytes) -> Shape:
    """Return what bytes tell of what others can see of a file."""
    variables, scopes, keys, stars, exports, stores, constants, imported, rows, late = load(data)
    return Shape(
        variables=variables,
        scopes=[_scope(plain, _SEEN) for plain in scopes],
        keys=keys,
        stars=stars,
        exports=exports,
        stores=frozenset(stores),
        constants=constants,
        imported={name: Imported(*plain) for name, plain in imported.items()},
        rows=_rows(rows),
        late=_rows(late),
    )


def _rows(plain: Mapping[int, tuple[Any, ...]]) -> dict[int, Row]:
    return {scope: Row(*row) for scope, row in plain.items()}


def _plain_scope(scope: ScopeFacts, fields: tuple[str, ...]) -> tuple[Any, ...]:
    plain = []
    for name in fields:
        part = getattr(scope, name)
        if name == "kind":
            part = str(part)
        elif name == "parameters":
            part = [(one.name, str(one.kind), one.variable, one.default) for one in part]
        elif name == "declared":
            part = [tuple(one) for one in part]
        plain.append(part)
    return tuple(plain)


def _scope(plain: tuple[Any, ...], fields: tuple[str, ...]) -> ScopeFacts:
    parts: dict[str, Any] = dict(zip(fields, plain, strict=True))
    parts["kind"] = ScopeKind(parts["kind"])
    parts["parameters"] = tuple(
        Parameter(name, ParameterKind(kind), variable, default) for name, kind, variable, default in parts["parameters"]
    )
    parts["declared"] = tuple(map(Variable._make, parts["declared"]))
    parts.setdefault("start_line", 0)
    parts.setdefault("end_line", 0)
    return ScopeFacts(**parts)
