"""Names, types and parameters of Kotlin."""

from pckc_domain.model.declared_facts import (
    Parameter,
    TypeParameter,
    TypeRef,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type

LITERALS = {
    "number_literal": "Int",
    "float_literal": "Double",
    "character_literal": "Char",
    "multiline_string_literal": "String",
    "string_literal": "String",
}
TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
_SEQUENCES = frozenset(
    "List MutableList Set MutableSet Collection MutableCollection Iterable Iterator Sequence Array ArrayList HashSet "
    "LinkedHashSet ArrayDeque Flow StateFlow".split()
)
_MAPS = frozenset("Map MutableMap HashMap LinkedHashMap ConcurrentHashMap".split())


class KotlinTypes(DeclaredReader):
    """Reads what a Kotlin file names."""

    language = "kotlin"

    def _dotted(self, node: Node | None) -> str:
        return ".".join(self.text(one).strip("`") for one in children_of_type(node, "identifier"))

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

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        bounds: dict[str, list[TypeRef]] = {}
        for one in children_of_type(child_of_type(node, "type_parameters"), "type_parameter"):
            bound = self._type(child_of_type(one, *TYPES))
            bounds[self.text(child_of_type(one, "identifier"))] = [bound] if bound else []
        for one in children_of_type(child_of_type(node, "type_constraints"), "type_constraint"):
            bound = self._type(child_of_type(one, *TYPES))
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
                kind = self._type(child_of_type(child, *TYPES))
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

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "user_type":
                return self._named(node)
            case "nullable_type" | "parenthesized_type" | "non_nullable_type" | "type_projection":
                return self._type(child_of_type(node, *TYPES))
            case "function_type":
                *_, result = children_of_type(node, *TYPES)
                listed = child_of_type(node, "function_type_parameters")
                taken = [
                    self._argument(child_of_type(one, *TYPES) if one.type == "parameter" else one)
                    for one in (listed.named_children if listed is not None else [])
                ]
                before = child_at(node, 0)
                if before is not None and before.type in TYPES and before.next_sibling and listed is not None:
                    taken.insert(0, TypeRef("this", (self._argument(before),)))
                return TypeRef("->", (*taken, self._argument(result)))
        return None

    def _argument(self, node: Node | None) -> TypeRef:
        return self._type(node) or TypeRef("Any")

    def _named(self, node: Node) -> TypeRef:
        name = self._dotted(node)
        listed = child_of_type(node, "type_arguments")
        given = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        return TypeRef("[]" if name in _SEQUENCES else "{}" if name in _MAPS else name, given)
