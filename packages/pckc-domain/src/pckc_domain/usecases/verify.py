"""Follow proofs: is the text still where it was read?"""

from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.errors import NotFoundError
from pckc_domain.model.document import Document
from pckc_domain.model.passage import Layer, PassageFilter, StoredPassage, layer_of
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.proof import DocumentLocator, Liveness, ProofCheck, RepositoryLocator
from pckc_domain.model.scope import Scope
from pckc_domain.policy.passage_proofs import lines_of, passage_proof
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.usecases.citations import follow_citation
from pckc_domain.usecases.working_file import WorkingFile, open_working_file

PAGE = 500


@attrs.frozen(kw_only=True)
class VerifyReport:
    """
    What following proofs found.

    Attributes:
        checks: One per proof asked for by id; when whole files were verified, only those that are not live.
        counts: Number of proofs by what was found.
    """

    checks: tuple[ProofCheck, ...]
    counts: Mapping[Liveness, int]


class Verifier:
    """Re-checks passages against the work tree."""

    def __init__(self, canonical: Canonical, source: RepositorySource) -> None:
        self._canonical = canonical
        self._source = source

    def verify_passages(self, scope: Scope, passage_ids: Sequence[str]) -> VerifyReport:
        """
        Follow the proofs of these passages.

        Raises:
            NotFoundError: An id is not stored.
        """
        with self._canonical.reading(scope) as work:
            stored = work.passages.get(passage_ids)
        missing = set(passage_ids) - {item.passage.id for item in stored}
        if missing:
            raise NotFoundError(
                f"no passage has the id {sorted(missing)[0]}", remedy="search again: ids change with the text"
            )
        checks = self._checks(scope, stored)
        return VerifyReport(checks=checks, counts=Counter(check.liveness for check in checks))

    def verify_paths(
        self,
        scope: Scope,
        *,
        checkout_id: str | None = None,
        uri_prefixes: tuple[str, ...] = (),
        progress: ProgressListener = ignore_progress,
    ) -> VerifyReport:
        """
        Follow the proofs of every fresh passage under *uri_prefixes* (empty means all) that *checkout_id* holds.

        ``None`` means every checkout, whose passages are then looked for in this work tree.
        """
        counts: Counter[Liveness] = Counter()
        suspicious: list[ProofCheck] = []
        where = PassageFilter(uri_prefixes=uri_prefixes, checkout=checkout_id)
        for layer in Layer:
            after = ""
            while True:
                with self._canonical.reading(scope) as work:
                    page = work.passages.find(layer, where=where, after=after, limit=PAGE)
                if not page:
                    break
                checks = self._checks(scope, page)
                counts.update(check.liveness for check in checks)
                suspicious.extend(check for check in checks if check.liveness is not Liveness.LIVE)
                after = page[-1].passage.id
                progress(Progress(stage=f"verifying {layer}s", done=counts.total(), total=0))
        return VerifyReport(checks=tuple(suspicious), counts=counts)

    def _checks(self, scope: Scope, passages: Sequence[StoredPassage]) -> tuple[ProofCheck, ...]:
        order = [stored.passage.id for stored in passages]
        cited = [stored for stored in passages if stored.passage.place]
        checks = {check.proof.claim_id: check for check in self._follow(scope, cited)}
        files: dict[str, WorkingFile] = {}
        passages = [stored for stored in passages if not stored.passage.place]
        for stored in passages:
            uri = stored.document.uri
            if uri not in files:
                files[uri] = self._open(uri)
        renamed = self._renamed([item.document for item in passages if files[item.document.uri].is_gone])
        checks |= {
            stored.passage.id: self._check(scope, stored, files[stored.document.uri], renamed) for stored in passages
        }
        return tuple(checks[passage_id] for passage_id in order)

    def _follow(self, scope: Scope, cited: Sequence[StoredPassage]) -> Sequence[ProofCheck]:
        """Follow passages of documents that were ingested."""
        if not cited:
            return ()
        with self._canonical.reading(scope) as work:
            return [
                _as_read(stored)
                if not stored.document.is_stale
                else follow_citation(
                    work,
                    passage_proof(stored),
                    DocumentLocator(uri=stored.document.uri, place=stored.passage.place),
                )
                for stored in cited
            ]

    def _renamed(self, gone: Sequence[Document]) -> Mapping[str, str]:
        """Return blob hash to the path of a file in the tree with the same bytes as a document that is gone."""
        if not gone:
            return {}
        wanted = {document.blob_hash for document in gone}
        sizes = {document.size_bytes for document in gone}
        candidates = [file.path for file in self._source.scan({}) if file.size_bytes in sizes and not file.skipped]
        opened = {path: self._open(path).blob_hash for path in reversed(candidates)}
        return {blob_hash: path for path, blob_hash in opened.items() if blob_hash in wanted}

    def _open(self, path: str) -> WorkingFile:
        return open_working_file(self._source, path)

    def _check(self, scope: Scope, stored: StoredPassage, file: WorkingFile, renamed: Mapping[str, str]) -> ProofCheck:
        passage = stored.passage
        found = _find(file, stored)
        if found == passage.start_line:
            return _found(stored, Liveness.LIVE, file.blob_hash, found, "the text is where it was read")
        if found:
            return _found(stored, Liveness.MOVED, file.blob_hash, found, f"the text is now at line {found}")
        if elsewhere := self._elsewhere(scope, stored):
            path, line = elsewhere.document.uri, elsewhere.passage.start_line
            return _found(
                stored, Liveness.MOVED, elsewhere.document.blob_hash, line, f"the text is now in {path}", path=path
            )
        if file.is_gone and (renamed_to := renamed.get(stored.document.blob_hash)):
            line, blob_hash = passage.start_line, stored.document.blob_hash
            return _found(stored, Liveness.MOVED, blob_hash, line, f"the file is now {renamed_to}", path=renamed_to)
        if file.is_gone:
            return _lost(stored, Liveness.GONE, f"{stored.document.uri} cannot be read: {file.reason}")
        return _lost(stored, Liveness.CHANGED, f"{stored.document.uri} no longer has this text")

    def _elsewhere(self, scope: Scope, stored: StoredPassage) -> StoredPassage | None:
        """A fresh passage with the same lines in another file that really has them now."""
        where = PassageFilter(digests=frozenset({stored.passage.digest}))
        with self._canonical.reading(scope) as work:
            twins = work.passages.find(layer_of(stored.passage), where=where, limit=5)
        others = (twin for twin in twins if twin.document.uri != stored.document.uri)
        return next((twin for twin in others if _find(self._open(twin.document.uri), twin)), None)


def _find(file: WorkingFile, stored: StoredPassage) -> int:
    return file.find(lines_of(stored), stored.passage.digest, text=stored.passage.text)


def _found(
    stored: StoredPassage, liveness: Liveness, blob_hash: str, line: int, reason: str, *, path: str = ""
) -> ProofCheck:
    length = stored.passage.end_line - stored.passage.start_line
    locator = RepositoryLocator(
        path=path or stored.document.uri, blob_hash=blob_hash, start_line=line, end_line=line + length
    )
    return ProofCheck(proof=passage_proof(stored), liveness=liveness, source_ref=str(locator), reason=reason)


def _as_read(stored: StoredPassage) -> ProofCheck:
    """A passage of the version that was read last stands where it was cut, digests too."""
    proof = passage_proof(stored)
    reason = f"the document is as it was read on {stored.document.indexed_at:%Y-%m-%d}"
    return ProofCheck(proof=proof, liveness=Liveness.LIVE, source_ref=proof.source_ref, reason=reason)


def _lost(stored: StoredPassage, liveness: Liveness, reason: str) -> ProofCheck:
    proof = passage_proof(stored)
    return ProofCheck(proof=proof, liveness=liveness, source_ref=proof.source_ref, reason=reason)
