"""The facts of a Kotlin file."""

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
    "number_literal": "Int",
    "float_literal": "Double",
    "character_literal": "Char",
    "multiline_string_literal": "String",
    "string_literal": "String",
}
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
_SEQUENCES = frozenset(
    "List MutableList Set MutableSet Collection MutableCollection Iterable Iterator Sequence Array ArrayList HashSet "
    "LinkedHashSet ArrayDeque Flow StateFlow".split()
)
_MAPS = frozenset("Map MutableMap HashMap LinkedHashMap ConcurrentHashMap".split())
_OF_ELEMENTS = frozenset(
    "all any associate associateBy associateWith count filter filterNot find first firstOrNull flatMap forEach groupBy "
    "last lastOrNull map mapNotNull mapKeys mapValues maxBy maxByOrNull minBy minByOrNull none onEach partition "
    "removeAll removeIf single singleOrNull sortBy sortedBy sortedByDescending sumBy sumOf takeWhile".split()
)
"""Functions of sequences that call a lambda with their elements."""

_SAME = frozenset(("also", "apply", "takeIf", "takeUnless"))
"""Scope functions that give back what they are called on."""

_WITH_IT = frozenset(("also", "let", "takeIf", "takeUnless"))
_WITH_THIS = frozenset(("apply", "run"))
_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem"}
_COMPARISONS = frozenset(("==", "!=", "===", "!==", "<", "<=", ">", ">=", "&&", "||"))
_OWNERS = (NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM)
_VISIBILITIES = ("public", "protected", "internal", "private")
_COMPANION = "Companion"
ANONYMOUS = "anonymous"


def kotlin_facts(source: Source) -> DeclaredFacts:
    """Return what a Kotlin file says."""
    return _KotlinReader(source).facts()


