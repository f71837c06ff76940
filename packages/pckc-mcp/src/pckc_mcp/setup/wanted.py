"""What each host needs: a server, hooks, and the files that it reads them from."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.errors import InvalidInputError

from pckc_mcp.hooks.payload import AGENT_START, AGENT_STOP, PROMPT, SESSION_END, SESSION_START, STOP, TOOL, TOOL_FAILED
from pckc_mcp.setup.files import find

HOSTS = ("claude", "codex", "dsh", "gemini")
SERVER = "pckc"
TIMEOUT_SECONDS = 10

EVENTS = {
    "claude": (SESSION_START, PROMPT, TOOL, TOOL_FAILED, STOP, AGENT_STOP, SESSION_END),
    "codex": (SESSION_START, PROMPT, TOOL, STOP),
    "dsh": (PROMPT, TOOL, STOP, AGENT_START),
}
"""
The events that each host tells hooks; Gemini CLI tells none.

dsh has a start of sessions, too, but runs its hooks beside the first request, which what they say would miss.
"""

DSH_HOOKS = "@deepseek-ai/dsh-hooks-claude-code"
"""What runs hooks in dsh; not every release of it comes with this."""

NOTES = {
    "claude": ("Restart Claude Code; `/mcp` and `/hooks` list what it found.",),
    "codex": ("Codex runs hooks only after you trusted them: open `/hooks` in Codex and do so.",),
    "dsh": (
        "Restart dsh. Its tools are called mcp__pckc__….",
        f"Its hooks are off where it lacks {DSH_HOOKS}; `dsh plugin --profile NAME add {DSH_HOOKS}` adds it.",
    ),
    "gemini": ("Gemini CLI is retired for individuals; it gets the server, and has no hooks that PCKC uses.",),
}


@attrs.frozen(kw_only=True)
class Wanted:
    """
    What PCKC adds to one file.

    Attributes:
        path: The file.
        kind: json, toml or yaml.
        server: The server's entry; ``None`` when it belongs elsewhere.
        hooks: Hooks in the form of hooks.json, by event.
        rows: Rows of a profile of dsh, by id.
    """

    path: Path
    kind: str
    server: Mapping[str, Any] | None = None
    hooks: Mapping[str, Any] = attrs.field(factory=dict)
    rows: Mapping[str, str] = attrs.field(factory=dict)


def wanted(host: str, project: Path | None, environ: Mapping[str, str], *, command: str) -> list[Wanted]:
    """
    Return what *host* needs, in its user's configuration or in that of a *project*.

    Raises:
        InvalidInputError: The host has no configuration of that level.
    """
    home = Path(environ.get("HOME") or Path.home())
    if host == "claude":
        return _claude(home, project, environ, command)
    if host == "codex":
        folder = project / ".codex" if project else Path(environ.get("CODEX_HOME") or home / ".codex")
        return _codex(folder, command)
    if host == "dsh":
        if project:
            raise InvalidInputError("dsh has no configuration of a project", remedy="leave --project out")
        return _dsh(Path(environ.get("DSH_HOME") or home / ".dsh"), command)
    return [Wanted(path=(project or home) / ".gemini" / "settings.json", kind="json", server=server(command))]


def program(*, is_shared: bool) -> str:
    """
    Return how a host finds PCKC: by its name when PATH leads to this installation, else by its path.

    A configuration that others share always has the name.
    """
    own, found = Path(sys.argv[0]).absolute(), shutil.which(SERVER)  # a link outlives what it leads to
    if is_shared or own.name != SERVER or not own.exists():
        return SERVER
    return SERVER if found and own.samefile(found) else str(own)


def server(command: str) -> dict[str, Any]:
    """Return the entry of the server among a host's ``mcpServers``."""
    return {"command": command, "args": ["serve"]}


def hooks(host: str, command: str) -> dict[str, Any]:
    """Return the hooks of *host* in the form of hooks.json, by event."""
    return {event: [_group(host, event, command)] for event in EVENTS[host]}


def _group(host: str, event: str, command: str) -> dict[str, Any]:
    words = f'"{command}"' if " " in command else command
    hook = {"type": "command", "command": f"{words} hook {event} --host {host}", "timeout": TIMEOUT_SECONDS}
    matcher = {"matcher": "*" if host != "codex" else ".*"} if event in (TOOL, TOOL_FAILED) else {}
    return {**matcher, "hooks": [hook]}


def _claude(home: Path, project: Path | None, environ: Mapping[str, str], command: str) -> list[Wanted]:
    chosen = environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen) if chosen else home / ".claude"
    servers = project / ".mcp.json" if project else (folder if chosen else home) / ".claude.json"
    settings = (project / ".claude" if project else folder) / "settings.json"
    return [
        Wanted(path=servers, kind="json", server={"type": "stdio", **server(command)}),
        Wanted(path=settings, kind="json", hooks=hooks("claude", command)),
    ]


def _codex(folder: Path, command: str) -> list[Wanted]:
    from pckc_mcp.setup.toml_document import names_hooks

    config, own = Wanted(path=folder / "config.toml", kind="toml", server=server(command)), hooks("codex", command)
    if names_hooks(find(config.path).text):  # Codex wants them in one place
        return [attrs.evolve(config, hooks=own)]
    return [config, Wanted(path=folder / "hooks.json", kind="json", hooks=own)]


def _dsh(folder: Path, command: str) -> list[Wanted]:
    file = folder / "pckc-hooks.json"
    return [
        Wanted(path=file, kind="json", hooks=hooks("dsh", command)),
        Wanted(path=folder / "cordis.patch.yml", kind="yaml", rows=dsh_rows(command, json.dumps(str(file)))),
    ]


def dsh_rows(command: str, hooks_file: str) -> dict[str, str]:
    """
    Return the rows of a profile that start the server and run the hooks in *hooks_file*, a YAML value, by id.

    A profile with a package that is not there does not start at all, so the hooks are off without theirs. They have a
    shell of their own: that of the profile confines what the model runs to its workspace, and memory is kept elsewhere.
    """
    return {
        "memory-pckc": f"""\
- id: memory-pckc
  name: '@deepseek-ai/dsh-mcp-client'
  config:
    serverName: {SERVER}
    transport: stdio
    command: {json.dumps(command)}
    args: [serve]
    env: {{}}
    cwd: !!js process.cwd()
""",
        "memory-pckc-hooks": f"""\
- id: memory-pckc-hooks
  name: 'cordis:group'
  disabled: !!js >-
    try {{ process.getBuiltinModule('module').createRequire(ctx.baseUrl).resolve('{DSH_HOOKS}'); false }}
    catch {{ true }}
  isolate:
    shell: true
  config:
    - id: memory-pckc-shell
      name: '@deepseek-ai/dsh-bash-local'
    - id: memory-pckc-bridge
      name: '{DSH_HOOKS}'
      config:
        configPath: {hooks_file}
""",
    }
