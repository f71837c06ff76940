"""What commands that copy stores say at their end."""

from argparse import Namespace
from collections.abc import Sequence

from pckc_domain.model.scope import Scope
from pckc_domain.usecases.migrate import Copied

from pckc_mcp.cli.output import note, print_json, print_text
from pckc_mcp.forms import answer


def tenants_of(scopes: Sequence[Scope], current: str) -> list[str]:
    """Return whose projects these are, by name; *current* was looked for too, even if it has none."""
    return sorted({current, *(scope.tenant for scope in scopes)})


def report_copied(command: str, copied: Sequence[Copied], place: str, options: Namespace) -> None:
    """Print each project with its counts."""
    if options.json:
        projects = [
            {
                "tenant": one.scope.tenant,
                "project": one.scope.project,
                "was_there": one.was_there,
                "counts": dict(one.counts),
            }
            for one in copied
        ]
        print_json(answer(command, {}, place=place, projects=projects))
    elif not options.quiet:
        print_text("\n".join([place, *map(_line, copied)]))
        note("pckc: vectors are not copied; `pckc index` makes them anew")


def _line(one: Copied) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in one.counts.items() if count)
    whose = f"{one.scope.project} of {one.scope.tenant}"
    return f"  {whose}: {'was there already, ' if one.was_there else ''}{counts or 'nothing'}"
