"""Statements of Python as steps over variables."""

import ast
from collections.abc import Callable, Collection, Iterable, Sequence

from pckc_domain.model.code_facts import (
    NOTHING,
    Call,
    Copy,
    Declared,
    Define,
    Enter,
    Fit,
    Import,
    Parameter,
    ParameterKind,
    Raise,
    ScopeKind,
    StarImport,
    Variable,
)
from pckc_domain.policy.graph.passing import passed_through
from pckc_domain.policy.graph.python.bindings import bound_names, declared_names, pattern_names, target_names
from pckc_domain.policy.graph.python.expressions import Expressions, text_of
from pckc_domain.policy.graph.python.scopes import Loop, Recorder, Scope, Versions

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Statements(Expressions):
    """Reads a module."""

    def __init__(self, recorder: Recorder, walrus_lines: Collection[int]) -> None:
        super().__init__(recorder)
        self._walrus_lines = walrus_lines
        self.exports: list[str] | None = None
        self._statements: dict[type[ast.stmt], Callable[[ast.stmt], None]] = {
            kind: getattr(self, f"_do_{kind.__name__.lower()}")
            for kind in (
                ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign,
                ast.AnnAssign, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Match, ast.Raise,
                ast.Try, ast.TryStar, ast.Assert, ast.Import, ast.ImportFrom, ast.Expr, ast.Break, ast.Continue,
            )
        }  # fmt: skip

    def module(self, tree: ast.Module, name: str, lines: int) -> None:
        """Read a whole module."""
        bound = bound_names(tree.body, self._walrus_lines)
        self.recorder.open(ScopeKind.MODULE, name, (1, lines), bound).node = tree
        self._block(tree.body)
        self.recorder.close()

    def _block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            visit = self._statements.get(type(statement))
            if visit is not None:
                visit(statement)

    # Definitions

    def _do_functiondef(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)  # noqa: S101 - dispatched by type
        decorators = [(one, self.read(one)) for one in node.decorator_list]
        scope, value = self._open_function(node, node.name, _first_line(node))
        scope.node = node
        scope.is_async = isinstance(node, ast.AsyncFunctionDef)
        scope.is_abstract = _is_abstract(node, in_protocol=self.recorder.scope.is_protocol)
        self.recorder.bind(node.name, self._decorated(decorators, value))
        self._function_body(scope, node)

    _do_asyncfunctiondef = _do_functiondef

    def _decorated(self, decorators: Sequence[tuple[ast.expr, int]], value: int) -> int:
        for decorator, callee in reversed(decorators):
            text = text_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
            value = self.call(decorator, callee, [("", value)], text, fallback=value)
        return value

    def _lambda(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Lambda)  # noqa: S101 - dispatched by type
        around = self.recorder.scope
        scope, value = self._open_function(node, "", node.lineno)
        scope.node = node
        around.lambdas.append(scope)
        scope.column = node.col_offset
        self._function_body(scope, node)
        return value

    def _open_function(self, node: Function, name: str, first_line: int) -> tuple[Scope, int]:
        """Make the scope of a function, without entering it, and the variable that holds the function."""
        recorder = self.recorder
        around = recorder.scope
        defaults = self._defaults(node.args)
        types: list[int] = []
        promised: dict[str, tuple[int, tuple[int, ...]]] = {}
        for one in _all_arguments(node.args):
            if one.annotation is not None:
                named: list[int] = []
                promise = self.declared(one.annotation, named)
                promised[one.arg] = promise, tuple(named) if self.names_all(one.annotation, len(named)) else ()
                types += named
        return_types: list[int] = []
        returned = NOTHING if isinstance(node, ast.Lambda) else self.declared(node.returns, return_types)
        body = [] if isinstance(node, ast.Lambda) else node.body
        bound = bound_names(body, self._walrus_lines)
        bound.update(one.arg for one in _all_arguments(node.args))
        globals_, nonlocals = declared_names(body, ast.Global), declared_names(body, ast.Nonlocal)
        kind = ScopeKind.LAMBDA if isinstance(node, ast.Lambda) else ScopeKind.FUNCTION
        scope = recorder.open(kind, name, (first_line, node.end_lineno or first_line), bound)
        scope.globals, scope.nonlocals = globals_, nonlocals
        scope.types, scope.return_types = types, return_types
        scope.result = recorder.new()
        if returned:
            recorder.steps.append(Copy(scope.result, returned))
        for name_, parameter_kind in _parameters(node.args):
            parameter = recorder.new()
            scope.parameters.append(Parameter(name_, parameter_kind, parameter, defaults.get(name_, NOTHING)))
            is_rest = parameter_kind in (ParameterKind.REST, ParameterKind.NAMED_REST)
            promise, only = (NOTHING, ()) if is_rest else promised.get(name_, (NOTHING, ()))
            value = parameter
            if only:
                value = recorder.copied(promise)
                recorder.steps.append(Fit(value, parameter, only))
            elif promise:
                value = recorder.copied(parameter, promise)
            recorder.bind(name_, value)
        value = recorder.new()
        recorder.steps.append(Define(value, scope.index))
        recorder.scope = around
        return scope, value

    def _defaults(self, arguments: ast.arguments) -> dict[str, int]:
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
        named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        defaults = {one.arg: self.read(value) for one, value in reversed(pairs)}
        return defaults | {one.arg: self.read(value) for one, value in named if value is not None}

    def _function_body(self, scope: Scope, node: Function) -> None:
        recorder = self.recorder
        around = recorder.scope
        recorder.scope = scope
        start = len(recorder.steps)
        if isinstance(node, ast.Lambda):
            recorder.steps.append(Copy(scope.result, self.read(node.body)))
        else:
            self._block(node.body)
        if not scope.is_async and not scope.is_generator:
            scope.passes, others = passed_through(scope.result, scope.parameters, recorder.steps[start:])
            if scope.passes:
                scope.result = recorder.copied(*others)
        recorder.close()
        recorder.scope = around

    def _do_classdef(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.ClassDef)  # noqa: S101 - dispatched by type
        recorder = self.recorder
        decorators = [(one, self.read(one)) for one in node.decorator_list]
        bases = tuple(self.read_owner(base) for base in node.bases if not isinstance(base, ast.Starred))
        keywords = {keyword.arg: self.read(keyword.value) for keyword in node.keywords}
        value = recorder.new()
        bound = bound_names(node.body, self._walrus_lines)
        lines = (_first_line(node), node.end_lineno or node.lineno)
        scope = recorder.open(ScopeKind.CLASS, node.name, lines, bound)
        scope.node = node
        scope.globals = declared_names(node.body, ast.Global)
        scope.is_protocol = any(text_of_annotation(base).endswith("Protocol") for base in node.bases)
        scope.bases, scope.metaclass = bases, keywords.get("metaclass", NOTHING)
        recorder.steps.append(Define(value, scope.index))
        around = scope.parent
        if around is not None and around.owns(node.name) and around.bound[node.name] == 1 and not decorators:
            recorder.scope = around
            recorder.bind(node.name, value)
            recorder.scope = scope
        self._block(node.body)
        recorder.close()
        if around is None or recorder.scope.versions.get(node.name) != value:
            recorder.bind(node.name, self._decorated(decorators, value))

    # Simple statements

    def _do_return(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Return)  # noqa: S101 - dispatched by type
        scope = self.recorder.scope
        if node.value is not None:
            value = self.read(node.value)
            if value and scope.result:
                self.recorder.steps.append(Copy(scope.result, value))
        scope.is_dead = True

    def _do_expr(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Expr)  # noqa: S101 - dispatched by type
        if not isinstance(node.value, ast.Constant):
            value = self.read(node.value)
            steps = self.recorder.steps
            if isinstance(node.value, ast.Call) and steps and isinstance(steps[-1], Call) and steps[-1].into == value:
                steps[-1] = steps[-1]._replace(into=NOTHING)  # nobody uses what it gives
            if self.recorder.scope.index == 0:
                self._note_exports_call(node.value)

    def _do_delete(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Delete)  # noqa: S101 - dispatched by type
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.special(target, self.read_owner(target.value), ("__delitem__",), self.read(target.slice))

    def _do_assign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assign)  # noqa: S101 - dispatched by type
        pairs: list[tuple[ast.expr, int]] = []
        value: int | None = None
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List) and isinstance(node.value, ast.Tuple | ast.List):
                matched = self._matched(target, node.value)
                if matched is not None:
                    pairs += matched
                    continue
            if value is None:
                value = self._own(node.value)
            pairs.append((target, value))
        for target, one in pairs:
            self.assign_elements(target, one)
        scope = self.recorder.scope
        if scope.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            for target in node.targets:
                for name in target_names(target):
                    self._declare(name, node)
                    if name == "__all__" and scope.index == 0:
                        self.exports = _texts(node.value)

    def _declare(self, name: str, node: ast.stmt) -> None:
        self.recorder.scope.declared.append(Variable(name, node.lineno, node.end_lineno or node.lineno))

    def _own(self, node: ast.expr) -> int:
        """Read a value to assign; a module's variable is never that of another name, since others may set it."""
        value = self.read(node)
        if isinstance(node, ast.Name) and self.recorder.scope.kind is ScopeKind.MODULE and value:
            return self.recorder.copied(value)
        return value

    def _matched(self, target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> list[tuple[ast.expr, int]] | None:
        """Pair the parts of a written tuple with their targets, having read them all; ``None`` when they do not fit."""
        if any(isinstance(one, ast.Starred) for one in value.elts):
            return None
        star = next((at for at, one in enumerate(target.elts) if isinstance(one, ast.Starred)), None)
        if star is None:
            if len(target.elts) != len(value.elts):
                return None
            groups: list[ast.expr | list[ast.expr]] = list(value.elts)
        else:
            after = len(target.elts) - star - 1
            if len(value.elts) < star + after:
                return None
            end = len(value.elts) - after
            groups = [*value.elts[:star], value.elts[star:end], *value.elts[end:]]
        pairs: list[tuple[ast.expr, int]] = []
        for one, part in zip(target.elts, groups, strict=True):
            if isinstance(part, list):
                assert isinstance(one, ast.Starred)  # noqa: S101 - only a star takes a list
                rest = self.build("list", [(at, self.read(element)) for at, element in enumerate(part)])
                pairs.append((one.value, rest))
            elif isinstance(one, ast.Tuple | ast.List) and isinstance(part, ast.Tuple | ast.List):
                inner = self._matched(one, part)
                pairs += [(one, self.read(part))] if inner is None else inner
            else:
                pairs.append((one, self._own(part)))
        return pairs

    def _do_augassign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AugAssign)  # noqa: S101 - dispatched by type
        left = self.read_owner(node.target)
        value = self.augmented(node, left)
        if value:
            self.assign_elements(node.target, value)
        if isinstance(node.target, ast.Name) and node.target.id == "__all__" and self.exports is not None:
            self.exports += _texts(node.value) or []

    def _do_annassign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AnnAssign)  # noqa: S101 - dispatched by type
        scope = self.recorder.scope
        value = self.declared(node.annotation, [])
        if node.value is not None:
            value = self.recorder.joined((self._own(node.value), value))
        if value or node.value is not None:
            self.assign_elements(node.target, value)
        if isinstance(node.target, ast.Name) and scope.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            self._declare(node.target.id, node)
            if scope.kind is ScopeKind.CLASS and "ClassVar" not in text_of_annotation(node.annotation):
                scope.fields.append(node.target.id)

    def _do_raise(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Raise)  # noqa: S101 - dispatched by type
        if node.exc is not None:
            value = self.read_owner(node.exc)
            if value and not isinstance(node.exc, ast.Call):
                self.recorder.steps.append(Raise(value, self.site(node.exc, text_of(node.exc))))
        if node.cause is not None:
            self.read(node.cause)
        self.recorder.scope.is_dead = True

    def _do_assert(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assert)  # noqa: S101 - dispatched by type
        self.truth(node.test)
        if node.msg is not None:
            self.read(node.msg)
        self.narrow(self.narrowings(node.test)[0])

    # Imports

    def _do_import(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Import)  # noqa: S101 - dispatched by type
        for alias in node.names:
            into = self.recorder.new()
            self.recorder.steps.append(Import(into, alias.name, 0, "", node.lineno))
            if alias.asname:
                self.recorder.bind(alias.asname, into)
            else:
                top = alias.name.partition(".")[0]
                if top != alias.name:
                    into = self.recorder.new()
                    self.recorder.steps.append(Import(into, top, 0, "", node.lineno))
                self.recorder.bind(top, into)

    def _do_importfrom(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.ImportFrom)  # noqa: S101 - dispatched by type
        for alias in node.names:
            if alias.name == "*":
                self.recorder.stars.append(StarImport(node.module or "", node.level, node.lineno))
                continue
            into = self.recorder.new()
            self.recorder.steps.append(Import(into, node.module or "", node.level, alias.name, node.lineno))
            self.recorder.bind(alias.asname or alias.name, into)

    def _note_exports_call(self, node: ast.expr) -> None:
        if (
            self.exports is not None
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and text_of(node.func) in ("__all__.extend", "__all__.append")
            and node.args
        ):
            argument = node.args[0]
            self.exports += _texts(argument if node.func.attr == "extend" else ast.List([argument])) or []

    # Branches and loops

    def _do_if(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.If)  # noqa: S101 - dispatched by type
        self.truth(node.test)
        when_true, when_false = self.narrowings(node.test)
        before = self.recorder.snapshot()
        self.narrow(when_true)
        self._block(node.body)
        after_body = self.recorder.path()
        self.recorder.restore(before)
        self.narrow(when_false)
        self._block(node.orelse)
        self.recorder.merge((after_body, self.recorder.path()))

    def _loop(self, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], begin: Callable[[], None]) -> None:
        recorder = self.recorder
        scope = recorder.scope
        changed = bound_names(body, self._walrus_lines)
        heads: Versions = {}
        for name in sorted(changed):
            if scope.owns(name) and name in scope.versions and name not in scope.fixed:
                heads[name] = scope.versions[name] = recorder.copied(scope.versions[name])
        loop = Loop(heads)
        scope.loops.append(loop)
        at_head = recorder.snapshot()
        begin()
        self._block(body)
        self._back_to(loop)
        at_end = recorder.path()
        scope.loops.pop()
        recorder.merge((at_head, at_end))
        self._block(orelse)
        recorder.merge((recorder.path(), *loop.breaks))

    def _back_to(self, loop: Loop) -> None:
        scope = self.recorder.scope
        if not scope.is_dead:
            for name, head in loop.heads.items():
                last = scope.versions.get(name, NOTHING)
                if last and last != head:
                    self.recorder.steps.append(Copy(head, last))

    def _do_for(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.For | ast.AsyncFor)  # noqa: S101 - dispatched by type
        elements = self._iterated(node.iter)
        self._loop(node.body, node.orelse, lambda: self.assign_elements(node.target, elements))

    _do_asyncfor = _do_for

    def _do_while(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.While)  # noqa: S101 - dispatched by type

        def begin() -> None:
            self.truth(node.test)
            self.narrow(self.narrowings(node.test)[0])

        self._loop(node.body, node.orelse, begin)

    def _do_break(self, node: ast.stmt) -> None:
        scope = self.recorder.scope
        if scope.loops and isinstance(node, ast.Break):
            path = self.recorder.path()
            if path is not None:
                scope.loops[-1].breaks.append(path)
        scope.is_dead = True

    def _do_continue(self, node: ast.stmt) -> None:
        scope = self.recorder.scope
        if scope.loops and isinstance(node, ast.Continue):
            self._back_to(scope.loops[-1])
        scope.is_dead = True

    def _do_with(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.With | ast.AsyncWith)  # noqa: S101 - dispatched by type
        for item in node.items:
            source = self.read(item.context_expr)
            into = self.recorder.new()
            is_async = isinstance(node, ast.AsyncWith)
            self.recorder.steps.append(Enter(into, source, self.site(item.context_expr), is_async))
            if item.optional_vars is not None:
                self.assign_elements(item.optional_vars, into)
        self._block(node.body)

    _do_asyncwith = _do_with

    def _do_try(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Try | ast.TryStar)  # noqa: S101 - dispatched by type
        recorder = self.recorder
        before = recorder.snapshot()
        self._block(node.body)
        reached = recorder.snapshot()
        after_body = recorder.path()
        recorder.merge((before, reached))
        in_handlers = recorder.snapshot()
        paths: list[Versions | None] = []
        for handler in node.handlers:
            recorder.restore(in_handlers)
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            caught = [self.read_owner(kind) for kind in kinds if kind is not None]
            if handler.name:
                into = recorder.new()
                recorder.steps.extend(Declared(into, kind, False) for kind in caught if kind)
                recorder.bind(handler.name, into)
            self._block(handler.body)
            paths.append(recorder.path())
        if after_body is None:
            recorder.scope.is_dead = True
        else:
            recorder.restore(after_body)
            self._block(node.orelse)
        paths.append(recorder.path())
        if node.finalbody:
            is_dead = all(path is None for path in paths)
            recorder.merge((*paths, in_handlers) if is_dead else paths)
            self._block(node.finalbody)
            recorder.scope.is_dead = recorder.scope.is_dead or is_dead
        else:
            recorder.merge(paths)

    _do_trystar = _do_try

    def _do_match(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Match)  # noqa: S101 - dispatched by type
        recorder = self.recorder
        subject = self.read(node.subject)
        before = recorder.snapshot()
        paths: list[Versions | None] = []
        for case in node.cases:
            recorder.restore(before)
            self._pattern(case.pattern, subject, node.subject)
            if case.guard is not None:
                self.truth(case.guard)
            self._block(case.body)
            paths.append(recorder.path())
        recorder.merge((before, *paths) if not _is_last_a_default(node) else paths)

    def _pattern(self, pattern: ast.pattern, subject: int, node: ast.expr) -> None:
        if isinstance(pattern, ast.MatchClass) and isinstance(pattern.cls, ast.Name | ast.Attribute):
            kind = self.read_owner(pattern.cls)
            if isinstance(node, ast.Name):
                self.narrow({node.id: ((kind,), False)})
        elif isinstance(pattern, ast.MatchAs) and pattern.name:
            self.recorder.bind(pattern.name, subject)
            return
        for name in pattern_names(pattern):
            self.recorder.bind(name, NOTHING)


