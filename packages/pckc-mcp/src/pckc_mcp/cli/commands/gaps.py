"""``pckc gaps``: questions that what is known does not answer."""

from argparse import Namespace
from collections.abc import Sequence

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.gap import Gap, GapPriority, GapStatus

from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.curated_forms import gap_form, gap_line
from pckc_mcp.engine import Engine
from pckc_mcp.forms import answer
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Do what is asked and print the gaps it is about."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        gaps = _done(engine, options)
    if options.json:
        print_json(answer("gaps", {}, act=options.act, gaps=[gap_form(gap) for gap in gaps]))
    elif not options.quiet:
        print_text("\n".join(map(_text, gaps)) or ("done" if options.act == "delete" else "no gaps"))
    return 0


def _done(engine: Engine, options: Namespace) -> Sequence[Gap]:
    keeper, scope = engine.gap_keeper(), engine.scope
    status = GapStatus(options.status) if options.status else None
    priority = GapPriority(options.priority) if options.priority else None
    if options.act in ("add", "get", "update", "delete") and not options.what:
        raise InvalidInputError(
            f"gaps {options.act} needs {'a question' if options.act == 'add' else 'the id of a gap'}",
            remedy="`pckc gaps` lists those there are",
        )
    match options.act:
        case "add":
            return [
                keeper.add(
                    scope,
                    options.what,
                    reason=options.reason or "",
                    priority=priority or GapPriority.MEDIUM,
                    raised_by="user",
                )
            ]
        case "get":
            return [keeper.get(scope, options.what)]
        case "update":
            return [
                keeper.update(
                    scope,
                    options.what,
                    question=options.question,
                    reason=options.reason,
                    priority=priority,
                    status=status,
                    closed_by=options.closed_by or None,
                )
            ]
        case "delete":
            keeper.delete(scope, options.what)
            return []
        case "close":
            return keeper.close_answered(scope)
        case _:
            return keeper.list(scope, status=status, limit=options.limit)


def _text(gap: Gap) -> str:
    because = [quoted(f"because: {gap.reason}")] if gap.reason else []
    return "\n".join([gap_line(gap), quoted(gap.question), *because])