class _KotlinReader(DeclaredReader):
    language = "kotlin"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._taken_apart: dict[int, Node] = {}
        self.statements = {
            "package_header": self._package,
            "import": self._import,
            "class_declaration": self._class,
            "object_declaration": self._class,
            "companion_object": self._class,
            "enum_entry": self._enum_entry,
            "type_alias": self._alias,
            "function_declaration": self._function,
            "secondary_constructor": self._constructor,
            "property_declaration": self._property,
            "for_statement": self._for,
            "catch_block": self._catch,
            "annotation": self._nothing,
            "file_annotation": self._nothing,
            "modifiers": self._nothing,
            "label": self._nothing,
            **dict.fromkeys(_TYPES, self._nothing),
        }
        self.expressions = {
            "identifier": self._identifier,
            "this_expression": self._this,
            "super_expression": lambda _node, _draft: This(is_super=True),
            "navigation_expression": self._access,
            "call_expression": self._call,
            "value_argument": lambda node, draft: self.expression(child_at(node, -1), draft),
            "annotated_lambda": lambda node, draft: self.expression(child_at(node, -1), draft),
            "lambda_literal": self._closure,
            "anonymous_function": self._anonymous_function,
            "object_literal": self._object,
            "callable_reference": self._reference,
            "as_expression": self._as,
            "index_expression": self._index,
            "infix_expression": self._infix,
            "unary_expression": lambda node, draft: self.expression(node.child_by_field_name("argument"), draft),
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            "assignment": self._assignment,
            "if_expression": self._if,
            "when_expression": self._when,
            "try_expression": self._try,
            "block": self._block,
            "control_structure_body": self._block,
            "return_expression": self._return,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    def _nothing(self, node: Node, draft: Draft) -> None:
        """Say nothing."""

    # Declarations

    def _dotted(self, node: Node | None) -> str:
        return ".".join(self.text(one).strip("`") for one in children_of_type(node, "identifier"))

    def _package(self, node: Node, _: Draft) -> None:
        self.namespace = self._dotted(child_of_type(node, "qualified_identifier"))

    def _import(self, node: Node, draft: Draft) -> None:
        module = self._dotted(child_of_type(node, "qualified_identifier"))
        said = " ".join(self.text(node).split())
        if said.endswith("*"):
            self.imports.append(ImportFact(module, "*", "", draft.index, line(node), said))
            return
        module, _, name = module.rpartition(".")
        alias = self.text(child_of_type(node, "identifier")) or name
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said))

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name.strip("`"), node, around, body=body)
        words = self._modifiers(node)
        draft.visibility = next((word for word in _VISIBILITIES if word in words), "public")
        draft.has_body = "abstract" not in words or kind is not NodeKind.METHOD
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        found = child_of_type(node, "modifiers")
        return {self.text(one) for one in found.named_children} if found is not None else set()

    def _class(self, node: Node, around: Draft) -> None:
        words = {child.type for child in node.children} | self._modifiers(node)
        kind = NodeKind.INTERFACE if "interface" in words else NodeKind.ENUM if "enum" in words else NodeKind.CLASS
        body = child_of_type(node, "class_body", "enum_class_body")
        name = self.text(node.child_by_field_name("name")) or _COMPANION
        draft = self._open(kind, name, node, around, body)
        draft.is_static = "inner" not in words
        draft.type_parameters = self._type_parameters(node)
        primary = child_of_type(node, "primary_constructor")
        self._primary(child_of_type(primary, "class_parameters"), draft)
        self._bases(node, draft)
        self.inside(body, draft)

    def _primary(self, listed: Node | None, draft: Draft) -> None:
        found = []
        for one in children_of_type(listed, "class_parameter"):
            name = self.text(child_of_type(one, "identifier")).strip("`")
            kind = self._type(child_of_type(one, *_TYPES))
            is_optional = any(child.type == "=" for child in one.children)
            found.append(Parameter(name, kind, is_optional=is_optional))
            if is_optional:
                self.value(child_at(one, -1), draft)
            if any(child.type in ("val", "var") for child in one.children):
                self._open(NodeKind.FIELD, name, one, draft).type = kind
        draft.parameters = tuple(found)

    def _bases(self, node: Node, draft: Draft) -> None:
        for one in children_of_type(child_of_type(node, "delegation_specifiers"), "delegation_specifier"):
            said = child_at(one, 0)
            if said is not None and said.type in ("constructor_invocation", "explicit_delegation"):
                self.inside(child_of_type(said, "value_arguments"), draft)
                if said.type == "explicit_delegation":
                    self.value(child_at(said, -1), draft)
                said = child_at(said, 0)
            kind = self._type(said)
            if kind:
                draft.bases.append(kind)

    def _enum_entry(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "class_body")
        entry = self._open(NodeKind.CONSTANT, self.text(child_of_type(node, "identifier")), node, around, body)
        entry.is_static, entry.type = True, TypeRef(around.name)
        self.inside(child_of_type(node, "value_arguments"), around)
        self._anonymous(body, [entry.type], around)

    def _anonymous(self, body: Node | None, bases: Iterable[TypeRef], around: Draft) -> None:
        if body is not None:
            draft = self.open(NodeKind.CLASS, ANONYMOUS, body, around, body=body)
            draft.bases += bases
            self.inside(body, draft)

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self.text(node.child_by_field_name("type")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(child_of_type(node, *_TYPES))

    def _function(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "function_body")
        name_node = node.child_by_field_name("name")
        types = [(child, self._type(child)) for child in children_of_type(node, *_TYPES)]
        receiver, name = None, self.text(name_node)
        if name_node is not None and types and types[0][0].start_byte < name_node.start_byte:
            receiver, name = self._extended(types.pop(0)[1], name)
        kind = NodeKind.METHOD if receiver or around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, name, node, around, body)
        draft.receiver = receiver
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.parameters = self._parameters(child_of_type(node, "function_value_parameters"), draft)
        draft.type = types[0][1] if types else None
        self._body(body, draft)

    def _extended(self, receiver: TypeRef | None, name: str) -> tuple[TypeRef | None, str]:
        """Return receiver and name; the grammar may take the name for the last part of the type."""
        if name or receiver is None:
            return receiver, name
        outer, _, name = receiver.name.rpartition(".")
        return (TypeRef(outer) if outer else None), name

    def _body(self, body: Node | None, draft: Draft) -> None:
        found = child_at(body, 0)
        if found is not None and found.type == "block":
            self.inside(found, draft)
        elif (value := self.value(found, draft)) is not None and draft.type is None:
            draft.result.append(value)

    def _constructor(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "block")
        draft = self._open(NodeKind.METHOD, "constructor", node, around, body)
        draft.is_constructor = True
        draft.parameters = self._parameters(child_of_type(node, "function_value_parameters"), draft)
        other = child_of_type(node, "constructor_delegation_call")
        if other is not None:
            passed = self._arguments(child_of_type(other, "value_arguments"), draft)
            is_super = any(child.type == "super" for child in other.children)
            draft.calls.append(Call(This(is_super=is_super), passed, (), place(other)))
        self.inside(body, draft)

    def _property(self, node: Node, around: Draft) -> None:
        declared = child_of_type(node, "variable_declaration", "multi_variable_declaration")
        is_member = around.kind in (*_OWNERS, NodeKind.MODULE)
        if declared is None:
            self.inside(node, around)
        elif is_member and declared.type == "variable_declaration":
            self._member(node, declared, around)
        else:
            value = self._value_of(node, around)
            self._bind(declared, value, around)

    def _value_of(self, node: Node, draft: Draft) -> Expression | None:
        """Return what a property is given: behind ``=``, or by its delegate's lambda."""
        delegate = child_of_type(node, "property_delegate")
        if delegate is not None:
            match self.value(child_at(delegate, 0), draft):
                case Call(_, (*_, Closure() as closure), _, span):
                    return Call(closure, (), (), span)
            return None
        signs = [number for number, child in enumerate(node.children) if child.type == "="]
        return self.value(node.children[signs[0] + 1], draft) if signs else None

    def _member(self, node: Node, declared: Node, around: Draft) -> None:
        accessors = [one for one in children_of_type(node, "getter", "setter") if child_of_type(one, "function_body")]
        name = self.text(child_of_type(declared, "identifier"))
        extended = child_of_type(node, *_TYPES)
        receiver, name = self._extended(self._type(extended), name) if extended is not None else (None, name)
        is_constant = "const" in self._modifiers(node)
        kind = NodeKind.FIELD if around.kind in _OWNERS else NodeKind.VARIABLE
        if accessors or is_constant:
            kind = NodeKind.METHOD if accessors else NodeKind.CONSTANT
        draft = self._open(kind, name, node, around, accessors[0] if accessors else None)
        draft.receiver = receiver
        draft.is_property = bool(accessors)
        draft.type = self._type(child_of_type(declared, *_TYPES))
        draft.value = self._value_of(node, around)
        for one in accessors:
            value = child_of_type(one, "identifier")
            if value is not None:
                draft.locals.append(Local(self.text(value), draft.type, None, line(one)))
            self._body(child_of_type(one, "function_body"), draft)

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        bounds: dict[str, list[TypeRef]] = {}
        for one in children_of_type(child_of_type(node, "type_parameters"), "type_parameter"):
            bound = self._type(child_of_type(one, *_TYPES))
            bounds[self.text(child_of_type(one, "identifier"))] = [bound] if bound else []
        for one in children_of_type(child_of_type(node, "type_constraints"), "type_constraint"):
            bound = self._type(child_of_type(one, *_TYPES))
            name = self.text(child_of_type(one, "identifier"))
            if bound and name in bounds:
                bounds[name].append(bound)
        return tuple(TypeParameter(name, tuple(types)) for name, types in bounds.items())

    def _parameters(self, node: Node | None, draft: Draft) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        is_rest = is_default = False
        for child in node.children if node is not None else []:
            if child.type == "parameter_modifiers":
                is_rest = "vararg" in self.text(child)
            elif child.type == "parameter":
                kind = self._type(child_of_type(child, *_TYPES))
                if is_rest and kind:
                    kind = TypeRef("[]", (kind,))
                found.append(Parameter(self.text(child_of_type(child, "identifier")), kind, is_rest=is_rest))
                is_rest = False
            elif child.type == "=":
                is_default = True
            elif is_default and child.is_named:
                found[-1] = found[-1]._replace(is_optional=True)
                self.value(child, draft)
                is_default = False
        return tuple(found)

    # Types

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "user_type":
                return self._named(node)
            case "nullable_type" | "parenthesized_type" | "non_nullable_type" | "type_projection":
                return self._type(child_of_type(node, *_TYPES))
            case "function_type":
                *_, result = children_of_type(node, *_TYPES)
                listed = child_of_type(node, "function_type_parameters")
                taken = [
                    self._argument(child_of_type(one, *_TYPES) if one.type == "parameter" else one)
                    for one in (listed.named_children if listed is not None else [])
                ]
                return TypeRef("->", (*taken, self._argument(result)))
        return None

    def _argument(self, node: Node | None) -> TypeRef:
        return self._type(node) or TypeRef("Any")

    def _named(self, node: Node) -> TypeRef:
        name = self._dotted(node)
        listed = child_of_type(node, "type_arguments")
        given = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        return TypeRef("[]" if name in _SEQUENCES else "{}" if name in _MAPS else name, given)

    # Statements

    @limited(nothing)
    def _bind(self, declared: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind the names of *declared* to parts of *value*."""
        if declared is None:
            return
        if declared.type == "variable_declaration":
            kind = self._type(child_of_type(declared, *_TYPES))
            name = self.text(child_of_type(declared, "identifier"))
            draft.locals.append(Local(name, kind, value, line(declared)))
            return
        for index, one in enumerate(children_of_type(declared, "variable_declaration")):
            self._bind(one, Part(value, index) if value else None, draft)

    def _bind_element(self, declared: Node | None, owner: Expression | None, draft: Draft) -> None:
        """Bind what *owner* holds; of two names the first is a map's key."""
        names = children_of_type(declared, "variable_declaration")
        if declared is not None and declared.type == "multi_variable_declaration" and len(names) == 2 and owner:
            self._bind(names[0], Item(owner, is_key=True), draft)
            self._bind(names[1], Item(owner), draft)
        else:
            self._bind(declared, Item(owner) if owner else None, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        declared = child_of_type(node, "variable_declaration", "multi_variable_declaration")
        rest = [child for child in node.named_children if declared is None or child.start_byte > declared.start_byte]
        value = self.value(rest[0], draft) if rest else None
        self._bind_element(declared, value, draft)
        for child in rest[1:]:
            self.later(child, draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        name, kind = child_of_type(node, "identifier"), child_of_type(node, *_TYPES)
        draft.locals.append(Local(self.text(name), self._type(kind), None, line(node)))
        self.later(child_of_type(node, "block"), draft)

    # Expressions

    def _identifier(self, node: Node, _: Draft) -> Expression | None:
        text = self.text(node).strip("`")
        return (
            None if text in ("null", "") else Literal(TypeRef("Boolean")) if text in ("true", "false") else Name(text)
        )

    def _literal(self, node: Node, draft: Draft) -> Expression:
        self.inside(node, draft)
        return Literal(TypeRef(_LITERALS[node.type]))

    def _this(self, node: Node, _: Draft) -> Expression:
        label = child_of_type(node, "identifier")
        return Cast(None, TypeRef(self.text(label))) if label is not None else This()

    def _access(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = child_at(node, 0), child_at(node, -1)
        return Select(self.expression(owner, draft), self.text(name).strip("`"))

    def _arguments(self, node: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        return self.arguments(children_of_type(node, "value_argument"), draft)

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function = child_at(node, 0)
        trailing = child_of_type(node, "annotated_lambda")
        callee = self.expression(function, draft) or Select(None, "")
        passed = self._arguments(child_of_type(node, "value_arguments"), draft)
        listed = child_of_type(node, "type_arguments")
        types = tuple(self._argument(one) for one in listed.named_children) if listed is not None else ()
        match callee:
            case Call(inner, given, said) if trailing is not None and not passed:  # ``f(x) { … }`` is one call
                callee, passed, types = inner, given, said
        closure = self.expression(trailing, draft) if trailing is not None else None
        if isinstance(closure, Closure):
            scoped = self._scoped(callee, passed, closure, draft, node)
            if scoped is not None:
                return scoped
            passed = (*passed, closure)
        return Call(callee, passed, types, place(node))

    def _scoped(
        self,
        callee: Expression,
        passed: tuple[Expression | None, ...],
        closure: Closure,
        draft: Draft,
        node: Node,
    ) -> Expression | None:
        """Bind what a library function gives to a lambda; return what a scope function gives back."""
        inner = self.drafts[closure.declaration]
        match callee, passed:
            case Name("run"), ():
                return Call(closure, (), (), place(node))
            case Name(name), () if name in _SAME | _WITH_IT:
                return self._scoped(Select(This(), name), (), closure, draft, node)
            case Select(owner, name), () if owner is not None and name in _WITH_IT:
                self._give(inner, owner)
            case Select(owner, name), () if owner is not None and name in _WITH_THIS:
                inner.locals.insert(0, Local("this", None, owner, inner.start_line))
            case Name("with"), (owner,) if owner is not None:
                inner.locals.insert(0, Local("this", None, owner, inner.start_line))
                return Call(closure, (), (), place(node))
            case Select(owner, name), _ if owner is not None and name in _OF_ELEMENTS:
                self._give(inner, Item(owner), owner)
                return None
            case _:
                return None
        if isinstance(callee, Select) and callee.name in _SAME:
            draft.calls.append(closure)
            return callee.owner
        return Call(closure, (), (), place(node))

    def _give(self, closure: Draft, value: Expression, owner: Expression | None = None) -> None:
        """Bind the parameter of a lambda, or ``it``, to *value*, which *owner* holds."""
        taken_apart = self._taken_apart.get(closure.index)
        if taken_apart is not None:
            self._bind_element(taken_apart, owner, closure)
        elif not closure.parameters:
            closure.locals.insert(0, Local("it", None, value, closure.start_line))
        elif closure.parameters[0].type is None:
            closure.locals.insert(0, Local(closure.parameters[0].name, None, value, closure.start_line))
            closure.parameters = ()

    def _closure(self, node: Node, draft: Draft) -> Expression:
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        listed = child_of_type(node, "lambda_parameters")
        closure.parameters = tuple(
            Parameter(self.text(child_of_type(one, "identifier")), self._type(child_of_type(one, *_TYPES)))
            for one in children_of_type(listed, "variable_declaration")
        )
        first = child_at(listed, 0)
        if first is not None and first.type == "multi_variable_declaration":
            self._taken_apart[closure.index] = first
        parts = [child for child in node.named_children if not child.is_extra and child.type != "lambda_parameters"]
        for child in parts[:-1]:
            self.later(child, closure)
        if parts and parts[-1].type in self.expressions:
            value = self.value(parts[-1], closure)
            if value is not None:
                closure.result.append(value)
        elif parts:
            self.later(parts[-1], closure)
        return Closure(closure.index)

    def _anonymous_function(self, node: Node, draft: Draft) -> Expression:
        body = child_of_type(node, "function_body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        closure.parameters = self._parameters(child_of_type(node, "function_value_parameters"), closure)
        closure.type = self._type(child_of_type(node, *_TYPES))
        self._body(body, closure)
        return Closure(closure.index)

    def _object(self, node: Node, draft: Draft) -> Expression | None:
        bases = Draft(
            index=0, parent=0, kind=NodeKind.CLASS, name="", start_line=0, end_line=0, start_byte=0, end_byte=0
        )
        self._bases(node, bases)
        self._anonymous(child_of_type(node, "class_body"), bases.bases, draft)
        return Cast(None, bases.bases[0]) if bases.bases else None

    def _reference(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = child_at(node, 0), child_at(node, -1)
        if owner is None or owner == name:
            return Name(self.text(name))
        kind = self._type(owner)
        if kind is None:
            return Select(self.expression(owner, draft), self.text(name))
        found: Expression | None = None
        for one in kind.name.split("."):
            found = Select(found, one) if found else Name(one)
        return Select(found, self.text(name))

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("left"), draft)
        kind = self._type(node.child_by_field_name("right"))
        return Cast(value, kind) if kind else value

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(child_at(node, 0), draft)
        for child in node.named_children[1:]:
            self.value(child, draft)
        return Item(owner) if owner else None

    def _infix(self, node: Node, draft: Draft) -> Expression | None:
        left = self.expression(child_at(node, 0), draft)
        right = self.expression(child_at(node, -1), draft)
        return Call(Select(left, self.text(child_at(node, 1))), (right,), (), place(node))

    def _choice(self, options: Sequence[Expression | None]) -> Expression | None:
        known = tuple(one for one in options if one is not None)
        return Choice(known) if len(known) > 1 else known[0] if known else None

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        operator = self.text(node.child_by_field_name("operator"))
        if operator == "?:":
            return self._choice([self.expression(side, draft) for side in sides])
        if operator in _OPERATORS:
            left, right = (self.expression(side, draft) for side in sides)
            if left is not None and not isinstance(left, Literal):
                return Call(Select(left, _OPERATORS[operator]), (right,), (), place(node))
            if right is not None and sides[1] is not None:
                self.record(right, sides[1], draft)
            return left
        for side in sides:
            self.value(side, draft)
        return Literal(TypeRef("Boolean")) if operator in _COMPARISONS else None

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("left"), draft)
        return self.expression(node.child_by_field_name("right"), draft)

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        condition = node.child_by_field_name("condition")
        self.value(condition, draft)
        branches = [child for child in node.named_children if not child.is_extra and child != condition]
        return self._choice([self.expression(branch, draft) for branch in branches])

    def _when(self, node: Node, draft: Draft) -> Expression | None:
        subject = child_of_type(node, "when_subject")
        if subject is not None:
            value = self.value(child_at(subject, -1), draft)
            self._bind(child_of_type(subject, "variable_declaration"), value, draft)
        options = []
        for entry in children_of_type(node, "when_entry"):
            for condition in entry.children_by_field_name("condition"):
                self.value(condition, draft)
            options.append(self.expression(child_at(entry, -1), draft))
        return self._choice(options)

    def _try(self, node: Node, draft: Draft) -> Expression | None:
        for child in node.named_children[1:]:
            self.later(child, draft)
        return self.expression(child_at(node, 0), draft)

    def _block(self, node: Node, draft: Draft) -> Expression | None:
        """Return what the last expression of a block gives; what stands before it is read on its own."""
        parts = [child for child in node.named_children if not child.is_extra]
        if not parts or parts[-1].type not in self.expressions:
            self.inside(node, draft)
            return None
        for statement in parts[:-1]:
            self.later(statement, draft)
        return self.expression(parts[-1], draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = child_at(node, -1)
        if value is not None and value != node.child_by_field_name("label"):
            self.value(value, draft)
