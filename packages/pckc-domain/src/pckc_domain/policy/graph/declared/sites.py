"""Calls of the file that is linked: where they stand, how they are written, whom they mean."""

from typing import NamedTuple

import attrs

from pckc_domain.model.declared_facts import Call, Cast, Expression, Item, Name, New, Part, Select, This
from pckc_domain.policy.graph.declared.asking import Where
from pckc_domain.policy.graph.declared.dispatch import Target
from pckc_domain.policy.graph.declared.outline import Symbol
from pckc_domain.policy.graph.declared.scopes import ALL


class At(NamedTuple):
    """A place of an expression: its declaration, its line, and how many of the locals are bound before it."""

    where: Where
    line: int
    bound: int = ALL


@attrs.define
class Site:
    """
    A call of the file that is linked.

    Attributes:
        caller: Declaration in which it stands.
        text: What is called, as written.
        targets: Whom it means; empty when nobody knows or it is outside of the repository.
        external: What it is outside of the repository.
        made: The types of which it makes an instance.
        root: The first name of the callee.
        is_read: Whether it only reads a field.
        lent: Functions that it gives to one outside of the repository, which calls them.
    """

    caller: int
    text: str
    targets: tuple[Target, ...] = ()
    external: str = ""
    made: tuple[Symbol, ...] = ()
    root: str = ""
    is_read: bool = False
    lent: tuple[Target, ...] = ()


def written(expression: Expression | None) -> str:
    """Return an expression as text: names with dots between."""
    match expression:
        case Name(text):
            return text
        case This(is_super):
            return "super" if is_super else "this"
        case Select(owner, name):
            before = written(owner)
            return f"{before}.{name}" if before else name
        case Call(callee):
            return f"{written(callee)}()"
        case New(kind):
            return f"{kind.name}()"
        case Item(owner) | Part(owner):
            return f"{written(owner)}[]"
        case Cast(_, kind):
            return kind.name
    return ""
