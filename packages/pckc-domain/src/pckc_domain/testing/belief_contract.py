"""What every canonical store must do for sessions and claims: inherit `BeliefContract`, provide *canonical*."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

import attrs
import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, ClaimType, Governance, LinkKind, Polarity
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Branch, BranchScope, Scope
from pckc_domain.model.session import Event, EventKind, Evidence, Session
from pckc_domain.policy.analysis import analyze_query, index_terms
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    episode,
    event,
    evidence,
    link,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.samples import SCOPE, TIME
from pckc_domain.testing.search_contract import HOSTILE

OTHER = Scope(tenant="local", project="another")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ONE, TWO = session("one"), session("two", started_at=None, ended_at=None, branch=Branch(), cwd="", title="")
OLD = claim("Use Postgres.", valid_to=TIME + timedelta(days=1))
NEW = claim("Use SQLite.", valid_from=TIME + timedelta(days=1), session_id=TWO.id)
SLOT = "slot_database"

Named = TypeVar("Named", Session, Claim)


class SessionsContract:
    """Sessions and their events."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """Every field survives, also those that are not known."""
        full = event(
            ONE,
            7,
            "Второй: ✓ 日本 \x00 end",
            kind=EventKind.COMMAND,
            speaker="Анна",
            tool="bash",
            exit_code=-9,
            path="src/é.py",
            branch="feature/x",
            source_id="uuid",
            is_sidechain=True,
            is_replay=True,
        )
        plain = event(ONE, 8, "plain", time=None)
        with canonical.writing(SCOPE) as work:
            assert work.sessions.put(ONE, [full, plain]) == [full.id, plain.id]
            assert work.sessions.put(TWO, []) == []
        with canonical.reading(SCOPE) as work:
            assert work.sessions.events(ONE.id) == [full, plain]
            assert work.sessions.get([TWO.id, "ses_unknown", ONE.id, TWO.id]) == by_id([ONE, TWO])

    def test_a_session_is_replaced(self, canonical: Canonical) -> None:
        """Its events stay."""
        put(canonical, ONE, event(ONE))
        later = attrs.evolve(ONE, title="New", ended_at=None, branch=Branch(), parent_id=TWO.id)
        put(canonical, later)
        with canonical.reading(SCOPE) as work:
            assert work.sessions.get([ONE.id]) == [later]
            assert work.sessions.events(ONE.id) == [event(ONE)]

    def test_a_known_event_stays_as_it_is(self, canonical: Canonical) -> None:
        """Also within one call; only new ones are named, in order."""
        first, second = event(ONE, 0, "zulu"), event(ONE, 1, "alpha")
        changed = attrs.evolve(first, text="other", seq=5)
        assert put(canonical, ONE, second, first, changed) == [second.id, first.id]
        assert put(canonical, ONE, changed, event(ONE, 2, "third")) == [event(ONE, 2, "third").id]
        with canonical.reading(SCOPE) as work:
            assert [(each.seq, each.text) for each in work.sessions.events(ONE.id)] == [
                (0, "zulu"),
                (1, "alpha"),
                (2, "third"),
            ]

    @pytest.mark.parametrize(("was_replay", "is_replay"), [(True, False), (True, True), (False, False), (False, True)])
    def test_a_replay_moves_to_its_own_session(self, canonical: Canonical, was_replay: bool, is_replay: bool) -> None:
        """Only when it is known as a replay and is none here."""
        put(canonical, ONE, event(ONE, 4, "shared", is_replay=was_replay))
        moves = was_replay and not is_replay
        new = put(canonical, TWO, event(TWO, 9, "shared", is_replay=is_replay))
        assert new == ([event(TWO, 9, "shared").id] if moves else [])
        with canonical.reading(SCOPE) as work:
            held = {each.id: [(e.seq, e.is_replay) for e in work.sessions.events(each.id)] for each in (ONE, TWO)}
        assert held == ({ONE.id: [], TWO.id: [(9, False)]} if moves else {ONE.id: [(4, was_replay)], TWO.id: []})

    def test_a_taken_seq_gives_the_next_free_one(self, canonical: Canonical) -> None:
        """Behind what is stored and what came before it in the same call."""
        put(canonical, ONE, *(event(ONE, seq, f"old {seq}") for seq in (0, 1, 3)))
        put(canonical, ONE, *(event(ONE, seq, f"new {i}") for i, seq in enumerate((0, 0, 3, 9, 1, 0))))
        with canonical.reading(SCOPE) as work:
            found = {each.text: each.seq for each in work.sessions.events(ONE.id)}
        assert found == {
            "old 0": 0,
            "old 1": 1,
            "new 0": 2,
            "old 3": 3,
            "new 1": 4,
            "new 2": 5,
            "new 4": 6,
            "new 5": 7,
            "new 3": 9,
        }

    def test_a_long_session_meets_itself(self, canonical: Canonical) -> None:
        """A fork with the same numbers lies down behind the original, in order."""
        put(canonical, ONE, *(event(ONE, seq, f"old {seq}") for seq in range(3_000)))
        put(canonical, ONE, *(event(ONE, seq, f"new {seq}") for seq in range(3_000)))
        with canonical.reading(SCOPE) as work:
            found = work.sessions.events(ONE.id)
        assert [each.seq for each in found] == list(range(6_000))
        assert [each.text for each in found[3_000:]] == [f"new {seq}" for seq in range(3_000)]

    def test_events_are_paged(self, canonical: Canonical) -> None:
        """Behind a seq, up to a number."""
        events = [event(ONE, seq, f"text {seq}") for seq in range(5)]
        put(canonical, ONE, *reversed(events))
        put(canonical, TWO, event(TWO, 2, "other"))
        with canonical.reading(SCOPE) as work:
            assert work.sessions.events(ONE.id, after_seq=1) == events[2:]
            assert work.sessions.events(ONE.id, after_seq=1, limit=2) == events[2:4]
            assert work.sessions.events(ONE.id, limit=0) == []
            assert work.sessions.events("ses_unknown") == []

    def test_sessions_are_paged(self, canonical: Canonical) -> None:
        """Pages join to all of them."""
        sessions = by_id([session(f"s{i}") for i in range(5)])
        for each in sessions:
            put(canonical, each)
        with canonical.reading(SCOPE) as work:
            first = work.sessions.find(limit=2)
            assert [*first, *work.sessions.find(after=first[-1].id, limit=9)] == sessions

    def test_gaining_and_losing_events_asks_for_a_derivation(self, canonical: Canonical) -> None:
        """Until the evidence is replaced; a known event changes nothing."""
        put(canonical, ONE, event(ONE, is_replay=True))
        put(canonical, TWO)
        assert underived(canonical) == {ONE.id}
        derive(canonical, ONE)
        put(canonical, ONE, event(ONE, is_replay=True))
        assert underived(canonical) == set()
        put(canonical, TWO, event(TWO))
        assert underived(canonical) == {ONE.id, TWO.id}
        derive(canonical, ONE)
        assert underived(canonical) == {TWO.id}

    def test_lone_surrogates_do_no_harm(self, canonical: Canonical) -> None:
        """Text that is no valid Unicode is stored, as it is or with U+FFFD in place of what cannot be."""
        broken = event(ONE, text="a \ud800 b", speaker="\ud800", path="\ud800", tool="\ud800", source_id="\ud800")
        put(canonical, ONE, broken)
        settle(canonical, claim("a \ud800 b", subject="\ud800", value="\ud800"))
        with canonical.reading(SCOPE) as work:
            [found] = work.sessions.events(ONE.id)
            [stored] = work.claims.find(where=ClaimFilter(), limit=9)
        assert found.text.replace("\ud800", REPLACEMENT) == f"a {REPLACEMENT} b"
        assert stored.claim.subject.replace("\ud800", REPLACEMENT) == REPLACEMENT

    def test_removing_erases_a_session(self, canonical: Canonical) -> None:
        """Everything that is its own goes, and the slots it spoke of are named; others are untouched."""
        for each, about in ((ONE, OLD), (TWO, NEW)):
            put(canonical, each, event(each, text=about.text))
            derive(canonical, each, about.text)
            with canonical.writing(SCOPE) as work:
                work.assertions.replace(each.id, {SLOT: [assertion(about)]})
                work.assertions.reject(each.id, [rejection(each)])
                work.governance.append(act(about))
        with canonical.writing(SCOPE) as work:
            assert work.sessions.remove([ONE.id, "ses_unknown"]) == {SLOT}
            assert work.sessions.remove([ONE.id]) == frozenset()
        with canonical.reading(SCOPE) as work:
            assert work.sessions.find(limit=9) == [TWO]
            assert work.sessions.events(ONE.id) == []
            assert len(work.sessions.events(TWO.id)) == 1
            assert work.evidence.count() == 1
            assert work.evidence.of_episodes([episode(ONE).id]) == []
            assert work.assertions.of_slots([SLOT]) == {SLOT: [assertion(NEW)]}
            assert work.assertions.rejections(limit=9) == [rejection(TWO)]
            assert work.governance.of([OLD.id, NEW.id]) == [act(NEW)]
            assert work.evidence.search(LexicalQuery(words=("Postgres",)), where=EvidenceFilter(), limit=9) == []
        assert (OutboxKind.EPISODE, episode(ONE).id, "delete") in changes(canonical)
        assert underived(canonical) == set()

    def test_removing_erases_proofs_in_the_session(self, canonical: Canonical) -> None:
        """Those attached to claims that remain, found by their locators."""
        settle(canonical, NEW)
        elsewhere = str(RepositoryLocator(path=ONE.id, blob_hash="ab", start_line=1, end_line=2))
        kept, lost = proof(NEW, "kept", source_ref=elsewhere), proof(OLD, "lost", claim_id=NEW.id)
        with canonical.writing(SCOPE) as work:
            work.proofs.attach([kept, lost])
            work.sessions.remove([ONE.id])
        with canonical.reading(SCOPE) as work:
            assert work.proofs.of([NEW.id]) == {NEW.id: [kept]}

    def test_writers_append_to_one_session(self, canonical: Canonical) -> None:
        """Several at once, with the same numbers: everything is there, once, each writer's events in order."""
        writers, count = 4, 20

        def write(writer: int) -> None:
            for step in range(count):
                put(canonical, ONE, event(ONE, step, f"{writer} {step:02}"), event(ONE, step, f"shared {step}"))

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with canonical.reading(SCOPE) as work:
            found = work.sessions.events(ONE.id)
        assert [each.seq for each in found] == list(range((writers + 1) * count))
        for writer in range(writers):
            own = [each.text for each in found if each.text.startswith(f"{writer} ")]
            assert own == sorted(own)


