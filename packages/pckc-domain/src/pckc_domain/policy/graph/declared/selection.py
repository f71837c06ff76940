"""What an expression has under a name: members of its type, and of what it points to or wraps."""

from pckc_domain.model.declared_facts import Expression, Name, Select, This
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.outline import Symbol, last_name
from pckc_domain.policy.graph.declared.scopes import Want
from pckc_domain.policy.graph.declared.sites import At
from pckc_domain.policy.graph.declared.values import (
    UNKNOWN,
    External,
    Functions,
    Instance,
    Package,
    Static,
    Type,
    Value,
    substitute,
)
from pckc_domain.policy.graph.declared.well_known import WellKnown


class Selection(WellKnown):
    """Selects members."""

    def select(self, owner: Expression | None, name: str, at: At, want: Want) -> Value | None:
        """Return what is called *name* in what an expression is; ``None`` when that is not known."""
        name = self.rules.operators.get(name, name)
        if isinstance(owner, This) and owner.is_super:
            kind = self.around(at.where)
            found = self.member(kind, name, want, is_super=True) if kind else None
            return found or (self._missing(kind, name) if kind else None)
        if self.rules.pointee and (found := self._from_table(owner, name, at)):
            return found
        held = self.value(owner, at)
        if name == self.rules.pointee:
            return self._pointee(held)
        match held:
            case Instance(kind):
                found = self.member(kind, name, want) or self._through(kind, name, want)
                if found is None and want is Want.VALUE:
                    found = self.well_known_part(kind, name)
                return found or self._missing(kind, name)
            case Static(kind):
                found = self.inside(held, name, want)
                if found is None and name in self.rules.makers:
                    return held
                return found or self._missing(kind, name)
            case Package() | External():
                return self.inside(held, name, want)
        if held is None and isinstance(owner, Name):  # a type from elsewhere, to which the repository adds
            found = self.member(Type(owner.text), name, want, is_static=True)
            return found if isinstance(found, Functions) and self._stands_apart(found.symbols[0]) else None
        return None

    def _stands_apart(self, symbol: Symbol) -> bool:
        return self.outline(symbol.path).is_added(self.declaration(symbol))

    def _pointee(self, held: Value | None) -> Value | None:
        """Return what a pointer points to, which a plain pointer is itself."""
        if not isinstance(held, Instance):
            return held
        if last_name(held.type.key) in self.rules.wrappers and held.type.arguments and not held.type.is_declared:
            return Instance(held.type.arguments[0])
        operator = self.member(held.type, f"operator{self.rules.pointee}", Want.CALL)
        given = self.only_result(operator) if isinstance(operator, Functions) else None
        return given or held

    def _from_table(self, owner: Expression | None, name: str, at: At) -> Value | None:
        """Return the function that an evident table has under a name: a variable made with named entries."""
        while isinstance(owner, Select) and owner.name == self.rules.pointee:
            owner = owner.owner
        if not isinstance(owner, Name):
            return None
        one = self.declaration(at.where)
        for number in range(min(at.bound, len(one.locals)) - 1, -1, -1):
            if one.locals[number].name == owner.text:
                return self._from_table(one.locals[number].value, name, At(at.where, at.line, number))
        if any(parameter.name == owner.text for parameter in one.parameters):
            return None
        entries = self.entries(owner.text, name)
        own = [entry for entry in entries if entry.path == at.where.path]
        values = [self.value(self.declaration(entry).value, At(Where(entry.path, 0), 0)) for entry in own or entries]
        return next((value for value in values if isinstance(value, Functions)), None)

    def _through(self, kind: Type, name: str, want: Want) -> Value | None:
        """Return a member of what a wrapper holds."""
        if last_name(kind.key) in self.rules.wrappers and kind.arguments and not kind.is_declared:
            inner = kind.arguments[0]
            return self.member(inner, name, want) or self._through(inner, name, want)
        return None

    def _missing(self, kind: Type, name: str) -> Value | None:
        """Return what an outside type, or an outside base, has under a name."""
        if kind.is_variable and not kind.bounds:
            return None
        for level in self.line_of(kind):
            if not level.is_declared and not level.is_variable:
                return External(f"{level.key}.{name}")
        return None

    def held(self, symbol: Symbol, owner: Type | None) -> Value:
        """Return what a field, variable or constant holds."""
        one = self.declaration(symbol)
        where = Where(symbol.path, max(one.parent, 0))
        if one.type is not None:
            kind = self.resolve(one.type, where)
            return Instance(substitute(kind, self.bindings_of(symbol, owner))) if kind else UNKNOWN
        found = self.once(("held", symbol), lambda: self.value(one.value, At(where, 0)))
        if found is None and one.value is None and self.rules.backing and not one.name.startswith(self.rules.backing):
            behind = self.member(owner, f"{self.rules.backing}{one.name}", Want.VALUE) if owner else None
            return behind or UNKNOWN
        return found or UNKNOWN
