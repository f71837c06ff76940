"""What every canonical store must do. Inherit `CanonicalContract` and provide the fixture *canonical*."""

import threading
from collections.abc import Callable

import attrs
import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.passage import DocumentContent, Layer, LayerCount, PassageFilter
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing.samples import SCOPE, checkout, content, document, entry
from pckc_domain.testing.search_contract import SearchContract

OTHER = Scope(tenant="local", project="another")

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

ONE, TWO, THREE = (document(version=version) for version in (1, 2, 3))


def store(canonical: Canonical, *contents: DocumentContent, scope: Scope = SCOPE) -> None:
    """Put *contents* in one commit."""
    with canonical.writing(scope) as work:
        for each in contents:
            work.documents.put(each)


class DocumentsContract:
    """Document versions and their passages."""

    def test_what_is_put_comes_back(self, canonical: Canonical) -> None:
        """Every field of every layer survives."""
        stored = content(ONE, "Settings must be loaded first.", "Второй: ✓ 日本 \x00 end")
        store(canonical, stored)
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id]) == [ONE]
            found = work.passages.of_documents([ONE.id])
        assert {each.passage for each in found} == set(stored.passages)
        assert {each.document for each in found} == {ONE}

    def test_lone_surrogates_do_no_harm(self, canonical: Canonical) -> None:
        """Text that is no valid Unicode is stored, as it is or with U+FFFD in place of what cannot be."""
        store(canonical, content(ONE, "before \ud800 after"))
        with canonical.reading(SCOPE) as work:
            texts = {each.passage.text for each in work.passages.of_documents([ONE.id])}
        assert {text.replace("\ud800", REPLACEMENT) for text in texts} == {f"before {REPLACEMENT} after"}

    def test_putting_twice_changes_nothing(self, canonical: Canonical) -> None:
        """A known version is not stored again, not even with other passages."""
        store(canonical, content(ONE, "first"))
        before = pending(canonical)
        store(canonical, content(ONE, "second"))
        with canonical.reading(SCOPE) as work:
            assert {each.passage.text for each in work.passages.of_documents([ONE.id])} == {"first"}
        assert pending(canonical) == before

    def test_documents_come_by_id(self, canonical: Canonical) -> None:
        """Unknown ids are left out, repeated ones come once."""
        store(canonical, *(content(each, "x") for each in (THREE, ONE, TWO)))
        ids = [THREE.id, ONE.id, "doc_unknown", TWO.id, ONE.id]
        with canonical.reading(SCOPE) as work:
            assert [each.id for each in work.documents.get(ids)] == sorted({ONE.id, TWO.id, THREE.id})
            assert work.documents.get([]) == []

    def test_versions_come_fresh_and_new_first(self, canonical: Canonical) -> None:
        """A stale version comes behind an older fresh one."""
        store(canonical, *(content(each, "x") for each in (ONE, TWO, THREE, document("src/other.py"))))
        hold(canonical, THREE)
        hold(canonical, TWO)
        with canonical.reading(SCOPE) as work:
            assert [each.id for each in work.documents.at(ONE.uri)] == [TWO.id, ONE.id, THREE.id]
            assert work.documents.at("nowhere") == []

    def test_removing_erases_everywhere(self, canonical: Canonical) -> None:
        """Nothing of the version is found in any way afterwards, and its neighbour is untouched."""
        store(canonical, content(ONE, "alpha beta"), content(TWO, "alpha gamma"))
        with canonical.writing(SCOPE) as work:
            work.documents.remove([ONE.id, "doc_unknown"])
            work.documents.remove([ONE.id])
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id, TWO.id]) == [TWO]
            assert work.passages.of_documents([ONE.id]) == []
            assert work.passages.count() == {layer: LayerCount(fresh=1) for layer in Layer}
            for layer in Layer:
                found = work.passages.find(layer, where=PassageFilter(include_stale=True), limit=10)
                assert [each.document.id for each in found] == [TWO.id]

    def test_passages_come_as_asked(self, canonical: Canonical) -> None:
        """The order asked for, one id once; across documents by document id, layer, ordinal and id."""
        store(canonical, content(ONE, "a", "b"), content(TWO, "c"))
        with canonical.reading(SCOPE) as work:
            everything = work.passages.of_documents([TWO.id, ONE.id])
            keys = [(p.document.id, p.passage.ordinal) for p in everything]
            assert [key[0] for key in keys] == sorted(key[0] for key in keys)
            ids = [each.passage.id for each in everything][::-1]
            assert [p.passage.id for p in work.passages.get([*ids, "psg_unknown", ids[0]])] == ids

    def test_find_pages_by_id(self, canonical: Canonical) -> None:
        """Pages join to the whole layer without gap or repetition."""
        store(canonical, content(ONE, *(f"text {i}" for i in range(7))))
        pages: list[str] = []
        with canonical.reading(SCOPE) as work:
            while page := work.passages.find(
                Layer.CHUNK, where=PassageFilter(), after=pages[-1] if pages else "", limit=3
            ):
                pages += [each.passage.id for each in page]
        assert pages == sorted({p.id for p in content(ONE, *(f"text {i}" for i in range(7))).passages[::4]})

    def test_an_empty_store_answers(self, canonical: Canonical) -> None:
        """A scope nobody wrote to holds nothing."""
        with canonical.reading(SCOPE) as work:
            assert work.documents.get(["x"]) == []
            assert work.passages.count() == {layer: LayerCount() for layer in Layer}
            assert work.manifest.checkouts() == []
            assert work.outbox.lag("vector") == 0
        assert canonical.scopes() == []

    def test_info_tells_a_sound_store(self, canonical: Canonical) -> None:
        """An integrity check of a store in use finds nothing."""
        store(canonical, content(ONE, "text"))
        info = canonical.info(check=True)
        assert info.problems == ()
        assert info.schema_version >= 1


