"""Forgetting: no word is left of what is forgotten, and what stands beside it stays."""

from datetime import timedelta

import pytest
from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimStatus, ClaimType, Governance
from pckc_domain.model.identity import digest
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.reflection import Outcome, Reflection
from pckc_domain.model.scope import Scope
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.testing.conversations import SCOPE, START, conversation, tell
from pckc_domain.testing.curated_samples import trace, verdict
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.forgetting import (
    BOOK,
    CLAIM_TEXT,
    DOCUMENT,
    FILES,
    KEPT_WORD,
    READ_TEXT,
    SECRET_WORD,
    SESSION,
    SETTING,
    Memory,
)
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.reflect import Reflector
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.settling import settle
from pckc_domain.usecases.verify_claims import ClaimVerifier


@pytest.fixture
def memory() -> Memory:
    """Return a store that holds only what is written."""
    return Memory(MemoryCanonical(), MemoryVectorIndex())


@pytest.fixture
def told(memory: Memory) -> Memory:
    """Return a store in which the word was said, whose documents do not have it."""
    memory.tree.remove(DOCUMENT)
    memory.index()
    memory.plant()
    return memory


@pytest.fixture
def read(memory: Memory) -> Memory:
    """Return a store in which a book has the word, and nothing else."""
    memory.tree.remove(DOCUMENT)
    memory.index()
    memory.ingest()
    return memory


def everything(memory: Memory) -> str:
    """Return every stored value in one string."""
    return (repr(vars(memory.canonical)) + repr(vars(memory.vectors))).casefold()


def texts(memory: Memory) -> list[str]:
    return [claim.text for claim in memory.claims()]


class TestHoldsAgain:
    """What had been replaced is believed again when its successor is forgotten, and that is said."""

    CHANGE = ("We decided to use SQLite as the database.", "We decided to use PostgreSQL as the database.")

    def change(self, memory: Memory) -> tuple[str, str]:
        """Say one thing in a session and its correction in the next; return the ids of both claims."""
        for number, line in enumerate(self.CHANGE):
            tell(memory.canonical, f"s{number}", [line], start=START + timedelta(days=number))
        found = {claim.value.casefold(): claim for claim in memory.claims()}
        old, new = found["sqlite"], found["postgresql"]
        assert (old.valid_to is None, new.valid_to is None) == (False, True)
        return old.id, new.id

    @pytest.mark.parametrize("what", ["claim", "session"])
    def test_the_former_value(self, memory: Memory, what: str) -> None:
        old, new = self.change(memory)
        eraser = memory.eraser()
        again = eraser.forget_claim(SCOPE, new) if what == "claim" else eraser.forget_session(SCOPE, "s1")
        assert [(claim.id, claim.valid_to) for claim in again] == [(old, None)]

    def test_forgetting_the_former_value_brings_nothing_back(self, memory: Memory) -> None:
        old, _ = self.change(memory)
        assert memory.eraser().forget_claim(SCOPE, old) == ()

    def test_a_rejected_one_stays_rejected(self, memory: Memory) -> None:
        old, new = self.change(memory)
        Governor(memory.canonical, memory.clock).decide(SCOPE, old, Governance.REJECTED, actor="ann")
        assert memory.eraser().forget_claim(SCOPE, new) == ()


