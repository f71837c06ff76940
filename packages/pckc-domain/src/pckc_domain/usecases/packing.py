"""A pack in the making: what of the found is taken, within an exact budget, and how it is told."""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.model.context import (
    ContextPack,
    CoveredGoal,
    Exclusion,
    PackEvidence,
    PackPassage,
    PackSection,
    SubGoal,
    SubGoalKind,
)
from pckc_domain.model.document import SourceClass
from pckc_domain.model.identity import content_id
from pckc_domain.model.intent import GranularityPreference, TaskIntent
from pckc_domain.model.passage import Chunk, Layer, Paragraph, Passage, Proposition
from pckc_domain.model.recall import PassageResult, SearchAnswer
from pckc_domain.policy.budget import CHUNK_PERCENT
from pckc_domain.policy.compiler import Candidate, choose_cover
from pckc_domain.policy.passage_coverage import is_called
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.rendering import (
    CLAIMS_TITLE,
    CLOSING,
    EVIDENCE_TITLE,
    SECTION_TITLES,
    render_claim,
    render_evidence,
    render_goals,
    render_header,
    render_lack,
    render_passage,
    render_verification,
)
from pckc_domain.policy.subgoals import covers, stem, stemmed_tokens
from pckc_domain.policy.tokens import count_tokens
from pckc_domain.usecases.compile_claims import ClaimSelection
from pckc_domain.usecases.compile_graph import TaskSymbols

RELEVANCE_FLOOR = 0.5
"""A passage enters the pack when its relevance is at least this share of the best: one shared word proves nothing."""

NEIGHBOUR_FLOOR = 0.25
"""The same for passages of the file that holds the best."""

CHUNK_FLOOR = 0.7
"""The same for chunks, as a long text holds more words by chance and costs more, and for tests not asked for."""

LEADING = 4
"""So many of the best results of a plain search lead the pack."""

LEAD_PERCENT = 90
"""They may cost together at most this share of what is left."""

POINTED_PERCENT = 50
"""Of what is left, for the definitions of what the task names outright: frames of a stack trace, paths, identifiers."""

RELATED_PERCENT = 30
"""Of what is left, for what is joined with the pack in the graph."""

TEST_WORTH = 0.6
"""What a test is worth when the task is not about tests."""

FILE_SHARE = 0.3
"""How much the worth of its file counts where a passage stands in the pack."""

OVERLAP = 0.5
"""Share of a passage's lines that, once in the pack, make it redundant."""


