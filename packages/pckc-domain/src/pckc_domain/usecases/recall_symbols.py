"""Find the symbols, and the files, that a question or a bug report is about."""

from collections.abc import Iterable, Sequence

import attrs

from pckc_domain.model.graph import GraphLayer, Node, NodeKind
from pckc_domain.model.passage import Layer, Paragraph, StoredPassage
from pckc_domain.model.recall import (
    IndexCoverage,
    PassageResult,
    SearchAnswer,
    SearchRequest,
    SymbolAnswer,
    SymbolResult,
)
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.document_kinds import is_test_path
from pckc_domain.policy.granularity import asks_of_tests
from pckc_domain.policy.graph.spreading import spread
from pckc_domain.policy.redaction import redact
from pckc_domain.policy.symbol_scoring import (
    FILE_SHARE,
    TEST_WORTH,
    SymbolSignals,
    SymbolWeights,
    normalized,
    rank_files,
    score_symbol,
)
from pckc_domain.policy.task_signs import Place, TaskSigns, read_signs
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.usecases.recall_passages import PassageSearch

PASSAGES = 40
LEXICAL = 60
REACHED = 150
"""Nodes that relevance reached and that are looked at: the strongest."""

FRAME_DECAY = 0.85
"""What each further frame of a stack trace is worth beside the one before."""

MANY_MEANINGS = 8
"""A name with more meanings says nothing about any of them."""

NAME_WORTH = 0.8
PLACE_WORTH = 0.7
SUFFIX_PARTS = 5
"""Parts of a path that are looked for at most: what stands before them is where it lay on another machine."""

_ANSWERED = frozenset(NodeKind) - {NodeKind.RATIONALE, NodeKind.LAMBDA}


class SymbolSearch:
    """Searches the symbols of one checkout's repository graph."""

    def __init__(self, canonical: Canonical, passages: PassageSearch, *, weights: SymbolWeights | None = None) -> None:
        self._canonical = canonical
        self._passages = passages
        self._weights = weights or SymbolWeights()

    def search(self, scope: Scope, request: SearchRequest, *, checkout_id: str) -> SymbolAnswer:
        """
        Return the symbols that *request* is about: named in it, found by words and meaning, or near those.

        The intent, layers and types of the request do not matter here.

        Raises:
            InvalidInputError: The limit is below 1.
        """
        query = redact(request.query).text
        paragraphs = attrs.evolve(
            request,
            query=query,
            preferred_layers=(Layer.PARAGRAPH, Layer.PROPOSITION),
            proposition_types=frozenset(),
            limit=max(PASSAGES, request.limit),
        )
        found = self._passages.search(scope, paragraphs, checkout_id=checkout_id)
        with self._canonical.reading(scope) as work:
            seeking = _Seeking(work.graph(checkout_id, GraphLayer.REPOSITORY), request.uri_prefixes)
            seeking.named(read_signs(query))
            seeking.lexical(query)
            seeking.passages(found.results)
            seeking.spread(self._weights)
            asked = asks_of_tests(query, found.preference) or any(map(is_test_path, request.uri_prefixes))
            ranked, files = seeking.ranked(self._weights, is_for_tests=asked)
            stored = paragraphs_of(work, checkout_id, [result.node for result in ranked[: request.limit]])
            coverage = self._coverage(work, checkout_id, found)
        kept = [attrs.evolve(result, stored=stored.get(result.node.id)) for result in ranked[: request.limit]]
        return SymbolAnswer(results=tuple(kept), files=tuple(files), signals=found.signals, coverage=coverage)

    def _coverage(self, work: UnitOfWork, checkout_id: str, found: SearchAnswer) -> dict[str, IndexCoverage]:
        files = len(work.graph(checkout_id, GraphLayer.REPOSITORY).files.known())
        return {"symbols": IndexCoverage(indexed=files, total=files), **found.coverage}


