"""Names, types and parameters of C#."""

from collections.abc import Iterable

from pckc_domain.model.declared_facts import (
    Expression,
    Name,
    Parameter,
    Select,
    TypeParameter,
    TypeRef,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type

_SEQUENCES = frozenset(
    "List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection HashSet ISet SortedSet Queue Stack "
    "LinkedList IQueryable IOrderedEnumerable IAsyncEnumerable ImmutableArray ImmutableList ConcurrentBag "
    "ConcurrentQueue ObservableCollection Collection Span ReadOnlySpan".split()
)
_MAPS = frozenset(
    "Dictionary IDictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary ImmutableDictionary".split()
)


class CsharpTypes(DeclaredReader):
    """Reads what a C# file names."""

    language = "csharp"

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
