"""What links each language."""

from collections.abc import Sequence

from pckc_domain.policy.graph.declared.languages import RULES
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.policy.graph.families import FAMILIES
from pckc_domain.policy.graph.flow_linker import FlowLinker
from pckc_domain.policy.graph.linking import Linker


def all_linkers() -> Sequence[Linker]:
    """Return a linker for every family of languages, each language in one of them."""
    families = {id(family): family for family in FAMILIES.values()}
    return [*map(FlowLinker, families.values()), *map(DeclaredLinker, RULES)]
