"""The facts of a Scala file; what the compiler finds by implicit search is left open."""

from collections.abc import Sequence

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
    "integer_literal": "Int",
    "floating_point_literal": "Double",
    "boolean_literal": "Boolean",
    "character_literal": "Char",
    "string": "String",
}
_SEQUENCES = frozenset(
    "List Seq IndexedSeq Vector Array Set HashSet SortedSet Iterable Iterator Stream LazyList Traversable Queue "
    "ListBuffer ArrayBuffer Buffer".split()
)
_MAPS = frozenset("Map HashMap TreeMap SortedMap ListMap".split())
_OF_ELEMENTS = frozenset(
    "collect count dropWhile exists filter filterNot find flatMap forall foreach groupBy map maxBy minBy partition "
    "reduce sortBy span takeWhile withFilter".split()
)
"""Methods of sequences and options that call a function with what these hold."""

_PLAIN_OPERATORS = frozenset("+ - * / % == != < > <= >= && || & | ^ -> ++ :: ::: += -= *= /= :+ +: eq ne".split())
"""Operators of built-in values."""

_HOLDING_PATTERNS = frozenset(("Some", "Success", "Right"))
_OWNERS = frozenset((NodeKind.CLASS, NodeKind.TRAIT, NodeKind.ENUM))
_PATTERN_NAMES = ("identifier", "typed_pattern", "tuple_pattern", "case_class_pattern", "capture_pattern")
ANONYMOUS = "anonymous"


def scala_facts(source: Source) -> DeclaredFacts:
    """Return what a Scala file says."""
    return _ScalaReader(source).facts()


