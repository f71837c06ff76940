"""The distiller by rules keeps the contract of distillers."""

import pytest
from pckc_domain.ports.distiller import Distiller
from pckc_domain.testing.distiller_contract import DistillerContract
from pckc_domain.usecases.rule_distiller import RuleDistiller


class TestRuleDistiller(DistillerContract):
    """Without a model."""

    @pytest.fixture
    def distiller(self) -> Distiller:
        return RuleDistiller()
