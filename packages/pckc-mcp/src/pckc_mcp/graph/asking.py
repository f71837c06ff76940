"""Questions to the graphs of an opened project, as the command line and the tools ask them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from pckc_domain.errors import BackendError, ConfigurationError, InvalidInputError, NotFoundError, PckcError
from pckc_domain.model.graph import Community, EdgeKind, Graph, GraphLayer, Node
from pckc_domain.model.graph_index import GraphName
from pckc_domain.policy.graph.indexing import graph_name
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.sources import SourceFile

from pckc_mcp.forms import Form, answer
from pckc_mcp.graph import forms
from pckc_mcp.graph.coverage import coverage_of, notes_on
from pckc_mcp.graph.request import GraphRequest, edge_kind_of, layer_of, of_languages

if TYPE_CHECKING:
    from pckc_domain.model.graph_answers import AnyEdge
    from pckc_domain.ports.canonical import UnitOfWork
    from pckc_domain.usecases.graph_walks import Joins

    from pckc_mcp.engine import Engine

NO_ENGINE = "no engine for communities is installed"
INSTALL_ENGINE = "pip install 'pckc-mcp[leiden]'"


class GraphAsking:
    """Answers questions to the stored graphs of one project; reports are kept until the graph changes."""

    def __init__(self, engine: "Engine", *, embedder: Embedder | None = None) -> None:
        self._engine = engine
        self._embedder = embedder
        self._kept: dict[tuple[str, GraphLayer], tuple[object, Form]] = {}

    def ask(self, question: str, request: GraphRequest) -> Form:
        """
        Answer one of `QUESTIONS`.

        Raises:
            InvalidInputError: The request does not fit the question.
            NotFoundError: A name is unknown, or there is no graph yet.
            ConfigurationError: It needs communities, and nothing can find them.
        """
        layer = layer_of(request.layer)
        limit = request.limit
        if limit is not None and limit < 1:
            raise InvalidInputError(f"limit must be at least 1, not {limit}")
        if question == SESSIONS:
            return self._sessions(request)
        if layer is GraphLayer.REPOSITORY and not self._engine.config.graph.enabled:
            raise ConfigurationError(
                "the graph of the source code is switched off", remedy="set enabled = true in [graph] of pckc.toml"
            )
        notes = self._inferred(question, layer) if request.inferred else []
        with self._engine.canonical.reading(self._engine.scope) as work:
            graph = work.graph(self._checkout(layer), layer)
            files = graph.files.coverage()
            coverage = coverage_of(files, layer)
            form = self._about_part(question, request, layer, work) if question in QUESTIONS else None
        if form is None:
            form = self._about_all(question, request, layer)
        notes += notes_on(question, form, files)
        return answer(f"graph.{question}", coverage, layer=str(layer), notes=notes, **form)

    def freshen(self) -> str:
        """Bring the repository's graph up to date; return why it may be old, ``""`` when it is not."""
        from pckc_mcp.graph.freshness import freshen_if_possible

        return freshen_if_possible(self._engine)

    def _about_part(self, question: str, request: GraphRequest, layer: GraphLayer, work: "UnitOfWork") -> Form:
        """Answer from the graph index where one is configured and in step, else from the store; say which it was."""
        stored = work.graph(self._checkout(layer), layer)
        if self._engine.config.slots["graph_index"].backend == "none":
            return self._answered(question, request, layer, work, stored)
        from pckc_domain.usecases.indexed_graph import indexed_graph, why_not_indexed

        scope = self._engine.scope
        index, why = self._index()
        why = why or (why_not_indexed(work, index, scope) if index else "")
        if index is None or why:
            return self._answered(question, request, layer, work, stored) | {"why_no_graph_index": why}
        graph = indexed_graph(work, index, scope, self._checkout(layer), layer)
        form = self._answered(question, request, layer, work, graph)
        return form | {"why_no_graph_index": graph.links.trouble}

    def _answered(
        self, question: str, request: GraphRequest, layer: GraphLayer, work: "UnitOfWork", graph: GraphWork
    ) -> Form:
        """Answer, where it is asked for along what follows too, as long as it follows from what *work* sees."""
        if not request.inferred:
            return QUESTIONS[question](self, graph, request)
        from pckc_domain.usecases.infer import InferredJoins

        name = self._graph_name(layer)
        is_current = self._engine.inference().is_current(work, name)
        joins = InferredJoins(graph.links, work, name) if is_current else None
        return QUESTIONS[question](self, graph, request, joins=joins)

    def _inferred(self, question: str, layer: GraphLayer) -> list[str]:
        """Conclude what follows; return what there is to say about it."""
        if question not in INFERRED_QUESTIONS:
            raise InvalidInputError(
                f"{question} asks only for what was read", remedy=f"inferred is for {', '.join(INFERRED_QUESTIONS)}"
            )
        try:
            report = self._engine.inference().run(self._engine.scope, self._graph_name(layer))
        except BackendError as error:
            return [f"nothing could be inferred: {error.message}"]
        return [f"not everything was inferred: {report.stopped}"] if report.stopped else []

    def _graph_name(self, layer: GraphLayer) -> GraphName:
        return graph_name(self._checkout(layer), layer)

    def _index(self) -> tuple[GraphIndex | None, str]:
        try:
            return self._engine.graph_index(), ""
        except PckcError as error:
            return None, error.message

    def whole(self, layer_name: str) -> tuple[Graph, Sequence[Community]]:
        """
        Return a layer's graph with its communities; without an engine for them, with those that are stored.

        Raises:
            NotFoundError: There is no graph yet.
        """
        layer = layer_of(layer_name)
        with self._engine.canonical.reading(self._engine.scope) as work:
            graph = work.graph(self._checkout(layer), layer)
            coverage_of(graph.files.coverage(), layer)
            if self._engine.backends.communities is None:
                return graph.links.whole(), graph.communities.all()[0]
        whole, communities, _ = self._found(layer)
        of = {member: one.id for one in communities if one.level == 0 for member in one.members}
        nodes = tuple(attrs.evolve(node, community=of.get(node.id)) for node in whole.nodes)
        return attrs.evolve(whole, nodes=nodes), communities

    def drawn(self, form: str, layer_name: str, *, languages: Sequence[str] = ()) -> str:
        """Return a layer's graph as ``graphml``, ``cypher`` or ``html``; raises as `whole`."""
        whole, communities = self.whole(layer_name)
        graph = of_languages(whole, languages)
        match form:
            case "graphml":
                from pckc_mcp.graph.exports.graphml import graphml

                return graphml(graph)
            case "cypher":
                from pckc_mcp.graph.exports.cypher import cypher

                return cypher(graph)
            case _:
                from pckc_mcp.graph.exports.page import page

                return page(graph, communities, title=self._engine.root.name)

    def _sessions(self, request: GraphRequest) -> Form:
        """Answer the one question to both layers, as the request of it says by its name."""
        from pckc_domain.usecases.graph_sessions import told_of

        with self._engine.canonical.reading(self._engine.scope) as work:
            sessions = coverage_of(work.graph("", GraphLayer.SESSION).files.coverage(), GraphLayer.SESSION)
            told = told_of(work, self._engine.checkout.id, request.name)
        return answer("graph.sessions", sessions, layer=BOTH_LAYERS, **forms.told_form(told, limit=request.limit))

    # Questions about a part

    def _search(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        text = request.text or request.name
        return forms.found_form(GraphQuestions(graph).search(text, limit=request.limit or 10))

    def _hubs(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        limit = request.limit or 20
        questions = GraphQuestions(graph)
        layer = layer_of(request.layer)
        return self._once(f"hubs {limit}", layer, graph, lambda: forms.hubs_form(questions.hubs(limit=limit)))

    def _neighbors(self, graph: GraphWork, request: GraphRequest, *, joins: "Joins[AnyEdge] | None" = None) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        questions = GraphQuestions(graph, joins=joins)
        nodes = questions.meanings(request.name)
        depth = 1 if request.depth is None else request.depth
        found = questions.neighbors(nodes, depth=depth, limit=request.limit or 200)
        return _of(nodes) | forms.spread_form(found, self._graph_name(layer_of(request.layer)))

    def _path(self, graph: GraphWork, request: GraphRequest, *, joins: "Joins[AnyEdge] | None" = None) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        questions = GraphQuestions(graph, joins=joins)
        sources, targets = questions.meanings(request.name), questions.meanings(request.to)
        ends = {"sources": _forms(sources), "targets": _forms(targets)}
        way = questions.path(sources, targets)
        return ends | forms.way_form(way, self._graph_name(layer_of(request.layer)))

    def _callers(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        questions = GraphQuestions(graph)
        nodes = questions.meanings(request.name)
        return _of(nodes) | forms.calls_form(questions.callers(nodes), end="source", limit=request.limit)

    def _callees(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        questions = GraphQuestions(graph)
        nodes = questions.meanings(request.name)
        return _of(nodes) | forms.calls_form(questions.callees(nodes), end="target", limit=request.limit)

    def _impact(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        questions = GraphQuestions(graph)
        depth = request.depth or 64
        if not request.diff:
            nodes = questions.meanings(request.name)
            impact = questions.impact(nodes, depth=depth)
            return _of(nodes) | forms.impact_form(impact, limit=request.limit) | {"unknown": []}
        from pckc_domain.policy.graph.diffs import parse_diff
        from pckc_domain.usecases.graph_changes import changed_symbols

        is_text = "\n" in request.diff.strip()
        text = request.diff if is_text else self._engine.source.difference(request.diff)
        if not text.strip():
            raise InvalidInputError("the diff is empty: nothing changed")
        changes = changed_symbols(graph, parse_diff(text), self._read, is_applied=not is_text)
        impact = questions.impact_of_changes(changes, depth=depth)
        form = forms.impact_form(impact, limit=request.limit)
        return _of(changes.nodes) | form | forms.changes_form(changes)

    def _goal(self, graph: GraphWork, request: GraphRequest) -> Form:
        from pckc_domain.usecases.graph_goal import GoalSearch
        from pckc_domain.usecases.graph_questions import GraphQuestions

        goal = request.text or request.to
        if not goal.strip():
            raise InvalidInputError("a goal is missing", remedy="say in words what to get to")
        nodes = GraphQuestions(graph).meanings(request.name)
        search = GoalSearch(graph, embedder=self._embedder)
        depth = 4 if request.depth is None else request.depth
        found = search.ways(nodes, goal, depth=depth, limit=request.limit or 10)
        return _of(nodes) | {"goal": goal} | forms.goal_form(found)

    def _edges(self, graph: GraphWork, request: GraphRequest, *, joins: "Joins[AnyEdge] | None" = None) -> Form:
        from pckc_domain.usecases.graph_questions import GraphQuestions

        nodes = GraphQuestions(graph).meanings(request.name)
        ids = [node.id for node in nodes]
        edges = [
            edge
            for direction in Direction
            if request.direction in (direction, "both")
            for edge in (joins or graph.links).edges(ids, direction)
            if request.kind in ("", edge.kind)
        ]
        if request.kind and not edges:  # a kind that only rules conclude is one as long as it is there
            edge_kind_of(request.kind)
        return _of(nodes) | forms.edges_form(edges, self._graph_name(layer_of(request.layer)), limit=request.limit)

    def _file(self, graph: GraphWork, request: GraphRequest) -> Form:
        nodes = graph.symbols.at(request.name)
        if not nodes:
            raise NotFoundError(
                f"the graph has no file {request.name!r}", remedy="name it from the project's root, with `/`"
            )
        return {"path": request.name, "results": _forms(nodes)}

    def _counters(self, graph: GraphWork, _: GraphRequest) -> Form:
        count = graph.links.count()
        counts = forms.counts_form(count.nodes, count.edges)
        return counts | {"unresolved_count": count.open_calls, "external_count": count.external_calls}

    # Questions about all

    def _about_all(self, question: str, request: GraphRequest, layer: GraphLayer) -> Form:
        match question:
            case "communities":
                return self._communities(request, layer)
            case "report":
                return self._report(layer)
            case "dead":
                from pckc_domain.policy.graph.liveness import dead_candidates

                graph = self._whole(layer)
                return forms.dead_form(dead_candidates(graph, self._read), limit=request.limit)
            case "cycles":
                from pckc_domain.policy.graph.cycles import CYCLE_KINDS, cycles

                kind = edge_kind_of(request.kind) if request.kind else EdgeKind.IMPORTS
                if kind not in CYCLE_KINDS:
                    raise InvalidInputError(f"no cycles of {kind}", remedy=f"one of: {', '.join(CYCLE_KINDS)}")
                found = cycles(self._whole(layer), kind)
                return {"kind": str(kind)} | forms.cycles_form(found, limit=request.limit)
            case "export":
                graph, _ = self.whole(layer)
                return forms.whole_form(of_languages(graph, request.language))
            case _:
                raise InvalidInputError(f"no such question: {question!r}", remedy=f"one of: {', '.join(ALL_QUESTIONS)}")

    def _communities(self, request: GraphRequest, layer: GraphLayer) -> Form:
        def make() -> Form:
            if self._engine.backends.communities is None:
                communities, modularity = graph.communities.all()
                if not communities:
                    raise ConfigurationError(NO_ENGINE, remedy=INSTALL_ENGINE)
            else:
                _, communities, modularity = self._found(layer)
            return {"modularity": modularity, "all": communities}

        with self._engine.canonical.reading(self._engine.scope) as work:
            graph = work.graph(self._checkout(layer), layer)
            found = self._once("communities", layer, graph, make)
        communities = _named(found["all"], request.name) if request.name else found["all"]
        chosen = [one for one in communities if request.level is None or one.level == request.level]
        shown = sorted(chosen, key=lambda one: (one.level, -len(one.members), one.id))[: request.limit]
        return {
            "modularity": found["modularity"],
            "results": [forms.community_form(one) for one in shown],
            "total": len(chosen),
        }

    def _report(self, layer: GraphLayer) -> Form:
        from pckc_domain.policy.graph.report import report_of
        from pckc_domain.policy.graph.report_text import report_markdown

        def make() -> Form:
            if self._engine.backends.communities is None:
                with self._engine.canonical.reading(self._engine.scope) as work:
                    stored = work.graph(self._checkout(layer), layer)
                    graph, (communities, modularity) = stored.links.whole(), stored.communities.all()
            else:
                graph, communities, modularity = self._found(layer)
            report = report_of(graph, communities, modularity)
            return forms.report_form(report, report_markdown(report, title=self._engine.root.name))

        with self._engine.canonical.reading(self._engine.scope) as work:
            return self._once("report", layer, work.graph(self._checkout(layer), layer), make)

    def _once(self, question: str, layer: GraphLayer, graph: GraphWork, make: Callable[[], Form]) -> Form:
        """Return what *make* gives, kept from before while the graph is as it was."""
        state = graph.state.get()
        stamp = (state.revision, state.recipe) if state else None
        kept = self._kept.get((question, layer))
        if stamp is None or kept is None or kept[0] != stamp:
            kept = self._kept[question, layer] = (stamp, make())
        return dict(kept[1])

    def _found(self, layer: GraphLayer) -> tuple[Graph, Sequence[Community], float]:
        from pckc_domain.usecases.cluster_graph import CommunityFinder

        detector = self._engine.backends.communities
        if detector is None:
            raise ConfigurationError(NO_ENGINE, remedy=INSTALL_ENGINE)
        finder = CommunityFinder(self._engine.canonical, detector)
        graph, found = finder.find(self._engine.scope, self._checkout(layer), layer)
        return graph, found.communities, found.modularity

    def _whole(self, layer: GraphLayer) -> Graph:
        with self._engine.canonical.reading(self._engine.scope) as work:
            return work.graph(self._checkout(layer), layer).links.whole()

    def _checkout(self, layer: GraphLayer) -> str:
        return self._engine.checkout.id if layer is GraphLayer.REPOSITORY else ""

    def _read(self, path: str) -> str | None:
        try:
            read = self._engine.source.read(path)
        except InvalidInputError:  # a diff may name any path
            return None
        return read.text if isinstance(read, SourceFile) else None


QUESTIONS: dict[str, Callable[..., Form]] = {
    "search": GraphAsking._search,
    "hubs": GraphAsking._hubs,
    "neighbors": GraphAsking._neighbors,
    "path": GraphAsking._path,
    "callers": GraphAsking._callers,
    "callees": GraphAsking._callees,
    "impact": GraphAsking._impact,
    "goal": GraphAsking._goal,
    "edges": GraphAsking._edges,
    "file": GraphAsking._file,
    "counters": GraphAsking._counters,
}
"""Questions about a part of the graph, answered without loading the rest; some take `Joins` to go along."""

INFERRED_QUESTIONS = ("neighbors", "path", "edges")
"""Those that may go along what rules conclude."""

SESSIONS = "sessions"
"""The question that asks for both layers."""

BOTH_LAYERS = "both"

ALL_QUESTIONS = (*QUESTIONS, "communities", "dead", "cycles", "report", "export", SESSIONS)


def _named(communities: Sequence[Community], name: str) -> Sequence[Community]:
    found = [one for one in communities if name in (str(one.id), one.name)]
    if not found:
        raise NotFoundError(f"no community {name!r}", remedy="ask without a name: every community has its id")
    inner = [one for one in communities if one.parent in {each.id for each in found}]
    return [*found, *(one for one in inner if one not in found)]


def _of(nodes: Sequence[Node]) -> dict[str, Any]:
    return {"of": _forms(nodes)}


def _forms(nodes: Sequence[Node]) -> list[Form]:
    return [forms.node_form(node) for node in nodes]