class EvidenceContract:
    """Episodes and evidence."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """In the order asked for, or by episode, seq, start and id."""
        full = evidence(
            event(ONE, 3, "Сервер ✓"), episode(ONE), start=5, end=9, terms="terma termb", speaker="Анна", time=None
        )
        later = evidence(event(ONE, 3, "b"), episode(ONE), start=6, kind=EventKind.TEST_RESULT)
        other = evidence(event(ONE, 1, "c"), episode(ONE, 1))
        replace(canonical, ONE, other, later, full)
        with canonical.reading(SCOPE) as work:
            assert work.evidence.get([later.id, "evd_unknown", full.id, later.id]) == [later, full]
            expected = sorted([full, later, other], key=lambda e: (e.episode_id, e.seq, e.start, e.id))
            assert work.evidence.of_episodes([episode(ONE, 1).id, episode(ONE).id]) == expected
            assert work.evidence.count() == 3

    def test_what_is_not_listed_is_erased(self, canonical: Canonical) -> None:
        """Of this session only."""
        kept, lost = evidence(event(ONE, 0, "alpha"), episode(ONE)), evidence(event(ONE, 1, "beta"), episode(ONE))
        other = evidence(event(TWO, 0, "beta too"), episode(TWO))
        replace(canonical, ONE, kept, lost)
        replace(canonical, TWO, other)
        replace(canonical, ONE, kept)
        with canonical.reading(SCOPE) as work:
            assert work.evidence.get([kept.id, lost.id, other.id]) == [kept, other]
        assert evidence_found(canonical, LexicalQuery(words=("beta",))) == {other.id}

    def test_only_changes_are_queued(self, canonical: Canonical) -> None:
        """An episode is changed with its evidence or its ends, and vanishes when it is not listed."""
        first, second = evidence(event(ONE, 0, "alpha"), episode(ONE)), evidence(event(ONE, 9, "b"), episode(ONE, 1))
        replace(canonical, ONE, first, second)
        ids = sorted((episode(ONE).id, episode(ONE, 1).id))
        assert changes(canonical) == [(OutboxKind.EPISODE, id_, "upsert") for id_ in ids]
        see(canonical)
        replace(canonical, ONE, first, second)
        assert changes(canonical) == []
        changed = attrs.evolve(second, text="beta", terms="new")
        replace(canonical, ONE, first, changed)
        assert changes(canonical) == [(OutboxKind.EPISODE, episode(ONE, 1).id, "upsert")]
        see(canonical)
        with canonical.writing(SCOPE) as work:
            work.evidence.replace(ONE.id, [episode(ONE, last_seq=99)], [first])
        assert changes(canonical) == [
            (OutboxKind.EPISODE, episode(ONE).id, "upsert"),
            (OutboxKind.EPISODE, episode(ONE, 1).id, "delete"),
        ]

    def test_evidence_of_a_moved_event_moves(self, canonical: Canonical) -> None:
        """The session that lists it last has it, and the other can be derived again without harm to it."""
        here, there = evidence(event(ONE, 0, "alpha"), episode(ONE)), evidence(event(TWO, 5, "alpha"), episode(TWO))
        assert here.id == there.id
        replace(canonical, ONE, here)
        see(canonical)
        replace(canonical, TWO, there)
        assert {id_ for _, id_, _ in changes(canonical)} == {episode(ONE).id, episode(TWO).id}
        replace(canonical, ONE)
        with canonical.reading(SCOPE) as work:
            assert work.evidence.get([here.id]) == [there]
        assert evidence_found(canonical, LexicalQuery(words=("alpha",))) == {there.id}

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (LexicalQuery(words=("parsers",)), {"a"}),
            (LexicalQuery(words=("CAFE",)), {"b"}),
            (LexicalQuery(words=("terma",)), {"b"}),
            (LexicalQuery(terms=("terma",)), {"b"}),
            (LexicalQuery(terms=("parser",)), set()),
            (LexicalQuery(phrases=(("parser", "is"),)), {"a"}),
            (LexicalQuery(phrases=(("is", "parser"),)), set()),
            (LexicalQuery(phrases=(("terma", "termb"),)), set()),
            (LexicalQuery(words=("parser", "café", "nowhere")), {"a", "b"}),
            (LexicalQuery(), set()),
        ],
    )
    def test_search_finds_what_matches(self, canonical: Canonical, query: LexicalQuery, expected: set[str]) -> None:
        """Words with English stemming, phrases in the text, terms among the terms."""
        texts = {"a": ("The parser is parsing.", ""), "b": ("Le café est fermé.", "terma termb")}
        found = {
            name: evidence(event(ONE, 0, text), episode(ONE), terms=terms) for name, (text, terms) in texts.items()
        }
        replace(canonical, ONE, *found.values())
        assert evidence_found(canonical, query) == {found[name].id for name in expected}

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (EvidenceFilter(), {"early", "late", "never"}),
            (EvidenceFilter(session_ids=frozenset({TWO.id})), {"late"}),
            (EvidenceFilter(session_ids=frozenset({ONE.id, "ses_unknown"})), {"early", "never"}),
            (EvidenceFilter(kinds=frozenset({EventKind.PROMPT})), {"early", "never"}),
            (EvidenceFilter(since=TIME), {"early", "late"}),
            (EvidenceFilter(until=TIME), {"early"}),
            (EvidenceFilter(since=TIME + timedelta(microseconds=1), until=TIME + timedelta(hours=1)), {"late"}),
        ],
    )
    def test_search_filters(self, canonical: Canonical, where: EvidenceFilter, expected: set[str]) -> None:
        """Inside the query: a limit counts only what passes."""
        found = {
            "early": evidence(event(ONE, 0, "alpha early"), episode(ONE)),
            "never": evidence(event(ONE, 1, "alpha never", time=None), episode(ONE)),
            "late": evidence(
                event(TWO, 0, "alpha late", time=TIME + timedelta(hours=1), kind=EventKind.RESPONSE), episode(TWO)
            ),
        }
        replace(canonical, ONE, found["early"], found["never"])
        replace(canonical, TWO, found["late"])
        with canonical.reading(SCOPE) as work:
            hits = work.evidence.search(LexicalQuery(words=("alpha",)), where=where, limit=len(expected))
            assert {hit.evidence for hit in hits} == {found[name] for name in expected}
            assert work.evidence.search(LexicalQuery(words=("alpha",)), where=where, limit=0) == []

    def test_the_better_match_comes_first(self, canonical: Canonical) -> None:
        """Rarer words weigh more, and ties come by id."""
        common = [evidence(event(ONE, i, f"common text {i}"), episode(ONE)) for i in range(6)]
        rare = evidence(event(ONE, 9, "rare text x"), episode(ONE))
        replace(canonical, ONE, *common, rare)
        with canonical.reading(SCOPE) as work:
            hits = work.evidence.search(LexicalQuery(words=("common", "rare")), where=EvidenceFilter(), limit=4)
        assert [hit.evidence.id for hit in hits] == [rare.id, *sorted(each.id for each in common)[:3]]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


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

    def test_rejections_are_replaced(self, canonical: Canonical) -> None:
        """By session, in order of seq, rule and excerpt; equal ones count once."""
        late, early = rejection(ONE, 5), rejection(ONE, 1, excerpt="б")
        other = rejection(TWO, 0)
        with canonical.writing(SCOPE) as work:
            work.assertions.reject(ONE.id, [rejection(ONE, 9)])
            work.assertions.reject(TWO.id, [other])
            work.assertions.reject(ONE.id, [late, early, late])
        with canonical.reading(SCOPE) as work:
            expected = sorted([early, late, other], key=lambda r: (r.session_id, r.seq))
            assert work.assertions.rejections(limit=9) == expected
            assert work.assertions.rejections(limit=1) == expected[:1]
            assert work.assertions.rejections(session_id=ONE.id, limit=9) == [early, late]


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
            work.claims.settle(SLOT, beliefs)
        assert changes(canonical) == [(OutboxKind.CLAIM, id_, "upsert") for id_ in sorted((OLD.id, NEW.id))]
        see(canonical)
        closed = attrs.evolve(OLD, superseded_by=NEW.id)
        with canonical.writing(SCOPE) as work:
            work.claims.settle(SLOT, beliefs)
        assert changes(canonical) == []
        settle(canonical, closed, NEW)
        assert changes(canonical) == [(OutboxKind.CLAIM, OLD.id, "upsert")]

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


class BeliefTransactionsContract:
    """Scopes, snapshots, roll-back and the queue."""

    def test_scopes_do_not_see_each_other(self, canonical: Canonical) -> None:
        """The same ids live in two scopes without touching."""
        for scope in (SCOPE, OTHER):
            put(canonical, ONE, event(ONE, text="alpha"), scope=scope)
            derive(canonical, ONE, "alpha", scope=scope)
            assert_(canonical, {SLOT: [assertion(OLD)]}, scope=scope)
            settle(canonical, OLD, proofs=[proof(OLD)], scope=scope)
            with canonical.writing(scope) as work:
                work.governance.append(act(OLD))
                work.proofs.attach([proof(OLD, "attached")])
                work.imports.remember("/a", TranscriptPosition(offset=1))
        before = holdings(canonical, SCOPE)
        with canonical.writing(OTHER) as work:
            assert work.sessions.remove([ONE.id]) == {SLOT}
            work.claims.settle(SLOT, Beliefs())
            work.imports.forget()
        assert holdings(canonical, SCOPE) == before
        assert not any(holdings(canonical, OTHER))
        words = LexicalQuery(words=("alpha", "Postgres"))
        with canonical.reading(OTHER) as work:
            assert work.evidence.search(words, where=EvidenceFilter(), limit=9) == []
            assert work.claims.search(words, where=ClaimFilter(), limit=9) == []

    def test_scopes_with_sessions_are_listed(self, canonical: Canonical) -> None:
        """Also without a document."""
        put(canonical, ONE, scope=OTHER)
        settle(canonical, OLD)
        assert canonical.scopes() == [OTHER, SCOPE]

    def test_an_exception_leaves_no_trace(self, canonical: Canonical) -> None:
        """Everything of the block is undone."""
        fill(canonical)
        before = holdings(canonical, SCOPE)

        def fail(work: UnitOfWork) -> None:
            work.sessions.remove([ONE.id])
            work.claims.settle(SLOT, Beliefs(claims=(NEW,)))
            work.governance.append(act(NEW))
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError), canonical.writing(SCOPE) as work:
            fail(work)
        assert holdings(canonical, SCOPE) == before

    @pytest.mark.parametrize(
        "write",
        [
            lambda work: work.sessions.put(TWO, [event(TWO, text="x")]),
            lambda work: work.sessions.remove([ONE.id]),
            lambda work: work.evidence.replace(ONE.id, [], []),
            lambda work: work.assertions.replace(ONE.id, {}),
            lambda work: work.assertions.reject(ONE.id, [rejection(ONE, 99)]),
            lambda work: work.claims.settle(SLOT, Beliefs()),
            lambda work: work.claims.note_check(OLD.id, stale_reason="x"),
            lambda work: work.proofs.attach([proof(OLD, "x")]),
            lambda work: work.governance.append(act(OLD)),
            lambda work: work.imports.remember("/a", TranscriptPosition()),
            lambda work: work.imports.forget(),
        ],
    )
    def test_a_snapshot_cannot_be_written(self, canonical: Canonical, write: Callable[[UnitOfWork], None]) -> None:
        """Writing while reading raises and changes nothing."""
        fill(canonical)
        before = holdings(canonical, SCOPE)
        with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
            write(work)
        assert holdings(canonical, SCOPE) == before

    def test_reset_queues_claims_and_episodes(self, canonical: Canonical) -> None:
        """What is stored, not what was erased."""
        fill(canonical)
        settle(canonical, NEW, slot="other")
        settle(canonical, slot="other")
        see(canonical)
        with canonical.writing(SCOPE) as work:
            work.outbox.reset("vector")
        found = changes(canonical)
        assert (OutboxKind.CLAIM, OLD.id, "upsert") in found
        assert (OutboxKind.EPISODE, episode(ONE).id, "upsert") in found
        assert (OutboxKind.CLAIM, NEW.id, "upsert") not in found

    def test_compacting_loses_nothing(self, canonical: Canonical) -> None:
        """A store is the same afterwards, and sound."""
        fill(canonical)
        before = holdings(canonical, SCOPE)
        canonical.compact()
        assert holdings(canonical, SCOPE) == before
        assert claims_found(canonical, LexicalQuery(words=("Postgres",))) == {OLD.id}
        assert canonical.info(check=True).problems == ()


class BeliefContract(
    SessionsContract,
    EvidenceContract,
    AssertionsContract,
    ClaimsContract,
    GovernanceContract,
    BeliefTransactionsContract,
):
    """The whole of it."""


def full_claim() -> Claim:
    """Return a claim with every field set."""
    return claim(
        "Сервер: ✓ \x00 end",
        type=ClaimType.OPEN_QUESTION,
        subject="s",
        attribute="a",
        value="v",
        polarity=Polarity.NEGATIVE,
        condition="in tests",
        path="src/é.py",
        status=ClaimStatus.CONTESTED,
        status_reason="why",
        governance=Governance.ARCHIVED,
        is_standing=True,
        valid_to=TIME + timedelta(days=2),
        superseded_by=NEW.id,
        episode_id="epi_x",
        document_id="doc_x",
        event_id="evt_x",
        branch=Branch(name="ветка", scope=BranchScope.CURRENT, source_revision="git:abc", commit_sha="abc"),
        terms="terma termb",
    )


def by_id(values: Sequence[Named]) -> list[Named]:
    """Return *values* by id."""
    return sorted(values, key=lambda value: value.id)


def stored(of: Claim, slot: str = SLOT) -> StoredClaim:
    """Return *of* as the store has it."""
    return StoredClaim(claim=of, slot=slot)


def put(canonical: Canonical, of: Session, *events: Event, scope: Scope = SCOPE) -> Sequence[str]:
    """Store a session and events in one commit."""
    with canonical.writing(scope) as work:
        return work.sessions.put(of, events)


def replace(canonical: Canonical, of: Session, *found: Evidence, scope: Scope = SCOPE) -> None:
    """Make *found* the session's evidence, in the first two episodes as far as they are named."""
    episodes = [episode(of, number) for number in range(2)]
    named = {each.episode_id for each in found}
    with canonical.writing(scope) as work:
        work.evidence.replace(of.id, [each for each in episodes if each.id in named], found)


