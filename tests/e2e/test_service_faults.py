"""
Kill the worker, the database, the vector store and the graph store at random moments of a load.

``PCKC_FAULTS=20`` injects each fault so often; ``make faults`` does, and prints the fault table.
"""

import os
import random
import sys
from pathlib import Path

from .service_faults import DOWN, Tally, running, table

TIMES = int(os.environ.get("PCKC_FAULTS", "1"))
QUICK = ("worker", "PostgreSQL")
"""What an ordinary run injects; with `PCKC_FAULTS` (`make faults`) it is every fault."""

SEED = int(os.environ.get("PCKC_FAULTS_SEED", "5"))


def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path) -> None:
    """Projections equal a rebuild, what was acknowledged is there, and answers came all the while."""
    dice = random.Random(SEED)  # noqa: S311 - no secret
    tallies = {fault: Tally(fault) for fault in DOWN}
    chosen = DOWN if "PCKC_FAULTS" in os.environ else [fault for fault in DOWN if fault in QUICK]
    faults = [fault for fault in chosen for _ in range(TIMES)]
    dice.shuffle(faults)
    with running(tmp_path) as site:
        for fault in faults:
            site.inject(fault, dice, tallies[fault])
        sys.__stdout__.write(f"\n{table(tallies)}\n") if sys.__stdout__ else None
        followed = site.projections()
        site.program("rebuild", "--all", "--json")
        rebuilt = site.projections()
        acknowledged = site.load.acknowledged
    assert acknowledged, "nothing was written meanwhile"
    assert followed["vectors"]
    assert followed == rebuilt
    assert {tally.fault: tally.lost for tally in tallies.values()} == dict.fromkeys(DOWN, 0)
