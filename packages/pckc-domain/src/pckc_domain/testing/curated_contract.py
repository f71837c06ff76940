"""Contract of the curated side of a canonical store. A subclass provides the fixture ``canonical``: an empty store."""

from collections.abc import Callable
from datetime import timedelta

import attrs
import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.distillation import DistillationCount
from pckc_domain.model.gap import GapPriority, GapStatus
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.passage import DocumentContent, Layer, PassageFilter
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.model.trace import TraceKind
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing.belief_samples import session
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.samples import SCOPE, TIME, checkout, content, document, entry

OTHER = Scope(project="other")
BOOK, WEB = document("file:///books/a.pdf"), document("https://example.org/a")
HOUR = timedelta(hours=1)


class PlacesContract:
    """Documents that no checkout holds, and where their passages stand."""

    def test_a_place_is_kept(self, canonical: Canonical) -> None:
        """Whichever way the passage is read."""
        cut = content(BOOK, "A parser reads.")
        placed = attrs.evolve(cut, passages=tuple(attrs.evolve(one, place="page=3") for one in cut.passages))
        with canonical.writing(SCOPE) as work:
            work.documents.put(placed)
            work.documents.put(content(WEB, "A parser reads the web."))
        query, where = LexicalQuery(words=("parser",)), PassageFilter(uris=frozenset({BOOK.uri}))
        with canonical.reading(SCOPE) as work:
            assert {one.passage for one in work.passages.of_documents([BOOK.id])} == set(placed.passages)
            assert {one.passage.place for one in work.passages.of_documents([WEB.id])} == {""}
            for passage in placed.passages:
                assert [one.passage for one in work.passages.get([passage.id])] == [passage]
            for layer in Layer:
                found = [one.passage for one in work.passages.find(layer, where=where, limit=9)]
                hits = [hit.stored.passage for hit in work.passages.search(layer, query, where=where, limit=9)]
                assert found == hits
                assert {one.place for one in found} == {"page=3"}

    def test_a_retired_version_leaves_ordinary_search(self, canonical: Canonical) -> None:
        """It is queued as what the manifest makes stale, once; what is unknown changes nothing."""
        with canonical.writing(SCOPE) as work:
            work.documents.put(content(BOOK, "A parser reads."))
            work.documents.put(content(WEB, "A parser reads the web."))
            work.outbox.advance("vector", work.outbox.pending("vector", limit=9)[-1].seq)
        for _ in range(2):
            with canonical.writing(SCOPE) as work:
                work.documents.retire([BOOK.id, "unknown"])
        query, stale = LexicalQuery(words=("parser",)), PassageFilter(include_stale=True)
        with canonical.reading(SCOPE) as work:
            assert [(one.id, one.is_stale) for one in work.documents.at(BOOK.uri)] == [(BOOK.id, True)]
            found = work.passages.search(Layer.CHUNK, query, where=PassageFilter(), limit=9)
            assert [hit.stored.document.id for hit in found] == [WEB.id]
            assert len(work.passages.search(Layer.CHUNK, query, where=stale, limit=9)) == 2
            count = work.passages.count()[Layer.CHUNK]
            assert (count.fresh, count.stale) == (1, 1)
            queued = [(one.kind, one.entity_id, one.operation) for one in work.outbox.pending("vector", limit=9)]
        assert queued == [(OutboxKind.DOCUMENT, BOOK.id, OutboxOperation.UPSERT)]

    def test_a_retired_version_that_is_put_again_is_fresh(self, canonical: Canonical) -> None:
        """As any other stale one."""
        whole = content(BOOK, "A parser reads.")
        with canonical.writing(SCOPE) as work:
            work.documents.put(whole)
            work.documents.retire([BOOK.id])
            work.documents.put(whole)
            assert [one.is_stale for one in work.documents.get([BOOK.id])] == [False]

    def test_a_checkout_forgets_nothing_that_it_never_held(self, canonical: Canonical) -> None:
        """An ingested document stays, whatever becomes of work trees."""
        held = document()
        with canonical.writing(SCOPE) as work:
            work.manifest.record(checkout())
            for version in (held, BOOK):
                work.documents.put(DocumentContent(document=version, passages=()))
            work.manifest.put("co_one", [entry(held)])
            work.manifest.remove("co_one", [held.uri, BOOK.uri])
            assert not work.documents.at(held.uri)
            assert work.documents.at(BOOK.uri) == [BOOK]


