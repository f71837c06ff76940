"""Claims beside their neighbours: duplicates, confirmations, contradictions, and what a model that fails leaves."""

from collections.abc import Sequence

import pytest
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, NotFoundError
from pckc_domain.model.claim import LinkKind
from pckc_domain.model.distillation import Distilled, SourceChunk
from pckc_domain.model.verdict import Judgement, VerdictKind
from pckc_domain.ports.distiller import Distiller
from pckc_domain.testing.curated_world import CuratedWorld
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.cross_check import CrossChecker
from pckc_domain.usecases.near_claims import NearClaims
from pckc_domain.usecases.project import VectorProjection
from pckc_domain.usecases.projecting import Projector, Worker
from pckc_domain.usecases.rule_distiller import RuleDistiller
from pckc_domain.usecases.semantic import SemanticIndex

A, B, C = (f"https://{name}.example/book.pdf" for name in "abc")


class Critic(Distiller):
    """Says what it is told to say, or fails."""

    def __init__(self, judgement: Judgement | None, *, is_down: bool = False) -> None:
        self._judgement = judgement
        self._is_down = is_down

    @property
    def name(self) -> str:
        return "critic"

    def distil(self, chunk: SourceChunk, /) -> Distilled:
        raise NotImplementedError(chunk.place)

    def judge(self, claim: str, others: Sequence[str], /) -> Judgement | None:
        assert claim not in others
        if self._is_down:
            raise BackendUnavailableError("it is down")
        return self._judgement


@pytest.fixture
def world() -> CuratedWorld:
    return CuratedWorld(MemoryCanonical())


def checker(world: CuratedWorld, critic: Distiller | None = None, *, is_semantic: bool = True) -> CrossChecker:
    """Return a checker with the vectors of all that is stored."""
    semantic = SemanticIndex(embedder=HashEmbedder(256), vectors=MemoryVectorIndex())
    if is_semantic:
        projection = VectorProjection(world.canonical, semantic.embedder, semantic.vectors)
        Projector(world.canonical, projection, Worker(name="w", clock=world.clock)).run(SCOPE)
    near = NearClaims(world.canonical, semantic=semantic if is_semantic else None)
    return CrossChecker(world.canonical, near, world.clock, critic=critic, same=0.8)


def test_a_repeated_claim_lends_its_proof(world: CuratedWorld) -> None:
    world.ingest(A, "The moon is very far from the earth.")
    fresh = world.ingest(B, "The moon is far, very, from the earth.")
    (verdict,) = checker(world).deduplicate(SCOPE, fresh.claim_ids)
    assert verdict.kind is VerdictKind.DUPLICATE
    assert verdict.similarity is not None
    assert verdict.similarity >= 0.8
    assert sorted(world.statuses().values()) == ["stale", "verified"]
    kept = next(claim for claim in world.claims() if claim.status == "verified")
    assert len(world.proofs(kept.text)) == 2
    assert kept.confidence == 0.96


def test_the_repeated_claim_comes_back_when_the_kept_one_goes(world: CuratedWorld) -> None:
    world.ingest(A, "The moon is very far from the earth.")
    fresh = world.ingest(B, "The moon is far, very, from the earth.")
    (verdict,) = checker(world).deduplicate(SCOPE, fresh.claim_ids)
    kept = next(claim for claim in world.claims() if claim.id == verdict.other_id)
    uri = A if "very far" in kept.text else B
    world.ingest(uri, "Nothing of the kind.")
    assert next(claim.status for claim in world.claims() if claim.id == verdict.claim_id) == "candidate"


def test_numbers_that_differ_are_no_duplicates(world: CuratedWorld) -> None:
    world.ingest(A, "The request times out after 30 seconds in the first try.")
    fresh = world.ingest(B, "The request times out after 60 seconds in the first try.")
    assert checker(world).deduplicate(SCOPE, fresh.claim_ids) == ()
    assert set(world.statuses().values()) == {"candidate"}


def test_a_batch_repeats_itself(world: CuratedWorld) -> None:
    fresh = world.ingest(A, "The moon is very far from the earth.\n\nThe moon is far, very, from the earth.")
    assert len(checker(world).deduplicate(SCOPE, fresh.claim_ids)) == 1
    assert sorted(world.statuses().values()) == ["candidate", "stale"]


def test_contradicting_claims_are_both_contested(world: CuratedWorld) -> None:
    world.ingest(A, "The default timeout of Qdrant is 30 seconds.")
    fresh = world.ingest(B, "The default timeout of Qdrant is 60 seconds.")
    report = checker(world).check(SCOPE, fresh.claim_ids)
    assert report.counts[VerdictKind.CONTRADICTS] == 1
    assert set(world.statuses().values()) == {"contested"}
    (checked,) = report.checked
    assert (checked.before, checked.claim.status) == ("candidate", "contested")
    with world.canonical.reading(SCOPE) as work:
        assert LinkKind.CONTRADICTS in {link.kind for link in work.links.of(list(fresh.claim_ids))}
    world.ingest(A, "Nothing of the kind.")
    assert world.statuses()["The default timeout of Qdrant is 60 seconds."] == "candidate"


