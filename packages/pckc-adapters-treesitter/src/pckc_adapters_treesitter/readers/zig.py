"""
The facts of a Zig file.

A container in ``const Name = struct {…}`` is a type, and so is the one that a function of that name returns. Optionals
and error unions are what they hold; a pointer is what it points to.
"""

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Name,
    New,
    Parameter,
    Select,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import MAX_DEPTH, DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_CONTAINERS = {
    "struct_declaration": NodeKind.STRUCT,
    "union_declaration": NodeKind.STRUCT,
    "opaque_declaration": NodeKind.STRUCT,
    "enum_declaration": NodeKind.ENUM,
    "error_set_declaration": NodeKind.ENUM,
}
_LITERALS = {
    "integer": "comptime_int",
    "float": "comptime_float",
    "string": "u8",
    "multiline_string": "u8",
    "character": "u8",
    "boolean": "bool",
}
_TYPES = frozenset(_CONTAINERS.values())
_BODIES = frozenset((NodeKind.FUNCTION, NodeKind.METHOD))
_TRANSPARENT = (
    "try_expression",
    "parenthesized_expression",
    "dereference_expression",
    "null_coercion_expression",
    "comptime_expression",
    "nosuspend_expression",
    "async_expression",
    "await_expression",
    "resume_expression",
)


def zig_facts(source: Source) -> DeclaredFacts:
    """Return what a Zig file says."""
    return _ZigReader(source).facts()