class DistillationsContract:
    """What became of chunks."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """Every field, by owner; a newer one replaces the older."""
        first = distillation("o2", BOOK, error="no JSON: «да» \x00 end", attempts=2, refused=3)
        done = attrs.evolve(first, is_done=True, error="", at=TIME + HOUR)
        other = distillation("o1", BOOK, is_done=True)
        with canonical.writing(SCOPE) as work:
            work.distillations.put([first, distillation("o3", WEB), other])
            assert work.distillations.of_uri(BOOK.uri) == [other, first]
            work.distillations.put([done])
        with canonical.reading(SCOPE) as work:
            assert work.distillations.of_uri(BOOK.uri) == [other, done]
            assert work.distillations.of_uri("unknown") == []

    def test_they_are_paged(self, canonical: Canonical) -> None:
        """By owner, all of them or by whether they are done."""
        made = [distillation(f"o{number}", BOOK, is_done=number % 2 == 0) for number in range(5)]
        with canonical.writing(SCOPE) as work:
            work.distillations.put(made[::-1])
        with canonical.reading(SCOPE) as work:
            assert work.distillations.find(limit=2) == made[:2]
            assert work.distillations.find(after="o1", limit=9) == made[2:]
            assert work.distillations.find(is_done=True, limit=9) == made[::2]
            assert work.distillations.find(is_done=False, after="o1", limit=9) == [made[3]]
            assert work.distillations.find(limit=0) == []

    def test_they_are_counted_and_removed(self, canonical: Canonical) -> None:
        """Done, failed and waiting ones."""
        with canonical.writing(SCOPE) as work:
            assert work.distillations.count() == DistillationCount()
            work.distillations.put(
                [
                    distillation("a", BOOK, is_done=True),
                    distillation("b", BOOK, is_done=True),
                    distillation("c", BOOK, error="timeout"),
                    distillation("d", BOOK),
                ]
            )
            assert work.distillations.count() == DistillationCount(done=2, failed=1, waiting=1)
            work.distillations.remove(["b", "c", "unknown"])
            assert [one.owner_id for one in work.distillations.find(limit=9)] == ["a", "d"]

    def test_they_go_with_their_version(self, canonical: Canonical) -> None:
        """Erased by itself or by the checkout that held it; others stay, also those of a retired version."""
        held, newer = document(version=1), document(version=2)
        with canonical.writing(SCOPE) as work:
            for version in (held, newer, BOOK, WEB):
                work.documents.put(DocumentContent(document=version, passages=()))
                work.distillations.put([distillation(version.id, version)])
            work.manifest.put("co_one", [entry(held)])
            work.documents.remove([BOOK.id])
            work.documents.retire([WEB.id])
            work.manifest.remove("co_one", [held.uri])
            assert {one.owner_id for one in work.distillations.find(limit=9)} == {newer.id, WEB.id}


class VerdictsContract:
    """What checks found."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """By claim, other claim and method; the newest of each."""
        old = verdict("b", "a", similarity=0.9, reason="Same slot, «другое» значение.")
        new = attrs.evolve(old, kind=VerdictKind.DUPLICATE, similarity=0.1 + 0.2, at=TIME + HOUR)
        alone = verdict("b", kind=VerdictKind.NEW)
        by_model = verdict("b", "a", method="model:m")
        with canonical.writing(SCOPE) as work:
            work.verdicts.put([old, by_model, alone])
            work.verdicts.put([new])
            assert work.verdicts.count() == 3
        with canonical.reading(SCOPE) as work:
            assert work.verdicts.of(["b"]) == [alone, by_model, new]
            assert work.verdicts.of(["a"]) == [by_model, new]
            assert work.verdicts.of(["unknown", ""]) == []

    def test_they_are_paged(self, canonical: Canonical) -> None:
        """In the order of their keys."""
        made = [
            verdict(one, other, method=how) for one in "ab" for other in ("", "c") for how in ("documents", "rules")
        ]
        with canonical.writing(SCOPE) as work:
            work.verdicts.put(made[::-1])
        with canonical.reading(SCOPE) as work:
            assert work.verdicts.find(limit=3) == made[:3]
            assert work.verdicts.find(after=("a", "c", "documents"), limit=9) == made[3:]

    def test_they_go_by_either_claim(self, canonical: Canonical) -> None:
        """No claim at all is none of them."""
        with canonical.writing(SCOPE) as work:
            work.verdicts.put([verdict("a", "b"), verdict("b", "c"), verdict("c", "a"), verdict("d")])
            work.verdicts.remove(["a", "", "unknown"])
            assert [(one.claim_id, one.other_id) for one in work.verdicts.find(limit=9)] == [("b", "c"), ("d", "")]


class GapsContract:
    """Questions to be researched."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """Every field; a newer one replaces the older."""
        first = gap("g", question="Что слушает 8000? \x00", reason="It «matters».", raised_by="compiler")
        closed = attrs.evolve(
            first,
            status=GapStatus.CLOSED,
            priority=GapPriority.LOW,
            closed_by=("claim_b", "claim_a"),
            updated_at=TIME + HOUR,
        )
        with canonical.writing(SCOPE) as work:
            work.gaps.put(first)
            assert work.gaps.get("g") == first
            work.gaps.put(closed)
        with canonical.reading(SCOPE) as work:
            assert work.gaps.get("g") == closed
            assert work.gaps.find(limit=9) == [closed]
            assert work.gaps.get("unknown") is None

    def test_they_come_in_order(self, canonical: Canonical) -> None:
        """High priority first, then the oldest, then by id; paged."""
        made = [
            gap("z", priority=GapPriority.HIGH, created_at=TIME + HOUR),
            gap("y", created_at=TIME, status=GapStatus.RESEARCHING),
            gap("a", created_at=TIME + HOUR),
            gap("b", created_at=TIME + HOUR),
            gap("c", priority=GapPriority.LOW, created_at=TIME - HOUR, status=GapStatus.CLOSED),
        ]
        with canonical.writing(SCOPE) as work:
            for one in made[::-1]:
                work.gaps.put(one)
        with canonical.reading(SCOPE) as work:
            assert work.gaps.find(limit=9) == made
            assert work.gaps.find(limit=2, offset=1) == made[1:3]
            assert work.gaps.find(limit=9, offset=9) == []
            closed = {GapStatus.CLOSED, GapStatus.RESEARCHING}
            assert work.gaps.find(statuses=closed, limit=9) == [made[1], made[4]]
            assert dict(work.gaps.count()) == {
                GapStatus.OPEN: 3,
                GapStatus.RESEARCHING: 1,
                GapStatus.CLOSED: 1,
            }

    def test_one_is_removed_once(self, canonical: Canonical) -> None:
        """The others stay."""
        with canonical.writing(SCOPE) as work:
            work.gaps.put(gap("a"))
            work.gaps.put(gap("b"))
            assert [work.gaps.remove("a"), work.gaps.remove("a")] == [True, False]
            assert [one.id for one in work.gaps.find(limit=9)] == ["b"]


class TracesContract:
    """An agent's notes."""

    def test_what_is_added_comes_back(self, canonical: Canonical) -> None:
        """Newest first, ties by id; a known id stays as it is."""
        made = [
            trace("t3", TraceKind.PLAN, text="Сначала «тесты» \x00", at=TIME + HOUR),
            trace("t1", TraceKind.ACTION, session_id="s1"),
            trace("t2", TraceKind.REFLECTION),
        ]
        with canonical.writing(SCOPE) as work:
            work.traces.add(made[::-1])
            work.traces.add([attrs.evolve(made[0], text="another")])
        with canonical.reading(SCOPE) as work:
            assert work.traces.find(limit=9) == made
            assert work.traces.find(limit=1, offset=1) == [made[1]]
            assert work.traces.find(kinds={TraceKind.PLAN, TraceKind.REFLECTION}, limit=9) == [made[0], made[2]]
            assert work.traces.find(session_id="s1", limit=9) == [made[1]]
            assert work.traces.find(session_id="", limit=9) == [made[0], made[2]]
            assert work.traces.find(kinds=[TraceKind.PLAN], session_id="s1", limit=9) == []
            assert work.traces.count() == 3

    def test_they_go_with_their_session(self, canonical: Canonical) -> None:
        """Forgotten by themselves, or erased with a session."""
        one = session("one")
        with canonical.writing(SCOPE) as work:
            work.sessions.put(one, [])
            work.traces.add([trace("a", session_id=one.id), trace("b", session_id="never stored"), trace("c")])
            work.traces.remove(["never stored"])
            assert [each.id for each in work.traces.find(limit=9)] == ["a", "c"]
            work.sessions.remove([one.id])
            assert [each.id for each in work.traces.find(limit=9)] == ["c"]

    def test_no_search_finds_them(self, canonical: Canonical) -> None:
        """Nor any projection."""
        with canonical.writing(SCOPE) as work:
            work.traces.add([trace("a", text="parser")])
        query = LexicalQuery(words=("parser",))
        with canonical.reading(SCOPE) as work:
            for layer in Layer:
                assert not work.passages.search(layer, query, where=PassageFilter(include_stale=True), limit=9)
            assert not work.outbox.pending("any", limit=9)


