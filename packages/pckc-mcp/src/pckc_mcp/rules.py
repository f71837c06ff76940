"""The distiller that needs no model, as a backend like any other."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pckc_domain.plugin import Backend
from pckc_domain.ports.distiller import Distiller


@attrs.frozen(kw_only=True)
class RuleSettings:
    """It has no settings."""


@contextmanager
def _open(_: RuleSettings) -> Iterator[Distiller]:
    from pckc_domain.usecases.rule_distiller import RuleDistiller  # its rules cost every start some milliseconds

    yield RuleDistiller()


RULES = Backend(settings=RuleSettings, open=_open)
