"""Symbols found for questions and bug reports, and contexts widened by the graph."""

from collections import defaultdict

import pytest
from pckc_domain.model.context import ContextPack
from pckc_domain.model.graph import Edge, FileGraph, GraphLayer, Node, OpenCall
from pckc_domain.model.linking import LinkedFile
from pckc_domain.model.passage import Paragraph
from pckc_domain.model.recall import SearchRequest, SymbolAnswer
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.policy.tokens import count_tokens
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.compile import ContextCompiler, ContextRequest
from pckc_domain.usecases.compile_claims import ClaimSelector
from pckc_domain.usecases.compile_graph import GraphWidening
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.recall_passages import PassageSearch
from pckc_domain.usecases.recall_symbols import SymbolSearch

FILES = {
    "shop/orders.py": '''"""Orders."""

from shop.prices import total_of


class Order:
    """An order of a customer."""

    def __init__(self, lines):
        self.lines = lines

    def checkout(self, wallet):
        """Take the money for the order."""
        amount = total_of(self.lines)
        wallet.charge(amount)
        return amount
''',
    "shop/prices.py": '''"""Prices."""


def total_of(lines):
    """Add up lines."""
    # WHY: cents, since floats lose some
    return sum(price_of(line) for line in lines)


def price_of(line):
    """One line's price in cents."""
    return line.count * line.cents
''',
    "shop/mail.py": '''"""Mail."""


def send(address, text):
    """Send a message."""
    return address, text
''',
    "tests/test_prices.py": '''"""Tests of prices."""

from shop.prices import total_of


def test_totals():
    assert total_of([]) == 0
''',
}
SCOPE = Scope(project="example.org/project")


@pytest.fixture(name="store")
def _store() -> MemoryCanonical:
    store = MemoryCanonical()
    source = MemoryRepository({path: text.encode() for path, text in FILES.items()})
    Indexer(store, source, FixedClock()).run(SCOPE)
    graph = build_graph([python_facts(path, text) for path, text in FILES.items()])
    paths = {node.id: node.path for node in graph.nodes}
    nodes: dict[str, list[Node]] = defaultdict(list)
    edges: dict[str, list[Edge]] = defaultdict(list)
    calls: dict[str, list[OpenCall]] = defaultdict(list)
    for node in graph.nodes:
        nodes[node.path].append(node)
    for edge in graph.edges:
        edges[paths[edge.source]].append(edge)
    for call in graph.open_calls:
        calls[paths[call.caller]].append(call)
    linked = [
        LinkedFile(
            path=one.path,
            language="python",
            content_hash="",
            graph=FileGraph(
                path=one.path,
                nodes=tuple(nodes[one.path]),
                edges=tuple(edges[one.path]),
                open_calls=tuple(calls[one.path]),
                coverage=one,
            ),
        )
        for one in graph.coverage
    ]
    with store.writing(SCOPE) as work:
        work.graph(_checkout(store), GraphLayer.REPOSITORY).files.put(linked)
    return store


def _checkout(store: MemoryCanonical) -> str:
    with store.reading(SCOPE) as work:
        return work.manifest.checkouts()[0].id


def find(store: MemoryCanonical, query: str, **options: object) -> SymbolAnswer:
    search = SymbolSearch(store, PassageSearch(store))
    return search.search(SCOPE, SearchRequest(query=query, **options), checkout_id=_checkout(store))  # type: ignore[arg-type]  # options of a request


def test_a_frame_of_another_machine_leads_to_its_symbol(store: MemoryCanonical) -> None:
    trace = 'Traceback:\n  File "/srv/venv/lib/shop/prices.py", line 12, in price_of\nTypeError: no'
    answer = find(store, trace)
    assert answer.results[0].node.qualified_name == "shop.prices.price_of"
    assert answer.results[0].breakdown["named"] == 1.0
    assert answer.files[0][0] == "shop/prices.py"


def test_a_line_leads_to_the_innermost_symbol(store: MemoryCanonical) -> None:
    answer = find(store, "it fails in shop/orders.py:15")
    assert answer.results[0].node.qualified_name == "shop.orders.Order.checkout"


def test_an_identifier_leads_to_its_definition_and_on_to_its_callers(store: MemoryCanonical) -> None:
    answer = find(store, "`total_of` is wrong")
    names = [result.node.qualified_name for result in answer.results]
    assert names[0] == "shop.prices.total_of"
    assert "shop.orders.Order.checkout" in names
    by_name = {result.node.qualified_name: result for result in answer.results}
    assert by_name["shop.orders.Order.checkout"].breakdown["graph"] > 0


def test_results_carry_the_paragraph_that_proves_them(store: MemoryCanonical) -> None:
    first = find(store, "`total_of` is wrong").results[0]
    assert first.stored is not None
    assert "def total_of" in first.stored.passage.text
    assert first.stored.document.uri == first.node.path


def test_tests_come_later_unless_they_are_asked_for(store: MemoryCanonical) -> None:
    names = [result.node.path for result in find(store, "totals of prices").results]
    assert names.index("shop/prices.py") < names.index("tests/test_prices.py")
    assert find(store, "which tests test totals").results[0].node.path == "tests/test_prices.py"


def test_paths_and_limits_are_kept(store: MemoryCanonical) -> None:
    answer = find(store, "prices", uri_prefixes=("shop/",), limit=2)
    assert len(answer.results) == 2
    assert all(result.node.path.startswith("shop/") for result in answer.results)


def test_unknown_names_give_nothing_of_their_own(store: MemoryCanonical) -> None:
    answer = find(store, "`frobnicate_widgets`")
    assert all("named" not in result.breakdown for result in answer.results)


def test_the_same_question_gives_the_same_answer(store: MemoryCanonical) -> None:
    assert find(store, "checkout of an order") == find(store, "checkout of an order")


def compiled(store: MemoryCanonical, task: str, budget: int = 3000) -> ContextPack:
    search = PassageSearch(store)
    widening = GraphWidening(store, SymbolSearch(store, search))
    compiler = ContextCompiler(search, ClaimSelector(store, FixedClock()), graph=widening)
    return compiler.compile(SCOPE, ContextRequest(task=task, budget_tokens=budget), checkout_id=_checkout(store))


def test_a_context_is_widened_by_callers_tests_and_reasons(store: MemoryCanonical) -> None:
    pack = compiled(store, "fix `price_of`: wrong cents")
    paragraphs = [(item.result.stored.passage, item.result.reason) for item in pack.passages]
    reasons = {one.section_heading: reason for one, reason in paragraphs if isinstance(one, Paragraph)}
    assert reasons["price_of"] == "named in the task"
    assert reasons["total_of"].startswith("calls shop.prices.price_of")
    assert "calls shop.prices.price_of" in pack.text
    assert pack.files[0][0] == "shop/prices.py"


@pytest.mark.parametrize("budget", [0, 80, 200, 400, 1000])
def test_a_widened_context_keeps_its_budget(store: MemoryCanonical, budget: int) -> None:
    pack = compiled(store, "fix `total_of` in shop/prices.py:7", budget)
    assert count_tokens(pack.text) == pack.tokens <= budget


def test_every_passage_that_the_graph_led_to_has_its_proof(store: MemoryCanonical) -> None:
    for item in compiled(store, "fix `total_of`").passages:
        assert item.result.proof.excerpt == item.result.stored.passage.text
