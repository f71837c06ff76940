"""
The facts of a Julia file.

A function may be written in three ways and has any number of methods, each a declaration of its own. A macro keeps its
``@``. ``include`` brings all of a file to where it stands.
"""

from pckc_domain.model.declared_facts import (
    Call,
    Choice,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Name,
    Parameter,
    Part,
    Select,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.last_value import LastValueReader
from pckc_adapters_treesitter.readers.recorder import Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "integer_literal": "Int64",
    "float_literal": "Float64",
    "string_literal": "String",
    "boolean_literal": "Bool",
    "character_literal": "Char",
    "command_literal": "Cmd",
    "quote_expression": "Symbol",
}
_NAMES = ("identifier", "operator", "field_expression", "parametrized_type_expression")
_BODIES = frozenset((NodeKind.FUNCTION, NodeKind.METHOD))
_MACROS = frozenset("inline noinline inbounds assert time show eval static simd propagate_inbounds".split())
_OPERATORS = frozenset("+ - * / \\ ^ % == != < > <= >= && || === !== : ÷ ∈ <: >: & | .. => in isa".split())


def julia_facts(source: Source) -> DeclaredFacts:
    """Return what a Julia file says."""
    return _JuliaReader(source).facts()


class _JuliaReader(LastValueReader):
    language = "julia"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._exports: set[str] = set()
        self.statements = {
            "module_definition": self._module,
            "struct_definition": self._struct,
            "abstract_definition": self._abstract,
            "primitive_definition": self._abstract,
            "function_definition": self._function,
            "macro_definition": self._function,
            "const_statement": self._constant,
            "using_statement": self._using,
            "import_statement": self._using,
            "export_statement": self.skip,
            "public_statement": self.skip,
            "for_binding": self._for,
            "let_binding": self._let,
            "catch_clause": self._catch,
            "return_statement": self._return,
            "compound_assignment_expression": self._compound,
            "do_clause": self._do,
            "arrow_function_expression": self._arrow,
            "typed_expression": self._typed,
            "named_argument": self._named,
            "macro_identifier": self.skip,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "field_expression": self._select,
            "call_expression": self._call,
            "broadcast_call_expression": self._call,
            "macrocall_expression": self._macro_call,
            "assignment": self._assignment,
            "binary_expression": self._binary,
            "ternary_expression": self._choice,
            "index_expression": self._index,
            "parenthesized_expression": self._inner,
            "parametrized_type_expression": self._inner,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    # Modules and imports

    def _module(self, node: Node, around: Draft) -> None:
        name, *body = node.named_children
        draft = self.open(NodeKind.NAMESPACE, self.text(name), node, around, body=body[0] if body else None)
        draft.doc = self._doc(node) or draft.doc
        for one in body:
            self.later(one, draft)

    def _using(self, node: Node, draft: Draft) -> None:
        word = "*" if node.type == "using_statement" else ""
        text = " ".join(self.text(node).split())
        for one in node.named_children:
            if one.type == "selected_import":
                module, *names = one.named_children
                for name in names:
                    original, alias = self._aliased(name)
                    self._bind(self._path(module), original, alias, node, draft, text)
                continue
            written, alias = one, ""
            if one.type == "import_alias":
                written = one.named_children[0]
                alias = self.text(one.named_children[-1])
            module_name = self._path(written)
            self._bind(module_name, "", alias or module_name.rpartition(".")[2], node, draft, text)
            if word and not alias:
                self._bind(module_name, word, "", node, draft, text)

    def _aliased(self, node: Node) -> tuple[str, str]:
        if node.type == "import_alias":
            return self.text(node.named_children[0]), self.text(node.named_children[-1])
        name = self.text(node)
        return name, name

    def _path(self, node: Node) -> str:
        """Return a module's name; a relative one is looked up from the inside out, so its dots are not needed."""
        return "".join(self.text(node).split()).lstrip(".")

    def _bind(self, module: str, name: str, alias: str, node: Node, draft: Draft, text: str) -> None:
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), text))

    def _include(self, node: Node, given: list[Node], draft: Draft) -> bool:
        if len(given) != 1 or given[0].type != "string_literal":
            return False
        path = self.text(child_of_type(given[0], "content"))
        self.imports.append(ImportFact(path, "*", "", draft.index, line(node), self.text(node), is_exported=True))
        return True

    # Types

    def _struct(self, node: Node, around: Draft) -> None:
        head, *body = node.named_children
        draft = self._open_type(NodeKind.STRUCT, head, node, around)
        for one in body:
            if one.type == "identifier":
                self.open(NodeKind.FIELD, self.text(one), one, draft)
            elif one.type == "typed_expression":
                name, kind = child_at(one, 0), child_at(one, 1)
                self.open(NodeKind.FIELD, self.text(name), one, draft).type = self._type(kind)
            else:
                self.later(one, draft)

    def _abstract(self, node: Node, around: Draft) -> None:
        head = child_of_type(node, "type_head")
        if head is not None:
            self._open_type(NodeKind.CLASS, head, node, around)

    def _open_type(self, kind: NodeKind, head: Node, node: Node, around: Draft) -> Draft:
        written, base = child_at(head, 0), None
        if written is not None and written.type == "binary_expression":
            written, base = written.named_children[0], self._type(written.named_children[-1])
        draft = self.open(kind, self._type_name(written), node, around)
        draft.signature = " ".join(self.text(node).partition("\n")[0].split())
        draft.doc = self._doc(node) or draft.doc
        if base is not None:
            draft.bases.append(base)
        if written is not None and written.type == "parametrized_type_expression":
            draft.type_parameters = self._type_parameters(child_of_type(written, "curly_expression"))
        return draft

    def _type_name(self, node: Node | None) -> str:
        found = self._type(node)
        return found.name if found else self.text(node)

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "identifier":
                return TypeRef(self.text(node))
            case "field_expression" | "scoped_identifier":
                return TypeRef("".join(self.text(node).split()))
            case "parametrized_type_expression":
                name = self._type(child_at(node, 0))
                inner = child_of_type(node, "curly_expression")
                given = inner.named_children if inner is not None else []
                arguments = tuple(self._type(one) or TypeRef("") for one in given)
                if name and name.name in ("Union", "Ref", "Type"):
                    known = [one for one in arguments if one.name not in ("Nothing", "Missing", "")]
                    return known[0] if len(known) == 1 and name.name != "Type" else None
                return TypeRef(name.name, arguments) if name else None
        return None

    def _type_parameters(self, node: Node | None) -> tuple[TypeParameter, ...]:
        found = []
        for one in node.named_children if node is not None else []:
            bounds: tuple[TypeRef, ...] = ()
            name: Node | None = one
            if one.type == "binary_expression":
                name, bound = one.named_children[0], self._type(one.named_children[-1])
                bounds = (bound,) if bound else ()
            found.append(TypeParameter(self.text(name), bounds))
        return tuple(found)

    # Functions

    def _function(self, node: Node, around: Draft) -> None:
        head, *body = node.named_children
        signature = child_at(head, 0) if head.type == "signature" else head
        draft = self._open_function(signature, node, around, body[0] if body else None)
        if draft is None:
            for one in body:
                self.later(one, around)
            return
        draft.has_body = bool(body) or (signature is not None and signature.type != "identifier")
        self.body(body, draft)

    def _open_function(self, signature: Node | None, node: Node, around: Draft, body: Node | None) -> Draft | None:
        """Open the function that ``f(x::T)::R where T`` begins; ``None`` when it names none."""
        generic: tuple[TypeParameter, ...] = ()
        result: TypeRef | None = None
        while signature is not None and signature.type in ("where_expression", "typed_expression"):
            parts = signature.named_children
            if signature.type == "where_expression":
                inner = parts[-1] if parts[-1].type == "curly_expression" else None
                generic += self._type_parameters(inner) if inner else (TypeParameter(self.text(parts[-1])),)
            else:
                result = self._type(parts[-1])
            signature = parts[0]
        named = child_at(signature, 0) if signature is not None and signature.type == "call_expression" else signature
        if named is None or named.type not in _NAMES:
            return None
        while named is not None and named.type in ("field_expression", "parametrized_type_expression"):
            is_field = named.type == "field_expression"
            named = named.named_children[-1] if is_field else named.named_children[0]
        is_macro = node.type == "macro_definition"
        name = f"@{self.text(named)}" if is_macro else self.text(named)
        is_member = around.kind is NodeKind.STRUCT
        draft = self.open(NodeKind.METHOD if is_member else NodeKind.FUNCTION, name, node, around, body=body)
        draft.doc = self._doc(node) or draft.doc
        draft.is_constructor = is_member
        draft.type_parameters, draft.type = generic, TypeRef(around.name) if is_member else result
        if signature is not None and signature.type == "call_expression":
            self._read_parameters(child_of_type(signature, "argument_list"), draft)
        return draft

    def _read_parameters(self, node: Node | None, draft: Draft) -> None:
        found = []
        after = _keywords_start(node)
        for one in node.named_children if node is not None else []:
            parameter = self._parameter(one, draft, is_keyword=one.start_byte > after)
            if parameter is not None:
                found.append(parameter)
        draft.parameters = tuple(found)

    def _parameter(self, node: Node, draft: Draft, *, is_keyword: bool) -> Parameter | None:
        is_optional = is_rest = False
        if node.type == "named_argument":
            self.later(node.named_children[-1], draft)
            node, is_optional = node.named_children[0], True
        if node.type == "splat_expression":
            node, is_rest = node.named_children[0], True
        if node.type == "typed_expression":
            name, kind = (
                (node.named_children[0], node.named_children[-1])
                if node.named_child_count > 1
                else (None, node.named_children[-1])
            )
            return None if is_keyword else Parameter(self.text(name), self._type(kind), is_optional, is_rest)
        if node.type not in ("identifier", "tuple_expression", "unary_typed_expression"):
            return None
        if is_keyword:
            draft.locals.append(Local(self.text(node), None, None, line(node)))
            return None
        inner = self._type(child_at(node, 0)) if node.type == "unary_typed_expression" else None
        return Parameter(self.text(node) if node.type == "identifier" else "", inner, is_optional, is_rest)

    def _doc(self, node: Node) -> str:
        before = node.prev_named_sibling
        if before is None or before.type != "string_literal":
            return ""
        text = self.text(child_of_type(before, "content"))
        return next((row.strip() for row in text.split("\n") if row.strip()), "")

    # Statements

    def _constant(self, node: Node, draft: Draft) -> None:
        assignment = child_of_type(node, "assignment")
        if assignment is None:
            self.inside(node, draft)
            return
        name = assignment.named_children[0]
        value = self.value(assignment.named_children[-1], draft)
        if name.type == "typed_expression":
            name = name.named_children[0]
        if draft.kind in _BODIES:
            draft.locals.append(Local(self.text(name), None, value, line(node)))
        else:
            self.open(NodeKind.CONSTANT, self._type_name(name), node, draft).value = value

    def _for(self, node: Node, draft: Draft) -> None:
        target, *_, source = node.named_children
        value = self.value(source, draft)
        self._assign(target, Item(value) if value else None, node, draft)

    def _let(self, node: Node, draft: Draft) -> None:
        target, *_, source = node.named_children
        self._assign(target, self.value(source, draft), node, draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        name = child_of_type(node, "identifier")
        for child in node.named_children:
            if name is not None and child.id == name.id:
                draft.locals.append(Local(self.text(name), None, None, line(name)))
            else:
                self.later(child, draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft)
        if value is not None and draft.type is None and draft.kind in _BODIES:
            draft.result.append(value)

    def _compound(self, node: Node, draft: Draft) -> None:
        self.later(node.named_children[-1], draft)

    def _do(self, node: Node, draft: Draft) -> None:
        parameters = child_of_type(node, "argument_list")
        for child in node.named_children:
            if parameters is not None and child.id == parameters.id:
                self._bind_names(child, draft)
            else:
                self.later(child, draft)

    def _arrow(self, node: Node, draft: Draft) -> None:
        parameter, *body = node.named_children
        self._bind_names(parameter, draft)
        for one in body:
            self.later(one, draft)

    def _bind_names(self, node: Node, draft: Draft) -> None:
        names = [node] if node.type == "identifier" else node.named_children
        for name in names:
            kind = None
            if name.type == "typed_expression" and name.named_child_count > 1:
                kind, name = self._type(name.named_children[-1]), name.named_children[0]
            if name.type == "identifier":
                draft.locals.append(Local(self.text(name), kind, None, line(name)))

    def _typed(self, node: Node, draft: Draft) -> None:
        self.later(child_at(node, 0), draft)

    def _named(self, node: Node, draft: Draft) -> None:
        self.later(node.named_children[-1], draft)

    # Expressions

    def _literal(self, node: Node, draft: Draft) -> Expression:
        if node.type == "string_literal":
            for one in children_of_type(node, "string_interpolation"):
                self.inside(one, draft)
        return Literal(TypeRef(_LITERALS[node.type]))

    def _inner(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, 0), draft)

    def _select(self, node: Node, draft: Draft) -> Expression:
        owner, name = node.child_by_field_name("value"), node.named_children[-1]
        return Select(self.expression(owner, draft), self.text(name))

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function, *others = node.named_children
        given = [one for part in others if part.type == "argument_list" for one in part.named_children]
        block = child_of_type(node, "do_clause")
        if self.text(function) == "include" and self._include(node, given, draft):
            return None
        if self.text(function) == "new" or self.text(function).startswith("new{"):
            for one in given:
                self.value(one, draft)
            return None
        arguments: tuple[Expression | None, ...] = () if block is None else (None,)
        after = next((_keywords_start(part) for part in others if part.type == "argument_list"), node.end_byte)
        for one in given:
            if one.type == "named_argument" or one.start_byte > after:
                self.later(one, draft)
            else:
                arguments += (self.expression(one, draft),)
        self.later(block, draft)
        callee = self.expression(function, draft) or Select(None, "")
        return Call(callee, arguments, (), place(node))

    def _macro_call(self, node: Node, draft: Draft) -> Expression | None:
        written = child_of_type(node, "macro_identifier")
        given = child_of_type(node, "macro_argument_list", "argument_list")
        name = self.text(child_of_type(written, "identifier"))
        nodes = given.named_children if given is not None else []
        for one in nodes:
            self.later(one, draft)
        if not name or name in _MACROS:
            return None
        owner = node.named_children[0]
        callee: Expression = Name(f"@{name}")
        if owner.type in ("identifier", "field_expression", "scoped_identifier"):
            callee = Select(self.expression(owner, draft), f"@{name}")
        return Call(callee, (None,) * len(nodes), (), place(node))

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        target, *_, source = node.named_children
        is_function = target.type in ("call_expression", "where_expression") or (
            target.type == "typed_expression" and child_of_type(target, "call_expression") is not None
        )
        if is_function and (function := self._open_function(target, node, draft, source)) is not None:
            self.body([source], function)
            return None
        if source.type == "function_definition" and target.type == "identifier":
            function = self.open(NodeKind.FUNCTION, self.text(target), node, draft, body=source)
            head, *body = source.named_children
            self._read_parameters(child_of_type(head, "argument_list"), function)
            self.body(body, function)
            return None
        value = self.value(source, draft)
        self._assign(target, value, node, draft)
        if self.is_last(node) and value is not None:
            draft.result.append(value)
        return None

    def _assign(self, target: Node, value: Expression | None, node: Node, draft: Draft) -> None:
        kind = None
        if target.type == "typed_expression":
            kind, target = self._type(target.named_children[-1]), target.named_children[0]
        if target.type == "identifier":
            if draft.kind in _BODIES:
                draft.locals.append(Local(self.text(target), kind, value, line(node)))
            elif node.type == "assignment":
                variable = self.open(NodeKind.VARIABLE, self.text(target), node, draft)
                variable.type, variable.value = kind, value
        elif target.type in ("tuple_expression", "open_tuple"):
            for index, part in enumerate(target.named_children):
                self._assign(part, Part(value, index) if value else None, node, draft)
        else:
            self.keep(self.value(target, draft), value, node, draft)

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        left, operator, right = (
            node.named_children[0],
            self.text(child_of_type(node, "operator")),
            node.named_children[-1],
        )
        first, second = self.expression(left, draft), self.expression(right, draft)
        if operator == "|>" and second is not None:
            return Call(second, (first,), (), place(node))
        self.record(first, left, draft)
        self.record(second, right, draft)
        return None

    def _choice(self, node: Node, draft: Draft) -> Expression | None:
        condition, *branches = node.named_children
        self.value(condition, draft)
        options = tuple(one for one in (self.expression(part, draft) for part in branches) if one)
        return Choice(options) if options else None

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        owner, *indexes = node.named_children
        for one in indexes:
            self.inside(one, draft)
        found = self.expression(owner, draft)
        return Item(found) if found else None


def _keywords_start(node: Node | None) -> int:
    """Return where the keyword arguments of a list begin: behind its ``;``."""
    found = [child.start_byte for child in node.children if child.type == ";"] if node is not None else []
    return found[0] if found else (node.end_byte if node is not None else 0)
