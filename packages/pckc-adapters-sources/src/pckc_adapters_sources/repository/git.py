"""What git knows of a work tree: its branch, its commit and which project it is."""

from contextlib import suppress
from pathlib import Path

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.scope import MAINLINE_NAMES, Branch, BranchScope

from pckc_adapters_sources.repository import process
from pckc_adapters_sources.repository.errors import translated
from pckc_adapters_sources.repository.listing import is_work_tree
from pckc_adapters_sources.repository.remote_url import local_path, normalize_url

WORK_TREE = "worktree"
"""The source revision of all text: it is read from the files, whatever is committed."""

MAX_REMOTE_HOPS = 5

_PLAIN_DIFF = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--unified=3", "--relative", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
"""Whatever the repository's own configuration says of diffs."""

_HEADS = "refs/heads/"
_DEFAULT_BRANCH = "refs/remotes/origin/HEAD"


@attrs.frozen(kw_only=True)
class Repository:
    """
    A work tree under git.

    Attributes:
        root: Resolved top of the work tree.
        git_folder: Where this work tree keeps its state.
        common_folder: Where all work trees of the clone keep what they share.
        is_shallow: The history is cut off.
    """

    root: str
    git_folder: Path
    common_folder: Path
    is_shallow: bool


def open_repository(root: str) -> Repository | None:
    """
    Return the repository whose work tree is at *root*; ``None`` for a plain folder, and without git.

    Raises:
        ConfigurationError: Git does not trust the folder.
        BackendError: Git failed.
    """
    if not is_work_tree(root):
        return None
    with translated(root):
        try:
            answer = process.run(root, "rev-parse", "--is-shallow-repository", "--git-dir", "--git-common-dir")
        except process.GitMissingError:
            return None
        except process.GitError as error:
            if error.is_outside:
                return None
            raise
    is_shallow, git_folder, common_folder = answer.split("\n", 2)
    return Repository(
        root=root,
        git_folder=Path(root, git_folder).resolve(),
        common_folder=Path(root, common_folder).resolve(),
        is_shallow=is_shallow == "true",
    )


def is_bare(folder: str) -> bool:
    """Tell whether *folder* is a bare repository, which has no files to read."""
    return all(Path(folder, name).exists() for name in ("HEAD", "objects", "refs"))


def branch_of(repository: Repository) -> Branch:
    """
    Return the branch that is checked out, or the one that a rebase under way will move.

    It is mainline if it is the remote's default branch or is called like one.
    """
    head = _ask(repository.root, "symbolic-ref", "--quiet", "HEAD") or _rebased_head(repository.git_folder)
    name = head.removeprefix(_HEADS) if head.startswith(_HEADS) else None
    default = _ask(repository.root, "symbolic-ref", "--quiet", _DEFAULT_BRANCH).removeprefix("refs/remotes/origin/")
    return Branch(
        name=name,
        scope=BranchScope.MAINLINE if name in {default, *MAINLINE_NAMES} else BranchScope.CURRENT,
        source_revision=WORK_TREE,
        commit_sha=_ask(repository.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or None,
    )


def _rebased_head(git_folder: Path) -> str:
    for state in ("rebase-merge", "rebase-apply"):
        with suppress(OSError):
            return (git_folder / state / "head-name").read_text("utf-8", "replace").strip()
    return ""


def project_of(repository: Repository) -> str:
    """
    Return the same name for every clone and work tree of a project.

    It is the normalised address of the remote ``origin``; else ``commit:`` and the id of the first commit; else, before
    the first commit and in a shallow clone, the identity of the folder that the work trees share.
    """
    return _remote(repository.root) or _first_commit(repository) or path_identity(_shared_folder(repository))


def path_identity(path: str) -> str:
    """Return the project name of a folder that has nothing but its resolved path."""
    return f"path:{path}"


def _remote(root: str) -> str:
    """Return the normalised address of ``origin``; the origin of a clone on this machine is that clone's origin."""
    for _ in range(MAX_REMOTE_HOPS):
        url = _ask(root, "remote", "get-url", "origin")
        name = normalize_url(url)
        if name:
            return name
        path = local_path(url)
        if not path or not Path(root, path).is_dir():
            return ""
        root = str(Path(root, path))
    return ""


def _first_commit(repository: Repository) -> str:
    """
    Return ``commit:`` and the first commit of the mainline, or of HEAD where no branch is called like one.

    Only first parents are walked: about 0.5 s for 200,000 of them. A time limit that gave another answer would split
    a project in two, so reaching it is an error.
    """
    if repository.is_shallow:
        return ""
    mainlines = sorted(f"{_HEADS}{name}" for name in MAINLINE_NAMES)
    known = _ask(repository.root, "for-each-ref", "--format=%(refname)", _DEFAULT_BRANCH, *mainlines).splitlines()
    if not known and not _ask(repository.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
        return ""
    start = max(known, key=lambda ref: ref == _DEFAULT_BRANCH, default="HEAD")
    with translated(repository.root):
        return "commit:" + process.run(repository.root, "rev-list", "--first-parent", "--max-parents=0", start)


def _shared_folder(repository: Repository) -> str:
    folder = repository.common_folder
    return str(folder.parent if folder.name == ".git" else folder)


def _ask(root: str, *arguments: str) -> str:
    """Return git's answer, ``""`` when it has none."""
    with translated(root):
        try:
            return process.run(root, *arguments)
        except process.GitTimeoutError:
            raise
        except process.GitError:
            return ""


def difference(root: str, revision: str) -> str:
    """
    Return the unified diff from *revision* to the work tree at *root*; new files count once git knows of them.

    Raises:
        InvalidInputError: There is no such revision, or no git.
        BackendError: Git failed.
    """
    with translated(root):
        try:
            commit = process.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except (process.GitMissingError, process.GitError) as error:
            raise InvalidInputError(
                f"there is no revision {revision!r}", remedy="name a commit, a branch or a tag, or a file with a diff"
            ) from error
        return process.run(root, "diff", *_PLAIN_DIFF, commit, "--")
