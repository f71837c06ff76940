"""Who a thing belongs to, and on which branch it was seen."""

from datetime import datetime
from enum import StrEnum

import attrs


@attrs.frozen(kw_only=True)
class Scope:
    """A tenant's project: no query crosses it."""

    tenant: str = "local"
    project: str


class BranchScope(StrEnum):
    """How a branch relates to the one being read."""

    CURRENT = "current_branch"
    INHERITED = "inherited_branch"
    MAINLINE = "mainline"
    GLOBAL = "global"
    HISTORICAL = "historical"


@attrs.frozen(kw_only=True)
class Branch:
    """
    Branch provenance of a stored unit.

    Attributes:
        name: Branch name; ``None`` outside version control or with a detached head.
        scope: How the branch related to the reader when the unit was stored.
        source_revision: What the text was read from, such as ``git:<commit>`` or ``worktree``.
        commit_sha: Full commit id at that time, if there was one.
    """

    name: str | None = None
    scope: BranchScope = BranchScope.GLOBAL
    source_revision: str | None = None
    commit_sha: str | None = None


MAINLINE_NAMES = frozenset({"main", "master", "trunk", "develop"})


@attrs.frozen(kw_only=True)
class Checkout:
    """
    One work tree of a project.

    Attributes:
        id: Hash of the resolved root path.
        root: Resolved absolute path.
        project: The project's identity, equal for all its work trees and spellings.
        branch: The branch that is checked out.
        indexed_at: When its index was last brought up to date; ``None`` before the first time.
        is_complete: Whether that index run finished.
        recipe: How its documents were cut into passages; another recipe asks for a new index run.
    """

    id: str
    root: str
    project: str
    branch: Branch
    indexed_at: datetime | None = None
    is_complete: bool = False
    recipe: str = ""
