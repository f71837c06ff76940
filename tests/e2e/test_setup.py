"""`pckc setup` and `pckc uninstall`: an agent host is connected, and all that is taken back."""

import json
import shlex
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pckc_mcp.server.tools import TOOL_SETS
from pckc_mcp.setup.wanted import EVENTS, dsh_rows, hooks, server
from pckc_mcp.setup.yaml_document import insertion

from .program import PCKC, Program

HOSTS = ("claude", "codex", "dsh", "gemini")
INTEGRATIONS = Path(__file__).parents[2] / "integrations"

THEIRS = {
    ".claude.json": '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n',
    ".claude/settings.json": '{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    ".codex/config.toml": '# mine\nmodel = "m" # why\n[mcp_servers.other]\ncommand = "x"',
    ".codex/hooks.json": '{"hooks": {"Stop": []}}\n',
    ".dsh/cordis.patch.yml": "# mine\n- insert:\n    - {id: a, config: {cwd: !!js process.cwd()}} # why\n",
    ".gemini/settings.json": '{\r\n\t"theme": "dark"\r\n}\r\n',
}


@pytest.fixture
def home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"])


def fill(home: Path) -> None:
    """Let the user have configured every host."""
    for name, text in THEIRS.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "empty"])
def test_there_and_back(pckc: Program, home: Path, host: str, is_filled: bool) -> None:
    """A rehearsal writes nothing, a second time changes nothing, and taking it back leaves no trace."""
    if is_filled:
        fill(home)
    before = tree(home)
    rehearsed = pckc("setup", host, "--dry-run").stdout
    assert "+" in rehearsed
    assert tree(home) == before
    first = pckc("setup", host, "--json").json
    assert {file["action"] for file in first["files"]} <= {"create", "change"}
    assert "\n".join(file["diff"].rstrip("\n") for file in first["files"]) == rehearsed.rstrip("\n")
    after = tree(home)
    assert {file["action"] for file in pckc("setup", host, "--json").json["files"]} == {"unchanged"}
    assert tree(home) == after
    kept = [name for name in after if "pckc-backup" in name]
    assert {after[name] for name in kept} == {before[name] for name in before if after[name] != before[name]}
    assert pckc("uninstall", host, "--dry-run").stdout
    assert tree(home) == after
    pckc("uninstall", host)
    assert tree(home) == before
    assert {file["action"] for file in pckc("uninstall", host, "--json").json["files"]} == {"unchanged"}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "empty"])
def test_a_setup_of_another_installation_is_taken_back_too(
    pckc: Program, home: Path, tmp_path: Path, host: str, is_filled: bool
) -> None:
    """What setup made goes as a whole; what it changed keeps its words, and the backups that stay are named."""
    if is_filled:
        fill(home)
    before = tree(home)
    link = tmp_path / "elsewhere" / "pckc"
    link.parent.mkdir()
    link.symlink_to(PCKC)
    pckc("setup", host)
    subprocess.run(
        [link, "setup", host], cwd=pckc.folder, env={**pckc.environ, "PATH": "/usr/bin:/bin"}, check=True, timeout=60
    )
    answer = pckc("uninstall", host)
    after = tree(home)
    left = [name for name in after if "pckc-backup" in name]
    assert not [name for name in after if name not in before and name not in left]
    assert b"elsewhere/pckc" not in b"".join(after[name] for name in before)
    said = answer.stdout + answer.stderr
    assert all(name in said for name in left)
    assert is_filled or not left


def test_hooks_that_an_earlier_release_wanted_go(pckc: Program, home: Path) -> None:
    """Each event has what this one wants; another's hooks of the same event stay."""
    file = home / ".dsh" / "pckc-hooks.json"
    pckc("setup", "dsh")
    fresh = json.loads(file.read_text())
    own, other = ({"type": "command", "command": command} for command in ("pckc hook SessionEnd --host dsh", "x"))
    older = {"SessionStart": [{"hooks": [own]}], "SessionEnd": [{"hooks": [own, other]}]}
    file.write_text(json.dumps({"hooks": {**older, **fresh["hooks"]}}))
    pckc("setup", "dsh")
    assert json.loads(file.read_text()) == {"hooks": {"SessionEnd": [{"hooks": [other]}], **fresh["hooks"]}}


