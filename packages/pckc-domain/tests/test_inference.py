"""Tests of forward chaining: what follows, how it is proven, where it ends."""

import json
from datetime import timedelta

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType, Governance
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceRule
from pckc_domain.policy import inference
from pckc_domain.policy.inference import conclude, contradictions, fingerprint, is_sound, read_rule, rule_book
from pckc_domain.testing.belief_samples import claim
from pckc_domain.testing.inference_samples import edge_keys, naively, rule, rule_shapes
from pckc_domain.testing.samples import TIME

IMPORTS = rule(1, ["imports"], "depends_on")
CLOSED = rule(2, ["depends_on", "depends_on"], "depends_on")


def keys(*texts: str) -> dict[EdgeKey, float]:
    """Return edges written such as ``a calls b``, each sure."""
    return {EdgeKey(source, target, kind): 1.0 for source, kind, target in (text.split() for text in texts)}


def follow(rules: list[InferenceRule], *texts: str) -> list[str]:
    """Return what follows, written the same way."""
    return [f"{one.source} {one.kind} {one.target}" for one in conclude(rules, keys(*texts)).edges]


def test_a_rule_of_one_kind_and_one_of_a_chain() -> None:
    assert follow([IMPORTS], "a imports b", "b calls c") == ["a depends_on b"]
    assert follow([IMPORTS, CLOSED], "a imports b", "b imports c", "c imports d") == [
        "a depends_on b", "a depends_on c", "a depends_on d", "b depends_on c", "b depends_on d", "c depends_on d",
    ]  # fmt: skip
    assert follow([rule(1, ["p", "q", "r"], "s")], "a p b", "b q c", "c r d", "b r d") == ["a s d"]


def test_a_proof_names_the_rule_and_the_way() -> None:
    (found,) = conclude([rule(7, ["p", "q", "r"], "s")], keys("a p b", "b q c", "c r d")).edges
    assert found.derivation == Derivation(
        rule_id="claim_7", premises=(EdgeKey("a", "b", "p"), EdgeKey("b", "c", "q"), EdgeKey("c", "d", "r"))
    )
    assert (found.depth, found.confidence) == (1, 1.0)


def test_confidence_is_that_of_the_weakest_part_and_depth_counts_steps() -> None:
    premises = {EdgeKey("a", "b", "imports"): 0.5, EdgeKey("b", "c", "depends_on"): 0.9}
    found = {edge.key: edge for edge in conclude([IMPORTS, attrs.evolve(CLOSED, confidence=0.7)], premises).edges}
    assert found["a", "b", "depends_on"].confidence == 0.5
    assert found["a", "b", "depends_on"].depth == 1
    assert found["a", "c", "depends_on"].confidence == 0.5
    assert found["a", "c", "depends_on"].depth == 2


def test_what_was_read_is_never_concluded() -> None:
    assert follow([IMPORTS], "a imports b", "a depends_on b") == []


def test_cycles_and_self_loops_end() -> None:
    """A cycle gives every pair of its nodes, once; a self-loop nothing but itself."""
    assert len(follow([CLOSED], "a depends_on b", "b depends_on c", "c depends_on a")) == 6
    assert follow([CLOSED], "a depends_on a") == []
    assert follow([rule(1, ["p", "p"], "q")], "a p a") == ["a q a"]
    back = [rule(1, ["p"], "q"), rule(2, ["q"], "p")]
    assert follow(back, "a p b") == ["a q b"]


@given(st.lists(rule_shapes, max_size=4), st.frozensets(edge_keys, max_size=10))
def test_it_finds_what_the_plain_way_finds_and_proves_it(
    shapes: list[tuple[tuple[str, ...], str]], premises: frozenset[EdgeKey]
) -> None:
    rules = [rule(number, *shape) for number, shape in enumerate(shapes)]
    given_ones = dict.fromkeys(premises, 1.0)
    found = conclude(rules, given_ones)
    assert {edge.key for edge in found.edges} == naively(rules, premises)
    assert not found.stopped
    by_depth = sorted(found.edges, key=lambda edge: edge.depth)
    assert is_sound([(edge.key, edge.derivation) for edge in by_depth], rules, given_ones)


@given(st.lists(rule_shapes, max_size=3), st.frozensets(edge_keys, max_size=8), st.integers(0, 6))
def test_a_limit_cuts_and_says_so(
    shapes: list[tuple[tuple[str, ...], str]], premises: frozenset[EdgeKey], limit: int
) -> None:
    rules = [rule(number, *shape) for number, shape in enumerate(shapes)]
    found, whole = conclude(rules, dict.fromkeys(premises, 1.0), limit=limit), naively(rules, premises)
    assert {edge.key for edge in found.edges} <= whole
    if len(whole) > limit:
        assert found.stopped
    if not found.stopped:
        assert {edge.key for edge in found.edges} == whole
    assert len(found.edges) <= limit
    assert found == conclude(rules, dict.fromkeys(sorted(premises, reverse=True), 1.0), limit=limit)


