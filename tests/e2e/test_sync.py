"""The index follows the work tree, however it changes and however it is named."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .program import Program, Repository

TIMELESS = ("valid_from", "proofs")
"""Keys of a result that hold the time of its indexing."""


def sync(program: Program, *arguments: str) -> Any:
    """Return what a sync did."""
    return program("sync", "--json", *arguments).json


def counts(form: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return how many files were read, unchanged and removed."""
    return form["indexed"], form["unchanged"], form["removed"]


def texts(program: Program, query: str, *arguments: str) -> list[str]:
    """Return the texts a search finds in paragraphs."""
    form = program("search", query, "--json", "--layer", "paragraph", "--limit", "50", *arguments).json
    return [result["text"] for result in form["results"]]


def holdings(program: Program) -> Any:
    """Return counts by layer, fresh and stale."""
    return program("stats", "--json").json["layers"]


def answers(program: Program) -> Any:
    """Return what some searches answer, without times."""
    forms = program.together([["search", query, "--json", "--layer", "all"] for query in ("lease owner", "аренда")])
    found = [result for form in forms for result in form.json["results"]]
    return [{key: value for key, value in result.items() if key not in TIMELESS} for result in found]


def ids(program: Program) -> set[str]:
    """Return which passages these searches find; stale versions count in how rare a word is, so in the scores."""
    return {result["id"] for result in answers(program)}


@pytest.fixture
def synced(pckc: Program) -> Program:
    """The program in the sample repository, indexed by a first sync."""
    form = sync(pckc)
    assert counts(form) == (14, 0, 0)
    return pckc


