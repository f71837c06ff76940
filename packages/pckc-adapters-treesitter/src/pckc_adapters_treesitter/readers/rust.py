"""The facts of a Rust file."""

import re
from collections.abc import Iterator

from pckc_domain.model.declared_facts import (
    DeclaredFacts,
    Implementation,
    ImportFact,
    Literal,
    Name,
    Parameter,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import MAX_DEPTH, Draft
from pckc_adapters_treesitter.readers.rust_expressions import RustExpressions
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line

_LITERALS = {
    "integer_literal": "i32",
    "float_literal": "f64",
    "boolean_literal": "bool",
    "char_literal": "char",
    "string_literal": "str",
    "raw_string_literal": "str",
}
_FUNCTIONS = frozenset("Fn FnMut FnOnce".split())
_TEST = re.compile(rb"#\[\s*(?:cfg\s*\(\s*(?:all\s*\(\s*)?test\b|(?:\w+\s*::\s*)*test\b)")
"""What marks a part that only tests have."""


def rust_facts(source: Source) -> DeclaredFacts:
    """Return what a Rust file says."""
    return _RustReader(source).facts()


class _RustReader(RustExpressions):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._lead: tuple[Node, int] | None = None
        self.statements = {
            "use_declaration": self._use,
            "extern_crate_declaration": self.skip,
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
            "inner_attribute_item": self.skip,
            "let_declaration": self._let,
            "let_condition": self._let,
            "for_expression": self._for,
            "assignment_expression": self._assignment,
            "label": self.skip,
            "visibility_modifier": self.skip,
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
            "try_expression": self._try,
            "await_expression": self._item,
            "index_expression": self._index,
            "tuple_expression": self._tuple,
            "array_expression": self._array,
            "reference_expression": self._inner,
            "unary_expression": self._inner,
            "binary_expression": self._binary,
            "parenthesized_expression": self._inner,
            "type_cast_expression": self._cast,
            "if_expression": self._if,
            "match_expression": self._match,
            "block": self.block,
            "unsafe_block": lambda node, draft: self.expression(child_at(node, 0), draft),
            "return_expression": self._return,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

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
        if lead and start is not None and _TEST.search(self.source.bytes, start.start_byte, lead[1]):
            draft.is_test = True
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
