"""Rules and graphs to conclude on, and the plain way to do it."""

from collections.abc import Iterable, Mapping, Sequence

import attrs
from hypothesis import strategies as st

from pckc_domain.model.claim import Beliefs, ClaimType, Link
from pckc_domain.model.inference import EdgeKey, InferenceRule
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.testing.belief_samples import claim

KINDS = ("calls", "imports", "needs")
NODES = ("a", "b", "c", "d")

rule_shapes: st.SearchStrategy[tuple[tuple[str, ...], str]] = st.tuples(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=3).map(tuple), st.sampled_from(KINDS)
)
edge_keys: st.SearchStrategy[EdgeKey] = st.builds(
    EdgeKey, st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from(KINDS)
)


def rule(number: int, conditions: Sequence[str], conclusion: str) -> InferenceRule:
    """Return a rule."""
    return InferenceRule(claim_id=f"claim_{number}", conditions=tuple(conditions), conclusion=conclusion)


def put_rules(work: UnitOfWork, texts: Mapping[str, str], **changes: object) -> Mapping[str, str]:
    """Store claims that state rules, a slot each, as JSON; return their ids by slot."""
    claims = {
        slot: attrs.evolve(
            claim(f"Rule {slot} {text}", type=ClaimType.LOGICAL_RULE, value=text),
            **changes,  # type: ignore[arg-type]  # any of the claim's own fields
        )
        for slot, text in texts.items()
    }
    work.claims.settle({slot: Beliefs(claims=(each,)) for slot, each in claims.items()})
    return {slot: each.id for slot, each in claims.items()}


def put_linked_claims(work: UnitOfWork, names: Iterable[str], links: Iterable[Link]) -> None:
    """Store facts named so, and these links between them, all in one slot."""
    work.claims.settle(
        {"linked": Beliefs(claims=tuple(attrs.evolve(claim(name), id=name) for name in names), links=tuple(links))}
    )


def naively(rules: Sequence[InferenceRule], premises: Iterable[EdgeKey]) -> frozenset[EdgeKey]:
    """Return what follows: every rule joins everything with everything, until a round gives nothing new."""
    given = frozenset(premises)
    known = set(given)
    while True:
        after: dict[str, dict[str, list[str]]] = {}
        for source, target, kind in known:
            after.setdefault(kind, {}).setdefault(source, []).append(target)
        found: set[EdgeKey] = set()
        for each in rules:
            for source in after.get(each.conditions[0], ()):
                ends = {source}
                for kind in each.conditions:
                    onward = after.get(kind, {})
                    ends = {target for end in ends for target in onward.get(end, ())}
                found |= {EdgeKey(source, end, each.conclusion) for end in ends}
        if found <= known:
            return frozenset(known - given)
        known |= found
