"""The facts of a C# file."""

from collections.abc import Iterable, Sequence

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
    Name,
    New,
    Parameter,
    Part,
    Select,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "integer_literal": "int",
    "real_literal": "double",
    "boolean_literal": "bool",
    "character_literal": "char",
    "string_literal": "string",
    "verbatim_string_literal": "string",
    "raw_string_literal": "string",
}
_TYPES = {
    "class_declaration": NodeKind.CLASS,
    "record_declaration": NodeKind.CLASS,
    "struct_declaration": NodeKind.STRUCT,
    "interface_declaration": NodeKind.INTERFACE,
    "enum_declaration": NodeKind.ENUM,
}
_OWNERS = frozenset(_TYPES.values())
_SEQUENCES = frozenset(
    "List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection HashSet ISet SortedSet Queue Stack "
    "LinkedList IQueryable IOrderedEnumerable IAsyncEnumerable ImmutableArray ImmutableList ConcurrentBag "
    "ConcurrentQueue ObservableCollection Collection Span ReadOnlySpan".split()
)
_MAPS = frozenset(
    "Dictionary IDictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary ImmutableDictionary".split()
)
_OF_ELEMENTS = frozenset(
    "Aggregate All Any Average Count Distinct Exists Find FindAll FindIndex First FirstOrDefault ForEach GroupBy Last "
    "LastOrDefault Max MaxBy Min MinBy OrderBy OrderByDescending RemoveAll Select SelectMany Single SingleOrDefault "
    "SkipWhile Sum TakeWhile ThenBy ThenByDescending ToDictionary ToLookup TrueForAll Where".split()
)
"""Methods of sequences that call a closure with their elements."""

_VISIBILITIES = ("public", "protected", "internal", "private")
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))


def csharp_facts(source: Source) -> DeclaredFacts:
    """Return what a C# file says."""
    return _CsharpReader(source).facts()


