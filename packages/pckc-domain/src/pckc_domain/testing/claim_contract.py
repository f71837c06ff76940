"""What every canonical store must do for assertions, claims, proofs, links and governance."""

from datetime import timedelta

import attrs
import pytest

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, ClaimStatus, ClaimType, Governance, LinkKind
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Branch
from pckc_domain.policy.analysis import analyze_query, index_terms
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    link,
    proof,
    rejection,
)
from pckc_domain.testing.belief_steps import (
    NEW,
    OLD,
    ONE,
    SLOT,
    TWO,
    assert_,
    by_id,
    changes,
    check,
    claims_found,
    derive,
    evidence_found,
    found_with,
    full_claim,
    relinked,
    see,
    settle,
    stored,
)
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.testing.search_contract import HOSTILE


class AssertionsContract:
    """Assertions and rejections."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """By slot, each by event time, seq and claim id."""
        full = assertion(full_claim(), seq=2)
        earlier = assertion(claim("Earlier.", valid_from=TIME - timedelta(days=1)), seq=9)
        tie = assertion(claim("Tie."), seq=2)
        other = assertion(claim("Other."))
        assert assert_(canonical, {"s1": [tie, full, earlier], "s2": [other]}) == {"s1", "s2"}
        with canonical.reading(SCOPE) as work:
            found = work.assertions.of_slots(["s2", "s1", "unknown"])
        assert found == {"s1": [earlier, *sorted([full, tie], key=lambda a: a.claim.id)], "s2": [other]}

    def test_the_slots_that_changed_are_named(self, canonical: Canonical) -> None:
        """Gained, lost, changed or moved to another slot; not those that are as they were."""
        a, b, c, d = (assertion(claim(text)) for text in "abcd")
        assert_(canonical, {"s1": [a], "s2": [b], "s3": [c], "s4": [d]})
        assert assert_(canonical, {"s1": [a], "s2": [b], "s3": [c], "s4": [d]}) == frozenset()
        changed = attrs.evolve(c, seq=5)
        assert assert_(canonical, {"s1": [a], "s3": [changed], "s5": [d]}) == {"s2", "s3", "s4", "s5"}
        assert assert_(canonical, {}) == {"s1", "s3", "s5"}

    def test_what_is_known_keeps_its_time(self, canonical: Canonical) -> None:
        """Said again or said otherwise, an assertion was recorded when it came first, and that is no change."""
        first = assertion(claim("a"))
        again = attrs.evolve(first, claim=attrs.evolve(first.claim, recorded_at=TIME + timedelta(days=9)))
        assert_(canonical, {"s1": [first]})
        assert assert_(canonical, {"s1": [again]}) == frozenset()
        assert_(canonical, {"s2": [attrs.evolve(again, seq=4)]})
        with canonical.reading(SCOPE) as work:
            assert work.assertions.of_slots(["s1", "s2"]) == {"s2": [attrs.evolve(first, seq=4)]}

    def test_owners_do_not_touch_each_other(self, canonical: Canonical) -> None:
        """Two may assert the same."""
        same = assertion(claim("a"))
        assert assert_(canonical, {"s1": [same]}, owner="doc_x") == {"s1"}
        assert assert_(canonical, {"s1": [same]}, owner=ONE.id) == {"s1"}
        assert assert_(canonical, {}, owner=ONE.id) == {"s1"}
        with canonical.reading(SCOPE) as work:
            assert work.assertions.of_slots(["s1"]) == {"s1": [same]}

    def test_slots_are_paged(self, canonical: Canonical) -> None:
        """Each once, in order."""
        assert_(canonical, {f"s{i}": [assertion(claim(f"{i} {j}")) for j in range(2)] for i in range(5)})
        with canonical.reading(SCOPE) as work:
            assert work.assertions.slots(limit=2) == ["s0", "s1"]
            assert work.assertions.slots(after="s1", limit=9) == ["s2", "s3", "s4"]
            assert work.assertions.slots(after="s4", limit=9) == []

    def test_slots_are_found_by_what_they_name(self, canonical: Canonical) -> None:
        """A value, or an attribute, whole; nothing named finds nothing."""
        one = assertion(attrs.evolve(claim("a"), value="celery"))
        two = assertion(attrs.evolve(claim("b"), attribute="uses celery"))
        three = assertion(attrs.evolve(claim("c"), value="celery 5"))
        assert_(canonical, {"s1": [one], "s2": [two], "s3": [three]})
        with canonical.reading(SCOPE) as work:
            assert work.assertions.slots_naming({"celery"}, {"uses celery"}) == {"s1", "s2"}
            assert work.assertions.slots_naming({"celery"}, ()) == {"s1"}
            assert work.assertions.slots_naming((), ()) == frozenset()

    def test_rejections_are_replaced(self, canonical: Canonical) -> None:
        """By session, in order of seq, rule and excerpt; equal ones count once."""
        late, early = rejection(ONE, 5), rejection(ONE, 1, excerpt="б")
        other = rejection(TWO, 0)
        with canonical.writing(SCOPE) as work:
            work.rejections.replace(ONE.id, [rejection(ONE, 9)])
            work.rejections.replace(TWO.id, [other])
            work.rejections.replace(ONE.id, [late, early, late])
        with canonical.reading(SCOPE) as work:
            expected = sorted([early, late, other], key=lambda r: (r.session_id, r.seq))
            assert work.rejections.find(limit=9) == expected
            assert work.rejections.find(limit=1) == expected[:1]
            assert work.rejections.find(session_id=ONE.id, limit=9) == [early, late]


class ClaimsContract:
    """Claims, proofs and links."""

    def test_what_is_settled_comes_back(self, canonical: Canonical) -> None:
        """Every field of claims, proofs and links."""
        full, plain = full_claim(), claim("Plain.")
        later = proof(full, "later", observed_at=TIME + timedelta(days=3))
        proofs = [later, proof(full), proof(plain)]
        settle(canonical, full, plain, proofs=proofs, links=[link(full, plain)])
        with canonical.reading(SCOPE) as work:
            ids = [plain.id, "claim_unknown", full.id, plain.id]
            assert work.claims.get(ids) == [stored(plain), stored(full)]
            assert work.proofs.of(ids) == {full.id: [proof(full), later], plain.id: [proof(plain)]}
            assert work.links.of([plain.id]) == work.links.of([full.id]) == [link(full, plain)]
            assert work.links.of([]) == []

    def test_settling_again_changes_nothing(self, canonical: Canonical) -> None:
        """No entry in the queue for a claim that is as it was."""
        beliefs = Beliefs(claims=(OLD, NEW), proofs=(proof(OLD), proof(NEW)), links=(link(NEW, OLD),))
        with canonical.writing(SCOPE) as work:
            work.claims.settle({SLOT: beliefs})
        assert changes(canonical) == [(OutboxKind.CLAIM, id_, "upsert") for id_ in sorted((OLD.id, NEW.id))]
        see(canonical)
        closed = attrs.evolve(OLD, superseded_by=NEW.id)
        with canonical.writing(SCOPE) as work:
            work.claims.settle({SLOT: beliefs})
        assert changes(canonical) == []
        settle(canonical, closed, NEW)
        assert changes(canonical) == [(OutboxKind.CLAIM, OLD.id, "upsert")]

    def test_links_that_change_are_queued(self, canonical: Canonical) -> None:
        """
        By their source, once, whether they are new, other ones or gone; as they were is no change, and a claim that
        changed itself is queued anyway.
        """
        other = claim("Elsewhere.")
        settle(canonical, other, slot="other")
        settle(canonical, OLD, NEW, links=[link(NEW, OLD)])
        assert relinked(canonical) == []
        settle(canonical, OLD, NEW, links=[link(NEW, OLD), link(NEW, other)])
        assert relinked(canonical) == [NEW.id]
        see(canonical)
        settle(canonical, OLD, NEW, links=[link(NEW, other), link(NEW, OLD)])
        assert relinked(canonical) == []
        settle(canonical, OLD, NEW, links=[attrs.evolve(link(NEW, OLD), confidence=0.125), link(NEW, other)])
        assert relinked(canonical) == [NEW.id]
        assert changes(canonical) == []
        see(canonical)
        settle(canonical, OLD, NEW, links=[link(OLD, other)])
        assert relinked(canonical) == sorted([OLD.id, NEW.id])
        see(canonical)
        settle(canonical, NEW)
        assert (relinked(canonical), changes(canonical)) == ([], [(OutboxKind.CLAIM, OLD.id, "delete")])

    def test_what_vanishes_is_erased(self, canonical: Canonical) -> None:
        """With its proofs, checks and links, also those of other slots."""
        other = claim("Elsewhere.")
        settle(canonical, OLD, NEW, proofs=[proof(OLD), proof(NEW)], links=[link(NEW, OLD)])
        settle(canonical, other, slot="other", links=[link(other, OLD, LinkKind.REFERENCE), link(other, NEW)])
        with canonical.writing(SCOPE) as work:
            work.proofs.attach([proof(OLD, "attached")])
            work.claims.note_check(OLD.id, stale_reason="gone")
        see(canonical)
        settle(canonical, NEW, proofs=[proof(NEW)])
        assert changes(canonical) == [(OutboxKind.CLAIM, OLD.id, "delete")]
        with canonical.reading(SCOPE) as work:
            assert work.claims.get([OLD.id]) == []
            assert work.proofs.of([OLD.id, NEW.id]) == {NEW.id: [proof(NEW)]}
            assert work.links.of([OLD.id, NEW.id, other.id]) == [link(other, NEW)]
        assert claims_found(canonical, LexicalQuery(words=("Postgres",))) == set()
        settle(canonical, OLD, NEW)
        with canonical.reading(SCOPE) as work:
            assert work.claims.get([OLD.id]) == [stored(OLD)]
            assert work.proofs.of([OLD.id]) == {}

    def test_proofs_and_links_are_replaced(self, canonical: Canonical) -> None:
        """Those of the last settling count, and one may change under its id."""
        settle(canonical, OLD, NEW, proofs=[proof(OLD, "a"), proof(OLD, "b")], links=[link(NEW, OLD)])
        changed = proof(OLD, "a", excerpt="changed")
        links = [link(OLD, NEW, LinkKind.CONTRADICTS)]
        settle(canonical, OLD, NEW, proofs=[changed], links=links)
        with canonical.reading(SCOPE) as work:
            assert work.proofs.of([OLD.id]) == {OLD.id: [changed]}
            assert work.links.of([OLD.id]) == links

    def test_a_link_to_nothing_is_dropped(self, canonical: Canonical) -> None:
        """A link has two ends."""
        settle(canonical, OLD, links=[link(NEW, OLD), link(OLD, NEW)])
        settle(canonical, NEW, slot="other")
        with canonical.reading(SCOPE) as work:
            assert work.links.of([OLD.id, NEW.id]) == []

    def test_attached_proofs_stay(self, canonical: Canonical) -> None:
        """While their claim does; one with a known id stands in its place; one of no claim is dropped."""
        settle(canonical, OLD, proofs=[proof(OLD, "a"), proof(OLD, "b")])
        moved = proof(OLD, "a", source_ref=str(RepositoryLocator(path="a b", blob_hash="0f", start_line=1, end_line=2)))
        extra = proof(OLD, "c", observed_at=TIME - timedelta(days=1))
        with canonical.writing(SCOPE) as work:
            work.proofs.attach([moved, extra, proof(NEW)])
            work.proofs.attach([attrs.evolve(extra, excerpt="found again")])
        settle(canonical, OLD, proofs=[proof(OLD, "a")])
        settle(canonical, NEW, slot="other")
        with canonical.reading(SCOPE) as work:
            found = work.proofs.of([OLD.id, NEW.id])
        assert found == {OLD.id: [attrs.evolve(extra, excerpt="found again"), moved]}

    def test_a_check_makes_a_claim_stale_and_fresh_again(self, canonical: Canonical) -> None:
        """Settling does not undo it, a filter sees it, and each change is queued."""
        settle(canonical, OLD)
        see(canonical)
        check(canonical, OLD, "the line is gone")
        assert changes(canonical) == [(OutboxKind.CLAIM, OLD.id, "upsert")]
        see(canonical)
        check(canonical, OLD, "the line is gone")
        check(canonical, NEW, "unknown")
        assert changes(canonical) == []
        contested = attrs.evolve(OLD, status=ClaimStatus.CONTESTED, status_reason="two say so")
        settle(canonical, contested)
        stale = attrs.evolve(contested, status=ClaimStatus.STALE, status_reason="the line is gone")
        with canonical.reading(SCOPE) as work:
            assert work.claims.get([OLD.id]) == [stored(stale)]
        assert found_with(canonical, ClaimFilter(statuses=frozenset({ClaimStatus.STALE}))) == {OLD.id}
        assert found_with(canonical, ClaimFilter(statuses=frozenset({ClaimStatus.CONTESTED}))) == set()
        check(canonical, OLD, "")
        with canonical.reading(SCOPE) as work:
            assert work.claims.get([OLD.id]) == [stored(contested)]

    def test_a_claim_moves_to_another_slot(self, canonical: Canonical) -> None:
        """The slot settled last has it, with its check; settling the old one does it no harm."""
        settle(canonical, OLD, NEW)
        check(canonical, OLD, "gone")
        settle(canonical, OLD, slot="other")
        settle(canonical, NEW)
        with canonical.reading(SCOPE) as work:
            [found] = work.claims.get([OLD.id])
        assert (found.slot, found.claim.status_reason) == ("other", "gone")

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (LexicalQuery(words=("parsers",)), {"a"}),
            (LexicalQuery(words=("retries",)), {"b"}),
            (LexicalQuery(words=("timeout",)), {"b"}),
            (LexicalQuery(words=("thirty",)), {"b"}),
            (LexicalQuery(words=("terma",)), {"b"}),
            (LexicalQuery(terms=("terma",)), {"b"}),
            (LexicalQuery(terms=("retry",)), set()),
            (LexicalQuery(phrases=(("retry", "policy"),)), {"b"}),
            (LexicalQuery(phrases=(("policy", "timeout"),)), set()),
            (LexicalQuery(words=("decision",)), set()),
            (LexicalQuery(words=("parser", "retry")), {"a", "b"}),
            (LexicalQuery(), set()),
        ],
    )
    def test_search_finds_what_matches(self, canonical: Canonical, query: LexicalQuery, expected: set[str]) -> None:
        """Words in text, subject, attribute, value and terms; a type is no text."""
        found = {
            "a": claim("The parser is parsing."),
            "b": claim("Wait.", subject="Retry policy", attribute="timeout", value="thirty", terms="terma termb"),
        }
        settle(canonical, *found.values())
        assert claims_found(canonical, query) == {found[name].id for name in expected}

    def test_search_follows_changes(self, canonical: Canonical) -> None:
        """A claim is found by what it says now."""
        settle(canonical, OLD)
        settle(canonical, attrs.evolve(OLD, subject="database", valid_to=None))
        assert claims_found(canonical, LexicalQuery(words=("database",))) == {OLD.id}
        settle(canonical, attrs.evolve(OLD, value="elephant", type=ClaimType.FACT))
        assert claims_found(canonical, LexicalQuery(words=("database",))) == set()
        where = ClaimFilter(types=frozenset({ClaimType.FACT}))
        assert claims_found(canonical, LexicalQuery(words=("elephant",)), where) == {OLD.id}

    @pytest.mark.parametrize("type_", ClaimType)
    def test_types_are_partitions(self, canonical: Canonical, type_: ClaimType) -> None:
        """Every hit has a requested type, and a limit counts only those."""
        settle(canonical, *(claim(f"alpha {each}", type=each) for each in ClaimType))
        both = frozenset({type_, ClaimType.OPEN_QUESTION})
        with canonical.reading(SCOPE) as work:
            for types in (frozenset({type_}), both):
                hits = work.claims.search(
                    LexicalQuery(words=("alpha", "text")), where=ClaimFilter(types=types), limit=len(types)
                )
                assert {hit.stored.claim.type for hit in hits} == types

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (ClaimFilter(), {"old", "new", "task"}),
            (ClaimFilter(types=frozenset({ClaimType.TASK})), {"task"}),
            (ClaimFilter(statuses=frozenset({ClaimStatus.CANDIDATE})), {"task"}),
            (ClaimFilter(governance=frozenset({Governance.PINNED})), {"new"}),
            (ClaimFilter(slots=frozenset({"s1"})), {"old", "new"}),
            (ClaimFilter(slots=frozenset({"s1"}), types=frozenset({ClaimType.TASK})), set()),
            (ClaimFilter(session_ids=frozenset({TWO.id})), {"new"}),
            (ClaimFilter(session_ids=frozenset({TWO.id}), slots=frozenset({"s1", "s2"})), {"new"}),
            (ClaimFilter(branches=frozenset({""})), {"task"}),
            (ClaimFilter(branches=frozenset({"", "main"})), {"old", "new", "task"}),
            (ClaimFilter(valid_at=TIME), {"old", "task"}),
            (ClaimFilter(valid_at=TIME + timedelta(days=1)), {"new", "task"}),
            (ClaimFilter(valid_at=TIME - timedelta(microseconds=1)), set()),
            (ClaimFilter(is_open=True), {"new", "task"}),
            (ClaimFilter(is_open=False), {"old"}),
            (ClaimFilter(is_standing=True), {"new"}),
        ],
    )
    def test_filters(self, canonical: Canonical, where: ClaimFilter, expected: set[str]) -> None:
        """Searching and finding keep the same, and limits count only what passes."""
        claims = {
            "old": attrs.evolve(OLD, text="alpha old"),
            "new": attrs.evolve(NEW, text="alpha new", governance=Governance.PINNED, is_standing=True),
            "task": claim(
                "alpha task", type=ClaimType.TASK, status=ClaimStatus.CANDIDATE, branch=Branch(), session_id=""
            ),
        }
        settle(canonical, claims["old"], claims["new"], slot="s1")
        settle(canonical, claims["task"], slot="s2")
        ids = {claims[name].id for name in expected}
        assert found_with(canonical, where) == ids
        assert claims_found(canonical, LexicalQuery(words=("alpha",)), where, limit=len(ids)) == ids

    def test_claims_are_paged(self, canonical: Canonical) -> None:
        """By id, whatever the filter."""
        claims = by_id([claim(f"text {i}") for i in range(6)])
        settle(canonical, *claims[::2], slot="s1")
        settle(canonical, *claims[1::2], slot="s2")
        for where in (ClaimFilter(), ClaimFilter(slots=frozenset({"s1", "s2"})), ClaimFilter(is_open=True)):
            with canonical.reading(SCOPE) as work:
                first = work.claims.find(where=where, limit=4)
                rest = work.claims.find(where=where, after=first[-1].claim.id, limit=9)
            assert [each.claim for each in (*first, *rest)] == claims

    def test_the_better_match_comes_first(self, canonical: Canonical) -> None:
        """Rarer words weigh more, and ties come by id."""
        common, rare = [claim(f"common text {i}") for i in range(6)], claim("rare text x")
        settle(canonical, *common, rare)
        with canonical.reading(SCOPE) as work:
            hits = work.claims.search(LexicalQuery(words=("common", "rare")), where=ClaimFilter(), limit=4)
        assert [hit.stored.claim.id for hit in hits] == [rare.id, *sorted(each.id for each in common)[:3]]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    @pytest.mark.parametrize("part", HOSTILE, ids=range(len(HOSTILE)))
    def test_any_query_is_safe(self, canonical: Canonical, part: str) -> None:
        """Operators, quotes, NULs, surrogates and huge queries are only words, with types and without."""
        settle(canonical, claim("an innocent text"))
        derive(canonical, ONE, "an innocent text")
        for query in (analyze_query(part), LexicalQuery(words=(part,), phrases=((part, part),), terms=(part,))):
            for where in (ClaimFilter(), ClaimFilter(types=frozenset({ClaimType.DECISION}))):
                assert len(claims_found(canonical, query, where)) <= 1
            assert len(evidence_found(canonical, query)) <= 1

    def test_russian_and_identifiers_are_found(self, canonical: Canonical) -> None:
        """Through the extra terms."""
        text = "Сервер падает в parseHeaderLine, см. C++."
        settle(canonical, claim(text, terms=index_terms(text)))
        for question in ("серверы", "header", "C++", "parseHeaderLine"):
            assert claims_found(canonical, analyze_query(question)) == {claim(text).id}


class GovernanceContract:
    """What people decided, and how far transcripts were read."""

    def test_acts_come_in_the_order_they_were_added(self, canonical: Canonical) -> None:
        """Whatever their time; equal ones too."""
        acts = [act(OLD), act(NEW, at=TIME - timedelta(days=1)), act(OLD, Governance.REJECTED, "нет"), act(OLD)]
        with canonical.writing(SCOPE) as work:
            for each in acts:
                work.governance.append(each)
        with canonical.reading(SCOPE) as work:
            assert work.governance.of([NEW.id, OLD.id, OLD.id]) == acts
            assert work.governance.of([NEW.id]) == [acts[1]]
            assert work.governance.of(["claim_unknown"]) == []

    def test_acts_outlive_their_claim(self, canonical: Canonical) -> None:
        """A rejected claim vanishes, its history does not, until its session is removed."""
        settle(canonical, OLD)
        with canonical.writing(SCOPE) as work:
            work.governance.append(act(OLD, Governance.REJECTED))
        settle(canonical)
        with canonical.writing(SCOPE) as work:
            work.governance.append(act(OLD, Governance.ACTIVE))
            assert len(work.governance.of([OLD.id])) == 2
            work.sessions.remove([TWO.id])
            assert len(work.governance.of([OLD.id])) == 2
            work.sessions.remove([ONE.id])
        with canonical.reading(SCOPE) as work:
            assert work.governance.of([OLD.id]) == []

    def test_acts_on_a_claim_not_known_yet_go_with_its_session(self, canonical: Canonical) -> None:
        """Whichever was there first, the act or the assertion."""
        with canonical.writing(SCOPE) as work:
            work.governance.append(act(OLD))
            work.assertions.replace(ONE.id, {SLOT: [assertion(OLD)]})
            work.sessions.remove([ONE.id])
            assert work.governance.of([OLD.id]) == []

    def test_positions_are_remembered(self, canonical: Canonical) -> None:
        """By path, until all are forgotten."""
        first = TranscriptPosition(offset=2**40, records=7, prefix_hash="ab", state='{"a": "я"}')
        with canonical.writing(SCOPE) as work:
            work.imports.remember("/a/ю.jsonl", TranscriptPosition())
            work.imports.remember("/a/ю.jsonl", first)
            work.imports.remember("/b", TranscriptPosition())
        with canonical.reading(SCOPE) as work:
            assert work.imports.position("/a/ю.jsonl") == first
            assert work.imports.position("/b") == TranscriptPosition()
            assert work.imports.position("/c") is None
        with canonical.writing(SCOPE) as work:
            work.imports.forget()
            assert work.imports.position("/b") is None
