"""Scopes by key."""

from pckc_domain.model.scope import Scope

from pckc_adapters_sqlite import queries
from pckc_adapters_sqlite.connection import Connection


def scope_key(connection: Connection, scope: Scope) -> int:
    """Return the key of *scope*, which is made known when it was not; for writing only."""
    connection.run(queries.INSERT_SCOPE, (scope.tenant, scope.project))
    key: int = connection.value(queries.SCOPE_KEY, (scope.tenant, scope.project))
    return key
