"""Tenants never meet: not through a repository, not through SQL, not through a connection that is used again."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import attrs
import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings, connections
from pckc_adapters_postgres.connection import APPLICATION_ROLE, SEARCH_ROLE, Connection
from pckc_adapters_postgres.migrations import Part
from pckc_domain.errors import BackendError, ConflictError
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Governance
from pckc_domain.model.gap import GapPriority
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.model.trace import TraceKind
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing import belief_strategies, curated_strategies, graph_store_machine, strategies
from pckc_domain.testing.belief_samples import act, assertion, claim, event, session
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.holdings import everything_of
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import TIME, checkout, content, document
from pckc_domain.testing.vector_contract import EVERYWHERE, SPACE, items

from .conftest import empty

PROJECTS = ("sample", "Пример")
EVERYTHING = 10_000
Act = Callable[[UnitOfWork], object]

tenants = st.lists(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8)
    | st.sampled_from(("local", "'", "%", "a'b\\", "*", "LOCAL")),
    min_size=2,
    max_size=3,
    unique=True,
)


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, Act]:
    """Return a name and something that writes."""
    whole = draw(strategies.contents())
    said = draw(belief_strategies.sessions)
    events = draw(st.lists(belief_strategies.events, max_size=3))
    by_slot = draw(belief_strategies.slotted_assertions)
    beliefs = draw(st.dictionaries(belief_strategies.slots, belief_strategies.beliefs(), max_size=2))
    evidence = [one for one in draw(st.lists(belief_strategies.evidences, max_size=3)) if one.session_id == said.id]
    rejections = [one for one in draw(st.lists(belief_strategies.rejections, max_size=2)) if one.session_id == said.id]
    entries = draw(st.lists(strategies.entries(), max_size=2))
    graph = draw(st.sampled_from(graph_store_machine.GRAPHS))
    files = list({file.path: file for file in draw(st.lists(graph_store_machine.linked_files(), max_size=2))}.values())
    ids = draw(strategies.document_ids)
    distilled = draw(st.lists(curated_strategies.distillations, max_size=2))
    verdicts = draw(st.lists(curated_strategies.verdicts, max_size=2))
    asked, traces = draw(curated_strategies.gaps), draw(st.lists(curated_strategies.traces, max_size=2))
    choices: Mapping[str, Act] = {
        "document": lambda work: work.documents.put(whole),
        "forget documents": lambda work: work.documents.remove(ids),
        "checkout": lambda work: work.manifest.record(checkout("co_one")),
        "manifest": lambda work: work.manifest.put("co_one", entries),
        "session": lambda work: work.sessions.put(said, events),
        "forget session": lambda work: work.sessions.remove([said.id]),
        "evidence": lambda work: work.evidence.replace(said.id, [], list({one.id: one for one in evidence}.values())),
        "assertions": lambda work: work.assertions.replace(said.id, by_slot),
        "rejections": lambda work: work.rejections.replace(said.id, rejections),
        "claims": lambda work: work.claims.settle(beliefs),
        "note": lambda work: work.claims.note_check("claim_a", stale_reason="gone"),
        "governance": lambda work: work.governance.append(act(claim("any", id="claim_a"), Governance.PINNED)),
        "graph": lambda work: work.graph(*graph).files.put(files),
        "forget graph": lambda work: work.graph(*graph).files.clear(),
        "retire": lambda work: work.documents.retire(ids),
        "distillations": lambda work: work.distillations.put(distilled),
        "verdicts": lambda work: work.verdicts.put(verdicts),
        "forget verdicts": lambda work: work.verdicts.remove(["claim_a"]),
        "gap": lambda work: work.gaps.put(asked),
        "forget gap": lambda work: work.gaps.remove(asked.id),
        "traces": lambda work: work.traces.add(traces),
        "forget traces": lambda work: work.traces.remove([said.id, ""]),
        "advance": lambda work: work.outbox.advance("vector", 3),
        "reset": lambda work: work.outbox.reset("vector"),
    }
    name = draw(st.sampled_from(tuple(choices)))
    return name, choices[name]


Steps = list[tuple[int, str, tuple[str, Act]]]
HISTORIES = {
    "names": tenants,
    "steps": st.lists(st.tuples(st.integers(0, 2), st.sampled_from(PROJECTS), acts()), max_size=12),
}
CHECKED: Counter[str] = Counter()
"""What was looked at in all examples."""


@pytest.fixture(scope="module", autouse=True)
def _counts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Print them: they say how much the property stands for."""
    yield
    told = ", ".join(f"{count:,} {what}" for what, count in CHECKED.items())
    if told:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(f"\ntenants kept apart: {told}")  # noqa: T201 - what it is for


