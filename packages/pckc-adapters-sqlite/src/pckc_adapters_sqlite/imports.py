"""How far transcripts have been read."""

from pckc_domain.ports.belief import ImportRepository
from pckc_domain.ports.transcripts import TranscriptPosition

from pckc_adapters_sqlite import belief_queries
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.rows import clean


class SqliteImports(ImportRepository):
    """Positions in the transcripts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def position(self, path: str, /) -> TranscriptPosition | None:
        """See the port."""
        for offset, records, prefix_hash, state in self._connection.rows(
            belief_queries.POSITION, (self._scope_key, clean(path))
        ):
            return TranscriptPosition(offset=offset, records=records, prefix_hash=prefix_hash, state=state)
        return None

    def remember(self, path: str, position: TranscriptPosition, /) -> None:
        """See the port."""
        self._connection.run(
            belief_queries.REMEMBER_POSITION,
            (
                self._scope_key,
                clean(path),
                position.offset,
                position.records,
                position.prefix_hash,
                clean(position.state),
            ),
        )

    def forget(self) -> None:
        """See the port."""
        self._connection.run(belief_queries.FORGET_POSITIONS, (self._scope_key,))
