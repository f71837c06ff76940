"""Copy what one store holds into another one, whatever engines they run on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from pckc_domain.errors import ConflictError
from pckc_domain.model.holding import Part
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.usecases.stocktaking import count_of, parts_of, write_parts


@attrs.frozen(kw_only=True)
class Copied:
    """
    What became of one project.

    Attributes:
        counts: How much of each kind the target holds of it.
        was_there: It was there before, whole: nothing was written.
    """

    scope: Scope
    counts: Mapping[str, int]
    was_there: bool = False


class Migrator:
    """
    Copies project by project, each in one transaction of the target.

    One that was interrupted has copied a project whole or not at all; the next run passes over what is there already.
    """

    def __init__(self, source: Canonical, target: Canonical) -> None:
        self._source = source
        self._target = target

    def run(
        self, scopes: Sequence[Scope], *, is_merging: bool = False, progress: ProgressListener = ignore_progress
    ) -> Sequence[Copied]:
        """
        Copy these projects; with *is_merging* also to where the target holds something else of one.

        Raises:
            ConflictError: The target holds something else of a project, or less than was copied; nothing was written
                of that project.
        """
        return [self._copy(scope, is_merging=is_merging, progress=progress) for scope in scopes]

    def _copy(self, scope: Scope, *, is_merging: bool, progress: ProgressListener) -> Copied:
        with self._source.reading(scope) as source:
            counts = count_of(source)
            return load(self._target, scope, told(parts_of(source), scope, progress), counts, is_merging=is_merging)


def load(
    target: Canonical, scope: Scope, parts: Iterable[Part], counts: Mapping[str, int], *, is_merging: bool
) -> Copied:
    """
    Write *parts*, which are *counts* in all, to a project of *target*, in one transaction.

    Raises:
        ConflictError: See `Migrator.run`.
    """
    with target.reading(scope) as work:
        there = count_of(work)
    counts = {kind: counts.get(kind, 0) for kind in there}  # an older archive names fewer kinds
    if there == counts and not is_merging:
        return Copied(scope=scope, counts=counts, was_there=True)
    if any(there.values()) and not is_merging:
        raise ConflictError(
            f"the target holds something else of {scope.project}: {_differences(there, counts)}",
            remedy="Choose an empty target, or add to what is there with --merge.",
        )
    with target.writing(scope) as work:
        write_parts(work, parts)
        after = count_of(work)
        if after != counts and not is_merging:
            raise ConflictError(
                f"not all of {scope.project} arrived, nothing was written: {_differences(after, counts)}",
                remedy="Check the store that is copied (`pckc doctor --check`).",
            )
    return Copied(scope=scope, counts=after)


def told(parts: Iterable[Part], scope: Scope, progress: ProgressListener) -> Iterator[Part]:
    """Yield *parts*, and tell *progress* of each that was taken."""
    for done, part in enumerate(parts, 1):
        yield part
        progress(Progress(stage=scope.project, done=done, total=0))


def _differences(there: Mapping[str, int], wanted: Mapping[str, int]) -> str:
    return ", ".join(f"{there[kind]} {kind} for {wanted[kind]}" for kind in there if there[kind] != wanted[kind])
