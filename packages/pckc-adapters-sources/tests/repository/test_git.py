"""Which project, branch and commit a work tree is, in every state a repository can be in."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pckc_adapters_sources.backend import REPOSITORY
from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch, BranchScope, Checkout

Git = Callable[..., str]
Put = Callable[..., Path]


def checkout(root: Path | str) -> Checkout:
    with REPOSITORY.open(REPOSITORY.settings(root=str(root))) as source:
        return source.checkout()


def difference(root: Path, revision: str) -> str:
    with REPOSITORY.open(REPOSITORY.settings(root=str(root))) as source:
        return source.difference(revision)


def project(root: Path | str) -> str:
    return checkout(root).project


class TestProject:
    def test_origin_names_it_without_credentials(self, repository: Path, git: Git) -> None:
        git(repository, "remote", "add", "origin", "https://me:t0ken@GitHub.com/Org/tool.git")
        described = checkout(repository)
        assert described.project == "github.com/Org/tool"
        assert "t0ken" not in str(described)

    def test_without_origin_the_first_commit_does(self, repository: Path, git: Git, put: Put) -> None:
        first = git(repository, "rev-parse", "HEAD")
        put(repository / "b.py")
        git(repository, "add", "--all")
        git(repository, "commit", "--message", "second")
        assert project(repository) == f"commit:{first}"

    def test_before_the_first_commit_the_folder_does(self, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "init", "new")
        assert project(tmp_path / "new") == f"path:{tmp_path}/new"

    def test_outside_git_the_folder_does(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        described = checkout(tmp_path / "plain")
        assert described.project == f"path:{tmp_path}/plain"
        assert described.branch == Branch(scope=BranchScope.GLOBAL, source_revision="worktree")

    def test_work_trees_and_clones_are_one(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(repository, "worktree", "add", "-b", "topic", str(tmp_path / "linked"))
        git(tmp_path, "clone", str(repository), "clone")
        git(tmp_path, "clone", f"file://{repository}", "other-clone")
        git(tmp_path, "clone", "--bare", str(repository), "bare.git")
        git(tmp_path, "clone", "bare.git", "clone-of-bare")
        names = ("linked", "clone", "other-clone", "clone-of-bare")
        assert {project(tmp_path / name) for name in names} == {project(repository)}
        assert len({checkout(tmp_path / name).id for name in names}) == len(names)

    def test_a_clone_of_a_clone_has_the_same_origin(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(repository, "remote", "add", "origin", "git@example.org:org/tool.git")
        git(tmp_path, "clone", "repository", "clone")
        git(tmp_path, "clone", "clone", "clone-of-clone")
        assert project(tmp_path / "clone-of-clone") == "example.org/org/tool"

    def test_origins_that_name_each_other_end(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "clone", "repository", "clone")
        git(repository, "remote", "add", "origin", str(tmp_path / "clone"))
        assert project(repository) == project(tmp_path / "clone") == "commit:" + git(repository, "rev-parse", "HEAD")

    def test_an_origin_that_is_gone_is_none(self, repository: Path, git: Git) -> None:
        git(repository, "remote", "add", "origin", "../never-there")
        assert project(repository).startswith("commit:")

    def test_an_orphan_branch_is_the_same_project(self, repository: Path, git: Git, put: Put) -> None:
        before = project(repository)
        git(repository, "switch", "--orphan", "pages")
        assert project(repository) == before
        put(repository / "index.html", "x")
        git(repository, "add", "--all")
        git(repository, "commit", "--message", "pages")
        assert project(repository) == before

    def test_a_cut_off_history_leaves_the_folder(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(repository, "commit", "--allow-empty", "--message", "second")
        git(tmp_path, "clone", "--depth=1", f"file://{repository}", "shallow")
        git(tmp_path / "shallow", "remote", "remove", "origin")
        assert project(tmp_path / "shallow") == f"path:{tmp_path}/shallow"

    def test_replaced_commits_do_not_rename_it(self, repository: Path, git: Git) -> None:
        before = project(repository)
        git(repository, "commit", "--allow-empty", "--message", "second")
        git(repository, "replace", "--graft", "HEAD")
        assert project(repository) == before


class TestRoot:
    def test_spellings_are_one_checkout(
        self, repository: Path, tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(repository / "src/deep/b.py")
        (tmp_path / "link").symlink_to(repository)
        monkeypatch.chdir(repository / "src")
        inside: list[Path | str] = [
            repository / "src/deep",
            tmp_path / "link/src",
            ".",
            "..",
            repository / ".git/hooks",
        ]
        spellings: list[Path | str] = [
            repository,
            f"{repository}/",
            f"{repository}/src/../",
            tmp_path / "link",
            *inside,
        ]
        assert {checkout(spelling).id for spelling in spellings} == {content_id("co", str(repository))}

    def test_an_ignored_folder_is_its_own_root(self, repository: Path, put: Put) -> None:
        put(repository / ".gitignore", ".venv/\n")
        put(repository / ".venv/lib/site-packages/tool/core.py")
        tool = repository / ".venv/lib/site-packages/tool"
        with REPOSITORY.open(REPOSITORY.settings(root=str(tool))) as source:
            assert source.checkout().project == f"path:{tool}"
            assert [(file.path, file.skipped) for file in source.scan({})] == [("core.py", "")]

    def test_a_submodule_is_a_project_of_its_own(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "clone", "--bare", str(repository), "library.git")
        git(repository, "submodule", "add", str(tmp_path / "library.git"), "library")
        described = checkout(repository / "library")
        assert described.root == str(repository / "library")
        assert described.branch.name == "main"

    def test_a_missing_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="is not a folder"):
            checkout(tmp_path / "missing")

    def test_a_bare_repository_is_refused(self, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "init", "--bare", "bare.git")
        with pytest.raises(ConfigurationError, match="bare"):
            checkout(tmp_path / "bare.git")

    def test_a_work_tree_of_a_bare_repository_is_read(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "clone", "--bare", str(repository), "bare.git")
        git(tmp_path / "bare.git", "worktree", "add", str(tmp_path / "tree"))
        assert project(tmp_path / "tree") == project(repository)

    def test_a_name_that_is_not_utf8_is_refused(self, tmp_path: Path) -> None:
        folder = os.fsencode(tmp_path) + b"/caf\xe9"
        os.mkdir(folder)  # noqa: PTH102 - the name is bytes
        with pytest.raises(ConfigurationError, match="UTF-8"):
            checkout(os.fsdecode(folder))


class TestBranch:
    def test_the_mainline(self, repository: Path, git: Git) -> None:
        head = git(repository, "rev-parse", "HEAD")
        assert checkout(repository).branch == Branch(
            name="main", scope=BranchScope.MAINLINE, source_revision="worktree", commit_sha=head
        )

    def test_another_branch(self, repository: Path, git: Git) -> None:
        git(repository, "switch", "--create", "feature/x")
        branch = checkout(repository).branch
        assert (branch.name, branch.scope) == ("feature/x", BranchScope.CURRENT)

    def test_the_remotes_default_branch_is_mainline(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(repository, "switch", "--create", "stable")
        git(tmp_path, "clone", "repository", "clone")
        assert checkout(tmp_path / "clone").branch.scope is BranchScope.MAINLINE
        assert checkout(repository).branch.scope is BranchScope.CURRENT

    def test_a_detached_head_has_no_name(self, repository: Path, git: Git) -> None:
        git(repository, "switch", "--detach")
        branch = checkout(repository).branch
        assert (branch.name, branch.scope) == (None, BranchScope.CURRENT)
        assert branch.commit_sha == git(repository, "rev-parse", "HEAD")

    def test_before_the_first_commit_there_is_a_name(self, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "init", "new")
        branch = checkout(tmp_path / "new").branch
        assert (branch.name, branch.commit_sha) == ("main", None)

    @pytest.mark.parametrize("backend", ["--merge", "--apply"])
    def test_a_rebase_is_on_the_branch_it_moves(self, repository: Path, git: Git, put: Put, backend: str) -> None:
        git(repository, "switch", "--create", "topic")
        put(repository / "a.py", "x = 22\n")
        git(repository, "commit", "--all", "--message", "topic")
        git(repository, "switch", "main")
        put(repository / "a.py", "x = 333\n")
        git(repository, "commit", "--all", "--message", "main")
        git(repository, "switch", "topic")
        with pytest.raises(Exception, match="returned non-zero"):
            git(repository, "rebase", backend, "main")
        branch = checkout(repository).branch
        assert branch.name == "topic"
        assert branch.commit_sha == git(repository, "rev-parse", "main")
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            assert [file.path for file in source.scan({})] == ["a.py"]

    def test_a_linked_work_tree_has_its_own(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(repository, "worktree", "add", "-b", "topic", str(tmp_path / "linked"))
        assert checkout(tmp_path / "linked").branch.name == "topic"
        assert checkout(repository).branch.name == "main"


class TestSurroundings:
    def test_a_hooks_variables_do_not_mislead(
        self, repository: Path, tmp_path: Path, git: Git, put: Put, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        git(tmp_path, "init", "other")
        put(tmp_path / "other/secret.py")
        expected = checkout(repository)
        monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/.git/index"))
        monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='true'")
        assert checkout(repository) == expected
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            assert [file.path for file in source.scan({})] == ["a.py"]

    def test_without_a_git_program_it_is_a_folder(
        self, repository: Path, tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(repository / ".git/info/exclude", "private.py\n")
        put(repository / "private.py")
        put(repository / ".gitignore", "*.log\n")
        put(repository / "a.log")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert project(repository) == f"path:{repository}"
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            assert [file.path for file in source.scan({})] == [".gitignore", "a.py"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
    def test_another_users_repository_is_refused(self, repository: Path) -> None:
        for path in (repository, repository / ".git"):
            os.chown(path, 65534, 65534)
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            with pytest.raises(ConfigurationError) as refused:
                source.checkout()
            assert f"safe.directory '{repository}'" in refused.value.remedy
            with pytest.raises(ConfigurationError):
                next(source.scan({}))

    @pytest.mark.parametrize("mark", ["file", "folder"])
    def test_a_broken_repository_is_a_folder(self, repository: Path, put: Put, mark: str) -> None:
        shutil.rmtree(repository / ".git")
        put(repository / ".git" if mark == "file" else repository / ".git/HEAD", "gitdir: /gone\n")
        assert project(repository) == f"path:{repository}"
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            assert [file.path for file in source.scan({}) if not file.skipped] == ["a.py"]

    def test_a_file_system_monitor_is_not_started(self, repository: Path, tmp_path: Path, git: Git, put: Put) -> None:
        monitor = put(tmp_path / "monitor", f"#!/bin/sh\ntouch {tmp_path}/started\n")
        monitor.chmod(0o755)
        git(repository, "config", "core.fsmonitor", str(monitor))
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            source.checkout()
            list(source.scan({}))
        assert not (tmp_path / "started").exists()

    def test_the_index_is_not_written(self, repository: Path) -> None:
        index = repository / ".git/index"
        before = index.stat().st_mtime_ns
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            source.checkout()
            list(source.scan({}))
        assert index.stat().st_mtime_ns == before
        assert not (repository / ".git/index.lock").exists()


class TestDifference:
    def test_is_that_of_the_files_as_they_are(self, repository: Path, git: Git, put: Put) -> None:
        git(repository, "config", "diff.noprefix", "true")
        git(repository, "config", "color.ui", "always")
        put(repository / "a.py", "x = 22\n")
        text = difference(repository, "HEAD")
        assert "--- a/a.py\n+++ b/a.py\n" in text
        assert text.endswith("+x = 22")

    def test_runs_no_program_of_the_repository(self, repository: Path, git: Git, put: Put, tmp_path: Path) -> None:
        put(repository / ".gitattributes", "*.py diff=own\n")
        git(repository, "config", "diff.own.textconv", f"touch {tmp_path}/ran; cat")
        git(repository, "config", "diff.own.command", f"touch {tmp_path}/ran")
        git(repository, "config", "diff.external", f"touch {tmp_path}/ran")
        put(repository / "a.py", "x = 22\n")
        assert "+x = 22" in difference(repository, "main")
        assert not (tmp_path / "ran").exists()

    @pytest.mark.parametrize("revision", ["nowhere", "", "--output=x", "HEAD:a.py", "-h"])
    def test_other_words_are_refused(self, repository: Path, revision: str) -> None:
        with pytest.raises(InvalidInputError, match="revision"):
            difference(repository, revision)
        assert not (repository / "x").exists()

    def test_a_plain_folder_has_no_history(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        with pytest.raises(InvalidInputError):
            difference(tmp_path / "plain", "HEAD")
