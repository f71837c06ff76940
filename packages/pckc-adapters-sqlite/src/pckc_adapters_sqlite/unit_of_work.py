"""The canonical store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, StoreInfo, UnitOfWork
from pckc_domain.ports.service import Service

from pckc_adapters_sqlite import queries
from pckc_adapters_sqlite.assertions import SqliteAssertions
from pckc_adapters_sqlite.census import SqliteCensus
from pckc_adapters_sqlite.claims import SqliteClaims
from pckc_adapters_sqlite.compaction import compact
from pckc_adapters_sqlite.connection import Connection, Connections
from pckc_adapters_sqlite.curated import SqliteDistillations, SqliteGaps, SqliteTraces, SqliteVerdicts
from pckc_adapters_sqlite.documents import SqliteDocuments
from pckc_adapters_sqlite.evidence import SqliteEvidence
from pckc_adapters_sqlite.facts import SqliteFacts
from pckc_adapters_sqlite.governance import SqliteGovernance
from pckc_adapters_sqlite.imports import SqliteImports
from pckc_adapters_sqlite.integrity import problems
from pckc_adapters_sqlite.links import SqliteLinks
from pckc_adapters_sqlite.manifest import SqliteManifest
from pckc_adapters_sqlite.outbox import SqliteOutbox
from pckc_adapters_sqlite.passages import SqlitePassages
from pckc_adapters_sqlite.projecting import SqliteGenerations, SqliteLeases, SqliteSetAside
from pckc_adapters_sqlite.proofs import SqliteProofs
from pckc_adapters_sqlite.rejections import SqliteRejections
from pckc_adapters_sqlite.scopes import scope_key
from pckc_adapters_sqlite.sessions import SqliteSessions

if TYPE_CHECKING:
    from pckc_adapters_sqlite.graph import SqliteGraphWork
    from pckc_adapters_sqlite.inference import SqliteInferences
    from pckc_adapters_sqlite.inventory import SqliteInventory

NO_SCOPE = 0
"""Key of a scope that was never written to: no row has it."""


class SqliteUnitOfWork(UnitOfWork):
    """Repositories of one scope on one connection."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = SqliteOutbox(connection, scope_key)
        self._distillations = SqliteDistillations(connection, scope_key)
        self._verdicts = SqliteVerdicts(connection, scope_key)
        self._gaps = SqliteGaps(connection, scope_key)
        self._traces = SqliteTraces(connection, scope_key)
        self._documents = SqliteDocuments(connection, scope_key, self._outbox, self._distillations)
        self._passages = SqlitePassages(connection, scope_key)
        self._manifest = SqliteManifest(connection, scope_key, self._documents)
        self._evidence = SqliteEvidence(connection, scope_key, self._outbox)
        self._sessions = SqliteSessions(connection, scope_key, self._evidence, self._traces)
        self._assertions = SqliteAssertions(connection, scope_key)
        self._facts = SqliteFacts(connection, scope_key)
        self._rejections = SqliteRejections(connection, scope_key)
        self._claims = SqliteClaims(connection, scope_key, self._outbox)
        self._proofs = SqliteProofs(connection, scope_key)
        self._links = SqliteLinks(connection, scope_key)
        self._governance = SqliteGovernance(connection, scope_key)
        self._imports = SqliteImports(connection, scope_key)
        self._census = SqliteCensus(connection, scope_key)
        self._set_aside = SqliteSetAside(connection, scope_key)
        self._leases = SqliteLeases(connection, scope_key)
        self._generations = SqliteGenerations(connection, scope_key)

    def graph(self, checkout_id: str, layer: GraphLayer, /) -> "SqliteGraphWork":
        """See the port."""
        from pckc_adapters_sqlite.graph import SqliteGraphWork  # most commands ask no graph

        return SqliteGraphWork(self._connection, self._scope_key, checkout_id, layer, self._outbox)

    def graphs(self) -> Sequence[tuple[str, GraphLayer]]:
        """See the port."""
        from pckc_adapters_sqlite import graph_queries

        found = self._connection.rows(graph_queries.GRAPHS, (self._scope_key,))
        return [(checkout_id, GraphLayer(layer)) for checkout_id, layer in found]

    @property
    def documents(self) -> SqliteDocuments:
        """See the port."""
        return self._documents

    @property
    def passages(self) -> SqlitePassages:
        """See the port."""
        return self._passages

    @property
    def manifest(self) -> SqliteManifest:
        """See the port."""
        return self._manifest

    @property
    def outbox(self) -> SqliteOutbox:
        """See the port."""
        return self._outbox

    @property
    def inventory(self) -> "SqliteInventory":
        """See the port."""
        from pckc_adapters_sqlite.inventory import SqliteInventory  # only copying takes stock

        return SqliteInventory(self._connection, self._scope_key, self._documents, self._outbox)

    @property
    def inferences(self) -> "SqliteInferences":
        """See the port."""
        from pckc_adapters_sqlite.inference import SqliteInferences  # most commands ask for none

        return SqliteInferences(self._connection, self._scope_key)

    @property
    def sessions(self) -> SqliteSessions:
        """See the port."""
        return self._sessions

    @property
    def evidence(self) -> SqliteEvidence:
        """See the port."""
        return self._evidence

    @property
    def assertions(self) -> SqliteAssertions:
        """See the port."""
        return self._assertions

    @property
    def facts(self) -> SqliteFacts:
        """See the port."""
        return self._facts

    @property
    def rejections(self) -> SqliteRejections:
        """See the port."""
        return self._rejections

    @property
    def claims(self) -> SqliteClaims:
        """See the port."""
        return self._claims

    @property
    def proofs(self) -> SqliteProofs:
        """See the port."""
        return self._proofs

    @property
    def links(self) -> SqliteLinks:
        """See the port."""
        return self._links

    @property
    def governance(self) -> SqliteGovernance:
        """See the port."""
        return self._governance

    @property
    def imports(self) -> SqliteImports:
        """See the port."""
        return self._imports

    @property
    def census(self) -> SqliteCensus:
        """See the port."""
        return self._census

    @property
    def distillations(self) -> SqliteDistillations:
        """See the port."""
        return self._distillations

    @property
    def verdicts(self) -> SqliteVerdicts:
        """See the port."""
        return self._verdicts

    @property
    def gaps(self) -> SqliteGaps:
        """See the port."""
        return self._gaps

    @property
    def traces(self) -> SqliteTraces:
        """See the port."""
        return self._traces

    @property
    def set_aside(self) -> SqliteSetAside:
        """See the port."""
        return self._set_aside

    @property
    def leases(self) -> SqliteLeases:
        """See the port."""
        return self._leases

    @property
    def generations(self) -> SqliteGenerations:
        """See the port."""
        return self._generations


