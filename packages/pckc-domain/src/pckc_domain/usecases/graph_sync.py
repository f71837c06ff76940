"""Keep the stored graph equal to the work tree: read what changed, link what depends on it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import attrs

from pckc_domain.errors import ConflictError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.graph import FileCoverage, FileGraph, GraphLayer
from pckc_domain.model.linking import FileChange, GraphState, KnownFile, LinkedFile, LinkMemory, NoMemory
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.code_files import code_language, settings_languages
from pckc_domain.policy.graph.linking import Linker
from pckc_domain.policy.recipe import GRAPH_RECIPE
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.graph import GraphWork
from pckc_domain.ports.sources import RepositorySource, SkippedFile, SourceFile
from pckc_domain.usecases.index import IndexReport
from pckc_domain.usecases.read_code import CodeReading, CodeText

BATCH_FILES = 400
"""Up to so many changed files are stored in one transaction; more in several, the graph marked incomplete meanwhile."""

ATTEMPTS = 3
GONE = "gone"


@attrs.frozen(kw_only=True)
class GraphReport:
    """
    What a run did.

    Attributes:
        files: Source files there are, in languages that can be read.
        read: Those of them that were read in this run.
        linked: Those whose part of the graph or memory changed.
        removed: Paths that are no longer there.
        skipped: Reason to number of files that nothing is read of.
        is_anew: The graph was made anew.
    """

    files: int
    read: int
    linked: int
    removed: int
    skipped: Mapping[str, int]
    is_anew: bool


class _OvertakenError(Exception):
    """Another run has written meanwhile."""


class GraphSync:
    """
    Brings the graph of a checkout up to date.

    Few changes are stored in one transaction. Many are stored in several, and the graph says that it is incomplete
    until the last of them; a killed run then leaves a graph that the next run makes anew.
    """

    def __init__(
        self,
        canonical: Canonical,
        source: RepositorySource,
        clock: Clock,
        *,
        reading: CodeReading,
        linkers: Sequence[Linker],
    ) -> None:
        self._canonical = canonical
        self._source = source
        self._clock = clock
        self._reading = reading
        self._linkers = linkers

    def run(
        self,
        scope: Scope,
        *,
        indexed: IndexReport | None = None,
        from_scratch: bool = False,
        progress: ProgressListener = ignore_progress,
    ) -> GraphReport:
        """
        Read and link what changed since the last run; *from_scratch* makes the graph anew.

        Args:
            scope: Whose graph.
            indexed: What an index run did just now: its manifest is taken for the tree, and of a graph that was up to
                date before it only what it touched is looked at. Without one, the tree is scanned.
            from_scratch: Forget the graph that is there.
            progress: Told of every file.

        Raises:
            ConflictError: Other runs kept writing the same graph.
            BackendUnavailableError: The store cannot be written.
        """
        for _ in range(ATTEMPTS):
            run = _Run(self._canonical, self._source, self._reading, self._linkers, scope, progress)
            try:
                return run.run(indexed, self._clock, from_scratch=from_scratch)
            except _OvertakenError:
                continue
        raise ConflictError("other runs kept writing the graph", remedy="run the command again")


@attrs.frozen(kw_only=True)
class _TreeFile:
    """A file as the tree has it; *content_hash* is ``""`` while nobody knows, *skipped* says why it is not read."""

    path: str
    content_hash: str
    skipped: str


@attrs.define(kw_only=True)
class _Plan:
    """
    What a run has to do.

    Attributes:
        languages: Path to language of the files to link against, as they will be.
        texts: What is to be read.
        hashes: Path to content hash of `texts`.
        skipped: Files to note as left out.
        reasons: Path to reason of all that are left out.
        gone: Paths that are no more.
        lost: Paths that were read before and cannot be any more.
        settings: Path to content hash of the project files.
    """

    languages: dict[str, str] = attrs.Factory(dict)
    texts: list[CodeText] = attrs.Factory(list)
    hashes: dict[str, str] = attrs.Factory(dict)
    skipped: list[LinkedFile] = attrs.Factory(list)
    reasons: dict[str, str] = attrs.Factory(dict)
    gone: list[str] = attrs.Factory(list)
    lost: list[str] = attrs.Factory(list)
    settings: dict[str, str] = attrs.Factory(dict)

    @property
    def is_empty(self) -> bool:
        return not (self.texts or self.skipped or self.gone)


class _Run:
    """One attempt."""

    def __init__(
        self,
        canonical: Canonical,
        source: RepositorySource,
        reading: CodeReading,
        linkers: Sequence[Linker],
        scope: Scope,
        progress: ProgressListener,
    ) -> None:
        self._canonical = canonical
        self._source = source
        self._reading = reading
        self._linkers = linkers
        self._scope = scope
        self._progress = progress
        self._languages = linkable(reading, linkers)
        self._checkout_id = ""
        self._before: GraphState | None = None
        self._known: Mapping[str, KnownFile] = {}
        self._linked = 0

    def run(self, indexed: IndexReport | None, clock: Clock, *, from_scratch: bool) -> GraphReport:
        checkout = indexed.checkout if indexed else self._source.checkout()
        self._checkout_id = checkout.id
        recipe = graph_recipe(self._reading, self._linkers)
        with self._canonical.reading(self._scope) as work:
            graph = work.graph(checkout.id, GraphLayer.REPOSITORY)
            self._before = graph.state.get()
            is_anew = from_scratch or self._before is None or not self._before.is_complete
            is_anew = is_anew or self._before is None or self._before.recipe != recipe
            self._known = {} if is_anew else graph.files.known()
            settings = {} if is_anew or self._before is None else self._before.settings
            if indexed and self._before and not is_anew and self._before.updated_at == indexed.since:
                entries = work.manifest.entries(checkout.id, paths=[*filter(self._is_wanted, indexed.touched)])
                tree = self._unchanged(settings, indexed.touched) | self._indexed(entries)
            else:
                entries = work.manifest.entries(checkout.id)
                tree = self._indexed(entries) if indexed else self._scanned(entries)
            plan = self._plan(tree, settings)
            state = GraphState(
                recipe=recipe,
                revision=(self._before.revision if self._before else 0) + 1,
                is_complete=True,
                updated_at=indexed.checkout.indexed_at or clock.now() if indexed else clock.now(),
                settings=plan.settings,
            )
            if is_anew or not plan.is_empty:
                self._apply(plan, state, graph, is_anew=is_anew)
            elif indexed and self._before is not None:
                self._write([], (), attrs.evolve(state, revision=self._before.revision))  # it is up to date
        return GraphReport(
            files=sum(bool(self._language(path)) for path in tree),
            read=len(plan.texts),
            linked=self._linked,
            removed=len(plan.gone),
            skipped=dict(sorted(Counter(plan.reasons.values()).items())),
            is_anew=is_anew,
        )

    # What the tree holds

    def _indexed(self, entries: Sequence[ManifestEntry]) -> dict[str, _TreeFile]:
        """Return the source and project files of a manifest that was just brought up to date, by path."""
        return {
            entry.path: _TreeFile(path=entry.path, content_hash=entry.content_hash, skipped=entry.skipped)
            for entry in entries
            if self._is_wanted(entry.path)
        }

    def _scanned(self, entries: Sequence[ManifestEntry]) -> dict[str, _TreeFile]:
        """Return the source and project files of the tree, by path."""
        manifest = {entry.path: entry for entry in entries}
        return {
            file.path: _TreeFile(
                path=file.path,
                content_hash=manifest[file.path].content_hash if file.is_unchanged else "",
                skipped=file.skipped,
            )
            for file in self._source.scan(manifest)
            if self._is_wanted(file.path)
        }

    def _unchanged(self, settings: Mapping[str, str], touched: Collection[str]) -> dict[str, _TreeFile]:
        """Return the files of the graph as they were, but for those touched."""
        gone = set(touched)
        hashes = {**settings, **{path: file.content_hash for path, file in self._known.items()}}
        skipped = {path: file.skipped for path, file in self._known.items()}
        return {
            path: _TreeFile(path=path, content_hash=hash_, skipped=skipped.get(path, ""))
            for path, hash_ in hashes.items()
            if path not in gone
        }

    def _is_wanted(self, path: str) -> bool:
        return bool(self._language(path) or settings_languages(path))

    def _language(self, path: str) -> str:
        return code_language(path, self._languages)

    # What is to be done

    def _plan(self, tree: Mapping[str, _TreeFile], settings: Mapping[str, str]) -> _Plan:
        plan = _Plan()
        plan.gone = [path for path in self._known if path not in tree]
        touched = self._settings(tree, settings, plan)
        for path, file in tree.items():
            language = self._language(path)
            if not language:
                continue
            before = self._known.get(path)
            if before is None or language in touched or not _is_same(file, before, language):
                self._look(file, language, plan, is_forced=language in touched)
            elif before.skipped:
                plan.reasons[path] = before.skipped
            else:
                plan.languages[path] = language
        return plan

    def _settings(self, tree: Mapping[str, _TreeFile], before: Mapping[str, str], plan: _Plan) -> frozenset[str]:
        """Note the project files; return the languages that they explain otherwise than before."""
        for path, file in tree.items():
            if settings_languages(path) and not file.skipped:
                plan.settings[path] = file.content_hash or self._source.read(path).content_hash
        changed = {path for path, _ in plan.settings.items() ^ before.items()}
        return frozenset(language for path in changed for language in settings_languages(path))

    def _look(self, file: _TreeFile, language: str, plan: _Plan, *, is_forced: bool) -> None:
        """Read a file that may have changed, and note what is to be done about it."""
        path, before = file.path, self._known.get(file.path)
        was_read = before is not None and not before.skipped
        read: SourceFile | SkippedFile
        read = SkippedFile(path=path, reason=file.skipped) if file.skipped else self._source.read(path)
        if isinstance(read, SkippedFile):
            if read.reason == GONE:
                plan.gone += [path] if before else []
                return
            plan.reasons[path] = read.reason
            plan.lost += [path] if was_read else []
            if before is None or before.skipped != read.reason:
                plan.skipped.append(_left_out(path, language, read))
            return
        plan.languages[path] = language
        if is_forced or not was_read or before is None or before.content_hash != read.content_hash:
            plan.texts.append(CodeText(path, language, read.text))
            plan.hashes[path] = read.content_hash

    # Doing it

    def _apply(self, plan: _Plan, state: GraphState, graph: GraphWork, *, is_anew: bool) -> None:
        memory: LinkMemory = NoMemory() if is_anew else graph.memory
        linked = chain(plan.skipped, self._link(plan, memory))
        gone = plan.gone + plan.lost
        if len(plan.texts) > BATCH_FILES:
            self._write([], gone, attrs.evolve(state, is_complete=False), is_anew=is_anew)
            while batch := list(islice(linked, BATCH_FILES)):
                self._write(batch, (), self._before)
            self._write([], (), attrs.evolve(state, revision=state.revision + 1))
        else:
            self._write(list(linked), gone, state, is_anew=is_anew)

    def _write(
        self, files: Sequence[LinkedFile], gone: Sequence[str], state: GraphState | None, *, is_anew: bool = False
    ) -> None:
        """Store some files in one transaction, unless somebody else has written since the last one."""
        with self._canonical.writing(self._scope) as work:
            graph = work.graph(self._checkout_id, GraphLayer.REPOSITORY)
            if graph.state.get() != self._before:
                raise _OvertakenError
            if is_anew:
                graph.files.clear()
            if gone:
                graph.files.remove(gone)
            if files:
                graph.files.put(files)
            if state is not None and state != self._before:
                graph.state.put(state)
        self._before = state
        self._linked += sum(file.graph is None or not file.graph.coverage.skipped for file in files)

    def _link(self, plan: _Plan, memory: LinkMemory) -> Iterator[LinkedFile]:
        for linker in self._linkers:
            languages = linker.languages()
            texts = [text for text in plan.texts if text.language in languages]
            gone = [path for path in plan.gone + plan.lost if self._was_linked(path, languages)]
            if not (texts or gone):
                continue
            known = {path: language for path, language in plan.languages.items() if language in languages}
            linked = linker.link(
                self._read(texts, plan.hashes),
                gone=gone,
                known=known,
                settings=self._settings_texts(plan.settings, languages),
                memory=memory,
                progress=self._progress,
            )
            for file in linked:
                yield attrs.evolve(file, content_hash=self._hash_of(file.path, plan))

    def _hash_of(self, path: str, plan: _Plan) -> str:
        """Return the hash of what was read, now or before: linkers need not know it of files that did not change."""
        return plan.hashes.get(path) or self._known[path].content_hash

    def _was_linked(self, path: str, languages: frozenset[str]) -> bool:
        before = self._known.get(path)
        return before is not None and not before.skipped and before.language in languages

    def _read(self, texts: Sequence[CodeText], hashes: Mapping[str, str]) -> Iterator[FileChange]:
        for done, (facts, packed) in enumerate(self._reading.read(texts), start=1):
            self._progress(Progress(stage="reading code", done=done, total=len(texts)))
            yield FileChange(facts=facts, content_hash=hashes[facts.path], packed=packed)

    def _settings_texts(self, settings: Iterable[str], languages: frozenset[str]) -> dict[str, str]:
        wanted = [path for path in settings if languages & settings_languages(path)]
        read = [self._source.read(path) for path in wanted]
        return {file.path: file.text for file in read if isinstance(file, SourceFile)}


def linkable(reading: CodeReading, linkers: Sequence[Linker]) -> frozenset[str]:
    """Return the languages that can be read and linked."""
    return reading.languages() & frozenset(chain.from_iterable(linker.languages() for linker in linkers))


def graph_recipe(reading: CodeReading, linkers: Sequence[Linker]) -> str:
    """Return the name of the way graphs are made; other readers make other graphs."""
    return f"{GRAPH_RECIPE}+{','.join(sorted(linkable(reading, linkers)))}"


def graph_coverage(work: UnitOfWork, checkout_id: str) -> IndexCoverage | None:
    """Return how much of the indexed tree the stored graph holds, and how much of it is older; ``None`` without one."""
    graph = work.graph(checkout_id, GraphLayer.REPOSITORY)
    state = graph.state.get()
    if state is None:
        return None
    languages = state.recipe.partition("+")[2].split(",")
    known = graph.files.known()
    tree = {entry.path: entry for entry in work.manifest.entries(checkout_id) if code_language(entry.path, languages)}
    read = sum(not file.skipped for file in known.values())
    if not tree:
        return IndexCoverage(indexed=read, total=len(known))  # never indexed: the graph knows of nothing else
    behind = sum(path not in tree for path in known) + sum(
        path not in known or _is_newer(entry, known[path]) for path, entry in tree.items()
    )
    return IndexCoverage(indexed=read, total=len(tree), behind=behind)


def _is_newer(entry: ManifestEntry, known: KnownFile) -> bool:
    return entry.skipped != known.skipped if entry.skipped else entry.content_hash != known.content_hash


def _is_same(file: _TreeFile, before: KnownFile, language: str) -> bool:
    """Return whether a file is as it was when the graph was made, as far as can be told without reading it."""
    if file.skipped or before.skipped:
        return file.skipped == before.skipped
    return file.content_hash == before.content_hash and language == before.language


def _left_out(path: str, language: str, file: SkippedFile) -> LinkedFile:
    """Return a file that gives nothing, with the reason."""
    coverage = FileCoverage(path=path, language=language, skipped=file.reason)
    nothing = FileGraph(path=path, nodes=(), edges=(), open_calls=(), coverage=coverage)
    return LinkedFile(path=path, language=language, content_hash=file.content_hash, graph=nothing, asked=frozenset())
