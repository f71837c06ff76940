"""What a search asks and answers."""

from collections.abc import Mapping
from datetime import datetime

import attrs

from pckc_domain.model.bounds import query_head
from pckc_domain.model.graph import Node
from pckc_domain.model.intent import GranularityPreference, TaskIntent
from pckc_domain.model.passage import Layer, PropositionType, StoredPassage
from pckc_domain.model.proof import Proof


@attrs.frozen(kw_only=True)
class SearchRequest:
    """
    A search over passages.

    Attributes:
        query: Any text; what is longer than a query may be is cut.
        intent: What the caller is about to do; unknown lets the query's words decide.
        preferred_layers: Overrides the intent's layers.
        proposition_types: Overrides the intent's types; ``None`` keeps them, empty means all.
        uri_prefixes: Keep documents whose uri starts with one of these; empty means all.
        limit: Maximum number of results, >= 1.
        one_per_place: Answer a paragraph or one proposition of it, whichever scores best, so that a place comes once.
    """

    query: str = attrs.field(converter=query_head)
    intent: TaskIntent = TaskIntent.UNKNOWN
    preferred_layers: tuple[Layer, ...] = ()
    proposition_types: frozenset[PropositionType] | None = None
    uri_prefixes: tuple[str, ...] = ()
    limit: int = 10
    one_per_place: bool = True


@attrs.frozen(kw_only=True)
class PassageResult:
    """
    One result.

    Attributes:
        stored: The passage and its document.
        layer: Its layer.
        score: Higher is better; see ``policy.scoring``.
        breakdown: Every signal of the score by name.
        proof: Its own locator, as a repository proof.
        via: Ids of the propositions or passages it was expanded from.
        is_changed: The file has changed since it was indexed.
        reason: Why it is there when the text alone does not say: ``calls Session.send``.
    """

    stored: StoredPassage
    layer: Layer
    score: float
    breakdown: Mapping[str, float]
    proof: Proof
    via: tuple[str, ...] = ()
    is_changed: bool = False
    reason: str = ""


@attrs.frozen(kw_only=True)
class IndexCoverage:
    """How much of what there is one index holds; *behind* counts changes it has not seen."""

    indexed: int
    total: int
    behind: int = 0


@attrs.frozen(kw_only=True)
class SearchAnswer:
    """
    What a search found and what it covered.

    Attributes:
        results: Best first, ties by id.
        preference: How the search was shaped, and why.
        signals: "hybrid", or "lexical only" with the reason.
        coverage: Per index.
        indexed_at: When the checkout's index was last brought up to date; ``None`` when never.
        is_complete: Whether that run finished.
    """

    results: tuple[PassageResult, ...]
    preference: GranularityPreference
    signals: str
    coverage: Mapping[str, IndexCoverage]
    indexed_at: datetime | None
    is_complete: bool


@attrs.frozen(kw_only=True)
class SymbolResult:
    """
    A symbol of the repository graph that bears on a question.

    Attributes:
        node: The symbol.
        score: Higher is better; see ``policy.symbol_scoring``.
        breakdown: Every signal of the score by name.
        stored: The narrowest paragraph that begins the symbol, its proof; ``None`` when none is indexed.
    """

    node: Node
    score: float
    breakdown: Mapping[str, float]
    stored: StoredPassage | None


@attrs.frozen(kw_only=True)
class SymbolAnswer:
    """
    What a search of symbols found.

    Attributes:
        results: Best first, ties by id.
        files: Paths with their scores, best first, ties by path.
        signals: As those of a passage search.
        coverage: Per index.
    """

    results: tuple[SymbolResult, ...]
    files: tuple[tuple[str, float], ...]
    signals: str
    coverage: Mapping[str, IndexCoverage]
