"""
Forward chaining: rules applied to the edges of one graph until nothing new follows.

Semi-naive (Bancilhon and Ramakrishnan 1986): in each round a rule joins only pairs of which one edge is new since the
round before. A chain of more than two kinds is joined from the left, by way of pairs that are no edges themselves.
An edge is concluded once, from edges of earlier rounds, so that nothing ever supports itself.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import attrs

from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.claim import VISIBLE, ClaimStatus
from pckc_domain.model.inference import MOST_EDGES, Derivation, EdgeKey, InferenceRule, InferredEdge, RuleBook
from pckc_domain.policy.validity import holds

WAYS_FOR_AN_EDGE = 10
"""Pairs on the way of longer chains that may be found for each edge that may be."""

MOST_COMPARED = 300_000_000
"""Nodes that joins may look at: some ten seconds."""

OPPOSITES = (("confirms", "contradicts"),)
"""Kinds of which two nodes are joined by one at most, if what is said is sound."""

MOST_KINDS = 8
"""Kinds that a chain may have."""

Name: TypeAlias = str | tuple[str, ...]
"""A kind, or kinds that a chain begins with."""

Pairs: TypeAlias = dict[int, set[int]]
"""Targets by source; nodes are numbered."""


@attrs.frozen(kw_only=True)
class Concluded:
    """
    What rules give.

    Attributes:
        edges: By source, target and kind.
        rounds: How often the rules were applied until nothing new came.
        stopped: Why not everything was concluded; ``""`` when all of it was.
    """

    edges: tuple[InferredEdge, ...]
    rounds: int
    stopped: str = ""


def read_rule(claim_id: str, text: str, *, confidence: float = 1.0) -> InferenceRule | str:
    """Return the rule that *text* holds, ``{"if": KIND or [KIND, …], "then": KIND}``, or why it is none."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return "it is no JSON: a rule for people, not for graphs"
    if not isinstance(given, dict) or given.keys() != {"if", "then"}:
        return 'it must have "if" and "then", and nothing else'
    conditions = given["if"] if isinstance(given["if"], list) else [given["if"]]
    kinds = [*conditions, given["then"]]
    if not conditions or not all(isinstance(kind, str) for kind in kinds):
        return '"if" must be a kind or a list of kinds, "then" a kind'
    if any(kind.split() != [kind] or not kind.isprintable() for kind in kinds):
        return "a kind must be one word"
    if len(conditions) > MOST_KINDS:
        return f"a chain may have {MOST_KINDS} kinds, not {len(conditions)}"
    if conditions == [given["then"]]:
        return "it concludes what it begins with"
    return InferenceRule(
        claim_id=claim_id, conditions=tuple(conditions), conclusion=given["then"], confidence=confidence
    )


def rule_book(claims: Iterable[StoredClaim], now: datetime) -> RuleBook:
    """Return the rules that claims of type ``logical_rule`` state; one that does not hold at *now* is none."""
    rules: dict[str, InferenceRule] = {}
    ignored: dict[str, str] = {}
    for claim in (stored.claim for stored in claims):
        if claim.governance not in VISIBLE:
            ignored[claim.id] = f"it is {claim.governance}"
        elif claim.status is ClaimStatus.STALE:
            ignored[claim.id] = "it is stale"
        elif not holds(claim, now):
            ignored[claim.id] = "it does not hold now"
        else:
            read = [
                read_rule(claim.id, text, confidence=claim.confidence)
                for text in (claim.value or claim.text, claim.text)
            ]
            if found := [one for one in read if isinstance(one, InferenceRule)]:
                rules[claim.id] = found[0]
            else:
                ignored[claim.id] = str(read[0])
    return RuleBook(rules=tuple(rules[id_] for id_ in sorted(rules)), ignored=dict(sorted(ignored.items())))


