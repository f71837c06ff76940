"""Proofs of claims."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.proof import Proof
from pckc_domain.ports.belief import ProofRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection


class SqliteProofs(ProofRepository):
    """Proofs of one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def of(self, claim_ids: Sequence[str], /) -> Mapping[str, Sequence[Proof]]:
        """See the port."""
        by_claim: dict[str, list[Proof]] = {}
        found = self._connection.rows(belief_queries.PROOFS, (self._scope_key, rows.array(claim_ids)))
        for claim_id, *columns in found:
            by_claim.setdefault(claim_id, []).append(belief_rows.proof(claim_id, columns))
        return by_claim

    def attach(self, proofs: Sequence[Proof], /) -> None:
        """See the port."""
        claim_ids = {proof.claim_id for proof in proofs}
        found = self._connection.rows(belief_queries.CLAIM_KEYS, (self._scope_key, rows.array(claim_ids)))
        keys: dict[str, int] = dict(found)
        attached = [
            (keys[proof.claim_id], 1, *belief_rows.proof_row(proof)) for proof in proofs if proof.claim_id in keys
        ]
        self._connection.run_many(belief_queries.PUT_PROOF, attached)