def _is_last_a_default(node: ast.Match) -> bool:
    last = node.cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    rest = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]


def _parameters(arguments: ast.arguments) -> list[tuple[str, ParameterKind]]:
    found = [(one.arg, ParameterKind.POSITIONAL) for one in arguments.posonlyargs]
    found += [(one.arg, ParameterKind.EITHER) for one in arguments.args]
    if arguments.vararg is not None:
        found.append((arguments.vararg.arg, ParameterKind.REST))
    found += [(one.arg, ParameterKind.KEYWORD) for one in arguments.kwonlyargs]
    if arguments.kwarg is not None:
        found.append((arguments.kwarg.arg, ParameterKind.NAMED_REST))
    return found


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef, *, in_protocol: bool) -> bool:
    """
    Return whether a function is there to be overridden: it is marked so, does nothing but raise NotImplementedError, or
    nothing at all *in_protocol*.
    """
    if any(text_of(one).rpartition(".")[2].startswith("abstract") for one in node.decorator_list):
        return True
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    if not body:
        return in_protocol or any(isinstance(one, ast.Expr) and _is_ellipsis(one.value) for one in node.body)
    raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    kind = raised.func if isinstance(raised, ast.Call) else raised
    return kind is not None and text_of(kind) == "NotImplementedError"


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def text_of_annotation(node: ast.expr) -> str:
    """Return the outermost name of an annotation."""
    return text_of(node.value if isinstance(node, ast.Subscript) else node)


def _texts(node: ast.expr) -> list[str] | None:
    """Return the strings of a written list; ``None`` when it is not evident."""
    if isinstance(node, ast.BinOp):
        left, right = _texts(node.left), _texts(node.right)
        return None if left is None or right is None else left + right
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return None
    values = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return values if len(values) == len(node.elts) else None
