"""The canonical store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, StoreInfo, UnitOfWork
from pckc_domain.ports.service import Service

from pckc_adapters_postgres.assertions import PostgresAssertions
from pckc_adapters_postgres.census import PostgresCensus
from pckc_adapters_postgres.claims import PostgresClaims
from pckc_adapters_postgres.connection import Connection, Connections, describe
from pckc_adapters_postgres.curated import (
    PostgresDistillations,
    PostgresGaps,
    PostgresTraces,
    PostgresVerdicts,
)
from pckc_adapters_postgres.documents import PostgresDocuments
from pckc_adapters_postgres.evidence import PostgresEvidence
from pckc_adapters_postgres.facts import PostgresFacts
from pckc_adapters_postgres.governance import PostgresGovernance
from pckc_adapters_postgres.graph import PostgresGraphWork
from pckc_adapters_postgres.imports import PostgresImports
from pckc_adapters_postgres.inference import PostgresInferences
from pckc_adapters_postgres.inventory import PostgresInventory
from pckc_adapters_postgres.links import PostgresLinks
from pckc_adapters_postgres.manifest import PostgresManifest
from pckc_adapters_postgres.migrations import Part, newest
from pckc_adapters_postgres.outbox import PostgresOutbox
from pckc_adapters_postgres.passages import PostgresPassages
from pckc_adapters_postgres.projecting import PostgresGenerations, PostgresLeases, PostgresSetAside
from pckc_adapters_postgres.proofs import PostgresProofs
from pckc_adapters_postgres.rejections import PostgresRejections
from pckc_adapters_postgres.sessions import PostgresSessions

NO_SCOPE = 0
"""Key of a scope that was never written to: no row has it."""

_KEY = "SELECT key FROM scope WHERE tenant = %s AND project = %s"
_MAKE = "INSERT INTO scope (tenant, project) VALUES (%s, %s) ON CONFLICT (tenant, project) DO NOTHING"
_HOLD = "SELECT key FROM scope WHERE tenant = %s AND project = %s FOR UPDATE"
_HOLDING = (
    "document",
    "checkout",
    "manifest",
    "session",
    "assertion",
    "claim",
    "transcript",
    "graph",
    "distillation",
    "verdict",
    "gap",
    "trace",
)
_SCOPES = f"""
    SELECT tenant, project FROM scope
    WHERE {" OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE scope_key = scope.key)" for table in _HOLDING)}
    ORDER BY tenant, project
"""  # noqa: S608 - our names
_GRAPHS = """
    SELECT checkout_id, layer FROM graph
    WHERE scope_key = %s AND (state IS NOT NULL OR EXISTS (SELECT 1 FROM graph_file WHERE graph_key = graph.key))
    ORDER BY checkout_id, layer
"""
_SIZE = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r'
"""
_UNFORCED = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
    WHERE n.nspname = %s AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
    ORDER BY c.relname
