"""Parts of values: what a type holds, is made of and takes, as its arguments and its declaration say."""

from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.dispatch import Dispatch
from pckc_domain.policy.graph.declared.outline import Symbol, last_name
from pckc_domain.policy.graph.declared.values import (
    FUNCTION,
    MAP,
    SEQUENCE,
    TUPLE,
    External,
    Functions,
    Instance,
    Type,
    Value,
    substitute,
)


class Parts(Dispatch):
    """Looks into types."""

    def item(self, held: Value | None, *, is_key: bool = False) -> Value | None:
        """Return what is found in a value by index or by going through it; with *is_key* its keys."""
        if isinstance(held, Functions | External):
            return held
        if not isinstance(held, Instance):
            return None
        found = self.held_type(held.type, is_key=is_key)
        return Instance(found) if found else None

    def held_type(self, kind: Type, *, is_key: bool = False) -> Type | None:
        """Return the type of what something holds."""
        for level in self.line_of(kind):
            if level.is_declared:
                made = self.made_of(level)
                if made is not None and made.key != kind.key:
                    return self.held_type(made, is_key=is_key)
                continue
            position = {SEQUENCE: 0, MAP: -1}.get(level.key, self.rules.holders.get(last_name(level.key)))
            if position is not None and level.arguments:
                is_pair = position == -1 and len(level.arguments) > 1
                return level.arguments[0 if is_key and is_pair else position]
        return None

    def made_of(self, kind: Type) -> Type | None:
        """Return what a declared type is made of, when it says so."""
        for symbol in self.declared(kind):
            one = self.declaration(symbol)
            if one.type is not None:
                made = self.resolve(one.type, Where(*symbol))
                return substitute(made, self.bindings(kind)) if made else None
        return None

    def part(self, held: Value | None, position: int) -> Value | None:
        """Return what stands at a position of a tuple, or of a type that is made from its fields in order."""
        if isinstance(held, Instance) and held.type.key == TUPLE and position < len(held.type.arguments):
            return Instance(held.type.arguments[position])
        if isinstance(held, Instance):
            for symbol in self.declared(held.type):
                found = self.parameter_type(symbol, position)
                return Instance(substitute(found, self.bindings(held.type))) if found else None
        return held if isinstance(held, External) else None

    def parameter_type(self, symbol: Symbol, position: int) -> Type | None:
        """Return the type of the parameter at a position, of a function or of a type's head."""
        parameters = self.declaration(symbol).parameters
        return self.resolve(parameters[position].type, Where(*symbol)) if position < len(parameters) else None

    def function_type(self, kind: Type | None) -> tuple[tuple[Type, ...], Type | None]:
        """Return what a function type takes and gives; an interface with one method is one too."""
        if kind is None:
            return (), None
        if kind.key == FUNCTION:
            return kind.arguments[:-1], kind.arguments[-1] if kind.arguments else None
        method = self.only_method(kind)
        if method is None:
            return (), None
        one = self.declaration(method)
        bindings = self.bindings(kind)
        where = Where(*method)
        taken = [self.resolve(parameter.type, where) or Type("?") for parameter in one.parameters]
        gives = self.resolve(one.type, where)
        return tuple([substitute(each, bindings) for each in taken]), substitute(gives, bindings) if gives else None
