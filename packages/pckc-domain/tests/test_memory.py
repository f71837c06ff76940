"""The memory adapter keeps the contracts that it is the measure of."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import settings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.belief_contract import BeliefContract
from pckc_domain.testing.canonical_contract import CanonicalContract
from pckc_domain.testing.copying_contract import CopyingContract
from pckc_domain.testing.curated_contract import CuratedContract
from pckc_domain.testing.gap_contract import GapContract
from pckc_domain.testing.graph_contract import GraphContract
from pckc_domain.testing.inference_contract import InferenceContract
from pckc_domain.testing.inference_machine import InferenceMachine
from pckc_domain.testing.ingest_contract import IngestContract
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.projecting_contract import ProjectingContract
from pckc_domain.testing.session_graph_contract import SessionGraphContract
from pckc_domain.testing.vector_contract import VectorContract


class TestMemoryCanonical(CanonicalContract):
    """The canonical store."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryBelief(BeliefContract):
    """The session side of the canonical store."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryCopying(CopyingContract):
    """Copying from store to store."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryCurated(CuratedContract):
    """The curated side of the canonical store."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryGraph(GraphContract):
    """The graphs."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryInference(InferenceContract):
    """What is inferred beside the graphs."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class MemoryInferenceMachine(InferenceMachine):
    """Compares what is inferred with a recomputation."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Return an empty store."""
        return nullcontext(MemoryCanonical())


TestInferenceMachine = MemoryInferenceMachine.TestCase
TestInferenceMachine.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


class TestMemoryProjecting(ProjectingContract):
    """What projections leave in the canonical store."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemorySessionGraph(SessionGraphContract):
    """The graph of sessions."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryVector(VectorContract):
    """The vector index."""

    recall = 1.0
    filters_inside = True

    @pytest.fixture
    def vectors(self) -> VectorIndex:
        """Return an empty index."""
        return MemoryVectorIndex()


class TestMemoryIngest(IngestContract):
    """Documents that are ingested."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()


class TestMemoryGaps(GapContract):
    """Gaps from the day they are raised to the claim that answers them."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        """Return an empty store."""
        return MemoryCanonical()
