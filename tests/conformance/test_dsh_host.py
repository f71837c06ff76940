"""dsh itself, from its real npm packages, connected by ``pckc setup dsh``; run by ``make conformance``."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from .model import Request, model
from .node import node_environment, node_for

PACKAGES = Path(__file__).parent / "dsh" / "node_modules"
PCKC = Path(sys.executable).with_name("pckc")
BRIDGE = "@deepseek-ai/dsh-hooks-claude-code"
TIMEOUT_SECONDS = 120

RELOADS = "- id: hmr\n  disabled: false\n"
"""This release of dsh looks for the service that watches its files, which its profile of one answer leaves out."""

pytestmark = pytest.mark.conformance


@attrs.frozen
class Dsh:
    """dsh in a home of its own, which PCKC was set up for."""

    node: str
    home: Path
    project: Path
    environ: Mapping[str, str]

    def pckc(self, *arguments: str) -> str:
        """Run the program and return what it printed."""
        return subprocess.run(
            [PCKC, *arguments], cwd=self.project, env=dict(self.environ), capture_output=True, text=True, check=True
        ).stdout

    def add_bridge(self) -> None:
        """Let the profile have the package that runs hooks, as ``dsh plugin add`` would."""
        place = self.home / ".dsh" / "profiles" / "headless" / "node_modules" / BRIDGE
        place.parent.mkdir(parents=True)
        place.symlink_to(PACKAGES / BRIDGE)

    def asks(self, prompt: str, *, calls: Mapping[str, Mapping[str, Any]] | None = None) -> list[Request]:
        """
        Let the user ask in a process of its own, and return what the models of it and of its sub-agents were asked.

        Args:
            prompt: What the user says.
            calls: Calls of tools that the model makes first, one for each agent whose prompt holds the key.
        """

        def answer(request: Request) -> tuple[str, Mapping[str, Any]] | str:
            messages = request["messages"]
            first = next(str(message["content"]) for message in messages if message["role"] == "user")
            if not any(message["role"] == "tool" for message in messages):
                for words, call in (calls or {}).items():
                    if words in first:
                        return str(call["name"]), call["arguments"]
            return "It is done."

        overlay = self.home / "reloads.yml"
        overlay.write_text(RELOADS)
        dsh = PACKAGES / "@deepseek-ai" / "dsh" / "lib" / "bin.js"
        with model(answer) as served:
            done = subprocess.run(
                [self.node, dsh, "--profile", "headless", "--patch", overlay, prompt],
                cwd=self.project,
                env={**self.environ, "DEEPSEEK_API_KEY": "none", "DEEPSEEK_BASE_URL": served.url},
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
            assert (done.returncode, done.stdout.strip()) == (0, "It is done."), done.stderr[-3000:]
            return served.asked


@pytest.fixture
def dsh() -> Iterator[Dsh]:
    """A home and a project where dsh lets no model write, as it does in the system's temporary folder."""
    environ = node_environment()
    node = node_for(PACKAGES, environ)
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix=".home-") as folder:
        home, project = Path(folder), Path(folder) / "project"
        project.mkdir()
        kept = {name: value for name, value in environ.items() if not name.startswith(("PCKC_", "DSH_", "XDG_"))}
        own = {"HOME": str(home), "PCKC_EMBEDDER": "none", "GIT_CONFIG_GLOBAL": os.devnull}
        made = Dsh(node, home, project, kept | own)
        subprocess.run(["git", "init", "-q"], cwd=project, env=dict(made.environ), check=True)
        made.pckc("setup", "dsh")
        yield made


def texts(request: Request) -> str:
    """Return all that a model was told, but for the system's prompt."""
    return "\n".join(str(message["content"]) for message in request["messages"] if message["role"] != "system")


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_without_its_bridge_it_starts_and_has_the_tools(dsh: Dsh) -> None:
    """A row that names a package which is not there would keep dsh from starting."""
    first, second = dsh.asks("Look it up.", calls={"Look": call("mcp__pckc__memory_stats")})
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert {"mcp__pckc__retrieve_agent_context", "mcp__pckc__memory_search"} <= offered
    assert second["messages"][-1]["role"] == "tool"
    assert "Error" not in second["messages"][-1]["content"]


def test_what_one_session_records_the_next_one_recalls(dsh: Dsh) -> None:
    """Through the hooks and through the tools, each session being a process of its own."""
    dsh.add_bridge()
    said = "We decided to use PostgreSQL as the database. From now on, always run the linter before you commit."
    told, _ = dsh.asks(said, calls={"PostgreSQL": call("bash", command="echo 3 passed", description="test")})
    assert "pckc-context" not in texts(told)
    (asked,) = dsh.asks("Which database do we use here?")
    assert "Standing rules" in texts(asked)
    assert "> From now on, always run the linter" in texts(asked)
    assert "> We decided to use PostgreSQL" in texts(asked)
    _, found = dsh.asks("Search for it.", calls={"Search": call("mcp__pckc__memory_search", query="PostgreSQL")})
    assert "> We decided to use PostgreSQL" in found["messages"][-1]["content"]
    assert "3 passed" in dsh.pckc("search", "echo passed", "--layer", "evidence")


def test_a_sub_agent_is_no_user(dsh: Dsh) -> None:
    """What a model tells one is recorded, and decides nothing."""
    dsh.add_bridge()
    task = {"description": "look", "prompt": "We decided to use MongoDB as the database.", "run_in_background": False}
    requests = dsh.asks("Please delegate this.", calls={"delegate": call("subagent", **task)})
    assert len({str(request["messages"][1]["content"]) for request in requests}) == 2
    dsh.pckc("hook", "drain")
    claims = json.loads(dsh.pckc("claims", "--all", "--json"))["results"]
    assert not [claim for claim in claims if claim["authority"] == "user_confirmed"]
    assert "MongoDB" in dsh.pckc("search", "MongoDB", "--layer", "evidence")
