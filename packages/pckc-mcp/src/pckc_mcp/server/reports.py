"""What the resources of a project say: one page each, current when it is read."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import ClaimType, Governance
from pckc_domain.model.passage import Layer, PassageFilter, PropositionType
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote

from pckc_mcp.clock import SystemClock
from pckc_mcp.listing import walk_claims
from pckc_mcp.retaining import compaction_report, compaction_text, retention_report, retention_text
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tools.state import memory_stats, memory_status

if TYPE_CHECKING:
    from pckc_domain.ports.canonical import UnitOfWork

    from pckc_mcp.engine import Engine

MOST_CLAIMS = 50
MOST_PASSAGES = 30
LIVING = frozenset({Governance.ACTIVE, Governance.PINNED})


@attrs.frozen
class Report:
    """
    A page about the project.

    Attributes:
        name: Last part of the resource's address.
        title: For people.
        description: What a reader finds in it.
        text: Makes it; recalled text is quoted.
    """

    name: str
    title: str
    description: str
    text: Callable[[Memory], str]


def _constraints(memory: Memory) -> str:
    rules = {PropositionType.CONSTRAINT, PropositionType.SECURITY_RULE}
    return _page(memory.engine, "Constraints", ClaimFilter(types=frozenset({ClaimType.CONSTRAINT})), rules)


def _architecture(memory: Memory) -> str:
    kinds = {PropositionType.ARCHITECTURE, PropositionType.DECISION}
    return _page(memory.engine, "Architecture and decisions", ClaimFilter(types=frozenset({ClaimType.DECISION})), kinds)


def _incidents(memory: Memory) -> str:
    types = frozenset({ClaimType.BUG, ClaimType.FIX})
    return _page(memory.engine, "Bugs and fixes, newest first", ClaimFilter(types=types), set())


def _policy(memory: Memory) -> str:
    return _page(memory.engine, "Standing rules for all work", ClaimFilter(is_standing=True), set())


def _page(engine: "Engine", title: str, where: ClaimFilter, kinds: set[PropositionType]) -> str:
    """Return current claims, newest first, and propositions of the files; of each as many as a reader takes in."""
    from pckc_domain.policy.validity import holds

    now = SystemClock().now()
    with engine.canonical.reading(engine.scope) as work:
        found = [item for item in _claims(work, attrs.evolve(where, governance=LIVING)) if holds(item.claim, now)]
        stored = (
            work.passages.find(
                Layer.PROPOSITION,
                where=PassageFilter(types=frozenset(kinds), checkout=engine.checkout.id),
                limit=MOST_PASSAGES + 1,
            )
            if kinds
            else ()
        )
    found.sort(key=lambda item: (item.claim.valid_from, item.claim.id), reverse=True)
    lines = [f"# {title}", "", OPENING, NOTICE]
    for item in found[:MOST_CLAIMS]:
        claim = item.claim
        lines += [f"{claim.id} {claim.type} {claim.status}, since {claim.valid_from.date()}", quote(claim.text)]
    for one in stored[:MOST_PASSAGES]:
        place = f"{inline(one.document.uri)}:{one.passage.start_line}"
        lines += [f"{one.passage.id} {place}", quote(one.passage.text)]
    lines.append(CLOSING)
    if not found and not stored:
        lines.append("Nothing is known: a gap, not proof that there is nothing.")
    left = max(0, len(found) - MOST_CLAIMS)
    if left or len(stored) > MOST_PASSAGES:
        lines.append(
            f"{left} claims{' and some passages' if len(stored) > MOST_PASSAGES else ''} more: search for them."
        )
    return "\n".join(lines)


def _claims(work: "UnitOfWork", where: ClaimFilter) -> Iterator[StoredClaim]:
    return walk_claims(work, attrs.evolve(where, is_said=True))


def _status(memory: Memory) -> str:
    return f"# Status\n\n{memory_status(memory).text}\n\n{memory_stats(memory).text}"


def _tree(memory: Memory) -> str:
    form = memory_stats(memory).form
    layers = [f"  {layer}: {count['fresh']} fresh, {count['stale']} stale" for layer, count in form["layers"].items()]
    claims = [f"  {name}: {count}" for name, count in form["claims"]["by_type"].items()]
    hosts = [f"  {inline(host)}: {count}" for host, count in form["sessions"]["by_host"].items()]
    return "\n".join(
        [
            "# What the memory holds",
            f"\npassages of {form['coverage']['files']['indexed']} files", *layers,
            f"\nclaims: {form['claims']['total']}", *claims,
            f"\nsessions: {form['sessions']['total']}", *hosts,
            f"\nevents: {form['events']['total']}, evidence passages: {form['evidence']}",
        ]
    )  # fmt: skip


def _git(memory: Memory) -> str:
    engine = memory.engine
    checkout = engine.source.checkout()
    form = memory_status(memory).form
    changes = form["changes"]
    lines = [
        "# Work tree",
        f"\nroot: {inline(str(engine.root))}",
        f"branch: {inline(checkout.branch.name) if checkout.branch.name else 'none'}",
        f"commit: {checkout.branch.commit_sha or 'none'}",
        f"files since the index: {changes['changed']} changed, {changes['added']} new, {changes['removed']} removed",
    ]
    return "\n".join(lines)


def _branches(memory: Memory) -> str:
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        counts: Counter[str] = Counter(item.claim.branch.name or "" for item in _claims(work, ClaimFilter()))
    now = engine.source.checkout().branch.name
    lines = ["# Claims by branch", f"\nchecked out: {inline(now) if now else 'no branch'}"]
    lines += [f"  {inline(name) if name else 'without a branch'}: {count}" for name, count in counts.most_common()]
    return "\n".join(lines)


def _sync(memory: Memory) -> str:
    return f"# Freshness\n\n{memory_status(memory).text}"


def _retention(memory: Memory) -> str:
    return f"# Claims that have outlived their use\n\n{retention_text(retention_report(memory.engine))}"


def _compaction(memory: Memory) -> str:
    return f"# Size of the store\n\n{compaction_text(compaction_report(memory.engine))}"


def _semantic(memory: Memory) -> str:
    form = memory_stats(memory).form
    if form["embedder"] is None:
        return f"# Meaning\n\nSearches use words only: {inline(form['why_no_embedder'])}"
    vectors = form["coverage"]["vectors"]
    working = "being brought up to date in the background" if memory.is_projecting else "run `pckc index`"
    return "\n".join(
        [
            "# Meaning",
            f"\nembedder: {inline(form['embedder'])}",
            f"vectors: {vectors['indexed']} of {vectors['total']}, {vectors['behind']} changes behind"
            + (f" ({working})" if vectors["behind"] else ""),
        ]
    )


REPORTS = (
    Report(
        "constraints", "Constraints", "Constraints and security rules that hold now, with their places", _constraints
    ),
    Report("architecture", "Architecture", "Decisions and statements about the architecture", _architecture),
    Report("status", "Status", "Whether the memory is complete and fresh, and what it holds", _status),
    Report("recent-incidents", "Recent incidents", "Bugs and fixes, newest first", _incidents),
    Report("memory-tree-summary", "Memory tree", "Counts of everything stored, by layer and type", _tree),
    Report("agent-policy", "Agent policy", "Standing rules that users gave for all work", _policy),
    Report("git-context", "Git context", "Branch, commit and what changed since the last index", _git),
    Report("branch-memory-summary", "Branches", "How many claims come from which branch", _branches),
    Report("sync-status", "Freshness", "What the index lacks of the work tree, and what to run", _sync),
    Report("retention-status", "Retention", "Claims that have outlived their use", _retention),
    Report("compaction-report", "Size", "Where the store is and how large it is", _compaction),
    Report("semantic-status", "Meaning", "Embedder, and how many vectors there are", _semantic),
)
