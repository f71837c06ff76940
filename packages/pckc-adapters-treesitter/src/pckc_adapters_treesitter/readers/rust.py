"""The facts of a Rust file."""

from collections.abc import Iterator, Sequence

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
    Place,
    Select,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.languages.rust import module_of, root_of
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import MAX_DEPTH, DeclaredReader, Draft, calls, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "integer_literal": "i32",
    "float_literal": "f64",
    "boolean_literal": "bool",
    "char_literal": "char",
    "string_literal": "str",
    "raw_string_literal": "str",
}
_HOLDERS = frozenset("Box Rc Arc Cow Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop".split())
"""Types that have what their last argument has."""

_SEQUENCES = frozenset(
    "Vec VecDeque HashSet BTreeSet IndexSet LinkedList BinaryHeap SmallVec Iterator IntoIterator DoubleEndedIterator "
    "ExactSizeIterator Stream".split()
)
_MAPS = frozenset("HashMap BTreeMap IndexMap DashMap".split())
_FUNCTIONS = frozenset("Fn FnMut FnOnce".split())
_HOLDING_PATTERNS = frozenset(("Some", "Ok"))
_OF_ELEMENTS = frozenset(
    "all and_then any filter filter_map find find_map flat_map for_each inspect is_some_and is_ok_and map map_while "
    "max_by_key min_by_key partition position retain skip_while sort_by_key take_while then try_for_each".split()
)
"""Methods of sequences and options that call a closure with what these hold."""

_PATHS = ("identifier", "type_identifier", "crate", "super", "self", "metavariable", "primitive_type")


def rust_facts(source: Source) -> DeclaredFacts:
    """Return what a Rust file says."""
    return _RustReader(source).facts()


