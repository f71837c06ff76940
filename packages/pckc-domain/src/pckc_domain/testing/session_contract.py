"""What every canonical store must do for sessions, episodes and evidence."""

import threading
from datetime import timedelta

import attrs
import pytest

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Branch
from pckc_domain.model.session import EventKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    episode,
    event,
    evidence,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.belief_steps import (
    NEW,
    OLD,
    ONE,
    REPLACEMENT,
    SLOT,
    TWO,
    by_id,
    changes,
    derive,
    evidence_found,
    put,
    replace,
    see,
    settle,
    underived,
)
from pckc_domain.testing.samples import SCOPE, TIME


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
                work.rejections.replace(each.id, [rejection(each)])
                work.governance.append(act(about))
        with canonical.writing(SCOPE) as work:
            assert work.sessions.remove([ONE.id, "ses_unknown"]) == {SLOT}
            assert work.sessions.remove([ONE.id]) == frozenset()
        with canonical.reading(SCOPE) as work:
            assert work.sessions.find(limit=9) == [TWO]
            assert work.sessions.events(ONE.id) == []
            assert len(work.sessions.events(TWO.id)) == 1
            assert work.census.evidence() == 1
            assert work.evidence.of_episodes([episode(ONE).id]) == []
            assert work.assertions.of_slots([SLOT]) == {SLOT: [assertion(NEW)]}
            assert work.rejections.find(limit=9) == [rejection(TWO)]
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
            event(ONE, 3, "Сервер ✓", source_id="uuid"),
            episode(ONE),
            start=5,
            end=9,
            terms="terma termb",
            speaker="Анна",
            time=None,
        )
        later = evidence(event(ONE, 3, "b"), episode(ONE), start=6, kind=EventKind.TEST_RESULT)
        other = evidence(event(ONE, 1, "c"), episode(ONE, 1))
        replace(canonical, ONE, other, later, full)
        with canonical.reading(SCOPE) as work:
            assert work.evidence.get([later.id, "evd_unknown", full.id, later.id]) == [later, full]
            expected = sorted([full, later, other], key=lambda e: (e.episode_id, e.seq, e.start, e.id))
            assert work.evidence.of_episodes([episode(ONE, 1).id, episode(ONE).id]) == expected
            assert work.census.evidence() == 3

    def test_what_is_around_a_place_is_found(self, canonical: Canonical) -> None:
        """In its session only, each passage once, by session, seq, start and id."""
        said = [evidence(event(ONE, seq, f"word {seq}"), episode(ONE)) for seq in range(9)]
        second = evidence(event(ONE, 4, "word 4"), episode(ONE), start=5, id="evd_second")
        elsewhere = evidence(event(TWO, 3, "other"), episode(TWO))
        replace(canonical, ONE, second, *said)
        replace(canonical, TWO, elsewhere)
        with canonical.reading(SCOPE) as work:
            near = work.evidence.around([(ONE.id, 2), (ONE.id, 3), (ONE.id, 8), ("ses_unknown", 3)], reach=1)
            assert near == [said[1], said[2], said[3], said[4], second, *said[7:]]
            assert work.evidence.around([(TWO.id, 4)], reach=0) == []
            assert work.evidence.around([], reach=5) == []

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
