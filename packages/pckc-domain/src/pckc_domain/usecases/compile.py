"""Compile the context of a task: the proven passages that cover it, within an exact budget."""

from collections.abc import Sequence

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import query_head
from pckc_domain.model.context import ContextPack, PackEvidence, SubGoal
from pckc_domain.model.intent import TaskIntent
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.model.recall import PassageResult, SearchAnswer, SearchRequest
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.budget import DEFAULT_BUDGET_TOKENS, split_budget
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.subgoals import find_subgoals, topic_words
from pckc_domain.usecases.compile_claims import ClaimSelection, ClaimSelector
from pckc_domain.usecases.compile_evidence import EvidenceSelector
from pckc_domain.usecases.compile_graph import GraphWidening, TaskSymbols
from pckc_domain.usecases.packing import Packing
from pckc_domain.usecases.recall_passages import PassageSearch

GRANULAR_RESULTS = 40
CHUNK_RESULTS = 12
EVIDENCE_PERCENT = 25
"""Share of the memory budget for what was said and made no claim, if claims leave as much."""

PLAIN_RESULTS = 10
PLAIN_LAYERS = (Layer.PROPOSITION, Layer.PARAGRAPH, Layer.SUMMARY)


@attrs.frozen(kw_only=True)
class ContextRequest:
    """
    A task to compile a context for.

    Attributes:
        task: Any text; what is longer than a query may be is cut.
        intent: What the caller is about to do; unknown lets the task's words decide.
        preferred_layers: Overrides the intent's layers.
        proposition_types: Overrides the intent's types; ``None`` keeps them.
        files: Paths the task is about.
        symbols: Symbols the task is about.
        budget_tokens: What the rendered pack may cost.
    """

    task: str = attrs.field(converter=query_head)
    intent: TaskIntent = TaskIntent.UNKNOWN
    preferred_layers: tuple[Layer, ...] = ()
    proposition_types: frozenset[PropositionType] | None = None
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    budget_tokens: int = DEFAULT_BUDGET_TOKENS


class ContextCompiler:
    """Compiles packs over one scope."""

    def __init__(
        self,
        search: PassageSearch,
        claims: ClaimSelector,
        *,
        evidence: EvidenceSelector | None = None,
        graph: GraphWidening | None = None,
    ) -> None:
        self._search = search
        self._claims = claims
        self._evidence = evidence
        self._graph = graph

    def compile(self, scope: Scope, request: ContextRequest, *, checkout_id: str | None = None) -> ContextPack:
        """
        Return the pack of *request*; the same store and request give the same pack.

        Raises:
            InvalidInputError: The budget is negative.
        """
        if request.budget_tokens < 0:
            raise InvalidInputError(f"a token budget cannot be negative: {request.budget_tokens}")
        task = redact(request.task).text
        plain = self._plain(scope, request, task, checkout_id)
        granular = self._granular(scope, request, task, checkout_id)
        chunks = self._chunks(scope, request, task, checkout_id)
        subgoals = find_subgoals(task, granular.preference, files=request.files, symbols=request.symbols)
        room = split_budget(request.budget_tokens).memory
        selection = self._claims.select(
            scope, _query(task, request), subgoals, budget_tokens=room, checkout_id=checkout_id
        )
        evidence = self._said(scope, _query(task, request), subgoals, selection, room)
        goals = (*subgoals, *selection.subgoals)
        packing = Packing(granular.preference, goals, request.budget_tokens, selection, evidence)
        pointed = self._pointed(scope, request, task, checkout_id)
        packing.point(pointed)
        relevant = packing.relevant([*filter(packing.may_lead, plain.results), *granular.results, *chunks.results])
        packing.lead(relevant, plain.results)
        packing.cover(relevant)
        if not request.preferred_layers:  # who names the layers wants nothing else
            packing.widen(self._related(scope, packing.leading(), checkout_id))
        packing.support(relevant)
        return packing.finish(task, granular)

    def _said(
        self, scope: Scope, task: str, subgoals: Sequence[SubGoal], selection: ClaimSelection, room: int
    ) -> Sequence[PackEvidence]:
        if self._evidence is None:
            return ()
        told = [item.result.claim for item in selection.claims]
        share = min(room - selection.tokens, room * EVIDENCE_PERCENT // 100)
        return self._evidence.select(scope, task, subgoals, told, budget_tokens=share)

    def _pointed(self, scope: Scope, request: ContextRequest, task: str, checkout_id: str | None) -> TaskSymbols:
        if self._graph is None or checkout_id is None:
            return TaskSymbols()
        pointed = self._graph.task_symbols(scope, _query(task, request), checkout_id=checkout_id)
        return attrs.evolve(pointed, passages=()) if request.preferred_layers else pointed

    def _related(
        self, scope: Scope, chosen: Sequence[PassageResult], checkout_id: str | None
    ) -> Sequence[PassageResult]:
        if self._graph is None or checkout_id is None or not chosen:
            return ()
        return self._graph.related(scope, chosen, checkout_id=checkout_id)

    def _plain(self, scope: Scope, request: ContextRequest, task: str, checkout_id: str | None) -> SearchAnswer:
        """Search for the topics alone, without the intent's layers and types: what a search finds must be there."""
        search = SearchRequest(
            query=_topics(task, request),
            preferred_layers=request.preferred_layers or PLAIN_LAYERS,
            proposition_types=request.proposition_types or frozenset(),
            limit=PLAIN_RESULTS,
        )
        return self._search.search(scope, search, checkout_id=checkout_id)

    def _granular(self, scope: Scope, request: ContextRequest, task: str, checkout_id: str | None) -> SearchAnswer:
        search = SearchRequest(
            query=_query(task, request),
            intent=request.intent,
            preferred_layers=request.preferred_layers,
            proposition_types=request.proposition_types,
            limit=GRANULAR_RESULTS,
            one_per_place=False,
        )
        return self._search.search(scope, search, checkout_id=checkout_id)

    def _chunks(self, scope: Scope, request: ContextRequest, task: str, checkout_id: str | None) -> SearchAnswer:
        search = SearchRequest(
            query=_query(task, request),
            intent=request.intent,
            preferred_layers=(Layer.CHUNK,),
            proposition_types=frozenset(),
            limit=CHUNK_RESULTS,
        )
        return self._search.search(scope, search, checkout_id=checkout_id)


def _topics(task: str, request: ContextRequest) -> str:
    """Return the task without its verbs and fillers; a task of nothing else stays as it is."""
    topics = frozenset(topic_words(task))
    kept = " ".join(word for word in task.split() if not topics.isdisjoint(text_tokens(word)))
    return _query(kept or task, request)


def _query(task: str, request: ContextRequest) -> str:
    return " ".join([task, *request.symbols, *request.files])
