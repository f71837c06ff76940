"""Index a work tree: make the store hold what the tree holds now."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.code import CodeBlock
from pckc_domain.model.document import Document, ManifestEntry, document_id
from pckc_domain.model.passage import DocumentContent
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.document_kinds import classify
from pckc_domain.policy.facts.reading import read_facts
from pckc_domain.policy.recipe import RECIPE
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.ports.sources import RepositorySource, ScannedFile, SkippedFile, SourceFile
from pckc_domain.usecases.keep_facts import ReadFile, keep_facts

BATCH_FILES = 64
BATCH_BYTES = 2_000_000
STALE_VERSIONS_KEPT = 3
"""Older stale versions of a path are erased."""


@attrs.frozen(kw_only=True)
class IndexReport:
    """
    What an index run did.

    Attributes:
        checkout: The work tree as it was indexed.
        unchanged: Files that stat found unchanged.
        indexed: Files read and stored, also those found to hold a known version.
        removed: Paths that are no longer there.
        skipped: Reason to number of files left out.
        redacted: Kind of secret to number of places redacted in the files read.
        bytes_read: Bytes of the files read.
        facts: Facts that the files read set.
        facts_left_out: Facts beyond the number that one file may set: those files are data.
        since: When the run before this one ended; ``None`` before the first one, and after one that did not end.
        touched: Paths that were read or are gone.
    """

    checkout: Checkout
    unchanged: int
    indexed: int
    removed: int
    skipped: Mapping[str, int]
    redacted: Mapping[str, int]
    bytes_read: int
    facts: int = 0
    facts_left_out: int = 0
    since: datetime | None = None
    touched: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Files the index holds."""
        return self.unchanged + self.indexed


class Indexer:
    """
    Brings a checkout's index up to date, in small commits.

    A killed run leaves whole documents only; the next run goes on where it stopped and ends with the same store.
    """

    def __init__(
        self, canonical: Canonical, source: RepositorySource, clock: Clock, *, parser: CodeParser | None = None
    ) -> None:
        self._canonical = canonical
        self._source = source
        self._clock = clock
        self._parser = parser

    def run(
        self,
        scope: Scope,
        *,
        checkout: Checkout | None = None,
        progress: ProgressListener = ignore_progress,
        from_scratch: bool = False,
    ) -> IndexReport:
        """
        Read what changed since the last run and store it; *from_scratch* reads everything again.

        *checkout* is the work tree, where it was described just now.

        Raises:
            BackendUnavailableError: The store cannot be written.
        """
        described = checkout or self._source.checkout()
        checkout = attrs.evolve(described, project=scope.project, recipe=recipe(self._parser))
        known, entries = self._known(scope, checkout)
        is_cut_anew = from_scratch or known.recipe != checkout.recipe
        manifest = (
            {path: attrs.evolve(entry, mtime_ns=0) for path, entry in entries.items()} if is_cut_anew else entries
        )
        scanned = list(self._source.scan(manifest))
        changed = [file for file in scanned if not file.is_unchanged]
        gone = sorted(manifest.keys() - {file.path for file in scanned})
        if changed or gone:
            so_far = checkout.recipe if known.recipe == checkout.recipe else ""  # two recipes until the run ends
            self._record(scope, attrs.evolve(checkout, recipe=so_far), is_complete=False)
        run = _Run(self._canonical, self._clock, scope, checkout, self._parser)
        done = 0
        for batch in _batches(changed):
            run.store([self._read(file) for file in batch])
            done += len(batch)
            progress(Progress(stage="indexing", done=done, total=len(changed)))
        if gone:
            with self._canonical.writing(scope) as work:
                work.manifest.remove(checkout.id, gone)
                keep_facts(work, checkout.branch, (), gone)
        checkout = self._record(scope, checkout, is_complete=True)
        skipped = Counter(
            manifest[file.path].skipped for file in scanned if file.is_unchanged and manifest[file.path].skipped
        )
        return IndexReport(
            checkout=checkout,
            unchanged=len(scanned) - len(changed) - skipped.total(),
            indexed=run.indexed,
            removed=len(gone),
            skipped=dict(sorted((skipped + run.skipped).items())),
            redacted=dict(sorted(run.redacted.items())),
            bytes_read=run.bytes_read,
            facts=run.facts,
            facts_left_out=run.facts_left_out,
            since=known.indexed_at if known.is_complete else None,
            touched=(*(file.path for file in changed), *gone),
        )

    def _known(self, scope: Scope, checkout: Checkout) -> tuple[Checkout, dict[str, ManifestEntry]]:
        """Return the checkout as it was recorded last, itself before the first time, and its entries by path."""
        with self._canonical.reading(scope) as work:
            entries = {entry.path: entry for entry in work.manifest.entries(checkout.id)}
            known = {known.id: known for known in work.manifest.checkouts()}.get(checkout.id, checkout)
        return known, entries

    def _record(self, scope: Scope, checkout: Checkout, *, is_complete: bool) -> Checkout:
        checkout = attrs.evolve(checkout, indexed_at=self._clock.now(), is_complete=is_complete)
        with self._canonical.writing(scope) as work:
            work.manifest.record(checkout)
        return checkout

    def _read(self, file: ScannedFile) -> SourceFile | SkippedFile:
        if file.skipped:
            return SkippedFile(path=file.path, reason=file.skipped, size_bytes=file.size_bytes, mtime_ns=file.mtime_ns)
        return self._source.read(file.path)


