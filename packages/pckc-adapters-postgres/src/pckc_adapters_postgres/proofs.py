"""Proofs of claims."""

import json
from collections.abc import Mapping, Sequence

from pckc_domain.model.proof import Proof
from pckc_domain.ports.belief import ProofRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.values import changes, clean, dump, load

_SETTLED = "SELECT claim_key, id, data FROM proof WHERE claim_key = ANY(%s) AND NOT is_attached"
_DELETE = "DELETE FROM proof WHERE claim_key = %s AND id = %s AND NOT is_attached"
_COLUMNS = ("claim_key", "is_attached", "id", "session_id", "observed_at", "data")
_REPLACING = """
    ON CONFLICT (claim_key, is_attached, id) DO UPDATE SET
        session_id = excluded.session_id, observed_at = excluded.observed_at, data = excluded.data
"""
_KEYS = "SELECT id, key FROM claim WHERE scope_key = %s AND id = ANY(%s)"
# A proof attached in place of another hides that one.
_OF = """
    SELECT claim_id, data FROM (
        SELECT DISTINCT ON (c.id, p.id) c.id AS claim_id, p.id AS id, p.observed_at, p.data
        FROM claim c JOIN proof p ON p.claim_key = c.key
        WHERE c.scope_key = %s AND c.id = ANY(%s)
        ORDER BY c.id, p.id, p.is_attached DESC
    ) newest
    ORDER BY claim_id, observed_at, id
"""


class PostgresProofs(ProofRepository):
    """Proofs of one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def of(self, claim_ids: Sequence[str], /) -> Mapping[str, Sequence[Proof]]:
        """See the port."""
        by_claim: dict[str, list[Proof]] = {}
        for claim_id, data in self._connection.rows(_OF, (self._scope_key, list(claim_ids))):
            by_claim.setdefault(claim_id, []).append(load(data, Proof))
        return by_claim

    def attach(self, proofs: Sequence[Proof], /) -> None:
        """See the port."""
        claim_ids = list({proof.claim_id for proof in proofs})
        keys: dict[str, int] = dict(self._connection.rows(_KEYS, (self._scope_key, claim_ids)))
        self._put(
            {(keys[proof.claim_id], proof.id): proof_row(proof) for proof in proofs if proof.claim_id in keys},
            is_attached=True,
        )

    def settle(self, keys: Mapping[str, int], rows: Sequence[tuple[str, Row]], *, settled: Sequence[int]) -> None:
        """
        Make *rows*, each with its claim's id, the proofs that claims are settled with; attached ones stay beside them.

        *settled* are the keys of the claims that have been settled before.
        """
        found = self._connection.rows(_SETTLED, (settled,)) if settled else []
        stored = {(key, id_): data for key, id_, data in found}
        wanted = {(keys[claim_id], row[0]): row for claim_id, row in rows}
        gone, changed = changes(
            stored, {key: json.loads(row[-1]) if key in stored else None for key, row in wanted.items()}
        )
        self._connection.run_many(_DELETE, gone)
        self._put({key: wanted[key] for key in changed}, is_attached=False)

    def _put(self, rows: Mapping[tuple[int, str], Row], *, is_attached: bool) -> None:
        placed = ((key, is_attached, *row) for (key, _), row in rows.items())
        self._connection.insert("proof", _COLUMNS, placed, on_conflict=_REPLACING)


def proof_row(proof: Proof) -> Row:
    """Columns id to data of a proof."""
    return proof.id, clean(_located_in(proof)), proof.observed_at, dump(proof)


def _located_in(proof: Proof) -> str:
    """Return the session that a proof's locator names, as it names it."""
    return proof.source_ref.rpartition("#")[0] if proof.source_ref.startswith("session:") else ""
