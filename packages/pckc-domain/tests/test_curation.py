"""What documents say: slots, status by the number of sources, verdicts."""

from datetime import UTC, datetime, timedelta

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.document import Document, DocumentKind, SourceClass
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.verdict import Verdict, VerdictKind
from pckc_domain.policy.curation import (
    DEFINITION,
    MOST_CONFIDENT,
    assertion_of,
    ceased,
    combined,
    curated_slot,
    source_of,
    sources,
)
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.slots import slot_key
from pckc_domain.policy.validity import is_expired
from pckc_domain.policy.verdicts import Judged, with_verdicts

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def document(uri: str) -> Document:
    return Document(
        id=f"doc_{uri}",
        uri=uri,
        kind=DocumentKind.WEB,
        source=SourceClass.WEB,
        content_hash="0",
        blob_hash="0",
        size_bytes=1,
        indexed_at=NOW,
    )


def says(
    uri: str, text: str, day: int = 0, *, subject: str = "", attribute: str = "", value: str = "", quote: str = ""
) -> Assertion:
    read = DistilledClaim(
        type=ClaimType.FACT,
        text=text,
        quote=quote or text,
        subject=subject,
        attribute=attribute,
        value=value,
        confidence=0.8,
        rule="test",
    )
    return assertion_of(read, document(uri), "paragraph=1", NOW + timedelta(days=day))


def port(uri: str, value: str, day: int = 0) -> Assertion:
    return says(uri, f"The port of Qdrant is {value}.", day, subject="qdrant", attribute="port", value=value)


def only(beliefs: Beliefs) -> Claim:
    (claim,) = beliefs.claims
    return claim


def test_one_document_makes_a_candidate_that_does_not_expire() -> None:
    claim = only(settle_slot([says("https://a", "Qdrant listens on 6333.")]))
    assert (claim.status, claim.authority) == ("candidate", "document_derived")
    assert claim.confidence == 0.8
    assert not is_expired(claim, NOW + timedelta(days=400))


def test_a_second_document_verifies() -> None:
    beliefs = settle_slot([port("https://a", "6333"), port("https://b", "6333", 1)])
    claim = only(beliefs)
    assert claim.status == "verified"
    assert claim.confidence == 0.96
    assert sources(beliefs.proofs) == {"https://a", "https://b"}


def test_a_document_that_repeats_itself_does_not() -> None:
    first, again = port("https://a", "6333"), says("https://a", "Port 6333!", 1, subject="qdrant", attribute="port")
    again = attrs.evolve(again, claim=attrs.evolve(again.claim, value="6333"))
    assert only(settle_slot([first, again])).status == "candidate"


def test_documents_that_disagree_are_contested_however_young() -> None:
    beliefs = settle_slot([port("https://a", "6333"), port("https://b", "6334", 9)])
    assert [claim.status for claim in beliefs.claims] == ["contested", "contested"]
    assert [claim.valid_to for claim in beliefs.claims] == [None, None]


def test_a_new_version_supersedes_what_changed() -> None:
    old = ceased(port("https://a", "6333"))
    beliefs = settle_slot([old, port("https://a", "6334", 9)])
    assert [(claim.value, claim.valid_to is None) for claim in beliefs.claims] == [("6333", False), ("6334", True)]


def test_what_no_document_says_any_more_is_stale_until_one_does() -> None:
    gone = ceased(port("https://a", "6333"))
    claim = only(settle_slot([gone]))
    assert claim.status == "stale"
    assert "the document says so no longer" in claim.status_reason
    assert only(settle_slot([gone, port("https://b", "6333", 2)])).status == "candidate"


def test_a_term_may_have_many_definitions() -> None:
    one = says("https://a", "A slot is a topic.", subject="slot", attribute=DEFINITION, value="a topic")
    two = says("https://b", "A slot is a place.", subject="slot", attribute=DEFINITION, value="a place")
    assert {claim.status for claim in settle_slot([one, two]).claims} == {"candidate"}


def test_what_a_model_adds_to_its_quote_is_its_own() -> None:
    claim = only(settle_slot([says("https://a", "Ports are open to all.", quote="The port is 6333.")]))
    assert (claim.status, claim.authority) == ("candidate", "model_inferred")
    assert not is_expired(claim, NOW + timedelta(days=400))


