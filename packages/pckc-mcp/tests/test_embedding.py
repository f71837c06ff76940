"""The memory that agents embed in their own process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.session import EventKind
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_mcp.memory import Memory, open_memory
from pckc_mcp.searching import NEAREST, Searching, SearchOptions


@pytest.fixture
def opened(project: Path) -> Iterator[Memory]:
    with open_memory(project) as memory:
        yield memory


@pytest.mark.parametrize("kind", [EventKind.PROMPT, "prompt"])
def test_a_kind_goes_by_its_name_too(opened: Memory, kind: Any) -> None:
    opened.remember("We decided to use SQLite instead of PostgreSQL.", kind=kind)
    assert any("SQLite" in hit.text for hit in opened.search("which database"))


def test_an_unknown_kind_is_refused_with_what_is_known(opened: Memory) -> None:
    with pytest.raises(InvalidInputError, match="zzz") as refused:
        opened.remember("x", kind="zzz")
    assert "prompt" in refused.value.remedy


@pytest.mark.parametrize("text", [5, None, ["a"], b"a"])
def test_what_is_no_text_is_refused(opened: Memory, text: Any) -> None:
    with pytest.raises(InvalidInputError, match="text") as refused:
        opened.remember(text)
    assert refused.value.remedy


def test_a_session_must_have_a_name(opened: Memory) -> None:
    session: Any = 5
    with pytest.raises(InvalidInputError, match="session"):
        opened.remember("x", session=session)


def test_a_closed_memory_says_so(project: Path) -> None:
    with open_memory(project) as memory:
        memory.index()
    for use in (lambda: memory.search("port"), lambda: memory.remember("x"), lambda: memory.engine):
        with pytest.raises(InvalidInputError, match="closed") as refused:
            use()
        assert "with" in refused.value.remedy


def test_numbers_that_will_not_do_are_refused_with_what_will(opened: Memory) -> None:
    with pytest.raises(InvalidInputError) as refused:
        opened.search("x", limit=0)
    assert refused.value.remedy
    with pytest.raises(InvalidInputError) as refused:
        opened.context("x", budget_tokens=-1)
    assert refused.value.remedy


def test_a_missing_folder_is_told_to_a_program(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder") as refused, open_memory(tmp_path / "missing"):
        pass
    assert refused.value.remedy
    assert "--" not in refused.value.remedy


@pytest.mark.parametrize("layers", [(), ("claims",), ("evidence",), ("passages",)])
def test_what_is_only_near_by_meaning_is_said_to_be(project: Path, layers: tuple[str, ...]) -> None:
    """There is always a nearest one, however far it is; what shares a word with the query is told apart."""
    with open_memory(project, embedder=HashEmbedder(), vectors=MemoryVectorIndex()) as memory:
        memory.index()
        memory.remember("We decided to use SQLite as the database.")
        searching = Searching(memory.engine, memory.engine.semantic)
        near = searching.find("zyzzyva quokkas wombling", SearchOptions(layers=layers))
        assert near.results
        assert (near.signals, near.notes) == ("hybrid", (NEAREST,))
        assert searching.form(near)["notes"] == [NEAREST]
        assert searching.find("SQLite database", SearchOptions(layers=layers)).notes == ()
        by_words = Searching(memory.engine, None).find("zyzzyva quokkas wombling", SearchOptions(layers=layers))
        assert by_words.results == ()
        assert by_words.notes == ()
        assert by_words.signals.startswith("lexical only")


def test_a_search_by_words_alone_says_nothing_of_meaning(opened: Memory) -> None:
    """A standing instruction comes with a request that shares no word with it."""
    opened.remember("From now on, always run the linter before you commit.")
    found = Searching(opened.engine, None).find("Please tidy our garden", SearchOptions(layers=("evidence",)))
    assert found.results
    assert found.notes == ()
