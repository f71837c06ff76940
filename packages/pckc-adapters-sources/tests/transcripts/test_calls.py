"""What tool calls and their results are taken for."""

import pytest
from pckc_adapters_sources.transcripts.calls import (
    MAX_OPEN_CALLS,
    Call,
    Errand,
    OpenCalls,
    call_of,
    command_of,
    deeds,
    exit_code,
    result_of,
)
from pckc_adapters_sources.transcripts.runners import is_test
from pckc_domain.model.session import EventKind

TESTS = (
    "pytest",
    "pytest -q tests/test_client.py::test_retry",
    "python -m pytest -x",
    "pytest -m slow",
    "python3.11 -m unittest discover",
    ".venv/bin/pytest",
    "uv run --no-sync pytest packages",
    "cd /home/ann/shop && FOO=1 pytest",
    "poetry run pytest",
    "timeout 60 npx jest --ci",
    "npm test",
    "npm run test:unit",
    "pnpm --filter web test",
    "yarn test",
    "bun test",
    "go test ./...",
    "cargo test --workspace",
    "cargo +nightly nextest run",
    "make test",
    "make -j4 check",
    "make -C build test",
    "dotnet test",
    "./gradlew :app:test",
    "mvn -q test",
    "bundle exec rspec",
    "tox -e py311",
    "vitest run",
    "npx playwright test",
    "bazel test //...",
    "mix test",
    "echo start; ctest --output-on-failure",
    "coverage run -m pytest",
)
NO_TESTS = (
    "",
    "ls",
    "pip install pytest",
    "uv add --dev pytest",
    "git commit -m 'pytest'",
    "git commit -m pytest",
    "cat tests/pytest.ini",
    "grep -rn pytest .",
    "pytest --version",
    "pytest --collect-only",
    "which pytest",
    "npm install jest",
    "make testdata",
    "go build ./...",
    "cargo build --tests",
    "test -f pytest.ini",
    "rm -rf .pytest_cache",
)


@pytest.mark.parametrize("command", TESTS)
def test_test_runs_are_known(command: str) -> None:
    assert is_test(command)


@pytest.mark.parametrize("command", NO_TESTS)
def test_other_commands_are_no_test_runs(command: str) -> None:
    assert not is_test(command)


@pytest.mark.parametrize(
    "command",
    ["pytest", "cd a && pytest -k 'x or y; z'", "pytest 2>&1", "pytest &> log", "pytest && make lint"],
)
def test_a_test_run_has_the_exit_code_of_its_command_line(command: str) -> None:
    assert result_of(call_of("Bash", {"command": command}), 0) == (EventKind.TEST_RESULT, 0)


@pytest.mark.parametrize(
    "command", ["pytest | tail -5", "pytest || true", "pytest; echo done", "pytest &", "pytest\nls"]
)
def test_an_exit_code_that_may_be_of_another_command_is_left_out(command: str) -> None:
    assert result_of(call_of("Bash", {"command": command}), 0) == (EventKind.TEST_RESULT, None)


@pytest.mark.parametrize(
    "call",
    [
        call_of("mcp__pckc__search", {"query": "timeout"}),
        call_of("mcp__my_pckc__context", None),
        call_of("Bash", {"command": "pckc search 'timeout' --json"}),
        call_of("Bash", {"command": "cd shop && pckc context fix"}),
    ],
)
def test_what_memory_answers_is_context(call: Call) -> None:
    assert result_of(call, 0)[0] is EventKind.TURN_CONTEXT


@pytest.mark.parametrize(
    "call",
    [
        call_of("Bash", {"command": "ls pckc"}),
        call_of("Bash", {"command": "git -C pckc log"}),
        call_of("Read", {"file_path": "pckc"}),
        None,
    ],
)
def test_what_other_tools_answer_is_a_result(call: Call | None) -> None:
    assert result_of(call, 0)[0] is EventKind.TOOL_RESULT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Exit code 127\nzsh: command not found", 127),
        ("Error: Exit code 2\nusage", 2),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok", 0),
        ("Exit code: 3\nWall time: 1 seconds\nOutput:\n", 3),
        ("Command: make\nOutput: boom\n" + "x\n" * 5_000 + "Exit Code: 2\nSignal: (none)", 2),
        ("x" * 10_000 + " Exit code 7", None),
        ("Exit code -9", -9),
        ("the docs say: Exit code 5", None),
        ("", None),
    ],
)
def test_exit_codes_are_read_from_a_line_near_an_end(text: str, code: int | None) -> None:
    assert exit_code(text) == code


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("Bash", {"command": "make test"}, "make test"),
        ("shell", {"command": ["bash", "-lc", "make test"]}, "make test"),
        ("shell", {"command": ["grep", "a b", "x"]}, "grep 'a b' x"),
        ("exec_command", {"cmd": "ls", "workdir": "/"}, "ls"),
        ("mcp__box__bash", {"command": "ls"}, "ls"),
        ("Bash", {"command": 3}, ""),
        ("Bash", None, ""),
        ("Read", {"command": "ls"}, ""),
    ],
)
def test_command_lines(tool: str, arguments: object, command: str) -> None:
    assert command_of(tool, arguments) == command


def one(tool: str, arguments: object) -> tuple[str, str, str]:
    (deed,) = deeds(tool, arguments)
    return deed.kind.value, deed.text, deed.path


def test_edits_are_file_changes_with_the_new_text() -> None:
    assert one("Write", {"file_path": "/a", "content": "x = 1"}) == ("file_change", "x = 1", "/a")
    assert one("Edit", {"file_path": "/a", "old_string": "a", "new_string": "b"}) == ("file_change", "b", "/a")
    assert one("Edit", {"file_path": "/a", "old_string": "a\nb", "new_string": ""}) == ("file_change", "-a\n-b", "/a")
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    assert one("MultiEdit", {"file_path": "/a", "edits": edits}) == ("file_change", "b\nd", "/a")
    assert one("NotebookEdit", {"notebook_path": "/n", "new_source": "y"}) == ("file_change", "y", "/n")


def test_an_editor_that_only_looks_changes_nothing() -> None:
    arguments = {"command": "view", "path": "/a"}
    assert one("str_replace_editor", arguments) == (
        "tool_call",
        'str_replace_editor {"command":"view","path":"/a"}',
        "/a",
    )


def test_a_patch_is_a_change_of_each_file() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
        "*** Add File: b.py\n+z\n*** Delete File: c.py\n*** End Patch"
    )
    expected = [
        ("a.py", "*** Update File: a.py\n@@\n-x\n+y"),
        ("b.py", "*** Add File: b.py\n+z"),
        ("c.py", "*** Delete File: c.py"),
    ]
    for tool, arguments in (
        ("apply_patch", patch),
        ("apply_patch", {"input": patch}),
        ("shell", {"command": ["apply_patch", patch]}),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"}),
    ):
        assert [(deed.path, deed.text) for deed in deeds(tool, arguments)] == expected


def test_other_calls_show_their_arguments_on_one_line() -> None:
    assert one("Grep", {"pattern": "тест", "path": "src"}) == (
        "tool_call",
        'Grep {"pattern":"тест","path":"src"}',
        "src",
    )
    assert one("web_search", None) == ("tool_call", "web_search null", "")


def test_open_calls_are_bounded() -> None:
    calls = OpenCalls({})
    for number in range(MAX_OPEN_CALLS + 1):
        calls.open(str(number), Call("Bash", "", Errand.COMMAND))
    assert calls.close("0") is None
    assert calls.close("1") == Call("Bash", "", Errand.COMMAND)
    assert calls.close("1") is None