class _ZigReader(DeclaredReader):
    language = "zig"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "variable_declaration": self._variable,
            "function_declaration": self._function,
            "container_field": self._field,
            "test_declaration": self._test,
            "using_namespace_declaration": self._using,
            "if_statement": self._payloads,
            "while_statement": self._payloads,
            "for_statement": self._for,
            "if_expression": self._payloads,
            "while_expression": self._payloads,
            "for_expression": self._for,
            "switch_case": self._case,
            "assignment_expression": self._assignment,
            "return_expression": self._return,
            "break_label": self.skip,
            "block_label": self.skip,
            "payload": self.skip,
            **dict.fromkeys(_CONTAINERS, self._anonymous),
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "field_expression": self._select,
            "call_expression": self._call,
            "builtin_function": self._builtin,
            "struct_initializer": self._initializer,
            "unary_expression": self._unary,
            "binary_expression": self._binary,
            "catch_expression": self._catch,
            "index_expression": self._index,
            "slice_expression": self._slice,
            **dict.fromkeys(_TRANSPARENT, lambda node, draft: self.expression(child_at(node, 0), draft)),
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    # Declarations

    def _variable(self, node: Node, draft: Draft) -> None:
        name, *others = node.named_children
        written = node.child_by_field_name("type")
        kind = self._type(written, draft)
        values = [one for one in others if written is None or one.id != written.id]
        value = values[-1] if values else None
        text = self.text(name)
        if value is not None and value.type in _CONTAINERS:
            self._open_container(text, value, node, draft)
        elif value is not None and self._alias(text, value, node, draft):
            return
        elif draft.kind in _BODIES:
            found = self.value(value, draft)
            if text != "_":
                draft.locals.append(Local(text, kind, found, line(node)))
        else:
            is_constant = any(child.type == "const" for child in node.children)
            variable = self.open(NodeKind.CONSTANT if is_constant else NodeKind.VARIABLE, text, node, draft)
            variable.visibility, variable.is_static = _visibility(node), draft.kind in _TYPES
            variable.type, variable.value = kind, self.value(value, draft)

    def _alias(self, name: str, value: Node, node: Node, draft: Draft) -> bool:
        """Bind *name* to an imported file, a member of one, or the type around; return whether *value* is that."""
        parts: list[str] = []
        source = value
        while source.type == "field_expression" and (owner := source.child_by_field_name("object")) is not None:
            parts.insert(0, self.text(source.child_by_field_name("member")))
            source = owner
        if source.type != "builtin_function":
            return False
        builtin = self.text(child_at(source, 0))
        if builtin == "@This" and not parts:
            self._self_alias(name, node, draft)
            return True
        if builtin != "@import":
            return False
        module, text = self._imported(source), " ".join(self.text(node).split())
        *inner, last = parts or [""]
        scope = draft.index if draft.kind is not NodeKind.MODULE else 0
        exported = _visibility(node) == "public"
        if not inner:
            self.imports.append(ImportFact(module, last, name, scope, line(node), text, exported))
            return True
        return False

    def _self_alias(self, name: str, node: Node, draft: Draft) -> None:
        owner = self._container(draft)
        if owner.index == 0:
            file = self.source.path.rpartition("/")[2]
            self.imports.append(ImportFact(file, "", name, 0, line(node), self.text(node)))
        elif owner.name != name:
            self.open(NodeKind.TYPE_ALIAS, name, node, draft).type = TypeRef(owner.name)

    def _container(self, draft: Draft) -> Draft:
        while draft.parent >= 0 and draft.kind not in _TYPES:
            draft = self.drafts[draft.parent]
        return draft

    def _imported(self, node: Node) -> str:
        given = child_of_type(child_of_type(node, "arguments"), "string")
        return self.text(child_of_type(given, "string_content"))

    def _open_container(self, name: str, body: Node, node: Node, around: Draft) -> None:
        draft = self.open(_CONTAINERS[body.type], name, node, around, body=body)
        draft.visibility = _visibility(node)
        for child in body.named_children:
            if body.type == "error_set_declaration" and child.type == "identifier":
                self.open(NodeKind.CONSTANT, self.text(child), child, draft).is_static = True
            elif child.type not in ("builtin_type", "identifier"):
                self.later(child, draft)

    def _anonymous(self, node: Node, draft: Draft) -> None:
        """Read a container without a name; one that a function returns is called as the function is."""
        if draft.kind in _BODIES and self.text(node.parent)[:6] == "return":
            self._open_container(draft.name, node, node, self.drafts[draft.parent])
        else:
            self.inside(node, draft)

    def _field(self, node: Node, draft: Draft) -> None:
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        is_choice = draft.kind is NodeKind.ENUM
        if name is None and kind is None:
            name = child_at(node, 0)
        field = self.open(NodeKind.CONSTANT if is_choice else NodeKind.FIELD, self.text(name or kind), node, draft)
        if is_choice:
            field.type, field.is_static = TypeRef(draft.name), True
            return
        field.type = self._type(kind, draft)
        for child in node.named_children:
            if kind is not None and child.start_byte > kind.end_byte:
                field.value = self.value(child, draft)

    def _function(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        owner = around if around.kind in _TYPES else None
        name = self.text(node.child_by_field_name("name"))
        parameters = self._parameters(child_of_type(node, "parameters"), around)
        first = parameters[0] if parameters else None
        is_method = first is not None and self._is_receiver(first, around)
        kind = NodeKind.METHOD if owner else NodeKind.FUNCTION
        draft = self.open(kind, name, node, around, body=body)
        draft.visibility, draft.has_body = _visibility(node), body is not None
        draft.is_static = owner is not None and not is_method
        draft.type = self._type(node.child_by_field_name("type"), around)
        if first is not None and is_method:
            draft.locals.append(Local(first.name, first.type, None, draft.start_line))
            parameters = parameters[1:]
        draft.parameters = tuple(parameters)
        self.inside(body, draft)

    def _is_receiver(self, parameter: Parameter, around: Draft) -> bool:
        """Return whether a function's first parameter is the object that it is called on."""
        if parameter.type is None:
            return parameter.name == "self"
        owner = self._container(around)
        aliases = {one.name for one in self.drafts if one.parent == owner.index and one.kind is NodeKind.TYPE_ALIAS}
        aliases |= {one.alias for one in self.imports if owner.index == 0 and one.module == self._file()}
        return parameter.type.name in {owner.name, "@This", *aliases}

    def _file(self) -> str:
        return self.source.path.rpartition("/")[2]

    def _parameters(self, node: Node | None, draft: Draft) -> list[Parameter]:
        found = []
        for one in children_of_type(node, "parameter"):
            kind = self._type(one.child_by_field_name("type"), draft)
            found.append(Parameter(self.text(one.child_by_field_name("name")), kind))
        return found

    def _test(self, node: Node, around: Draft) -> None:
        name = child_of_type(node, "string")
        body = child_of_type(node, "block")
        text = (
            self.text(child_of_type(name, "string_content"))
            if name is not None
            else self.text(child_of_type(node, "identifier"))
        )
        draft = self.open(NodeKind.FUNCTION, f"test {text}".strip(), node, around, body=body)
        self.inside(body, draft)

    def _using(self, node: Node, draft: Draft) -> None:
        source = child_at(node, 0)
        if source is not None and source.type == "builtin_function":
            exported = _visibility(node) == "public"
            text = self.text(node)
            self.imports.append(ImportFact(self._imported(source), "*", "", draft.index, line(node), text, exported))

    # Types

    def _type(self, node: Node | None, draft: Draft, depth: int = 0) -> TypeRef | None:
        while node is not None and depth < MAX_DEPTH:
            match node.type:
                case "identifier" | "builtin_type":
                    return TypeRef(self.text(node))
                case "field_expression":
                    return TypeRef("".join(self.text(node).split()))
                case "pointer_type" | "nullable_type":
                    node = node.named_children[-1]
                case "error_union_type":
                    node = node.child_by_field_name("ok")
                case "slice_type" | "array_type":
                    inner = self._type(node.named_children[-1], draft, depth + 1)
                    return TypeRef("[]", (inner,)) if inner else None
                case "call_expression":
                    function, *given = node.named_children
                    found = self._type(function, draft, depth + 1)
                    return (
                        TypeRef(found.name, tuple(self._type(one, draft, depth + 1) or TypeRef("") for one in given))
                        if found
                        else None
                    )
                case "builtin_function" if self.text(child_at(node, 0)) == "@This":
                    owner = self._container(draft)
                    return TypeRef(owner.name) if owner.index else TypeRef("@This")
                case _:
                    return None
        return None

    # Statements

    def _payloads(self, node: Node, draft: Draft) -> None:
        """Read ``if (value) |name| …``: the name is what the optional holds."""
        condition = node.child_by_field_name("condition")
        value = self.value(condition, draft)
        self._bind(child_of_type(node, "payload"), [value], draft)
        for child in node.named_children:
            if condition is None or child.id != condition.id:
                self.later(child, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        payload = child_of_type(node, "payload")
        values: list[Expression | None] = []
        for child in node.named_children:
            if payload is not None and child.end_byte <= payload.start_byte:
                value = self.value(child, draft)
                values.append(Item(value) if value else None)
            else:
                self.later(child, draft)
        self._bind(payload, values, draft)

    def _case(self, node: Node, draft: Draft) -> None:
        self._bind(child_of_type(node, "payload"), [None], draft)
        self.inside(node, draft)

    def _bind(self, payload: Node | None, values: list[Expression | None], draft: Draft) -> None:
        names = children_of_type(payload, "identifier")
        for name, value in zip(names, values + [None] * len(names), strict=False):
            draft.locals.append(Local(self.text(name), None, value, line(name)))

    def _assignment(self, node: Node, draft: Draft) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and not (left.type == "field_expression" and left.child_by_field_name("object") is None):
            self.keep(self.value(left, draft), self.value(right, draft), node, draft)
        else:
            self.later(right, draft)

    def _return(self, node: Node, draft: Draft) -> None:
        self.inside(node, draft)

    # Expressions

    def _select(self, node: Node, draft: Draft) -> Expression | None:
        owner = node.child_by_field_name("object")
        if owner is None:  # .name, whose type is not said here
            return None
        return Select(self._owner(owner, draft), self.text(node.child_by_field_name("member")))

    def _owner(self, node: Node, draft: Draft) -> Expression | None:
        """Return what a member is taken of; ``List(u8).init`` takes it of the type that the function makes."""
        found = self.expression(node, draft)
        if node.type == "call_expression" and isinstance(found, Call):
            callee = found.callee
            name = callee.text if isinstance(callee, Name) else callee.name if isinstance(callee, Select) else ""
            if name[:1].isupper():
                draft.calls.append(found)
                return callee
        return found

    def _call(self, node: Node, draft: Draft) -> Expression:
        function, *given = node.named_children
        callee = self.expression(function, draft) or Select(None, "")
        return Call(callee, self.arguments(given, draft), (), place(node))

    def _builtin(self, node: Node, draft: Draft) -> Expression | None:
        name, given = self.text(child_at(node, 0)), child_of_type(node, "arguments")
        if name == "@import":
            module = self._imported(node)
            alias = f"@import {module}"
            if not any(fact.alias == alias for fact in self.imports):
                self.imports.append(ImportFact(module, "", alias, 0, line(node), self.text(node)))
            return Name(alias)
        nodes = given.named_children if given is not None else []
        if name == "@as" and len(nodes) == 2:
            kind = self._type(nodes[0], draft)
            value = self.expression(nodes[1], draft)
            return Cast(value, kind) if kind else value
        for one in nodes:
            self.value(one, draft)
        return None

    def _initializer(self, node: Node, draft: Draft) -> Expression | None:
        written = child_at(node, 0)
        kind = self._type(written, draft)
        if written is not None and written.type == "call_expression":
            self.value(written, draft)
        fields = child_of_type(node, "initializer_list")
        made = Cast(None, kind) if kind else None
        for one in children_of_type(fields, "assignment_expression"):
            name = child_at(child_at(one, 0), -1)
            self.keep_named(Select(made, self.text(name)), one.child_by_field_name("right"), draft)
        self.inside(fields, draft)
        return New(kind, (), place(node)) if kind else None

    def _unary(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("argument"), draft)
        return value if self.text(node.child_by_field_name("operator")) == "&" else None

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if self.text(node.child_by_field_name("operator")) == "orelse":
            return self._options([left, right], draft)
        self.value(left, draft)
        self.value(right, draft)
        return None

    def _catch(self, node: Node, draft: Draft) -> Expression | None:
        parts = [one for one in node.named_children if one.type != "payload"]
        self._bind(child_of_type(node, "payload"), [None], draft)
        return self._options(parts, draft)

    def _options(self, nodes: list[Node | None] | list[Node], draft: Draft) -> Expression | None:
        options = tuple(one for one in (self.expression(node, draft) for node in nodes) if one)
        return Choice(options) if options else None

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("index"), draft)
        owner = self.expression(node.child_by_field_name("object"), draft)
        return Item(owner) if owner else None

    def _slice(self, node: Node, draft: Draft) -> Expression | None:
        owner, *bounds = node.named_children
        for bound in bounds:
            self.value(bound, draft)
        return self.expression(owner, draft)


def _visibility(node: Node) -> str:
    return "public" if any(child.type in ("pub", "export") for child in node.children) else "private"
