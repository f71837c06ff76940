"""Names and types: what a name means at some place of a file."""

from collections.abc import Sequence
from enum import StrEnum

from pckc_domain.model.declared_facts import ImportFact, TypeRef
from pckc_domain.model.graph import ImportLink, NodeKind
from pckc_domain.policy.graph.declared.asking import Asker, Where, link
from pckc_domain.policy.graph.declared.outline import ANY, FUNCTIONS, SPACES, TYPES, Symbol, inner_key, last_name
from pckc_domain.policy.graph.declared.values import (
    STRUCTURAL,
    Bindings,
    External,
    Functions,
    Instance,
    Package,
    Static,
    Type,
    Value,
    substitute,
    unify,
)

BODIES = FUNCTIONS | {NodeKind.LAMBDA, NodeKind.MODULE}
ALL = 1 << 30
_MAX_LEVELS = 64


class Want(StrEnum):
    """What a name is to be."""

    TYPE = "type"
    VALUE = "value"
    CALL = "call"


class Scopes(Asker):
    """Looks names up."""

    # Names

    def lookup(self, name: str, where: Where, line: int, want: Want, bound: int = ALL) -> Value | None:
        """
        Return what *name* means inside a declaration, on *line*, of whose locals the first *bound* ones are known.

        ``None`` when nothing binds it, `Unknown` when something does that nobody knows.
        """
        outline = self.outline(where.path)
        index = where.number
        around: list[int] = []
        is_static = self.rules.tells_statics and outline.declarations[index].kind in TYPES
        while index >= 0:
            around.append(index)
            one = outline.declarations[index]
            is_static = is_static or (self.rules.tells_statics and one.kind in FUNCTIONS and one.is_static)
            here = Where(where.path, index)
            known = bound if index == where.number else ALL
            is_body = one.kind in BODIES and want is not Want.TYPE
            found = self.in_body(name, here, line, want, known) if is_body else None
            found = found or self._in_declaration(name, here, want, is_static=is_static)
            if found is not None:
                return found
            if one.kind in SPACES and (key := self.rules.special(name, outline.keys[index], where.path, self.settings)):
                return Package(key)
            index = one.parent
        return self._in_file(name, where.path, frozenset(around), want)

    def in_body(self, name: str, here: Where, line: int, want: Want, bound: int) -> Value | None:
        """Return the local or parameter *name* of a body."""
        raise NotImplementedError

    def _in_declaration(self, name: str, here: Where, want: Want, *, is_static: bool) -> Value | None:
        one = self.declaration(here)
        for parameter in one.type_parameters:
            if parameter.name == name and want is not Want.CALL:
                return Static(self._variable(name, parameter.bounds, here))
        is_space = one.kind in SPACES and one.parent >= 0
        if one.kind in BODIES or is_space:
            found = self._nested(name, here, want)
            if found is not None and not (is_space and isinstance(found, Functions)):
                return found
        if is_space:
            return self.in_space(self.key(here), name, want)
        if one.kind in TYPES:
            return self._in_type(name, here, want, is_static=is_static)
        if self.rules.has_implicit_members and want is not Want.TYPE:
            if one.kind is NodeKind.LAMBDA:
                return self.member(self.receiver_of_closure(here), name, want)
            if self.outline(here.path).is_added(one):
                return self.member(self.receiver(here), name, want)
        return None

    def receiver_of_closure(self, here: Where) -> Type | None:
        """Return the type of ``this`` in a closure that has one of its own."""
        raise NotImplementedError

    def _variable(self, name: str, bounds: tuple[TypeRef, ...], here: Where) -> Type:
        none: tuple[Type, ...] = ()
        known = self.once(
            ("variable", here, name),
            lambda: tuple([found for bound in bounds if (found := self.resolve(bound, here))]),
            meanwhile=none,
        )
        return Type(name, is_variable=True, bounds=known)

    def _nested(self, name: str, here: Where, want: Want) -> Value | None:
        """Return what is declared right inside a body, where only that body sees it."""
        if here.number == 0:
            return None
        self.ask_inside(here, name)
        symbols = [Symbol(here.path, index) for index in self.outline(here.path).children.get((here.number, name), ())]
        return self.meaning(symbols, want) if symbols else None

    def _in_type(self, name: str, here: Where, want: Want, *, is_static: bool) -> Value | None:
        key = ("in type", here, name, want, is_static)
        return self.once_settled(key, lambda: self._search_type(name, here, want, is_static=is_static))

    def _search_type(self, name: str, here: Where, want: Want, *, is_static: bool) -> Value | None:
        kind = self.type_of(Symbol(*here))
        if self.rules.dispatches_types and want is not Want.CALL:  # what stands in it is named in full
            return None
        if self.rules.has_implicit_members or want is Want.TYPE:
            found = self.member(kind, name, want, is_static=is_static)
            if found is not None:
                return found
        for number, parameter in enumerate(self.declaration(here).parameters):
            if parameter.name == name and want is not Want.TYPE:
                return self.given(here, number)
        if name == self.declaration(here).name and want is not Want.CALL:
            return Static(kind)
        return Static(kind) if name in self.rules.self_types else None

    def given(self, here: Where, number: int) -> Value:
        """Return what a parameter of a function, or of a type's head, holds."""
        raise NotImplementedError

    def _in_file(
        self, name: str, path: str, around: frozenset[int], want: Want, without: ImportFact | None = None
    ) -> Value | None:
        outline = self.imports_of(path)
        named = outline.imports_by_alias.get(name, ())
        facts = [fact for fact in named if fact.declaration in around and fact is not without]
        seen = around if outline.has_inner_imports else None
        key = ("file", path, name, want, seen, *facts)
        return self.once(key, lambda: self._search_file(name, path, facts, around, want))

    def _search_file(
        self, name: str, path: str, facts: list[ImportFact], around: frozenset[int], want: Want
    ) -> Value | None:
        outline = self.outline(path)
        self.ask_inside(Where(path, 0), name)
        own = [Symbol(path, index) for index in outline.children.get((0, name), ())]
        own = [symbol for symbol in own if not self.declaration(symbol).receiver]
        meant = self.meaning(own, want) if own else None
        if meant is not None:
            return self._with_namesakes(meant, path, name, around, want)
        external: Value | None = None
        for fact in facts:
            found = self.imported(path, fact, want)
            if isinstance(found, External):
                external = external or found
            elif found is not None:
                return found
        if external is not None:
            return external
        found = self.in_space(outline.namespace, name, want)
        space = outline.namespace
        while found is None and self.rules.searches_outer and space:
            space = space.rpartition(".")[0]
            found = self.in_space(space, name, want)
        found = self._brought(found, path, name, around, want)
        if found is None and name in self.rules.self_types:
            found = Package(outline.namespace)
        if found is None and self.rules.local and want is Want.CALL:
            found = self._global(name)
        for prelude in self.rules.preludes:
            found = found or self.in_space(prelude, name, want)
        if found is None and self.rules.has_dotted_spaces and want is not Want.CALL and self.has_space(name):
            return Package(name)
        if found is None and self.rules.everywhere and name.endswith(self.rules.everywhere):
            found = self._everywhere(name, outline.namespace, want)
        return External(name) if found is None and name in self.rules.builtins else found

    def _everywhere(self, name: str, space: str, want: Want) -> Value | None:
        """Return what a name means that is known all over an outermost namespace, or else in the only one it has."""
        symbols = self.named(name)
        near = [one for one in symbols if self.key(one).partition(".")[0] == space.partition(".")[0]]
        roots = {self.key(one).partition(".")[0] for one in symbols}
        chosen = near or (symbols if len(roots) == 1 else [])
        return self.meaning(chosen, want) if chosen else None

    def _global(self, name: str) -> Value | None:
        """Return the only function of a name that is declared for all files."""
        functions = [
            symbol
            for symbol in self.named(name)
            if (one := self.declaration(symbol)).parent == 0
            and one.kind is NodeKind.FUNCTION
            and one.visibility != self.rules.local
        ]
        return Functions(tuple(functions)) if len(functions) == 1 else None

    def _with_namesakes(self, meant: Value, path: str, name: str, around: frozenset[int], want: Want) -> Value:
        """Add functions of the same name that other files of the namespace have."""
        if not isinstance(meant, Functions) or not self.rules.has_overloads:
            return meant
        found = self.in_space(self.outline(path).namespace, name, want) or meant
        return (self._brought(found, path, name, around, want) if self.rules.is_included else found) or meant

    def _brought(self, found: Value | None, path: str, name: str, around: frozenset[int], want: Want) -> Value | None:
        """Return what a name means with what whole modules and including files bring; functions are added up."""
        for fact in self.outline(path).stars:
            if fact.declaration in around and (found is None or self._adds_up(found)):
                found = _joined(found, self._from_star(path, fact, name, want))
        if self.rules.is_included:
            for includer in self.including(path):
                if found is None or self._adds_up(found):
                    found = _joined(found, self.in_space(self.outline(includer).namespace, name, want))
        return found

    def _adds_up(self, found: Value) -> bool:
        adds = self.rules.counts_arguments or self.rules.is_included
        return adds and isinstance(found, Functions)

    def in_space(self, key: str, name: str, want: Want) -> Value | None:
        """Return what is called *name* in a namespace."""
        return self.once(("space", key, name, want), lambda: self._search_space(key, name, want))

    def _search_space(self, key: str, name: str, want: Want) -> Value | None:
        special = self.rules.special(name, key, "", self.settings)
        if special is not None:
            return Package(special)
        symbols = self.members(key, name)
        found = self.meaning(symbols, want) if symbols else None
        for path, fact in self.reexporting(key, name) if found is None or self._adds_up(found) else ():
            more = self._from_star(path, fact, name, want) if fact.name == "*" else self.imported(path, fact, want)
            if more is not None and not isinstance(more, External):
                found = _joined(found, more)
                if found is not None and not self._adds_up(found):
                    break
        if found is not None:
            return found
        inner = inner_key(key, name)
        return Package(inner) if want is not Want.CALL and self.has_space(inner) else None

    # Imports

    def imported(self, path: str, fact: ImportFact, want: Want) -> Value | None:
        """Return what an import of the file at *path* binds; `External` when it is not in the repository."""
        found: Value | None = None
        for key in self.modules(path, fact):
            found = found or self._from_module(key, fact.name, want)
        if found is None and self.rules.modules_are_names and fact.module:
            found = self._from_name(path, fact, want)
        if found is not None:
            return found
        return External(f"{fact.module}.{fact.name}" if fact.name else fact.module)

    def _from_name(self, path: str, fact: ImportFact, want: Want) -> Value | None:
        """Return what an import means whose module is a name in the importing file."""
        owner = self._named_module(path, fact)
        if owner is None or isinstance(owner, External):
            return None
        return self.inside(owner, fact.name, want) if fact.name else owner

    def _named_module(self, path: str, fact: ImportFact) -> Value | None:
        return self.once(("module", path, fact), lambda: self._find_module(path, fact))

    def _find_module(self, path: str, fact: ImportFact) -> Value | None:
        first, *rest = fact.module.split(".")
        outline = self.outline(path)
        found: Value | None = None
        index = fact.declaration
        around: list[int] = []
        while index >= 0 and found is None:
            around.append(index)
            if outline.declarations[index].kind in SPACES:
                key = outline.keys[index]
                special = self.rules.special(first, key, path, self.settings)
                found = Package(special) if special is not None else self.in_space(key, first, Want.TYPE)
            index = outline.declarations[index].parent
        if found is None or isinstance(found, External):
            found = self._in_file(first, path, frozenset(around) | {0}, Want.TYPE, fact)
        for name in rest:
            found = self.inside(found, name, Want.TYPE)
        return found

    def modules(self, path: str, fact: ImportFact) -> Sequence[str]:
        """Return the keys of what an import of the file at *path* may take its names from, best first."""
        keys = self.rules.modules(fact.module, path, self)
        space = self.outline(path).namespace
        if self.rules.has_relative_imports and space:
            return (*keys, *(inner_key(space, key) for key in keys))
        return keys

    def _from_module(self, key: str, name: str, want: Want) -> Value | None:
        if name:
            found = self.in_space(key, name, want)
            owner = self._type_at(key) if found is None else None
            return self.member(owner, name, want, is_static=True) if owner else found
        if self.has_space(key):
            return self._module_result(key) or Package(key)
        owner = self._type_at(key)
        if owner:
            return Static(owner)
        space, _, last = key.rpartition(".")
        return self.in_space(space, last, want) if space or last else None

    def _module_result(self, key: str) -> Value | None:
        """Return what the file of a namespace returns to those who import it."""
        if not self.rules.has_module_results:
            return None
        for path in self.index.spaces.get(key, ()):
            if self.sees(path) and self.imports_of(path).declarations[0].result:
                return self.result_of(Where(path, 0))
        return None

    def result_of(self, where: Where) -> Value | None:
        """Return what a body without declared result gives."""
        raise NotImplementedError

    def _type_at(self, key: str) -> Type | None:
        space, _, name = key.rpartition(".")
        for symbol in self.members(space, name):
            if self.declaration(symbol).kind in TYPES:
                return self.type_of(symbol)
        return None

    def _from_star(self, path: str, fact: ImportFact, name: str, want: Want) -> Value | None:
        for key in self.modules(path, fact):
            found = self._from_module(key, name, want)
            if found is not None and (self.rules.is_included or not isinstance(found, Package)):
                return found
        if self.rules.modules_are_names and fact.module:
            owner = self._named_module(path, fact)
            return None if owner is None or isinstance(owner, External) else self.inside(owner, name, want)
        return None

    def import_chain(self, name: str, where: Where) -> tuple[ImportLink, ...]:
        """Return the imports by which *name* comes into a file."""
        outline = self.outline(where.path)
        facts = outline.imports_by_alias.get(name, ())
        for fact in facts:
            if not isinstance(self.imported(where.path, fact, Want.VALUE), External | None) or not isinstance(
                self.imported(where.path, fact, Want.CALL), External | None
            ):
                return (link(where.path, fact), *self._further(where.path, fact))
        if facts or self.members(outline.namespace, name):
            return ()
        for fact in outline.stars:
            if any(self._from_star(where.path, fact, name, want) for want in (Want.CALL, Want.VALUE)):
                return (link(where.path, fact),)
        return ()

    def _further(self, path: str, fact: ImportFact) -> tuple[ImportLink, ...]:
        """Return the first import that passes on what *fact* asks for."""
        for key in self.modules(path, fact):
            if fact.name and not self.members(key, fact.name):
                passed = [link(other, one) for other, one in self.reexporting(key, fact.name)]
                return tuple(passed[:1])
        return ()

    # Symbols

    def meaning(self, symbols: list[Symbol], want: Want, owner: Type | None = None) -> Value | None:
        """Return what symbols of one name mean; ``None`` when none of them is what is wanted."""
        functions = [symbol for symbol in symbols if self.declaration(symbol).kind in FUNCTIONS]
        if functions and owner and want is Want.VALUE:  # a field may have a method for a namesake
            fields = [symbol for symbol in symbols if self.declaration(symbol).kind not in FUNCTIONS | TYPES | SPACES]
            if fields:
                return self.held(fields[0], owner)
        if functions and (want is Want.CALL or (want is Want.VALUE and not self.rules.separates_calls)):
            return Functions(tuple(functions), owner)
        for symbol in symbols:
            one = self.declaration(symbol)
            if one.kind in TYPES:
                if want is not Want.CALL or not self.rules.separates_calls:
                    return Static(self.type_of(symbol))
            elif one.kind in SPACES:
                return Package(self.key(symbol))
            elif one.kind not in FUNCTIONS and (
                want is Want.VALUE or (want is Want.CALL and not self.rules.separates_calls)
            ):
                return self.held(symbol, owner)
        named = [symbol for symbol in functions if not self.declaration(symbol).is_constructor]
        return Functions(tuple(named), owner) if named and want is Want.VALUE else None

    def held(self, symbol: Symbol, owner: Type | None) -> Value:
        """Return what a field, variable or constant holds."""
        raise NotImplementedError

    # Types

    def type_of(self, symbol: Symbol) -> Type:
        """Return the type that a declaration makes, with its parameters as arguments; of an alias what that means."""
        return self.once_settled(("type of", symbol), lambda: self._type_of(symbol))

    def _type_of(self, symbol: Symbol) -> Type:
        one = self.declaration(symbol)
        where = Where(*symbol)
        if one.kind is NodeKind.TYPE_ALIAS and one.type is not None:
            found = self.once(("alias", symbol), lambda: self.resolve(one.type, where))
            if found is not None:
                return found
        arguments = tuple([self._variable(each.name, each.bounds, where) for each in one.type_parameters])
        return Type(self.key(symbol), arguments, is_declared=True)

    def resolve(self, ref: TypeRef | None, where: Where, line: int = 0) -> Type | None:
        """Return the type that *ref* means inside a declaration; one that is not found is outside of the repository."""
        if ref is None:
            return None
        return self.once(("type", where, ref), lambda: self._resolve(ref, where, line))

    def _resolve(self, ref: TypeRef, where: Where, line: int) -> Type:
        arguments = tuple([self.resolve(one, where, line) or Type("?") for one in ref.arguments])
        if ref.name in STRUCTURAL:
            return Type(ref.name, arguments)
        first, *rest = ref.name.split(".")
        found = self.lookup(first, where, line, Want.TYPE)
        for name in rest:
            found = self.inside(found, name, Want.TYPE)
        if isinstance(found, Static):
            kind = found.type
            if not arguments or kind.is_variable:
                return kind
            if not kind.is_declared or len(kind.arguments) == len(arguments):
                return kind._replace(arguments=arguments)
            return kind
        if isinstance(found, Package) and self.rules.modules_are_types:
            return Type(found.key, arguments, is_declared=True)
        return Type(found.name if isinstance(found, External) else ref.name, arguments)

    def inside(self, owner: Value | None, name: str, want: Want) -> Value | None:
        """Return what is called *name* in a namespace or type."""
        match owner:
            case Package(key):
                return self.in_space(key, name, want)
            case Static(kind):
                return self.member(kind, name, want, is_static=not self.rules.dispatches_types)
            case External(outer):
                return External(f"{outer}.{name}")
        return None

    def declared(self, kind: Type) -> list[Symbol]:
        """Return the declarations of a type: several where it may be written in parts."""
        if not kind.is_declared:
            return []
        scope, _, name = kind.key.rpartition(".")
        symbols = self.members(scope, name)
        return [symbol for symbol in symbols if self.declaration(symbol).kind in TYPES]

    def bindings(self, kind: Type) -> Bindings:
        """Return what the parameters of a type stand for."""
        if not kind.arguments:
            return {}
        for symbol in self.declared(kind):
            names = [one.name for one in self.declaration(symbol).type_parameters]
            if len(names) == len(kind.arguments):
                return dict(zip(names, kind.arguments, strict=True))
        return {}

    def bases(self, kind: Type) -> list[Type]:
        """Return what a type extends, embeds and implements, in order, with its arguments put in."""
        if kind.is_variable:
            return list(kind.bounds)
        plain: list[Type] = self.once(("bases", kind.key), lambda: self._bases(kind), meanwhile=[])
        bindings = self.bindings(kind)
        return [substitute(base, bindings) for base in plain]

    def _bases(self, kind: Type) -> list[Type]:
        self._open += 1
        try:
            return self._find_bases(kind)
        finally:
            self._open -= 1

    def _find_bases(self, kind: Type) -> list[Type]:
        found: list[Type] = []
        for symbol in self.declared(kind):
            one = self.declaration(symbol)
            for ref in (*one.bases, *one.interfaces):
                base = self.resolve(ref, Where(*symbol))
                if base and base.key != kind.key and base not in found:
                    found.append(base)
        for path in self.implementations_named(last_name(kind.key)):
            for fact in self.outline(path).facts.implementations:
                where = Where(path, fact.declaration)
                if last_name(fact.type.name) != last_name(kind.key):
                    continue
                implemented = self.resolve(fact.type, where)
                base = self.resolve(fact.trait, where)
                if implemented and implemented.key == kind.key and base and base not in found:
                    found.append(base)
        return found

    def line_of(self, kind: Type) -> list[Type]:
        """Return a type and all it builds on, nearest first."""
        return self.once_settled(("line", kind), lambda: self._find_line(kind))

    def _find_line(self, kind: Type) -> list[Type]:
        found: dict[str, Type] = {kind.key: kind}
        queue = [kind]
        while queue and len(found) < _MAX_LEVELS:
            one = queue.pop(0)
            for base in self.bases(one):
                if base.key not in found:
                    found[base.key] = base
                    queue.append(base)
        return list(found.values())

    # Members

    def own_members(self, kind: Type, name: str) -> list[Symbol]:
        """Return what a type itself has under a name, and what is added to it from outside."""
        key = ("own", kind.key, kind.is_declared, name)
        return self.once_settled(key, lambda: self._find_own(kind, name))

    def _find_own(self, kind: Type, name: str) -> list[Symbol]:
        found = self.members(kind.key, name) if kind.is_declared else []
        for symbol in self.added(last_name(kind.key), name):
            receiver = self.receiver(Where(*symbol))
            if receiver and receiver.key == kind.key and receiver.is_declared == kind.is_declared:
                found = [*found, symbol]
        return found

    def receiver(self, where: Where) -> Type | None:
        """Return the type that a declaration is added to."""
        return self.resolve(self.declaration(where).receiver, where)

    def levels(self, kind: Type, name: str) -> list[tuple[Type, list[Symbol]]]:
        """Return who in the line of a type has something under a name, nearest first."""
        return [(level, found) for level in self.line_of(kind) if (found := self.own_members(level, name))]

    def member(
        self, kind: Type | None, name: str, want: Want, *, is_static: bool = False, is_super: bool = False
    ) -> Value | None:
        """Return what a type has under a name."""
        if kind is None:
            return None
        for level, symbols in self.levels(kind, name):
            if is_super and level.key == kind.key:
                continue
            found = self.meaning(symbols, want, level)
            if isinstance(found, Functions):
                more = self._overloads(kind, name, level) if self.rules.has_overloads else ()
                own = self._of_kind(found.symbols, is_static=is_static)
                return found._replace(symbols=(*own, *more), receiver=None if is_static else kind, is_exact=is_super)
            if found is not None:
                return found
        found = None if is_super else self._added_to_all(kind, name, want)
        return found or (self._embedded(kind, name) if want is Want.VALUE else None)

    def _added_to_all(self, kind: Type, name: str, want: Want) -> Value | None:
        """Return what is added to every type that has what is asked for, and so to this one."""
        if not kind.is_declared and name in self.rules.methods:
            return None
        levels = {level.key for level in self.line_of(kind)}
        fitting = []
        for symbol in self.added(ANY, name):
            receiver = self.receiver(Where(*symbol))
            bounds = receiver.bounds if receiver else ()
            if all(bound.key in levels for bound in bounds if bound.is_declared):
                fitting.append(symbol)
        found = self.meaning(fitting, want, kind) if fitting else None
        return found._replace(receiver=kind) if isinstance(found, Functions) else found

    def _of_kind(self, symbols: tuple[Symbol, ...], *, is_static: bool) -> tuple[Symbol, ...]:
        """Return the functions that are a type's own, or its instances', where both may be and there are such ones."""
        if not self.rules.tells_statics or len(symbols) == 1:
            return symbols
        return tuple([one for one in symbols if self.declaration(one).is_static == is_static]) or symbols

    def _overloads(self, kind: Type, name: str, nearest: Type) -> list[Symbol]:
        """Return the functions of a name that stand further up."""
        found: list[Symbol] = []
        is_below = True
        for level, symbols in self.levels(kind, name):
            if not is_below:
                found += [symbol for symbol in symbols if self.declaration(symbol).kind in FUNCTIONS]
            is_below = is_below and level.key != nearest.key
        return found

    def _embedded(self, kind: Type, name: str) -> Value | None:
        """Return what is embedded under its own name."""
        for base in self.bases(kind):
            if last_name(base.key) == name:
                return Instance(base)
        return None

    def around(self, where: Where) -> Type | None:
        """Return the type in which a declaration stands, or to which it is added."""
        index = where.number
        outline = self.outline(where.path)
        while index >= 0:
            one = outline.declarations[index]
            if one.kind in TYPES:
                return self.type_of(Symbol(where.path, index))
            if outline.is_added(one):
                return self.receiver(Where(where.path, index))
            index = one.parent
        return None

    def bindings_of(self, symbol: Symbol, owner: Type | None) -> Bindings:
        """Return what the type parameters around a member stand for when it is found in *owner*."""
        one = self.declaration(symbol)
        if owner is None or (one.receiver is None and not owner.arguments):
            return {}
        if one.receiver is None:
            return self.bindings(owner)
        found: dict[str, Type] = {}
        receiver = self.receiver(Where(*symbol))
        if receiver and (receiver.is_variable or owner.arguments):
            unify(receiver, owner, found)
        return found


def _joined(found: Value | None, more: Value | None) -> Value | None:
    """Return what is found, and where those are functions also those of *more*."""
    if isinstance(found, Functions) and isinstance(more, Functions):
        return found._replace(symbols=tuple(dict.fromkeys((*found.symbols, *more.symbols))))
    return more if found is None else found
