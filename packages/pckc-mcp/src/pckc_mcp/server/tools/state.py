"""``memory_status`` and ``memory_stats``: whether the memory can be relied on, and what it holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pckc_mcp.forms import Form
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine


def memory_status(memory: Memory) -> Reply:
    """
    Say whether the memory is complete and fresh, how far each index lags, and what to run when it is not.

    Compares the work tree with the index. Call it when answers seem old or empty.
    """
    engine = memory.engine
    stats = _stats(engine)
    changes = _changes(engine)
    form = {
        **stats,
        "schema": {"name": "pckc.status", "version": 1},
        "state": _state(stats, changes),
        "changes": changes,
        "root": str(engine.root),
        "branch": engine.source.checkout().branch.name,  # it may have changed since the project was opened
        "advice": _advice(stats, changes, is_projecting=memory.is_projecting),
    }
    kept = {key: form[key] for key in STATUS_KEYS}
    return Reply(text=_status_text(kept), form=kept)


def _stats(engine: "Engine") -> dict[str, Any]:
    from pckc_mcp.statistics import stats_form

    return stats_form(engine)


STATUS_KEYS = (
    "schema", "coverage", "state", "advice", "changes", "indexed_at", "is_complete", "project", "root", "branch",
    "store", "embedder", "why_no_embedder",
)  # fmt: skip


def memory_stats(memory: Memory) -> Reply:
    """Count what the memory holds, by layer, with the coverage of every index and the bytes on disk."""
    form = _stats(memory.engine)
    return Reply(text=_stats_text(form), form=form)


def _changes(engine: "Engine") -> dict[str, Any]:
    """Count the files that are not as the index has them; also whether documents would be cut in another way now."""
    from pckc_domain.usecases.index import recipe  # its rules would cost every start 40 ms

    with engine.canonical.reading(engine.scope) as work:
        recipes = {known.recipe for known in work.manifest.checkouts() if known.id == engine.checkout.id}
    found = engine.tree.compare()
    return {
        "added": found.added,
        "changed": found.changed,
        "removed": found.removed,
        "touched": found.touched,
        "is_cut_otherwise": bool(recipes - {recipe(engine.backends.parser)}),
    }


def _state(stats: Form, changes: dict[str, Any]) -> str:
    if stats["indexed_at"] is None:
        return "missing"
    if not stats["is_complete"]:
        return "incomplete"
    return "outdated" if any(changes.values()) else "fresh"


def _advice(stats: Form, changes: dict[str, Any], *, is_projecting: bool) -> Sequence[str]:
    advice = []
    match _state(stats, changes):
        case "missing":
            advice.append("run `pckc index`: nothing is indexed yet")
        case "incomplete":
            advice.append("run `pckc sync`: the last run did not finish")
        case "outdated":
            advice.append("run `pckc sync`: the files, or the way to cut them, have changed")
    if stats["embedder"] is None:
        advice.append(f"searches use words only: {stats['why_no_embedder']}")
    elif stats["coverage"]["vectors"]["behind"] and is_projecting:
        advice.append("nothing to do for the vectors: they are being brought up to date in the background")
    elif stats["coverage"]["vectors"]["behind"]:
        advice.append("run `pckc index`: what changed last has no vectors yet")
    return advice


def _status_text(form: Form) -> str:
    changes = form["changes"]
    lines = [
        f"{form['state']}: {form['root']} ({form['branch'] or 'no branch'}), indexed {form['indexed_at'] or 'never'}",
        f"since then {changes['changed']} files changed, {changes['added']} new, {changes['removed']} removed",
        *_coverage_lines(form),
        *(f"- {line}" for line in form["advice"]),
    ]
    return "\n".join(lines)


def _stats_text(form: Form) -> str:
    layers = ", ".join(f"{count['fresh']} {layer}" for layer, count in form["layers"].items())
    stale = sum(count["stale"] for count in form["layers"].values())
    skipped = ", ".join(f"{count} {reason}" for reason, count in form["skipped"].items()) or "none"
    claims = ", ".join(f"{count} {name}" for name, count in form["claims"]["by_type"].items()) or "none"
    hosts = ", ".join(f"{count} {host}" for host, count in form["sessions"]["by_host"].items()) or "none"
    gaps = ", ".join(f"{count} {name}" for name, count in form["gaps"]["by_status"].items()) or "none"
    distilled = form["distillations"]
    lines = [
        f"{form['project']}: {layers}; {stale} stale",
        f"{form['sessions']['total']} sessions ({hosts}), {form['events']['total']} events,"
        f" {form['evidence']} evidence passages",
        f"claims: {claims}",
        f"distilled: {distilled['done']} of {sum(distilled.values())} chunks, {distilled['failed']} failed",
        f"gaps: {gaps}; {form['traces']} traces",
        *_coverage_lines(form),
        f"skipped files: {skipped}",
        f"store {form['store']}, {form['bytes_on_disk'] / 1e6:.1f} MB, embedder {form['embedder'] or 'none'}",
    ]
    return "\n".join(lines)


def _coverage_lines(form: dict[str, Any]) -> list[str]:
    return [
        f"{name}: {index['indexed']} of {index['total']} indexed"
        + (f", {index['behind']} changes behind" if index["behind"] else "")
        for name, index in form["coverage"].items()
    ]


MEMORY_STATUS = Declaration(memory_status, "Is the memory complete and fresh?")
MEMORY_STATS = Declaration(memory_stats, "Count what the memory holds")