def test_an_empty_object_of_the_user_stays(pckc: Program, home: Path) -> None:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    pckc("setup", "gemini")
    file.write_text(file.read_text().replace('"pckc"\n', '"/other/pckc"\n').replace('"pckc",', '"/other/pckc",'))
    pckc("uninstall", "gemini")
    assert json.loads(file.read_text()) == {}


def test_a_rehearsal_names_no_next_steps(pckc: Program) -> None:
    """Nothing was done that they could follow."""
    assert "Restart" not in pckc("setup", "claude", "--dry-run").stderr
    assert pckc("setup", "claude", "--dry-run", "--json").json["notes"] == []
    assert "Restart" in pckc("setup", "claude").stderr


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_a_project_has_a_configuration_of_its_own(pckc: Program, home: Path, host: str) -> None:
    """Which names no path of this machine; nothing of the user's is touched."""
    folder = pckc.folder / "docs"
    pckc("setup", host, "--project", folder=folder)
    written = [name for name in tree(pckc.folder) if name.startswith((".mcp", ".claude", ".codex", ".gemini"))]
    assert written
    assert all(str(pckc.folder).encode() not in (pckc.folder / name).read_bytes() for name in written)
    assert all(b'"pckc' in (pckc.folder / name).read_bytes() for name in written)
    assert tree(home) == {}
    pckc("uninstall", host, "--project", folder=folder)
    assert not [name for name in tree(pckc.folder) if name.startswith((".mcp", ".claude", ".codex", ".gemini"))]


def test_dsh_has_none(pckc: Program) -> None:
    """It says so."""
    answer = pckc("setup", "dsh", "--project", "--json", check=False)
    assert (answer.code, answer.error["code"]) == (2, "invalid_input")


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_edited_since_stays_edited(pckc: Program, home: Path, host: str) -> None:
    """Only what is PCKC's goes, and what stood there before it is kept beside it."""
    fill(home)
    pckc("setup", host)
    edits = {
        ".claude.json": ('"numStartups": 3', '"numStartups": 4'), ".claude/settings.json": ('"opus"', '"sonnet"'),
        ".codex/config.toml": ("# why", "# because"), ".dsh/cordis.patch.yml": ("# why", "# because"),
        ".gemini/settings.json": ('"dark"', '"light"'), ".codex/hooks.json": ('"hooks": {', '"hooks": {"Mine": [], '),
    }  # fmt: skip
    edited = {name: pair for name, pair in edits.items() if name.startswith(f".{host}")}
    for name, (old, new) in edited.items():
        text = (home / name).read_bytes()
        assert old.encode() in text
        (home / name).write_bytes(text.replace(old.encode(), new.encode(), 1))
    pckc("uninstall", host)
    for name, (_, new) in edited.items():
        left = (home / name).read_text()
        assert new.rstrip(", ") in left
        assert "pckc" not in left
    assert [name for name in tree(home) if "pckc-backup" in name]


def test_codex_gets_its_hooks_where_it_has_them(pckc: Program, home: Path) -> None:
    """In config.toml or in hooks.json, never in both."""
    (home / ".codex").mkdir()
    config = home / ".codex" / "config.toml"
    config.write_text('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say"\n')
    before = config.read_text()
    pckc("setup", "codex")
    read = tomllib.loads(config.read_text())
    assert not (home / ".codex" / "hooks.json").exists()
    assert read["hooks"]["Stop"][0]["hooks"][0]["command"] == "say"
    assert {event for event in read["hooks"] if event in EVENTS["codex"]} == set(EVENTS["codex"])
    assert pckc("setup", "codex", "--json").json["files"][0]["action"] == "unchanged"
    pckc("uninstall", "codex")
    assert config.read_text() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude/settings.json", '{"hooks": {'), (".claude/settings.json", '// mine\n{"hooks": {}}'),
        (".claude.json", '{"mcpServers": []}'), (".claude.json", '{"a": 1, "a": 2}'), (".claude.json", "\xff"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_understood(pckc: Program, home: Path, name: str, text: str) -> None:
    """Neither it nor the host's other file is changed."""
    file = home / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("latin-1"))
    before = tree(home)
    for command in ("setup", "uninstall"):
        answer = pckc(command, "claude", "--json", check=False)
        assert answer.code == 2
        assert str(file) in answer.error["message"]
        assert answer.error["remedy"]
    assert tree(home) == before