class TestOneTree:
    def test_nothing_changed(self, synced: Program) -> None:
        before = holdings(synced)
        assert counts(sync(synced)) == (0, 14, 0)
        assert holdings(synced) == before

    def test_edit_and_revert(self, synced: Program, repository: Repository) -> None:
        before, found = holdings(synced), ids(synced)
        repository.replace("docs/adr/0001-leases.md", "leases over locks", "zeppelins over locks")
        assert counts(sync(synced)) == (1, 13, 0)
        assert any("zeppelins" in text for text in texts(synced, "zeppelins"))
        assert not any("leases over locks" in text for text in texts(synced, "leases over locks"))
        repository.replace("docs/adr/0001-leases.md", "zeppelins over locks", "leases over locks")
        assert counts(sync(synced)) == (1, 13, 0)
        assert not texts(synced, "zeppelins")
        assert ids(synced) == found
        after = holdings(synced)
        assert {layer: count["fresh"] for layer, count in after.items()} == {
            layer: count["fresh"] for layer, count in before.items()
        }

    def test_a_search_says_what_it_does_not_know(self, synced: Program, repository: Repository) -> None:
        """Until the next sync; a file whose time alone is another one is the same."""
        repository.write("docs/brandnew.md", "The brand new widget setting is 77.\n")
        repository.age(repository.root / "README.md")
        for command in ("search", "context"):
            form = synced(command, "brand new widget setting", "--json").json
            assert not form["is_complete"]
            assert form["changes"] == {"added": 1, "changed": 0, "removed": 0, "touched": 0}
            answer = synced(command, "brand new widget setting")
            assert "since the index 1 file is new: run `pckc sync`" in answer.stdout + answer.stderr
        sync(synced)
        form = synced("search", "brand new widget setting", "--json").json
        assert form["is_complete"]
        assert form["results"][0]["path"] == "docs/brandnew.md"

    def test_delete(self, synced: Program, repository: Repository) -> None:
        (repository.root / "docs/планировщик.md").unlink()
        assert counts(sync(synced)) == (0, 13, 1)
        assert not texts(synced, "аренда продлевается")
        assert counts(sync(synced)) == (0, 13, 0)

    def test_rename(self, synced: Program, repository: Repository) -> None:
        repository.git("mv", "docs/планировщик.md", "docs/scheduler ru.md")
        assert counts(sync(synced)) == (1, 13, 1)
        form = synced("search", "аренда продлевается", "--json", "--layer", "all").json
        assert {result["path"] for result in form["results"]} == {"docs/scheduler ru.md"}

    def test_many_versions_of_a_file_do_not_pile_up(self, synced: Program, repository: Repository) -> None:
        sizes = []
        for version in range(8):
            repository.write("docs/latin1.txt", f"The zeppelin carries {version} crates today, and not one more.\n")
            assert counts(sync(synced)) == (1, 13, 0)
            sizes.append(holdings(synced)["paragraph"]["stale"])
        assert sizes[-1] == sizes[-2] == sizes[-3]
        assert len(texts(synced, "zeppelin crates")) == 1

    def test_a_file_becomes_binary_and_text_again(self, synced: Program, repository: Repository) -> None:
        text = (repository.root / "docs/планировщик.md").read_bytes()
        repository.write("docs/планировщик.md", b"\0\1\2" * 100)
        form = sync(synced)
        assert form["skipped"]["binary"] == 2
        assert not texts(synced, "аренда продлевается")
        repository.write("docs/планировщик.md", text)
        assert counts(sync(synced)) == (1, 13, 0)
        assert texts(synced, "аренда продлевается")

    def test_only_the_time_changed(self, synced: Program, repository: Repository) -> None:
        found = answers(synced)
        repository.age(repository.root / "README.md")
        assert counts(sync(synced)) == (1, 13, 0)
        assert answers(synced) == found
        assert sum(count["stale"] for count in holdings(synced).values()) == 0

    def test_a_file_that_was_just_written_is_not_missed(self, synced: Program, repository: Repository) -> None:
        """Two writes within a clock tick, of the same length: size and time tell nothing."""
        file = repository.root / "docs/notes.md"
        for word in ("apples", "quince", "cherry"):
            file.write_text(f"# Notes\n\nToday the basket holds one {word} only.\n", encoding="utf-8")
            sync(synced)
            assert any(word in text for text in texts(synced, f"basket {word}"))

    def test_branches(self, synced: Program, repository: Repository) -> None:
        found = ids(synced)
        repository.checkout("-b", "topic")
        repository.replace("docs/adr/0001-leases.md", "leases over locks", "zeppelins over locks")
        repository.write("docs/only-here.md", "# Airships\n\nAirships are moored at the northern mast.\n")
        repository.commit("topic")
        form = sync(synced)
        assert (form["branch"], *counts(form)) == ("topic", 2, 13, 0)
        result = synced("search", "moored airships", "--json").json["results"][0]
        assert result["branch"] == "topic"
        repository.checkout("main")
        form = sync(synced)
        assert (form["branch"], *counts(form)) == ("main", 1, 13, 1)
        assert not texts(synced, "zeppelins")
        assert not texts(synced, "moored airships")
        assert ids(synced) == found

    def test_a_branch_switch_that_changes_no_file(self, synced: Program, repository: Repository) -> None:
        repository.checkout("-b", "same")
        assert sync(synced)["branch"] == "same"
        assert synced("stats", "--json").json["checkouts"][0]["branch"] == "same"
        assert sync(synced)["branch"] == "same"

    def test_ignore_files(self, synced: Program, repository: Repository) -> None:
        repository.write(".pckcignore", "docs/*.md\n!docs/планировщик.md\n")
        form = sync(synced)
        assert counts(form) == (1, 11, 3)
        assert texts(synced, "аренда продлевается")
        assert not texts(synced, "リース表")
        assert counts(sync(synced)) == (0, 12, 0)
        (repository.root / ".pckcignore").unlink()
        assert counts(sync(synced)) == (3, 11, 1)
        assert texts(synced, "リース表")

    def test_gitignore(self, synced: Program, repository: Repository) -> None:
        repository.write(".gitignore", "/local/\n")
        repository.write("local/scratch.md", "# Scratch\n\nThe zeppelin is a private thought.\n")
        sync(synced)
        assert not texts(synced, "zeppelin")


