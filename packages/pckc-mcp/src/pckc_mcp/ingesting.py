"""Ingest sources one after the other: distil, let repeated claims lend their proofs, close gaps that are answered."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
from pckc_domain.errors import PckcError
from pckc_domain.model.document import DocumentKind
from pckc_domain.model.gap import Gap
from pckc_domain.model.progress import ProgressListener, ignore_progress

if TYPE_CHECKING:
    from pckc_domain.usecases.ingest import IngestReport

    from pckc_mcp.engine import Engine


@attrs.frozen(kw_only=True)
class Ingested:
    """
    What became of one source.

    Attributes:
        source: As it was named.
        report: What was done; ``None`` when it failed.
        duplicates: Number of claims that repeat one of another place.
        uncompared: Number of claims of which that is yet to be found out.
        failure: Why it failed; ``None`` when it did not.
    """

    source: str
    report: "IngestReport | None" = None
    duplicates: int = 0
    uncompared: int = 0
    failure: PckcError | None = None


@attrs.frozen(kw_only=True)
class Text:
    """Text at hand instead of a place to read from."""

    text: str
    name: str = ""
    title: str = ""
    kind: DocumentKind = DocumentKind.MARKDOWN
    place: str = "text"


class Ingesting:
    """Ingests sources into the store of one engine; one that fails leaves the others alone."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def run(
        self,
        sources: Sequence[str | Text],
        *,
        snippet: str = "",
        progress: ProgressListener = ignore_progress,
    ) -> Iterator[Ingested]:
        """
        Yield what became of each source, in order.

        *snippet* is what a search engine showed of the first source: kept instead of a page that cannot be read.

        Raises:
            ConfigurationError: A setting of the reader or the distiller is wrong: that is no fault of a source.
        """
        self._engine.ingester()
        for number, source in enumerate(sources):
            name = (source.name or "text") if isinstance(source, Text) else source
            try:
                yield Ingested(source=name, report=self._read(source, "" if number else snippet, progress))
            except PckcError as error:
                yield Ingested(source=name, failure=error)

    def resume(self, *, progress: ProgressListener = ignore_progress) -> Iterator[Ingested]:
        """Distil what is left of stored documents and yield what became of each."""
        for report in self._engine.ingester().resume(self._engine.scope, progress=progress):
            yield Ingested(source=report.document.uri, report=report)

    def compared(self, ingested: Sequence[Ingested]) -> list[Ingested]:
        """Say of each how many of its claims were found to repeat others, and how many are yet to be compared."""
        comparison = self._engine.comparison()
        if comparison is None:
            return list(ingested)
        from pckc_domain.usecases.cross_check import is_repeat

        left = comparison.left(self._engine.scope)
        result = []
        with self._engine.canonical.reading(self._engine.scope) as work:
            for one in ingested:
                claims = one.report.claim_ids if one.report else ()
                repeats = sum(map(is_repeat, work.verdicts.of(claims)))
                result.append(attrs.evolve(one, duplicates=repeats, uncompared=len(left.intersection(claims))))
        return result

    def close_gaps(self, ingested: Sequence[Ingested]) -> tuple[Gap, ...]:
        """Close the gaps that the claims of these documents answer."""
        claims = [claim for one in ingested if one.report for claim in one.report.claim_ids]
        return self._engine.gap_keeper().close_answered(self._engine.scope, claims) if claims else ()

    def _read(self, source: str | Text, snippet: str, progress: ProgressListener) -> "IngestReport":
        ingester, scope = self._engine.ingester(), self._engine.scope
        if isinstance(source, Text):
            uri = f"text:{source.name}" if source.name else ""
            return ingester.ingest_text(
                scope, source.text, uri=uri, title=source.title, kind=source.kind, place=source.place, progress=progress
            )
        try:
            return ingester.ingest(scope, source, progress=progress)
        except PckcError as error:
            if not snippet or not source.startswith(("http://", "https://")):
                raise
            report = ingester.ingest_text(
                scope, snippet, uri=source, kind=DocumentKind.WEB, place="snippet", progress=progress
            )
            return attrs.evolve(report, notes=(*report.notes, f"the snippet alone: {error.message}"))
