"""Whatever is done to it, the SQLite store answers as the memory store does."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import settings
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_machine import BeliefMachine
from pckc_domain.testing.curated_machine import CuratedMachine
from pckc_domain.testing.graph_store_machine import GraphStoreEqualsMemory
from pckc_domain.testing.inference_machine import InferenceMachine
from pckc_domain.testing.retention_machine import RetentionMachine
from pckc_domain.testing.store_machine import StoreMachine


class _Opening:
    @contextmanager
    def open(self) -> Iterator[Canonical]:
        """Open an empty store."""
        with (
            tempfile.TemporaryDirectory() as folder,
            CANONICAL.open(SqliteSettings(path=Path(folder) / "store.db")) as store,
        ):
            yield store


class SqliteMachine(_Opening, StoreMachine):
    """Compares with the memory store."""


class SqliteBeliefMachine(_Opening, BeliefMachine):
    """Compares the session side with the memory store."""


class SqliteCuratedMachine(_Opening, CuratedMachine):
    """Compares the curated side with the memory store."""


class SqliteGraphMachine(_Opening, GraphStoreEqualsMemory):
    """Compares the graphs with the memory store."""


class SqliteInferenceMachine(_Opening, InferenceMachine):
    """Compares what is inferred with a recomputation."""


class SqliteRetentionMachine(_Opening, RetentionMachine):
    """What retention leaves is what would be computed anew."""


TestMachine = SqliteMachine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)

TestBeliefMachine = SqliteBeliefMachine.TestCase
TestBeliefMachine.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)

TestCuratedMachine = SqliteCuratedMachine.TestCase
TestCuratedMachine.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)

TestGraphMachine = SqliteGraphMachine.TestCase
TestGraphMachine.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)

TestInferenceMachine = SqliteInferenceMachine.TestCase
TestInferenceMachine.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)

TestRetentionMachine = SqliteRetentionMachine.TestCase
TestRetentionMachine.settings = settings(max_examples=10, stateful_step_count=10, deadline=None)
