"""``pckc doctor``: check the installation, the configuration and the store."""

import os
import re
import shutil
import sqlite3
import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.errors import PckcError
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.service import Service

from pckc_mcp import tracing
from pckc_mcp.backends import fitting
from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.config import TABLES, Config, Slot, load_config
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, answer
from pckc_mcp.graph.feeding import graph_index_state
from pckc_mcp.hooks.spool import waiting_bytes
from pckc_mcp.locations import find_root
from pckc_mcp.opening import look_for_store, open_engine, place_of_store
from pckc_mcp.plugins import has_setting, installed, look, open_backend
from pckc_mcp.server.http.access import Access
from pckc_mcp.setup.status import connections
from pckc_mcp.setup.wanted import HOSTS
from pckc_mcp.statistics import stats_form
from pckc_mcp.sync_mark import main_tree
from pckc_mcp.watching.lock import watcher_of
from pckc_mcp.watching.wakes import has_events

SERVICES = ("canonical", "vector", "graph_index", "embedder", "distiller")
"""Slots whose backends may rest on a server."""

ELSEWHERE = {"path": "store.db"}
"""Stands for the place that a backend is given when it is opened; nothing is made there."""

MAKING = "`pckc index` makes it"

MOST_SHOWN = 200
"""Characters of a setting."""

_LOGIN = re.compile(r"//\S*@")
"""To the last ``@``: a password may hold what it should not."""

_QUERY = re.compile(r"(://[^?#\s]*)[?#]\S*")
_PASSWORD = re.compile(r"(password\s*=\s*)('[^']*'|\S+)")

MOST_NAMED = 5
"""Changes set aside that are named, for each projection."""


@attrs.frozen(kw_only=True)
class Check:
    """One thing that was looked at; *remedy* says what to do when it is not ok."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def run(options: Namespace) -> int:
    """Print every check; 1 when one fails."""
    checks = list(_checks(options))
    if options.json:
        print_json(answer("doctor", {}, checks=[attrs.asdict(check) for check in checks]))
    else:
        print_text("\n".join(map(_line, checks)))
    return 0 if all(check.ok for check in checks) else 1


def _checks(options: Namespace) -> Iterator[Check]:
    yield Check(name="pckc", ok=True, detail=f"{version('pckc-mcp')} on Python {sys.version.split()[0]}")
    yield Check(name="sqlite", ok=True, detail=sqlite3.sqlite_version)
    git = shutil.which("git")
    yield Check(
        name="git",
        ok=git is not None,
        detail=git or "not found: folders are walked, branches and commits are unknown",
        remedy="" if git else "install git",
    )
    yield Check(name="packages", ok=True, detail=", ".join(_packages()))
    yield from _hosts(find_root(options.project))
    yield from _helpers(find_root(options.project))
    try:
        config = load_config(find_root(options.project))
    except PckcError as error:
        yield _failed("config", error)
        return
    yield Check(name="config", ok=True, detail=", ".join(config.files) or "defaults; no file was found")
    yield from _settings(config)
    yield from _access(config)
    yield from _slots(config)
    yield from _services(config)
    try:
        yield from _memory(options, config)
    except PckcError as error:
        yield _failed("store", error)


def _memory(options: Namespace, config: Config) -> Iterator[Check]:
    """Look into the store; where none is yet, none is made."""
    root = find_root(options.project)
    if (place := place_of_store(root, config, store=options.store)) and (check := _unwritable(place)):
        yield check
        if not place.exists():
            return
    found = look_for_store(root, config, store=options.store)
    if found and not found.is_there:
        yield Check(name="store", ok=False, detail=f"nothing is there yet: {found.engine}", remedy=MAKING)
        return
    has_vectors = _has_vectors(config.slots["vector"])
    with open_engine(options.project, store=options.store, config=config, with_semantic=has_vectors) as engine:
        yield from _store(engine, check=options.check)


def _has_vectors(choice: Slot) -> bool:
    """Return whether opening the vector index makes nothing; one that cannot be asked was told of before."""
    if not _has_own_place("vector", choice):
        return True
    try:
        found = look("vector", choice, {})
    except PckcError:
        return True
    return found is None or found.is_there


def _packages() -> list[str]:
    """Return PCKC's own packages with their versions, by name."""
    found = {one.metadata["Name"]: one.version for one in distributions()}
    return [f"{name} {found[name]}" for name in sorted(found) if name.startswith("pckc-")]


