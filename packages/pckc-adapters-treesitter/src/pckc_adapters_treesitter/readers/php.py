"""
The facts of a PHP file.

Names are dotted, and one that begins at the root of all namespaces begins with a dot. Variables keep their ``$``, so
that none is taken for a function.
"""

from collections.abc import Iterator

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Part,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_KINDS = {
    "class_declaration": NodeKind.CLASS,
    "anonymous_class": NodeKind.CLASS,
    "interface_declaration": NodeKind.INTERFACE,
    "trait_declaration": NodeKind.TRAIT,
    "enum_declaration": NodeKind.ENUM,
}
_LITERALS = {
    "integer": "int",
    "float": "float",
    "string": "string",
    "boolean": "bool",
    "null": "null",
}
_CALLING = frozenset(
    "array_map array_filter array_walk array_reduce usort uasort uksort call_user_func call_user_func_array "
    "spl_autoload_register preg_replace_callback register_shutdown_function set_error_handler "
    "set_exception_handler iterator_apply ob_start".split()
)
"""Functions of PHP that call a function which they are given by its name."""

_NAMES = ("name", "qualified_name", "relative_name", "relative_scope")
_TYPES = frozenset(_KINDS.values())
_OWN = frozenset(("self", "static"))


def php_facts(source: Source) -> DeclaredFacts:
    """Return what a PHP file says."""
    return _PhpReader(source).facts()


