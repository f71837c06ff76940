"""The stored graph follows the work tree, says what it left out, and survives what is odd in one."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .program import Program, Repository

FILES = {
    "app/__init__.py": "",
    "app/a.py": "from app.b import helper\n\n\ndef run():\n    return helper()\n",
    "app/b.py": "from app import a\n\n\ndef helper():\n    return a\n",
    "README.md": "# App\n",
}


@pytest.fixture
def app(tmp_path: Path, environ: Mapping[str, str]) -> Repository:
    """A small repository with an import in a circle."""
    repository = Repository(tmp_path / "app", environ)
    for path, text in FILES.items():
        repository.write(path, text)
    repository.commit("first")
    return repository


@pytest.fixture
def pckc(app: Repository, environ: Mapping[str, str]) -> Program:
    return Program(folder=app.root, environ=environ)


def coverage(program: Program) -> dict[str, Any]:
    """Return what is said of each file."""
    return {file["path"]: file for file in program("graph", "coverage", "--json").json["files"]}


def callers(program: Program, name: str) -> int:
    """Return how many callers the stored graph knows."""
    number: int = program("graph", "callers", name, "--no-sync", "--json").json["at_least"]
    return number


class TestFollowing:
    def test_index_and_sync_keep_the_graph(self, pckc: Program, app: Repository) -> None:
        form = pckc("index", "--json").json
        assert (form["graph"]["files"], form["graph"]["read"], form["graph"]["is_anew"]) == (3, 3, True)
        assert form["coverage"]["graph"] == {"indexed": 3, "total": 3, "behind": 0}
        app.write("app/c.py", "from app.b import helper\n\nhelper()\n")
        form = pckc("sync", "--json").json
        assert (form["graph"]["read"], form["graph"]["is_anew"]) == (1, False)
        assert callers(pckc, "app.b.helper") == 2
        (app.root / "app/c.py").unlink()
        assert pckc("sync", "--json").json["graph"]["removed"] == 1
        assert callers(pckc, "app.b.helper") == 1

    def test_building_anew_changes_nothing(self, pckc: Program) -> None:
        pckc("sync")
        before = pckc("graph", "export", "--json").json
        form = pckc("graph", "build", "--json").json
        assert (form["read"], form["is_anew"]) == (3, True)
        assert form["nodes"] == len(before["nodes"])
        assert pckc("graph", "export", "--json").json == before

    def test_two_checkouts_give_the_same_graph(self, pckc: Program, app: Repository, tmp_path: Path) -> None:
        other = tmp_path / "elsewhere" / "copy"
        shutil.copytree(app.root, other)
        here = pckc("graph", "export", "--json").json
        there = pckc("graph", "export", "--json", "--project", other).json
        assert (here["nodes"], here["edges"]) == (there["nodes"], there["edges"])

    def test_what_is_behind_is_counted(self, pckc: Program, app: Repository) -> None:
        pckc("sync")
        app.write("pckc.toml", "[graph]\nenabled = false\n")
        app.write("app/c.py", "def later():\n    pass\n")
        assert pckc("sync", "--json").json["graph"] is None
        assert pckc("stats", "--json").json["coverage"]["graph"] == {"indexed": 3, "total": 4, "behind": 1}

    def test_it_can_be_turned_off_and_on(self, pckc: Program, app: Repository) -> None:
        app.write("pckc.toml", "[graph]\nenabled = false\n")
        form = pckc("sync", "--json").json
        assert form["graph"] is None
        assert "graph" not in form["coverage"]
        assert pckc("sync", "--json").json["graph"] is None
        assert pckc("stats", "--json").json["graph"] == {}
        (app.root / "pckc.toml").unlink()
        assert pckc("sync", "--json").json["graph"]["read"] == 3
        assert "nothing changed" in pckc("sync").stdout

    def test_forgetting_a_document_forgets_its_symbols(self, pckc: Program, app: Repository) -> None:
        app.write("app/c.py", 'from app.b import helper\n\n\ndef zeppelin():\n    """Airship."""\n    helper()\n')
        pckc("sync")
        assert callers(pckc, "app.b.helper") == 2
        pckc("forget", "--document", "app/c.py", "--yes")
        assert callers(pckc, "app.b.helper") == 1
        store = Path(pckc("stats", "--json").json["store"])
        assert not any(
            word in file.read_bytes() for file in store.parent.iterdir() for word in (b"zeppelin", b"Airship")
        )


class TestOddTrees:
    def test_bad_files_are_left_out_and_the_rest_is_read(self, pckc: Program, app: Repository) -> None:
        app.write("nul.py", b"x = 1\0\n")
        app.write("wide.py", "def wide():\n    pass\n".encode("utf-16"))
        app.write("latin.py", "def größe():\n    pass\n".encode("latin-1"))
        app.write("deep.py", "x = " + "(\n" * 10_000 + ")\n" * 10_000)
        app.write("deep.js", "f(\n" * 10_000 + ")\n" * 10_000)
        app.write("big.min.js", "var a=1;" * 650_000)
        app.write("broken.py", "def fine():\n    pass\n\ndef (:\n")
        app.write("twice.py", "def same():\n    pass\n\n\ndef same():\n    pass\n")
        form = pckc("sync", "--json").json
        files = coverage(pckc)
        assert files["nul.py"]["skipped"]
        assert files["big.min.js"]["skipped"] if "big.min.js" in files else form["skipped"]
        assert files["wide.py"]["read"]
        assert files["latin.py"]["read"]
        assert files["deep.py"]["problems"]
        assert files["broken.py"]["problems"]
        assert files["app/a.py"] == {
            "path": "app/a.py", "language": "python", "read": True, "skipped": "", "problems": []
        }  # fmt: skip
        assert callers(pckc, "app.b.helper") == 1
        nodes = pckc("graph", "export", "--json").json["nodes"]
        assert len({node["id"] for node in nodes if node["name"] == "same"}) == 2
        assert {"wide", "größe"} <= {node["name"] for node in nodes}
        assert "nothing changed" in pckc("sync").stdout

    def test_links_and_nested_repositories(
        self, pckc: Program, app: Repository, environ: Mapping[str, str], tmp_path: Path
    ) -> None:
        nested = Repository(app.root / "vendor-clone", environ)
        nested.write("inner.py", "def inner():\n    pass\n")
        nested.commit("inner")
        (tmp_path / "outside.py").write_text("def outside():\n    pass\n")
        (app.root / "loop").symlink_to(app.root, target_is_directory=True)
        (app.root / "out.py").symlink_to(tmp_path / "outside.py")
        (app.root / "self.py").symlink_to(app.root / "self.py")
        app.git("worktree", "add", "--quiet", "work", "HEAD")
        pckc("sync")
        names = {node["qualified_name"] for node in pckc("graph", "export", "--json").json["nodes"]}
        assert names == {"app", "app.a", "app.a.run", "app.b", "app.b.helper"}

    def test_a_tree_that_moves_during_the_run(self, pckc: Program, app: Repository) -> None:
        for index in range(40):
            app.write(f"app/m{index}.py", f"from app.b import helper\n\n\ndef f{index}():\n    return helper()\n")
        running = pckc.start("graph", "build", "--json")
        for index in range(40):
            (app.root / f"app/m{index}.py").unlink()
        pckc.finish(running)
        pckc("sync")
        assert callers(pckc, "app.b.helper") == 1
        before = pckc("graph", "export", "--json").json
        pckc("graph", "build")
        assert pckc("graph", "export", "--json").json == before

    def test_an_interrupted_build_is_completed(self, pckc: Program, app: Repository) -> None:
        for index in range(60):
            app.write(f"app/m{index}.py", f"from app.b import helper\n\n\ndef f{index}():\n    return helper()\n")
        process = pckc.start("sync", "--json")
        process.kill()
        process.communicate()
        pckc("sync")
        assert callers(pckc, "app.b.helper") == 61
