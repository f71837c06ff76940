"""How far a long command is, told where there is no terminal."""

import pytest
from pckc_domain.model.progress import Progress
from pckc_mcp.cli.output import LINE_SECONDS, ProgressLines, progress_bar


def test_a_line_now_and_then() -> None:
    now, said = [0.0], list[str]()
    lines = ProgressLines(now=lambda: now[0], say=said.append)
    for second in range(int(3 * LINE_SECONDS)):
        now[0] = float(second)
        lines.show(Progress(stage="embedding", done=second, total=100))
    assert said == [f"pckc: embedding: {int(number * LINE_SECONDS)} of 100" for number in (1, 2)]
    now[0] += LINE_SECONDS
    lines.show(Progress(stage="reading", done=5, total=0))
    assert said[2:] == ["pckc: reading: 5"]


def test_a_short_command_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (True, False):
        with progress_bar(quiet=quiet) as progress:
            progress(Progress(stage="embedding", done=1, total=2))
    assert capsys.readouterr().err == ""