class _PhpReader(DeclaredReader):
    language = "php"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._space: Draft | None = None
        self.statements = {
            "namespace_definition": self._namespace,
            "namespace_use_declaration": self._use,
            **dict.fromkeys(_KINDS, self._type_declaration),
            "use_declaration": self._traits,
            "const_declaration": self._constants,
            "property_declaration": self._properties,
            "enum_case": self._case,
            "function_definition": self._function,
            "method_declaration": self._function,
            "foreach_statement": self._foreach,
            "catch_clause": self._catch,
            "return_statement": self._return,
            "static_variable_declaration": self._static_variable,
            "attribute_list": self.skip,
            "goto_statement": self.skip,
            "global_declaration": self.skip,
            "declare_statement": self.skip,
        }
        self.expressions = {
            "variable_name": self._variable,
            "name": lambda node, _: Name(self.text(node)),
            "qualified_name": lambda node, _: _chain(_dotted(self.text(node))),
            "relative_scope": self._relative,
            "member_access_expression": self._member,
            "nullsafe_member_access_expression": self._member,
            "scoped_property_access_expression": self._scoped,
            "class_constant_access_expression": self._constant_access,
            "function_call_expression": self._call,
            "member_call_expression": self._method_call,
            "nullsafe_member_call_expression": self._method_call,
            "scoped_call_expression": self._method_call,
            "object_creation_expression": self._new,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._assignment,
            "reference_assignment_expression": self._assignment,
            "conditional_expression": self._choice,
            "binary_expression": self._binary,
            "parenthesized_expression": self._inner,
            "argument": self._argument,
            "clone_expression": self._inner,
            "subscript_expression": self._subscript,
            "cast_expression": self._cast,
            "anonymous_function": self._closure,
            "arrow_function": self._closure,
            "array_creation_expression": self._array,
            "match_expression": self._match,
            "include_expression": self._require,
            "include_once_expression": self._require,
            "require_expression": self._require,
            "require_once_expression": self._require,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    # Namespaces and imports

    def _namespace(self, node: Node, draft: Draft) -> None:
        """Read a namespace: a file's only one is the file's, others are declarations of their own."""
        name, body = _dotted(self.text(node.child_by_field_name("name"))), node.child_by_field_name("body")
        if body is None and not self.namespace and self._space is None:
            self.namespace = name
        elif name:
            self._space = self.open(NodeKind.NAMESPACE, name, node, self.drafts[0], body=body)
        self.inside(body, self._space or draft)

    def _around(self, draft: Draft) -> Draft:
        return self._space if self._space is not None and draft.index == 0 else draft

    def _use(self, node: Node, draft: Draft) -> None:
        prefix = child_of_type(node, "namespace_name")
        group = node.child_by_field_name("body")
        start = _dotted(self.text(prefix)) + "." if prefix is not None else ""
        for clause in children_of_type(group or node, "namespace_use_clause"):
            alias = clause.child_by_field_name("alias")
            written = next(one for one in clause.named_children)
            module, _, name = (start + _dotted(self.text(written)).lstrip(".")).rpartition(".")
            text = " ".join(self.text(node).split())
            bound = self.text(alias) if alias is not None else name
            self.imports.append(ImportFact(module, name, bound, self._around(draft).index, line(clause), text))

    def _require(self, node: Node, draft: Draft) -> None:
        """Read what of the path is plain text; one that begins in this folder begins with ``./``."""
        texts = [self.text(one) for one in _leaves(node) if one.type in ("string_content", "string_value")]
        path = "".join(texts)
        if "__DIR__" in self.text(node) or "dirname" in self.text(node):
            path = "./" + path.lstrip("/")
        if path:
            self.imports.append(ImportFact(path, "*", "", 0, line(node), " ".join(self.text(node).split())))
        else:
            self.inside(node, draft)

    # Types and members

    def _type_declaration(self, node: Node, around: Draft) -> None:
        self._open_type(node, self._around(around), self.text(node.child_by_field_name("name")))

    def _open_type(self, node: Node, around: Draft, name: str) -> Draft:
        body = node.child_by_field_name("body")
        draft = self.open(_KINDS[node.type], name, node, around, body=body)
        bases = children_of_type(child_of_type(node, "base_clause"), *_NAMES)
        draft.bases += [TypeRef(_dotted(self.text(one))) for one in bases]
        interfaces = children_of_type(child_of_type(node, "class_interface_clause"), *_NAMES)
        draft.interfaces += [TypeRef(_dotted(self.text(one))) for one in interfaces]
        self.inside(body, draft)
        return draft

    def _traits(self, node: Node, draft: Draft) -> None:
        draft.bases += [TypeRef(_dotted(self.text(one))) for one in children_of_type(node, *_NAMES)]

    def _constants(self, node: Node, around: Draft) -> None:
        around = self._around(around)
        for element in children_of_type(node, "const_element"):
            draft = self.open(NodeKind.CONSTANT, self.text(child_at(element, 0)), node, around)
            draft.value = self.value(child_at(element, 1), draft)
            draft.visibility, draft.is_static = self._visibility(node, around), True

    def _properties(self, node: Node, around: Draft) -> None:
        for element in children_of_type(node, "property_element"):
            name = self.text(element.child_by_field_name("name"))
            draft = self.open(NodeKind.FIELD, name.lstrip("$"), node, around)
            draft.type = self._type(node.child_by_field_name("type"), around)
            draft.value = self.value(element.child_by_field_name("default_value"), draft)
            draft.visibility = self._visibility(node, around)
            draft.is_static = child_of_type(node, "static_modifier") is not None

    def _case(self, node: Node, around: Draft) -> None:
        draft = self.open(NodeKind.CONSTANT, self.text(node.child_by_field_name("name")), node, around)
        draft.type, draft.is_static = TypeRef(around.name), True

    def _visibility(self, node: Node, around: Draft) -> str:
        written = child_of_type(node, "visibility_modifier")
        return self.text(written) if written is not None else "public" if around.kind in _TYPES else ""

    # Functions

    def _function(self, node: Node, around: Draft) -> None:
        around = self._around(around)
        body = node.child_by_field_name("body")
        is_method = node.type == "method_declaration"
        name = self.text(node.child_by_field_name("name"))
        draft = self.open(NodeKind.METHOD if is_method else NodeKind.FUNCTION, name, node, around, body=body)
        draft.is_constructor = is_method and name.lower() == "__construct"
        draft.is_static = child_of_type(node, "static_modifier") is not None
        draft.has_body = body is not None
        draft.visibility = self._visibility(node, around)
        self._head(node, draft, around)
        self.inside(body, draft)

    def _head(self, node: Node, draft: Draft, owner: Draft) -> None:
        draft.type = self._type(node.child_by_field_name("return_type"), owner)
        found = []
        parameters = node.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else []:
            name = self.text(one.child_by_field_name("name"))
            if not name:
                continue
            kind = self._type(one.child_by_field_name("type"), owner)
            default = one.child_by_field_name("default_value")
            found.append(
                Parameter(name, kind, is_optional=default is not None, is_rest=one.type == "variadic_parameter")
            )
            self.value(default, draft)
            if one.type == "property_promotion_parameter":
                field = self.open(NodeKind.FIELD, name.lstrip("$"), one, owner)
                field.type = kind
                field.visibility = self.text(one.child_by_field_name("visibility"))
        draft.parameters = tuple(found)

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        self._head(node, closure, self._owner(draft))
        if node.type == "arrow_function":
            if (value := self.value(body, closure)) is not None:
                closure.result.append(value)
        else:
            self.inside(body, closure)
        return Closure(closure.index)

    def _owner(self, draft: Draft) -> Draft:
        """Return the type around *draft*, or the file."""
        while draft.parent >= 0 and draft.kind not in _TYPES:
            draft = self.drafts[draft.parent]
        return draft

    def _type(self, node: Node | None, draft: Draft) -> TypeRef | None:
        """Return a type as written; of several the only one that is no built-in."""
        if node is None:
            return None
        match node.type:
            case "named_type" | "optional_type" | "type_list":
                return self._type(child_at(node, 0), draft) if node.named_child_count == 1 else None
            case "union_type" | "intersection_type":
                named = [one for one in node.named_children if one.type != "primitive_type"]
                return self._type(named[0], draft) if len(named) == 1 else None
            case "primitive_type":
                text = self.text(node)
                return self._own(draft) if text in _OWN else TypeRef(text)
            case "name" | "qualified_name" | "relative_scope":
                text = self.text(node)
                return self._own(draft) if text in _OWN else TypeRef(_dotted(text))
        return None

    def _own(self, draft: Draft) -> TypeRef | None:
        owner = self._owner(draft)
        return TypeRef(owner.name) if owner.kind in _TYPES else None

    # Statements

    def _foreach(self, node: Node, draft: Draft) -> None:
        source, target, *_ = node.named_children
        value = self.value(source, draft)
        is_pair = target.type == "pair"
        names = target.named_children if is_pair else [target]
        for index, name in enumerate(names):
            item = Item(value, is_key=is_pair and index == 0) if value else None
            self._bind(name, item, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            kind = self._type(node.child_by_field_name("type"), draft)
            draft.locals.append(Local(self.text(name), kind, None, line(node)))
        self.later(node.child_by_field_name("body"), draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft) if node.named_child_count else None
        if value is not None and draft.type is None:
            draft.result.append(value)

    def _static_variable(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("value"), draft)
        self._bind(node.child_by_field_name("name"), value, draft)

    def _bind(self, target: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind what stands left of a ``=``: a variable, a list of them, or a property of this object."""
        if target is None:
            return
        match target.type:
            case "variable_name":
                draft.locals.append(Local(self.text(target), None, value, line(target)))
            case "list_literal" | "array_creation_expression":
                for index, part in enumerate(target.named_children):
                    inner = part if part.type != "array_element_initializer" else part.named_children[-1]
                    if inner.type == "variable_name":
                        self._bind(inner, Part(value, index) if value else None, draft)
                    else:
                        self.later(inner, draft)
            case "member_access_expression" if self.text(target.child_by_field_name("object")) == "$this":
                self._assigned_field(target, value, draft)
            case _:
                self.value(target, draft)

    def _assigned_field(self, target: Node, value: Expression | None, draft: Draft) -> None:
        """Give a property without type the value that the constructor gives it."""
        name = self.text(target.child_by_field_name("name"))
        owner = self._owner(draft)
        for field in self.drafts:
            if field.parent == owner.index and field.kind is NodeKind.FIELD and field.name == name:
                if field.type is None and field.value is None:
                    field.value = self._in_type(value, draft)
                return

    def _in_type(self, value: Expression | None, draft: Draft) -> Expression | None:
        """Return *value* as it means the same outside of the function: a parameter's type, a new object, a call."""
        if isinstance(value, Name):
            kind = next((one.type for one in draft.parameters if one.name == value.text), None)
            return Cast(None, kind) if kind else None
        return value if isinstance(value, New | Call) else None

    # Expressions

    def _variable(self, node: Node, _: Draft) -> Expression:
        text = self.text(node)
        return This() if text == "$this" else Name(text)

    def _relative(self, node: Node, _: Draft) -> Expression:
        return This(is_super=self.text(node) == "parent")

    def _inner(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, 0), draft)

    def _argument(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(node.named_children[-1], draft)

    def _member(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("object"), draft)
        return Select(owner, self._member_name(node, draft))

    def _scoped(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("scope"), draft)
        return Select(owner, self.text(node.child_by_field_name("name")).lstrip("$"))

    def _constant_access(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = child_at(node, 0), child_at(node, 1)
        found = self.expression(owner, draft)
        return found if self.text(name) == "class" else Select(found, self.text(name))

    def _member_name(self, node: Node, draft: Draft) -> str:
        name = node.child_by_field_name("name")
        if name is not None and name.type == "name":
            return self.text(name)
        self.value(name, draft)
        return ""

    def _call(self, node: Node, draft: Draft) -> Expression:
        function = node.child_by_field_name("function")
        self._define(function, node)
        callee = self.expression(function, draft) or Select(None, "")
        return self._called(callee, node, draft)

    def _define(self, function: Node | None, node: Node) -> None:
        if self.text(function) == "define" and (given := node.child_by_field_name("arguments")) is not None:
            name = next((one for one in _leaves(given) if one.type == "string_content"), None)
            if name is not None:
                self.open(NodeKind.CONSTANT, self.text(name), node, self.drafts[0])

    def _method_call(self, node: Node, draft: Draft) -> Expression:
        owner = node.child_by_field_name("object") or node.child_by_field_name("scope")
        return self._called(Select(self.expression(owner, draft), self._member_name(node, draft)), node, draft)

    def _called(self, callee: Expression, node: Node, draft: Draft) -> Expression:
        given = node.child_by_field_name("arguments")
        if child_of_type(given, "variadic_placeholder") is not None:  # a reference to the function
            return callee
        nodes = given.named_children if given is not None else []
        arguments = self.arguments(nodes, draft)
        if isinstance(callee, Name) and callee.text in _CALLING:
            arguments = tuple(self._callback(one, value) for one, value in zip(nodes, arguments, strict=False))
        return Call(callee, arguments, (), place(node))

    def _callback(self, node: Node, value: Expression | None) -> Expression | None:
        """Return the function that a text names which is given to one that calls it."""
        text = self.text(node).strip("'\"")
        return Name(text) if isinstance(value, Literal) and text.isidentifier() else value

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        written = child_at(node, 0)
        if written is not None and written.type == "anonymous_class":
            made = self._open_type(written, draft, f"class@{line(node)}")
            self._argument_nodes(written, draft)
            return New(TypeRef(made.name), (), place(node))
        arguments = self._argument_nodes(node, draft)
        kind = self._type(written, draft) if written is not None and written.type in _NAMES else None
        if kind is None:
            return None
        owner = self._owner(draft)
        if kind.name == "parent":
            kind = owner.bases[0] if owner.bases else None
        return New(kind, arguments, place(node)) if kind else None

    def _argument_nodes(self, node: Node, draft: Draft) -> tuple[Expression | None, ...]:
        given = child_of_type(node, "arguments")
        return self.arguments(given.named_children if given is not None else [], draft)

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("right"), draft)
        is_plain = node.type != "augmented_assignment_expression" or "??=" in self.text(node)
        self._bind(node.child_by_field_name("left"), value if is_plain else None, draft)
        return None

    def _choice(self, node: Node, draft: Draft) -> Expression | None:
        condition = node.child_by_field_name("condition")
        written = [node.child_by_field_name("body"), node.child_by_field_name("alternative")]
        if written[0] is None:
            written[0] = condition
        else:
            self.value(condition, draft)
        return self._options([one for one in written if one is not None], draft)

    def _options(self, nodes: list[Node], draft: Draft) -> Expression | None:
        options = tuple(one for one in (self.expression(node, draft) for node in nodes) if one)
        return Choice(options) if options else None

    def _match(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        body = node.child_by_field_name("body")
        results = []
        for arm in body.named_children if body is not None else []:
            if (result := arm.child_by_field_name("return_expression")) is not None:
                results.append(result)
            self.inside(arm.child_by_field_name("conditional_expressions"), draft)
        return self._options(results, draft)

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if self.text(node.child_by_field_name("operator")) == "??":
            return self._options([one for one in (left, right) if one is not None], draft)
        self.value(left, draft)
        self.value(right, draft)
        return None

    def _subscript(self, node: Node, draft: Draft) -> Expression | None:
        owner, *indexes = node.named_children
        for index in indexes:
            self.value(index, draft)
        found = self.expression(owner, draft)
        return Item(found) if found else None

    def _cast(self, node: Node, draft: Draft) -> Expression:
        self.value(node.child_by_field_name("value"), draft)
        return Literal(TypeRef(self.text(node.child_by_field_name("type")).lower()))

    def _array(self, node: Node, draft: Draft) -> Expression | None:
        """Read a list; an object and a name in it are a callback."""
        elements = [one for one in node.named_children if one.type == "array_element_initializer"]
        if len(elements) == 2 and all(one.named_child_count == 1 for one in elements):
            owner, name = (child_at(one, 0) for one in elements)
            if owner is not None and name is not None and name.type == "string" and owner.type == "variable_name":
                method = Select(self.expression(owner, draft), self.text(child_of_type(name, "string_content")))
                draft.mentions.append(Mention(method, place(node)))
                return method
        self.inside(node, draft)
        return None


def _chain(name: str) -> Expression:
    """Return a dotted name as selections; a single name of the root is a name like any other."""
    first, *others = name.lstrip(".").split(".") if name.count(".") == 1 and name[0] == "." else name.split(".")
    found: Expression = Name(first)
    for part in others:
        found = Select(found, part)
    return found


def _dotted(text: str) -> str:
    """Return a name with dots; one from the root begins with one."""
    return "".join(text.split()).removeprefix("namespace\\").replace("\\", ".")


def _leaves(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.child_count:
            stack += reversed(current.children)
        else:
            yield current
