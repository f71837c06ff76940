"""
What every reader of a language with declared types shares: one walk over the tree that records declarations.

The walk keeps its own stack, so that no depth of nesting ends it; only expressions are read by recursion, and what lies
deeper than `MAX_DEPTH` in one is read as an expression of its own.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import attrs
from pckc_domain.model.code_facts import Rationale
from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Declaration,
    DeclaredFacts,
    Expression,
    Implementation,
    ImportFact,
    Item,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Part,
    Select,
    Stored,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.gifts import unwrapped
from tree_sitter import Node

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.source import Source, last_line, line, place

_NAMED = re.compile(r"[&:]*[^\W\d][\w.:]*")
"""A name, perhaps of something in something, or the address of one."""

MAX_DEPTH = 60
"""Levels of one expression that are read as one."""


@attrs.define(kw_only=True)
class Draft:
    """A declaration that is being read; its fields are those of `Declaration`."""

    index: int
    parent: int
    kind: NodeKind
    name: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""
    doc: str = ""
    visibility: str = ""
    is_static: bool = False
    is_constructor: bool = False
    is_property: bool = False
    is_companion: bool = False
    is_test: bool = False
    is_virtual: bool = False
    has_body: bool = True
    type_parameters: tuple[TypeParameter, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    type: TypeRef | None = None
    value: Expression | None = None
    bases: list[TypeRef] = attrs.field(factory=list)
    interfaces: list[TypeRef] = attrs.field(factory=list)
    receiver: TypeRef | None = None
    implemented: TypeRef | None = None
    locals: list[Local] = attrs.field(factory=list)
    result: list[Expression] = attrs.field(factory=list)
    calls: list[Expression] = attrs.field(factory=list)
    mentions: list[Mention] = attrs.field(factory=list)
    stored: list[Stored] = attrs.field(factory=list)

    def declaration(self) -> Declaration:
        """Return it as a value."""
        self.locals.sort(key=lambda local: local.line)
        fields: dict[str, Any] = {}
        for field in attrs.fields(Declaration):
            value = getattr(self, field.name)
            fields[field.name] = tuple(value) if isinstance(value, list) else value
        return Declaration(**fields)


StatementReader = Callable[[Node, Draft], None]
ExpressionReader = Callable[[Node, Draft], Expression | None]


class DeclaredReader:
    """
    Reads one file. Inherit it, and fill `statements` and `expressions` by kind of node.

    A node of a kind in neither is walked through. A reader of statements says what to read next, by `later`, `inside`
    or `value`; what it does not name is not read. A reader of expressions returns what its node says and reads its
    parts by `expression`; a node of a kind that is not in `expressions` has no known value, and what it holds is read
    on its own.
    """

    language = ""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = self.source.text
        self.comments = Comments(self.source)
        self.statements: Mapping[str, StatementReader] = {}
        self.expressions: Mapping[str, ExpressionReader] = {}
        self.namespace = ""
        self.imports: list[ImportFact] = []
        self.implementations: list[Implementation] = []
        self.drafts: list[Draft] = []
        self._pending: list[tuple[Node, Draft]] = []
        self._depth = 0
        self.nesting = 0

    # What a language's reader calls

    def open(
        self,
        kind: NodeKind,
        name: str,
        node: Node,
        around: Draft,
        *,
        body: Node | None = None,
        start: Node | None = None,
    ) -> Draft:
        """
        Return a new declaration in *around*, of all that *node* is, with its documentation and lines.

        Its signature ends before *body*, which is not read by this; it begins at *start* when attributes before *node*
        belong to it.
        """
        first = start or node
        draft = Draft(
            index=len(self.drafts),
            parent=around.index,
            kind=kind,
            name=name,
            start_line=line(first),
            end_line=last_line(node),
            start_byte=first.start_byte,
            end_byte=node.end_byte,
            signature=self.source.signature(node, body),
            doc=self.comments.doc_above(line(first)),
        )
        draft.is_test = around.is_test
        self.drafts.append(draft)
        return draft

    def later(self, node: Node | None, draft: Draft) -> None:
        """Read *node* as part of *draft* when this one is done."""
        if node is not None:
            self._pending.append((node, draft))

    def inside(self, node: Node | None, draft: Draft) -> None:
        """Read what *node* holds as part of *draft* when this one is done."""
        if node is not None:
            self._pending.extend((child, draft) for child in node.named_children)

    def only_in(self, node: Node, first: int, draft: Draft) -> None:
        """Let the locals of *draft* from number *first* on hold up to the end of *node*."""
        end = last_line(node)
        draft.locals[first:] = [one._replace(end_line=end) for one in draft.locals[first:]]

    def skip(self, node: Node, draft: Draft) -> None:
        """Say nothing of *node* and what it holds."""

    def block(self, node: Node, draft: Draft) -> Expression | None:
        """Return what the last expression of a block gives; what stands before it is read on its own."""
        parts = [child for child in node.named_children if not child.is_extra]
        if not parts or parts[-1].type not in self.expressions:
            self.inside(node, draft)
            return None
        for statement in parts[:-1]:
            self.later(statement, draft)
        return self.expression(parts[-1], draft)

    def value(self, node: Node | None, draft: Draft) -> Expression | None:
        """Return an expression that stands for itself in *draft*, and record what it calls or mentions."""
        if node is None:
            return None
        found = self.expression(node, draft)
        self.record(found, node, draft)
        return found

    def record(self, found: Expression | None, node: Node, draft: Draft) -> None:
        """Record what an expression calls or mentions."""
        if found is None:
            return
        if calls(found):
            draft.calls.append(found)
        elif isinstance(found, Select) or (isinstance(found, Name) and not self._binds(draft, found.text)):
            draft.mentions.append(Mention(found, place(node)))

    def keep(self, target: Expression | None, value: Expression | None, node: Node, draft: Draft) -> None:
        """Record that *draft* keeps a value somewhere, when that may be a function that has a name."""
        given = unwrapped(value)
        if isinstance(target, Name | Select | Item) and isinstance(given, Name | Select):
            draft.stored.append(Stored(target, given, line(node)))

    def is_name(self, node: Node) -> bool:
        """Return whether *node* says nothing but a name, or the address of what has it."""
        return _NAMED.fullmatch(self.text(node)) is not None

    def keep_named(self, target: Expression | None, node: Node | None, draft: Draft) -> None:
        """Record that *draft* keeps what *node* names somewhere, which is read elsewhere."""
        if node is not None and self.is_name(node):
            self.keep(target, self.expression(node, draft), node, draft)

    def _binds(self, draft: Draft, name: str) -> bool:
        """Return whether *name* is a parameter or local of *draft*, or of what is around it."""
        while True:
            if any(one.name == name for one in draft.locals) or any(one.name == name for one in draft.parameters):
                return True
            if draft.parent < 0:
                return False
            draft = self.drafts[draft.parent]

    def expression(self, node: Node | None, draft: Draft) -> Expression | None:
        """Return what *node* says as part of a larger expression; ``None`` when that is not known."""
        if node is None:
            return None
        reader = self.expressions.get(node.type)
        if reader is None:
            if node.type in self.statements:
                self.later(node, draft)
            else:
                self.inside(node, draft)
            return None
        if self._depth >= MAX_DEPTH:
            self.later(node, draft)
            return None
        self._depth += 1
        try:
            return reader(node, draft)
        finally:
            self._depth -= 1

    def arguments(self, nodes: Iterable[Node], draft: Draft) -> tuple[Expression | None, ...]:
        """Return what a call passes."""
        return tuple([self.expression(node, draft) for node in nodes if not node.is_extra])

    # The walk

    def facts(self) -> DeclaredFacts:
        """Read the whole file."""
        root = self.source.root
        name = self.source.path.rpartition("/")[2].partition(".")[0]
        module = Draft(
            index=0,
            parent=-1,
            kind=NodeKind.MODULE,
            name=name,
            start_line=1,
            end_line=max(last_line(root), 1),
            start_byte=0,
            end_byte=len(self.source.bytes),
        )
        self.drafts.append(module)
        self.inside(root, module)
        stack = self._taken()
        while stack:
            self._read(*stack.pop())
            if self._pending:
                stack += self._taken()
        spans = [(draft.start_line, draft.end_line) for draft in self.drafts]
        return DeclaredFacts(
            path=self.source.path,
            language=self.language,
            namespace=self.namespace,
            declarations=tuple([draft.declaration() for draft in self.drafts]),
            imports=tuple(self.imports),
            implementations=tuple(self.implementations),
            rationale=tuple([Rationale(*one) for one in self.comments.rationale(spans)]),
            problems=self.source.problems(),
        )

    def _taken(self) -> list[tuple[Node, Draft]]:
        """Return what is to be read next, the first one last."""
        taken = sorted(self._pending, key=lambda one: one[0].start_byte, reverse=True)
        self._pending.clear()
        return taken

    def _read(self, node: Node, draft: Draft) -> None:
        statement = self.statements.get(node.type)
        if statement is not None:
            statement(node, draft)
        elif node.type in self.expressions:
            self.value(node, draft)
        elif node.child_count:
            self.inside(node, draft)


_Method = TypeVar("_Method", bound=Callable[..., Any])


def limited(otherwise: Callable[[], Any]) -> Callable[[_Method], _Method]:
    """Let a method that calls itself for parts of parts return *otherwise* where they lie below `MAX_DEPTH` levels."""

    def decorate(method: _Method) -> _Method:
        @wraps(method)
        def inner(reader: DeclaredReader, *arguments: object) -> object:
            if reader.nesting >= MAX_DEPTH:
                return otherwise()
            reader.nesting += 1
            try:
                return method(reader, *arguments)
            finally:
                reader.nesting -= 1

        return cast(_Method, inner)

    return decorate


def nothing() -> None:
    """Return nothing: what lies too deep is not known."""


def choice(options: Iterable[Expression | None]) -> Expression | None:
    """Return what is one of several values, as far as they are known."""
    known = tuple([one for one in options if one is not None])
    return Choice(known) if len(known) > 1 else known[0] if known else None


def calls(expression: Expression | None) -> bool:
    """Return whether an expression calls, or holds a function that is written in it."""
    while isinstance(expression, Select | Item | Part):
        expression = expression.owner
    if isinstance(expression, Cast):
        return calls(expression.value)
    if isinstance(expression, Choice):
        return any(map(calls, expression.options))
    return isinstance(expression, Call | New | Closure)
