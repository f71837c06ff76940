"""The facts of a C or C++ file."""

from pckc_domain.model.declared_facts import (
    Cast,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Local,
    Name,
    New,
    Parameter,
    Part,
    Select,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.grammars import grammars
from pckc_adapters_treesitter.readers.cpp_declarators import (
    Declared,
    conversion,
    declared,
    dotted,
    is_builtin,
    is_builtin_name,
    value_of,
)
from pckc_adapters_treesitter.readers.cpp_expressions import ARROW, TYPE_KINDS, CppExpressions
from pckc_adapters_treesitter.readers.cpp_macros import as_cpp, called_by_macro, without_macros
from pckc_adapters_treesitter.readers.recorder import Draft
from pckc_adapters_treesitter.readers.source import (
    Source,
    child_at,
    child_of_type,
    children_of_type,
    last_line,
    line,
    place,
)

_TYPE_HOLDERS = frozenset((NodeKind.CLASS, NodeKind.STRUCT, NodeKind.ENUM))
_BODIES = frozenset((NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.LAMBDA))


_TYPES = ("type_identifier", "qualified_identifier", "template_type")


def cpp_facts(source: Source) -> DeclaredFacts:
    """Return what a C++ file says."""
    return _CppReader("cpp", without_macros(source), is_cpp=True).facts()


def c_facts(source: Source) -> DeclaredFacts:
    """Return what a C file says; a header that only C++ can read is read as such."""
    plain = without_macros(source)
    cpp = as_cpp(plain, grammars()["cpp"].language)
    return _CppReader("c", cpp or plain, is_cpp=cpp is not None).facts()


class _CppReader(CppExpressions):
    def __init__(self, language: str, source: Source, *, is_cpp: bool) -> None:
        super().__init__(source, is_cpp=is_cpp)
        self.language = language
        self._access: dict[int, str] = {}
        self._templates: dict[int, tuple[TypeParameter, ...]] = {}
        self._hidden: list[tuple[int, int]] = []
        self.statements = {
            "preproc_include": self._include,
            "preproc_def": self._constant_macro,
            "preproc_function_def": self._function_macro,
            "preproc_if": self._conditional,
            "preproc_elif": self._conditional,
            "preproc_ifdef": self._conditional,
            "preproc_elifdef": self._conditional,
            "preproc_call": self.skip,
            "namespace_definition": self._namespace,
            "namespace_alias_definition": self._namespace_alias,
            "using_declaration": self._using,
            "template_declaration": self._template,
            "friend_declaration": self._friend,
            "access_specifier": self._access_specifier,
            "function_definition": self._function,
            "declaration": self._declaration,
            "field_declaration": self._declaration,
            "type_definition": self._typedef,
            "alias_declaration": self._alias,
            "enumerator": self._enumerator,
            "for_range_loop": self._range,
            "catch_clause": self._catch,
            "return_statement": self._return,
            "static_assert_declaration": self.skip,
            "attribute_declaration": self.skip,
            "attribute_specifier": self.skip,
            "goto_statement": self.skip,
            "initializer_pair": self._initializer_pair,
            "field_initializer": self._field_initializer,
            **dict.fromkeys(TYPE_KINDS, self._specifier),
        }

    # Preprocessor

    def _include(self, node: Node, draft: Draft) -> None:
        written = self.text(node.child_by_field_name("path"))
        module = written.strip('"<>')
        self.imports.append(ImportFact(module, "*", "", draft.index, line(node), f"#include {written}"))

    def _constant_macro(self, node: Node, _: Draft) -> None:
        name = node.child_by_field_name("name")
        guard = node.parent.child_by_field_name("name") if node.parent else None
        value = node.child_by_field_name("value")
        if value is None and guard is not None and self.text(guard) == self.text(name):
            return
        self.open(NodeKind.CONSTANT, self.text(name), node, self.drafts[0])

    def _function_macro(self, node: Node, _: Draft) -> None:
        value = node.child_by_field_name("value")
        draft = self.open(
            NodeKind.FUNCTION, self.text(node.child_by_field_name("name")), node, self.drafts[0], body=value
        )
        parameters = node.child_by_field_name("parameters")
        names = [self.text(one) for one in children_of_type(parameters, "identifier")]
        draft.parameters = tuple(Parameter(name, None) for name in names)
        if parameters is not None and "..." in self.text(parameters):
            draft.parameters += (Parameter("", None, is_rest=True),)
        if value is not None:
            draft.calls += called_by_macro(self.text(value), frozenset(names), place(value))

    def _conditional(self, node: Node, draft: Draft) -> None:
        skipped = {one.id for name in ("condition", "name") if (one := node.child_by_field_name(name)) is not None}
        for child in node.named_children:
            if child.id not in skipped:
                self.later(child, draft)

    # Namespaces

    def _namespace(self, node: Node, around: Draft) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            self._hidden.append(node.byte_range)
            self.inside(body, around)
            return
        for part in self.text(name).replace("inline ", "").split("::"):
            around = self.open(NodeKind.NAMESPACE, part.strip(), node, around, body=body)
        self.inside(body, around)

    def _namespace_alias(self, node: Node, draft: Draft) -> None:
        *_, target = node.named_children
        self._import(node, draft, dotted(self.text(target)), "", self.text(node.child_by_field_name("name")))

    def _using(self, node: Node, draft: Draft) -> None:
        written = dotted(self.text(node.named_children[-1]))
        if any(child.type == "namespace" for child in node.children):
            self._import(node, draft, written, "*", "")
        else:
            module, _, name = written.rpartition(".")
            self._import(node, draft, module, name, name)

    def _import(self, node: Node, draft: Draft, module: str, name: str, alias: str) -> None:
        text = " ".join(self.text(node).split())
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), text))

    # Types

    def _specifier(self, node: Node, around: Draft, *, name: str = "") -> None:
        """Open a class, struct, union or enum that has a body; an unnamed one gives its members to what is around."""
        body = node.child_by_field_name("body")
        written = node.child_by_field_name("name")
        if body is None:
            return
        name = self._type_name(written) or name
        if not name:
            self.inside(body, around)
            return
        kind = TYPE_KINDS[node.type]
        *owners, name = name.split(".")
        draft = self.open(kind, name, node, around, body=body)
        if owners:
            draft.receiver = TypeRef(".".join(owners))
        draft.visibility = self._access.get(around.index, "")
        draft.type_parameters = self._templates.pop(node.start_byte, ())
        for base in children_of_type(child_of_type(node, "base_class_clause"), *_TYPES):
            if (found := self._type(base)) is not None:
                draft.bases.append(found)
        self._access[draft.index] = "private" if node.type == "class_specifier" else "public"
        self.inside(body, draft)

    def _type_name(self, node: Node | None) -> str:
        found = self._type(node)
        return found.name if found else ""

    def _access_specifier(self, node: Node, draft: Draft) -> None:
        self._access[draft.index] = self.text(node).partition(" ")[0]

    def _template(self, node: Node, draft: Draft) -> None:
        parameters = node.child_by_field_name("parameters")
        names = []
        for one in parameters.named_children if parameters is not None else []:
            name = one.child_by_field_name("name") or child_of_type(one, "type_identifier")
            if name is not None:
                names.append(TypeParameter(self.text(name)))
        for child in node.named_children:
            if parameters is None or child.id != parameters.id:
                self._templates[child.start_byte] = tuple(names)
                self.later(child, draft)

    def _friend(self, node: Node, draft: Draft) -> None:
        for child in children_of_type(node, "function_definition"):
            self.later(child, draft)

    def _typedef(self, node: Node, draft: Draft) -> None:
        written = node.child_by_field_name("type")
        names = [one for one in map(declared, node.children_by_field_name("declarator")) if one]
        specifier = written if written is not None and written.type in TYPE_KINDS else None
        is_unnamed = specifier is not None and specifier.child_by_field_name("name") is None
        if specifier is not None:
            self._specifier(specifier, draft, name=self.text(names[0].name) if names else "")
        has_body = specifier is not None and specifier.child_by_field_name("body") is not None
        for index, one in enumerate(names):
            name = self.text(one.name)
            is_same = specifier is not None and self._type_name(specifier) == name
            if (is_unnamed and not index) or (is_same and has_body):
                self._extend(name, node)
                continue
            alias = self.open(NodeKind.TYPE_ALIAS, name, node, draft)
            kind = TypeRef(self.text(names[0].name)) if is_unnamed else self._type(written)
            alias.type = TypeRef(ARROW, (kind,)) if kind and one.is_callable else kind
            if is_same:  # ``typedef struct name name;`` promises what stands elsewhere
                alias.type, alias.has_body = None, False

    def _extend(self, name: str, node: Node) -> None:
        """Let the type that was opened last end where its typedef does."""
        for draft in reversed(self.drafts):
            if draft.name == name and node.start_byte <= draft.start_byte < node.end_byte:
                draft.end_line, draft.end_byte = last_line(node), node.end_byte
                return

    def _alias(self, node: Node, draft: Draft) -> None:
        alias = self.open(NodeKind.TYPE_ALIAS, self.text(node.child_by_field_name("name")), node, draft)
        alias.type = self._type(node.child_by_field_name("type"))
        alias.visibility = self._access.get(draft.index, "")

    def _enumerator(self, node: Node, draft: Draft) -> None:
        found = self.open(NodeKind.CONSTANT, self.text(node.child_by_field_name("name")), node, draft)
        found.is_static = True
        self.value(node.child_by_field_name("value"), draft)

    # Functions

    def _function(self, node: Node, around: Draft) -> None:
        found = declared(node.child_by_field_name("declarator"))
        body = node.child_by_field_name("body") or child_of_type(node, "try_statement")
        written = node.child_by_field_name("type")
        if written is not None and written.type in TYPE_KINDS:  # broken code joins a class to what follows it
            self._specifier(written, around)
        if found is None or found.head is None:
            cast = conversion(node.child_by_field_name("declarator"))
            if cast is None:
                self.inside(body, around)
                return
            draft = self._open_function(cast, None, node, around, body)
        else:
            draft = self._open_function(found.name, found.head, node, around, body)
        draft.has_body = child_of_type(node, "delete_method_clause", "pure_virtual_clause") is None
        self.inside(child_of_type(node, "field_initializer_list"), draft)
        self.later(body, draft)

    def _open_function(self, name: Node, head: Node | None, node: Node, around: Draft, body: Node | None) -> Draft:
        written = self._name_of(name)
        *owners, text = written
        is_member = around.kind in _TYPE_HOLDERS or bool(owners)
        end = body or child_of_type(node, "field_initializer_list")
        draft = self.open(NodeKind.METHOD if is_member else NodeKind.FUNCTION, text, node, around, body=end)
        if owners:
            draft.receiver = TypeRef(".".join(owners))
        owner = owners[-1] if owners else around.name if around.kind in _TYPE_HOLDERS else ""
        draft.is_constructor = bool(owner) and text == owner
        draft.type_parameters = self._templates.pop(node.start_byte, ())
        storage = {self.text(one) for one in children_of_type(node, "storage_class_specifier")}
        draft.is_static = is_member and "static" in storage
        draft.is_virtual = is_member and not draft.is_static and self._is_virtual(node, head)
        draft.visibility = self._access.get(around.index, "")
        if not is_member and ("static" in storage or self._is_hidden(node)):
            draft.visibility = "static"
        draft.type = self._result(node, head)
        if draft.is_constructor:
            draft.type = None
        draft.parameters = tuple(self._parameters(head.child_by_field_name("parameters") if head else None))
        return draft

    def _is_virtual(self, node: Node, head: Node | None) -> bool:
        said = {self.text(one) for one in (*node.children, *(head.children if head is not None else ()))}
        return bool(said & {"virtual", "override"}) and "final" not in said

    def _result(self, node: Node, head: Node | None) -> TypeRef | None:
        trailing = child_of_type(head, "trailing_return_type")
        return self._type(child_at(trailing, 0) if trailing is not None else node.child_by_field_name("type"))

    def _is_hidden(self, node: Node) -> bool:
        return any(start <= node.start_byte < end for start, end in self._hidden)

    # Variables

    def _declaration(self, node: Node, draft: Draft) -> None:
        written = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        kind = self._type(written)
        if written is not None and written.type in TYPE_KINDS:
            first = declared(declarators[0]) if declarators else None
            self._specifier(written, draft, name=self.text(first.name) if first else "")
            if first and written.child_by_field_name("name") is None:
                kind = TypeRef(self.text(first.name))
        default = node.child_by_field_name("default_value") or node.child_by_field_name("value")
        for declarator in declarators:
            self._declare(declarator, kind, node, draft, default)

    def _declare(self, declarator: Node, kind: TypeRef | None, node: Node, draft: Draft, default: Node | None) -> None:
        found = declared(declarator)
        if found is None:
            if (cast := conversion(declarator)) is not None:
                self._open_function(cast, None, node, draft, None).has_body = False
            else:
                self._bindings(declarator, draft)
            return
        if found.head is not None:
            if draft.kind in _BODIES and self._constructs(found, kind, draft):
                return
            self._open_function(found.name, found.head, node, draft, None).has_body = False
            return
        value = self._initial(declarator, found, kind, draft, default)
        self._elements(found, kind, value_of(declarator) or default, draft)
        if found.is_callable:
            kind = TypeRef(ARROW, (kind,)) if kind else None
        if draft.kind in _BODIES:
            draft.locals.append(Local(self.text(found.name), kind, value, line(declarator)))
            return
        self._open_variable(found, kind, value, node, draft)

    def _elements(self, found: Declared, kind: TypeRef | None, given: Node | None, draft: Draft) -> None:
        """Record what an array or structure is made with."""
        if given is None or given.type != "initializer_list":
            return
        for one in given.named_children:
            if one.type == "initializer_list" and kind is not None:
                parts = [self.expression(part, draft) if self.is_name(part) else None for part in one.named_children]
                draft.calls.append(New(kind, tuple(parts), place(one)))
            elif one.type == "initializer_pair" and kind is not None:
                name = child_of_type(one.child_by_field_name("designator"), "field_identifier")
                self.keep_named(Select(Cast(None, kind), self.text(name)), one.child_by_field_name("value"), draft)
            elif found.is_pointed:
                self.keep_named(Item(Name(self.text(found.name))), one, draft)

    def _constructs(self, found: Declared, kind: TypeRef | None, draft: Draft) -> bool:
        """Read ``Foo one(two);`` as what it means in a body; return whether it may."""
        parameters = found.head.child_by_field_name("parameters") if found.head else None
        nodes = parameters.named_children if parameters is not None else []
        if kind is None or not nodes or any(one.child_by_field_name("declarator") for one in nodes):
            return False
        if any(is_builtin(one.child_by_field_name("type")) for one in nodes):
            return False
        arguments = tuple(Name(self.text(one)) for one in nodes)
        value = New(kind, arguments, place(found.head or found.name))
        draft.calls.append(value)
        draft.locals.append(Local(self.text(found.name), kind, value, line(found.name)))
        return True

    def _initial(
        self, declarator: Node, found: Declared, kind: TypeRef | None, draft: Draft, default: Node | None
    ) -> Expression | None:
        """Return what a variable begins with, which is a new object when its class is written and it points nowhere."""
        given = value_of(declarator) or default
        if given is not None and given.type not in ("argument_list", "initializer_list"):
            return self.value(given, draft)
        makes = self.is_cpp and draft.kind in _BODIES and kind is not None and not found.is_pointed
        if not makes or kind is None or is_builtin_name(kind.name):
            self.later(given, draft)
            return None
        new = New(kind, self.arguments(given.named_children if given else [], draft), place(declarator))
        draft.calls.append(new)
        return new

    def _open_variable(
        self, found: Declared, kind: TypeRef | None, value: Expression | None, node: Node, draft: Draft
    ) -> None:
        *owners, name = self._name_of(found.name)
        words = {self.text(one) for one in children_of_type(node, "storage_class_specifier", "type_qualifier")}
        is_member = draft.kind in _TYPE_HOLDERS
        constant = NodeKind.CONSTANT if words & {"const", "constexpr"} and not found.is_pointed else NodeKind.VARIABLE
        variable = self.open(NodeKind.FIELD if is_member else constant, name, node, draft)
        if owners:
            variable.receiver = TypeRef(".".join(owners))
        variable.type, variable.value = kind, value
        variable.is_static = is_member and "static" in words
        variable.has_body = "extern" not in words or value is not None
        is_hidden = not is_member and ("static" in words or self._is_hidden(node))
        variable.visibility = "static" if is_hidden else self._access.get(draft.index, "")
        self._table(value_of(found.name), variable)

    def _table(self, given: Node | None, variable: Draft) -> None:
        """Open a field for everything that a table names, with its value."""
        for pair in children_of_type(given, "initializer_pair"):
            name = child_of_type(pair.child_by_field_name("designator"), "field_identifier")
            value = pair.child_by_field_name("value")
            if name is not None and value is not None and value.type in ("identifier", "qualified_identifier"):
                entry = self.open(NodeKind.FIELD, self.text(name), pair, variable)
                entry.value = self.expression(value, variable)

    def _bindings(self, declarator: Node, draft: Draft) -> None:
        """Bind the names of ``auto [a, b] = value``."""
        value = self.value(declarator.child_by_field_name("value"), draft)
        names = declarator.child_by_field_name("declarator")
        for index, name in enumerate(children_of_type(names, "identifier")):
            part = Part(value, index) if value else None
            draft.locals.append(Local(self.text(name), None, part, line(name)))

    # Statements

    def _range(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("right"), draft)
        found = declared(node.child_by_field_name("declarator"))
        if found is not None:
            item = Item(value) if value else None
            kind = self._type(node.child_by_field_name("type"))
            draft.locals.append(Local(self.text(found.name), kind, item, line(node)))
        self.later(node.child_by_field_name("initializer"), draft)
        self.later(node.child_by_field_name("body"), draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        for one in self._parameters(node.child_by_field_name("parameters")):
            draft.locals.append(Local(one.name, one.type, None, line(node)))
        self.later(node.child_by_field_name("body"), draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft) if node.named_child_count else None
        if value is not None and draft.type is None and draft.kind in _BODIES:
            draft.result.append(value)

    def _initializer_pair(self, node: Node, draft: Draft) -> None:
        self.later(node.child_by_field_name("value"), draft)

    def _field_initializer(self, node: Node, draft: Draft) -> None:
        """Read ``: name(arguments)``: that of a base, or of the class itself, makes a part of the object."""
        name, given = child_at(node, 0), child_at(node, 1)
        kind = self._type(name)
        if kind is None or name is None or not self._is_base(kind, name, draft):
            self.keep_named(Select(This(), self.text(name)), child_at(given, 0), draft)
            self.inside(given, draft)
            return
        arguments = self.arguments(given.named_children if given else [], draft)
        draft.calls.append(New(kind, arguments, place(node)))

    def _is_base(self, kind: TypeRef, name: Node, draft: Draft) -> bool:
        around = self.drafts[draft.parent]
        bases = {base.name for base in around.bases}
        return (
            name.type != "field_identifier" or kind.name in bases or kind.name == draft.name or kind.name[:1].isupper()
        )
