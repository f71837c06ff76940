"""How much of a project its graphs hold, and what an answer from them does not know."""

from collections.abc import Sequence

from pckc_domain.errors import NotFoundError
from pckc_domain.model.graph import FileCoverage, GraphLayer, NodeKind
from pckc_domain.model.recall import IndexCoverage

from pckc_mcp.forms import Form

RELIED_ON = ("callers", "impact", "dead")
"""Questions whose answers people delete code by."""

UNREAD_KINDS = frozenset(("constant", "variable", "field", "enum", "type_alias"))


def coverage_of(files: Sequence[FileCoverage], layer: GraphLayer) -> dict[str, IndexCoverage]:
    """
    Return how much of the layer's files, or sessions, the graph holds.

    Raises:
        NotFoundError: None at all.
    """
    if layer is GraphLayer.SESSION:  # the rest is what sessions lead to
        files = [file for file in files if file.language == NodeKind.SESSION]
    if not files:
        remedy = (
            "no source file of a language that is read is there, or none was looked at yet: `pckc sync`"
            if layer is GraphLayer.REPOSITORY
            else "`pckc import` makes it"
        )
        raise NotFoundError(f"the graph of the {layer} layer is empty", remedy=remedy)
    return {"graph": IndexCoverage(indexed=sum(not one.skipped for one in files), total=len(files))}


def notes_on(question: str, form: Form, files: Sequence[FileCoverage]) -> list[str]:
    """Say what an answer does not know, where it matters: who relies on "nobody" should hear it."""
    if question not in RELIED_ON:
        return []
    notes = []
    unread = sum(bool(one.skipped or one.problems) for one in files)
    if unread:
        notes.append(f"{unread} source files were not read in full; `pckc graph coverage` lists them")
    from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES  # its rules would cost every start 100 ms

    headed = sorted({one.language for one in files if one.language in FALLBACK_LANGUAGES})
    if headed:
        notes.append(f"of {', '.join(headed)} only definitions are read, no calls")
    if any(node["kind"] in UNREAD_KINDS for node in form.get("of", ())):
        notes.append("who reads a constant, variable, field, enum or alias is not followed: no edge proves nothing")
    return notes