def _helpers(root: Path) -> Iterator[Check]:
    """Say what keeps the index fresh, and whether calls are traced."""
    owner = watcher_of(root)
    why_not = has_events(root)
    yield Check(
        name="watch",
        ok=True,
        detail=(f"process {owner} watches" if owner else "nobody watches")
        + (f"; `pckc watch` would look every few seconds: {why_not}" if why_not else ""),
    )
    if os.environ.get(tracing.VARIABLE):
        why_no_traces = tracing.why_no_traces()
        yield Check(
            name="traces",
            ok=not why_no_traces,
            detail=why_no_traces or os.environ[tracing.VARIABLE],
            remedy="install pckc-mcp[otel], or unset the variable" if why_no_traces else "",
        )


def _settings(config: Config) -> Iterator[Check]:
    """Say of each setting that is no backend's what it is, and which file or variable set it."""
    for name in ("tools", "tenant"):
        yield Check(name=name, ok=True, detail=f"{getattr(config, name)} ({config.origins.get(name, 'default')})")
    for table in TABLES:
        values = attrs.asdict(getattr(config, table), recurse=False)
        told = (
            f"{key} = {_shown(value)} ({config.origins.get(f'{table}.{key}', 'default')})"
            for key, value in values.items()
        )
        yield Check(name=f"[{table}]", ok=True, detail="; ".join(told))


def _shown(value: Any) -> str:
    """Return a setting on one line, without what may be a login."""
    text = _QUERY.sub(r"\1?…", _LOGIN.sub("//…@", _PASSWORD.sub(r"\1…", redact(str(value)).text)))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _hosts(root: Path) -> Iterator[Check]:
    """Say which agent hosts know of PCKC, and what of it: the server, hooks."""
    known = list(connections(root, os.environ))
    for host in HOSTS:
        levels = [each for each in known if each.host == host]
        problems = [problem for each in levels for problem in each.problems]
        connected = [f"{each.level}: {each.in_words}" for each in levels if each.in_words]
        is_double = sum(bool(each.hooks) for each in levels) > 1
        twice = f"its hooks run twice: `pckc uninstall {host} --project` leaves the user's" if is_double else ""
        yield Check(
            name=f"host {host}",
            ok=not problems,
            detail="; ".join([*connected, *problems]) or "not connected",
            remedy=f"mend it, then run `pckc setup {host}` again" if problems else twice,
        )
    if waiting := waiting_bytes(main_tree(root)):
        yield Check(name="recorded", ok=True, detail=f"{waiting:,} bytes of hooks wait for the next `pckc index`")


def _slots(config: Config) -> Iterator[Check]:
    """Say of each slot what is chosen and set, and whether the backend takes it."""
    for slot, choice in config.slots.items():
        error = _refused(slot, choice)
        told = (
            f"{choice.backend} ({choice.origin}); installed: {', '.join(installed(slot)) or 'none'}",
            *(f"{key} = {_shown(value)}" for key, value in choice.settings.items()),
            *([_shown(error.message)] if error else []),
        )
        yield Check(name=slot, ok=error is None, detail="; ".join(told), remedy=error.remedy if error else "")


def _refused(slot: str, choice: Slot) -> PckcError | None:
    """Return why a slot could not be opened as it is set; that is found without opening it."""
    try:
        fitting(slot, choice, {} if _may_be_served(slot, choice) else ELSEWHERE)
    except PckcError as error:
        return error
    return None


def _may_be_served(slot: str, choice: Slot) -> bool:
    return choice.backend in installed(slot) and has_setting(slot, choice.backend, "url")


def _access(config: Config) -> Iterator[Check]:
    """Say why ``pckc serve --http`` would not start as things are here."""
    try:
        Access.of_server(config.http, config.tenant, os.environ)
    except PckcError as error:
        yield _failed("http access", error)


def _unwritable(store: Path) -> Check | None:
    """Say when nothing could be written where the project is kept; nothing is tried."""
    there = next(each for each in (store, *store.parents) if each.exists())
    places = [there] if there.is_dir() else [there, there.parent]
    locked = [str(each) for each in places if not os.access(each, os.W_OK)]
    if not locked:
        return None
    what = "only be read" if store.exists() else "not be made"
    return Check(
        name="store place",
        ok=False,
        detail=f"{locked[-1]} cannot be written, so {store} can {what}",
        remedy="make it writable, or choose another store with --store",
    )


def _services(config: Config) -> Iterator[Check]:
    """Ask each engine that is set up outside of this process who it is; one that is down hides no other."""
    for slot in SERVICES:
        choice = config.slots[slot]
        if choice.backend not in installed(slot) or _refused(slot, choice):
            continue
        if not _has_own_place(slot, choice):
            continue  # the project's own store, which is looked at below
        try:
            yield _service(slot, choice)
        except PckcError as error:
            yield _failed(f"{slot} service", error)


