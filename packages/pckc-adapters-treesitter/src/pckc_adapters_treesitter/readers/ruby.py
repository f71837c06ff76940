"""
The facts of a Ruby file.

A block belongs to the method it stands in. A bare word is a call unless it is bound; an instance variable is a field
that keeps its ``@``. Included and prepended modules come before the superclass; extended ones are `interfaces`.
"""

from collections import defaultdict

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Part,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.last_value import LastValueReader
from pckc_adapters_treesitter.readers.recorder import Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "integer": "Integer",
    "float": "Float",
    "string": "String",
    "chained_string": "String",
    "heredoc_beginning": "String",
    "true": "TrueClass",
    "false": "FalseClass",
    "nil": "NilClass",
    "simple_symbol": "Symbol",
    "regex": "Regexp",
    "array": "Array",
    "hash": "Hash",
}
_VISIBILITIES = frozenset(("private", "protected", "public", "module_function"))
_ATTRIBUTES = frozenset(("attr_accessor", "attr_reader", "attr_writer"))
_REQUIRES = frozenset(("require", "require_relative", "load", "autoload"))
_MIXINS = frozenset(("include", "prepend", "extend"))
_SENDS = frozenset(("send", "public_send", "__send__", "method", "respond_to?"))
_EACH = frozenset("each map select reject filter flat_map each_with_index find detect collect sum any? all?".split())
_TYPES = frozenset((NodeKind.CLASS, NodeKind.TRAIT))
_FUNCTIONS = frozenset((NodeKind.FUNCTION, NodeKind.METHOD))


def ruby_facts(source: Source) -> DeclaredFacts:
    """Return what a Ruby file says."""
    return _RubyReader(source).facts()