HALF = r"x \ud83d \ud83d\ude00"
"""Half a character and a whole one, as escapes."""


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("claude", ".claude.json", f'{{"a":"é","b":"{HALF}"}}\n'),
        ("claude", ".claude/settings.json", f'{{\n  "é": [],\n  "{HALF}": 1\n}}\n'),
        ("codex", ".codex/hooks.json", f'{{"hooks": {{"é": [], "{HALF}": []}}}}'),
        ("dsh", ".dsh/cordis.patch.yml", f'# é\n- insert:\n    - {{id: a, name: "{HALF}"}}\n'),
        ("gemini", ".gemini/settings.json", f'{{"a":"é","b":"{HALF}"}}'),
    ],
)
def test_half_a_character_stays_as_it_is(pckc: Program, home: Path, host: str, name: str, text: str) -> None:
    """Written as an escape it is valid, and nothing else can spell it."""
    file = home / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    assert pckc("setup", host, "--dry-run").stdout
    pckc("setup", host)
    written = file.read_text(encoding="utf-8")
    assert "pckc" in written or name == ".codex/hooks.json"
    assert "é" in written
    assert r"\ud83d" in written
    file.write_text(written + "\n", encoding="utf-8")  # it was edited since: it is not put back, but taken out of
    pckc("uninstall", host)
    left = file.read_text(encoding="utf-8")
    assert "pckc" not in left
    assert "é" in left
    assert r"\ud83d" in left


def test_half_a_character_in_toml_is_refused(pckc: Program, home: Path) -> None:
    """It is no TOML."""
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(f'model = "{HALF} é"\n', encoding="utf-8")
    for command in ("setup", "uninstall"):
        refused = pckc(command, "codex", "--json", check=False)
        assert (refused.code, "nothing was changed" in refused.error["message"]) == (2, True)


def test_a_file_that_may_not_be_written(pckc: Program, home: Path) -> None:
    """It stays as it is, also for one who may replace it."""
    fill(home)
    file = home / ".codex" / "config.toml"
    file.chmod(0o444)
    before = tree(home)
    answer = pckc("setup", "codex", "--json", check=False)
    assert (answer.code, answer.error["code"]) == (4, "backend")
    assert tree(home) == before


def test_many_rounds_leave_two_backups_a_file(pckc: Program, home: Path) -> None:
    """The user's original among them, though the host writes into its file all the time."""
    fill(home)
    file = home / ".claude.json"
    for number in range(3):
        for command in ("setup", "uninstall"):
            pckc(command, "claude")
            held = json.loads(file.read_text())
            file.write_text(json.dumps(held | {"numStartups": 10 * number + len(command)}))
    kept = [text.decode() for name, text in tree(home).items() if name.startswith(".claude.json.pckc-backup")]
    assert len(kept) == 2
    assert THEIRS[".claude.json"] in kept


def test_a_linked_file(pckc: Program, home: Path, tmp_path: Path) -> None:
    """Dotfiles stay where they are kept."""
    kept = tmp_path / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text('{"model": "opus"}')
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(kept)
    pckc("setup", "claude")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "pckc" in kept.read_text()
    pckc("uninstall", "claude")
    assert kept.read_text() == '{"model": "opus"}'


def test_two_at_once(pckc: Program, home: Path) -> None:
    """Neither undoes the other."""
    fill(home)
    pckc.together([["setup", host] for host in HOSTS] * 2)
    assert {file["action"] for host in HOSTS for file in pckc("setup", host, "--json").json["files"]} == {"unchanged"}