class SqliteCanonical(Canonical, Service):
    """A canonical store in one file."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @contextmanager
    def reading(self, scope: Scope, /) -> Iterator[SqliteUnitOfWork]:
        """See the port."""
        with self._connections.reading() as connection:
            # This first query also fixes the snapshot.
            key = connection.value(queries.SCOPE_KEY, (scope.tenant, scope.project))
            yield SqliteUnitOfWork(connection, key or NO_SCOPE)

    @contextmanager
    def writing(self, scope: Scope, /) -> Iterator[SqliteUnitOfWork]:
        """See the port."""
        with self._connections.writing() as connection:
            yield SqliteUnitOfWork(connection, scope_key(connection, scope))

    def scopes(self) -> Sequence[Scope]:
        """See the port."""
        with self._connections.reading() as connection:
            return [Scope(tenant=tenant, project=project) for tenant, project in connection.rows(queries.SCOPES)]

    def info(self, *, check: bool = False) -> StoreInfo:
        """See the port."""
        path = self._connections.path
        with self._connections.reading() as connection:
            version = connection.value("PRAGMA user_version")
        return StoreInfo(
            backend="sqlite",
            location=str(path),
            schema_version=version,
            size_bytes=sum(file.stat().st_size for file in _files(path)),
            problems=problems(self._connections) if check else (),
        )

    def describe(self) -> str:
        """See `Service`."""
        with self._connections.reading() as connection:
            version = connection.value("SELECT sqlite_version()")
        return f"SQLite {version}, {self._connections.path}"

    def compact(self) -> None:
        """See the port."""
        compact(self._connections)


def _files(path: Path) -> list[Path]:
    """Return the store's files that exist."""
    return [file for suffix in ("", "-wal") if (file := Path(f"{path}{suffix}")).exists()]
