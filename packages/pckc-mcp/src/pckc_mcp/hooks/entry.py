"""
``pckc hook EVENT``: what a host runs for each event of a session.

It always ends with 0 within its deadline, whatever is wrong: a memory that keeps an agent waiting is worse than none.
What went wrong is said on stderr. Nothing stays behind, no process and no lock.
"""

import json
import os
import sys
import time
from _thread import start_new_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pckc_mcp.hooks.payload import (
    AGENT_START,
    IGNORED,
    PROMPT,
    RECORDED,
    SESSION_START,
    TOOL,
    Payload,
    PayloadError,
    event_name,
    parse,
    read_input,
)

HOSTS = ("claude", "codex", "dsh")
OPENED_BY_PROMPT = ("dsh",)
"""Hosts that tell no start of a session in time: its first prompt is that, too."""

DRAIN = "drain"

DEADLINE_SECONDS = 2.0
START_DEADLINE_SECONDS = 5.0
"""A session's start may take in what the one before left."""

MOST_DRAINED_BYTES = 4 << 20
"""More than this is left to commands that have no deadline."""


class Asked(NamedTuple):
    """The options of the command line; an empty *event* is left to the host's own words."""

    event: str
    host: str
    project: str
    store: str


def answer(arguments: Sequence[str]) -> int:
    """Do what the host's event asks for; always 0."""
    try:
        asked = _asked(arguments)
        if asked.event == DRAIN:
            from pckc_mcp.hooks.intake import drain

            drain(asked.project, asked.store)
            return 0
        may_open = asked.event == SESSION_START or (asked.event == PROMPT and asked.host in OPENED_BY_PROMPT)
        _end_after(START_DEADLINE_SECONDS if may_open else DEADLINE_SECONDS)
        payload = parse(read_input(0), asked.event, os.environ)
        if payload.event not in IGNORED:
            _take(payload, asked)
    except (PayloadError, OSError) as error:
        say(str(error))
    except Exception as error:  # whatever it is, the host must go on
        say(f"{type(error).__name__}: {error}")
    return 0


def say(text: str) -> None:
    """Tell on stderr what went wrong, on one line, as `PCKC_LOG` says; without a stderr nobody is told."""
    line = " ".join(f"pckc hook: {text}".split())[:500]
    if _is_read_by_machines():
        from pckc_mcp.logs import json_line

        told = json_line("warning", line).encode()
    else:
        told = ascii(line)[1:-1].encode() + b"\n"
    try:
        os.write(2, told)
    except OSError:
        return


def _is_read_by_machines() -> bool:
    return _environ("PCKC_LOG") == "json"


def _asked(arguments: Sequence[str]) -> Asked:
    named = {"--host": "", "--project": _environ("PCKC_PROJECT"), "--store": _environ("PCKC_STORE")}
    event = ""
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name in named:
            named[name] = value if equals else (rest.pop(0) if rest else "")
        elif name in ("--json", "--quiet"):
            continue
        elif event or name.startswith("-"):
            say(f"unknown argument {name}")
        else:
            event = DRAIN if name == DRAIN else event_name(name)
            if not event:
                raise PayloadError(f"unknown event {name[:60]!r}")
    host = named["--host"] or "claude"
    return Asked(event, host if host in HOSTS else "claude", named["--project"], named["--store"])


def _environ(name: str) -> str:
    return os.environ.get(name, "")


def _end_after(seconds: float) -> None:
    """End this process when it takes too long: nothing it does is lost or half done by that."""
    if _is_read_by_machines():
        # The farewell must not wait for an import: one may be what takes too long.
        import pckc_domain.policy.redaction  # noqa: F401 - to have it loaded

        import pckc_mcp.logs  # noqa: F401 - as above

    def end() -> None:
        time.sleep(seconds)
        say(f"given up after {seconds:.0f} s")
        os._exit(0)

    start_new_thread(end, ())


def _take(payload: Payload, asked: Asked) -> None:
    from pckc_mcp.hooks.session import is_known, note_agent, settled_root
    from pckc_mcp.hooks.spool import append
    from pckc_mcp.sync_mark import main_tree

    if payload.event == AGENT_START:
        if payload.session == payload.agent:  # elsewhere a sub-agent is told apart in each event of its parent's
            note_agent(asked.host, payload.session)
        return
    folder = asked.project or payload.folder
    if not folder:
        raise PayloadError("the host names no folder that exists")
    opens = payload.event == SESSION_START or (
        payload.event == PROMPT and asked.host in OPENED_BY_PROMPT and not is_known(asked.host, payload.session)
    )
    root = settled_root(asked.host, payload.session, Path(folder))
    left_bytes = _left_bytes(root) if opens else 0
    if payload.event in RECORDED and payload.session and not _is_own(payload):
        try:
            append(main_tree(root), _record(payload, asked.host, root))
        except OSError as error:
            say(f"not recorded: {error}")
    if 0 < left_bytes <= MOST_DRAINED_BYTES:
        _drain_first(root, asked)
    if payload.event in (PROMPT, SESSION_START):
        _inject(payload, root, asked, opens=opens)


def _record(payload: Payload, host: str, root: Path) -> dict[str, Any]:
    from pckc_mcp.hooks.redacting import redacted
    from pckc_mcp.sync_mark import branch_at

    return {
        "id": f"{payload.event}:{payload.id}" if payload.id else f"{time.time_ns()}-{os.getpid()}",
        "at": time.time(),
        "host": host,
        "session": payload.session,
        "agent": payload.agent,
        "root": str(root),
        "branch": branch_at(root) or "",
        "event": payload.event,
        "data": redacted(payload.data),
    }


def _is_own(payload: Payload) -> bool:
    """Return whether the agent asked PCKC itself: what memory answers is no news to it."""
    return payload.event.startswith(TOOL) and "pckc" in str(payload.data["tool_name"]).casefold()


def _left_bytes(root: Path) -> int:
    """Set aside what earlier sessions left, so that nobody is told what they just said, and return how much it is."""
    from pckc_mcp.hooks.spool import set_aside
    from pckc_mcp.sync_mark import main_tree

    try:
        return set_aside(main_tree(root))
    except OSError as error:
        say(f"what is spooled waits: {error}")
        return 0


def _drain_first(root: Path, asked: Asked) -> None:
    """Take in what earlier sessions left, if the store is free: else the one who holds it will, or another command."""
    from pckc_mcp.hooks.store import is_free

    if is_free(root, asked.store):
        from pckc_mcp.hooks.intake import drain

        drain(str(root), asked.store, is_new_left=True)


def _inject(payload: Payload, root: Path, asked: Asked, *, opens: bool) -> None:
    from pckc_mcp.hooks.store import recalled

    text = recalled(payload, root, host=asked.host, store=asked.store, opens=opens)
    if text:
        form = {"hookSpecificOutput": {"hookEventName": payload.event, "additionalContext": text}}
        sys.stdout.write(json.dumps(form) + "\n")
        sys.stdout.flush()