def test_doctor_names_what_is_connected(pckc: Program, home: Path) -> None:
    """And what is wrong with it."""
    path = f"{Path(PCKC).parent}:{pckc.environ['PATH']}"

    def host(name: str, *, code: int = 0) -> dict[str, Any]:
        answer = pckc("doctor", "--json", check=False, environ={"PATH": path})
        (check,) = [check for check in answer.json["checks"] if check["name"] == f"host {name}"]
        assert check["ok"] == (code == 0), check
        return dict(check)

    pckc("index")
    assert host("claude")["detail"] == "not connected"
    for name in HOSTS:
        pckc("setup", name)
    assert host("claude")["detail"] == "user: server and 7 hooks"
    assert host("codex")["detail"] == "user: server and 4 hooks"
    assert host("dsh")["detail"] == "user: server and 4 hooks"
    assert host("gemini")["detail"] == "user: server"
    pckc("setup", "claude", "--project")
    assert host("claude")["detail"] == "user: server and 7 hooks; project: server and 7 hooks"
    assert "uninstall claude --project" in host("claude")["remedy"]
    file = home / ".codex" / "hooks.json"
    moved = json.loads(file.read_text())
    moved["hooks"]["Stop"][0]["hooks"][0]["command"] = "/gone/pckc hook Stop --host codex"
    file.write_text(json.dumps(moved))
    assert "/gone/pckc" in host("codex", code=1)["detail"]
    file.write_text("{")
    assert "hooks.json" in host("codex", code=1)["detail"]


@pytest.mark.parametrize("host", ["claude", "codex", "dsh"])
def test_the_hooks_that_are_written_run(pckc: Program, home: Path, host: str) -> None:
    """As the host's shell runs them: one records, the next session's recalls."""
    pckc("setup", host)
    file = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "dsh": ".dsh/pckc-hooks.json"}[host]
    events = json.loads((home / file).read_text())["hooks"]

    def run(event: str, session: str, **data: str) -> str:
        told = {"session_id": session, "cwd": str(pckc.folder), "hook_event_name": event, **data}
        (command,) = [hook["command"] for group in events[event] for hook in group["hooks"]]
        shell = subprocess.run(
            ["sh", "-c", command], input=json.dumps(told).encode(), env=dict(pckc.environ), cwd="/", capture_output=True
        )
        assert (shell.returncode, shell.stderr) == (0, b"")
        return json.loads(shell.stdout)["hookSpecificOutput"]["additionalContext"] if shell.stdout else ""

    assert run("UserPromptSubmit", "one", prompt="We decided to use PostgreSQL as the database.") == ""
    run("Stop", "one", last_assistant_message="Done.")
    if "SessionStart" in events:
        run("SessionStart", "two", source="startup")
    assert "PostgreSQL" in run("UserPromptSubmit", "two", prompt="Which database do we use here?")


class TestIntegrations:
    """What lies in the repository is what setup writes."""

    def test_claude_code_plugin(self) -> None:
        """The server, the hooks, and a skill that names tools which exist."""
        plugin = INTEGRATIONS / "claude-plugin"
        assert json.loads((plugin / "hooks" / "hooks.json").read_text()) == {"hooks": hooks("claude", "pckc")}
        servers = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]
        assert servers == {"pckc": {"type": "stdio", **server("pckc")}}
        manifest = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())
        assert manifest["name"] == "pckc"
        skill = (plugin / "skills" / "project-memory" / "SKILL.md").read_text()
        _, front, body = skill.split("---\n", 2)
        assert {line.partition(":")[0] for line in front.splitlines()} == {"name", "description"}
        named = {word for word in body.split("`")[1::2] if "_" in word}
        assert named
        assert named <= {tool.name for tool in TOOL_SETS["core"]}

    def test_dsh_profile(self) -> None:
        """The rows and the hooks."""
        folder = INTEGRATIONS / "dsh"
        assert json.loads((folder / "pckc-hooks.json").read_text()) == {"hooks": hooks("dsh", "pckc")}
        text = (folder / "cordis.patch.yml").read_text()
        place = text.partition("configPath: ")[2].rstrip("\n")
        rows = text.partition("\n")[2]
        assert rows == insertion(list(dsh_rows("pckc", place).values()))

    def test_every_command_is_one_line_for_a_shell(self) -> None:
        """With the program, the event and the host."""
        for host, events in EVENTS.items():
            for event, groups in hooks(host, "pckc").items():
                words = shlex.split(groups[0]["hooks"][0]["command"])
                assert words == ["pckc", "hook", event, "--host", host]
            assert set(hooks(host, "pckc")) == set(events)
