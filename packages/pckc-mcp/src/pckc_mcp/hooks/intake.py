"""Takes in what hooks spooled: events become sessions, and sessions claims, like those of a transcript."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from pckc_domain.errors import PckcError

from pckc_mcp.cli.output import counted, note
from pckc_mcp.engine import Engine
from pckc_mcp.hooks import spool
from pckc_mcp.hooks.session import forget_old_sessions, is_agent
from pckc_mcp.opening import open_engine
from pckc_mcp.sync_mark import main_tree

if TYPE_CHECKING:  # reading events costs 30 ms of start-up, and mostly none wait
    from pckc_adapters_sources.transcripts.hooks import HookRecord
    from pckc_domain.model.session import Session

SAME_TIME = timedelta(seconds=2)
BATCH = 500
"""Records stored in one commit at most."""


def drain(project: str, store: str, *, is_new_left: bool = False) -> None:
    """
    Take in what is spooled for the project that *project* lies in, or the current folder.

    With *is_new_left*, what came since the spool was set aside waits on.

    Raises:
        PckcError: The project cannot be opened, or its store not be written.
    """
    with open_engine(Path(project or "."), store=Path(store) if store else None, with_semantic=False) as engine:
        take_in(engine, is_new_left=is_new_left)


def take_in(engine: Engine, *, derive: bool = True, is_new_left: bool = False) -> int:
    """
    Store what is spooled for the engine's project, derive the sessions it belongs to, and return how much it was.

    An event that was stored before a crash is not stored again. Events that cannot be read are left out and counted
    on stderr.

    Raises:
        BackendUnavailableError: The store cannot be written; what is spooled stays.
    """
    home = main_tree(engine.root)
    if not spool.is_waiting(home):
        return 0
    taken = unreadable = 0
    touched: dict[str, Session] = {}
    with spool.taken(home, is_new_left=is_new_left) as files:
        for file in files:
            for records in _batches(file):
                good = [record for record in records if record is not None]
                unreadable += len(records) - len(good)
                taken += _store(engine, good, touched)
        for session in touched.values() if derive else ():
            # These alone: what others left underived may be much, and is not waited for.
            engine.deriver().derive(engine.scope, session)
    if unreadable:
        note(f"pckc: {counted(unreadable, 'record')} of hooks could not be read, left out")
    with suppress(OSError):
        forget_old_sessions(time.time())
    return taken


def take_in_if_possible(engine: Engine, *, derive: bool = True) -> None:
    """As `take_in`, for a command that does its work all the same when it fails."""
    try:
        take_in(engine, derive=derive)
    except (PckcError, OSError) as error:
        note(f"pckc: what hooks recorded waits: {error}")


def _batches(file: Path) -> "Iterator[list[HookRecord | None]]":
    batch: list[HookRecord | None] = []
    for record in spool.records(file):
        batch.append(_read(record))
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _read(record: dict[str, Any] | None) -> "HookRecord | None":
    from pckc_adapters_sources.transcripts.hooks import hook_record

    return hook_record(record) if record is not None else None


def _store(engine: Engine, records: "Sequence[HookRecord]", touched: "dict[str, Session]") -> int:
    """Store the events of *records*, a commit for each session, noted in *touched*; return how many are new."""
    from pckc_adapters_sources.transcripts.hooks import hook_events

    recorder, stored = engine.recorder(), 0
    by_session = sorted(records, key=_session)  # which keeps the order within each
    for (host, name), run in groupby(by_session, key=_session):
        told = list(_once(run))
        if is_agent(host, name):
            told = [attrs.evolve(record, is_sidechain=True) for record in told]
        events = [event for record in told for event in hook_events(record)]
        if not events:
            continue
        first = told[0]
        session = recorder.start(
            engine.scope, host=host, source_id=name, cwd=first.root, branch=first.branch, at=first.at
        )
        stored += recorder.append_all(engine.scope, session.id, events)
        touched[session.id] = session
    return stored


def _once(records: "Iterable[HookRecord]") -> "Iterator[HookRecord]":
    """Leave out what two hooks of one host were told at the same time: it may be connected twice."""
    last: dict[str, datetime] = {}
    for record in records:
        told = f"{record.event} {json.dumps(record.data, sort_keys=True)}"
        if told not in last or record.at - last[told] > SAME_TIME:
            yield record
        last[told] = record.at


def _session(record: "HookRecord") -> tuple[str, str]:
    return record.host, record.session
