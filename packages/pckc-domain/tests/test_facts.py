"""Repository facts as claims."""

import pytest
from hypothesis import settings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.fact_contract import FactContract
from pckc_domain.testing.fact_machine import FactMachine
from pckc_domain.testing.memory.canonical import MemoryCanonical


class TestMemoryFacts(FactContract):
    """The memory store keeps the contract."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        return MemoryCanonical()


class MemoryFactMachine(FactMachine):
    """The memory store."""

    def open_canonical(self) -> Canonical:
        return MemoryCanonical()


TestMemoryFactMachine = MemoryFactMachine.TestCase
TestMemoryFactMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