def test_rules_that_explode_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand nodes that are all joined through one hub: a million edges follow."""
    hub = keys(*(f"n{number} p hub" for number in range(1000)), *(f"hub p m{number}" for number in range(1000)))
    assert len(conclude([rule(1, ["p", "p"], "q")], hub, limit=5000).edges) == 5000
    stopped = conclude([rule(1, ["p", "p", "p", "p"], "q")], hub, limit=100)
    assert not stopped.edges
    assert "ways" in stopped.stopped
    monkeypatch.setattr(inference, "MOST_COMPARED", 10_000)
    assert "too long" in conclude([rule(1, ["p", "p"], "q")], hub).stopped


def test_contradictions_are_told() -> None:
    rules = [rule(1, ["supersedes"], "contradicts"), rule(2, ["fixes"], "confirms")]
    premises = keys("a supersedes b", "a confirms b", "c fixes d", "c supersedes d")
    found = conclude(rules, premises)
    assert contradictions(found.edges, premises) == (
        (EdgeKey("a", "b", "contradicts"), EdgeKey("a", "b", "confirms")),
        (EdgeKey("c", "d", "confirms"), EdgeKey("c", "d", "contradicts")),
        (EdgeKey("c", "d", "contradicts"), EdgeKey("c", "d", "confirms")),
    )
    assert contradictions(found.edges, []) == contradictions(found.edges, premises)[1:]


@pytest.mark.parametrize(
    "text",
    [
        "if it imports something it depends on it", "[]", "1", '{"if": "a"}', '{"if": "a", "then": "b", "also": "c"}',
        '{"if": [], "then": "b"}', '{"if": ["a", 1], "then": "b"}', '{"if": "a b", "then": "c"}',
        '{"if": "a", "then": " b"}', '{"if": "", "then": "b"}', '{"if": "a", "then": "a"}', '{"if": null, "then": "a"}',
        '{"if": "\\ud800", "then": "a"}',
        '{"if": ["a", "a", "a", "a", "a", "a", "a", "a", "a"], "then": "b"}', "[" * 100_000, '{"if": "a", "then": ',
    ],
)  # fmt: skip
def test_what_is_no_rule_says_why(text: str) -> None:
    reason = read_rule("claim_1", text)
    assert isinstance(reason, str)
    assert reason


def rule_claim(text: str, **changes: object) -> Claim:
    """Return a claim whose value is *text*."""
    made = claim(f"A rule {len(changes)} {text}", type=ClaimType.LOGICAL_RULE, value=text)
    return attrs.evolve(made, **changes)  # type: ignore[arg-type]  # any of the claim's own fields


def test_only_what_holds_is_a_rule() -> None:
    text = json.dumps({"if": ["p", "q"], "then": "r"})
    good = rule_claim(text)
    by_text = attrs.evolve(good, id="claim_by_text", value="", text=text)
    both = attrs.evolve(good, id="claim_both", value="p then q", text=text)
    bad = {
        "claim_r": {"governance": Governance.REJECTED},
        "claim_a": {"governance": Governance.ARCHIVED},
        "claim_s": {"status": ClaimStatus.STALE},
        "claim_c": {"valid_to": TIME},
        "claim_w": {"value": "words", "text": "more words"},
    }
    claims = [good, by_text, both, *(attrs.evolve(good, id=id_, **change) for id_, change in bad.items())]
    book = rule_book((StoredClaim(claim=each, slot="s") for each in claims), good.valid_from + timedelta(days=1))
    assert {one.claim_id for one in book.rules} == {good.id, by_text.id, both.id}
    assert {one.conditions for one in book.rules} == {("p", "q")}
    assert book.ignored.keys() == bad.keys()
    assert book.kinds == {"p", "q", "r"}


def test_a_fingerprint_tells_everything_apart_that_matters() -> None:
    rules, premises = [IMPORTS], keys("a imports b")
    same = fingerprint(rules, premises, limit=3)
    assert same == fingerprint([IMPORTS], dict(premises), limit=3)
    others = [
        fingerprint(rules, premises, limit=4),
        fingerprint([CLOSED], premises, limit=3),
        fingerprint([attrs.evolve(IMPORTS, confidence=0.5)], premises, limit=3),
        fingerprint(rules, dict.fromkeys(premises, 0.5), limit=3),
        fingerprint(rules, keys("ab imports a"), limit=3),
        fingerprint(rules, keys("a imports ba"), limit=3),
        fingerprint(rules, {}, limit=3),
    ]
    assert len({same, *others}) == 8


@pytest.mark.parametrize(
    ("key", "derivation"),
    [
        (EdgeKey("a", "b", "depends_on"), Derivation(rule_id="claim_9", premises=(EdgeKey("a", "b", "imports"),))),
        (EdgeKey("a", "b", "depends_on"), Derivation(rule_id="claim_1", premises=(EdgeKey("a", "c", "imports"),))),
        (EdgeKey("a", "b", "depends_on"), Derivation(rule_id="claim_1", premises=(EdgeKey("a", "b", "calls"),))),
        (EdgeKey("a", "b", "needs"), Derivation(rule_id="claim_1", premises=(EdgeKey("a", "b", "imports"),))),
        (EdgeKey("x", "y", "depends_on"), Derivation(rule_id="claim_1", premises=(EdgeKey("x", "y", "imports"),))),
        (
            EdgeKey("a", "b", "depends_on"),  # it supports itself
            Derivation(rule_id="claim_2", premises=(EdgeKey("a", "b", "depends_on"), EdgeKey("b", "b", "depends_on"))),
        ),
    ],
)
def test_a_proof_that_is_none_is_seen(key: EdgeKey, derivation: Derivation) -> None:
    premises = keys("a imports b", "b depends_on b", "a calls b")
    right = Derivation(rule_id="claim_1", premises=(EdgeKey("a", "b", "imports"),))
    assert is_sound([(EdgeKey("a", "b", "depends_on"), right)], [IMPORTS, CLOSED], premises)
    assert not is_sound([(key, derivation)], [IMPORTS, CLOSED], premises)