class TestClaim:
    def test_its_words_are_gone_and_the_rest_stays(self, told: Memory) -> None:
        before = {claim.text: claim for claim in told.claims()}
        told.clock.advance(timedelta(days=3))
        told.eraser().forget_claim(SCOPE, before[CLAIM_TEXT].id)
        assert CLAIM_TEXT.casefold() not in everything(told)
        after = {claim.text: claim for claim in told.claims()}
        assert after == {text: claim for text, claim in before.items() if text != CLAIM_TEXT}
        assert all(claim.governance is Governance.PINNED for claim in after.values())

    def test_its_event_keeps_its_other_words(self, told: Memory) -> None:
        told.eraser().forget_claim(SCOPE, next(claim.id for claim in told.claims() if claim.text == CLAIM_TEXT))
        with told.canonical.reading(SCOPE) as work:
            event = work.sessions.events(conversation(SESSION, [])[0].id)[0]
        assert "8000" not in event.text
        assert f"The {KEPT_WORD} listens on port 9000." in event.text

    def test_a_fresh_import_does_not_bring_it_back(self, told: Memory) -> None:
        told.eraser().forget_claim(SCOPE, next(claim.id for claim in told.claims() if claim.text == CLAIM_TEXT))
        told.import_(is_fresh=True)
        assert CLAIM_TEXT.casefold() not in everything(told)

    def test_its_vectors_are_gone_and_the_others_come_back(self, told: Memory) -> None:
        claim_id = next(claim.id for claim in told.claims() if claim.text == CLAIM_TEXT)
        told.eraser().forget_claim(SCOPE, claim_id)
        assert claim_id not in repr(vars(told.vectors))
        told.project()
        vectors = repr(vars(told.vectors))
        assert all(claim.id in vectors for claim in told.claims())

    def test_what_was_embedded_of_it_is_gone(self, told: Memory) -> None:
        known = [digest(CLAIM_TEXT)]
        assert told.embeddings.get(SCOPE, HashEmbedder().space, known).vectors
        told.eraser().forget_claim(SCOPE, next(claim.id for claim in told.claims() if claim.text == CLAIM_TEXT))
        assert not told.embeddings.get(SCOPE, HashEmbedder().space, known).vectors

    def test_an_unknown_one_is_named(self, memory: Memory) -> None:
        with pytest.raises(NotFoundError, match="claim_nowhere"):
            memory.eraser().forget_claim(SCOPE, "claim_nowhere")

    def test_questions_and_notes_no_longer_say_it(self, told: Memory) -> None:
        told.ask()
        claim_id = next(claim.id for claim in told.claims() if claim.text == CLAIM_TEXT)
        told.eraser().forget_claim(SCOPE, claim_id)
        said = everything(told)
        assert CLAIM_TEXT.casefold().rstrip(".") not in said
        assert all(kept in said for kept in ("is it so?", "why?", "who says?", f"it is a {SECRET_WORD}.", "kept:"))
        with told.canonical.reading(SCOPE) as work:
            assert work.traces.count() == 4
            assert work.verdicts.of([claim_id]) == []
            assert work.verdicts.count() == len(told.claims())

    def test_one_read_from_a_document_is_taken_back(self, read: Memory) -> None:
        before = {claim.text: claim for claim in read.claims()}
        with read.canonical.reading(SCOPE) as work:
            acts = work.governance.of([claim.id for claim in before.values() if claim.text != READ_TEXT])
        read.eraser().forget_claim(SCOPE, before[READ_TEXT].id)
        assert read.claims() == [claim for text, claim in sorted(before.items()) if text != READ_TEXT]
        with read.canonical.reading(SCOPE) as work:
            assert work.verdicts.of([before[READ_TEXT].id]) == []
            assert work.governance.of([claim.id for claim in before.values()]) == acts
            assert len(work.distillations.of_uri(BOOK)) == 2
            assert work.passages.find(Layer.CHUNK, where=PassageFilter(uris=frozenset({BOOK})), limit=9)


class TestSession:
    @pytest.mark.parametrize("name", [SESSION, conversation(SESSION, [])[0].id])
    def test_no_word_of_it_is_left(self, told: Memory, name: str) -> None:
        assert SECRET_WORD in everything(told)
        told.eraser().forget_session(SCOPE, name)
        assert SECRET_WORD not in everything(told)

    def test_what_another_session_says_as_well_stays(self, told: Memory) -> None:
        told.eraser().forget_session(SCOPE, SESSION)
        assert texts(told) == [f"The {KEPT_WORD} listens on port 9000."]
        (claim,) = told.claims()
        assert claim.session_id == conversation("other", [])[0].id
        with told.canonical.reading(SCOPE) as work:
            assert len(work.proofs.of([claim.id])[claim.id]) == 1
            assert work.census.evidence() == 1

    def test_it_stays_forgotten_until_it_is_read_from_its_start(self, told: Memory) -> None:
        told.eraser().forget_session(SCOPE, SESSION)
        told.import_()
        assert SECRET_WORD not in everything(told)

    def test_notes_of_one_that_was_never_stored_are_forgotten(self, told: Memory) -> None:
        told.eraser().forget_session(SCOPE, "other")
        assert f"ask the {KEPT_WORD}" not in everything(told)
        with told.canonical.writing(SCOPE) as work:
            work.traces.add([trace("t", text="A wallaby.", session_id="never stored")])
        told.eraser().forget_session(SCOPE, "never stored")
        assert "wallaby" not in everything(told)

    def test_an_unknown_one_is_named(self, memory: Memory) -> None:
        with pytest.raises(NotFoundError, match="nowhere"):
            memory.eraser().forget_session(SCOPE, "nowhere")