class Packing:
    """
    One pack in the making.

    Args:
        preference: What the task wants.
        subgoals: What a pack should speak of.
        budget_tokens: What the rendered pack may cost.
        selection: The claims, within their share.
        evidence: What was said besides, within what the claims leave of it.
    """

    def __init__(
        self,
        preference: GranularityPreference,
        subgoals: Sequence[SubGoal],
        budget_tokens: int,
        selection: ClaimSelection,
        evidence: Sequence[PackEvidence] = (),
    ) -> None:
        self._preference = preference
        self._subgoals = subgoals
        self._budget = budget_tokens
        self._header = render_header(preference)
        self._verification = _verification(preference, has_claims=bool(selection.claims))
        frame = count_tokens(self._header) + count_tokens(CLOSING) + count_tokens(_titles())
        goals = count_tokens(self._render_goals({})) + count_tokens(render_verification(self._verification))
        self._has_goals = frame + 2 * goals <= budget_tokens // 2
        self._left = budget_tokens - frame - (2 * goals if self._has_goals else 0)
        self._claims = selection.claims if selection.tokens <= self._left else ()
        self._conflicts = selection.conflicts if self._claims else ()
        self._left -= sum(item.tokens for item in self._claims)
        told = sum(item.result.claim.is_standing for item in self._claims)
        self._lack = render_lack(max(0, selection.rules - told))
        self._left -= count_tokens(self._lack)
        said = count_tokens(EVIDENCE_TITLE) + sum(item.tokens for item in evidence)
        self._evidence = tuple(evidence) if said <= self._left else ()
        self._left -= said if self._evidence else 0
        self._chosen: list[PackPassage] = []
        self._files: tuple[tuple[str, float], ...] = ()
        self._excluded: dict[str, str] = dict(selection.excluded)
        if not self._claims:
            self._excluded |= {item.result.claim.id: "does not fit the budget" for item in selection.claims}

    def relevant(self, results: Sequence[PassageResult]) -> Sequence[PassageResult]:
        """Return the distinct results that speak of the task, the best first, then in order."""
        distinct = {result.stored.passage.id: result for result in results}
        if not distinct:
            return []
        best = max(distinct.values(), key=lambda result: (_relevance(result), result.layer is not Layer.CHUNK))
        kept = {best.stored.passage.id: best}
        for key, result in distinct.items():
            if _relevance(result) >= _relevance(best) * _floor(result, best):
                kept[key] = result
            else:
                self._excluded[key] = "says too little of the task"
        return list(kept.values())

    def point(self, symbols: TaskSymbols) -> None:
        """Take the definitions of what the task names outright, within their share."""
        self._files = symbols.files
        share = self._left * POINTED_PERCENT // 100
        for result in symbols.passages:
            if not self._overlaps(result) and _cost(result) <= share:
                self._take(result)
                share -= _cost(result)

    def leading(self) -> Sequence[PassageResult]:
        """Return what is in the pack so far, the best first."""
        chosen = (item.result for item in self._chosen if item.result.layer is not Layer.SUMMARY)
        return sorted(chosen, key=lambda result: (-result.score, result.stored.passage.id))[:LEADING]

    def widen(self, related: Sequence[PassageResult]) -> None:
        """Take what is joined with the pack in the graph, within its share; what is in it already gets its reason."""
        reasons = {result.stored.passage.id: result.reason for result in related}
        self._chosen = [self._with_reason(item, reasons) for item in self._chosen]
        self._fill(related, max(0, self._left) * RELATED_PERCENT // 100)

    def _with_reason(self, item: PackPassage, reasons: Mapping[str, str]) -> PackPassage:
        reason = reasons.get(item.result.stored.passage.id)
        if not reason or item.result.reason:
            return item
        result = attrs.evolve(item.result, reason=reason)
        tokens = _cost(result)
        if tokens - item.tokens > self._left:
            return item
        self._left -= tokens - item.tokens
        return attrs.evolve(item, result=result, tokens=tokens)

    def lead(self, relevant: Sequence[PassageResult], plain: Sequence[PassageResult]) -> None:
        """Take the best passages of a plain search, however few sub-goals they cover, unless they cost too much."""
        kept = {result.stored.passage.id for result in relevant}
        best = [result for result in plain if result.stored.passage.id in kept and self.may_lead(result)]
        best = sorted(best, key=self._lead_order)[:LEADING] or list(relevant[:1])
        share = self._left * LEAD_PERCENT // 100
        for result in best:
            if not self._overlaps(result) and _cost(result) <= share:
                self._take(result)
                share -= _cost(result)

    def may_lead(self, result: PassageResult) -> bool:
        """Tests not asked for never lead, digests of files only in an overview: elsewhere they say little for a lot."""
        is_overview = Layer.SUMMARY in self._preference.preferred_layers[:2]
        return not _is_unasked_test(result) and (is_overview or result.layer is not Layer.SUMMARY)

    def _lead_order(self, result: PassageResult) -> tuple[bool, bool]:
        """Definitions come first, and what digests a file the task calls by name; notes of changes come last."""
        names = {stem(word) for goal in self._subgoals if goal.kind is SubGoalKind.TOPIC for word in goal.words}
        is_named = result.breakdown["definition"] > 0 or is_called(result.stored, names)
        return not is_named, result.stored.document.source is SourceClass.NOTE

    def cover(self, relevant: Sequence[PassageResult]) -> None:
        """Take the smallest set of passages that covers the sub-goals which no claim covers."""
        results = {result.stored.passage.id: result for result in relevant}
        proven = frozenset[str]().union(*(item.covers for item in self._claims))
        proven = proven.union(*(self._candidate(item.result).covers for item in self._chosen))
        candidates = [self._candidate(result) for result in relevant if not self._is_chosen(result)]
        candidates = [attrs.evolve(candidate, covers=candidate.covers - proven) for candidate in candidates]
        cover = choose_cover(candidates, budget_tokens=max(0, self._left))
        for chosen in cover.chosen:
            self._take(results[chosen])
        self._excluded |= cover.excluded

    def support(self, relevant: Sequence[PassageResult]) -> None:
        """Fill each section's share with the next best passages; what one leaves goes to the other."""
        granular = [result for result in relevant if result.layer is not Layer.CHUNK]
        chunks = [result for result in relevant if result.layer is Layer.CHUNK]
        left = max(0, self._left)
        chunk_share = left * CHUNK_PERCENT // 100
        chunk_share -= self._fill(chunks, chunk_share)
        granular_share = left - left * CHUNK_PERCENT // 100 + chunk_share
        granular_share -= self._fill(granular, granular_share)
        self._fill(chunks, granular_share)

    def finish(self, task: str, answer: SearchAnswer) -> ContextPack:
        """Render, count and hash."""
        passages = self._in_reading_order()
        goals = self._goals(passages)
        text = self._render(passages, goals)
        tokens = count_tokens(text)
        if tokens > self._budget:
            self._claims, self._evidence, self._conflicts, passages, text, tokens = (), (), (), (), "", 0
            goals = self._goals(passages)
        taken = {item.result.stored.passage.id for item in passages} | {item.result.claim.id for item in self._claims}
        exclusions = [Exclusion(id=key, reason=why) for key, why in sorted(self._excluded.items()) if key not in taken]
        digests = (f"{item.result.stored.passage.id}:{item.result.proof.digest}" for item in passages)
        return ContextPack(
            task=task,
            preference=self._preference,
            subgoals=goals,
            claims=self._claims,
            evidence=self._evidence,
            passages=passages,
            files=self._files,
            conflicts=self._conflicts,
            gaps=tuple(goal.subgoal.goal for goal in goals if not goal.covered_by),
            exclusions=tuple(exclusions),
            verification=self._verification,
            tokens=tokens,
            budget=self._budget,
            hash=content_id("pack", task, str(self._budget), text, *digests),
            text=text,
            signals=answer.signals,
            coverage=answer.coverage,
            indexed_at=answer.indexed_at,
            is_complete=answer.is_complete,
        )

    def _fill(self, results: Sequence[PassageResult], share: int) -> int:
        """Take what supports the pack from *results* within *share* and return the tokens spent."""
        spent = 0
        for result in results:
            if self._is_chosen(result):
                continue
            key = result.stored.passage.id
            tokens = _cost(result)
            if self._overlaps(result):
                self._excluded[key] = "its lines are in the pack already"
            elif spent + tokens > share:
                self._excluded[key] = "does not fit the budget"
            else:
                self._take(result)
                spent += tokens
        return spent

    def _is_chosen(self, result: PassageResult) -> bool:
        return any(item.result.stored.passage.id == result.stored.passage.id for item in self._chosen)

    def _take(self, result: PassageResult) -> None:
        section = PackSection.CHUNKS if result.layer is Layer.CHUNK else PackSection.GRANULAR
        item = PackPassage(result=result, section=section, tokens=_cost(result))
        self._chosen.append(item)
        self._left -= item.tokens

    def _candidate(self, result: PassageResult) -> Candidate:
        tokens = stemmed_tokens(_speaking(result.stored.passage, result.stored.document.uri))
        covered = {goal.key for goal in self._subgoals if covers(goal, tokens) or self._serves_intent(goal, result)}
        worth = max(_relevance(result), 1e-6) * result.breakdown["source_quality"] * (0.5 if result.is_changed else 1.0)
        return Candidate(
            id=result.stored.passage.id, tokens=max(1, _cost(result)), covers=frozenset(covered), worth=worth
        )

    def _speaks_of_topic(self, result: PassageResult) -> bool:
        """Whether the passage covers half of the entities and topics; one shared word proves nothing."""
        named = [goal for goal in self._subgoals if goal.kind in (SubGoalKind.ENTITY, SubGoalKind.TOPIC)]
        tokens = stemmed_tokens(_speaking(result.stored.passage, result.stored.document.uri))
        return 2 * sum(covers(goal, tokens) for goal in named) >= len(named)

    def _serves_intent(self, goal: SubGoal, result: PassageResult) -> bool:
        passage = result.stored.passage
        return (
            goal.kind is SubGoalKind.INTENT
            and self._speaks_of_topic(result)
            and isinstance(passage, Proposition)
            and passage.type in self._preference.proposition_types
        )

    def _overlaps(self, result: PassageResult) -> bool:
        """Whether most of the passage's lines are in the pack already."""
        passage, document = result.stored.passage, result.stored.document
        lines = set(range(passage.start_line, passage.end_line + 1))
        for item in self._chosen:
            other = item.result.stored
            if other.document.id == document.id and isinstance(other.passage, Paragraph | Chunk):
                lines -= set(range(other.passage.start_line, other.passage.end_line + 1))
        length = passage.end_line - passage.start_line + 1
        return result.layer is not Layer.SUMMARY and len(lines) <= (1 - OVERLAP) * length

    def _in_reading_order(self) -> tuple[PackPassage, ...]:
        """By section, what the task names first, then the best, with a share for the file's worth to the task."""
        order = list(SECTION_TITLES)
        best = max((score for _, score in self._files), default=1.0)
        worth = {path: score / best for path, score in self._files}

        def key(item: PackPassage) -> tuple[int, float, str]:
            share = FILE_SHARE * worth.get(item.result.stored.document.uri, 0.0)
            score = (1 - FILE_SHARE) * item.result.score + share
            return order.index(item.section), -score, item.result.stored.passage.id

        return tuple(sorted(self._chosen, key=key))

    def _goals(self, passages: Sequence[PackPassage]) -> tuple[CoveredGoal, ...]:
        items: dict[str, list[str]] = {goal.key: [] for goal in self._subgoals}
        proofs: dict[str, list[str]] = {goal.key: [] for goal in self._subgoals}
        for claim in self._claims:
            for key in sorted(claim.covers & items.keys()):
                items[key].append(claim.result.claim.id)
                proofs[key] += [proof.id for proof in claim.result.proofs]
        for said in self._evidence:
            for key in sorted(said.covers & items.keys()):
                items[key].append(said.result.evidence.id)
        for item in passages:
            for key in sorted(self._candidate(item.result).covers):
                items[key].append(item.result.stored.passage.id)
                proofs[key].append(item.result.proof.id)
        return tuple(
            CoveredGoal(subgoal=goal, covered_by=tuple(items[goal.key]), proofs=tuple(proofs[goal.key]))
            for goal in self._subgoals
        )

    def _render(self, passages: Sequence[PackPassage], goals: Sequence[CoveredGoal]) -> str:
        parts = [self._header, self._lack]
        if self._claims:
            parts += [CLAIMS_TITLE, *(render_claim(item.result) for item in self._claims)]
        if self._evidence:
            parts += [EVIDENCE_TITLE, *(render_evidence(item.result, item.text) for item in self._evidence)]
        for section, title in SECTION_TITLES.items():
            blocks = [render_passage(item.result) for item in passages if item.section is section]
            if blocks:
                parts += [f"{title}\n", *blocks]
        if self._has_goals:
            places = {item.result.stored.passage.id: _place(item.result) for item in passages}
            places |= {item.result.claim.id: f"{item.result.claim.type} above" for item in self._claims}
            places |= {item.result.evidence.id: "said above, not checked" for item in self._evidence}
            parts += [self._render_goals_of(goals, places), render_verification(self._verification)]
        return redact("".join([*parts, CLOSING])).text

    def _render_goals(self, places: dict[str, str]) -> str:
        empty = [CoveredGoal(subgoal=goal, covered_by=(), proofs=()) for goal in self._subgoals]
        return render_goals(empty, places)

    def _render_goals_of(self, goals: Sequence[CoveredGoal], places: Mapping[str, str]) -> str:
        """The first place of each sub-goal: what was reserved for the list suffices."""
        first = [attrs.evolve(goal, covered_by=goal.covered_by[:1]) for goal in goals]
        return render_goals(first, dict(places))


def _speaking(passage: Passage, uri: str) -> tuple[str, ...]:
    """The texts by which a passage speaks of a thing: its own, its headings and its file's name."""
    if isinstance(passage, Paragraph):
        return (passage.text, passage.section_heading, *passage.symbol_names, uri)
    if isinstance(passage, Proposition):
        return (passage.text, passage.subject, uri)
    return (passage.text, uri)


def _relevance(result: PassageResult) -> float:
    return result.breakdown["relevance"] * (TEST_WORTH if _is_unasked_test(result) else 1.0)


def _is_unasked_test(result: PassageResult) -> bool:
    return result.breakdown["test_penalty"] > 0


def _floor(result: PassageResult, best: PassageResult) -> float:
    if result.layer is Layer.CHUNK or _is_unasked_test(result):
        return CHUNK_FLOOR
    return NEIGHBOUR_FLOOR if result.stored.document.id == best.stored.document.id else RELEVANCE_FLOOR


def _place(result: PassageResult) -> str:
    uri, passage = result.stored.document.uri, result.stored.passage
    return "a passage above" if passage.place else f"{uri}:{passage.start_line}"


def _cost(result: PassageResult) -> int:
    return count_tokens(render_passage(result))


def _titles() -> str:
    return CLAIMS_TITLE + "".join(f"{title}\n" for title in SECTION_TITLES.values())


def _verification(preference: GranularityPreference, *, has_claims: bool) -> tuple[str, ...]:
    steps = {
        TaskIntent.BUG_FIX: "reproduce the fault with a failing test before the fix",
        TaskIntent.TEST_FAILURE: "run the failing test alone, then its whole file",
        TaskIntent.REFACTOR: "run the whole test suite before and after",
        TaskIntent.FEATURE_IMPLEMENTATION: "write a test for the new behaviour",
        TaskIntent.TRIVIAL_EDIT: "run the tests of the edited file",
    }
    step = steps.get(preference.intent)
    relied_on = "the ids of the claims you rely on" if has_claims else "what you rely on"
    return (*([step] if step else []), f"verify {relied_on} (`pckc verify`, memory_get)")
