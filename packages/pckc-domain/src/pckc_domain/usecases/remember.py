"""Import transcripts: events are redacted and stored, then every session that gained some is derived and settled."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import attrs

from pckc_domain.model.claim import Assertion
from pckc_domain.model.identity import digest
from pckc_domain.model.linking import LinkedFile
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.belief_gate import is_human
from pckc_domain.policy.derivation import Derivation, derive
from pckc_domain.policy.discretion import is_unkept, without_unkept
from pckc_domain.policy.echoes import without_echoes
from pckc_domain.policy.evidence import own_text, why_not_evidence
from pckc_domain.policy.graph.sessions import session_file
from pckc_domain.policy.redaction import Redaction, redact
from pckc_domain.policy.slots import slot_key
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptFile, TranscriptPosition, TranscriptSource
from pckc_domain.usecases.forgotten import without_forgotten
from pckc_domain.usecases.meeting import project_roots
from pckc_domain.usecases.session_graph import SessionGraphKeeper, keep_sessions
from pckc_domain.usecases.settling import settle

PAGE = 200

GROUP_ROWS = 8_000
"""Passages and assertions derived before they are written in one commit: each commit costs, as does each settling."""


@attrs.frozen(kw_only=True)
class ImportRequest:
    """
    What to import.

    Attributes:
        files: The transcripts, as the source found them.
        folders: Keep sessions that ran in one of these folders or below; ``None`` keeps all.
        since: Skip events before this instant; events without a time are kept.
        until: Skip events after this instant.
        is_fresh: Read every file from its start again.
        commit_events: Events stored in one commit at most, >= 1.
    """

    files: Sequence[TranscriptFile]
    folders: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    is_fresh: bool = False
    commit_events: int = 500

    def wants(self, session: Session) -> bool:
        """Return whether *session* ran in one of the folders."""
        if self.folders is None:
            return True
        return any(session.cwd == folder or session.cwd.startswith(f"{folder}/") for folder in self.folders)


@attrs.frozen(kw_only=True)
class ImportReport:
    """
    What an import did.

    Attributes:
        files: Transcripts read.
        unchanged: Transcripts with nothing new.
        sessions: Sessions that gained events.
        events: Events stored, by kind.
        duplicates: Events that were known already.
        skipped: Reason to number of records, events or sessions left out.
        redacted: Kind of secret to number of places redacted.
        evidence: Evidence passages of the sessions derived.
        assertions: Assertions of these sessions that passed the gate, by claim type.
        rejections: Reason to number of texts that did not become a claim.
        slots: Slots settled again.
    """

    files: int = 0
    unchanged: int = 0
    sessions: int = 0
    events: Mapping[str, int] = attrs.field(factory=dict)
    duplicates: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    redacted: Mapping[str, int] = attrs.field(factory=dict)
    evidence: int = 0
    assertions: Mapping[str, int] = attrs.field(factory=dict)
    rejections: Mapping[str, int] = attrs.field(factory=dict)
    slots: int = 0

    def plus(self, other: "ImportReport") -> "ImportReport":
        """Return the sum of two reports."""
        return ImportReport(**{name: _sum(value, getattr(other, name)) for name, value in _fields(self)})


def _fields(report: ImportReport) -> list[tuple[str, int | Mapping[str, int]]]:
    return [(field.name, getattr(report, field.name)) for field in attrs.fields(ImportReport)]


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, int):
        return left + right
    return dict(sorted((Counter(left) + Counter(right)).items()))


class Importer:
    """
    Imports transcripts into one scope, incrementally.

    Events and the position in their file are stored in one commit, so a killed import goes on where it stopped;
    sessions that were not derived yet are derived by the next run.
    """

    def __init__(self, canonical: Canonical, transcripts: TranscriptSource, clock: Clock) -> None:
        self._canonical = canonical
        self._transcripts = transcripts
        self._deriver = Deriver(canonical, clock)

    def run(
        self, scope: Scope, request: ImportRequest, *, progress: ProgressListener = ignore_progress
    ) -> ImportReport:
        """
        Import the files of *request*, then derive every session that gained events.

        Raises:
            BackendUnavailableError: The store cannot be written.
        """
        report = self.read(scope, request, progress=progress)
        return report.plus(self.derive(scope, progress=progress))

    def read(
        self, scope: Scope, request: ImportRequest, *, progress: ProgressListener = ignore_progress
    ) -> ImportReport:
        """Store the events of the files of *request*; several processes may each read files of their own."""
        tally = _Tally()
        total = sum(file.size_bytes for file in request.files)
        done = 0
        for file in request.files:
            self._import(scope, file, request, tally)
            done += file.size_bytes
            progress(Progress(stage="importing", done=done, total=total))
        return tally.report()

    def derive(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> ImportReport:
        """Derive every session that gained events since it was derived."""
        tally = _Tally()
        self._deriver.run(scope, tally, progress=progress)
        return tally.report()

    def preview(self, scope: Scope, request: ImportRequest) -> ImportReport:
        """Return what would be read, without storing anything."""
        tally = _Tally()
        for file in request.files:
            is_new = False
            for batch in self._transcripts.read(scope, file, after=self._position(scope, file, request)[0]):
                is_new = True
                events = self._kept(batch, request, tally)
                if batch.session is not None and events:
                    tally.sessions.add(batch.session.id)
                tally.events.update(str(event.kind) for event in events)
            tally.file(is_new=is_new)
        return tally.report()

    def _import(self, scope: Scope, file: TranscriptFile, request: ImportRequest, tally: "_Tally") -> None:
        is_new = False
        after, place = self._position(scope, file, request)
        for batch in self._transcripts.read(scope, file, after=after):
            is_new = True
            events = self._kept(batch, request, tally)
            if batch.session is not None and request.is_fresh and events:
                events = self._without_forgotten(scope, batch.session, events, tally)
            if batch.session is not None and not request.wants(batch.session):
                place = _partly(file, request)
            step = max(1, request.commit_events)
            for start in range(0, max(1, len(events)), step):
                with self._canonical.writing(scope) as work:
                    if batch.session is not None and events:
                        tally.store(work, batch.session, events[start : start + step])
                    if start + step >= len(events):
                        work.imports.remember(place, batch.position)
        tally.file(is_new=is_new)

    def _without_forgotten(self, scope: Scope, session: Session, events: list[Event], tally: "_Tally") -> list[Event]:
        with self._canonical.reading(scope) as work:
            kept = without_forgotten(work, session.id, events)
        if forgotten := len(events) - len(kept):
            tally.skipped["event of a forgotten session"] += forgotten
        return kept

    def _position(self, scope: Scope, file: TranscriptFile, request: ImportRequest) -> tuple[TranscriptPosition, str]:
        """Return how far the file was read, and the name to remember that under; see `_partly`."""
        start = TranscriptPosition()
        if request.is_fresh:
            return start, file.path
        with self._canonical.reading(scope) as work:
            known = [(work.imports.position(name) or start, name) for name in (file.path, _partly(file, request))]
        return max(known, key=lambda item: item[0].offset)

    def _kept(self, batch: TranscriptBatch, request: ImportRequest, tally: "_Tally") -> list[Event]:
        """Return the events to store: wanted, within the time asked for, redacted, without what is no evidence."""
        tally.skipped.update(batch.skipped)
        if batch.session is None:
            return []
        if not request.wants(batch.session):
            tally.skipped["event of another project"] += len(batch.events)
            return []
        kept = []
        for event in batch.events:
            if _is_outside(event, request):
                tally.skipped["event outside the time asked for"] += 1
            else:
                kept.append(prepare_event(event, tally.redacted))
        return kept


def _partly(file: TranscriptFile, request: ImportRequest) -> str:
    """Return the name for how far *file* was read but for other folders' sessions: whoever wants those starts over."""
    return file.path if request.folders is None else f"{file.path}\n{digest(chr(10).join(sorted(request.folders)))}"