class TestDocument:
    def test_no_word_of_any_version_is_left(self, memory: Memory) -> None:
        memory.tree.write(DOCUMENT, FILES[DOCUMENT] + b"More.\n")
        memory.index()
        memory.project()
        memory.eraser().forget_document(SCOPE, DOCUMENT)
        memory.project()
        assert SECRET_WORD not in everything(memory)
        with memory.canonical.reading(SCOPE) as work:
            found = work.passages.find(Layer.PROPOSITION, where=PassageFilter(), limit=99)
        assert {stored.document.uri for stored in found} == {f"docs/{KEPT_WORD}.md"}

    def test_no_word_of_an_ingested_one_is_left(self, read: Memory) -> None:
        before = {claim.text: claim for claim in read.claims()}
        read.eraser().forget_document(SCOPE, BOOK)
        assert SECRET_WORD not in everything(read)
        shared = before[f"The {KEPT_WORD} eats at noon."]
        assert [claim.id for claim in read.claims()] == [shared.id]
        with read.canonical.reading(SCOPE) as work:
            assert [one.claim_id for one in work.verdicts.find(limit=9)] == [shared.id]
            assert [one.owner_id for one in work.distillations.find(limit=9)] == ["owner_other"]
            assert len(work.proofs.of([shared.id])[shared.id]) == 1

    def test_indexing_brings_it_back(self, memory: Memory) -> None:
        memory.eraser().forget_document(SCOPE, DOCUMENT)
        memory.index()
        assert SECRET_WORD in everything(memory)

    def test_the_same_words_in_another_document_stay(self, memory: Memory) -> None:
        memory.tree.write("copy.md", FILES[DOCUMENT])
        memory.index()
        memory.eraser().forget_document(SCOPE, DOCUMENT)
        with memory.canonical.reading(SCOPE) as work:
            assert [document.is_stale for document in work.documents.at("copy.md")] == [False]
            assert work.documents.at(DOCUMENT) == []

    def test_its_lines_that_prove_claims_go_too_until_they_are_verified_again(self, told: Memory) -> None:
        path = f"src/{SECRET_WORD}.py"
        told.tree.write(path, f"{SETTING}  # as the wallaby says\n".encode())
        told.index()
        verifier = ClaimVerifier(told.canonical, told.tree, told.clock)
        claim = next(claim for claim in told.claims() if claim.text == SETTING)
        for _ in range(2):
            verifier.verify(SCOPE, [claim.id])
            verifier.verify(SCOPE, [claim.id])
            assert "wallaby" in everything(told)
            told.eraser().forget_document(SCOPE, path)
            assert "wallaby" not in everything(told)
            assert claim.id in {claim.id for claim in told.claims()}
            told.index()

    def test_what_an_agent_remembered_by_its_lines_goes_too(self, memory: Memory) -> None:
        text = f"The {SECRET_WORD} must never sleep."
        item = Reflection(type=ClaimType.CONSTRAINT, text=text, path=DOCUMENT, start_line=3)
        (answer,) = Reflector(memory.canonical, memory.tree, memory.clock).write(SCOPE, [item])
        assert answer.outcome is Outcome.ADMITTED
        memory.project()
        memory.eraser().forget_document(SCOPE, DOCUMENT)
        memory.project()
        assert SECRET_WORD not in everything(memory)

    def test_an_unknown_one_is_named(self, memory: Memory) -> None:
        with pytest.raises(NotFoundError, match=r"nowhere\.md"):
            memory.eraser().forget_document(SCOPE, "nowhere.md")


class TestProject:
    def test_no_word_of_it_is_left(self, memory: Memory) -> None:
        memory.plant()
        memory.ask()
        memory.ingest()
        memory.index()
        memory.project()
        memory.eraser().forget_project(SCOPE)
        for word in (SECRET_WORD, KEPT_WORD):
            assert word not in everything(memory)
        assert memory.vectors.count(SCOPE, partitions=frozenset()) == 0

    def test_another_project_stays(self, memory: Memory) -> None:
        other = Scope(project="example.org/other")
        Indexer(memory.canonical, MemoryRepository(FILES, root="/other"), FixedClock()).run(other)
        memory.eraser().forget_project(SCOPE)
        with memory.canonical.reading(other) as work:
            assert work.passages.count()[Layer.CHUNK].fresh == len(FILES)

    def test_it_can_be_learnt_again(self, memory: Memory) -> None:
        memory.plant()
        before = texts(memory)
        memory.eraser().forget_project(SCOPE)
        memory.import_()
        memory.index()
        assert texts(memory) == before


def test_who_was_contradicted_by_what_is_forgotten_is_believed_again() -> None:
    """A verdict goes with either of its claims, and so does what it made of the other one."""
    canonical = MemoryCanonical()
    tell(canonical, "one", ["The server listens on port 8000."])
    tell(canonical, "two", ["The cache timeout is 30 seconds."])
    with canonical.writing(SCOPE) as work:
        port, cache = sorted(
            work.claims.find(where=ClaimFilter(), limit=9), key=lambda one: one.claim.text, reverse=True
        )
        work.verdicts.put([verdict(port.claim.id, cache.claim.id, kind=VerdictKind.CONTRADICTS)])
        settle(work, [port.slot, cache.slot])
        assert {one.claim.status for one in work.claims.get([port.claim.id, cache.claim.id])} == {ClaimStatus.CONTESTED}
    Eraser(canonical, Deriver(canonical, FixedClock())).forget_session(SCOPE, port.claim.session_id)
    with canonical.reading(SCOPE) as work:
        assert [one.claim for one in work.claims.find(where=ClaimFilter(), limit=9)] == [cache.claim]
        assert cache.claim.status is ClaimStatus.VERIFIED
