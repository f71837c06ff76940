"""Names, types and parameters of Scala."""

from pckc_domain.model.declared_facts import (
    Cast,
    Expression,
    Item,
    Local,
    Parameter,
    Part,
    TypeParameter,
    TypeRef,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type, line

_SEQUENCES = frozenset(
    "List Seq IndexedSeq Vector Array Set HashSet SortedSet Iterable Iterator Stream LazyList Traversable Queue "
    "ListBuffer ArrayBuffer Buffer".split()
)
_MAPS = frozenset("Map HashMap TreeMap SortedMap ListMap".split())
_HOLDING_PATTERNS = frozenset(("Some", "Success", "Right"))
_PATTERN_NAMES = ("identifier", "typed_pattern", "tuple_pattern", "case_class_pattern", "capture_pattern")


class ScalaTypes(DeclaredReader):
    """Reads what a Scala file names."""

    language = "scala"

    def _dotted(self, node: Node | None) -> str:
        return "".join(self.text(node).split()).replace("`", "")

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