@hypothesis_settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(**HISTORIES)
def test_each_tenant_has_what_it_alone_wrote(schema: PostgresSettings, names: list[str], steps: Steps) -> None:
    """Repositories answer as a memory store of the tenant's own; SQL as the application role sees no row more."""
    check_tenants(schema, names, steps)


@pytest.mark.bench
@hypothesis_settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(**HISTORIES)
def test_tenants_in_many_histories(schema: PostgresSettings, names: list[str], steps: Steps) -> None:
    """The same, ten times as often."""
    check_tenants(schema, names, steps)


def check_tenants(schema: PostgresSettings, names: list[str], steps: Steps) -> None:
    """Let each tenant write, and look at everything as each of them."""
    empty(schema)
    own = {tenant: MemoryCanonical() for tenant in names}
    with CANONICAL.open(schema) as store:
        for number, project, (_, step) in steps:
            tenant = names[number % len(names)]
            for each in (store, own[tenant]):
                with each.writing(Scope(tenant=tenant, project=project)) as work:
                    step(work)
        for tenant in names:
            for project in PROJECTS:
                scope = Scope(tenant=tenant, project=project)
                assert everything_of(store, scope) == everything_of(own[tenant], scope)
                assert _found(store, scope) == _found(own[tenant], scope)
    stored = _rows(schema)
    CHECKED.update({"examples": 1, "tenants": len(names), "rows": sum(each.total() for each in stored.values())})
    for tenant in (*names, "nobody", ""):
        with _as_application(schema, tenant) as connection:
            _check_sees_only(connection, tenant, stored)
            _check_finds_only(connection, tenant, stored)
            _check_changes_nothing(connection, tenant, stored)
    assert _rows(schema) == stored


def _found(store: Canonical, scope: Scope) -> list[object]:
    """Return what searches find of everything that the strategies write."""
    query = LexicalQuery(words=tuple(strategies.WORDS))
    everything = PassageFilter(include_stale=True)
    with store.reading(scope) as work:
        found: list[object] = [
            {hit.stored.passage.id for hit in work.passages.search(layer, query, where=everything, limit=EVERYTHING)}
            for layer in Layer
        ]
        found.append({one.stored.claim.id for one in work.claims.search(query, where=ClaimFilter(), limit=EVERYTHING)})
        said = work.evidence.search(query, where=EvidenceFilter(), limit=EVERYTHING)
        return [*found, {one.evidence.id for one in said}]


Rows = Mapping[str, Counter[str]]
"""How many rows of each table each tenant has."""


def _rows(settings: PostgresSettings) -> Rows:
    """Count as a superuser, whom no policy binds; every table that the catalogue lists has a tenant, or is known."""
    with psycopg.connect(settings.url) as connection:
        connection.execute(f'SET search_path = "{settings.schema}"'.encode())
        tables = connection.execute(
            """
            SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant')
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            """,
            (settings.schema,),
        ).fetchall()
        assert [name for name, has_tenant in tables if not has_tenant] == ["migration"]
        counted = {}
        for name in (name for name, has_tenant in tables if has_tenant):
            found = connection.execute(f"SELECT tenant, count(*) FROM {name} GROUP BY tenant".encode())  # noqa: S608
            counted[name] = Counter(dict(found.fetchall()))
        return counted


@contextmanager
def _as_application(settings: PostgresSettings, tenant: str) -> "Iterator[psycopg.Connection[Any]]":
    with psycopg.connect(settings.url, autocommit=True) as connection:
        connection.execute(f'SET search_path = "{settings.schema}", public'.encode())
        connection.execute(f"SET ROLE {APPLICATION_ROLE}".encode())
        connection.execute("SELECT set_config('pckc.tenant', %s, false)", (tenant,))
        yield connection


