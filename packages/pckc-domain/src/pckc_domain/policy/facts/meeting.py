"""Which place's facts a session's claim can mean."""

from collections.abc import Collection, Sequence

from pckc_domain.model.claim import Claim
from pckc_domain.model.fact import FactPlace
from pckc_domain.model.scope import MAINLINE_NAMES, Branch
from pckc_domain.policy.slots import branch_name


def place_met(claim: Claim, path: str, places: Sequence[FactPlace]) -> FactPlace | None:
    """
    Return the one place among *places* that *claim* can mean, ``None`` when there is none or more than one.

    A claim means its own branch, and what that does not set, the mainline, or when it names no branch, any. What
    the repository sets now comes before what it set once.

    Args:
        claim: As a session made it.
        path: The file it names, relative to the work tree; ``""`` when it names none.
        places: All that answer the claim's topic.
    """
    if claim.condition:
        return None
    named = [place for place in places if place.place.path == path] if path else list(places)
    branch = branch_name(claim.branch)
    for is_live in (True, False):
        pools = [
            [place for place in named if place.is_live is is_live and place.place.branch == name]
            for name in dict.fromkeys((branch, ""))
        ]
        if claim.branch.name is None:
            pools.append([place for place in named if place.is_live is is_live])
        for pool in pools:
            if pool:
                return pool[0] if len(pool) == 1 else None
    return None


def branches_read(branch: Branch) -> frozenset[str]:
    """Return the branches whose facts count on *branch*: itself and the mainline; none means all."""
    return frozenset({branch.name, "", *MAINLINE_NAMES}) if branch.name else frozenset()


def is_overshadowed(fact: Claim, facts: Collection[Claim]) -> bool:
    """Return whether one of *facts* is set in the same file on a branch of its own, which comes before the mainline."""
    return not branch_name(fact.branch) and any(
        branch_name(other.branch) and _setting(other) == _setting(fact) for other in facts
    )


def _setting(fact: Claim) -> tuple[str, str, str]:
    return fact.path, fact.subject, fact.attribute


def relative(path: str, folders: Sequence[str]) -> str:
    """Return *path* relative to the first of *folders* that holds it: transcripts name files absolutely."""
    for folder in folders:
        if folder and path.startswith(f"{folder.rstrip('/')}/"):
            return path[len(folder.rstrip("/")) + 1 :]
    return path.removeprefix("./")
