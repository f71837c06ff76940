"""Whatever is done to it, the PostgreSQL store answers as the memory store does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import pytest
from hypothesis import settings
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_machine import BeliefMachine
from pckc_domain.testing.curated_machine import CuratedMachine
from pckc_domain.testing.graph_store_machine import GraphStoreEqualsMemory
from pckc_domain.testing.inference_machine import InferenceMachine
from pckc_domain.testing.retention_machine import RetentionMachine
from pckc_domain.testing.store_machine import StoreMachine

from .conftest import empty


class _Opening:
    schema: ClassVar[PostgresSettings]

    @contextmanager
    def open(self) -> Iterator[Canonical]:
        """Open an empty store."""
        empty(self.schema)
        with CANONICAL.open(self.schema) as store:
            yield store


@pytest.fixture(scope="session", autouse=True)
def _schema(schema: PostgresSettings) -> None:
    _Opening.schema = schema


class PostgresMachine(_Opening, StoreMachine):
    """Compares with the memory store."""


class PostgresBeliefMachine(_Opening, BeliefMachine):
    """Compares the session side with the memory store."""


class PostgresCuratedMachine(_Opening, CuratedMachine):
    """Compares the curated side with the memory store."""


class PostgresGraphMachine(_Opening, GraphStoreEqualsMemory):
    """Compares the graphs with the memory store."""


class PostgresInferenceMachine(_Opening, InferenceMachine):
    """Compares what is inferred with a recomputation."""


class PostgresRetentionMachine(_Opening, RetentionMachine):
    """What retention leaves is what would be computed anew."""


TestMachine = PostgresMachine.TestCase
TestMachine.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)

TestBeliefMachine = PostgresBeliefMachine.TestCase
TestBeliefMachine.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)

TestCuratedMachine = PostgresCuratedMachine.TestCase
TestCuratedMachine.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)

TestGraphMachine = PostgresGraphMachine.TestCase
TestGraphMachine.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)

TestInferenceMachine = PostgresInferenceMachine.TestCase
TestInferenceMachine.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)

TestRetentionMachine = PostgresRetentionMachine.TestCase
TestRetentionMachine.settings = settings(max_examples=5, stateful_step_count=8, deadline=None)