class _RubyReader(LastValueReader):
    language = "ruby"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._bound: dict[int, set[str]] = defaultdict(set)
        self._visibility: dict[int, str] = {}
        self._fields: set[tuple[int, str]] = set()
        self.statements = {
            "module": self._module,
            "class": self._class,
            "singleton_class": self._singleton,
            "method": self._method,
            "singleton_method": self._method,
            "alias": self._alias,
            "exception_variable": self._exception,
            "for": self._for,
            "then": self._then,
            "rescue": self._rescue,
            "pair": self._pair,
            "lambda": self._lambda,
            "undef": self.skip,
            "method_parameters": self.skip,
        }
        self.expressions = {
            "identifier": self._word,
            "constant": lambda node, _: Name(self.text(node)),
            "scope_resolution": self._scoped,
            "self": lambda _node, _draft: This(),
            "super": lambda node, draft: self._super(node, (), draft),
            "instance_variable": lambda node, _: Select(This(), self.text(node)),
            "class_variable": lambda node, _: Select(This(), self.text(node)),
            "call": self._call,
            "assignment": self._assignment,
            "operator_assignment": self._assignment,
            "binary": self._binary,
            "conditional": self._choice,
            "parenthesized_statements": self._last_of,
            "element_reference": self._element,
            "return": self._return,
            "block_argument": self._block_argument,
            "splat_argument": lambda node, draft: self._other(node, draft),
            **dict.fromkeys(_LITERALS, self._literal),
            "array": self._array,
        }

    # Modules, classes and methods

    def _module(self, node: Node, around: Draft) -> None:
        draft = self._open_scope(NodeKind.TRAIT, node, around)
        self.inside(node.child_by_field_name("body"), draft)

    def _class(self, node: Node, around: Draft) -> None:
        draft = self._open_scope(NodeKind.CLASS, node, around)
        base = child_of_type(node.child_by_field_name("superclass"), "constant", "scope_resolution")
        if base is not None:
            draft.bases.append(TypeRef(self._dotted(base)))
        self.inside(node.child_by_field_name("body"), draft)

    def _open_scope(self, kind: NodeKind, node: Node, around: Draft) -> Draft:
        body = node.child_by_field_name("body")
        *outer, name = self._dotted(node.child_by_field_name("name")).lstrip(".").split(".")
        around = self._owner(around)
        for one in outer:
            around = self.open(NodeKind.NAMESPACE, one, node, around, body=body)
        return self.open(kind, name, node, around, body=body)

    def _owner(self, draft: Draft) -> Draft:
        """Return the class or module around *draft*, or the file."""
        while draft.parent >= 0 and draft.kind not in _TYPES:
            draft = self.drafts[draft.parent]
        return draft

    def _dotted(self, node: Node | None) -> str:
        return "".join(self.text(node).split()).replace("::", ".")

    def _singleton(self, node: Node, draft: Draft) -> None:
        """Read ``class << self``: what is defined in it belongs to the class itself."""
        body = node.child_by_field_name("body")
        self._visibility.pop(draft.index, None)
        for child in body.named_children if body is not None else []:
            if child.type == "method":
                self._define(child, draft, is_static=True)
            elif child.type in ("identifier", "call"):
                self.later(child, draft)

    def _method(self, node: Node, around: Draft) -> None:
        self._define(node, around, is_static=node.type == "singleton_method")

    def _define(self, node: Node, around: Draft, *, is_static: bool, visibility: str = "") -> None:
        around = self._owner(around)
        body = node.child_by_field_name("body")
        name = self.text(node.child_by_field_name("name"))
        kind = NodeKind.METHOD if around.kind in _TYPES else NodeKind.FUNCTION
        draft = self.open(kind, name, node, around, body=body)
        state = visibility or self._visibility.get(around.index, "public")
        draft.is_static = is_static or state == "module_function"
        draft.is_constructor = name == "initialize" and not is_static
        draft.visibility = "public" if is_static or state == "module_function" else state
        draft.parameters = tuple(self._parameters(node.child_by_field_name("parameters"), draft))
        if body is not None and body.type == "body_statement":
            self.body(body.named_children, draft)
        elif body is not None:
            self.body([body], draft)

    def _parameters(self, node: Node | None, draft: Draft) -> list[Parameter]:
        found = []
        for one in node.named_children if node is not None else []:
            name = self.text(one.child_by_field_name("name") or one)
            default = one.child_by_field_name("value")
            is_rest = "splat" in one.type
            is_optional = one.type in (
                "optional_parameter",
                "keyword_parameter",
                "block_parameter",
                "hash_splat_parameter",
            )
            self._bound[draft.index].add(name.lstrip("*&"))
            found.append(Parameter(name, None, is_optional=is_optional, is_rest=is_rest))
            self.value(default, draft)
        return found

    def _alias(self, node: Node, draft: Draft) -> None:
        new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
        self._open_alias(self.text(new), self.text(old), node, draft)

    def _open_alias(self, new: str, old: str, node: Node, draft: Draft) -> None:
        alias = self.open(NodeKind.METHOD, new.lstrip(":"), node, self._owner(draft))
        alias.mentions.append(Mention(Select(This(), old.lstrip(":")), place(node)))

    # Statements

    def _exception(self, node: Node, draft: Draft) -> None:
        name = child_at(node, 0)
        if name is not None:
            self._bind(name, None, draft)

    def _rescue(self, node: Node, draft: Draft) -> None:
        variable = child_of_type(node.child_by_field_name("variable"), "identifier")
        errors = child_of_type(node, "exceptions")
        kinds = errors.named_children if errors is not None else []
        if variable is not None:
            kind = TypeRef(self._dotted(kinds[0])) if len(kinds) == 1 else None
            self._bound[draft.index].add(self.text(variable))
            draft.locals.append(Local(self.text(variable), kind, None, line(node)))
        self.inside(errors, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _for(self, node: Node, draft: Draft) -> None:
        value = self.value(child_of_type(node.child_by_field_name("value"), *self.expressions), draft)
        pattern = node.child_by_field_name("pattern")
        if pattern is not None:
            self._bind(pattern, Item(value) if value else None, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _then(self, node: Node, draft: Draft) -> None:
        self.inside(node, draft)

    def _pair(self, node: Node, draft: Draft) -> None:
        self.later(node.child_by_field_name("value"), draft)

    def _lambda(self, node: Node, draft: Draft) -> None:
        self._parameters(node.child_by_field_name("parameters"), draft)
        self.later(node.child_by_field_name("body"), draft)

    # Expressions

    def _literal(self, node: Node, draft: Draft) -> Expression:
        if node.named_child_count:
            self.inside(node, draft)
        return Literal(TypeRef(_LITERALS[node.type]))

    def _word(self, node: Node, draft: Draft) -> Expression | None:
        text = self.text(node)
        if text in self._bound[draft.index]:
            return Name(text)
        if text in _VISIBILITIES and draft.kind not in _FUNCTIONS:
            self._visibility[draft.index] = text
            return None
        if text == "new" and draft.is_static and (kind := self._made(None, draft)) is not None:
            return New(kind, (), place(node))
        return Call(Name(text), (), (), place(node))

    def _array(self, node: Node, draft: Draft) -> Expression | None:
        """Read a list, which holds what it is made with when that are new objects of one class."""
        values = [self.value(one, draft) for one in node.named_children]
        kinds = {one.type if isinstance(one, New) else None for one in values}
        kind = kinds.pop() if len(kinds) == 1 else None
        return Cast(None, TypeRef("[]", (kind,))) if kind else None

    def _scoped(self, node: Node, draft: Draft) -> Expression:
        scope, name = node.child_by_field_name("scope"), self.text(node.child_by_field_name("name"))
        return Name(f".{name}") if scope is None else Select(self.expression(scope, draft), name)

    def _super(self, node: Node, arguments: tuple[Expression | None, ...], draft: Draft) -> Expression:
        return Call(Select(This(is_super=True), draft.name), arguments, (), place(node))

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        name = self.text(method)
        if receiver is None and method is not None and self._directive(name, node, draft):
            return None
        if name == "new" and (kind := self._made(receiver, draft)) is not None:
            if kind.name in ("Struct", "Class", "Module"):
                return None
            made = New(kind, self._given(node, draft), place(node))
            self._block(node, None, draft)
            return made
        owner = self.expression(receiver, draft)
        arguments = self._given(node, draft)
        self._called_by_name(node, owner, draft)
        self._block(node, owner if name in _EACH else None, draft)
        if method is not None and method.type == "super":
            return self._super(node, arguments, draft)
        if name == "class" and isinstance(owner, This):
            return owner
        if name in ("freeze", "dup", "clone", "tap", "itself") and owner is not None:
            return owner
        if name in _SENDS and (sent := self._sent(node)):
            target: Expression = Select(owner, sent) if receiver is not None else Name(sent)
            return target if name in ("method", "respond_to?") else Call(target, arguments[1:], (), place(node))
        if receiver is None:
            return Call(Name(name), arguments, (), place(node))
        return Call(Select(owner, name or "call"), arguments, (), place(node))

    def _called_by_name(self, node: Node, owner: Expression | None, draft: Draft) -> None:
        """Read ``each(&:name)``, which calls a method of every element."""
        for one in children_of_type(node.child_by_field_name("arguments"), "block_argument"):
            symbol = child_of_type(one, "simple_symbol")
            if symbol is not None and owner is not None:
                element = Select(Item(owner), self.text(symbol).lstrip(":"))
                draft.calls.append(Call(element, (), (), place(one)))

    def _made(self, receiver: Node | None, draft: Draft) -> TypeRef | None:
        if receiver is not None and receiver.type in ("constant", "scope_resolution"):
            return TypeRef(self._dotted(receiver))
        owner = self._owner(draft)
        is_own = receiver is None or receiver.type == "self" or self.text(receiver) == "self.class"
        return TypeRef(owner.name) if is_own and owner.kind in _TYPES else None

    def _given(self, node: Node, draft: Draft) -> tuple[Expression | None, ...]:
        given = node.child_by_field_name("arguments")
        return self.arguments(given.named_children if given is not None else [], draft)

    def _sent(self, node: Node) -> str:
        given = node.child_by_field_name("arguments")
        first = child_at(given, 0)
        if first is None or first.type not in ("simple_symbol", "string"):
            return ""
        return self.text(first).strip(":\"'")

    def _block(self, node: Node, source: Expression | None, draft: Draft) -> None:
        """Read a block as part of the method: its first parameter holds the elements of *source*."""
        block = node.child_by_field_name("block")
        if block is None:
            return
        parameters = child_of_type(block, "block_parameters")
        for index, one in enumerate(parameters.named_children if parameters is not None else []):
            self._bind(one, Item(source) if source is not None and not index else None, draft)
        self.later(block.child_by_field_name("body"), draft)

    def _bind(self, target: Node, value: Expression | None, draft: Draft) -> None:
        match target.type:
            case "identifier":
                self._bound[draft.index].add(self.text(target))
                draft.locals.append(Local(self.text(target), None, value, line(target)))
            case "instance_variable" | "class_variable":
                self._field(target, value, draft)
            case "left_assignment_list" | "destructured_left_assignment" | "destructured_parameter" | "rest_assignment":
                for index, part in enumerate(target.named_children):
                    self._bind(part, Part(value, index) if value else None, draft)
            case "optional_parameter" | "splat_parameter" | "keyword_parameter" | "block_parameter":
                name = target.child_by_field_name("name")
                if name is not None:
                    self._bind(name, None, draft)
            case "call":  # one.name = value calls a method
                owner = self.expression(target.child_by_field_name("receiver"), draft)
                setter = f"{self.text(target.child_by_field_name('method'))}="
                draft.calls.append(Call(Select(owner, setter), (value,), (), place(target)))
            case "constant":
                self._constant(target, value, draft)
            case _:
                self.later(target, draft)

    def _field(self, target: Node, value: Expression | None, draft: Draft) -> None:
        owner, name = self._owner(draft), self.text(target)
        if (owner.index, name) not in self._fields:
            self._fields.add((owner.index, name))
            field = self.open(NodeKind.FIELD, name, target.parent or target, owner)
            field.value = value

    def _constant(self, target: Node, value: Expression | None, draft: Draft) -> None:
        found = self.open(NodeKind.CONSTANT, self.text(target), target.parent or target, self._owner(draft))
        found.value, found.is_static = value, True

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return None
        if left.type == "constant" and self._generated(left, right, draft):
            return None
        if right.type == "right_assignment_list" and left.type == "left_assignment_list":
            for target, part in zip(left.named_children, right.named_children, strict=False):
                self._bind(target, self.value(part, draft), draft)
            return None
        value = self.value(right, draft)
        is_plain = node.type == "assignment" or "||=" in self.text(node)[: right.start_byte - node.start_byte]
        self._bind(left, value if is_plain else None, draft)
        if self.is_last(node) and value is not None:
            draft.result.append(value)
        return None

    def _generated(self, left: Node, right: Node, draft: Draft) -> bool:
        """Open a class that is made by a call: ``Point = Struct.new(:x) do … end``."""
        maker = self.text(right.child_by_field_name("receiver"))
        if (
            right.type != "call"
            or maker not in ("Struct", "Class", "Module")
            or self.text(right.child_by_field_name("method")) != "new"
        ):
            return False
        block = right.child_by_field_name("block")
        kind = NodeKind.TRAIT if maker == "Module" else NodeKind.CLASS
        made = self.open(kind, self.text(left), left.parent or left, self._owner(draft), body=block)
        given = right.child_by_field_name("arguments")
        for one in given.named_children if given is not None else []:
            if one.type == "simple_symbol":
                self.open(NodeKind.FIELD, self.text(one).lstrip(":"), one, made)
            elif one.type in ("constant", "scope_resolution"):
                made.bases.append(TypeRef(self._dotted(one)))
        if block is not None:
            self.inside(block.child_by_field_name("body"), made)
        return True

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.text(node.child_by_field_name("operator"))
        if operator in ("||", "or"):
            options = tuple(one for one in (self.expression(part, draft) for part in (left, right)) if one)
            return Choice(options) if options else None
        if operator in ("&&", "and"):
            self.value(left, draft)
            return self.expression(right, draft)
        first, second = self.expression(left, draft), self.expression(right, draft)
        if first is None or isinstance(first, Literal):
            if right is not None:
                self.record(second, right, draft)
            return first
        return Call(Select(first, operator), (second,), (), place(node))

    def _choice(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        written = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        options = tuple(one for one in (self.expression(part, draft) for part in written) if one)
        return Choice(options) if options else None

    def _last_of(self, node: Node, draft: Draft) -> Expression | None:
        for one in node.named_children[:-1]:
            self.value(one, draft)
        return self.expression(node.named_children[-1] if node.named_children else None, draft)

    def _other(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node, draft)
        return None

    def _element(self, node: Node, draft: Draft) -> Expression | None:
        owner, *indexes = node.named_children
        for index in indexes:
            self.value(index, draft)
        found = self.expression(owner, draft)
        return Item(found) if found else None

    def _return(self, node: Node, draft: Draft) -> Expression | None:
        given = child_at(node, 0)
        value = self.value(child_at(given, 0), draft)
        if value is not None:
            draft.result.append(value)
        return None

    def _block_argument(self, node: Node, draft: Draft) -> Expression | None:
        given = child_at(node, 0)
        if given is not None and given.type == "simple_symbol":
            return None
        return self.expression(given, draft)

    # Calls that declare

    def _directive(self, name: str, node: Node, draft: Draft) -> bool:
        """Read a call that declares something; return whether it is one."""
        given = node.child_by_field_name("arguments")
        nodes = given.named_children if given is not None else []
        if name in _REQUIRES and nodes and nodes[-1].type == "string":
            self._require(name, nodes, node)
            return True
        if draft.kind in _FUNCTIONS or not nodes:
            return False
        if name in _MIXINS:
            self._mix(name, nodes, draft)
        elif name in _ATTRIBUTES:
            self._attributes(nodes, draft)
        elif name in _VISIBILITIES or name == "private_class_method":
            self._set_visibility(name, nodes, draft)
        elif name == "alias_method" and len(nodes) == 2:
            self._open_alias(self.text(nodes[0]), self.text(nodes[1]), node, draft)
        elif name in ("define_method", "define_singleton_method") and nodes[0].type in ("simple_symbol", "string"):
            self._generate_method(name, nodes[0], node, draft)
        else:
            return False
        return True

    def _require(self, name: str, nodes: list[Node], node: Node) -> None:
        path = self.text(child_of_type(nodes[-1], "string_content"))
        if name == "require_relative" and not path.startswith("."):
            path = f"./{path}"
        self.imports.append(ImportFact(path, "*", "", 0, line(node), " ".join(self.text(node).split())))

    def _mix(self, name: str, nodes: list[Node], draft: Draft) -> None:
        for one in nodes:
            if one.type == "self" and name == "extend":
                self._visibility[draft.index] = "module_function"
            elif one.type in ("constant", "scope_resolution"):
                mixed = TypeRef(self._dotted(one))
                if name == "extend":
                    draft.interfaces.append(mixed)
                else:
                    draft.bases.insert(0, mixed)

    def _attributes(self, nodes: list[Node], draft: Draft) -> None:
        for one in children_of_type(nodes[0].parent, "simple_symbol", "string"):
            name = self.text(one).strip(":\"'")
            field = self.open(NodeKind.FIELD, name, one, draft)
            field.value = Select(This(), f"@{name}")
            field.visibility = self._visibility.get(draft.index, "public")

    def _set_visibility(self, name: str, nodes: list[Node], draft: Draft) -> None:
        names = set()
        for one in nodes:
            if one.type in ("method", "singleton_method"):
                self._define(one, draft, is_static=one.type == "singleton_method", visibility=name)
            elif one.type in ("simple_symbol", "string"):
                names.add(self.text(one).strip(":\"'"))
            else:
                self.later(one, draft)
        for known in self.drafts:
            if known.parent == draft.index and known.name in names:
                known.is_static = known.is_static or name == "module_function"
                known.visibility = "private" if name == "private_class_method" else name

    def _generate_method(self, name: str, written: Node, node: Node, draft: Draft) -> None:
        block = node.child_by_field_name("block")
        method = self.open(NodeKind.METHOD, self.text(written).strip(":\"'"), node, self._owner(draft), body=block)
        method.is_static = name == "define_singleton_method"
        if block is not None:
            parameters = child_of_type(block, "block_parameters")
            method.parameters = tuple(self._parameters(parameters, method))
            self.inside(block.child_by_field_name("body"), method)
