"""Recall for a hook: from the embedded store directly, or through the engine when a server keeps the truth."""

import json
import time
from pathlib import Path

from pckc_adapters_sqlite.belief_probe import is_writable, open_beliefs
from pckc_domain.model.identity import content_id

from pckc_mcp.adoption import last_opened_as
from pckc_mcp.hooks.payload import PROMPT, SESSION_START, Payload
from pckc_mcp.hooks.recall import MAINLINES, MAX_RULES, Beliefs, Recalled, prompt_parts, recall, render
from pckc_mcp.hooks.session import forget_told, untold
from pckc_mcp.opened import Opened, is_valid, opened_at
from pckc_mcp.sync_mark import branch_at, main_tree

TENANT = "local"
"""As in the domain; a test keeps them alike."""

RULES_TITLE = "Standing rules of this project"
CLAIMS_TITLE = "What this project's memory holds about this (more: the tools of pckc)"


def recalled(payload: Payload, root: Path, *, host: str, store: str) -> str:
    """Return what belongs into the host's context now; ``""`` when nothing does."""
    if payload.event == SESSION_START:
        if payload.data["source"] == "resume":
            return ""  # the context it goes on with holds it already
        forget_told(host, payload.session)
    prompt = payload.data.get("prompt", "") if payload.event == PROMPT else ""
    if payload.event == PROMPT and not prompt_parts(prompt):
        return ""
    opened = _opened(root, store)
    if opened is None:
        return ""
    if not opened.store:
        from pckc_mcp.hooks.service import recalled_by_service

        found = recalled_by_service(root, lambda beliefs: _chosen(beliefs, prompt))
    else:
        session = content_id("session", TENANT, opened.project, host, payload.session)
        found = _probed(opened, root, prompt, session)
    new = untold(host, payload.session, prompt, found.ids)
    return render(found.only(new), CLAIMS_TITLE if prompt else RULES_TITLE)


def _chosen(beliefs: Beliefs, prompt: str) -> Recalled:
    return recall(beliefs, prompt) if prompt else Recalled(beliefs.standing(limit=MAX_RULES))


def _probed(opened: Opened, root: Path, prompt: str, session: str) -> Recalled:
    branch = branch_at(root)
    branches = json.dumps([branch, *MAINLINES] if branch else [])
    now_us = time.time_ns() // 1000
    with open_beliefs(
        opened.store, tenant=TENANT, project=opened.project, branches=branches, now_us=now_us, session=session
    ) as beliefs:
        return _chosen(beliefs, prompt) if beliefs is not None else Recalled()


def _opened(root: Path, store: str) -> Opened | None:
    """Return where the memory of *root* is; ``None`` when it has none yet."""
    if store:
        path = Path(store).expanduser().resolve()
        return Opened(str(path), last_opened_as(root), "") if path.exists() else None
    known = opened_at(root)
    if known is not None and is_valid(root, known):
        return known
    if known is None and not (last_opened_as(root) or last_opened_as(main_tree(root))):
        return None
    from pckc_mcp.engine import open_engine

    with open_engine(root, with_semantic=False):  # which notes what it finds
        return opened_at(root)


def is_free(root: Path, store: str) -> bool:
    """Return whether the store of *root* can be written now: opening it would not wait for another process."""
    opened = _opened(root, store)
    return opened is None or not opened.store or not Path(opened.store).exists() or is_writable(opened.store)