class ManifestContract:
    """Checkouts, their entries, and what becomes of versions."""

    def test_checkouts_are_recorded(self, canonical: Canonical) -> None:
        """A checkout recorded again replaces itself."""
        with canonical.writing(SCOPE) as work:
            work.manifest.record(checkout("co_two"))
            work.manifest.record(checkout("co_one", is_complete=False))
            work.manifest.record(checkout("co_one"))
        with canonical.reading(SCOPE) as work:
            assert work.manifest.checkouts() == [checkout("co_one"), checkout("co_two")]

    def test_entries_come_by_path(self, canonical: Canonical) -> None:
        """Entries are replaced by path, and can be asked for by path."""
        skipped = ManifestEntry(path="big.bin", size_bytes=2**40, mtime_ns=2**61, skipped="binary")
        with canonical.writing(SCOPE) as work:
            work.manifest.put("co_one", [entry(ONE), skipped])
            work.manifest.put("co_one", [entry(TWO)])
        with canonical.reading(SCOPE) as work:
            assert work.manifest.entries("co_one") == [skipped, entry(TWO)]
            assert work.manifest.entries("co_one", paths=[TWO.uri, "nowhere"]) == [entry(TWO)]
            assert work.manifest.entries("co_one", paths=[]) == []
            assert work.manifest.entries("co_two") == []

    def test_a_replaced_version_turns_stale(self, canonical: Canonical) -> None:
        """Its passages are found only by those who ask for stale ones, and it comes back fresh."""
        store(canonical, content(ONE, "alpha"), content(TWO, "alpha"))
        hold(canonical, ONE)
        hold(canonical, TWO)
        assert stale(canonical) == {ONE.id}
        with canonical.reading(SCOPE) as work:
            assert work.passages.count()[Layer.CHUNK] == LayerCount(fresh=1, stale=1)
            for include_stale, expected in ((False, {TWO.id}), (True, {ONE.id, TWO.id})):
                where = PassageFilter(include_stale=include_stale)
                found = work.passages.find(Layer.CHUNK, where=where, limit=9)
                assert {each.document.id for each in found} == expected
                assert all(each.document.is_stale == (each.document.id == ONE.id) for each in found)
        hold(canonical, ONE)
        assert stale(canonical) == {TWO.id}

    def test_a_skipped_path_makes_its_version_stale(self, canonical: Canonical) -> None:
        """An entry without a version replaces one that had it."""
        store(canonical, content(ONE, "alpha"))
        hold(canonical, ONE)
        with canonical.writing(SCOPE) as work:
            work.manifest.put("co_one", [ManifestEntry(path=ONE.uri, size_bytes=1, mtime_ns=1, skipped="too large")])
        assert stale(canonical) == {ONE.id}

    def test_putting_a_stale_version_again_makes_it_fresh(self, canonical: Canonical) -> None:
        """`documents.put` of a known id only refreshes it."""
        store(canonical, content(ONE, "alpha"), content(TWO, "alpha"))
        hold(canonical, ONE)
        hold(canonical, TWO)
        store(canonical, content(attrs.evolve(ONE, is_stale=True), "alpha"))
        assert stale(canonical) == set()

    def test_what_another_checkout_holds_survives(self, canonical: Canonical) -> None:
        """A shared version is neither stale nor erased while one checkout holds it."""
        store(canonical, content(ONE, "alpha"), content(TWO, "alpha"))
        hold(canonical, ONE, "co_one")
        hold(canonical, ONE, "co_two")
        hold(canonical, TWO, "co_one")
        assert stale(canonical) == set()
        with canonical.writing(SCOPE) as work:
            work.manifest.remove("co_one", [ONE.uri])
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id, TWO.id]) == [ONE]
            assert work.manifest.entries("co_one") == []
            assert work.manifest.entries("co_two") == [entry(ONE)]

    def test_a_forgotten_path_is_erased_with_its_history(self, canonical: Canonical) -> None:
        """Stale versions of the path go too; other paths and documents no checkout ever held stay."""
        other, loose = document("src/other.py"), document("https://example.org/")
        store(canonical, *(content(each, "alpha") for each in (ONE, TWO, other, loose)))
        for each in (ONE, TWO, other):
            hold(canonical, each)
        with canonical.writing(SCOPE) as work:
            work.manifest.remove("co_one", [ONE.uri, "nowhere"])
            work.manifest.remove("co_one", [])
        with canonical.reading(SCOPE) as work:
            kept = work.documents.get([each.id for each in (ONE, TWO, other, loose)])
            assert {each.id for each in kept} == {other.id, loose.id}

    def test_a_version_held_before_it_was_stored(self, canonical: Canonical) -> None:
        """The order of `documents.put` and `manifest.put` does not matter."""
        hold(canonical, ONE)
        store(canonical, content(ONE, "alpha"))
        with canonical.writing(SCOPE) as work:
            work.manifest.remove("co_one", [ONE.uri])
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id]) == []


