"""What every answer says of the index it comes from."""

from pckc_domain.model.context import ContextPack

from pckc_mcp.forms import tells_documents

NEVER = "This project has not been indexed yet: run `pckc index` in it, then ask again.\n"
UNFINISHED = "The index is not complete, its last run did not finish: run `pckc sync`.\n"


def pack_text(pack: ContextPack) -> str:
    """Return the text of a context with what it lacks: an index, or a budget that anything fits into."""
    text = pack.text or f"Nothing fits into {pack.budget} tokens: raise token_budget."
    return index_note(pack.indexed_at, has_documents=tells_documents(pack)) + text


def index_note(indexed_at: object, *, is_complete: bool = True, has_documents: bool = False) -> str:
    """Return a line on what is missing; ``""`` when nothing is."""
    if indexed_at is None:
        return "" if has_documents else NEVER
    return "" if is_complete else UNFINISHED
