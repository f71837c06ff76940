"""What every answer says of the index it comes from."""

from pckc_domain.model.context import ContextPack
from pckc_domain.ports.sources import TreeChanges

from pckc_mcp.forms import Form, changes_form, changes_text
from pckc_mcp.pack_forms import tells_documents

NEVER = "This project has not been indexed yet: run `pckc index` in it, then ask again.\n"
UNFINISHED = "The index is not complete, its last run did not finish: run `pckc sync`.\n"


def pack_text(pack: ContextPack, changes: TreeChanges | None) -> str:
    """Return the text of a context with what it lacks: an index, or a budget that anything fits into."""
    text = pack.text or f"Nothing fits into {pack.budget} tokens: raise token_budget."
    return f"{index_note(pack.indexed_at, has_documents=tells_documents(pack))}{tree_note(changes_form(changes))}{text}"


def tree_note(changes: Form | None) -> str:
    """Return a line on what the index does not know; ``""`` when nothing is."""
    told = changes_text(changes)
    return f"{told[:1].upper()}{told[1:]}: run `pckc sync` to find what is in them.\n" if told else ""


def index_note(indexed_at: object, *, is_complete: bool = True, has_documents: bool = False) -> str:
    """Return a line on what is missing; ``""`` when nothing is."""
    if indexed_at is None:
        return "" if has_documents else NEVER
    return "" if is_complete else UNFINISHED
