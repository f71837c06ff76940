"""``pckc worker``: bring projections and derived sessions up to date, until it is stopped or all is done."""

import signal
import threading
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import attrs
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, PckcError
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.usecases.projecting import Projector, StoppedError, Worker, pause_seconds
from pckc_domain.usecases.working import DerivationJob, Job, ProjectionJob, Round, work_round

from pckc_mcp.cli.copied import tenants_of
from pckc_mcp.cli.main import EXIT_CODES
from pckc_mcp.cli.output import note, print_json, print_text, progress_bar
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, answer
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.patience import CourteousEmbedder
from pckc_mcp.workers import this_worker


def run(options: Namespace) -> int:
    """Work, and print what was done; with ``--once`` the code of the first failure, if there was one."""
    with (
        _stopping() as stopping,
        progress_bar(quiet=options.quiet) as progress,
        _opened(options, stopping) as engine,
    ):
        if engine is None:
            return 0  # stopped before there was a store
        jobs = _jobs(_stoppable(engine, stopping), options.projection, this_worker(stopping.wait_or_stop))
        if not options.quiet and not options.json:
            tenants = tenants_of(engine.canonical.scopes(), engine.scope.tenant)
            named = f"{', '.join(job.name for job in jobs)} for {', '.join(tenants)}"
            note(f"pckc: working at {named}; stop it with Ctrl-C")
        total = _work(engine, jobs, options, stopping, progress)
        form = _form(engine, jobs, total)
    if options.json:
        print_json(form)
    elif not options.quiet:
        print_text("\n".join(_lines(form)))
    failed = next(iter(total.errors.values()), None) if options.once else None
    return EXIT_CODES.get(failed.code, 1) if failed else 0


@contextmanager
def _opened(options: Namespace, stopping: "_Stopping") -> Iterator[Engine | None]:
    """Open the project; a worker waits for a store that is down, ``None`` when it is stopped meanwhile."""
    with ExitStack() as stack:
        yield _open(stack, options, stopping)


def _open(stack: ExitStack, options: Namespace, stopping: "_Stopping") -> Engine | None:
    """A supervisor may start workers before the store."""
    told, failures = _Told(quiet=options.quiet), 0
    while not stopping.is_set():
        try:
            return stack.enter_context(open_engine(options.project, store=options.store))
        except BackendUnavailableError as lost:
            if options.once:
                raise
            failures += 1
            told.failing({"store": lost})
            stopping.wait(max(options.poll, pause_seconds(failures)))
    return None


class _Told:
    """What keeps work waiting, told once until it is over."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._last: dict[str, str] = {}

    def failing(self, errors: Mapping[str, PckcError]) -> None:
        """Tell of those that are new."""
        messages = {name: error.message for name, error in errors.items()}
        for name, message in messages.items():
            if not self._quiet and self._last.get(name) != message:
                note(f"pckc: {name} waits: {message}")
        self._last = messages


class _Stopping(threading.Event):
    """Set by a signal: what is under way is broken off where nothing is lost."""

    def wait_or_stop(self, seconds: float) -> None:
        """Wait, unless there is reason to stop."""
        if self.wait(seconds):
            raise StoppedError


@contextmanager
def _stopping() -> Iterator[_Stopping]:
    stopping = _Stopping()
    caught = (signal.SIGTERM, signal.SIGINT)
    before = {each: signal.signal(each, lambda *_: stopping.set()) for each in caught}
    try:
        yield stopping
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _stoppable(engine: Engine, stopping: _Stopping) -> Engine:
    """Let a batch end between two of its texts."""
    if engine.semantic is None:
        return engine
    embedder = CourteousEmbedder(engine.semantic.embedder, lambda: stopping.wait_or_stop(0))
    return attrs.evolve(engine, semantic=attrs.evolve(engine.semantic, embedder=embedder))


def _jobs(engine: Engine, asked: Sequence[str], worker: Worker) -> list[Job]:
    """Return the jobs for the projections asked for, or for all that are configured, sessions and documents."""
    configured = engine.projections()
    for name in asked:
        if name not in configured:
            raise ConfigurationError(
                f"no {name} projection is configured", remedy="`pckc doctor` shows what is installed and configured"
            )
    derivation = DerivationJob(engine.canonical, engine.deriver(), worker)
    wanted = [configured[name] for name in asked] if asked else configured.values()
    projecting = [ProjectionJob(Projector(engine.canonical, projection, worker)) for projection in wanted]
    comparison = engine.comparison(worker)
    return [*projecting] if asked else [derivation, *projecting, *([comparison] if comparison else [])]


def _work(engine: Engine, jobs: Sequence[Job], options: Namespace, stopping: _Stopping, progress: Any) -> Round:
    """Work in rounds; return what was done in all, and the errors of the last round."""
    done: Counter[str] = Counter()
    retry, failures = options.retry, 0
    told = _Told(quiet=options.quiet)
    while True:
        try:
            scopes = engine.canonical.scopes()
            take_in_if_possible(engine, derive=False)  # which is a job of its own
            last = work_round(scopes, jobs, retry=retry, progress=progress, is_enough=stopping.is_set)
        except BackendUnavailableError as lost:  # a worker outlives the store's restarts
            last = Round(errors={"store": lost})
        retry = False
        done += last.done
        failures = failures + 1 if last.errors else 0
        told.failing(last.errors)
        is_idle = not last.done.total()
        if stopping.is_set() or (options.once and (is_idle or last.errors)):
            return Round(done=done, errors=last.errors)
        if is_idle or last.errors:
            stopping.wait(max(options.poll, pause_seconds(failures) if failures else 0.0))


def _form(engine: Engine, jobs: Sequence[Job], total: Round) -> Form:
    scopes = engine.canonical.scopes()
    behind = {job.name: sum(job.behind(scope) for scope in scopes) for job in jobs}
    set_aside: Counter[str] = Counter()
    for scope in scopes:
        with engine.canonical.reading(scope) as work:
            set_aside.update(work.set_aside.count())
    coverage = {
        name: IndexCoverage(indexed=total.done[name], total=total.done[name] + left, behind=left)
        for name, left in behind.items()
    }
    return answer(
        "worker",
        coverage,
        done={job.name: total.done[job.name] for job in jobs},
        behind=behind,
        set_aside=dict(sorted(set_aside.items())),
        tenants=tenants_of(scopes, engine.scope.tenant),
        errors={name: error.message for name, error in total.errors.items()},
    )


def _lines(form: Form) -> Iterator[str]:
    for name, done in form["done"].items():
        yield f"{name}: {done} done, {form['behind'][name]} behind"
    for name, count in form["set_aside"].items():
        yield f"{name}: {count} set aside; `pckc doctor` names them, `pckc worker --retry` tries them again"
    yield f"tenants: {', '.join(form['tenants'])}"