class _Seeking:
    """The signals of one search, by node."""

    def __init__(self, graph: GraphWork, prefixes: tuple[str, ...]) -> None:
        self._graph = graph
        self._prefixes = prefixes
        self._nodes: dict[str, Node] = {}
        self._named: dict[str, float] = {}
        self._lexical: dict[str, float] = {}
        self._passages: dict[str, float] = {}
        self._spread: dict[str, float] = {}

    def named(self, signs: TaskSigns) -> None:
        """Find what the text points at: frames first, then places, then names."""
        worth = 1.0
        for frame in signs.frames:
            if nodes := self._at(frame):
                self._note(self._named, nodes, worth)
                worth *= FRAME_DECAY
        for place in signs.places:
            self._note(self._named, self._at(place), PLACE_WORTH)
        for name in signs.names:
            nodes = self._graph.symbols.named(name.replace("::", "."))
            if 0 < len(nodes) <= MANY_MEANINGS:
                self._note(self._named, nodes, NAME_WORTH / len(nodes) ** 0.5)

    def lexical(self, query: str) -> None:
        """Find symbols by the words of the query."""
        for node, score in self._graph.symbols.search(analyze_query(query), limit=LEXICAL):
            self._note(self._lexical, [node], score)

    def passages(self, results: Sequence[PassageResult]) -> None:
        """Find the innermost symbols around passages."""
        for result in results:
            passage = result.stored.passage
            nodes = self._graph.symbols.at(result.stored.document.uri, lines=(passage.start_line, passage.end_line))
            self._note(self._passages, innermost(nodes, passage.start_line, passage.end_line), result.score)

    def spread(self, weights: SymbolWeights) -> None:
        """Let relevance flow from what was found to what is joined with it."""
        seeds = SymbolSignals(
            named=self._named, lexical=normalized(self._lexical), passage=normalized(self._passages), graph={}
        )
        evidence = {node: score_symbol(node, seeds, weights)[0] for node in self._nodes}
        links = self._graph.links
        self._spread = spread(
            {node: value for node, value in evidence.items() if value > 0},
            lambda ids: [*links.edges(ids, Direction.OUT), *links.edges(ids, Direction.IN)],
        )
        strongest = sorted(self._spread, key=lambda node: (-self._spread[node], node))[:REACHED]
        unknown = [node for node in strongest if node not in self._nodes]
        self._nodes |= {node.id: node for node in self._graph.symbols.get(unknown)}

    def ranked(
        self, weights: SymbolWeights, *, is_for_tests: bool
    ) -> tuple[list[SymbolResult], list[tuple[str, float]]]:
        """Return every symbol found and every file, best first, ties by id and path."""
        signals = SymbolSignals(
            named=normalized(self._named),
            lexical=normalized(self._lexical),
            passage=normalized(self._passages),
            graph=normalized(self._spread),
        )
        results = []
        for node in self._nodes.values():
            if node.kind not in _ANSWERED or not node.path.startswith(self._prefixes or ""):
                continue
            score, breakdown = score_symbol(node.id, signals, weights)
            if not is_for_tests and is_test_path(node.path):
                score *= TEST_WORTH
                breakdown["test_penalty"] = 1 - TEST_WORTH
            results.append(SymbolResult(node=node, score=score, breakdown=breakdown, stored=None))
        files = rank_files((result.node, result.score) for result in results)
        shares = normalized(dict(files))
        shared = [_with_file(result, shares[result.node.path]) for result in results]
        return sorted(shared, key=lambda result: (-result.score, result.node.id)), files

    def _at(self, place: Place) -> Sequence[Node]:
        """Return the symbols at a place: of the file with the longest common end of its path, if one only has it."""
        stem, _, _ = place.path.rpartition(".")
        parts = [part for part in (stem or place.path).split("/") if part not in ("", "..", ".", "~")]
        for start in range(max(0, len(parts) - SUFFIX_PARTS), len(parts)):
            name = ".".join(parts[start:]).removesuffix(".__init__")
            modules = [
                node
                for node in self._graph.symbols.named(name)
                if node.kind is NodeKind.MODULE and node.path.rpartition("/")[2] == place.path.rpartition("/")[2]
            ]
            if len(modules) == 1:
                return self._inside(modules[0], place)
        return ()

    def _inside(self, module: Node, place: Place) -> Sequence[Node]:
        if place.line:
            nodes = self._graph.symbols.at(module.path, lines=(place.line, place.line))
            own = place.function.rpartition(".")[2]
            if same := [node for node in nodes if own and node.name == own]:
                return same
            return innermost(nodes, place.line, place.line) or [module]
        return [module]

    def _note(self, signal: dict[str, float], nodes: Iterable[Node], value: float) -> None:
        for node in nodes:
            self._nodes.setdefault(node.id, node)
            signal[node.id] = max(signal.get(node.id, 0.0), value)


def _with_file(result: SymbolResult, share: float) -> SymbolResult:
    score = (1 - FILE_SHARE) * result.score + FILE_SHARE * share
    breakdown = {**result.breakdown, "file": round(share, 6)}
    return attrs.evolve(result, score=round(score, 6), breakdown=breakdown)


def innermost(nodes: Sequence[Node], first: int, last: int) -> list[Node]:
    """Return the smallest node that holds all these lines; where none does, those that begin on them."""
    symbols = [node for node in nodes if node.kind in _ANSWERED]
    holding = [node for node in symbols if node.start_line <= first and last <= node.end_line]
    if any(node.kind is not NodeKind.MODULE for node in holding):
        return [min(holding, key=lambda node: (node.end_line - node.start_line, node.id))]
    beginning = [node for node in symbols if node.kind is not NodeKind.MODULE and first <= node.start_line <= last]
    return beginning[:1] or holding[:1]


def paragraphs_of(work: UnitOfWork, checkout_id: str, nodes: Sequence[Node]) -> dict[str, StoredPassage]:
    """Return for each node the narrowest paragraph in which it begins."""
    paths = sorted({node.path for node in nodes})
    documents = {entry.path: entry.document_id for entry in work.manifest.entries(checkout_id, paths=paths)}
    held = work.passages.of_documents(sorted({one for one in documents.values() if one}))
    paragraphs = [stored for stored in held if isinstance(stored.passage, Paragraph)]
    found: dict[str, StoredPassage] = {}
    for node in nodes:
        around = [
            stored
            for stored in paragraphs
            if stored.document.uri == node.path
            and stored.passage.start_line <= max(1, node.start_line) <= stored.passage.end_line
        ]
        if around:
            found[node.id] = min(
                around, key=lambda one: (one.passage.end_line - one.passage.start_line, one.passage.id)
            )
    return found
