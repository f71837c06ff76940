"""
Recall for a hook where a server keeps the truth: the same questions, asked through the canonical store alone.

The engine is not opened: it would look into the work tree and load the rules of every use case.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from pckc_adapters_sqlite.belief_probe import ClaimRow
from pckc_adapters_sqlite.shelf import Part
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, ClaimStatus
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.policy.belief_gate import DURABLE

from pckc_mcp.clock import SystemClock
from pckc_mcp.config import load_config
from pckc_mcp.hooks.recall import Recalled
from pckc_mcp.plugins import open_canonical

if TYPE_CHECKING:  # it names every repository there is
    from pckc_domain.ports.canonical import UnitOfWork

MAX_COUNTED = 200
"""So many matches of a part are looked at."""


def recalled_by_service(
    root: Path, project: str, branches: Iterable[str], choose: "Callable[[ServiceBeliefs], list[Recalled]]"
) -> list[Recalled]:
    """
    Return what *choose* chooses of what *project*, whose work tree is at *root*, holds on these *branches*.

    Raises:
        PckcError: The server cannot be asked.
    """
    config = load_config(root)
    scope = Scope(tenant=config.tenant, project=project)
    with (
        open_canonical(config.slots["canonical"], {}, tenant=config.tenant) as canonical,
        canonical.reading(scope) as work,
    ):
        return choose(ServiceBeliefs(work, frozenset(branches)))


class ServiceBeliefs:
    """The current claims of one scope, by parts; see `BeliefProbe`. What is said or written besides is left out."""

    said = None
    written = None

    def __init__(self, work: "UnitOfWork", branches: frozenset[str]) -> None:
        self._work = work
        self._where = ClaimFilter(
            governance=VISIBLE,
            statuses=frozenset({ClaimStatus.VERIFIED, ClaimStatus.CONTESTED}),
            valid_at=SystemClock().now(),
        )
        self._branches = branches
        self._keys: dict[str, int] = {}
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
        return self._rows(self._search([part for count, part in counted if count], limit))

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the claims with these *keys* match *part*."""
        return set(self._matching(part) & set(keys))

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules, the newest first."""
        found = self._work.claims.find(where=attrs.evolve(self._where, is_standing=True), limit=limit)
        rows = self._rows([stored for stored in found if self._counts(stored)])
        return sorted(rows, key=lambda row: (-row.valid_from_us, row.id))

    def _matching(self, part: Part) -> frozenset[int]:
        if part not in self._matches:
            self._matches[part] = frozenset(self._key(stored) for stored in self._search([part], MAX_COUNTED))
        return self._matches[part]

    def _search(self, parts: Sequence[Part], limit: int) -> list[StoredClaim]:
        query = _query(parts)
        hits = [] if query.is_empty else self._work.claims.search(query, where=self._where, limit=limit)
        return [hit.stored for hit in hits if self._counts(hit.stored)]

    def _counts(self, stored: StoredClaim) -> bool:
        claim = stored.claim
        if claim.authority not in DURABLE:
            return False
        return bool(claim.session_id) or not self._branches or (claim.branch.name or "") in self._branches

    def _key(self, stored: StoredClaim) -> int:
        return self._keys.setdefault(stored.claim.id, len(self._keys) + 1)

    def _rows(self, found: Sequence[StoredClaim]) -> list[ClaimRow]:
        proofs = self._work.proofs.of([stored.claim.id for stored in found])
        return [
            self._row(stored, next((one.source_ref for one in proofs.get(stored.claim.id, ())), "")) for stored in found
        ]

    def _row(self, stored: StoredClaim, proof: str) -> ClaimRow:
        claim = stored.claim
        return ClaimRow(
            key=self._key(stored),
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
            proof=proof,
        )


def _query(parts: Sequence[Part]) -> LexicalQuery:
    return LexicalQuery(
        words=tuple(part.text for part in parts if part.kind == "word"),
        phrases=tuple(tuple(part.text.split()) for part in parts if part.kind == "phrase"),
        terms=tuple(part.text for part in parts if part.kind == "term"),
    )
