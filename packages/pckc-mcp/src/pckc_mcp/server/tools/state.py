"""``memory_status`` and ``memory_stats``: whether the memory can be relied on, and what it holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

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
        "changes": attrs.asdict(changes),
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


@attrs.frozen(kw_only=True)
class _Changes:
    """
    What the index does not hold as it is.

    Attributes:
        added: New files.
        changed: Files whose content is another one.
        removed: Files that are gone.
        is_cut_otherwise: Documents would be cut in another way now, by a newer PCKC or another parser.
    """

    added: int
    changed: int
    removed: int
    is_cut_otherwise: bool

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.is_cut_otherwise)


def _changes(engine: "Engine") -> _Changes:
    from pckc_domain.usecases.index import recipe  # its rules would cost every start 40 ms

    with engine.canonical.reading(engine.scope) as work:
        manifest = {entry.path: entry for entry in work.manifest.entries(engine.checkout.id)}
        recipes = {known.recipe for known in work.manifest.checkouts() if known.id == engine.checkout.id}
    paths = {file.path for file in engine.source.scan(manifest)}
    known = [entry for path, entry in manifest.items() if path in paths and entry.document_id is not None]
    return _Changes(
        added=len(paths - manifest.keys()),
        changed=len(engine.source.changed(known)),
        removed=len(manifest.keys() - paths),
        is_cut_otherwise=bool(recipes - {recipe(engine.backends.parser)}),
    )


def _state(stats: Form, changes: _Changes) -> str:
    if stats["indexed_at"] is None:
        return "missing"
    if not stats["is_complete"]:
        return "incomplete"
    return "outdated" if changes else "fresh"


def _advice(stats: Form, changes: _Changes, *, is_projecting: bool) -> Sequence[str]:
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
