"""
The facts of a Lua file.

A table that is given functions is a class: its functions are methods, those without ``self`` static. What a file
returns is its result. ``require`` binds an import wherever it stands.
"""

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Name,
    New,
    Parameter,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {"number": "number", "string": "string", "true": "boolean", "false": "boolean", "nil": "nil"}
_INDEXES = ("dot_index_expression", "method_index_expression", "bracket_index_expression")
_MAX_LEVELS = 40
"""Tables inside of tables that are classes."""

_BODIES = frozenset((NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.LAMBDA))


def lua_facts(source: Source) -> DeclaredFacts:
    """Return what a Lua file says."""
    return _LuaReader(source).facts()


class _LuaReader(DeclaredReader):
    language = "lua"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._tables: dict[str, Draft] = {}
        self._objects: dict[tuple[int, str], Draft] = {}
        self._methods: set[int] = set()
        self._fields: set[tuple[int, str]] = set()
        self._filled, self._functions = self._names()
        self._locals: set[str] = set()
        self.statements = {
            "function_declaration": self._function,
            "variable_declaration": self._local,
            "assignment_statement": self._assignment,
            "for_generic_clause": self._for,
            "for_numeric_clause": self._count_up,
            "return_statement": self._return,
            "goto_statement": self.skip,
            "label_statement": self.skip,
        }
        self.expressions = {
            "identifier": self._identifier,
            "dot_index_expression": self._index,
            "method_index_expression": self._index,
            "bracket_index_expression": self._bracket,
            "function_call": self._call,
            "function_definition": self._closure,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            "table_constructor": self._constructor,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _names(self) -> tuple[set[str], set[str]]:
        """Return the tables that are given functions at the top of the file, and the names of its functions."""
        filled: set[str] = set()
        functions: set[str] = set()
        for node in self.source.root.named_children:
            names = [node.child_by_field_name("name")]
            if node.type == "assignment_statement":
                targets = child_of_type(node, "variable_list")
                names = list(targets.named_children) if targets is not None else []
            for name in names:
                if name is None:
                    continue
                if name.type in _INDEXES:
                    parts = self.text(name).partition("[")[0].replace(":", ".").split(".")
                    parts += ["[]"] if name.type == "bracket_index_expression" else []
                    filled |= {".".join(parts[:end]) for end in range(1, len(parts))}
                elif node.type == "function_declaration":
                    functions.add(self.text(name))
        return filled, functions

    # Functions

    def _function(self, node: Node, around: Draft) -> None:
        self._open_function(node, node.child_by_field_name("name"), node, around)

    def _open_function(self, node: Node, name: Node | None, function: Node, around: Draft) -> Draft:
        """Open *function*, which all of *node* gives the name *name*."""
        if name is None or name.type not in _INDEXES:
            draft = self.open(NodeKind.FUNCTION, self.text(name), node, around, body=_body(function))
            is_local = self.source.bytes.startswith(b"local", node.start_byte) or self.text(name) in self._locals
            draft.visibility = "local" if is_local else ""
            return self._read_function(draft, function)
        owner, text = name.child_by_field_name("table"), self._member(name)
        table = self._table(self.text(owner), node)
        draft = self.open(NodeKind.METHOD, text, node, table or self.drafts[0], body=_body(function))
        if table is None:
            draft.receiver = TypeRef("".join(self.text(owner).split()))
        draft.is_static = name.type != "method_index_expression"
        parameters = function.child_by_field_name("parameters")
        first = child_at(parameters, 0)
        if not draft.is_static or self.text(first) == "self":
            self._methods.add(draft.index)
        return self._read_function(draft, function)

    def _read_function(self, draft: Draft, function: Node) -> Draft:
        parameters = function.child_by_field_name("parameters")
        found = []
        for one in parameters.named_children if parameters is not None else []:
            is_rest = one.type == "vararg_expression"
            if self.text(one) != "self":
                found.append(Parameter(self.text(one), None, is_optional=True, is_rest=is_rest))
        draft.parameters = tuple(found)
        self.inside(_body(function), draft)
        return draft

    def _member(self, index: Node) -> str:
        """Return the name that ``table.name``, ``table:name`` and ``table["name"]`` say; ``""`` for another index."""
        key = index.child_by_field_name("field") or index.child_by_field_name("method")
        if key is not None and index.type == "bracket_index_expression":
            return self.text(key.child_by_field_name("content")) if key.type == "string" else ""
        return self.text(key)

    def _closure(self, node: Node, draft: Draft) -> Expression:
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=_body(node))
        if self._is_method(draft):
            self._methods.add(closure.index)
        self._read_function(closure, node)
        return Closure(closure.index)

    def _is_method(self, draft: Draft) -> bool:
        while draft.parent >= 0 and draft.index not in self._methods:
            draft = self.drafts[draft.parent]
        return draft.index in self._methods

    # Tables

    def _table(self, name: str, node: Node) -> Draft | None:
        """Return the class that a table of this file is; one inside of another is opened when it is first named."""
        if name in self._tables:
            return self._tables[name]
        outer, _, last = name.rpartition(".")
        if not outer or name.count(".") > _MAX_LEVELS:
            return None
        around = self._table(outer, node)
        if around is not None:
            self._tables[name] = self.open(NodeKind.CLASS, last, node, around)
        return self._tables.get(name)

    def _open_table(self, name: str, value: Node | None, node: Node, around: Draft) -> bool:
        """Open a class for a new table; return whether *value* is one that has functions."""
        table = value if value is not None and value.type == "table_constructor" else None
        given = value.child_by_field_name("arguments") if value is not None and value.type == "function_call" else None
        meta = self.text(value.child_by_field_name("name")) if value is not None else ""
        is_made = table is not None or (given is not None and meta == "setmetatable")
        is_named = value is not None and value.type in ("dot_index_expression", "binary_expression")
        is_filled = name in self._filled and (is_made or is_named)
        if not is_filled and not (table is not None and _has_functions(table)):
            return False
        draft = self._tables[name] = self.open(NodeKind.CLASS, name, node, around)
        if given is not None and given.named_child_count == 2:
            self._inherit(child_at(given, 1), draft)
            first = child_at(given, 0)
            table = first if first is not None and first.type == "table_constructor" else None
        if table is not None:
            self._entries(table, draft, name)
        return True

    def _inherit(self, meta: Node | None, draft: Draft) -> None:
        for field in children_of_type(meta, "field"):
            value = field.child_by_field_name("value")
            if value is not None and value.type == "function_definition":
                method = self.open(
                    NodeKind.METHOD, self.text(field.child_by_field_name("name")), field, draft, body=_body(value)
                )
                self._read_function(method, value)
            is_base = value is not None and value.type in ("identifier", *_INDEXES)
            if is_base and self.text(field.child_by_field_name("name")) == "__index":
                draft.bases.append(TypeRef(self.text(value)))

    def _entries(self, table: Node, draft: Draft, name_of: str = "", depth: int = 0) -> None:
        """Read what the table *name_of* is made with: functions, tables, and fields with their values."""
        for field in children_of_type(table, "field"):
            name, value = field.child_by_field_name("name"), field.child_by_field_name("value")
            if name is None or name.type != "identifier" or value is None:
                self.later(value, draft)
                continue
            text = self.text(name)
            if value.type == "function_definition":
                is_member = draft.index > 0
                kind = NodeKind.METHOD if is_member else NodeKind.FUNCTION
                made = self.open(kind, text, field, draft, body=_body(value))
                first = value.child_by_field_name("parameters")
                if is_member and first is not None and self.text(child_at(first, 0)) == "self":
                    self._methods.add(made.index)
                self._read_function(made, value)
            elif (
                depth < _MAX_LEVELS
                and value.type == "table_constructor"
                and (f"{name_of}.{text}" in self._filled or _has_functions(value))
            ):
                inner = self.open(NodeKind.CLASS, text, field, draft)
                self._tables[f"{name_of}.{text}"] = inner
                self._entries(value, inner, f"{name_of}.{text}", depth + 1)
            elif not (value.type == "identifier" and self.text(value) == text and draft.index == 0):
                entry = self.open(NodeKind.FIELD, text, field, draft)
                entry.value, entry.is_static = self.value(value, draft), True

    # Variables

    def _local(self, node: Node, draft: Draft) -> None:
        assignment = child_of_type(node, "assignment_statement")
        if assignment is not None:
            self._assign(assignment, node, draft, is_local=True)
            return
        for name in children_of_type(child_of_type(node, "variable_list"), "identifier"):
            self._locals.add(self.text(name))
            if draft.kind in _BODIES:
                draft.locals.append(Local(self.text(name), None, None, line(node)))
            elif self.text(name) not in self._functions:
                self.open(NodeKind.VARIABLE, self.text(name), node, draft)

    def _assignment(self, node: Node, draft: Draft) -> None:
        self._assign(node, node, draft, is_local=False)

    def _assign(self, node: Node, whole: Node, draft: Draft, *, is_local: bool) -> None:
        left, right = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
        targets = left.named_children if left is not None else []
        values: list[Node | None] = list(right.named_children) if right is not None else []
        for target, value in zip(targets, values + [None] * len(targets), strict=False):
            self._bind(target, value, whole, draft, is_local=is_local)
        for value in values[len(targets) :]:
            self.later(value, draft)

    def _bind(self, target: Node, value: Node | None, node: Node, draft: Draft, *, is_local: bool) -> None:
        text = self.text(target)
        is_named = target.type == "identifier" or bool(self._member(target))
        if value is not None and value.type == "function_definition" and is_named:
            self._open_function(node, target, value, draft)
        elif target.type == "identifier":
            self._bind_name(text, value, node, draft, is_local=is_local)
        elif target.type in _INDEXES and is_named:
            self._bind_member(target, value, node, draft)
        else:
            self.keep(self.value(target, draft), self.value(value, draft), node, draft)

    def _bind_name(self, text: str, value: Node | None, node: Node, draft: Draft, *, is_local: bool) -> None:
        is_body = draft.kind in _BODIES
        if self._import(value, text, draft, node) or (not is_body and self._open_table(text, value, node, draft)):
            return
        found = self.value(value, draft)
        for field in (
            children_of_type(value, "field") if value is not None and value.type == "table_constructor" else ()
        ):
            self.keep_named(Item(Name(text)), field.child_by_field_name("value"), draft)
        if isinstance(found, New | Cast) and found.type.name in self._tables:
            self._objects[draft.index, text] = self._tables[found.type.name]
        if is_body:
            draft.locals.append(Local(text, None, found, line(node)))
        elif is_local or text not in self._functions:
            self.open(NodeKind.VARIABLE, text, node, draft).value = found

    def _bind_member(self, target: Node, value: Node | None, node: Node, draft: Draft) -> None:
        """Read ``owner.name = value``: a field of a class of this file, when that is what the owner is."""
        owner = target.child_by_field_name("table")
        name, text = self._member(target), self.text(owner)
        found = self.value(value, draft)
        table = self._objects.get((draft.index, text)) or (None if draft.kind in _BODIES else self._tables.get(text))
        if table is None and text == "self" and self._is_method(draft):
            method = draft
            while method.kind is NodeKind.LAMBDA:
                method = self.drafts[method.parent]
            around = self.drafts[method.parent]
            table = around if around.kind is NodeKind.CLASS else None
        if table is None:
            self.keep(Select(self.value(owner, draft), name), found, node, draft)
        elif name != "__index":
            if (table.index, name) not in self._fields:
                self._fields.add((table.index, name))
                self.open(NodeKind.FIELD, name, node, table).value = found
        elif isinstance(found, Name) and found.text != table.name:
            table.bases.append(TypeRef(found.text))

    # Imports

    def _import(self, value: Node | None, alias: str, draft: Draft, node: Node) -> bool:
        """Bind *alias* to a required file, or to a member of one; return whether that is what *value* says."""
        name = ""
        if value is not None and value.type == "dot_index_expression":
            name = self.text(value.child_by_field_name("field"))
            value = value.child_by_field_name("table")
        module = self._required(value)
        if not module:
            return False
        text = " ".join(self.text(node).split())
        self.imports.append(ImportFact(module, name, alias, self._import_scope(draft), line(node), text))
        return True

    def _import_scope(self, draft: Draft) -> int:
        return draft.index if draft.kind in _BODIES else 0

    def _required(self, value: Node | None) -> str:
        if value is None or value.type != "function_call" or self.text(value.child_by_field_name("name")) != "require":
            return ""
        given = child_of_type(value.child_by_field_name("arguments"), "string")
        return self.text(given.child_by_field_name("content")) if given is not None else ""

    # Statements

    def _for(self, node: Node, draft: Draft) -> None:
        source = child_of_type(node, "expression_list")
        value = self.value(child_at(source, 0), draft) if source is not None else None
        if isinstance(value, Call) and value.arguments:  # ipairs(list), pairs(map)
            value = value.arguments[0]
        names = children_of_type(child_of_type(node, "variable_list"), "identifier")
        for index, name in enumerate(names):
            item = Item(value, is_key=index == 0) if value else None
            draft.locals.append(Local(self.text(name), None, item, line(node)))

    def _count_up(self, node: Node, draft: Draft) -> None:
        draft.locals.append(Local(self.text(node.child_by_field_name("name")), TypeRef("number"), None, line(node)))
        for field in ("start", "end", "step"):
            self.later(node.child_by_field_name(field), draft)

    def _return(self, node: Node, draft: Draft) -> None:
        given = child_of_type(node, "expression_list")
        values = given.named_children if given is not None else []
        if draft.index == 0 and len(values) == 1 and values[0].type == "table_constructor":
            self._entries(values[0], draft)
            return
        found = [self.value(value, draft) for value in values]
        if found and found[0] is not None:
            draft.result.append(found[0])

    # Expressions

    def _identifier(self, node: Node, draft: Draft) -> Expression:
        text = self.text(node)
        return This() if text == "self" and self._is_method(draft) else Name(text)

    def _index(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("table"), draft)
        return Select(owner, self.text(node.child_by_field_name("field") or node.child_by_field_name("method")))

    def _bracket(self, node: Node, draft: Draft) -> Expression | None:
        owner, key = self.expression(node.child_by_field_name("table"), draft), node.child_by_field_name("field")
        if key is not None and key.type == "string":
            return Select(owner, self.text(key.child_by_field_name("content")))
        self.value(key, draft)
        return Item(owner) if owner else None

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        if module := self._required(node):
            alias = f"require {module}"
            if not any(fact.alias == alias for fact in self.imports):
                self.imports.append(ImportFact(module, "", alias, 0, line(node), self.text(node)))
            return Name(alias)
        name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        nodes = given.named_children if given is not None else []
        if self.text(name) == "setmetatable" and len(nodes) == 2:
            return self._metatable(nodes[0], nodes[1], draft)
        callee = self.expression(name, draft) or Select(None, "")
        return Call(callee, self.arguments(nodes, draft), (), place(node))

    def _metatable(self, table: Node, meta: Node, draft: Draft) -> Expression | None:
        """Read ``setmetatable(table, class)``: an instance of the class, or with ``__index`` a class with a base."""
        known = self._tables.get(self.text(table))
        if known is not None:
            self._inherit(meta, known)
            return Name(known.name)
        value = self.value(table, draft)
        if meta.type not in ("identifier", *_INDEXES):
            self.later(meta, draft)
            return value
        kind = This() if self.text(meta) == "self" and self._is_method(draft) else None
        return kind or Cast(value, TypeRef(self.text(meta)))

    def _constructor(self, node: Node, draft: Draft) -> Expression:
        for field in children_of_type(node, "field"):
            name, value = field.child_by_field_name("name"), field.child_by_field_name("value")
            if (
                value is not None
                and value.type == "function_definition"
                and name is not None
                and name.type == "identifier"
            ):
                self._read_function(
                    self.open(NodeKind.FUNCTION, self.text(name), field, draft, body=_body(value)), value
                )
            else:
                self.later(value, draft)
        return Literal(TypeRef("table"))

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if self.text(node.child_by_field_name("operator")) == "or":
            options = tuple(one for one in (self.expression(part, draft) for part in (left, right)) if one)
            return Choice(options) if options else None
        self.value(left, draft)
        if self.text(node.child_by_field_name("operator")) == "and":
            return self.expression(right, draft)
        self.value(right, draft)
        return None


def _body(function: Node) -> Node | None:
    return function.child_by_field_name("body")


def _has_functions(table: Node) -> bool:
    """Return whether a table is made with functions, or with tables that are."""
    stack = [table]
    while stack:
        for field in children_of_type(stack.pop(), "field"):
            value = field.child_by_field_name("value")
            if value is not None and value.type == "function_definition" and field.child_by_field_name("name"):
                return True
            if value is not None and value.type == "table_constructor":
                stack.append(value)
    return False
