"""How symbols are found by name: their search terms, and names spelled alike."""

from collections.abc import Iterable

from pckc_domain.model.graph import Node
from pckc_domain.policy.analysis import index_terms

LEAST_LIKE = 0.45
"""Names that have less in common are not alike."""


def symbol_terms(node: Node) -> str:
    """Return the extra terms that a symbol is found by, see `analysis.index_terms`."""
    return index_terms(" ".join(part for part in (node.name, node.signature, node.doc, node.text) if part))


def last_part(name: str) -> str:
    """Return the last part of a dotted name, by which the name is looked up."""
    return name.rpartition(".")[2]


def is_meant_by(name: str, qualified_name: str) -> bool:
    """Return whether *name* is a qualified name or the end of it, whole parts only."""
    return qualified_name == name or qualified_name.endswith(f".{name}")


def nearest(name: str, candidates: Iterable[str], *, limit: int) -> list[str]:
    """
    Return up to *limit* distinct *candidates* spelled like *name*, nearest first, ties by text.

    Likeness is that of their last parts: the share of letter pairs that both have (Dice), whatever the case.
    """
    text = f" {last_part(name).lower()} "
    pairs = {text[i : i + 2] for i in range(len(text) - 1)}
    parts: dict[str, float] = {}
    scored = []
    for candidate in candidates:
        part = last_part(candidate)
        likeness = parts.get(part)
        if likeness is None:
            other = f" {part.lower()} "
            common = len([pair for pair in pairs if pair in other])
            likeness = parts[part] = 2 * common / (len(pairs) + len(other) - 1)
        if likeness >= LEAST_LIKE:
            scored.append((likeness, candidate))
    scored = sorted(set(scored), key=lambda pair: (-pair[0], pair[1]))
    return [candidate for _, candidate in scored[:limit]]
