"""Recall for a hook: from the embedded store directly, or through the canonical port when a server keeps the truth."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from pckc_adapters_sqlite.belief_probe import is_writable, open_beliefs
from pckc_domain.model.identity import content_id

from pckc_mcp.adoption import last_opened_as
from pckc_mcp.hooks.payload import PROMPT, SESSION_START, Payload
from pckc_mcp.hooks.recall import (
    MAINLINES,
    MAX_CHARACTERS,
    MAX_RULES,
    Beliefs,
    Recalled,
    each_text_once,
    prompt_parts,
    recall,
    render,
)
from pckc_mcp.hooks.session import forget_told, untold
from pckc_mcp.opened import Opened, is_valid, opened_at
from pckc_mcp.sync_mark import branch_at, main_tree

TENANT = "local"
"""As in the domain; a test keeps them alike."""

RULES_TITLE = "Standing rules of this project"
CLAIMS_TITLE = "What this project's memory holds about this (more: the tools of pckc)"


def recalled(payload: Payload, root: Path, *, host: str, store: str, opens: bool) -> str:
    """Return what belongs into the host's context now, the rules too when a session *opens*; ``""`` for nothing."""
    if payload.event == SESSION_START:
        if payload.data["source"] == "resume":
            return ""  # the context it goes on with holds it already
        forget_told(host, payload.session)
    prompt = payload.data.get("prompt", "") if payload.event == PROMPT else ""
    asks = bool(prompt_parts(prompt))
    if not opens and not asks:
        return ""
    opened = _opened(root, store)
    if opened is None:
        return ""

    def choose(beliefs: Beliefs) -> list[Recalled]:
        rules = Recalled(each_text_once(beliefs.standing(limit=MAX_RULES))) if opens else Recalled()
        return [rules, recall(beliefs, prompt) if asks else Recalled()]

    branch = branch_at(root)
    branches = [branch, *MAINLINES] if branch else []
    if not opened.store:
        from pckc_mcp.hooks.service import recalled_by_service

        rules, claims = recalled_by_service(root, opened.project, branches, choose, (host, payload.session))
    else:
        session = content_id("session", TENANT, opened.project, host, payload.session)
        rules, claims = _probed(opened, branches, choose, session)
    texts = [render(rules.only(untold(host, payload.session, "", rules.ids)), RULES_TITLE)]
    left = MAX_CHARACTERS - len(texts[0]) - 1
    texts.append(render(claims.only(untold(host, payload.session, prompt, claims.ids)), CLAIMS_TITLE, limit=left))
    return "\n".join(filter(None, texts))


def _probed(
    opened: Opened, branches: list[str], choose: Callable[[Beliefs], list[Recalled]], session: str
) -> list[Recalled]:
    now_us = time.time_ns() // 1000
    named = json.dumps(branches)
    with open_beliefs(
        opened.store, tenant=TENANT, project=opened.project, branches=named, now_us=now_us, session=session
    ) as beliefs:
        return choose(beliefs) if beliefs is not None else [Recalled(), Recalled()]


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
    from pckc_mcp.opening import open_engine

    with open_engine(root, with_semantic=False):  # which notes what it finds
        return opened_at(root)


def is_free(root: Path, store: str) -> bool:
    """Return whether the store of *root* can be written now: opening it would not wait for another process."""
    opened = _opened(root, store)
    return opened is None or not opened.store or not Path(opened.store).exists() or is_writable(opened.store)