class TestShortCut:
    """Sync's answer without opening anything must be the one that index gives."""

    def assert_the_same(self, program: Program, *arguments: str) -> Any:
        quick = sync(program, *arguments)
        full = program("index", "--json", *arguments).json
        again = sync(program, *arguments)
        for form in (quick, full, again):
            for name in ("seconds", "embed_seconds"):
                form.pop(name)
            form["graph"].pop("seconds")
        assert quick == again == full
        return full

    def test_the_same_answer(self, synced: Program) -> None:
        assert counts(self.assert_the_same(synced)) == (0, 14, 0)

    def test_with_a_store_of_ones_own(self, synced: Program, tmp_path: Path) -> None:
        store = tmp_path / "own.db"
        assert counts(sync(synced, "--store", str(store))) == (14, 0, 0)
        self.assert_the_same(synced, "--store", str(store))
        self.assert_the_same(synced)
        (tmp_path / "link.db").symlink_to(store)
        self.assert_the_same(synced, "--store", str(tmp_path / "link.db"))

    def test_another_store_does_not_become_the_default(
        self, synced: Program, repository: Repository, tmp_path: Path
    ) -> None:
        repository.replace("docs/adr/0001-leases.md", "leases over locks", "zeppelins over locks")
        sync(synced, "--store", str(tmp_path / "own.db"))
        assert not texts(synced, "zeppelins")
        assert counts(sync(synced)) == (1, 13, 0)
        assert texts(synced, "zeppelins")

    def test_a_deleted_store(self, synced: Program) -> None:
        store = Path(synced("stats", "--json").json["store"])
        for file in store.parent.iterdir():
            file.unlink()
        assert counts(sync(synced)) == (14, 0, 0)

    def test_the_first_commit_gives_the_project_its_name(self, environ: dict[str, str], tmp_path: Path) -> None:
        repository = Repository(tmp_path / "new", environ)
        repository.write("a.md", "# Airships\n\nAirships are moored at the mast.\n")
        program = Program(folder=repository.root, environ=environ)
        assert counts(sync(program)) == (1, 0, 0)
        assert counts(self.assert_the_same(program)) == (0, 1, 0)
        repository.commit("first")
        sync(program)
        assert texts(program, "airships")

    def test_a_remote_leaves_the_project_its_memory(self, synced: Program, repository: Repository) -> None:
        before = sync(synced)
        repository.git("remote", "add", "origin", "https://example.org/harvester.git")
        after = sync(synced)
        assert (after["project"], after["indexed"]) == (before["project"], 0)
        assert texts(synced, "lease")

    def test_a_first_commit_leaves_the_project_its_memory(self, environ: dict[str, str], tmp_path: Path) -> None:
        young = Repository(tmp_path / "young", environ)
        program = Program(folder=young.root, environ=environ)
        young.write("a.md", "# Leases\n\n- A lease must be renewed.\n")
        before = sync(program)
        young.git("add", "-A")
        young.git("commit", "-qm", "first")
        after = sync(program)
        assert (after["project"], after["indexed"]) == (before["project"], 0)
        assert texts(program, "lease")

    def test_changed_settings(self, synced: Program, repository: Repository) -> None:
        home = Path(synced.environ["XDG_CONFIG_HOME"]) / "pckc"
        home.mkdir(parents=True)
        for file in (home / "pckc.toml", repository.root / "pckc.toml"):
            file.write_text("[source]\nmax_file_bytes = 300\n", encoding="utf-8")
            os.utime(file, (1_700_000_000, 1_700_000_000))  # what was written just now is read once more
            assert sync(synced)["skipped"]["too large"] == 3
            self.assert_the_same(synced)
            file.unlink()
            assert "too large" not in sync(synced)["skipped"]

    def test_another_recipe_reads_every_file_again(
        self, synced: Program, environ: dict[str, str], tmp_path: Path
    ) -> None:
        """A version that cuts otherwise is simulated by a package that goes before the installed one."""
        start = "import pckc_domain.policy.recipe as recipe\nrecipe.RECIPE = 'another'\n"
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "sitecustomize.py").write_text(start, encoding="utf-8")
        path = ":".join(filter(None, (str(tmp_path / "other"), environ.get("PYTHONPATH"))))
        changed = Program(folder=synced.folder, environ={**synced.environ, "PYTHONPATH": path})
        before = holdings(synced)
        assert counts(sync(changed)) == (14, 0, 0)
        assert counts(self.assert_the_same(changed)) == (0, 14, 0)
        fresh = {layer: count["fresh"] for layer, count in holdings(changed).items()}
        assert fresh == {layer: count["fresh"] for layer, count in before.items()}
        assert counts(sync(synced)) == (14, 0, 0)


