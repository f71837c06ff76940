"""The facts of a Swift file."""

from collections.abc import Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    DeclaredFacts,
    Expression,
    Implementation,
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
    "integer_literal": "Int",
    "hex_literal": "Int",
    "real_literal": "Double",
    "boolean_literal": "Bool",
    "line_string_literal": "String",
    "multi_line_string_literal": "String",
}
_KINDS = {
    "class": NodeKind.CLASS,
    "actor": NodeKind.CLASS,
    "struct": NodeKind.STRUCT,
    "enum": NodeKind.ENUM,
    "extension": NodeKind.CLASS,
}
_OWNERS = frozenset((NodeKind.CLASS, NodeKind.STRUCT, NodeKind.ENUM, NodeKind.INTERFACE))
_TYPES = (
    "user_type",
    "optional_type",
    "array_type",
    "dictionary_type",
    "tuple_type",
    "function_type",
    "opaque_type",
    "existential_type",
    "metatype",
    "protocol_composition_type",
)
_SEQUENCES = frozenset("Array Set ArraySlice ContiguousArray Sequence Collection AnySequence AsyncStream".split())
_OF_ELEMENTS = frozenset(
    "allSatisfy compactMap contains drop filter first firstIndex flatMap forEach last map max min partition prefix "
    "removeAll sorted".split()
)
"""Methods of sequences and optionals that call a closure with what these hold."""

_BINARIES = frozenset(
    "additive_expression multiplicative_expression comparison_expression equality_expression conjunction_expression "
    "disjunction_expression infix_expression range_expression bitwise_operation nil_coalescing_expression".split()
)
_PREFIXES = frozenset(("prefix_expression", "try_expression", "await_expression", "postfix_expression"))
_VISIBILITIES = ("open", "public", "package", "internal", "fileprivate", "private")


def swift_facts(source: Source) -> DeclaredFacts:
    """Return what a Swift file says."""
    return _SwiftReader(source).facts()


