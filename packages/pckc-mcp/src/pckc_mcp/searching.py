"""One search over passages, claims and evidence, as the command line and the tools offer it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.claim import ClaimStatus, ClaimType
from pckc_domain.model.memory import ClaimResult, EvidenceResult, MemoryRequest
from pckc_domain.model.passage import PropositionType
from pckc_domain.model.recall import IndexCoverage, PassageResult, SearchAnswer, SymbolAnswer, SymbolResult
from pckc_domain.ports.sources import TreeChanges

from pckc_mcp.forms import Form, answer, changes_form, claim_form, evidence_form, passage_form, symbol_form, time_form
from pckc_mcp.requests import check_limit, memory_request, parse_layers, parse_offset, search_request

if TYPE_CHECKING:
    from pckc_domain.usecases.semantic import SemanticIndex

    from pckc_mcp.engine import Engine

MEMORY_LAYERS = ("claims", "evidence")
SYMBOLS = "symbols"
CLAIM_TYPES = frozenset(map(str, ClaimType))
PASSAGE_TYPES = frozenset(map(str, PropositionType))
RANK_CONSTANT = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009), which merges lists whose scores do not compare."""

PAST_PLACES = 5
"""Enough to stand behind what answers best now, and not so many that history is no longer found."""

REACH = 30
"""Results are ranked in lists of this length, or of a multiple: pages of one list neither overlap nor leave gaps."""

BY_WORDS = ("fts_rank_normalized", "coverage", "lexical", "definition")
"""Signals of a result that come from words which it shares with the query."""

NEAREST = "no result shares a word with the query: these are the nearest by meaning, and may be far from any answer"
"""Said instead of leaving them out: how near the nearest is does not tell whether it answers."""

MOST_BEHIND = 1_000
"""Sessions counted at most that wait to be derived."""

Result = PassageResult | ClaimResult | EvidenceResult | SymbolResult


@attrs.frozen(kw_only=True)
class SearchOptions:
    """
    What to search and what to keep; names are checked when the search runs.

    Attributes:
        layers: passages, chunk, paragraph, proposition, summary, claims, evidence, symbols or all; empty
            means all but symbols.
        types: Proposition types or claim types; every result that has a type then has one of these.
        intent: What the caller is about to do.
        paths: Keep passages, and what only the repository says, under these paths.
        status: Keep claims with one of these statuses.
        sessions: Keep claims and evidence of these sessions, by id or by the host's own id.
        as_of: Answer what held then.
        known_at: Answer what was known then.
        limit: Most results.
        cursor: An answer's ``next_cursor``; up to `REACH` results its pages are one ranking.
    """

    layers: Sequence[str] = ()
    types: Sequence[str] = ()
    intent: str = "unknown"
    paths: Sequence[str] = ()
    status: Sequence[str] = ()
    sessions: Sequence[str] = ()
    as_of: str | None = None
    known_at: str | None = None
    limit: Any = 10
    cursor: str = ""


@attrs.frozen(kw_only=True)
class Found:
    """
    Results of every layer searched, merged, with what they cover.

    *files* are ranked where symbols are searched; *changes* are what of the work tree the answer does not know,
    ``None`` where that was not looked at.
    """

    results: tuple[Result, ...]
    passages: SearchAnswer | None
    files: tuple[tuple[str, float], ...]
    coverage: dict[str, IndexCoverage]
    signals: str
    changes: TreeChanges | None
    notes: tuple[str, ...]
    next_cursor: str | None


