"""What hooks must know of a session from one event to the next: its project, and what it was told already."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from pckc_mcp.locations import data_directory, find_root, make_folder

MAX_TOLD = 500
KEPT_DAYS = 30


def is_known(host: str, session: str) -> bool:
    """Return whether something was noted of a session before; one without a name counts as known."""
    return not session or bool(_read(host, session))


def note_agent(host: str, session: str) -> None:
    """Note that a session is that of a sub-agent, whose prompts are the words of a model."""
    mark = _agent_mark(host, session)
    make_folder(mark.parent)
    mark.touch()


def is_agent(host: str, session: str) -> bool:
    """Return whether a session was noted to be that of a sub-agent."""
    return _agent_mark(host, session).exists()


def settled_root(host: str, session: str, folder: Path) -> Path:
    """Return the project that a session belongs to: that of the folder it started in, wherever it moves."""
    if not session:
        return find_root(folder)
    note = _read(host, session)
    root = note.get("root")
    if isinstance(root, str) and os.path.isdir(root):  # noqa: PTH112 - nothing heavy here
        return Path(root)
    found = find_root(folder)
    _write(host, session, {**note, "root": str(found)})
    return found


def untold(host: str, session: str, prompt: str, ids: list[str]) -> list[str]:
    """Return which of the claims *ids* the session was not told yet for another prompt, and note that it is now."""
    if not session:
        return ids
    note = _read(host, session)
    told = note.get("told")
    told = told if isinstance(told, dict) else {}
    about = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    new = [id_ for id_ in ids if told.get(id_, about) == about]
    if any(id_ not in told for id_ in new):
        kept = dict(list({**told, **dict.fromkeys(new, about)}.items())[-MAX_TOLD:])
        _write(host, session, {**note, "told": kept})
    return new


def forget_told(host: str, session: str) -> None:
    """The session's context starts over: whatever it was told is gone from it."""
    if session and (note := _read(host, session)).pop("told", None) is not None:
        _write(host, session, note)


def forget_old_sessions(now: float) -> None:
    """Delete what was noted of sessions that have not been heard of for `KEPT_DAYS`."""
    for file in _folder().glob("*"):
        try:
            if now - file.stat().st_mtime > KEPT_DAYS * 86_400:
                file.unlink()
        except OSError:
            continue  # another process was faster


def _read(host: str, session: str) -> dict[str, Any]:
    try:
        note = json.loads(_file(host, session).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _write(host: str, session: str, note: dict[str, Any]) -> None:
    """Keep *note*; failing to costs no more than a repetition."""
    file = _file(host, session)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        make_folder(file.parent)
        draft.write_text(json.dumps(note), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return


def _file(host: str, session: str) -> Path:
    name = hashlib.sha256(f"{host}\n{session}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return _folder() / name


def _agent_mark(host: str, session: str) -> Path:
    """Return a file apart from the note: two hooks of one moment write them."""
    return _file(host, session).with_suffix(".agent")


def _folder() -> Path:
    return data_directory() / "spool" / "sessions"