def _check_sees_only(connection: "psycopg.Connection[Any]", tenant: str, stored: Rows) -> None:
    for table, by_tenant in stored.items():
        CHECKED["tables read as one of them"] += 1
        found = connection.execute(f"SELECT tenant, count(*) FROM {table} GROUP BY tenant".encode())  # noqa: S608
        assert dict(found.fetchall()) == {name: count for name, count in by_tenant.items() if name == tenant and count}


def _check_finds_only(connection: "psycopg.Connection[Any]", tenant: str, stored: Rows) -> None:
    """As the role that searches, which may read and nothing else; it sees what matches."""
    connection.execute(f"SET ROLE {SEARCH_ROLE}".encode())
    words = " | ".join(f"'@{key}' | '@g{key}'" for key in range(1, 2_000))
    connection.execute("SELECT set_config('pckc.words', %s, false)", (words,))
    for table in stored:
        found = connection.execute(f"SELECT DISTINCT tenant FROM {table}".encode())  # noqa: S608
        assert {name for (name,) in found.fetchall()} <= {tenant}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"DELETE FROM {table}".encode())  # noqa: S608
    connection.execute(f"SET ROLE {APPLICATION_ROLE}".encode())


def _check_changes_nothing(connection: "psycopg.Connection[Any]", tenant: str, stored: Rows) -> None:
    """Neither directly, nor by handing a row over, nor by taking one."""
    for table, by_tenant in stored.items():
        for statement in (
            f"DELETE FROM {table} WHERE tenant <> %s",  # noqa: S608
            f"UPDATE {table} SET tenant = tenant WHERE tenant <> %s",  # noqa: S608
        ):
            assert connection.execute(statement.encode(), (tenant,)).rowcount == 0
        if by_tenant[tenant]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"UPDATE {table} SET tenant = 'another'".encode())  # noqa: S608
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"TRUNCATE {table} CASCADE".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("INSERT INTO scope (tenant, project) VALUES ('another', 'x')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("DELETE FROM migration")


def test_the_application_role_binds_itself(schema: PostgresSettings) -> None:
    """It owns nothing and bypasses nothing; every policy is forced, on the owner too."""
    with psycopg.connect(schema.url) as connection:
        role = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcanlogin FROM pg_roles WHERE rolname = %s",
            (APPLICATION_ROLE,),
        ).fetchone()
        owned = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relowner = %s::regrole", (APPLICATION_ROLE,)
        ).fetchone()
    assert role == (False, False, False, False)
    assert owned == (0,)
    with CANONICAL.open(schema) as store:
        assert store.info(check=True).problems == ()
        with psycopg.connect(schema.url, autocommit=True) as connection:
            connection.execute(f'ALTER TABLE "{schema.schema}".claim NO FORCE ROW LEVEL SECURITY'.encode())
            problems = store.info(check=True).problems
            connection.execute(f'ALTER TABLE "{schema.schema}".claim FORCE ROW LEVEL SECURITY'.encode())
        assert problems == ("row-level security of claim is not forced",)


def _commit(connection: Connection) -> None:
    assert connection.value("SELECT pckc_tenant()") == "secretive"


def _raise(connection: Connection) -> None:
    raise KeyError


def _fail(connection: Connection) -> None:
    connection.rows("SELECT 1 / 0")


@pytest.mark.parametrize(
    ("act", "ending"),
    [(_commit, nullcontext()), (_raise, pytest.raises(KeyError)), (_fail, pytest.raises(BackendError))],
)
def test_a_connection_keeps_no_tenant(
    settings: PostgresSettings, act: Callable[[Connection], None], ending: AbstractContextManager[object]
) -> None:
    """The pool's one connection, after a transaction of a tenant however it ended."""
    one = attrs.evolve(settings, pool_size=1)
    with connections(one, Part.CANONICAL) as pool:
        for opened in (pool.reading, pool.writing):
            with ending, opened("secretive") as connection:
                before = connection.value("SELECT pg_backend_pid()")
                act(connection)
            with pool.plain() as connection:
                assert connection.value("SELECT pg_backend_pid()") == before
                assert connection.value("SELECT pckc_tenant()") == ""
                assert connection.value("SELECT current_user") == APPLICATION_ROLE
                assert connection.value("SELECT count(*) FROM scope") == 0


def test_a_row_for_another_tenant_is_refused(settings: PostgresSettings) -> None:
    """By the server, as a conflict."""
    with (
        connections(settings, Part.CANONICAL) as pool,
        pytest.raises(ConflictError, match="tenant"),
        pool.writing("mine") as connection,
    ):
        connection.run("INSERT INTO scope (tenant, project) VALUES ('theirs', 'x')")


