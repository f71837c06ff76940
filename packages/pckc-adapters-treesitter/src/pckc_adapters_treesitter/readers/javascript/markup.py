"""JSX: an element of a component is a call of it, with its attributes as the argument."""

from pckc_domain.model.code_facts import NOTHING
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.assignments import Assignments
from pckc_adapters_treesitter.readers.javascript.names import Names
from pckc_adapters_treesitter.readers.javascript.reading import LONGEST_TEXT, inner
from pckc_adapters_treesitter.readers.source import Source

_CHILDREN = frozenset(("jsx_element", "jsx_self_closing_element", "jsx_expression"))


class Markup(Assignments):
    """Reads JSX."""

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self.visits |= {
            "jsx_element": self._jsx,
            "jsx_self_closing_element": self._jsx,
            "jsx_expression": lambda node: self.read(inner(node)),
        }

    def _jsx(self, node: Node) -> int:
        tag = node.child_by_field_name("open_tag") if node.type == "jsx_element" else node
        if tag is None:
            return NOTHING
        items: list[tuple[object, int]] = []
        spreads: list[int] = []
        for attribute in tag.children_by_field_name("attribute"):
            if attribute.type != "jsx_attribute":
                spreads.append(self.read(inner(attribute)))
                continue
            name, *values = attribute.named_children
            if values and (value := self.named(_content(values[0]), "")):
                items.append((self.source.text(name), value))
        inside = node.named_children if node.type == "jsx_element" else ()
        children = [self.read(one) for one in inside if one.type in _CHILDREN]
        items += [("children", child) for child in children if child]
        component = tag.child_by_field_name("name")
        if component is None or (self.source.text(component)[:1].islower() and component.type == "identifier"):
            return NOTHING
        props = self.build("object", items, spreads)
        return self.call(tag, self._component(component), [("", props)], self.source.text(component)[-LONGEST_TEXT:])

    def _component(self, node: Node) -> int:
        if node.type in ("nested_identifier", "jsx_namespace_name"):
            first, *rest = self.source.text(node).split(".")
            binding = self.names.find(first)
            value = self.unbound(first) if binding is None else self.names.value_of(binding)
            for name in rest:
                value = self.member(node, value, name)[0]
            return value
        return self.read_owner(node)


def _content(node: Node) -> Node | None:
    return inner(node) if node.type == "jsx_expression" else node
