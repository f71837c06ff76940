"""Statements and expressions of Rust."""

from collections.abc import Iterator, Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Closure,
    Expression,
    Item,
    Literal,
    Local,
    Name,
    New,
    Parameter,
    Part,
    Place,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import MAX_DEPTH, Draft, calls, choice, limited, nothing
from pckc_adapters_treesitter.readers.rust_types import HOLDERS, RustTypes
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type, line, place

_OPERATORS = frozenset("+ - * / % == !=".split())
_HOLDING_PATTERNS = frozenset(("Some", "Ok"))
_OF_ELEMENTS = frozenset(
    "all and_then any filter filter_map find find_map flat_map for_each inspect is_some_and is_ok_and map map_while "
    "max_by_key min_by_key partition position retain skip_while sort_by_key take_while then try_for_each".split()
)
"""Methods of sequences and options that call a closure with what these hold."""


class RustExpressions(RustTypes):
    """Reads what a Rust body says."""

    def _takes_self(self, parameters: Node | None) -> bool:
        first = child_at(parameters, 0)
        return first is not None and (
            first.type == "self_parameter" or self.text(first.child_by_field_name("pattern")) == "self"
        )

    def _parameters(self, node: Node | None, draft: Draft) -> tuple[Parameter, ...]:
        found = []
        for one in children_of_type(node, "parameter"):
            pattern = one.child_by_field_name("pattern")
            if pattern is None or pattern.type == "self":
                continue
            kind = self._type(one.child_by_field_name("type"), draft)
            if pattern.type == "mut_pattern":
                pattern = child_at(pattern, -1)
            is_name = pattern is not None and pattern.type == "identifier"
            found.append(Parameter(self.text(pattern) if is_name else "", kind))
            if not is_name:
                self._bind(pattern, Cast(None, kind) if kind else None, draft)
        return tuple(found)

    def _let(self, node: Node, draft: Draft) -> None:
        kind = self._type(node.child_by_field_name("type"), draft)
        value = self.value(node.child_by_field_name("value"), draft)
        self.later(node.child_by_field_name("alternative"), draft)
        self._bind(node.child_by_field_name("pattern"), Cast(value, kind) if kind else value, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("value"), draft)
        pattern = node.child_by_field_name("pattern")
        if value is not None and pattern is not None and isinstance(value, Name | Call | New):
            draft.calls.append(Call(Select(value, "operator next"), (), (), place(pattern)))
        first = len(draft.locals)
        self._bind_element(node.child_by_field_name("pattern"), value, draft)
        self.only_in(node, first, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _bind_element(self, pattern: Node | None, owner: Expression | None, draft: Draft) -> None:
        """Bind *pattern* to what *owner* holds: with its number after ``enumerate``, a key and a value of a map."""
        parts = pattern.named_children if pattern is not None and pattern.type == "tuple_pattern" else []
        if len(parts) == 2 and owner is not None:
            match owner:
                case Call(Select(inner, "enumerate"), ()):
                    self._bind(parts[0], Literal(TypeRef("usize")), draft)
                    self._bind(parts[1], Item(inner) if inner else None, draft)
                    return
        self._bind(pattern, Item(owner) if owner else None, draft)

    @limited(nothing)
    def _bind(self, pattern: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind the names of *pattern* to parts of *value*."""
        if pattern is None:
            return
        match pattern.type:
            case "identifier" | "shorthand_field_identifier":
                name = self.text(pattern)
                if not name[:1].isupper():
                    draft.locals.append(Local(name, None, value, line(pattern)))
            case "tuple_pattern":
                for index, inner in enumerate(pattern.named_children):
                    self._bind(inner, Part(value, index) if value else None, draft)
            case "tuple_struct_pattern":
                kind = pattern.child_by_field_name("type")
                parts = self._parts(kind)
                for index, inner in enumerate(pattern.named_children[1:]):
                    self._bind(inner, self._held(parts, index, value, draft), draft)
            case "struct_pattern":
                whole = self._type(pattern.child_by_field_name("type"), draft)
                for field in children_of_type(pattern, "field_pattern"):
                    named = field.child_by_field_name("name")
                    held = Select(Cast(value, whole) if whole else value, self.text(named))
                    self._bind(field.child_by_field_name("pattern") or named, held, draft)
            case "captured_pattern":
                self._bind(child_at(pattern, 0), value, draft)
                self._bind(child_at(pattern, 1), value, draft)
            case "slice_pattern":
                for inner in pattern.named_children:
                    self._bind(inner, Item(value) if value else None, draft)
            case "or_pattern" | "ref_pattern" | "mut_pattern" | "reference_pattern" | "match_pattern":
                for inner in pattern.named_children:
                    self._bind(inner, value, draft)

    def _held(self, parts: Sequence[str], index: int, value: Expression | None, draft: Draft) -> Expression | None:
        """Return what a variant or tuple struct named by *parts* holds at *index*."""
        if parts and parts[-1] in _HOLDING_PATTERNS:
            return Item(value) if value else None
        variant = self._names(self._resolved(tuple(parts), draft))
        return Part(variant, index) if variant else None

    def _path(self, node: Node, draft: Draft) -> Expression | None:
        return self._names(self._resolved(self._parts(node), draft))

    def _field(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(node.child_by_field_name("value"), draft)
        field = node.child_by_field_name("field")
        if field is not None and field.type == "integer_literal":
            return Part(owner, int(self.text(field))) if owner and self.text(field).isdecimal() else None
        return Select(owner, self.text(field))

    def _call(self, node: Node, draft: Draft) -> Expression:
        function = node.child_by_field_name("function")
        types: tuple[TypeRef, ...] = ()
        if function is not None and function.type == "generic_function":
            written = function.child_by_field_name("type_arguments")
            types = tuple(self._argument(one, draft) for one in written.named_children) if written is not None else ()
        callee = self.expression(function, draft) or Select(None, "")
        arguments = node.child_by_field_name("arguments")
        passed: list[Expression | None] = []
        for argument in arguments.named_children if arguments is not None else []:
            if argument.is_extra:
                continue
            passed.append(self.expression(argument, draft))
            if argument.type == "closure_expression" and isinstance(callee, Select) and callee.name in _OF_ELEMENTS:
                self._bind_closure(argument, callee.owner, passed[-1])
        match callee, passed:
            case Select(Name(holder), "new" | "pin" | "clone" | "from"), [held] if held and holder in HOLDERS:
                return held
        return Call(callee, tuple(passed), types, place(node))

    def _bind_closure(self, node: Node, owner: Expression | None, closure: Expression | None) -> None:
        """Bind the parameter of a closure to what *owner* holds, where its type is not said."""
        parameters = node.child_by_field_name("parameters")
        first = child_at(parameters, 0)
        if first is not None and first.type != "parameter" and isinstance(closure, Closure):
            draft = self.drafts[closure.declaration]
            draft.parameters = ()
            self._bind_element(first, owner, draft)

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        parameters = node.child_by_field_name("parameters")
        found: list[Parameter] = []
        for one in parameters.named_children if parameters is not None else []:
            if one.type == "parameter":
                found += self._parameters_of_closure(one, closure)
            elif one.type == "identifier":
                found.append(Parameter(self.text(one), None))
        closure.parameters = tuple(found)
        closure.type = self._type(node.child_by_field_name("return_type"), closure)
        value = self.value(body, closure)
        if value is not None:
            closure.result.append(value)
        return Closure(closure.index)

    def _parameters_of_closure(self, node: Node, closure: Draft) -> Iterator[Parameter]:
        pattern, kind = node.child_by_field_name("pattern"), self._type(node.child_by_field_name("type"), closure)
        if pattern is not None and pattern.type == "identifier":
            yield Parameter(self.text(pattern), kind)
        else:
            self._bind(pattern, Cast(None, kind) if kind else None, closure)
            yield Parameter("", kind)

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("name"), draft)
        body = node.child_by_field_name("body")
        for field in body.named_children if body is not None else []:
            value = field.child_by_field_name("value")
            if field.type != "shorthand_field_initializer":
                self.value(value or child_at(field, -1), draft)
            name = child_at(field, 0)
            self.keep_named(Select(Cast(None, kind) if kind else None, self.text(name)), value or name, draft)
        return New(kind, (), place(node)) if kind else None

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        """Read ``a + b`` as a call of what implements the operator, which few types have."""
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        left, right = (self.expression(side, draft) for side in sides)
        operator = self.text(node.child_by_field_name("operator"))
        if left is not None and not isinstance(left, Literal) and operator in _OPERATORS:
            return Call(Select(left, f"operator{operator}"), (right,), (), place(node))
        for side, found in zip(sides, (left, right), strict=True):
            if side is not None:
                self.record(found, side, draft)
        return None

    def _assignment(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("right"), draft)
        self.keep(self.value(node.child_by_field_name("left"), draft), value, node, draft)

    def _try(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(child_at(node, 0), draft)
        if owner is None:
            return None
        draft.calls.append(Call(Name("operator ?"), (owner,), (), place(node)))
        return Item(owner)

    def _item(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(child_at(node, 0), draft)
        return Item(owner) if owner else None

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(child_at(node, 0), draft)
        index = child_at(node, 1)
        self.value(index, draft)
        if index is not None and index.type == "range_expression":
            return owner
        return Item(owner) if owner else None

    def _inner(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, -1), draft)

    def _tuple(self, node: Node, draft: Draft) -> None:
        for child in node.named_children:
            self.value(child, draft)

    _array = _tuple

    def _cast(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"), draft)
        return Cast(value, kind) if kind else value

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        condition = node.child_by_field_name("condition")
        consequence = node.child_by_field_name("consequence")
        if condition is not None and condition.type == "let_condition":
            first = len(draft.locals)
            self._let(condition, draft)
            self.only_in(consequence or node, first, draft)
        elif condition is not None and condition.type == "let_chain":
            self.inside(condition, draft)
        else:
            self.value(condition, draft)
        then = self.expression(consequence, draft)
        alternative = node.child_by_field_name("alternative")
        other = self.expression(child_at(alternative, 0), draft) if alternative is not None else None
        return choice([then, other])

    def _match(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("value"), draft)
        options = []
        for arm in children_of_type(node.child_by_field_name("body"), "match_arm"):
            pattern = arm.child_by_field_name("pattern")
            condition = pattern.child_by_field_name("condition") if pattern is not None else None
            first = len(draft.locals)
            for inner in pattern.named_children if pattern is not None else []:
                if condition is None or inner.id != condition.id:
                    self._bind(inner, value, draft)
            self.only_in(arm, first, draft)
            self.value(condition, draft)
            options.append(self.expression(arm.child_by_field_name("value"), draft))
        return choice(options)

    def _return(self, node: Node, draft: Draft) -> None:
        self.value(child_at(node, 0), draft)

    def _macro(self, node: Node, draft: Draft) -> Expression | None:
        name = node.child_by_field_name("macro")
        self._tokens(child_of_type(node, "token_tree"), draft)
        callee = self._names((*self._parts(name)[:-1], f"{self.text(name).rpartition('::')[2]}!"))
        return Call(callee, (), (), place(node)) if callee else None

    def _tokens(self, tree: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        """Read the calls that are evident among the tokens of a macro, and return what stands alone between commas."""
        return _Tokens(self, draft).read(tree) if tree is not None else ()


class _Tokens:
    """Chains of names and calls in the tokens that a macro is given."""

    def __init__(self, reader: "RustExpressions", draft: Draft, depth: int = 0) -> None:
        self._depth = depth
        self._reader = reader
        self._draft = draft
        self._chain: Expression | None = None
        self._first: Node | None = None
        self._joint = ""

    def inner(self, tree: Node) -> tuple[Expression | None, ...]:
        """Record the calls in a tree inside of this one."""
        return _Tokens(self._reader, self._draft, self._depth + 1).read(tree) if self._depth < MAX_DEPTH else ()

    def read(self, tree: Node) -> tuple[Expression | None, ...]:
        """Record the calls in *tree*."""
        arguments: list[Expression | None] = []
        for token in tree.children[1:-1]:
            if token.type == ",":
                arguments.append(self._chain)
            self._take(token)
        if tree.child_count > 2:
            arguments.append(self._chain)
        self._end()
        return tuple(arguments)

    def _take(self, token: Node) -> None:
        match token.type:
            case "identifier" | "self" | "crate" | "super" | "primitive_type":
                self._name(token)
            case "." | "::":
                self._joint = token.type
            case "?" if self._chain:
                self._chain = Item(self._chain)
            case "token_tree":
                self._group(token)
            case "!":
                self._chain = None
            case "&" | "*" | "mut_specifier" | "mutable_specifier" | "line_comment" | "block_comment":
                pass
            case _:
                self._end()

    def _name(self, token: Node) -> None:
        text = self._reader.text(token)
        if self._joint and self._chain:
            self._chain = Select(self._chain, text)
        else:
            self._end()
            self._chain, self._first = (This() if text == "self" else Name(text)), token
        self._joint = ""

    def _group(self, token: Node) -> None:
        opening = token.children[0].type if token.children else ""
        if opening == "(" and self._chain is not None and self._first is not None:
            passed = self.inner(token)
            start, end = place(self._first), place(token)
            span = Place(start.line, start.column, end.end_line, end.end_column)
            self._chain = Call(self._chain, passed, (), span)
            return
        if opening == "[" and self._chain is not None:
            self._chain = Item(self._chain)
        else:
            self._end()
        self.inner(token)

    def _end(self) -> None:
        if self._chain is not None and calls(self._chain):
            self._draft.calls.append(self._chain)
        self._chain, self._first, self._joint = None, None, ""