def _has_own_place(slot: str, choice: Slot) -> bool:
    """Return whether it was said where a backend is, rather than beside the project's own store."""
    return "path" in choice.settings or _may_be_served(slot, choice)


def _service(slot: str, choice: Slot) -> Check:
    """Ask one engine who it is; where nothing is yet, nothing is made."""
    found = look(slot, choice, {})
    if found and not found.is_there:
        return Check(name=f"{slot} service", ok=True, detail=f"{found.engine}: nothing is there yet", remedy=MAKING)
    with open_backend(slot, choice, {}) as opened:
        answer = opened.describe() if isinstance(opened, Service) else "it opens; it does not tell its version"
    return Check(name=f"{slot} service", ok=True, detail=answer)


def _store(engine: Engine, *, check: bool) -> Iterator[Check]:
    info = engine.canonical.info(check=check)
    sound = f"{info.location}, schema {info.schema_version}, {info.size_bytes / 1e6:.1f} MB"
    yield Check(
        name="store",
        ok=not info.problems,
        detail="; ".join(info.problems) or sound,
        remedy=_mending(engine) if info.problems else "",
    )
    if info.problems:
        return  # what a damaged store counts says nothing
    stats = stats_form(engine)
    yield Check(
        name="index",
        ok=stats["is_complete"],
        detail=f"indexed {stats['indexed_at'] or 'never'}, {stats['coverage']['files']['indexed']} files",
        remedy="" if stats["is_complete"] else "run `pckc index`",
    )
    yield Check(
        name="coverage",
        ok=True,  # what lags is told with every answer too
        detail=", ".join(
            f"{name} {one['indexed']:,} of {one['total']:,}" + (f", {one['behind']:,} behind" if one["behind"] else "")
            for name, one in stats["coverage"].items()
        ),
        remedy="`pckc index` or `pckc worker` brings up to date what is behind"
        if any(one["behind"] for one in stats["coverage"].values())
        else "",
    )
    behind = stats["coverage"].get("vectors", {}).get("behind", 0)
    if (index := graph_index_state(engine)) is not None:
        yield Check(
            name="graph_index",
            ok=not index.trouble,
            detail=index.trouble or f"{index.nodes} nodes, {index.behind} changes behind",
            remedy=index.remedy or ("run `pckc index` to let it follow" if index.behind else ""),
        )
    missing = stats["missing_vectors"]
    lacking = f", {missing:,} of {stats['wanted_vectors']:,} are missing" if missing else ""
    embedding = "run `pckc index` to embed them; the server and `pckc worker` do so by themselves" if behind else ""
    yield Check(
        name="vectors",
        ok=not missing,  # what is behind is found by its words meanwhile
        detail=engine.why_no_embedder or f"{stats['embedder']}, {behind:,} changes behind{lacking}",
        remedy="run `pckc rebuild --vectors`" if missing else embedding,
    )
    yield from _projections(engine, stats)


def _projections(engine: Engine, stats: Form) -> Iterator[Check]:
    """Name what projections could not take in, and rebuilds that nobody finished."""
    for name, count in stats["set_aside"].items():
        with engine.canonical.reading(engine.scope) as work:
            found = work.set_aside.find(name, limit=MOST_NAMED)
        named = "; ".join(f"{each.entry.kind} {each.entry.entity_id}: {each.error}" for each in found)
        yield Check(
            name="set aside",
            ok=False,
            detail=f"{name} could not take in {count}: {named}{'; …' if count > len(found) else ''}",
            remedy="mend the cause, then run `pckc worker --once --retry`",
        )
    for name in stats["building"]:
        yield Check(
            name="rebuild",
            ok=True,  # the old index serves
            detail=f"a rebuild of {name} is under way, or was broken off",
            remedy="run `pckc rebuild` again to finish it",
        )


def _mending(engine: Engine) -> str:
    if engine.store is None:
        return "let the owner of the server's schema restore a backup, or mend what is named"
    return "put a backup in its place, or delete the file and run `pckc index`"


def _failed(name: str, error: PckcError) -> Check:
    return Check(name=name, ok=False, detail=error.message, remedy=error.remedy)


def _line(check: Check) -> str:
    remedy = f"\n         -> {check.remedy}" if check.remedy else ""
    return f"{'ok  ' if check.ok else 'FAIL'} {check.name:12} {check.detail}{remedy}"