class TestNames:
    """One project, however it is spelled."""

    def test_spellings(self, synced: Program, repository: Repository, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(repository.root)
        found = answers(synced)
        spellings = [str(link), f"{repository.root}/", f"{repository.root}/docs/..", str(repository.root / "docs")]
        for spelling in spellings:
            form = sync(synced, "--project", spelling)
            assert counts(form) == (0, 14, 0)
            assert form["root"] == str(repository.root)
        for folder in (link, repository.root / "src" / "harvester", link / "docs"):
            program = Program(folder=folder, environ=synced.environ)
            assert counts(sync(program)) == (0, 14, 0)
            assert answers(program) == found
        assert len(synced("stats", "--json").json["checkouts"]) == 1

    def test_a_plain_folder(self, environ: dict[str, str], tmp_path: Path) -> None:
        repository = Repository(tmp_path / "plain ünï", environ, with_git=False)
        repository.write("a b/ц.md", "# Airships\n\nAirships are moored at the mast.\n")
        program = Program(folder=repository.root, environ=environ)
        assert counts(sync(program)) == (1, 0, 0)
        assert counts(sync(program)) == (0, 1, 0)
        assert texts(program, "airships")
        assert program("verify", "--json").json["counts"].keys() == {"live"}


class TestWorktrees:
    @pytest.fixture
    def two(self, synced: Program, repository: Repository, tmp_path: Path) -> tuple[Program, Repository]:
        """A second work tree on a branch of its own, with one other sentence and one file more."""
        repository.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "topic"))
        other = Repository(tmp_path / "topic", synced.environ, with_git=False)
        for file in other.root.rglob("*"):
            if file.is_file() and file.name != ".git":
                other.age(file)
        other.replace("docs/adr/0001-leases.md", "leases over locks", "zeppelins over locks")
        other.write("docs/only-here.md", "# Airships\n\nAirships are moored at the northern mast.\n")
        return Program(folder=other.root, environ=synced.environ), other

    def test_each_sees_its_own(self, synced: Program, two: tuple[Program, Repository]) -> None:
        program, other = two
        here = ids(synced)
        form = sync(program)
        assert (form["branch"], form["root"]) == ("topic", str(other.root))
        assert counts(sync(program)) == (0, 15, 0)
        stats = program("stats", "--json").json
        assert {checkout["branch"] for checkout in stats["checkouts"]} == {"main", "topic"}
        assert stats["project"] == synced("stats", "--json").json["project"]
        assert texts(program, "zeppelins")
        assert texts(program, "moored airships")
        assert not any("leases over locks" in text for text in texts(program, "leases over locks"))
        assert not texts(synced, "zeppelins")
        assert not texts(synced, "moored airships")
        assert texts(synced, "leases over locks")
        assert ids(synced) == here
        assert "zeppelins over" not in synced("context", "zeppelins or airships over locks").stdout
        assert "zeppelins over" in program("context", "zeppelins or airships over locks").stdout

    def test_verify_asks_each_for_its_own(self, synced: Program, two: tuple[Program, Repository]) -> None:
        program, _ = two
        sync(program)
        for each in (synced, program):
            assert each("verify", "--json", check=False).json["counts"].keys() == {"live"}

    def test_deleting_in_one_keeps_it_in_the_other(self, synced: Program, two: tuple[Program, Repository]) -> None:
        program, other = two
        sync(program)
        (other.root / "docs/планировщик.md").unlink()
        assert counts(sync(program)) == (0, 14, 1)
        assert not texts(program, "аренда продлевается")
        assert texts(synced, "аренда продлевается")
        assert counts(sync(synced)) == (0, 14, 0)
