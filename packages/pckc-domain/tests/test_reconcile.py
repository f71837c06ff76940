"""Reconcile: beliefs of a slot depend on event time alone, and every rule of truth over time holds."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.claim import (
    Assertion,
    Beliefs,
    Claim,
    ClaimStatus,
    ClaimType,
    Governance,
    GovernanceAct,
    LinkKind,
    Polarity,
)
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import AuthorityClass, Proof, ProofType, VerificationStatus
from pckc_domain.model.scope import Branch, BranchScope
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.slots import slot_key
from pckc_domain.policy.validity import CANDIDATE_LIFETIME, is_expired

START = datetime(2026, 1, 1, tzinfo=UTC)
USER, TOOL, TEST, REPO, MODEL = (
    AuthorityClass.USER_CONFIRMED,
    AuthorityClass.TOOL_VERIFIED,
    AuthorityClass.TEST_VERIFIED,
    AuthorityClass.REPOSITORY_DERIVED,
    AuthorityClass.MODEL_INFERRED,
)
NEGATIVE = Polarity.NEGATIVE


def said(value: str, day: float, authority: AuthorityClass = USER, **more: object) -> Assertion:
    """An assertion about the port of the api, *day* days after the start."""
    session = str(more.pop("session_id", "s"))
    at = START + timedelta(days=day)
    is_durable = authority in DURABLE
    claim = Claim(
        type=ClaimType.FACT,
        subject="api",
        attribute="port",
        value=value,
        text=f"it is {value}",
        confidence=0.9,
        importance=0.5,
        authority=authority,
        status=ClaimStatus.VERIFIED if is_durable else ClaimStatus.CANDIDATE,
        valid_from=at,
        recorded_at=START,
        session_id=session,
        id="",
    )
    claim = attrs.evolve(claim, **more)  # type: ignore[arg-type]  # fields of several types
    name = content_id("claim", repr(attrs.evolve(claim, governance=Governance.ACTIVE)))
    proof = Proof(
        id=content_id("proof", name),
        claim_id=name,
        authority=authority,
        verification=VerificationStatus.VERIFIED if is_durable else VerificationStatus.UNVERIFIED,
        type=ProofType.SESSION_EVENT,
        source_ref=f"session:{session}#{int(day * 100)}:0-{len(value)}",
        excerpt=claim.text,
        digest="",
        observed_at=at,
    )
    return Assertion(claim=attrs.evolve(claim, id=name), proof=proof, seq=int(day * 100))


def current(beliefs: Beliefs) -> list[Claim]:
    return [claim for claim in beliefs.claims if claim.valid_to is None and claim.status != "candidate"]


def values(beliefs: Beliefs) -> list[str]:
    return [claim.value for claim in current(beliefs)]


def kinds(beliefs: Beliefs) -> list[LinkKind]:
    return [link.kind for link in beliefs.links]


def test_the_same_value_confirms_and_adds_a_proof() -> None:
    beliefs = settle_slot([said("80", 1), said("80", 2)])
    (claim,) = beliefs.claims
    assert claim.valid_from == START + timedelta(days=1)
    assert {proof.claim_id for proof in beliefs.proofs} == {claim.id}
    assert len(beliefs.proofs) == 2


def test_a_new_value_closes_the_old_one_and_its_restatements() -> None:
    old, new = settle_slot([said("80", 1), said("80", 2), said("81", 3)]).claims
    assert (old.value, old.valid_to, old.superseded_by) == ("80", START + timedelta(days=3), new.id)
    assert (new.value, new.valid_to, new.status) == ("81", None, "verified")


def test_an_old_session_imported_later_supersedes_nothing() -> None:
    assert values(settle_slot([said("81", 9), said("80", 1)])) == ["81"]


def test_a_value_that_comes_back_is_a_new_claim() -> None:
    beliefs = settle_slot([said("80", 1), said("81", 2), said("80", 3)])
    assert [claim.value for claim in beliefs.claims] == ["80", "81", "80"]
    assert values(beliefs) == ["80"]


def test_lower_authority_later_contests() -> None:
    beliefs = settle_slot([said("80", 1, REPO), said("81", 2, USER)])
    assert [claim.status for claim in beliefs.claims] == ["contested", "contested"]
    assert kinds(beliefs) == [LinkKind.CONTRADICTS]


def test_a_later_reading_of_the_stronger_side_ends_the_conflict() -> None:
    beliefs = settle_slot([said("80", 1, REPO), said("81", 2, USER), said("80", 3, REPO)])
    assert values(beliefs) == ["80"]
    assert [claim.status for claim in current(beliefs)] == ["verified"]


def test_a_users_decision_outranks_the_repository_but_not_a_refuting_test() -> None:
    decided = said("81", 2, USER, type=ClaimType.DECISION)
    assert values(settle_slot([said("80", 1, REPO), decided])) == ["81"]
    assert len(current(settle_slot([decided, said("80", 3, REPO)]))) == 2
    assert values(settle_slot([decided, said("80", 3, TEST)])) == ["80"]


def test_no_winner_at_one_instant() -> None:
    beliefs = settle_slot([said("80", 1, session_id="a"), said("81", 1, session_id="b")])
    assert [claim.status for claim in beliefs.claims] == ["contested", "contested"]


def test_later_in_one_session_wins_even_at_one_instant() -> None:
    first, second = said("80", 1), said("81", 1)
    assert values(settle_slot([attrs.evolve(second, seq=101), first])) == ["81"]


def test_opposite_polarity_of_one_value_excludes_others_do_not() -> None:
    assert values(settle_slot([said("80", 1), said("80", 2, polarity=NEGATIVE)])) == ["80"]
    assert len(settle_slot([said("80", 1), said("80", 2, polarity=NEGATIVE)]).claims) == 2
    assert values(settle_slot([said("80", 1), said("81", 2, polarity=NEGATIVE)])) == ["80", "81"]


def test_a_condition_qualifies_and_does_not_replace() -> None:
    beliefs = settle_slot([said("80", 1), said("81", 2, condition="in tests"), said("82", 3, condition="in tests")])
    assert values(beliefs) == ["80", "82"]
    assert sorted(kinds(beliefs)) == ["qualifies", "supersedes"]


def test_equal_names_in_two_files_are_two_things() -> None:
    assert values(settle_slot([said("1", 1, TOOL, path="a.py"), said("2", 2, TOOL, path="b.py")])) == ["1", "2"]
    assert values(settle_slot([said("1", 1, TOOL, path="a.py"), said("2", 2, TOOL, path="a.py")])) == ["2"]


def test_a_models_word_moves_nothing_and_stays_a_candidate() -> None:
    beliefs = settle_slot([said("80", 1), said("81", 2, MODEL)])
    assert values(beliefs) == ["80"]
    assert [claim.status for claim in beliefs.claims] == ["verified", "candidate"]
    assert beliefs.links == ()


@pytest.mark.parametrize("authority", sorted(DURABLE - {AuthorityClass.DOCUMENT_DERIVED}))
def test_whoever_may_be_relied_on_promotes_a_candidate(authority: AuthorityClass) -> None:
    beliefs = settle_slot([said("80", 1, MODEL), said("80", 2, authority)])
    (claim,) = beliefs.claims
    assert (claim.status, claim.authority) == ("verified", authority)
    assert sorted(proof.verification for proof in beliefs.proofs) == ["unverified", "verified"]


def test_candidates_replace_each_other() -> None:
    beliefs = settle_slot([said("80", 1, MODEL), said("81", 2, MODEL)])
    assert [claim.valid_to is None for claim in beliefs.claims] == [False, True]
    assert {claim.status for claim in beliefs.claims} == {"candidate"}


def test_a_candidate_replaced_by_a_promoted_one_points_at_the_promoted_claim() -> None:
    beliefs = settle_slot([said("80", 1, MODEL), said("81", 2, MODEL), said("81", 3, USER)])
    old, new = beliefs.claims
    assert old.superseded_by == new.id
    assert [(link.source_id, link.target_id) for link in beliefs.links] == [(new.id, old.id)]


def test_candidates_expire_after_thirty_days() -> None:
    (claim,) = settle_slot([said("80", 0, MODEL)]).claims
    assert not is_expired(claim, START + CANDIDATE_LIFETIME)
    assert is_expired(claim, START + CANDIDATE_LIFETIME + timedelta(seconds=1))
    (durable,) = settle_slot([said("80", 0)]).claims
    assert not is_expired(durable, START + timedelta(days=999))


def bug(text: str, day: float, kind: ClaimType = ClaimType.BUG, authority: AuthorityClass = USER) -> Assertion:
    return said(text, day, authority, type=kind, attribute="bug")


def test_a_fix_closes_the_bug_and_a_new_report_opens_it_again() -> None:
    reports = [bug("api crashes on empty files", 1), bug("fixed the crash on empty files", 2, ClaimType.FIX)]
    beliefs = settle_slot(reports)
    assert values(beliefs) == ["fixed the crash on empty files"]
    assert kinds(beliefs) == [LinkKind.FIXES]
    again = settle_slot([*reports, bug("api crashes on empty files again", 3)])
    assert values(again) == ["api crashes on empty files again"]


def test_of_two_bugs_only_the_one_of_the_same_topic_is_fixed() -> None:
    bugs = [bug("api crashes on empty files", 1), bug("api duplicates rows after restart", 2)]
    assert len(current(settle_slot(bugs))) == 2
    fixed = settle_slot([*bugs, bug("fixed duplicate rows after restart", 3, ClaimType.FIX)])
    assert "api crashes on empty files" in values(fixed)
    assert "api duplicates rows after restart" not in values(fixed)


def test_a_models_fix_closes_nothing() -> None:
    beliefs = settle_slot([bug("crash", 1), bug("fixed the crash", 2, ClaimType.FIX, MODEL)])
    assert values(beliefs) == ["crash"]


def test_several_values_of_what_one_has_many_of() -> None:
    sisters = [
        said("anna", 1, subject="user's sister", attribute="name"),
        said("vera", 2, subject="user's sister", attribute="name"),
    ]
    assert values(settle_slot(sisters)) == ["anna", "vera"]


def act(claim: Claim, after: Governance, day: float, before: Governance = Governance.ACTIVE) -> GovernanceAct:
    return GovernanceAct(
        claim_id=claim.id, at=START + timedelta(days=day), before=before, after=after, actor="user", reason=""
    )


def test_a_rejected_claim_and_its_older_restatements_take_no_part() -> None:
    first, again, other = said("80", 1), said("80", 2), said("79", 0)
    rejected = act(first.claim, Governance.REJECTED, 3)
    assert values(settle_slot([other, first, again], [rejected])) == ["79"]
    assert values(settle_slot([other, first, again, said("80", 4)], [rejected])) == ["80"]
    undone = act(first.claim, Governance.ACTIVE, 4, Governance.REJECTED)
    assert values(settle_slot([other, first, again], [undone, rejected])) == ["80"]


def test_a_pinned_claim_is_contested_never_closed() -> None:
    pinned = said("80", 1)
    beliefs = settle_slot([pinned, said("81", 2)], [act(pinned.claim, Governance.PINNED, 1)])
    assert values(beliefs) == ["80", "81"]
    assert {claim.status for claim in beliefs.claims} == {"contested"}


def test_a_pin_stays_when_an_older_restatement_is_imported() -> None:
    pinned = said("80", 2)
    beliefs = settle_slot([pinned, said("80", 1), said("81", 3)], [act(pinned.claim, Governance.PINNED, 2)])
    assert values(beliefs) == ["80", "81"]


def test_the_same_event_seen_in_two_sessions_is_one_assertion() -> None:
    one = said("80", 1)
    copy = attrs.evolve(one, claim=attrs.evolve(one.claim, session_id="copy"))
    assert len(settle_slot([one, copy]).claims) == 1
    assert settle_slot([one, copy]) == settle_slot([copy, one])


def test_slots() -> None:
    base = said("80", 1).claim
    assert slot_key(base) == slot_key(attrs.evolve(base, id="x", value="81", subject="API"))
    assert slot_key(base) != slot_key(attrs.evolve(base, attribute="host"))
    assert slot_key(base) != slot_key(attrs.evolve(base, subject="web"))
    nameless = attrs.evolve(base, subject="")
    assert slot_key(nameless) != slot_key(attrs.evolve(nameless, id="x"))
    spelt = attrs.evolve(base, subject="api_port", attribute="value")
    assert slot_key(base) == slot_key(spelt) == slot_key(attrs.evolve(spelt, subject="API port"))


def test_what_code_says_holds_on_its_branch_and_what_people_want_on_all() -> None:
    def on(branch: str, value: str, day: float, **more: object) -> Assertion:
        scope = BranchScope.CURRENT if branch == "x" else BranchScope.MAINLINE
        return said(value, day, TOOL, branch=Branch(name=branch, scope=scope), **more)

    in_code = [on("main", "80", 1, path="a.py"), on("x", "81", 2, path="a.py"), on("master", "82", 3, path="a.py")]
    assert [claim.value for claim in settle_slot(in_code).claims if claim.valid_to is None] == ["81", "82"]
    wanted = [on("main", "80", 1), on("x", "81", 2)]
    assert [claim.value for claim in settle_slot(wanted).claims if claim.valid_to is None] == ["81"]


ASSERTIONS = st.builds(
    lambda value, day, authority, more: said(value, day, authority, **more),
    st.sampled_from(["80", "81", "postgresql", "postgresql 16"]),
    st.integers(0, 6).map(lambda half: half / 2),
    st.sampled_from([USER, TOOL, TEST, REPO, MODEL]),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from([ClaimType.FACT, ClaimType.DECISION, ClaimType.BUG, ClaimType.FIX]),
            "polarity": st.sampled_from([Polarity.POSITIVE, Polarity.POSITIVE, NEGATIVE]),
            "condition": st.sampled_from(["", "", "in tests"]),
            "path": st.sampled_from(["", "", "a.py", "b.py"]),
            "session_id": st.sampled_from(["s", "t"]),
        }
    ),
)
ACTS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(Governance), st.integers(0, 4)), max_size=2)


@settings(max_examples=300)
@given(st.lists(ASSERTIONS, max_size=9), ACTS, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_sound_beliefs(
    assertions: list[Assertion], chosen: list[tuple[int, Governance, int]], random: object
) -> None:
    acts = [act(assertions[i].claim, after, day) for i, after, day in chosen if i < len(assertions)]
    beliefs = settle_slot(assertions, acts)
    shuffled = [*assertions, *assertions[:3]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis types it as object
    assert settle_slot(shuffled, acts) == beliefs
    check_soundness(beliefs, assertions)


def check_soundness(beliefs: Beliefs, assertions: Sequence[Assertion]) -> None:
    claims = {claim.id: claim for claim in beliefs.claims}
    assert len(claims) == len(beliefs.claims)
    assert claims.keys() <= {assertion.claim.id for assertion in assertions}
    assert {proof.claim_id for proof in beliefs.proofs} == claims.keys()
    linked = {(link.source_id, link.target_id) for link in beliefs.links}
    assert {name for pair in linked for name in pair} <= claims.keys()
    opponents: dict[str, set[str]] = {}
    for link in beliefs.links:
        if link.kind is LinkKind.CONTRADICTS:
            opponents.setdefault(link.source_id, set()).add(link.target_id)
            opponents.setdefault(link.target_id, set()).add(link.source_id)
    for claim in beliefs.claims:
        assert (claim.status == "candidate") == (claim.authority not in DURABLE)
        assert (claim.valid_to is None) == (claim.superseded_by == "")
        if claim.valid_to is not None:
            assert claim.governance is not Governance.PINNED
            assert claim.valid_to >= claim.valid_from
            assert (claim.superseded_by, claim.id) in linked
        is_contested = claim.valid_to is None and any(
            claims[name].valid_to is None for name in opponents.get(claim.id, ())
        )
        assert (claim.status == "contested") == is_contested


@given(st.lists(ASSERTIONS, max_size=8))
def test_claims_without_subject_never_meet(assertions: list[Assertion]) -> None:
    for assertion in assertions:
        nameless = attrs.evolve(assertion, claim=attrs.evolve(assertion.claim, subject=""))
        others = [attrs.evolve(one, claim=attrs.evolve(one.claim, subject="")) for one in assertions]
        same_slot = {one.claim.id for one in others if slot_key(one.claim) == slot_key(nameless.claim)}
        assert same_slot == {nameless.claim.id}


@given(st.lists(ASSERTIONS, min_size=1, max_size=8), st.integers(0, 7))
def test_saying_it_again_at_once_changes_no_claim(assertions: list[Assertion], index: int) -> None:
    beliefs = settle_slot(assertions)
    said_again = assertions[index % len(assertions)]
    assert settle_slot([*assertions, said_again]) == beliefs
