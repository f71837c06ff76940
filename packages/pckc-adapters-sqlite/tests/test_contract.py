"""The SQLite adapter keeps the contracts."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_adapters_sqlite import search, selection
from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
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
from pckc_domain.testing.vector_contract import VectorContract


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of an empty store; migrating a new one takes longer than most tests."""
    path = tmp_path_factory.mktemp("made") / "store.db"
    with CANONICAL.open(SqliteSettings(path=path)):
        return path


@pytest.fixture
def empty(tmp_path: Path, made: Path) -> SqliteSettings:
    """Return settings of an empty store of one's own."""
    return SqliteSettings(path=shutil.copyfile(made, tmp_path / "store.db"))


@pytest.fixture
def canonical(empty: SqliteSettings) -> Iterator[Canonical]:
    """Yield an empty store."""
    with CANONICAL.open(empty) as store:
        yield store


class TestSqliteCanonical(CanonicalContract):
    """The canonical store."""


class TestSqliteBelief(BeliefContract):
    """The session side of the canonical store."""


class TestSqliteCopying(CopyingContract):
    """Copying from store to store."""


class TestSqliteCurated(CuratedContract):
    """The curated side of the canonical store."""


class TestSqliteIngest(IngestContract):
    """Documents that are ingested."""


class TestSqliteGaps(GapContract):
    """Gaps from the day they are raised to the claim that answers them."""


class TestSqliteFacts(FactContract):
    """Repository facts in the canonical store."""


class TestSqliteGraph(GraphContract):
    """The graphs of the canonical store."""


class TestSqliteInference(InferenceContract):
    """What is inferred beside the graphs."""


class TestSqliteProjecting(ProjectingContract):
    """What projections leave in the canonical store."""


class TestSqliteSessionGraph(SessionGraphContract):
    """The graph of sessions."""


class TestSelectiveSearch(SearchContract):
    """Search as it is in a large store, where common words do not select."""

    @pytest.fixture(params=[(1, 2), (3, 50)], ids=str)
    def canonical(
        self, request: pytest.FixtureRequest, empty: SqliteSettings, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Canonical]:
        """Yield an empty store that takes a few passages for many."""
        selected_rows, common_rows = request.param
        monkeypatch.setattr(selection, "SELECTED_ROWS", selected_rows)
        for module in (selection, search):
            monkeypatch.setattr(module, "COMMON_ROWS", common_rows)
        with CANONICAL.open(empty) as store:
            yield store


class TestSqliteVector(VectorContract):
    """The vector index."""

    recall = 0.98

    @pytest.fixture
    def vectors(self, empty: SqliteSettings) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(empty) as index:
            yield index
