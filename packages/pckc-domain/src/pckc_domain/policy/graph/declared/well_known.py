"""Well-known methods of sequences, maps, options and streams: what they give, and what they pass to functions."""

from pckc_domain.model.declared_facts import Call, Closure, Name, Select
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.bodies import Bodies
from pckc_domain.policy.graph.declared.dispatch import INFERRED, Chosen
from pckc_domain.policy.graph.declared.rules import How
from pckc_domain.policy.graph.declared.sites import At, Site
from pckc_domain.policy.graph.declared.values import MAP, SEQUENCE, Functions, Instance, Static, Type, Value


class WellKnown(Bodies):
    """Knows methods that no file of the repository declares."""

    def well_known(self, call: Call, at: At, site: Site) -> Value | None:
        """
        Return what a method of a sequence, map, option or stream gives.

        Closures are told what they are given; a function that is passed by its name is called by who passes it.
        """
        if not isinstance(call.callee, Select):
            return None
        how = self.rules.methods.get(call.callee.name)
        held = self.value(call.callee.owner, at)
        if not isinstance(held, Instance):
            return None
        item, key = self.held_type(held.type), self.held_type(held.type, is_key=True)
        is_pair = item != key
        for argument in call.arguments:
            if isinstance(argument, Closure):
                closure = Where(at.where.path, argument.declaration)
                count = len(self.declaration(closure).parameters)
                self.told[closure] = (key, item) if is_pair and count == 2 else (item,) * count
            elif item and isinstance(argument, Name | Select):
                passed = self.value(argument, at)
                if isinstance(passed, Functions):
                    site.targets += self.targets(passed, Chosen(passed.symbols[:1], INFERRED))
        found = self._by_method(how, held.type, item, key, call, at) if how and item else None
        return Instance(found) if found else None

    def well_known_part(self, kind: Type, name: str) -> Value | None:
        """Return what a well-known method gives that is called by naming it, as properties are."""
        how = self.rules.methods.get(name)
        item = self.held_type(kind) if how and not kind.is_declared else None
        found = self._plain(how, kind, item, self.held_type(kind, is_key=True)) if how and item else None
        return Instance(found) if found else None

    def _by_method(self, how: How, kind: Type, item: Type, key: Type | None, call: Call, at: At) -> Type | None:
        if how not in (How.MAPPED, How.FLAT, How.RESULT):
            return self._plain(how, kind, item, key)
        result = self._mapped(call, at)
        return Type(SEQUENCE, (result,)) if result and how is How.MAPPED else result

    def _plain(self, how: How, kind: Type, item: Type, key: Type | None) -> Type | None:
        """Return what a method gives that takes no function."""
        match how:
            case How.SAME:
                return kind
            case How.ITEM:
                return item
            case How.KEY:
                return key
            case How.OPTION | How.ITEMS:
                return Type(SEQUENCE, (item,))
            case How.KEYS:
                return Type(SEQUENCE, (key,)) if key else None
            case How.ENTRIES:
                return Type(SEQUENCE, (Type(MAP, (key or Type("?"), item)),))
        return None

    def _mapped(self, call: Call, at: At) -> Type | None:
        """Return what the function that is passed gives for an item."""
        for argument in call.arguments:
            found: Value | None = None
            if isinstance(argument, Closure):
                found = self.closure_result(Where(at.where.path, argument.declaration))
            elif isinstance(argument, Select):
                found = self._passed_method(argument, at)
            elif argument is not None:
                function = self.value(argument, at)
                found = self.only_result(function) if isinstance(function, Functions) else None
            if isinstance(found, Instance):
                return found.type
        return None

    def _passed_method(self, reference: Select, at: At) -> Value | None:
        function = self.value(reference, at)
        if isinstance(function, Functions):
            return self.only_result(function)
        if function is None and reference.name == "new":
            made = self.value(reference.owner, at)
            return Instance(made.type) if isinstance(made, Static) else None
        return None