def test_slots_are_apart_from_those_of_sessions() -> None:
    one = port("https://a", "6333")
    assert curated_slot(one.claim, "https://a") != slot_key(one.claim)
    assert curated_slot(one.claim, "https://a") == curated_slot(port("https://b", "1").claim, "https://b")
    texts = says("https://a", "Any  text").claim, says("https://b", "any text").claim
    assert len({curated_slot(claim, claim.document_id) for claim in texts}) == 1


@pytest.mark.parametrize(
    ("subject", "text", "is_one"),
    [
        ("qdrant", "The default port of Qdrant is 6333.", True),
        ("qdrant", "Qdrant listens on port 6333.", True),
        ("default port", "The default port is 6333.", False),
        ("timeout", "Timeout is 30 seconds.", False),
        ("http client", "The timeout of the HTTP client is 30 s.", False),
        ("max_connections", "`max_connections` is 100.", False),
        ("default", "The default database is PostgreSQL.", False),
        ("qdrant", "Порт Qdrant — 6333.", True),
        ("порт", "Порт по умолчанию — 6333.", False),
    ],
)
def test_a_topic_is_one_among_documents_when_its_subject_bears_a_name(subject: str, text: str, is_one: bool) -> None:
    claims = [says(f"https://{uri}", text, subject=subject, attribute="value", value="1").claim for uri in "ab"]
    slots = {curated_slot(claim, f"https://{uri}") for claim, uri in zip(claims, "ab", strict=True)}
    assert (len(slots) == 1) is is_one


class TestVerdicts:
    def judged(self, kind: VerdictKind, one: Assertion, other: Assertion, *, about: int = 0) -> Claim:
        pair = [settle_slot([one]), settle_slot([other])]
        known = {only(each).id: Judged(claim=only(each), proofs=each.proofs) for each in pair}
        verdict = Verdict(
            claim_id=only(pair[0]).id, other_id=only(pair[1]).id, kind=kind, similarity=0.95, method="rules", at=NOW
        )
        return only(with_verdicts(pair[about], [verdict], known))

    def test_contradiction_contests_both(self) -> None:
        one, other = says("https://a", "It is on."), says("https://b", "It is off.")
        for about in (0, 1):
            assert self.judged(VerdictKind.CONTRADICTS, one, other, about=about).status == "contested"

    def test_a_duplicate_is_stale_and_verifies_what_it_repeats(self) -> None:
        one, other = says("https://a", "It is on."), says("https://b", "It is switched on.")
        loser = self.judged(VerdictKind.DUPLICATE, one, other)
        assert (loser.status, loser.superseded_by) == ("stale", only(settle_slot([other])).id)
        winner = self.judged(VerdictKind.DUPLICATE, one, other, about=1)
        assert (winner.status, winner.confidence) == ("verified", 0.96)

    def test_a_duplicate_in_the_same_document_verifies_nothing(self) -> None:
        one, other = says("https://a", "It is on."), says("https://a", "It is switched on.")
        assert self.judged(VerdictKind.DUPLICATE, one, other, about=1).status == "candidate"

    def test_corroboration_verifies_what_is_corroborated(self) -> None:
        """Not what corroborates: it may say more."""
        one, other = says("https://a", "It has been on since May."), says("https://b", "It is on.")
        assert self.judged(VerdictKind.CORROBORATES, one, other, about=0).status == "candidate"
        assert self.judged(VerdictKind.CORROBORATES, one, other, about=1).status == "verified"

    def test_nothing_is_left_of_a_verdict_whose_other_claim_is_gone(self) -> None:
        one, other = says("https://a", "It is on."), ceased(says("https://b", "It is off."))
        for kind in VerdictKind:
            assert self.judged(kind, one, other).status == "candidate"


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), st.randoms())
def test_order_does_not_matter(uris: list[str], random: "st.DataObject") -> None:
    said = [port(f"https://{uri}", str(len(uri)), day) for day, uri in enumerate(uris)]
    shuffled = list(said)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # what st.randoms gives is a Random
    claim = only(settle_slot(said))
    assert settle_slot(shuffled) == settle_slot(said)
    assert (claim.status is ClaimStatus.VERIFIED) is (len(set(uris)) > 1)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_more_sources_never_make_less_certain(confidences: list[float]) -> None:
    assert combined(confidences) <= MOST_CONFIDENT
    assert combined(confidences) >= min(MOST_CONFIDENT, max(confidences)) - 1e-4


def test_citations_name_their_document() -> None:
    assertion = port("https://a/b?c#d", "1")
    assert source_of(assertion.proof) == "https://a/b?c#d"
    assert assertion.proof.authority is AuthorityClass.DOCUMENT_DERIVED
