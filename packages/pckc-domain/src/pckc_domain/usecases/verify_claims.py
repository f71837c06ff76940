"""Follow the proofs of claims and update their status, both ways."""

from collections import Counter
from collections.abc import Iterable, Sequence

import attrs

from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import Claim
from pckc_domain.model.identity import content_id, digest
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.proof import (
    AuthorityClass,
    EventLocator,
    Liveness,
    Proof,
    ProofCheck,
    ProofType,
    RepositoryLocator,
    VerificationStatus,
    parse_locator,
)
from pckc_domain.model.scope import Scope
from pckc_domain.policy.curation import LOST_PROOF
from pckc_domain.policy.retention import dated_reason
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.usecases.citations import follow_citation
from pckc_domain.usecases.verify import VerifyReport
from pckc_domain.usecases.working_file import WorkingFile, open_working_file

PAGE = 200
SHORTEST_ANCHOR = 6
"""A line must have at least this many characters to be recognised as what a claim speaks of."""

LOST = frozenset({Liveness.CHANGED, Liveness.GONE})


class ClaimVerifier:
    """
    Re-checks claims.

    A claim that rests on lines of the work tree is stale while none of these lines is there, and comes back when one
    is; any other claim is stale while none of its proofs can be found.
    """

    def __init__(self, canonical: Canonical, source: RepositorySource, clock: Clock) -> None:
        self._canonical = canonical
        self._source = source
        self._clock = clock
        self._files: dict[str, WorkingFile] = {}

    def verify(self, scope: Scope, claim_ids: Sequence[str]) -> VerifyReport:
        """
        Follow the proofs of these claims and update their status.

        Raises:
            NotFoundError: An id is not stored.
        """
        return _report(self._check_all(scope, self._stored(scope, claim_ids)))

    def check(self, scope: Scope, claim_ids: Sequence[str]) -> VerifyReport:
        """
        Follow the proofs of these claims and change nothing.

        Raises:
            NotFoundError: An id is not stored.
        """
        found, _ = self._follow(scope, self._stored(scope, claim_ids))
        return _report([check for checks in found.values() for check in checks])

    def verify_current(
        self,
        scope: Scope,
        *,
        session_ids: frozenset[str] = frozenset(),
        progress: ProgressListener = ignore_progress,
    ) -> VerifyReport:
        """Follow the proofs of every claim that still holds, of some sessions or of all."""
        where = ClaimFilter(is_open=True, session_ids=session_ids, is_said=True)
        checks: list[ProofCheck] = []
        after, done = "", 0
        while True:
            with self._canonical.reading(scope) as work:
                page = work.claims.find(where=where, after=after, limit=PAGE)
            if not page:
                break
            checks += self._check_all(scope, page)
            after, done = page[-1].claim.id, done + len(page)
            progress(Progress(stage="verifying claims", done=done, total=0))
        facts = [] if session_ids else self._facts(scope)
        for start in range(0, len(facts), PAGE):
            checks += self._check_all(scope, facts[start : start + PAGE])
            progress(Progress(stage="verifying facts", done=start, total=len(facts)))
        return _report(checks)

    def _facts(self, scope: Scope) -> list[StoredClaim]:
        """Return what the repository sets, file by file, so that each is read once."""
        found: list[StoredClaim] = []
        where = ClaimFilter(is_open=True, is_said=False)
        with self._canonical.reading(scope) as work:
            while page := work.claims.find(where=where, after=found[-1].claim.id if found else "", limit=PAGE):
                found += page
        return sorted(found, key=lambda item: (item.claim.path, item.claim.id))

    def follow_code(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> VerifyReport:
        """
        Follow the claims that rest on lines of the work tree, or state what a file holds, after either has changed.

        A claim whose file has such a line now gets it as a proof. What the repository alone sets is followed by
        indexing it.
        """
        checks: list[ProofCheck] = []
        after, done = "", 0
        while True:
            with self._canonical.reading(scope) as work:
                page = work.claims.find(where=ClaimFilter(is_open=True, is_said=True), after=after, limit=PAGE)
                proofs = work.proofs.of([item.claim.id for item in page])
            if not page:
                break
            resting = [
                item for item in page if item.claim.path or any(map(_is_in_repository, proofs.get(item.claim.id, ())))
            ]
            checks += self._check_all(scope, resting) if resting else []
            after, done = page[-1].claim.id, done + len(page)
            progress(Progress(stage="verifying claims", done=done, total=0))
        return _report(checks)

    def _stored(self, scope: Scope, claim_ids: Sequence[str]) -> Sequence[StoredClaim]:
        with self._canonical.reading(scope) as work:
            stored = work.claims.get(claim_ids)
        missing = set(claim_ids) - {item.claim.id for item in stored}
        if missing:
            raise NotFoundError(
                f"no claim has the id {sorted(missing)[0]}", remedy="give an id that a search or a list of claims shows"
            )
        return stored

    def _check_all(self, scope: Scope, stored: Sequence[StoredClaim]) -> list[ProofCheck]:
        found, anchors = self._follow(scope, stored)
        self._update(scope, stored, found, anchors)
        return [check for checks in found.values() for check in checks]

    def _follow(self, scope: Scope, stored: Sequence[StoredClaim]) -> tuple[dict[str, list[ProofCheck]], list[Proof]]:
        """Return what following each claim's proofs found, and proofs by lines of files that say the same."""
        self._files.clear()  # they may have changed since
        with self._canonical.reading(scope) as work:
            proofs = work.proofs.of([item.claim.id for item in stored])
            folders = _folders(work, stored)
            found = {
                item.claim.id: [self._check(work, proof) for proof in proofs.get(item.claim.id, ())] for item in stored
            }
        anchors = [
            anchor
            for item in stored
            if item.claim.path and not any(map(_is_in_repository, proofs.get(item.claim.id, ())))
            if (anchor := self._anchor(item.claim, proofs.get(item.claim.id, ()), folders))
        ]
        return found, anchors

    def _check(self, work: UnitOfWork, proof: Proof) -> ProofCheck:
        locator = parse_locator(proof.source_ref)
        if isinstance(locator, RepositoryLocator):
            return self._check_lines(proof, locator)
        if isinstance(locator, EventLocator):
            return _check_event(work, proof, locator)
        return follow_citation(work, proof, locator)

    def _check_lines(self, proof: Proof, locator: RepositoryLocator) -> ProofCheck:
        file = self._file(locator.path)
        line = file.find(locator, proof.digest)
        if not line:
            if file.is_gone:
                return _checked(proof, Liveness.GONE, f"{locator.path} cannot be read: {file.reason}")
            return _checked(proof, Liveness.CHANGED, f"{locator.path} no longer has this text")
        if line == locator.start_line:
            return _checked(proof, Liveness.LIVE, "the text is where it was read")
        moved = attrs.evolve(
            locator,
            start_line=line,
            end_line=line + locator.end_line - locator.start_line,
            blob_hash=file.blob_hash,
        )
        return _checked(proof, Liveness.MOVED, f"the text is now at line {line}", source_ref=str(moved))

    def _anchor(self, claim: Claim, proofs: Iterable[Proof], folders: dict[str, str]) -> Proof | None:
        """Return a proof by the line that says what the claim says, if its file has such a line now."""
        path = _relative(claim.path, folders.get(claim.session_id, ""), self._source.checkout().root)
        file = self._file(path)
        if file.is_gone:
            return None
        sayings = {claim.text.strip(), *(proof.excerpt.strip() for proof in proofs)}
        wanted = [text for text in sorted(sayings) if len(text) >= SHORTEST_ANCHOR and "\n" not in text]
        for number, line in enumerate(file.lines(), start=1):
            if any(text in line for text in wanted):
                return self._line_proof(claim, path, file, number, line)
        return None

    def _line_proof(self, claim: Claim, path: str, file: WorkingFile, number: int, line: str) -> Proof:
        locator = RepositoryLocator(path=path, blob_hash=file.blob_hash, start_line=number, end_line=number)
        return Proof(
            id=content_id("proof", claim.id, path, digest(line)),
            claim_id=claim.id,
            authority=AuthorityClass.REPOSITORY_DERIVED,
            verification=VerificationStatus.VERIFIED,
            type=ProofType.REPOSITORY,
            source_ref=str(locator),
            excerpt=line,
            digest=digest(line),
            observed_at=self._clock.now(),
        )

    def _update(
        self,
        scope: Scope,
        stored: Sequence[StoredClaim],
        found: dict[str, list[ProofCheck]],
        anchors: Sequence[Proof],
    ) -> None:
        moved = [
            attrs.evolve(check.proof, source_ref=check.source_ref)
            for checks in found.values()
            for check in checks
            if check.liveness is Liveness.MOVED
        ]
        with self._canonical.writing(scope) as work:
            work.proofs.attach([*moved, *anchors])
            for item in stored:
                reason = _why_stale(found[item.claim.id])
                if bool(reason) or item.claim.status_reason.startswith(LOST_PROOF):
                    before = item.claim.status_reason
                    dated = dated_reason(reason, before, self._clock.now()) if reason else ""
                    work.claims.note_check(item.claim.id, stale_reason=dated)

    def _file(self, path: str) -> WorkingFile:
        if path not in self._files:
            self._files[path] = open_working_file(self._source, path)
        return self._files[path]


def _why_stale(checks: Sequence[ProofCheck]) -> str:
    """
    Return why a claim is stale, ``""`` when it is not: what it rests on are its lines, else all its proofs.

    A line that its file has replaced is history: it counts only where there is nothing else.
    """
    standing = [check for check in checks if check.proof.verification is not VerificationStatus.SUPERSEDED]
    lines = [check for check in standing if _is_in_repository(check.proof)]
    resting_on = lines or standing or list(checks)
    if resting_on and all(check.liveness in LOST for check in resting_on):
        return LOST_PROOF + resting_on[-1].reason
    return ""


def _is_in_repository(proof: Proof) -> bool:
    return proof.type is ProofType.REPOSITORY


def _check_event(work: UnitOfWork, proof: Proof, locator: EventLocator) -> ProofCheck:
    events = work.sessions.events(locator.session_id, after_seq=locator.seq - 1, limit=1)
    if not events or events[0].seq != locator.seq:
        return _checked(proof, Liveness.GONE, "the event is no longer stored")
    if digest(events[0].text[locator.start : locator.end]) != proof.digest:
        return _checked(proof, Liveness.CHANGED, "the event no longer has these words")
    return _checked(proof, Liveness.LIVE, "the event says so")


def _checked(proof: Proof, liveness: Liveness, reason: str, *, source_ref: str = "") -> ProofCheck:
    return ProofCheck(proof=proof, liveness=liveness, source_ref=source_ref or proof.source_ref, reason=reason)


def _folders(work: UnitOfWork, stored: Sequence[StoredClaim]) -> dict[str, str]:
    ids = sorted({item.claim.session_id for item in stored if item.claim.session_id})
    return {session.id: session.cwd for session in work.sessions.get(ids)}


def _relative(path: str, cwd: str, root: str) -> str:
    """Return *path* relative to the work tree: transcripts name files absolutely, or from where the agent ran."""
    for folder in (root, cwd):
        if folder and path.startswith(f"{folder.rstrip('/')}/"):
            return path[len(folder.rstrip("/")) + 1 :]
    return path.removeprefix("./")


def _report(checks: Sequence[ProofCheck]) -> VerifyReport:
    return VerifyReport(checks=tuple(checks), counts=Counter(check.liveness for check in checks))
