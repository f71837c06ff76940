"""Recall for a hook where a server keeps the truth: the same questions, asked through the engine."""

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
from pckc_adapters_sqlite.belief_probe import ClaimRow, Part
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, ClaimStatus
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.facts.meeting import branches_read
from pckc_domain.ports.canonical import UnitOfWork

from pckc_mcp.clock import SystemClock
from pckc_mcp.engine import open_engine
from pckc_mcp.hooks.recall import Recalled

MAX_COUNTED = 200
"""So many matches of a part are looked at."""


def recalled_by_service(root: Path, choose: "Callable[[ServiceBeliefs], list[Recalled]]") -> list[Recalled]:
    """
    Return what *choose* chooses of what the project at *root* holds.

    Raises:
        PckcError: The server cannot be asked.
    """
    with open_engine(root, with_semantic=False) as engine, engine.canonical.reading(engine.scope) as work:
        return choose(ServiceBeliefs(work, branches_read(engine.checkout.branch)))


class ServiceBeliefs:
    """The current claims of one scope, by parts; see `BeliefProbe`. What is said or written besides is left out."""

    said = None
    written = None

    def __init__(self, work: UnitOfWork, branches: frozenset[str]) -> None:
        self._work = work
        self._where = ClaimFilter(
            governance=VISIBLE,
            statuses=frozenset({ClaimStatus.VERIFIED, ClaimStatus.CONTESTED}),
            valid_at=SystemClock().now(),
        )
        self._branches = branches
        self._rows: dict[str, ClaimRow] = {}
        self._matches: dict[Part, frozenset[int]] = {}

    @property
    def claims(self) -> "ServiceBeliefs":
        """They are all that there is."""
        return self

    def size(self) -> int:
        """Return how many claims there are."""
        return sum(self._work.census.claims().values())

    def count(self, part: Part, /) -> int:
        """Return how many current claims match *part*, at most `MAX_COUNTED`."""
        return len(self._matching(part))

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[ClaimRow]:
        """Return the best matches of parts, each with its count."""
        parts = [part for count, part in counted if count]
        return self._search(_query(parts), limit)

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the claims with these *keys* match *part*."""
        return self._matching(part) & set(keys)

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules, the newest first."""
        found = self._work.claims.find(where=attrs.evolve(self._where, is_standing=True), limit=limit)
        rows = [self._row(stored) for stored in found if self._counts(stored)]
        return sorted(rows, key=lambda row: (-row.valid_from_us, row.id))

    def _matching(self, part: Part) -> set[int]:
        if part not in self._matches:
            self._matches[part] = frozenset(row.key for row in self._search(_query([part]), MAX_COUNTED))
        return set(self._matches[part])

    def _search(self, query: LexicalQuery, limit: int) -> list[ClaimRow]:
        if query.is_empty:
            return []
        hits = self._work.claims.search(query, where=self._where, limit=limit)
        return [self._row(hit.stored) for hit in hits if self._counts(hit.stored)]

    def _counts(self, stored: StoredClaim) -> bool:
        claim = stored.claim
        if claim.authority not in DURABLE:
            return False
        return bool(claim.session_id) or not self._branches or (claim.branch.name or "") in self._branches

    def _row(self, stored: StoredClaim) -> ClaimRow:
        claim = stored.claim
        if claim.id not in self._rows:
            proofs = self._work.proofs.of([claim.id]).get(claim.id, ())
            self._rows[claim.id] = ClaimRow(
                key=len(self._rows) + 1,
                id=claim.id,
                type=claim.type,
                status=claim.status,
                status_reason=claim.status_reason,
                authority=claim.authority,
                is_standing=claim.is_standing,
                valid_from_us=int(claim.valid_from.timestamp() * 1e6),
                text=claim.text,
                is_said=bool(claim.session_id),
                place=f"{claim.path}\n{claim.subject}\n{claim.attribute}",
                branch=claim.branch.name or "",
                proof=proofs[0].source_ref if proofs else "",
            )
        return self._rows[claim.id]


def _query(parts: Sequence[Part]) -> LexicalQuery:
    return LexicalQuery(
        words=tuple(part.text for part in parts if part.kind == "word"),
        phrases=tuple(tuple(part.text.split()) for part in parts if part.kind == "phrase"),
        terms=tuple(part.text for part in parts if part.kind == "term"),
    )