"""


class PostgresUnitOfWork(UnitOfWork):
    """Repositories of one scope on one connection."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = PostgresOutbox(connection, scope_key)
        self._distillations = PostgresDistillations(connection, scope_key)
        self._verdicts = PostgresVerdicts(connection, scope_key)
        self._gaps = PostgresGaps(connection, scope_key)
        self._traces = PostgresTraces(connection, scope_key)
        self._documents = PostgresDocuments(connection, scope_key, self._outbox, self._distillations)
        self._passages = PostgresPassages(connection, scope_key)
        self._manifest = PostgresManifest(connection, scope_key, self._documents)
        self._evidence = PostgresEvidence(connection, scope_key, self._outbox)
        self._sessions = PostgresSessions(connection, scope_key, self._evidence, self._traces)
        self._assertions = PostgresAssertions(connection, scope_key)
        self._facts = PostgresFacts(connection, scope_key)
        self._rejections = PostgresRejections(connection, scope_key)
        self._proofs = PostgresProofs(connection, scope_key)
        self._links = PostgresLinks(connection, scope_key)
        self._claims = PostgresClaims(connection, scope_key, self._outbox, self._proofs, self._links)
        self._governance = PostgresGovernance(connection, scope_key)
        self._imports = PostgresImports(connection, scope_key)
        self._census = PostgresCensus(connection, scope_key)
        self._set_aside = PostgresSetAside(connection, scope_key)
        self._leases = PostgresLeases(connection, scope_key)
        self._generations = PostgresGenerations(connection, scope_key)

    def graph(self, checkout_id: str, layer: GraphLayer, /) -> PostgresGraphWork:
        """See the port."""
        return PostgresGraphWork(self._connection, self._scope_key, checkout_id, layer, self._outbox)

    def graphs(self) -> Sequence[tuple[str, GraphLayer]]:
        """See the port."""
        found = self._connection.rows(_GRAPHS, (self._scope_key,))
        return [(checkout_id, GraphLayer(layer)) for checkout_id, layer in found]

    @property
    def documents(self) -> PostgresDocuments:
        """See the port."""
        return self._documents

    @property
    def passages(self) -> PostgresPassages:
        """See the port."""
        return self._passages

    @property
    def manifest(self) -> PostgresManifest:
        """See the port."""
        return self._manifest

    @property
    def outbox(self) -> PostgresOutbox:
        """See the port."""
        return self._outbox

    @property
    def inventory(self) -> PostgresInventory:
        """See the port."""
        return PostgresInventory(self._connection, self._scope_key, self._documents)

    @property
    def inferences(self) -> PostgresInferences:
        """See the port."""
        return PostgresInferences(self._connection, self._scope_key)

    @property
    def sessions(self) -> PostgresSessions:
        """See the port."""
        return self._sessions

    @property
    def evidence(self) -> PostgresEvidence:
        """See the port."""
        return self._evidence

    @property
    def assertions(self) -> PostgresAssertions:
        """See the port."""
        return self._assertions

    @property
    def facts(self) -> PostgresFacts:
        """See the port."""
        return self._facts

    @property
    def rejections(self) -> PostgresRejections:
        """See the port."""
        return self._rejections

    @property
    def claims(self) -> PostgresClaims:
        """See the port."""
        return self._claims

    @property
    def proofs(self) -> PostgresProofs:
        """See the port."""
        return self._proofs

    @property
    def links(self) -> PostgresLinks:
        """See the port."""
        return self._links

    @property
    def governance(self) -> PostgresGovernance:
        """See the port."""
        return self._governance

    @property
    def imports(self) -> PostgresImports:
        """See the port."""
        return self._imports

    @property
    def census(self) -> PostgresCensus:
        """See the port."""
        return self._census

    @property
    def distillations(self) -> PostgresDistillations:
        """See the port."""
        return self._distillations

    @property
    def verdicts(self) -> PostgresVerdicts:
        """See the port."""
        return self._verdicts

    @property
    def gaps(self) -> PostgresGaps:
        """See the port."""
        return self._gaps

    @property
    def traces(self) -> PostgresTraces:
        """See the port."""
        return self._traces

    @property
    def set_aside(self) -> PostgresSetAside:
        """See the port."""
        return self._set_aside

    @property
    def leases(self) -> PostgresLeases:
        """See the port."""
        return self._leases

    @property
    def generations(self) -> PostgresGenerations:
        """See the port."""
        return self._generations


class PostgresCanonical(Canonical, Service):
    """A canonical store in one schema of one database."""

    def __init__(self, connections: Connections, schema: str, tenants: Sequence[str]) -> None:
        self._connections = connections
        self._schema = schema
        self._tenants = set(tenants)

    @contextmanager
    def reading(self, scope: Scope, /) -> Iterator[PostgresUnitOfWork]:
        """See the port."""
        with self._connections.reading(scope.tenant) as connection:
            # This first query also fixes the snapshot.
            key = connection.value(_KEY, (scope.tenant, scope.project))
            yield PostgresUnitOfWork(connection, key or NO_SCOPE)

    @contextmanager
    def writing(self, scope: Scope, /) -> Iterator[PostgresUnitOfWork]:
        """See the port."""
        self._tenants.add(scope.tenant)
        named = (scope.tenant, scope.project)
        with self._connections.writing(scope.tenant) as connection:
            # Writers of a scope wait here for each other, so that what they read is what they change.
            key = connection.value(_HOLD, named)
            if key is None:
                connection.run(_MAKE, named)
                key = connection.value(_HOLD, named)
            yield PostgresUnitOfWork(connection, key)

    def scopes(self) -> Sequence[Scope]:
        """Return the scopes of the tenants configured, and of those this process has written to; see the port."""
        found: list[Scope] = []
        for tenant in sorted(self._tenants):
            with self._connections.reading(tenant) as connection:
                found += [Scope(tenant=tenant, project=project) for tenant, project in connection.rows(_SCOPES)]
        return found

    def info(self, *, check: bool = False) -> StoreInfo:
        """See the port."""
        with self._connections.plain() as connection:
            size = connection.value(_SIZE, (self._schema,))
            unforced = connection.rows(_UNFORCED, (self._schema,)) if check else []
        return StoreInfo(
            backend="postgres",
            location=self._connections.location,
            schema_version=newest(Part.CANONICAL),
            size_bytes=size,
            problems=tuple(f"row-level security of {table} is not forced" for (table,) in unforced),
        )

    def describe(self) -> str:
        """See `Service`."""
        return describe(self._connections)

    def compact(self) -> None:
        """Vacuum; only the owner of the tables may, others leave it to the server's own daemon. See the port."""
        with self._connections.plain() as connection:
            connection.run("VACUUM (ANALYZE)")
