"""The entry points: one backend per engine."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from attrs import validators
from pckc_domain.plugin import Backend
from pckc_domain.ports.communities import CommunityDetector

from pckc_adapters_leiden.communities import IgraphLeiden, LeidenalgLeiden


@attrs.frozen(kw_only=True)
class IgraphSettings:
    """
    Settings of ``igraph``.

    Attributes:
        seed: Of the order in which nodes are tried, >= 0.
        resolution: Higher ones give more and smaller communities, > 0.
        iterations: Passes over the graph, >= 1.
    """

    seed: int = attrs.field(default=42, validator=validators.ge(0))
    resolution: float = attrs.field(default=1.0, validator=validators.gt(0))
    iterations: int = attrs.field(default=2, validator=validators.ge(1))


@attrs.frozen(kw_only=True)
class LeidenalgSettings(IgraphSettings):
    """
    Settings of ``leidenalg``.

    Attributes:
        objective: What is maximised: ``modularity``, ``constant_potts`` or ``erdos_renyi``.
    """

    objective: str = attrs.field(
        default="modularity", validator=validators.in_(("modularity", "constant_potts", "erdos_renyi"))
    )


@contextmanager
def open_igraph(settings: IgraphSettings) -> Iterator[CommunityDetector]:
    """Open igraph's engine; it is loaded when it is first used."""
    yield IgraphLeiden(seed=settings.seed, resolution=settings.resolution, iterations=settings.iterations)


@contextmanager
def open_leidenalg(settings: LeidenalgSettings) -> Iterator[CommunityDetector]:
    """Open leidenalg's engine; it is loaded when it is first used."""
    yield LeidenalgLeiden(
        seed=settings.seed,
        resolution=settings.resolution,
        iterations=settings.iterations,
        objective=settings.objective,
    )


IGRAPH = Backend(settings=IgraphSettings, open=open_igraph)
LEIDENALG = Backend(settings=LeidenalgSettings, open=open_leidenalg)
