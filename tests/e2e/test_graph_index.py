"""The program with a graph index on a server: the same answers, and work that goes on while the server is down."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pckc_adapters_memgraph.testing import PASSWORD_VARIABLE, ArcadeServer, started

from .program import Program, Repository

QUESTIONS = (("neighbors", "Cart"), ("path", "checkout", "Cart.add"), ("hubs",), ("callers", "Cart.add"))


def _write_config(repository: Repository, server: ArcadeServer) -> None:
    settings = server.settings
    (repository.root / "pckc.toml").write_text(
        f"""
        [graph_index]
        backend = "memgraph"
        url = "{settings.url}"
        user = "{settings.user}"
        password_variable = "{settings.password_variable}"
        database = "{settings.database}"
        retry_seconds = 0.5
        """,
        encoding="utf-8",
    )


def test_a_graph_index_beside_the_store(tmp_path: Path, repository: Repository, environ: Mapping[str, str]) -> None:
    repository.write("shop/cart.py", "class Cart:\n    def add(self, what):\n        return what\n")
    repository.write("shop/till.py", "from shop.cart import Cart\n\ndef checkout(what):\n    return Cart().add(what)\n")
    folder = tmp_path / "arcade"
    folder.mkdir()
    with started(folder) as server:
        pckc = Program(folder=repository.root, environ=environ)
        pckc("index", "--quiet")
        plain = [_answer(pckc, *question) for question in QUESTIONS]
        _write_config(repository, server)
        pckc = Program(folder=repository.root, environ={**environ, PASSWORD_VARIABLE: os.environ[PASSWORD_VARIABLE]})
        pckc("index", "--quiet")
        coverage = pckc("stats", "--json").json["coverage"]["graph_index"]
        assert coverage["behind"] == 0
        assert coverage["indexed"] == coverage["total"] > 0
        for question, answer in zip(QUESTIONS, plain, strict=True):
            assert _answer(pckc, *question) == answer | {"why_no_graph_index": ""}
        rebuilt = pckc("rebuild", "--graph", "--json").json["rebuilt"]["graph"]
        assert rebuilt["after"] == rebuilt["wanted"] == rebuilt["before"]

        server.stop()
        repository.write("shop/late.py", "from shop.till import checkout\n\ndef late():\n    return checkout(1)\n")
        pckc("index", "--quiet")
        late = _answer(pckc, "callers", "checkout")
        assert "late.late" in str(late)
        assert "behind" in late["why_no_graph_index"]
        assert pckc("stats", "--json").json["graph_index"]["behind"] > 0
        checks = pckc("doctor", "--json", check=False).json["checks"]
        down = {each["name"]: each["remedy"] for each in checks if "cannot be reached" in each["detail"]}
        assert down["graph_index"]

        server.start()
        pckc("index", "--quiet")
        assert _answer(pckc, "callers", "checkout")["why_no_graph_index"] == ""
        assert pckc("stats", "--json").json["coverage"]["graph_index"]["behind"] == 0


def _answer(pckc: Program, *question: str) -> dict[str, Any]:
    form: dict[str, Any] = pckc("graph", *question, "--json").json
    return form