class _RustReader(DeclaredReader):
    language = "rust"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._lead: tuple[Node, int] | None = None
        self.statements = {
            "use_declaration": self._use,
            "extern_crate_declaration": self._nothing,
            "mod_item": self._module,
            "struct_item": self._struct,
            "union_item": self._struct,
            "enum_item": self._enum,
            "trait_item": self._trait,
            "impl_item": self._impl,
            "function_item": self._function,
            "function_signature_item": self._function,
            "type_item": self._alias,
            "associated_type": self._alias,
            "const_item": self._constant,
            "static_item": self._constant,
            "macro_definition": self._macro_definition,
            "attribute_item": self._attribute,
            "inner_attribute_item": self._nothing,
            "let_declaration": self._let,
            "let_condition": self._let,
            "for_expression": self._for,
            "label": self._nothing,
            "visibility_modifier": self._nothing,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "self": lambda _, __: This(),
            "scoped_identifier": self._path,
            "field_expression": self._field,
            "call_expression": self._call,
            "generic_function": lambda node, draft: self.expression(node.child_by_field_name("function"), draft),
            "macro_invocation": self._macro,
            "struct_expression": self._new,
            "closure_expression": self._closure,
            "try_expression": self._item,
            "await_expression": self._item,
            "index_expression": self._index,
            "tuple_expression": self._tuple,
            "array_expression": self._array,
            "reference_expression": self._inner,
            "unary_expression": self._inner,
            "parenthesized_expression": self._inner,
            "type_cast_expression": self._cast,
            "if_expression": self._if,
            "match_expression": self._match,
            "block": self._block,
            "unsafe_block": lambda node, draft: self.expression(child_at(node, 0), draft),
            "return_expression": self._return,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _nothing(self, node: Node, draft: Draft) -> None:
        """Say nothing."""

    # Declarations

    def _attribute(self, node: Node, _: Draft) -> None:
        first = self._lead[0] if self._lead and self._is_blank(self._lead[1], node.start_byte) else node
        self._lead = first, node.end_byte

    def _is_blank(self, start: int, end: int) -> bool:
        return not self.source.bytes[start:end].strip()

    def _open(self, kind: NodeKind, node: Node, around: Draft, *, body: Node | None = None, name: str = "") -> Draft:
        lead, self._lead = self._lead, None
        start = lead[0] if lead and self._is_blank(lead[1], node.start_byte) else None
        draft = self.open(
            kind, name or self.text(node.child_by_field_name("name")), node, around, body=body, start=start
        )
        said = self.text(child_of_type(node, "visibility_modifier"))
        draft.visibility = said[4:-1] if "(" in said else "public" if said else "private"
        return draft

    def _use(self, node: Node, draft: Draft) -> None:
        said = " ".join(self.text(node).split())
        is_exported = child_of_type(node, "visibility_modifier") is not None
        for path, alias in self._used(node.child_by_field_name("argument"), ()):
            *outer, name = self._absolute(path, draft)
            module, binds = ".".join(outer), "" if alias == "_" else alias
            self.imports.append(ImportFact(module, name, binds, draft.index, line(node), said, is_exported))

    def _used(self, node: Node | None, prefix: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield path and alias of everything that a tree of paths names."""
        if node is None or len(prefix) > MAX_DEPTH:
            return
        match node.type:
            case "use_as_clause":
                path = (*prefix, *self._parts(node.child_by_field_name("path")))
                yield self._without_last_self(path), self.text(node.child_by_field_name("alias"))
            case "use_wildcard":
                yield (*prefix, *self._parts(child_at(node, 0)), "*"), ""
            case "use_list":
                for child in node.named_children:
                    yield from self._used(child, prefix)
            case "scoped_use_list":
                path = (*prefix, *self._parts(node.child_by_field_name("path")))
                yield from self._used(node.child_by_field_name("list"), path)
            case _ if not node.is_extra:
                path = self._without_last_self((*prefix, *self._parts(node)))
                if path:
                    yield path, path[-1]

    def _without_last_self(self, path: tuple[str, ...]) -> tuple[str, ...]:
        return path[:-1] if len(path) > 1 and path[-1] == "self" else path

    def _absolute(self, path: tuple[str, ...], draft: Draft) -> tuple[str, ...]:
        """Return a path with what ``crate``, ``self`` and ``super`` stand for in *draft*."""
        if not path or path[0] not in ("crate", "self", "super"):
            return path
        if path[0] == "crate":
            return (root_of(self.source.path), *path[1:])
        inner: list[str] = []
        index = draft.index
        while index > 0:
            around = self.drafts[index]
            if around.kind is NodeKind.NAMESPACE:
                inner.insert(0, around.name)
            index = around.parent
        here = [*module_of(self.source.path).split("."), *inner]
        rest = list(path)
        if rest[0] == "self":
            rest = rest[1:]
        while rest and rest[0] == "super":
            here, rest = here[:-1] or here, rest[1:]
        return (*here, *rest)

    def _parts(self, node: Node | None) -> tuple[str, ...]:
        """Return the parts of a path; what is generic about it is left out."""
        found: list[str] = []
        while node is not None:
            if node.type in ("scoped_identifier", "scoped_type_identifier"):
                found.append(self.text(node.child_by_field_name("name")))
                node = node.child_by_field_name("path")
            elif node.type in ("generic_type", "generic_type_with_turbofish"):
                node = node.child_by_field_name("type")
            elif node.type in ("bracketed_type", "qualified_type"):
                node = child_at(node, 0) if node.type == "bracketed_type" else node.child_by_field_name("type")
            else:
                if node.type in _PATHS:
                    found.append(self.text(node))
                break
        return tuple(reversed(found))

    def _module(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            self._lead = None
            return
        self.inside(body, self._open(NodeKind.NAMESPACE, node, around, body=body))

    def _struct(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.STRUCT, node, around, body=body)
        draft.type_parameters = self._type_parameters(node)
        self._fields(body, draft)

    def _fields(self, body: Node | None, draft: Draft) -> None:
        if body is None:
            return
        if body.type == "ordered_field_declaration_list":
            draft.parameters = self._ordered(body, draft)
        for field in children_of_type(body, "field_declaration"):
            self._open(NodeKind.FIELD, field, draft).type = self._type(field.child_by_field_name("type"), draft)

    def _ordered(self, body: Node, draft: Draft) -> tuple[Parameter, ...]:
        types = [self._type(one, draft) for one in body.children_by_field_name("type")]
        return tuple(Parameter(str(index), one) for index, one in enumerate(types))

    def _enum(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.ENUM, node, around, body=body)
        draft.type_parameters = self._type_parameters(node)
        own = TypeRef(draft.name, tuple(TypeRef(one.name) for one in draft.type_parameters))
        for variant in children_of_type(body, "enum_variant"):
            found = self._open(NodeKind.CONSTANT, variant, draft)
            found.visibility = draft.visibility
            found.is_static = True
            held = variant.child_by_field_name("body")
            if held is not None and held.type == "ordered_field_declaration_list":
                found.parameters = self._ordered(held, draft)
            found.type = own

    def _trait(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.TRAIT, node, around, body=body)
        draft.type_parameters = self._type_parameters(node)
        draft.bases += self._bounds(node.child_by_field_name("bounds"), draft)
        for child in body.named_children if body is not None else []:
            if child.type in ("function_item", "function_signature_item"):
                self._callable(child, draft).visibility = draft.visibility
            else:
                self.later(child, draft)

    def _impl(self, node: Node, around: Draft) -> None:
        self._lead = None
        type_parameters = self._type_parameters(node)
        receiver = self._type(node.child_by_field_name("type"), around)
        implemented = self._type(node.child_by_field_name("trait"), around)
        if receiver and implemented:
            self.implementations.append(Implementation(receiver, implemented, around.index, line(node)))
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else []:
            if child.type in ("function_item", "function_signature_item"):
                draft = self._callable(child, around, receiver, implemented, type_parameters)
                if implemented:
                    draft.visibility = "public"
            elif child.type == "attribute_item":
                self._attribute(child, around)
            elif child.type in ("const_item", "type_item"):
                kind = NodeKind.CONSTANT if child.type == "const_item" else NodeKind.TYPE_ALIAS
                draft = self._open(kind, child, around)
                draft.receiver, draft.implemented, draft.is_static = receiver, implemented, True
                draft.type = self._type(child.child_by_field_name("type"), draft)
                draft.value = self.value(child.child_by_field_name("value"), draft)
            else:
                self.later(child, around)

    def _function(self, node: Node, around: Draft) -> None:
        self._callable(node, around)

    def _callable(
        self,
        node: Node,
        around: Draft,
        receiver: TypeRef | None = None,
        implemented: TypeRef | None = None,
        outer: tuple[TypeParameter, ...] = (),
    ) -> Draft:
        body = node.child_by_field_name("body")
        is_method = receiver is not None or around.kind is NodeKind.TRAIT
        draft = self._open(NodeKind.METHOD if is_method else NodeKind.FUNCTION, node, around, body=body)
        draft.receiver, draft.implemented = receiver, implemented
        draft.has_body = body is not None
        draft.type_parameters = (*outer, *self._type_parameters(node))
        parameters = node.child_by_field_name("parameters")
        draft.is_static = is_method and not self._takes_self(parameters)
        draft.parameters = self._parameters(parameters, draft)
        result = self._type(node.child_by_field_name("return_type"), draft)
        is_async = "async" in self.text(child_of_type(node, "function_modifiers")).split()
        draft.type = TypeRef("Future", (result,)) if is_async and result else result
        self.inside(body, draft)
        return draft

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

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(node.child_by_field_name("type"), draft)

    def _constant(self, node: Node, around: Draft) -> None:
        is_mutable = child_of_type(node, "mutable_specifier") is not None
        draft = self._open(NodeKind.VARIABLE if is_mutable else NodeKind.CONSTANT, node, around)
        draft.type = self._type(node.child_by_field_name("type"), around)
        draft.value = self.value(node.child_by_field_name("value"), draft)
        draft.is_static = True

    def _macro_definition(self, node: Node, around: Draft) -> None:
        self._open(NodeKind.FUNCTION, node, around, name=f"{self.text(node.child_by_field_name('name'))}!")

    # Types

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        bounds: dict[str, list[TypeRef]] = {}
        for one in children_of_type(node.child_by_field_name("type_parameters"), "type_parameter"):
            bounds[self.text(one.child_by_field_name("name"))] = self._bounds(one.child_by_field_name("bounds"), None)
        for one in children_of_type(child_of_type(node, "where_clause"), "where_predicate"):
            name = self.text(one.child_by_field_name("left"))
            if name in bounds:
                bounds[name] += self._bounds(one.child_by_field_name("bounds"), None)
        return tuple(TypeParameter(name, tuple(types)) for name, types in bounds.items())

    def _bounds(self, node: Node | None, draft: Draft | None) -> list[TypeRef]:
        found = [self._type(child, draft) for child in node.named_children] if node is not None else []
        return [one for one in found if one is not None]

    @limited(nothing)
    def _type(self, node: Node | None, draft: Draft | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "type_identifier" | "primitive_type" | "identifier":
                return self._own(draft) if self.text(node) == "Self" else TypeRef(self.text(node))
            case "scoped_type_identifier" | "scoped_identifier":
                return TypeRef(".".join(self._resolved(self._parts(node), draft)))
            case "reference_type" | "pointer_type":
                return self._type(node.child_by_field_name("type"), draft)
            case "dynamic_type" | "abstract_type" | "higher_ranked_trait_bound":
                return self._type(node.child_by_field_name("trait") or node.child_by_field_name("type"), draft)
            case "bounded_type" | "bracketed_type":
                return self._type(child_at(node, 0), draft)
            case "qualified_type":
                return self._type(node.child_by_field_name("type"), draft)
            case "array_type":
                return TypeRef("[]", (self._argument(node.child_by_field_name("element"), draft),))
            case "tuple_type":
                return TypeRef("()", tuple(self._argument(one, draft) for one in node.named_children))
            case "unit_type":
                return TypeRef("()")
            case "function_type":
                return self._function_type(node, draft)
            case "generic_type" | "generic_type_with_turbofish":
                return self._generic(node, draft)
        return None

    def _argument(self, node: Node | None, draft: Draft | None) -> TypeRef:
        return self._type(node, draft) or TypeRef("_")

    def _generic(self, node: Node, draft: Draft | None) -> TypeRef | None:
        outer = self._type(node.child_by_field_name("type"), draft)
        inner = node.child_by_field_name("type_arguments")
        if outer is None or inner is None:
            return outer
        bindings = {
            self.text(one.child_by_field_name("name")): self._argument(one.child_by_field_name("type"), draft)
            for one in children_of_type(inner, "type_binding")
        }
        arguments = tuple(
            self._argument(one, draft) for one in inner.named_children if one.type not in ("type_binding", "lifetime")
        )
        name = outer.name.rpartition(".")[2]
        if name in _HOLDERS and arguments:
            return arguments[-1]
        if name in _SEQUENCES:
            return TypeRef("[]", arguments[:1] or (bindings.get("Item", TypeRef("_")),))
        if name == "Future" and "Output" in bindings:
            return TypeRef("Future", (bindings["Output"],))
        return TypeRef("{}" if name in _MAPS else outer.name, arguments)

    def _function_type(self, node: Node, draft: Draft | None) -> TypeRef:
        parameters = node.child_by_field_name("parameters")
        taken = [self._argument(one, draft) for one in parameters.named_children] if parameters is not None else []
        result = self._type(node.child_by_field_name("return_type"), draft) or TypeRef("()")
        return TypeRef("->", (*taken, result))

    def _own(self, draft: Draft | None) -> TypeRef:
        """Return what ``Self`` stands for in *draft*."""
        while draft is not None and draft.parent >= 0:
            if draft.receiver is not None:
                return draft.receiver
            if draft.kind in (NodeKind.TRAIT, NodeKind.STRUCT, NodeKind.ENUM):
                return TypeRef(draft.name, tuple(TypeRef(one.name) for one in draft.type_parameters))
            draft = self.drafts[draft.parent]
        return TypeRef("Self")

    def _resolved(self, path: tuple[str, ...], draft: Draft | None) -> tuple[str, ...]:
        if path and path[0] == "Self":
            return (*self._own(draft).name.split("."), *path[1:])
        return self._absolute(path, draft or self.drafts[0])

    # Names that a body binds

    def _let(self, node: Node, draft: Draft) -> None:
        kind = self._type(node.child_by_field_name("type"), draft)
        value = self.value(node.child_by_field_name("value"), draft)
        self.later(node.child_by_field_name("alternative"), draft)
        self._bind(node.child_by_field_name("pattern"), Cast(value, kind) if kind else value, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("value"), draft)
        self._bind_element(node.child_by_field_name("pattern"), value, draft)
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

    # Expressions

    def _names(self, parts: Sequence[str]) -> Expression | None:
        found: Expression | None = None
        for one in parts:
            found = Select(found, one) if found else Name(one)
        return found

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
            case Select(Name(holder), "new" | "pin" | "clone" | "from"), [held] if held and holder in _HOLDERS:
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
        return New(kind, (), place(node)) if kind else None

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

    def _choice(self, options: Sequence[Expression | None]) -> Expression | None:
        known = tuple(one for one in options if one is not None)
        return Choice(known) if len(known) > 1 else known[0] if known else None

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        condition = node.child_by_field_name("condition")
        if condition is not None and condition.type == "let_condition":
            self._let(condition, draft)
        elif condition is not None and condition.type == "let_chain":
            self.inside(condition, draft)
        else:
            self.value(condition, draft)
        then = self.expression(node.child_by_field_name("consequence"), draft)
        alternative = node.child_by_field_name("alternative")
        other = self.expression(child_at(alternative, 0), draft) if alternative is not None else None
        return self._choice([then, other])

    def _match(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("value"), draft)
        options = []
        for arm in children_of_type(node.child_by_field_name("body"), "match_arm"):
            pattern = arm.child_by_field_name("pattern")
            condition = pattern.child_by_field_name("condition") if pattern is not None else None
            for inner in pattern.named_children if pattern is not None else []:
                if condition is None or inner.id != condition.id:
                    self._bind(inner, value, draft)
            self.value(condition, draft)
            options.append(self.expression(arm.child_by_field_name("value"), draft))
        return self._choice(options)

    def _block(self, node: Node, draft: Draft) -> Expression | None:
        """Return what the last expression of a block gives; what stands before it is read on its own."""
        parts = [child for child in node.named_children if not child.is_extra and child.type != "label"]
        if not parts or parts[-1].type not in self.expressions:
            self.inside(node, draft)
            return None
        for statement in parts[:-1]:
            self.later(statement, draft)
        return self.expression(parts[-1], draft)

    def _return(self, node: Node, draft: Draft) -> None:
        self.value(child_at(node, 0), draft)

    # Macros

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

    def __init__(self, reader: _RustReader, draft: Draft, depth: int = 0) -> None:
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