class _SwiftReader(DeclaredReader):
    language = "swift"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._extended: dict[int, TypeRef] = {}
        self.statements = {
            "import_declaration": self._import,
            "class_declaration": self._class,
            "protocol_declaration": self._protocol,
            "enum_entry": self._enum_entry,
            "typealias_declaration": self._alias,
            "associatedtype_declaration": self._alias,
            "function_declaration": self._function,
            "protocol_function_declaration": self._function,
            "init_declaration": self._function,
            "deinit_declaration": self._function,
            "subscript_declaration": self._subscript,
            "property_declaration": self._property,
            "protocol_property_declaration": self._promised,
            "operator_declaration": self._nothing,
            "directive": self._nothing,
            "modifiers": self._nothing,
            "if_statement": self._conditions,
            "guard_statement": self._conditions,
            "while_statement": self._conditions,
            "for_statement": self._for,
            "switch_statement": self._switch,
            "catch_block": self._catch,
            "control_transfer_statement": self._transfer,
            **dict.fromkeys(_TYPES, self._nothing),
        }
        self.expressions = {
            "simple_identifier": lambda node, _: Name(self._name(node)),
            "self_expression": lambda _node, _draft: This(),
            "super_expression": lambda _node, _draft: This(is_super=True),
            "navigation_expression": self._access,
            "call_expression": self._call,
            "constructor_expression": self._construct,
            "lambda_literal": self._closure,
            "as_expression": self._as,
            "check_expression": self._check,
            "tuple_expression": self._tuple,
            "ternary_expression": self._ternary,
            "nil_coalescing_expression": self._coalesce,
            "assignment": self._assignment,
            "directly_assignable_expression": self._first,
            **dict.fromkeys(_PREFIXES, self._last),
            **dict.fromkeys(_BINARIES - {"nil_coalescing_expression"}, self._binary),
            **dict.fromkeys(_LITERALS, self._literal),
        }

    def _nothing(self, node: Node, draft: Draft) -> None:
        """Say nothing."""

    def _name(self, node: Node | None) -> str:
        return self.text(node).strip("`")

    # Declarations

    def _import(self, node: Node, draft: Draft) -> None:
        parts = [self._name(one) for one in children_of_type(child_of_type(node, "identifier"), "simple_identifier")]
        said = " ".join(self.text(node).split())
        self.imports.append(ImportFact(".".join(parts), "*", "", draft.index, line(node), said))

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name, node, around, body=body)
        words = self._modifiers(node)
        draft.visibility = next((word for word in _VISIBILITIES if word in words), "internal")
        draft.is_static = bool(words & {"static", "class"}) and kind not in _OWNERS
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        found = child_of_type(node, "modifiers")
        words = {self.text(one) for one in found.named_children} if found is not None else set()
        return words | ({"class"} if any(child.type == "class" for child in node.children) else set())

    def _class(self, node: Node, around: Draft) -> None:
        word = next((child.type for child in node.children if child.type in _KINDS), "class")
        body = node.child_by_field_name("body")
        if word == "extension":
            self._extension(node, body, around)
            return
        draft = self._open(_KINDS[word], self._name(node.child_by_field_name("name")), node, around, body)
        draft.type_parameters = self._type_parameters(node)
        draft.bases += self._inherited(node)
        self.inside(body, draft)

    @limited(nothing)
    def _extension(self, node: Node, body: Node | None, around: Draft) -> None:
        """Read what is added to a type as declarations of the scope around, with that type as receiver."""
        extended = self._type(node.child_by_field_name("name"))
        if extended is None:
            self.inside(body, around)
            return
        for trait in self._inherited(node):
            self.implementations.append(Implementation(extended, trait, around.index, line(node)))
        first = len(self.drafts)
        for child in body.named_children if body is not None else []:
            reader = self.statements.get(child.type)
            if reader is not None and not child.is_extra:
                reader(child, around)
        for draft in self.drafts[first:]:
            if draft.parent == around.index:
                draft.receiver = extended
                if draft.kind is NodeKind.FUNCTION:
                    draft.kind = NodeKind.METHOD

    def _inherited(self, node: Node) -> list[TypeRef]:
        found = [
            self._type(one.child_by_field_name("inherits_from"))
            for one in children_of_type(node, "inheritance_specifier")
        ]
        return [one for one in found if one]

    def _protocol(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.INTERFACE, self._name(node.child_by_field_name("name")), node, around, body)
        draft.bases += self._inherited(node)
        self.inside(body, draft)

    def _enum_entry(self, node: Node, around: Draft) -> None:
        held: tuple[Parameter, ...] = ()
        for child in node.children:
            if child.type == "enum_type_parameters":
                types = [self._type(one) for one in children_of_type(child, *_TYPES)]
                held = tuple(Parameter(str(index), one) for index, one in enumerate(types))
                self.drafts[-1].parameters = held
            elif child.type == "simple_identifier":
                entry = self._open(NodeKind.CONSTANT, self._name(child), child, around)
                entry.is_static, entry.type = True, TypeRef(around.name)

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self._name(node.child_by_field_name("name")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(child_of_type(node, *_TYPES))

    def _function(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        word = node.type.partition("_")[0]
        name = word if word in ("init", "deinit") else self._name(node.child_by_field_name("name"))
        kind = NodeKind.METHOD if around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, name, node, around, body)
        draft.is_constructor = word == "init"
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.parameters = self._parameters(node, draft)
        draft.type = self._type(child_of_type(node, *_TYPES))
        self.inside(body, draft)

    def _parameters(self, node: Node, draft: Draft) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        for child in node.children:
            if child.type == "parameter":
                kind = self._type(child_of_type(child, *_TYPES))
                is_rest = any(one.type == "..." for one in child.children)
                names = children_of_type(child, "simple_identifier")
                name = self._name(names[-1]) if names else ""
                found.append(Parameter(name, TypeRef("[]", (kind,)) if is_rest and kind else kind, is_rest=is_rest))
            elif found and child in node.children_by_field_name("default_value"):
                found[-1] = found[-1]._replace(is_optional=True)
                self.value(child, draft)
        return tuple(found)

    def _subscript(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.METHOD, "subscript", node, around, child_of_type(node, "computed_property"))
        draft.is_property = True
        draft.parameters = self._parameters(node, draft)
        draft.type = self._type(child_of_type(node, *_TYPES))
        self.inside(child_of_type(node, "computed_property"), draft)

    def _property(self, node: Node, around: Draft) -> None:
        """Read what ``let`` and ``var`` bind: each name is followed by its type and its value."""
        is_member = around.kind in _OWNERS or around.kind is NodeKind.MODULE
        rows: list[list[Node]] = []
        for child in node.named_children:
            if child.type == "pattern":
                rows.append([child])
            elif rows and not child.is_extra:
                rows[-1].append(child)
        for pattern, *rest in rows:
            kind = next((self._type(child_at(one, -1)) for one in rest if one.type == "type_annotation"), None)
            computed = next((one for one in rest if one.type == "computed_property"), None)
            observers = next((one for one in rest if one.type == "willset_didset_block"), None)
            values = [one for one in rest if one not in (computed, observers) and one.type != "type_annotation"]
            value = self.value(values[0], around) if values else None
            names = self._bound(pattern, value)
            if not is_member and computed is None:
                around.locals += [one._replace(type=kind or one.type) for one in names]
                continue
            for one in names:
                self._member(node, one._replace(type=kind), computed, observers, around)

    def _member(self, node: Node, local: Local, computed: Node | None, observers: Node | None, around: Draft) -> None:
        is_let = self.text(child_of_type(node, "value_binding_pattern")) == "let"
        kind = NodeKind.FIELD
        if computed is not None:
            kind = NodeKind.METHOD
        elif around.kind is NodeKind.MODULE:
            kind = NodeKind.CONSTANT if is_let else NodeKind.VARIABLE
        draft = self._open(kind, local.name, node, around, computed)
        draft.is_property = computed is not None
        draft.type, draft.value = local.type, local.value
        self.inside(computed, draft)
        self.inside(observers, draft)

    def _promised(self, node: Node, around: Draft) -> None:
        name = self._name(child_of_type(node.child_by_field_name("name"), "simple_identifier"))
        draft = self._open(NodeKind.FIELD, name, node, around)
        draft.type = self._type(child_at(child_of_type(node, "type_annotation"), -1))

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        bounds: dict[str, list[TypeRef]] = {}
        for one in children_of_type(child_of_type(node, "type_parameters"), "type_parameter"):
            bound = self._type(child_of_type(one, *_TYPES))
            bounds[self.text(child_of_type(one, "type_identifier"))] = [bound] if bound else []
        for constraint in children_of_type(child_of_type(node, "type_constraints"), "type_constraint"):
            said = child_of_type(constraint, "inheritance_constraint")
            bound = self._type(child_of_type(said, *_TYPES))
            name = self.text(child_of_type(said, "identifier"))
            if bound and name in bounds:
                bounds[name].append(bound)
        return tuple(TypeParameter(name, tuple(types)) for name, types in bounds.items())

    # Types

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "type_identifier":
                return TypeRef(self._name(node))
            case "user_type":
                return self._named(node)
            case "optional_type" | "opaque_type" | "existential_type" | "metatype" | "protocol_composition_type":
                return self._type(node.child_by_field_name("wrapped") or child_at(node, 0))
            case "array_type":
                return TypeRef("[]", (self._argument(child_at(node, 0)),))
            case "dictionary_type":
                return TypeRef("{}", tuple(self._argument(one) for one in node.named_children))
            case "tuple_type":
                items = [child_of_type(one, *_TYPES) for one in children_of_type(node, "tuple_type_item")]
                if len(items) == 1:
                    return self._type(items[0])
                return TypeRef("()", tuple(self._argument(one) for one in items))
            case "function_type":
                *taken, result = children_of_type(node, *_TYPES)
                items = [child_of_type(one, *_TYPES) for one in children_of_type(child_at(node, 0), "tuple_type_item")]
                given = [self._argument(one) for one in (items if taken else [])]
                return TypeRef("->", (*given, self._argument(result)))
        return None

    def _argument(self, node: Node | None) -> TypeRef:
        return self._type(node) or TypeRef("Any")

    def _named(self, node: Node) -> TypeRef:
        name = ".".join(self._name(one) for one in children_of_type(node, "type_identifier"))
        listed = child_of_type(node, "type_arguments")
        given = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        if name == "Optional" and given:
            return given[0]
        return TypeRef("[]" if name in _SEQUENCES else "{}" if name == "Dictionary" else name, given)

    # Statements

    @limited(list[Local])
    def _bound(self, pattern: Node | None, value: Expression | None) -> list[Local]:
        """Return the names of *pattern* with the parts of *value* they are bound to."""
        if pattern is None:
            return []
        if pattern.type == "simple_identifier":
            return [Local(self._name(pattern), None, value, line(pattern))]
        own = pattern.child_by_field_name("bound_identifier")
        if own is not None:
            return self._bound(own, value)
        inner = children_of_type(pattern, "pattern")
        kind = self._type(child_of_type(pattern, *_TYPES))
        if kind is not None:
            return [one._replace(type=kind) for one in self._bound(inner[0], value)] if inner else []
        if not inner:
            return self._bound(child_of_type(pattern, "simple_identifier"), value) if len(pattern.children) == 1 else []
        case = [self._name(one) for one in children_of_type(pattern, "simple_identifier")]
        found: list[Local] = []
        for index, one in enumerate(inner):
            held = Part(value, index) if value and not case else value if case == ["some"] else None
            found += self._bound(one, held)
        return found

    def _conditions(self, node: Node, draft: Draft) -> None:
        """Read ``if``, ``guard`` and ``while``: a row of conditions that may bind names, then bodies."""
        name: Node | None = None
        pattern: Node | None = None
        names = node.children_by_field_name("bound_identifier")
        for child in node.named_children:
            if child in names:
                name = child
                following = child.next_sibling
                if following is not None and following.type not in ("=", "type_annotation"):
                    draft.locals.append(Local(self._name(child), None, Name(self._name(child)), line(child)))
                    name = None
            elif child.type == "pattern":
                pattern = child
            elif child.type in ("value_binding_pattern", "else", "type_annotation"):
                continue
            elif name is not None:
                draft.locals.append(Local(self._name(name), None, self.value(child, draft), line(name)))
                name = None
            elif pattern is not None:
                draft.locals += self._bound(pattern, self.value(child, draft))
                pattern = None
            elif child.type in self.expressions:
                self.value(child, draft)
            else:
                self.later(child, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("collection"), draft)
        pattern = node.child_by_field_name("item")
        inner = children_of_type(pattern, "pattern")
        if len(inner) == 2 and value is not None:
            draft.locals += self._pairs(inner, value)
        else:
            draft.locals += self._bound(pattern, Item(value) if value else None)
        for child in children_of_type(node, "where_clause", "statements"):
            self.inside(child, draft)

    def _pairs(self, inner: Sequence[Node], value: Expression) -> list[Local]:
        """Return what two names stand for: number and element after ``enumerated``, else key and value of a map."""
        match value:
            case Call(Select(owner, "enumerated"), ()):
                held = Item(owner) if owner else None
                return [*self._bound(inner[0], Literal(TypeRef("Int"))), *self._bound(inner[1], held)]
        return [*self._bound(inner[0], Item(value, is_key=True)), *self._bound(inner[1], Item(value))]

    def _switch(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("expr"), draft)
        for entry in children_of_type(node, "switch_entry"):
            for child in entry.named_children:
                if child.type == "switch_pattern":
                    draft.locals += self._cased(child, value)
                else:
                    self.later(child, draft)

    def _cased(self, node: Node, value: Expression | None) -> list[Local]:
        pattern = child_at(node, 0)
        if pattern is None or (not children_of_type(pattern, "pattern", "value_binding_pattern")):
            return []
        return self._bound(pattern, value)

    def _catch(self, node: Node, draft: Draft) -> None:
        draft.locals += self._bound(node.child_by_field_name("error"), None)
        self.inside(child_of_type(node, "statements"), draft)

    def _transfer(self, node: Node, draft: Draft) -> None:
        value = child_at(node, -1)
        if value is not None and value.type in self.expressions:
            found = self.value(value, draft)
            if found is not None and draft.kind is NodeKind.LAMBDA:
                draft.result.append(found)
        else:
            self.inside(node, draft)

    # Expressions

    def _first(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, 0), draft)

    def _last(self, node: Node, draft: Draft) -> Expression | None:
        target = node.child_by_field_name("target") or node.child_by_field_name("expr") or child_at(node, -1)
        if node.type == "prefix_expression" and target is not None and any(one.type == "." for one in node.children):
            return Select(None, self._name(target))
        return self.expression(target, draft)

    def _literal(self, node: Node, draft: Draft) -> Expression:
        for one in children_of_type(node, "interpolated_expression"):
            self.inside(one, draft)
        return Literal(TypeRef(_LITERALS[node.type]))

    def _access(self, node: Node, draft: Draft) -> Expression | None:
        target, suffix = node.child_by_field_name("target"), node.child_by_field_name("suffix")
        name = child_at(suffix, -1)
        owner = self.expression(target, draft)
        if name is not None and name.type == "integer_literal":
            return Part(owner, int(self.text(name))) if owner and self.text(name).isdecimal() else None
        return Select(owner, self._name(name))

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function, suffix = child_at(node, 0), child_of_type(node, "call_suffix")
        while function is not None and (function.type in _BINARIES or function.type == "prefix_expression"):
            # the grammar lets operators bind closer than calls
            if function.type == "prefix_expression" and any(one.type == "." for one in function.children):
                break
            inner = child_at(function, -1)
            for other in function.named_children:
                if other != inner:
                    self.value(other, draft)
            function = inner
        listed = child_of_type(suffix, "value_arguments")
        closures = children_of_type(suffix, "lambda_literal")
        callee = self._callee(function, draft)
        if isinstance(callee, Cast):
            self.inside(listed, draft)
            return callee
        values = [one.child_by_field_name("value") for one in children_of_type(listed, "value_argument")]
        given: tuple[Expression | None, ...] = ()
        match callee:
            case Call(called, taken) if listed is None and closures:  # ``f(x) { … }`` is one call
                callee, given = called, taken
        passed = [*given, *(self.expression(value, draft) for value in [*values, *closures])]
        if listed is not None and listed.children and listed.children[0].type == "[":
            return Item(callee)
        if isinstance(callee, Select) and callee.owner is not None and callee.name in _OF_ELEMENTS:
            for one in passed:
                self._give(one, Item(callee.owner))
        if isinstance(callee, Select) and callee.name == "init" and callee.owner is not None:
            callee = callee.owner
        return Call(callee, tuple(passed), (), place(node))

    def _callee(self, function: Node | None, draft: Draft) -> Expression:
        """Return what is called; of ``[Foo]()`` the type."""
        if function is not None and function.type == "array_literal":
            element = child_at(function, 0)
            return Cast(None, TypeRef("[]", (TypeRef(self.text(element)),)))
        return self.expression(function, draft) or Select(None, "")

    def _give(self, closure: Expression | None, value: Expression) -> None:
        """Bind the parameter of a closure, or ``$0``, to *value*."""
        if not isinstance(closure, Closure):
            return
        draft = self.drafts[closure.declaration]
        if not draft.parameters:
            draft.locals.insert(0, Local("$0", None, value, draft.start_line))
        elif draft.parameters[0].type is None:
            draft.locals.insert(0, Local(draft.parameters[0].name, None, value, draft.start_line))
            draft.parameters = ()

    def _construct(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("constructed_type"))
        listed = child_of_type(child_of_type(node, "constructor_suffix"), "value_arguments")
        values = [one.child_by_field_name("value") for one in children_of_type(listed, "value_argument")]
        passed = tuple([self.expression(value, draft) for value in values])
        return New(kind, passed, place(node)) if kind else None

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = child_of_type(node, "statements")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        written = child_of_type(node, "lambda_function_type")
        found = []
        for one in children_of_type(child_of_type(written, "lambda_function_type_parameters"), "lambda_parameter"):
            names = children_of_type(one, "simple_identifier")
            found.append(Parameter(self._name(names[-1] if names else None), self._type(child_of_type(one, *_TYPES))))
        closure.parameters = tuple(found)
        closure.type = self._type(child_of_type(written, *_TYPES))
        parts = [child for child in body.named_children if not child.is_extra] if body is not None else []
        if len(parts) == 1 and parts[0].type in self.expressions:
            value = self.value(parts[0], closure)
            if value is not None:
                closure.result.append(value)
        else:
            self.inside(body, closure)
        return Closure(closure.index)

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        kind = self._type(child_of_type(node, *_TYPES))
        return Cast(value, kind) if kind else value

    def _check(self, node: Node, draft: Draft) -> Expression:
        self.value(child_at(node, 0), draft)
        return Literal(TypeRef("Bool"))

    def _tuple(self, node: Node, draft: Draft) -> Expression | None:
        values = node.children_by_field_name("value")
        if len(values) == 1:
            return self.expression(values[0], draft)
        for value in values:
            self.value(value, draft)
        return None

    def _choice(self, options: Sequence[Expression | None]) -> Expression | None:
        known = tuple(one for one in options if one is not None)
        return Choice(known) if len(known) > 1 else known[0] if known else None

    def _ternary(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        return self._choice([self.expression(node.child_by_field_name(one), draft) for one in ("if_true", "if_false")])

    def _coalesce(self, node: Node, draft: Draft) -> Expression | None:
        return self._choice([self.expression(node.child_by_field_name(one), draft) for one in ("value", "if_nil")])

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("target"), draft)
        return self.expression(node.child_by_field_name("result"), draft)

    def _binary(self, node: Node, draft: Draft) -> None:
        for child in node.named_children:
            self.value(child, draft)
