"""What every linker does: it turns facts of files into their part of the graph, again and again."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from pckc_domain.model.linking import FileChange, LinkedFile, LinkMemory
from pckc_domain.model.progress import ProgressListener


class Linker(Protocol):
    """Links the files of languages that can call each other."""

    @abstractmethod
    def languages(self) -> frozenset[str]:
        """Return the languages it links."""

    @abstractmethod
    def link(
        self,
        changed: Iterable[FileChange],
        /,
        *,
        gone: Collection[str],
        known: Mapping[str, str],
        settings: Mapping[str, str],
        memory: LinkMemory,
        progress: ProgressListener,
    ) -> Iterable[LinkedFile]:
        """
        Return every file whose part of the graph or memory changed, changed files always.

        What is stored after any row of calls equals what one call with all files gives.

        Args:
            changed: New and changed files, once each.
            gone: Paths that were there before and are no more.
            known: Path to language of all files of these languages, changed ones included, gone ones not.
            settings: Path to text of the project files that say how names are found: tsconfig.json, go.mod …
            memory: What earlier calls gave.
            progress: Told of every file.
        """
