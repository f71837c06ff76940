"""Which names a body of statements binds, without the scopes inside it."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator


def bound_names(body: Iterable[ast.stmt], walrus_lines: Collection[int]) -> Counter[str]:
    """Return how often each name is bound in *body*; expressions may bind some on *walrus_lines*."""
    names: Counter[str] = Counter()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        names.update(_own_names(node))
        if walrus_lines and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
            if last is None or any(first <= line <= last for line in walrus_lines):
                names.update(_walrus_names(node))
        for field in _BLOCKS.get(type(node), ()):
            stack.extend(getattr(node, field))
    return names


def declared_names(body: Iterable[ast.stmt], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Return the names that ``global`` or ``nonlocal`` statements of *body* declare."""
    names: set[str] = set()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            names.update(node.names)
        for field in _BLOCKS.get(type(node), ()):
            stack.extend(getattr(node, field))
    return names


def target_names(target: ast.expr) -> Iterator[str]:
    """Yield the names that an assignment to *target* binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from target_names(element)
    elif isinstance(target, ast.Starred):
        yield from target_names(target.value)


def pattern_names(pattern: ast.pattern) -> Iterator[str]:
    """Yield the names that a match pattern binds."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def _own_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from target_names(target)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor):
        yield from target_names(node.target)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names if alias.name != "*")
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield from target_names(item.optional_vars)
    elif isinstance(node, ast.ExceptHandler):
        if node.name:
            yield node.name
    elif isinstance(node, ast.match_case):
        yield from pattern_names(node.pattern)


def _walrus_names(node: ast.AST) -> Iterator[str]:
    stack = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr | ast.withitem)]
    while stack:
        child: ast.AST = stack.pop()
        if isinstance(child, ast.NamedExpr):
            yield child.target.id
        if not isinstance(child, ast.Lambda):
            stack.extend(ast.iter_child_nodes(child))  # type: ignore[arg-type]  # any node below an expression


_BLOCKS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.If: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.AsyncFor: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.With: ("body",),
    ast.AsyncWith: ("body",),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.TryStar: ("body", "handlers", "orelse", "finalbody"),
    ast.ExceptHandler: ("body",),
    ast.Match: ("cases",),
    ast.match_case: ("body",),
}
"""The fields that hold statements of the same scope."""