class _CsharpReader(DeclaredReader):
    language = "csharp"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._conditions: list[Expression | None] = []
        self.statements = {
            "using_directive": self._using,
            "file_scoped_namespace_declaration": self._file_namespace,
            "namespace_declaration": self._namespace,
            **dict.fromkeys(_TYPES, self._type_declaration),
            "enum_member_declaration": self._enum_member,
            "delegate_declaration": self._delegate,
            "method_declaration": self._method,
            "constructor_declaration": self._constructor,
            "destructor_declaration": self._destructor,
            "operator_declaration": self._operator,
            "conversion_operator_declaration": self._operator,
            "indexer_declaration": self._property,
            "property_declaration": self._property,
            "event_declaration": self._property,
            "field_declaration": self._fields,
            "event_field_declaration": self._fields,
            "local_function_statement": self._local_function,
            "variable_declaration": self._locals,
            "foreach_statement": self._for_each,
            "catch_declaration": self._bind_typed,
            "declaration_pattern": self._bind_typed,
            "declaration_expression": self._bind_typed,
            "recursive_pattern": self._recursive_pattern,
            "constant_pattern": self._nothing,
            "from_clause": self._from,
            "return_statement": self._return,
            "goto_statement": self._nothing,
            "labeled_statement": lambda node, draft: self.later(child_at(node, -1), draft),
            "attribute_list": self._nothing,
            "global_attribute": self._nothing,
            "preproc_if": self.inside,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "generic_name": lambda node, _: Name(self.text(child_at(node, 0))),
            "this": lambda _node, _draft: This(),
            "base": lambda _node, _draft: This(is_super=True),
            "qualified_name": lambda node, _: self._names(self._dotted(node)),
            "alias_qualified_name": lambda node, _: self._names(self._dotted(node)),
            "member_access_expression": self._access,
            "conditional_access_expression": self._conditional_access,
            "member_binding_expression": self._binding,
            "element_binding_expression": self._element_binding,
            "invocation_expression": self._call,
            "argument": self._argument_value,
            "object_creation_expression": self._new,
            "implicit_object_creation_expression": self._implicit_new,
            "lambda_expression": self._closure,
            "anonymous_method_expression": self._closure,
            "cast_expression": self._cast,
            "as_expression": self._as,
            "is_pattern_expression": self._is,
            "is_expression": self._is,
            "element_access_expression": self._element,
            "await_expression": self._await,
            "conditional_expression": self._conditional,
            "assignment_expression": self._assignment,
            "switch_expression": self._switch,
            "with_expression": self._with,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "postfix_unary_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            "typeof_expression": lambda _node, _draft: Literal(TypeRef("Type")),
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _nothing(self, node: Node, draft: Draft) -> None:
        """Say nothing."""

    # Namespaces

    def _dotted(self, node: Node | None) -> str:
        """Return a qualified name without its type arguments."""
        names: list[str] = []
        while node is not None and node.type in ("qualified_name", "alias_qualified_name", "member_access_expression"):
            names.append(self._simple(node.child_by_field_name("name")))
            node = node.child_by_field_name("qualifier") or node.child_by_field_name("expression")
        if node is not None:
            names.append(self._simple(node))
        return ".".join(reversed(names))

    def _simple(self, node: Node | None) -> str:
        return self.text(child_at(node, 0) if node is not None and node.type == "generic_name" else node).removeprefix(
            "@"
        )

    def _names(self, dotted: str) -> Expression:
        first, *rest = dotted.split(".")
        found: Expression = Name(first)
        for name in rest:
            found = Select(found, name)
        return found

    def _using(self, node: Node, draft: Draft) -> None:
        words = {child.type for child in node.children}
        alias = self.text(node.child_by_field_name("name"))
        module = self._dotted(child_at(node, -1))
        name = "*"
        if alias:
            module, _, name = module.rpartition(".")
        said = " ".join(self.text(node).split()).rstrip("; ")
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said, "global" in words))

    def _file_namespace(self, node: Node, draft: Draft) -> None:
        self.namespace = self._dotted(node.child_by_field_name("name"))
        for child in node.named_children[1:]:
            self.later(child, draft)

    def _namespace(self, node: Node, around: Draft) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        self.inside(body, self.open(NodeKind.NAMESPACE, self._dotted(name), node, around, body=body))

    # Declarations

    def _open(self, kind: NodeKind, node: Node, around: Draft, body: Node | None = None, name: str = "") -> Draft:
        name = name or self.text(node.child_by_field_name("name")).removeprefix("@")
        draft = self.open(kind, name, node, around, body=body)
        words = self._modifiers(node)
        hidden = "public" if around.kind is NodeKind.INTERFACE else "private" if around.kind in _OWNERS else "internal"
        draft.visibility = " ".join(word for word in _VISIBILITIES if word in words) or hidden
        draft.is_static = "static" in words or "const" in words
        draft.has_body = not ("abstract" in words and kind is NodeKind.METHOD)
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        return {self.text(one) for one in children_of_type(node, "modifier")}

    def _type_declaration(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(_TYPES[node.type], node, around, body)
        if node.type == "record_declaration" and any(child.type == "struct" for child in node.children):
            draft.kind = NodeKind.STRUCT
        draft.type_parameters = self._type_parameters(node)
        given = child_of_type(node, "parameter_list")
        draft.parameters = self._parameters(given, draft)
        for one, parameter in zip(children_of_type(given, "parameter"), draft.parameters, strict=False):
            field = self.open(NodeKind.FIELD, parameter.name, one, draft)
            field.type = parameter.type
            field.visibility = "public" if node.type == "record_declaration" else "private"
        self._bases(child_of_type(node, "base_list"), draft)
        self.inside(body, draft)

    def _bases(self, listed: Node | None, draft: Draft) -> None:
        for one in listed.named_children if listed is not None else []:
            if one.type == "argument_list":
                self.inside(one, draft)
                continue
            kind = self._type(one.child_by_field_name("type") if one.type == "primary_constructor_base_type" else one)
            if kind:
                draft.bases.append(kind)
            self.inside(child_of_type(one, "argument_list"), draft)

    def _enum_member(self, node: Node, around: Draft) -> None:
        member = self._open(NodeKind.CONSTANT, node, around)
        member.visibility, member.is_static, member.type = around.visibility, True, TypeRef(around.name)

    def _delegate(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, node, around)
        draft.type_parameters = self._type_parameters(node)
        taken = self._parameters(node.child_by_field_name("parameters"), draft)
        result = self._type(node.child_by_field_name("type")) or TypeRef("void")
        draft.type = TypeRef("->", (*(one.type or TypeRef("object") for one in taken), result))

    def _method(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.METHOD, node, around)

    def _local_function(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.FUNCTION, node, around)

    def _callable(self, kind: NodeKind, node: Node, around: Draft, name: str = "") -> Draft:
        body = node.child_by_field_name("body")
        draft = self._open(kind, node, around, body, name)
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(node.child_by_field_name("returns") or node.child_by_field_name("type"))
        parameters = node.child_by_field_name("parameters")
        draft.parameters = self._parameters(parameters, draft)
        first = child_of_type(parameters, "parameter")
        if first is not None and "this" in self._modifiers(first) and draft.parameters:
            draft.receiver = draft.parameters[0].type
        self._body(body, draft)
        return draft

    def _body(self, body: Node | None, draft: Draft) -> None:
        if body is not None and body.type == "arrow_expression_clause":
            self.value(child_at(body, 0), draft)
        else:
            self.inside(body, draft)

    def _constructor(self, node: Node, around: Draft) -> None:
        draft = self._callable(NodeKind.METHOD, node, around)
        draft.is_constructor = not draft.is_static
        other = child_of_type(node, "constructor_initializer")
        if other is not None:
            passed = self._arguments(child_of_type(other, "argument_list"), draft)
            is_super = any(child.type == "base" for child in other.children)
            draft.calls.append(Call(This(is_super=is_super), passed, (), place(other)))

    def _destructor(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.METHOD, node, around, f"~{self.text(node.child_by_field_name('name'))}")

    def _operator(self, node: Node, around: Draft) -> None:
        sign = self.text(node.child_by_field_name("operator") or node.child_by_field_name("type"))
        self._callable(NodeKind.METHOD, node, around, f"operator {sign}")

    def _property(self, node: Node, around: Draft) -> None:
        """Read a property, an indexer or an event; one that runs code is a method that is called by its name."""
        accessors, value = node.child_by_field_name("accessors"), node.child_by_field_name("value")
        bodies = [
            found
            for one in children_of_type(accessors, "accessor_declaration")
            if (found := one.child_by_field_name("body")) is not None
        ]
        runs = bool(bodies) or (value is not None and value.type == "arrow_expression_clause")
        name = "this" if node.type == "indexer_declaration" else ""
        draft = self._open(NodeKind.METHOD if runs else NodeKind.FIELD, node, around, accessors or value, name)
        draft.is_property = runs
        draft.type = self._type(node.child_by_field_name("type"))
        draft.parameters = self._parameters(node.child_by_field_name("parameters"), draft)
        if bodies:
            draft.locals.append(Local("value", draft.type, None, draft.start_line))
        for body in bodies:
            self._body(body, draft)
        if runs:
            self._body(value, draft)
        elif value is not None:
            draft.value = self.value(value, around)

    def _fields(self, node: Node, around: Draft) -> None:
        declaration = child_of_type(node, "variable_declaration")
        written = self._type(declaration.child_by_field_name("type")) if declaration is not None else None
        kind = NodeKind.CONSTANT if "const" in self._modifiers(node) else NodeKind.FIELD
        for declarator in children_of_type(declaration, "variable_declarator"):
            field = self._open(kind, node, around, name=self.text(declarator.child_by_field_name("name")))
            field.type = written
            field.value = self._value_of(declarator, around, written)

    def _value_of(self, declarator: Node, draft: Draft, written: TypeRef | None) -> Expression | None:
        parts = [child for child in declarator.named_children if not child.is_extra]
        if len(parts) < 2 or parts[-1].type == "bracketed_argument_list":
            return None
        if parts[-1].type == "implicit_object_creation_expression" and written:
            found = self._made(parts[-1], written, draft)
            draft.calls.append(found)
            return found
        return self.value(parts[-1], draft)

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        listed = child_of_type(node, "type_parameter_list")
        bounds: dict[str, list[TypeRef]] = {
            self.text(one.child_by_field_name("name")): [] for one in children_of_type(listed, "type_parameter")
        }
        for clause in children_of_type(node, "type_parameter_constraints_clause"):
            found = bounds.get(self.text(child_at(clause, 0)))
            if found is not None:
                constraints = children_of_type(clause, "type_parameter_constraint")
                found += self._types(one.child_by_field_name("type") for one in constraints)
        return tuple(TypeParameter(name, tuple(types)) for name, types in bounds.items())

    def _parameters(self, node: Node | None, draft: Draft) -> tuple[Parameter, ...]:
        found = []
        for one in children_of_type(node, "parameter"):
            is_optional = any(child.type == "=" for child in one.children)
            if is_optional:
                self.value(child_at(one, -1), draft)
            name = self.text(one.child_by_field_name("name")).removeprefix("@")
            found.append(Parameter(name, self._type(one.child_by_field_name("type")), is_optional=is_optional))
        rest = node.child_by_field_name("name") if node is not None else None
        if node is not None and rest is not None:  # the grammar puts ``params`` parameters right into the list
            found.append(Parameter(self.text(rest), self._type(node.child_by_field_name("type")), is_rest=True))
        return tuple(found)

    # Types

    def _types(self, nodes: Iterable[Node | None]) -> list[TypeRef]:
        return [found for node in nodes if (found := self._type(node)) is not None]

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        """Return a type; ``None`` when the text leaves it to the compiler."""
        if node is None:
            return None
        match node.type:
            case "identifier" | "predefined_type":
                return TypeRef(self.text(node).removeprefix("@"))
            case "qualified_name" | "alias_qualified_name":
                last = node.child_by_field_name("name")
                inner = self._type(last)
                arguments = inner.arguments if inner and last is not None and last.type == "generic_name" else ()
                return TypeRef(self._dotted(node).removeprefix("global."), arguments)
            case "nullable_type" | "ref_type" | "pointer_type" | "scoped_type":
                return self._type(node.child_by_field_name("type") or child_at(node, 0))
            case "array_type":
                return TypeRef("[]", (self._argument(node.child_by_field_name("type")),))
            case "tuple_type":
                elements = children_of_type(node, "tuple_element")
                return TypeRef("()", tuple(self._argument(one.child_by_field_name("type")) for one in elements))
            case "generic_name":
                return self._generic(node)
        return None

    def _argument(self, node: Node | None) -> TypeRef:
        return self._type(node) or TypeRef("object")

    def _generic(self, node: Node) -> TypeRef:
        name = self.text(child_at(node, 0))
        listed = child_of_type(node, "type_argument_list")
        given = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        if name in _SEQUENCES:
            return TypeRef("[]", given)
        if name in _MAPS:
            return TypeRef("{}", given)
        if name == "Func":
            return TypeRef("->", given)
        if name in ("Action", "Predicate"):
            return TypeRef("->", (*given, TypeRef("bool" if name == "Predicate" else "void")))
        return TypeRef(name, given)

    # Statements

    def _locals(self, node: Node, draft: Draft) -> None:
        written = self._type(node.child_by_field_name("type"))
        for declarator in children_of_type(node, "variable_declarator"):
            value = self._value_of(declarator, draft, written)
            name = declarator.child_by_field_name("name")
            if name is not None and name.type == "tuple_pattern":
                self._bind(name, value, draft)
            else:
                draft.locals.append(Local(self.text(name), written, value, line(declarator)))

    @limited(nothing)
    def _bind(self, pattern: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind the names of *pattern* to parts of *value*."""
        if pattern is None:
            return
        if pattern.type == "identifier":
            draft.locals.append(Local(self.text(pattern), None, value, line(pattern)))
            return
        for index, inner in enumerate(pattern.children_by_field_name("name") or pattern.named_children):
            self._bind(inner, Part(value, index) if value else None, draft)

    def _for_each(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("right"), draft)
        left, kind = node.child_by_field_name("left"), self._type(node.child_by_field_name("type"))
        item = Item(value) if value else None
        names = left.children_by_field_name("name") if left is not None and left.type == "tuple_pattern" else []
        if len(names) == 2 and value is not None:  # most often what a map holds
            draft.locals.append(Local(self.text(names[0]), None, Item(value, is_key=True), line(node)))
            draft.locals.append(Local(self.text(names[1]), None, item, line(node)))
        elif left is not None and left.type == "identifier":
            draft.locals.append(Local(self.text(left), kind, item, line(node)))
        self.later(node.child_by_field_name("body"), draft)

    def _bind_typed(self, node: Node, draft: Draft) -> None:
        name, kind = node.child_by_field_name("name"), self._type(node.child_by_field_name("type"))
        if name is not None and name.type == "identifier":
            draft.locals.append(Local(self.text(name), kind, None, line(name)))

    def _recursive_pattern(self, node: Node, draft: Draft) -> None:
        self._bind_typed(node, draft)
        for clause in children_of_type(node, "property_pattern_clause", "positional_pattern_clause"):
            for one in children_of_type(clause, "subpattern"):
                self.later(child_at(one, -1), draft)

    def _from(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, -1), draft)
        kind = self._type(node.child_by_field_name("type"))
        name = self.text(node.child_by_field_name("name"))
        draft.locals.append(Local(name, kind, Item(value) if value else None, line(node)))

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft)
        if value is not None and draft.kind is NodeKind.LAMBDA:
            draft.result.append(value)

    # Expressions

    def _access(self, node: Node, draft: Draft) -> Expression:
        owner = node.child_by_field_name("expression")
        return Select(self.expression(owner, draft), self._simple(node.child_by_field_name("name")))

    def _conditional_access(self, node: Node, draft: Draft) -> Expression | None:
        self._conditions.append(self.expression(node.child_by_field_name("condition"), draft))
        found = self.expression(child_at(node, -1), draft)
        self._conditions.pop()
        return found

    def _binding(self, node: Node, _: Draft) -> Expression:
        owner = self._conditions[-1] if self._conditions else None
        return Select(owner, self._simple(node.child_by_field_name("name")))

    def _element_binding(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node, draft)
        owner = self._conditions[-1] if self._conditions else None
        return Item(owner) if owner else None

    def _arguments(self, node: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        return self.arguments(children_of_type(node, "argument"), draft)

    def _argument_value(self, node: Node, draft: Draft) -> Expression | None:
        value = node.children[-1]
        if value.type != "declaration_expression":
            return self.expression(value, draft)
        self._bind_typed(value, draft)
        kind = self._type(value.child_by_field_name("type"))
        return Cast(None, kind) if kind else None

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function = node.child_by_field_name("function")
        callee = self.expression(function, draft) or Select(None, "")
        if isinstance(callee, Select) and callee.name == "ConfigureAwait":
            return callee.owner
        if callee == Name("nameof"):
            return Literal(TypeRef("string"))
        passed = []
        for one in children_of_type(node.child_by_field_name("arguments"), "argument"):
            passed.append(self.expression(one, draft))
            if isinstance(callee, Select) and callee.name in _OF_ELEMENTS:
                self._bind_closure(passed[-1], callee.owner)
        written = function
        while written is not None and written.type in ("member_access_expression", "member_binding_expression"):
            written = written.child_by_field_name("name")
        listed = child_of_type(written, "type_argument_list") if written is not None else None
        types = tuple(self._types(listed.named_children)) if listed is not None else ()
        return Call(callee, tuple(passed), types, place(node))

    def _bind_closure(self, closure: Expression | None, owner: Expression | None) -> None:
        """Bind the parameter of a closure to what *owner* holds, where its type is not said."""
        if isinstance(closure, Closure) and owner is not None:
            draft = self.drafts[closure.declaration]
            if draft.parameters and draft.parameters[0].type is None:
                draft.locals.insert(0, Local(draft.parameters[0].name, None, Item(owner), draft.start_line))
                draft.parameters = ()

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("type"))
        return self._made(node, kind, draft) if kind else None

    def _made(self, node: Node, kind: TypeRef, draft: Draft) -> New:
        passed = self._arguments(child_of_type(node, "argument_list"), draft)
        for initializer in children_of_type(node, "initializer_expression"):
            for one in initializer.named_children:
                is_member = one.type == "assignment_expression"
                self.value(one.child_by_field_name("right") if is_member else one, draft)
        return New(kind, passed, place(node))

    def _implicit_new(self, node: Node, draft: Draft) -> None:
        self.inside(node, draft)

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body") or child_of_type(node, "block")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None and parameters.type != "parameter_list":
            closure.parameters = (Parameter(self.text(parameters), None),)
        else:
            closure.parameters = self._parameters(parameters, closure)
        if body is not None and body.type == "block":
            self.inside(body, closure)
        elif (value := self.value(body, closure)) is not None:
            closure.result.append(value)
        return Closure(closure.index)

    def _cast(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("left"), draft)
        kind = self._type(node.child_by_field_name("right"))
        return Cast(value, kind) if kind else value

    def _is(self, node: Node, draft: Draft) -> Expression:
        self.value(child_at(node, 0), draft)
        self.later(node.child_by_field_name("pattern"), draft)
        return Literal(TypeRef("bool"))

    def _element(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node.child_by_field_name("subscript"), draft)
        owner = self.expression(node.child_by_field_name("expression"), draft)
        return Item(owner) if owner else None

    def _await(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        return Item(value) if value else None

    def _conditional(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return self._choice([self.expression(branch, draft) for branch in branches])

    def _choice(self, options: Sequence[Expression | None]) -> Expression | None:
        known = tuple(one for one in options if one is not None)
        return Choice(known) if len(known) > 1 else known[0] if known else None

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        left = node.child_by_field_name("left")
        right = self.expression(node.child_by_field_name("right"), draft)
        if left is not None and left.type == "tuple_expression":
            self._deconstruct(left, right, draft)
        else:
            self.value(left, draft)
        return right

    def _deconstruct(self, left: Node, value: Expression | None, draft: Draft) -> None:
        for index, one in enumerate(children_of_type(left, "argument")):
            target = child_at(one, -1)
            if target is not None and target.type == "declaration_expression":
                kind = self._type(target.child_by_field_name("type"))
                name = self.text(target.child_by_field_name("name"))
                draft.locals.append(Local(name, kind, Part(value, index) if value else None, line(target)))
            else:
                self.value(target, draft)

    def _switch(self, node: Node, draft: Draft) -> Expression | None:
        self.value(child_at(node, 0), draft)
        options = []
        for arm in children_of_type(node, "switch_expression_arm"):
            *patterns, value = arm.named_children
            for pattern in patterns:
                self.later(pattern, draft)
            options.append(self.expression(value, draft))
        return self._choice(options)

    def _with(self, node: Node, draft: Draft) -> Expression | None:
        for one in children_of_type(node, "with_initializer"):
            self.value(child_at(one, -1), draft)
        return self.expression(child_at(node, 0), draft)

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        operator = self.text(node.child_by_field_name("operator"))
        if operator == "??":
            return self._choice([self.expression(side, draft) for side in sides])
        for side in sides:
            self.value(side, draft)
        return Literal(TypeRef("bool")) if operator in _COMPARISONS else None