class Deriver:
    """Derives sessions that gained events, and settles the slots they speak of."""

    def __init__(self, canonical: Canonical, clock: Clock) -> None:
        self._canonical = canonical
        self._clock = clock
        self._graph = SessionGraphKeeper(canonical, clock)

    def run(self, scope: Scope, tally: "_Tally | None" = None, *, progress: ProgressListener = ignore_progress) -> int:
        """Derive every session that is not derived and return how many there were."""
        tally = tally or _Tally()
        self._graph.run(scope, progress=progress)
        done = 0
        while sessions := self._underived(scope):
            for group in _grouped(self._derived(scope, session) for session in sessions):
                done += self._store(scope, group, tally)
                progress(Progress(stage="deriving sessions", done=done, total=max(done, len(tally.sessions))))
        return done

    def derive(self, scope: Scope, session: Session) -> Derivation:
        """Derive one session; events that arrive meanwhile are taken in before it counts as derived."""
        derived = self._derived(scope, session)
        while not self._store(scope, [derived], _Tally()):
            derived = self._derived(scope, session)
        return derived.derivation

    def _derived(self, scope: Scope, session: Session) -> "_Derived":
        with self._canonical.reading(scope) as work:
            stored, roots = work.sessions.events(session.id), project_roots(work)
        events = without_echoes(stored)
        derivation = derive(session, events, recorded_at=self._clock.now())
        return _Derived(
            session_id=session.id,
            last_seq=stored[-1].seq if stored else -1,
            derivation=derivation,
            graph=session_file(session, derivation.episodes, events, derivation.assertions, roots),
        )

    def _store(self, scope: Scope, group: "Sequence[_Derived]", tally: "_Tally") -> int:
        """Store what these sessions amount to, but for those that gained events meanwhile; return how many it were."""
        with self._canonical.writing(scope) as work:
            stored = [
                each for each in group if not work.sessions.events(each.session_id, after_seq=each.last_seq, limit=1)
            ]
            slots = {slot for each in stored for slot in _store_derivation(work, each)}
            settle(work, slots)
            keep_sessions(work, [each.graph for each in stored], at=self._clock.now())
        tally.derived([each.derivation for each in stored], len(slots))
        return len(stored)

    def _underived(self, scope: Scope) -> Sequence[Session]:
        with self._canonical.reading(scope) as work:
            return work.sessions.find(limit=PAGE, is_underived=True)