class OutboxContract:
    """The queue of changes."""

    def test_changes_enter_by_themselves(self, canonical: Canonical) -> None:
        """Storing, going stale and erasing are changes; each version is queued once, with its last one."""
        store(canonical, content(ONE, "a"), content(TWO, "b"))
        assert changes(canonical) == [(ONE.id, "upsert"), (TWO.id, "upsert")]
        hold(canonical, ONE)
        hold(canonical, TWO)
        assert changes(canonical) == [(TWO.id, "upsert"), (ONE.id, "upsert")]
        with canonical.writing(SCOPE) as work:
            work.documents.remove([TWO.id])
        assert changes(canonical) == [(ONE.id, "upsert"), (TWO.id, "delete")]

    def test_each_projection_has_its_cursor(self, canonical: Canonical) -> None:
        """What one has seen, another has not."""
        append(canonical, "a", "b", "c")
        entries = pending(canonical)
        assert [each.seq for each in entries] == sorted({each.seq for each in entries})
        advance(canonical, "vector", entries[1].seq)
        assert pending(canonical) == entries[2:]
        assert pending(canonical, "graph") == entries
        with canonical.reading(SCOPE) as work:
            assert (work.outbox.lag("vector"), work.outbox.lag("graph")) == (1, 3)
            assert work.outbox.pending("graph", limit=2) == entries[:2]

    def test_a_projection_may_follow_some_kinds(self, canonical: Canonical) -> None:
        """What it does not follow is neither handed out nor counted."""
        store(canonical, content(ONE, "a"))
        append(canonical, "b", "c")
        kinds = frozenset({OutboxKind.CLAIM, OutboxKind.LINK})
        with canonical.reading(SCOPE) as work:
            assert [each.entity_id for each in work.outbox.pending("graph", limit=9, kinds=kinds)] == ["b", "c"]
            assert [each.entity_id for each in work.outbox.pending("graph", limit=1, kinds=kinds)] == ["b"]
            assert work.outbox.lag("graph", kinds=kinds) == 2
            assert work.outbox.lag("graph", kinds=[OutboxKind.EPISODE]) == 0

    def test_the_cursor_never_moves_back(self, canonical: Canonical) -> None:
        """A late worker does no harm."""
        append(canonical, "a", "b")
        first, last = pending(canonical)
        advance(canonical, "vector", last.seq)
        advance(canonical, "vector", first.seq)
        assert pending(canonical) == []

    def test_a_change_after_the_cursor_is_seen(self, canonical: Canonical) -> None:
        """An entity changed again is queued again, behind everything older."""
        append(canonical, "a", "b")
        advance(canonical, "vector", pending(canonical)[-1].seq)
        append(canonical, "a")
        assert changes(canonical) == [("a", "upsert")]
        assert changes(canonical, "graph") == [("b", "upsert"), ("a", "upsert")]

    def test_a_deletion_waits_for_every_known_projection(self, canonical: Canonical) -> None:
        """It stays until the slowest one has seen it."""
        append(canonical, "a")
        for projection in ("vector", "graph"):
            advance(canonical, projection, pending(canonical, projection)[-1].seq)
        with canonical.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.DOCUMENT, ["a"], OutboxOperation.DELETE)
        advance(canonical, "vector", pending(canonical)[-1].seq)
        assert changes(canonical, "graph") == [("a", "delete")]

    def test_reset_queues_everything_stored(self, canonical: Canonical) -> None:
        """A projection that lost its data finds every stored document again."""
        store(canonical, content(ONE, "a"), content(TWO, "b"))
        advance(canonical, "vector", pending(canonical)[-1].seq)
        with canonical.writing(SCOPE) as work:
            work.documents.remove([TWO.id])
        advance(canonical, "vector", pending(canonical)[-1].seq)
        with canonical.writing(SCOPE) as work:
            work.outbox.reset("vector")
        assert (ONE.id, "upsert") in changes(canonical)
        assert (TWO.id, "upsert") not in changes(canonical)

    def test_entries_become_visible_in_order(self, canonical: Canonical) -> None:
        """While several writers append, a reader that follows the sequence misses nothing."""
        writers, rounds = 4, 15
        seen: list[OutboxEntry] = []

        def write(writer: int) -> None:
            for step in range(rounds):
                append(canonical, f"{writer}-{step}-a", f"{writer}-{step}-b")

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
        for thread in threads:
            thread.start()
        while len(seen) < 2 * writers * rounds:
            is_over = not any(thread.is_alive() for thread in threads)
            with canonical.reading(SCOPE) as work:
                new = work.outbox.pending("vector", limit=7)
            if new:
                seen += new
                advance(canonical, "vector", new[-1].seq)
            elif is_over:
                break
        for thread in threads:
            thread.join()
        assert len({each.entity_id for each in seen}) == 2 * writers * rounds
        assert [each.seq for each in seen] == sorted({each.seq for each in seen})


