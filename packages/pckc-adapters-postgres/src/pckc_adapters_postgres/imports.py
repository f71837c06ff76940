"""How far transcripts have been read."""

from pckc_domain.ports.belief import ImportRepository
from pckc_domain.ports.transcripts import TranscriptPosition

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import as_json, clean, load

_POSITION = "SELECT data FROM transcript WHERE scope_key = %s AND path = %s"
_REMEMBER = """
    INSERT INTO transcript (scope_key, path, data) VALUES (%s, %s, %s)
    ON CONFLICT (scope_key, path) DO UPDATE SET data = excluded.data
"""
_FORGET = "DELETE FROM transcript WHERE scope_key = %s"


class PostgresImports(ImportRepository):
    """Positions in the transcripts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def position(self, path: str, /) -> TranscriptPosition | None:
        """See the port."""
        data = self._connection.value(_POSITION, (self._scope_key, clean(path)))
        return None if data is None else load(data, TranscriptPosition)

    def remember(self, path: str, position: TranscriptPosition, /) -> None:
        """See the port."""
        self._connection.run(_REMEMBER, (self._scope_key, clean(path), as_json(position)))

    def forget(self) -> None:
        """See the port."""
        self._connection.run(_FORGET, (self._scope_key,))