def test_an_index_cannot_be_taken_from_another_tenant(settings: PostgresSettings) -> None:
    """The functions that run with the owner's rights serve the tenant's own spaces alone."""
    vectors = PgvectorSettings(url=settings.url, schema=settings.schema, hnsw_above=5)
    with VECTOR.open(vectors) as index:
        index.upsert(Scope(tenant="mine", project="p"), SPACE, items(9))
        with _as_application(settings, "theirs") as connection, psycopg.connect(settings.url) as owner:
            found = owner.execute(f'SELECT key FROM "{settings.schema}".embedding_space'.encode())  # noqa: S608
            ((key,),) = found.fetchall()
            connection.execute("SELECT pckc_drop_embedding_index(%s)", (key,))
            name = f'"{settings.schema}".embedding_hnsw_{key}'
            assert owner.execute("SELECT to_regclass(%s) IS NOT NULL", (name,)).fetchone() == (True,)
        assert index.count(Scope(tenant="mine", project="p"), partitions=EVERYWHERE) == 9
        index.clear(Scope(tenant="mine", project="p"))


def test_what_is_stored_is_what_was_written(settings: PostgresSettings) -> None:
    """Read with SQL, past the ports: a mistake that reading repeats backwards would not be seen through them."""
    scope, of = Scope(tenant="mine", project="p"), session("one")
    version = document("src/a.py")
    said = [event(of, seq, f"Said {seq} — «да»") for seq in range(3)]
    believed = claim("The parser is strict.", session_id=of.id)
    with CANONICAL.open(settings) as store, store.writing(scope) as work:
        cut = content(version, "alpha beta")
        work.documents.put(attrs.evolve(cut, passages=tuple(attrs.evolve(one, place="page=3") for one in cut.passages)))
        work.sessions.put(of, said)
        work.assertions.replace(of.id, {"slot": [assertion(believed)]})
        work.distillations.put([distillation("owner", version, error="no JSON", attempts=2)])
        work.verdicts.put([verdict("b", "a", similarity=0.5)])
        work.gaps.put(gap("g", question="Где?", priority=GapPriority.HIGH))
        work.traces.add([trace("t", TraceKind.PLAN, text="Ищу.", session_id=of.id, at=TIME)])
    assert _stored(settings, "SELECT tenant, project FROM scope") == [("mine", "p")]
    assert _stored(settings, "SELECT tenant, id, uri, is_stale, data->>'content_hash' FROM document") == [
        ("mine", version.id, "src/a.py", False, version.content_hash)
    ]
    assert _stored(settings, "SELECT DISTINCT data->>'text', data->>'place' FROM passage") == [("alpha beta", "page=3")]
    assert _stored(settings, "SELECT seq::int, id, data->>'text' FROM event ORDER BY seq") == [
        (one.seq, one.id, one.text) for one in said
    ]
    assert _stored(settings, "SELECT owner_id, slot, id, data->'claim'->>'text' FROM assertion") == [
        (of.id, "slot", believed.id, believed.text)
    ]
    assert _stored(settings, "SELECT owner_id, document_id, is_done, is_failed, data->>'error' FROM distillation") == [
        ("owner", version.id, False, True, "no JSON")
    ]
    assert _stored(settings, "SELECT claim_id, other_id, method, (data->>'similarity')::float FROM verdict") == [
        ("b", "a", "rules", 0.5)
    ]
    assert _stored(settings, "SELECT id, status, priority, data->>'question' FROM gap") == [
        ("g", "open", "high", "Где?")
    ]
    assert _stored(settings, "SELECT id, kind, session_id, at, data->>'text' FROM trace") == [
        ("t", "plan", of.id, TIME, "Ищу.")
    ]
    assert _stored(settings, "SELECT kind, entity_id, operation FROM outbox WHERE kind = 'document'") == [
        ("document", version.id, "upsert")
    ]


def _stored(settings: PostgresSettings, query: str) -> Sequence[tuple[Any, ...]]:
    with psycopg.connect(settings.url) as connection:
        connection.execute(f'SET search_path = "{settings.schema}"'.encode())
        return connection.execute(query.encode()).fetchall()
