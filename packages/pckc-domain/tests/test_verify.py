"""Following proofs into the work tree as it is now: passages, and claims whose status follows."""

from collections.abc import Mapping, Sequence

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType
from pckc_domain.model.passage import Layer, PassageFilter, StoredPassage
from pckc_domain.model.proof import Liveness, Proof, ProofCheck, ProofType, RepositoryLocator, parse_locator
from pckc_domain.model.session import EventKind
from pckc_domain.policy.curation import LOST_PROOF
from pckc_domain.testing.conversations import SCOPE, Line, conversation
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.verify import Verifier, VerifyReport
from pckc_domain.usecases.verify_claims import ClaimVerifier

TOKEN = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
LINES = (
    "# Queue",
    "",
    "A worker must renew its lease every ten seconds.",
    "",
    "The queue never retries a job more than three times.",
    "",
)
RENEW = LINES[2]
SETTING = "LEASE_SECONDS = 30"
CODE = f"import os\n\n{SETTING}\n\n\ndef acquire(job):\n    return job\n".encode()


def markdown(lines: Sequence[str] = LINES) -> bytes:
    return "\n".join(lines).encode()


class Passages:
    """An indexed work tree whose passages are verified."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.canonical = MemoryCanonical()
        self.tree = MemoryRepository(files)
        self.index()

    def index(self) -> None:
        Indexer(self.canonical, self.tree, FixedClock()).run(SCOPE)

    def find(self, text: str, layer: Layer = Layer.PROPOSITION) -> StoredPassage:
        with self.canonical.reading(SCOPE) as work:
            found = work.passages.find(layer, where=PassageFilter(), limit=99)
        return next(stored for stored in found if text in stored.passage.text)

    def check(self, stored: StoredPassage) -> ProofCheck:
        (check,) = Verifier(self.canonical, self.tree).verify_passages(SCOPE, [stored.passage.id]).checks
        return check

    def whole(self, **where: tuple[str, ...]) -> VerifyReport:
        return Verifier(self.canonical, self.tree).verify_paths(SCOPE, **where)  # type: ignore[arg-type]  # prefixes


def lines_of(check: ProofCheck) -> tuple[str, int, int]:
    locator = parse_locator(check.source_ref)
    assert isinstance(locator, RepositoryLocator)
    return locator.path, locator.start_line, locator.end_line


class TestPassages:
    def test_live_where_it_was_read(self) -> None:
        mine = Passages({"queue.md": markdown()})
        check = mine.check(mine.find(RENEW))
        assert (check.liveness, lines_of(check)) == (Liveness.LIVE, ("queue.md", 3, 3))
        assert check.source_ref == check.proof.source_ref

    def test_live_when_other_lines_of_its_file_changed(self) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        mine.tree.write("queue.md", markdown((*LINES, "Another line.")))
        assert mine.check(stored).liveness is Liveness.LIVE

    def test_moved_within_its_file(self) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        mine.tree.write("queue.md", markdown(("# Queue", "", "New words.", "", *LINES[2:])))
        check = mine.check(stored)
        assert (check.liveness, lines_of(check)) == (Liveness.MOVED, ("queue.md", 5, 5))
        assert "line 5" in check.reason

    def test_moved_to_another_file_that_is_indexed(self) -> None:
        mine = Passages({"queue.md": markdown(), "other.md": b"# Other\n"})
        stored = mine.find(RENEW)
        mine.tree.write("queue.md", markdown(LINES[3:]))
        mine.tree.write("other.md", markdown(("# Other", "", "", RENEW)))
        assert mine.check(stored).liveness is Liveness.CHANGED  # nobody looked into the other file yet
        Indexer(mine.canonical, mine.tree, FixedClock()).run(SCOPE)
        check = mine.check(stored)
        assert (check.liveness, lines_of(check)) == (Liveness.MOVED, ("other.md", 4, 4))

    def test_moved_with_its_file_before_that_is_indexed(self) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        mine.tree.remove("queue.md")
        mine.tree.write("docs/jobs.md", markdown())
        check = mine.check(stored)
        assert (check.liveness, lines_of(check)) == (Liveness.MOVED, ("docs/jobs.md", 3, 3))
        assert "docs/jobs.md" in check.reason

    def test_changed(self) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        mine.tree.write("queue.md", markdown().replace(b"ten", b"five"))
        check = mine.check(stored)
        assert check.liveness is Liveness.CHANGED
        assert check.source_ref == check.proof.source_ref

    @pytest.mark.parametrize("becomes", [None, b"\0\xff"], ids=["deleted", "binary"])
    def test_gone(self, becomes: bytes | None) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        mine.tree.remove("queue.md")
        if becomes:
            mine.tree.write("queue.md", becomes)
        check = mine.check(stored)
        assert check.liveness is Liveness.GONE
        assert "queue.md cannot be read" in check.reason

    def test_a_secret_in_the_file_disturbs_nothing(self) -> None:
        lines = (*LINES, f"The server must use the token {TOKEN} always.", "", "The log must never be empty.")
        mine = Passages({"queue.md": markdown(lines)})
        assert mine.whole().counts.keys() == {Liveness.LIVE}
        mine.tree.write("queue.md", markdown(("One line more.", *lines)))
        report = mine.whole()
        assert report.counts.keys() == {Liveness.MOVED}
        assert TOKEN not in repr(report)

    def test_whole_files_name_only_what_is_not_live(self) -> None:
        mine = Passages({"queue.md": markdown(), "docs/other.md": b"# Other\n\nThe port must be free.\n"})
        assert (mine.whole().checks, set(mine.whole().counts)) == ((), {Liveness.LIVE})
        mine.tree.write("docs/other.md", b"# Other\n\nThe port must be 80.\n")
        report = mine.whole()
        assert {lines_of(check)[0] for check in report.checks} == {"docs/other.md"}
        assert report.counts.total() == sum(mine.whole(uri_prefixes=(name,)).counts.total() for name in ("docs/", "q"))  # type: ignore[attr-defined]  # a counter
        assert mine.whole(uri_prefixes=("queue",)).checks == ()

    def test_an_unknown_passage_is_named(self) -> None:
        with pytest.raises(NotFoundError, match="psg_nowhere"):
            Verifier(MemoryCanonical(), MemoryRepository()).verify_passages(SCOPE, ["psg_nowhere"])

    @given(st.lists(st.sampled_from(["", "Other words.", "# Head", RENEW]), max_size=5), st.integers(0, 5))
    @settings(max_examples=60, deadline=None)
    def test_a_line_that_is_still_there_is_found(self, around: list[str], at: int) -> None:
        mine = Passages({"queue.md": markdown()})
        stored = mine.find(RENEW)
        lines = [*around[:at], RENEW, *around[at:]]
        mine.tree.write("queue.md", markdown(lines))
        check = mine.check(stored)
        assert check.liveness in (Liveness.LIVE, Liveness.MOVED)
        assert lines[lines_of(check)[1] - 1] == RENEW


class Claims:
    """Claims of one session beside a work tree that is verified by one long-lived verifier."""

    def __init__(self, lines: Sequence[Line], *, path: str = "src/lease.py", cwd: str = "/project") -> None:
        self.canonical = MemoryCanonical()
        self.tree = MemoryRepository({"src/lease.py": CODE})
        self.session, events = conversation("s", lines, cwd=cwd)
        self.verifier = ClaimVerifier(self.canonical, self.tree, FixedClock())
        placed = [attrs.evolve(one, path=path) if one.kind is EventKind.FILE_CHANGE else one for one in events]
        with self.canonical.writing(SCOPE) as work:
            work.sessions.put(self.session, [prepare_event(event) for event in placed])
        Deriver(self.canonical, FixedClock()).run(SCOPE)

    def claim(self) -> Claim:
        with self.canonical.reading(SCOPE) as work:
            return work.claims.find(where=ClaimFilter(), limit=9)[0].claim

    def proofs(self) -> list[Proof]:
        with self.canonical.reading(SCOPE) as work:
            return list(work.proofs.of([self.claim().id])[self.claim().id])

    def status(self) -> ClaimStatus:
        """Verify, and return what became of the claim."""
        self.verifier.verify(SCOPE, [self.claim().id])
        return self.claim().status

    def lines(self) -> list[tuple[str, int]]:
        """Return path and line of the proofs in files."""
        places = [parse_locator(proof.source_ref) for proof in self.proofs()]
        return [(place.path, place.start_line) for place in places if isinstance(place, RepositoryLocator)]


CHANGED: tuple[Line, ...] = ((EventKind.FILE_CHANGE, SETTING),)


class TestClaims:
    def test_a_line_that_says_the_same_is_found_and_attached(self) -> None:
        mine = Claims(CHANGED)
        assert (mine.claim().type, mine.claim().path) == (ClaimType.IMPLEMENTATION_DETAIL, "src/lease.py")
        assert mine.status() is ClaimStatus.VERIFIED
        assert mine.lines() == [("src/lease.py", 3)]
        assert {proof.type for proof in mine.proofs()} == {ProofType.REPOSITORY, ProofType.TOOL_RESULT}

    @pytest.mark.parametrize("path", ["/project/src/lease.py", "./src/lease.py", "/elsewhere/src/lease.py"])
    def test_paths_are_read_as_the_transcript_wrote_them(self, path: str) -> None:
        mine = Claims(CHANGED, path=path, cwd="/elsewhere")
        mine.status()
        assert mine.lines() == [("src/lease.py", 3)]

    def test_stale_when_the_line_is_deleted_and_back_when_it_is(self) -> None:
        mine = Claims(CHANGED)
        before = mine.claim()
        assert mine.status() is ClaimStatus.VERIFIED
        mine.tree.write("src/lease.py", CODE.replace(SETTING.encode(), b""))
        assert mine.status() is ClaimStatus.STALE
        assert mine.claim().status_reason == f"{LOST_PROOF}src/lease.py no longer has this text (since 2026-06-26)"
        mine.tree.write("src/lease.py", CODE)
        assert mine.status() is ClaimStatus.VERIFIED
        assert mine.claim() == before

    def test_stale_when_the_file_is_deleted(self) -> None:
        mine = Claims(CHANGED)
        mine.status()
        mine.tree.remove("src/lease.py")
        assert mine.status() is ClaimStatus.STALE
        assert mine.claim().status_reason == f"{LOST_PROOF}src/lease.py cannot be read: gone (since 2026-06-26)"

    def test_a_moved_line_keeps_its_claim_and_is_followed(self) -> None:
        mine = Claims(CHANGED)
        mine.status()
        mine.tree.write("src/lease.py", b"# A comment.\n\n" + CODE)
        assert mine.status() is ClaimStatus.VERIFIED
        assert mine.lines() == [("src/lease.py", 5)]
        mine.tree.write("src/lease.py", CODE)
        assert mine.status() is ClaimStatus.VERIFIED
        assert mine.lines() == [("src/lease.py", 3)]

    def test_a_secret_beside_the_line_disturbs_nothing(self) -> None:
        mine = Claims(CHANGED)
        mine.status()
        mine.tree.write("src/lease.py", f'API_TOKEN = "{TOKEN}"\n'.encode() + CODE)
        assert mine.status() is ClaimStatus.VERIFIED
        assert TOKEN not in repr(vars(mine.canonical))

    def test_a_claim_of_words_does_not_need_a_file(self) -> None:
        mine = Claims(["The queue listens on port 8000."])
        mine.tree.remove("src/lease.py")
        assert mine.status() is ClaimStatus.VERIFIED

    def test_stale_when_the_event_no_longer_says_so(self) -> None:
        mine = Claims(["The queue listens on port 8000."])
        with mine.canonical.writing(SCOPE) as work:
            work.sessions.remove([mine.session.id])
        assert mine.status() is ClaimStatus.STALE
        assert mine.claim().status_reason == f"{LOST_PROOF}the event is no longer stored (since 2026-06-26)"

    def test_deriving_again_does_not_forget_that_it_is_stale(self) -> None:
        mine = Claims(CHANGED)
        mine.status()
        mine.tree.remove("src/lease.py")
        assert mine.status() is ClaimStatus.STALE
        Deriver(mine.canonical, FixedClock()).derive(SCOPE, mine.session)
        assert mine.claim().status is ClaimStatus.STALE

    def test_all_current_claims_are_followed(self) -> None:
        mine = Claims(["The queue listens on port 8000.", "Now the queue listens on port 8100.", *CHANGED])
        report = mine.verifier.verify_current(SCOPE)
        assert report.counts == {Liveness.LIVE: 2}
        again = mine.verifier.verify_current(SCOPE, session_ids=frozenset({mine.session.id}))
        assert again.counts == {Liveness.LIVE: 3}  # the line is a proof of its own by now
        assert mine.verifier.verify_current(SCOPE, session_ids=frozenset({"session_other"})).checks == ()

    def test_an_unknown_claim_is_named(self) -> None:
        with pytest.raises(NotFoundError, match="claim_nowhere"):
            Claims(CHANGED).verifier.verify(SCOPE, ["claim_nowhere"])

    @given(st.lists(st.sampled_from(["whole", "moved", "without", "none"]), min_size=1, max_size=6))
    @settings(max_examples=60, deadline=None)
    def test_the_status_follows_the_file_whatever_happened_before(self, states: list[str]) -> None:
        mine = Claims(CHANGED)
        mine.status()
        for state in states:
            if state == "none":
                if any(file.path == "src/lease.py" for file in mine.tree.scan({})):
                    mine.tree.remove("src/lease.py")
            else:
                text = CODE.replace(SETTING.encode(), b"") if state == "without" else CODE
                mine.tree.write("src/lease.py", b"#\n" + text if state == "moved" else text)
            is_there = state in ("whole", "moved")
            assert mine.status() is (ClaimStatus.VERIFIED if is_there else ClaimStatus.STALE)
            assert bool(mine.claim().status_reason) is not is_there
