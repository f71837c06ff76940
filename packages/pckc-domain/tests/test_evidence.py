"""Evidence: what is refused, and that passages are verbatim spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.evidence import OUTPUT_CHARACTERS, PASSAGE_CHARACTERS, evidence_passages, why_not_evidence


def event(text: str, kind: EventKind = EventKind.PROMPT, tool: str = "") -> Event:
    return Event(id="e", session_id="s", seq=3, kind=kind, time=None, text=text, tool=tool)


class Unreadable(str):
    """A text that fails when anything of it is looked at."""

    def _refuse(self, *_: object) -> None:
        raise AssertionError("the text was looked at")

    __contains__ = __getitem__ = __iter__ = __len__ = strip = casefold = lower = _refuse  # type: ignore[assignment]  # that is the point


@pytest.mark.parametrize("kind", [EventKind.REASONING, EventKind.TURN_CONTEXT, EventKind.SUMMARY])
def test_kinds_are_refused_before_their_text_is_looked_at(kind: EventKind) -> None:
    hidden = event(Unreadable("a secret thought"), kind)
    assert why_not_evidence(hidden)
    assert evidence_passages(hidden, "ep") == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n ",
        "<system-reminder>remember this</system-reminder>",
        "<pckc-context task='x'>\n> a memory\n</pckc-context>",
        "<pckc-context>\n> cut off",
        "This session is being continued from a previous conversation that ran out of context.",
        "<command-name>/clear</command-name>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "Stop hook feedback:\n- run the tests",
        "PreToolUse:Bash hook additional context: be careful",
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /repo\n\nUse tabs.",
        "[Request interrupted by user for tool use]",
        "<ide_opened_file>a.py</ide_opened_file>\n<ide_selection>x = 1</ide_selection>",
    ],
)
def test_what_hosts_and_memories_put_in_is_refused(text: str) -> None:
    assert why_not_evidence(event(text))
    assert evidence_passages(event(text), "ep") == ()


@pytest.mark.parametrize(
    "tool",
    [
        "pckc_search",
        "mcp__pckc__search",
        "mcp__pckc__context",
        "memory_recall",
        "mcp__mem0__memory_search",
        "mem_search",
        "retrieve_agent_context",
        "context_build",
        "mcp__x__context_compile",
    ],
)
def test_memory_tools_are_refused(tool: str) -> None:
    assert why_not_evidence(event("The port is 1.", EventKind.TOOL_RESULT, tool))


@pytest.mark.parametrize("tool", ["Bash", "Read", "memoryleak", "mcp__files__read", "pckcx"])
def test_other_tools_are_evidence(tool: str) -> None:
    assert why_not_evidence(event("The port is 1.", EventKind.TOOL_RESULT, tool)) == ""


def test_own_words_around_an_injected_block_are_kept() -> None:
    text = "Before.\n<system-reminder>not mine</system-reminder>\nAfter."
    passages = evidence_passages(event(text), "ep")
    assert [passage.text for passage in passages] == ["Before.", "After."]
    assert [text[passage.start : passage.end] for passage in passages] == ["Before.", "After."]


def test_a_long_output_keeps_head_and_tail() -> None:
    text = "HEAD " + "x y " * 10_000 + "TAIL"
    passages = evidence_passages(event(text, EventKind.TOOL_RESULT, "Bash"), "ep")
    assert passages[0].text.startswith("HEAD")
    assert passages[-1].text.endswith("TAIL")
    assert sum(len(passage.text) for passage in passages) <= OUTPUT_CHARACTERS


def test_a_long_prompt_is_kept_whole() -> None:
    text = " ".join(f"word{i}" for i in range(5_000))
    passages = evidence_passages(event(text), "ep")
    assert " ".join(passage.text for passage in passages) == text


def test_passages_are_cut_at_paragraphs_first() -> None:
    first, second = "A sentence. " * 70, "Another one. " * 60
    passages = evidence_passages(event(first + "\n\n" + second), "ep")
    assert [passage.text for passage in passages] == [first.strip(), second.strip()]


@given(st.lists(st.sampled_from(["word", "слово.", "\n\n", "\n", " ", "字。", "x" * 700, "end. "]), max_size=60))
def test_passages_are_verbatim_ordered_spans_that_lose_no_word(pieces: list[str]) -> None:
    text = "".join(pieces)
    passages = evidence_passages(event(text), "ep")
    position = 0
    for passage in passages:
        assert passage.text == text[passage.start : passage.end]
        assert 0 < len(passage.text) <= PASSAGE_CHARACTERS
        assert position <= passage.start
        assert not text[position : passage.start].strip()
        position = passage.end
    assert not text[position:].strip()
    assert len({passage.id for passage in passages}) == len(passages)