class Searching:
    """Runs searches on an opened project."""

    def __init__(self, engine: "Engine", semantic: "SemanticIndex | None") -> None:
        self._engine = engine
        self._semantic = semantic
        self._passages = engine.search(semantic)

    def find(self, query: str, options: SearchOptions) -> Found:
        """
        Search the layers asked for and merge what they answer.

        Raises:
            InvalidInputError: An option is not what it should be.
        """
        layers = self._layers(options)
        of_files = [layer for layer in layers if layer not in MEMORY_LAYERS]
        if of_files:
            self._engine.tree.begin()
        offset = parse_offset(options.cursor)
        reach = _reach(options, offset)
        lists: list[Sequence[Result]] = []
        coverage: dict[str, IndexCoverage] = {}
        signals = ""
        passages = None
        files: tuple[tuple[str, float], ...] = ()
        request = self._memory_request(query, options, reach)
        if "claims" in layers:
            search = self._engine.claim_search(self._semantic)
            claims = search.search(self._engine.scope, request, branch=self._engine.checkout.branch)
            lists.append(claims.results)
            coverage |= claims.coverage
            signals = claims.signals
        if "evidence" in layers:
            evidence = self._engine.evidence_search(self._semantic).search(self._engine.scope, request)
            lists.append(evidence.results)
            coverage |= {**evidence.coverage, "evidence": self._evidence_coverage()}
            signals = evidence.signals
        if SYMBOLS in layers:
            symbols = self._find_symbols(query, options, reach)
            lists.append(symbols.results)
            files = symbols.files[: options.limit]
            coverage |= symbols.coverage
            signals = symbols.signals
        if passage_layers := [layer for layer in layers if layer not in (*MEMORY_LAYERS, SYMBOLS)]:
            passages = self._find_passages(query, options, passage_layers, reach)
            lists.append(passages.results)
            coverage = {**passages.coverage, **coverage}
            signals = passages.signals
        merged = _merged(lists, is_now=not (options.as_of or options.known_at))
        end = offset + options.limit
        is_only_near = signals == "hybrid" and bool(merged) and not any(map(_shares_words, merged))
        return Found(
            results=tuple(merged[offset:end]),
            passages=passages,
            files=files,
            coverage=coverage,
            signals=signals,
            changes=self._engine.tree.changes() if of_files else None,
            notes=(NEAREST,) if is_only_near else (),
            next_cursor=str(end) if len(merged) > end else None,
        )

    def answer(self, query: str, options: SearchOptions) -> Form:
        """Return what `find` finds as the stable form."""
        return self.form(self.find(query, options))

    def form(self, found: Found) -> Form:
        """Return *found* as the stable form."""
        passages = found.passages
        return answer(
            "search",
            found.coverage,
            intent=str(passages.preference.intent) if passages else None,
            reason=passages.preference.reason if passages else None,
            layers=[str(layer) for layer in passages.preference.preferred_layers] if passages else [],
            signals=found.signals,
            notes=list(found.notes),
            indexed_at=time_form(passages.indexed_at) if passages else None,
            is_complete=passages.is_complete and not found.changes if passages else None,
            changes=changes_form(found.changes),
            next_cursor=found.next_cursor,
            files=[{"path": path, "score": round(score, 6)} for path, score in found.files],
            results=[self._result_form(result) for result in found.results],
        )

    def _layers(self, options: SearchOptions) -> list[str]:
        """Where no session was ever kept, only passages are searched unless more was asked for."""
        layers = _layers(options)
        if options.layers or "passages" not in layers or self._has_sessions():
            return layers
        return [layer for layer in layers if layer not in MEMORY_LAYERS]

    def _has_sessions(self) -> bool:
        with self._engine.canonical.reading(self._engine.scope) as work:
            return bool(work.sessions.find(limit=1))

    def _find_passages(self, query: str, options: SearchOptions, layers: Sequence[str], reach: int) -> SearchAnswer:
        request = search_request(
            query,
            layers=layers,
            types=[name for name in options.types if name in PASSAGE_TYPES],
            intent=options.intent,
            paths=options.paths,
            limit=reach,
        )
        return self._passages.search(self._engine.scope, request, checkout_id=self._engine.checkout.id)

    def _find_symbols(self, query: str, options: SearchOptions, reach: int) -> SymbolAnswer:
        request = search_request(query, paths=options.paths, limit=reach)
        search = self._engine.symbol_search(self._semantic)
        return search.search(self._engine.scope, request, checkout_id=self._engine.checkout.id)

    def _memory_request(self, query: str, options: SearchOptions, reach: int) -> MemoryRequest:
        return memory_request(
            query,
            types=[name for name in options.types if name in CLAIM_TYPES],
            status=options.status,
            sessions=self._session_ids(options.sessions),
            paths=options.paths,
            as_of=options.as_of,
            known_at=options.known_at,
            limit=reach,
        )

    def _evidence_coverage(self) -> IndexCoverage:
        """Sessions that gained events since they were derived are what the evidence is behind."""
        with self._engine.canonical.reading(self._engine.scope) as work:
            count = work.census.evidence()
            behind = len(work.sessions.find(limit=MOST_BEHIND, is_underived=True))
        return IndexCoverage(indexed=count, total=count, behind=behind)

    def _session_ids(self, names: Sequence[str]) -> list[str]:
        """Sessions go by their id or by the host's own."""
        if not names:
            return []
        wanted = set(names)
        found: list[str] = []
        after = ""
        with self._engine.canonical.reading(self._engine.scope) as work:
            while page := work.sessions.find(after=after, limit=500):
                found += [session.id for session in page if {session.id, session.source_id} & wanted]
                after = page[-1].id
        return found or list(names)

    def _result_form(self, result: Result) -> Form:
        if isinstance(result, PassageResult):
            return passage_form(result)
        if isinstance(result, EvidenceResult):
            return evidence_form(result)
        if isinstance(result, SymbolResult):
            return symbol_form(result)
        return claim_form(result, self._engine)


