"""A linker's memory for tests."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pckc_domain.model.graph import FileGraph
from pckc_domain.model.linking import LinkedFile, LinkMemory


class DictLinkMemory(LinkMemory):
    """Remembers in dictionaries what a linker gives, and the graph with it."""

    def __init__(self) -> None:
        self.sections: dict[str, dict[str, bytes]] = {}
        self.asked: dict[str, frozenset[str]] = {}
        self.graphs: dict[str, FileGraph] = {}
        self.hashes: dict[str, str] = {}

    def load(self, section: str, paths: Sequence[str], /) -> Mapping[str, bytes]:
        """See the port."""
        return {
            path: self.sections[path][section]
            for path in paths
            if path in self.sections and section in self.sections[path]
        }

    def askers(self, keys: Collection[str], /) -> Sequence[str]:
        """See the port."""
        wanted = set(keys)
        return sorted(path for path, asked in self.asked.items() if asked & wanted)

    def take(self, linked: Iterable[LinkedFile], gone: Collection[str]) -> list[str]:
        """Store what a linker gave; return the paths whose graph it gave."""
        files = list(linked)
        for path in gone:
            self.sections.pop(path), self.asked.pop(path), self.graphs.pop(path)
        for file in files:
            self.hashes[file.path] = file.content_hash
            self.sections.setdefault(file.path, {}).update(file.sections)
            if file.asked is not None:
                self.asked[file.path] = file.asked
            if file.graph is not None:
                self.graphs[file.path] = file.graph
        return [file.path for file in files if file.graph is not None]