class TransactionsContract:
    """Scopes, snapshots and roll-back."""

    def test_scopes_do_not_see_each_other(self, canonical: Canonical) -> None:
        """The same ids live in two scopes without touching."""
        for scope, text in ((SCOPE, "alpha"), (OTHER, "omega")):
            store(canonical, content(ONE, text), scope=scope)
            hold(canonical, ONE, scope=scope)
        with canonical.writing(OTHER) as work:
            work.manifest.remove("co_one", [ONE.uri])
        with canonical.reading(SCOPE) as work:
            assert {each.passage.text for each in work.passages.of_documents([ONE.id])} == {"alpha"}
            assert work.manifest.entries("co_one") == [entry(ONE)]
            assert changes_of(work, "vector") == [(ONE.id, "upsert")]
        with canonical.reading(OTHER) as work:
            assert work.documents.get([ONE.id]) == []
            assert changes_of(work, "vector") == [(ONE.id, "delete")]

    def test_scopes_are_listed(self, canonical: Canonical) -> None:
        """Those that hold anything, by tenant and project."""
        for scope in (SCOPE, OTHER, Scope(tenant="a", project="z")):
            store(canonical, content(ONE, "alpha"), scope=scope)
        assert canonical.scopes() == [Scope(tenant="a", project="z"), OTHER, SCOPE]

    def test_an_exception_leaves_no_trace(self, canonical: Canonical) -> None:
        """Everything of the block is undone, and the store goes on working."""
        store(canonical, content(ONE, "alpha"))
        before = pending(canonical)

        def fail(work: UnitOfWork) -> None:
            work.documents.put(content(TWO, "beta"))
            work.documents.remove([ONE.id])
            work.manifest.put("co_one", [entry(TWO)])
            work.manifest.record(checkout())
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError), canonical.writing(SCOPE) as work:
            fail(work)
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id, TWO.id]) == [ONE]
            assert work.passages.count()[Layer.CHUNK] == LayerCount(fresh=1)
            assert work.manifest.entries("co_one") == []
            assert work.manifest.checkouts() == []
        assert pending(canonical) == before
        store(canonical, content(TWO, "beta"))

    @pytest.mark.parametrize(
        "write",
        [
            lambda work: work.documents.put(content(TWO, "beta")),
            lambda work: work.documents.remove([ONE.id]),
            lambda work: work.manifest.record(checkout()),
            lambda work: work.manifest.put("co_one", [entry(ONE)]),
            lambda work: work.outbox.append(OutboxKind.DOCUMENT, ["x"], OutboxOperation.UPSERT),
            lambda work: work.outbox.reset("vector"),
        ],
    )
    def test_a_snapshot_cannot_be_written(self, canonical: Canonical, write: Callable[[UnitOfWork], None]) -> None:
        """Writing while reading raises and changes nothing."""
        store(canonical, content(ONE, "alpha"))
        with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
            write(work)
        with canonical.reading(SCOPE) as work:
            assert work.documents.get([ONE.id, TWO.id]) == [ONE]
            assert work.manifest.checkouts() == []

    def test_a_reader_sees_one_moment(self, canonical: Canonical) -> None:
        """What is committed while a snapshot is open does not appear in it."""
        store(canonical, content(ONE, "alpha"))
        with canonical.reading(SCOPE) as work:
            store(canonical, content(TWO, "alpha"))
            assert work.documents.get([ONE.id, TWO.id]) == [ONE]
            assert work.outbox.lag("vector") == 1
        with canonical.reading(SCOPE) as work:
            assert len(work.documents.get([ONE.id, TWO.id])) == 2

    def test_writers_wait_for_each_other(self, canonical: Canonical) -> None:
        """Two threads that write at once both succeed."""
        errors: list[BaseException] = []

        def write(start: int) -> None:
            try:
                for version in range(start, start + 5):
                    store(canonical, content(document(version=version), "alpha"))
            except BaseException as error:  # reported by the assertion below
                errors.append(error)

        threads = [threading.Thread(target=write, args=(start,)) for start in (100, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        with canonical.reading(SCOPE) as work:
            assert work.passages.count()[Layer.CHUNK] == LayerCount(fresh=10)


class CanonicalContract(DocumentsContract, ManifestContract, OutboxContract, SearchContract, TransactionsContract):
    """The whole of it."""


def hold(canonical: Canonical, version: object, checkout_id: str = "co_one", *, scope: Scope = SCOPE) -> None:
    """Let a checkout hold *version*."""
    with canonical.writing(scope) as work:
        work.manifest.put(checkout_id, [entry(version)])  # type: ignore[arg-type]  # a Document


def stale(canonical: Canonical) -> set[str]:
    """Return the stale ones among the sample versions."""
    with canonical.reading(SCOPE) as work:
        return {each.id for each in work.documents.get([ONE.id, TWO.id, THREE.id]) if each.is_stale}


def append(canonical: Canonical, *ids: str) -> None:
    """Queue upserts."""
    with canonical.writing(SCOPE) as work:
        work.outbox.append(OutboxKind.CLAIM, ids, OutboxOperation.UPSERT)


def advance(canonical: Canonical, projection: str, seq: int) -> None:
    """Move a cursor."""
    with canonical.writing(SCOPE) as work:
        work.outbox.advance(projection, seq)


def pending(canonical: Canonical, projection: str = "vector") -> list[OutboxEntry]:
    """Return everything a projection has not seen."""
    with canonical.reading(SCOPE) as work:
        return list(work.outbox.pending(projection, limit=1000))


def changes(canonical: Canonical, projection: str = "vector") -> list[tuple[str, str]]:
    """Return the entity and operation of everything a projection has not seen."""
    with canonical.reading(SCOPE) as work:
        return changes_of(work, projection)


def changes_of(work: UnitOfWork, projection: str) -> list[tuple[str, str]]:
    """Return the entity and operation of everything a projection has not seen."""
    return [(each.entity_id, each.operation.value) for each in work.outbox.pending(projection, limit=1000)]