def derive(canonical: Canonical, of: Session, *texts: str, scope: Scope = SCOPE) -> None:
    """Make *texts* the session's evidence."""
    found = [evidence(event(of, seq, text), episode(of)) for seq, text in enumerate(texts)]
    replace(canonical, of, *found, scope=scope)


def assert_(
    canonical: Canonical, by_slot: dict[str, list[Assertion]], *, owner: str = ONE.id, scope: Scope = SCOPE
) -> frozenset[str]:
    """Replace an owner's assertions."""
    with canonical.writing(scope) as work:
        return work.assertions.replace(owner, by_slot)


def settle(
    canonical: Canonical,
    *claims: Claim,
    proofs: Sequence[object] = (),
    links: Sequence[object] = (),
    slot: str = SLOT,
    scope: Scope = SCOPE,
) -> None:
    """Settle a slot."""
    beliefs = Beliefs(claims=claims, proofs=tuple(proofs), links=tuple(links))  # type: ignore[arg-type]  # of samples
    with canonical.writing(scope) as work:
        work.claims.settle(slot, beliefs)


def fill(canonical: Canonical) -> None:
    """Store something of every kind."""
    put(canonical, ONE, event(ONE))
    derive(canonical, ONE, "some text")
    assert_(canonical, {SLOT: [assertion(OLD)]})
    settle(canonical, OLD, proofs=[proof(OLD)])
    with canonical.writing(SCOPE) as work:
        work.assertions.reject(ONE.id, [rejection(ONE)])
        work.governance.append(act(OLD))
        work.imports.remember("/a", TranscriptPosition(offset=1))