def prepare_event(event: Event, redacted: Counter[str] | None = None) -> Event:
    """
    Return *event* as it may be stored: redacted, without what was injected or its speaker asks not to keep.

    What is no evidence is emptied, and counts as turn context from then on: no one could tell any more why it was.
    """
    if is_unkept(event.text):  # a hook told it so
        return event
    text = "".join(text for text, _ in own_text(event))
    own = event if text == event.text else attrs.evolve(event, text=text)
    if why_not_evidence(event) or why_not_evidence(own):
        kind = EventKind.REASONING if event.kind is EventKind.REASONING else EventKind.TURN_CONTEXT
        return attrs.evolve(event, kind=kind, text="", path="")
    kept = without_unkept(own.text) if is_human(event) else Redaction(own.text, ())
    redaction = redact(kept.text)
    path = _redacted_path(event.path) if event.path else ""
    if redacted is not None:
        redacted.update(finding.kind for finding in (*kept.findings, *redaction.findings))
    if (redaction.text, path) == (event.text, event.path):
        return event
    return attrs.evolve(event, text=redaction.text, path=path)


@lru_cache(maxsize=4096)  # a session comes back to the same files
def _redacted_path(path: str) -> str:
    return redact(path).text


def prepare_title(title: str) -> str:
    """Return the *title* of a session, which is made of what was said, as it may be stored."""
    return redact(without_unkept(title).text).text


