"""What this package offers through its entry points."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from attrs import validators
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend
from pckc_domain.ports.graph_index import GraphIndex

DIALECTS = ("auto", "memgraph", "neo4j")


def _is_address(_: object, __: object, url: str) -> None:
    """Refuse what is no address, without repeating it: it may hold a password."""
    if not re.fullmatch(r"(bolt|neo4j)(\+s|\+ssc)?://[^@/?#\s]+/?", url):
        raise ValueError("url must be a Bolt address without credentials, such as bolt://127.0.0.1:7687")


@attrs.frozen(kw_only=True)
class MemgraphSettings:
    """
    Which server, and how long it may take.

    Attributes:
        url: Its Bolt address, without credentials; ``bolt+s://`` asks for TLS.
        user: Who signs in; ``""`` signs in nobody.
        password_variable: Name of the environment variable that holds the user's password.
        database: Database of the server; ``""`` takes its default one.
        dialect: How indexes are declared: as Memgraph or as Neo4j and ArcadeDB do; ``auto`` asks the server.
        connect_timeout_seconds: How long connecting may take.
        query_timeout_seconds: How long the server may work on one transaction.
        retry_seconds: For how long a transaction that met a deadlock or a lost connection is tried again.
    """

    url: str = attrs.field(default="bolt://127.0.0.1:7687", validator=_is_address)
    user: str = ""
    password_variable: str = ""
    database: str = ""
    dialect: str = attrs.field(default="auto", validator=validators.in_(DIALECTS))
    connect_timeout_seconds: float = attrs.field(default=3.0, validator=validators.gt(0))
    query_timeout_seconds: float = attrs.field(default=60.0, validator=validators.gt(0))
    retry_seconds: float = attrs.field(default=10.0, validator=validators.ge(0))


@contextmanager
def _open_graph(settings: MemgraphSettings) -> Iterator[GraphIndex]:
    """Nothing is connected to before the first question: a server that is down fails that one alone."""
    import os

    from pckc_adapters_memgraph.connection import Connection
    from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex

    password = ""
    if settings.user:
        if not settings.password_variable:
            raise ConfigurationError(
                "memgraph has a user but no password_variable",
                remedy='name the variable that holds the password: password_variable = "PCKC_GRAPH_ACCESS"',
            )
        password = os.environ.get(settings.password_variable, "")
        if not password:
            raise ConfigurationError(
                f"{settings.password_variable} is not set",
                remedy=f"set it to the password of {settings.user}, or take user out of the settings",
            )
    with Connection(settings, password) as connection:
        yield MemgraphGraphIndex(connection)


GRAPH: Backend[MemgraphSettings, GraphIndex] = Backend(settings=MemgraphSettings, open=_open_graph)
