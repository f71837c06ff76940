"""Which of several lists of results comes first."""

from pathlib import Path

import pytest
from pckc_domain.model.memory import ClaimResult
from pckc_mcp.ingesting import Ingesting, Text
from pckc_mcp.memory import open_memory
from pckc_mcp.searching import Searching, SearchOptions


@pytest.mark.parametrize("now", ["The moon base has 4 airlocks.", "Airlocks of the moon base: as in the drawing."])
def test_what_a_document_says_comes_before_what_it_said(project: Path, now: str) -> None:
    """Also where no claim was read from what it says."""
    with open_memory(project) as memory:
        memory.remember("We decided to paint the hangar green.")
        for text in ("The moon base has 3 airlocks.", now):
            list(Ingesting(memory.engine).run([Text(text=text, name="moon")]))
        searching = Searching(memory.engine, None)
        results = searching.find("moon base airlocks", SearchOptions()).results
        is_past = [isinstance(one, ClaimResult) and one.claim.status == "stale" for one in results]
        texts = [
            one.stored.passage.text for one in results if not isinstance(one, ClaimResult) and hasattr(one, "stored")
        ]
        assert now in texts
        assert is_past.count(True) == 1
        assert not is_past[0]
