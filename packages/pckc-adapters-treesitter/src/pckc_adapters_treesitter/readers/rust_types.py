"""Names, types and parameters of Rust."""

from collections.abc import Sequence

from pckc_domain.model.declared_facts import (
    Expression,
    Name,
    Select,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.languages.rust import module_of, root_of
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type

HOLDERS = frozenset("Box Rc Arc Cow Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop".split())
"""Types that have what their last argument has."""

_SEQUENCES = frozenset(
    "Vec VecDeque HashSet BTreeSet IndexSet LinkedList BinaryHeap SmallVec Iterator IntoIterator DoubleEndedIterator "
    "ExactSizeIterator Stream".split()
)
_MAPS = frozenset("HashMap BTreeMap IndexMap DashMap".split())
_PATHS = ("identifier", "type_identifier", "crate", "super", "self", "metavariable", "primitive_type")


class RustTypes(DeclaredReader):
    """Reads what a Rust file names."""

    language = "rust"

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
        if name in HOLDERS and arguments:
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

    def _names(self, parts: Sequence[str]) -> Expression | None:
        found: Expression | None = None
        for one in parts:
            found = Select(found, one) if found else Name(one, is_space=len(parts) > 1)
        return found