def holdings(canonical: Canonical, scope: Scope) -> list[object]:
    """Return everything of the samples that a scope holds."""
    with canonical.reading(scope) as work:
        return [
            work.sessions.find(limit=99),
            work.sessions.events(ONE.id),
            work.sessions.events(TWO.id),
            work.evidence.of_episodes([episode(ONE).id]),
            work.assertions.of_slots([SLOT]),
            work.assertions.rejections(limit=99),
            work.claims.find(where=ClaimFilter(), limit=99),
            work.proofs.of([OLD.id, NEW.id]),
            work.governance.of([OLD.id, NEW.id]),
            work.imports.position("/a"),
        ]


def check(canonical: Canonical, of: Claim, reason: str) -> None:
    """Note a check."""
    with canonical.writing(SCOPE) as work:
        work.claims.note_check(of.id, stale_reason=reason)


def underived(canonical: Canonical) -> set[str]:
    """Return the sessions that must be derived."""
    with canonical.reading(SCOPE) as work:
        return {each.id for each in work.sessions.find(limit=99, is_underived=True)}


def evidence_found(canonical: Canonical, query: LexicalQuery) -> set[str]:
    """Return the ids of all evidence found."""
    with canonical.reading(SCOPE) as work:
        return {hit.evidence.id for hit in work.evidence.search(query, where=EvidenceFilter(), limit=99)}


def claims_found(
    canonical: Canonical, query: LexicalQuery, where: ClaimFilter | None = None, *, limit: int = 99
) -> set[str]:
    """Return the ids of all claims found by words."""
    with canonical.reading(SCOPE) as work:
        return {hit.stored.claim.id for hit in work.claims.search(query, where=where or ClaimFilter(), limit=limit)}


def found_with(canonical: Canonical, where: ClaimFilter) -> set[str]:
    """Return the ids of all claims that pass a filter."""
    with canonical.reading(SCOPE) as work:
        return {each.claim.id for each in work.claims.find(where=where, limit=99)}


def changes(canonical: Canonical) -> list[tuple[OutboxKind, str, str]]:
    """Return everything the vector projection has not seen."""
    with canonical.reading(SCOPE) as work:
        return [(e.kind, e.entity_id, e.operation.value) for e in work.outbox.pending("vector", limit=1000)]


def see(canonical: Canonical) -> None:
    """Let the vector projection see everything."""
    with canonical.writing(SCOPE) as work:
        for each in work.outbox.pending("vector", limit=1000):
            work.outbox.advance("vector", each.seq)
