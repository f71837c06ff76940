"""The claim side of a compiled context: the minimal proof set."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, Claim, ClaimStatus, ClaimType, Governance, LinkKind
from pckc_domain.model.context import PackClaim, PackConflict, SubGoal, SubGoalKind
from pckc_domain.model.memory import ClaimResult
from pckc_domain.model.proof import Proof, VerificationStatus
from pckc_domain.model.scope import Branch, Scope
from pckc_domain.policy.analysis import analyze_query, content_words, text_tokens
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.bug_attributes import EXPLAINED_BY
from pckc_domain.policy.bug_likeness import explains
from pckc_domain.policy.compiler import Candidate, choose_cover
from pckc_domain.policy.facts.meeting import branches_read, is_overshadowed
from pckc_domain.policy.rendering import render_claim
from pckc_domain.policy.slots import topic_slot
from pckc_domain.policy.strength import STRENGTH
from pckc_domain.policy.subgoals import covers, stem, stemmed_tokens
from pckc_domain.policy.tokens import count_tokens
from pckc_domain.policy.validity import holds
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock

POOL = 200
FACT_POOL = 40
"""Repository facts looked at: there may be thousands, each a short text that matches well."""

FACT_WORTH = 0.5
"""What a line of code is worth beside a claim of a session that covers the same."""

ASKED = frozenset((ClaimType.BUG, ClaimType.TASK, ClaimType.OPEN_QUESTION))
"""What somebody makes who says what is to be done."""

MAX_STANDING = 40
MAX_SLOT_GOALS = 12
MAX_EXPLANATIONS = 4
"""So much more is told of one bug: its fix, what caused it, what helps against it."""

STANDING_PERCENT = 25
"""Share of the memory budget that standing rules may take before anything else."""


@attrs.frozen(kw_only=True)
class ClaimSelection:
    """
    The chosen claims, the sub-goals that claims brought in, and what was left out.

    Attributes:
        claims: In the order of choice.
        subgoals: Slots and standing rules that these claims cover.
        conflicts: Both sides of every conflict among them.
        excluded: The reason, by id.
        rules: How many standing rules there are, chosen or not.
    """

    claims: tuple[PackClaim, ...]
    subgoals: tuple[SubGoal, ...]
    conflicts: tuple[PackConflict, ...]
    excluded: dict[str, str]
    rules: int

    @property
    def tokens(self) -> int:
        """Tokens of the rendered claims."""
        return sum(item.tokens for item in self.claims)


class ClaimSelector:
    """
    Chooses claims for a task.

    The choice depends on what claims say, on their proofs and on ids alone, never on scores relative to other claims:
    a claim that has nothing to do with the task changes nothing.
    """

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock

    def select(
        self,
        scope: Scope,
        task: str,
        subgoals: Sequence[SubGoal],
        *,
        budget_tokens: int,
        checkout_id: str | None = None,
    ) -> ClaimSelection:
        """
        Return the minimal proven set of current claims for *task* within *budget_tokens*, then what explains its bugs.

        Of what only the repository says, that counts which the branch of the checkout or the mainline sets.
        """
        with self._canonical.reading(scope) as work:
            branch = next((one.branch for one in work.manifest.checkouts() if one.id == checkout_id), Branch())
            stored = self._candidates(work, task, branches_read(branch))
            results = _with_proofs(work, stored)
            opponents = _opponents(work, results)
            explained = _explanations(work, results, self._clock.now())
        echoes = {key for key, result in results.items() if key not in opponents and _repeats(result.claim, task)}
        results = {key: result for key, result in results.items() if key not in echoes}
        goals = [*subgoals, *_slot_goals(task, results)]
        results, told = _told_once(results, opponents)
        rules = {key: result for key, result in results.items() if result.claim.is_standing}
        goals += [_standing_goal(rules[key].claim) for key in sorted(rules, key=lambda key: _rule_order(rules[key]))]
        covered = {key: _covered(goals, [result, *told.get(key, ())]) for key, result in results.items()}
        selection = _choose(results, covered, goals, opponents, budget_tokens)
        selection = _with_explanations(selection, sorted(echoes), explained, budget_tokens)
        return attrs.evolve(selection, excluded=dict.fromkeys(echoes, "it only repeats the task") | selection.excluded)

    def _candidates(self, work: UnitOfWork, task: str, branches: frozenset[str]) -> list[StoredClaim]:
        visible = frozenset({Governance.ACTIVE, Governance.PINNED})
        where = ClaimFilter(governance=visible, is_open=True)
        query = analyze_query(task)
        said, set_ = attrs.evolve(where, is_said=True), attrs.evolve(where, is_said=False, branches=branches)
        hits = [] if query.is_empty else [*work.claims.search(query, where=said, limit=POOL)]
        facts = [] if query.is_empty else [*work.claims.search(query, where=set_, limit=FACT_POOL)]
        claims = [hit.stored.claim for hit in facts]
        hits += [hit for hit in facts if not is_overshadowed(hit.stored.claim, claims)]
        standing = work.claims.find(where=attrs.evolve(where, is_standing=True), limit=MAX_STANDING)
        now = self._clock.now()
        found = [*(hit.stored for hit in hits), *standing]
        by_id = {stored.claim.id: stored for stored in [*found, *_until_then(work, found, visible, now)]}
        return [by_id[key] for key in sorted(by_id) if _is_usable(by_id[key].claim, now)]


def _until_then(
    work: UnitOfWork, found: Iterable[StoredClaim], visible: frozenset[Governance], now: datetime
) -> Sequence[StoredClaim]:
    """Return the claims of the slots whose newest value is still to come: one of them may hold today."""
    slots = frozenset(stored.slot for stored in found if stored.claim.valid_from > now)
    return work.claims.find(where=ClaimFilter(slots=slots, governance=visible), limit=POOL) if slots else ()


def _is_usable(claim: Claim, now: datetime) -> bool:
    """Only what someone vouches for, and what holds today, proves anything; a rule that a model made up is none."""
    return claim.authority in DURABLE and holds(claim, now)


def _with_proofs(work: UnitOfWork, stored: Iterable[StoredClaim]) -> dict[str, ClaimResult]:
    by_id = {item.claim.id: item for item in stored}
    proofs = work.proofs.of(sorted(by_id))
    return {
        key: ClaimResult(claim=item.claim, slot=item.slot, score=0.0, breakdown={}, proofs=tuple(proofs.get(key, ())))
        for key, item in by_id.items()
    }


def _opponents(work: UnitOfWork, results: dict[str, ClaimResult]) -> dict[str, frozenset[str]]:
    """Return for each contested claim the ids of the others; these become results too, so that both sides show."""
    contested = [key for key, result in results.items() if result.claim.status is ClaimStatus.CONTESTED]
    against: dict[str, set[str]] = {key: set() for key in contested}
    for link in work.links.of(sorted(contested)):
        if link.kind is LinkKind.CONTRADICTS:
            for one, other in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
                if one in against:
                    against[one].add(other)
    missing = sorted({other for others in against.values() for other in others} - set(results))
    standing = [one for one in work.claims.get(missing) if one.claim.valid_to is None and not one.claim.superseded_by]
    results |= _with_proofs(work, standing)
    return {key: frozenset(others & set(results)) for key, others in against.items()}


def _repeats(claim: Claim, task: str) -> bool:
    """Whether *claim* is but what *task* asks for, in its own words: who asks was told it by nobody else."""
    return claim.type in ASKED and frozenset(content_words(claim.text)) <= frozenset(content_words(task))


def _told_once(
    results: Mapping[str, ClaimResult], opponents: Mapping[str, frozenset[str]]
) -> tuple[dict[str, ClaimResult], Mapping[str, Sequence[ClaimResult]]]:
    """Return one result for each sentence that several claims were read in, and by its id those that it speaks for."""
    disputed = opponents.keys() | {other for others in opponents.values() for other in others}
    first: dict[tuple[str, str], str] = {}
    spoken_for: dict[str, list[ClaimResult]] = {}
    kept: dict[str, ClaimResult] = {}
    for key in sorted(results, key=lambda one: (not results[one].claim.is_standing, one)):
        claim = results[key].claim
        leader = first.setdefault((claim.event_id or claim.id, claim.text), key)
        if leader == key or key in disputed:
            kept[key] = results[key]
        else:
            spoken_for.setdefault(leader, []).append(results[key])
    return kept, spoken_for


def _explanations(
    work: UnitOfWork, results: Mapping[str, ClaimResult], now: datetime
) -> Mapping[str, Sequence[ClaimResult]]:
    """Return for each bug what else is known of it, the newest first."""
    bugs = {key: result.claim for key, result in results.items() if result.claim.type is ClaimType.BUG}
    slots = frozenset(topic_slot(bug.subject, one) for bug in bugs.values() if bug.subject for one in EXPLAINED_BY)
    if not slots:
        return {}
    found = work.claims.find(where=ClaimFilter(slots=slots, governance=VISIBLE, is_open=True), limit=POOL)
    known = _with_proofs(work, [stored for stored in found if _is_usable(stored.claim, now)])
    newest = sorted(known.values(), key=lambda one: (one.claim.valid_from, one.claim.id), reverse=True)
    return {key: [one for one in newest if explains(one.claim, bug)][:MAX_EXPLANATIONS] for key, bug in bugs.items()}


def _with_explanations(
    selection: ClaimSelection, echoes: Sequence[str], explained: Mapping[str, Sequence[ClaimResult]], budget_tokens: int
) -> ClaimSelection:
    """Return *selection* with what explains its bugs, and those that the task repeats, as far as it fits."""
    left = budget_tokens - selection.tokens
    told = {item.result.claim.text for item in selection.claims}
    claims = [*selection.claims]
    for key in [*echoes, *(item.result.claim.id for item in selection.claims)]:
        for result in explained.get(key, ()):
            tokens = count_tokens(render_claim(result))
            if result.claim.id not in echoes and result.claim.text not in told and tokens <= left:
                claims.append(PackClaim(result=result, covers=frozenset(), tokens=tokens))
                told.add(result.claim.text)
                left -= tokens
    shown = {item.result.claim.id for item in claims}
    excluded = {key: why for key, why in selection.excluded.items() if key not in shown}
    return attrs.evolve(selection, claims=tuple(claims), excluded=excluded)


def _slot_goals(task: str, results: Mapping[str, ClaimResult]) -> list[SubGoal]:
    """A slot whose subject the task names is a thing to know the current value of."""
    tokens = stemmed_tokens([task])
    named: dict[str, SubGoal] = {}
    for key in sorted(results):
        claim = results[key].claim
        subject = [stem(word) for word in text_tokens(claim.subject)]
        if subject and claim.attribute and all(word in tokens for word in subject):
            goal = SubGoal(
                key=f"{SubGoalKind.SLOT}:{results[key].slot}",
                kind=SubGoalKind.SLOT,
                goal=f"{claim.subject}: {claim.attribute}",
            )
            named.setdefault(goal.key, goal)
    ordered = sorted(named.values(), key=lambda goal: (-_shared(goal, tokens), goal.key))
    return ordered[:MAX_SLOT_GOALS]


def _shared(goal: SubGoal, tokens: frozenset[str]) -> int:
    return len(stemmed_tokens([goal.goal]) & tokens)


def _standing_goal(claim: Claim) -> SubGoal:
    return SubGoal(key=f"{SubGoalKind.STANDING_RULE}:{claim.id}", kind=SubGoalKind.STANDING_RULE, goal=claim.text[:80])


def _rule_order(result: ClaimResult) -> tuple[bool, float, str]:
    """Pinned rules first, then the newest."""
    claim = result.claim
    return claim.governance is not Governance.PINNED, -claim.valid_from.timestamp(), claim.id


def _choose(
    results: Mapping[str, ClaimResult],
    covered: Mapping[str, frozenset[str]],
    goals: Sequence[SubGoal],
    opponents: Mapping[str, frozenset[str]],
    budget_tokens: int,
) -> ClaimSelection:
    costs = {key: count_tokens(render_claim(result)) for key, result in results.items()}
    rules = [key for key in _standing(goals) if key in results]
    chosen = _within(rules, costs, budget_tokens * STANDING_PERCENT // 100)
    left = budget_tokens - sum(costs[key] for key in chosen)
    taken = frozenset[str]().union(*(covered[key] for key in chosen))
    candidates = [
        Candidate(
            id=key,
            tokens=max(1, costs[key] + sum(costs[other] for other in opponents.get(key, ()))),
            covers=covered[key] - taken,
            worth=_worth(result),
        )
        for key, result in results.items()
        if key not in chosen
    ]
    cover = choose_cover(candidates, budget_tokens=max(0, left))
    chosen += [key for key in cover.chosen if key not in chosen]
    for key in tuple(chosen):
        chosen += [other for other in sorted(opponents.get(key, ())) if other not in chosen]
    chosen = _fitting(chosen, costs, opponents, budget_tokens)
    claims = tuple(PackClaim(result=results[key], covers=covered[key], tokens=costs[key]) for key in chosen)
    shown = {goal.key for goal in goals if goal.kind in (SubGoalKind.SLOT, SubGoalKind.STANDING_RULE)}
    shown &= frozenset[str]().union(*(item.covers for item in claims))
    return ClaimSelection(
        claims=claims,
        subgoals=tuple(goal for goal in goals if goal.key in shown),
        conflicts=_conflicts(chosen, results, opponents),
        excluded={key: why for key, why in cover.excluded.items() if key not in chosen},
        rules=len(rules),
    )


def _covered(goals: Sequence[SubGoal], results: Sequence[ClaimResult]) -> frozenset[str]:
    """Return the keys of the *goals* that one of *results* covers."""
    found: set[str] = set()
    for result in results:
        claim = result.claim
        tokens = stemmed_tokens([claim.text, claim.subject, claim.attribute, claim.value, claim.path])
        found.update(goal.key for goal in goals if _covers(goal, result, tokens))
    return frozenset(found)


def _covers(goal: SubGoal, result: ClaimResult, tokens: frozenset[str]) -> bool:
    if goal.kind is SubGoalKind.SLOT:
        return goal.key.partition(":")[2] == result.slot
    if goal.kind is SubGoalKind.STANDING_RULE:
        return goal.key.partition(":")[2] == result.claim.id
    return covers(goal, tokens)


def _standing(goals: Sequence[SubGoal]) -> list[str]:
    return [goal.key.partition(":")[2] for goal in goals if goal.kind is SubGoalKind.STANDING_RULE]


def _within(keys: Sequence[str], costs: Mapping[str, int], budget_tokens: int) -> list[str]:
    kept: list[str] = []
    for key in keys:
        if costs[key] <= budget_tokens:
            kept.append(key)
            budget_tokens -= costs[key]
    return kept


def _fitting(
    chosen: Sequence[str],
    costs: Mapping[str, int],
    opponents: Mapping[str, frozenset[str]],
    budget_tokens: int,
) -> list[str]:
    """Return what of *chosen* fits: a claim and its opponents come in together or not at all."""
    kept: list[str] = []
    for key in chosen:
        group = [item for item in (key, *sorted(opponents.get(key, ()))) if item not in kept]
        cost = sum(costs[item] for item in group)
        if cost <= budget_tokens:
            kept += group
            budget_tokens -= cost
    return kept


def _worth(result: ClaimResult) -> float:
    """Freshness x authority x sufficiency of proof; less for what only a line of code says."""
    freshness = 0.5 if result.claim.status in (ClaimStatus.STALE, ClaimStatus.CONTESTED) else 1.0
    authority = 0.5 + STRENGTH[result.claim.authority] / 100
    source = 1.0 if result.claim.session_id else FACT_WORTH
    return source * freshness * authority * _sufficiency(result.proofs)


def _sufficiency(proofs: Sequence[Proof]) -> float:
    """Return 1 - 0.5^n for n verified proofs: the first counts most."""
    verified = sum(proof.verification is VerificationStatus.VERIFIED for proof in proofs)
    return max(0.1, 1 - 0.5**verified)


def _conflicts(
    chosen: Sequence[str], results: Mapping[str, ClaimResult], opponents: Mapping[str, frozenset[str]]
) -> tuple[PackConflict, ...]:
    groups = {frozenset({key, *opponents[key]}) for key in chosen if opponents.get(key)}
    return tuple(
        PackConflict(claims=tuple(results[key].claim for key in sorted(group)), reason="they cannot all hold")
        for group in sorted(groups, key=sorted)
    )