def recipe(parser: CodeParser | None) -> str:
    """Return the name of the way documents are cut; another parser or version cuts otherwise."""
    return f"{RECIPE}+{','.join(sorted(parser.languages()))}" if parser else RECIPE


class _Run:
    """The writing half of one index run."""

    def __init__(
        self, canonical: Canonical, clock: Clock, scope: Scope, checkout: Checkout, parser: CodeParser | None
    ) -> None:
        self._canonical = canonical
        self._clock = clock
        self._scope = scope
        self._checkout = checkout
        self._parser = parser
        self.indexed = 0
        self.bytes_read = 0
        self.facts = 0
        self.facts_left_out = 0
        self.skipped: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()

    def store(self, files: Sequence[SourceFile | SkippedFile]) -> None:
        """Store some files in one commit; cutting happens before the transaction, which stays short."""
        read = [file for file in files if isinstance(file, SourceFile)]
        ids = {
            file.path: document_id(self._scope, file.path, file.content_hash, self._checkout.recipe) for file in read
        }
        with self._canonical.reading(self._scope) as work:
            known = {document.id for document in work.documents.get(sorted(ids.values()))}
        prepared = [self._prepare(file, ids[file.path], is_known=ids[file.path] in known) for file in read]
        entries = [_entry(file, ids) for file in files]
        with self._canonical.writing(self._scope) as work:
            for one in prepared:
                if one.content:
                    work.documents.put(one.content)
            work.manifest.put(self._checkout.id, entries)
            _drop_old_versions(work, [file.path for file in read])
            gone = [file.path for file in files if isinstance(file, SkippedFile)]
            keep_facts(work, self._checkout.branch, [one.read for one in prepared], gone)
        self.indexed += len(read)
        self.bytes_read += sum(file.size_bytes for file in read)
        self.skipped.update(file.reason for file in files if isinstance(file, SkippedFile))

    def _prepare(self, file: SourceFile, identity: str, *, is_known: bool) -> "_Prepared":
        """Return the version of *file* with its facts, and unless it *is_known*, its passages."""
        kind, source, language = classify(file.path)
        redaction = redact(file.text)
        if not is_known:
            self.redacted.update(finding.kind for finding in redaction.findings)
        document = Document(
            id=identity,
            uri=file.path,
            kind=kind,
            source=source,
            language=language,
            content_hash=file.content_hash,
            blob_hash=file.blob_hash,
            size_bytes=file.size_bytes,
            title=file.path.rsplit("/", 1)[-1],
            branch=self._checkout.branch,
            indexed_at=self._clock.now(),
        )
        found = read_facts(file.path, redaction.text)
        self.facts += len(found.facts)
        self.facts_left_out += found.left_out
        content = None if is_known else cut(document, redaction.text, blocks=self._blocks(redaction.text, language))
        return _Prepared(read=ReadFile(document=document, facts=found.facts), content=content)

    def _blocks(self, text: str, language: str) -> Sequence[CodeBlock] | None:
        if self._parser is None or language not in self._parser.languages():
            return None
        return self._parser.blocks(text, language=language)


@attrs.frozen(kw_only=True)
class _Prepared:
    """What is stored of a file that was read; a known version has its passages already."""

    read: ReadFile
    content: DocumentContent | None


def _entry(file: SourceFile | SkippedFile, ids: Mapping[str, str]) -> ManifestEntry:
    return ManifestEntry(
        path=file.path,
        size_bytes=file.size_bytes,
        mtime_ns=file.mtime_ns,
        content_hash=file.content_hash,
        document_id=ids.get(file.path),
        skipped=file.reason if isinstance(file, SkippedFile) else "",
    )


def _drop_old_versions(work: UnitOfWork, paths: Sequence[str]) -> None:
    for path in paths:
        stale = [document.id for document in work.documents.at(path) if document.is_stale]
        if len(stale) > STALE_VERSIONS_KEPT:
            work.documents.remove(stale[STALE_VERSIONS_KEPT:])


def _batches(files: Sequence[ScannedFile]) -> Iterator[list[ScannedFile]]:
    batch: list[ScannedFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += 0 if file.skipped else file.size_bytes
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
