"""The families of languages whose calls are found by the flow of values."""

from collections.abc import Mapping

from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.javascript.family import SCRIPT
from pckc_domain.policy.graph.python.family import PYTHON

FAMILIES: Mapping[str, Family] = {language: family for family in (PYTHON, SCRIPT) for language in family.languages}
"""By language."""