def test_of_what_has_no_name_each_document_speaks_for_itself(world: CuratedWorld) -> None:
    world.ingest(A, "The default timeout is 30 seconds.")
    fresh = world.ingest(B, "The default timeout is 60 seconds.")
    report = checker(world).check(SCOPE, fresh.claim_ids)
    assert report.counts == {VerdictKind.NEW: 1}
    assert "may be another thing" in report.checked[0].verdicts[0].reason


def test_nothing_is_near(world: CuratedWorld) -> None:
    fresh = world.ingest(A, "The moon is far.")
    report = checker(world).check(SCOPE, fresh.claim_ids)
    (verdict,) = report.checked[0].verdicts
    assert (verdict.kind, verdict.other_id, verdict.method) == (VerdictKind.NEW, "", "rules")


def test_a_models_verdict_is_stored_with_what_it_compared(world: CuratedWorld) -> None:
    world.ingest(A, "The moon is far away.")
    fresh = world.ingest(B, "Our satellite is a moon far out.")
    critic = Critic(Judgement(kind=VerdictKind.CORROBORATES, against=0, reason="it says so too"))
    report = checker(world, critic).check(SCOPE, fresh.claim_ids)
    with world.canonical.reading(SCOPE) as work:
        found = work.verdicts.of(fresh.claim_ids)
    assert {(one.method, one.reason) for one in found} == {("model:critic", "it says so too")}
    assert {(one.claim_id, one.other_id) for one in found} == {(one.other_id, one.claim_id) for one in found}
    assert (len(found), report.method) == (2, "critic")
    assert set(world.statuses().values()) == {"verified"}


def test_a_model_that_is_down_leaves_it_to_the_rules(world: CuratedWorld) -> None:
    world.ingest(A, "The default timeout of Qdrant is 30 seconds.")
    fresh = world.ingest(B, "The default timeout of Qdrant is 60 seconds.")
    report = checker(world, Critic(None, is_down=True)).check(SCOPE, fresh.claim_ids)
    assert report.counts[VerdictKind.CONTRADICTS] == 1
    assert report.checked[0].verdicts[0].method == "rules"
    assert any("it is down" in note for note in report.notes)


def test_without_an_embedder_words_find_the_neighbours(world: CuratedWorld) -> None:
    world.ingest(A, "The default timeout of Qdrant is 30 seconds.")
    fresh = world.ingest(B, "The default timeout of Qdrant is 60 seconds.")
    report = checker(world, is_semantic=False).check(SCOPE, fresh.claim_ids)
    assert report.counts[VerdictKind.CONTRADICTS] == 1
    assert any("words alone" in note for note in report.notes)
    with pytest.raises(ConfigurationError, match="no embedder"):
        checker(world, is_semantic=False).deduplicate(SCOPE, fresh.claim_ids)


def test_candidates_come_in_turn(world: CuratedWorld) -> None:
    world.ingest(A, "\n\n".join(f"Rule {number} is about thing {number}." for number in range(6)))
    first = checker(world).check_candidates(SCOPE, limit=4)
    second = checker(world).check_candidates(SCOPE, limit=4)
    assert len(first.checked) == len(second.checked) == 4
    assert len({one.claim.id for report in (first, second) for one in report.checked}) == 6


def test_an_unknown_claim(world: CuratedWorld) -> None:
    with pytest.raises(NotFoundError, match="no claim"):
        checker(world).check(SCOPE, ["claim_none"])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("The Alfa server listens on port 4100.", "The Alfa server listens on port 4100 in production."),
        ("The Alfa gateway is written in Go.", "The Alfa gateway is written in Go and deployed as one binary."),
        ("Сервер Альфа слушает порт 4100.", "Сервер Альфа слушает порт 4100 на тестовом стенде."),
    ],
)
def test_what_says_more_is_not_proven_by_what_says_less(
    world: CuratedWorld, short: str, long: str, *, first: bool
) -> None:
    """Whichever of the two is checked, and whoever judges."""
    world.ingest(A, short)
    world.ingest(B, long)
    by_text = {claim.text: claim.id for claim in world.claims()}
    for critic in (None, Critic(Judgement(kind=VerdictKind.CORROBORATES, against=0, reason="it says so"))):
        report = checker(world, critic).check(SCOPE, [by_text[short if first else long]])
        assert [(one.kind, one.claim_id, one.other_id) for one in report.checked[0].verdicts] == [
            (VerdictKind.CORROBORATES, by_text[long], by_text[short])
        ]
        assert world.statuses() == {short: "verified", long: "candidate"}


@pytest.mark.parametrize("first", [True, False])
def test_names_are_contradicted_across_documents(*, first: bool) -> None:
    """Also by a short sentence under a heading, as the rules distil it."""
    world = CuratedWorld(MemoryCanonical(), RuleDistiller())
    said = world.ingest(A, "# Settings\n\nZorvex supports IPv6.")
    denied = world.ingest(B, "# Settings\n\nZorvex does not support IPv6.")
    checker(world).check(SCOPE, (said if first else denied).claim_ids)
    assert world.statuses() == dict.fromkeys(("Zorvex supports IPv6.", "Zorvex does not support IPv6."), "contested")
