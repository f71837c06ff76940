"""
The facts of an Elixir file.

All of the grammar's definitions are calls. A function's clauses are one declaration; a module ``A.B`` is ``B`` in
``A``; a module attribute is a constant that keeps its ``@``. A pipe is a call with one argument more.
"""

from collections.abc import Callable

from pckc_domain.model.declared_facts import (
    Call,
    DeclaredFacts,
    Expression,
    ImportFact,
    Literal,
    Local,
    Name,
    Parameter,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import (
    Source,
    child_of_type,
    children_of_type,
    last_line,
    line,
    place,
)

_FUNCTIONS = frozenset("def defp defmacro defmacrop defguard defguardp defdelegate".split())
_MODULES = {"defmodule": NodeKind.NAMESPACE, "defprotocol": NodeKind.INTERFACE, "defimpl": NodeKind.CLASS}
_FORMS = frozenset(
    "if unless case cond with for quote unquote unquote_splicing receive try raise reraise throw super and or not in "
    "when fn defoverridable defexception describe test setup setup_all assert refute".split()
)
_SILENT = frozenset("spec type typep opaque doc moduledoc typedoc impl derive dialyzer compile deprecated".split())
_LITERALS = {
    "integer": "Integer",
    "float": "Float",
    "string": "String",
    "boolean": "Atom",
    "nil": "Atom",
    "atom": "Atom",
    "charlist": "List",
    "sigil": "String",
}


def elixir_facts(source: Source) -> DeclaredFacts:
    """Return what an Elixir file says."""
    return _ElixirReader(source).facts()


class _ElixirReader(DeclaredReader):
    language = "elixir"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._clauses: dict[tuple[int, str, int], Draft] = {}
        self._docs: dict[int, str] = {}
        self._words: dict[str, Callable[[Node, list[Node], Draft], None]] = {
            **dict.fromkeys(_FUNCTIONS, self._function),
            **dict.fromkeys(_MODULES, self._module),
            "alias": self._alias,
            "require": self._alias,
            "import": self._import,
            "use": self._use,
            "defstruct": self._struct,
        }
        self.statements = {
            "stab_clause": self._clause,
        }
        self.expressions = {
            "call": self._call,
            "identifier": self._identifier,
            "alias": self._module_name,
            "dot": self._dot,
            "unary_operator": self._unary,
            "binary_operator": self._binary,
            "block": self._last,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    # Modules and functions

    def _module(self, node: Node, given: list[Node], around: Draft) -> None:
        body = child_of_type(node, "do_block")
        word = self.text(node.child_by_field_name("target"))
        name = self.text(given[0]) if given else ""
        targets = self._targets(given) if word == "defimpl" else []
        if word == "defimpl" and not targets and around.index:
            targets = [around.name]
        outer: list[str] = []
        if word == "defimpl":  # no alias reaches it
            name = ".".join((name, *targets[:1]))
        else:
            *outer, name = name.split(".")
        for one in outer:
            around = self.open(NodeKind.NAMESPACE, one, node, around, body=body)
        draft = self.open(_MODULES[word], name, node, around, body=body)
        if word == "defimpl" and given:
            draft.interfaces.append(TypeRef(self.text(given[0])))
        self.inside(body, draft)

    def _targets(self, given: list[Node]) -> list[str]:
        """Return the types a protocol is implemented for."""
        pair = self._keyword(given, "for")
        names = children_of_type(pair, "alias") if pair is not None and pair.type == "list" else [pair]
        return [self.text(name) for name in names if name is not None]

    def _keyword(self, given: list[Node], key: str) -> Node | None:
        for keywords in given:
            for pair in children_of_type(keywords, "pair") if keywords.type == "keywords" else []:
                if self.text(pair.child_by_field_name("key")).strip(": ") == key:
                    return pair.child_by_field_name("value")
        return None

    def _function(self, node: Node, given: list[Node], around: Draft) -> None:
        word = self.text(node.child_by_field_name("target"))
        head, guard = self._head(given[0] if given else None)
        name, parameters = self._signature(head)
        if not name:
            return
        body = child_of_type(node, "do_block")
        key = around.index, name, len(parameters)
        draft = self._clauses.get(key)
        if draft is None:
            kind = NodeKind.FUNCTION if around.kind is NodeKind.NAMESPACE else NodeKind.METHOD
            draft = self._clauses[key] = self.open(kind, name, node, around, body=body)
            draft.visibility = "private" if word.endswith("p") else "public"
            draft.has_body = around.kind is not NodeKind.INTERFACE
            draft.parameters = tuple(self._parameter(one) for one in parameters)
            draft.doc = self._docs.pop(around.index, "") or draft.doc
        else:
            draft.end_line, draft.end_byte = last_line(node), node.end_byte
        for one in parameters:
            self._pattern(one, draft)
        self.later(guard, draft)
        if word in ("defguard", "defguardp"):
            return
        if word == "defdelegate":
            self._delegate(name, len(parameters), given, node, draft)
            return
        self.later(self._keyword(given, "do"), draft)
        self.inside(body, draft)

    def _head(self, node: Node | None) -> tuple[Node | None, Node | None]:
        """Return a function's head and its guard."""
        if node is not None and node.type == "binary_operator" and self._operator(node) == "when":
            return node.child_by_field_name("left"), node.child_by_field_name("right")
        return node, None

    def _signature(self, head: Node | None) -> tuple[str, list[Node]]:
        if head is None:
            return "", []
        if head.type == "identifier":
            return self.text(head), []
        if head.type == "call":
            return self.text(head.child_by_field_name("target")), self._arguments_of(head)
        if head.type == "binary_operator":
            sides = (head.child_by_field_name("left"), head.child_by_field_name("right"))
            return self._operator(head), [one for one in sides if one is not None]
        return "", []

    def _parameter(self, node: Node) -> Parameter:
        is_optional = node.type == "binary_operator" and self._operator(node) == "\\\\"
        name = node.child_by_field_name("left") if is_optional else node
        return Parameter(self.text(name) if name is not None and name.type == "identifier" else "", None, is_optional)

    def _delegate(self, name: str, arity: int, given: list[Node], node: Node, draft: Draft) -> None:
        target, renamed = self._keyword(given, "to"), self._keyword(given, "as")
        if target is not None:
            callee = Select(self.expression(target, draft), self.text(renamed).lstrip(":") or name)
            draft.calls.append(Call(callee, (None,) * arity, (), place(node)))

    def _struct(self, _: Node, given: list[Node], around: Draft) -> None:
        for one in given:
            stack = [one]
            while stack:
                part = stack.pop(0)
                if part.type in ("list", "keywords"):
                    stack = list(part.named_children) + stack
                elif part.type == "atom":
                    self.open(NodeKind.FIELD, self.text(part).lstrip(":"), part, around)
                elif part.type == "pair":
                    name = self.text(part.child_by_field_name("key")).strip(": ")
                    self.open(NodeKind.FIELD, name, part, around)
                    self.later(part.child_by_field_name("value"), around)

    # Imports

    def _alias(self, node: Node, given: list[Node], draft: Draft) -> None:
        target = given[0] if given else None
        if target is None:
            return
        renamed = self._keyword(given, "as")
        if target.type == "dot":
            prefix = self._full(self.text(target.child_by_field_name("left")))
            for one in children_of_type(target.child_by_field_name("right"), "alias"):
                module = f"{prefix}.{self.text(one)}"
                self._bind(module, "", module.rpartition(".")[2], node, draft)
            return
        module = self._full(self.text(target))
        is_alias = self.text(node.child_by_field_name("target")) == "alias"
        bound = self.text(renamed) if renamed is not None else module.rpartition(".")[2] if is_alias else ""
        self._bind(module, "", bound, node, draft)

    def _full(self, name: str) -> str:
        """Return a module's name with those that this file has aliased before spelled out."""
        first, dot, rest = name.partition(".")
        known = next((fact.module for fact in reversed(self.imports) if fact.alias == first and not fact.name), first)
        return known + dot + rest

    def _import(self, node: Node, given: list[Node], draft: Draft) -> None:
        if not given:
            return
        module, only = self._full(self.text(given[0])), self._keyword(given, "only")
        pairs = [pair for keywords in children_of_type(only, "keywords") for pair in children_of_type(keywords, "pair")]
        if not pairs:
            self._bind(module, "*", "", node, draft)
        for pair in pairs:
            name = self.text(pair.child_by_field_name("key")).strip(": ")
            self._bind(module, name, name, node, draft)

    def _use(self, node: Node, given: list[Node], draft: Draft) -> None:
        """Read ``use``: it brings what the module has for it, which is taken for all that the module has."""
        if given and given[0].type == "alias":
            self._bind(self._full(self.text(given[0])), "*", "", node, draft)
        for one in given[1:]:
            self.inside(one, draft)

    def _bind(self, module: str, name: str, alias: str, node: Node, draft: Draft) -> None:
        text = " ".join(self.text(node).split())
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), text))

    # Statements

    def _clause(self, node: Node, draft: Draft) -> None:
        left = node.child_by_field_name("left")
        for one in left.named_children if left is not None else []:
            self._pattern(one, draft)
        self.later(node.child_by_field_name("right"), draft)

    def _pattern(self, node: Node, draft: Draft) -> None:
        """Bind the names of a pattern, whose values are not known."""
        stack = [node]
        while stack:
            part = stack.pop()
            if part.type == "identifier":
                draft.locals.append(Local(self.text(part), None, None, line(part)))
            elif part.type == "binary_operator" and self._operator(part) in ("\\\\", "when"):
                stack += [one for one in (part.child_by_field_name("left"),) if one is not None]
                self.later(part.child_by_field_name("right"), draft)
            elif part.type not in ("call", "alias", "string"):
                stack += part.named_children

    # Expressions

    def _literal(self, node: Node, draft: Draft) -> Expression:
        if node.named_child_count:
            self.inside(node, draft)
        return Literal(TypeRef(_LITERALS[node.type]))

    def _identifier(self, node: Node, _: Draft) -> Expression:
        text = self.text(node)
        return This() if text == "__MODULE__" else Name(text)

    def _module_name(self, node: Node, _: Draft) -> Expression:
        first, *others = self.text(node).split(".")
        found: Expression = Name(first)
        for one in others:
            found = Select(found, one)
        return found

    def _dot(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = node.child_by_field_name("left"), node.child_by_field_name("right")
        if name is None:
            return self.expression(owner, draft)
        return Select(self.expression(owner, draft), self.text(name))

    def _arguments_of(self, node: Node) -> list[Node]:
        given = child_of_type(node, "arguments")
        return [one for one in given.named_children if not one.is_extra] if given is not None else []

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        return self._called(node, (), draft)

    def _called(self, node: Node, before: tuple[Expression | None, ...], draft: Draft) -> Expression | None:
        """Return a call that is given *before* and what it says itself."""
        target, given = node.child_by_field_name("target"), self._arguments_of(node)
        word = self.text(target) if target is not None and target.type == "identifier" else ""
        if word in self._words:
            self._words[word](node, given, draft)
            return None
        block = child_of_type(node, "do_block")
        if word in _FORMS:
            for one in given:
                self.value(one, draft)
            self.inside(block, draft)
            return None
        arguments = (*before, *self.arguments(given, draft))
        if block is not None:
            self.inside(block, draft)
            arguments = (*arguments, None)
        if target is not None and target.type == "dot" and not before and child_of_type(node, "arguments") is None:
            return self.expression(target, draft)  # a map's field, or a call without parentheses
        callee = self.expression(target, draft) or Select(None, "")
        return Call(callee, arguments, (), place(node))

    def _operator(self, node: Node) -> str:
        return self.text(node.child_by_field_name("operator"))

    def _unary(self, node: Node, draft: Draft) -> Expression | None:
        operand = node.child_by_field_name("operand")
        match self._operator(node):
            case "@":
                return self._attribute(operand, draft)
            case "&":
                return self._capture(operand, draft)
        self.value(operand, draft)
        return None

    def _attribute(self, node: Node | None, draft: Draft) -> Expression | None:
        if node is None or node.type == "identifier":
            return Name(f"@{self.text(node)}")
        name, given = self.text(node.child_by_field_name("target")), self._arguments_of(node)
        if name in ("doc", "moduledoc") and given and given[0].type == "string":
            self._document(name, given[0], draft)
        elif name == "behaviour" and given:
            draft.interfaces.append(TypeRef(self._full(self.text(given[0]))))
        elif name in ("callback", "macrocallback") and given:
            self._callback(given[0], node, draft)
        elif name in ("type", "typep", "opaque") and given:
            head = given[0].child_by_field_name("left") or given[0]
            text, _ = self._signature(head)
            if text:
                self.open(NodeKind.TYPE_ALIAS, text, node.parent or node, draft)
        elif name not in _SILENT and given:
            constant = self.open(NodeKind.CONSTANT, f"@{name}", node.parent or node, draft)
            constant.value, constant.is_static = self.value(given[0], draft), True
        return None

    def _document(self, name: str, node: Node, draft: Draft) -> None:
        text = "".join(self.text(one) for one in children_of_type(node, "quoted_content"))
        first = next((row.strip() for row in text.split("\n") if row.strip()), "")
        if name == "moduledoc":
            draft.doc = first
        else:
            self._docs[draft.index] = first

    def _callback(self, written: Node, node: Node, draft: Draft) -> None:
        head = written.child_by_field_name("left") or written
        name, parameters = self._signature(head)
        if name:
            promise = self.open(NodeKind.FUNCTION, name, node.parent or node, draft)
            promise.has_body = False
            promise.parameters = tuple(Parameter("", None) for _ in parameters)

    def _capture(self, node: Node | None, draft: Draft) -> Expression | None:
        """Read ``&name/1`` and ``&Module.name/1``; any other capture is a function written in place."""
        if node is not None and node.type == "binary_operator" and self._operator(node) == "/":
            named = node.child_by_field_name("left")
            if named is not None and named.type == "identifier":
                return Name(self.text(named))
            if named is not None and named.type == "call" and child_of_type(named, "arguments") is None:
                return self.expression(named.child_by_field_name("target"), draft)
        self.value(node, draft)
        return None

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self._operator(node)
        if operator == "|>" and right is not None:
            return self._pipe(left, right, draft)
        if operator in ("=", "<-") and left is not None:
            value = self.value(right, draft)
            if left.type == "identifier" and operator == "=":
                draft.locals.append(Local(self.text(left), None, value, line(node)))
            else:
                self._pattern(left, draft)
            return None
        self.value(left, draft)
        self.value(right, draft)
        return None

    def _pipe(self, left: Node | None, right: Node, draft: Draft) -> Expression | None:
        first = self.expression(left, draft)
        if right.type == "call":
            return self._called(right, (first,), draft)
        if right.type in ("identifier", "dot"):
            return Call(self.expression(right, draft) or Select(None, ""), (first,), (), place(right))
        if left is not None:
            self.record(first, left, draft)
        self.value(right, draft)
        return None

    def _last(self, node: Node, draft: Draft) -> Expression | None:
        for one in node.named_children[:-1]:
            self.value(one, draft)
        return self.expression(node.named_children[-1] if node.named_children else None, draft)
