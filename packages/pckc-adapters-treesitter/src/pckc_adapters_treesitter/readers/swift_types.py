"""Names, types and parameters of Swift."""

from pckc_domain.model.declared_facts import (
    Expression,
    Local,
    Parameter,
    Part,
    Select,
    TypeParameter,
    TypeRef,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type, line

LITERALS = {
    "integer_literal": "Int",
    "hex_literal": "Int",
    "real_literal": "Double",
    "boolean_literal": "Bool",
    "line_string_literal": "String",
    "multi_line_string_literal": "String",
}
TYPES = (
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
BINARIES = frozenset(
    "additive_expression multiplicative_expression comparison_expression equality_expression conjunction_expression "
    "disjunction_expression infix_expression range_expression bitwise_operation nil_coalescing_expression".split()
)


class SwiftTypes(DeclaredReader):
    """Reads what a Swift file names."""

    language = "swift"

    def _name(self, node: Node | None) -> str:
        return self.text(node).strip("`")

    def _inherited(self, node: Node) -> list[TypeRef]:
        found = [
            self._type(one.child_by_field_name("inherits_from"))
            for one in children_of_type(node, "inheritance_specifier")
        ]
        return [one for one in found if one]

    def _parameters(self, node: Node, draft: Draft) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        for child in node.children:
            if child.type == "parameter":
                kind = self._type(child_of_type(child, *TYPES))
                is_rest = any(one.type == "..." for one in child.children)
                names = children_of_type(child, "simple_identifier")
                name = self._name(names[-1]) if names else ""
                found.append(Parameter(name, TypeRef("[]", (kind,)) if is_rest and kind else kind, is_rest=is_rest))
            elif found and child in node.children_by_field_name("default_value"):
                found[-1] = found[-1]._replace(is_optional=True)
                self.value(child, draft)
        return tuple(found)

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        bounds: dict[str, list[TypeRef]] = {}
        for one in children_of_type(child_of_type(node, "type_parameters"), "type_parameter"):
            bound = self._type(child_of_type(one, *TYPES))
            bounds[self.text(child_of_type(one, "type_identifier"))] = [bound] if bound else []
        for constraint in children_of_type(child_of_type(node, "type_constraints"), "type_constraint"):
            said = child_of_type(constraint, "inheritance_constraint")
            bound = self._type(child_of_type(said, *TYPES))
            name = self.text(child_of_type(said, "identifier"))
            if bound and name in bounds:
                bounds[name].append(bound)
        return tuple(TypeParameter(name, tuple(types)) for name, types in bounds.items())

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
                items = [child_of_type(one, *TYPES) for one in children_of_type(node, "tuple_type_item")]
                if len(items) == 1:
                    return self._type(items[0])
                return TypeRef("()", tuple(self._argument(one) for one in items))
            case "function_type":
                *taken, result = children_of_type(node, *TYPES)
                items = [child_of_type(one, *TYPES) for one in children_of_type(child_at(node, 0), "tuple_type_item")]
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
        kind = self._type(child_of_type(pattern, *TYPES))
        if kind is not None:
            return [one._replace(type=kind) for one in self._bound(inner[0], value)] if inner else []
        if not inner:
            return self._bound(child_of_type(pattern, "simple_identifier"), value) if len(pattern.children) == 1 else []
        case = [self._name(one) for one in children_of_type(pattern, "simple_identifier")]
        found: list[Local] = []
        for index, one in enumerate(inner):
            held = (
                value
                if case == ["some"]
                else Part(Select(value, case[-1]) if case else value, index)
                if value
                else None
            )
            found += self._bound(one, held)
        return found
