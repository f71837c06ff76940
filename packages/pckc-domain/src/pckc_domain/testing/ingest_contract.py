"""What every canonical store must do for documents that are ingested: inherit `IngestContract`, provide *canonical*."""

import pytest

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import Distilled, DistilledClaim, SourceChunk
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.proof import DocumentLocator, parse_locator
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.curated_world import CuratedWorld, LineDistiller
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.ingest import Ingester
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.verify_claims import ClaimVerifier

A, B = "https://a.example/book.pdf", "https://b.example/book.pdf"
LONG = "\n".join(
    f"Rule {number} is that every part of the machine number {number} has a name." for number in range(200)
)


class IngestContract:
    """Documents become passages and claims with citations."""

    @pytest.fixture
    def world(self, canonical: Canonical) -> CuratedWorld:
        """Return an empty world."""
        return CuratedWorld(canonical)

    def test_claims_cite_their_place(self, world: CuratedWorld) -> None:
        """Also where a chunk spans several pages."""
        report = world.ingest(A, "Title page.", "The moon is far.\nThe sun is farther.", "Stars = many.")
        assert len(report.claim_ids) == 4
        assert world.statuses() == dict.fromkeys(
            ["Title page.", "The moon is far.", "The sun is farther.", "Stars = many."], "candidate"
        )
        for text, place in (("The sun is farther.", "page=2"), ("Stars = many.", "page=3")):
            (proof,) = world.proofs(text)
            assert parse_locator(proof.source_ref) == DocumentLocator(uri=A, place=place)
            assert proof.excerpt == text

    def test_passages_are_found(self, world: CuratedWorld) -> None:
        """With the place they stand at."""
        world.ingest(A, "Nothing here.", "The moon orbits the earth.")
        with world.canonical.reading(SCOPE) as work:
            hits = work.passages.search(
                Layer.PARAGRAPH, analyze_query("moon orbit"), where=PassageFilter(checkout="any"), limit=5
            )
        assert [hit.stored.passage.place for hit in hits] == ["page=2"]

    def test_the_same_again_does_nothing(self, world: CuratedWorld) -> None:
        """Nothing is read, distilled or changed."""
        world.ingest(A, "The moon is far.")
        before, asked = world.claims(), len(world.distiller.asked)
        report = world.ingest(A, "The moon is far.")
        assert report.is_unchanged
        assert world.claims() == before
        assert len(world.distiller.asked) == asked

    def test_a_new_version_supersedes_what_changed(self, world: CuratedWorld) -> None:
        """A value gives way to the new one, other words turn stale, what stays keeps its age."""
        world.ingest(A, "Port = 80.\nThe moon is far.\nThe sun is hot.")
        since = {claim.text: claim.recorded_at for claim in world.claims()}
        report = world.ingest(A, "Preface.", "Port = 81.\nThe sun is hot.")
        assert report.ceased == 2
        assert world.statuses() == {
            "Port = 80.": "past",
            "Port = 81.": "candidate",
            "Preface.": "candidate",
            "The moon is far.": "stale",
            "The sun is hot.": "candidate",
        }
        assert (
            next(one.recorded_at for one in world.claims() if one.text == "The sun is hot.") == since["The sun is hot."]
        )
        (proof,) = world.proofs("The sun is hot.")
        assert parse_locator(proof.source_ref) == DocumentLocator(uri=A, place="page=2")

    def test_the_old_version_again(self, world: CuratedWorld) -> None:
        """What came back holds again, what went is stale."""
        world.ingest(A, "The moon is far.")
        world.ingest(A, "The sun is hot.")
        world.ingest(A, "The moon is far.")
        assert world.statuses() == {"The moon is far.": "candidate", "The sun is hot.": "stale"}
        with world.canonical.reading(SCOPE) as work:
            assert [one.is_stale for one in work.documents.at(A)] == [False, True]

    def test_two_documents_confirm_each_other(self, world: CuratedWorld) -> None:
        """Until one of them says so no longer."""
        world.ingest(A, "The moon is far.")
        world.ingest(B, "The  moon is far.")
        assert world.statuses() == {"The moon is far.": "verified"}
        assert len(world.proofs("The moon is far.")) == 2
        world.ingest(B, "Nothing of the kind.")
        assert world.statuses()["The moon is far."] == "candidate"

    def test_two_documents_that_disagree(self, world: CuratedWorld) -> None:
        """The younger one is not right for that; of what has no name each speaks for itself."""
        world.ingest(A, "Port of Qdrant = 80.\nSize = 1.")
        world.ingest(B, "Port of Qdrant = 81.\nSize = 2.")
        assert world.statuses() == {
            "Port of Qdrant = 80.": "contested",
            "Port of Qdrant = 81.": "contested",
            "Size = 1.": "candidate",
            "Size = 2.": "candidate",
        }

    def test_a_quote_that_is_not_there_is_refused(self, world: CuratedWorld) -> None:
        """The other claims of the chunk are kept."""
        report = world.ingest(A, "!Made up by a model.\nThe moon is far.")
        assert report.refused == 1
        assert world.statuses() == {"The moon is far.": "candidate"}

    def test_a_chunk_that_fails_is_tried_again(self, world: CuratedWorld) -> None:
        """The others are done; nothing is distilled twice."""
        report = world.ingest(A, LONG, "%odd\nThe end.")
        assert [(one.place, one.error) for one in report.failed] == [("page=2", "%odd was read")] or len(
            report.failed
        ) == 1
        done = len(report.claim_ids)
        assert done >= 100
        world.distiller.failing.clear()
        world.distiller.asked.clear()
        (again,) = world.ingester.resume(SCOPE)
        assert len(world.distiller.asked) == 1
        assert len(world.claims()) == done + len(again.claim_ids) == 201
        assert world.ingester.resume(SCOPE) == ()

    def test_a_model_that_is_down_stops_the_run(self, world: CuratedWorld) -> None:
        """The document is stored, and the next run goes on."""
        report = world.ingest(A, "%down\nThe end.")
        assert (report.stopped, report.pending) == ("%down was read", 1)
        world.distiller.failing.clear()
        assert world.ingest(A, "%down\nThe end.").claim_ids
        assert world.statuses() == {"The end.": "candidate"}

    def test_citations_are_followed(self, world: CuratedWorld) -> None:
        """Live where they stand, moved with their words, gone with the document."""
        world.ingest(A, "The moon is far.", "The sun is hot.")
        proofs = {text: world.proofs(text)[0] for text in world.statuses()}
        assert world.followed(proofs["The sun is hot."]) == ("live", "page=2")
        world.ingest(A, "A preface.", "The moon is far.")
        assert world.followed(proofs["The moon is far."]) == ("moved", "page=2")
        assert world.followed(proofs["The sun is hot."]) == ("changed", "page=2")
        with world.canonical.writing(SCOPE) as work:
            work.documents.remove([document.id for document in work.documents.at(A)])
        assert world.followed(proofs["The moon is far."]) == ("gone", "page=1")

    def test_another_page_is_read_beside_the_first(self, world: CuratedWorld) -> None:
        """The chunk has changed; its claims are the same and more."""
        world.ingest(A, "The moon is far.")
        report = world.ingest(A, "The moon is far.", "A second page.")
        assert len(report.claim_ids) >= 1
        assert set(world.statuses()) == {"The moon is far.", "A second page."}

    def test_secrets_are_redacted_before_anything_reads_them(self, world: CuratedWorld) -> None:
        """The distiller never sees one, and what told it is no claim."""
        token = "ghp_" + "a1B2" * 9
        report = world.ingest(A, f"The token is {token}.")
        assert sum(report.redacted.values()) == 1
        assert not any(token in asked for asked in world.distiller.asked)
        assert world.claims() == []
        assert report.refused == 1

    def test_cite(self, world: CuratedWorld) -> None:
        """Words handed over with a quote are a claim of the document, as long as it has them."""
        world.ingest(A, "The moon is far and cold")
        read = DistilledClaim(
            type=ClaimType.TEXT, text="the moon is far", quote="The moon is far", confidence=0.8, rule="agent"
        )
        claim_id = world.citer.cite(SCOPE, A, read, by="agent")
        assert [(claim.id, claim.authority) for claim in world.claims()] == [(claim_id, "document_derived")]
        world.ingest(A, "A preface", "The moon is far and cold, they say")
        assert world.statuses() == {"the moon is far": "candidate"}
        assert parse_locator(world.proofs("the moon is far")[0].source_ref) == DocumentLocator(uri=A, place="page=2")
        world.ingest(A, "Nothing of it")
        assert world.statuses() == {"the moon is far": "stale"}
        with pytest.raises(InvalidInputError, match="quoted words"):
            world.citer.cite(SCOPE, A, read, by="agent")
        with pytest.raises(NotFoundError, match="no document"):
            world.citer.cite(SCOPE, B, read, by="agent")

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("Zorvex supports IPv6.", "Zorvex does not support IPv6."),
            ("Zorvex cannot be used with IPv4.", "Zorvex works well with IPv4."),
            ("Zorvex listens on port 9090.", "Zorvex listens on port 8080."),
            ("Zorvex was written by Anna.", "The weather in May is mild."),
            ("Zorvex needs a licence.", "Zorvexing"),
        ],
    )
    def test_a_quote_that_does_not_vouch_is_refused(self, world: CuratedWorld, text: str, quote: str) -> None:
        """It says the opposite, has another number, speaks of something else, or is one word."""
        world.ingest(A, f"{quote}\n\nMore words")
        read = DistilledClaim(type=ClaimType.TEXT, text=text, quote=quote, confidence=0.8, rule="agent")
        with pytest.raises(InvalidInputError, match="does not vouch") as refused:
            world.citer.cite(SCOPE, A, read, by="agent")
        assert refused.value.remedy
        assert text not in world.statuses()

    def test_a_forgotten_document_leaves_nothing(self, world: CuratedWorld) -> None:
        """Neither what it says nor what it said once, until it is ingested again."""
        world.ingest(A, "The moon is far.")
        world.ingest(A, "The sun is hot.")
        world.ingest(B, "Stars are many.")
        Eraser(world.canonical, Deriver(world.canonical, world.clock)).forget_document(SCOPE, A)
        assert world.statuses() == {"Stars are many.": "candidate"}
        world.ingest(A, "The sun is hot.")
        assert world.statuses() == {"Stars are many.": "candidate", "The sun is hot.": "candidate"}

    def test_a_copy_says_nothing_more(self, world: CuratedWorld) -> None:
        """The same bytes at another address are no second source."""
        world.ingest(A, "The moon is far.")
        report = world.ingest(B, "The moon is far.")
        assert report.is_unchanged
        assert any(A in note for note in report.notes)
        assert world.statuses() == {"The moon is far.": "candidate"}

    def test_what_is_said_again_holds_again(self, world: CuratedWorld) -> None:
        """Also after somebody followed its old citation in vain."""
        world.ingest(A, "Port of Qdrant = 80.")
        (old,) = world.claims()
        world.ingest(A, "Port of Qdrant = 81.")
        ClaimVerifier(world.canonical, MemoryRepository(), world.clock).verify(SCOPE, [old.id])
        world.ingest(A, "Port of Qdrant = 80.")
        assert world.statuses()["Port of Qdrant = 80."] == "candidate"

    def test_a_document_forgotten_meanwhile_stays_forgotten(self, world: CuratedWorld) -> None:
        """A run that distils it stops."""

        class Forgetting(LineDistiller):
            def distil(self, chunk: SourceChunk, /) -> Distilled:
                Eraser(world.canonical, Deriver(world.canonical, world.clock)).forget_project(SCOPE)
                return super().distil(chunk)

        world.documents.put(A, LONG)
        ingester = Ingester(world.canonical, world.documents, Forgetting(), world.clock)
        report = ingester.ingest(SCOPE, A)
        assert "forgotten" in report.stopped
        assert world.claims() == []
        with world.canonical.reading(SCOPE) as work:
            assert work.distillations.find(limit=9) == []

    def test_text_at_hand(self, world: CuratedWorld) -> None:
        """By its name it is replaced; without words it is refused."""
        for text in ("The moon is far.", "The sun is hot."):
            world.ingester.ingest_text(SCOPE, text, uri="text:note")
        assert world.statuses() == {"The moon is far.": "stale", "The sun is hot.": "candidate"}
        with pytest.raises(InvalidInputError, match="empty"):
            world.ingester.ingest_text(SCOPE, " \n")