class _ScalaReader(DeclaredReader):
    language = "scala"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._placeholders: list[Name] = []
        self._placed: set[Name] = set()
        self._objects: set[int] = set()
        self.statements = {
            "package_clause": self._package,
            "package_object": self._package_object,
            "import_declaration": self._import,
            "class_definition": self._class,
            "object_definition": self._class,
            "trait_definition": self._class,
            "enum_definition": self._class,
            "given_definition": self._given,
            "extension_definition": self._extension,
            "simple_enum_case": self._enum_case,
            "full_enum_case": self._enum_case,
            "type_definition": self._alias,
            "function_definition": self._function,
            "function_declaration": self._function,
            "val_definition": self._value_definition,
            "var_definition": self._value_definition,
            "val_declaration": self._value_definition,
            "var_declaration": self._value_definition,
            "for_expression": self._for,
            "annotation": self._nothing,
            "modifiers": self._nothing,
            "self_type": self._nothing,
        }
        self.expressions = {
            "identifier": self._identifier,
            "wildcard": lambda _node, _draft: self._placeholder(),
            "field_expression": self._access,
            "call_expression": self._call,
            "generic_function": self._generic_function,
            "instance_expression": self._new,
            "lambda_expression": self._closure,
            "case_block": self._case_closure,
            "method_value": lambda node, draft: self.expression(child_at(node, 0), draft),
            "infix_expression": self._infix,
            "prefix_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "ascription_expression": self._ascription,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "assignment_expression": self._assignment,
            "if_expression": self._if,
            "match_expression": self._match,
            "try_expression": self._try,
            "block": self._block,
            "indented_block": self._block,
            "return_expression": self._return,
            "interpolated_string_expression": self._interpolated,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _nothing(self, node: Node, draft: Draft) -> None:
        """Say nothing."""

    # Declarations

    def _dotted(self, node: Node | None) -> str:
        return "".join(self.text(node).split()).replace("`", "")

    def _package(self, node: Node, around: Draft) -> None:
        name = self._dotted(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        if body is not None:
            self.inside(body, self.open(NodeKind.NAMESPACE, name, node, around, body=body))
        else:
            self.namespace = f"{self.namespace}.{name}".lstrip(".")

    def _package_object(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        name = self.text(node.child_by_field_name("name"))
        self.inside(body, self.open(NodeKind.NAMESPACE, name, node, around, body=body))

    def _import(self, node: Node, draft: Draft) -> None:
        said = " ".join(self.text(node).split())
        path = [self._dotted(one) for one in node.children_by_field_name("path") if one.is_named]
        module = ".".join(path)

        def take(module: str, name: str, alias: str) -> None:
            self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said))

        if child_of_type(node, "namespace_wildcard") is not None:
            take(module, "*", "")
            return
        selectors = child_of_type(node, "namespace_selectors")
        if selectors is None and path:
            take(".".join(path[:-1]), path[-1], path[-1])
        for one in selectors.named_children if selectors is not None else []:
            if one.type == "namespace_wildcard":
                take(module, "*", "")
            elif one.type == "identifier":
                take(module, self.text(one), self.text(one))
            else:
                alias = self.text(one.child_by_field_name("alias"))
                take(module, self.text(one.child_by_field_name("name")), "" if alias == "_" else alias)

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name.strip("`"), node, around, body=body)
        access = self.text(child_of_type(child_of_type(node, "modifiers"), "access_modifier"))
        draft.visibility = access.partition("[")[0] or "public"
        draft.is_static = around.index in self._objects
        return draft

    def _class(self, node: Node, around: Draft) -> None:
        kind = {"trait_definition": NodeKind.TRAIT, "enum_definition": NodeKind.ENUM}.get(node.type, NodeKind.CLASS)
        body = node.child_by_field_name("body")
        draft = self._open(kind, self.text(node.child_by_field_name("name")), node, around, body)
        if node.type == "object_definition":
            self._objects.add(draft.index)
        draft.is_static = True
        draft.type_parameters = self._type_parameters(node)
        is_case = any(child.type == "case" for child in node.children)
        self._class_parameters(node, draft, is_case=is_case)
        self._bases(node.child_by_field_name("extend"), draft)
        self.inside(body, draft)

    def _class_parameters(self, node: Node, draft: Draft, *, is_case: bool) -> None:
        found = []
        for listed in node.children_by_field_name("class_parameters"):
            for one in children_of_type(listed, "class_parameter"):
                name = self.text(one.child_by_field_name("name"))
                kind = self._type(one.child_by_field_name("type"))
                default = one.child_by_field_name("default_value")
                self.value(default, draft)
                found.append(Parameter(name, kind, is_optional=default is not None))
                field = self._open(NodeKind.FIELD, name, one, draft)
                field.type = kind
                if not is_case and not any(child.type in ("val", "var") for child in one.children):
                    field.visibility = "private"
        draft.parameters = tuple(found)

    def _bases(self, clause: Node | None, draft: Draft) -> None:
        if clause is None:
            return
        found = [self._type(one) for one in clause.children_by_field_name("type")]
        draft.bases += [one for one in found if one]
        for one in clause.children_by_field_name("arguments"):
            self.inside(one, draft)

    def _given(self, node: Node, around: Draft) -> None:
        kind = self._type(node.child_by_field_name("return_type"))
        name = self.text(node.child_by_field_name("name")) or f"given_{kind.name if kind else ''}"
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.CLASS, name, node, around, body)
        draft.bases += [kind] if kind else []
        if body is not None and body.type in self.expressions:
            self.value(body, draft)
        else:
            self.inside(body, draft)

    def _extension(self, node: Node, around: Draft) -> None:
        extended = child_of_type(node.child_by_field_name("parameters"), "parameter")
        kind = self._type(extended.child_by_field_name("type")) if extended is not None else None
        for body in node.children_by_field_name("body"):
            functions = [body] if body.type.startswith("function_") else children_of_type(body, "function_definition")
            for one in functions:
                method = self._callable(one, around)
                method.kind, method.receiver = NodeKind.METHOD, kind
                if extended is not None:
                    name = self.text(extended.child_by_field_name("name"))
                    method.locals.append(Local(name, kind, None, method.start_line))

    def _enum_case(self, node: Node, around: Draft) -> None:
        case = self._open(NodeKind.CONSTANT, self.text(node.child_by_field_name("name")), node, around)
        case.is_static, case.type = True, TypeRef(around.name)
        listed = child_of_type(node, "class_parameters")
        case.parameters = tuple(
            Parameter(self.text(one.child_by_field_name("name")), self._type(one.child_by_field_name("type")))
            for one in children_of_type(listed, "class_parameter")
        )

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self.text(node.child_by_field_name("name")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(node.child_by_field_name("type"))

    def _function(self, node: Node, around: Draft) -> None:
        self._callable(node, around)

    def _callable(self, node: Node, around: Draft) -> Draft:
        body = node.child_by_field_name("body")
        kind = NodeKind.METHOD if around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, self.text(node.child_by_field_name("name")), node, around, body)
        draft.is_constructor = draft.name == "this"
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        listed = [one for one in node.children_by_field_name("parameters") if one.type == "parameters"]
        draft.is_property = not listed
        draft.parameters = tuple(parameter for one in listed for parameter in self._parameters(one, draft))
        draft.type = self._type(node.child_by_field_name("return_type"))
        if body is not None and body.type in self.expressions:
            value = self.value(body, draft)
            if value is not None and draft.type is None:
                draft.result.append(value)
        else:
            self.later(body, draft)
        return draft

    def _value_definition(self, node: Node, around: Draft) -> None:
        value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
        kind = self._type(node.child_by_field_name("type"))
        names = [pattern] if pattern is not None else node.children_by_field_name("name")
        is_member = around.kind in (*_OWNERS, NodeKind.MODULE, NodeKind.NAMESPACE)
        found = self.value(value, around)
        for name in names:
            for local in self._bound(name, Cast(found, kind) if kind else found):
                if not is_member:
                    around.locals.append(local._replace(type=kind or local.type))
                    continue
                draft = self._open(self._kind(node, around), local.name, node, around)
                draft.type, draft.value = kind or local.type, local.value

    def _kind(self, node: Node, around: Draft) -> NodeKind:
        if around.kind in _OWNERS and around.index not in self._objects:
            return NodeKind.FIELD
        return NodeKind.CONSTANT if node.type.startswith("val") else NodeKind.VARIABLE

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        listed = child_of_type(node, "type_parameters")
        found: list[TypeParameter] = []
        for child in listed.named_children if listed is not None else []:
            if child.type == "identifier":
                found.append(TypeParameter(self.text(child)))
            elif child.type == "upper_bound" and found:
                bound = self._type(child.child_by_field_name("type"))
                found[-1] = found[-1]._replace(bounds=(bound,) if bound else ())
        return tuple(found)

    def _parameters(self, node: Node, draft: Draft) -> tuple[Parameter, ...]:
        found = []
        for one in children_of_type(node, "parameter"):
            written = one.child_by_field_name("type")
            default = one.child_by_field_name("default_value")
            self.value(default, draft)
            is_rest = written is not None and written.type == "repeated_parameter_type"
            name = self.text(one.child_by_field_name("name"))
            found.append(Parameter(name, self._type(written), is_optional=default is not None, is_rest=is_rest))
        return tuple(found)

    # Types

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "type_identifier" | "stable_type_identifier" | "identifier":
                return TypeRef(self._dotted(node))
            case "generic_type":
                return self._generic(node)
            case "compound_type":
                return self._type(node.child_by_field_name("base"))
            case "lazy_parameter_type":
                return self._type(node.child_by_field_name("type"))
            case "annotated_type":
                return self._type(child_at(node, 0))
            case "repeated_parameter_type":
                return TypeRef("[]", (self._argument(node.child_by_field_name("type")),))
            case "tuple_type":
                return TypeRef("()", tuple(self._argument(one) for one in node.named_children))
            case "function_type":
                listed = node.child_by_field_name("parameter_types")
                taken = [self._argument(one) for one in (listed.named_children if listed is not None else [])]
                return TypeRef("->", (*taken, self._argument(node.child_by_field_name("return_type"))))
        return None

    def _argument(self, node: Node | None) -> TypeRef:
        return self._type(node) or TypeRef("Any")

    def _generic(self, node: Node) -> TypeRef | None:
        outer = self._type(node.child_by_field_name("type"))
        listed = node.child_by_field_name("type_arguments")
        if outer is None or listed is None:
            return outer
        name = outer.name.rpartition(".")[2]
        name = "[]" if name in _SEQUENCES else "{}" if name in _MAPS else outer.name
        return TypeRef(name, tuple(self._argument(one) for one in listed.named_children))

    # Patterns

    @limited(list[Local])
    def _bound(self, pattern: Node | None, value: Expression | None) -> list[Local]:
        """Return the names of *pattern* with the parts of *value* they are bound to."""
        if pattern is None:
            return []
        match pattern.type:
            case "identifier":
                return [Local(self.text(pattern), None, value, line(pattern))]
            case "identifiers":
                return [Local(self.text(one), None, value, line(one)) for one in pattern.named_children]
            case "typed_pattern":
                kind = self._type(pattern.child_by_field_name("type"))
                found = self._bound(pattern.child_by_field_name("pattern"), value)
                return [one._replace(type=kind) for one in found]
            case "capture_pattern":
                own = Local(self.text(pattern.child_by_field_name("name")), None, value, line(pattern))
                inner = pattern.child_by_field_name("pattern")
                if inner is not None and inner.type in ("case_class_pattern", "typed_pattern"):
                    own = own._replace(type=self._type(inner.child_by_field_name("type")))
                return [own, *(self._bound(inner, value) if inner is not None and inner.type != "identifier" else [])]
            case "case_class_pattern":
                kind = self._type(pattern.child_by_field_name("type"))
                is_holding = kind is not None and kind.name in _HOLDING_PATTERNS
                whole = Cast(value, kind) if kind and not is_holding else value
                found = []
                parts = [one for one in pattern.children_by_field_name("pattern") if one.is_named]
                for index, one in enumerate(parts):
                    held = None if whole is None else Item(whole) if is_holding else Part(whole, index)
                    found += self._bound(one, held) if not self._is_constant(one) else []
                return found
            case "tuple_pattern":
                parts = [one for one in pattern.named_children if not one.is_extra]
                return [
                    local
                    for index, one in enumerate(parts)
                    for local in self._bound(one, Part(value, index) if value else None)
                ]
        return [local for one in children_of_type(pattern, *_PATTERN_NAMES) for local in self._bound(one, None)]

    def _is_constant(self, pattern: Node) -> bool:
        return pattern.type == "identifier" and self.text(pattern)[:1].isupper()

    def _cases(self, block: Node | None, value: Expression | None, draft: Draft) -> Expression | None:
        options = []
        for clause in children_of_type(block, "case_clause"):
            pattern = clause.child_by_field_name("pattern")
            if pattern is not None and not self._is_constant(pattern):
                draft.locals += self._bound(pattern, value)
            self.inside(child_of_type(clause, "guard"), draft)
            body = clause.child_by_field_name("body")
            options.append(self.expression(body, draft) if body is not None else None)
        return self._choice(options)

    def _for(self, node: Node, draft: Draft) -> None:
        for one in children_of_type(child_of_type(node, "enumerators"), "enumerator"):
            parts = [child for child in one.named_children if not child.is_extra]
            if len(parts) < 2:
                self.inside(one, draft)
                continue
            value = self.value(parts[1], draft)
            is_drawn = any(child.type in ("<-", "←") for child in one.children)
            draft.locals += self._bound(parts[0], Item(value) if value and is_drawn else value)
            for guard in parts[2:]:
                self.inside(guard, draft)
        self.later(node.child_by_field_name("body"), draft)

    # Expressions

    def _identifier(self, node: Node, _: Draft) -> Expression:
        text = self.text(node).strip("`")
        return This(is_super=text == "super") if text in ("this", "super") else Name(text)

    def _access(self, node: Node, draft: Draft) -> Expression:
        owner, name = node.child_by_field_name("value"), self.text(node.child_by_field_name("field")).strip("`")
        if name == "this":
            return Cast(None, TypeRef(self._dotted(owner)))
        return Select(self.expression(owner, draft), name)

    def _generic_function(self, node: Node, draft: Draft) -> Expression | None:
        callee = self.expression(node.child_by_field_name("function"), draft)
        if isinstance(callee, Select) and callee.name == "asInstanceOf":
            listed = node.child_by_field_name("type_arguments")
            return Cast(callee.owner, self._argument(child_at(listed, 0)))
        return callee

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        callee = self.expression(function, draft) or Select(None, "")
        owner = callee.owner if isinstance(callee, Select) and callee.name in _OF_ELEMENTS else None
        held = Name(f"_{node.start_byte}:{node.end_byte}")
        if owner is not None:
            self._placeholders.append(held)
        passed = self._passed(arguments, draft)
        if owner is not None:
            self._placeholders.pop()
            if held in self._placed:
                draft.locals.append(Local(held.text, None, Item(owner), line(node)))
            for one in passed:
                self._give(one, Item(owner))
        if isinstance(callee, Call) and function is not None and function.type == "call_expression":
            return Call(callee.callee, (*callee.arguments, *passed), callee.type_arguments, place(node))
        types: tuple[TypeRef, ...] = ()
        if function is not None and function.type == "generic_function":
            listed = function.child_by_field_name("type_arguments")
            types = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        return Call(callee, passed, types, place(node))

    def _placeholder(self) -> Name | None:
        """Return what ``_`` stands for: what the innermost call of a sequence's method hands out."""
        if not self._placeholders:
            return None
        self._placed.add(self._placeholders[-1])
        return self._placeholders[-1]

    def _passed(self, arguments: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        if arguments is None:
            return ()
        if arguments.type != "arguments":
            return (self.expression(arguments, draft),)
        named = [one.child_by_field_name("right") if one.type == "assignment_expression" else one
                 for one in arguments.named_children]  # fmt: skip
        return self.arguments([one for one in named if one is not None], draft)

    def _give(self, closure: Expression | None, value: Expression) -> None:
        """Bind the parameter of a closure to *value*, where its type is not said."""
        if isinstance(closure, Closure):
            draft = self.drafts[closure.declaration]
            if len(draft.parameters) == 1 and draft.parameters[0].type is None:
                draft.locals.insert(0, Local(draft.parameters[0].name, None, value, draft.start_line))
                draft.parameters = ()

    def _closure(self, node: Node, draft: Draft) -> Expression:
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        listed = node.child_by_field_name("parameters")
        if listed is not None and listed.type == "identifier":
            closure.parameters = (Parameter(self.text(listed), None),)
        else:
            closure.parameters = tuple(
                Parameter(self.text(one.child_by_field_name("name")), self._type(one.child_by_field_name("type")))
                for one in children_of_type(listed, "binding")
            )
        self._result(child_at(node, -1), closure)
        return Closure(closure.index)

    def _result(self, body: Node | None, closure: Draft) -> None:
        if body is not None and body.type not in self.expressions:
            self.later(body, closure)
        elif (value := self.value(body, closure)) is not None:
            closure.result.append(value)

    def _case_closure(self, node: Node, draft: Draft) -> Expression:
        """Read a function that is written as a block of cases."""
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        value = self._cases(node, self._placeholder(), closure)
        if value is not None:
            self.record(value, node, closure)
            closure.result.append(value)
        return Closure(closure.index)

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        parts = [child for child in node.named_children if child.type not in ("arguments", "template_body")]
        kind = self._type(parts[0]) if parts else None
        passed = self._passed(child_of_type(node, "arguments"), draft)
        body = child_of_type(node, "template_body")
        if body is not None:
            anonymous = self.open(NodeKind.CLASS, ANONYMOUS, body, draft, body=body)
            anonymous.bases += [kind] if kind else []
            self.inside(body, anonymous)
        return New(kind, passed, place(node)) if kind else None

    def _infix(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.text(node.child_by_field_name("operator")).strip("`")
        if operator in _PLAIN_OPERATORS:
            self.value(left, draft)
            self.value(right, draft)
            return None
        owner = self.expression(left, draft)
        passed = self.expression(right, draft)
        if owner is not None and operator in _OF_ELEMENTS:
            self._give(passed, Item(owner))
        return Call(Select(owner, operator), (passed,), (), place(node))

    def _ascription(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("left"), draft)
        return self.expression(node.child_by_field_name("right"), draft)

    def _choice(self, options: Sequence[Expression | None]) -> Expression | None:
        known = tuple(one for one in options if one is not None)
        return Choice(known) if len(known) > 1 else known[0] if known else None

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return self._choice([self.expression(branch, draft) for branch in branches])

    def _match(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("value"), draft)
        return self._cases(node.child_by_field_name("body"), value, draft)

    def _try(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("body"), draft)
        options = [value]
        for clause in children_of_type(node, "catch_clause"):
            options.append(self._cases(child_of_type(clause, "case_block"), None, draft))
        self.later(child_of_type(node, "finally_clause"), draft)
        return self._choice(options)

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
        self.value(child_at(node, 0), draft)

    def _interpolated(self, node: Node, draft: Draft) -> Expression:
        self.inside(child_of_type(node, "interpolated_string"), draft)
        return Literal(TypeRef("String"))
