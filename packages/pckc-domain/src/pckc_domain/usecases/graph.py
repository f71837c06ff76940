"""Build the repository graph of a work tree."""

from collections import Counter
from collections.abc import Collection, Mapping

import attrs

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.graph import Graph
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.policy.document_kinds import classify
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.ports.sources import RepositorySource, SkippedFile

READERS = {"python": python_facts}
"""How the facts of a language's files are read."""


@attrs.frozen(kw_only=True)
class BuiltGraph:
    """
    A graph and what it was built from.

    Attributes:
        files: Source files of the languages asked for.
        read: Those of them whose facts are in the graph.
        skipped: Reason to number of the others.
    """

    graph: Graph
    files: int
    read: int
    skipped: Mapping[str, int]


class GraphBuilder:
    """Reads the work tree's source files and links them; nothing is stored."""

    def __init__(self, source: RepositorySource) -> None:
        self._source = source

    def build(self, *, languages: Collection[str] = (), progress: ProgressListener = ignore_progress) -> BuiltGraph:
        """
        Build the graph of files in *languages*; none means all that can be read.

        Raises:
            InvalidInputError: A language cannot be read.
        """
        for language in languages:
            if language not in READERS:
                raise InvalidInputError(f"no graph of {language!r} yet", remedy=f"known: {', '.join(READERS)}")
        scanned = [
            (file, language)
            for file in self._source.scan({})
            if (language := classify(file.path)[2]) in (languages or READERS) and file.path.endswith((".py", ".pyw"))
        ]
        skipped: Counter[str] = Counter()
        facts: list[CodeFacts] = []
        for done, (file, language) in enumerate(scanned, start=1):
            content = None if file.skipped else self._source.read(file.path)
            if content is None or isinstance(content, SkippedFile):
                skipped[file.skipped if content is None else content.reason] += 1
                continue
            facts.append(READERS[language](file.path, content.text))
            progress(Progress(stage="reading code", done=done, total=len(scanned)))
        graph = build_graph(facts)
        return BuiltGraph(graph=graph, files=len(scanned), read=len(facts), skipped=dict(sorted(skipped.items())))
