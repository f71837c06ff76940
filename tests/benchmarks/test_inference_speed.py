"""Speed of inference: 100,000 edges and ten rules to the fixpoint, beside the plain way, and stored."""

import random
import time
from pathlib import Path

import pytest
from pckc_adapters_sqlite.backend import CANONICAL
from pckc_domain.model.inference import EdgeKey, InferenceRule, InferenceState
from pckc_domain.policy.inference import conclude, fingerprint
from pckc_domain.testing.inference_contract import GRAPH
from pckc_domain.testing.inference_samples import naively, rule
from pckc_domain.testing.samples import SCOPE
from pckc_mcp.graph.freshness import without_garbage

pytestmark = pytest.mark.bench

NODES, EDGES = 40_000, 100_000
LIMIT_SECONDS = 5.0
KINDS = ("calls", "imports", "inherits", "references", "contains")
RULES = (
    (("imports",), "depends_on"),
    (("inherits",), "depends_on"),
    (("inherits", "inherits"), "inherits"),
    (("contains", "calls"), "uses"),
    (("calls", "inherits"), "uses"),
    (("contains", "contains", "imports"), "needs"),
    (("imports", "contains"), "sees"),
    (("uses",), "depends_on"),
    (("sees", "references"), "touches"),
    (("depends_on", "inherits"), "depends_on"),
)


@pytest.fixture(scope="module")
def rules() -> list[InferenceRule]:
    """Ten: single kinds, chains of two and three, and two that feed themselves."""
    return [rule(number, conditions, conclusion) for number, (conditions, conclusion) in enumerate(RULES)]


@pytest.fixture(scope="module")
def premises() -> dict[EdgeKey, float]:
    """Edges that mostly lead a little further on, as those of code do."""
    dice = random.Random(20260626)  # noqa: S311  # no secret
    found: dict[EdgeKey, float] = {}
    while len(found) < EDGES:
        source = dice.randrange(NODES)
        target = min(NODES - 1, source + 1 + int(dice.expovariate(1 / 40)))
        ends = [f"pkg/mod{number // 100}.py#do_{number}#function#0" for number in (source, target)]
        found[EdgeKey(*ends, dice.choice(KINDS))] = 1.0
    return found


def test_to_the_fixpoint_beside_the_plain_way(rules: list[InferenceRule], premises: dict[EdgeKey, float]) -> None:
    started = time.process_time()
    with without_garbage():
        found = conclude(rules, premises)
    took = time.process_time() - started
    started = time.process_time()
    plainly = naively(rules, premises)
    plain = time.process_time() - started
    print(  # noqa: T201 - the measurement
        f"\n{len(premises):,} edges, {len(rules)} rules: {len(found.edges):,} follow in {found.rounds} rounds,"
        f" {took:.2f} s of one core, each with its proof (limit {LIMIT_SECONDS:.0f} s);"
        f" every rule on everything, without proofs: {plain:.2f} s"
    )
    assert {edge.key for edge in found.edges} == plainly
    assert took < LIMIT_SECONDS


def test_paths_of_a_long_chain(tmp_path: Path) -> None:
    """A rule that closes 600 steps one behind the other: the plain way joins all of them in every round."""
    closing = [rule(1, ["next", "next"], "next")]
    steps = {EdgeKey(f"n{number:04}", f"n{number + 1:04}", "next"): 1.0 for number in range(600)}
    started = time.perf_counter()
    found = conclude(closing, steps)
    took = time.perf_counter() - started
    started = time.perf_counter()
    plainly = naively(closing, steps)
    plain = time.perf_counter() - started
    print(f"\nclosure of 600 steps: {len(found.edges):,} follow, {took:.2f} s; plainly {plain:.2f} s")  # noqa: T201 - the measurement
    assert {edge.key for edge in found.edges} == plainly

    started = time.perf_counter()
    mark = fingerprint(closing, steps, limit=1)
    with CANONICAL.open(CANONICAL.settings(path=tmp_path / "store.db")) as store:
        started = time.perf_counter()
        with store.writing(SCOPE) as work:
            state = InferenceState(fingerprint=mark, edges=len(found.edges))
            work.inferences.replace(GRAPH, state, found.edges)
        stored = time.perf_counter() - started
        started = time.perf_counter()
        with store.reading(SCOPE) as work:
            count = len(work.inferences.edges(GRAPH))
        read = time.perf_counter() - started
    print(f"stored in {stored:.2f} s, read in {read:.2f} s")  # noqa: T201 - the measurement
    assert count == len(found.edges)
