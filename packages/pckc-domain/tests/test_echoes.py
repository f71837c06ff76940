"""What hooks and a transcript both tell."""

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.echoes import without_echoes


def event(seq: int, text: str, kind: EventKind = EventKind.PROMPT, source_id: str = "", path: str = "") -> Event:
    return Event(
        id=f"event_{seq}", session_id="s", seq=seq, kind=kind, time=None, text=text, source_id=source_id, path=path
    )


def test_a_transcript_is_believed_before_a_hook() -> None:
    """Whichever came first; white space and case do not tell two texts apart."""
    hooked, told = event(0, "Use  DuckDB.", source_id="hook:a#0"), event(1, "Use DuckDB.", source_id="u1")
    assert without_echoes([hooked, told]) == [told]
    assert without_echoes([told, hooked]) == [told]


def test_what_only_a_hook_tells_stays() -> None:
    """A transcript may not be written to its end yet."""
    hooked, told = event(0, "Use DuckDB.", source_id="hook:a#0"), event(1, "Use PostgreSQL.", source_id="u1")
    assert without_echoes([hooked, told]) == [hooked, told]


def test_the_result_of_a_call_goes_with_the_call() -> None:
    """Hosts write results otherwise than they tell them to a hook."""
    call = event(0, "make test", EventKind.COMMAND, "hook:a#0")
    result = event(1, "3 passed", EventKind.TEST_RESULT, "hook:a#1")
    told = event(2, "make test", EventKind.COMMAND, "u1")
    assert without_echoes([call, result, told]) == [told]


def test_another_file_is_another_change() -> None:
    """The same text may be written to two files."""
    hooked = event(0, "PORT = 1", EventKind.FILE_CHANGE, "hook:a#0", path="/a.py")
    told = event(1, "PORT = 1", EventKind.FILE_CHANGE, "u1", path="/b.py")
    assert without_echoes([hooked, told]) == [hooked, told]


def test_a_long_text_that_a_hook_cut_is_known_again() -> None:
    """By its start."""
    text = "word " * 4_000
    hooked = event(0, text[:8_000] + "…" + text[-8_000:], EventKind.AGENT_MESSAGE, "hook:a#0")
    told = event(1, text, EventKind.AGENT_MESSAGE, "u1")
    assert without_echoes([hooked, told]) == [told]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12))
def test_no_text_is_lost_and_none_told_twice_by_both(said: list[tuple[str, bool]]) -> None:
    """For any mixture of the two."""
    events = [
        event(seq, text, source_id=f"hook:{seq}#0" if is_hooked else f"u{seq}")
        for seq, (text, is_hooked) in enumerate(said)
    ]
    kept = without_echoes(events)
    assert {one.text for one in kept} == {one.text for one in events}
    told = {one.text for one in kept if one.source_id.startswith("u")}
    assert not told & {one.text for one in kept if one.source_id.startswith("hook:")}
    assert [one for one in events if one in kept] == kept