def prepare_session(session: Session) -> Session:
    """Return *session* as it may be stored: its title, which is made of what was said, and its folder redacted."""
    return attrs.evolve(session, title=prepare_title(session.title), cwd=redact(session.cwd).text)


@attrs.frozen(kw_only=True)
class _Derived:
    """What a session amounts to up to the event at *last_seq*."""

    session_id: str
    last_seq: int
    derivation: Derivation
    graph: LinkedFile

    @property
    def rows(self) -> int:
        return len(self.derivation.evidence) + len(self.derivation.assertions)


def _grouped(derived: Iterable[_Derived]) -> Iterator[list[_Derived]]:
    """Yield sessions in groups of about `GROUP_ROWS` rows; a longer one stands alone or ends its group."""
    group: list[_Derived] = []
    for each in derived:
        group.append(each)
        if sum(one.rows for one in group) >= GROUP_ROWS:
            yield group
            group = []
    if group:
        yield group


def _store_derivation(work: UnitOfWork, derived: _Derived) -> frozenset[str]:
    """Store what a session amounts to and return the slots that must be settled again."""
    session_id, derivation = derived.session_id, derived.derivation
    work.evidence.replace(session_id, derivation.episodes, derivation.evidence)
    work.rejections.replace(session_id, derivation.rejections)
    by_slot: dict[str, list[Assertion]] = {}
    for assertion in derivation.assertions:
        by_slot.setdefault(slot_key(assertion.claim), []).append(assertion)
    return work.assertions.replace(session_id, by_slot)


def merge_sessions(known: Session, read: Session) -> Session:
    """Return what is known of a session with what was read now: the earliest start, the latest end, no name lost."""
    starts = [time for time in (known.started_at, read.started_at) if time]
    ends = [time for time in (known.ended_at, read.ended_at) if time]
    return attrs.evolve(
        read,
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        cwd=known.cwd or read.cwd,
        title=read.title or known.title,
        parent_id=known.parent_id or read.parent_id,
        branch=known.branch if known.branch.name else read.branch,
    )


def _is_outside(event: Event, request: ImportRequest) -> bool:
    if event.time is None:
        return False
    too_early = request.since is not None and event.time < request.since
    return too_early or (request.until is not None and event.time > request.until)


class _Tally:
    """Counts while an import goes on."""

    def __init__(self) -> None:
        self.files = 0
        self.unchanged = 0
        self.sessions: set[str] = set()
        self.events: Counter[str] = Counter()
        self.duplicates = 0
        self.skipped: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.evidence = 0
        self.assertions: Counter[str] = Counter()
        self.rejections: Counter[str] = Counter()
        self.slots = 0

    def file(self, *, is_new: bool) -> None:
        self.files += 1
        self.unchanged += not is_new

    def store(self, work: UnitOfWork, session: Session, events: Sequence[Event]) -> None:
        known = work.sessions.get([session.id])
        read = prepare_session(session)
        new = set(work.sessions.put(merge_sessions(known[0], read) if known else read, events))
        if new:
            self.sessions.add(session.id)
        self.events.update(str(event.kind) for event in events if event.id in new)
        self.duplicates += len(events) - len(new)

    def derived(self, derivations: Sequence[Derivation], slots: int) -> None:
        for derivation in derivations:
            self.evidence += len(derivation.evidence)
            self.assertions.update(str(assertion.claim.type) for assertion in derivation.assertions)
            self.rejections.update(rejection.reason for rejection in derivation.rejections)
        self.slots += slots

    def report(self) -> ImportReport:
        return ImportReport(
            files=self.files,
            unchanged=self.unchanged,
            sessions=len(self.sessions),
            events=dict(sorted(self.events.items())),
            duplicates=self.duplicates,
            skipped=dict(sorted(self.skipped.items())),
            redacted=dict(sorted(self.redacted.items())),
            evidence=self.evidence,
            assertions=dict(sorted(self.assertions.items())),
            rejections=dict(sorted(self.rejections.items())),
            slots=self.slots,
        )