def fingerprint(rules: Sequence[InferenceRule], premises: Mapping[EdgeKey, float], *, limit: int) -> str:
    """Return a hash of all that conclusions depend on."""
    hashed = hashlib.sha256(repr((limit, [attrs.astuple(rule) for rule in rules])).encode())
    lines = [f"{len(key[0])} {len(key[1])} {key[0]}{key[1]}{key[2]} {premises[key]!r}\n" for key in sorted(premises)]
    hashed.update("".join(lines).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()


def conclude(
    rules: Sequence[InferenceRule], premises: Mapping[EdgeKey, float], *, limit: int = MOST_EDGES
) -> Concluded:
    """
    Apply *rules* to *premises*, given with their confidence, until nothing new follows.

    The same input gives the same answer, also when it stops at *limit* edges. What is a premise is never concluded.
    """
    chaining = _Chaining(rules, premises, limit)
    rounds = chaining.run()
    return Concluded(edges=weighed(chaining.derivations(), rules, premises), rounds=rounds, stopped=chaining.stopped)


def weighed(
    found: Iterable[tuple[EdgeKey, Derivation]], rules: Sequence[InferenceRule], premises: Mapping[EdgeKey, float]
) -> tuple[InferredEdge, ...]:
    """Return *found*, which names premises before what rests on them, with confidence and depth, by key."""
    confidences = {rule.claim_id: rule.confidence for rule in rules}
    edges: dict[EdgeKey, InferredEdge] = {}
    for key, derivation in found:
        confidence, depth = confidences[derivation.rule_id], 0
        for premise in derivation.premises:
            sure = premises.get(premise)
            if sure is None:
                edge = edges[premise]
                sure, depth = edge.confidence, max(depth, edge.depth)
            confidence = min(confidence, sure)
        edges[key] = InferredEdge(*key, confidence, depth + 1, derivation)
    return tuple(sorted(edges.values()))


def contradictions(edges: Iterable[InferredEdge], premises: Iterable[EdgeKey]) -> tuple[tuple[EdgeKey, EdgeKey], ...]:
    """Return the inferred edges that another edge of the same nodes denies, each with that one, in order."""
    denied = {kind: other for one, two in OPPOSITES for kind, other in ((one, two), (two, one))}
    inferred = {edge.key for edge in edges if edge.kind in denied}
    if not inferred:
        return ()
    there = inferred | {key for key in premises if key.kind in denied}
    return tuple(
        (key, other)
        for key in sorted(inferred)
        for other in [EdgeKey(key.source, key.target, denied[key.kind])]
        if other in there
    )


def is_sound(
    found: Iterable[tuple[EdgeKey, Derivation]], rules: Sequence[InferenceRule], premises: Mapping[EdgeKey, float]
) -> bool:
    """Return whether each edge is what its rule gives of premises that are given, or were found before it."""
    known = {rule.claim_id: rule for rule in rules}
    there: set[EdgeKey] = set()
    for key, derivation in found:
        rule, steps = known.get(derivation.rule_id), derivation.premises
        if rule is None or key in premises or key in there:
            return False
        if key.kind != rule.conclusion or tuple(step.kind for step in steps) != rule.conditions:
            return False
        if (steps[0].source, steps[-1].target) != (key.source, key.target):
            return False
        if any(one.target != other.source for one, other in pairwise(steps)):
            return False
        if not all(step in premises or step in there for step in steps):
            return False
        there.add(key)
    return True


class _Step(NamedTuple):
    """
    One join: pairs of *first*, or those that go on by *second*, give pairs of *head*.

    *place* says by which rule, as its place among them; one that only leads on has none.
    """

    first: Name
    second: str | None
    head: Name
    place: int | None


class _FullError(Exception):
    """No more may be found."""


class _Chaining:
    """One application of rules to the fixpoint."""

    def __init__(self, rules: Sequence[InferenceRule], premises: Mapping[EdgeKey, float], limit: int) -> None:
        self.stopped = ""
        self._rules = rules
        self._limit = limit
        self._steps = _steps(rules)
        kinds = {kind for rule in rules for kind in (*rule.conditions, rule.conclusion)}
        keys = [key for key in sorted(premises) if key.kind in kinds]
        self._names = sorted({end for key in keys for end in key[:2]})
        numbers = {name: number for number, name in enumerate(self._names)}
        heads: list[Name] = [step.head for step in self._steps]
        self._after: dict[Name, Pairs] = {name: {} for name in (*kinds, *heads)}
        self._before: dict[Name, Pairs] = {step.first: {} for step in self._steps if step.second is not None}
        self._proofs: dict[tuple[Name, int, int], tuple[_Step, int]] = {}
        self._left = [limit, WAYS_FOR_AN_EDGE * limit]  # edges, and ways of chains
        self._compared = 0
        given: dict[Name, Pairs] = {}
        for source, target, kind in keys:
            given.setdefault(kind, {}).setdefault(numbers[source], set()).add(numbers[target])
        self._fresh = given
        self._add(given)

    def run(self) -> int:
        """Apply the rules round by round; return how many rounds gave something."""
        rounds = 0
        try:
            while self._fresh:
                found: dict[Name, Pairs] = {}
                try:
                    for step in self._steps:
                        self._apply(step, found.setdefault(step.head, {}))
                finally:
                    rounds += any(found.values())
                self._fresh = {name: pairs for name, pairs in found.items() if pairs}
                self._add(self._fresh)
        except _FullError:
            pass
        return rounds

    def derivations(self) -> Iterable[tuple[EdgeKey, Derivation]]:
        """Yield each edge with its proof, in the order in which they were found."""
        for (name, source, target), (step, _) in self._proofs.items():
            if step.place is not None:
                premises = self._premises(name, source, target)
                yield self._key(name, source, target), Derivation(self._rules[step.place].claim_id, premises)

    def _apply(self, step: _Step, found: Pairs) -> None:
        fresh = self._fresh.get(step.first, {})
        if step.second is None:
            for source in sorted(fresh):
                self._find(step, found, source, fresh[source], via=source)
            return
        onward = self._after[step.second]
        for source in sorted(fresh):
            for middle in sorted(fresh[source]):
                if targets := onward.get(middle):
                    self._find(step, found, source, targets, via=middle)
        back, ends = self._before[step.first], self._fresh.get(step.second, {})
        for middle in sorted(ends):
            for source in sorted(back.get(middle, ())):
                self._find(step, found, source, ends[middle], via=middle)

    def _find(self, step: _Step, found: Pairs, source: int, targets: set[int], *, via: int) -> None:
        """Note the pairs of *source* and *targets* that nobody knew; they become edges when the round ends."""
        self._compared += len(targets)
        if self._compared > MOST_COMPARED:
            self._stop("it took too long: the graph is too dense for these rules")
        fresh = targets - self._after[step.head].get(source, _NONE)
        if fresh:
            fresh -= found.get(source, _NONE)
        if fresh:
            allowed = self._left[step.place is None]
            proofs, proof, head = self._proofs, (step, via), step.head
            for target in sorted(fresh)[:allowed]:
                proofs[head, source, target] = proof
            if len(fresh) > allowed:
                self._stop(
                    f"more than {self._limit} edges follow"
                    if step.place is not None
                    else f"more than {WAYS_FOR_AN_EDGE * self._limit} ways of chains were found"
                )
            found.setdefault(source, set()).update(fresh)
            self._left[step.place is None] -= len(fresh)

    def _stop(self, why: str) -> None:
        self.stopped = why
        raise _FullError

    def _add(self, fresh: Mapping[Name, Pairs]) -> None:
        for name, pairs in fresh.items():
            after, before = self._after[name], self._before.get(name)
            for source, targets in pairs.items():
                after.setdefault(source, set()).update(targets)
                if before is not None:
                    for target in targets:
                        before.setdefault(target, set()).add(source)

    def _premises(self, name: Name, source: int, target: int) -> tuple[EdgeKey, ...]:
        step, via = self._proofs[name, source, target]
        if step.second is None:
            return (self._key(step.first, source, target),)
        last = self._key(step.second, via, target)
        if isinstance(step.first, tuple):
            return (*self._premises(step.first, source, via), last)
        return self._key(step.first, source, via), last

    def _key(self, name: Name, source: int, target: int) -> EdgeKey:
        return EdgeKey(self._names[source], self._names[target], str(name))


_NONE: frozenset[int] = frozenset()


def _steps(rules: Sequence[InferenceRule]) -> tuple[_Step, ...]:
    """Return the joins that the rules need; chains that begin alike share them."""
    steps: dict[tuple[Name, str | None, Name], _Step] = {}
    for place, rule in enumerate(rules):
        first: Name = rule.conditions[0]
        for length in range(2, len(rule.conditions)):
            head = rule.conditions[:length]
            step = _Step(first, rule.conditions[length - 1], head, None)
            steps.setdefault(step[:3], step)
            first = head
        second = rule.conditions[-1] if len(rule.conditions) > 1 else None
        step = _Step(first, second, rule.conclusion, place)
        steps.setdefault(step[:3], step)
    return tuple(steps.values())
