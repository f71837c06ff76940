"""``pckc forget``: erase a claim, a session, a document or the whole project."""

import sys
from argparse import Namespace
from pathlib import Path

from pckc_domain.errors import InvalidInputError, PckcError
from pckc_domain.model.claim import Claim
from pckc_domain.policy.redaction import redact, redact_uri

from pckc_mcp.cli.output import note, print_json, print_text
from pckc_mcp.deciding import again_lines
from pckc_mcp.engine import Engine
from pckc_mcp.forms import answer, unplaced_claim_form
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Erase what was named and say so."""
    named = [name for name in ("claim", "session", "document") if getattr(options, name)]
    if options.all_of_project == bool(named) or len(named) > 1:
        raise InvalidInputError("name one thing to forget", remedy="--claim ID, --session ID, --document PATH or --all")
    what = named[0] if named else "project"
    if not (options.yes or _agreed(f"{what} {getattr(options, what)}")):
        raise InvalidInputError("nothing was erased: it cannot be taken back", remedy="repeat it with --yes")
    with open_engine(options.project, store=options.store) as engine:
        take_in_if_possible(engine)  # else it would come back
        eraser = engine.eraser()
        again: tuple[Claim, ...] = ()
        if options.claim:
            again = eraser.forget_claim(engine.scope, options.claim)
        elif options.session:
            again = eraser.forget_session(engine.scope, options.session)
        elif options.document:
            again = eraser.forget_document(engine.scope, _uri(engine, options.document))
        else:
            eraser.forget_project(engine.scope)
        _erase_from_graph_index(engine)
    identity = redact(str(getattr(options, what) if named else engine.scope.project)).text
    forms = [unplaced_claim_form(claim) for claim in again]
    if options.json:
        print_json(answer("forget", {}, forgotten={"kind": what, "id": identity}, holds_again=forms))
    elif not options.quiet:
        print_text("\n".join([f"forgotten: {what} {identity}", *again_lines(forms)]))
    return 0


def _uri(engine: Engine, named: str) -> str:
    """Return what a document is known by: as it is named, or as the address of the file that was ingested."""
    names = [named, redact_uri(named), redact_uri(Path(named).expanduser().resolve().as_uri())]
    with engine.canonical.reading(engine.scope) as work:
        return next((name for name in names if work.documents.at(name)), named)


def _erase_from_graph_index(engine: Engine) -> None:
    """What is forgotten is queued for the graph index; while that is down, it says that it still holds it."""
    from pckc_mcp.graph.feeding import feed_graph_index

    try:
        feed_graph_index(engine)
    except PckcError as error:
        note(f"pckc: the graph index holds it until `pckc index` reaches it: {error.message}")


def _agreed(what: str) -> bool:
    """Ask a person at a terminal; anything else must say --yes."""
    if not sys.stdin.isatty():
        return False
    note(f"Erase {what} and everything that came from it? This cannot be taken back. [y/N]")
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
