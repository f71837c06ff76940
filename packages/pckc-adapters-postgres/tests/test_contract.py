"""The PostgreSQL adapter keeps the contracts."""

from collections.abc import Iterator

import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_contract import BeliefContract
from pckc_domain.testing.canonical_contract import CanonicalContract
from pckc_domain.testing.copying_contract import CopyingContract
from pckc_domain.testing.curated_contract import CuratedContract
from pckc_domain.testing.fact_contract import FactContract
from pckc_domain.testing.gap_contract import GapContract
from pckc_domain.testing.graph_contract import GraphContract
from pckc_domain.testing.inference_contract import InferenceContract
from pckc_domain.testing.ingest_contract import IngestContract
from pckc_domain.testing.projecting_contract import ProjectingContract
from pckc_domain.testing.search_contract import SearchContract
from pckc_domain.testing.session_graph_contract import SessionGraphContract


@pytest.fixture(scope="module")
def opened(schema: PostgresSettings) -> Iterator[Canonical]:
    """Yield a store that is opened once."""
    with CANONICAL.open(schema) as store:
        yield store


@pytest.fixture
def canonical(settings: PostgresSettings, opened: Canonical) -> Canonical:
    """Return an empty store."""
    return opened


class TestPostgresCanonical(CanonicalContract):
    """The canonical store."""


class TestPostgresBelief(BeliefContract):
    """The session side of the canonical store."""


class TestPostgresCopying(CopyingContract):
    """Copying from store to store."""


class TestPostgresCurated(CuratedContract):
    """The curated side of the canonical store."""


class TestPostgresIngest(IngestContract):
    """Documents that are ingested."""


class TestPostgresGaps(GapContract):
    """Gaps from the day they are raised to the claim that answers them."""


class TestPostgresFacts(FactContract):
    """Repository facts."""


class TestPostgresSearch(SearchContract):
    """Lexical search."""


class TestPostgresGraph(GraphContract):
    """Graphs."""


class TestPostgresInference(InferenceContract):
    """What is inferred beside the graphs."""


class TestPostgresProjecting(ProjectingContract):
    """What projections leave in the canonical store."""


class TestPostgresSessionGraph(SessionGraphContract):
    """The graph of sessions."""
