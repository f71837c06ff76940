"""Expressions of Python as steps over variables."""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pckc_domain.model.code_facts import (
    NOTHING,
    Await,
    Build,
    Call,
    Copy,
    Declared,
    Define,
    Item,
    Iterate,
    Literal,
    Member,
    Narrow,
    ScopeKind,
    SetItem,
    SetMember,
    Site,
    Special,
    Use,
)
from pckc_domain.policy.graph.python.scopes import Recorder, Scope, Versions

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitAnd: "and",
    ast.BitXor: "xor",
}
_COMPARISONS: dict[type[ast.cmpop], tuple[tuple[str, ...], str]] = {
    ast.Eq: (("__eq__",), "__eq__"),
    ast.NotEq: (("__ne__", "__eq__"), "__ne__"),
    ast.Lt: (("__lt__",), "__gt__"),
    ast.LtE: (("__le__",), "__ge__"),
    ast.Gt: (("__gt__",), "__lt__"),
    ast.GtE: (("__ge__",), "__le__"),
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
_TRUTH = ("__bool__", "__len__")
_CONVERSIONS = {ord("r"): ("__repr__",), ord("s"): ("__str__", "__repr__"), ord("a"): ("__repr__",)}
_LONGEST_TEXT = 80

Narrowing = dict[str, tuple[tuple[int, ...], bool]]
"""By name: the classes its value is known to be of, and whether it is known to be of none of them."""


class Expressions:
    """Reads expressions; `Statements` builds on it."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._literals: dict[tuple[str, str], int] = {}
        self._visits: dict[type[ast.expr], Callable[[ast.expr], int]] = {
            kind: getattr(self, f"_{kind.__name__.lower()}")
            for kind in (
                ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript, ast.BinOp, ast.BoolOp, ast.Compare,
                ast.UnaryOp, ast.IfExp, ast.Lambda, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.SetComp,
                ast.DictComp, ast.GeneratorExp, ast.Await, ast.Yield, ast.YieldFrom, ast.JoinedStr, ast.FormattedValue,
                ast.NamedExpr, ast.Starred, ast.Slice,
            )
        }  # fmt: skip

    def read(self, node: ast.expr) -> int:
        """Return the variable that holds the value of *node*."""
        return self._visits[type(node)](node)

    def site(self, node: ast.expr | ast.stmt, text: str = "") -> int:
        """Return the number of a new site."""
        recorder = self.recorder
        recorder.sites.append(
            Site(
                recorder.scope.index,
                node.lineno,
                node.col_offset,
                node.end_lineno or node.lineno,
                node.end_col_offset or 0,
                text,
            )
        )
        return len(recorder.sites) - 1

    def special(
        self, node: ast.expr | ast.stmt, owner: int, names: tuple[str, ...], *arguments: int, right: str = ""
    ) -> int:
        """Return the variable of what a special method gives; nothing where *owner* holds nothing."""
        if not owner and not (right and arguments[0]):
            return NOTHING
        into = self.recorder.new()
        self.recorder.steps.append(Special(into, owner, names, arguments, right, self.site(node)))
        return into

    # Names and members

    def _name(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Name)  # noqa: S101 - dispatched by type
        variable, is_own = self.recorder.read(node.id)
        if not is_own and variable:
            self.recorder.steps.append(Use(variable, self.site(node, node.id)))
        return variable

    def _attribute(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Attribute)  # noqa: S101 - dispatched by type
        into, site = self._member(node)
        if into:
            self.recorder.steps.append(Use(into, site))
        return into

    def _member(self, node: ast.Attribute) -> tuple[int, int]:
        owner = self.read_owner(node.value)
        if not owner:
            return NOTHING, -1
        into, site = self.recorder.new(), self.site(node, text_of(node))
        self.recorder.steps.append(Member(into, owner, node.attr, site))
        return into, site

    def read_owner(self, node: ast.expr) -> int:
        """Return the variable of *node*, which is called or whose member is read: that is no mention of its value."""
        if isinstance(node, ast.Name):
            return self.recorder.read(node.id)[0]
        if isinstance(node, ast.Attribute):
            return self._member(node)[0]
        return self.read(node)

    # Calls

    def _call(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Call)  # noqa: S101 - dispatched by type
        callee = self.read_owner(node.func)
        arguments = self.arguments(node.args, node.keywords)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not arguments:
            arguments = self._super_arguments()
        return self.call(node, callee, arguments, text_of(node.func))

    def call(
        self,
        node: ast.expr | ast.stmt,
        callee: int,
        arguments: Sequence[tuple[str, int]],
        text: str,
        fallback: int = NOTHING,
    ) -> int:
        """Return the variable of what a call gives."""
        into = self.recorder.new()
        self.recorder.steps.append(Call(into, callee, tuple(arguments), self.site(node, text), fallback))
        return into

    def arguments(self, positional: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> list[tuple[str, int]]:
        """Return names and variables of arguments."""
        arguments = [
            ("*", self.read(one.value)) if isinstance(one, ast.Starred) else ("", self.read(one)) for one in positional
        ]
        return arguments + [(one.arg or "**", self.read(one.value)) for one in keywords]

    def _super_arguments(self) -> list[tuple[str, int]]:
        """Return the class and the first parameter of the method around, which ``super()`` finds by itself."""
        scope: Scope | None = self.recorder.scope
        while scope is not None and not (scope.parent is not None and scope.parent.kind is ScopeKind.CLASS):
            scope = scope.parent
        if scope is None or scope.parent is None or not scope.parameters:
            return []
        owner = self.recorder.new()
        self.recorder.steps.append(Define(owner, scope.parent.index))
        return [("", owner), ("", scope.parameters[0].variable)]

    # Values

    def _constant(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Constant)  # noqa: S101 - dispatched by type
        if node.value is None or node.value is Ellipsis:
            return NOTHING
        return self.literal(type(node.value).__name__, node.value if isinstance(node.value, str) else "")

    def literal(self, kind: str, text: str = "") -> int:
        """Return the variable that holds a value of a built-in type."""
        text = text if len(text) <= _LONGEST_TEXT else ""
        if (kind, text) not in self._literals:
            into = self._literals[kind, text] = self.recorder.new()
            self.recorder.steps.append(Literal(into, kind, text))
        return self._literals[kind, text]

    def build(self, kind: str, items: Sequence[tuple[object, int]], spreads: Sequence[int] = ()) -> int:
        """Return the variable of a new container."""
        into = self.recorder.new()
        self.recorder.steps.append(Build(into, kind, tuple(items), tuple(spreads)))
        return into

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> int:
        """Read a written container; constants in it are not worth a slot."""
        items: list[tuple[object, int]] = []
        spreads: list[int] = []
        for index, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                spreads.append(self._iterated(element.value))
            elif not isinstance(element, ast.Constant) and (value := self.read(element)):
                items.append((index if not spreads and not isinstance(node, ast.Set) else None, value))
        return self.build(type(node).__name__.lower(), [*items, *((None, one) for one in spreads)])

    def _list(self, node: ast.expr) -> int:
        return self._sequence(node)  # type: ignore[arg-type]  # dispatched by type

    _tuple = _set = _list

    def _dict(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Dict)  # noqa: S101 - dispatched by type
        items: list[tuple[object, int]] = []
        spreads: list[int] = []
        for key, element in zip(node.keys, node.values, strict=True):
            if key is None:
                spreads.append(self.read(element))
                continue
            if not isinstance(key, ast.Constant):
                self.read(key)
            if not isinstance(element, ast.Constant) and (value := self.read(element)):
                items.append((key_of(key), value))
        return self.build("dict", items, spreads)

    def _subscript(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Subscript)  # noqa: S101 - dispatched by type
        owner = self.read_owner(node.value)
        if isinstance(node.slice, ast.Slice):
            self.read(node.slice)
            return self.special(node, owner, ("__getitem__",))
        if not isinstance(node.slice, ast.Constant):
            self.read(node.slice)
        if not owner:
            return NOTHING
        into = self.recorder.new()
        self.recorder.steps.append(Item(into, owner, key_of(node.slice), self.site(node)))
        return into

    def _slice(self, node: ast.expr) -> int:
        for part in ast.iter_child_nodes(node):
            self.read(part)  # type: ignore[arg-type]  # bounds are expressions
        return NOTHING

    def _starred(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Starred)  # noqa: S101 - dispatched by type
        return self.read(node.value)

    def _joinedstr(self, node: ast.expr) -> int:
        assert isinstance(node, ast.JoinedStr)  # noqa: S101 - dispatched by type
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self._formattedvalue(part)
        return self.literal("str")

    def _formattedvalue(self, node: ast.expr) -> int:
        assert isinstance(node, ast.FormattedValue)  # noqa: S101 - dispatched by type
        value = self.read_owner(node.value)
        if node.format_spec is not None:
            self.read(node.format_spec)
        return self.special(node, value, _CONVERSIONS.get(node.conversion, ("__format__", "__str__", "__repr__")))

    # Operators

    def _binop(self, node: ast.expr) -> int:
        assert isinstance(node, ast.BinOp)  # noqa: S101 - dispatched by type
        left, right = self.read(node.left), self.read(node.right)
        operator = _OPERATORS[type(node.op)]
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return left
        return self.special(node, left, (f"__{operator}__",), right, right=f"__r{operator}__")

    def augmented(self, node: ast.AugAssign, left: int) -> int:
        """Return the variable of the new value."""
        operator = _OPERATORS[type(node.op)]
        names = (f"__i{operator}__", f"__{operator}__")
        return self.special(node, left, names, self.read(node.value), right=f"__r{operator}__")

    def _unaryop(self, node: ast.expr) -> int:
        assert isinstance(node, ast.UnaryOp)  # noqa: S101 - dispatched by type
        if isinstance(node.op, ast.Not):
            self.truth(node.operand)
            return NOTHING
        return self.special(node, self.read(node.operand), (_UNARY[type(node.op)],))

    def _compare(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Compare)  # noqa: S101 - dispatched by type
        left_node, left = node.left, self.read(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.read(right_node)
            if isinstance(operator, ast.In | ast.NotIn):
                self.special(node, right, ("__contains__", "__iter__"), left)
            elif type(operator) in _COMPARISONS and not isinstance(left_node, ast.Constant):
                names, reflected = _COMPARISONS[type(operator)]
                self.special(node, left, names, right, right=reflected)
            left_node, left = right_node, right
        return NOTHING

    def truth(self, node: ast.expr) -> int:
        """Read *node* and ask whether it is true."""
        value = self.read_owner(node) if isinstance(node, ast.Name | ast.Attribute) else self.read(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
            self.special(node, value, _TRUTH)
        return value

    def _boolop(self, node: ast.expr) -> int:
        assert isinstance(node, ast.BoolOp)  # noqa: S101 - dispatched by type
        before = self.recorder.scope.versions
        values = []
        for operand in node.values[:-1]:
            values.append(self.truth(operand))
            when_true, when_false = self.narrowings(operand)
            self.narrow(when_true if isinstance(node.op, ast.And) else when_false)
        values.append(self.read(node.values[-1]))
        self._unnarrow(before)
        return self.recorder.joined(values)

    def _ifexp(self, node: ast.expr) -> int:
        assert isinstance(node, ast.IfExp)  # noqa: S101 - dispatched by type
        self.truth(node.test)
        when_true, when_false = self.narrowings(node.test)
        before = self.recorder.scope.versions
        self.narrow(when_true)
        body = self.read(node.body)
        self._unnarrow(before)
        self.narrow(when_false)
        other = self.read(node.orelse)
        self._unnarrow(before)
        return self.recorder.joined((body, other))

    def _namedexpr(self, node: ast.expr) -> int:
        assert isinstance(node, ast.NamedExpr)  # noqa: S101 - dispatched by type
        value = self.read(node.value)
        self.recorder.bind(node.target.id, value)
        return value

    # Narrowing

    def narrowings(self, test: ast.expr) -> tuple[Narrowing, Narrowing]:
        """Return what is known of names where *test* holds, and where it does not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            when_true, when_false = self.narrowings(test.operand)
            return when_false, when_true
        if isinstance(test, ast.BoolOp):
            sides = [self.narrowings(operand) for operand in test.values]
            if isinstance(test.op, ast.And):
                return {name: found for side in sides for name, found in side[0].items()}, {}
            return {}, {name: found for side in sides for name, found in side[1].items()}
        if (
            isinstance(test, ast.Call)
            and isinstance(test.func, ast.Name)
            and test.func.id == "isinstance"
            and len(test.args) == 2
            and isinstance(test.args[0], ast.Name)
        ):
            kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
            classes = tuple(self.read_owner(kind) for kind in kinds if isinstance(kind, ast.Name | ast.Attribute))
            if len(classes) == len(kinds):
                name = test.args[0].id
                return {name: (classes, False)}, {name: (classes, True)}
        return {}, {}

    def narrow(self, narrowing: Narrowing) -> None:
        """Go on knowing *narrowing*."""
        recorder = self.recorder
        for name, (classes, is_negated) in narrowing.items():
            value, is_own = recorder.read(name)
            if is_own and value and not recorder.scope.overlays:
                into = recorder.new()
                recorder.steps.append(Narrow(into, value, classes, is_negated))
                recorder.scope.versions = {**recorder.scope.versions, name: into}

    def _unnarrow(self, before: Versions) -> None:
        """Forget what was known of names while one expression was read."""
        now = self.recorder.scope.versions
        if now is not before:
            self.recorder.scope.versions = before

    # Comprehensions

    def _listcomp(self, node: ast.expr) -> int:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp)  # noqa: S101 - dispatched by type
        kind = {ast.SetComp: "set", ast.ListComp: "list"}.get(type(node), "iterator")
        with self._comprehension(node.generators):
            value = self.read(node.elt)
        return self.build(kind, [(None, value)] if value else [])

    _setcomp = _generatorexp = _listcomp

    def _dictcomp(self, node: ast.expr) -> int:
        assert isinstance(node, ast.DictComp)  # noqa: S101 - dispatched by type
        with self._comprehension(node.generators):
            self.read(node.key)
            value = self.read(node.value)
        return self.build("dict", [(None, value)] if value else [])

    @contextmanager
    def _comprehension(self, generators: Sequence[ast.comprehension]) -> Iterator[None]:
        names: Versions = {}
        scope = self.recorder.scope
        for number, generator in enumerate(generators):
            elements = self._iterated(generator.iter)
            if number == 0:
                scope.overlays.append(names)
            self.assign_elements(generator.target, elements, names)
            for condition in generator.ifs:
                self.truth(condition)
        yield
        scope.overlays.pop()

    def _iterated(self, node: ast.expr) -> int:
        source = self.read_owner(node) if isinstance(node, ast.Name | ast.Attribute) else self.read(node)
        return self.elements(node, source)

    def elements(self, node: ast.expr | ast.stmt, source: int, index: int | None = None) -> int:
        """Return the variable of the elements of *source*, or of that at *index*."""
        if not source:
            return NOTHING
        into = self.recorder.new()
        self.recorder.steps.append(Iterate(into, source, index, self.site(node)))
        return into

    # Assignment

    def assign_elements(self, target: ast.expr, value: int, overlay: Versions | None = None) -> None:
        """Assign the value of a variable to a target of any form; names of a comprehension go to its *overlay*."""
        if isinstance(target, ast.Name):
            if overlay is not None:
                overlay[target.id] = value
            else:
                self.recorder.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            star = next((at for at, one in enumerate(target.elts) if isinstance(one, ast.Starred)), None)
            for index, element in enumerate(target.elts):
                if isinstance(element, ast.Starred):
                    rest = self.build("list", [(None, self.elements(target, value))])
                    self.assign_elements(element.value, rest, overlay)
                else:
                    known = index if star is None or index < star else None
                    self.assign_elements(element, self.elements(target, value, known), overlay)
        elif isinstance(target, ast.Starred):
            self.assign_elements(target.value, value, overlay)
        elif isinstance(target, ast.Attribute):
            owner = self.read_owner(target.value)
            if owner:
                site = self.site(target, text_of(target))
                self.recorder.steps.append(SetMember(owner, target.attr, value, site))
        elif isinstance(target, ast.Subscript):
            owner = self.read_owner(target.value)
            self.read(target.slice)
            if owner:
                self.recorder.steps.append(SetItem(owner, key_of(target.slice), value, self.site(target)))

    # Functions without a name, and those that wait

    def _lambda(self, node: ast.expr) -> int:
        raise NotImplementedError

    def _await(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Await)  # noqa: S101 - dispatched by type
        into, source = self.recorder.new(), self.read(node.value)
        self.recorder.steps.append(Await(into, source, self.site(node)))
        return into

    def _yield(self, node: ast.expr) -> int:
        assert isinstance(node, ast.Yield)  # noqa: S101 - dispatched by type
        if node.value is not None:
            self._yielded(self.read(node.value))
        else:
            self.recorder.scope.is_generator = True
        return NOTHING

    def _yieldfrom(self, node: ast.expr) -> int:
        assert isinstance(node, ast.YieldFrom)  # noqa: S101 - dispatched by type
        source = self.read(node.value)
        self._yielded(self.elements(node, source))
        into = self.recorder.new()
        self.recorder.steps.append(Await(into, source, self.site(node)))
        return into

    def _yielded(self, value: int) -> None:
        scope = self.recorder.scope
        scope.is_generator = True
        scope.yields = scope.yields or self.recorder.new()
        self.recorder.steps.append(Copy(scope.yields, value))

    # Annotations

    def declared(self, node: ast.expr | None, classes: list[int]) -> int:
        """Return a variable that holds what an annotation promises; the classes it names are added to *classes*."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = _parsed(node.value, node)
        if isinstance(node, ast.BinOp):
            return self.recorder.joined((self.declared(node.left, classes), self.declared(node.right, classes)))
        if isinstance(node, ast.Subscript):
            return self._declared_generic(node, classes)
        if not isinstance(node, ast.Name | ast.Attribute):
            return NOTHING
        kind = self._class_named(node)
        if not kind:
            return NOTHING
        classes.append(kind)
        into = self.recorder.new()
        self.recorder.steps.append(Declared(into, kind, False))
        return into

    def names_all(self, node: ast.expr | None, count: int) -> bool:
        """Return whether an annotation, of which *count* parts are read as classes, allows only instances of these."""
        names = 0
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                stack.append(_parsed(one.value, one))
            elif isinstance(one, ast.BinOp):
                stack += [one.left, one.right]
            elif isinstance(one, ast.Subscript) and text_of(one.value).rpartition(".")[2] in ("Optional", "Union"):
                stack += one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
            elif isinstance(one, ast.Name | ast.Attribute):
                names += 1
            elif not (isinstance(one, ast.Constant) and one.value is None):
                return False
        return names == count

    def _class_named(self, node: ast.Name | ast.Attribute) -> int:
        around = self.recorder.scope.class_around()
        if text_of(node).rpartition(".")[2] == "Self" and around is not None:
            kind = self.recorder.new()
            self.recorder.steps.append(Define(kind, around.index))
            return kind
        if isinstance(node, ast.Name) and node.id in _PLAIN:
            return NOTHING
        return self.read_owner(node)

    def _declared_generic(self, node: ast.Subscript, classes: list[int]) -> int:
        name = text_of(node.value).rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("Optional", "Union", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"):
            return self.recorder.joined([self.declared(one, classes) for one in inner])
        if name == "Annotated":
            return self.declared(inner[0], classes)
        if name in ("type", "Type"):
            found: list[int] = []
            self.declared(inner[0], found)
            classes.extend(found)
            into = self.recorder.new()
            self.recorder.steps.extend(Declared(into, kind, True) for kind in found)
            return into
        if name in ("Awaitable", "Coroutine"):
            return self.declared(inner[-1], classes)
        if not inner:
            return NOTHING
        if name in ("tuple", "Tuple") and not isinstance(inner[-1], ast.Constant):
            return self._declared_container("tuple", list(enumerate(inner)), classes)
        if name in _MAPPINGS:
            return self._declared_container("dict", [(None, inner[-1])], classes)
        if name in _SEQUENCES:
            return self._declared_container("list", [(None, inner[0])], classes)
        return self.declared(node.value, classes) if isinstance(node.value, ast.Name | ast.Attribute) else NOTHING

    def _declared_container(self, kind: str, items: Sequence[tuple[object, ast.expr]], classes: list[int]) -> int:
        found = [(key, self.declared(one, classes)) for key, one in items]
        known = [(key, value) for key, value in found if value]
        return self.build(kind, known) if known else NOTHING


_PLAIN = frozenset("str int float bool bytes object None Any complex bytearray list dict set tuple frozenset".split())
_SEQUENCES = frozenset(
    "list List set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable Iterator Collection "
    "AbstractSet MutableSet Generator AsyncIterator AsyncIterable AsyncGenerator deque Deque".split()
)
_MAPPINGS = frozenset("dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap".split())


def _parsed(text: str, around: ast.expr) -> ast.expr | None:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for part in ast.walk(node):
        if isinstance(part, ast.expr):
            part.lineno, part.end_lineno = around.lineno, around.end_lineno
            part.col_offset, part.end_col_offset = around.col_offset, around.end_col_offset
    return node


def key_of(node: ast.expr) -> object:
    """Return the key that an index evidently is; ``None`` when it is not."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | bytes):
        return node.value
    return None


def text_of(node: ast.expr) -> str:
    """Return a dotted name as it is written; what is no name in it is an ellipsis."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "…")
    return ".".join(reversed(parts))[:_LONGEST_TEXT]
