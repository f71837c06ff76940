"""Declarators of C and C++: what a name is wrapped in."""

from typing import NamedTuple

from tree_sitter import Node

from pckc_adapters_treesitter.readers.source import child_at


class Declared(NamedTuple):
    """What a declarator names: *head* is its function declarator, *is_pointed* tells that it is no plain value."""

    name: Node
    head: Node | None
    is_pointed: bool
    is_callable: bool


_DECLARATORS = frozenset(
    "pointer_declarator reference_declarator array_declarator init_declarator parenthesized_declarator "
    "attributed_declarator function_declarator pointer_type_declarator variadic_declarator".split()
)
_NAMES = frozenset(
    "identifier field_identifier type_identifier qualified_identifier operator_name destructor_name "
    "template_function primitive_type".split()
)


def declared(node: Node | None) -> Declared | None:
    """Return what a declarator names; ``None`` when it names nothing."""
    head: Node | None = None
    is_pointed = is_callable = False
    while node is not None and node.type in _DECLARATORS:
        match node.type:
            case "function_declarator":
                head = node
            case "parenthesized_declarator" | "attributed_declarator" | "init_declarator":
                pass
            case _:
                is_callable = is_callable or head is not None
                is_pointed, head = True, None
        node = node.child_by_field_name("declarator") or (child_at(node, 0))
    if node is None or node.type not in _NAMES:
        return None
    return Declared(node, head, is_pointed, is_callable)


def value_of(node: Node | None) -> Node | None:
    """Return what an initializer at or around a declarator gives."""
    while node is not None and (node.type in _DECLARATORS or node.type in _NAMES):
        if node.type == "init_declarator":
            return node.child_by_field_name("value")
        node = node.parent
    return None


def conversion(node: Node | None) -> Node | None:
    """Return the declarator of a conversion, which has no name of its own."""
    current = node
    while current is not None and current.type != "operator_cast":
        current = current.child_by_field_name("name") or current.child_by_field_name("declarator")
    return None if current is None else node


def dotted(text: str) -> str:
    return ".".join(part.strip() for part in text.split("::") if part.strip())


def is_builtin(node: Node | None) -> bool:
    return node is not None and node.type in ("primitive_type", "sized_type_specifier")


def is_builtin_name(name: str) -> bool:
    return name.partition(" ")[0] in _BUILTINS


_BUILTINS = frozenset("int char bool float double void unsigned signed long short size_t auto".split())


def is_word_operator(text: str) -> bool:
    return text.startswith("operator") and text[8:9].isalpha()