class CuratedContract(PlacesContract, DistillationsContract, VerdictsContract, GapsContract, TracesContract):
    """All of the curated side."""

    def test_scopes_do_not_see_each_other(self, canonical: Canonical) -> None:
        """What one project has, another one may have too; each one makes its scope one that is there."""
        with canonical.writing(SCOPE) as work:
            work.distillations.put([distillation("a", BOOK)])
            work.verdicts.put([verdict("a", "b")])
            work.gaps.put(gap("a"))
            work.traces.add([trace("a", session_id="s")])
        with canonical.writing(OTHER) as work:
            assert not work.distillations.find(limit=9)
            assert not work.verdicts.find(limit=9)
            assert not work.gaps.find(limit=9)
            assert work.gaps.get("a") is None
            assert not work.traces.find(limit=9)
            work.distillations.remove(["a"])
            work.verdicts.remove(["a"])
            assert not work.gaps.remove("a")
            work.traces.remove(["s"])
            work.gaps.put(gap("a", question="Another?"))
        assert canonical.scopes() == sorted([SCOPE, OTHER], key=lambda scope: scope.project)
        with canonical.reading(SCOPE) as work:
            found = (work.distillations.count().waiting, work.verdicts.count(), work.traces.count())
            assert found == (1, 1, 1)
            assert work.gaps.get("a") == gap("a")

    def test_a_snapshot_cannot_be_written(self, canonical: Canonical) -> None:
        """By any of them."""
        with canonical.writing(SCOPE) as work:
            work.documents.put(content(BOOK, "A parser reads."))
        writes: tuple[Callable[[UnitOfWork], object], ...] = (
            lambda work: work.documents.retire([BOOK.id]),
            lambda work: work.distillations.put([distillation("a", BOOK)]),
            lambda work: work.distillations.remove(["a"]),
            lambda work: work.verdicts.put([verdict("a")]),
            lambda work: work.verdicts.remove(["a"]),
            lambda work: work.gaps.put(gap("b")),
            lambda work: work.gaps.remove("a"),
            lambda work: work.traces.add([trace("a")]),
            lambda work: work.traces.remove(["a"]),
        )
        for write in writes:
            with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
                write(work)

    def test_lone_surrogates_do_no_harm(self, canonical: Canonical) -> None:
        """Text that is no valid Unicode is stored, as it is or with U+FFFD in place of what cannot be."""
        bad = "before \ud800 after"
        with canonical.writing(SCOPE) as work:
            work.distillations.put([distillation("a", attrs.evolve(BOOK, uri=bad), error=bad)])
            work.verdicts.put([verdict("a", reason=bad, method=bad)])
            work.gaps.put(gap("a", question=bad, reason=bad))
            work.traces.add([trace("a", text=bad, session_id=bad)])
            assert len(work.distillations.of_uri(bad)) == 1
            assert len(work.traces.find(session_id=bad, limit=9)) == 1
            work.traces.remove([bad])
            assert work.traces.count() == 0