def _reach(options: SearchOptions, offset: int) -> int:
    """Return how long the lists to merge must be: up to the end of the page, and one more to know of another."""
    wanted = offset + check_limit(options.limit) + 1
    return -(-wanted // REACH) * REACH


def _layers(options: SearchOptions) -> list[str]:
    """
    Return the layers to search: those asked for, less those that cannot answer.

    Only claims and propositions have a type, only claims a status, and passages know neither session nor time.
    """
    names = [name for name in options.layers if name != "all"]
    parse_layers([name for name in names if name not in (*MEMORY_LAYERS, SYMBOLS)])
    if unknown := [name for name in options.types if name not in PASSAGE_TYPES | CLAIM_TYPES]:
        known = sorted(PASSAGE_TYPES | CLAIM_TYPES)
        raise InvalidInputError(f"unknown type {unknown[0]!r}", remedy=f"one of: {', '.join(known)}")
    every = [*MEMORY_LAYERS, *([SYMBOLS] if "all" in options.layers else []), "passages"]
    chosen = names or every
    layers = [name for name in chosen if _can_answer(name, options)]
    if not layers:
        raise InvalidInputError(
            f"{', '.join(chosen)} cannot be filtered like this",
            remedy="claims and propositions have types, claims a status, passages and symbols no session and no time",
        )
    return layers


def _can_answer(layer: str, options: SearchOptions) -> bool:
    if layer == "claims":
        return not options.types or not CLAIM_TYPES.isdisjoint(options.types)
    if layer == "evidence":
        return not options.types and not options.status
    if options.status or options.sessions or options.as_of or options.known_at:
        return False
    if layer == SYMBOLS:
        return not options.types
    has_types = layer in ("passages", "proposition")
    return not options.types or (has_types and not PASSAGE_TYPES.isdisjoint(options.types))


def _shares_words(result: Result) -> bool:
    """Return whether a result has words of the query: what is near by meaning is always there, however far it is."""
    return isinstance(result, SymbolResult) or any(result.breakdown.get(signal) for signal in BY_WORDS)


def _is_instruction(result: Result) -> bool:
    """Whether it is among the results because a request may want it done so, not for what it says of it."""
    return isinstance(result, EvidenceResult) and not result.score


def _is_past(result: Result) -> bool:
    """Whether it is a claim that holds no longer, or that nothing vouches for any more."""
    if not isinstance(result, ClaimResult):
        return False
    return result.claim.valid_to is not None or result.claim.status is ClaimStatus.STALE


def _merged(lists: Sequence[Sequence[Result]], *, is_now: bool) -> list[Result]:
    """
    Merge ranked lists by reciprocal rank; a lone list stays.

    Standing instructions that match nothing come last. When it is asked what holds now, what is past is `PAST_PLACES`
    lower than in its list: what a document says comes before what it said.
    """
    if len(lists) == 1:
        return list(lists[0])
    ranked = [
        (_is_instruction(result), -1 / (RANK_CONSTANT + rank), number, rank, result)
        for number, results in enumerate(lists)
        for place, result in enumerate(results)
        for rank in [place + (PAST_PLACES if is_now and _is_past(result) else 0)]
    ]
    return [result for *_, result in sorted(ranked, key=lambda item: item[:4])]
